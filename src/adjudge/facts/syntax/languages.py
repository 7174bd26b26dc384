"""Which language a code block is in: from its tag, or where that is plain from the task and the code; and whether a
task asks for code at all, in eleven languages.
"""

from __future__ import annotations

import re

from ..patterns import Lazy, put_off

_ALIASES = {
    "python": "python py python3 py3 ipython jupyter pycon",
    "javascript": "javascript js node nodejs jsx mjs cjs ecmascript es6 react",
    "typescript": "typescript ts tsx",
    "java": "java",
    "c": "c h",
    "cpp": "cpp c++ cxx cc hpp",
    "go": "go golang",
    "rust": "rust rs",
    "sql": "sql mysql postgresql postgres sqlite psql tsql plsql mssql mariadb",
    "html": "html htm html5",
    "json": "json",
    "yaml": "yaml yml",
    "bash": "bash sh shell zsh ksh",
}  # fmt: skip
_LANGUAGE = {alias: language for language, aliases in _ALIASES.items() for alias in aliases.split()}
_NAMED = {
    "python": r"\bpython\b",
    "javascript": r"\bjavascript\b|\bnode\.?js\b",
    "typescript": r"\btypescript\b",
    "java": r"\bjava\b",
    "c": r"\bc (?:program|function|code)\b|\bin c\b(?![+#])",
    "cpp": r"\bc\+\+",
    "go": r"\bgolang\b|\bgo (?:program|function|code)\b",
    "rust": r"\brust (?:program|function|code)\b|\bin rust\b",
    "sql": r"\bsql\b",
    "html": r"\bhtml\b",
    "json": r"\bjson\b",
    "yaml": r"\byaml\b",
    "bash": r"\bbash\b|\bshell script\b",
}
_NAMED_RE = {language: Lazy(pattern, re.IGNORECASE) for language, pattern in _NAMED.items()}
# How a block plainly in the language begins.
_PLAINLY = {
    "python": r"(?:def \w+\(|class \w+[(:]|import \w+|from [\w.]+ import )",
    "javascript": r"(?:function\s+\w+\s*\(|const \w+ = |let \w+ = )",
    "typescript": r"(?:function\s+\w+\s*[(<]|const \w+(?:: .+)? = |interface \w+)",
    "java": r"(?:import java|public (?:static |final |abstract )*(?:class|interface|void|int)|package [\w.]+;)",
    "c": r"#include\s*<\w+\.h>",
    "cpp": r"#include\s*<\w+(?:\.h)?>",
    "go": r"package \w+",
    "rust": r"(?:use std::|fn \w+|pub fn )",
    "sql": r"(?:SELECT\s|INSERT INTO\s|UPDATE\s+\w+\s+SET|CREATE TABLE\s|DELETE FROM\s)",
    "html": r"(?:<!DOCTYPE html>|<html)",
    "bash": r"#!/(?:usr/)?bin/(?:env )?(?:ba|z)?sh",
}
_PLAINLY_RE = {language: Lazy(r"\s*" + pattern) for language, pattern in _PLAINLY.items()}
_JSON = put_off(r"\s*(?:\{\s*\"[^\"\n]*\"\s*:|\[\s*\{\s*\"[^\"\n]*\"\s*:)")
_PROSE = put_off(r"^[A-Z][a-z']+(?: [a-z']+){4,}[^;{}()=]*[.:]$", re.MULTILINE)
_ASKS = Lazy(
    r"\b(?:code|function|script|program|implement|snippet|query|regex|class|algorithm|debug|refactor)\b"
    r"|\bc[óo]digo\b|\bfunci[óo]n\b|\bprograma\b|\bconsulta\b|\bfonction\b|\bprogramme\b|\brequ[êe]te\b|\bfunktion\b|"
    r"\bprogramm\b|\babfrage\b|\bfun[çc][ãa]o\b|\bcodice\b|\bfunzione\b|コード|関数|プログラム|スクリプト|代码|代碼|"
    r"函数|函數|脚本|程序|"
    r"코드|함수|스크립트|프로그램|कोड|फ़ंक्शन|फंक्शन|प्रोग्राम|كود|شيفرة|دالة|برنامج",
    re.IGNORECASE,
)


def from_tag(tag: str) -> str:
    """The language a fence's tag names, or nothing where it is not checked."""
    return _LANGUAGE.get(tag, "")


def named_in(asked: str) -> list[str]:
    """The languages a task names."""
    return [language for language, pattern in _NAMED_RE.items() if pattern().search(asked)]


def evident_language(code: str, asked: str) -> str:
    """The language of code that no tag names: JSON from its shape, others when the task names it and it looks so."""
    if _JSON.match(code):
        return "json" if code.rstrip()[-1:] in "}]" else ""
    if not asked or _PROSE.search(code):
        return ""
    likely = [
        language for language in named_in(asked) if language in _PLAINLY_RE and _PLAINLY_RE[language]().match(code)
    ]
    return likely[0] if len(likely) == 1 else ""


def asks_for_code(asked: str) -> bool:
    """Does the task ask for code?"""
    return _ASKS().search(asked) is not None
