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
from adjudge.protocols.rubrics import shipped

CASE = Comparison("t", "x", "y")
KEYS = [criterion.key for criterion in shipped("compare").criteria]


def opinion(name, a, b, preference):
    return ComparisonOpinion(
        judge=name,
        order="ab",
        scores={
            key: {
                "A": Score(value=Decimal(a), justification=f"{name} on A"),
                "B": Score(value=Decimal(b), justification=f"{name} on B"),
            }
            for key in KEYS
        },
        evidence=(),
        summaries={"A": f"{name} A", "B": f"{name} B"},
        preference=preference,
        rationale=name,
        calls=(Call(key=name, purpose="opinion", model=name, usage=Usage(input_tokens=3, output_tokens=2)),),
    )


class Member:
    def __init__(self, answer):
        self.answer = answer
        self.name = answer.judge

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
    return [
        (Decimal(value), Fraction(weight)) for value, weight in zip(values, weights or [1] * len(values), strict=True)
    ]


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


@settings(max_examples=25)
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


@settings(max_examples=25)
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
    failed = Failure(reason="timeout", message="slow", judge="z")
    settled = ask("weighted", failed, opinion("x", 2, 4, "A"), opinion("y", 6, 4, "A"), weights=[100, 1, 3])
    assert settled.scores[KEYS[0]]["A"].exactly == 5


def signs(values):
    return (values[0] > values[1]) - (values[0] < values[1])


def with_scores(first, second):
    """An opinion whose two heaviest criteria have these scores (A, B); all others are equal."""
    told = opinion("m", 5, 5, "tie")
    pairs = zip(("correctness_reasoning", "depth_coverage_usefulness"), (first, second), strict=True)
    scores = {
        key: {label: Score(value=Decimal(value), justification="j") for label, value in zip("AB", pair, strict=True)}
        for key, pair in pairs
    }
    return told.updated(scores={**told.scores, **scores})


def apart(told):
    weights = shipped("compare").weights
    sides = ((key, Fraction(by["A"].exactly), Fraction(by["B"].exactly)) for key, by in told.scores.items())
    return sum(Fraction(weights[key]) * (a - b) for key, a, b in sides)


def test_the_majoritys_scores_name_the_side_that_most_members_name():
    # Criterion by criterion it may be another: two members name A for different reasons, and the median says B.
    choices = [with_scores(first, second) for first in ((9, 5), (5, 8), (5, 5)) for second in ((9, 5), (5, 9), (5, 5))]
    for members in itertools.combinations_with_replacement(choices, 3):  # their order does not matter
        sides = [signs((apart(member), 0)) for member in members]
        most = {side for side in sides if sides.count(side) == max(map(sides.count, sides))}
        if len(most) == 1:
            assert signs((apart(ask("majority", *members)), 0)) == most.pop()


def test_by_majority_the_side_wins_that_most_name_although_the_median_of_the_scores_names_the_other():
    members = [with_scores((9, 5), (5, 8)), with_scores((5, 5), (6, 5)), with_scores((5, 5), (5, 6))]
    assert apart(ask("majority", *members)) > 0
    assert apart(ask("median", *members)) < 0


def test_what_a_member_cannot_tell_does_not_turn_the_majoritys_vote():
    blind = with_scores((6, 5), (5, 5))
    blind = blind.updated(
        scores={
            **blind.scores,
            "depth_coverage_usefulness": {label: Score(value=5, justification="", assessed=False) for label in "AB"},
        }
    )
    members = [with_scores((9, 5), (5, 9)), blind, with_scores((5, 6), (5, 5))]
    assert [signs((apart(member), 0)) for member in members] == [1, 1, -1]
    assert apart(ask("majority", *members)) > 0


def test_every_members_scores_stay_with_a_dialogues_marks():
    from adjudge.protocols.dialogue.case import Dialogue, Turn
    from adjudge.protocols.dialogue.questions import EvaluateQuestion
    from adjudge.protocols.dialogue.verdict import Evaluation, Mark

    rubric = shipped("dialogue")
    case = Dialogue(1, (Turn("SYSTEM", "hello there", 1), Turn("USER", "hi", 2)))

    def evaluation(name, value, assessed=True):
        mark = Mark(value=Decimal(value), reason="reason", quotes=(), assessed=assessed)
        return Evaluation(judge=name, marks=dict.fromkeys(rubric.weights, mark))

    members = evaluation("x", 100), evaluation("y", 60), evaluation("z", 20, assessed=False)
    settled = ask("majority", *members, question=EvaluateQuestion(case, rubric))
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


