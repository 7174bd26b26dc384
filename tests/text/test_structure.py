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


def numbered(styles):
    return "\n".join(style + name for style, name in zip(styles, NAMES, strict=True))


BOXED = [f"{number}\u20e3" for number in range(2, 7)]


def test_a_list_is_counted_in_every_style():
    styled = ([style.format(number) for number in range(1, 7)] for style in STYLES)
    for styles in (*styled, "①②③④⑤⑥", ["1\ufe0f\u20e3", *BOXED], ["1. "] * 6):
        assert counts(numbered(styles)) == [("numbered", 6)], styles[0]
    for style in BULLETS:
        assert counts(numbered([style] * 6)) == [("bulleted", 6)], style


@pytest.mark.parametrize(("mark", "inner", "kind"), [
    ("{}. ", "   - one\n   - two", "numbered"), ("{}. ", "- one\n- two", "numbered"),
    ("{}. ", "   1. one\n   2. two", "numbered"), ("- ", "    - one\n    - two", "bulleted"),
])  # fmt: skip
def test_nested_items_are_no_items(mark, inner, kind):
    text = "\n".join(f"{mark.format(number)}{name}\n{inner}" for number, name in enumerate(NAMES, 1))
    assert counts(text) == [(kind, 6)]


@pytest.mark.parametrize(("text", "nested", "bullets"), [
    ("- a\n  - b\n    - c\n- d", 2, 0), ("1. a\n   - b\n   - c\n2. d\n   1. e", 3, 2),
    ("1. a\n2. b\n\n- c\n- d", 2, 2), ("- a\n- b\n\nNo more of it.\n\n- c", 0, 0),
])  # fmt: skip
def test_items_inside_items_are_counted_apart(text, nested, bullets):
    listing = read_structure(text).listings[0]
    assert (listing.nested, listing.bullets) == (nested, bullets)


LINES = [
    ("  - a b", "item", "a b"), ("•a", "item", "a"), ("2) a", "item", " a"), ("## A b", "heading", "A b"),
    ("## 1. A", "heading", " A"), ("**A**", "heading", "**A**"), ("| a |", "table", "| a |"),
    ("*a* b", "prose", "*a* b"),
]  # fmt: skip


def test_a_line_has_a_kind_and_its_text_is_without_the_mark():
    for line, kind, bare in LINES:
        assert read_line(line) == (kind, bare)


def test_dividers_and_what_is_none():
    lines = ["***", "* * *", "  ---", "_____", "===", "⁂", "a *** b", "***a***", "--", "*-*", "a---b", "- a", "**"]
    assert [line for line in lines if DIVIDER.search(f"x\n{line}\ny")] == lines[:7]


QUESTIONS = "Question 1: why?\nAnswer 1: so.\nQuestion 2: how?\nAnswer 2: thus.\nQuestion 3: who?\nAnswer 3: she."
ROWS = "\n".join(f"| {name} | x |" for name in NAMES)


LISTS = [
    # Bullets under days may be the items, and so may the days.
    ("Day 1:\n- rest\n- swim\nDay 2:\n- walk\n- read\n- sleep", "bulleted 2, bulleted 3, numbered 2"),
    (QUESTIONS, "numbered 3, numbered 3"),  # numbers behind different words are different lists
    ("- a\n- b\n\nAnd here is the other one:\n\n1. a\n2. b\n3. c", "bulleted 2, numbered 3"),
    ("1. a\n2. b\n\nAgain:\n1. c\n2. d\n3. e", "numbered 2, numbered 3"),
    # The rows of a table are counted without the head.
    (f"| a | b |\n|---|---|\n{ROWS}", "table 6"), ("a | b\n---|---\n1 | 2\n3 | 4", "table 2"), ("either | or", ""),
    ("--|\n--", ""),
    # Numbers and signs in prose are no list.
    ("Sleep well, drink water and walk.", ""), ("In 1999. we met, and in\n2000. we parted", ""),
    ("It rose to\n3.5 percent\n4.5 percent", ""), ("-5 degrees\n-6 degrees", ""), ("", ""),
    ("John 3:16 is known.\nThe train leaves at\n5:30 sharp", ""),
]  # fmt: skip


def test_every_list_and_table_is_counted_and_nothing_else():
    for text, found in LISTS:
        assert ", ".join(sorted(f"{kind} {count}" for kind, count in counts(text))) == found, text


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


def test_a_megabyte_takes_no_longer_than_its_beginning():
    for piece in ("- a\n", "1. ", "1. a\n", "| a ", "```\n", "\n", "a", "Step 1", "**", "#", "a1"):
        text = piece * (1_000_000 // len(piece))
        with within(1):
            read_structure(text)
