"""Builds the section on agreement by slice: what is worse than the rest, a table, and how to see the cases."""

from __future__ import annotations

from collections.abc import Iterable

from ...agreement.report import AgreementReport
from ...agreement.report.slices import CRITERION, LANGUAGE, Slice
from ...models.figures import Figure
from ...rendering.document import Grid, Section
from ...rendering.wording import criterion_names, many, p_is, p_value
from ...rubric import Rubric
from ...statistics.slices import LEAST
from .charts import both, value_of

_MOST_SENTENCES, _MOST_ROWS, _MOST_PLACES = 3, 30, 40
_NAMES = {CRITERION: "deciding criterion"}
_READ = (
    "Each slice is compared with the other cases of which this is known. The adjusted p allows for the number of "
    "slices that were tested (Benjamini and Hochberg): of those below 0.05, one in twenty may be there by chance. An "
    "interval is of its slice alone; that of the worst of many slices is a little too low. “Somebody differs” counts "
    "the cases in which at least one person differs from the judge."
)


def slices_section(report: AgreementReport, rubric: Rubric) -> Section | None:
    """Build the section, or return None if the cases differ in nothing."""
    found = report.slices
    if not found.slices:
        if not found.too_small and not found.alike:
            return None
        why = f"a slice and the cases outside it need {LEAST} each"
        few = (
            [f"No slice has enough independent cases: there are {found.units:,}, and {why}."] if found.too_small else []
        )
        return Section("By slice", [*few, *_left_out(report)])
    # The worst comes first; then those of which it is clearest.
    worse = [it for it in found.slices if it.better is False]
    worse[1:] = sorted(worse[1:], key=_clearest)
    better = sorted((it for it in found.slices if it.better), key=_clearest)
    if worse:
        sentences = [
            _sentence(report, it, rubric, "Worst on" if it is worse[0] else "Worse on")
            for it in worse[:_MOST_SENTENCES]
        ]
        if (more := len(worse) - _MOST_SENTENCES) > 0:
            sentences.append(f"{more:,} more are worse than the rest.")
    else:
        sentences = [f"No slice is worse than the rest beyond noise, of {many(len(found.slices), 'slice')} tested."]
    sentences += [_sentence(report, it, rubric, "Better on") for it in better[:1]]
    if found.guessed:
        sentences.append(f"The {many(found.guessed, 'undecided case')} count with the judge’s best guess.")
    heading = "Distance" if found.measure == "mae" else "Agreement"
    head = ("By", "Slice", heading, "95 % interval", "The rest", "Adjusted p", "Cases", "Somebody differs")
    rows = [
        (
            *_called(it, rubric),
            *both(found.measure, it.agreement),
            value_of(found.measure, Figure(it.rest, 0)),
            p_value(it.adjusted),
            f"{it.agreement.cases:,}",
            f"{it.differ:,}",
        )
        for it in found.slices[:_MOST_ROWS]
    ]
    return Section(
        "By slice",
        sentences,
        [Grid(head, rows, 2, [it.differing for it in found.slices[:_MOST_ROWS]])],
        after=[*_after(report), _READ],
    )


def _after(report: AgreementReport) -> Iterable[str]:
    found = report.slices
    if first := next((it for it in found.slices if it.better is False and it.differing), None):
        listed = first.differing[:_MOST_PLACES]
        show = f"adjudge show {report.run} --where 'position in ({', '.join(map(str, listed))})'"
        which = f", the first {len(listed)} of {first.differ:,}" if len(listed) < first.differ else ""
        yield f"Cases of the worst slice in which somebody differs from the judge{which}: {show}"
    yield from _left_out(report)
    if found.unknown and any(it.by == LANGUAGE for it in found.slices):
        yield f"The language of {many(found.unknown, 'case')} was not recognised."
    if len(found.slices) > _MOST_ROWS:
        yield f"{many(len(found.slices) - _MOST_ROWS, 'more slice is', 'more slices are')} in --format json."


def _left_out(report: AgreementReport) -> Iterable[str]:
    found = report.slices
    if found.too_small:
        counts = ", ".join(f"{count:,} by {_NAMES.get(by, by)}" for by, count in found.too_small.items())
        yield f"Slices with fewer than {LEAST} independent cases, or fewer outside, are left out: {counts}."
    if found.alike:
        yield f"No slices by {', '.join(found.alike)}: the labelled cases do not differ in that."


def _clearest(found: Slice) -> tuple[float, float]:
    return found.adjusted, found.p


def _called(found: Slice, rubric: Rubric) -> tuple[str, str]:
    name = criterion_names([found.name], rubric)[found.name] if found.by == CRITERION else found.name
    return _NAMES.get(found.by, found.by), name


def _sentence(report: AgreementReport, it: Slice, rubric: Rubric, start: str) -> str:
    measure = report.slices.measure
    rest = Figure(it.rest, 0)
    by, name = _called(it, rubric)
    of = " points from people in" if measure == "mae" else " of"
    return (
        f"{start} {by} {name}: {value_of(measure, it.agreement)}{of} {many(it.agreement.cases, 'case')} "
        f"(the rest {value_of(measure, rest)}, adjusted p {p_is(it.adjusted)})."
    )
