"""Builds report cards of the people who entered ratings from review runs.

Columns of the run's input, which no judge sees, say who rated a case and when. Only ratings that were entered and
assessed count: blanks, values off the scale and dimensions that the judge did not assess are left out.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from datetime import UTC, datetime
from statistics import fmean
from typing import Any, NamedTuple

import orjson

from ...agreement.labels.given import ANNOTATORS, case_lines, find_column
from ...arithmetic import to_decimal
from ...errors import InputError
from ...models.base import Frozen
from ...models.common import LABELS
from ...results.run import Reader, Run
from ...rubric import OVERALL, Criterion
from ...statistics.resampling import DRAWS
from .case import Review
from .consistency import badness
from .correcting import checked_rating
from .feedback import is_lesson
from .report_cards import ReportCard, ReviewedRating, report_cards
from .verdict import FinalRating, ReviewVerdict

PREFERENCE = "preference"
_TIMES = (
    *("time", "timestamp", "created_at", "submitted_at", "rated_at", "completed_at", "labeled_at", "labelled_at"),
    *("updated_at", "date", "datetime", "created", "submitted"),
)


class Dimension(Frozen):
    """A dimension's display name, and how often all people together were corrected in it."""

    name: str
    ratings: int
    correction_rate: float


class AnnotatorReport(Frozen):
    """A card for each person, and the data the cards are based on. `notes` say which cases are in no card, and why."""

    runs: tuple[str, ...]
    judges: tuple[str, ...]
    annotator_column: str
    time_column: str | None
    reviews: int
    dimensions: dict[str, Dimension]
    annotators: tuple[ReportCard, ...]
    notes: tuple[str, ...] = ()


class _Review(NamedTuple):
    """The assessed ratings of one review, and how many ratings were left blank or were off their scale."""

    ratings: list[ReviewedRating]
    blank: int
    refused: int


def annotator_report(
    runs: Sequence[Run],
    column: str | None = None,
    time_column: str | None = None,
    draws: int = DRAWS,
    left_out: Sequence[tuple[Run, Collection[int]]] = (),
) -> AnnotatorReport:
    """Build the report cards of these runs. `column` and `time_column` name the columns with the person and time.

    Reviews of the same texts as those in `left_out`, positions of runs, are in no card, whichever run they are in.
    """
    for run in runs:
        if run.protocol.name != "review":
            raise InputError(str(run.folder), f"a {run.protocol.name} run", "report cards need review runs")
    known = list(dict.fromkeys(name for run in runs for line in case_lines(run) for name in line["extra"]))
    for option, given in (("--annotator", column), ("--time", time_column)):
        if given is not None and given not in known:
            raise InputError(option, f"no column {given!r:.60} in the input", f"one of {', '.join(known)}")
    who, when = column or find_column(known, ANNOTATORS), time_column or find_column(known, _TIMES)
    if who is None:
        allowed = f"name the column with --annotator: one of {', '.join(known)}" if known else "it has no other columns"
        raise InputError(str(runs[0].folder), "no column says who rated a case", allowed)
    # If the same person reviewed the same texts more than once, only the last review counts.
    reviews: dict[tuple[str, ...], _Review] = {}
    left: Counter[str] = Counter()
    names: dict[str, str] = {}
    judges = []
    hidden = {texts for run, positions in left_out for texts in _texts_of(run, positions)}
    for run in runs:
        for person, time, verdict in _reviews(run, who, when, left):
            unit = (person, *_texts(verdict.case))
            if unit[1:] in hidden:
                left["still waits for a label"] += 1
                continue
            if (before := reviews.pop(unit, None)) and before.ratings:
                left["was replaced by a later review of the same texts by the same person"] += 1
            reviews[unit] = made = _read(run, unit, time, verdict)
            if not made.ratings:
                left["has no rating that was entered and assessed"] += 1
            judges.append(verdict.provenance.judge)
            names |= {criterion.key: criterion.name for criterion in run.rubric.criteria} | {PREFERENCE: "Preference"}
    ratings = [rating for review in reviews.values() for rating in review.ratings]
    notes = tuple(
        f"{count:,} {'case' if count == 1 else 'cases'}: {'it' if count == 1 else 'each'} {why}"
        for why, count in left.items()
    )
    if not ratings:
        found = f"no rating to base a card on: {'; '.join(notes) or 'no rating was entered'}"
        raise InputError(str(runs[0].folder), found)
    blank, refused = Counter[str](), Counter[str]()
    for (person, *_), review in reviews.items():
        blank[person] += review.blank
        refused[person] += review.refused
    corrected = {
        key: (name, [rating.corrected for rating in ratings if rating.dimension == key]) for key, name in names.items()
    }
    return AnnotatorReport(
        runs=tuple(run.name for run in runs),
        judges=tuple(dict.fromkeys(judges)),
        annotator_column=who,
        time_column=when if any(rating.time is not None for rating in ratings) else None,
        reviews=sum(bool(review.ratings) for review in reviews.values()),
        dimensions={
            key: Dimension(name=name, ratings=len(part), correction_rate=fmean(part))
            for key, (name, part) in corrected.items()
            if part
        },
        annotators=tuple(
            card.updated(left_blank=blank[card.annotator], off_scale=refused[card.annotator])
            for card in report_cards(ratings, draws)
        ),
        notes=notes,
    )


