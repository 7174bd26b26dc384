"""The same case in two runs: by its id and its texts. Numbers stand for them, 16 bytes a case."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from .directory import Run
from .needs import need


@dataclass(frozen=True)
class Pairs:
    """Positions of the same case in both runs, in the order of the second, and the ids of cases in one run only."""

    first: Any
    second: Any
    only_first: list[str]
    only_second: list[str]

    def __len__(self) -> int:
        return len(self.first)

    def stretches(self, size: int) -> Iterator[tuple[list[int], list[int]]]:
        """So many pairs at a time."""
        for begin in range(0, len(self), size):
            yield self.first[begin : begin + size].tolist(), self.second[begin : begin + size].tolist()


def paired(first: Run, second: Run) -> Pairs:
    """The cases of both runs; one that stands twice in both is paired twice, in the order in which it stands."""
    np = need("numpy", "a comparison of runs")
    (keys_1, positions_1), (keys_2, positions_2) = _keys(np, first), _keys(np, second)
    # Equal keys stand together, each with a number of its own among them: the n-th of one run goes with the n-th.
    order_1, order_2 = np.argsort(keys_1, kind="stable"), np.argsort(keys_2, kind="stable")
    sorted_1, sorted_2 = keys_1[order_1], keys_2[order_2]
    nth = np.arange(len(sorted_2)) - np.searchsorted(sorted_2, sorted_2)
    place = np.searchsorted(sorted_1, sorted_2) + nth
    fits = place < len(sorted_1)
    fits[fits] = sorted_1[place[fits]] == sorted_2[fits]
    of_first = np.full(len(keys_2), -1)
    of_first[order_2[fits]] = order_1[place[fits]]
    both = of_first >= 0
    left = np.ones(len(keys_1), bool)
    left[of_first[both]] = False
    return Pairs(
        first=positions_1[of_first[both]],
        second=positions_2[both],
        only_first=_names(first, left),
        only_second=_names(second, ~both),
    )


def _keys(np: Any, run: Run) -> tuple[Any, Any]:
    keys, positions = array("Q"), array("q")
    for position, case in run.case_lines():
        keys.append(_key(case))
        positions.append(position)
    return np.frombuffer(keys, np.uint64), np.frombuffer(positions, np.int64)


def _names(run: Run, wanted: Any) -> list[str]:
    """The ids of the cases that are wanted, in the order of the file."""
    if not wanted.any():
        return []
    return [
        str(case["case"]) for (_, case), chosen in zip(run.case_lines(inputs=False), wanted, strict=False) if chosen
    ]


def _key(case: Mapping[str, Any]) -> int:
    given = {name: value for name, value in (case.get("input") or {}).items() if name != "weights"}
    told = orjson.dumps([case["case"], given], option=orjson.OPT_SORT_KEYS)
    return int.from_bytes(hashlib.blake2b(told, digest_size=8).digest(), "big")
