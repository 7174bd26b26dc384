"""What the benches of runs share: their servers as processes, their cases as a file, and the command under test."""

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

from adjudge.models.cases import Comparison
from adjudge.rubric import shipped

_HERE = Path(__file__).parent


@contextmanager
def serving(script: str, *args: str | Path | float) -> Iterator[int]:
    """A server of this folder while it is needed: its port."""
    command = [sys.executable, str(_HERE / script), *map(str, args)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield int(server.stdout.readline())
        finally:
            server.terminate()


@contextmanager
def running_service(journal: Path | str, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """`adjudge serve` while it is needed: the process and its port."""
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
            # Whoever does not read the log stops the service once the pipe is full.
            reading = threading.Thread(target=lambda: [None for _ in service.stderr or ()], daemon=True)
            reading.start()
            yield service, int(found[1])
        finally:
            service.terminate()
            service.wait()
            reading.join()


def ask(port: int, path: str) -> dict[str, Any]:
    """What a server says of itself."""
    line = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        line.request("GET", path)
        told: dict[str, Any] = json.loads(line.getresponse().read())
        return told
    finally:
        line.close()


def adjudge(*args: str | Path | int) -> list[str]:
    """The command as a user gives it, with the interpreter this bench runs on."""
    return [str(Path(sys.executable).with_name("adjudge")), *map(str, args)]


def environment() -> dict[str, str]:
    """This process's environment for a command in another folder, without what sends local calls through a proxy."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    if paths := kept.get("PYTHONPATH"):
        kept["PYTHONPATH"] = os.pathsep.join(str(Path(path).resolve()) for path in paths.split(os.pathsep))
    return kept


def write_cases(path: Path, cases: Iterable[Comparison]) -> None:
    """Comparisons as a JSONL file that `adjudge run compare` reads."""
    with path.open("wb") as file:
        for number, case in enumerate(cases):
            file.write(orjson.dumps({"id": f"case-{number}", "task": case.task, "a": case.a, "b": case.b}) + b"\n")


def short_cases(count: int) -> Iterator[Comparison]:
    """Cases of three sentences: one after another, never all in memory."""
    for number in range(count):
        yield Comparison(f"Plan launch {number}.", f"Plan {number}. {SENTENCES[0]}", f"Draft {number}. {SENTENCES[0]}")


def short_reply() -> bytes:
    """As little as a judge can say: a score for each criterion, and why in a word, with one quote of each answer."""
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
    """The objects of a JSONL file."""
    with path.open("rb") as file:
        for line in file:
            yield orjson.loads(line)
