"""SPEC 3: identical responses have identical tables and Likert 4: what is found of one is found of the other."""

from itertools import product

import pytest
from protocols.review.rivers import CASE, RUBRIC, codes
from scripted.ratings import BEST, KEYS, demand, rating_reply

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.models.constraints import Observation
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.identical import Twins, are_identical
from adjudge.protocols.review.rules import review
from adjudge.text.identical import are_identical as are_identical_texts

TEXT = (
    "Great question! The café on the Danube is in Vienna.\nI hope this helps! I am a human too.\n\n"
    "Cela est écrit en français pour une phrase entière, sans raison. The river flows on and"
)
PROMPT = "Which river flows through Vienna?"
# The same text as it is: as it came, with other line ends and trailing white space, decomposed, with an end marker.
FORMS = {
    "same": TEXT,
    "line ends": TEXT.replace("\n", "  \r\n") + "\n\n",
    "decomposed": TEXT.replace("é", "e\u0301").replace("ç", "c\u0327"),
    "marker": TEXT + "\n<turn_end>",
}
SEEN = {
    "pleasantry": ["Great question!", "I hope this helps!"],
    "cut_off": ["The river flows on and"],
    "cut_off_before_a_required_part": ["The river flows on and"],
    "declines_a_safe_request": ["The café on the Danube"],
    "declines_a_harmful_request": ["The café on the Danube"],
    "claims_to_be_human": ["I am a human too."],
    "claims_to_be_human_mildly": ["I am a human too."],
    "other_language": ["Cela est écrit en français pour une phrase entière, sans raison."],
}


def lines(table):
    """What must be equal in both tables: everything but the place of a quote."""
    return [
        (key, line.value, line.justification, line.rule, line.assessed, len(line.quotes)) for key, line in table.items()
    ]


def check(verdict):
    assert lines(verdict.table("A")) == lines(verdict.table("B"))
    assert verdict.likert.value == 4
    assert verdict.likert.justification.startswith("Neither response is better overall.")
    facts = {label: [(f.name, f.found, f.certain) for f in verdict.facts if f.where == label] for label in "AB"}
    assert sorted(facts["A"]) == sorted(one for one in facts["B"] if one[0] != "system_marker")
    for label in "AB":
        text = verdict.case.answer(label)
        quotes = [quote for line in verdict.table(label).values() for quote in line.quotes]
        assert all(text[quote.start : quote.end] == quote.quote for quote in quotes)


@pytest.mark.parametrize("form", FORMS)
async def test_what_is_seen_in_one_is_seen_in_the_other(judged, form):
    case = Review(PROMPT, TEXT, FORMS[form])
    for kind, response in product(SEEN, (1, 2)):
        quotes = SEEN[kind]
        verbose = {"verbosity": [1, quotes[-1], "It says more than is needed."]} if kind == "pleasantry" else {}
        found = {"observations": [(response, kind, quote) for quote in quotes], f"response_{response}": verbose}
        verdict = await judged(rating_reply(found), case=case)
        assert codes(verdict) == [], (kind, response)
        check(verdict)
        assert any(line.rule for line in verdict.table("A").values())
        if kind == "pleasantry":
            assert (verdict.tables[1]["verbosity"].value, verdict.tables[1]["verbosity"].rule) == (0, "pleasantries")
            assert verdict.tables[1]["overall_quality"].value == 4  # one minor issue, in Style & Clarity
        for label in "AB":
            own = [fact for fact in verdict.facts if fact.where == label and fact.name != "system_marker"]
            placed = {" ".join(case.answer(label)[fact.start : fact.end].split()) for fact in own}
            assert all(are_identical_texts(*pair) for pair in zip(sorted(placed), sorted(quotes), strict=True))


