"""`adjudge review` as a person meets it."""

import json
import re
from pathlib import Path

import pytest
from review_blocks import read_blocks

from adjudge.protocols.base import protocol_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "review.txt"
SLOTS = {
    "prompt": "Name a prime above 10.",
    "response1": "11 is a prime above 10.",
    "response2": "12 is a prime above 10.",
}


def test_the_shipped_example_gives_the_five_blocks_or_another_format_and_is_replayed_to_the_byte(adjudge):
    code, out, err = adjudge("review", EXAMPLE)
    assert code == 0
    assert re.fullmatch(r"adjudge: verdict r[0-9a-f]{20}\n", err)
    verdict = err.split()[-1]
    blocks = read_blocks(out)
    assert 1 <= blocks.likert <= 7 and 2 <= len(blocks.sbq) <= 4
    assert out.index("<RESPONSE1_FIXED_TABLE>") < out.index("<RESPONSE2_FIXED_TABLE>") < out.index("<SBQ>")
    for form, part in {"json": '"sbq"', "text": "Feedback", "markdown": "|", "html": "<!doctype html>"}.items():
        assert part in adjudge("review", EXAMPLE, "--format", form).out
    code, out, err = adjudge("replay", verdict)
    assert (code, err) == (0, "adjudge: the same, byte for byte\n")
    assert json.loads(out)["verdict_id"] == verdict


def test_an_invalid_task_says_so_and_has_no_tables(adjudge):
    code, out, _ = adjudge("review", "-", stdin='{"prompt": "Hello?"}')
    assert code == 0
    assert out == "INVALID TASK\nBoth responses are missing.\n"


def test_scope_is_given_by_codes(adjudge):
    german = {
        "prompt": "Welcher Fluss fließt durch die schöne Stadt Wien, und wohin fließt er danach?",
        "response1": "Durch die schöne Stadt Wien fließt die Donau, und danach fließt sie nach Budapest.",
        "response2": "Durch die schöne Stadt Wien fließt der Rhein, und danach fließt er nach Köln.",
    }
    _, out, _ = adjudge("review", "-", "--languages", "en, es", stdin=json.dumps(german))
    assert out.startswith("INVALID TASK\nThe prompt and both responses are in German, which is out of scope")


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
    optional = err.partition("Optional:\n")[2].splitlines()[:6]
    assert [line.split()[0] for line in optional] == [
        *("taskconfig", "system_prompt", "conversation_history", "response1_original_ratings"),
        *("response2_original_ratings", "original_likert_and_justification"),
    ]
    assert "the task's configuration, such as locale and category" in optional[0]
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
    assert "<RESPONSE2>\n12 is a prime above 10.\n</RESPONSE2>\n" in err
    assert err.count("Still needed: prompt.") == 3
    assert "<SBQ>" in out


def test_a_bad_piece_is_refused_and_the_others_stay(adjudge):
    bad = "response1_o\n| Charm | 3 | x |\n.\nnonsense\nresponse1_original_ratings\n| Truthfulness | 3 | x |\n.\nshow\n"
    code, _, err = adjudge("review", "--interactive", stdin="resp\n" + bad + PIECES)
    assert code == 0
    assert "several pieces have this in their name" in err
    assert "Charm" in err
    assert "no such piece" in err
    assert "Given: response1_original_ratings." in err


def test_a_piece_that_the_end_of_the_input_cuts_is_not_kept_and_nothing_is_judged(adjudge):
    cut = PIECES + "<SYSTEM_PROMPT>\nBe bri"
    code, out, err = adjudge("review", "--interactive", stdin=cut)
    assert (code, out) == (2, "")
    assert "system_prompt: the input ended before </SYSTEM_PROMPT>; this piece was not saved" in err
    draft = re.search(r"--draft ([0-9a-f]{16})", err)[1]
    code, _, err = adjudge("review", "--interactive", "--draft", draft, stdin="show\ntaskconfig\nlocale: de\n")
    assert code == 2
    assert "Given: prompt, response1, response2." in err
    assert "taskconfig: the input ended before the line with the full stop; this piece was not saved" in err


def test_tags_are_compared_whatever_their_case_and_may_stand_on_one_line(adjudge):
    pieces = "<prompt>\nName a prime.\n</PROMPT>\n<RESPONSE1>11</response1>\n<Response2>\n12\n</response2>\nshow\n"
    code, out, err = adjudge("review", "--interactive", stdin=pieces)
    assert code == 0
    assert "Given: prompt, response1, response2." in err
    assert read_blocks(out).likert


def test_another_pieces_tag_inside_a_piece_is_refused_and_begins_its_own(adjudge):
    pieces = "<PROMPT>\nName a prime.\n<RESPONSE1>\n11\n</RESPONSE1>\n<RESPONSE2>\n12\n</prompt>\nshow\n"
    code, out, err = adjudge("review", "--interactive", stdin=pieces)
    assert (code, out) == (0, "")
    assert "prompt: '<RESPONSE1>' was found inside it; this piece was not saved" in err
    assert "response2: '</prompt>' was found inside it; this piece was not saved" in err
    assert "Given: response1." in err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("<PROMPT>a <RESPONSE1> b</PROMPT>", "prompt: '<RESPONSE1>' was found inside it; this piece was not saved"),
        ("</PROMPT>", "piece: '</PROMPT>' closes nothing; <PROMPT> opens it"),
        ("<PRO>", "piece: '<PRO>': no such piece"),
        ("<PROMPT>a", "piece: '<PROMPT>a': no such piece"),
    ],
)
def test_a_line_that_is_no_piece_keeps_nothing(adjudge, line, says):
    _, _, err = adjudge("review", "--interactive", stdin=f"{line}\nshow\n")
    assert says in err
    assert "Given: nothing yet." in err


