"""How tests look at a rendered text: its elements, what is left without markup, colour and controls."""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser

POLICY = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
VOID = {"meta", "br", "link", "input"}
COLOUR = re.compile(r"\x1b\[[0-9;]+m")
# Tab and line feed may stand in a page; in a line of text not even a tab may.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
CONTROLS_AND_TAB = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def width_of(line):
    """How many columns a line takes: wide characters take two, combining ones none."""
    shown = [char for char in line if unicodedata.category(char) not in ("Mn", "Me", "Cf")]
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in shown)


class Page(HTMLParser):
    """The elements and ids of a page, and whether every element that was opened is closed in turn."""

    def __init__(self, html):
        super().__init__()
        self.opened, self.tags, self.ids, self.links, self.words = [], [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attributes = dict(attrs)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a":
            self.links.append(attributes["href"])
        if tag not in VOID:
            self.opened.append(tag)

    def handle_endtag(self, tag):
        assert self.opened.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def unescaped_markdown(text):
    """What is left of the markup when everything that was escaped is taken away."""
    return re.sub(r"\\[!-/:-@\[-`{-~]|&(?:amp|lt|gt|#58|#64);", "", text)


def assert_marks_up_nothing(text):
    """No markup is left but what the report itself wrote."""
    bare = unescaped_markdown(text)
    assert not re.search(r"[<`_\[\]~@\\]", bare)
    assert "://" not in bare
    assert "*" not in bare.replace("**", "")
    assert all(line.count("**") % 2 == 0 for line in bare.splitlines())
    assert not CONTROLS_AND_TAB.search(bare)
