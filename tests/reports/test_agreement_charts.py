"""Charts of an agreement report: every point lies on the paper."""

from adjudge.agreement.figures import Difference, Figure
from adjudge.agreement.report.build import AgreementReport
from adjudge.agreement.report.changes import EarlierRun
from adjudge.agreement.report.remedies import ScoreBin
from adjudge.reports.agreement.charts import calibration_chart, time_chart


def test_a_score_that_is_mapped_to_nought_lies_on_the_axes_too():
    curve = tuple(ScoreBin(judge=step, people=2 * step, mapped=step - 20, cases=3) for step in (20.0, 40.0))
    report = AgreementReport.model_construct(protocol="dialogue", score_curve=curve)
    series = calibration_chart(report).series
    assert [one.name for one in series] == ["people’s mean", "the chosen map"]
    assert all(0 <= place <= 1 for one in series for point in one.points for place in (point.x, point.y))


def test_days_below_a_chart_have_room_however_many_runs_there_are():
    right = Figure(0.8, 20, interval=(0.6, 0.9))
    earlier = tuple(
        EarlierRun.model_construct(
            run=f"run {day}",
            created=f"2026-01-{day:02}",
            same_judge=True,
            metrics={"accuracy": Difference(right, right, right, 0.5, "")},
        )
        for day in range(1, 13)
    )
    report = AgreementReport.model_construct(
        protocol="compare", run="now", created="2026-01-13", earlier=earlier, metrics={"accuracy": right}
    )
    chart = time_chart(report)
    assert len(chart.series[0].points) == 13 and [day for _, day in chart.x_ticks][:2] == ["2026-01-01", "2026-01-04"]
