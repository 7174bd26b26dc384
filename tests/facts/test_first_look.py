"""The first look never rules out what the full search finds, and loads nothing for itself."""

import re
import subprocess
import sys

import pydantic_core  # noqa: F401 (the look is made only where pydantic is there anyway)
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.facts import injection, refusal
from adjudge.facts.first_look import FirstLook
from adjudge.facts.injection_words import Pattern

# Letters that are an i, an s or a k when case is ignored, and signs that only some expressions take for white space.
ODD = {"i": "İıI", "s": "ſS", "k": "\N{KELVIN SIGN}K", " ": "\xa0\u2003\x1c\x1f\x85 ", "-": "—", '"': "“"}
ORDINARY = (
    "Start by writing down the three outcomes that matter most. For each of them, name one number that you can measure "
    "every week.\nThe judge gave ten points for the best answer, and who rates things must not ignore rules."
)
AROUND = st.text(st.sampled_from("aZ9_ \n\t.,:\"'<[#*éıſ。\u2003\x1f\U0001f600"), max_size=4)


def look(*pieces: str) -> FirstLook:
    return FirstLook(pieces, pays_after=0)


EVERY_PATTERN = look(*(kind.piece for kind in injection._PATTERNS))
EVERY_CUE = look(*map(re.escape, refusal._CUES))


@pytest.mark.parametrize("kind", injection._PATTERNS, ids=lambda kind: f"{kind.found} ({kind.piece[:9]})")
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_no_match_of_a_pattern_is_ruled_out(kind: Pattern, data: st.DataObject) -> None:
    text = data.draw(AROUND) + data.draw(st.from_regex(kind.regex())) + data.draw(AROUND)
    for letter, others in ODD.items():
        odd = text.replace(letter, data.draw(st.sampled_from(others)))
        text = odd if kind.regex().search(odd) else text
    if kind in injection._cued(text) and kind.regex().search(text):
        assert not look(kind.piece).rules_out(text)
        assert not EVERY_PATTERN.rules_out(text)


@pytest.mark.parametrize("cue", refusal._CUES)
@settings(max_examples=20)
@given(before=AROUND, after=AROUND)
def test_no_cue_of_a_refusal_is_ruled_out(cue: str, before: str, after: str) -> None:
    for text in (before + cue + after, before + cue.upper() + after, before + cue.replace("i", "İ") + after):
        if refusal._is_cued(text.lower()):
            assert not EVERY_CUE.rules_out(text)


def test_ordinary_text_is_ruled_out_although_it_has_many_of_the_words() -> None:
    assert injection._cued(ORDINARY)
    assert EVERY_PATTERN.rules_out(ORDINARY)
    assert EVERY_PATTERN.rules_out(ORDINARY + " “Naïve” — so ist es; 你好。")


@pytest.mark.parametrize("text", ["un KISS.", "K\u0130ſs", "is\nKıss\nit"])
def test_a_piece_is_found_whatever_its_case(text: str) -> None:
    assert re.search("kiss", text, re.IGNORECASE)
    assert not look("kiss").rules_out(text)
    assert look("kiss").rules_out("some é thing else")


def test_no_piece_repeats_anything() -> None:
    pieces = [kind.piece for kind in injection._PATTERNS] + [re.escape(cue) for cue in refusal._CUES]
    assert not [piece for piece in pieces if re.search(r"(?<!\\)[*+{]|\.\*", piece)]


def test_a_text_with_half_a_character_is_never_ruled_out() -> None:
    assert not look("x").rules_out("y\ud800")


def test_it_is_made_when_enough_texts_were_looked_at() -> None:
    late = FirstLook(["x"], pays_after=2)
    assert [late.rules_out("y") for _ in range(4)] == [False, False, True, True]


def test_where_pydantic_is_not_used_it_is_not_loaded() -> None:
    code = (
        "import sys; from adjudge.facts.first_look import FirstLook; look = FirstLook(['x'], pays_after=0); "
        "print(look.rules_out('y'), 'pydantic_core' in sys.modules); import pydantic_core; print(look.rules_out('y'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\nTrue\n"
