"""`adjudge embedded`: a model of one's own, tried on unseen tasks before it is saved."""

import contextlib
import io
import json
import random

import pytest

from adjudge.cli.main import main

WORDS = ("water", "light", "stone", "river", "garden", "window", "paper", "music", "bread", "table", "winter")


def labels(count=40, *, better="long"):
    """Pairs in which people prefer the longer answer, or by the toss of a coin."""
    draw = random.Random(5)
    for number in range(count):
        long = " ".join(draw.choice(WORDS) for _ in range(40)).capitalize() + "."
        short = " ".join(draw.choice(WORDS) for _ in range(6)).capitalize() + "."
        a, b = (long, short) if number % 2 else (short, long)
        human = ("A" if number % 2 else "B") if better == "long" else draw.choice("AB")
        yield {
            "task": f"Tell me about {draw.choice(WORDS)} {number}.",
            "response_a": a,
            "response_b": b,
            "human": human,
        }


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """The labels, the model that `embedded fit` made of them, and what it said."""
    folder = tmp_path_factory.mktemp("fitted")
    file = write(folder / "labels.jsonl", labels())
    with contextlib.redirect_stderr(io.StringIO()) as said:
        assert main(["embedded", "fit", str(file), "-o", str(folder / "mine.json"), "--even-if-worse"]) == 0
    return file, folder / "mine.json", said.getvalue()


def test_a_model_is_fitted_tried_saved_used_and_replayed(adjudge, fitted, tmp_path):
    _, model, said = fitted
    assert "40 pairs of 40 tasks; on tasks the model has not seen:" in said
    assert "right there if the longer one is chosen" in said
    assert f"use it with --judge embedded:{model}" in said
    (tmp_path / "mine.json").write_bytes(model.read_bytes())
    case = json.dumps({"userTask": "Tell me about bread.", "responseA": "Bread is good for you.", "responseB": "No."})
    code, out, _ = adjudge("compare", "-", "--judge", "embedded:mine.json", stdin=case)
    assert code == 0
    verdict = json.loads(out)
    assert verdict["provenance"]["judge"].startswith("embedded:mine.json@")
    assert adjudge("replay", verdict["verdict_id"])[0] == 0


def test_the_same_labels_and_seed_give_the_same_bytes(adjudge, fitted, tmp_path):
    file, model, _ = fitted
    assert adjudge("embedded", "fit", file, "-o", "again.json", "--even-if-worse")[0] == 0
    assert (tmp_path / "again.json").read_bytes() == model.read_bytes()


def test_one_that_is_no_better_than_the_longest_answer_is_not_saved(adjudge, fitted, tmp_path):
    code, _, err = adjudge("embedded", "fit", fitted[0], "-o", "mine.json")  # here nothing can be better
    assert code == 1
    assert "not saved: choosing the longer answer does as well" in err
    assert not (tmp_path / "mine.json").exists()


def test_a_changed_model_does_not_pass_for_the_one_a_verdict_was_made_with(adjudge, fitted):
    judge = f"embedded:{fitted[1]}@0123456789ab"
    code, _, err = adjudge("compare", "--task", "x?", "--a", "y", "--b", "z", "--judge", judge)
    assert code == 2
    assert "mine.json has changed" in err


def test_the_weights_can_be_read(adjudge):
    code, out, _ = adjudge("embedded", "show")
    assert code == 0
    assert out.startswith("decides from a confidence of 0.")
    assert "counted demands of the task that are not met (task_understanding)" in out
    assert len(out.splitlines()) == 10


def test_undecided_is_said_with_who_would_settle_it(adjudge, monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "key")
    alike = ("--task", "Name a colour.", "--a", "Blue is a colour I like.", "--b", "Green is a colour I like.")
    code, out, err = adjudge("compare", *alike, "--format", "text")
    assert code == 0
    assert out.startswith("Undecided; the best guess is")
    assert "Undecided: the task has 3 words, and 99 % of what this judge was fitted to has 4 to" in " ".join(
        out.split()
    )
    assert "% sure of this guess. A judge that reads the answers could decide." in " ".join(out.split())
    assert "undecided: this judge is not sure enough; a judge that reads the answers can decide: --judge openai:" in err
    code, out, _ = adjudge("compare", *alike)
    evaluation = json.loads(out)["evaluation"]
    assert evaluation["decided"] is False
    assert 0 < evaluation["confidence"] < 1
    assert evaluation["winner"] in ("A", "B", "tie")
