from fractions import Fraction
from itertools import product
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.constraints.counting import character_counts, item_counts, paragraph_counts, sentence_counts, word_counts
from adjudge.constraints.measuring import KINDS, measure
from adjudge.models.constraints import Bound, Constraint, ConstraintKind


def ask(kind, bound="exactly", amount=None, most=None, text="", strict=False, quote="the response"):
    return Constraint(source="prompt", start=0, end=1, **locals())


def words(count):
    return " ".join(["word"] * count)


HYPHENS = words(139) + " well-known by-law"
NESTED = "\n".join(["- a\n  - b\n  - c"] * 3)
THREE_LISTS = "One:\n- a\n- b\n- c\n\nTwo:\n- a\n- b\n- c\n- d"


def expected(bound, strict, amount, most, found):
    """The rule as the specification words it, in percent."""
    none, minor = (10, 20) if bound == "about" else (0, 5) if strict else (5, 10)
    least, limit = {
        "at_most": (0, amount),
        "at_least": (amount, None),
        "below": (0, amount - 1),
        "above": (amount + 1, None),
        "exactly": (amount, amount),
        "about": (amount, amount),
        "between": (amount, most),
    }[bound]
    if limit is not None and found > limit:
        off, over = Fraction(100 * (found - limit), limit) if limit else 100, True
    elif found < least:
        off, over = Fraction(100 * (least - found), least), False
    else:
        return None, None
    return (None, None) if off <= none else ("minor" if off <= minor else "major", over)


def test_every_length_around_every_bound_is_judged_by_the_tolerances():
    texts = {found: words(found) for found in range(70, 201)}
    for bound, strict, amount in product(get_args(Bound), [False, True], [100, 97]):
        most = amount + 50 if bound == "between" else None
        asked = ask("words", bound, amount, most, strict=strict)
        step = 1 if amount == 100 else 3
        for found in range(70, 201, step):
            result = measure(asked, texts[found])
            assert (result.severity, result.over) == expected(bound, strict, amount, most, found), (asked, found)
            assert result.met == (result.severity is None)


EDGES = {  # bound → the greatest or least lengths without a miss, with a minor one and with a major one
    "about": [(110, None), (111, "minor"), (120, "minor"), (121, "major"), (90, None), (89, "minor"), (79, "major")],
    "at_most": [(1, None), (105, None), (106, "minor"), (110, "minor"), (111, "major")],
    "at_least": [(1000, None), (95, None), (94, "minor"), (90, "minor"), (89, "major")],
    "exactly": [(105, None), (106, "minor"), (111, "major"), (95, None), (94, "minor"), (89, "major")],
}
STRICT_EDGES = {
    "at_most": [(100, None), (101, "minor"), (105, "minor"), (106, "major")],
    "at_least": [(99, "minor"), (95, "minor"), (94, "major")],
    "exactly": [(100, None), (99, "minor"), (106, "major")],
    "about": [(110, None), (120, "minor"), (79, "major")],
}


def test_the_edges_of_the_tolerances_and_strict_makes_any_miss_minor_and_one_of_more_than_5_percent_major():
    for strict, edges in ((False, EDGES), (True, STRICT_EDGES)):
        for bound, (found, severity) in ((bound, one) for bound, own in edges.items() for one in own):
            asked = ask("characters", bound, 100, strict=strict)
            assert measure(asked, "x" * found).severity == severity, (bound, strict, found)


SAID = [
    (ask("words", "at_most", 100), words(1300), "has 1,300 words; at most 100 were asked for"),
    (ask("words", "about", 1000), words(1), "has 1 word; about 1,000 were asked for"),
    (ask("words", "exactly", 1), words(2), "has 2 words; 1 was asked for"),
    (ask("words", "between", 10, 20), words(30), "has 30 words; 10 to 20 were asked for"),
    (ask("characters", "at_least", 9), "abc", "has 3 characters; at least 9 were asked for"),
    (ask("words", "at_most", 120), HYPHENS, "has 141 to 143 words; at most 120 were asked for"),
    (ask("words", "at_least", 9000), words(998) + " by-and-by",
     "has 999 to 1,001 words; at least 9,000 were asked for"),
    (ask("items", "exactly", 4), NESTED, "has 3 or 9 items; 4 were asked for"),
    (ask("items", "exactly", 9), THREE_LISTS, "has 2, 3, 4 or 7 items; 9 were asked for"),
    (ask("items", "exactly", 3), "- a\n- b", "has 2 items; 3 were asked for"),
    (ask("words", "below", 300), words(320), "has 320 words; fewer than 300 were asked for"),
    (ask("words", "above", 300), words(200), "has 200 words; more than 300 were asked for"),
    (ask("capital_words", "below", 1), "It is ON", "has 1 all-caps word; none were asked for"),
]  # fmt: skip


