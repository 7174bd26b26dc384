"""A jury settles scores by its named rule, preferences by majority, and needs more than half of its members."""

import asyncio
import itertools
from decimal import Decimal
from fractions import Fraction
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.judges.jury import VOTE_RULES, Jury, majority
from adjudge.models.common import Call, Failure, Usage
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion, ResearchQuestion
from adjudge.protocols.compare.verdict import ComparisonOpinion, Evidence, Research, Score
from adjudge.protocols.dialogue.case import Dialogue, Turn
from adjudge.protocols.dialogue.questions import CriticizeQuestion, EvaluateQuestion
from adjudge.protocols.dialogue.verdict import Critique, Evaluation, Mark, Objection, Utterance
from adjudge.protocols.rubrics import shipped

CASE = Comparison("t", "x", "y")
KEYS = [criterion.key for criterion in shipped("compare").criteria]
TALK, TALKED = Dialogue(1, (Turn("SYSTEM", "hello there", 1), Turn("USER", "hi", 2))), shipped("dialogue")


def score_of(value, justification="j", assessed=True):
    return Score(value=Decimal(value), justification=justification, assessed=assessed)


def opinion(name, a, b, preference):
    call = Call(key=name, purpose="opinion", model=name, usage=Usage(input_tokens=3, output_tokens=2))
    scores = {"A": score_of(a, f"{name} on A"), "B": score_of(b, f"{name} on B")}
    return ComparisonOpinion(
        judge=name, order="ab", scores=dict.fromkeys(KEYS, scores), evidence=(), preference=preference,
        summaries={"A": f"{name} A", "B": f"{name} B"}, rationale=name, calls=(call,),
    )  # fmt: skip


FAILED = Failure(reason="timeout", message="slow", judge="z")


class Member:
    def __init__(self, answer):
        self.answer, self.name = answer, answer.judge

    async def opine(self, question):
        return self.answer

    async def close(self):
        pass


def ask(rule, *answers, question=None, weights=()):
    jury = Jury("jury:…", tuple(map(Member, answers)), rule, tuple(map(Fraction, weights)))
    return asyncio.run(jury.opine(question or CompareQuestion(CASE, shipped("compare"), "ab")))


def test_the_median_of_three_is_the_middle_one_with_that_members_words():
    settled = ask("median", opinion("x", 2, 9, "B"), opinion("y", 7, 5, "A"), opinion("z", 8, 4, "A"))
    score = settled.scores["clarity_structure"]
    assert (score["A"].value, score["A"].justification) == (Decimal(7), "y on A")
    assert (score["B"].value, score["B"].justification) == (Decimal(5), "y on B")
    assert settled.preference == "A"
    assert len(settled.calls) == len(settled.members) == 3


def test_the_mean_of_three_is_exact_behind_what_is_shown():
    settled = ask("mean", opinion("x", 7, 1, "A"), opinion("y", 7, 1, "A"), opinion("z", 8, 1, "A"))
    score = settled.scores["clarity_structure"]["A"]
    assert (score.value, score.exactly) == (Decimal("7.3333"), Fraction(22, 3))


# -- majority and weights ---------------------------------------------------------------------------------------------


def votes_of(values, weights=None):
    weights = weights or [1] * len(values)
    return [(Decimal(value), Fraction(weight)) for value, weight in zip(values, weights, strict=True)]


def test_the_majority_of_three_scores_is_the_one_given_twice_else_the_middle_one():
    for values in itertools.product(range(1, 11), repeat=3):
        expected = next((value for value in values if values.count(value) > 1), sorted(values)[1])
        assert VOTE_RULES["majority"](votes_of(values)) == expected


def test_scores_that_tie_for_the_majority_are_settled_by_their_median_alone():
    for values in itertools.product(range(1, 6), repeat=4):
        most = max(map(values.count, values))
        tied = {value for value in values if values.count(value) == most}
        assert VOTE_RULES["majority"](votes_of(values)) == Fraction(median(tied))
    assert VOTE_RULES["majority"](votes_of([2, 2, 9, 9, 5])) == Fraction(11, 2)


@settings(max_examples=12)
@given(st.lists(st.tuples(st.integers(1, 10), st.integers(1, 10)), min_size=2, max_size=5), st.randoms())
def test_the_order_of_the_members_does_not_matter(members, draw):
    mixed = list(members)
    draw.shuffle(mixed)
    for rule in VOTE_RULES:
        settled, again = (
            ask(rule, *(opinion("m", a, b, "tie") for a, b in order), weights=[a + b for a, b in order]).scores[KEYS[0]]
            for order in (members, mixed)
        )
        assert [settled[label].exactly for label in "AB"] == [again[label].exactly for label in "AB"]


