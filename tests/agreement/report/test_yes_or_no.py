"""A protocol whose verdict is yes or no, and that has no two sides: it is labelled and measured without either."""

import json
from dataclasses import replace

import pytest
from agreement.report.judged import build_report, compared, shown
from results.building import write_run

from adjudge.agreement.labels.questions import answered, as_shown, begun_label, questions
from adjudge.agreement.labels.sampling import candidates, select_cases
from adjudge.agreement.labels.sources import load_labels
from adjudge.agreement.report import floor_figures
from adjudge.agreement.report.remedies import calibrate_run
from adjudge.errors import InputError
from adjudge.protocols import registry
from adjudge.protocols.base import protocol_of
from adjudge.protocols.labelling import LabelRules, ShownCase
from adjudge.protocols.measured import MeasureRules
from adjudge.results.run import open_run

CHOICES = (("y", "yes", "it boils the egg"), ("n", "no", "it does not"))
CASES = 60


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run whose verdicts are yes where A wins; people say yes to the first 40, and the judge to all but the last 10
    of these."""
    base = protocol_of("compare")
    made = replace(
        base,
        noun="recipe",
        table=replace(base.table, two_sides=False),
        labelling=LabelRules(question="Does it?", show=lambda case: ShownCase((("Text", case.a),)), choices=CHOICES),
        measured=MeasureRules(value="if(r.winner = 'A', 'yes', 'no')", classes=("yes", "no")),
    )
    folder = write_run(tmp_path / "run", [compared(n, "A" if n < 30 else "B", None) for n in range(CASES)])
    monkeypatch.setitem(registry._loaded, base.name, made)
    return open_run(folder)


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "labels.jsonl"
    rows = [{"id": f"egg-{n}", "ann": "Yes" if n < 40 else "no", "ben": "yes" if n < 36 else None} for n in range(55)]
    path.write_text("\n".join(map(json.dumps, rows)))
    return str(path)


def test_a_person_is_asked_for_a_class_in_either_order(run):
    assert len(candidates(run)) == CASES
    pick = select_cases(run, 4, seed=None, random_share=None).picks[0]
    for order in ("ab", "ba"):
        (asked,) = questions(run, order, criteria=True)
        assert asked.words == "Does it?" and asked.meanings == [("y", "it boils the egg"), ("n", "it does not")]
        shown_case = ShownCase((("Text", "?"),))
        label = answered(begun_label(None, pick, "ann", shown_case, order), None, asked.answers["n"])
        assert (label.value, label.shown, as_shown(run, label, order)) == ("no", None, "it does not")


def test_labels_are_read_as_classes_and_others_refused(run, labels, tmp_path):
    found = load_labels(run, labels)
    assert found.by_case[0]["ann"].value == "yes" and found.by_case[50]["ann"].value == "no"
    (tmp_path / "other.csv").write_text("id,label\negg-1,A\n")
    with pytest.raises(InputError, match="'A' is not a label; one of yes, no"):
        load_labels(run, str(tmp_path / "other.csv"))


def test_the_report_counts_classes_and_says_nothing_of_sides(run, labels):
    report = build_report(run, labels, annotators=["ann"])
    assert report.counted == 55 and report.metrics["accuracy"].value == pytest.approx(45 / 55)
    assert set(report.metrics) == {"accuracy", "kappa", "ac1", "alpha_nominal"}
    assert report.confusion.classes == ("yes", "no") and report.confusion.counts == ((30, 10), (0, 15))
    assert {row.name for row in report.beside} == {"judge", "constant"}
    assert report.bias is None and report.by_margin == () and report.calibration is None and report.weights is None
    assert report.disputed.by_kind == {"the judge says no, people yes": 10}
    assert report.corrected["yes"].raw.value == 0.5 and report.corrected["yes"].corrected.value > 0.6
    assert floor_figures(report)["accuracy"].value == report.metrics["accuracy"].value
    for text in shown(report, run):
        assert "Always yes" in text
        assert not any(word in text for word in ("A wins", "longer answer", "shown first", "Win rate", "half a win"))
    with pytest.raises(InputError, match="no number to calibrate"):
        calibrate_run(run, load_labels(run, labels))


def test_people_are_compared_with_each_other_by_class(run, labels):
    report = build_report(run, labels)
    assert next(row for row in report.beside if row.name == "one person").figures["accuracy"].value == 1
    assert len(shown(report, run)) == 3
