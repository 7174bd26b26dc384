"""Probes a judge of comparisons: does a change that adds nothing (padding, a list, bold type) move the verdict?

The answer to change is drawn at random, so verdicts of a judge that looks only at quality move neither way. A verdict
moves towards the changed answer (it lost or tied and now ties or wins) or away from it; the judge is biased if verdicts
move one way more often. Undecided verdicts count with the best guess. The swap probe needs no further calls, because
every case is judged in both orders.
"""

from __future__ import annotations

import heapq
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from statistics import fmean
from typing import NamedTuple

import orjson

from ...agreement.report.joining import columns_of_input, group_column
from ...inputs.rows import BadRow, Row
from ...models.base import Frozen
from ...models.common import Label
from ...models.figures import Figure
from ...results.columns import unit_sql
from ...results.database import opened
from ...results.run import Reader, Run
from ...statistics.intervals import share
from ...statistics.resampling import FEW_UNITS, mean_by_unit
from ...statistics.shares import share_by_unit
from ...text.language import foreign_language
from ...text.sentences import sentence_spans, sentences
from ...text.structure import read_structure
from ...text.words import count_words
from .case import Comparison
from .command import PROBES, ProbeName

ORIGINAL = "original"
PLACE, SIDE = "probe_of", "probe_answer"  # columns with the case that was changed, and which of its answers
GROUP = "group"
_LEAST_PADDING = 40  # words
_BOLD_WORDS = re.compile(r"\S+\s+\S+\s+\S+")
# Sentences that say nothing about any task.
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


# -- the changed cases ------------------------------------------------------------------------------------------------


def draw_rows(rows: Iterable[Row | BadRow], count: int, seed: int) -> list[Row]:
    """Draw `count` comparisons at random and return them in the order of the input; all if there are fewer."""
    drawn = random.Random(seed)
    keyed = ((drawn.random(), at, row) for at, row in enumerate(rows) if isinstance(row, Row))
    return [row for _, _, row in sorted(heapq.nsmallest(count, keyed), key=lambda item: item[1])]


def rows_of_run(run: Run) -> Iterator[Row]:
    """Yield the comparisons of a run as input rows."""
    with Reader(run) as reader:
        for position in range(run.planned):
            known = reader.case(position)
            if known.get("input"):
                case = Comparison.model_validate(known["input"])
                yield Row(known["place"], known["case"], case, extra=known["extra"])


def probe_rows(rows: Sequence[Row], probe: str, seed: int, group: str | None = None) -> list[Row]:
    """Return the cases of a probe's run. Cases that the probe cannot change are left out. Of the input's columns, only
    the one that says which cases belong together is kept (see `group_column`)."""
    sides = random.Random(seed)
    by = group_column(list(dict.fromkeys(name for row in rows for name in row.extra)), group)
    found = []
    for at, row in enumerate(rows):
        side: Label = sides.choice(("A", "B"))
        given = row.case
        assert isinstance(given, Comparison)
        case = given if probe == ORIGINAL else changed(given, probe, side)
        if case is not None:
            beside = {} if by is None or by not in row.extra else {GROUP: row.extra[by]}
            extra = {PLACE: at, SIDE: side, **beside}
            found.append(replace(row, case=case, label=None, systems=None, extra=extra))
    return found


def copies(rows: Sequence[Row], probes: Sequence[str], seed: int, group: str | None) -> dict[str, list[Row]]:
    """Return the rows of each run: the original cases, and those that a probe changes, if it changes any."""
    names = (ORIGINAL, *(probe for probe in PROBES if probe in probes and probe != "swap"))
    return {name: made for name in names if (made := probe_rows(rows, name, seed, group))}


def changed(case: Comparison, probe: str, side: Label) -> Comparison | None:
    """Return a comparison with one answer changed; None if the probe has nothing to change."""
    text = _CHANGES[probe](case.answer(side))
    if text is None:
        return None
    a, b = (text, case.b) if side == "A" else (case.a, text)
    return Comparison(case.task, a, b, case.context, case.weights)


