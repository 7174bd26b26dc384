"""A text that is judged, as HTML: nothing of it becomes markup that we did not write, no word and no mark is lost."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick import within

from adjudge.rendering.code import coloured
from adjudge.rendering.highlighting import Highlight, Piece, marked
from adjudge.rendering.texts import LONGEST, as_it_is, as_markdown

ALLOWED = {
    "p": {"dir", "class"}, "blockquote": {"dir"}, "ul": set(), "ol": {"start"}, "li": {"dir"}, "strong": set(),
    "em": set(), "s": set(), "code": set(), "pre": set(), "br": set(), "hr": set(), "table": set(), "thead": set(),
    "tbody": set(), "tr": set(), "th": {"dir"}, "td": {"dir"}, "div": {"class", "tabindex"}, "mark": {"class"},
    "span": {"class", "id", "dir"}, "a": {"class", "dir", "href", "title", "tabindex"},
}  # fmt: skip
VOID = {"br", "hr"}


class Read(HTMLParser):
    """What a browser would make of the HTML; it fails for a tag or an attribute that we do not write."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.shown: list[str] = []
        self.in_marks: dict[str, str] = {}
        self.marks: list[str] = []
        self.anchors: list[str] = []
        self.refs: list[str] = []
        self.skipped = 0
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert given.keys() <= ALLOWED[tag], f"<{tag} {given}>"
        assert all((value or "").startswith("#why-") for name, value in attrs if name == "href")
        if tag == "mark":
            self.marks = re.findall(r"q-(\w+)", given["class"] or "")
        if "id" in given:
            self.anchors.append((given["id"] or "").removeprefix("at-"))
        if tag == "a" and "ref" in (given.get("class") or "").split():
            self.refs.append((given["href"] or "").removeprefix("#why-"))
            self.skipped = len(self.open) + 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "mark":
            self.marks = []
        if len(self.open) < self.skipped:
            self.skipped = 0

    def handle_data(self, data: str) -> None:
        if not self.skipped:
            self.shown.append(data)
            for mark in self.marks:
                self.in_marks[mark] = self.in_marks.get(mark, "") + data


def pieces(text: str, *spans: tuple[int, int]) -> tuple[Piece, ...]:
    found = [
        Highlight(str(number), "favorable", "c", text[start:end], start, end, str(number), "t")
        for number, (start, end) in enumerate(spans, start=1)
    ]
    return marked(text, found)


def quoted(text: str, *quotes: str) -> tuple[Piece, ...]:
    return pieces(text, *((text.index(quote), text.index(quote) + len(quote)) for quote in quotes))


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


MARKDOWN = """# A title

Some **bold words.** And *a few* more, with `code` in
two lines.

1. first thing
2. second **thing**
   - below it

> quoted words

```python
def half(x):  # in two
    return "x", 0.5
```

| name | size |
|------|-----:|
| one  | 12 |
| two  | 7 |

~~gone~~ and [a link](https://example.org/x "t") and ![a picture](https://example.org/y.png).
"""


def test_markup_becomes_elements_and_words_stay() -> None:
    html = as_markdown(pieces(MARKDOWN))
    assert html is not None
    read = Read(html)
    for part in (
        '<p dir="auto" class="heading h1">A title</p>', "<strong>bold words.</strong>", "<em>a few</em>",
        "<code>code</code>", '<ol><li dir="auto">first thing</li>', '<ul><li dir="auto">below it</li></ul>',
        "<s>gone</s>", "<br>", '<span class="word">def</span>', '<span class="comment"># in two</span>',
        '<th dir="auto">name</th>',
        'a link <span class="address" dir="ltr">(https://example.org/x)</span>', "[image: a picture]",
        "(https://example.org/y.png)",
    ):  # fmt: skip
        assert part in html, part
    assert "**" not in "".join(read.shown) and "```" not in "".join(read.shown)


@pytest.mark.parametrize(
    ("quote", "marked_text"),
    [
        ("**bold words.** And", "bold words. And"),
        ("bold words", "bold words"),
        ("- below it", "below it"),
        ("1. first thing\n2. second", "first thingsecond"),
        ("> quoted words", "quoted words"),
        ("half(x):  # in", "half(x):  # in"),
        ("```python\ndef half", "def half"),
        ("| one  | 12 |", "one12"),
        ("|------|-----:|\n| one", "one"),
        ("two lines.\n\n1.", "two lines."),
        ("`code` in\ntwo", "code intwo"),
    ],
)
def test_a_mark_is_at_its_words(quote: str, marked_text: str) -> None:
    html = as_markdown(quoted(MARKDOWN, quote))
    assert html is not None
    read = Read(html)
    assert "".join(read.in_marks["1"].split()) == "".join(marked_text.split())
    assert read.anchors == read.refs == ["1"]


