"""`/api/annotators`: what reviews found in each person's ratings."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/api/annotators", tags=["annotators"])
