"""People: signing in and out, and who has which role."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(include_in_schema=False)
