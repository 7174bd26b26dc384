"""Loads rubrics: a protocol's shipped one, a user's file, or a stored text. The protocol named in it checks it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import yaml

from ..errors import InputError, RubricError, plain_reason
from ..files import user_path
from ..models.calibration import SavedCalibration
from ..rubric import MAX_RUBRIC_BYTES, Rubric, read
from ..text.decoding import decode
from . import registry


def calibrated_source(rubric: Rubric, calibration: SavedCalibration) -> str:
    """Return the rubric's text with this calibration as its last section, replacing an earlier one."""
    section = yaml.safe_dump(
        {"calibration": calibration.model_dump()}, sort_keys=False, allow_unicode=True, default_flow_style=None
    )
    # Always exactly one line end before the section, so that the text before it can be recovered exactly.
    text = f"{rubric.uncalibrated or rubric.source}\n{section}"
    parse(text, rubric.name)
    return text


@lru_cache(maxsize=8)
def shipped(name: str) -> Rubric:
    """Return the rubric that is shipped for a protocol."""
    return parse((registry.load(name).folder / "rubric.yaml").read_text("utf-8"), f"{name}.yaml")


def starter(name: str) -> str:
    """Return the text of a rubric to start from: the protocol's own such file, or else its shipped rubric."""
    file = registry.load(name).folder / "starter.yaml"
    return file.read_text("utf-8") if file.exists() else shipped(name).source


def load(path: str | Path, protocol: str | None = None) -> Rubric:
    """Read a user's rubric. Raise RubricError with the line if it is invalid or made for another protocol."""
    try:
        with user_path(path).open("rb") as opened:
            raw = opened.read(MAX_RUBRIC_BYTES + 1)
    except OSError as error:
        raise RubricError(str(path), plain_reason(error)) from None
    if len(raw) > MAX_RUBRIC_BYTES:
        raise RubricError(
            str(path), f"more than {MAX_RUBRIC_BYTES:,} bytes", f"at most {MAX_RUBRIC_BYTES:,} are allowed"
        )
    try:
        text = decode(raw, str(path))
    except InputError as error:
        raise RubricError(error.place, error.found, error.allowed) from None
    rubric = parse(text, str(path))
    if protocol is not None and rubric.protocol != protocol:
        raise RubricError(str(path), f"its protocol is {rubric.protocol}", f"{protocol} is needed here")
    return rubric


def rubric_for(protocol: str, given: str | Path | Rubric | None) -> Rubric:
    """Return the given rubric, load it if it is a path, or return the protocol's shipped rubric if none is given."""
    return given if isinstance(given, Rubric) else load(given, protocol) if given else shipped(protocol)


@lru_cache(maxsize=32)
def parse(text: str, place: str) -> Rubric:
    """Parse a rubric from its YAML text. Errors refer to it as `place`.

    Cached: parsing the YAML is the slowest part of opening a run or reading a verdict, and most share one.
    """
    return read(text, place, lambda name: registry.load(name).rubric, registry.names())
