"""Many cases out of one file, folder or pipe."""

from .base import BadRow, Row, Rows, Scalar
from .opening import open_rows

__all__ = ["BadRow", "Row", "Rows", "Scalar", "open_rows"]
