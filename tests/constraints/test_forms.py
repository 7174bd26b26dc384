"""SPEC 3: formats (list, JSON, title, quotation marks, first word of a paragraph) are there or not; numbers of
occurrences, sections, highlighted parts, placeholders and words in capitals are exact."""

from hypothesis import given
from hypothesis import strategies as st
from quick import within

from adjudge.constraints.forms import has_title, read_json
from adjudge.constraints.marks import count_between, highlight_counts, placeholder_counts
from adjudge.constraints.measuring import measure
from adjudge.constraints.sections import section_counts
from adjudge.models.constraints import Constraint


def asked(kind, bound="exactly", amount=None, text="", quote="q"):
    return Constraint(kind=kind, source="prompt", quote=quote, start=0, end=1, bound=bound, amount=amount, text=text)


STORY = "Once there was a river.\n\nIt ran to the sea.\n\nNobody knew why."


KINDS = [
    (asked("occurrences", "at_least", 2, "river"), "River, **river**.", "A river of riverbeds.",
     "has 1 occurrence of “river”; at least 2 were asked for"),
    (asked("occurrences", "below", 2, "river"), "A river.", "River and “river”.",
     "has 2 occurrences of “river”; fewer than 2 were asked for"),
    (asked("occurrences", "exactly", 2, "!"), "Oh! Well!", "Oh!!!", "has 3 occurrences of “!”; 2 were asked for"),
    (asked("occurrences", "at_least", 3, "z", "the letter z at least 3 times"), "Zigzag zoo", "Zoo",
     "has 1 occurrence of “z”; at least 3 were asked for"),
    (asked("sections", "exactly", 2, "SECTION"), "SECTION 1\nOne.\n\n**Section 2:**\nTwo.", "Section 1\nOne.",
     "has 1 section; 2 were asked for"),
    (asked("sections", "exactly", 2, "Day X"), "Day 1: go.\nDay 2: nap.", "Go", "has 0 sections; 2 were asked for"),
    (asked("sections", "exactly", 2), "# A\n## B\nText.\n## C\nText.",
     "# A\nText.\n# B\nText.\n# C\nText.\n# D\nText.\n# E\nText.", "has 3, 4 or 5 sections; 2 were asked for"),
    (asked("highlights", "at_least", 2), "A *first* and a **second one**.", "* A *first* item\n* An item",
     "has 1 highlighted part; at least 2 were asked for"),
    (asked("placeholders", "at_least", 2, quote="such as [name]"), "Dear [name], at [address]",
     "Dear [name], {x}", "has 1 placeholder; at least 2 were asked for"),
    (asked("capital_words", "below", 3), "I SAW it. I DID.", "I SAW ALL of IT",
     "has 3 to 4 all-caps words; fewer than 3 were asked for"),
    (asked("list"), "Take:\n- a\n- b", "Take a and b.", "has no list; one was asked for"),
    (asked("list"), "1) a\n2) b", "Take a. Take b.", "has no list; one was asked for"),
    (asked("title"), "# Rivers\nThey run.", "They run. They end.", "has no title; one was asked for"),
    (asked("title"), "Rivers of the North\n\nThey run.", "They run.\nThey end.", "has no title; one was asked for"),
    (asked("title"), "**Title:** Rivers\nThey run.", "Rivers", "has no title; one was asked for"),
    (asked("title"), "**Rivers**\nThey run.", "- one\n\n- two", "has no title; one was asked for"),
    (asked("title", text="<<>>"), "<<Rivers>>\nThey run.", "# Rivers\nThey run.",
     "has no title in <<>>; one was asked for"),
    (asked("quotation_marks"), "“All of it.”", 'He said: "No."',
     "is not wrapped in quotation marks, as was asked for"),
    (asked("quotation_marks"), '"All of it."', '"', "is not wrapped in quotation marks, as was asked for"),
    (asked("first_word", amount=2, text="it"), STORY, "It ran.\n\nNobody knew.",
     "does not begin paragraph 2 with “it”, as was asked for"),
    (asked("first_word", amount=2, text="It"), "# Title\n\nA river.\n\n***\n\n“It” ran.", "A.\n\nItaly ran.",
     "does not begin paragraph 2 with “It”, as was asked for"),
    (asked("first_word", amount=4, text="Why"), STORY + "\n\nWhy?", STORY,
     "has no paragraph 4, which should begin with “Why”"),
]  # fmt: skip


