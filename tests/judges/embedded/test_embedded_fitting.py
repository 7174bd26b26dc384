"""Fitting: finds what labels say, predicts ties, gives the same bytes again, and says what is wrong with labels."""

import random

import pytest

from adjudge.errors import InputError
from adjudge.facts.sentences import word_set
from adjudge.judges.embedded.fitting import (
    Row,
    calibration_error,
    cross_validate_samples,
    fit_samples,
    measure_rows,
    read_rows,
)
from adjudge.judges.embedded.model import predict, write_model

WORDS = sorted(
    word_set("river stone cloud garden window letter music silver winter morning harbour forest bridge candle")
)


def made_up(count, seed=0):
    """People here prefer the longer answer, and call two answers with the same words a tie."""
    rng, rows = random.Random(seed), []
    for index in range(count):
        task = f"Write about {rng.choice(WORDS)} number {index}."
        short = " ".join(rng.choices(WORDS, k=6)).capitalize() + "."
        long = " ".join(rng.choices(WORDS, k=30)).capitalize() + "."
        label = rng.choice(("A", "B", "tie"))
        if label == "tie":
            rows.append(Row(task, long, long.replace("river", "stone"), "tie"))
        else:
            rows.append(Row(task, *((long, short) if label == "A" else (short, long)), label))
    return rows


@pytest.fixture(scope="module")
def samples():
    return measure_rows(made_up(120))


@pytest.fixture(scope="module")
def model(samples):
    return fit_samples(samples, seed=3)


def test_it_finds_what_the_labels_say(model):
    held = measure_rows(made_up(60, seed=9))
    guesses = [(predict(model, sample.measured).winner, sample.row.human) for sample in held]
    assert sum(said == human for said, human in guesses) >= 54
    assert sum(said == "tie" for said, _ in guesses) >= 10


def test_the_same_rows_and_seed_give_the_same_bytes(samples, model):
    assert write_model(fit_samples(samples, seed=3)) == write_model(model)


def test_held_out_tasks_tell_how_good_it_is(samples):
    figures = cross_validate_samples(samples, seed=1, folds=3)
    assert figures.pairs == 120
    assert figures.three_classes > 0.85 and figures.without_ties > 0.9 and figures.longest > 0.9


def test_labels_that_say_nothing_give_a_model_that_decides_little():
    rng = random.Random(5)
    rows = [Row(row.task, row.a, row.b, rng.choice(("A", "B"))) for row in made_up(120, seed=4)]
    model = fit_samples(measure_rows(rows), seed=1)
    decided = [predict(model, sample.measured).decided for sample in measure_rows(rows)]
    assert sum(decided) < len(decided) / 2


def test_harmless_rows_make_a_part_of_their_own(samples):
    assert set(fit_samples(samples, 1, samples[:60]).parts) == {"helpful", "harmless"}


def test_signs_hold_whatever_the_labels_say():
    rows = [Row(row.task, row.a, row.b, {"A": "B", "B": "A", "tie": "tie"}[row.human]) for row in made_up(120)]
    assert fit_samples(measure_rows(rows)).parts["helpful"].weights.get("length", 0.0) >= 0


def test_too_few_labels_are_refused(samples):
    with pytest.raises(InputError, match="30"):
        fit_samples(samples[:10])
    one_task = made_up(40)
    with pytest.raises(InputError, match="different tasks"):
        fit_samples(measure_rows(Row("The same.", row.a, row.b, row.human) for row in one_task))


@pytest.mark.parametrize(
    "line", ["no json", '{"task": "t"}', '{"task": "t", "response_a": "a", "response_b": "b", "human": "C"}']
)
def test_a_wrong_line_is_named(tmp_path, line):
    path = tmp_path / "labels.jsonl"
    path.write_text('{"task": "t", "response_a": "a", "response_b": "b", "human": "tie"}\n' + line + "\n", "utf-8")
    with pytest.raises(InputError, match=r"labels\.jsonl:2"):
        read_rows(path)


def test_calibration_error_is_the_gap_between_sure_and_right():
    assert calibration_error([0.75] * 4, [True, True, True, False]) == pytest.approx(0)
    assert calibration_error([0.95] * 4, [True, True, False, False]) == pytest.approx(0.45)
    assert calibration_error([1.0], [True]) == 0
