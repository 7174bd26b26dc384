"""Runs: the list, live progress, a run in pictures and its cases, two runs compared."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(include_in_schema=False)
