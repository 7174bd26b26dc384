"""A protocol that another package brings has a command, and is one of those that `adjudge run` offers."""

import json
import re
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest
from fastapi.testclient import TestClient

from adjudge.protocols import registry
from adjudge.protocols.base import protocol_of
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app

_COMPARE = """
from dataclasses import replace
from adjudge.protocols.base import protocol_of
PROTOCOL = replace(protocol_of("compare"), name="pair")
"""


@pytest.fixture
def install(monkeypatch, tmp_path):
    """Installs a package with the protocol `pair`: its `__init__.py` and `protocol.py`."""

    def install(init, protocol):
        package = tmp_path / "pairing"
        package.mkdir()
        (package / "__init__.py").write_text(init)
        (package / "protocol.py").write_text(protocol)
        monkeypatch.syspath_prepend(tmp_path)
        for name in ("pairing", "pairing.protocol"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        points = {"pair": EntryPoint("pair", "pairing.protocol:PROTOCOL", "adjudge.protocols")}
        monkeypatch.setattr(registry, "_installed", lambda: points)
        monkeypatch.setattr(registry, "_loaded", dict(registry._loaded))
        monkeypatch.setattr(registry, "_usable", {})

    return install


@pytest.fixture
def installed(install):
    """The protocol `pair`, a comparison by another name, in a package of its own."""
    install('SUMMARY = "compare a pair"\nEXAMPLES = ("adjudge pair two.json",)\n', _COMPARE)


def test_it_appears_in_the_help_and_judges(adjudge, installed, tmp_path):
    shown = adjudge("--help").out
    assert re.search(r"pair +compare a pair", shown)
    assert "adjudge pair two.json" in shown
    assert "pair" not in registry._loaded, "the help loads no protocol"
    (tmp_path / "two.json").write_text(json.dumps({"task": "Name a prime.", "a": "11 is one.", "b": "12 is one."}))
    code, out, _ = adjudge("pair", "two.json", "--one-order", "--format", "json")
    assert code == 0
    assert json.loads(out)["evaluation"]["winner"] in ("A", "B", "tie")
    assert "{compare,dialogue,grade,pair,review}" in adjudge("run", "--help").out


_CLASHES = """
from dataclasses import dataclass
from adjudge.protocols.options import setting
from adjudge.protocols.compare.settings import CompareSettings

@dataclass(frozen=True, kw_only=True)
class PairSettings(CompareSettings):
    languages: str = setting("", "languages in scope")

PROTOCOL = replace(PROTOCOL, settings=PairSettings)
"""
_BROKEN = {
    "no package": ("import nowhere_to_be_found", "", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
    "no module": ("", "import nowhere_to_be_found", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
    "no object": ("", "PROTOCOLS = 1", "AttributeError: "),
    "another name": ("", f"{_COMPARE}PROTOCOL = replace(PROTOCOL, name='couple')", "ValueError: its name is couple"),
    "a field like a setting": (
        "",
        f"{_COMPARE}field = replace(PROTOCOL.form.fields[0], name='seed')\n"
        "PROTOCOL = replace(PROTOCOL, form=replace(PROTOCOL.form, fields=(field,)))",
        "pair: seed is both a field of its form and a setting; rename one",
    ),
    "a setting of another type": (
        "",
        _COMPARE + _CLASHES,
        "pair: its setting languages is str, and that of review is tuple[str, ...]; rename it",
    ),
}


def left_out(caplog):
    """The one message about a protocol that is left out."""
    (said,) = (each.message for each in caplog.records if "left out" in each.message)
    return said


def assert_served_without_it(tmp_path):
    with TestClient(create_app(CompareSettings(), journal=tmp_path / "journal.db")) as client:
        assert client.get("/judge/compare", headers={"accept": "text/html"}).status_code == 200
        assert client.get("/judge/pair").status_code == 404
        assert "/api/pair" not in client.get("/openapi.json").json()["paths"]


@pytest.mark.parametrize("broken", _BROKEN)
def test_a_protocol_that_cannot_be_used_is_left_out_and_named(adjudge, install, caplog, tmp_path, broken):
    init, protocol, why = _BROKEN[broken]
    install(init, protocol)
    (tmp_path / "rows.jsonl").write_text('{"task": "Name a prime.", "a": "11 is one.", "b": "12 is one."}\n')
    assert adjudge("run", "compare", "rows.jsonl", "--run", "out")[0] == 0
    if broken in ("no module", "a setting of another type"):
        assert adjudge("show", "out")[0] == 0
        assert_served_without_it(tmp_path)
    assert left_out(caplog).startswith(f"the protocol pair (pairing.protocol:PROTOCOL) cannot be used: {why}")


def test_a_protocol_whose_service_cannot_be_imported_is_left_out_of_the_service(install, caplog, tmp_path):
    service = "def service():\n    import nowhere_to_be_found\nPROTOCOL = replace(PROTOCOL, service=service)"
    install("", _COMPARE + service)
    assert_served_without_it(tmp_path)
    told = "(pairing.protocol:PROTOCOL) cannot be used: ModuleNotFoundError: No module named 'nowhere_"
    assert told in left_out(caplog)


def test_the_command_of_a_protocol_that_cannot_be_loaded_says_why(adjudge, install):
    install("", "import nowhere_to_be_found")
    code, _, err = adjudge("pair", "two.json")
    assert (code, "Traceback" in err) == (2, False)
    assert "the protocol pair (pairing.protocol:PROTOCOL) cannot be used: ModuleNotFoundError" in err


def test_a_command_without_a_reader_of_its_own_reads_a_file(adjudge, monkeypatch, tmp_path):
    review = protocol_of("review")
    plain = replace(review.command, read=None, arguments=type(review.command)(description="").arguments)
    monkeypatch.setattr(registry, "_loaded", dict(registry._loaded))
    registry.register(replace(review, name="audit", command=plain))
    slots = {"prompt": "Name a prime above 10.", "response1": "11 is one.", "response2": "12 is one."}
    (tmp_path / "one.json").write_text(json.dumps(slots))
    code, out, err = adjudge("audit", "one.json", "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out)["sbq"]
    code, _, err = adjudge("audit", tmp_path / "none.json")
    assert code == 2
    assert "file not found" in err
