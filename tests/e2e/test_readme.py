"""The README's sentences are true: in a fresh checkout, with what `make demo` installs and nothing else, every command
of the README succeeds, and every page of the demo opens."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import aiohttp
import pytest
from scripted.provider import ScriptedProvider

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "sbom.json", "__pycache__", ".*_cache", ".hypothesis")
SET_UP, ACTIVATE = "make demo", ". .venv/bin/activate"
THIS_SUITE = "make test"
SENTENCE = "Keep the first version small enough that two people can finish it within a fortnight."
# The files that the README's user has.
FILES = {
    "task.md": "Plan a tool for two people.",
    "a.md": f"Write down what it must do. {SENTENCE}",
    "b.md": f"{SENTENCE} Then show it to somebody.",
    "pairs.jsonl": "".join(
        json.dumps({"id": f"p{n}", "task": f"Plan tool {n}.", "a": f"Plan {n}. {SENTENCE}", "b": f"{SENTENCE} {n}."})
        + "\n"
        for n in range(12)
    ),
}
LABELS = "1\n" * 12  # the first answer is better, twelve times
PRELUDE = "from pathlib import Path\ntask, a, b = (Path(f'{name}.md').read_text() for name in ('task', 'a', 'b'))\n"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the README's commands are for a POSIX shell"),
]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def shown_commands() -> list[str]:
    """Every command of the README: those of its blocks, and those in its sentences that can be run as they are."""
    lines = [line.split("  #")[0] for block in blocks("sh") for line in block.splitlines()]
    lines += [line[2:] for block in blocks("console") for line in block.splitlines() if line.startswith("$ ")]
    lines += re.findall(r"`(python [^`]+|adjudge \w+ [^`]+|adjudge judges|adjudge doctor)`", README)
    return list(dict.fromkeys(line.strip() for line in lines))


class Checkout:
    """A copy of this checkout, and a user's shell in it."""

    def __init__(self, folder: Path) -> None:
        shutil.copytree(ROOT, folder, symlinks=True, ignore=NOT_COPIED)
        shutil.rmtree(folder / "demo", ignore_errors=True)  # what `make demo` wrote here
        for name, text in FILES.items():
            (folder / name).write_text(text)
        self.folder = folder
        # Nothing of the tests' own installation, which has every extra, and no key.
        ours = re.compile(r"ADJUDGE_|PYTHON|VIRTUAL_ENV|.*_API_KEY|.*_BASE_URL")
        self.environment = {name: value for name, value in os.environ.items() if not ours.match(name)}
        self.environment["XDG_DATA_HOME"] = str(folder.parent / "data")

    def judge_with(self, provider: ScriptedProvider) -> None:
        """Ask this provider in place of those on the internet."""
        self.environment |= {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": f"{provider.url}/v1"}
        self.environment |= {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": provider.url}

    async def _start(self, command: str) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            *("bash", "-ec", command), cwd=self.folder, env=self.environment, stdin=pipe, stdout=pipe, stderr=pipe
        )

    async def run(self, command: str, typed: str = "") -> str:
        """What a command prints. It must succeed."""
        process = await self._start(command)
        out, err = await process.communicate(typed.encode())
        assert process.returncode == 0, f"$ {command}\n{out.decode()}{err.decode()}"
        return out.decode()

    @asynccontextmanager
    async def serving(self, command: str) -> AsyncIterator[tuple[aiohttp.ClientSession, str]]:
        """A browser and the address of a service, which gets a free port in place of the usual one."""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        process = await self._start(f"{ACTIVATE}; exec {command} --port {port}")
        assert process.stderr is not None
        said = b""
        while b"running on" not in said:
            line = await process.stderr.readline()
            assert line, f"$ {command}\n{said.decode()}"
            said += line
        reading = asyncio.create_task(process.communicate())
        try:
            async with aiohttp.ClientSession() as browser:
                yield browser, f"http://127.0.0.1:{port}/"
        finally:
            process.terminate()
            await reading


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """After `make demo`, as the README begins."""
    made = Checkout(tmp_path_factory.mktemp("fresh") / "adjudge")
    printed = asyncio.run(made.run(f"{SET_UP} PYTHON={sys.executable}"))
    for name in ("compare", "dialogue", "grade", "grade_claims", "review"):
        assert (made.folder / "demo" / f"{name}.html").is_file(), printed
    return made


async def test_every_command_of_the_readme_succeeds_with_what_make_demo_installs(
    checkout: Checkout, provider: ScriptedProvider
) -> None:
    checkout.judge_with(provider)
    commands = shown_commands()
    assert {SET_UP, ACTIVATE, THIS_SUITE} < set(commands)
    printed = {}
    for command in commands:
        if command in (SET_UP, ACTIVATE, THIS_SUITE):
            continue
        before = provider.calls
        if command.startswith("adjudge serve"):
            async with checkout.serving(command) as (browser, address):
                case = {"userTask": FILES["task.md"], "responseA": FILES["a.md"], "responseB": FILES["b.md"]}
                async with browser.post(f"{address}api/evaluate", json=case) as answer:
                    assert answer.status == 200, await answer.text()
        else:
            typed = LABELS if command.startswith("adjudge label") else ""
            printed[command] = await checkout.run(f"{ACTIVATE}; {command}", typed)
        assert provider.calls > before or "--judge" not in command, command
    optional = set(re.findall(r"^optional\s+(\w+)", printed["adjudge doctor"], re.MULTILINE))
    assert optional - {"opentelemetry"} == {"deepeval", "inspect", "local", "mlflow", "postgres", "providers", "ray"}
    assert "<html" in (checkout.folder / "report.html").read_text("utf-8")
    (checkout.folder / "shown.py").write_text(PRELUDE + "".join(blocks("python")))
    assert re.fullmatch(r"(A|B|tie) \S+ (True|False|None)\n", await checkout.run(f"{ACTIVATE}; python shown.py"))


async def test_the_command_that_doctor_names_adds_an_extra(checkout: Checkout) -> None:
    said = await checkout.run(f"{ACTIVATE}; adjudge doctor")
    (command,) = re.findall(r"^optional postgres: not installed; (.+)$", said, re.MULTILINE)
    await checkout.run(command)
    assert "ok       postgres: installed\n" in await checkout.run(f"{ACTIVATE}; adjudge doctor")


class Links(HTMLParser):
    """The addresses that a page names."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in ("href", "src") and value]


async def test_every_page_of_the_demo_that_a_link_leads_to_opens(checkout: Checkout) -> None:
    recipe = (ROOT / "Makefile").read_text()
    (command,) = re.findall(r"\$\(BIN\)/(adjudge serve --demo)\b", recipe)
    async with checkout.serving(command) as (browser, address):
        async with browser.get(f"{address}api/runs") as answer:
            runs = (await answer.json())["runs"]
        assert len(runs) >= 2
        for run in runs:
            async with browser.get(f"{address}api/runs/{run['run_id']}/events") as answer:
                await answer.read()  # until its end
        # One run has cases for whoever looks, who must label them before seeing how the judge agrees.
        (to_label,) = [run["run_id"] for run in runs if run["name"].endswith("to be labelled by you")]
        waiting, opened = [address], {address}
        while waiting:
            place = waiting.pop()
            async with browser.get(place) as answer:
                expected = 409 if f"/runs/{to_label}/agreement" in place else 200
                assert answer.status == expected, (place, await answer.text())
                page = await answer.text() if answer.content_type == "text/html" else ""
            # A filter of a filtered list, and so on, would never end.
            for link in (urldefrag(urljoin(place, each)).url for each in Links(page).found):
                if link.startswith(address) and link not in opened and not ("?" in link and "?" in place):
                    opened.add(link)
                    waiting.append(link)
    for run in runs:
        cases = {link for link in opened if link.startswith(f"{address}runs/{run['run_id']}/cases/")}
        assert len({link.partition("?")[0] for link in cases}) == run["cases"]
