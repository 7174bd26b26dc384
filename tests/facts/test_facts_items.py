import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.facts.items import find_items
from adjudge.facts.structure import read_structure
from adjudge.facts.wishes import ItemsKind, ItemsWish

NAMES = ["Sleep well.", "Drink water.", "Walk often.", "Eat greens.", "See friends.", "Read more."]


def wish(kind: ItemsKind, count: int, unit="items", upper: int | None = None) -> ItemsWish:
    return ItemsWish(kind, count, unit, 0, 1, "?", upper=upper)


STYLES = [
    "{}. ",
    "{}) ",
    "({}) ",
    "{}、",
    "### {}. ",
    "### {} ",
    "**{}.** ",
    "Step {}: ",
    "- ",
    "* ",
    "• ",
    "+ ",
    "  {}. ",
]


@pytest.mark.parametrize("style", STYLES)
def test_a_list_is_counted_in_every_style(style: str) -> None:
    text = "\n".join(style.format(number) + name for number, name in enumerate(NAMES, 1))
    assert find_items(text, wish("exactly", 6)) is None
    spot = find_items(text, wish("exactly", 5))
    assert spot is not None and spot.certain and spot.severity == "minor"
    assert "has 6 items; 5 were asked for" in spot.found


def test_circled_numbers_are_counted() -> None:
    text = "\n".join(sign + name for sign, name in zip("①②③④⑤⑥", NAMES, strict=True))
    assert find_items(text, wish("exactly", 6)) is None
    assert find_items(text, wish("exactly", 4)) is not None


def test_table_rows_are_counted_but_only_hinted_at() -> None:
    text = "| a | b |\n|---|---|\n" + "\n".join(f"| {name} | x |" for name in NAMES)
    assert find_items(text, wish("exactly", 6)) is None
    spot = find_items(text, wish("exactly", 3))
    assert spot is not None and not spot.certain and spot.severity == "major"


def test_a_table_needs_no_outer_lines() -> None:
    assert [each.count for each in read_structure("a | b\n---|---\n1 | 2\n3 | 4").listings] == [2]


def test_nested_bullets_are_no_items() -> None:
    text = "\n".join(f"{number}. {name}\n   - one\n   - two" for number, name in enumerate(NAMES, 1))
    assert [listing.count for listing in read_structure(text).listings] == [6]
    flat = "\n".join(f"{number}. {name}\n- one\n- two" for number, name in enumerate(NAMES, 1))
    assert [listing.count for listing in read_structure(flat).listings] == [6]


@pytest.mark.parametrize(
    ("found", "wanted", "severity"), [(1, 2, None), (2, 3, "minor"), (2, 4, "major"), (6, 3, "major"), (5, 3, "minor")]
)
def test_half_missing_or_twice_as_many_is_major(found: int, wanted: int, severity: str | None) -> None:
    spot = find_items("\n".join("- " + name for name in NAMES[:found]), wish("exactly", wanted))
    assert (spot and spot.severity) == severity


def test_two_lists_or_a_list_in_much_prose_are_a_hint() -> None:
    two = "- a\n- b\n\nAnd here is the other one:\n\n1. a\n2. b\n3. c"
    spot = find_items(two, wish("exactly", 7))
    assert spot is not None and not spot.certain
    prose = "Rivers are long and old. " * 30 + "\n\n1. a\n2. b\n3. c"
    spot = find_items(prose, wish("exactly", 7))
    assert spot is not None and not spot.certain
    assert find_items(two, wish("exactly", 5)) is None


def test_prose_may_hold_the_items() -> None:
    assert find_items("Sleep well, drink water and walk.", wish("exactly", 5)) is None
    assert find_items("", wish("exactly", 5)) is None


def test_at_least_at_most_and_ranges() -> None:
    text = "\n".join("- " + name for name in NAMES)
    assert find_items(text, wish("at_least", 4)) is None
    assert find_items(text, wish("at_least", 8)) is not None
    assert find_items(text, wish("at_most", 6)) is None
    assert find_items(text, wish("at_most", 4)) is not None
    assert find_items(text, wish("range", 3, upper=6)) is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It is so. It stays so.", 2),
        ("Das ist so. Es bleibt so! Warum?", 3),
        ("空は青い。海も青い。", 2),
        ("天空是蓝的。海也是蓝的！", 2),
        ("यह ऐसा है। वह वैसा है।", 2),
        ("هذا صحيح. هل تعلم؟ نعم.", 3),
        ("One sentence without an end", 1),
    ],
)
def test_sentences_are_counted_with_certainty_where_they_are_clear(text: str, count: int) -> None:
    assert find_items(text, wish("exactly", count, "sentences")) is None
    spot = find_items(text, wish("exactly", count + 3, "sentences"))
    assert spot is not None and spot.certain


def test_sentences_with_abbreviations_are_not_certain() -> None:
    text = "Dr. Smith came. He met Mr. Jones at 5 p.m. They talked."
    assert find_items(text, wish("exactly", 3, "sentences")) is None
    spot = find_items(text, wish("exactly", 9, "sentences"))
    assert spot is not None and not spot.certain


def test_paragraphs() -> None:
    text = "One is here.\n\nTwo is here.\n\nThree is here."
    assert find_items(text, wish("exactly", 3, "paragraphs")) is None
    spot = find_items(text, wish("exactly", 5, "paragraphs"))
    assert spot is not None and spot.certain and spot.severity == "minor"
    assert find_items("Title\n\n" + text, wish("exactly", 3, "paragraphs")) is None
    spot = find_items("Title\n\n" + text, wish("exactly", 7, "paragraphs"))
    assert spot is not None and not spot.certain


LINES = st.sampled_from(
    ["1. a", "2) b", "- c", "  - d", "| x | y |", "|---|---|", "# h", "**b**", "text.", "", "```", "①", "Step 1:", "。"]
)


@given(
    st.one_of(st.text(max_size=300), st.lists(LINES, max_size=30).map("\n".join)),
    st.sampled_from(["items", "sentences", "paragraphs"]),
    st.integers(1, 12),
)
def test_no_text_makes_it_raise_and_places_are_in_the_text(text: str, unit, count: int) -> None:
    spot = find_items(text, wish("exactly", count, unit))
    assert spot is None or 0 <= spot.start <= spot.end <= len(text)
