"""Docs that lag are bugs: shown output, commands, options, endpoints, names and variables are held to the software."""

import argparse
import re
import shlex
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import adjudge
from adjudge.cli.main import build_parser, main
from adjudge.constraints.measuring import KINDS
from adjudge.errors import RubricError
from adjudge.judges.jury import VOTE_RULES
from adjudge.llm.providers import PROVIDERS, SEARXNG_AUTH, URL_KEY
from adjudge.models.common import Reason, Warning
from adjudge.models.constraints import Bound, ObservationKind
from adjudge.protocols.base import names
from adjudge.protocols.dialogue.verdict import RefereeRule
from adjudge.protocols.grade.rubric import KIND_WORDS
from adjudge.protocols.rubrics import parse, shipped
from adjudge.search import BRAVE_KEYS
from adjudge.server.app import create_app
from adjudge.version import __version__

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = sorted((ROOT / "docs").glob("*.md"))
PROSE = (README, ROOT / "CONTRIBUTING.md", *PAGES)
SUBJECTS = (
    "compare", "dialogue", "grade", "review", "judges", "rubrics", "constraints", "runs-and-results",
    "journal-and-replay", "python", "http", "cli", "benchmarks", "limits", "architecture", "embedded-judge",
    "agreement", "gates", "service", "toolchain",
)  # fmt: skip
LEFT_OUT = "…"
# Options that the plugin adds to pytest, and one of Inspect's.
OF_OTHER_TOOLS = {
    *(f"--adjudge-{name}" for name in ("judge", "budget", "journal", "replay")),
    *("--scorer", "--action", "--overwrite", "--output-file"),  # inspect score
    "--use-cache",  # deepeval test run
}


def page(name):
    return (ROOT / "docs" / f"{name}.md").read_text("utf-8")


def commands(parser, name="adjudge"):
    """Every command and its parser, nested ones too."""
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, below in action.choices.items():
                yield from commands(below, f"{name} {word}")


def section(text, heading):
    """What a page says under a heading, up to the next one."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return found[1]


def transcripts():
    """Every ```console block of the docs: its file, its command, and the pieces of output it shows."""
    for path in PROSE:
        for block in re.findall(r"^```console\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            command, _, shown = block.partition("\n")
            yield pytest.param(command, shown, id=f"{path.name}: {command}")


# -- what is shown is what happens ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("command", "shown"), list(transcripts()))
def test_shown_output_is_what_the_command_prints(command, shown, monkeypatch, tmp_path, capsysbinary):
    words = shlex.split(command.removeprefix("$ "))
    assert words[0] == "adjudge"
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("ADJUDGE_JOURNAL", str(tmp_path / "journal.db"))
    # A terminal gets text without asking for it.
    assert main([*words[1:], "--format", "text"]) == 0
    rest = capsysbinary.readouterr().out.decode()
    pieces = [piece.strip("\n") for piece in re.split(rf"^{LEFT_OUT}$", shown, flags=re.MULTILINE)]
    if pieces[0]:
        assert rest.startswith(pieces[0])
    for piece in filter(None, pieces):
        before, found, rest = rest.partition(piece + "\n")
        assert found, f"not printed, or not in this order:\n{piece}"
        assert not before or before.endswith("\n")


def test_the_readme_shows_one_example_of_each_protocol():
    text = README.read_text("utf-8")
    for protocol in names():
        assert f"$ adjudge {protocol} examples/{protocol}." in text


def test_the_refusal_of_a_typo_in_a_rubric_is_the_real_one():
    shown = re.search(r"^mine\.yaml:(\d+): (weigth: .+)$", page("rubrics"), re.MULTILINE)
    assert shown is not None
    line = int(shown[1])
    lines = shipped("compare").source.splitlines()
    lines[line - 1] = lines[line - 1].replace("weight", "weigth")
    with pytest.raises(RubricError) as refused:
        parse("\n".join(lines), "mine.yaml")
    assert str(refused.value) == shown[0]


# -- nothing is missing -----------------------------------------------------------------------------------------------


def test_the_readme_is_short_and_links_to_every_page():
    lines = README.read_text("utf-8").splitlines()
    assert len(lines) <= 150
    assert [line for line in lines if len(line) > 160] == []
    for path in PAGES:
        assert f"(docs/{path.name})" in README.read_text("utf-8"), path.name


