"""Does the code in an answer parse in its own language? Fenced blocks, and an answer that is nothing but code.

It reads; it never runs. A snippet, an elision or a dialect is not a fault, and a fault shown on purpose is a hint.
"""

from __future__ import annotations

import re
import time

from .fences import Block, code_blocks, whole_text
from .patterns import Lazy
from .spots import Spot
from .syntax.languages import asks_for_code, evident_language, from_tag, named_in
from .syntax.problems import Problem, is_readable

_SHOWN = 5
_BLOCK_SIZE = 40_000  # characters of one block that is read
_SECONDS = 0.12  # of its own work, for all blocks of one text: a busy machine changes no finding
_ON_PURPOSE = Lazy(
    r"syntax ?error|incorrect|wrong|invalid|broken|mistake|\bbugs?\b|\bbad\b|doesn't (?:work|compile)|won't (?:work|"
    r"compile)|"
    r"pseudo-?code|original code|your code|not valid|error|"
    r"incorrect[oa]|errore|erreur|fehler|falsch|erro\b|inv[áa]lid|sbagliat|誤|エラー|错误|錯誤|오류|잘못|गलत|त्रुटि|"
    r"خطأ",
    re.IGNORECASE,
)


def find_broken_code(text: str, asked: str = "") -> list[Spot]:
    """The code blocks that do not parse, each at the line where it breaks."""
    blocks = code_blocks(text)
    if not blocks:
        blocks = [whole_text(text)] if len(text) <= _BLOCK_SIZE and evident_language(text, asked) else []
    spots: list[Spot] = []
    deadline = time.thread_time() + _SECONDS
    languages = [_language(block, asked) for block in blocks]
    for index, (block, (language, evident)) in enumerate(zip(blocks, languages, strict=True)):
        if not language or time.thread_time() > deadline or not is_readable(block.code, _BLOCK_SIZE):
            continue
        problem = _check(language, block.code)
        if problem is None or _continues(blocks, languages, index):
            continue
        start, end = block.place(problem.line)
        found = f"{_NAMES[language]} code that does not parse: line {problem.line}: {problem.message}"
        certain = problem.certain and evident and block.closed and not _on_purpose(text, block, asked)
        spots.append(
            Spot(start, end, found, certain, "major" if _core(text, blocks, languages, language, asked) else "minor")
        )
        if len(spots) >= _SHOWN:
            break
    return spots


_NAMES = {
    "python": "Python", "javascript": "JavaScript", "typescript": "TypeScript", "java": "Java", "c": "C", "cpp": "C++",
    "go": "Go", "rust": "Rust", "sql": "SQL", "html": "HTML", "json": "JSON", "yaml": "YAML", "bash": "shell",
}  # fmt: skip


def _check(language: str, code: str) -> Problem | None:
    # Parsers are loaded by the first block that needs them, not with the program.
    if language == "python":
        from .syntax.python import check_python

        return check_python(code)
    if language in ("json", "yaml"):
        from .syntax.data import check_json, check_yaml

        return check_json(code) if language == "json" else check_yaml(code)
    if language in ("html", "bash"):
        from .syntax.markup import check_html, check_shell

        return check_html(code) if language == "html" else check_shell(code)
    if language == "sql":
        from .syntax.sql import check_sql

        return check_sql(code)
    from .syntax.trees import check_tree

    return check_tree(language, code)


def _language(block: Block, asked: str) -> tuple[str, bool]:
    """The language, and whether the answer itself says so."""
    if block.tag:
        return from_tag(block.tag), True
    return evident_language(block.code, asked), False


def _continues(blocks: list[Block], languages: list[tuple[str, bool]], index: int) -> bool:
    """Does the block parse together with a neighbour: is it one program shown in pieces?"""
    language = languages[index][0]
    same = [i for i, (other, _) in enumerate(languages) if other == language]
    at = same.index(index)
    runs = {tuple(same[at : at + 2]), tuple(same[max(0, at - 1) : at + 1]), tuple(same)}
    for run in runs:
        code = "\n".join(blocks[i].code for i in run)
        if len(run) > 1 and is_readable(code, _BLOCK_SIZE) and _check(language, code) is None:
            return True
    return False


def _on_purpose(text: str, block: Block, asked: str) -> bool:
    """Is the block shown as an example of a fault, or quoted from the task?"""
    before = text[max(0, block.at - 160) : block.at].rstrip().rpartition("\n")[2]
    comments = "\n".join(re.findall(r"(?:#|//|--|/\*|<!--)[^\n]*", block.code)[:50])
    shown = re.search(r"syntax ?error|invalid|wrong|incorrect|pseudo-?code|won't compile|❌", comments, re.IGNORECASE)
    return bool(_ON_PURPOSE().search(before) or shown or block.code.strip() in asked or "pseudocode" in asked.lower())


def _core(text: str, blocks: list[Block], languages: list[tuple[str, bool]], language: str, asked: str) -> bool:
    inside = sum(len(b.code) for b, (other, _) in zip(blocks, languages, strict=True) if other == language)
    return asks_for_code(asked) or bool(named_in(asked)) or inside * 2 > len(text.strip())
