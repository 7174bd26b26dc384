from hypothesis import given, settings
from hypothesis import strategies as st
from quick import within

from adjudge.constraints.counting import (
    bullet_counts,
    character_counts,
    counts_in_characters,
    item_counts,
    outside_code,
    paragraph_counts,
    sentence_counts,
    word_counts,
)


def ends(counts):
    """The least and the greatest of a range."""
    return counts[0], counts[-1]


WORD_COUNTS = [
    ("", 0, 0), ("one two three", 3, 3), ("It's a well-known fact.", 4, 5), ("a - b", 2, 2),
    ("Before.\n```\nx = 1\n```\nAfter it.", 3, 5),
    ("นี่คือตัวอย่างที่ดีมาก", 6, 6),  # by ICU's dictionary: there are no spaces to count by
    ("คำว่า hello-there แปลว่า สวัสดี", 6, 7), ("这是一个很好的例子。", 9, 10), ("これは良い例です。", 8, 9),
    ("Tokyo (東京) is one of the largest cities that there are.", 11, 12),  # 東京 is one word or two,
]  # fmt: skip


def test_words_are_counted_by_icu_and_by_white_space_with_and_without_code():
    for text, low, high in WORD_COUNTS:
        assert ends(word_counts(text)) == (low, high), text


MIXED = "我们用 Docker Compose 部署 Redis、MySQL 和 Nginx，再用 Kubernetes 管理。"


def test_chinese_with_many_latin_terms_is_counted_in_every_usual_way():
    han, latin = 12, 6
    assert han + latin in word_counts(MIXED)
    assert len(MIXED) in word_counts(MIXED) and len(MIXED.replace(" ", "")) in word_counts(MIXED)
    assert counts_in_characters(MIXED)


def test_where_there_is_nothing_but_code_the_code_is_counted():
    assert outside_code("```\nx = 1\n```") == "```\nx = 1\n```"
    assert outside_code("A ```b``` c").split() == ["A", "c"]
    assert outside_code("A ```b").split() == ["A"]


IN_CHARACTERS = [
    ("这是一个很好的例子。", True), ("これは良い例です。", True), ("ﾃｽﾄです。", True),
    ("用 Python 写的 CSV 工具", True), ("นี่คือตัวอย่างที่ดีมาก", False), ("이것은 좋은 예입니다.", False),
    ("A good example.", False), ("Das ist 北京.", False), ("", False),
]  # fmt: skip


def test_words_are_characters_in_chinese_and_japanese():
    for text, answer in IN_CHARACTERS:
        assert counts_in_characters(text) is answer, text


CHARACTER_COUNTS = [("", 0, 0), ("ab cd", 4, 5), ("cafe\u0301", 4, 5), ("ที่", 1, 3), ("👩\u200d👧", 1, 3)]


def test_characters_are_counted_with_and_without_spaces_and_accents_alone_or_not():
    for text, low, high in CHARACTER_COUNTS:
        assert ends(character_counts(text)) == (low, high), text


SENTENCE_COUNTS = [
    ("", 0, 0), ("One. Two. Three.", 3, 3), ("Mr. Smith came. He left.", 2, 3),
    ("He lives in the U.S. Army base. She left at 5 p.m. Then it rained.", 2, 4),
    ("We saw ants, bees etc. and left. It rained.", 2, 3), ("No full stop", 1, 1),
    ("He left.She stayed. It is 3.5 km to example.com and Node.js.", 2, 3),
    ("He said “Stop!” and left. She stayed.", 2, 3), ("I asked: “Why? How?” She left.", 1, 3),
    ("“One here. Two here.”", 2, 2), ('The noun is "rooms". The verb is "ran".', 2, 2),
    ("It runs (see above). It stops (why?). It runs.", 3, 3), ("A title\nOne. Two.", 2, 3),
    ("Wait... what? It works.[1] Yes.", 3, 4), ("第一句。第二句。", 2, 2), ("「行くよ。待って。」と言った。", 1, 3),
    ("THIS IS AN OBJECT. THE SECOND ONE IS HERE. WE WENT HOME. STOP NOW. THIS IS THE END.", 5, 5),
    ("this is one. and here is two. all of it is lower.", 3, 3),
    ("M. Dupont et Mme. Martin habitent av. Foch.", 1, 4), ("यह पहला है। यह दूसरा है।", 2, 2),
    ("This has a word (คำ) in it. And more.", 2, 2),
]  # fmt: skip


