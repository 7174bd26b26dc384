"""Peers to measure beside: each is installed into an environment of its own, made on first use and kept for the next.

What a peer is asked to do stands in `peers/`; its version is pinned there.
"""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from overhead import CONCURRENCY

_HERE = Path(__file__).parent / "peers"
PEERS = {"autoevals": "autoevals_battle", "inspect-ai": "inspect_graded", "deepeval": "deepeval_geval"}
_PROMPTFOO = "0.122.0"


@dataclass(frozen=True)
class Peer:
    """A contender: what it is called with its version, what the server answers it, and the command for a port."""

    name: str
    title: str
    reply: dict[str, Any]
    command: Callable[[int, Path], list[str]]


def python_peer(name: str, environments: Path) -> Peer:
    """A peer written in Python, in its environment."""
    sys.path.insert(0, str(_HERE))
    try:
        script = importlib.import_module(PEERS[name])
    finally:
        sys.path.remove(str(_HERE))
    python = _environment(environments / name, script.REQUIREMENTS)

    def command(port: int, folder: Path) -> list[str]:
        url = f"http://127.0.0.1:{port}/{name}/v1"
        path = str(_HERE / f"{PEERS[name]}.py")
        return [str(python), path, url, str(folder / "cases.jsonl"), str(CONCURRENCY)]

    return Peer(name, script.REQUIREMENTS[0].replace("==", " "), script.REPLY, command)


def _environment(folder: Path, requirements: tuple[str, ...]) -> Path:
    """The interpreter of an environment that holds exactly these."""
    python, note = folder / "bin" / "python", folder / "installed.json"
    if not note.exists() or json.loads(note.read_text()) != list(requirements):
        print(f"installing {', '.join(requirements)} into {folder}", file=sys.stderr)
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *requirements], check=True)
        note.write_text(json.dumps(requirements))
    return python


def promptfoo(environments: Path) -> Peer:
    """promptfoo's `select-best` over two answers that are already there; runs on Node."""
    script = environments / "promptfoo" / "node_modules" / ".bin" / "promptfoo"
    if not script.exists():
        npm = shutil.which("npm")
        if npm is None:
            sys.exit("promptfoo needs npm, which is not here")
        print(f"installing promptfoo {_PROMPTFOO} into {environments} (about 2 GB)", file=sys.stderr)
        script.parent.parent.parent.mkdir(parents=True, exist_ok=True)
        install = [npm, "install", "--no-audit", "--no-fund", f"promptfoo@{_PROMPTFOO}"]
        subprocess.run(install, check=True, cwd=environments / "promptfoo")
    reply = importlib.import_module("peers.peer_cases").completion("0")

    def command(port: int, folder: Path) -> list[str]:
        config = _write_config(folder, f"http://127.0.0.1:{port}/promptfoo/v1")
        flags = ["--no-cache", "--no-write", "--no-table", "--no-progress-bar", "-j", str(CONCURRENCY)]
        off = [f"{name}=1" for name in ("PROMPTFOO_DISABLE_TELEMETRY", "PROMPTFOO_DISABLE_UPDATE")]
        return ["env", *off, f"PROMPTFOO_CONFIG_DIR={folder}", str(script), "eval", "-c", str(config), *flags]

    return Peer("promptfoo", f"promptfoo {_PROMPTFOO}", reply, command)


def _write_config(folder: Path, url: str) -> Path:
    grader = {"id": "openai:chat:m", "config": {"apiBaseUrl": url, "apiKey": "none"}}
    best = [{"type": "select-best", "value": "the more helpful answer"}]
    lines = (folder / "cases.jsonl").read_text().splitlines()
    tests = [{"vars": {key: json.loads(line)[key] for key in ("task", "a", "b")}, "assert": best} for line in lines]
    config = folder / "promptfooconfig.json"
    known = {
        "providers": ["echo"],
        "prompts": ["{{a}}", "{{b}}"],
        "defaultTest": {"options": {"provider": grader}},
        "tests": tests,
    }
    config.write_text(json.dumps(known))
    return config
