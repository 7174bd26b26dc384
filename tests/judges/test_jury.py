"""A jury settles scores by its named rule, preferences by majority, and needs more than half of its members."""

import asyncio
import itertools
from decimal import Decimal
from fractions import Fraction

import pytest

from adjudge.judges.base import CompareQuestion, ResearchQuestion
from adjudge.judges.jury import Jury, majority
from adjudge.models import Call, ComparisonOpinion, Evidence, Failure, Research, Score, Usage
from adjudge.models.cases import Comparison
from adjudge.rubric import shipped

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


def ask(rule, *answers, question=None):
    jury = Jury("jury:…", tuple(map(Member, answers)), rule)
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
    from adjudge.judges.base import CriticizeQuestion
    from adjudge.models import Critique, Evaluation, Mark
    from adjudge.models.cases import Dialogue, Turn

    rubric = shipped("dialogue")
    keys = list(rubric.weights)
    case = Dialogue(1, (Turn("SYSTEM", "hello there", 1), Turn("USER", "hi", 2)))
    marks = dict.fromkeys(keys, Mark(value=Decimal(80), reason="reason", quotes=()))
    question = CriticizeQuestion(case, rubric, Evaluation(judge="e", marks=marks))
    critiques = [Critique(judge=f"m{at}", entries=dict.fromkeys(keys, member)) for at, member in enumerate(members)]
    return ask("median", *critiques, question=question).entries["TaskSuccess"]


def test_a_jury_critic_contradicts_only_with_quotes_that_are_real_and_speaks_with_one_voice():
    from adjudge.models import Objection, Utterance

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
    from adjudge.models import Objection, Utterance

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
