"""A blank Overall that nobody assessed takes the allowed value that leaves the Likert nearest to the person's."""

from itertools import product

from protocols.review.rivers import CASE, RUBRIC
from protocols.review.tables import BEST

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.consistency import allowed_likerts, allowed_overalls, blank_overalls, deciding
from adjudge.protocols.review.rules import review

# One table for each set of allowed Overalls, and a second one with one minor issue.
ISSUES = [
    {}, {"truthfulness": 2}, {"style_clarity": 2}, {"truthfulness": 2, "verbosity": 1}, {"harmlessness": 1},
    {"truthfulness": 1, "verbosity": -2},
]  # fmt: skip


def distance(a, b, likert):
    return min(abs(value - likert) for value in allowed_likerts(RUBRIC, a, b))


def test_over_all_pairs_of_tables_of_overalls_and_of_likerts():
    for first, second in product(ISSUES, repeat=2):
        values = {"A": {**BEST, **first}, "B": {**BEST, **second}}
        allowed = {
            label: allowed_overalls(RUBRIC, own, unusable=True, still_good=True) for label, own in values.items()
        }
        for (a, b), blank, likert in product(
            product(allowed["A"], allowed["B"]), (["A"], ["B"], ["A", "B"]), range(1, 8)
        ):
            tables = {"A": {**values["A"], "overall_quality": a}, "B": {**values["B"], "overall_quality": b}}
            chosen = blank_overalls(RUBRIC, tables, blank, likert)
            assert set(chosen) == set(blank)
            assert all(value in allowed[label] for label, value in chosen.items())
            alike = len(blank) == 2 and deciding(RUBRIC, tables["A"], tables["B"]) is None
            options = [
                {label: value for label, value in zip("AB", pair, strict=True) if label in blank}
                for pair in product(allowed["A"], allowed["B"])
                if pair[0] == pair[1] or not alike
            ]

            def reached(overalls, tables=tables, likert=likert):
                now = {
                    label: {**own, "overall_quality": overalls.get(label, own["overall_quality"])}
                    for label, own in tables.items()
                }
                return distance(now["A"], now["B"], likert)

            assert reached(chosen) == min(map(reached, options))
            if not alike and reached({}) == reached(chosen):
                assert chosen == {label: tables[label]["overall_quality"] for label in blank}  # nothing moves in vain


async def test_a_blank_beside_a_kept_overall_does_not_turn_the_preference():
    for kept, entered, likert, blank in product("AB", "45", ["", *"12345678"], ["", "good"]):
        given = {"A": {"overall_quality": Original(entered)}, "B": {"overall_quality": Original(entered)}}
        given["B" if kept == "A" else "A"] = {"overall_quality": Original(blank)} if blank else {}
        case = Review(
            CASE.prompt, CASE.a, CASE.b, ratings_a=given["A"], ratings_b=given["B"], preference=Original(likert)
        )
        verdict = await review(case, EmbeddedJudge(), RUBRIC)
        assert verdict.table(kept)["overall_quality"].value == int(entered)
        # All dimensions are equal, so the Likerts within reach are 4, and 3 or 5 by which Overall is 5.
        other = 3 if (kept == "A") == (entered == "5") else 5
        wanted = int(likert) if likert and likert != "8" else 4
        reached = min((4, other), key=lambda value, wanted=wanted: abs(value - wanted))
        assert verdict.likert.value == reached, (kept, entered, likert, blank)


async def test_a_blank_overall_beside_a_five_and_a_likert_of_six_make_five_and_four():
    best = {key: Original(str(value)) for key, value in BEST.items()}
    blank = {key: value for key, value in best.items() if key != "overall_quality"}
    case = Review(CASE.prompt, CASE.a, CASE.b, ratings_a=best, ratings_b=blank, preference=Original("6"))
    verdict = await review(case, EmbeddedJudge(), RUBRIC)
    assert [verdict.table(label)["overall_quality"].value for label in "AB"] == [5, 5]
    assert verdict.likert.value == 4
