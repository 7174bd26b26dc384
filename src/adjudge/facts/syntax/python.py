"""Python, read with the interpreter's own parser. Snippets, prompts, magics and elided bodies are accepted.

What only another Python version accepts (the print statement, new f-strings, type parameters) is never certain.
"""

from __future__ import annotations

import re
import textwrap
import warnings

from .problems import ELIDED_LINE, HOLE, Problem

_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.|In \[\d+\]:|\.{3}:)(?: |$)")
_MAGIC = re.compile(r"^([ \t]*)(?:%%?[a-z]\w*|![\w./~]|\?\w|\w+\?\??$|\$ ?[a-z])[^\n]*$", re.MULTILINE)
_EMPTY_BODY = re.compile(r"^([^#\n]*:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*\n)*)([ \t]*)#[^\n]*$", re.MULTILINE)
_OPTIONAL = re.compile(r"\[, ?[\w=. ]+\]+")
_OTHER_VERSION = re.compile(
    r"Missing parentheses in call|multiple exception types must be parenthesized|leading zeros in decimal|f-string|"
    r"too many (?:nested|statically)|invalid decimal literal|inconsistent use of tabs|unindent does not match"
)
_NEW_SYNTAX = re.compile(
    r"\b[fFtT][rR]?[\"']|^\s*type \w+(?:\[.*\])? =|^\s*(?:async )?(?:def|class) \w+\[|^\s*except\*? [\w.]+, "
)
_OLD_SYNTAX = re.compile(
    r"^\s*print [\"'\w(]|^\s*print$|^\s*raise \w+, |^\s*except \w+, \w+:|^\s*exec [\"']|<>|\bur?[\"']"
)
_FIRM = ("was never closed", "unterminated", "does not match", "unmatched")
_OUTPUT = re.compile(r"^Traceback \(most recent call last\)|^\s*File \"[^\"\n]+\", line \d+", re.MULTILINE)


def check_python(code: str) -> Problem | None:
    """The first thing that keeps the code from parsing, or None."""
    error = _error(code)
    if error is None or _OUTPUT.search(code):
        return None
    for variant in _variants(code):
        if variant != code and _error(variant) is None:
            return None
    line, message, lines = error.lineno or 1, error.msg or "invalid syntax", code.split("\n")
    text = lines[min(line, len(lines)) - 1] if lines else ""
    certain = not _OTHER_VERSION.search(message) and not _OLD_SYNTAX.search(text)
    if not message.endswith("was never closed") and _NEW_SYNTAX.search(text):
        certain = False
    if HOLE.search(code) or re.match(r"\s*(?:elif\b|else\s*:|except\b|finally\s*:)", code):
        certain = False
    if message.startswith("expected an indented block") and not "".join(lines[line - 1 :]).strip():
        certain = False  # a header shown without its body
    if message == "unexpected indent" and not any(firm in message for firm in _FIRM):
        certain = certain and not _indented_tail(lines)
    return Problem(line, message, certain)


def _error(code: str) -> SyntaxError | None:
    import ast

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(textwrap.dedent(code))
    except SyntaxError as error:
        return error
    except (ValueError, MemoryError, RecursionError):
        return None  # not a question of syntax: null bytes, nesting beyond the parser's stack
    return None


def _variants(code: str) -> list[str]:
    """The code as a reader would take it, each reading more generous than the one before."""
    if any(_PROMPT.match(line) for line in code.split("\n")):
        code = "\n".join(_PROMPT.sub("", line) if _PROMPT.match(line) else "" for line in code.split("\n"))
    magic = _MAGIC.sub(r"\1pass", code)
    bodies = _EMPTY_BODY.sub(r"\1\2pass", magic)
    elided = ELIDED_LINE.sub(lambda match: match[0][: len(match[0]) - len(match[0].lstrip())] + "...", bodies)
    open_calls = _OPTIONAL.sub("", HOLE.sub("x", elided)).replace("…", "...").replace(", ...)", ")")
    first, newline, rest = code.lstrip("\n").partition("\n")
    return [code, magic, bodies, elided, open_calls, "    " + first + newline + rest]


def _indented_tail(lines: list[str]) -> bool:
    """Is everything but the first line indented, as when a piece of a file is copied from the middle of a line?"""
    rest = [line for line in lines[1:] if line.strip()]
    return bool(rest) and all(line[0] in " \t" for line in rest)
