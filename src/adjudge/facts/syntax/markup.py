"""HTML and shell scripts. Both are forgiving, so certainty is kept for what no reader accepts: an end tag of another
name in a whole page, a tag or quote that never ends, an `if` without `fi`.
"""

from __future__ import annotations

import re

from .problems import HOLE, Problem, has_elision, shortened
from .trees import check_tree, leaves_out_nothing, script_texts

_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<!doctype[^>]*>|<\?.*?\?>|<(script|style|textarea|title)\b[^<>]*>.*?</\1\s*>"
    r"|<(/?)([a-z][\w:-]*)((?:\"[^\"]*\"|'[^']*'|[^\"'<>])*)(>|(?=<)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
# Tags whose end HTML lets an author leave out.
_OPTIONAL = frozenset(
    [
        "p",
        "li",
        "dt",
        "dd",
        "tr",
        "td",
        "th",
        "thead",
        "tbody",
        "tfoot",
        "option",
        "optgroup",
        "colgroup",
        "html",
        "head",
        "body",
        "rp",
        "rt",
    ]
)
_TEMPLATE = re.compile(r"\{\{|\{%|<%|<\?php|<\?=|\$\{|<[A-Z]\w*[ />]|=\{")

_PROMPT = re.compile(r"^\s*(?:\$|#|%|\w+@\w+[:~ ][^$#\n]*[$#]) (?=\S)", re.MULTILINE)
_SHELL = re.compile(
    r"\\.|(?<![\w$])#[^\n]*|'[^']*'|\$'(?:\\.|[^'\\])*'|\"(?:\\.|\$\([^()]*\)|[^\"\\])*\"|[\"']|[\w./-]+|[;\n&|(){}]",
    re.DOTALL,
)
_CLOSES = {"fi": "if", "done": "do", "esac": "case"}


def check_html(code: str) -> Problem | None:
    """The first tag that never ends or closes what is not open; a script inside is read too."""
    problem = _tags(code)
    if problem is not None:
        template = _TEMPLATE.search(code) or has_elision(code)
        return Problem(problem.line, problem.message, problem.certain and not template)
    for line, script in script_texts(code):
        inner = check_tree("javascript", script)
        if inner is not None:
            return Problem(line + inner.line, inner.message, inner.certain and not _TEMPLATE.search(code))
    return None


def check_shell(code: str) -> Problem | None:
    """A quote or block that never ends; what the grammar does not know is a hint."""
    if _PROMPT.search(code) or leaves_out_nothing("bash", code) is not False:
        return None  # a session with prompts and output, or a script without fault
    filled = re.sub(r"<[A-Za-z][\w .:/-]*>|\[[A-Za-z][\w ]*\]|\.{3}|…", "x", code)
    if leaves_out_nothing("bash", filled) is not False:
        return None
    found = None if "<<" in code else _shell_blocks(code)
    if found is not None:
        return Problem(found[0], found[1], HOLE.search(code) is None and filled == code)
    problem = check_tree("bash", code)
    return None if problem is None else Problem(problem.line, problem.message, False)


def _tags(code: str) -> Problem | None:
    whole = re.search(r"<html\b", code, re.IGNORECASE) is not None
    opened: list[tuple[str, int]] = []
    line, last = 1, 0
    for match in _TAG.finditer(code):
        line += code.count("\n", last, match.start())
        last = match.start()
        name = (match[3] or "").lower()
        if not name:
            continue
        if not match[5]:
            return Problem(line, f"the tag “{shortened(match[0], 30)}” never ends", bool(match[4].strip()) or whole)
        if match[2]:
            while opened and opened[-1][0] in _OPTIONAL and opened[-1][0] != name:
                opened.pop()
            if opened and opened[-1][0] == name:
                opened.pop()
            elif name not in _OPTIONAL and name not in _VOID:
                inside = f" closes “<{opened[-1][0]}>”" if opened else " closes nothing"
                return Problem(line, f"“</{name}>”{inside}", whole)
        elif name not in _VOID and not match[4].rstrip().endswith("/"):
            opened.append((name, line))
    left = [item for item in opened if item[0] not in _OPTIONAL]
    if left:
        return Problem(left[-1][1], f"“<{left[-1][0]}>” is never closed", whole and "</html" in code.lower())
    return None


def _shell_blocks(code: str) -> tuple[int, str] | None:
    """The first quote, if, do or case without its end; words count only where a command may begin."""
    opened: list[tuple[str, int]] = []
    line, last, fresh = 1, 0, True
    for match in _SHELL.finditer(code):
        line += code.count("\n", last, match.start())
        last = match.start()
        word = match[0]
        if word in "\"'":
            return line, f"{word} is never closed"
        if fresh and word in ("if", "do", "case"):
            opened.append((word, line))
        elif fresh and word in _CLOSES:
            if not opened or opened[-1][0] != _CLOSES[word]:
                return line, f"“{word}” closes nothing"
            opened.pop()
        fresh = word in ";\n&|(){}" or (fresh and word in ("then", "else", "elif", "do", "while", "until", "if", "!"))
    if opened:
        word = opened[-1][0]
        end = next(end for end, start in _CLOSES.items() if start == word)
        return opened[-1][1], f"“{word}” without “{end}”"
    return None