def test_sentences_are_counted_by_icu_and_by_end_marks():
    for text, low, high in SENTENCE_COUNTS:
        assert ends(sentence_counts(text)) == (low, high), text


WORDS = st.lists(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=9), min_size=2, max_size=6)


@settings(max_examples=50)
@given(
    st.lists(st.tuples(WORDS, st.sampled_from(".!?")), min_size=1, max_size=9),
    st.sampled_from([str.capitalize, str.upper, str.lower]),
    st.sampled_from([" ", "\n", "\n\n"]),
)
def test_sentences_of_any_words_in_any_case_are_among_the_counts(made, cased, between):
    text = between.join(cased(" ".join(words)) + mark for words, mark in made)
    assert len(made) in sentence_counts(text)


IN_MARKDOWN = [
    ("- One.\n- Two.", 2, 2), ("# A title\nOne. Two.", 2, 3), ("## 1. What is it?\nOne. Two.", 2, 3),
    ("One. Two:\n\n1. Do this. Then that.\n2. Go.", 1, 5), ("| a | b |\n|---|---|\n| x. | y. |\n\nOne.", 1, 4),
    ("```\nx = 1\ny = 2\n```\nOne.", 1, 1), ("```\nTwo. Three.\n```\nOne.", 1, 3),
]  # fmt: skip


def test_headings_lists_tables_and_code_are_sentences_or_not():
    for text, low, high in IN_MARKDOWN:
        assert ends(sentence_counts(text)) == (low, high), text


PARAGRAPH_COUNTS = [
    ("", 0, 0), ("One.", 1, 1), ("One.\n\nTwo.", 2, 2), ("A title\n\nOne.\n\nTwo.", 2, 3),
    ("# A title\nOne.\n\nTwo.", 2, 3), ("One.\nStill one.\n\nTwo.", 2, 3),
    ("Roses are red.\nViolets are blue,\nand so are you.", 1, 1), ("One.\n \n\nTwo.\n\n***", 2, 2),
    ("One.\n***\nTwo.\n***\nThree.", 3, 3), ("One. *** Two. *** Three.", 3, 3),
    ("***One*** is here.\n\nTwo.", 2, 2), ("One.\n\nStill one.\n\n***\n\nTwo.\n\nStill two.", 2, 4),
    ("One.\n\n```\ncode\n```\n\nTwo.", 2, 3), ("Dear Ann,\n\nI came.\n\n- one\n- two\n\nYours,\nBob", 1, 4),
    ("One.\n***\nTwo.\n- - -\nThree.", 2, 3),  # one of the two may be no divider
    ("Cast: Ann, Bob.\n\n---\n\nOne.\n\n***\n\nTwo.", 2, 3), ("One is here. ***Two is there.", 1, 2),
    ("One ***is*** here.\n\nTwo.", 2, 2), ("My dog\n***\nOne.\n***\nTwo.", 2, 3),
    ("Why Rivers Matter!\n\nOne.\n\nTwo.", 2, 3), ("These are two things:\n\nOne.\n\nTwo.", 2, 3),
    ("It began. Here is more:\n\nOne.\n\nTwo.", 2, 3), ("I. The start\n\nOne.\n\nII. The end\n\nTwo.", 2, 4),
]  # fmt: skip


def test_paragraphs_are_counted_with_dividers_and_headings_and_without():
    for text, low, high in PARAGRAPH_COUNTS:
        assert ends(paragraph_counts(text)) == (low, high), text


ITEM_COUNTS = [
    ("", set()), ("Just prose, with two things in it.", set()), ("1. Introduction", set()),
    ("1. a\n2. b\n3. c", {3}), ("- a\n- b", {2}), ("- a\n  - deeper\n- b", {2, 3}),
    ("- a\n  - x\n  - y\n- b\n  - x\n  - y\n- c\n  - x\n  - y", {3, 9}),
    ("1. a\n   1. x\n   2. y\n2. b\n   1. x\n   2. y", {2, 6}),
    ("1. a\n   - x\n   - y\n   - z\n2. b\n   - x\n   - y", {2, 5, 7}),  # the numbered ones, the bullets, or all
    ("1. a\n1. b\n1. c", {3}), ("Fruit:\n- a\n- b\n\nNuts:\n- c\n- d\n- e", {2, 3, 5}),
    ("# One\nx\n# Two\ny\n# Three\nz", {2, 3}), ("**One:** x\n\n**Two:** y", {2}),
    ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", {2}), ("Boston\n2. Denver\n3. Austin", {2, 3}),
    ("1. Read it.\n2. 1. Fill it.\n   2. Heat it.\n   3. Pour it.", {2, 3, 5}),
    ("- one\n- Rhine\n\n- two\n- Elbe\n\n- three\n- Oder", {3, 6}),
    ("- a\n" * 10_000, set()),  # too long to read all of it,
]  # fmt: skip


