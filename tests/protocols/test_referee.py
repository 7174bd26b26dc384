"""The Referee's rules and the exact averages, over their whole space where it is finite."""

import itertools
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from adjudge.arithmetic import weighted_total
from adjudge.protocols.dialogue.referee import has_evidence, normalized, overall_experience, settle
from adjudge.protocols.dialogue.verdict import Mark, Objection, Utterance
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("dialogue")
KEYS = list(RUBRIC.weights)
STEPS = RUBRIC.scale.values
QUOTE = Utterance(speaker="USER", quote="no, I meant Monday", turn=2, line=3, start=0, end=18)


def mark(value=80):
    return Mark(
        value=Decimal(value),
        reason=f"reason {value}",
        quotes=(Utterance(speaker="SYSTEM", quote="hello", turn=0, line=1, start=0, end=5),),
    )


def outcome(ruling):
    return ruling.value, ruling.rule


def objection(agree=False, suggested: int | None = 60, contradicts=True, quotes=(QUOTE,), wanted=True):
    return Objection(
        agree=agree,
        comment="comment",
        suggested=None if suggested is None else Decimal(suggested),
        contradicts=contradicts,
        quotes=quotes,
        wanted_quote=wanted,
    )


AGREED = objection(agree=True, suggested=None, contradicts=False, quotes=(), wanted=False)


def settled(**objections):
    return settle({key: mark() for key in KEYS}, {key: objections.get(key, AGREED) for key in KEYS}, RUBRIC.scale)


def test_all_15625_score_sets_give_the_exact_average_and_bucket():
    cents = {key: int(weight * 100) for key, weight in RUBRIC.weights.items()}
    assert list(cents.values()) == [40, 15, 15, 10, 10, 10]
    count = 0
    for scores in itertools.product((20, 40, 60, 80, 100), repeat=6):
        hundredfold = sum(score * weight for score, weight in zip(scores, cents.values(), strict=True))
        average = weighted_total({key: Decimal(s) for key, s in zip(KEYS, scores, strict=True)}, RUBRIC.weights)
        assert average * 100 == hundredfold
        whole = hundredfold / 100
        bucket = (
            100 if hundredfold == 10000 else 80 if whole >= 80 else 60 if whole >= 60 else 40 if whole >= 40 else 20
        )
        assert overall_experience(average, RUBRIC.scale) == bucket
        count += 1
    assert count == 15625


def test_round_down_at_every_hundredth():
    for hundredth in range(2000, 10001):
        average = Decimal(hundredth) / 100
        expected = next(bucket for bucket in (100, 80, 60, 40, 20) if average >= bucket)
        assert overall_experience(average, RUBRIC.scale) == expected


def test_agreement_keeps_the_evaluators_score_and_words():
    rulings = settled()
    assert {ruling.rule for ruling in rulings.values()} == {"keep_agreement"}
    assert rulings["Empathy"].value == 80
    assert rulings["Empathy"].justification == 'reason 80 (SYSTEM: "hello").'


def test_a_verified_contradiction_is_accepted_with_the_critics_words():
    rulings = settled(Empathy=objection())
    assert (rulings["Empathy"].value, rulings["Empathy"].rule) == (60, "accept")
    assert rulings["Empathy"].justification == 'comment (USER: "no, I meant Monday").'
    assert rulings["Fluency"].rule == "keep_agreement"


def test_a_disagreement_that_does_not_contradict_is_kept_out():
    assert outcome(settled(Empathy=objection(contradicts=False))["Empathy"]) == (80, "keep_not_contradicted")


def test_an_unverified_quote_keeps_the_evaluators_score():
    assert outcome(settled(Empathy=objection(quotes=()))["Empathy"]) == (80, "keep_unverified_quote")


def test_a_disagreement_without_a_quote_or_a_score_is_ambiguous():
    assert outcome(settled(Empathy=objection(quotes=(), wanted=False))["Empathy"]) == (80, "keep_ambiguous")
    assert outcome(settled(Empathy=objection(suggested=None))["Empathy"]) == (80, "keep_ambiguous")
    assert outcome(settled(Empathy=objection(suggested=55))["Empathy"]) == (80, "keep_ambiguous")


def test_the_same_score_is_an_agreement_and_suggests_nothing():
    read = normalized(mark(80), objection(suggested=80), RUBRIC.scale)
    assert (read.agree, read.suggested) == (True, None)
    assert settled(Empathy=objection(suggested=80))["Empathy"].rule == "keep_agreement"


def test_three_disagreements_that_all_have_evidence_are_all_adopted_even_without_contradiction():
    shade = objection(contradicts=False)
    rulings = settled(Empathy=shade, Fluency=shade, Accuracy=shade)
    assert {key for key, ruling in rulings.items() if ruling.rule == "adopt_all"} == {"Empathy", "Fluency", "Accuracy"}
    assert {ruling.value for key, ruling in rulings.items() if key not in ("Empathy", "Fluency", "Accuracy")} == {80}


def test_one_of_three_disagreements_without_evidence_stops_adopting_all():
    rulings = settled(Empathy=objection(contradicts=False), Fluency=objection(), Accuracy=objection(quotes=()))
    assert rulings["Empathy"].rule == "keep_not_contradicted"
    assert rulings["Fluency"].rule == "accept"
    assert rulings["Accuracy"].rule == "keep_unverified_quote"


def test_a_suggestion_of_the_same_score_does_not_count_towards_three():
    rulings = settled(
        Empathy=objection(contradicts=False), Fluency=objection(contradicts=False), Accuracy=objection(suggested=80)
    )
    assert "adopt_all" not in {ruling.rule for ruling in rulings.values()}


objections = st.builds(
    Objection,
    agree=st.booleans(),
    comment=st.text(max_size=5),
    suggested=st.none() | st.sampled_from([*map(int, STEPS), 50]).map(Decimal),
    contradicts=st.booleans(),
    quotes=st.sampled_from([(), (QUOTE,)]),
    wanted_quote=st.booleans(),
)


@given(st.lists(st.sampled_from(STEPS), min_size=6, max_size=6), st.lists(objections, min_size=6, max_size=6))
def test_whatever_the_critic_replies_the_rules_hold(values, replies):
    marks = {key: mark(value) for key, value in zip(KEYS, values, strict=True)}
    entries = dict(zip(KEYS, replies, strict=True))
    read = {key: normalized(marks[key], entries[key], RUBRIC.scale) for key in KEYS}
    rulings = settle(marks, entries, RUBRIC.scale)
    disagreed = [key for key in KEYS if not read[key].agree]
    all_evident = len(disagreed) >= 3 and all(has_evidence(read[key]) for key in disagreed)
    for key in KEYS:
        taken = has_evidence(read[key]) and (all_evident or read[key].contradicts)
        assert rulings[key].value == (read[key].suggested if taken else marks[key].value)
        assert rulings[key].value in STEPS
        assert rulings[key].rule.startswith("keep") is not taken
        assert rulings[key].justification == (read[key].justification if taken else marks[key].justification)