def test_what_was_found_and_asked_for_is_said_in_words():
    for asked, found, says in SAID:
        assert measure(asked, found).says == says, asked


def test_words_asked_for_are_characters_in_chinese_and_japanese():
    for text in ["中" * 130, "これ" * 65]:
        result = measure(ask("words", "at_most", 100), text)
        assert result.severity == "major" and "130 characters" in result.says
        assert measure(ask("words", "at_most", 130), text).met, text


def test_thai_words_are_icus():
    result = measure(ask("words", "at_most", 5), "นี่คือตัวอย่างที่ดีมาก")
    assert (result.severity, result.says) == ("major", "has 6 words; at most 5 were asked for")


def test_a_hyphen_or_a_space_is_held_against_nobody():
    assert measure(ask("words", "at_most", 2, strict=True), "well-known facts").met
    assert measure(ask("words", "at_least", 3, strict=True), "well-known facts").met
    assert measure(ask("characters", "at_most", 4, strict=True), "ab cd").met
    assert measure(ask("characters", "at_least", 5, strict=True), "ab cd").met
    assert not measure(ask("characters", "at_least", 6, strict=True), "ab cd").met


def test_code_and_end_markers_do_not_count_as_words():
    assert measure(ask("words", "exactly", 2, strict=True), "Two words ```x = 1 + 2```<turn_end>").met


THINGS = {
    "sentences": lambda count: " ".join(["He left."] * count),
    "paragraphs": lambda count: "\n\n".join(["He left."] * count),
    "items": lambda count: "\n".join(["- He left"] * count),
}


def test_numbers_of_things_are_exact_and_about_allows_one():
    allowed = {
        "exactly": (5, 5), "about": (4, 6), "at_least": (5, 99), "at_most": (0, 5), "above": (6, 99), "below": (0, 4),
        "between": (4, 5),
    }  # fmt: skip
    for kind, (bound, (least, most)), found in product(THINGS, allowed.items(), range(2, 9)):
        asked = ask(kind, bound, 4 if bound == "between" else 5, 5 if bound == "between" else None)
        result = measure(asked, THINGS[kind](found))
        if least <= found <= most:
            assert result.met and result.over is None, (asked, found)
        else:
            assert result.severity == "minor" and result.over is (found > most), (asked, found)


def test_where_there_is_nothing_to_count_nothing_is_said():
    assert measure(ask("items", "exactly", 3), "Apples, pears and plums.") is None
    assert measure(ask("sentences", "exactly", 3), "แม่น้ำไหล ลงสู่ทะเล") is None


def test_bullet_points_are_counted_where_the_quote_names_them():
    bullets, rivers = (ask("items", amount=3, quote=f"exactly 3 {name}") for name in ("bullet points", "rivers"))
    prose = "Rivers flow to the sea, and we like to look at them."
    result = measure(bullets, prose)
    assert (result.severity, result.says) == ("minor", "has 0 items; 3 were asked for")
    assert measure(rivers, prose) is None
    assert measure(bullets, f"{prose}\n- a\n- b\n- c\n\n{prose}").met


TITLED = "My dog\n\nHe left.\n\nHe came back."  # two or three paragraphs


RANGES = [
    (ask("paragraphs", "exactly", 2), TITLED, None, True, True),
    (ask("paragraphs", "exactly", 3), TITLED, None, False, True),
    (ask("paragraphs", "at_most", 3), TITLED, None, None, False),
    (ask("paragraphs", "exactly", 4), TITLED, "minor", False, False),
    (ask("paragraphs", "about", 4), TITLED, None, False, True),
    (ask("paragraphs", "about", 3), TITLED, None, None, False),
    (ask("items", "exactly", 3), NESTED, None, True, True), (ask("items", "exactly", 9), NESTED, None, False, True),
    (ask("items", "exactly", 6), NESTED, "minor", None, False),
    (ask("items", "between", 4, 8), NESTED, "minor", None, False),
    (ask("words", "at_most", 142, strict=True), HYPHENS, None, True, True),
    (ask("words", "at_most", 142), HYPHENS, None, None, False),
    (ask("words", "exactly", 140, strict=True), HYPHENS, "minor", True, False),
    (ask("words", "at_least", 150), HYPHENS, None, False, True),
    (ask("characters", "at_most", 100), "ab " * 40, None, True, True),
]  # fmt: skip


