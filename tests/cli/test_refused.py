"""Bad input to any command is one line that says where it is and what is allowed, and exit code 2: `refused.txt`."""

import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from cli.labelled import pairs
from results.building import write_run

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "compare.json"
TWO = "SYSTEM\tHow can I help you?\nUSER\tWhere is my order?\n\nUSER\tHello.\nSYSTEM\tGood day to you.\n"
SECTIONS = {
    name.strip(): [row for row in rows.split("\n") if row]
    for name, _, rows in (part.partition("\n") for part in (HERE / "refused.txt").read_text("utf-8").split("# -- ")[1:])
}


def escaped(text):
    """The bytes of a text with escapes."""
    return text.encode("raw_unicode_escape").decode("unicode_escape").encode("latin-1")


@pytest.mark.parametrize("section", SECTIONS)
def test_bad_input_is_one_line_and_exit_code_2(adjudge, copied, tmp_path, monkeypatch, section):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("ADJUDGE_DB", raising=False)
    places = {"EXAMPLE": EXAMPLE}
    if section.startswith("runs"):
        places["RUN"] = copied("compare")
        places["UNLABELLED"] = write_run(tmp_path / "plain", [replace(pairs(1)[0], label=None)])
    for row in SECTIONS[section]:
        given, _, says = row.partition(" => ")
        given, _, file = given.partition(" @@ ")
        command, _, stdin = given.partition(" <<< ")
        if file:
            name, _, content = file.partition(": ")
            (tmp_path / name).write_bytes(escaped(content.replace("DEEP", "[" * 700)))
        words = [places.get(word, word) for word in shlex.split(command)]
        code, out, err = adjudge(*words, stdin=TWO if stdin == "TWO" else escaped(stdin))
        expected = ".*".join(re.escape(part) for part in says.replace("\\n", "\n").split("…"))
        assert (code, out) == (2, ""), row
        assert re.match(f"adjudge: {expected}", err), f"{row}\n{err}"
        assert err.count("\n") == 1 and "hush" not in err, row
