"""Tables of ratings as people and formatters write them; the lines of the preference; what counts as left blank."""

from contextlib import suppress

import pytest
from quick import within

from adjudge.errors import InputError
from adjudge.protocols.review.case import Original
from adjudge.protocols.review.reading import read_reviews, slot_from
from adjudge.protocols.review.reading.tables import escape_pipes, split_row
from adjudge.protocols.rubrics import parse, shipped

RUBRIC = shipped("review")
UNITS = ("|", "\\|", "3 - ", "|-", ":", "*", " ", "(")


def ratings(text):
    return slot_from("response1_original_ratings", text, RUBRIC)


def preference(text):
    return slot_from("original_likert_and_justification", text, RUBRIC)


TABLE = {"localization": Original("2", "A slip."), "verbosity": Original("-1", "")}


@pytest.mark.parametrize(
    "text",
    [
        "| Dimension | Rating | Justification |\n|---|---|---|\n| Localization | 2 | A slip. |\n| Verbosity | -1 | |",
        "\n|Dimension|Rating|Justification|\n|:--|:-:|--:|\n|Localization|2|A slip.|\n\n|Verbosity|-1|",
        "Dimension | Rating | Justification\n--- | --- | ---\nLocalization | 2 | A slip.\nVerbosity | -1 |",
        "Localization | 2 | A slip. |\n| Verbosity | -1",
        "|**Dimension**|Justification|Rating|\n|-|-|-|\n| Localization | A slip. | 2 |\n| Verbosity | | -1 |",
        "| Dimension | Rating | Justification |  |\r\n| Localization | 2 | A slip. |  |\r\n| Verbosity | -1 |\r\n",
        "| Localization | 2 | A slip. |\n| Verbosity | -1 | N/A |\n|Truthfulness|n/a|-|\n|Overall|[1..5]|[...]|",
    ],
)
def test_a_table_is_read_however_its_pipes_stand(text):
    assert ratings(text) == TABLE


@pytest.mark.parametrize(
    "closing",
    [
        "</RESPONSE1_ORIGINAL_RATINGS>",
        "| </RESPONSE1_ORIGINAL_RATINGS> |   |   |",
        "|</RESPONSE1_ORIGINAL_RATINGS>|||",
        "  |   </RESPONSE1_ORIGINAL_RATINGS>   |  |",
        "</RESPONSE1_ORIGINAL_RATINGS> | | ",
    ],
)
def test_a_table_is_closed_on_a_line_or_in_a_row(closing):
    text = f"<RESPONSE1_ORIGINAL_RATINGS>\n| Truthfulness | 3 | True. |\n{closing}\n<PROMPT>\np\n</PROMPT>"
    (review,) = read_reviews(text.encode(), "x", RUBRIC)
    assert review.ratings_a == {"truthfulness": Original("3", "True.")}
    assert review.prompt == "p"


NAMES = {
    **{criterion.name: criterion.key for criterion in RUBRIC.criteria},
    **{criterion.name.upper(): criterion.key for criterion in RUBRIC.criteria},
    **{criterion.key: criterion.key for criterion in RUBRIC.criteria},
    "Localisation": "localization",
    "LOCALISATION (1-3)": "localization",
    "3. Truthfulness (1, 2, 3)": "truthfulness",
    "Verbosity / Response Length": "verbosity",
    "Verbosity/Length": "verbosity",
    "Verbosity (−2 to 2)": "verbosity",
    "Style": "style_clarity",
    "Style and Clarity": "style_clarity",
    "**Style & Clarity**:": "style_clarity",
    "Harmlessness": "harmlessness",
    "Harmlessness / Safety": "harmlessness",
    "Safety & Harmlessness": "harmlessness",
    "Overall": "overall_quality",
    "Overall rating": "overall_quality",
    "Overall Quality Score": "overall_quality",
}


def test_dimensions_are_known_by_many_names_in_tables_lines_and_objects():
    for written, key in NAMES.items():
        found = {key: Original("2", "why")}
        assert ratings(f"| {written} | 2 | why |") == found, written
        if not written.endswith(":") and not written.startswith("3."):
            assert ratings(f"{written}: 2 - why") == found, written
            given = {written: {"rating": 2, "justification": "why"}}
            assert slot_from("response1_original_ratings", given, RUBRIC) == found, written


def test_a_rubrics_own_names_come_before_ours():
    body = RUBRIC.source.replace("key: truthfulness", "key: safety").replace(
        "name: Truthfulness", "name: Overall score"
    )
    own = parse(body, "own.yaml")
    table = "| Safety | 1 |\n| Harmlessness | 2 |\n| Overall | 3 |"
    assert slot_from("response2_original_ratings", table, own) == {
        "safety": Original("1"),
        "harmlessness": Original("2"),
        "overall_quality": Original("3"),
    }
    assert slot_from("response2_original_ratings", "Overall Score | 1", own) == {"safety": Original("1")}


