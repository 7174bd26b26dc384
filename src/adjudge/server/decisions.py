"""What a reviewer decided of a review: accepted, fixed or rejected, with the reason; and who changed what when."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["decisions"])
