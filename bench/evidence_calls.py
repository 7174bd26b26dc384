"""Counts the calls and tokens of comparisons with a judge that fills in a form as a small model does.

    python bench/evidence_calls.py [--comparisons 89] [--garbled 0.03] [--seed 0]

Generated comparisons are judged in both orders over a real connection to a scripted server on this machine. Its judge
does what a real model of 1.5 billion parameters did: when asked for lists of quotes, 172 of its 178 replies had no
quote from one answer for some criterion; but it fills in every required field. It copies each quote from the answer and
garbles a small share of them. A reply with a missing or garbled quote costs a second call. Tokens are characters
divided by four: of instructions, messages and schema (read), and of the reply (written). The judge follows the schema
it is sent, so the same command can measure an older adjudge: PYTHONPATH=OLD/src python bench/evidence_calls.py
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from adjudge.journal import open_journal
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.rules import compare
from adjudge.protocols.compare.verdict import ComparisonVerdict
from adjudge.protocols.rubrics import shipped

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from scripted.judging import open_openai  # type: ignore[import-not-found]
from scripted.provider import Behaviour, ScriptedProvider, says  # type: ignore[import-not-found]
from scripted.replies import Request  # type: ignore[import-not-found]

INCOMPLETE = 172 / 178  # share of replies that lack a quote from one answer for some criterion, if quotes are a list
AT_A_TIME = 8
REASON = "It addresses the task in its own words and gives a few details that help."
_WANTED = re.compile(r"^- (\w+): .*?\bAnswer ([12])\b", re.MULTILINE)

OPENINGS = ["First of all", "As a rule", "In most homes", "If there is time", "After a week", "Before anything else"]
WHO = ["a careful reader", "the person in charge", "every new member", "an old neighbour", "the whole team"]
DEEDS = ["writes down what is missing", "asks two others for their view", "compares the cost with last year's"]
ENDINGS = ["so that nothing is done twice", "because memory deceives", "even where it seems needless"]


def cases(count: int, seed: int) -> list[Comparison]:
    """Generate comparisons of two answers of four to eight plain sentences."""
    random = Random(seed)

    def answer() -> str:
        parts = ((random.choice(some) for some in (OPENINGS, WHO, DEEDS, ENDINGS)) for _ in range(random.randint(4, 8)))
        return " ".join(f"{opening}, {who} {deed}, {ending}." for opening, who, deed, ending in parts)

    return [Comparison(f"How do I prepare for event number {n}?", answer(), answer()) for n in range(count)]


class SmallModel:
    """Fills in any schema it is sent. Its mistakes are drawn from a hash of the request, so they are repeatable."""

    def __init__(self, request: Request, garbled: float, seed: int) -> None:
        self.request, self.garbled = request, garbled
        self.random = Random(f"{seed} {request.turns}")

    def reply(self) -> dict[str, Any]:
        asked = self.request.schema["properties"]
        if "criteria" not in asked:  # a repair: replacements for what the last message names
            wanted = dict.fromkeys(_WANTED.findall(self.request.turns[-1]))
            item = asked["evidence"]["items"]
            return {"evidence": [self._said("", item, int(n)) | {"criterion": key} for key, n in wanted]}
        reply: dict[str, Any] = self._said("", self.request.schema)
        lists = [marks["evidence"] for marks in reply["criteria"].values() if "evidence" in marks]
        if lists and self.random.random() < INCOMPLETE:
            self.random.choice(lists).pop(self.random.randrange(2))
        return reply

    def _said(self, name: str, schema: dict[str, Any], answer: int = 1) -> Any:
        """Return what it writes into a field; `answer` is the number of the answer that the field is about."""
        if "properties" in schema:
            fields = schema["properties"].items()
            said = {field: self._said(field, child, _number_in(field) or answer) for field, child in fields}
            return said | {"answer": answer} if "answer" in said else said
        if schema["type"] == "array":
            # A criterion's own list gets a quote from each answer; a list that all criteria share stays empty.
            shared = "criterion" in schema["items"]["properties"]
            return [] if shared else [self._said("", schema["items"], n) for n in (1, 2)]
        if "enum" in schema:
            return schema["enum"][len(schema["enum"]) // 2]
        return self._quote(answer) if name.startswith("quote") else REASON

    def _quote(self, answer: int) -> str:
        words = self.request.fenced(f"ANSWER {answer}").split()
        length = self.random.randint(6, 16)
        start = self.random.randrange(len(words) - length)
        quote = words[start : start + length]
        if self.random.random() < self.garbled:
            quote.insert(length // 2, "rather")
        return " ".join(quote)


def _number_in(field: str) -> int | None:
    return int(field[-1]) if field[-2:] in ("_1", "_2") else None


async def measure(count: int, garbled: float, seed: int) -> Counter[str]:
    """Judge the comparisons and count calls, tokens, quotes and warnings."""
    seen: Counter[str] = Counter()

    def behave(request: Request) -> Behaviour:
        reply = json.dumps(SmallModel(request, garbled, seed).reply(), ensure_ascii=False)
        sent = [request.system, *request.turns, json.dumps(request.schema)]
        seen.update(calls=1, second=request.repairs, read=sum(map(len, sent)) // 4, written=len(reply) // 4)
        return says(reply)

    with tempfile.TemporaryDirectory() as folder:
        journal = open_journal(Path(folder) / "journal.db", secret=bytes(32))
        async with ScriptedProvider(behave) as provider:
            judge = open_openai(provider, journal)
            room = asyncio.Semaphore(AT_A_TIME)

            async def one(case: Comparison) -> None:
                async with room:
                    verdict = await compare(case, judge, shipped("compare"))
                assert isinstance(verdict, ComparisonVerdict), verdict
                sides = [quotes for criterion in verdict.criteria.values() for quotes in criterion.evidence.values()]
                seen.update(quotes=sum(map(len, sides)), bare=sum(not quotes for quotes in sides))
                seen.update(warning.code for warning in verdict.warnings)

            await asyncio.gather(*map(one, cases(count, seed)))
            await judge.close()
        journal.close()
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comparisons", type=int, default=89, help="each judged in both orders (default: 89)")
    parser.add_argument("--garbled", type=float, default=0.03, help="share of quotes that are garbled (default: 0.03)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    seen = asyncio.run(measure(args.comparisons, args.garbled, args.seed))
    replies = seen["calls"] - seen["second"]
    print(f"{args.comparisons} comparisons in both orders, {args.garbled:.0%} of the quotes garbled")
    print(
        f"calls                  {seen['calls']:10,}   of them second ones {seen['second']:,} for {replies:,} replies"
    )
    print(f"tokens read            {seen['read']:10,}   {seen['read'] / args.comparisons:,.0f} a comparison")
    print(f"tokens written         {seen['written']:10,}   {seen['written'] / args.comparisons:,.0f} a comparison")
    print(f"verified quotes        {seen['quotes']:10,}   answers without one for a criterion: {seen['bare']:,}")
    print(f"warnings               {seen['dropped_quote'] + seen['missing_evidence']:10,}")


if __name__ == "__main__":
    main()
