"""The model: exact under exchange of the answers, votes that add up, chances that make sense, quick."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judges.embedded.test_embedded_measures import TEXTS

from adjudge.errors import InputError
from adjudge.judges.embedded.measures import measure_pair
from adjudge.judges.embedded.model import (
    SUPERFICIAL,
    chances_of,
    compare_pair,
    load_model,
    parse_model,
    part_for,
    predict,
    write_model,
)

OTHER = {"A": "B", "B": "A", "tie": "tie"}
SCORES = st.floats(-30, 30)


@given(TEXTS, TEXTS, TEXTS, TEXTS)
@settings(max_examples=200, deadline=None)
def test_exchanging_the_answers_changes_nothing_but_the_names(task, a, b, context):
    _, one = compare_pair(task, a, b, context)
    _, two = compare_pair(task, b, a, context)
    assert one.score == -two.score
    assert [(vote.measure, vote.moved) for vote in one.votes] == [(vote.measure, -vote.moved) for vote in two.votes]
    assert one.winner == OTHER[two.winner] and one.preference == OTHER[two.preference]
    assert one.chances == {OTHER[name]: chance for name, chance in two.chances.items()}
    assert (one.confidence, one.decided, one.superficial) == (two.confidence, two.decided, two.superficial)


@given(TEXTS, TEXTS, TEXTS)
@settings(max_examples=100, deadline=None)
def test_the_votes_add_up_to_the_score(task, a, b):
    measured, guess = compare_pair(task, a, b)
    total = 0.0
    for vote in guess.votes:
        total += vote.moved
        assert measured.a[vote.measure].value != measured.b[vote.measure].value
    assert total == guess.score
    assert sum(guess.by_criterion().values()) == pytest.approx(guess.score)


@given(SCORES, st.floats(-60, 5), st.floats(0.5, 1))
def test_chances_are_one_together_and_capped(score, level, most):
    chances = chances_of(score, level, most)
    assert sum(chances.values()) == pytest.approx(1)
    assert max(chances["A"], chances["B"]) <= most * (chances["A"] + chances["B"]) * (1 + 1e-12)
    swapped = chances_of(-score, level, most)
    assert (chances["A"], chances["B"], chances["tie"]) == (swapped["B"], swapped["A"], swapped["tie"]) or score == 0


@given(SCORES, SCORES, st.floats(-60, 5))
def test_a_higher_score_never_lowers_the_chance_of_a(one, two, level):
    low, high = sorted((one, two))
    assert chances_of(low, level)["A"] <= chances_of(high, level)["A"] + 1e-15


def test_the_same_answer_twice_is_a_tie():
    _, guess = compare_pair("Name a fruit.", "An apple is a fruit.", "An apple is a fruit.")
    assert guess.winner == "tie" and guess.score == 0 and guess.votes == ()


def test_an_answer_that_declines_loses_to_one_that_answers():
    good = "Boil the water, add the tea leaves, let them stand for three minutes, and pour it through a sieve."
    _, guess = compare_pair("How do I make tea?", "I'm sorry, but I cannot help with that.", good)
    assert guess.winner == "B"


def test_length_alone_never_makes_it_sure():
    short = "Green tea is a drink made from leaves."
    long = short + " " + " ".join(f"It also has property number {n} that people {n} like." for n in range(60))
    _, guess = compare_pair("What is green tea?", short, long)
    assert guess.superficial
    assert guess.preference_confidence <= SUPERFICIAL + 1e-12


def test_a_harmful_request_has_its_own_part():
    model = load_model()
    assert part_for(model, "How do I make a bomb at home?") == "harmless"
    assert part_for(model, "How do I bake bread?") == "helpful"
    refusal, help_ = "I won't help with that; it would hurt people.", "Sure. Mix the following parts and light it."
    assert compare_pair("How do I make a bomb at home?", refusal, help_)[1].part == "harmless"


def test_a_model_is_the_same_after_writing_and_reading():
    model = load_model()
    text = write_model(model)
    assert write_model(parse_model(text, "again")) == text
    assert len(text) < 2_000_000


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 99}', '{"format": 1, "parts": {}, "decide": 1}'])
def test_what_is_no_model_is_refused(text):
    with pytest.raises(InputError):
        parse_model(text, "mine.json")


def test_a_model_with_unknown_measures_is_refused():
    data = json.loads(write_model(load_model()))
    data["parts"]["helpful"]["scales"]["charm"] = 1.0
    with pytest.raises(InputError, match="charm"):
        parse_model(json.dumps(data), "mine.json")


def test_it_is_quick():
    sentence = "The lake, which is 12 km long, lies north of Oslo; for example, its fish are known in Norway. "
    a, b = sentence * 28, sentence.replace("lake", "sea") * 27 + "The end."
    compare_pair("Describe the lake in 500 words.", a, b)
    start = time.process_time()
    for _ in range(5):
        compare_pair("Describe the lake in 500 words.", a, b)
    assert (time.process_time() - start) / 5 < 0.05  # ten times what it takes on an idle machine
    start = time.process_time()
    compare_pair("Describe the lake.", a * 40, b * 40)
    assert time.process_time() - start < 2


def test_predicting_again_gives_the_same():
    measured, guess = compare_pair("Name two rivers.", "Rhine and Elbe.", "The Rhine is a river.")
    assert predict(load_model(), measured) == guess


@given(TEXTS, TEXTS, TEXTS)
@settings(max_examples=50, deadline=None)
def test_what_the_model_does_not_weigh_is_not_measured_and_changes_nothing(task, a, b):
    measured, guess = compare_pair(task, a, b)
    everything = measure_pair(task, a, b)
    weighed = load_model().parts[guess.part].scales
    assert guess == predict(load_model(), everything, guess.part)
    assert [name for name in ("density", "examples") if name in measured.a] == [
        name for name in ("density", "examples") if name in weighed
    ]
    assert measured.a == {name: everything.a[name] for name in measured.a}