def test_two_against_two_is_a_tie():
    assert majority([("A", 1), ("A", 1), ("B", 1), ("B", 1)]) == "tie"


def test_one_failed_member_of_three_is_a_warning():
    failed = Failure(reason="timeout", message="slow", judge="z")
    settled = ask("median", opinion("x", 6, 4, "A"), opinion("y", 8, 4, "A"), failed)
    assert settled.scores["clarity_structure"]["A"].value == Decimal(7)
    assert [warning.code for warning in settled.warnings] == ["jury_member_failed"]


@pytest.mark.parametrize(("members", "failures"), [(2, 1), (3, 2), (4, 2)])
def test_half_a_jury_or_less_is_a_failure_that_names_every_reason_and_keeps_every_call(members, failures):
    answers = [opinion(f"o{n}", 6, 4, "A") for n in range(members - failures)]
    answers += [Failure(reason="timeout", message="slow", judge=f"f{n}") for n in range(failures)]
    failed = ask("median", *answers)
    assert isinstance(failed, Failure)
    assert failed.reason == "no_quorum"
    assert failed.message.count("timeout: slow") == failures
    assert len(failed.calls) == members - failures


def test_a_jurys_searches_take_every_members_first_wish_before_anybodys_second():
    wishes = [
        Research(judge="x", queries=("one", "two", "three")),
        Research(judge="y", queries=("eins", "one", "drei")),
    ]
    settled = ask("median", *wishes, question=ResearchQuestion(CASE))
    assert settled.queries == ("one", "eins", "two", "three")


def critique_of(*members):
    from adjudge.protocols.dialogue.case import Dialogue, Turn
    from adjudge.protocols.dialogue.questions import CriticizeQuestion
    from adjudge.protocols.dialogue.verdict import Critique, Evaluation, Mark

    rubric = shipped("dialogue")
    keys = list(rubric.weights)
    case = Dialogue(1, (Turn("SYSTEM", "hello there", 1), Turn("USER", "hi", 2)))
    marks = dict.fromkeys(keys, Mark(value=Decimal(80), reason="reason", quotes=()))
    question = CriticizeQuestion(case, rubric, Evaluation(judge="e", marks=marks))
    critiques = [Critique(judge=f"m{at}", entries=dict.fromkeys(keys, member)) for at, member in enumerate(members)]
    return ask("median", *critiques, question=question).entries["TaskSuccess"]


def test_a_jury_critic_contradicts_only_with_quotes_that_are_real_and_speaks_with_one_voice():
    from adjudge.protocols.dialogue.verdict import Objection, Utterance

    real = (Utterance(speaker="SYSTEM", quote="hello there", turn=0, line=1, start=0, end=11),)
    settled = critique_of(
        Objection(
            agree=False, comment="Catastrophe.", suggested=Decimal(20), contradicts=True, quotes=(), wanted_quote=True
        ),
        Objection(
            agree=False, comment="A shade.", suggested=Decimal(60), contradicts=True, quotes=(), wanted_quote=True
        ),
        Objection(
            agree=False,
            comment="Adds a shade.",
            suggested=Decimal(60),
            contradicts=False,
            quotes=real,
            wanted_quote=True,
        ),
    )
    assert (settled.suggested, settled.contradicts) == (Decimal(60), False)
    assert (settled.comment, settled.quotes) == ("Adds a shade.", real)


def test_a_jury_critic_whose_members_cancel_out_agrees():
    from adjudge.protocols.dialogue.verdict import Objection, Utterance

    real = (Utterance(speaker="SYSTEM", quote="hello there", turn=0, line=1, start=0, end=11),)
    settled = critique_of(
        Objection(
            agree=False, comment="Too high.", suggested=Decimal(60), contradicts=True, quotes=real, wanted_quote=True
        ),
        Objection(
            agree=False, comment="Too low.", suggested=Decimal(100), contradicts=True, quotes=real, wanted_quote=True
        ),
    )
    assert (settled.agree, settled.suggested) == (True, None)
    assert "high" not in settled.comment
