"""An extra that is missing is named with the command that adds it to the very installation that needs it."""

from __future__ import annotations

import json
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from adjudge.cli.main import main
from adjudge.extras import EXTRAS, install_command, is_installed, missing_extra

ROOT = Path(__file__).parents[1]
PYTHON = shlex.quote(sys.executable)
CHECKOUT = {"url": "file:///home/ann/my%20work/adjudge", "dir_info": {"editable": True}}


def installed_from(folder: Path, origin: object) -> None:
    """What an installer leaves behind (PEP 610)."""
    info = folder / "adjudge-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: adjudge\nVersion: 0.1.0\n")
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin))


@pytest.mark.skipif(sys.platform == "win32", reason="quotes for a POSIX shell")
@pytest.mark.parametrize(
    ("origin", "wanted"),
    [
        (None, "'adjudge[ray]'"),
        (CHECKOUT, "-e '/home/ann/my work/adjudge[ray]'"),
        ({**CHECKOUT, "dir_info": {}}, "'adjudge[ray]'"),
        ({"url": "https://host/adjudge.whl", "archive_info": {}}, "'adjudge[ray]'"),
    ],
    ids=["from an index", "a checkout", "a folder that was copied", "a file"],
)
def test_the_command_fits_where_adjudge_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: object, wanted: str
) -> None:
    installed_from(tmp_path, origin)
    monkeypatch.syspath_prepend(tmp_path)
    assert install_command("ray") == f"{PYTHON} -m pip install {wanted}"
    assert str(missing_extra("--engine ray", "ray")) == (
        f"--engine ray needs the extra ray; install it with: {install_command('ray')}"
    )
    monkeypatch.setitem(sys.modules, "pip", None)
    assert install_command("ray") == f"uv pip install --python {PYTHON} {wanted}"


def test_doctor_lists_every_extra_that_an_installation_may_lack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    others = {"dev", "service", *(name for name, packages in declared.items() if not packages)}
    assert set(EXTRAS) == declared.keys() - others
    for module in ("ray", "xllamacpp"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setenv("ADJUDGE_JOURNAL", str(tmp_path / "journal.db"))
    assert main(["doctor"]) == 0
    told = capsys.readouterr().out.splitlines()
    for extra in EXTRAS:  # hosts of adapters are not installed with the tests
        missing = f"optional {extra}: not installed; {install_command(extra)}"
        assert (
            missing if extra in ("local", "ray") or not is_installed(extra) else f"ok       {extra}: installed"
        ) in told
