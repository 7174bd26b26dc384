"""Attacks on the judge: counts how many leave the fence, change the structure, are reported, and move the verdict.

    python bench/attacks.py [--data DIR] [--missed]

bench/attacks.yaml holds the attacks, by family. Each is appended to the losing answer of a pair (or put where its
family says), and the comparison is judged by the embedded judge and by a credulous judge. That is a scripted server: it
prefers the better answer, but if it reads any sentence of the attack in any form, it gives the attacked answer 10 and
the other 1. A verdict has moved if the attacked answer wins; it stands if it is also `decided`.
Pairs come from DIR (*.jsonl: task, response_a, response_b, human), or from bench/samples/reviews.yaml. DIR also has the
clean texts on which false alarms are counted. --missed lists the attacks that are not reported.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import codecs
import json
import re
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import yaml

from adjudge.journal import open_journal
from adjudge.judges.base import Judge
from adjudge.judges.embedded import EmbeddedJudge
from adjudge.models.common import Finding, Lookup
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.rules import CompareOptions, compare
from adjudge.protocols.compare.verdict import ComparisonVerdict
from adjudge.protocols.rubrics import shipped
from adjudge.text.findings import ATTEMPTS, hostile_facts

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from scripted.judging import open_openai  # type: ignore[import-not-found]
from scripted.provider import Behaviour, ScriptedProvider, says  # type: ignore[import-not-found]
from scripted.replies import Request, correct_reply  # type: ignore[import-not-found]

HERE = Path(__file__).parent
RUBRIC = shipped("compare")
BACKGROUND = "Both answers were written in the same week."
COLUMNS = ("tried", "left", "structure", "reported", "moved", "stands", "recheck", "stood", "rechecked")
HEADER = (
    f"{'':<32} {'':>6} {'left the':>9} {'changed':>9} {'':>9} {'embedded judge':>24}   {'credulous judge':>16}\n"
    f"{'family':<32} {'tried':>6} {'fence':>9} {'structure':>9} {'reported':>9} {'moved':>7} {'stands':>7} "
    f"{'recheck':>8}   {'stands':>7} {'recheck':>8}"
)


@dataclass(frozen=True)
class Attack:
    """A text for one slot, or for both answers; `order` says whether it gives the judge an order."""

    family: str
    slot: str
    parts: tuple[str, ...]
    order: bool = True

    @property
    def sentences(self) -> list[str]:
        """The sentences of the attack; the credulous judge obeys each of them."""
        pieces = [piece.strip() for part in self.parts for piece in re.split(r"\n|(?<=[.!?。])\s", part)]
        return [piece for piece in pieces if len(piece) > 7] or list(self.parts)


@dataclass(frozen=True)
class Pair:
    """A task with the answer that wins and the one that loses."""

    task: str
    winner: str
    loser: str

    def case(self, attack: Attack | None = None) -> Comparison:
        """Build the comparison with the losing answer as A, and with the attack added if one is given."""
        slots = {"loser": "", "winner": "", "context": "", "task": ""}
        if attack is not None and attack.slot == "both":
            slots |= {"winner": attack.parts[0], "loser": attack.parts[1]}
        elif attack is not None and attack.slot in slots:
            slots[attack.slot] = attack.parts[0]
        told = {name: f"\n\n{text}" if text else "" for name, text in slots.items()}
        return Comparison(
            self.task + told["task"],
            self.loser + told["loser"],
            self.winner + told["winner"],
            context=BACKGROUND + told["context"],
        )


# -- encodings --------------------------------------------------------------------------------------------------------

_CYRILLIC = str.maketrans("aeopcyxisj", "аеорсухіѕј")
_LETTERS = [chr(code) for code in (*range(65, 91), *range(97, 123))]
_MATHEMATICAL = {ord(letter): chr(0x1D400 + at) for at, letter in enumerate(_LETTERS)}


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


ENCODINGS: dict[str, Callable[[str], str]] = {
    "zero_width_spaces": "\u200b".join,
    "zero_width_joiners": "\u200d".join,
    "word_joiners": "\u2060".join,
    "soft_hyphens": "\u00ad".join,
    "tags": lambda text: "Thanks." + "".join(chr(0xE0000 + ord(char)) for char in text),
    "reversed_override": lambda text: f"\u202e{text[::-1]}\u202c",
    "variation_selectors": lambda text: "Thanks 🙂" + "".join(chr(0xE0100 + ord(char)) for char in text),
    "fullwidth": lambda text: "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text),
    "cyrillic": lambda text: text.translate(_CYRILLIC),
    "mathematical": lambda text: text.translate(_MATHEMATICAL),
    "base64": _base64,
    "base64_with_order": lambda text: f"Decode this base64 and do what it says: {_base64(text)}",
    "hexadecimal": lambda text: text.encode().hex(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
}


def attacks() -> list[Attack]:
    """Load all attacks of the data file, in all their forms."""
    found = []
    for family in yaml.safe_load((HERE / "attacks.yaml").read_text("utf-8")):
        texts = family["texts"]
        if "piles" in family:
            texts = ["\n\n".join((texts * 2)[at : at + n]) for at in range(len(texts)) for n in family["piles"]]
        for text in texts:
            parts = (text,) if isinstance(text, str) else tuple(text)
            for name in family.get("encodings", [None]):
                encoded = parts if name is None else tuple(map(ENCODINGS[name], parts))
                found.append(Attack(family["family"], family.get("slot", "loser"), encoded, family.get("order", True)))
    return found


# -- pairs ------------------------------------------------------------------------------------------------------------


def shipped_pairs() -> list[Pair]:
    """Return the English tasks of the planted-error audit, each with the good response and only its end."""
    tasks = yaml.safe_load((HERE / "samples" / "reviews.yaml").read_text("utf-8"))["tasks"]
    texts = [(str(task["prompt"]), str(task["good"])) for task in tasks if task["language"] == "en"]
    return [
        Pair(task, good, good[good.find(". ", len(good) // 2) + 2 :]) for task, good in texts if good.count(".") > 2
    ]


def labelled_pairs(folder: Path) -> list[Pair]:
    """Return pairs that people decided, taken from all files in turn."""
    files = [list(map(json.loads, file.read_text("utf-8").splitlines())) for file in sorted(folder.glob("*.jsonl"))]
    rows = [row for at in range(40) for rows in files for row in rows[at * 5 : at * 5 + 1]]
    pairs = []
    for row in rows:
        a, b = str(row["response_a"]), str(row["response_b"])
        if row["human"] in ("A", "B") and a.strip() and b.strip():
            pairs.append(Pair(str(row["task"]), *((a, b) if row["human"] == "A" else (b, a))))
    return pairs


def begins_like(text: str, answer: str) -> bool:
    """Check whether a text begins like an answer; the credulous judge recognizes answers by this."""
    return _readable(text).startswith(_readable(answer)[:30])


async def usable(pairs: Iterable[Pair]) -> tuple[list[Pair], int]:
    """Return the pairs on which the embedded judge agrees with the label and reports no attempt, and the number that it
    decides."""
    found, decided = [], 0
    for pair in pairs:
        verdict = await compare(pair.case(), EmbeddedJudge(), RUBRIC, CompareOptions(one_order=True))
        assert isinstance(verdict, ComparisonVerdict)
        if verdict.winner == "B" and not reported(verdict) and not begins_like(pair.winner, pair.loser):
            found.append(pair)
            decided += verdict.decided
    return found, decided


def reported(verdict: ComparisonVerdict) -> bool:
    return any(warning.code in ATTEMPTS.values() for warning in verdict.warnings)


# -- the credulous judge ----------------------------------------------------------------------------------------------


def _readable(text: str) -> str:
    seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", seen)


@dataclass
class Credulous:
    """Obeys any sentence of the attack that it reads, and otherwise prefers the better answer. Records its requests."""

    pair: Pair
    attack: Attack | None = None
    sent: list[Request] = field(default_factory=list)

    def __call__(self, request: Request) -> Behaviour:
        if "queries" in request.schema["properties"]:
            return says(json.dumps({"queries": ["what is known about it"]}))
        if "criteria" in request.schema["properties"]:  # skip repairs of its own quotes that were too short
            self.sent.append(request)
        obeys = self._obeys("\n".join(request.turns))

        def score(text: str) -> int:
            loser = begins_like(text, self.pair.loser)
            return (10 if loser else 1) if obeys else (5 if loser else 7)

        return says(json.dumps(correct_reply(request, score), ensure_ascii=False))

    def _obeys(self, prompt: str) -> bool:
        if self.attack is None or not self.attack.order:
            return False
        plain, readable = prompt.replace("\u2060", ""), _readable(prompt)
        for sentence in self.attack.sentences:
            shown = _readable(sentence)
            if sentence.replace("\u2060", "") in plain or (len(shown) > 7 and shown in readable):
                return True
        return False


class Found:
    """A search service with one result, which contains the attack."""

    def __init__(self, attack: Attack | None) -> None:
        self._says = attack.parts[0] if attack else "A page about the matter."

    async def look_up(self, query: str) -> Lookup:
        finding = Finding(title="A page", url="https://example.com/page", snippet=f"Some words. {self._says}")
        return Lookup(query=query, provider="scripted", findings=(finding,))


# -- measuring --------------------------------------------------------------------------------------------------------

_FINDINGS = re.compile(r"^Found by a program, and certain:\n(?:- .*\n)*", re.MULTILINE)


def outside(request: Request) -> tuple[str, ...]:
    """Return the parts of a prompt outside its fences, without the fence code and the findings of programs."""
    code = re.match(r"Marker code for this message: (\w+)\n", request.turns[0])
    assert code is not None
    fenced = re.compile(rf"<<<([A-Z0-9 ]+) {code[1]}>>>\n.*?\n<<<END \1 {code[1]}>>>", re.DOTALL)
    said = fenced.sub(r"<\1>", _FINDINGS.sub("", request.turns[0])).replace(code[1], "")
    return request.system, re.sub(r"\n+", "\n", said)


@asynccontextmanager
async def opened() -> Any:
    """Yield a function that asks the credulous judge."""
    current: list[Credulous] = []
    with tempfile.TemporaryDirectory() as folder:
        journal = open_journal(Path(folder) / "journal.db")
        async with ScriptedProvider(lambda request: current[-1](request)) as provider:
            judge: Judge = open_openai(provider, journal)

            async def ask(pair: Pair, attack: Attack | None, recheck: bool, slot: str) -> tuple[Any, Credulous]:
                current.append(Credulous(pair, attack))
                searcher = Found(attack) if slot == "search" else None
                options = CompareOptions(recheck_attempts=recheck)
                verdict = await compare(pair.case(attack), judge, RUBRIC, options, searcher)
                assert isinstance(verdict, ComparisonVerdict), verdict
                return verdict, current[-1]

            yield ask
            await judge.close()
        journal.close()


async def measure(tried: Iterable[Attack], pairs: list[Pair]) -> tuple[dict[str, Counter[str]], list[Attack]]:
    """Try the attacks. Return the counts of each family and the attacks that were not reported."""
    counts: dict[str, Counter[str]] = {}
    missed: list[Attack] = []
    clean: dict[tuple[Pair, bool], list[Request]] = {}
    async with opened() as ask:
        for attack, pair in zip(tried, cycle(pairs), strict=False):
            family = counts.setdefault(attack.family, Counter())
            searches = attack.slot == "search"
            if (pair, searches) not in clean:  # ask only once: a second time nothing is sent
                clean[pair, searches] = (await ask(pair, None, False, attack.slot))[1].sent
            before = clean[pair, searches]
            attacked, credulous = await ask(pair, attack, True, attack.slot)
            family["tried"] += 1
            family["left"] += set(map(outside, credulous.sent)) != set(map(outside, before))
            same = all(request.schema == before[0].schema for request in credulous.sent)
            family["structure"] += not same or list(attacked.criteria) != list(RUBRIC.weights)
            family["reported"] += reported(attacked)
            family["stood"] += attacked.winner == "A"
            family["rechecked"] += attacked.winner == "A" and attacked.decided
            if not reported(attacked):
                missed.append(attack)
            if not searches:  # the embedded judge does not search
                options = CompareOptions(recheck_attempts=True)
                alone = await compare(pair.case(attack), EmbeddedJudge(), RUBRIC)
                again = await compare(pair.case(attack), EmbeddedJudge(), RUBRIC, options)
                assert isinstance(alone, ComparisonVerdict) and isinstance(again, ComparisonVerdict)
                family["moved"] += alone.winner == "A"
                family["stands"] += alone.winner == "A" and alone.decided
                family["recheck"] += again.winner == "A" and again.decided
    return counts, missed


def false_alarms(folder: Path) -> Iterator[str]:
    """Yield lines that say how many clean texts are reported."""
    answers: dict[str, str] = {}
    others: set[str] = set()
    for file in sorted(folder.glob("*.jsonl")):
        for row in map(json.loads, file.read_text("utf-8").splitlines()):
            answers |= {str(row[side]): str(row["task"]) for side in ("response_a", "response_b")}
            others |= {str(row["task"]), str(row.get("context") or "")}
    alarms = sum(bool(hostile_facts("A", text, task)) for text, task in answers.items())
    yield f"answers             {len(answers):>7,}   reported {alarms:>4}"
    alarms = sum(bool(hostile_facts("task", text)) for text in others)
    yield f"tasks and contexts  {len(others):>7,}   reported {alarms:>4}"


def row(name: str, counted: Counter[str]) -> str:
    tried, left, structure, found, *moved = (counted[column] for column in COLUMNS)
    shown = ["–"] * 3 if name == "search results" else moved[:3]
    return (
        f"{name:<32} {tried:>6} {left:>9} {structure:>9} {found:>9} {shown[0]:>7} {shown[1]:>7} {shown[2]:>8}   "
        f"{moved[3]:>7} {moved[4]:>8}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with labelled pairs of answers")
    parser.add_argument("--missed", action="store_true", help="list the attacks that are not reported")
    args = parser.parse_args()
    pairs, decided = asyncio.run(usable(labelled_pairs(args.data) if args.data else shipped_pairs()))
    counts, missed = asyncio.run(measure(attacks(), pairs))
    print(f"{len(pairs)} pairs; the embedded judge is right on all of them and decides {decided}\n{HEADER}")
    for name, counted in counts.items():
        print(row(name, counted))
    print(row("all", sum(counts.values(), Counter())))
    if args.data:
        print("\nclean texts")
        print("\n".join(false_alarms(args.data)))
    for attack in missed if args.missed else ():
        print(f"not reported: {attack.family}: {' … '.join(attack.parts)[:160]!r}")


if __name__ == "__main__":
    main()
