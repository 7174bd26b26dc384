from hypothesis import given
from hypothesis import strategies as st
from quick import within

from adjudge.text.findings import cut_off_facts
from adjudge.text.flaws import TAIL, find_cut_off

PROSE = "Bees matter to farms. They carry pollen between flowers. Without them many crops would fail."
LIST = "1. Wash the rice well.\n2. Boil the water.\n3."
COMMA = PROSE + "\n\nFarmers therefore rent hives, plant hedges, sow flower strips along their fields,"

CUT_OFF = [
    LIST, LIST + "  \n", LIST + " <|im_end|>",
    "Here is how:\n\n1) Wash the rice.\n   Use cold water.\n2) Boil it.\n\n3)", "## Steps\n\n9. Wash the rice.\n10.",
    COMMA, COMMA + "</s>",
    PROSE + "\n\n" + PROSE + "\n\nIn spring they rent hives from far away, in summer they plant hedges,",
    "蜜蜂对农业很重要。它们在花间传播花粉。没有它们许多作物会歉收。\n\n因此农民租用蜂箱，种植树篱，在田边播种花带，",
    "النحل مهم جدا للمزارع وينقل حبوب اللقاح بين الأزهار.\n\nلذلك يستأجر كثير من المزارعين خلايا بعيدة في كل ربيع،",
]  # fmt: skip
COMPLETE = [
    "", "  \n", "7.", "3.", "Paris", "42.", PROSE, PROSE + "<turn_end>",
    # A number that follows no item, or one that has nothing behind it either.
    "It was founded in\n1999.", "1. Wash the rice.\n2. Boil the water.\n5.",
    "1. Wash the rice.\n2. Boil the water.\n2.", "1.\n2.\n3.", "1.  \n2.  \n3.", "The answer is\n\n4.",
    "1. Wash the rice.\n2. Boil the water.\n3. Serve",
    # Commas at the end of what is not prose with full stops before it.
    PROSE + " Farmers therefore rent hives, plant hedges, sow flower strips along their fields,",
    "Dear Anna,\n\n" + PROSE + "\n\nKind regards,",
    "Shall I compare thee to a summer's day so bright,\nThou art more lovely and more temperate by far than it,",
    PROSE + "\n\n- hives from the neighbours, hedges, flower strips and a little patience,",
    PROSE + "\n\nx = compute(a, b, c, d, e, f, g, h, i, j,", "apples, pears, plums,",
    # Other open ends are the judge's to see.
    PROSE + "\n\nThe same holds for orchards, vineyards and many vegetable fields, because the",
    PROSE + "\n\nIn many regions the number of wild bees has fallen over the last thirty ye",
    PROSE + "\n\nSome countries have banned certain chemicals in the open field (",
    PROSE + "\n\nThe reasons are the following ones, in the order of their weight:",
    "Here is the code:\n```python\ndef add(a, b):\n    return a +",
    PROSE + "\n\n```\nfarmers rent hives, plant hedges, sow flower strips along their fields,",
    "```\n1. Wash the rice.\n2.", "- Wash the rice\n- Boil the water\n-",
]  # fmt: skip


def test_the_next_number_of_a_list_and_a_comma_after_whole_paragraphs_are_certain_and_no_other_end_counts():
    for text in CUT_OFF:
        spot = find_cut_off(text, "Tell me about it.")
        assert spot is not None and spot.certain, text
    assert [text for text in COMPLETE if find_cut_off(text)] == []


FRAGMENTS = [
    "Continue the text: Bees matter", "Complete this paragraph.", "Write a fragment of a letter.",
    "Write a poem about bees.", "Write the second VERSE.", "Give me the code.", "Give me the data as CSV.",
    "Separate them with a comma.", "Continúa el texto.", "Escribe un poema sobre las abejas.", "Écris un poème.",
    "Schreib mir ein Gedicht.", "Escreva o código.", "Scrivi una poesia.", "Напиши стихотворение.",
    "请写一首诗。", "続きを書いてください。", "시의 가사를 써 줘.", "اكتب قصيدة", "एक कविता लिखो",
]  # fmt: skip


def test_where_a_fragment_verse_code_or_data_was_asked_for_nothing_is_said():
    assert [asked for asked in FRAGMENTS if find_cut_off(LIST, asked) or find_cut_off(COMMA, asked)] == []
    for asked in ("Explain it completely, in terms a child knows.", "Which version is it? She lied."):
        assert find_cut_off(LIST, asked) is not None, "it only looks like such a wish"


def test_whether_a_required_part_is_missing_is_not_for_code_to_say():
    number, comma = (cut_off_facts("A", text, "")[0] for text in (LIST, COMMA))
    assert (number.severity, number.found[:20]) == (None, "ends with the number")
    assert (comma.severity, comma.found) == (None, "ends with a comma")


def test_the_place_is_the_end_of_the_text_before_its_markers():
    text = COMMA + "  <turn_end>\n"
    spot = find_cut_off(text)
    assert spot is not None and spot.end == len(COMMA)
    assert TAIL // 2 <= spot.end - spot.start <= TAIL
    assert text[spot.start - 1] == " "


PIECES = [
    "1. a b", "2.", "3)", "\n", "one two three four five six seven eight nine", ".", ",", "，", "```", "</s>", " ",
]  # fmt: skip


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join)), st.text(max_size=20))
def test_any_text_gives_a_place_inside_it(text, asked):
    spot = find_cut_off(text, asked)
    assert spot is None or 0 <= spot.start < spot.end <= len(text)


def test_a_long_text_takes_linear_time():
    for piece in ("1. a\n", "1.\n", ",", "a, ", "```", "</s>", "\n", " "):
        with within(1):
            find_cut_off(piece * (200_000 // len(piece)), piece * 1000)
