"""The cost–agreement curve of a cascade, by hand and in its ends."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from adjudge.agreement.report.changes import CascadeCase, cost_curve

CHEAP, DEAR = Decimal("0.001"), Decimal("0.03")


def case(cheap, confidence, dear, human="A"):
    return CascadeCase(cheap, confidence, CHEAP, dear, DEAR, human)


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
    alone, passed, dear = cost_curve(cases)
    assert (alone.passed_on, alone.cost) == (0, CHEAP)
    assert (passed.threshold, passed.passed_on, passed.agreement.value) == (0.9, 2 / 3, 1)
    assert dear.cost == DEAR
    assert cost_curve([]) == ()


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