def test_a_miss_is_a_fact_only_if_the_whole_range_misses():
    for asked, text, severity, over, in_part in RANGES:
        result = measure(asked, text)
        assert (result.severity, result.in_part) == (severity, in_part)
        assert over is None or result.over is over, asked


@st.composite
def counted(draw):
    """A constraint on a count, a text, and the counts that are possible for the text."""
    kind, count = draw(st.sampled_from(sorted(COUNTED.items())))
    bound, amount = draw(st.sampled_from(get_args(Bound))), draw(st.integers(1, 12))
    most = draw(st.integers(amount, 15)) if bound == "between" else None
    text = "".join(draw(st.lists(st.sampled_from(PIECES), max_size=12))).strip()
    return ask(kind, bound, amount, most, strict=draw(st.booleans())), text, sorted(count(text))


COUNTED = {
    "words": word_counts, "characters": character_counts, "sentences": sentence_counts,
    "paragraphs": paragraph_counts, "items": item_counts,
}  # fmt: skip
PIECES = [
    "One here. ", "Two of them! ", "by-law ", "Mr. ", "\n", "\n\n", "- a\n", "  - b\n", "1. c\n", "# D\n", "***\n",
    "“E?” ",
]  # fmt: skip
RANK = [None, "minor", "major"]


def alone(asked, count):
    """The rule for one count."""
    if asked.kind in ("words", "characters"):
        return expected(asked.bound, asked.strict, asked.amount, asked.most, count)[0]
    least, most = {
        "at_most": (0, asked.amount), "below": (0, asked.amount - 1),
        "at_least": (asked.amount, 10**9), "above": (asked.amount + 1, 10**9),
    }.get(asked.bound, (asked.amount, asked.most or asked.amount))  # fmt: skip
    near = asked.bound == "about"
    return None if least - near <= count <= most + near else "minor"


@settings(max_examples=120)
@given(counted())
def test_severity_is_that_of_the_kindest_count_and_a_hint_says_that_some_miss(drawn):
    asked, text, counts = drawn
    result = measure(asked, text)
    if not counts:
        assert result is None
        return
    severities = [RANK.index(alone(asked, count)) for count in counts]
    assert result.severity == RANK[min(severities)]
    assert result.in_part is (min(severities) == 0 < max(severities))
    assert (result.over is None) is (max(severities) == 0)
    strict = measure(asked.model_copy(update={"strict": True}), text)
    assert RANK.index(strict.severity) >= RANK.index(result.severity)


ENGLISH = "The old river slowly rises in the hills and runs through the valley until it reaches the sea after many days"
SPANISH = "El viejo río nace en las montañas y corre por el valle hasta que llega al mar después de muchos días fríos"


def test_the_language_asked_for():
    assert measure(ask("language", text="es"), SPANISH).met
    missed = measure(ask("language", text="es"), ENGLISH)
    assert (missed.severity, missed.says) == ("major", "is in English; Spanish was asked for")
    assert measure(ask("language", text="es"), "Sí, claro.") is None
    unknown = measure(ask("language", text="tt"), ENGLISH)  # Tatar is not detected
    assert (unknown.in_part, unknown.says) == (True, "is in English; Tatar was asked for")


def test_every_kind_has_its_measure():
    assert set(KINDS) == set(get_args(ConstraintKind))


@settings(max_examples=60)
@given(st.sampled_from(get_args(ConstraintKind)), st.sampled_from(get_args(Bound)), st.text(max_size=200))
def test_any_text_can_be_measured(kind, bound, text):
    named = {"language": "es", "casing": "upper"}.get(kind, "words")
    result = measure(ask(kind, bound, 3, 5 if bound == "between" else None, named), text)
    assert result is None or result.says


JAPANESE = "川は山から海へ流れています。" * 30  # 14 characters, 13 without the full stop
CHINESE = "我们用 Docker Compose 部署 Redis 和 MySQL，再用 Kubernetes 管理。" * 10


