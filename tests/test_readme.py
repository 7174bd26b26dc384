"""Docs that lag are bugs: the README's output, commands and names are held to what the software does."""

import re
from pathlib import Path

import pytest

from adjudge.cli.main import build_parser, main
from adjudge.errors import RubricError
from adjudge.llm.providers import PROVIDERS
from adjudge.rubric import parse, shipped
from adjudge.version import __version__

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_the_readme_shows_what_the_demo_really_prints(tmp_path, capsysbinary):
    shown = re.search(r"begins like this:\n\n```text\n(.*?)\n```", README, re.DOTALL)
    assert shown is not None
    main(["compare", str(ROOT / "examples/compare.json"), "--format", "text", "--journal", str(tmp_path / "j.db")])
    assert capsysbinary.readouterr().out.decode().startswith(shown[1] + "\n")
    shown = re.search(r"contradicts itself:\n\n```text\n(.*?)\n```", README, re.DOTALL)
    assert shown is not None
    main(["dialogue", str(ROOT / "examples/dialogue.txt"), "--format", "text", "--journal", str(tmp_path / "j.db")])
    assert capsysbinary.readouterr().out.decode().startswith(shown[1] + "\n")


def test_the_readme_shows_the_review_the_demo_really_prints(tmp_path, capsysbinary):
    shown = re.search(r"ratings of two responses:\n\n```text\n(.*?)\n```", README, re.DOTALL)
    assert shown is not None
    main(["review", str(ROOT / "examples/review.txt"), "--format", "text", "--journal", str(tmp_path / "j.db")])
    assert capsysbinary.readouterr().out.decode().startswith(shown[1] + "\n")


def test_the_readme_names_every_command_and_every_provider():
    commands = re.search(r"\{([\w,]+)\}", build_parser().format_usage()) or re.findall(
        r"^    (\w+) ", build_parser().format_help(), re.MULTILINE
    )
    names = commands if isinstance(commands, list) else commands[1].split(",")
    assert {"compare", "serve", "replay", "rubric", "judges", "doctor"} <= set(names)
    for name in names:
        assert f"adjudge {name}" in README, name
    for provider in PROVIDERS:
        assert f"`{provider}:…`" in README, provider


def test_the_readmes_refusal_of_a_typo_is_the_real_one():
    shown = re.search(r"`mine\.yaml:(\d+): (weigth: [^`]+)`", README)
    assert shown is not None
    line = int(shown[1])
    lines = shipped("compare").source.splitlines()
    lines[line - 1] = lines[line - 1].replace("weight", "weigth")
    with pytest.raises(RubricError) as refused:
        parse("\n".join(lines), "mine.yaml")
    assert str(refused.value) == f"mine.yaml:{line}: {shown[2]}"


def test_every_bench_command_in_the_readme_exists_and_every_link_leads_somewhere():
    for name in re.findall(r"`(bench/\w+\.py)", README):
        assert (ROOT / name).is_file(), name
    for target in re.findall(r"\]\((\w[^):]*)\)", README):
        assert (ROOT / target).exists(), target


def test_the_changelog_has_this_version():
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_map_of_the_code_names_every_part():
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for path in (ROOT / "src/adjudge").iterdir():
        if not path.name.startswith(("__", "py.typed")):
            assert f"`{path.name}" in contributing or f"{path.name}`" in contributing, path.name