def test_new_kinds_are_there_or_not():
    for demand, met, missed, says in KINDS:
        assert measure(demand, met).met
        result = measure(demand, missed)
        assert (result.says, result.severity) == (says, "minor"), demand


SECTIONS = [
    ("第1章\n春\n\n## 第2章：夏\n第2章では", "第1章|第|章|第N章|第X章|第〇章|第一章", range(2, 4)),
    ("第1章\n春\n第2章\n夏", "第1章、第2章|第1章や第2章", range(2, 3)),
    ("第1章\n第三の文章を書く。\n文章を読む。\n2章\n夏", "第1章", range(1, 3)),
    ("第１章\n春\n第２章\n夏", "第1章|第一章", range(2, 3)),
    ("1. 第一節\n春\n2. 第二節\n夏", "第1節|第一節", range(2, 3)), ("제1장 봄\n제2장 여름", "제1장|장", range(2, 3)),
    ("Chapter One\nA.\n\nCHAPTER TWO\nB.", "Chapter|Chapter One|Chapter I|CHAPTER X|[Chapter 1]", range(2, 3)),
    ("1. Section 1\nA.\n2. Section 2\nB.", "Section 1: A|Section {number}|Section 1, Section 2", range(2, 3)),
    ("**1st Part**\nA.\n**2nd Part**\nB.", "1st Part|First Part|Part", range(2, 3)),
    ("SECCION 1\nA.\nSección 2\nB.", "Sección X|SECCIÓN|Sección 1", range(2, 3)),
    ("Глава первая\nА.\nГлава вторая\nБ.", "Глава 1|Глава первая", range(2, 3)),
    ("الفصل الأول\nا\nالفصل الثاني\nب", "الفصل 1|الفصل الأول", range(2, 3)),
    ("भाग १\nक\nभाग २\nख", "भाग 1|भाग", range(2, 3)),
    ("Erster Teil\nA.\nZweiter Teil\nB.", "Erster Teil|Teil 1|Teil", range(0, 3)),
    ("Première partie\nA.\nDeuxième partie\nB.", "Partie 1|Première partie|1re partie", range(0, 3)),
    ("첫 번째 장\n가\n두 번째 장\n나", "첫 번째 장", range(0, 3)),
    # A table of contents names each section once more, and a sentence may, too.
    ("Section 1\nSection 2\n\nSection 1\nA.\nSection 2\nB.", "Section 1", range(2, 5)),
    ("Part 1\nA.\nPart 2\nB.\nPart 3 of this series follows.", "Part 1", range(2, 4)),
    ("1. Kapitel: A\n2. Kapitel: B", "Kapitel 1", range(2, 3)),
    ("<h2>Section 1</h2>\nA.\n\\section{Section 2}\nB.", "Section 1", range(2, 3)),
    ("Part I\nA river, as Part II says.\nPart of it.", "Part I|PART", range(1, 3)),
    # Where the marker is nowhere, another word with numbers may be a translation of it.
    ("Part 1\nA.\nPart 2\nB.", "Teil X", range(0, 3)), ("Sections are long.", "Section", range(0, 1)),
    ("1.\nA.\n2.\nB.", "1.|X|(a)", frozenset()),
]  # fmt: skip


def test_a_section_has_its_number_anywhere_in_any_script_and_accents_do_not_matter():
    for text, markers, counts in SECTIONS:
        for marker in markers.split("|"):
            assert section_counts(text, marker) == counts, marker


