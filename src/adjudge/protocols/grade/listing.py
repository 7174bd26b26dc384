"""How lists of runs and cases show gradings."""

from __future__ import annotations

from ..listing import CaseListing

LISTING = CaseListing()
