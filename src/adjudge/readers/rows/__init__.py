"""Many cases out of one file, folder or pipe."""

from .base import BadRow, Row, Rows, Scalar

__all__ = ["BadRow", "Row", "Rows", "Scalar"]
