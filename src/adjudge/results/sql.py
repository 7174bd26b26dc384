"""SQL as people type it on a command line, made SQL as DuckDB reads it.

Two things only: a double-quoted word that names nothing is a text (`winner = "tie"`), as in other tools and shells; and
`case`, which SQL reserves, is our column where a column can stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

_TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<text>[eExX]?'(?:[^']|'')*(?:'|\Z)|\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z))
    |(?P<quoted>"(?:[^"]|"")*(?:"|\Z))
    |(?P<word>[^\W\d]\w*)
    |(?P<number>\d[\w.]*)
    |(?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_MANY = re.compile(r"[\[*?]")
# After these an expression begins: what is quoted there is a column or a text, and not a name for what stands before.
_BEFORE_EXPRESSION = frozenset(
    {
        "select",
        "distinct",
        "where",
        "and",
        "or",
        "not",
        "on",
        "having",
        "by",
        "when",
        "then",
        "else",
        "case",
        "in",
        "like",
        "ilike",
        "similar",
        "to",
        "between",
        "is",
        "from",
        "escape",
        "glob",
        "any",
        "all",
        "limit",
        "offset",
        "filter",
        "qualify",
        "union",
        "except",
        "intersect",
        "return",
    }
)
_NAMES_FOLLOW = frozenset({"from", "join", "as", "with", "update", "into", "table"})
_AFTER_COLUMN = frozenset(
    {
        "in",
        "like",
        "ilike",
        "is",
        "between",
        "glob",
        "similar",
        "as",
        "from",
        "asc",
        "desc",
        "and",
        "or",
        "group",
        "order",
        "having",
        "limit",
        "nulls",
        "where",
        "union",
        "then",
        "else",
        "end",
        "when",
        "collate",
    }
)
_AFTER_NOT = frozenset({"in", "like", "ilike", "between", "similar", "glob"})

Kind = Literal["space", "text", "quoted", "word", "number", "sign"]


@dataclass(frozen=True, slots=True)
class _Token:
    kind: Kind
    text: str

    @property
    def word(self) -> str:
        return self.text.lower() if self.kind == "word" else ""

    @property
    def inner(self) -> str:
        return self.text[1:-1].replace('""', '"')


def readable(sql: str, columns: Iterable[str]) -> str:
    """The same SQL with words for texts made texts, and `case` made a column where it is one."""
    tokens = _tokens(sql)
    solid = [at for at, token in enumerate(tokens) if token.kind != "space"]
    known = {name.lower() for name in columns} | {"results"}
    names = {at for place, at in enumerate(solid) if tokens[at].kind == "quoted" and _is_name(tokens, solid, place)}
    known |= {tokens[at].inner.lower() for at in names}
    written = [token.text for token in tokens]
    for place, at in enumerate(solid):
        token = tokens[at]
        closed = len(token.text) > 1 and token.text.endswith('"')
        if token.kind == "quoted" and closed and at not in names and token.inner.lower() not in known:
            written[at] = text(token.inner)
        elif token.word == "case" and "case" in known and _is_column(tokens, solid, place):
            written[at] = '"case"'
    return "".join(written)


def named(condition: str, columns: Iterable[str]) -> frozenset[str] | None:
    """The columns a condition can speak of; None for one that may mean columns without naming them."""
    told = {token.inner.lower() if token.kind == "quoted" else token.text.lower() for token in _tokens(condition)}
    if told & {"*", "results", "columns", "select", "from"}:
        return None
    return frozenset(column for column in columns if column.lower() in told)


def text(value: str) -> str:
    """A text in SQL."""
    return "'" + value.replace("'", "''") + "'"


def path(value: str) -> str:
    """The name of one file in SQL, whatever signs are in it that elsewhere stand for many."""
    return text(_MANY.sub(r"[\g<0>]", value))


def name(value: str) -> str:
    """A name in SQL."""
    return '"' + value.replace('"', '""') + '"'


def _tokens(sql: str) -> list[_Token]:
    return [_Token(_kind(match), match[0]) for match in _TOKEN.finditer(sql)]


def _kind(match: re.Match[str]) -> Kind:
    for kind in ("space", "text", "quoted", "word", "number"):
        if match[kind] is not None:
            return kind
    return "sign"


def _is_name(tokens: list[_Token], solid: list[int], place: int) -> bool:
    """Whether a quoted word is given as a name here: after AS, FROM or a dot, or right after an expression."""
    before = tokens[solid[place - 1]] if place else None
    after = tokens[solid[place + 1]] if place + 1 < len(solid) else None
    if after is not None and after.text in (".", "("):
        return True
    if before is None:
        return False
    if before.word in _NAMES_FOLLOW or before.text == ".":
        return True
    if before.kind == "word":
        return before.word not in _BEFORE_EXPRESSION
    return before.kind in ("text", "quoted", "number") or before.text in (")", "]")


def _is_column(tokens: list[_Token], solid: list[int], place: int) -> bool:
    """Whether `case` is a column here and does not open a CASE … WHEN."""
    after = [tokens[at] for at in solid[place + 1 : place + 3]]
    if not after:
        return True
    if after[0].word == "not":
        return len(after) > 1 and after[1].word in _AFTER_NOT
    return after[0].word in _AFTER_COLUMN - {"when"} or after[0].text in tuple("=<>!,);|~*/%.:")
