"""Installs the peers to compare with, each into its own environment, which is created on first use and kept.

The scripts in `peers/` define what a peer does and pin its version.
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
_PROMPTFOO = "0.121.20"  # the last version that runs on Node 20


@dataclass(frozen=True)
class Peer:
    """A contender: its name and version, the reply that the server sends it, and the command for a port."""

    name: str
    title: str
    reply: dict[str, Any]
    command: Callable[[int, Path], list[str]]


def python_peer(name: str, environments: Path) -> Peer:
    """Install a Python peer and return it."""
    script = _peer_module(PEERS[name])
    python = _environment(environments / name, script.REQUIREMENTS)

    def command(port: int, folder: Path) -> list[str]:
        url = f"http://127.0.0.1:{port}/{name}/v1"
        path = str(_HERE / f"{PEERS[name]}.py")
        return [str(python), path, url, str(folder / "cases.jsonl"), str(CONCURRENCY)]

    return Peer(name, script.REQUIREMENTS[0].replace("==", " "), script.REPLY, command)


def _peer_module(name: str) -> Any:
    """Import a file of `peers/`; these files import only each other."""
    sys.path.insert(0, str(_HERE))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(_HERE))


def _environment(folder: Path, requirements: tuple[str, ...]) -> Path:
    """Create an environment with exactly these requirements if needed, and return its interpreter."""
    python, note = folder / "bin" / "python", folder / "installed.json"
    if not note.exists() or json.loads(note.read_text()) != list(requirements):
        print(f"installing {', '.join(requirements)} into {folder}", file=sys.stderr)
        venv.create(folder, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *requirements], check=True)
        note.write_text(json.dumps(requirements))
    return python


def promptfoo(environments: Path) -> Peer:
    """Install promptfoo (on Node). It grades given answers with its `llm-rubric`, which sees the other answer too.

    Its own comparison, `select-best`, handles one case after another and would mostly wait.
    """
    home = environments / "promptfoo"
    script = home / "node_modules" / ".bin" / "promptfoo"
    if not script.exists():
        npm = shutil.which("npm")
        if npm is None:
            sys.exit("promptfoo needs npm, which is not here")
        print(f"installing promptfoo {_PROMPTFOO} into {home} (about 2 GB)", file=sys.stderr)
        home.mkdir(parents=True, exist_ok=True)
        subprocess.run([npm, "install", "--no-audit", "--no-fund", f"promptfoo@{_PROMPTFOO}"], check=True, cwd=home)
    graded = {"reason": "The first says the same in fewer words.", "pass": True, "score": 0.8}
    reply = _peer_module("peer_cases").completion(json.dumps(graded))

    def command(port: int, folder: Path) -> list[str]:
        config = _write_config(folder, f"http://127.0.0.1:{port}/promptfoo/v1")
        flags = ["--no-cache", "--no-write", "--no-table", "--no-progress-bar", "-j", str(CONCURRENCY)]
        off = [f"PROMPTFOO_DISABLE_{what}=1" for what in ("TELEMETRY", "UPDATE", "DEBUG_LOG", "ERROR_LOG")]
        return ["env", *off, f"PROMPTFOO_CONFIG_DIR={folder}", str(script), "eval", "-c", str(config), *flags]

    return Peer("promptfoo", f"promptfoo {_PROMPTFOO}", reply, command)


def _write_config(folder: Path, url: str) -> Path:
    grader = {"id": "openai:chat:m", "config": {"apiBaseUrl": url, "apiKey": "none"}}
    better = [{"type": "llm-rubric", "value": "To the task {{task}} it is a more helpful answer than: {{b}}"}]
    lines = (folder / "cases.jsonl").read_text().splitlines()
    known = {
        "providers": ["echo"],
        "prompts": ["{{a}}"],
        "defaultTest": {"options": {"provider": grader}, "assert": better},
        "tests": [{"vars": {key: json.loads(line)[key] for key in ("task", "a", "b")}} for line in lines],
    }
    config = folder / "promptfooconfig.json"
    config.write_text(json.dumps(known))
    return config
