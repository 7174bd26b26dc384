"""Juries of two, three and four: votes, levels, and the member with the median share."""

from fractions import Fraction
from itertools import product

from protocols.grade.judging import (
    CHECK,
    CITY,
    FOUNDED,
    IN_SOURCE,
    PEOPLE,
    SENTENCES,
    answers,
    claim,
    demand,
    jury_graded,
    point,
    rubric_of,
)  # fmt: skip
from protocols.grade.verdicts import case

from adjudge.protocols.grade.jury import settled
from adjudge.protocols.grade.questions import ItemFinding

ASK = ("x", 1, 'ask: "Q?"')
YES, NO, NOT, UNPROVEN = answers("yes", CITY), answers("no"), answers("not_applicable"), answers("yes", "Not there.")


async def result_of(provider, journal, item, *said, **options):
    replies = [{"x": one} for one in said]
    verdict = await jury_graded(provider, journal, case(), rubric_of(item, CHECK), *replies, **options)
    return verdict.items[0]


VOTES = [
    ((YES, YES), "yes"),
    ((YES, NO), "no"),  # half is not more than half
    ((YES, YES, NO), "yes"),
    ((YES, NO, NO), "no"),
    ((YES, NO, NOT), "no"),
    ((NOT, NOT, YES), "not_applicable"),
    ((YES, UNPROVEN, NO), "no"),  # an unproven yes is a no
    ((YES, UNPROVEN), "unproven"),
    ((YES, YES, UNPROVEN), "yes"),
    ((YES, YES, NO, NO), "no"),
    ((YES, YES, YES, NO), "yes"),
    ((NOT, NOT, YES, YES), "no"),
]
STRICT_VOTES = [
    ((UNPROVEN, UNPROVEN, NO), "unassessed"),  # both could have been a yes
    ((UNPROVEN, NO, NO), "no"),
    ((YES, YES, UNPROVEN), "yes"),
    ((YES, UNPROVEN, NO), "unassessed"),
    ((UNPROVEN, NO), "no"),  # one of two is not more than half
]


async def test_yes_and_not_applicable_need_more_than_half_of_the_votes_given(provider, journal):
    for said, result in VOTES:
        item = await result_of(provider, journal, ASK, *said)
        assert (item.result, len(item.members)) == (result, len(said)), said
        assert item.share == {"yes": 1, "not_applicable": None}.get(result, 0)


async def test_a_required_fault_is_unassessed_if_unassessed_votes_could_turn_it(provider, journal):
    for said, result in STRICT_VOTES:
        item = await result_of(provider, journal, ("x", -1, 'required: true, ask: "Q?"'), *said)
        assert item.result == result, said
        assert (item.met is None) == (result == "unassessed")


def test_votes_over_their_whole_space():
    """All votes of up to four members on a question, a fault and a required fault, counted here independently."""
    words = ("yes", "no", "not_applicable", "unproven", "unassessed")
    for size in (2, 3, 4):
        for fault, required in ((False, False), (True, False), (True, True)):
            rest = f'{"required: true, " if required else ""}ask: "Q?"'
            item = rubric_of(("x", -1 if fault else 1, rest), CHECK).criteria[0]
            for states in product(words, repeat=size):
                if required and "not_applicable" in states:
                    continue
                found = settled(item, [ItemFinding(state=state) for state in states]).state
                yes, nos = states.count("yes"), states.count("no")
                if required:
                    unknown = states.count("unproven") + states.count("unassessed")
                    if nos + yes == 0 or (2 * yes > size) != (2 * (yes + unknown) > size):
                        assert found in ("unassessed", "unproven"), states
                        continue
                    assert found == ("yes" if 2 * yes > size else "no"), states
                    continue
                given = size - states.count("unassessed")
                if not given:
                    assert found == "unassessed"
                elif 2 * yes > given:
                    assert found == "yes", states
                elif 2 * states.count("not_applicable") > given:
                    assert found == "not_applicable", states
                else:
                    assert found in ("no", "unproven"), states


async def test_levels_are_combined_by_the_jurys_rule_and_exactly(provider, journal):
    scale = ("x", 1, 'ask: "Q?", scale: {1: a, 2: b, 5: e}')
    for levels, rule, level, share in (
        ((1, 2), "median", "3/2", "1/8"),
        ((1, 2, 5), "median", "2", "1/4"),
        ((1, 2, 2), "mean", "5/3", "1/6"),
        ((1, 2, 5, 5), "median", "7/2", "5/8"),
        ((1, 5, 5), "majority", "5", "1"),
    ):
        item = await result_of(provider, journal, scale, *(answers(one, CITY) for one in levels), rule=rule)
        assert (item.result, item.share) == (level, Fraction(share)), levels


def listed(supported, of):
    quotes = (CITY, PEOPLE, FOUNDED)[:of]
    return [claim(quote, "supported" if at < supported else "not_found", IN_SOURCE) for at, quote in enumerate(quotes)]


DROPPED = [claim("This is not there at all.", "supported", IN_SOURCE)]


SHARES = [
    ((listed(1, 1), listed(0, 3)), "0/3", 1),  # the lower of the middle two
    ((listed(3, 3), listed(1, 3), listed(0, 3)), "1/3", 1),
    ((listed(1, 1), listed(3, 3), listed(2, 3)), "1/1", 0),  # equal shares: the first named
    ((listed(1, 1), listed(2, 3), listed(1, 3), listed(0, 1)), "1/3", 2),
    ((listed(2, 3), [], listed(1, 3)), "1/3", 2),
    ((listed(2, 3), []), "not_applicable", None),  # half have none
    ((listed(2, 3), DROPPED), "unassessed", None),
    (([], [], listed(2, 3)), "not_applicable", None),
    (([], DROPPED, listed(2, 3)), "unassessed", None),
    ((listed(1, 3), listed(2, 3), [], []), "not_applicable", None),
]


async def test_the_member_with_the_median_share_is_shown_and_counts(provider, journal):
    for said, result, shown in SHARES:
        item = await result_of(provider, journal, ("x", 3, "claims: context"), *said)
        assert item.result == result, said
        assert len(item.claims) == (0 if shown is None else len(said[shown]))
    both = [point("Oslo is the capital.", "covered", CITY), point("It has about", "missing")]
    covers = await result_of(provider, journal, ("x", 3, "covers: reference"), both[:1], both, both[:1])
    assert covers.result == "1/1"


async def test_constraints_too_go_by_the_median_share_and_not_by_the_majority_of_lists(provider, journal):
    demands, missed = ("x", 3, "constraints: task"), demand("at most 2", "words", 2, "at_most")
    item = await result_of(provider, journal, demands, {}, {}, {}, demands=[[SENTENCES], [missed], [missed]])
    assert (item.result, [member.result for member in item.members]) == ("0/1", ["1/1", "0/1", "0/1"])
    item = await result_of(provider, journal, demands, {}, {}, {}, demands=[[SENTENCES], [], []])
    assert item.result == "not_applicable"
