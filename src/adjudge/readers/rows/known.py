"""Which columns well-known tools write, and which field of a case each of them is: tables, and how one is looked up.

Names are compared folded: `responseA`, `response_a` and `Response A` are one. Tiers: a later one is only asked where
the earlier ones find nothing. Two columns in one tier are ambiguous, except for ids, where the first name counts.

    field              tier 1                                                     then
    task               userTask task · prompt (promptfoo, Arena, MT-bench)        input (DeepEval, LLMBar),
                       question query instruction (AlpacaEval) user_prompt        vars.question … (promptfoo),
                                                                                  conversation_a, contestants.0.…
    a, b               responseA/B a/b · response_a/b answer_a/b output_a/b …     [provider] … twice (promptfoo),
                       output_1/2 response_1/2 answer_1/2 … · chosen/rejected     conversation_a/b (Arena, MT-bench),
                                                                                  contestants.0/1.… (DeepEval),
                                                                                  actual_output/expected_output
    context            context                                                    retrieval_context (DeepEval),
                                                                                  input beside instruction (AlpacaEval)
    label              label winner human preference human_label … preferred      winner_model_a, winner_model_b and
                                                                                  winner_tie (Arena on Kaggle)
    system_a, system_b system_a/b model_a/b generator_1/2 model_1/2 …             contestants.0/1.name
    transcript, turns  transcript · turns messages dialogue conversation …
    id                 id case_id question_id …
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

Tiers = Sequence[Sequence[str]]
Pairs = Sequence[Sequence[tuple[str, str]]]

_ASKED = ("userTask", "task", "prompt", "question", "query", "instruction", "user_prompt", "user_query")
TASKS: Tiers = (
    _ASKED,
    ("input",),
    tuple(f"vars.{name}" for name in (*_ASKED, "input")),
    ("conversation_a",),
    ("contestants.0.test_case.input", "contestants.0.testCase.input"),
)
_ANSWERS = ("response", "answer", "output", "completion", "assistant", "model_response", "model_output", "generation")
ANSWERS: Pairs = (
    (
        ("a", "b"),
        *((f"{name}_a", f"{name}_b") for name in _ANSWERS),
        *((f"{name}_1", f"{name}_2") for name in _ANSWERS),
        ("chosen", "rejected"),
    ),
    (("conversation_a", "conversation_b"),),
    (
        ("contestants.0.test_case.actual_output", "contestants.1.test_case.actual_output"),
        ("contestants.0.testCase.actualOutput", "contestants.1.testCase.actualOutput"),
    ),
    (("actual_output", "expected_output"),),
)
SYSTEMS: Pairs = (
    tuple((f"{name}_{one}", f"{name}_{two}") for name in ("system", "model", "generator") for one, two in ("ab", "12")),
    (("contestants.0.name", "contestants.1.name"),),
)
CONTEXTS: Tiers = (("context",), ("retrieval_context",))
# Alpaca's own files have what the instruction is about in a field of its own.
CONTEXT_BESIDE = {"instruction": "input"}
WINNER_OF_THREE = ("winner_model_a", "winner_model_b", "winner_tie")
LABELS: Tiers = (("label", "winner", "human", "preference", "human_label", "human_preference", "preferred"),)
WEIGHTS: Tiers = (("weights",),)
TRANSCRIPTS: Tiers = (("transcript",),)
TURNS: Tiers = (("turns", "messages"), ("dialogue", "dialog", "conversation"))
OVERALLS: Tiers = (("label", "overall", "overall_rating", "overall_ratings", "human", "rating"),)
_IDS = ("id", "case_id", "question_id", "example_id", "uid", "uuid", "task_id", "prompt_id", "instruction_id")
IDS = _IDS
DIALOGUE_IDS = ("dialogue_id", "conversation_id", *_IDS)

_PROMPTFOO = re.compile(r"\[(?P<provider>[^\]]+)\] .*", re.DOTALL)
_VERDICT = re.compile(r"\[(?:PASS|(?P<failed>FAIL|ERROR))\] ")


def folded(name: str) -> str:
    """A column's name as it is compared."""
    return re.sub(r"[\s_-]+", "", name).casefold()


def providers(columns: Iterable[str]) -> dict[str, str]:
    """promptfoo's columns of outputs, `[openai:gpt-4o] label`, each with its provider."""
    return {name: found["provider"] for name in columns if (found := _PROMPTFOO.fullmatch(name))}


def output_of(cell: str) -> str:
    """The output in a cell of promptfoo's, which older versions begin with a verdict and why it failed."""
    verdict = _VERDICT.match(cell)
    if verdict is None:
        return cell
    rest = cell[verdict.end() :]
    return rest.partition("\n---\n")[2] or rest if verdict["failed"] else rest
