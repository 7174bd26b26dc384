"""Has an answer the format that was asked for, and none that was forbidden?

A missing or unparsable format is reported for the whole text, a forbidden one where it stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from .markers import real_end
from .patterns import put_off
from .sentences import code_spans
from .spots import Spot
from .structure import READ, read_structure
from .wishes import FormatWish

_FENCE_LINE = put_off(r"```[ \t]*([\w+#-]*)[^\n]*\n?")
_TAG = put_off(r"<(?:/?[A-Za-z][\w:-]{0,30}(?:\s[^<>\n]{0,300})?/?|!DOCTYPE[^<>]{0,100}|\?xml[^<>]{0,100})>")
_YAML = put_off(r"^[ \t]*(?:- )?[\w\"' -]{1,60}:(?:[ \t]|$)|^[ \t]*- \S", re.MULTILINE)
_LIKE_CODE = put_off(
    r"^[ \t]*(?:def |class |import |from \w+ import|function |const |let |var |public |private |#include|#!/|using |"
    r"SELECT\b|INSERT\b|UPDATE\b|CREATE\b|return\b|for ?\(|if ?\(|while ?\(|print|echo |<\w+|\w+ ?= ?\S)|[{};]\s*$|"
    r"\w\([^)\n]{0,80}\)|=>|`[^`\n]+`|\\[dws.]|[\[\]^$]{2,}",
    re.MULTILINE | re.IGNORECASE,
)
_DRAWN_TABLE = put_off(r"^[ \t]*\+[-=+]{3,}|[┌├│╔║]|<table\b|^[^\n\t]+\t[^\n]+$|\|", re.MULTILINE | re.IGNORECASE)
_BULLET = put_off(r"^[ \t]*[-*•+●▪・][ \t]+\S|^[ \t]*[•●▪・]\S", re.MULTILINE)
_MARKDOWN = put_off(
    r"\*\*[^*\n]{1,200}\*\*|^#{1,6}[ \t]+\S|^\|[ \t]*:?-{3,}|^```|\[[^\]\n]{1,100}\]\(https?://", re.MULTILINE
)
_EMOJI = put_off(
    "[\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f900-\U0001faff☀-⛿✨✅❌❤⭐❗❓❓‼⁉\U0001f1e6-\U0001f1ff]"
)
_ALIASES = {
    "js": "javascript", "jsx": "javascript", "node": "javascript", "ts": "typescript", "py": "python", "cpp": "c++",
    "python3": "python", "cs": "c#", "csharp": "c#", "sh": "shell", "bash": "shell", "zsh": "shell", "golang": "go",
    "rb": "ruby",
    "java script": "javascript", "파이썬": "python", "पाइथन": "python", "पायथन": "python", "بايثون": "python",
    "자바": "java", "パイソン": "python", "mysql": "sql", "postgresql": "sql", "sqlite": "sql",
}  # fmt: skip
_OUTPUT = frozenset(
    {"", "text", "txt", "output", "plaintext", "console", "json", "csv", "bash", "shell", "sh", "markdown", "md"}
)
# JSON that a strict parser need not take.
_JSON_WITH_MORE = put_off(
    r"jsonc|json5|hjson|jsonnet|json ?lines|ndjson|comment|placeholder|snippet|fragment|vs ?code|tsconfig|"
    r"trailing comma|"
    r"pseudo|comentari|kommentar|platzhalter|comentário|コメント|注释|註解|주석|टिप्पणी|تعليق",
    re.IGNORECASE,
)
_TRIES = 12  # places where JSON may begin
_BUDGET = 200_000  # characters handed to the JSON parser in all


def find_format(text: str, wishes: Iterable[FormatWish], asked: str = "") -> list[Spot]:
    """One spot for each format that is missing or wrong, or there although it was forbidden.

    `asked` is the whole task: where it wants JSON with comments, what does not parse is a hint.
    """
    end = real_end(text)
    body = text[:end]
    if not body:
        return []
    spots = []
    for wish in wishes:
        spot = _forbidden(body, wish) if wish.forbidden else _missing(body, wish)
        if spot is not None:
            # What was not found in the beginning of a very long text may still come.
            unread = len(body) > READ and not wish.forbidden and wish.name != "json"
            loose = wish.name == "json" and not wish.forbidden and _JSON_WITH_MORE.search(asked) is not None
            spots.append(spot._replace(certain=False) if unread or loose else spot)
    return spots


def _missing(body: str, wish: FormatWish) -> Spot | None:
    whole, read = (0, len(body)), body[:READ]
    match wish.name:
        case "json":
            return _json(body, wish)
        case "table":
            if not _DRAWN_TABLE.search(read):
                return Spot(*whole, "has no table; one was asked for", True, "major")
        case "list" | "bulleted list" | "numbered list":
            return _list(body, wish)
        case "code":
            return _code(body, wish)
        case "html" | "xml":
            if not _TAG.search(read):
                return Spot(*whole, f"has no {wish.name.upper()}; it was asked for", True, "major")
        case "csv":
            if not any(mark in read for mark in ",;\t"):
                return Spot(*whole, "has no CSV; it was asked for", True, "major")
        case "yaml":
            if not _YAML.search(read):
                return Spot(*whole, "has no YAML; it was asked for", True, "major")
        case "plain text":
            found = _MARKDOWN.search(read)
            if found is not None:
                return Spot(*found.span(), "has Markdown; plain text was asked for", False, "minor")
        case _:
            pass
    return None


def _json(body: str, wish: FormatWish) -> Spot | None:
    if _parses(body):
        return None
    fences = [_FENCE_LINE.sub("", body[start:end], count=1) for start, end in code_spans(body[:READ])]
    fenced = any(_parses(fence) for fence in fences)
    if not fenced and not _holds_json(body):
        there = "has JSON that does not parse" if "{" in body or "[" in body else "has no JSON"
        return Spot(0, len(body), f"{there}; JSON was asked for", len(body) <= READ, "major")
    if wish.only:
        return Spot(0, len(body), "has text around the JSON; only JSON was asked for", not fenced, "minor")
    return None


def _parses(piece: str) -> bool:
    piece = piece.strip()
    if (
        not piece
        or len(piece) > 4_000_000
        or not (piece[0] in '{["-' or piece[0].isdigit() or piece in ("true", "false", "null"))
    ):
        return False
    try:
        json.loads(piece)
    except (ValueError, RecursionError):
        lines = [line for line in piece[:READ].split("\n") if line.strip()]
        return len(lines) > 1 and all(line.strip()[:1] in "{[" and _parses(line) for line in lines)
    return True


def _holds_json(body: str) -> bool:
    decoder, at, spent = json.JSONDecoder(), -1, 0
    for _ in range(_TRIES):
        at = min((place for place in (body.find("{", at + 1), body.find("[", at + 1)) if place >= 0), default=-1)
        if at < 0 or spent > _BUDGET:
            return False
        try:
            value, end = decoder.raw_decode(body[at : at + _BUDGET])
        except (ValueError, RecursionError) as error:
            spent += getattr(error, "pos", _BUDGET)
            continue
        # "[1]" in prose is a note, not an answer in JSON.
        if isinstance(value, dict) or (value and end * 2 > len(body) - at):
            return True
    return False


def _list(body: str, wish: FormatWish) -> Spot | None:
    styles = {listing.style for listing in read_structure(body).listings}
    bullets = _BULLET.search(body[:READ]) is not None
    if bullets:
        styles.add("bulleted")
    whole = (0, len(body))
    lines = sum(1 for line in body.split("\n") if line.strip())
    if not styles & {"numbered", "bulleted"}:
        # Lines without marks may be meant as a list.
        certain = lines <= 2 and wish.name != "list" and "<li" not in body
        return Spot(*whole, f"has no list; a {wish.name} was asked for", certain, "major")
    wanted = wish.name.removesuffix(" list")
    if wanted in ("numbered", "bulleted") and wanted not in styles:
        return Spot(*whole, f"has another list; a {wish.name} was asked for", False, "minor")
    return None


def _code(body: str, wish: FormatWish) -> Spot | None:
    spans = code_spans(body[:READ])
    if not spans:
        if _LIKE_CODE.search(body[:READ]):
            return None
        return Spot(0, len(body), "has no code; it was asked for", True, "major")
    if wish.language is None:
        return None
    named = [(_canonical(match[1]), span) for span in spans if (match := _FENCE_LINE.match(body, span[0]))]
    wanted = _canonical(wish.language)
    if any(name == wanted or name in _OUTPUT for name, _ in named):
        return None
    name, (start, end) = named[0] if named else ("", spans[0])
    if not name:
        return None
    return Spot(start, end, f"has {name} code; {wanted} was asked for", False, "major")


def _canonical(language: str) -> str:
    small = language.lower()
    return _ALIASES.get(small, small)


def _forbidden(body: str, wish: FormatWish) -> Spot | None:
    read = body[:READ]
    found: tuple[int, int] | None = None
    certain = True
    match wish.name:
        case "code":
            found = next(iter(code_spans(body[:READ])), None)
        case "table":
            found = next(
                ((each.start, each.end) for each in read_structure(body).listings if each.style == "table"), None
            )
        case "list" | "bulleted list" | "numbered list":
            wanted = wish.name.removesuffix(" list")
            found = next(
                (
                    (each.start, each.end)
                    for each in read_structure(body).listings
                    if each.count > 1 and each.style != "table" and wanted in ("list", each.style)
                ),
                None,
            )
            # A dash before a line of speech looks like a bullet.
            certain = found is not None and _is_no_dialogue(body[found[0] : found[1]])
        case "markdown":
            found = _span(_MARKDOWN.search(read))
        case "emojis":
            found = _span(_EMOJI.search(read))
        case "html" | "xml":
            found = _span(_TAG.search(read))
        case "json":
            found, certain = ((0, len(body)) if _holds_json(body) else None), False
        case _:
            found = None
    if found is None:
        return None
    start, end = found
    return Spot(
        start, min(end, len(body)), f"has {_NAMES.get(wish.name, wish.name)}, which was forbidden", certain, "major"
    )


_NAMES = {
    "code": "a code block", "table": "a table", "list": "a list", "bulleted list": "a bulleted list",
    "numbered list": "a numbered list", "emojis": "an emoji", "markdown": "Markdown", "json": "JSON",
    "html": "HTML", "xml": "XML",
}  # fmt: skip


def _is_no_dialogue(listing: str) -> bool:
    return not listing.startswith(("–", "—")) and not re.search(r"^[-–] [^\n]{0,80}[?!]", listing, re.MULTILINE)


def _span(match: re.Match[str] | None) -> tuple[int, int] | None:
    return None if match is None else match.span()