UNITS = [
    ("不超过5个字", "at_most", 5, "Rivers flow to the sea.", "has 5 words; at most 5 were asked for"),
    ("at most 5 characters", "at_most", 5, "Rivers", "has 6 characters; at most 5 were asked for"),
    ("不超过5个字符", "at_most", 5, "Rivers", "has 6 characters; at most 5 were asked for"),
    ("用汉字写，不超过5个字符", "at_most", 5, "Rivers", "has 6 characters; at most 5 were asked for"),
    ("字数在五以内", "at_most", 5, "Rivers flow to it.", "has 4 words; at most 5 were asked for"),
    ("五百个汉字", "at_most", 500, "Rivers flow to it.", "has 4 words; at most 500 were asked for"),
    ("5文字以内", "at_most", 5, "Rivers", "has 6 characters; at most 5 were asked for"),
    ("不超过5个字", "at_most", 5, "河流流向大海里面去", "has 9 characters; at most 5 were asked for"),
    ("9字程度で", "about", 9, "강은 바다로 흐릅니다.", "has 10 to 12 characters; about 9 were asked for"),
    ("9字程度で", "about", 9, "Rivers.", "has 7 characters; about 9 were asked for"),
    ("400字以上", "at_least", 400, JAPANESE, "has 390 to 420 characters; at least 400 were asked for"),
    ("不少于1000字", "at_least", 1000, CHINESE, "has 120 to 530 characters; at least 1,000 were asked for"),
]  # fmt: skip


def test_a_length_is_measured_in_the_unit_that_the_quote_names():
    for quote, bound, amount, text, says in UNITS:
        assert measure(ask("characters", bound, amount, quote=quote), text).says == says, quote


def test_characters_of_one_script_are_not_counted():
    assert measure(ask("characters", "at_most", 5, quote="漢字は5文字以内で"), JAPANESE) is None


def test_no_way_of_counting_chinese_with_latin_terms_is_a_false_fact():
    for amount in (12 * 10 + 5 * 10, len(CHINESE.replace(" ", "")), len(CHINESE)):
        for bound in ("at_most", "at_least", "exactly"):
            assert measure(ask("characters", bound, amount, quote="9字"), CHINESE).met


WAYS_OF_WRITING = [
    ("must_not_contain", "но", "Можно"), ("must_not_contain", "à", "Voilà"),
    ("begins_with", "# Summary", "# Summary\nText."), ("begins_with", "Dear", "\u200fDear reader"),
    ("must_contain", "well-known", "A well\u2011known river."),
    ("must_contain", "climate change", "On *climate* change."), ("ends_with", "Yours", "Yours \U0001f600"),
    ("casing", "title", "Gone with the Wind"), ("casing", "upper", "EL 1º DE MAYO"),
    ("json", "", '{\n "a": 1\n}\n{\n "a": 2\n}'), ("words", "", "Here it is:\n```\n" + "word " * 60 + "\n```"),
]  # fmt: skip


def test_nobody_is_blamed_for_a_way_of_writing():
    for kind, words, text in WAYS_OF_WRITING:
        least = ("at_least", 50) if kind == "words" else ()
        assert measure(ask(kind, *least, text=words, quote="q"), text).met, text


PARAGRAPHS = "<p>Rivers run.</p>\n<p>Lakes stay.</p><p class='x'>Seas wave.</p>"
BULLETS = "<ul><li>a</li><li>b</li><li><p>c</p></li></ul>"


SHOWN = [
    ("paragraphs", "q", PARAGRAPHS, "has 1 to 3 paragraphs"),
    ("paragraphs", "q", "Rivers\nrun.<br><br/>Lakes stay.<BR /><br>Seas wave.", "has 1 to 3 paragraphs"),
    ("sentences", "q", PARAGRAPHS, "has 1 to 3 sentences"), ("items", "3 bullet points", BULLETS, "has 0 or 3 items"),
    ("items", "3 bullet points", "• a • b • c", None), ("items", "3 bullet points", "Colours: • a • b • c", None),
]  # fmt: skip


def test_html_and_bullets_in_a_line_are_counted_as_they_are_shown_or_not_at_all():
    for kind, quote, text, says in SHOWN:
        asked = [ask(kind, amount=amount, quote=quote) for amount in (3, 7)]
        right, wrong = (measure(one, text) for one in asked)
        if says is None:
            assert right is wrong is None
        else:
            assert right.says.startswith(says) and right.in_part
            assert wrong.says.startswith(says) and not wrong.met