THERE = [
    ("table", "| a | b |\n|---|---|\n| 1 | 2 |"), ("table", "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```"),
    ("table", "Name | Age\nAnn | 7"), ("table", "Name\tAge\nAnn\t7"), ("table", "Name     Age\nAnn      7"),
    ("table", "<table><tr><td>1</td></tr></table>"), ("json", '{"a": 1}'),
    ("json", '```json\n{"a": [1, 2]}\n```'), ("json", '[{"a": 1}]'), ("json", '{"a": 1}\n{"a": 2}'),
    ("code_block", "Here:\n```\nx\n```"), ("code_block", "```x"),
]  # fmt: skip


def test_a_form_that_is_there():
    for kind, text in THERE:
        assert measure(asked(kind, quote="the response"), text).met, text


NOT_THERE = [
    ("table", "Ann is 7.\nBob is 8.", "has no table; one was asked for"),
    ("table", "a | b", "has no table; one was asked for"), ("table", "", "has no table; one was asked for"),
    ("json", '{"a": 1,}', "has JSON that does not parse; JSON was asked for"),
    ("json", "```json\n{'a': 1}\n```", "has JSON that does not parse; JSON was asked for"),
    ("json", '[\n{"a": 1},\n{"a": 2},\n]', "has JSON that does not parse; JSON was asked for"),
    ("json", "a: 1", "has no JSON; JSON was asked for"),
    ("json", 'Here it is:\n{"a": 1}', "has other text around its JSON; JSON was asked for"),
    ("json", '```json\n{"a": 1}\n```\nUse it {well}.', "has other text around its JSON; JSON was asked for"),
    ("json", "[" * 100_000, "has no JSON; JSON was asked for"),
    ("json", "[" * 100_000 + "]", "has JSON that does not parse; JSON was asked for"),
    ("code_block", "x = `1`", "has no code block; one was asked for"),
]  # fmt: skip


def test_a_form_that_is_not_there():
    for kind, text, says in NOT_THERE:
        result = measure(asked(kind, quote="the response"), text)
        assert (result.says, result.severity) == (says, "minor"), text[:99]


def test_sections_without_a_marker_may_be_numbered_lines_or_between_dividers():
    numbered = "**Rivers**\n\n1. Source\nIt springs.\n2. Course\nIt runs.\n3. Mouth\nIt ends."
    divided = "# Rivers\nIt springs.\n***\nIt runs.\n***\nIt ends."
    marked = "**Rivers**\n\nPart 1\nIt springs.\nPart 2\nIt runs.\nPart 3\nIt ends."
    for text in (numbered, divided, marked):
        result = measure(asked("sections", "exactly", 3), text)
        assert result.met and result.in_part


HIGHLIGHTS = [
    ("《》の記号を用いて5つ強調", "《川》と《海》", 2, 2),
    ("highlight 2 parts as in 《word》", "A 《river》, a **sea**.", 1, 2),
    ("mark 2 words ##like this##", "A ##river##, a ##sea##.", 2, 2),
    ("highlight 2 parts with <<>>", "A <<river>>, a <<sea>>.", 2, 2),
    ("2 parts in bold", "A 【river】, a «sea», the OCEAN.", 0, 0),
    ("highlight 2 parts", "A 【river】, a «sea», the OCEAN.", 0, 3), ("《》で強調", "【1】川\n【2】海", 0, 0),
    ("2 words in capitals or bold", "The RIVER, the SEA.", 0, 2),
    ("2 parts in <b>tags</b>", "A <b>river</b>, a <b>sea</b>.", 2, 2), ("with Markdown", "*A river\n\nruns.*", 0, 1),
    ("with Markdown", "* a\n* b\n\n***\n\nc", 0, 0), ("with Markdown", "<mark class='x'>a</mark> `b`", 1, 2),
]  # fmt: skip


def test_highlights_are_looked_for_between_the_marks_that_the_quote_shows():
    for quote, text, least, most in HIGHLIGHTS:
        assert highlight_counts(text, quote) == range(least, most + 1), quote


