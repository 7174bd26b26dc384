"""Agreement of a judge with one label a case: accuracy, kappa, AC1, alpha, rank correlations, independent cases and
cases of a few tasks; and two judges on the same cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from adjudge.statistics.agreement import (
    accuracy,
    cohen_kappa,
    gwet_ac1,
    kendall,
    krippendorff_alpha,
    quadratic_kappa,
    spearman,
)
from adjudge.statistics.resampling import DRAWS, Statistic, changed, mean_by_unit, with_interval

from .table import Interval, Line, alarms, coverage

# Joint distributions of people (rows) and judge (columns) over A, tie and B, or over two classes.
POPULATIONS = {
    "middling judge": np.array([[0.30, 0.05, 0.05], [0.05, 0.10, 0.05], [0.05, 0.05, 0.30]]),
    "good judge": np.array([[0.42, 0.02, 0.01], [0.02, 0.08, 0.02], [0.01, 0.02, 0.40]]),
    "two classes": np.array([[0.40, 0.10], [0.10, 0.40]]),
    "skewed classes": np.array([[0.75, 0.05], [0.08, 0.12]]),
}
Cases = tuple[list[float], list[float], list[int]]  # the judge's classes, people's, and each case's task
MEASURES: dict[str, Callable[[Any, Any], Statistic]] = {
    "kappa": cohen_kappa,
    "AC1": gwet_ac1,
    "quadratic kappa": quadratic_kappa,
    "alpha, nominal": lambda judge, human: krippendorff_alpha(list(zip(judge, human, strict=True)), "nominal"),
    "alpha, ordinal": lambda judge, human: krippendorff_alpha(list(zip(judge, human, strict=True)), "ordinal"),
    "Spearman": spearman,
    "Kendall": kendall,
}
_MANY = 40_000  # cases from which the true value is computed


def drawn(rng: Any, joint: Any, tasks: int, each: int, alike: float) -> Cases:
    """Draw cases of tasks. With the probability `alike`, a case of a task repeats the task's first one."""
    size = tasks * each
    places = rng.choice(joint.size, size=size, p=joint.ravel() / joint.sum()).reshape(tasks, each)
    places = np.where(rng.random((tasks, each)) < alike, places[:, :1], places).ravel()
    task = np.repeat(np.arange(tasks), each)
    return (places % len(joint)).astype(float).tolist(), (places // len(joint)).astype(float).tolist(), task.tolist()


def of_share(cases: Cases) -> Interval:
    return mean_by_unit((float(one == other), task) for one, other, task in zip(*cases, strict=True)).interval


def bootstrapped(measure: Callable[[Any, Any], Statistic], cases: Cases) -> Interval:
    return with_interval(measure(*cases[:2]), cases[2]).interval


def truth_of(measure: Callable[[Any, Any], Statistic], joint: Any) -> float:
    """Return the value for very many cases in exactly these proportions."""
    times = np.rint(joint.ravel() / joint.sum() * _MANY).astype(int)
    places = np.arange(joint.size)
    statistic = measure((places % len(joint)).astype(float).tolist(), (places // len(joint)).astype(float).tolist())
    with np.errstate(all="ignore"):
        return float(statistic.of(times[None].astype(float))[0])


def lines(draws: int, costly: int) -> Iterator[Line]:
    for name, joint in POPULATIONS.items():
        for size in (30, 100):
            yield _covered("accuracy", f"{name}, {size} cases", of_share, float(np.trace(joint)), joint, draws, size)
            for figure, measure in MEASURES.items():
                if len(joint) > 2 or figure in ("kappa", "AC1"):
                    interval = _interval(measure)
                    truth = truth_of(measure, joint)
                    yield _covered(figure, f"{name}, {size} cases", interval, truth, joint, costly, size)
    joint = POPULATIONS["middling judge"]
    for tasks, each in ((12, 5), (30, 5), (170, 5)):
        situation = f"{tasks} tasks of {each} cases, half alike"
        yield _covered("accuracy", situation, of_share, float(np.trace(joint)), joint, draws, tasks, each, 0.7)
        for figure, measure in MEASURES.items():
            interval, truth = _interval(measure), truth_of(measure, joint)
            yield _covered(figure, situation, interval, truth, joint, costly, tasks, each, 0.7)
    yield from _two_judges(costly)


def _interval(measure: Callable[[Any, Any], Statistic]) -> Callable[[Cases], Interval]:
    return lambda cases: bootstrapped(measure, cases)


def _covered(
    figure: str,
    situation: str,
    interval: Callable[[Cases], Interval],
    truth: float,
    joint: Any,
    draws: int,
    tasks: int,
    each: int = 1,
    alike: float = 0.0,
) -> Line:
    def simulate(rng: Any) -> tuple[float, Interval, Interval]:
        return truth, interval(drawn(rng, joint, tasks, each, alike)), None

    return coverage(figure, situation, simulate, draws)


def _two_judges(draws: int) -> Iterator[Line]:
    """Two judges of the same or of different skill, on the same cases."""

    def judged(rng: Any, human: Any, error: float, tasks: Any) -> list[float]:
        wrong = np.where(rng.random(len(human)) < 0.5, rng.random(tasks.max() + 1)[tasks], rng.random(len(human)))
        return list(np.where(wrong < error, 1 - human, human).astype(float).tolist())

    def p(rng: Any, errors: Sequence[float], count: int, each: int, measure: Any) -> float | None:
        tasks = np.repeat(np.arange(count), each)
        human = rng.integers(0, 2, count * each)
        one, other = (measure(judged(rng, human, error, tasks), human.astype(float).tolist()) for error in errors)
        return changed(one, other, [tasks.tolist()], DRAWS)[1]

    rng = np.random.default_rng(20_260_101)
    for what, errors in (("false alarms", (0.25, 0.25)), ("power", (0.35, 0.15))):
        for count, each in ((100, 1), (30, 4)):
            for figure, measure in (("accuracy", accuracy), ("kappa", cohen_kappa)):
                found = [p(rng, errors, count, each, measure) for _ in range(draws)]
                accused = [None if it is None else it < 0.05 for it in found]
                situation = f"judges with {errors[0]:.0%} and {errors[1]:.0%} errors, {count} tasks of {each}"
                yield alarms(f"change of {figure}", situation, what, accused)
