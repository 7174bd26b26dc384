"""Beside another judge, and over time: differences with their tests, and what a cascade of two judges would cost."""

import shutil
from decimal import Decimal
from itertools import count

import pytest
from agreement.report.judged import PAIRS, build_report, compared, joined, shown, sides
from hypothesis import given
from hypothesis import strategies as st
from results.building import write_run
from results.samples import dialogues
from scipy import stats

from adjudge.agreement.report.changes import CascadeCase, against, cost_curve, earlier_run
from adjudge.errors import InputError
from adjudge.judges.specs import single_judges
from adjudge.results.run import open_run


def test_two_judges_on_the_same_labels_are_compared_by_an_exact_test(folder, tmp_path):
    others = [("A", human) if n % 3 else (human, human) for n, (_, human) in enumerate(PAIRS)]
    other = write_run(tmp_path / "other", [compared(n, *pair) for n, pair in enumerate(others)])
    named = (other / "run.json").read_bytes().replace(b'"judge":"embedded"', b'"judge":"openai:gpt-4o"')
    (other / "run.json").write_bytes(named)
    found = against(joined(folder), open_run(other), 99)
    old, new = ([one == two for one, two in pairs] for pairs in (PAIRS, others))
    gained = sum(b and not a for a, b in zip(old, new, strict=True))
    lost = sum(a and not b for a, b in zip(old, new, strict=True))
    change = found.metrics["accuracy"]
    assert (found.gained, found.lost, found.cases) == (gained, lost, 60)
    assert change.p == pytest.approx(stats.binomtest(gained, gained + lost).pvalue)
    assert change.change.value == pytest.approx((sum(new) - sum(old)) / 60)
    assert found.cascade.reason == "both judges cost the same"
    kappa = found.metrics["kappa"]
    kappas = [f"{round(figure.value, 2):g}" for figure in (kappa.before, kappa.after)]
    assert found.jury == f"jury(weighted):embedded*{kappas[0]}+openai:gpt-4o*{kappas[1]}"
    assert single_judges(found.jury) == ["embedded", "openai:gpt-4o"]


def test_a_cheap_and_a_dear_judge_give_a_cost_curve(tmp_path):
    def priced(folder, pairs, cost):
        made = write_run(folder, [compared(n, *pair) for n, pair in enumerate(pairs)])
        lines = (made / "verdicts.jsonl").read_bytes()
        (made / "verdicts.jsonl").write_bytes(lines.replace(b'"cost":"0"', b'"cost":"%s"' % cost))
        return open_run(made)

    cheap = priced(tmp_path / "cheap", sides(40, right=0.6), b"0.001")
    dear = priced(tmp_path / "dear", [(human, human) for _, human in sides(40, right=0.6)], b"0.01")
    for run, other in ((cheap, dear), (dear, cheap)):
        curve = against(joined(run.folder), other, 99).cascade
        assert (curve.cheap, curve.dear, curve.by) == ("cheap", "dear", "margin")
        alone, last = curve.points[0], curve.points[-1]
        assert (float(alone.cost), float(last.cost)) == (0.001, 0.01) and last.agreement.value == 1
        assert alone.agreement.value == sum(a == b for a, b in sides(40, right=0.6)) / 40


def test_an_earlier_run_of_the_same_judge_is_compared_and_a_change_beyond_noise_is_said(folder, tmp_path):
    same = shutil.copytree(folder, tmp_path / "same")
    worse = write_run(tmp_path / "worse", [compared(n, "B", human) for n, (_, human) in enumerate(PAIRS)])
    run = open_run(folder)
    found = build_report(run, earlier=[open_run(same), open_run(worse)])
    unchanged, before = found.earlier
    assert unchanged.same_judge and unchanged.paired and unchanged.same_verdicts.value == 1
    assert unchanged.metrics["accuracy"].change.value == 0 and not unchanged.metrics["accuracy"].real
    assert before.metrics["accuracy"].real
    text = " ".join(shown(found, run)[0].split())
    assert "Accuracy: no change." in text and "more than chance would explain" in text
    assert "The same verdict as in same, by the same judge and rubric: 100.0 %" in text


def test_an_earlier_run_over_other_cases_is_held_to_its_own_labels(folder, tmp_path):
    rows = [compared(500 + n, "A" if n % 2 else "B", "A") for n in range(30)]
    found = earlier_run(joined(folder), open_run(write_run(tmp_path / "old", rows)), None, (), 99)
    assert (found.paired, found.cases, found.same_verdicts) == (False, 30, None)
    assert found.metrics["accuracy"].before.value == 0.5


def test_runs_of_another_protocol_or_of_other_cases_are_refused(folder, tmp_path):
    other = open_run(write_run(tmp_path / "d", dialogues()[:1]))
    for option in ({"other": other}, {"earlier": [other]}):
        with pytest.raises(InputError, match="a dialogue run; a compare run is needed"):
            build_report(open_run(folder), **option)
    strange = open_run(write_run(tmp_path / "c", [compared(999, "A", "A")]))
    with pytest.raises(InputError, match="none of the labelled cases is in it"):
        build_report(open_run(folder), other=strange)


# -- the cost–agreement curve of a cascade, by hand and in its ends ---------------------------------------------------

CHEAP, DEAR = Decimal("0.001"), Decimal("0.03")


UNITS = count()


def case(cheap, confidence, dear, human="A"):
    return CascadeCase(next(UNITS), cheap, confidence, CHEAP, dear, DEAR, human)


def test_passing_the_unsure_cases_on_buys_agreement():
    cases = [case("B", 0.2, "A"), case("B", 0.4, "A"), case("A", 0.8, "A"), case("A", 0.9, "B")]
    found = [(point.threshold, point.passed_on, point.cost, point.agreement.value) for point in cost_curve(cases)]
    assert found == [
        (0, 0, CHEAP, 0.5),
        (0.4, 0.25, CHEAP + DEAR / 4, 0.75),
        (0.8, 0.5, CHEAP + DEAR / 2, 1),
        (0.9, 0.75, CHEAP + 3 * DEAR / 4, 1),
        (None, 1, DEAR, 0.75),
    ]
    assert [point.efficient for point in cost_curve(cases)] == [True, True, True, False, False]


def test_a_cheap_judge_that_names_no_confidence_is_never_sure():
    cases = [case("A", None, "A"), case("B", 0.5, "A"), case("A", 0.9, "A")]
    alone, never_sure, passed, dear = cost_curve(cases)
    assert (alone.passed_on, alone.cost) == (0, CHEAP)
    assert (never_sure.threshold, never_sure.passed_on, never_sure.agreement.value) == (0.5, 1 / 3, 2 / 3)
    assert (passed.threshold, passed.passed_on, passed.agreement.value) == (0.9, 2 / 3, 1)
    assert dear.cost == DEAR


@given(
    st.lists(
        st.tuples(st.sampled_from("AB"), st.floats(0, 1) | st.none(), st.sampled_from("AB")), min_size=1, max_size=120
    )
)
def test_cost_rises_with_the_threshold_and_the_ends_are_the_two_judges(rows):
    points = cost_curve([case(*row) for row in rows])
    *cascade, dear = points
    assert [point.cost for point in cascade] == sorted(point.cost for point in cascade)
    assert cascade[0].agreement.value == sum(row[0] == "A" for row in rows) / len(rows)
    assert dear.agreement.value == sum(row[2] == "A" for row in rows) / len(rows)
    assert any(point.efficient for point in points)
    assert len(points) <= 82
