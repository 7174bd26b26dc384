"""Makes the files of the service's demo from what was written for it in `bench/demo/`:

    python bench/demo.py

Cases, labels and decisions are written to the `demo` folders of the protocols, and the replies of the written judges,
each under the key that the journal will look for. It is needed after a change of what was written, or of a prompt.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson
import yaml
from written_judge import compared, dialogue_judged, graded, sides

from adjudge.engine import Engine, open_engine
from adjudge.inputs.rows import BadRow, open_rows
from adjudge.llm.base import Delivery, Prompt, Sampling, Wire, WrappedWire
from adjudge.models.common import Failure
from adjudge.protocols.base import Protocol, names, protocol_of
from adjudge.protocols.review.fixing import ReviewFixes, changes, fixed
from adjudge.protocols.review.service.decisions import _RESULT
from adjudge.protocols.rubrics import load, shipped
from adjudge.server.pages.demo import cases_of

DATA = Path(__file__).parent / "demo"
Written = dict[str, Any]
Reply = Callable[[Prompt, Written, str], Mapping[str, Any]]
SYSTEMS = {"h": "heron", "k": "kestrel"}
PEOPLE = ("lena", "omar", "priya")
STILL_OPEN = {("omar", case) for case in ("late-refund", "null-check", "museum-sign", "learn-language")}


class WritingWire(WrappedWire):
    """Answers with what was written about the current case, and keeps every reply by its key."""

    def __init__(self, inner: Wire, reply: Callable[[Prompt], Mapping[str, Any]]) -> None:
        super().__init__(inner)
        self.reply, self.kept = reply, dict[str, Mapping[str, Any]]()

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        if "<<<YOUR REPLY" in prompt.user:
            raise ValueError(prompt.user.partition("<<<PROBLEMS")[2])
        self.kept[key] = self.reply(prompt)
        return Delivery(orjson.dumps(self.kept[key]), 1)


def written(name: str) -> list[Written]:
    """Read what was written of a protocol."""
    loaded: list[Written] = yaml.safe_load((DATA / f"{name}.yaml").read_text("utf-8"))
    return loaded


def lines(rows: list[Any]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


async def record(protocol: Protocol, reply: Reply) -> bytes:
    """Judge all cases of the protocol's demo as the service will, and return the written replies by key."""
    about = {case["id"]: case for case in written(protocol.name)}
    kept: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        async with open_engine(f"{folder}/journal.db") as engine:
            for run in protocol.form.example_runs:
                if run.replies and not run.only:
                    rubric = load(protocol.folder / run.rubric) if run.rubric else shipped(protocol.name)
                    settings = protocol.settings(**run.settings, rubric=rubric)
                    file = Path(folder) / "cases.jsonl"
                    file.write_bytes(cases_of(protocol, run))
                    for row in open_rows(str(file), protocol.name, rubric):
                        if isinstance(row, BadRow):
                            raise ValueError(row.message)
                        kept |= await _judged(engine, settings, row.case, about[row.case_id], reply)
    return lines([{"key": key, "reply": said} for key, said in kept.items()])


async def _judged(engine: Engine, settings: Any, case: Any, about: Written, reply: Reply) -> dict[str, Any]:
    judge = settings.judges[0]
    engine.open_judge(judge, settings)
    wires = engine.wrap_wires(lambda wire: WritingWire(wire, lambda prompt: reply(prompt, about, judge)))
    verdict = await engine.judge(case, settings)
    if isinstance(verdict, Failure) or (bad := [one for one in verdict.warnings if one.code in _BAD]):
        raise ValueError(f"{about['id']}: {verdict if isinstance(verdict, Failure) else bad}")
    # The two orders are asked at the same time, in any order.
    found = dict(sorted((key, said) for wire in wires.values() for key, said in wire.kept.items()))
    engine._wires.clear()
    return found


_BAD = ("missing_evidence", "dropped_quote", "dropped_claim", "replaced_reason")


# -- the files of each protocol ---------------------------------------------------------------------------------------


