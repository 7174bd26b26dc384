"""A protocol that another package brings has a command, and is one of those that `adjudge run` offers."""

import json
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from adjudge.cli.main import main
from adjudge.protocols import registry
from adjudge.protocols.base import protocol_of


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """The protocol `pair`, a comparison by another name, in a package of its own."""
    package = tmp_path / "pairing"
    package.mkdir()
    (package / "__init__.py").write_text('SUMMARY = "compare a pair"\nEXAMPLES = ("adjudge pair two.json",)\n')
    (package / "protocol.py").write_text(
        "from dataclasses import replace\n"
        "from adjudge.protocols.base import protocol_of\n"
        'PROTOCOL = replace(protocol_of("compare"), name="pair")\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    points = {"pair": EntryPoint("pair", "pairing.protocol:PROTOCOL", "adjudge.protocols")}
    monkeypatch.setattr(registry, "_installed", lambda: points)
    monkeypatch.setattr(registry, "_loaded", dict(registry._loaded))


def test_it_appears_in_the_help_and_judges(adjudge, installed, capsysbinary, tmp_path):
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsysbinary.readouterr().out.decode()
    assert "pair       compare a pair" in shown
    assert "adjudge pair two.json" in shown
    assert "pair" not in registry._loaded, "the help loads no protocol"
    (tmp_path / "two.json").write_text(json.dumps({"task": "Name a prime.", "a": "11 is one.", "b": "12 is one."}))
    code, out, _ = adjudge("pair", "two.json", "--one-order", "--format", "json")
    assert code == 0
    assert json.loads(out)["evaluation"]["winner"] in ("A", "B", "tie")
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    assert "{compare,dialogue,grade,pair,review}" in capsysbinary.readouterr().out.decode()


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
