"""Charts of an agreement report: every point lies on the paper."""

from adjudge.agreement.report import AgreementReport
from adjudge.agreement.report.remedies import ScoreBin
from adjudge.reports.agreement.charts import calibration_chart


def test_a_score_that_is_mapped_to_nought_lies_on_the_axes_too():
    curve = tuple(ScoreBin(judge=step, people=2 * step, mapped=step - 20, cases=3) for step in (20.0, 40.0))
    report = AgreementReport.model_construct(protocol="dialogue", confidence_curve=(), score_curve=curve)
    series = calibration_chart(report)[0].series
    assert [one.name for one in series] == ["people’s mean", "the chosen map"]
    assert all(0 <= place <= 1 for one in series for point in one.points for place in (point.x, point.y))