def test_labels_may_not_be_among_at_most_so_many_highlights():
    text = "**Source:** It *springs*.\n**Mouth:** It ends."
    assert measure(asked("highlights", "at_least", 3, quote="in bold"), text) == (
        "has 3 highlighted parts; at least 3 were asked for", None, None, False,
    )  # fmt: skip
    assert measure(asked("highlights", "at_most", 1, quote="in bold"), text).in_part


def test_long_texts_in_brackets_may_be_placeholders_but_arrays_over_lines_are_none():
    long = f"[{'word ' * 60}]"
    assert placeholder_counts("[name], [name], [date]", "[x]") == range(3, 4)
    assert measure(asked("placeholders", "exactly", 2, quote="[x]"), "[name], [name], [date]").in_part
    assert placeholder_counts(f"[name] {long} ［日付］ [\n1,\n2\n]", "[x]") == range(1, 4)
    assert placeholder_counts("【名前】 ____ %DATE% (name)", "3 placeholders") == range(0, 5)
    assert placeholder_counts("【名前】 ____ %DATE% (name)", "3 en crochets") == range(0, 4)


SEEN_BY_SOME = [
    ("list", "", "red, blue, green"), ("list", "", "Good points: short, clear, cheap."), ("list", "", "红、黄、蓝"),
    ("list", "", "Compra pan, leche y huevos."), ("list", "", "Go left.\nGo right."),
    ("list", "", "Primero, lava bien los platos. Segundo, seca bien los platos."),
    ("list", "", f"One - {'wash ' * 20}.\nTwo - {'dry ' * 20}."), ("table", "", "Ann - 7\nBob - 8"),
    ("table", "", "Ann, 7, Rome\nBob, 8, Bonn"), ("table", "", "Ann, 7 | Bob, 8 | Cy, 9"),
    ("title", "", "Here is the poem:\n\nThe River\n\nIt runs and runs."), ("title", "", "The River\nruns and runs"),
    ("title", "", "The River.\n\nIt runs."), ("title", "<<>>", "»Der Fluss«\nEr fließt."),
    ("title", "《》", "〈河〉\n流れる。"), ("title", "<<>>", "« Le fleuve »\nIl coule."),
    ("title", "<<>>", "\\<\\<Rivers\\>\\>\nThey run."), ("title", "<<>>", "&lt;&lt;Rivers&gt;&gt;\nThey run."),
    ("title", "####", "## Rivers\nThey run."), ("code_block", "", "~~~\nx = 1\n~~~"),
    ("code_block", "", "<pre>x = 1</pre>"), ("code_block", "", "So:\n    x = 1"),
    ("quotation_marks", "", "&quot;All of it.&quot;"), ("quotation_marks", "", "> “All of it.”"),
    ("quotation_marks", "", "'All of it.'"), ("quotation_marks", "", "```\n“All of it.”\n```"),
    ("quotation_marks", "", "「全部です」（質問）"), ("quotation_marks", "", "“All of it”."),
]  # fmt: skip


def test_a_form_that_only_some_would_see_is_a_hint():
    for kind, marks, text in SEEN_BY_SOME:
        result = measure(asked(kind, text=marks), text)
        assert (result.severity, result.in_part) == (None, True), text


SEEN_BY_ALL = [
    ("list", "", f"◆ {'wash ' * 20}.\n◆ {'dry ' * 20}."), ("table", "", "姓名\u3000年龄\n安\u30007"),
    ("title", "", "THE RIVER\nIt runs."), ("table", "", "| a | b |\n\n|---|---|\n\n| 1 | 2 |"),
    ("table", "", "│ a │ b │\n│ 1 │ 2 │"), ("title", "", 'The title of the film is "The River". It runs.'),
    ("title", "", "Le titre : Le fleuve. Il coule."), ("title", "", "ある話。タイトルは『川』です。"),
    ("title", "", "##Rivers##\nThey run."), ("title", "", "（川の話）\n流れる。"),
    ("title", "", "Sure!\n**Rivers**\nThey run."), ("title", "", "★ Rivers ★\nThey run."),
    ("title", "####", "##Rivers##\nThey run."), ("title", "****", "**Rivers**\nThey run."),
    ("title", "『』", "『川』\n流れる。"), ("title", "<<>>", "<<\nRivers\n>>\nThey run."),
    ("quotation_marks", "", "「全部です」"), ("code_block", "", "So ```x```"),
]  # fmt: skip


