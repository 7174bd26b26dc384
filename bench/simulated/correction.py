"""Corrected win rates, pass rates and means, beside the interval of the labels alone.

The three lines marked with an asterisk are one situation under three methods: labels alone, Rogan and Gladen's
correction by the inverted confusion matrix (which is for labels of other cases, and written out here), and ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adjudge.agreement.labels.sampling import JudgedCase, Selection, doubtful_stratum, grow
from adjudge.statistics.correction import Corrected, corrected_mean

from .table import Interval, Line, coverage

WON, TIE, LOST = 1.0, 0.5, 0.0
TWO, THREE = (0.55, 0.45), (0.4, 0.25, 0.35)
Drawn = tuple[float, Corrected]


def classes(rng: Any, cases: int, shares: Any, right: float, per_task: int = 1) -> tuple[float, Any, Any]:
    """Draw people's labels and a judge that is right so often, its errors spread evenly; return the true mean, the
    judge's values and people's. Cases of a task have the same label in 6 of 10 tasks and are independent otherwise."""
    values = np.array([WON, LOST] if len(shares) == 2 else [WON, TIE, LOST])
    tasks = -(-cases // per_task)
    each, common = rng.choice(len(shares), cases, p=shares), rng.choice(len(shares), tasks, p=shares)
    same = rng.random(tasks) < (0.6 if per_task > 1 else 0)
    people = np.where(np.repeat(same, per_task)[:cases], np.repeat(common, per_task)[:cases], each)
    wrong = (people + rng.integers(1, len(shares), cases)) % len(shares)
    judge = np.where(rng.random(cases) < right, people, wrong)
    return float(values @ shares), values[judge], values[people]


def _too_kind(rng: Any, cases: int) -> tuple[float, Any, Any]:
    people = np.where(rng.random(cases) < TWO[0], WON, LOST)
    return TWO[0], np.where(rng.random(cases) < 0.15, WON, people), people


def scores(rng: Any, cases: int, noise: float) -> tuple[float, Any, Any]:
    """Draw ratings from 20 to 100 in steps of 20, and a judge that is kinder, with a narrower scale and noise."""
    shares = np.array([0.05, 0.1, 0.2, 0.4, 0.25])
    steps = np.array([20.0, 40.0, 60.0, 80.0, 100.0])
    people = rng.choice(steps, cases, p=shares)
    judge = np.clip(40 + 0.6 * people + rng.normal(0, noise, cases), 20, 100)
    return float(steps @ shares), judge, people


def first_labelled(truth: float, judge: Any, people: Any, labels: int, scale: Interval = (0.0, 1.0)) -> Drawn:
    """Correct with the labels of the first cases, which are a random sample, because the order means nothing."""
    said = [*people[:labels].tolist(), *[None] * (len(people) - labels)]
    return truth, corrected_mean(judge, said, range(len(judge)), scale=scale or (0.0, 1.0))


def half_doubtful(rng: Any, cases: int, labels: int, shown: float = 1.0) -> Drawn:
    """Draw cases on which the judge is right the more often the larger its margin is, and where people prefer another
    side if it is small; label those that `adjudge label` picks, or only the first share of them."""
    margin, unlike = rng.random(cases), 0.3
    people = np.where(rng.random(cases) < np.where(margin < unlike, 0.35, 0.6), WON, LOST)
    right = rng.random(cases) < 0.5 + 0.45 * np.minimum(1.5 * margin, 1)
    judge = np.where(right, people, 1 - people)
    among = [JudgedCase(n, str(n), (), float(margin[n])) for n in range(cases)]
    selection = grow(Selection(seed=int(rng.integers(2**40))), among, labels)
    picks = {pick.position: pick.stratum for pick in selection.picks[: round(labels * shown)]}
    doubtful = doubtful_stratum(selection, among, picks)
    assert not isinstance(doubtful, str)
    return unlike * 0.35 + (1 - unlike) * 0.6, corrected_mean(
        judge.tolist(),
        [float(people[n]) if n in picks else None for n in range(cases)],
        range(cases),
        drawn=[picks.get(n) == "random" for n in range(cases)],
        doubtful=[n in doubtful for n in range(cases)],
    )


def rogan_gladen(judge: Any, people: Any, labels: int) -> Interval:
    """Return the interval of the win rate on the unlabelled cases by the inverted confusion matrix (delta method)."""
    values = np.array([WON, TIE, LOST])
    place = {value: n for n, value in enumerate(values.tolist())}
    counts = np.full((3, 3), 1 / 3)
    for said, meant in zip(judge[:labels].tolist(), people[:labels].tolist(), strict=True):
        counts[place[meant], place[said]] += 1
    calls = np.array([(judge[labels:] == value).mean() for value in values])
    matrix = counts / counts.sum(axis=1, keepdims=True)
    if np.linalg.svd(matrix, compute_uv=False).min() < 0.1:
        return None
    inverse = np.linalg.inv(matrix.T)
    found = inverse @ calls
    inner = (np.diag(calls) - np.outer(calls, calls)) / (len(judge) - labels)
    for share, row, size in zip(np.clip(found, 0, 1), matrix, counts.sum(axis=1), strict=True):
        inner += share**2 * (np.diag(row) - np.outer(row, row)) / size
    reach = 1.96 * float(np.sqrt(values @ inverse @ inner @ inverse.T @ values))
    return max(float(values @ found) - reach, 0.0), min(float(values @ found) + reach, 1.0)


def _ours(draw: Callable[[Any], Drawn]) -> Callable[[Any], tuple[float, Interval, Interval]]:
    def simulate(rng: Any) -> tuple[float, Interval, Interval]:
        truth, found = draw(rng)
        return truth, found.corrected.interval, found.labels.interval

    return simulate


def _alone(rng: Any) -> tuple[float, Interval, Interval]:
    truth, found = first_labelled(*classes(rng, 1_100, THREE, 0.75), 100)
    return truth, found.labels.interval, None


def _inverted(rng: Any) -> tuple[float, Interval, Interval]:
    truth, judge, people = classes(rng, 1_100, THREE, 0.75)
    return truth, rogan_gladen(judge, people, 100), first_labelled(truth, judge, people, 100)[1].labels.interval


def lines(draws: int, costly: int) -> Iterator[Line]:
    note = "beside: labels alone"
    told = "win rate, 3 classes, judge 75 % right, 100 labels, 1,000 others *"
    yield coverage("labels alone", told, _alone, draws)
    yield coverage("Rogan and Gladen", told, _inverted, draws, note)
    yield coverage(
        "corrected", told, _ours(lambda rng: first_labelled(*classes(rng, 1_100, THREE, 0.75), 100)), draws, note
    )
    kinds: list[tuple[str, Any, float]] = [
        ("win rate, 2 classes, judge 80 % right", TWO, 0.8),
        ("win rate, 3 classes, judge 75 % right", THREE, 0.75),
        ("pass rate 90 %, judge 85 % right", (0.9, 0.1), 0.85),
        ("rare class 3 %, judge 90 % right", (0.03, 0.97), 0.9),
        ("useless judge", TWO, 0.5),
        ("perfect judge", TWO, 1.0),
        ("nearly perfect judge, 96 % right", TWO, 0.96),
    ]
    sizes = [(labels, cases) for cases in (200, 1_000, 10_000) for labels in (20, 50, 100)]
    sizes.insert(3, (190, 200))
    for name, shares, right in kinds:
        for labels, cases in sizes if shares is THREE else ((20, 1_000), (50, 1_000), (100, 200), (100, 1_000)):
            yield coverage(
                "corrected rate",
                f"{name}; {labels} of {cases:,} cases labelled",
                _ours(lambda rng, s=shares, r=right, n=labels, of=cases: first_labelled(*classes(rng, of, s, r), n)),
                draws,
                note,
            )
    for labels in (20, 50):
        yield coverage(
            "corrected rate",
            f"judge that is wrong in 15 % of what lost, and only there; {labels} of 1,000 cases labelled",
            _ours(lambda rng, n=labels: first_labelled(*_too_kind(rng, 1_000), n)),
            draws,
            note,
        )
    for labels, cases, noise in (
        (20, 1_000, 8.0),
        (50, 1_000, 8.0),
        (100, 200, 8.0),
        (100, 1_000, 8.0),
        (50, 1_000, 60.0),
    ):
        yield coverage(
            "corrected mean",
            f"ratings from 20 to 100, judge off by ±{noise:g}; {labels} of {cases:,} cases labelled",
            _ours(
                lambda rng, n=labels, of=cases, by=noise: first_labelled(*scores(rng, of, by), n, scale=(20.0, 100.0))
            ),
            draws,
            note,
        )
    for labels, cases in ((20, 900), (50, 900), (150, 900), (90, 180)):
        yield coverage(
            "corrected rate",
            f"3 cases per task, judge 80 % right; {labels} of {cases:,} cases labelled",
            _ours(lambda rng, n=labels, of=cases: _clustered(rng, of, n)),
            draws,
            note,
        )
    for labels, cases, shown in ((40, 200, 1.0), (100, 200, 1.0), (100, 1_000, 1.0), (100, 200, 0.6)):
        told = "" if shown == 1 else f", of which {shown:.0%} labelled"
        yield coverage(
            "corrected rate",
            f"half of {labels} picks for doubts, of {cases:,} cases{told}",
            _ours(lambda rng, n=labels, of=cases, part=shown: half_doubtful(rng, of, n, part)),
            costly,
            note,
        )


def _clustered(rng: Any, cases: int, labels: int) -> Drawn:
    """Label cases drawn at random from tasks of three."""
    truth, judge, people = classes(rng, cases, TWO, 0.8, per_task=3)
    known = set(rng.permutation(cases)[:labels].tolist())
    said = [float(people[n]) if n in known else None for n in range(cases)]
    return truth, corrected_mean(judge, said, [n // 3 for n in range(cases)])
