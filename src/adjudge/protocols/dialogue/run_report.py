"""What a dialogue run's report says: the mean, the strongest and the weakest criterion, and what the Critic changed."""

from __future__ import annotations

from ...rendering.wording import many, rounded
from ...reports.run.pictures import RunFigures, labels, means, outcomes
from ...reports.run.report import Headline, RunReport, within
from ...results.columns import criteria


def _finding(figures: RunFigures) -> Headline:
    run, summary = figures.run, figures.summary
    average = summary.means["average"]
    names = criteria(run)
    by_criterion = {names[name]: mean for name, mean in summary.means.items() if name in names}
    sentence = f"The mean weighted average of {many(average.cases, 'dialogue')}{within(average)}."
    if len(by_criterion) > 1:
        best, worst = (pick(by_criterion, key=lambda name: by_criterion[name].value or 0.0) for pick in (max, min))
        high, low = (rounded(by_criterion[name].value, 0) for name in (best, worst))
        sentence += f" Strongest is {best} ({high}), weakest {worst} ({low})."
    before = summary.means.get("evaluator_average")
    if before is not None and abs((before.value or 0.0) - (average.value or 0.0)) >= 0.05:
        sentence += f" Before the Critic spoke it was {rounded(before.value, 1)}."
    return Headline(f"{rounded(average.value, 1)} of {rounded(float(run.rubric.scale.high), 0)}", sentence, "A")


RUN_REPORT = RunReport(finding=_finding, pictures=(outcomes, means, labels))
