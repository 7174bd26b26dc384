"""The model: exact under exchange of the answers, votes that add up, and undecided where it should be."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judges.embedded.samples import TEXTS
from quick import within

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

OTHER = {"A": "B", "B": "A", "tie": "tie"}
SCORES = st.floats(-30, 30)
TASK = "Give me four tips for better tea. Use no more than 80 words."
GOOD = (
    "1. Warm the pot before the leaves go in.\n2. Use fresh water that has just boiled.\n"
    "3. Let green tea stand for two minutes only.\n4. Keep the leaves in a closed tin, away from light."
)
THIN = "Tea is nice. Tea can be better. You should make it better by making it well. " * 6


def guess(task, a, b):
    return compare_pair(task, a, b)[1]


@given(TEXTS, TEXTS, TEXTS)
@settings(max_examples=100)
def test_the_votes_add_up_and_exchanging_the_answers_changes_nothing_but_the_names(task, a, b):
    (measured, one), two = compare_pair(task, a, b), guess(task, b, a)
    assert one.score == -two.score
    assert [(vote.measure, vote.moved) for vote in one.votes] == [(vote.measure, -vote.moved) for vote in two.votes]
    assert one.winner == OTHER[two.winner] and one.preference == OTHER[two.preference]
    assert one.chances == {OTHER[name]: chance for name, chance in two.chances.items()}
    assert (one.confidence, one.doubt, one.outside) == (two.confidence, two.doubt, two.outside)
    total = 0.0
    for vote in one.votes:
        total += vote.moved
        assert measured.a[vote.measure].value != measured.b[vote.measure].value
    assert total == one.score


@given(SCORES, SCORES, st.floats(-60, 5))
def test_chances_are_one_together_and_a_higher_score_never_lowers_that_of_a(one, two, level):
    chances, swapped = chances_of(one, level), chances_of(-one, level)
    assert sum(chances.values()) == pytest.approx(1)
    assert (chances["A"], chances["B"], chances["tie"]) == (swapped["B"], swapped["A"], swapped["tie"])
    low, high = sorted((one, two))
    assert chances_of(low, level)["A"] <= chances_of(high, level)["A"] + 1e-15


def test_what_keeps_to_the_task_wins_nothing_at_all_loses_and_the_same_is_a_tie_and_that_is_decided():
    kept = guess(TASK, THIN, GOOD)
    assert kept.winner == "B" and kept.decided
    assert guess("How is tea made?", "Boil water and pour it over the leaves.", "")[3:6:2] == ("A", "")
    same = guess("Name a fruit.", "An apple is a fruit.", "An apple is a fruit.")
    assert (same.winner, same.score, same.votes, same.decided, same.confidence) == ("tie", 0, (), True, 1)


@pytest.mark.parametrize(("task", "a", "b", "doubt"), [
    ("Put in the commas.", "Let's eat, Grandma!", "Let's eat Grandma", "alike"),
    ("Put in the commas.", "The dog bit the man.", "The man bit the dog.", "alike"),
    ("Put in the commas.", "It is.", "Is it?", "alike"),
    (TASK, GOOD, "I'm sorry, but I can't help with that.", "declined"),
    (TASK, "I cannot do that.", "I'm sorry, but I can't help with that.", "declined"),
])  # fmt: skip
def test_the_same_words_in_another_form_and_whether_declining_was_right_are_not_decided(task, a, b, doubt):
    found = guess(task, a, b)
    assert found.doubt == doubt and (doubt != "alike" or found.winner == "tie")


def test_below_its_threshold_and_outside_the_range_it_was_fitted_to_it_does_not_decide():
    model, measured = load_model(), measure_pair(TASK, GOOD, THIN)
    sure = predict(model, measured)
    assert predict(model.model_copy(update={"decide": sure.confidence}), measured).decided
    unsure = predict(model.model_copy(update={"decide": sure.confidence + 1e-9}), measured)
    assert (unsure.doubt, unsure.winner) == ("unsure", sure.winner)
    for name in ("own_words", "items", "blocks", "task"):
        narrow = predict(model.model_copy(update={"ranges": {**model.ranges, name: (100.0, 101.0)}}), measured)
        assert (narrow.doubt, narrow.outside, narrow.winner) == ("range", (name,), "A")


def test_the_shipped_ranges_end_where_the_labels_do():
    endless = "\n\n".join(f"{n}. Tip {n} is about herb number {n} in pot {n * 7}." for n in range(900))
    found = guess("Tell me about tea.", endless, "")
    assert found.doubt == "range" and found.outside == ("blocks", "items", "own_words")


def test_only_the_measures_that_count_vote():
    measured = measure_pair(TASK, GOOD, THIN)
    assert {vote.measure for vote in predict(load_model(), measured, ["items", "broken"]).votes} == {"items", "broken"}
    nothing = predict(load_model(), measured, [])
    assert (nothing.winner, nothing.doubt) == ("tie", "unweighted")


def test_a_model_is_the_same_after_writing_and_reading():
    text = write_model(load_model())
    assert write_model(parse_model(text, "again")) == text
    assert len(text) < 5_000


def test_what_is_no_model_is_refused_and_named(tmp_path):
    for text in ("", "[]", "{}", '{"format": 2}', '{"format": 3, "weights": {}, "decide": 1}'):
        with pytest.raises(InputError, match="not a model of the embedded judge"):
            parse_model(text, "mine.json")
    data = json.loads(write_model(load_model()))
    data["weights"]["charm"] = data["scales"]["charm"] = 1.0
    with pytest.raises(InputError, match="charm"):
        parse_model(json.dumps(data), "mine.json")
    with pytest.raises(InputError, match=r"none\.json: file not found"):
        read_model(tmp_path / "none.json")
    (tmp_path / "x.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not text"):
        read_model(tmp_path / "x.json")


def test_long_answers_take_no_more_than_a_moment():
    sentence = "The lake, which is 12 km long, lies north of Oslo; for example, its fish are known in Norway. "
    with within(2):
        compare_pair("Describe the lake.", sentence * 1100, sentence.replace("lake", "sea") * 1100)
