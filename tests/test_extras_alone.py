"""Each extra installed alone into a fresh environment, and the command that it is for. The extras of other evaluation
tools are installed by the tests of their adapters."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
from adapters.sessions import ROOT, TASK, fresh_environment, run

CHECKS = 'name: c\nversion: "1"\nprotocol: grade\nitems: [{key: short, points: 1, check: {max_words: 9}}]\n'
ROWS = '{"task": "Say hi.", "answer": "Hi."}\n{"task": "Say ho.", "answer": "Ho ho ho ho ho ho ho ho ho ho."}\n'
NO_SERVER = "postgresql://ann@127.0.0.1:1/none"
GRADE = ("grade", "--task", TASK, "--answer", "It is Oslo.")
CHECKED, SERVER = ("--rubric", "c.yaml"), ("--journal", "{journal}")
# Of each extra: a command that needs it, its status, and what it says where the rest (a model, a key, a server) is
# missing, or what it prints. A `{journal}` is an empty one on a Postgres server.
COMMANDS = {
    "local": ((*GRADE, "--judge", "gguf:none.gguf"), 2, r"none\.gguf: .*(not found|no such)"),
    "providers": ((*GRADE, "--judge", "deepseek:deepseek-chat"), 2, "DEEPSEEK_API_KEY"),
    "postgres": ((*GRADE, *CHECKED, *SERVER), 0, '"passed": true'),
    "service": (("serve", "--port", "0", "--journal", NO_SERVER), 2, "127.0.0.1"),
    "ray": (
        ("run", "grade", "rows.jsonl", *CHECKED, "--run", "out", "--engine", "ray", *SERVER),
        0,
        "2 verdicts: fail 1, pass 1 0 failures",
    ),
}
# What `adjudge doctor` finds of an extra that brings others.
BRINGS = {"service": {"postgres"}, "ray": {"ray", "postgres"}}
HOSTS = ("deepeval", "inspect", "mlflow", "opentelemetry")


def test_every_extra_is_installed_alone_by_a_test():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {name for name, packages in extras.items() if packages} - {"dev"} == {*COMMANDS, *HOSTS}
    for host in HOSTS:
        assert f'"{host}"' in (Path(__file__).parent / f"adapters/test_{host}.py").read_text()


def shown(out):
    """What a command printed, each run of white space as one space."""
    return " ".join(out.split())


@pytest.mark.slow
@pytest.mark.parametrize("extra", COMMANDS)
async def test_an_extra_alone_gives_the_command_that_it_is_for(tmp_path, extra, request):
    (tmp_path / "c.yaml").write_text(CHECKS)
    (tmp_path / "rows.jsonl").write_text(ROWS)
    command, status, says = COMMANDS[extra]
    python = await fresh_environment(tmp_path, extra)
    data = {"XDG_DATA_HOME": str(tmp_path / "data"), "HOME": str(tmp_path), "DEEPSEEK_API_KEY": ""}
    listed = await run(python, "-m", "adjudge", "doctor", folder=tmp_path, **data)
    found = set(re.findall(r"^ok +(\w+): installed", listed.out, re.MULTILINE))
    assert found - {"opentelemetry"} == BRINGS.get(extra, {extra}), (
        listed.out
    )  # that API comes with a dependency that we always have
    if "{journal}" in command:
        journal = request.getfixturevalue("postgres").new_place()
        command = tuple(word.replace("{journal}", journal) for word in command)
    ended = await run(python, "-m", "adjudge", *command, folder=tmp_path, **data)
    assert ended.status == status, ended.out
    assert re.search(says, shown(ended.out)), ended.out
    assert "needs the extra" not in ended.out
    assert "Traceback" not in ended.out
    assert sys.executable not in ended.out
