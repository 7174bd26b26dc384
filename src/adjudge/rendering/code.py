"""Code in colours: cuts a block of code into parts, each with the name of its colour.

Only for common languages whose lexers are quick with any text, and for blocks that are not too long.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

_LONGEST = 3_000
# By the names that blocks of code have. The lexers of C and Java are left out: 3,000 line ends take them a second.
_LEXERS = {
    "bash": "bash", "css": "css", "go": "go", "html": "html", "javascript": "js", "js": "js", "json": "json",
    "php": "php", "py": "python", "python": "python", "rb": "ruby", "ruby": "ruby", "rust": "rust", "sh": "bash",
    "sql": "sql", "toml": "toml", "ts": "js", "typescript": "js", "xml": "xml", "yaml": "yaml", "yml": "yaml",
}  # fmt: skip
# The colours of kinds of words; all others have none.
_KINDS = {"Keyword": "word", "Comment": "comment", "Literal.String": "string", "Literal.Number": "digits"}


def coloured(code: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of the code with their kinds. Joined, the parts are the code."""
    named = language.split()[0].lower() if language.strip() else ""
    if named not in _LEXERS or len(code) > _LONGEST:
        yield "", code
        return
    from pygments.lexers import get_lexer_by_name  # only code in a named language needs it

    words = (
        (_kind(str(kind)), part) for _, kind, part in get_lexer_by_name(_LEXERS[named]).get_tokens_unprocessed(code)
    )
    for kind, parts in groupby(words, key=itemgetter(0)):
        yield kind, "".join(part for _, part in parts)


def _kind(token: str) -> str:
    return next((kind for start, kind in _KINDS.items() if token.startswith(f"Token.{start}")), "")
