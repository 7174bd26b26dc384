"""What adjudge is installed from: locked versions with their hashes, a list of all parts, and an honest audit."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
FILES = ("base", "dev", "service", "model")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def locked(name: str) -> dict[str, tuple[str, list[str]]]:
    """The packages of a file with their version and hashes."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text().replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        pinned, *hashes = line.split(" --hash=")
        requirement = Requirement(pinned.strip())
        (version,) = requirement.specifier
        assert version.operator == "=="
        found[canonicalize_name(requirement.name)] = version.version, [one.strip() for one in hashes]
    return found


def demanded(*extras: str) -> Iterator[Requirement]:
    for written in PROJECT["project"]["dependencies"]:
        yield Requirement(written)
    for extra in extras:
        for written in PROJECT["project"]["optional-dependencies"][extra]:
            requirement = Requirement(written)
            yield from demanded(*requirement.extras) if requirement.name == "adjudge" else [requirement]


@pytest.mark.parametrize("name", FILES)
def test_every_locked_package_has_hashes_and_no_file_names_a_server(name: str) -> None:
    packages = locked(name)
    assert packages
    for package, (_, hashes) in packages.items():
        assert hashes, package
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for one in hashes), package
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    assert "://" not in text
    assert not re.search(r"^\s*-(?!-hash=)", text, re.MULTILINE)


def test_what_pyproject_asks_for_is_locked_in_a_version_it_allows() -> None:
    groups = PROJECT["dependency-groups"]
    build = [Requirement(written) for written in (*groups["build"], *PROJECT["build-system"]["requires"])]
    for name, wanted in (
        ("base", [*demanded(), *build]),
        ("dev", [*demanded("dev"), *build]),
        ("service", [*demanded("service"), *build]),
        ("model", [Requirement(written) for written in groups["model"]]),
    ):
        packages = locked(name)
        for requirement in wanted:
            version, _ = packages[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), f"{requirement} in {name}.txt: run `make lock`"


def test_the_tests_run_with_all_that_users_have() -> None:
    dev = locked("dev")
    for used in (locked("base"), locked("service")):
        assert {name: dev.get(name) for name in used} == used


def test_what_is_installed_is_what_is_locked() -> None:
    known = {**locked("dev"), **locked("model")}
    installed = {canonicalize_name(found.metadata["Name"]): found.version for found in distributions()}
    assert {name: version for name, version in installed.items() if known.get(name, (version,))[0] != version} == {}


def test_make_and_the_image_install_by_hashes_only() -> None:
    recipes = (ROOT / "Makefile").read_text()
    assert "--require-hashes" in recipes
    for line in re.findall(r"^\t\$\(PIP\).*$", recipes, re.MULTILINE):
        assert "--no-deps --no-build-isolation --editable ." in line
    installing = re.findall(r"^RUN .* pip .*", (ROOT / "Dockerfile").read_text().replace("\\\n", " "), re.MULTILINE)
    assert ["--require-hashes" in line for line in installing] == [True, False]
    assert re.search(r"--no-deps --no-build-isolation \.$", installing[1])


@pytest.mark.slow
def test_the_bill_of_materials_has_every_locked_package_with_its_hashes(tmp_path: Path) -> None:
    packages = {**locked("dev"), **locked("model")}
    recipe = re.search(r"^sbom:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    command = recipe[1].replace("\\\n", "").replace("$(BIN)/cyclonedx-py", f"{sys.executable} -m cyclonedx_py")
    command = command.replace("sbom.json", str(tmp_path / "sbom.json"))
    planted = {
        **os.environ,
        "OPENAI_API_KEY": "planted-key-4711",
        "PIP_EXTRA_INDEX_URL": "https://ann:planted-word@host",
    }
    subprocess.run(["bash", "-c", command], cwd=ROOT, check=True, capture_output=True, env=planted)
    assert "planted" not in (tmp_path / "sbom.json").read_text()
    told = json.loads((tmp_path / "sbom.json").read_text())
    assert told["bomFormat"] == "CycloneDX"
    assert told["metadata"]["component"]["name"] == "adjudge"
    parts = {canonicalize_name(part["name"]): part for part in told["components"]}
    assert {name: part["version"] for name, part in parts.items()} == {name: v for name, (v, _) in packages.items()}
    for name, (_, hashes) in packages.items():
        listed = {one["content"] for reference in parts[name]["externalReferences"] for one in reference["hashes"]}
        assert listed == {one.removeprefix("sha256:") for one in hashes}


# -- the audit --------------------------------------------------------------------------------------------------------


@contextmanager
def database(vulnerable: str | None = None, status: int = 200) -> Iterator[str]:
    """A server of the OSV API that knows a vulnerability of one package at most."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))["package"]["name"]
            affected = [{"package": {"name": asked, "ecosystem": "PyPI"}, "ranges": []}]
            known = {"id": "OSV-1", "summary": "bad", "details": "bad", "affected": affected}
            said = json.dumps({"vulns": [known]} if asked == vulnerable else {}).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1/query"
        server.shutdown()


def audit(url: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "requirements" / "audit.py"), "--osv-url", url]
    return subprocess.run(command, capture_output=True, text=True, check=False)


UNKNOWN = r"audit: no vulnerability database could be asked, so nothing is known: [^\n]+\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("known", "ends_with", "says"),
    [
        ({}, 0, r"audit: \d{3} packages, 0 known vulnerabilities\n"),
        ({"vulnerable": "aiohttp"}, 1, r"aiohttp [\d.]+: OSV-1, fixed in no version yet\naudit: .*\n"),
        ({"status": 503}, 3, UNKNOWN),
        (None, 3, UNKNOWN),
    ],
    ids=["nothing is known", "a vulnerability", "the database fails", "it cannot be reached"],
)
def test_an_audit_names_what_it_finds_and_a_database_without_an_answer_is_not_taken_for_a_clean_one(
    known: dict[str, Any] | None, ends_with: int, says: str
) -> None:
    with database(**known or {}) as url:
        done = audit(url) if known is not None else None
    done = done or audit(url)
    assert done.returncode == ends_with, done.stdout + done.stderr
    assert re.fullmatch(says, done.stdout), done.stdout
    if known and "vulnerable" in known:
        assert f"aiohttp {locked('base')['aiohttp'][0]}: " in done.stdout
