"""The JSON of verdicts, byte for byte: the shipped examples, the worked reviews, dialogues with the seed's scores.

`--write-golden` writes the files anew, to be read before they are committed. Keys of replies and ids of verdicts depend
on the port of the scripted provider, so these are numbered.
"""

import json
import re
from pathlib import Path

import pytest
import yaml
from scripted.provider import judges, says
from scripted.ratings import explanation, rating_reply

from adjudge import CompareSettings, DialogueSettings, GradeSettings, ReviewSettings
from adjudge.engine import Engine
from adjudge.judges.jury import Jury
from adjudge.protocols.compare.reading import comparison_from
from adjudge.protocols.dialogue.transcript import read_dialogues
from adjudge.protocols.grade.reading import grading_from
from adjudge.protocols.review.reading import read_reviews
from adjudge.protocols.rubrics import load, shipped

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden/verdicts"
REVIEWS = ROOT / "tests/protocols/review/cases"
TALK = b"""SYSTEM\tWhat kinds of movies do you like?
USER\tI really like action movies.
USER\tLike superhero movies.
SYSTEM\tWhy do you like action movies?
USER\tThey're just really fun.
"""
KEYS = list(shipped("dialogue").weights)
_KEY = re.compile(r'(?<=")(?:[cdr][0-9a-f]{20}|[0-9a-f]{64})(?=")')


@pytest.fixture
def check(request):
    """Compares a verdict's JSON with its golden file; `numbered` for keys that differ from run to run."""

    def compare(name: str, written: bytes, *, numbered: bool = True) -> None:
        assert written.endswith(b"}\n") and written.count(b"\n") == 1
        told = written.decode()
        if numbered:
            numbers: dict[str, str] = {}
            told = _KEY.sub(lambda match: numbers.setdefault(match[0], f"key {len(numbers) + 1}"), told)
        golden = GOLDEN / f"{name}.json"
        if request.config.getoption("--write-golden"):
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(told, "utf-8")
        assert told == golden.read_text("utf-8")

    return compare


@pytest.fixture
def engine(journal):
    return Engine(journal)


async def test_the_shipped_examples(engine, check):
    compare = comparison_from(json.loads((ROOT / "examples/compare.json").read_bytes()), shipped("compare"))
    (talk,) = read_dialogues((ROOT / "examples/dialogue.txt").read_bytes(), "dialogue.txt")
    (ratings,) = read_reviews((ROOT / "examples/review.txt").read_bytes(), "review.txt", shipped("review"))
    graded = grading_from(json.loads((ROOT / "examples/grade.json").read_bytes()), shipped("grade"))
    by = GradeSettings(rubric=load(ROOT / "examples/grade.yaml"))
    judged = {
        "example_grade": await engine.judge_case(graded, by),
        "example_compare": await engine.judge_case(compare, CompareSettings()),
        "example_dialogue": await engine.judge_case(talk, DialogueSettings()),
        "example_review": await engine.judge_case(ratings, ReviewSettings()),
    }
    for name, outcome in judged.items():
        check(name, outcome.written, numbered=False)


@pytest.mark.parametrize("one_order", [False, True])
async def test_a_comparison(engine, check, provider, openai_judge, case, one_order):
    provider.script = lambda request: judges(score=lambda key: 7.5 if "clarity" in key else 8)
    outcome = await engine.judge_case(case, CompareSettings(one_order=one_order), openai_judge())
    check("compare_one_order" if one_order else "compare_both_orders", outcome.written)


async def test_a_comparison_by_a_jury(engine, check, provider, openai_judge, case):
    provider.script = lambda request: judges()
    jury = Jury("jury:gpt-4o+gpt-4o-mini", (openai_judge(), openai_judge("gpt-4o-mini")))
    outcome = await engine.judge_case(case, CompareSettings(), jury)
    check("compare_jury", outcome.written)


@pytest.mark.parametrize(
    ("name", "scores", "objects"),
    [
        ("a", (100, 100, 100, 100, 80, 100), ()),
        ("b", (100, 60, 100, 100, 40, 100), ("Empathy",)),
        ("c", (80, 60, 100, 80, 60, 80), ("TaskSuccess", "Accuracy", "Empathy")),
    ],
)
async def test_a_dialogue_with_the_seeds_scores(engine, check, provider, openai_judge, name, scores, objects):
    quote = {"speaker": "USER", "quote": "Like superhero movies."}
    marks = {key: {**quote, "reason": "It is so.", "score": score} for key, score in zip(KEYS, scores, strict=True)}
    entries = {
        key: {
            "quotes": [quote] if key in objects else [],
            "comment": "Not so." if key in objects else "Holds.",
            "missing": "",
            "agree": key not in objects,
            "contradicts": key in objects,
            "score": 20 if key in objects else score,
        }
        for key, score in zip(KEYS, scores, strict=True)
    }

    def script(request):
        mark = next(iter(request.schema["properties"]["criteria"]["properties"].values()))
        return says({"criteria": entries if "agree" in mark["properties"] else marks})

    provider.script = script
    (talk,) = read_dialogues(TALK, "talk.txt")
    judge = openai_judge()
    outcome = await engine.judge_case(talk, DialogueSettings(), judge, judge)
    check(f"dialogue_{name}", outcome.written)


@pytest.mark.parametrize("name", sorted(path.name for path in REVIEWS.iterdir() if path.is_dir()))
async def test_a_worked_review(engine, check, provider, openai_judge, name):
    folder = REVIEWS / name
    (case,) = read_reviews((folder / "slots.txt").read_bytes(), name, shipped("review"))
    replies = [rating_reply(yaml.safe_load((folder / "reply.yaml").read_text("utf-8")))]
    if (told := folder / "explanation.yaml").exists():
        given = yaml.safe_load(told.read_text("utf-8"))
        replies.append(explanation(given["reasons"], *given["candidates"]))
    provider.script = [says(reply) for reply in replies]
    outcome = await engine.judge_case(case, ReviewSettings(), openai_judge())
    check(f"review_{name}", outcome.written)


async def test_a_review_of_an_invalid_task_and_one_with_a_name(engine, check):
    (nothing,) = read_reviews(b'{"prompt": "", "response1": "a", "response2": "b"}', "x.json", shipped("review"))
    outcome = await engine.judge_case(nothing, ReviewSettings())
    assert "invalid_task" in json.loads(outcome.written)
    check("review_invalid", outcome.written)
    slots = b'{"id": "r7", "prompt": "Name two primes.", "response1": "2 and 3", "response2": "4 and 6"}'
    (named,) = read_reviews(slots, "x.json", shipped("review"))
    check("review_named", (await engine.judge_case(named, ReviewSettings())).written)