def test_a_form_is_found_in_every_usual_shape():
    for kind, marks, text in SEEN_BY_ALL:
        result = measure(asked(kind, text=marks), text)
        assert (result.severity, result.in_part) == (None, False), text


SEEN_BY_NOBODY = [
    ("list", "", "It runs to the sea. Nobody who lived there had seen it, and nobody asked.", "has no list"),
    ("title", "####", "Rivers\n\nThey run.", "has no title in ## ##"),
    ("title", "『』", "（川）\n流れる。", "has no title in 『』"),
    ("table", "", "- Ann: 7\n- Bob: 8", "has no table"),
    ("quotation_marks", "", "```\nAll of it.\n```", "is not wrapped in quotation marks"),
]  # fmt: skip


def test_a_form_that_nobody_would_see_is_missed():
    for kind, marks, text, says in SEEN_BY_NOBODY:
        result = measure(asked(kind, text=marks), text)
        assert (result.says.startswith(says), result.severity) == (True, "minor"), text


FIRST_WORDS = [
    (2, "Later", "1. A river rose.\n\n2. Later it fell."), (2, "Later", "A river rose.\n\n「Later」 it fell."),
    (2, "Later", "**Paragraph 1:** A river rose.\n\n**Paragraph 2:** Later it fell."),
    (2, "Later", "A river rose.\n\n『Later』\n\nIt fell."),
    (2, "Later", "First paragraph\nA river rose.\n\nSecond paragraph\nLater\nit fell."),
    (2, "Later", "Here are, in order, all the things that a river did:\n\nOne:\nIt rose.\n\nTwo:\nLater it fell."),
    (2, "Later", "1. Rise\n\nThe river rose.\n\n2. Later\n\nIt fell."),
    (2, "Later", "Title: 🌊 The River : 🌊 A Story of Rise 🌊 and Fall 🌊\n\nFirst:\nIt rose.\n\nLater:\nIt fell."),
    (3, "Later", "The river rose.\nIt rose again.\nLater it fell.\n\nThe end."),
]  # fmt: skip


def test_labels_numbers_and_titles_may_precede_the_first_word_of_a_paragraph():
    for number, word, text in FIRST_WORDS:
        assert measure(asked("first_word", amount=number, text=word), text).met
        assert not measure(asked("first_word", amount=number, text="Never"), text).met, text


HINTS = [
    (asked("placeholders", "at_least", 2, quote="such as [name]"), f"Dear [name], [NOTE: {'many words ' * 30}]",
     "has 1 to 2 placeholders; at least 2 were asked for"),
    (asked("capital_words", "at_most", 1, quote="capitals at most 1 times"), "We SAVE TIME AND MONEY here.",
     "has 1 to 4 all-caps words; at most 1 was asked for"),
    (asked("json", quote="sample data in JSON"), 'Here:\n{"a": 1}',
     "has other text around its JSON; JSON was asked for"),
    (asked("must_not_contain", text="river"), "Rivers run.",
     "contains “river”, which was not wanted, but only in another form or a longer word"),
]  # fmt: skip


def test_what_only_one_usual_way_of_reading_misses_is_a_hint():
    for demand, text, says in HINTS:
        result = measure(demand, text)
        assert (result.met, result.in_part, result.says) == (True, True, says), text


def test_many_words_in_capitals_are_no_phrase_that_counts_as_one_time():
    demand = asked("capital_words", "at_most", 2, quote="capitals at most 2 times")
    assert not measure(demand, "ALL OF THIS IS IN CAPITALS. AND THIS TOO.").met


