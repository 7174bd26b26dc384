"""Imports point one way: each part may know the parts above it in this list, and no others."""

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import adjudge

ROOT = Path(adjudge.__file__).parent
LAYERS = [
    "version",
    "redaction",
    "errors",
    "extras",
    "files",
    "arithmetic",
    "computing",
    "models",
    "statistics",
    "rubric",
    "text",
    "prompts",
    "constraints",
    "journal",
    "llm",
    "judges",
    "search",
    "protocols",
    "inputs",
    "results",
    "agreement",
    "reports",
    "engine",
    "api",
    "drafts",
    "runs",
    "server",
    "cli",
]
# Within judges/: roles know no judge, and
# the judges know no protocol.
INNER = {
    "agreement": [
        *("labels", "report", "report_cards", "annotators", "benchmark", "probes"),
    ],
    "judges": ["base", "budget", "roles", "embedded", "llm", "jury", "specs"],
    "llm": [
        *("base", "prices", "providers", "client", "rate_limiter", "retry", "http"),
        *("openai", "anthropic", "direct", "gguf", "batch"),
    ],
}


@cache
def parsed(file):
    return ast.parse(file.read_text("utf-8"))


@cache
def imports_of(file):
    """The adjudge modules a file imports, as dotted paths below adjudge; lazy ones count too."""
    return list(_imports_of(file))


def _imports_of(file):
    package = ("adjudge", *file.relative_to(ROOT).parts[:-1])
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("adjudge."):
                    yield alias.name.split(".")[1:]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            path = [*base, *(node.module or "").split(".")] if node.module else list(base)
            if path[:1] != ["adjudge"]:
                continue
            for alias in node.names:
                yield [part for part in (*path[1:], alias.name) if part]


def place(parts, order):
    return order.index(parts[0]) if parts and parts[0] in order else None


def test_every_part_has_its_place_in_the_list():
    parts = {path.stem if path.is_file() else path.name for path in ROOT.iterdir() if not path.name.startswith("__")}
    data = {"py.typed".partition(".")[0], "rubrics"}
    assert parts - data - set(LAYERS) == set()


def test_imports_point_up_the_list_only():
    wrong = []
    for file in sorted(ROOT.rglob("*.py")):
        own = [*file.relative_to(ROOT).parts[:-1], file.stem]
        if own == ["__init__"]:
            continue  # the public surface, which imports lazily from everywhere
        for target in imports_of(file):
            here, there = place(own, LAYERS), place(target, LAYERS)
            if there is not None and here is not None and there > here:
                wrong.append(f"{'/'.join(own)} imports {'.'.join(target)}")
            inner = INNER.get(own[0], [])
            if own[0] == target[0] and (low := place(own[1:], inner)) is not None:
                high = place(target[1:], inner)
                if high is not None and high > low:
                    wrong.append(f"{'/'.join(own)} imports {'.'.join(target)}")
    assert wrong == []


def file_of(target):
    """The file that an import loads: a module, a package's own file, or where the name in it stands."""
    for parts in (target, target[:-1]):
        for file in (ROOT.joinpath(*parts).with_suffix(".py"), ROOT.joinpath(*parts, "__init__.py")):
            if parts and file.is_file():
                return file
    return None


def test_no_files_import_each_other_in_a_circle():
    graph = {
        file: {loaded for target in imports_of(file) if (loaded := file_of(target)) not in (None, file)}
        for file in ROOT.rglob("*.py")
        if file.name != "__init__.py"  # these only hand on what stands in their folder
    }
    TopologicalSorter(graph).prepare()  # raises an error that names the circle


def test_protocols_know_no_provider_file_format_or_database():
    for file in sorted((ROOT / "protocols").glob("*.py")):
        for target in imports_of(file):
            assert target[:2] not in (["judges", "llm"], ["judges", "specs"]), (file, target)
            assert target[0] not in ("journal", "llm", "inputs", "reports", "search"), (file, target)


def test_a_class_name_has_one_owner():
    owners: dict[str, list[str]] = {}
    for file in sorted(ROOT.rglob("*.py")):
        for node in parsed(file).body:
            if isinstance(node, ast.ClassDef):
                owners.setdefault(node.name, []).append(str(file.relative_to(ROOT)))
    assert {name: files for name, files in owners.items() if len(files) > 1} == {}