# -- several ----------------------------------------------------------------------------------------------------------

ROWS = "id,prompt,response1,response2\nx-1,Name a prime above 10.,11,12\n,Name a prime.,2,4\n7,,x,y\n"


def test_results_are_joined_to_rows_by_id_or_else_by_position_and_a_line_says_which_review_follows(adjudge):
    code, out, _ = adjudge("review", "-", "--format", "json", stdin=ROWS)
    assert code == 0
    told = [next(iter(json.loads(line).items())) for line in out.splitlines()]
    assert told == [("review_id", "x-1"), ("review_id", 2), ("review_id", 7)]
    for form in ("text", "markdown", "tags"):
        out = adjudge("review", "-", "--format", form, stdin=ROWS).out
        heads = [line.replace("\\", "") for line in out.splitlines() if line.startswith("# review ")]
        assert heads == ["# review x-1", "# review 2", "# review 7"]
    first, second, third = (read_blocks(f"# review {part}") for part in out.split("# review ")[1:])
    assert first.likert and second.likert and third.invalid


def test_one_review_has_an_id_only_if_it_was_given_one(adjudge):
    _, out, _ = adjudge("review", "-", "--format", "json", stdin=json.dumps(SLOTS))
    without = json.loads(out)
    _, out, _ = adjudge("review", "-", "--format", "json", stdin=json.dumps({**SLOTS, "review_id": 0}))
    assert json.loads(out) == {"review_id": 0, **without}
    _, out, err = adjudge("review", "-", stdin=json.dumps({**SLOTS, "review_id": 0}))
    assert out.startswith("<RESPONSE1_FIXED_TABLE>")
    assert err.split()[-1] == without["verdict_id"]


@pytest.fixture
def broken(monkeypatch):
    """An engine in which a review of a certain prompt fails, and another breaks us."""
    from adjudge.engine import Engine
    from adjudge.models.common import Failure

    whole = Engine.judge

    async def review(self, case, settings, *judges):
        if case.prompt == "break":
            raise ZeroDivisionError("by\nzero")
        if case.prompt == "fail":
            return Failure(reason="timeout", message="too slow", judge="j")
        return await whole(self, case, settings, *judges)

    monkeypatch.setattr(Engine, "judge", review)
    return "\n".join(json.dumps({**SLOTS, "prompt": prompt}) for prompt in ("One?", "break", "fail", "Two?"))


def test_a_review_that_breaks_us_takes_no_other_with_it(adjudge, broken):
    code, out, err = adjudge("review", "-", "--format", "json", stdin=broken)
    assert code == 1
    results = [json.loads(line) for line in out.splitlines()]
    assert [result["review_id"] for result in results] == [1, 2, 3, 4]
    assert [("sbq" in result) for result in results] == [True, False, False, True]
    assert results[1]["failure"]["reason"] == "crashed"
    assert results[2]["failure"]["reason"] == "timeout"
    assert "adjudge: review 2 failed (crashed): unexpected error in adjudge (ZeroDivisionError: by zero; " in err
    assert "adjudge: review 3 failed (timeout): too slow\n" in err


def test_one_that_failed_leaves_a_line_in_its_place(adjudge, broken):
    code, out, _ = adjudge("review", "-", "--format", "tags", stdin=broken)
    assert code == 1
    heads = [line for line in out.splitlines() if line.startswith("# review ")]
    assert heads[1].startswith("# review 2: failed: crashed: unexpected error in adjudge (ZeroDivisionError: by zero; ")
    assert (heads[0], *heads[2:]) == ("# review 1", "# review 3: failed: timeout: too slow", "# review 4")
    assert out.count("<SBQ>") == 2


def test_a_single_review_that_breaks_us_says_so_in_a_line(adjudge, broken):
    code, out, err = adjudge("review", "-", stdin=json.dumps({**SLOTS, "prompt": "break"}))
    assert (code, out) == (1, "")
    line = r"adjudge: the review failed \(crashed\): unexpected error in adjudge \(ZeroDivisionError: by zero; "
    assert re.fullmatch(line + r"test_review_command\.py, line \d+\); please report it\n", err)


def test_a_result_that_cannot_be_shown_takes_no_other_with_it(adjudge, monkeypatch):
    formats = protocol_of("review").formats
    whole, shown = formats["tags"], []

    def once(verdict, rubric):
        shown.append(verdict)
        if len(shown) == 2:
            raise KeyError("x")
        return whole(verdict, rubric)

    monkeypatch.setitem(formats, "tags", once)
    code, out, err = adjudge("review", "-", "--format", "tags", stdin=ROWS)
    assert code == 1
    assert "review 2 failed (crashed): unexpected error in adjudge (KeyError: 'x'; " in err
    assert re.search(r"# review 2: failed: crashed: .*\n\n# review 7\nINVALID TASK\n", out)