def test_a_rating_keeps_its_words_and_a_blank_one_is_not_provided():
    for words in ("2", "2 (minor)", "−1", "**2**", "good", "2/3", "[2]", "９"):
        assert ratings(f"| Truthfulness | {words} | |") == {"truthfulness": Original(words)}
    blank = ("", "N/A", "n/a", "-", "–", "—", "none", "None", "[1/2/3 or leave blank]")
    for words in (*blank, "[1..3]", "[1/2/3]", "[-2, -1, 0]", "[ ]"):
        assert ratings(f"| Truthfulness | {words} | [...] |") == {}
        assert ratings(f"| Truthfulness | {words} | Wrong date. |") == {"truthfulness": Original("", "Wrong date.")}
        assert preference(f"Likert: {words}") == Original()
    for text in ("N/A", "none", "\n-\n"):
        assert (ratings(text), preference(text)) == ({}, Original()), "a slot may say that there are none"


def test_pipes_and_backslashes_inside_a_cell():
    assert ratings(r"| Truthfulness | 2 | a \| b, C:\dir and \\d+ |") == {
        "truthfulness": Original("2", r"a | b, C:\dir and \\d+")
    }
    for text in ["|", r"\|", r"a\\|b", "||", "\\", r"\\", "a|"]:
        assert split_row(f"| x | {escape_pipes(text)} |") == ["x", text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Likert: 6\nJustification: Better.", Original("6", "Better.")),
        ("Likert: 6 (better)\n\nJustification: One.\n\nTwo: three.\n", Original("6 (better)", "One.\n\nTwo: three.")),
        ("Justification: Better.\nLikert: 6", Original("6", "Better.")),
        ("**Likert:** **6**\n**Justification**: *Better.*", Original("**6**", "*Better.*")),
        ("- Likert (1-7): 6\n- likert justification: Better.", Original("6", "Better.")),
        ("Likert score:\n6", Original("6")),
        ("Likert: [1..7 or leave blank]\nJustification: [...]", Original()),
        ("Justification: Better.", Original("", "Better.")),
        (" 6 ", Original("6")),
        ("5 - Response 2 is slightly better", Original("5 - Response 2 is slightly better")),
        ("", Original()),
    ],
)
def test_the_preference_is_read_from_its_lines(text, expected):
    assert preference(text) == expected


def test_hostile_text_takes_no_longer_than_its_length():
    many = 300_000
    for hostile in (
        *("\\" * many, "*" * many, "(" * many, "[" + "leave blank " * (many // 12)),
        *("Likert: 1\nLikert" + " " * many + "x", "| Localization (" + " " * many),
        "| Localization | " + "[1" + "/1" * (many // 2) + " | |",
        *(f"Truthfulness: 3{unit * (many // len(unit))}" for unit in UNITS),
        *(f"| Truthfulness | {unit * (many // len(unit))}" for unit in UNITS),
    ):
        for slot in ("response1", "response1_original_ratings", "original_likert_and_justification"):
            with within(5), suppress(InputError):
                slot_from(slot, hostile, RUBRIC)


@pytest.mark.parametrize(
    ("line", "rating", "reason"),
    [
        ("Truthfulness: 3 - All dates are right.", "3", "All dates are right."),
        ("Truthfulness: 3 – All dates are right.", "3", "All dates are right."),
        ("Truthfulness: 3 — All dates are right.", "3", "All dates are right."),
        ("Truthfulness: 3: All dates are right.", "3", "All dates are right."),
        ("Truthfulness: 3—All dates are right.", "3", "All dates are right."),
        ("Truthfulness: 1 - 2 dates are wrong - or 3: who knows | a", "1", "2 dates are wrong - or 3: who knows | a"),
        ("- **Truthfulness:** 3/3 - All right.", "3/3", "All right."),
        ("1. **Truthfulness** (1-3): **2** - One slip.\r", "2", "One slip."),
        ("* Truthfulness： 2 (minor): One slip.", "2 (minor)", "One slip."),
        ("Truthfulness: 2", "2", ""),
        ("Truthfulness: 2 (minor)", "2 (minor)", ""),
        ("Truthfulness: good", "good", ""),
        ("Truthfulness: 1-3", "1-3", ""),
    ],
)
def test_a_line_is_a_dimension_its_rating_and_the_reason(line, rating, reason):
    assert ratings(line) == {"truthfulness": Original(rating, reason)}


def test_lines_of_ratings_may_be_negative_blank_and_beside_a_table():
    text = "Verbosity: -1 - short\nLocalisation:\nStyle: N/A\n| Overall | 4 | fine |\nSafety: [1/2/3]"
    assert ratings(text) == {"verbosity": Original("-1", "short"), "overall_quality": Original("4", "fine")}
    assert ratings("Verbosity: −2 — one word") == {"verbosity": Original("−2", "one word")}


@pytest.mark.parametrize("unit", ["|", "| a \n"])
def test_megabytes_of_ratings_are_refused_at_once(unit):
    text = unit * (4_000_000 // len(unit))
    tagged = f"<RESPONSE1_ORIGINAL_RATINGS>\n{text}\n</RESPONSE1_ORIGINAL_RATINGS>".encode()
    told = r"response1_original_ratings: .* bytes; at most 1,000,000 are allowed"
    with within(5), pytest.raises(InputError, match=told):
        read_reviews(tagged, "x", RUBRIC)