def _padded(text: str) -> str | None:
    """Append neutral sentences, half as long as the answer. They are English, so the answer must be English too."""
    if foreign_language(text) is not None or read_structure(text).has_code:
        return None
    wanted = max(_LEAST_PADDING, count_words(text) // 2)
    words_before = accumulate(map(count_words, _FILLER), initial=0)
    filler = [sentence for sentence, before in zip(_FILLER, words_before, strict=False) if before < wanted]
    return f"{text.rstrip()}\n\n{' '.join(filler)}"


def _listed(text: str) -> str | None:
    """Turn every sentence into a list item."""
    structure = read_structure(text)
    parts = sentences(text)
    if structure.has_code or structure.listings or structure.headings or len(parts) < 2:
        return None
    return "\n".join(f"- {part}" for part in parts)


def _bold(text: str) -> str | None:
    """Set the first three words of every sentence in bold."""
    if "**" in text or read_structure(text).has_code:
        return None
    made = text
    for start, end in reversed(sentence_spans(text)):
        if opening := _BOLD_WORDS.match(text, start, end):
            made = f"{made[:start]}**{opening[0]}**{made[opening.end() :]}"
    return None if made == text else made


_CHANGES: dict[str, Callable[[str], str | None]] = {"padding": _padded, "lists": _listed, "bold": _bold}


# -- what moved -------------------------------------------------------------------------------------------------------


class ProbeResult(Frozen):
    """The effect of a probe. `toward` and `away` are shares of all cases with both verdicts. `net` is the changed
    answer's mean gain; a win counts 1 and a tie ½. For swap, `toward` is the share of cases whose winner changed with
    the order, and `net` is the share of wins of the first position minus one half.

    `cannot` counts cases that the probe could not change. `found` is None if there is no interval.
    """

    probe: ProbeName
    cases: int
    cannot: int
    undecided: int
    toward: Figure
    away: Figure | None
    net: Figure
    found: bool | None


class _Verdict(NamedTuple):
    position: int
    winner: str
    decided: bool
    side: str  # the changed answer
    unit: int


def measure_probes(runs: Mapping[str, Run], drawn: int) -> list[ProbeResult]:
    """Compare each probe's run with the run over the original cases. `drawn` is how many cases were drawn."""
    before, results = _winners(runs[ORIGINAL]), []
    for probe in PROBES:
        run, away = runs.get(probe), None  # there is no run if the probe could not change any case
        if probe == "swap":
            verdicts, cannot = list(before.values()), 0
            gains, toward = _orders(runs[ORIGINAL], verdicts)
        else:
            pairs = [(before[at], new) for at, new in (_winners(run) if run else {}).items() if at in before]
            verdicts, cannot = [new for _, new in pairs], drawn - (run.planned if run else 0)
            gains = [(_worth(new.winner, new.side) - _worth(old.winner, new.side), old.unit) for old, new in pairs]
            toward, away = (mean_by_unit((sign * gain > 0, unit) for gain, unit in gains) for sign in (1, -1))
        net = mean_gain(gains)
        result = ProbeResult(
            probe=probe,
            cases=len(gains),
            cannot=cannot,
            undecided=sum(not verdict.decided for verdict in verdicts),
            toward=toward,
            away=away,
            net=net,
            found=net.leaves_out(0),
        )
        results.append(result)
    return results


def _orders(run: Run, verdicts: Sequence[_Verdict]) -> tuple[list[tuple[float, int]], Figure]:
    """Return the first position's gain over one half in each case, and how often the winner changes with the order."""
    with Reader(run) as reader:
        orders = [orjson.loads(reader.verdict_json(it.position))["evaluation"]["order"]["winners"] for it in verdicts]
    winners = list(zip(orders, (verdict.unit for verdict in verdicts), strict=True))
    firsts = {"ab": "A", "ba": "B"}
    gains = [(fmean(_worth(winner, firsts[at]) for at, winner in each.items()) - 0.5, unit) for each, unit in winners]
    return gains, share_by_unit((each["ab"] != each["ba"], 1, unit) for each, unit in winners if len(each) > 1)


def mean_gain(gains: Sequence[tuple[float, int]]) -> Figure:
    """Return the mean gain; each gain comes with its case's unit."""
    units = len({unit for _, unit in gains})
    if len({gain for gain, _ in gains}) != 1 or units < FEW_UNITS:
        return mean_by_unit(gains, is_share=False)
    # All gains are equal, so a bootstrap has no width. Wilson's interval bounds how many other cases might differ.
    gain, bound = gains[0][0], share(units, units).interval or (0.0, 1.0)
    ends = sorted((gain, gain * bound[0])) if gain else (bound[0] - 1, 1 - bound[0])
    return Figure(gain, len(gains), "", (ends[0], ends[1]))


def _winners(run: Run) -> dict[int, _Verdict]:
    """Return the verdicts of a run by the case's index among the drawn cases."""
    with opened(run) as database:
        unit = unit_sql(group_column(columns_of_input(database), None))
        found = database.query(
            f"""select {PLACE}, position, winner, decided is not false, {SIDE}, {unit} from results
            join cases as c using (position) where status = 'verdict' order by position"""
        )
    return {int(at): _Verdict(*verdict) for at, *verdict in found}


def _worth(winner: str, side: str) -> float:
    return 0.5 if winner == "tie" else float(winner == side)