def test_about_allows_one_occurrence_more_or_less():
    for count, met in ((1, False), (2, True), (3, True), (4, True), (5, False)):
        assert measure(asked("occurrences", "about", 3, "river"), "river " * count).met is met


def test_without_marker_and_headings_sections_cannot_be_counted():
    assert measure(asked("sections", "exactly", 3), "One.\n\nTwo.") is None


JSON = [
    ('{"a": 1}', "whole"), ("[1, 2]", "whole"), ("42", "whole"), ('\ufeff{"a": 1}\n', "whole"),
    ('```json\n{"a": 1}\n```', "whole"), ('```{"a": 1}```', "whole"), ('~~~\n{"a": 1}\n~~~', "whole"),
    ('```JSON\n{"a": "```x```"}\n```', "whole"), ('{"a": 1}\n{"a": 2}', "whole"),
    ('{"a": ' + "1" * 5000 + "}", "whole"), ("[" * 500 + "]" * 500, "whole"), ('{"a": 1} Done.', "in prose"),
    ('```json\n{"a": 1}\n```\n```json\n{"b": 1}\n```', "in prose"), ('{"a": NaN}', "broken"), ("{'a': 1}", "broken"),
    ('{"a": 1', "broken"), ("{a", "none"), ('```json\n["a", "b",\n"c', "broken"),
    ('JSON { THEN "A": [ 1, 2', "broken"), ("", "none"), ("See [1", "none"), ("A set { of things", "none"),
    ("```json\n```", "none"), ('```json\n[\n {"river": "Rhine"},\n {"riv', "broken"),
]  # fmt: skip


def test_json_is_the_whole_response_but_for_one_fence():
    for text, found in JSON:
        assert read_json(text) == found, text[:99]


BRACKETS = [
    "[" * 10**6, "[" * 10**6 + "]", "[" * 500_000 + "]" * 500_000, '{"a":' * 200_000, "[1,}" * 250_000, "`" * 10**6,
]  # fmt: skip


def test_many_brackets_are_read_quickly_and_are_no_json():
    for text in BRACKETS:
        with within(5):
            assert read_json(text) != "whole"


def test_long_runs_of_marks_are_measured_quickly():
    kinds = ["title", "list", "table", "sections", "highlights", "placeholders", "capital_words", "json", "first_word"]
    for piece in ("*", "**a ", " __a", "_a", "<<", "[a", "a" * 99 + "==", "<b>", "# ", "A-", "\n", " ", "“"):
        for kind in (*kinds, "code_block", "quotation_marks"):
            with within(2):
                measure(
                    asked(kind, amount=1, text="a", quote="as in 《a》 or ##a##"), (piece * 30_000)[:30_000] + " end"
                )


UNCLOSED = ["<" * 99_900 + "\n>>", ("<" * 290 + "b\nc>>") * 300, "<" * 200_000]


def test_a_title_between_marks_is_looked_for_quickly():
    for text in UNCLOSED:
        with within(2):
            assert not has_title(text, "<<>>")


BETWEEN = [
    ("<<a>> <<b>>", 2), ("<< a >>", 1), ("<<>>", 0), ("<<>>a>>", 1), ("<<a\nb>>", 0), ("<<x\n<<b>>", 1),
    ("<<\na\n>>", 1), ("<<" + "a" * 299 + ">>", 1), ("<<" + "a" * 301 + ">>", 0), ("<<--->> <<b>>", 1),
]  # fmt: skip


def test_parts_between_marks_are_counted():
    for text, count in BETWEEN:
        assert count_between(text, ("<<", ">>")) == count, text


@given(st.text(alphabet='[]{}",:`~1an \n*_<>#', max_size=300))
def test_any_marks_can_be_measured(text):
    for kind in ("json", "title", "list", "sections", "highlights", "placeholders", "first_word", "quotation_marks"):
        result = measure(asked(kind, amount=1), text)
        assert result is None or result.says
