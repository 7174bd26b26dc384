"""A rubric of every kind, in each situation that a case or a judge may bring about, by one judge and by juries."""

from fractions import Fraction

import pytest
from protocols.grade.judging import (
    CITY,
    PEOPLE,
    SENTENCES,
    answers,
    claim,
    demand,
    jury_graded,
    point,
    rubric_of,
    shown,
)  # fmt: skip
from protocols.grade.verdicts import case

from adjudge.models.common import Failure

FORGED = "This is in none of the texts."
RUBRIC = rubric_of(
    ("ask", 2, 'ask: "Q?"'),
    ("fault", -1, 'ask: "Q?"'),
    ("strict", -1, 'required: true, ask: "Q?"'),
    ("scale", 1, 'ask: "Q?", scale: {1: a, 3: b, 5: c}'),
    ("claims", 3, "claims: context"),
    ("both", 1, "claims: both"),
    ("covers", 3, "covers: reference"),
    ("demands", 2, "constraints: task"),
    ("check", 4, "check: {contains: Oslo}"),
)
POINTS = {"ask": 2, "scale": 1, "claims": 3, "both": 1, "covers": 3, "demands": 2, "check": 4}
GOOD = {
    "ask": answers("yes", CITY), "fault": answers("no"), "strict": answers("no"), "scale": answers(3, CITY),
    "claims": [claim(CITY, "supported", "Oslo is the capital"), claim(PEOPLE, "not_found")],
    "both": [claim(CITY, "supported", "Oslo is the capital")],
    "covers": [point("Oslo is the capital.", "covered", CITY), point("about 720,000", "missing")],
}  # fmt: skip
DEMANDS = [SENTENCES]
RESULTS = {
    "ask": "yes", "fault": "no", "strict": "no", "scale": "3", "claims": "1/2", "both": "1/1", "covers": "1/2",
    "demands": "1/1", "check": "yes",
}  # fmt: skip
FORGERY = {
    **GOOD, "ask": answers("yes", FORGED), "fault": answers("yes", FORGED), "strict": answers("yes", FORGED),
    "scale": answers(3, FORGED), "claims": [claim(FORGED, "supported", FORGED)],
    "both": [claim(CITY, "supported", FORGED)], "covers": [point(FORGED, "covered", CITY)],
}  # fmt: skip
SITUATIONS = {
    "all good": ({}, GOOD, DEMANDS, RESULTS),
    "no source": (
        {"context": None, "reference": None}, GOOD, DEMANDS,
        {**RESULTS, **dict.fromkeys(("claims", "both", "covers"), "not_applicable")},
    ),
    "no context": ({"context": None}, {**GOOD, "both": [claim(CITY, "supported", "Oslo is the capital.")]}, DEMANDS,
        {**RESULTS, "claims": "not_applicable"}),
    "nothing listed": (
        {}, {**GOOD, "claims": [], "both": [], "covers": []}, [],
        {**RESULTS, **dict.fromkeys(("claims", "both", "covers", "demands"), "not_applicable")},
    ),
    "all dropped or unproven": (
        {}, FORGERY, [demand(FORGED, "list")],
        {
            **RESULTS, "ask": "unproven", "fault": "unproven", "strict": "unassessed", "claims": "unassessed",
            "both": "0/1", "covers": "unassessed", "demands": "unassessed",
        },
    ),
}  # fmt: skip
WORTH = {"yes": 1, "no": 0, "unproven": 0, "3": Fraction(1, 2)}


@pytest.mark.parametrize("situation", SITUATIONS)
async def test_every_kind_in_every_situation(provider, journal, situation):
    given, said, demands, results = SITUATIONS[situation]
    shares = {key: WORTH.get(word, word) for key, word in results.items() if word in WORTH or "/" in word}
    points = {key: POINTS[key] for key in shares if key in POINTS}
    earned = sum(Fraction(shares[key]) * worth for key, worth in points.items())
    unknown = [key for key, word in results.items() if word == "unassessed"]
    for members in (1, 2, 3, 4):
        verdict = await jury_graded(
            provider, journal, case(**given), RUBRIC, *[said] * members, demands=[demands] * members
        )
        assert shown(verdict) == results
        assert verdict.score_exact == earned / sum(points.values())
        assert [item.key for item in verdict.items if item.applicable and not item.assessed] == unknown
        assert verdict.decided == (not unknown)
        assert all(len(item.members) == members for item in verdict.items if item.kind != "check" and item.members)


async def test_an_empty_answer_fails_with_every_kind_and_any_jury(provider, journal):
    for members in (1, 2, 3, 4):
        verdict = await jury_graded(provider, journal, case(answer="\n"), RUBRIC, *[GOOD] * members)
        assert (verdict.score_exact, verdict.passed, verdict.decided, provider.calls) == (0, False, True, 0)


async def test_a_jury_whose_members_all_fail_fails(provider, journal):
    bad = {**GOOD, "ask": answers("perhaps")}
    outcome = await jury_graded(provider, journal, case(), RUBRIC, bad, bad, demands=[DEMANDS] * 2)
    assert isinstance(outcome, Failure)
    assert outcome.reason == "no_quorum"
