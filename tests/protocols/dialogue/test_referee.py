"""The Referee's rules and the exact averages, over their whole space where it is finite."""

import itertools
from decimal import Decimal

import pytest
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
    said = Utterance(speaker="SYSTEM", quote="hello", turn=0, line=1, start=0, end=5)
    return Mark(value=Decimal(value), reason=f"reason {value}", quotes=(said,))


def objection(agree=False, suggested: int | None = 60, contradicts=True, quotes=(QUOTE,), wanted=True):
    score = None if suggested is None else Decimal(suggested)
    return Objection(
        agree=agree, comment="comment", suggested=score, contradicts=contradicts, quotes=quotes, wanted_quote=wanted
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


SHADE = objection(contradicts=False)


@pytest.mark.parametrize(("objections", "expected"), [
    ({}, {"Empathy": (80, "keep_agreement")}),
    ({"Empathy": objection()}, {"Empathy": (60, "accept"), "Fluency": (80, "keep_agreement")}),
    ({"Empathy": SHADE}, {"Empathy": (80, "keep_not_contradicted")}),
    ({"Empathy": objection(quotes=())}, {"Empathy": (80, "keep_unverified_quote")}),
    ({"Empathy": objection(quotes=(), wanted=False)}, {"Empathy": (80, "keep_ambiguous")}),
    ({"Empathy": objection(suggested=None)}, {"Empathy": (80, "keep_ambiguous")}),
    ({"Empathy": objection(suggested=55)}, {"Empathy": (80, "keep_ambiguous")}),
    ({"Empathy": objection(suggested=80)}, {"Empathy": (80, "keep_agreement")}),  # the same score
    # three disagreements that all have evidence are all adopted, even without a contradiction
    ({"Empathy": SHADE, "Fluency": SHADE, "Accuracy": SHADE},
     {**dict.fromkeys(KEYS, (80, "keep_agreement")),
      **dict.fromkeys(("Empathy", "Fluency", "Accuracy"), (60, "adopt_all"))}),
    # one of three without evidence stops that
    ({"Empathy": SHADE, "Fluency": objection(), "Accuracy": objection(quotes=())},
     {"Empathy": (80, "keep_not_contradicted"), "Fluency": (60, "accept"), "Accuracy": (80, "keep_unverified_quote")}),
    # a suggestion of the same score does not count towards three
    ({"Empathy": SHADE, "Fluency": SHADE, "Accuracy": objection(suggested=80)},
     {"Empathy": (80, "keep_not_contradicted"), "Fluency": (80, "keep_not_contradicted")}),
])  # fmt: skip
def test_referee_adopts_all_accepts_or_keeps_in_this_order(objections, expected):
    rulings = settled(**objections)
    assert {key: (rulings[key].value, rulings[key].rule) for key in expected} == expected


def test_the_final_words_are_those_of_the_side_that_won_and_the_same_score_suggests_nothing():
    rulings = settled(Empathy=objection())
    assert rulings["Fluency"].justification == 'reason 80 (SYSTEM: "hello").'
    assert rulings["Empathy"].justification == 'comment (USER: "no, I meant Monday").'
    read = normalized(mark(80), objection(suggested=80), RUBRIC.scale)
    assert (read.agree, read.suggested) == (True, None)


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
