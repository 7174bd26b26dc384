"""SPEC 3: a constraint without its quote is dropped, one its quote does not bear out is a hint, and two of different
kinds on the same number are both dropped; an observation without its quote is dropped."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st
from scripted.ratings import demand, saw

from adjudge.constraints.verifying import OBSERVED, verify_constraints, verify_observations

PROMPT = (
    "Write exactly 3 paragraphs of at most 100 words in Spanish. Include the word “river”, begin with 'Dear' and end "
    "with “Yours”. Do not use the word very. Use JSON in capital letters, between 10 and 20 items."
)
MATERIAL = {"system_prompt": "Answer in two sentences.", "conversation": "", "prompt": PROMPT}

COUNTED = {
    "paragraphs": demand("exactly 3 paragraphs", "paragraphs", "exactly", 3),
    "words": demand("at most 100 words", "words", "at_most", 100, strict=True),
    "items": demand("between 10 and 20 items", "items", "between", 10, 20),
    "sentences": demand("in two sentences", "sentences", "exactly", 2),
}
WORDED = {
    "language": demand("in Spanish", "language", text="Spanish"),
    "must_contain": demand("Include the word “river”", "must_contain", text="river"),
    "begins_with": demand("begin with 'Dear'", "begins_with", text="Dear"),
    "ends_with": demand("end with “Yours”", "ends_with", text="“Yours”"),
    "must_not_contain": demand("Do not use the word very", "must_not_contain", text="very"),
    "json": demand("Use JSON", "json"), "casing": demand("in capital letters", "casing", text="upper"),
}  # fmt: skip


def verified(entry, prompt=None):
    """The one constraint that is left of one entry."""
    (one,) = verify_constraints([entry], {"prompt": prompt} if prompt else MATERIAL).constraints
    return one


def quoting(prompt, *demanded, **more):
    """The one constraint of an entry that quotes the whole prompt."""
    return verified(demand(prompt, *demanded, **more), prompt)


def test_what_the_quote_bears_out_is_certain_and_has_its_place():
    for kind in [*COUNTED, *WORDED]:
        found = verify_constraints([{**COUNTED, **WORDED}[kind]], MATERIAL)
        (one,) = found.constraints
        assert (one.certain, one.kind, found.dropped) == (True, kind, ())
        assert MATERIAL[one.source][one.start : one.end] == one.quote
        assert one.source == ("system_prompt" if kind == "sentences" else "prompt"), kind


def test_what_it_carries_is_kept():
    found = {one.kind: one for one in verify_constraints([*COUNTED.values(), *WORDED.values()], MATERIAL).constraints}
    assert (found["words"].bound, found["words"].amount, found["words"].strict) == ("at_most", 100, True)
    assert (found["items"].amount, found["items"].most) == (10, 20)
    assert found["language"].text == "es"
    assert found["ends_with"].text == "Yours"
    assert found["casing"].text == "upper"


def test_a_quote_that_is_not_in_the_material_is_dropped():
    found = verify_constraints([demand("at most 50 words", "words", "at_most", 50)], MATERIAL)
    assert found.constraints == ()
    assert "is neither in the prompt" in found.dropped[0]


NOT_IN_THE_QUOTE = [
    demand("at most 100 words", "words", "at_most", 50), demand("exactly 3 paragraphs", "paragraphs", "exactly", 4),
    demand("between 10 and 20 items", "items", "between", 10, 30), demand("in Spanish", "language", text="French"),
    demand("Include the word “river”", "must_contain", text="lake"),
]  # fmt: skip


def test_a_number_a_language_or_words_that_are_not_in_the_quote_make_a_hint():
    for entry in NOT_IN_THE_QUOTE:
        assert not verified(entry).certain, entry


NOT_MEASURED = [
    demand("at most 100 words", "words", "at_most", 0), demand("at most 100 words", "words", "at_most", -5),
    demand("at most 100 words", "words", "at_most", 10**9),
    demand("between 10 and 20 items", "items", "between", 20, 10),
    demand("in Spanish", "language", text="Klingonish"), demand("in capital letters", "casing", text="loud"),
    demand("Include the word “river”", "must_contain", text="  "),
]  # fmt: skip


def test_what_cannot_be_measured_is_dropped():
    for entry in NOT_MEASURED:
        found = verify_constraints([entry], MATERIAL)
        assert (found.constraints, len(found.dropped)) == ((), 1), entry


def test_identical_constraints_count_once():
    twice = [demand(quote, "words", "at_most", 100) for quote in ("at most 100 words", "of at most 100 words")]
    assert len(verify_constraints(twice, MATERIAL).constraints) == 1


COUNTS = ["words", "characters", "sentences", "paragraphs", "items", "occurrences", "sections", "highlights"]


def test_two_kinds_on_the_same_number_are_both_dropped():
    for one, other in combinations([*COUNTS, "placeholders", "capital_words", "first_word"], 2):
        both = [
            demand("exactly 3 paragraphs", one, "exactly", 3, text="paragraphs"),
            demand("Write exactly 3", other, "exactly", 3, text="Write"),
        ]
        found = verify_constraints(both, MATERIAL)
        assert (found.constraints, len(found.dropped)) == ((), 2), (one, other)


def test_the_same_number_elsewhere_is_another_one():
    text = {"system_prompt": "", "conversation": "", "prompt": "Write 3 paragraphs and 3 items."}
    both = [demand("3 paragraphs", "paragraphs", "exactly", 3), demand("3 items", "items", "exactly", 3)]
    assert len(verify_constraints(both, text).constraints) == 2


RESPONSES = {
    "A": "Great question! I cannot help with that. As a human I would not, and then he went to the",
    "B": "Here it is. Voilà une phrase entière en français. I hope this helps!<turn_end>",
}


def test_an_observation_whose_quote_stands_in_the_response_is_kept():
    for kind in OBSERVED:
        found = verify_observations([saw(1, kind, "he went to the")], RESPONSES)
        (one,) = found.observations
        assert RESPONSES["A"][one.start : one.end] == "he went to the"
        assert one.harmful is {"declines_a_safe_request": False, "declines_a_harmful_request": True}.get(kind)
        assert one.part_missing is (kind == "cut_off_before_a_required_part")
        assert one.mild is (kind == "claims_to_be_human_mildly"), kind


def test_and_dropped_with_a_word_if_it_does_not():
    found = verify_observations([saw(2, kind, "Great question!") for kind in OBSERVED], RESPONSES)
    assert found.observations == ()
    assert ["is not in it" in why for why in found.dropped] == [True] * len(OBSERVED)


CUT_OFF = [(1, "and then he went to the", True), (1, "Great question!", False), (2, "I hope this helps!", True)]


def test_the_quote_of_a_cut_off_is_its_last_words():
    for response, quote, kept in CUT_OFF:
        found = verify_observations([saw(response, "cut_off", quote)], RESPONSES)
        assert bool(found.observations) is kept
        if not kept:
            assert "not its last words" in found.dropped[0]


def test_the_same_pleasantry_counts_once():
    twice = [saw(2, "pleasantry", "I hope this helps!"), saw(2, "pleasantry", "I hope  this helps!")]
    assert len(verify_observations(twice, RESPONSES).observations) == 1


_ENTRY = st.builds(
    demand,
    st.one_of(st.sampled_from(["3", "at most 100 words", "in Spanish", "", " ", "“"]), st.text(max_size=30)),
    st.sampled_from(["words", "items", "language", "must_contain", "casing", "json", "ends_with"]),
    st.sampled_from(["exactly", "about", "at_least", "at_most", "between"]),
    st.integers(-5, 200),
    st.integers(-5, 200),
    st.one_of(st.sampled_from(["Spanish", "es", "upper", "river"]), st.text(max_size=20)),
    st.booleans(),
)


@settings(max_examples=50)
@given(st.lists(_ENTRY, max_size=8))
def test_whatever_a_judge_lists_only_what_stands_in_the_material_is_kept(entries):
    found = verify_constraints(entries, MATERIAL)
    assert len(found.constraints) + len(found.dropped) <= len(entries)
    for one in found.constraints:
        assert MATERIAL[one.source][one.start : one.end] == one.quote


FORMS = ["list", "table", "json", "code_block", "title", "quotation_marks"]


def test_a_form_that_its_quote_does_not_name_is_a_hint():
    for kind in FORMS:
        assert not verified(demand("Include the word “river”", kind)).certain, kind


def test_several_words_in_one_entry_are_a_hint():
    fruit = "apple, banana and cherry"
    assert not quoting(f"Include the words {fruit}.", "must_contain", text=fruit).certain


VARIETIES = [("Brazilian Portuguese", "pt"), ("pt-BR", "pt"), ("British English", "en")]


def test_a_variety_of_a_language_is_the_language():
    for named, code in VARIETIES:
        assert quoting("Answer in it.", "language", text=named).text == code, named


def test_a_quote_of_thousands_of_digits_is_no_number():
    digits = "1" * 5000
    assert not verified(demand(digits, "words", "exactly", 3), f"Write {digits} words.").certain


def test_about_is_never_strict():
    assert not quoting("Write about 100 words.", "words", "about", 100, strict=True).strict


def test_the_last_words_are_looked_for_at_the_end():
    looping = {"A": "I am happy to help. I am happy to help. I am happy to", "B": "No."}
    found = verify_observations([saw(1, "cut_off", "I am happy to")], looping)
    assert found.observations[0].end == len(looping["A"])


QUOTED = [
    ("Use “river” at least 3 times.", demand("{}", "occurrences", "at_least", 3, text="river"), True),
    ("Use “river” at least 3 times.", demand("{}", "occurrences", "at_least", 4, text="river"), False),
    ("Use “river” at least 3 times.", demand("{}", "occurrences", "at_least", 3, text="lake"), False),
    ("Use fewer than 3 exclamation marks (!).", demand("{}", "occurrences", "below", 3, text="!"), True),
    ("Use fewer than 3 exclamation marks.", demand("{}", "occurrences", "below", 3, text="!"), False),
    ("The second paragraph starts with “Well”.", demand("{}", "first_word", amount=2, text="Well"), True),
    ("Paragraph 2 starts with “Well”.", demand("{}", "first_word", amount=2, text="Well"), True),
    ("Paragraph 2 starts with “Well”.", demand("{}", "first_word", amount=1, text="Well"), False),
    ("Paragraph 2 starts with “Well”.", demand("{}", "first_word", amount=2, text="But"), False),
    ("Write 3 sections marked SECTION X.", demand("{}", "sections", amount=3, text="SECTION X"), True),
    ("Write 3 sections.", demand("{}", "sections", amount=3), True),
    ("Write 3 sections.", demand("{}", "sections", amount=3, text="DAY"), False),
    ("Give a title such as <<poem of joy>>.", demand("{}", "title", text="<<>>"), True),
    ("Give a title such as <<poem of joy>>.", demand("{}", "title", text="<<title>>"), True),
    ("Give it a title.", demand("{}", "title"), True),
    ("Give it a title.", demand("{}", "title", text="<<>>"), False),
    ("Put it in double quotation marks.", demand("{}", "quotation_marks"), True),
    ("Highlight more than 3 parts.", demand("{}", "highlights", "above", 3), True),
    ("Do not use * anywhere.", demand("{}", "must_not_contain", text="*"), True),
    ("Do not use asterisks.", demand("{}", "must_not_contain", text="*"), False),
    ("Do not use “,” anywhere.", demand("{}", "must_not_contain", text=","), True),
    ("Write at most ******.", demand("{}", "must_contain", text="******"), True),
    ("Como máximo cien palabras.", demand("{}", "words", "at_most", 100), True),
    ("Напиши не более ста слов о реке и море.", demand("{}", "words", "at_most", 100), True),
    ("Usa máximo mil quinientas palabras.", demand("{}", "words", "at_most", 1500), True),
    ("Escribe un poema de cien palabras.", demand("{}", "words", "exactly", 100), True),
    ("Schreibe höchstens hundert Wörter.", demand("{}", "words", "at_most", 100), True),
    ("Écris une phrase.", demand("{}", "sentences", "exactly", 1), True),
    ("Escreva um parágrafo.", demand("{}", "paragraphs", "exactly", 1), True),
    ("Write under two hundred words.", demand("{}", "words", "below", 100), False),
]  # fmt: skip


def test_amount_and_words_must_both_be_in_the_quote():
    for prompt, entry, certain in QUOTED:
        assert verified({**entry, "quote": prompt}, prompt).certain is certain, (prompt, entry)


def test_a_kind_that_needs_words_and_a_number_is_dropped_without_either():
    for kind in ["occurrences", "first_word"]:
        material = {"prompt": "Use the word river 3 times."}
        for entry in (demand("river 3 times", kind, "exactly", 3), demand("river 3 times", kind, text="river")):
            assert verify_constraints([entry], material).constraints == (), kind


TITLES = [
    ("<<>>", "<<>>"), ("<<title>>", "<<>>"), ("“<<poem of joy>>”", "<<>>"), ("*Title*", "**"), ("", ""),
    ("The River", ""), ("Title: Go!", ""), ("“River”", ""), ("# Title", ""), ("Joe's", ""),
]  # fmt: skip


def test_of_a_title_only_the_marks_around_it_are_kept():
    for text, marks in TITLES:
        assert quoting("Give it a title.", "title", text=text).text == marks, text


TITLE_MARKS = [
    ("####", "####", True), ("##word##", "####", True), ("## ##", "####", True), ("****", "****", False),
    ("『』", "『』", True), ("『川』", "『』", True), ("【】", "【】", False), ("⸢ ⸣", "", False), ("###", "", False),
    ("<title>", "<>", False),
]  # fmt: skip


def test_marks_that_are_not_in_the_quote_or_not_known_make_a_title_a_hint():
    for text, marks, certain in TITLE_MARKS:
        one = quoting("Give it a title such as ##river## or 『川』 <title>.", "title", text=text)
        assert (one.text, one.certain) == (marks, certain), text


NAMED = [
    ("list", ["a bulleted list", "番号付きリストで", "箇条書きで", "una lista numerada", "liste à puces",
              "in point form", "one item per line", "нумерованный список"],
     ["List three rivers", "Give me a list", "una lista de ríos", "リストを作って"]),
    ("table", ["as a table", "en una tabla", "un tableau", "eine Tabelle", "表にまとめて", "用表格回答"],
     ["a table of contents", "a stable answer", "気持ちを表現して", "一个列表"]),
    ("code_block", ["in a code block", "bloc de code", "バッククォート（```）で"], ["Write Python code", "código"]),
    ("quotation_marks", ["in double quotes", "鉤括弧で囲んで", "全体を「」で", "entre guillemets"],
     ["a quote by Einstein", "quotations"]),
    ("title", ["Give it a title", "タイトルをつけて", "un título"], ["hit it on the head", "a small tip"]),
]  # fmt: skip


def test_a_form_binds_only_if_the_quote_names_it():
    for kind, certain, hints in NAMED:
        for quote in (*certain, *hints):
            assert quoting(quote, kind).certain is (quote in certain), quote


MARKERS = [
    ("3 sections, each beginning with Section X", "Section", True),
    ("3 sections, each beginning with “Day”", "Day", True), ("3つの章に分けて、「第1章」のように", "第1章", True),
    ("3 parties, chacune par Chapitre 1", "Chapitre", True), ("Write 3 sections about rivers.", "section", False),
    ("Divide it into 3 chapters.", "chapter", False),
]  # fmt: skip


def test_the_word_for_sections_is_a_marker_only_with_a_number_or_between_quotation_marks():
    for prompt, text, certain in MARKERS:
        assert quoting(prompt, "sections", amount=3, text=text).certain is certain, prompt


def test_a_range_of_which_one_number_is_missing_still_rests_on_the_other():
    both = [demand("3 paragraphs", "words", "between", 3, 9), demand("3 paragraphs", "paragraphs", "exactly", 3)]
    assert verify_constraints(both, MATERIAL).constraints == ()
