"""How well wishes are read and held against answers, over labelled samples; and what is read in tasks of your own.

`python bench/request_detectors.py` prints the table; `--data FILE …` (JSON lines with a `task`) prints each wish read
there in its place, to be judged by eye. `--wrong` lists the samples that were read wrongly.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from scoring import HEADER, Counts, count

from adjudge.facts.format import find_format
from adjudge.facts.items import find_items
from adjudge.facts.length import find_too_long, find_too_short
from adjudge.facts.requests import read_requests
from adjudge.facts.spots import Spot
from adjudge.facts.wishes import FormatWish, ItemsWish, LengthWish, Requests

SAMPLES = Path(__file__).parent / "samples"
COUNTED = ("items", "sentences", "paragraphs")
Judged = tuple[bool, bool]


def load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / name).read_text("utf-8").splitlines() if line.strip()]


def read_wishes(requests: Requests) -> dict[str, Any]:
    """What was read, in the shape of the labels."""
    length = requests.length
    return {
        "length": length and {key: getattr(length, key) for key in ("kind", "count", "upper", "unit")},
        **{name: _counted(getattr(requests, name)) for name in COUNTED},
        "formats": [{"name": wish.name, "forbidden": wish.forbidden} for wish in requests.formats],
    }


def _counted(wish: ItemsWish | None) -> dict[str, Any] | None:
    return None if wish is None else {"kind": wish.kind, "count": wish.count, "upper": wish.upper}


def score_requests() -> tuple[dict[str, Counts], list[str]]:
    """Each kind of wish: right only when kind, number and unit are; a wrong one is a false alarm and a miss."""
    judged: dict[str, list[Judged]] = {"length wishes": [], "item, sentence, … wishes": [], "format wishes": []}
    wrong = []
    for sample in load("requests.jsonl"):
        got = read_wishes(read_requests(sample["text"]))
        judged["length wishes"] += _compare(sample["length"], got["length"])
        for name in COUNTED:
            judged["item, sentence, … wishes"] += _compare(sample[name], got[name])
        wanted, read = sample["formats"], got["formats"]
        judged["format wishes"] += [(True, wish in read) for wish in wanted] or [(False, bool(read))]
        judged["format wishes"] += [(False, True) for wish in read if wanted and wish not in wanted]
        expected = {key: sample[key] for key in got}
        if got != expected:
            wrong.append(f"{sample['text']!r}\n   wanted {_short(expected)}\n   read   {_short(got)}")
    return {name: count(pairs) for name, pairs in judged.items()}, wrong


def _compare(wanted: object, got: object) -> list[Judged]:
    if wanted is None or got is None or wanted == got:
        return [(wanted is not None, got is not None)]
    return [(True, False), (False, True)]


def _short(wishes: dict[str, Any]) -> str:
    return json.dumps({key: value for key, value in wishes.items() if value}, ensure_ascii=False)


def find_all(task: str, answer: str) -> list[tuple[str, Spot]]:
    """Every fact about an answer to a task."""
    requests = read_requests(task)
    found: list[tuple[str, Spot | None]] = []
    if requests.length is not None:
        code = requests.asks_for_code
        found.append(("too_long", find_too_long(answer, requests.length, code_task=code)))
        found.append(("too_short", find_too_short(answer, requests.length, code_task=code)))
    for name in COUNTED:
        wish = getattr(requests, name)
        found.append((name, None if wish is None else find_items(answer, wish)))
    found += [("format", spot) for spot in find_format(answer, requests.formats)]
    return [(name, spot) for name, spot in found if spot is not None]


def score_answers() -> tuple[dict[str, Counts], list[str]]:
    """Facts by kind. A severity is part of a length fact: with another one it is wrong."""
    kinds = ("length", "counts", "format")
    judged: dict[str, list[Judged]] = {f"{kind} facts, {which}": [] for kind in kinds for which in ("certain", "all")}
    wrong = []
    for sample in load("answers.jsonl"):
        spots = find_all(sample["task"], sample["answer"])
        for kind in kinds:
            wanted = {fact for fact in sample["facts"] if _kind(fact) == kind}
            for which in ("certain", "all"):
                got = {_label(name, spot) for name, spot in spots if which == "all" or spot.certain}
                got = {fact for fact in got if _kind(fact) == kind}
                judged[f"{kind} facts, {which}"] += [(True, fact in got) for fact in wanted] + [
                    (False, True) for _ in got - wanted
                ] or [(False, False)]
        labels = sorted(_label(name, spot) for name, spot in spots)
        if labels != sorted(sample["facts"]):
            wrong.append(f"{sample['task']!r}: wanted {sample['facts']}, found {labels}")
    return {name: count(pairs) for name, pairs in judged.items()}, wrong


def _label(name: str, spot: Spot) -> str:
    return f"{name} {spot.severity}" if name.startswith("too_") else name


def _kind(fact: str) -> str:
    return "length" if fact.startswith("too_") else "format" if fact == "format" else "counts"


def wishes_in(path: Path) -> Iterator[tuple[str, str]]:
    """Kind and place of every wish in a file of tasks; a task that stands in it twice is read once."""
    tasks = dict.fromkeys(json.loads(line)["task"] for line in path.open(encoding="utf-8"))
    for task in tasks:
        requests = read_requests(task)
        counted = (requests.length, *(getattr(requests, name) for name in COUNTED))
        for wish in (*filter(None, counted), *requests.formats):
            yield _described(wish), _in_place(task, wish.start, wish.end)


def _described(wish: LengthWish | ItemsWish | FormatWish) -> str:
    if isinstance(wish, FormatWish):
        return f"{'no ' if wish.forbidden else ''}{wish.name}{f' ({wish.language})' if wish.language else ''}"
    return f"{wish.kind} {wish.count}{f'-{wish.upper}' if wish.upper else ''} {wish.unit}"


def _in_place(task: str, start: int, end: int) -> str:
    return f"{task[max(0, start - 70) : start]}⟦{task[start:end]}⟧{task[end : end + 50]}".replace("\n", "⏎")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, nargs="*", default=[], help="JSON lines files of tasks to read")
    parser.add_argument("--wrong", action="store_true", help="list what was read or found wrongly")
    options = parser.parse_args()
    if options.data:
        for path in options.data:
            for kind, place in wishes_in(path):
                print(f"{kind:<24} {place}")
        return
    print(f"{len(load('requests.jsonl'))} requests, {len(load('answers.jsonl'))} tasks with answers")
    print(HEADER)
    for scores, wrong in (score_requests(), score_answers()):
        for name, counts in scores.items():
            print(counts.row(name))
        if options.wrong:
            print(*wrong, sep="\n")


if __name__ == "__main__":
    main()
