"""A reply is taken apart in one quick look, which takes nothing that the schema would not take."""

from __future__ import annotations

import copy
from decimal import Decimal
from typing import Any

import orjson
import pytest

from adjudge.cases import Comparison
from adjudge.judges.base import CompareQuestion
from adjudge.judges.roles import COMPARER
from adjudge.judges.roles.comparer import _gather, _reply_shape
from adjudge.rubric import Rubric, parse

WORDS = "one plan that names each step and its owner"
ODD: list[Any] = [
    *(None, True, False, 0, 1, 2, 3, 11, -1, 1.0, 2.0, 0.5, 1.5, 1e300, "1", "x", "", [], {}, [1], {"answer": 1}),
    *("favorable", "tie", "Tie", "answer_1"),
]


def own(low: float, high: float, step: float) -> Rubric:
    scale = f"scale: {{min: {low}, max: {high}, step: {step}}}"
    criteria = "".join(
        f"  - {{key: {key}, name: {key}, weight: 1, guidance: How much}}\n" for key in ("kind_one", "two")
    )
    return parse(f'name: own\nversion: "1"\nprotocol: compare\n{scale}\ncriteria:\n{criteria}', "own")


def reply_to(rubric: Rubric) -> dict[str, Any]:
    def mark() -> dict[str, Any]:
        return {"justification": "Because.", "score": int(rubric.scale.high)}

    quotes = [{"answer": at, "quote": WORDS, "impact": "favorable", "rationale": "So."} for at in (1, 2)]
    return {
        "criteria": {
            key: {"evidence": copy.deepcopy(quotes), "answer_1": mark(), "answer_2": mark()} for key in rubric.weights
        },
        "summary_1": "One.",
        "summary_2": "Two.",
        "rationale": "Both.",
        "preference": "tie",
    }


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [place for key, value in items for place in ((*path, key), *places(value, (*path, key)))]


@pytest.mark.parametrize("scale", [(1, 10, 1), (0, 1, 0.5), (-2, 2, 1), (0, 100, 20)])
def test_whatever_one_part_is_the_quick_look_and_the_schema_agree(scale: tuple[float, float, float]) -> None:
    rubric = own(*scale)
    shape, taken = _reply_shape(rubric), 0
    for path in places(reply_to(rubric)):
        for odd in [*ODD, "gone"]:
            reply: Any = reply_to(rubric)
            *way, last = path
            node = reply
            for key in way:
                node = node[key]
            if odd == "gone":
                del node[last]
            else:
                node[last] = odd
            quick, checked = _gather(reply, rubric), shape.check(reply)
            if quick is not None:
                taken += 1
                assert not isinstance(checked, tuple), (path, odd, checked)
            if not isinstance(checked, tuple):
                careful = _gather(checked, rubric)
                assert careful is not None, (path, odd)
                assert quick in (None, careful)
    assert taken > 50


def test_a_number_that_only_looks_different_is_the_same_score() -> None:
    rubric = own(0, 2, 0.5)
    reply = reply_to(rubric)
    reply["criteria"]["kind_one"]["answer_1"]["score"] = 1.5
    reply["criteria"]["kind_one"]["answer_2"]["score"] = 2.0
    reply["criteria"]["kind_one"]["evidence"][1]["answer"] = 2.0
    case = Comparison(task="t", a=f"There is {WORDS}.", b=f"Well, {WORDS}!")
    reading = COMPARER.read(CompareQuestion(case, rubric, "ba"), orjson.dumps(reply).decode(), "j")
    assert reading.opinion is not None
    assert not reading.problems
    given = {label: score.value for label, score in reading.opinion.scores["kind_one"].items()}
    assert given == {"A": Decimal(2), "B": Decimal("1.5")}