def test_items_are_counted_with_nested_ones_and_without():
    for text, counts in ITEM_COUNTS:
        assert item_counts(text) == counts, text[:99]


BULLET_COUNTS = [
    ("Long prose comes first and says most of it.\n\n* one\n* two\n\nThe end of the prose.", {2}),
    ("Long prose comes first and says most of it.\n\n- one", {1}),
    ("Some of them.\n- a\n- b\n- c\n\nMore of them.\n- d\n- e\n- f\n\nThat is all.", {3, 6}),
    ("Just prose.\n\n***\n\n“More of it.”", {0}),
    ("* a\n\nA long text about it.\n\n* b\n\nAnother one.\n\n******\n\n* c", {1, 2, 3}),
    ("- a\n- b\n* * *\n* * *\n- c", {1, 2, 3}), ("一、长江很长。\n二、黄河也很长。", set()),
    ("Rhine\nElbe\nOder", set()),  # items without a mark
    ("Rhine\n\nIt is long.\n\nIt is wide.", {0}), ("✅ one\n✅ two", set()), ("a) one\nb) two", set()),
    ("<ul>\n<li>one</li></ul>", set()), ("```\n- one\n```", set()),
]  # fmt: skip


def test_bullet_points_are_counted_wherever_they_are():
    for text, counts in BULLET_COUNTS:
        assert bullet_counts(text) == counts, text


PIECES = [
    "One here. ", "two! ", "\n", "\n\n", "- a", "1. b ", "# C", "***", "```", "“Q?” ", "字。", "Mr. ", "| x |", "...",
]  # fmt: skip


@settings(max_examples=60)
@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=20).map("".join)))
def test_any_text_can_be_counted_and_low_is_not_above_high(text):
    for counts in (word_counts(text), character_counts(text), paragraph_counts(text), sentence_counts(text)):
        assert not counts or 0 <= counts[0] <= counts[-1]
    assert all(count > 1 for count in item_counts(text))
    assert bullet_counts(text) >= item_counts(text) or not bullet_counts(text) or 0 in bullet_counts(text)


SHORT_WORDS = [
    ("Am 3. Oktober feiert man die Einheit. Es ist ein Feiertag.", 2), ("Роман написал А. С. Пушкин.", 1),
    ("El Sr. Pérez llegó. La Sra. Gómez también.", 2), ("See Gen. Smith and Sen. Jones. They know.", 2),
]  # fmt: skip


def test_a_stop_behind_a_number_an_initial_or_a_short_word_may_end_no_sentence():
    for text, sentences in SHORT_WORDS:
        assert sentences in sentence_counts(text), text


def test_thai_parts_its_sentences_by_spaces_so_nothing_is_said_of_them():
    assert sentence_counts("แม่น้ำไหล ลงสู่ทะเล และไปไกล") == frozenset()


def test_a_list_beside_the_answer_says_nothing_of_its_items():
    assert item_counts("Rhine, Elbe and Oder are three rivers of some length. Sources:\n- atlas\n- map") == frozenset()


def test_beyond_what_is_read_every_mark_and_line_may_count():
    for count in [sentence_counts, paragraph_counts]:
        text = "One two three four.\n\n" * 3_000
        assert 3_000 in count(text) and count(text)[0] > 1_000, count


HOSTILE = ["a. ", ".", ". ", "“", '5"', "* ", "\n", "***\n", "[1]", "。", "(", "Mr. ", "1. a\n", "字 a "]


def test_a_long_text_takes_linear_time():
    for piece in HOSTILE:
        text = piece * (15_000 // len(piece))
        for count in (word_counts, sentence_counts, paragraph_counts, item_counts):
            with within(1):
                count(text)
