"""Review runs → report cards of the people who entered the ratings.

Who rated a case, and when, stand in columns of the run's input, which no judge sees. What counts is what was entered
and assessed: a blank, a value off its scale, and a dimension that the judge did not assess say nothing of a rating.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson

from ...arithmetic import to_decimal
from ...errors import InputError
from ...models import LABELS, FinalRating, ReviewVerdict
from ...protocols.review.consistency import badness
from ...protocols.review.correcting import read_rating
from ...protocols.review.feedback import is_lesson
from ...results.run import Reader, Run
from ...rubric import LIKERT, OVERALL
from ..figures import DRAWS, Figure, share
from ..labels.sources import ANNOTATORS, case_lines, find_column
from .report_cards import ReportCard, ReviewedRating, report_cards

PREFERENCE = "preference"
_TIMES = (
    *("time", "timestamp", "created_at", "submitted_at", "rated_at", "completed_at", "labeled_at", "labelled_at"),
    *("updated_at", "date", "datetime", "created", "submitted"),
)


@dataclass(frozen=True, slots=True)
class AnnotatorReport:
    """A card for each person, and what all of them rest on.

    `pool` is the correction rate of all people together by dimension, `names` says what people call the dimensions.
    `blank` and `refused` count ratings that a person left out or that were not on their scale. `notes` say which cases
    are in no card, and why.
    """

    runs: tuple[str, ...]
    judges: tuple[str, ...]
    column: str
    time_column: str | None
    reviews: int
    span: tuple[float, float] | None
    cards: tuple[ReportCard, ...]
    pool: Mapping[str, Figure]
    names: Mapping[str, str]
    blank: Mapping[str, int]
    refused: Mapping[str, int]
    notes: tuple[str, ...] = ()


@dataclass
class _Found:
    """Ratings as they are read; a review of the same texts by the same person counts once, as the last run has it."""

    reviews: dict[Hashable, list[ReviewedRating]] = field(default_factory=dict)
    judges: dict[str, None] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    left: Counter[str] = field(default_factory=Counter)
    blank: dict[Hashable, int] = field(default_factory=dict)
    refused: dict[Hashable, int] = field(default_factory=dict)


def annotator_report(
    runs: Sequence[Run], column: str | None = None, time_column: str | None = None, draws: int = DRAWS
) -> AnnotatorReport:
    """The report cards of the people in these runs; `column` and `time_column` say who rated a case, and when."""
    for run in runs:
        if run.protocol != "review":
            raise InputError(str(run.folder), f"a {run.protocol} run", "report cards are made of review runs")
    known = list(dict.fromkeys(name for run in runs for line in case_lines(run) for name in line["extra"]))
    who = _column("--annotator", column, ANNOTATORS, known)
    if who is None:
        allowed = f"name the column with --annotator: one of {', '.join(known)}" if known else "the input has no others"
        raise InputError(str(runs[0].folder), "no column says who rated a case", allowed)
    when = _column("--time", time_column, _TIMES, known)
    found = _Found()
    for run in runs:
        for person, time, verdict in _reviews(run, who, when, found, must_read=time_column is not None):
            _add(run, person, time, verdict, found)
    ratings = [rating for part in found.reviews.values() for rating in part]
    if not ratings:
        reasons = "; ".join(_notes(found.left)) or "no rating was entered"
        raise InputError(str(runs[0].folder), f"no rating to make a card of: {reasons}")
    times = [rating.time for rating in ratings if rating.time is not None]
    pool = {
        name: share(sum(rating.corrected for rating in part), len(part))
        for name in found.names
        if (part := [rating for rating in ratings if rating.dimension == name])
    }
    return AnnotatorReport(
        runs=tuple(run.name for run in runs),
        judges=tuple(found.judges),
        column=who,
        time_column=when if times else None,
        reviews=len(found.reviews),
        span=(min(times), max(times)) if times else None,
        cards=report_cards(ratings, draws),
        pool=pool,
        names=found.names,
        blank=_by_person(found.blank),
        refused=_by_person(found.refused),
        notes=tuple(_notes(found.left)),
    )


def _column(option: str, given: str | None, usual: Sequence[str], known: Sequence[str]) -> str | None:
    if given is not None:
        if given not in known:
            raise InputError(option, f"no column {given!r:.60} in the input", f"one of {', '.join(known)}")
        return given
    return find_column(known, usual)


def _reviews(
    run: Run, who: str, when: str | None, found: _Found, *, must_read: bool
) -> Iterator[tuple[str, float | None, ReviewVerdict]]:
    """The judged reviews of a run: who rated, when, and the verdict."""
    with Reader(run) as reader:
        for line in case_lines(run):
            position, extra = line["position"], line["extra"]
            person = " ".join(str("" if extra.get(who) is None else extra[who]).split())
            if not reader.verdict_json(position):
                found.left["has no verdict"] += 1
            elif not person:
                found.left[f"has nothing in the column {who}"] += 1
            else:
                verdict = reader.verdict(position)
                assert isinstance(verdict, ReviewVerdict)
                if verdict.likert is None:
                    found.left["is of an invalid task"] += 1
                    continue
                time = None if when is None else _time(extra.get(when))
                if when is not None and time is None:
                    if must_read:
                        place = f"{run.folder}, case {line['case']}"
                        allowed = "a number, or a date such as 2026-11-16T09:30:00Z"
                        raise InputError(place, f"{when}: {extra.get(when)!r:.60} is no time", allowed)
                    found.left[f"has no time in the column {when}, and counts in all but the change over time"] += 1
                found.judges[verdict.provenance.judge] = None
                yield person, time, verdict


def _time(value: Any) -> float | None:
    """A point in time as a number; a date without a zone is taken for UTC."""
    if isinstance(value, bool) or value is None:
        return None
    if (number := to_decimal(value.strip() if isinstance(value, str) else value)) is not None:
        return float(number)
    try:
        moment = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _add(run: Run, person: str, time: float | None, verdict: ReviewVerdict, found: _Found) -> None:
    case = verdict.case
    about = _digest(case.task_config, case.system_prompt, case.history, case.prompt)
    pair = (about, _digest(case.a), _digest(case.b))
    unit = (person, *pair)
    if unit in found.reviews:
        found.left["is a review of the same texts by the same person as another; the last one counts"] += 1
    ratings: list[ReviewedRating] = []
    lines: list[tuple[str, FinalRating, Hashable, Any]] = []
    for label in LABELS:
        response = (about, pair[1 + LABELS.index(label)], label if case.a == case.b else "")
        for criterion in run.rubric.criteria:
            found.names[criterion.key] = criterion.name
            lines.append((criterion.key, verdict.table(label)[criterion.key], response, criterion))
    assert verdict.likert is not None
    found.names[PREFERENCE] = "Preference"
    lines.append((PREFERENCE, verdict.likert, pair, None))
    # Where no dimension was assessed, nobody has looked at what follows from them either.
    assessed = any(line.assessed for key, line, _, _ in lines if key not in (OVERALL, PREFERENCE))
    for key, line, rated_text, criterion in lines:
        entered = read_rating(line.original_rating, criterion.scale if criterion else LIKERT)
        follows = key in (OVERALL, PREFERENCE)
        if not isinstance(entered, int) or not line.assessed or (follows and not assessed):
            continue
        ratings.append(
            ReviewedRating(
                person=person,
                dimension=key,
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
    found.blank[unit] = sum(line.action == "filled" for _, line, _, _ in lines)
    found.refused[unit] = sum(line.action == "refused" for _, line, _, _ in lines)
    found.reviews.pop(unit, None)  # the last one counts, also if nothing in it was assessed
    if ratings:
        found.reviews[unit] = ratings
    else:
        found.left["has no rating that was entered and assessed"] += 1


def _digest(*texts: str) -> str:
    return hashlib.blake2b(orjson.dumps(texts), digest_size=12).hexdigest()


def _by_person(counted: Mapping[Hashable, int]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for unit, count in counted.items():
        assert isinstance(unit, tuple)
        found[unit[0]] += count
    return dict(found)


def _notes(left: Mapping[str, int]) -> list[str]:
    return [
        f"{count:,} {'case' if count == 1 else 'cases'}: {'it' if count == 1 else 'each'} {why}"
        for why, count in left.items()
    ]
