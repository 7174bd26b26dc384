"""Annotators: what reviews found in each person's ratings."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(include_in_schema=False)
