"""Rubrics: view, edit, validate and version them, and the prompt each renders to."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(include_in_schema=False)
