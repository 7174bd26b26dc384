"""Logs of other tools: recognises by its beginning which tool wrote a file, and reads the answers in it.

promptfoo, Inspect, OpenAI's evals and Langfuse are known. What is not recognised is read as rows with columns.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ....protocols.reading import BadRow, LoggedAnswer
from ...delimited import split_header
from ...json import nested_items
from ..records import Source, raw_items
from .inspect_log import eval_members, read_samples
from .langfuse import is_langfuse, read_rows
from .openai_evals import read_events, read_output_items
from .promptfoo import read_results

Answers = Iterator[LoggedAnswer | BadRow]
_Items = Iterator[tuple[str, Any]]
# A string that is cut off is a token, too: otherwise each quote in it would be tried as the beginning of another.
_TOKEN = re.compile(r'"(?P<text>(?:[^"\\]++|\\.)*+)"?+(?P<colon>\s*+:)?+|(?P<sign>[{}\[\]])', re.DOTALL)
_BEGINNING = re.compile(r"\s*+(.?)", re.DOTALL)


class Log(NamedTuple):
    """A file that another tool wrote: the tool's name, and the answers in the file, which can be read once."""

    tool: str
    answers: Answers


def open_log(source: Source, chosen: str) -> Log | None:
    """Return the log that a file in the `chosen` format holds, or None if no known tool wrote it."""
    if chosen == "eval":
        return Log("Inspect", read_samples(eval_members(source)))
    if chosen in ("csv", "tsv"):
        names = split_header(source.first_line())[1]
        return Log("Langfuse", read_rows(_rows(source, chosen), source.name)) if is_langfuse(names) else None
    if chosen not in ("json", "jsonl") or source.first_line().lstrip()[:1] not in ("{", "["):
        return None
    found = outline(source.opening())
    if {"eval.task", "eval.model"} <= found.keys():
        return Log("Inspect", read_samples(_members(source, ("samples",))))
    # A list in an object: the whole file in promptfoo's JSON, one page in an answer of an API.
    for path in (("results", "results"), ("data", "results", "results"), ("results",), ("data",)):
        if found.get(".".join(path)) == "[":
            inside = {name.removeprefix(prefix) for name in found if name.startswith(prefix := f"{'.'.join(path)}.[].")}
            read = _reader(inside, source.name, known=path[-2:] == ("results", "results"))
            items = ((place, value) for place, name, value in _members(source, path) if not name)
            return read and Log(read[0], read[1](items))
    read = _reader({name.removeprefix("[].") for name in found}, source.name)
    return read and Log(read[0], read[1](_rows(source, chosen)))


def _reader(names: set[str], place: str, *, known: bool = False) -> tuple[str, Callable[[_Items], Answers]] | None:
    """Choose the reader of rows with these names. `known` rows are promptfoo's, whatever is in them."""
    if known or {"promptIdx", "testIdx"} <= names:
        return "promptfoo", lambda items: read_results(items, place)
    if {"datasource_item", "sample"} <= names:
        return "OpenAI", read_output_items
    if {"spec.completion_fns", "spec.eval_name"} & names or {"event_id", "sample_id", "type", "data"} <= names:
        return "OpenAI", lambda items: read_events(items, place)
    return ("Langfuse", lambda items: read_rows(items, place)) if is_langfuse(names) else None


def _rows(source: Source, chosen: str) -> _Items:
    return ((source.at(line), value) for line, value in raw_items(source, chosen))


def _members(source: Source, path: tuple[str, ...]) -> Iterator[tuple[str, str, Any]]:
    pieces = codecs.iterdecode(source.pieces(), "utf-8", "replace")
    return ((source.at(item.line), name, item.value) for name, item in nested_items(pieces, source.at, path))


def outline(text: str, depth: int = 3) -> dict[str, str]:
    """Return the paths in the beginning of a JSON text, such as `results.[].id`, and how each value begins: `{`, `"`.

    Of an array, the first item is described. Nothing is parsed.
    """
    found: dict[str, str] = {}
    path: list[str] = []
    for token in _TOKEN.finditer(text):
        if token["colon"]:
            if path and path[-1] != "[]":
                path[-1] = token["text"]
                if len(path) <= depth:
                    found.setdefault(".".join(path), _BEGINNING.match(text, token.end())[1])  # type: ignore[index]
        elif token["sign"] in ("{", "["):
            path.append("" if token["sign"] == "{" else "[]")
        elif token["sign"]:
            if path:
                path.pop()
            if not path or path == ["[]"]:
                break
    return found