def compare_files() -> dict[str, bytes]:
    cases, labels = [], []
    for about in written("compare"):
        a, b = sides(about)
        chosen = {a: "A", b: "B", "t": "tie", "-": None}
        given = [chosen[letter] for letter in about["labels"]]
        most = max(("A", "tie", "B"), key=given.count)
        cases.append(
            {
                **{name: about[name] for name in ("id", "week", "category", "task")},
                **{"a": about[a], "b": about[b], "system_a": SYSTEMS[a], "system_b": SYSTEMS[b], "label": most},
            }
        )
        for person, value in zip(PEOPLE, given, strict=True):
            if (person, about["id"]) not in STILL_OPEN:
                labels.append({"case": about["id"], "person": person, "value": value})
    # All weeks together are another system, so that they are no point of the weeks' trend.
    month = [{**case, **{name: f"{case[name]}-march" for name in ("system_a", "system_b")}} for case in cases]
    return {"weeks.jsonl": lines(cases), "march.jsonl": lines(month), "labels.jsonl": lines(labels)}


def grade_files() -> dict[str, bytes]:
    named = ("id", "system", "topic", "task", "answer", "label")
    return {
        "cases.jsonl": lines(
            [{**{name: about[name] for name in named}, "context": about["source"]} for about in written("grade")]
        )
    }


def dialogue_files() -> dict[str, bytes]:
    cases = []
    for about in written("dialogue"):
        turns = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(about["turns"])]
        cases.append({"id": about["id"], "channel": about["channel"], "messages": turns})
    return {"cases.jsonl": lines(cases)}


async def review_acts() -> bytes:
    """Return the decisions about reviews. Those that fix something hold the fixed result, as the service stores it."""
    protocol, told = protocol_of("review"), yaml.safe_load((DATA / "review.yaml").read_text("utf-8"))
    acts = [_act(case, "accepted", reason="") for case in told["accepted"]]
    acts += [_act(each["case"], "rejected", reason=each["reason"]) for each in told["rejected"]]
    (run,) = protocol.form.example_runs
    rows = open_rows(str(protocol.folder / run.file), protocol.name, shipped(protocol.name))
    cases = {row.case_id: row.case for row in rows if not isinstance(row, BadRow)}
    with tempfile.TemporaryDirectory() as folder:
        async with open_engine(f"{folder}/journal.db") as engine:
            for each in told["fixed"]:
                verdict: Any = await engine.judge(cases[each["case"]], protocol.settings())
                after = fixed(verdict, ReviewFixes.model_validate(each["fixes"]))
                kept = after.model_dump(mode="json")
                detail = {"changes": changes(verdict, after), "result": {name: kept[name] for name in _RESULT}}
                acts.append(_act(each["case"], "fixed", reason=each["reason"], **detail))
    order = list(cases)
    return lines(sorted(acts, key=lambda act: order.index(act["case"])))


def _act(case: str, decision: str, **detail: Any) -> dict[str, Any]:
    return {"case": case, "person": "rosa", "action": f"review.{decision}", "detail": detail}


MADE: dict[str, tuple[Callable[[], dict[str, bytes]], Reply | None]] = {
    "compare": (compare_files, compared),
    "grade": (grade_files, graded),
    "dialogue": (dialogue_files, dialogue_judged),
}


async def build(into: Path | None = None) -> list[Path]:
    """Write the files of all protocols to their folders, or to folders of their names in `into`."""
    made = []
    for protocol in map(protocol_of, names()):
        make, reply = MADE.get(protocol.name, (dict, None))
        folder = _folder(protocol, into)
        for name, content in make().items():
            made.append(folder / name)
            made[-1].write_bytes(content)
        if reply:
            made.append(folder / "replies.jsonl")
            made[-1].write_bytes(await record(protocol, reply))
    made.append(_folder(protocol_of("review"), into) / "acts.jsonl")
    made[-1].write_bytes(await review_acts())
    return made


def _folder(protocol: Protocol, into: Path | None) -> Path:
    folder = into / protocol.name if into else protocol.folder / "demo"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for path in asyncio.run(build()):
        print(f"{path.stat().st_size:>9,} {path}")
