"""The rows of a run as a data frame of pandas or Polars, which users install themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..extras import require_package
from .database import opened
from .exporting import write_parquet
from .run import open_run


def to_pandas(run: str | Path, where: str | None = None) -> Any:
    """Return the rows of the run in a directory as a pandas data frame. `where` is a condition in SQL."""
    require_package("to_pandas", "pandas")
    with opened(open_run(run, str(run)), where) as database:
        return database.cursor().execute(f"from {database.chosen}").df()


def to_polars(run: str | Path, where: str | None = None) -> Any:
    """Return the rows of the run in a directory as a Polars data frame. `where` is a condition in SQL."""
    require_package("to_polars", "polars")
    import polars

    with opened(open_run(run, str(run)), where) as database:
        file = database.folder / "frame.parquet"
        write_parquet(database, file)
        return polars.read_parquet(file.read_bytes())