@pytest.mark.parametrize("key", KEYS)
async def test_both_get_the_more_severe_of_two_ratings_whichever_the_judge_gave_it_for(judged, key):
    scale = next(criterion.scale for criterion in RUBRIC.criteria if criterion.key == key)
    quote, found = "" if key == "overall_quality" else "The café on the Danube", {}
    for number, (a, b) in enumerate(product([int(value) for value in scale.values], repeat=2)):
        rated = {f"response_{side}": {key: [value, quote, "So it is."]} for side, value in ((1, a), (2, b))}
        case = Review(PROMPT, TEXT, FORMS["decomposed" if number % 2 else "same"])
        verdict = await judged(rating_reply(rated), case=case)
        check(verdict)
        found[a, b] = [line.value for line in verdict.table("A").values()]
    assert all(found[a, b] == found[b, a] for a, b in found)
    if key != "overall_quality":
        place = KEYS.index(key)
        worst = {(a, b): min((a, b), key=lambda value: (-abs(value - BEST[key]), value)) for a, b in found}
        assert {pair: values[place] for pair, values in found.items()} == worst


async def test_one_minor_issue_named_for_one_of_them_leaves_an_overall_of_four(judged):
    for number in (1, 2):
        minor = {"style_clarity": [2, "", "It is a little dry."], "overall_quality": 4}
        verdict = await judged(
            rating_reply({f"response_{number}": minor}), case=Review(f"{PROMPT} {number}", TEXT, TEXT)
        )
        assert [verdict.tables[side]["overall_quality"].value for side in (1, 2)] == [4, 4]


async def test_a_refusal_that_the_judge_calls_right_of_one_and_wrong_of_the_other_binds_nothing(judged):
    seen = [(1, "declines_a_safe_request", "I will not say."), (2, "declines_a_harmful_request", "I will not say.")]
    verdict = await judged(
        rating_reply({"observations": seen}), case=Review("Which?", "I will not say.", "I will not say.")
    )
    check(verdict)
    assert {fact.name for fact in verdict.facts} == {"refusal"}
    assert not any(line.rule for line in verdict.table("A").values())


async def test_a_demand_that_one_form_of_the_text_misses_is_missed_by_both(judged):
    text = "Café crème, " * 3 + "s'il vous plaît"
    asked = demand("at most 50 characters", "characters", "at_most", 50, strict=True)
    case = Review("Say it in at most 50 characters.", text, text.replace("é", "e\u0301").replace("è", "e\u0300"))
    verdict = await judged({**rating_reply({}), "constraints": [asked]}, case=case)
    assert are_identical(case)
    check(verdict)


async def test_of_what_was_entered_and_nobody_assessed_the_more_severe_holds_for_both():
    for a, b in (("3", "1"), ("1", "3"), ("", "2"), ("2", ""), ("9", "2")):
        entered = [{"truthfulness": Original(value)} if value else {} for value in (a, b)]
        case = Review(CASE.prompt, CASE.a, CASE.a + "\n", "", "", "", *entered, Original("6"))
        verdict = await review(case, EmbeddedJudge(), RUBRIC)
        values = [[line.value for line in verdict.table(label).values()] for label in "AB"]
        assert values[0] == values[1]
        assert verdict.tables[1]["truthfulness"].value == min(int(value) for value in (a, b) if value and value != "9")
        assert verdict.likert.value == 4


def test_what_is_certain_of_one_is_certain_of_the_other():
    twins = Twins(Review("?", TEXT, TEXT))
    seen = [
        Observation(kind="pleasantry", response=label, quote=TEXT[:15], start=0, end=15, certain=label == "B")
        for label in "AB"
    ]
    assert [(one.response, one.certain) for one in twins.observations(seen)] == [("B", True), ("A", True)]


def test_a_passage_keeps_its_place_among_equal_passages():
    a, b = "é. One.\nOne.\nOne. é", "e\u0301. One.\r\nOne.  \r\nOne. e\u0301\n<|im_end|>"
    twins = Twins(Review("?", a, b))
    for at, other in ((3, 4), (8, 10), (13, 18)):
        assert a[at : at + 4] == b[other : other + 4] == "One."
        assert twins.moved("B", at, at + 4) == (other, other + 4)
        assert twins.moved("A", other, other + 4) == (at, at + 4)
    assert twins.moved("B", 18, 19) == (23, 25)
    assert twins.moved("A", 0, len(b)) == (0, len(a))


OTHERS = [("One  word.", "One word."), ("One.\n\nTwo.", "One.\nTwo."), (" One.", "One.")]


def test_other_white_space_makes_another_text():
    for a, b in OTHERS:
        assert not are_identical(Review("?", a, b)), a
