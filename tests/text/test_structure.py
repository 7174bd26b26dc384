import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick import within

from adjudge.text.structure import DIVIDER, Listing, read_line, read_structure

NAMES = ["Sleep well.", "Drink water.", "Walk often.", "Eat greens.", "See friends.", "Read more."]
STYLES = [
    "{}. ", "{}) ", "({}) ", "{}、", "{}: ", "{} - ", "### {}. ", "### {} ", "**{}.** ", "  {}. ", "（{}）",
    "Step {}: ", "**Step {}:** ", "## Paso {}: ", "Étape {} : ", "Schritt {}. ", "第{}步：", "ステップ{}：",
    "단계 {}. ", "चरण {}: ", "الخطوة {}: ", "Day {}: ", "Tip #{}: ", "Q{}: ",
]  # fmt: skip
BULLETS = ["- ", "* ", "• ", "+ ", "  - ", "– ", "•"]


def counts(text):
    return [(listing.style, listing.count) for listing in read_structure(text).listings]


@pytest.mark.parametrize("style", STYLES)
def test_a_numbered_list_is_counted_in_every_style(style):
    text = "\n".join(style.format(number) + name for number, name in enumerate(NAMES, 1))
    assert counts(text) == [("numbered", 6)]


@pytest.mark.parametrize("style", BULLETS)
def test_a_bulleted_list_is_counted_in_every_style(style):
    assert counts("\n".join(style + name for name in NAMES)) == [("bulleted", 6)]


@pytest.mark.parametrize("signs", ["①②③④⑤⑥", ["1\ufe0f\u20e3", "2\u20e3", "3\u20e3", "4\u20e3", "5\u20e3", "6\u20e3"]])
def test_circled_and_boxed_numbers_are_counted(signs):
    text = "\n".join(sign + name for sign, name in zip(signs, NAMES, strict=True))
    assert counts(text) == [("numbered", 6)]


def test_every_item_may_be_numbered_one():
    assert counts("\n".join("1. " + name for name in NAMES)) == [("numbered", 6)]


def test_nested_items_are_no_items():
    for inner in ("   - one\n   - two", "- one\n- two", "   1. one\n   2. two"):
        text = "\n".join(f"{number}. {name}\n{inner}" for number, name in enumerate(NAMES, 1))
        assert counts(text) == [("numbered", 6)], inner
    text = "\n".join(f"- {name}\n    - one\n    - two" for name in NAMES)
    assert counts(text) == [("bulleted", 6)]


@pytest.mark.parametrize(("text", "nested", "bullets"), [
    ("- a\n  - b\n    - c\n- d", 2, 0), ("1. a\n   - b\n   - c\n2. d\n   1. e", 3, 2),
    ("1. a\n2. b\n\n- c\n- d", 2, 2), ("- a\n- b\n\nNo more of it.\n\n- c", 0, 0),
])  # fmt: skip
def test_items_inside_items_are_counted_apart(text, nested, bullets):
    listing = read_structure(text).listings[0]
    assert (listing.nested, listing.bullets) == (nested, bullets)


@pytest.mark.parametrize(("line", "kind", "bare"), [
    ("  - a b", "item", "a b"), ("•a", "item", "a"), ("2) a", "item", " a"), ("## A b", "heading", "A b"),
    ("## 1. A", "heading", " A"), ("**A**", "heading", "**A**"), ("| a |", "table", "| a |"),
    ("*a* b", "prose", "*a* b"),
])  # fmt: skip
def test_a_line_has_a_kind_and_its_text_is_without_the_mark(line, kind, bare):
    assert read_line(line) == (kind, bare)


@pytest.mark.parametrize("line", ["***", "* * *", "  ---", "_____", "===", "⁂", "a *** b"])
def test_dividers(line):
    assert DIVIDER.search(f"x\n{line}\ny")


@pytest.mark.parametrize("line", ["***a***", "--", "*-*", "a---b", "- a", "**"])
def test_what_is_no_divider(line):
    assert not DIVIDER.search(f"x\n{line}\ny")


def test_bullets_under_days_may_be_the_items_and_so_may_the_days():
    text = "Day 1:\n- rest\n- swim\nDay 2:\n- walk\n- read\n- sleep"
    assert sorted(counts(text)) == [("bulleted", 2), ("bulleted", 3), ("numbered", 2)]


def test_numbers_behind_different_words_are_different_lists():
    text = "Question 1: why?\nAnswer 1: so.\nQuestion 2: how?\nAnswer 2: thus.\nQuestion 3: who?\nAnswer 3: she."
    assert counts(text) == [("numbered", 3), ("numbered", 3)]


def test_two_lists_are_two():
    text = "- a\n- b\n\nAnd here is the other one:\n\n1. a\n2. b\n3. c"
    assert counts(text) == [("bulleted", 2), ("numbered", 3)]
    assert counts("1. a\n2. b\n\nAgain:\n1. c\n2. d\n3. e") == [("numbered", 2), ("numbered", 3)]


@pytest.mark.parametrize("text", [
    "Sleep well, drink water and walk.", "In 1999. we met, and in\n2000. we parted",
    "It rose to\n3.5 percent\n4.5 percent", "John 3:16 is known.\nThe train leaves at\n5:30 sharp",
    "-5 degrees\n-6 degrees", "",
])  # fmt: skip
def test_numbers_and_signs_in_prose_are_no_list(text):
    assert counts(text) == []


def test_table_rows_are_counted_without_the_head():
    rows = "\n".join(f"| {name} | x |" for name in NAMES)
    assert counts(f"| a | b |\n|---|---|\n{rows}") == [("table", 6)]
    assert counts("a | b\n---|---\n1 | 2\n3 | 4") == [("table", 2)]
    assert counts("either | or") == []
    assert counts("--|\n--") == []


def test_what_stands_in_code_is_not_counted():
    structure = read_structure("Here:\n```\n1. a\n2. b\n# c\n```\nDone.")
    assert structure.listings == () and structure.headings == 0 and structure.has_code
    assert not read_structure("Here.").has_code


def test_headings_and_bold_beginnings_are_counted():
    structure = read_structure("# One\ntext\n## Two\ntext\n**Three**\n**Four:** text\n**Five** – text")
    assert (structure.headings, structure.bold_leads) == (3, 2)


def test_a_list_reaches_to_the_end_of_its_last_item():
    text = "Before.\n- a\n- b\n  goes on\nAfter."
    (listing,) = read_structure(text).listings
    assert listing == Listing("bulleted", 2, text.index("- a"), text.index("\nAfter"))


PIECES = ["1. a", "2) b", "- c", "  - d", "| x | y |", "|---|---|", "# h", "**b**", "text.", "", "```", "①", "Step 1:"]


@given(st.one_of(st.text(max_size=300), st.lists(st.sampled_from(PIECES), max_size=30).map("\n".join)))
def test_no_text_makes_it_raise_and_places_are_in_the_text(text):
    for listing in read_structure(text).listings:
        assert 0 <= listing.start <= listing.end <= len(text)
        assert listing.count >= 0


@pytest.mark.parametrize("piece", ["- a\n", "1. ", "1. a\n", "| a ", "```\n", "\n", "a", "Step 1", "**", "#", "a1"])
def test_a_megabyte_takes_no_longer_than_its_beginning(piece):
    text = piece * (1_000_000 // len(piece))
    with within(1):
        read_structure(text)
