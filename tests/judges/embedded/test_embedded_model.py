"""The model: exact under exchange of the answers, votes that add up, and undecided where it should be."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judges.embedded.test_embedded_measures import TEXTS

from adjudge.errors import InputError
from adjudge.judges.embedded.measures import measure_pair
from adjudge.judges.embedded.model import (
    chances_of,
    compare_pair,
    load_model,
    parse_model,
    predict,
    read_model,
    write_model,
)
from adjudge.models.common import Winner

OTHER: dict[Winner, Winner] = {"A": "B", "B": "A", "tie": "tie"}
SCORES = st.floats(-30, 30)
TASK = "Give me four tips for better tea. Use no more than 80 words."
GOOD = (
    "1. Warm the pot before the leaves go in.\n2. Use fresh water that has just boiled.\n"
    "3. Let green tea stand for two minutes only.\n4. Keep the leaves in a closed tin, away from light."
)
THIN = "Tea is nice. Tea can be better. You should make it better by making it well. " * 6


@given(TEXTS, TEXTS, TEXTS)
@settings(max_examples=200, deadline=None)
def test_exchanging_the_answers_changes_nothing_but_the_names(task: str, a: str, b: str) -> None:
    one, two = compare_pair(task, a, b)[1], compare_pair(task, b, a)[1]
    assert one.score == -two.score
    assert [(vote.measure, vote.moved) for vote in one.votes] == [(vote.measure, -vote.moved) for vote in two.votes]
    assert one.winner == OTHER[two.winner] and one.preference == OTHER[two.preference]
    assert one.chances == {OTHER[name]: chance for name, chance in two.chances.items()}
    assert (one.confidence, one.doubt, one.outside) == (two.confidence, two.doubt, two.outside)


@given(TEXTS, TEXTS, TEXTS)
@settings(max_examples=100, deadline=None)
def test_the_votes_add_up_to_the_score(task: str, a: str, b: str) -> None:
    measured, guess = compare_pair(task, a, b)
    total = 0.0
    for vote in guess.votes:
        total += vote.moved
        assert measured.a[vote.measure].value != measured.b[vote.measure].value
    assert total == guess.score


@given(SCORES, st.floats(-60, 5))
def test_chances_are_one_together(score: float, level: float) -> None:
    chances, swapped = chances_of(score, level), chances_of(-score, level)
    assert sum(chances.values()) == pytest.approx(1)
    assert (chances["A"], chances["B"], chances["tie"]) == (swapped["B"], swapped["A"], swapped["tie"])


@given(SCORES, SCORES, st.floats(-60, 5))
def test_a_higher_score_never_lowers_the_chance_of_a(one: float, two: float, level: float) -> None:
    low, high = sorted((one, two))
    assert chances_of(low, level)["A"] <= chances_of(high, level)["A"] + 1e-15


def test_an_answer_that_keeps_what_was_asked_for_wins_and_that_is_decided() -> None:
    guess = compare_pair(TASK, THIN, GOOD)[1]
    assert guess.winner == "B" and guess.decided


def test_nothing_at_all_loses_and_that_is_decided() -> None:
    assert compare_pair("How is tea made?", "Boil water and pour it over the leaves.", "")[1][3:6:2] == ("A", "")


def test_the_same_answer_twice_is_a_tie() -> None:
    guess = compare_pair("Name a fruit.", "An apple is a fruit.", "An apple is a fruit.")[1]
    assert guess.winner == "tie" and guess.score == 0 and guess.votes == ()
    assert guess.decided and guess.confidence == 1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Let's eat, Grandma!", "Let's eat Grandma"),
        ("The dog bit the man.", "The man bit the dog."),
        ("It is.", "Is it?"),
    ],
)
def test_the_same_words_in_another_form_are_not_a_decided_tie(a: str, b: str) -> None:
    guess = compare_pair("Put the commas where they belong.", a, b)[1]
    assert guess.winner == "tie" and guess.doubt == "alike"


def test_below_its_threshold_it_does_not_decide() -> None:
    model, measured = load_model(), measure_pair(TASK, GOOD, THIN)
    sure = predict(model, measured)
    assert predict(model.model_copy(update={"decide": sure.confidence}), measured).decided
    unsure = predict(model.model_copy(update={"decide": sure.confidence + 1e-9}), measured)
    assert unsure.doubt == "unsure" and unsure.winner == sure.winner


@pytest.mark.parametrize("name", ["own_words", "items", "blocks", "task"])
def test_outside_the_range_it_was_fitted_to_it_does_not_decide(name: str) -> None:
    model, measured = load_model(), measure_pair(TASK, GOOD, THIN)
    assert predict(model, measured).decided
    narrow = model.model_copy(update={"ranges": {**model.ranges, name: (100.0, 101.0)}})
    guess = predict(narrow, measured)
    assert guess.doubt == "range" and guess.outside == (name,) and guess.winner == "A"


def test_the_shipped_ranges_end_where_the_labels_do() -> None:
    endless = "\n\n".join(f"{n}. Tip {n} is about herb number {n} in pot {n * 7}." for n in range(900))
    guess = compare_pair("Tell me about tea.", endless, "")[1]
    assert guess.doubt == "range" and guess.outside == ("blocks", "items", "own_words")


@pytest.mark.parametrize("other", [GOOD, "I cannot do that."])
def test_whether_declining_was_right_is_not_decided(other: str) -> None:
    assert compare_pair(TASK, other, "I'm sorry, but I can't help with that.")[1].doubt == "declined"


def test_only_the_measures_that_count_vote() -> None:
    measured = measure_pair(TASK, GOOD, THIN)
    assert {vote.measure for vote in predict(load_model(), measured, ["items", "broken"]).votes} == {"items", "broken"}
    nothing = predict(load_model(), measured, [])
    assert (nothing.winner, nothing.doubt) == ("tie", "unweighted")


def test_a_model_is_the_same_after_writing_and_reading() -> None:
    text = write_model(load_model())
    assert write_model(parse_model(text, "again")) == text
    assert len(text) < 5_000


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 2}', '{"format": 3, "weights": {}, "decide": 1}'])
def test_what_is_no_model_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="not a model of the embedded judge"):
        parse_model(text, "mine.json")


def test_a_model_with_unknown_measures_is_refused() -> None:
    data = json.loads(write_model(load_model()))
    data["weights"]["charm"] = data["scales"]["charm"] = 1.0
    with pytest.raises(InputError, match="charm"):
        parse_model(json.dumps(data), "mine.json")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: file not found"):
        read_model(tmp_path / "none.json")
    (tmp_path / "x.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not text"):
        read_model(tmp_path / "x.json")


def test_long_answers_take_no_more_than_a_moment() -> None:
    sentence = "The lake, which is 12 km long, lies north of Oslo; for example, its fish are known in Norway. "
    start = time.process_time()
    compare_pair("Describe the lake.", sentence * 1100, sentence.replace("lake", "sea") * 1100)
    assert time.process_time() - start < 2
