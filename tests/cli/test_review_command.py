"""`adjudge review` as a person meets it."""

import io
import json
import re
from pathlib import Path

import pytest

from adjudge.cli.main import main
from adjudge.readers.blocks import read_blocks

EXAMPLE = Path(__file__).parents[2] / "examples" / "review.txt"
SLOTS = {
    "prompt": "Name a prime above 10.",
    "response1": "11 is a prime above 10.",
    "response2": "12 is a prime above 10.",
}


@pytest.fixture
def adjudge(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ADJUDGE_JOURNAL", str(tmp_path / "journal.db"))

    def run(*args, stdin=""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsysbinary.readouterr()
        code = main([str(arg) for arg in args])
        said = capsysbinary.readouterr()
        return code, said.out.decode(), said.err.decode()

    return run


def test_the_shipped_example_gives_the_five_blocks(adjudge):
    code, out, err = adjudge("review", EXAMPLE)
    assert code == 0
    assert re.fullmatch(r"adjudge: verdict r[0-9a-f]{20}\n", err)
    blocks = read_blocks(out)
    assert 1 <= blocks.likert <= 7
    assert 2 <= len(blocks.sbq) <= 4
    assert out.index("<RESPONSE1_FIXED_TABLE>") < out.index("<RESPONSE2_FIXED_TABLE>") < out.index("<SBQ>")


def test_a_verdict_is_replayed_to_the_byte(adjudge):
    _, _, err = adjudge("review", EXAMPLE)
    verdict = err.split()[-1]
    code, out, err = adjudge("replay", verdict)
    assert (code, err) == (0, "adjudge: the same, byte for byte\n")
    assert json.loads(out)["verdict_id"] == verdict


@pytest.mark.parametrize("form", ["tags", "json", "text", "markdown", "html"])
def test_every_format_is_written(adjudge, form):
    code, out, _ = adjudge("review", EXAMPLE, "--format", form)
    assert code == 0
    assert {"tags": "<SBQ>", "json": '"sbq"', "text": "Feedback", "markdown": "|", "html": "<!doctype html>"}[
        form
    ].lower() in out.lower()


def test_an_invalid_task_says_so_and_has_no_tables(adjudge):
    code, out, _ = adjudge("review", "-", stdin='{"prompt": "Hello?"}')
    assert code == 0
    assert out == "INVALID TASK\nBoth responses are missing.\n"


def test_several_reviews_give_one_line_of_json_each(adjudge):
    lines = "\n".join(json.dumps({**SLOTS, "prompt": f"Name a prime above {n}."}) for n in (10, 11, 12))
    code, out, _ = adjudge("review", "-", "--format", "json", stdin=lines)
    assert code == 0
    assert [json.loads(line)["verdict_id"][0] for line in out.splitlines()] == ["r", "r", "r"]
    code, out, _ = adjudge("review", "-", stdin=lines)
    assert out.count("<SBQ>") == 3


def test_scope_is_given_by_codes(adjudge):
    german = {
        "prompt": "Welcher Fluss fließt durch die schöne Stadt Wien, und wohin fließt er danach?",
        "response1": "Durch die schöne Stadt Wien fließt die Donau, und danach fließt sie nach Budapest.",
        "response2": "Durch die schöne Stadt Wien fließt der Rhein, und danach fließt er nach Köln.",
    }
    _, out, _ = adjudge("review", "-", "--languages", "en, es", stdin=json.dumps(german))
    assert out.startswith("INVALID TASK\nThe prompt and both responses are in German, which is out of scope")
    code, _, err = adjudge("review", "-", "--languages", "klingon", stdin=json.dumps(german))
    assert code == 2
    assert "languages: 'klingon'; one of " in err


@pytest.mark.parametrize(
    ("args", "stdin", "says"),
    [
        ([], "", "FILE: missing; a file, - for standard input, or --interactive"),
        (["x.txt", "--interactive"], "", "FILE: FILE beside --interactive"),
        (["x.txt", "--draft", "abc"], "", "--draft: without --interactive"),
        (["x.txt"], "", "x.txt: no such file"),
        (["-"], "hello", "standard input:1: cannot read 'hello'; slots in tags"),
        (["-"], "<PROMPT>\nx\n", "standard input:1: "),
        (["--interactive", "--draft", "abc"], "", "abc: no such draft in this journal"),
    ],
)
def test_a_bad_call_is_one_line_that_says_what_is_allowed(adjudge, args, stdin, says):
    code, out, err = adjudge("review", *args, stdin=stdin)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


# -- piece by piece ---------------------------------------------------------------------------------------------------

PIECES = """\
response2
12 is a prime above 10.
.
<RESPONSE1>
11 is a prime above 10.
.
</RESPONSE1>
pro
Name a prime above 10.
.
"""


def test_pieces_are_asked_for_in_any_order_and_judged_when_they_are_there(adjudge):
    code, out, err = adjudge("review", "--interactive", stdin=PIECES + "judge\n")
    assert code == 0
    assert "Still needed: prompt, response1, response2." in err
    assert "Still needed: prompt, response1." in err
    assert "Still needed: prompt." in err
    assert "Nothing more is needed" in err
    assert read_blocks(out).likert


def test_the_end_of_the_input_starts_too(adjudge):
    code, out, _ = adjudge("review", "--interactive", stdin=PIECES)
    assert code == 0
    assert "<SBQ>" in out


def test_what_was_given_is_kept_for_the_next_time(adjudge):
    first, rest = PIECES.split("pro\n")
    code, out, err = adjudge("review", "--interactive", stdin=first + "quit\n")
    assert (code, out) == (0, "")
    draft = re.search(r"--draft ([0-9a-f]{16})", err)[1]
    code, out, err = adjudge("review", "--interactive", "--draft", draft, stdin="show\njudge\npro\n" + rest)
    assert "Given: response1, response2." in err
    assert err.count("Still needed: prompt.") == 3
    assert "<SBQ>" in out


def test_a_bad_piece_is_refused_and_the_others_stay(adjudge):
    bad = "response1_o\n| Charm | 3 | x |\n.\nnonsense\nresponse1_original_ratings\n| Truthfulness | 3 | x |\n.\nshow\n"
    code, _, err = adjudge("review", "--interactive", stdin="resp\n" + bad + PIECES)
    assert code == 0
    assert "several slots begin like this" in err
    assert "Charm" in err
    assert "no such piece" in err
    assert "Given: response1_original_ratings." in err
