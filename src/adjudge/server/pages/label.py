"""Label: a blind queue for people, and what they said side by side."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(include_in_schema=False)
