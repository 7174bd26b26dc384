"""People of known accuracy: a judge's agreement with a person, people's own, and whether the judge may stand in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from adjudge.models.figures import Figure
from adjudge.statistics.people import (
    HeldOut,
    Panel,
    agreement_with_others,
    agreement_with_person,
    ahead_of_person,
    kappa_with_others,
    kappa_with_person,
    ranks_with_others,
    ranks_with_person,
    widened,
)
from adjudge.statistics.resampling import Statistic, point, with_interval
from adjudge.statistics.stand_in import MARGIN, StandIn, stand_in

from .table import Line, alarms, coverage

CLASSES = ("A", "tie", "B")
JUDGE = 0.7
# How often each person gives the true class; wrong classes are equally likely.
PEOPLE = {
    "two people": (0.75, 0.75),
    "three people": (0.75, 0.75, 0.75),
    "four people": (0.75, 0.75, 0.75, 0.75),
    "five people": (0.75, 0.75, 0.75, 0.75, 0.75),
    "two unequal people": (0.9, 0.6),
    "three unequal people": (0.9, 0.75, 0.6),
    "four unequal people": (0.95, 0.85, 0.7, 0.6),
    "five unequal people": (0.95, 0.85, 0.75, 0.65, 0.55),
}
HARDER = 0.15  # with tasks of several cases, half of the tasks are easier by this for everybody, and half harder


def truth(one: float, other: float, harder: float = 0.0) -> float:
    """Return how often two of these accuracies say the same."""
    both = [(one + by, other + by) for by in (harder, -harder)]
    return float(np.mean([a * b + (1 - a) * (1 - b) / 2 for a, b in both]))


def headline(people: Sequence[float], judge: float, harder: float = 0.0) -> float:
    return float(np.mean([truth(judge, person, harder) for person in people]))


def ceiling(people: Sequence[float], harder: float = 0.0) -> float:
    return float(np.mean([truth(one, other, harder) for one, other in permutations(people, 2)]))


def beyond_chance(same: float) -> float:
    return (same - 1 / 3) / (1 - 1 / 3)  # all classes are equally frequent


def drawn(
    rng: Any, people: Sequence[float], judge: float, cases: int, of_task: int = 1, labelled: float = 1.0
) -> tuple[Panel, Any]:
    """Draw people's labels and the judge's verdicts; each person labels this share of the cases."""
    task = np.arange(cases) // of_task
    by = rng.choice([HARDER, -HARDER], task.max() + 1)[task] if of_task > 1 else np.zeros(cases)
    true = rng.integers(0, 3, cases)

    def says(accuracy: float) -> Any:
        wrong = (true + rng.integers(1, 3, cases)) % 3
        return np.where(rng.random(cases) < accuracy + by, true, wrong)

    said = np.array([says(accuracy) for accuracy in people])
    there = rng.random(said.shape) < labelled
    votes = [{str(who): CLASSES[said[who, at]] for who in range(len(people)) if there[who, at]} for at in range(cases)]
    panel = Panel(votes, task.tolist(), numeric=False)
    return panel, panel.coded(CLASSES[it] for it in says(judge))


def tested(rng: Any, people: Sequence[float], judge: float, cases: int, of_task: int = 1) -> StandIn:
    return stand_in(*drawn(rng, people, judge, cases, of_task), draws=99)


def worse_by(people: Sequence[float], by: float) -> float:
    """Return the accuracy of a judge for which the person is nearer to the others this much more often, on average."""

    def worse(judge: float) -> float:
        panel, said = drawn(np.random.default_rng(1), people, judge, 30_000)
        return float(np.mean(HeldOut(panel, said).worse))

    # How often the person is nearer falls in proportion to the judge's accuracy.
    never, always = worse(0.0), worse(1.0)
    return (never - by) / (never - always)


def judges_kappa(panel: Panel, said: Any) -> Figure:
    found = with_interval(kappa_with_person(panel, said), panel.units)
    return widened(found, agreement_with_person(panel, said))


def peoples_kappa(panel: Panel, _: Any) -> Figure:
    return widened(with_interval(kappa_with_others(panel), panel.units), agreement_with_others(panel))


def lines(draws: int, costly: int) -> Iterator[Line]:
    situations: list[tuple[str, Sequence[float], dict[str, Any], float]] = [
        *((f"{name}, 60 cases", people, {"cases": 60}, 0.0) for name, people in PEOPLE.items()),
        *((f"{name}, 30 cases", PEOPLE[name], {"cases": 30}, 0.0) for name in ("two people", "five unequal people")),
        ("three people, 120 cases of 30 tasks", PEOPLE["three people"], {"cases": 120, "of_task": 4}, HARDER),
        ("four unequal people, each labels 60 % of 100 cases", PEOPLE["four unequal people"], {"cases": 100}, 0.0),
        ("three people who agree in nearly all of 60 cases", (0.99, 0.99, 0.99), {"cases": 60}, 0.0),
    ]
    figures: dict[str, tuple[Callable[[Panel, Any], Any], bool, bool]] = {
        "judge and a person: agreement": (agreement_with_person, True, False),
        "person and another: agreement": (lambda panel, _: agreement_with_others(panel), False, False),
        "judge and a person: kappa": (judges_kappa, True, True),
        "person and another: kappa": (peoples_kappa, False, True),
    }
    for figure, (measure, of_judge, is_kappa) in figures.items():
        for situation, people, given, harder in situations:
            judge = 0.98 if "nearly" in situation else JUDGE
            given = given | ({"labelled": 0.6} if "60 %" in situation else {})
            same = headline(people, judge, harder) if of_judge else ceiling(people, harder)
            known = beyond_chance(same) if is_kappa else same

            def simulate(rng: Any, measure=measure, known=known, people=people, judge=judge, given=given) -> Any:  # type: ignore[no-untyped-def]
                return known, measure(*drawn(rng, people, judge, **given)).interval, None

            yield coverage(figure, situation, simulate, costly if is_kappa else draws, f"truth {known:.3f}")
    yield from other_figures(draws, costly)
    for name in ("three people", "five people", "three unequal people"):
        people = PEOPLE[name]
        at_margin, as_good = worse_by(people, MARGIN), float(np.mean(people))
        judges = (
            ("worse by the margin", at_margin, "can", "false alarms"),
            ("as good as people", as_good, "can", "power"),
            ("as good as people", as_good, "cannot", "false alarms"),
            ("far worse", at_margin - 0.3, "cannot", "power"),
        )
        for cases, of_task in ((30, 1), (60, 1), (200, 1), (120, 4)):
            where = f"{name}, {cases} cases" + (f" of {cases // of_task} tasks" if of_task > 1 else "")
            found: dict[float, list[str]] = {}
            for called, judge, answer, what in judges:
                rng = np.random.default_rng(20_260_101)
                if judge not in found:
                    found[judge] = [tested(rng, people, judge, cases, of_task).answer for _ in range(costly)]
                said = [it == answer for it in found[judge]]
                yield alarms(f"{answer} stand in", f"judge {called}; {where}", what, said)
    yield from few_differences(costly)


def rated(rng: Any, people: Sequence[float], judge: float, cases: int, of_task: int = 1) -> tuple[Panel, Any]:
    """Draw ratings from 20 to 100 whose errors have these deviations; some tasks are harder for everybody."""
    task = np.arange(cases) // of_task
    by = rng.choice([0.5, 1.5], task.max() + 1)[task] if of_task > 1 else np.ones(cases)
    true = rng.uniform(20, 100, cases)

    def says(deviation: float) -> Any:
        return np.clip(np.round((true + by * rng.normal(0, deviation, cases)) / 20) * 20, 20, 100)

    said = np.array([says(deviation) for deviation in people])
    votes = [{str(who): float(said[who, at]) for who in range(len(people))} for at in range(cases)]
    panel = Panel(votes, task.tolist(), numeric=True)
    return panel, panel.coded(says(judge).tolist())


def other_figures(draws: int, costly: int) -> Iterator[Line]:
    """Figures whose truth is that of a very large sample."""
    equal, unequal = PEOPLE["three people"], PEOPLE["five unequal people"]
    figures: list[tuple[str, Callable[..., Any], Callable[[Panel, Any], Figure], Sequence[Sequence[float]], int]] = [
        ("judge ahead of a person", drawn, ahead_of_person, (equal, unequal), draws),
        ("average advantage", drawn, lambda *it: stand_in(*it).advantage, (equal, unequal), costly),
        ("dialogues: judge’s distance to a person", rated, agreement_with_person, ((15, 15), (10, 15, 25)), draws),
        ("dialogues: distance of two people", rated, lambda panel, _: agreement_with_others(panel), ((15, 15),), draws),
        ("dialogues: judge’s ranks", rated, lambda *it: ranks(it[0], ranks_with_person(*it)), ((10, 15, 25),), costly),
        ("dialogues: people’s ranks", rated, lambda *it: ranks(it[0], ranks_with_others(it[0])), ((15, 15),), costly),
    ]
    for figure, draw, measure, groups, often in figures:
        for people in groups:
            judge = JUDGE if draw is drawn else 20.0
            for cases, of_task in ((60, 1), (120, 4)):
                whole = draw(np.random.default_rng(7), people, judge, 40_000, of_task)
                known = measure(*whole).value or 0.0
                where = f"{len(people)} people, {cases} cases" + (
                    f" of {cases // of_task} tasks" if of_task > 1 else ""
                )
                yield coverage(
                    figure,
                    f"{where}{'' if len(set(people)) == 1 else ', unequal people'}",
                    partial(_covered, known, draw, measure, (people, judge, cases, of_task)),
                    often,
                    f"truth {known:.3f}",
                )


def _covered(known: float, draw: Callable[..., Any], measure: Callable[..., Figure], given: Any, rng: Any) -> Any:
    return known, measure(*draw(rng, *given)).interval, None


def ranks(panel: Panel, statistic: Statistic) -> Figure:
    if panel.size > 10_000:
        return point(statistic, panel.size)
    return with_interval(statistic, panel.units)


def few_differences(draws: int) -> Iterator[Line]:
    """People always agree, and the judge differs in as many cases as the margin: the hardest case for a t test."""
    for cases in (30, 60, 200):
        rng = np.random.default_rng(20_260_101)
        passed = []
        for _ in range(draws):
            panel = Panel([{"1": "A", "2": "A", "3": "A"}] * cases, range(cases), numeric=False)
            said = panel.coded(np.where(rng.random(cases) < MARGIN, "B", "A").tolist())
            passed.append(stand_in(panel, said, draws=99).answer == "can")
        yield alarms("can stand in", f"three people who always agree, {cases} cases", "false alarms", passed)
