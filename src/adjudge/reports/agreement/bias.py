"""Builds the section of an agreement report on bias, and the sentence about each of them."""

from __future__ import annotations

from ...agreement.report import AgreementReport
from ...models.figures import Figure
from ...rendering.document import Grid, Section
from ...rendering.wording import listed, many, rounded, rounded_percent
from ...statistics.bias import HabitBias
from ...statistics.leaning import ENOUGH_PAIRS, WORST_ERROR
from .charts import HABITS, in_points, length_chart, value_of, with_bounds

_HEAD = (
    *("What may move it", "Judge", "People", "Wrong labels", "Decided by it", "95 % interval"),
    *("Controlled", "Cases"),
)
_READ = (
    "Judge and People: how often the answer with more of it wins, over the same cases. Decided by it: how many of a "
    "hundred verdicts it decides, beyond people’s own preference; 0 is fair. Controlled: agreement with people, where "
    "labels for the answer with more and labels for the one with less count equally."
)
_ESTIMATED = (
    "Wrong labels are estimated from how often people disagree, and taken out of “Decided by it” ({}). This assumes "
    "that people err independently of each other and of the judge, and that their errors go both ways alike."
)
_ASSUMED = (
    f"How many labels are wrong cannot be told there: it takes {ENOUGH_PAIRS} cases with labels by two people. The "
    f"interval is the range that any share from 0 to {100 * WORST_ERROR:g} % allows; a bias is reported only if 0 is "
    "outside."
)


def bias_section(report: AgreementReport) -> Section | None:
    """Build the section on what influences the judge besides quality, or return None if nothing was measured."""
    if report.bias is None or not report.biases:
        return None
    rows, habits = [], report.bias.habits
    for habit in habits:
        wins = (value_of("accuracy", habit.more_wins), value_of("accuracy", habit.people))
        controlled = value_of("accuracy", _bounded(habit.balanced_agreement))
        moved = (_wrong_labels(habit), *in_points(_bounded(habit.followed)))
        rows.append((HABITS[habit.name], *wins, *moved, controlled, f"{habit.more_wins.cases:,}"))
    estimated = listed(HABITS[habit.name].lower() for habit in habits if habit.label_error is not None)
    ranges = "; ".join(_paired(habit) for habit in habits if _is_range(habit))
    assumed = f"{ranges[:1].upper()}{ranges[1:]}. {_ASSUMED}"
    return Section(
        "Bias: what moves the judge besides quality",
        [bias_sentence(report, name) for name in report.biases],
        [Grid(_HEAD, rows)],
        pictures=length_chart(report),
        after=[*[_READ] * bool(rows), *[_ESTIMATED.format(estimated)] * bool(estimated), *[assumed] * bool(ranges)],
    )


def _is_range(habit: HabitBias) -> bool:
    """Whether a habit is known only as the range that wrong labels allow."""
    return habit.followed is not None and habit.followed.value is None and habit.followed.interval is not None


def _paired(habit: HabitBias) -> str:
    """Say of how many cases two people's labels are known, where these are too few."""
    cases, what = habit.more_wins.cases, HABITS[habit.name].lower()
    if habit.paired == cases:
        return f"{what}: only {many(cases, 'case')}"
    return f"{what}: {habit.paired or 'none'} of {many(cases, 'case')} with labels by two people"


def _wrong_labels(habit: HabitBias) -> str:
    if _is_range(habit):
        return f"0 to {100 * WORST_ERROR:g} %"
    return "–" if habit.label_error is None else rounded_percent(habit.label_error)


def _bounded(figure: Figure | None) -> Figure | None:
    """Return the figure if it has an interval, else None: one based on a case or two would mislead."""
    return figure if figure is not None and figure.interval is not None else None


def bias_sentence(report: AgreementReport, name: str) -> str:
    """Say whether a bias was found, with its figures."""
    bias, found = report.bias, report.biases[name]
    assert bias is not None
    if name == "order":
        first = bias.order.first_wins
        at = f"the answer shown first wins {with_bounds('accuracy', first)} of {many(first.cases, 'case')}"
        flips = bias.order.flips
        turned = f"; the winner changes with the order in {value_of('accuracy', flips)}" if flips.cases else ""
        if first.value == 0.5 and not flips.value:
            return f"No order bias: {at}{turned}."
        start = {True: "Order bias", False: "No order bias found", None: "Order, too few cases to tell"}[found]
        return f"{start}: {at}{turned}."
    habit = next(each for each in bias.habits if each.name == name)
    what = HABITS[name].lower()
    wins = f"{what} wins {value_of('accuracy', habit.more_wins)} with the judge"
    if habit.people is not None:
        wins += f" and {value_of('accuracy', habit.people)} with people, over {many(habit.people.cases, 'case')}"
    title = {"self-preference": "self-preference"}.get(name, f"bias by {name}")
    followed = habit.followed
    if followed is None or followed.interval is None:
        reason = "no labels to compare with" if followed is None else followed.reason
        return f"{title.capitalize()}, not known: {wins} ({reason})."
    supposing = f", if 0 to {100 * WORST_ERROR:g} % of the labels are wrong" if _is_range(habit) else ""
    much, bounds = in_points(followed)
    if found is None:
        could = f"the interval is too wide to tell: it may decide {bounds} in a hundred verdicts{supposing}"
        return f"{title.capitalize()}, not known: {wins} ({could})."
    if not found:
        return f"No {title} found: {wins}; it decides {bounds} in a hundred verdicts{supposing}."
    way = "go to" if followed.interval[0] > 0 else "go against"
    share = " to ".join(rounded(abs(100 * end), 1) for end in sorted(followed.interval, key=abs))
    if followed.value is not None:
        share = f"{much.lstrip('+−')} ({share})"
    beyond = f"beyond people’s own preference, {share} in a hundred verdicts {way} it{supposing}"
    return f"{title.capitalize()}: {beyond}; {wins}."
