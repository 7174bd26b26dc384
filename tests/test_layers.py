"""Imports point one way: each part may know the parts above it in this list, and no others."""

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import adjudge

ROOT = Path(adjudge.__file__).parent
LAYERS = [
    "version",
    "redaction",
    "errors",
    "spelling",
    "extras",
    "files",
    "arithmetic",
    "computing",
    "models",
    "statistics",
    "yaml_nodes",
    "rubric",
    "text",
    "prompts",
    "constraints",
    "journal",
    "llm",
    "judges",
    "search",
    "rendering",
    "protocols",  # base.py and what protocols share; their folders are below
    "inputs",
    "results",
    "agreement",
    "reports",
    "engine",
    "runs",
    "a protocol's folder",
    "api",
    "server",
    "a protocol's service",
    "cli",
    "adapters",
]
INNER = {
    "agreement": [
        *("labels", "report", "gates", "benchmark", "probes"),
    ],
    "judges": ["at_hand", "role", "base", "budget", "embedded", "llm", "jury", "specs"],
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


def layer(parts):
    """The place of a module in the list. A protocol's folder may use all but the doors, and its service the server."""
    if parts[0] == "protocols" and len(parts) > 1 and (ROOT / "protocols" / parts[1]).is_dir():
        return LAYERS.index("a protocol's service" if parts[2:3] == ["service"] else "a protocol's folder")
    return place(parts, LAYERS)


def test_every_part_has_its_place_in_the_list():
    parts = {path.stem if path.is_file() else path.name for path in ROOT.iterdir() if not path.name.startswith("__")}
    data = {"py.typed".partition(".")[0]}
    assert parts - data == {name for name in LAYERS if " " not in name}


def test_imports_point_up_the_list_only():
    wrong = []
    for file in sorted(ROOT.rglob("*.py")):
        own = [*file.relative_to(ROOT).parts[:-1], file.stem]
        if own == ["__init__"]:
            continue  # the public surface, which imports lazily from everywhere
        for target in imports_of(file):
            if own[2:] == ["protocol"] and target[:3] == [*own[:2], "service"]:
                continue  # a protocol names its service, which is loaded by the server alone
            here, there = layer(own), layer(target)
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


# What a protocol judges with. The rest of its folder reads, shows, labels and measures.
JUDGES_WITH = ("case", "questions", "roles", "rater", "explainer", "arguments", "jury", "embedded", "rules", "referee")


def test_what_a_protocol_judges_with_knows_no_provider_file_format_or_database():
    files = [file for name in JUDGES_WITH for file in (ROOT / "protocols").glob(f"*/{name}.py")]
    assert len(files) > 20
    for file in [*files, ROOT / "protocols" / "procedure.py"]:
        for target in imports_of(file):
            assert target[:2] not in (["judges", "llm"], ["judges", "specs"]), (file, target)
            assert target[0] not in ("journal", "llm", "inputs", "reports", "search"), (file, target)


# The public doors: they offer each protocol as a function, and the settings of the service. So do adapters, to hosts.
DOORS = {"__init__.py", "api.py", "cli/service.py"}
NAMES_ONE = re.compile(
    r'"(compare|dialogue|grade|review)"|\bprotocols\.(compare|dialogue|grade|review)\b|'
    r"\b(import|class) .*(Comparison|Compare[A-Z]|Dialogue|Grade[A-Z]|Grading|Review)|"
    r"hasattr\(.*(protocol|verdict|case|settings)"
)


def test_nothing_but_the_public_doors_names_a_protocol():
    others = [file for file in ROOT.rglob("*.py") if file.relative_to(ROOT).parts[0] not in ("protocols", "adapters")]
    shared = [*(ROOT / "protocols").glob("*.py"), *others]
    naming = {str(file.relative_to(ROOT)) for file in shared if NAMES_ONE.search(file.read_text("utf-8"))}
    assert naming == DOORS


def test_shared_templates_and_scripts_name_no_protocol():
    files = [
        file
        for suffix in ("j2", "js")
        for file in ROOT.rglob(f"*.{suffix}")
        if file.relative_to(ROOT).parts[0] != "protocols" and "vendor" not in file.parts
    ]
    assert len(files) > 30
    named = re.compile(r"(['\"/ ])(dialogue|review)\1|['\"]compare['\"]|\b(evaluator|critic|likert|winner)\b")
    assert {file.name: found[0] for file in files if (found := named.search(file.read_text("utf-8")))} == {}


def test_a_class_name_has_one_owner():
    owners: dict[str, list[str]] = {}
    for file in sorted(ROOT.rglob("*.py")):
        for node in parsed(file).body:
            if isinstance(node, ast.ClassDef):
                owners.setdefault(node.name, []).append(str(file.relative_to(ROOT)))
    assert {name: files for name, files in owners.items() if len(files) > 1} == {}
