"""JavaScript, TypeScript, Java, C, C++, Go, Rust, HTML and bash, read with tree-sitter grammars.

A snippet is tried in the wrappings it may have been cut from. Where a grammar is known to be weak (macros, shell
placeholders, optional HTML tags) the result is a hint. A parse that takes too long says nothing.
"""

from __future__ import annotations

import importlib
import re
import time
import warnings
from functools import cache
from typing import TYPE_CHECKING

from .problems import ELIDED, ELIDED_LINE, HOLE, Problem, has_elision, shortened

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_MICROSECONDS = 25_000  # until a parse is looked at: error recovery can take minutes on a hostile text
_SECONDS = 0.06  # of work, for one parse and for all wrappings of one block: a busy machine changes no finding
_LEAVES = 20_000
_MAIN = "language"
_GRAMMARS = {
    "javascript": [("tree_sitter_javascript", _MAIN)],
    "typescript": [("tree_sitter_typescript", "language_typescript"), ("tree_sitter_typescript", "language_tsx")],
    "java": [("tree_sitter_java", _MAIN)],
    "c": [("tree_sitter_c", _MAIN), ("tree_sitter_cpp", _MAIN)],
    "cpp": [("tree_sitter_cpp", _MAIN)],
    "go": [("tree_sitter_go", _MAIN)],
    "rust": [("tree_sitter_rust", _MAIN)],
    "html": [("tree_sitter_html", _MAIN)],
    "bash": [("tree_sitter_bash", _MAIN)],
    "sql": [("tree_sitter_sql", _MAIN)],
}
# Where a snippet may have been cut from; {} stands on a line of its own start, so that line numbers stay.
_WRAPPINGS = {
    "javascript": ["x = {{ {} \n}}", "class X {{ {} \n}}", "async function* x() {{ {} \n}}", "x = ({} \n)",
                   "x = [{} \n]", "switch (x) {{ {} \n}}"],
    "typescript": ["class X {{ {} \n}}", "x = {{ {} \n}}", "interface X {{ {} \n}}", "async function* x() {{ {} \n}}",
                   "x = ({} \n)", "type X = {} \n;"],
    "java": ["class X {{ {} \n}}", "class X {{ void x() {{ {} \n}} }}", "class X {{ Object x = {} \n; }}",
             "class X {{ void x() {{ switch (x) {{ {} \n}} }} }}", "interface X {{ {} \n}}"],
    "c": ["void x() {{ {} \n}}", "struct x {{ {} \n}};", "int x = {} \n;", "void x() {{ switch (x) {{ {} \n}} }}"],
    "cpp": ["void x() {{ {} \n}}", "class x {{ {} \n}};", "auto x = {} \n;", "void x() {{ switch (x) {{ {} \n}} }}"],
    "go": ["package x; func x() {{ {} \n}}", "package x; var x = {} \n", "package x; type x struct {{ {} \n}}",
           "package x; type x interface {{ {} \n}}", "package x; func x() {{ switch x {{ {} \n}} }}"],
    "rust": ["fn x() {{ {} \n}}", "impl X {{ {} \n}}", "struct X {{ {} \n}}", "fn x() {{ match x {{ {} \n}} }}",
             "enum X {{ {} \n}}", "trait X {{ {} \n}}"],
}  # fmt: skip
_PAIRS = {")": "(", "]": "[", "}": "{"}
_OPENS = {"(": "(", "[": "[", "{": "{", "${": "{", "#[": "[", "#{": "{"}
_SCRIPT = re.compile(
    r"<script(?![^>]*(?:type=[\"'](?!text/javascript|module|application/javascript)|src=))[^>]*>(.*?)</script>",
    re.DOTALL | re.IGNORECASE,
)
_MACRO = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")


def check_tree(language: str, code: str) -> Problem | None:
    """The first thing that keeps the code from parsing in any of its grammars and wrappings, or None."""
    first = _first_error(language, code)
    if first is None:
        return None
    readings = [code, *([filled] if (filled := _filled(code)) != code else [])]
    deadline = time.thread_time() + _SECONDS
    for reading in readings:
        # Between JSX tags nearly everything is text, so only code that opens with a tag is tried there.
        tags = ("<>{} \n</>",) if language in ("javascript", "typescript") and code.lstrip().startswith("<") else ()
        for wrapping in ("{}", *_WRAPPINGS.get(language, ()), *tags):
            if time.thread_time() > deadline:
                return None
            if (reading != code or wrapping != "{}") and _first_error(language, wrapping.format(reading)) is None:
                return None
    line, message, firm = first
    return Problem(line, message, not has_elision(code) and _trusted(language, code, line, firm))


