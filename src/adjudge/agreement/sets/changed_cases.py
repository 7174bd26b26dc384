"""Cases with one answer changed in a way that adds nothing: padding, a list, bold type.

Which answer is changed is drawn, so that a judge which looks at nothing but quality moves neither way.
"""

from __future__ import annotations

import heapq
import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Literal

from ...inputs.rows import BadRow, Row
from ...models.cases import Comparison
from ...models.common import Label
from ...results.run import Reader, Run
from ...text.language import foreign_language
from ...text.sentences import sentence_spans, sentences
from ...text.structure import read_structure
from ...text.words import count_words

ProbeName = Literal["swap", "padding", "lists", "bold"]
PROBES: tuple[ProbeName, ...] = ("swap", "padding", "lists", "bold")
ORIGINAL = "original"
PLACE, SIDE = "probe_of", "probe_answer"  # columns that say which case was changed, and which answer in it
_LEAST_PADDING = 40  # words
_BOLD_WORDS = re.compile(r"\S+\s+\S+\s+\S+")
# Says nothing about any task.
_FILLER = (
    "These are the points that matter here.",
    "What is written above covers the question as it was asked.",
    "There is more than one way to look at this, and each of them has its place.",
    "As with most things, the details depend on the situation.",
    "It helps to keep the whole picture in mind while reading this.",
    "The same could be said in other words, and it would mean the same.",
    "Each part of it belongs together with the others.",
    "Going through it once more, slowly and step by step, is always possible.",
    "Some readers will want to begin at the top, and others will prefer to look at the end first.",
    "None of this changes what was said before, and it can be taken as it stands.",
    "In the end, this is what it comes down to.",
    "With that, everything that was to be said has been said.",
)


def draw_rows(rows: Iterable[Row | BadRow], count: int, seed: int) -> list[Row]:
    """Some comparisons drawn at random, in the order of the input; all if there are no more."""
    drawn = random.Random(seed)
    keyed = ((drawn.random(), at, row) for at, row in enumerate(rows) if isinstance(row, Row))
    chosen = [(at, row) for _, at, row in heapq.nsmallest(count, keyed)]
    return [row for _, row in sorted(chosen, key=lambda item: item[0])]


def rows_of_run(run: Run) -> Iterator[Row]:
    """The comparisons of a run as rows again."""
    with Reader(run) as reader:
        for position in range(run.planned):
            known = reader.case(position)
            if known.get("input"):
                yield Row(known["place"], known["case"], Comparison.model_validate(known["input"]))


def probe_rows(rows: Iterable[Row], probe: ProbeName | Literal["original"], seed: int) -> list[Row]:
    """The cases of a probe's run; those that the probe would not change are left out."""
    sides = random.Random(seed)
    found = []
    for at, row in enumerate(rows):
        side: Label = sides.choice(("A", "B"))
        given = row.case
        assert isinstance(given, Comparison)
        case = given if probe == ORIGINAL else changed(given, probe, side)
        if case is not None:
            found.append(replace(row, case=case, label=None, systems=None, extra={PLACE: at, SIDE: side}))
    return found


def changed(case: Comparison, probe: str, side: Label) -> Comparison | None:
    """A comparison with one answer changed; None where the probe has nothing to change."""
    text = _CHANGES[probe](case.answer(side))
    if text is None:
        return None
    a, b = (text, case.b) if side == "A" else (case.a, text)
    return Comparison(case.task, a, b, case.context, case.weights)


def _padded(text: str) -> str | None:
    """Neutral sentences behind the answer, half as long again; they are English, and so must the answer be."""
    if foreign_language(text) is not None or read_structure(text).has_code:
        return None
    wanted, added = max(_LEAST_PADDING, count_words(text) // 2), 0
    filler = []
    for sentence in _FILLER:
        if added >= wanted:
            break
        filler.append(sentence)
        added += count_words(sentence)
    return f"{text.rstrip()}\n\n{' '.join(filler)}"


def _listed(text: str) -> str | None:
    """Every sentence an item of a list."""
    structure = read_structure(text)
    parts = sentences(text)
    if structure.has_code or structure.listings or structure.headings or len(parts) < 2:
        return None
    return "\n".join(f"- {part}" for part in parts)


def _bold(text: str) -> str | None:
    """The first three words of every sentence in bold."""
    if "**" in text or read_structure(text).has_code:
        return None
    made = text
    for start, end in reversed(sentence_spans(text)):
        if opening := _BOLD_WORDS.match(text, start, end):
            made = f"{made[:start]}**{opening[0]}**{made[opening.end() :]}"
    return None if made == text else made


_CHANGES: dict[str, Callable[[str], str | None]] = {"padding": _padded, "lists": _listed, "bold": _bold}
