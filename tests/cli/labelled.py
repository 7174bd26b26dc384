"""Runs to label, and what was kept of the labels."""

import orjson
from results.building import Given

from adjudge.protocols.compare.case import Comparison


def pairs(count):
    """Cases whose texts tell apart every answer, and whose ids, sources, labels and columns would give them away."""
    return [
        Given(
            f"secretid{n}",
            Comparison(
                f"Task number {n}.", f"First text of {n}. It is short.", f"Second text of {n}. It is long. " * 3
            ),
            "B",
            ("secretmodel-x", "secretmodel-y"),
            {"secretcolumn": "secretvalue"},
        )
        for n in range(count)
    ]


def kept(folder, annotator="ann"):
    """The last label of each case, by its id."""
    lines = (folder / "labels" / f"{annotator}.jsonl").read_bytes().splitlines()
    return {label["case"]: label for label in map(orjson.loads, lines)}