def test_there_is_a_page_for_every_subject():
    assert {path.stem for path in PAGES} == set(SUBJECTS)


def test_every_command_and_option_stands_in_the_page_of_the_command_line():
    text = page("cli")
    for name, parser in commands(build_parser()):
        own = text if name == "adjudge" else section(text, name)
        options = {option for action in parser._actions for option in action.option_strings} - {"-h", "--help"}
        if name != "adjudge":
            options -= {"-q", "--quiet", "-v", "--verbose"}  # the same everywhere
        for option in options:
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", own), f"{name} {option} is not in docs/cli.md"
        for choice in {str(c) for a in parser._actions if a.option_strings for c in a.choices or ()}:
            assert choice in own, f"{name}: {choice} is not in docs/cli.md"


def test_the_docs_name_no_option_or_command_that_does_not_exist():
    known = dict(commands(build_parser()))
    options = {option for parser in known.values() for action in parser._actions for option in action.option_strings}
    # The benches have options of their own.
    others = {option for path in (ROOT / "bench").glob("*.py") for option in re.findall(r"--[a-z-]+", path.read_text())}
    for path in (README, *PAGES):
        text = path.read_text("utf-8")
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", text):
            assert option in options | others | OF_OTHER_TOOLS, f"{path.name}: {option}"
        for word in re.findall(r"(?:^|[`/(])adjudge ([a-z]+)", text, re.MULTILINE):
            assert f"adjudge {word}" in known, f"{path.name}: adjudge {word}"


def test_every_endpoint_stands_in_the_page_of_the_service(tmp_path):
    app = create_app(adjudge.CompareSettings(), journal=tmp_path / "journal.db")
    text = page("http")
    described = app.openapi()
    for path, methods in described["paths"].items():
        for method in methods:
            assert f"`{method.upper()} {path}`" in text, f"{method.upper()} {path} is not in docs/http.md"
    stated = re.findall(r"`(?:GET|POST|PATCH|PUT|DELETE) (/api/[^`]*)`", text)
    assert set(stated) == set(described["paths"])
    schemas = [
        body["schema"]
        for path, methods in described["paths"].items()
        for operation in methods.values()
        for body in operation.get("requestBody", {"content": {}})["content"].values()
        if "properties" in body["schema"] and not path.startswith("/api/review")
    ]
    for field in {name for schema in schemas for name in schema["properties"]} | {"languages", "review_id"}:
        assert f"`{field}`" in text, f"the field {field} is not in docs/http.md"


def test_every_public_name_stands_in_the_page_of_python():
    for name in adjudge.__all__:
        assert re.search(rf"`{name}\b", page("python")), f"{name} is not in docs/python.md"


def test_every_setting_stands_in_the_page_of_python():
    for settings in (adjudge.CompareSettings, adjudge.DialogueSettings, adjudge.GradeSettings, adjudge.ReviewSettings):
        for field in fields(settings):
            assert f"`{field.name}`" in page("python"), f"{settings.__name__}.{field.name} is not in docs/python.md"


def test_every_provider_and_every_variable_stands_in_the_page_of_judges():
    text = page("judges")
    for provider in PROVIDERS.values():
        for word in (provider.name, *provider.keys, *provider.url_variables, f"{provider.name}:{provider.example}"):
            assert f"`{word}`" in text, f"{word} is not in docs/judges.md"
        assert f"`{provider.name}:…`" in README.read_text("utf-8"), provider.name
    for word in (URL_KEY, SEARXNG_AUTH, *BRAVE_KEYS):
        assert f"`{word}`" in text, f"{word} is not in docs/judges.md"
    for rule in VOTE_RULES:
        assert f"jury({rule})" in text, f"the vote rule {rule} is not in docs/judges.md"


def test_every_variable_that_the_source_reads_is_documented():
    documented = "\n".join(path.read_text("utf-8") for path in PAGES)
    for path in (ROOT / "src").rglob("*.py"):
        for name in re.findall(r"environ(?:\.get\(|\[)\"([A-Z_]+)\"", path.read_text("utf-8")):
            assert name in documented, f"{path.name} reads {name}"


def test_every_reason_of_a_failure_and_every_warning_is_documented():
    for reason in get_args(Reason):
        assert f"`{reason}`" in section(page("judges"), "Failures"), reason
    pages = "".join(page(name) for name in names())
    for code in get_args(get_type_hints(Warning)["code"]):
        assert f"`{code}`" in pages, code