def leaves_out_nothing(language: str, code: str) -> bool | None:
    """Does the grammar read the whole code as it stands? None where the grammar is missing or gave up."""
    roots = [root for parser in _parsers(language) if (root := _root(parser, code)) is not None]
    return any(not root.has_error for root in roots) if roots else None


def script_texts(code: str) -> list[tuple[int, str]]:
    """The JavaScript inside an HTML page: the line each script begins on, and the script."""
    return [(code.count("\n", 0, found.start(1)), found[1]) for found in _SCRIPT.finditer(code[:60_000])]


def _trusted(language: str, code: str, line: int, firm: bool) -> bool:
    lines = code.split("\n")
    text = lines[min(line, len(lines)) - 1]
    if language in ("c", "cpp"):
        return firm or not (_MACRO.search(text) or "#" in text or "@" in code)
    if language == "javascript" and leaves_out_nothing("typescript", code):
        return False  # typed JavaScript: wrong in the tag rather than in the code
    return language not in ("html", "bash", "sql")


def _filled(code: str) -> str:
    """The code with what an answer leaves out replaced by something that parses."""
    code = ELIDED_LINE.sub("", code)
    return ELIDED.sub("", HOLE.sub("x", code)) if "..." in code or "…" in code or HOLE.search(code) else code


@cache
def _parsers(language: str) -> tuple[Parser, ...]:
    try:
        from tree_sitter import Language, Parser
    except ImportError:
        return ()
    parsers = []
    for module, function in _GRAMMARS.get(language, ()):
        try:
            grammar = getattr(importlib.import_module(module), function)()
        except ImportError:
            continue
        with warnings.catch_warnings():
            # The callback that is to replace this limit crashes the interpreter in 0.25 and 0.26.
            warnings.simplefilter("ignore", DeprecationWarning)
            parsers.append(Parser(Language(grammar), timeout_micros=_MICROSECONDS))
    return tuple(parsers)


def _root(parser: Parser, code: str) -> Node | None:
    source, began = code.encode("utf-8", "replace"), time.thread_time()
    while True:
        try:
            return parser.parse(source).root_node
        except ValueError:
            # It goes on where it was stopped, unless it is told to forget.
            if time.thread_time() - began > _SECONDS:
                parser.reset()
                return None


def _first_error(language: str, code: str) -> tuple[int, str, bool] | None:
    """Line, message and whether it is beyond doubt; None when one grammar reads everything, or none is there."""
    first = None
    for parser in _parsers(language):
        root = _root(parser, code)
        if root is None or not root.has_error:
            return None
        first = first or _unbalanced(root) or _error_below(root)
    return first


def _error_below(root: Node) -> tuple[int, str, bool] | None:
    stack: list[tuple[Node, int]] = [(root, 1)]
    while stack:
        node, before = stack.pop()
        line = node.start_point[0] + 1
        if node.is_missing:
            return before, f"missing “{node.type}”", True
        if node.type == "ERROR":
            text = (node.text or b"").decode("utf-8", "replace")
            return line, f"unexpected “{shortened(text)}”" if text.strip() else "unexpected end", False
        children = node.children
        # What is missing belongs behind the token before it, often on the line above.
        ends = [line, *(child.end_point[0] + 1 for child in children)]
        faulty = [
            (child, end) for child, end in zip(children, ends, strict=False) if child.has_error or child.is_missing
        ]
        stack.extend(reversed(faulty))
    return None


def _unbalanced(root: Node) -> tuple[int, str, bool] | None:
    """The first bracket without its partner, among the tokens the grammar found outside strings and comments."""
    opened: list[tuple[str, int]] = []
    stack, seen = [root], 0
    while stack and seen < _LEAVES:
        node = stack.pop()
        seen += 1
        if node.child_count:
            stack.extend(reversed(node.children))
        elif node.is_missing:
            continue
        elif node.type in _OPENS:
            opened.append((_OPENS[node.type], node.start_point[0] + 1))
        elif node.type in _PAIRS:
            line = node.start_point[0] + 1
            if not opened:
                return line, f"“{node.type}” closes nothing", True
            bracket, _ = opened.pop()
            if bracket != _PAIRS[node.type]:
                return line, f"“{node.type}” closes “{bracket}”", True
    if opened and not stack:
        return opened[-1][1], f"“{opened[-1][0]}” is never closed", True
    return None