def _reviews(
    run: Run, who: str, when: str | None, left: Counter[str]
) -> Iterator[tuple[str, float | None, ReviewVerdict]]:
    """Yield who rated, when, and the verdict for each judged review of a run. Count the others in `left` by reason."""
    with Reader(run) as reader:
        for line in case_lines(run):
            position, extra = line["position"], line["extra"]
            person = " ".join(str("" if extra.get(who) is None else extra[who]).split())
            if not person or not reader.verdict_json(position):
                left[f"has nothing in the column {who}" if not person else "has no verdict"] += 1
                continue
            verdict = reader.verdict(position)
            assert isinstance(verdict, ReviewVerdict)
            if verdict.likert is None:
                left["has an invalid task"] += 1
                continue
            time = None if when is None else _time(extra.get(when))
            if when is not None and time is None:
                left[f"has no time in the column {when}, so it does not count for the change over time"] += 1
            yield person, time, verdict


def _texts_of(run: Run, positions: Collection[int]) -> Iterator[tuple[str, str, str]]:
    with Reader(run) as reader:
        for position in positions:
            case = reader.given(position)
            assert isinstance(case, Review)
            yield _texts(case)


def _texts(case: Review) -> tuple[str, str, str]:
    """Identify the texts of a review: what was asked, and the two responses."""
    about = _digest(case.task_config, case.system_prompt, case.history, case.prompt)
    return about, _digest(case.a), _digest(case.b)


def _time(value: Any) -> float | None:
    """Return a point in time as a number, or None if the value is not one. A date without a time zone is UTC."""
    if isinstance(value, bool) or value is None:
        return None
    if (number := to_decimal(value.strip() if isinstance(value, str) else value)) is not None:
        return float(number)
    try:
        moment = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _read(run: Run, unit: tuple[str, ...], time: float | None, verdict: ReviewVerdict) -> _Review:
    """Collect a person's assessed ratings from a review's verdict. `unit` identifies the person and the texts."""
    person, about, *answers = unit
    assert verdict.likert is not None
    lines: list[tuple[Criterion | None, FinalRating, Hashable]] = [
        (criterion, verdict.table(label)[criterion.key], (about, answer, label if answers[0] == answers[1] else ""))
        for label, answer in zip(LABELS, answers, strict=True)
        for criterion in run.rubric.criteria
    ]
    lines.append((None, verdict.likert, tuple(unit[1:])))
    ratings = []
    for criterion, line, rated_text in lines:
        if (entered := checked_rating(verdict, criterion, line)) is None:
            continue
        follows = criterion is None or criterion.key == OVERALL
        ratings.append(
            ReviewedRating(
                person=person,
                dimension=criterion.key if criterion else PREFERENCE,
                original=entered,
                final=line.value,
                response=rated_text,
                review=unit,
                time=time,
                issues=(badness(criterion, entered), badness(criterion, line.value)) if criterion else None,
                follows=follows,
                rule="" if follows else line.rule,
                bullets=tuple(filter(is_lesson, verdict.feedback)),
            )
        )
    blank, refused = (sum(line.action == action for _, line, _ in lines) for action in ("filled", "refused"))
    return _Review(ratings, blank, refused)


def _digest(*texts: str) -> str:
    return hashlib.blake2b(orjson.dumps(texts), digest_size=12).hexdigest()