def test_marks_that_overlap_and_end_with_the_text() -> None:
    text = "- one two three\n- four **five**"
    html = as_markdown(pieces(text, (6, 22), (10, len(text)), (0, len(text))))
    assert html is not None
    read = Read(html)
    assert {mark: "".join(found.split()) for mark, found in read.in_marks.items()} == {
        "1": "twothreefour",
        "2": "threefourfive",
        "3": "onetwothreefourfive",
    }
    assert sorted(read.anchors) == sorted(read.refs) == ["1", "2", "3"]
    assert html.endswith("</li></ul>")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script> **x**",
        "[x](javascript:alert(1)) **y**",
        "![x](https://example.org/a.png) `y`",
        '<https://example.org/?a="onload=alert(1)> *x*',
        "**x** <img src=x onerror=alert(1)>",
        "```html\n<script>alert(1)</script>\n```",
        '```"><script>alert(1)</script>\nx\n```',
        "| <b>a</b> | b |\n|---|---|\n| <i onclick=x> | 2 |",
        "[x]: https://example.org\n\n**y**",
        "&lt;script&gt; *x* &#60;b&#62;",
    ],
)
def test_no_markup_of_the_text_is_html(text: str) -> None:
    html = as_markdown(pieces(text))
    assert html is not None
    read = Read(html)
    assert "example.org" not in text or "example.org" in "".join(read.shown)


MARKUP = st.lists(
    st.sampled_from(
        ["word", "words", " ", " ", "\n", "\n\n", "- ", "* ", "1. ", "# ", "> ", "**", "*", "_", "`", "```", "~~", "|",
         "|-|", "---", "[", "](x)", "![", "<b>", "&amp;", "\\", "    ", "\r\n", "é", "⸱", "字", "\u200b", "\t"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(MARKUP, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4))
def test_any_text_with_any_marks(text: str, places: list[tuple[int, int]]) -> None:
    spans = [(min(low, high, len(text)), min(max(low, high), len(text))) for low, high in places]
    spans = [(low, high) for low, high in spans if low < high]
    cut = pieces(text, *spans)
    raw = Read(as_it_is(cut))
    assert sorted(raw.anchors) == sorted(raw.refs) == sorted(str(number + 1) for number in range(len(spans)))
    html = as_markdown(cut)
    if html is not None:
        read = Read(html)
        assert sorted(read.anchors) == sorted(read.refs) == sorted(raw.anchors)
        without = as_markdown(pieces(text))
        assert without is not None
        assert "".join("".join(read.shown).split()) == "".join("".join(Read(without).shown).split())


def test_what_is_shown_as_it_is() -> None:
    assert as_markdown(pieces("")) is None
    assert as_markdown(pieces("No markup here, 3 - 2 = 1.")) is None
    assert as_markdown(pieces("*x* " * (LONGEST // 4 + 1))) is None
    assert as_markdown(quoted("an & amp; &amp;x", "&am")) is None  # the mark would cut a character in two
    assert as_it_is(quoted("a <b> c", "<b>")) == (
        'a <span class="at" id="at-1"></span><mark class="favorable q-1">'
        '<a tabindex="-1" href="#why-1">&lt;b&gt;</a></mark>'
        '<a class="ref favorable" dir="ltr" href="#why-1" title="t">1</a> c'
    )


@pytest.mark.parametrize(
    "part", ["[", "*a ", "**", "`a``b", "![", "> ", "- ", "|a", "_a_b", "[a](", "<", "&amp", "*a **a ", "~~a", " "]
)
def test_hostile_markup_takes_seconds_at_most(part: str) -> None:
    text = (part * LONGEST)[: LONGEST - 1] + "*"
    with within(10):
        as_markdown(pieces(text, (10, LONGEST - 10)))


@pytest.mark.parametrize(("width", "rows"), [(1_000, 500), (60, 400), (2_000, 900)])
def test_a_table_that_a_short_text_would_blow_up_is_shown_as_it_is(width: int, rows: int) -> None:
    text = "|a" * width + "|\n" + "|-" * width + "|\n" + "x\n" * rows
    with within(5):
        assert as_markdown(pieces(text, (0, 5))) is None
    assert as_markdown(pieces("|a|b|\n|-|-|\n" + "|c|d|\n" * 100)) is not None


CODE = st.lists(
    st.sampled_from(["(", "{", '"', "'", "/*", "//", "#", "<", "<!--", "a", "0", " ", "\n", "\\", "`", "$", "=", ":"])
)
LANGUAGES = ["bash", "css", "go", "html", "js", "json", "php", "python", "ruby", "rust", "sql", "toml", "xml", "yaml"]


@settings(max_examples=50)
@given(st.sampled_from(LANGUAGES), CODE.map("".join))
def test_code_in_colours_is_the_code(language: str, code: str) -> None:
    assert "".join(part for _, part in coloured(code, language)) == code


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_code_takes_seconds_at_most(language: str) -> None:
    for part in ('"', "\\", "/*", "/", "((", "a ", "a.", "`", "<!--", "=begin\n", "<<A\n", "\n", " \n"):
        with within(5):
            list(coloured((part * 1500)[:1500], language))