@settings(max_examples=12)
@given(
    st.lists(st.tuples(st.integers(1, 10), st.sampled_from(["A", "B", "tie"])), min_size=2, max_size=5),
    st.fractions(min_value="1/1000", max_value=1000),
)
def test_equal_weights_are_the_mean(members, weight):
    answers = [opinion("m", score, 5, preference) for score, preference in members]
    weighed, mean = ask("weighted", *answers, weights=[weight] * len(answers)), ask("mean", *answers)
    assert (weighed.scores, weighed.preference) == (mean.scores, mean.preference)


@given(st.lists(st.tuples(st.integers(1, 10), st.integers(0, 5)), min_size=1, max_size=5))
def test_a_whole_weight_counts_as_so_many_members(members):
    seats = [score for score, weight in members for _ in range(weight)]
    present = [(score, weight) for score, weight in members if weight]
    if seats:
        weighed = VOTE_RULES["weighted"](votes_of(*map(list, zip(*present, strict=True))))
        assert weighed == VOTE_RULES["mean"](votes_of(seats))


def test_a_weighted_jury_is_exact_and_prefers_what_more_than_half_of_the_weight_prefers():
    answers = opinion("x", 1, 9, "B"), opinion("y", 8, 4, "A"), opinion("z", 8, 4, "A")
    settled = ask("weighted", *answers, weights=["0.7", "0.1", "0.1"])
    assert settled.preference == "B"
    assert settled.scores[KEYS[0]]["A"].exactly == Fraction(23, 9)  # (0.7 × 1 + 0.1 × 8 + 0.1 × 8) / 0.9
    assert ask("weighted", *answers, weights=["0.2", "0.1", "0.1"]).preference == "tie"  # half is not more than half


def test_a_member_that_failed_takes_its_weight_with_it():
    settled = ask("weighted", FAILED, opinion("x", 2, 4, "A"), opinion("y", 6, 4, "A"), weights=[100, 1, 3])
    assert settled.scores[KEYS[0]]["A"].exactly == 5


DEPTH = "depth_coverage_usefulness"


def with_scores(first, second):
    """An opinion whose two heaviest criteria have these scores (A, B); all others are equal."""
    told = opinion("m", 5, 5, "tie")
    correct, depth = (dict(zip("AB", map(score_of, pair), strict=True)) for pair in (first, second))
    return told.updated(scores={**told.scores, "correctness_reasoning": correct, DEPTH: depth})


def side_of(told):
    """1 for A, -1 for B."""
    weights = shipped("compare").weights
    sides = (Fraction(weights[key]) * (Fraction(by["A"].exactly) - by["B"].exactly) for key, by in told.scores.items())
    total = sum(sides)
    return (total > 0) - (total < 0)


def test_the_majoritys_scores_name_the_side_that_most_members_name():
    # Criterion by criterion it may be another: two members name A for different reasons, and the median says B.
    choices = [with_scores(first, second) for first in ((9, 5), (5, 8), (5, 5)) for second in ((9, 5), (5, 9), (5, 5))]
    for members in itertools.combinations_with_replacement(choices, 3):  # their order does not matter
        sides = [side_of(member) for member in members]
        most = {side for side in sides if sides.count(side) == max(map(sides.count, sides))}
        if len(most) == 1:
            assert side_of(ask("majority", *members)) == most.pop()


def test_by_majority_the_side_wins_that_most_name_although_the_median_of_the_scores_names_the_other():
    members = [with_scores((9, 5), (5, 8)), with_scores((5, 5), (6, 5)), with_scores((5, 5), (5, 6))]
    assert (side_of(ask("majority", *members)), side_of(ask("median", *members))) == (1, -1)


def test_what_a_member_cannot_tell_does_not_turn_the_majoritys_vote():
    blind = with_scores((6, 5), (5, 5))
    blind = blind.updated(scores={**blind.scores, DEPTH: dict.fromkeys("AB", score_of(5, "", assessed=False))})
    members = [with_scores((9, 5), (5, 9)), blind, with_scores((5, 6), (5, 5))]
    assert [side_of(member) for member in members] == [1, 1, -1]
    assert side_of(ask("majority", *members)) == 1


def evaluation(name, value, assessed=True):
    mark = Mark(value=Decimal(value), reason="reason", quotes=(), assessed=assessed)
    return Evaluation(judge=name, marks=dict.fromkeys(TALKED.weights, mark))


