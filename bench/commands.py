"""Helpers that the run benchmarks share: start servers as processes, write cases to a file, run the command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import orjson
from overhead import SENTENCES

from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.rubrics import shipped

_HERE = Path(__file__).parent


@contextmanager
def serving(script: str, *args: str | Path | float) -> Iterator[int]:
    """Run a server script of this folder and yield its port."""
    command = [sys.executable, str(_HERE / script), *map(str, args)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield int(server.stdout.readline())
        finally:
            server.terminate()


@contextmanager
def running_service(journal: Path | str, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run `adjudge serve` and yield the process and its port."""
    command = adjudge("serve", "--port", "0", *options)
    kept = {**environment(), "ADJUDGE_JOURNAL": str(journal)}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=kept) as service:
        try:
            assert service.stderr is not None
            said = []
            for line in service.stderr:
                said.append(line)
                if found := re.search(r"running on http://[^:]+:(\d+)", line):
                    break
            else:
                raise RuntimeError(f"the service did not start: {''.join(said)}")
            # Keep reading the log, because a full pipe would block the service.
            reading = threading.Thread(target=lambda: [None for _ in service.stderr or ()], daemon=True)
            reading.start()
            yield service, int(found[1])
        finally:
            service.terminate()
            service.wait()
            reading.join()


def ask(port: int, path: str) -> dict[str, Any]:
    """Send a GET request to a server and return its JSON."""
    line = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        line.request("GET", path)
        told: dict[str, Any] = json.loads(line.getresponse().read())
        return told
    finally:
        line.close()


def adjudge(*args: str | Path | int) -> list[str]:
    """Return the `adjudge` command of the interpreter that runs this bench, with these arguments."""
    return [str(Path(sys.executable).with_name("adjudge")), *map(str, args)]


def environment() -> dict[str, str]:
    """Return the environment for a command in another folder, without proxies, so that local calls stay local."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    if paths := kept.get("PYTHONPATH"):
        kept["PYTHONPATH"] = os.pathsep.join(str(Path(path).resolve()) for path in paths.split(os.pathsep))
    return kept


def write_cases(path: Path, cases: Iterable[Comparison]) -> None:
    """Write comparisons as a JSONL file for `adjudge run compare`."""
    with path.open("wb") as file:
        for number, case in enumerate(cases):
            file.write(orjson.dumps({"id": f"case-{number}", "task": case.task, "a": case.a, "b": case.b}) + b"\n")


def short_cases(count: int) -> Iterator[Comparison]:
    """Yield cases of three sentences, one at a time, so that they are never all in memory."""
    for number in range(count):
        yield Comparison(f"Plan launch {number}.", f"Plan {number}. {SENTENCES[0]}", f"Draft {number}. {SENTENCES[0]}")


def short_reply() -> bytes:
    """Build the shortest valid reply: for each criterion a score, a one-word reason and one quote for each answer."""
    quote = " ".join(SENTENCES[0].split()[:10])
    marks: dict[str, Any] = {}
    for n in (1, 2):
        marks |= {f"quote_{n}": quote, f"impact_{n}": "favorable", f"rationale_{n}": "Concrete."}
    for n, score in ((1, 7), (2, 6)):
        marks |= {f"justification_{n}": "Fits.", f"score_{n}": score}
    criteria = {criterion.key: marks for criterion in shipped("compare").criteria}
    said = {"criteria": criteria, "more_evidence": [], "summary_1": "A plan.", "summary_2": "A draft."}
    said |= {"rationale": "Shorter.", "preference": "answer_1"}
    message = {"role": "assistant", "content": orjson.dumps(said).decode()}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    usage = {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200}
    return orjson.dumps({"id": "x", "object": "chat.completion", "model": "m", "choices": choices, "usage": usage})


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSONL file."""
    with path.open("rb") as file:
        for line in file:
            yield orjson.loads(line)
