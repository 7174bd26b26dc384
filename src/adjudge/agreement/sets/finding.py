"""Which files of a folder hold labelled cases, and of which kind."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from ...errors import InputError
from ...inputs.rows import Row, open_rows
from ...rubric import shipped

SetProtocol = Literal["compare", "dialogue"]
_SUFFIXES = {".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".pq", ".txt"}
_LOOKED_AT = 1_000  # rows without a label, after which a file counts as one without labels


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """A file of cases that people labelled."""

    name: str
    path: Path
    protocol: SetProtocol


def find_sets(folder: Path) -> tuple[list[LabelledSet], dict[str, str]]:
    """The files of a folder whose cases carry labels, and why the others are left out."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.is_file() and _SUFFIXES.intersection(path.suffixes))
    except OSError:
        raise InputError("DIR", f"{folder}: folder not found", "a folder with files of labelled cases") from None
    found, left_out = [], {}
    stems = [path.name.partition(".")[0] for path in paths]
    for path, stem in zip(paths, stems, strict=True):
        protocol, why = _protocol_of(path)
        if protocol is None:
            left_out[path.name] = why
        else:
            found.append(LabelledSet(stem if stems.count(stem) == 1 else path.name, path, protocol))
    if not found:
        why = "".join(f"; {name}: {reason}" for name, reason in islice(left_out.items(), 3))
        raise InputError("DIR", f"{folder}: no file with labelled cases{why}", f"{', '.join(sorted(_SUFFIXES))}")
    return found, left_out


def _protocol_of(path: Path) -> tuple[SetProtocol | None, str]:
    """What the cases of a file are; None and the reason if they are none, or carry no label."""
    why = ""
    protocols: tuple[SetProtocol, ...] = ("dialogue",) if path.suffix == ".txt" else ("compare", "dialogue")
    for protocol in protocols:
        try:
            rows = open_rows(str(path), protocol, shipped(protocol))
            if any(isinstance(row, Row) and row.label is not None for row in islice(rows, _LOOKED_AT)):
                return protocol, ""
            return None, "no labels"
        except InputError as error:
            why = why or error.found
    return None, why