def test_every_members_scores_stay_with_a_dialogues_marks():
    members = evaluation("x", 100), evaluation("y", 60), evaluation("z", 20, assessed=False)
    settled = ask("majority", *members, question=EvaluateQuestion(TALK, TALKED))
    assert settled.marks["Fluency"].value == 80  # z cannot tell; 100 and 60 tie
    assert [(own.judge, own.scores["Fluency"]) for own in settled.members] == [("x", 100), ("y", 60), ("z", None)]


# -- words and quorum -------------------------------------------------------------------------------------------------


def test_no_members_reason_stands_for_a_preference_that_no_member_has():
    settled = ask("median", opinion("x", 7, 1, "A"), opinion("y", 1, 7, "B"))
    assert settled.preference == "tie"
    assert settled.rationale == "The members of the jury do not prefer the same response."


def test_what_one_member_did_not_quote_is_not_missing_if_another_did():
    quote = Evidence(answer="A", impact="favorable", quote="x", rationale="r", start=0, end=1, criterion=KEYS[0])
    gaps = ((KEYS[0], "A"), (KEYS[1], "A"))
    settled = ask(
        "median", opinion("x", 7, 1, "A").updated(unquoted=gaps), opinion("y", 7, 1, "A").updated(evidence=(quote,))
    )
    assert (settled.unquoted, settled.evidence) == (gaps, (quote,))


def test_majority_over_every_vote_of_three():
    for votes in itertools.product(("A", "B", "tie"), repeat=3):
        most = max(set(votes), key=votes.count)
        assert majority([(vote, 1) for vote in votes]) == (most if votes.count(most) >= 2 else "tie")
    assert majority([("A", 1), ("A", 1), ("B", 1), ("B", 1)]) == "tie"


def test_one_failed_member_of_three_is_a_warning():
    settled = ask("median", opinion("x", 6, 4, "A"), opinion("y", 8, 4, "A"), FAILED)
    assert settled.scores["clarity_structure"]["A"].value == Decimal(7)
    assert [warning.code for warning in settled.warnings] == ["jury_member_failed"]


@pytest.mark.parametrize(("members", "failures"), [(2, 1), (3, 2), (4, 2)])
def test_half_a_jury_or_less_is_a_failure_that_names_every_reason_and_keeps_every_call(members, failures):
    answers = [opinion(f"o{n}", 6, 4, "A") for n in range(members - failures)]
    failed = ask("median", *answers, *(FAILED.updated(judge=f"f{n}") for n in range(failures)))
    assert failed.reason == "no_quorum"
    assert failed.message.count("timeout: slow") == failures
    assert len(failed.calls) == members - failures


def test_a_jurys_searches_take_every_members_first_wish_before_anybodys_second():
    queries = {"x": ("one", "two", "three"), "y": ("eins", "one", "drei")}
    wishes = [Research(judge=name, queries=wanted) for name, wanted in queries.items()]
    settled = ask("median", *wishes, question=ResearchQuestion(CASE))
    assert settled.queries == ("one", "eins", "two", "three")


REAL = (Utterance(speaker="SYSTEM", quote="hello there", turn=0, line=1, start=0, end=11),)


def critique_of(*members):
    """What a jury says if its members object so: comment, suggested score, whether it contradicts, quotes."""
    critiques = []
    for comment, suggested, contradicts, quotes in members:
        entry = Objection(
            agree=False, comment=comment, suggested=Decimal(suggested), contradicts=contradicts, quotes=quotes,
            wanted_quote=True,
        )  # fmt: skip
        critiques.append(Critique(judge=f"m{len(critiques)}", entries=dict.fromkeys(TALKED.weights, entry)))
    question = CriticizeQuestion(TALK, TALKED, evaluation("e", 80))
    return ask("median", *critiques, question=question).entries["TaskSuccess"]


def test_a_jury_critic_contradicts_only_with_quotes_that_are_real_and_speaks_with_one_voice():
    settled = critique_of(
        ("Catastrophe.", 20, True, ()), ("A shade.", 60, True, ()), ("Adds a shade.", 60, False, REAL)
    )
    assert (settled.suggested, settled.contradicts) == (Decimal(60), False)
    assert (settled.comment, settled.quotes) == ("Adds a shade.", REAL)


def test_a_jury_critic_whose_members_cancel_out_agrees():
    settled = critique_of(("Too high.", 60, True, REAL), ("Too low.", 100, True, REAL))
    assert (settled.agree, settled.suggested) == (True, None)
    assert "high" not in settled.comment
