"""SQL. Dialects differ too much for one grammar, so only what none accepts is certain: an open bracket or quote, ORDER
without BY, UPDATE without SET, a clause out of order, a misspelt first word. The grammar's other errors are hints.
"""

from __future__ import annotations

import re

from .problems import Problem, has_elision, shortened
from .trees import check_tree

_TOKEN = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:''|\\.|[^'\\])*'|\"(?:\"\"|[^\"])*\"|`[^`]*`|\$(\w*)\$.*?\$\1\$|[A-Za-z_][\w$]*|"
    r"[()',\";`]",
    re.DOTALL,
)
_FIRST = {"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE"}
_PROCEDURAL = re.compile(r"\b(?:BEGIN|DECLARE|DELIMITER|LOOP|PROCEDURE|FUNCTION|TRIGGER)\b", re.IGNORECASE)
# Words of one dialect that the grammar does not know: an error near them says nothing.
_DIALECT = re.compile(
    r"\b(?:TOP|CONFLICT|NOLOCK|DELIMITER|PIVOT|QUALIFY|CONNECT BY|XMLAGG|GO|EXEC|MATCH_RECOGNIZE|LATERAL|WITHIN)\b|"
    r"@\w|:\w|\[\w",
    re.IGNORECASE,
)
_AFTER = {"WHERE": {"ORDER", "LIMIT"}, "FROM": {"WHERE"}}
_STARTS_AGAIN = {"SELECT", "UNION", "INTERSECT", "EXCEPT", "MINUS", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH"}


def check_sql(code: str) -> Problem | None:
    """The first thing no dialect accepts, or as a hint what the grammar does not know."""
    found = _clear_breakage(code)
    if found is not None:
        at, message = found
        return Problem(code.count("\n", 0, at) + 1, message, not has_elision(code) and "..." not in code)
    if not re.search(r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH)\b", code, re.IGNORECASE):
        return None
    if _DIALECT.search(code):
        return None
    problem = check_tree("sql", code.replace("...", "x"))
    return None if problem is None else Problem(problem.line, problem.message, False)


def _clear_breakage(code: str) -> tuple[int, str] | None:
    tokens = [(m.start(), m[0]) for m in _TOKEN.finditer(code) if not m[0].startswith(("--", "/*"))]
    return _brackets(tokens) or next(filter(None, map(_statement, _statements(code, tokens))), None)


def _brackets(tokens: list[tuple[int, str]]) -> tuple[int, str] | None:
    opened: list[int] = []
    for at, token in tokens:
        if token in ("'", '"', "`"):
            return at, f"{token} is never closed"
        if token == "(":
            opened.append(at)
        elif token == ")":
            if not opened:
                return at, "“)” closes nothing"
            opened.pop()
        elif token == ";" and opened:
            return opened[-1], "“(” is never closed"
    return (opened[-1], "“(” is never closed") if opened else None


def _statements(code: str, tokens: list[tuple[int, str]]) -> list[list[tuple[int, str, int]]]:
    """Each statement's words in capitals with their bracket depth; none where the code is a procedure."""
    if _PROCEDURAL.search(code):
        return []
    statements: list[list[tuple[int, str, int]]] = [[]]
    depth = 0
    for at, token in tokens:
        depth += (token == "(") - (token == ")")
        if token == ";":
            statements.append([])
        elif token[0] not in "()":
            statements[-1].append((at, token.upper(), depth))
    return [statement for statement in statements if statement]


def _statement(words: list[tuple[int, str, int]]) -> tuple[int, str] | None:
    at, first, _ = words[0]
    if first not in _FIRST and first.isalpha() and any(_one_slip(first, known) for known in _FIRST):
        return at, f"unexpected “{shortened(first)}”"
    names = [word for _, word, _ in words]
    if first == "UPDATE" and len(names) > 2 and "SET" not in names and "STATISTICS" not in names:
        return at, "UPDATE without SET"
    if first in ("SELECT", "WITH", "UPDATE", "DELETE", "INSERT") and names.count("CASE") > names.count("END"):
        return words[names.index("CASE")][0], "CASE without END"
    if first not in ("SELECT", "WITH"):
        return None
    seen: dict[int, set[str]] = {}
    for index, (at, word, depth) in enumerate(words):
        before = names[index - 1] if index else ""
        after = names[index + 1] if index + 1 < len(words) else ""
        by = after in ("BY", "SIBLINGS", "", ",", "ALL") or after in _STARTS_AGAIN
        named = before in (".", "AS", ",", "FROM", "JOIN", "INTO", "WITHIN")  # a table or column of that name
        if word in ("ORDER", "GROUP") and not by and not named and "FROM" in seen.get(depth, ()):
            return at, f"{word} without BY"
        here = seen.setdefault(depth, set())
        if word in _STARTS_AGAIN:
            here.clear()
        late = _AFTER.get(word, set()) & here
        if late and before not in ("DISTINCT", "AS", ","):
            return at, f"{word} after {sorted(late)[0]}"
        here.add(word)
    return None


def _one_slip(word: str, known: str) -> bool:
    """Is `word` the known word with one letter dropped, added, changed, or two neighbours swapped?"""
    if word == known or abs(len(word) - len(known)) > 1:
        return False
    start = 0
    while start < min(len(word), len(known)) and word[start] == known[start]:
        start += 1
    a, b = word[start:], known[start:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[1::-1] == b[:2] and a[2:] == b[2:])
