"""What the hosts' reports show of a verdict, in a few lines: the outcome, and the items that lost points with their
reasons and quotes. The whole report is `adjudge.render`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..rendering.escaping import shorten
from ..reports import render, view_of

if TYPE_CHECKING:
    from ..models.verdict import Verdict

_MOST_LINES = 40
_REASON, _QUOTE = 300, 200


def headline(verdict: Verdict) -> str:
    """Return the outcome in a few words: `Failed with 50.0 of 100`."""
    return str(view_of(verdict).headline)


def explain(verdict: Verdict) -> str:
    """Say why a verdict is what it is, in at most 40 lines: of a grading, the items that did not earn all points."""
    lines = list(_items(view_of(verdict))) if verdict.protocol == "grade" else render(verdict).splitlines()
    if len(lines) > _MOST_LINES:
        rest = f"… and {len(lines) - _MOST_LINES + 1} more lines"
        lines = [*lines[: _MOST_LINES - 1], rest]
    return "\n".join(lines)


def _items(view: Any) -> Iterator[str]:
    yield view.verdict.why
    full = 0
    for row in view.rows:
        if row.state in ("earned", "not_applicable"):
            full += row.state == "earned"
            continue
        points = f"{row.earned} of {row.points}" if row.assessed else f"worth {row.points}"
        badge = f", {row.badge}" if row.badge else ""
        yield f"- {row.name} ({row.key}): {row.result}{badge}, {points} points"
        if row.reason:
            yield f"    {shorten(row.reason, _REASON)}"
        for quote in row.quotes:
            yield f"    “{shorten(quote.text, _QUOTE)}” ({quote.place})"
        for each in row.findings:
            if each.tone != "favorable":
                yield f"    {each.result}: {_finding(each)}"
    if full:
        yield f"{full} {'item' if full == 1 else 'items'} earned all points"


def _finding(each: Any) -> str:
    if each.first is None:
        return shorten(f"{each.words[0]}: {each.words[1]}", _REASON)
    second = f"“{shorten(each.second.text, _QUOTE)}” ({each.second.place})" if each.second else each.words[1]
    return f"“{shorten(each.first.text, _QUOTE)}” ({each.first.place}) – {second}"
