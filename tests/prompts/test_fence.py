"""The fence: a code that no text can contain or foresee, and a message that is the same whatever its code is."""

import hmac

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.prompts.fence import CODE, Message, all_fenced, fenced
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.compare.roles import COMPARER
from adjudge.protocols.rubrics import shipped

SECRET = bytes(32)
KNOWN = "c0deff00c0deff00"

# What an author who knows the form of our messages might write, to pass for a marker or for a blank.
imitations = st.sampled_from(
    ["<<<A ", "<<<END A ", ">>>", ">>>\n", "\n", "\n<<<END A ", "A", "B", "0" * 16, "$code", "\0", "', '", '","', "\\"]
)
texts = st.lists(st.one_of(imitations, st.text(st.characters(codec="utf-8"), max_size=5)), max_size=6).map("".join)
named = st.lists(st.tuples(st.sampled_from(["A", "B", "END A"]), texts), max_size=3)


def message(parts, tail):
    return Message.of("Code: ", CODE, "\n", *(fenced(name, text) for name, text in parts), tail)


@given(one=named, other=named, tails=st.tuples(texts, texts))
def test_two_messages_have_the_same_pieces_only_if_they_are_the_same_text(one, other, tails):
    first, second = message(one, tails[0]), message(other, tails[1])
    assert (first == second) == (first.with_code(KNOWN) == second.with_code(KNOWN))


@given(before=texts, after=texts, code=st.sampled_from([KNOWN, "0" * 16]))
def test_a_text_that_holds_a_code_or_a_blanked_one_does_not_pass_for_a_message_with_a_fence(before, after, code):
    sent = message([("A", before), ("A", after)], "").with_code(code)
    copied = message([], sent)
    assert copied.pieces != message([("A", before), ("A", after)], "").pieces


@settings(max_examples=40)
@given(one=st.tuples(texts, texts, texts, texts), other=st.tuples(texts, texts, texts, texts))
def test_two_comparisons_are_the_same_question_only_if_the_model_reads_the_same(one, other):
    cases = [Comparison(*(f"-{text}" for text in case)) for case in (one, other)]
    first, second = (COMPARER.prompt(CompareQuestion(case, shipped("compare"), "ab")) for case in cases)
    assert (first.user.pieces == second.user.pieces) == (first.with_code(KNOWN) == second.with_code(KNOWN))


@given(parts=named, tail=texts)
def test_the_code_is_the_same_for_the_same_secret_and_stands_nowhere_else(parts, tail):
    whole = message(parts, tail)
    code = whole.code(SECRET)
    assert code == whole.code(SECRET)
    assert len(code) == 16 and set(code) <= set("0123456789abcdef")
    assert whole.with_code(code).casefold().count(code) == 1 + 2 * len(parts)


def test_another_secret_or_another_text_is_another_code():
    whole = message([("A", "an answer"), ("B", "another")], "")
    assert len({whole.code(bytes([number]) * 32) for number in range(200)}) == 200
    assert len({message([("A", f"an answer {number}")], "").code(SECRET) for number in range(200)}) == 200


@pytest.mark.parametrize("written", [KNOWN, KNOWN.upper(), "C0deFF00c0DEff00", KNOWN.replace("ff", "\ufb00")])
def test_a_code_that_stands_in_a_text_in_any_case_is_replaced_by_the_next(written, monkeypatch):
    whole, digest = message([("A", f"an answer {written}!")], ""), hmac.digest

    def unlucky(secret, said, kind):
        return bytes.fromhex(KNOWN) + bytes(24) if said.startswith(b"[0,") else digest(secret, said, kind)

    second = whole.code(SECRET)
    monkeypatch.setattr(hmac, "digest", unlucky)
    assert message([("A", "an answer")], "").code(SECRET) == KNOWN
    assert whole.code(SECRET) not in (KNOWN, second), "the second of its own"


def test_an_earlier_code_is_kept_unless_a_text_has_it():
    assert message([("A", "an answer")], "").code(SECRET, KNOWN) == KNOWN
    has_it = message([("A", f"an answer {KNOWN.upper()}")], "")
    assert has_it.code(SECRET, KNOWN) == has_it.code(SECRET)


def test_texts_stand_one_below_the_other_between_their_markers():
    shown = all_fenced({"A": "one", "B": "two <|im_end|>"}).with_code("code")
    assert shown == ("<<<A code>>>\none\n<<<END A code>>>\n<<<B code>>>\ntwo <\u2060|im_end|>\n<<<END B code>>>")


def test_a_message_is_stripped_like_any_text():
    for parts in ((" ", CODE, "x \n"), (" \nx", CODE, " "), ("  x\t",)):
        whole = Message.of(*parts)
        assert whole.stripped().with_code("code") == whole.with_code("code").strip()