def test_every_rule_of_the_referee_and_every_kind_of_constraint_is_documented():
    for rule in get_args(RefereeRule):
        assert f"`{rule}`" in page("dialogue"), rule
    for word in (*KINDS, *get_args(Bound), *get_args(ObservationKind)):
        assert f"`{word}`" in page("constraints"), word


def test_every_criterion_of_the_shipped_rubrics_is_named_on_its_protocols_page():
    for protocol in names():
        for criterion in shipped(protocol).criteria:
            named = criterion.name if protocol == "review" else criterion.key
            assert named in page(protocol), f"{named} is not in docs/{protocol}.md"


def test_every_limit_stands_with_its_number_in_the_page_of_limits():
    text = page("limits")
    for path in (ROOT / "src").rglob("*.py"):
        for name, number in re.findall(
            r"^(MAX_\w+) = (?:Decimal\()?([\d_]+)\)?$", path.read_text("utf-8"), re.MULTILINE
        ):
            assert re.search(rf"(?<![\d,]){int(number):,}(?![\d,])", text), (
                f"{name} = {number} is not in docs/limits.md"
            )


def test_every_bench_is_named_and_every_bench_named_exists():
    text = page("benchmarks")
    for path in (ROOT / "bench").rglob("*.py"):
        assert f"`{path.relative_to(ROOT).as_posix()}" in text, f"{path.name} is not in docs/benchmarks.md"
    for source in PROSE:
        for name in re.findall(r"bench/[\w/]+\.py", source.read_text("utf-8")):
            assert (ROOT / name).is_file(), f"{source.name}: {name}"


def test_every_relative_link_leads_somewhere():
    for source in PROSE:
        for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", source.read_text("utf-8")):
            path, _, anchor = target.partition("#")
            linked = (source.parent / path).resolve() if path else source
            assert linked.exists(), f"{source.name}: {target}"
            if anchor:
                headings = re.findall(r"^#+ (.+)$", linked.read_text("utf-8"), re.MULTILINE)
                assert anchor in {re.sub(r"[^\w -]", "", name).lower().replace(" ", "-") for name in headings}, target


def test_every_path_of_the_source_that_the_docs_name_exists():
    for source in PROSE:
        for name in re.findall(r"`((?:src|tests|examples)/[\w/.-]+)`", source.read_text("utf-8")):
            assert (ROOT / name).exists(), f"{source.name}: {name}"


def test_the_changelog_has_this_version():
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_map_of_the_code_names_every_part():
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for path in (ROOT / "src/adjudge").iterdir():
        if not path.name.startswith(("__", "py.typed")):
            assert f"`{path.name}" in contributing or f"{path.name}`" in contributing, path.name


def test_every_field_that_the_page_of_python_names_is_there():
    rows = section(page("python"), "Cases") + section(page("python"), "Verdicts")
    classes = re.findall(r"^\| `(\w+)` \| (.*) \|$", rows, re.MULTILINE)
    assert len(classes) == 11
    for name, said in classes:
        known = {*dir(getattr(adjudge, name)), *getattr(adjudge, name).model_fields}
        assert set(re.findall(r"`([a-z]\w*)", re.sub(r"\(.*?\)", "", said))) <= known, name


def test_the_docs_call_the_kinds_of_items_as_reports_do():
    rows = re.findall(r"^\| ([a-z ]+) \| `(?:ask|claims|covers|constraints|check): ", page("grade"), re.MULTILINE)
    assert rows == list(KIND_WORDS.values())


def test_the_map_names_files_that_every_protocol_has_or_says_which_has_them():
    """A row without parentheses is of all protocols; `(all but …)` names those that lack the file before it."""
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("| in `protocols/<name>/`")[2].partition("\n\n")[0]
    folder = Path(adjudge.__file__).parent / "protocols"
    for row in table.splitlines()[2:]:
        named, _, _ = row.removeprefix("| ").partition(" | ")
        for file, lacking in re.findall(r"`(\w+\.(?:py|yaml))`(?: \(all but (\w+)\))?", named):
            if "(" in named and not lacking:
                continue
            have = {name for name in names() if any((folder / name / each).exists() for each in (file, file[:-3]))}
            assert have == {*names()} - {lacking}, file
