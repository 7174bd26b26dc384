"""Fitting: finds what labels say, predicts ties, gives the same bytes again, and says what is wrong with labels."""

import random

import pytest

from adjudge.errors import InputError
from adjudge.judges.embedded.fitting import (
    LabelledPair,
    Sample,
    cross_validate_samples,
    fit_samples,
    measure_rows,
    read_rows,
)
from adjudge.judges.embedded.measures import MEASURES
from adjudge.judges.embedded.model import predict, write_model

WORDS = [
    "bridge", "candle", "cloud", "forest", "garden", "harbour", "letter", "morning", "music", "river", "silver",
    "stone", "window", "winter",
]  # fmt: skip


def made_up(count, seed=0, source=""):
    """People here prefer the longer answer, and call two answers with the same words a tie."""
    rng, rows = random.Random(seed), []
    for index in range(count):
        task = f"Write about {rng.choice(WORDS)} number {seed * 1000 + index}."
        short = " ".join(rng.choices(WORDS, k=6)).capitalize() + "."
        long = " ".join(rng.choices(WORDS, k=30)).capitalize() + "."
        label = rng.choice(("A", "B", "tie"))
        if label == "tie":
            rows.append(LabelledPair(task, long, long.replace("river", "stone"), "tie", source))
        else:
            rows.append(LabelledPair(task, *((long, short) if label == "A" else (short, long)), label, source))
    return rows


@pytest.fixture(scope="module")
def samples():
    return measure_rows(made_up(120))


@pytest.fixture(scope="module")
def model(samples):
    return fit_samples(samples, seed=3)


def test_it_finds_what_the_labels_say_and_the_same_rows_and_seed_give_the_same_bytes(samples, model):
    guesses = [(predict(model, sample.measured), sample.row.human) for sample in measure_rows(made_up(60, seed=9))]
    assert sum(guess.winner == human for guess, human in guesses) >= 54
    assert sum(guess.winner == "tie" for guess, _ in guesses) >= 10
    assert write_model(fit_samples(samples, seed=3)) == write_model(model)


def test_held_out_tasks_tell_how_good_it_is(samples):
    figures = cross_validate_samples(samples[:70])
    assert figures.pairs == 70
    assert figures.three_classes > 0.85 and figures.without_ties > 0.9 and figures.longest > 0.9
    assert figures.decided > 0.5 and figures.right_when_decided > 0.85


def test_labels_that_say_nothing_give_a_model_that_decides_little():
    rng = random.Random(5)
    rows = [LabelledPair(row.task, row.a, row.b, rng.choice(("A", "B"))) for row in made_up(120, seed=4)]
    model = fit_samples(measure_rows(rows), seed=1)
    decided = [predict(model, sample.measured).decided for sample in measure_rows(rows)]
    assert sum(decided) < len(decided) / 4


def test_what_counts_against_an_answer_never_counts_for_it():
    turned = {"A": "B", "B": "A", "tie": "tie"}
    weights = fit_samples(measure_rows(LabelledPair(r.task, r.a, r.b, turned[r.human]) for r in made_up(120))).weights
    assert all(weights[name] * measure.sign >= 0 for name, measure in MEASURES.items())
    assert weights["empty"] <= -2


def test_the_range_of_the_labels_is_in_the_model(samples, model):
    for name in ("own_words", "blocks"):
        seen = [side[name].value for sample in samples for side in (sample.measured.a, sample.measured.b)]
        low, high = model.ranges[name]
        assert min(seen) - 0.01 <= low <= high <= max(seen) + 0.01
        assert sum(low <= value <= high for value in seen) >= 0.98 * len(seen)
    assert "task" in model.ranges and "broken" not in model.ranges


def test_of_several_sets_each_is_held_out_in_turn(samples):
    sets = [measure_rows(made_up(40, seed, source)) for seed, source in enumerate(("one", "two", "three"), 1)]
    assert fit_samples([sample for part in sets for sample in part]).decide < 1
    # A set that contradicts the others leaves nothing to be sure of.
    rng = random.Random(1)
    noise = [
        Sample(LabelledPair(s.row.task, s.row.a, s.row.b, rng.choice(("A", "B", "tie")), "noise"), s.measured)
        for s in measure_rows(made_up(200, 7))
    ]
    assert fit_samples([*sets[0], *sets[1], *noise]).decide > 1


def test_too_few_labels_are_refused(samples):
    with pytest.raises(InputError, match="30"):
        fit_samples(samples[:10])
    with pytest.raises(InputError, match="different tasks"):
        fit_samples(measure_rows(LabelledPair("The same.", row.a, row.b, row.human) for row in made_up(40)))


def test_a_wrong_line_is_named(tmp_path):
    path, good = tmp_path / "labels.jsonl", '{"task": "t", "response_a": "a", "response_b": "b", "human": "tie"}'
    for line in ("no json", '{"task": "t"}', good.replace("tie", "C")):
        path.write_text(f"{good}\n{line}\n", "utf-8")
        with pytest.raises(InputError, match=r"labels\.jsonl:2"):
            read_rows(path)
