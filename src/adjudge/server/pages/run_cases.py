"""The list of a run's cases, filtered and sorted by the URL's parameters, and the position of a case in that list.

SQL queries contain only columns and orders that are named here; values from a request are passed as parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from pydantic import Field

from ...errors import InputError, NotFoundError
from ...models.common import LABELS
from ...protocols.base import Protocol
from ...protocols.figures import UNDECIDED
from ...reports.run.view import RunView, line_of, line_sql
from ...results.cached_table import reading
from ...results.columns import name as sql_name
from ...results.run import Reader, Run
from ...runs.hosted_run import HostedRun
from ..common import validated
from ..run_results import Filters, OpenedRun, open_results

_AT_A_TIME = 50


class CaseQuery(Filters):
    """The filters, the order (`-` before a name sorts descending) and the page number of a list of cases."""

    sort: str = Field("position", max_length=40)
    page: int = Field(1, ge=1, le=1_000_000)

    def tail(self, without: tuple[str, ...] = (), **changes: str) -> str:
        """Return the URL query for the same cases with changes; it asks for the first page unless one is given."""
        given = self.model_dump(exclude_defaults=True, exclude={"page", *without})
        asked = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}
        return f"?{urlencode(asked | changes, safe=',')}" if asked or changes else ""


def asked_for(query: Mapping[str, str]) -> CaseQuery:
    """Parse the URL's parameters. Empty form fields and unknown parameters are ignored."""
    known = CaseQuery.model_fields
    return validated(CaseQuery, {name: value for name, value in query.items() if name in known and value.strip()})


def list_cases(run: HostedRun, asked: CaseQuery) -> tuple[OpenedRun, dict[str, Any]]:
    """Return a run's view and the requested page of its cases.

    `heads` are the columns: name, link that sorts by it, and how it is sorted. `kept` holds the URL parameters that the
    search form has to pass on.
    """
    opened = open_results(run)
    protocol, view, home = opened.run.protocol, opened.view, f"/runs/{run.run_id}"
    sorts = _sorts(opened.run, view)
    order = _order(sorts, asked.sort)
    with reading(opened.run, opened.kept) as database:
        where, given = asked.condition(opened.run.protocol, database.schema)
        ((found,),) = database.query(f"select count(*) from {database.chosen} as r where {where}", *given)
        pages = max((found + _AT_A_TIME - 1) // _AT_A_TIME, 1)
        number = min(asked.page, pages)
        names, question = line_sql(database, view.columns)
        rows = database.query(
            f"{question} where {where} order by {order} limit {_AT_A_TIME} offset {(number - 1) * _AT_A_TIME}", *given
        )
    every = asked_for({})
    cells = [dict(zip(names, row, strict=True)) for row in rows]
    tail = asked.tail()

    def to(*without: str, **changes: str) -> str:
        return f"{home}/cases{asked.tail(without, **changes)}"

    def choice(label: str, cases: int | None, link: str, on: bool | None, key: str = "") -> dict[str, Any]:
        return {"said": label, "cases": cases, "link": link, "on": bool(on), "key": key}

    def toggle(key: str, label: str, cases: int, on: bool | None) -> list[dict[str, Any]]:
        return [choice(label, cases, to(key) if on else to(**{key: "true"}), on, key)] if cases or on else []

    # The most useful orders, for pages too narrow to show column headings.
    orders = {"position": "input order", **protocol.listing.orders, "-cost": "most expensive first"}
    headed = {"case": "Case", "outcome": view.heading, **view.columns}
    sorted_by = {asked.sort.removeprefix("-"): "descending" if asked.sort.startswith("-") else "ascending"}
    return opened, {
        "lines": [line_of(opened.run, row, view.columns, f"{home}/cases/{row['position']}{tail}") for row in cells],
        "heads": [
            (label, to(sort=f"-{key}" if asked.sort == key else key), sorted_by.get(key, ""))
            for key, label in headed.items()
        ],
        "outcomes": [
            choice("All", view.finished, to("outcome", "undecided_by"), asked.outcome is None),
            *(
                choice(each.word, each.cases, to("undecided_by", outcome=each.outcome), asked.outcome == each.outcome)
                for each in view.outcomes
            ),
        ],
        "results": [
            choice(part.words, part.cases, f"{home}/cases{every.tail((), **part.filters)}", False)
            for part in view.found
        ],
        "blocked": [
            choice(words, count, to(outcome=UNDECIDED, undecided_by=words), asked.undecided_by == words)
            for words, count in view.blocked
        ],
        "why_undecided": len(view.blocked) > 1 and (asked.undecided_by is not None or asked.outcome == UNDECIDED),
        "more": [
            *toggle("order_flipped", "orders disagree", view.orders_disagree, asked.order_flipped),
            *([choice(f"{asked.won_by} won", found, to("won_by"), True)] if asked.won_by else []),
            *toggle("differs", "differs from people", view.differing, asked.differs),
        ],
        "orders": [
            choice(label, None, to("sort") if key == "position" else to(sort=key), asked.sort == key, key)
            for key, label in orders.items()
            if key.removeprefix("-") in sorts
        ],
        "q": asked.q or "",
        "kept": asked.model_dump(mode="json", exclude_defaults=True, exclude={"page", "q"}),
        "found": found,
        "number": number,
        "pages": pages,
        "before": to(page=str(number - 1)) if number > 1 else "",
        "after": to(page=str(number + 1)) if number < pages else "",
        "clear": f"{home}/cases" if tail else "",
    }


def find_case(run: HostedRun, position: int, asked: CaseQuery) -> tuple[str | None, dict[str, Any], dict[str, Any]]:
    """Return a case's verdict id or its failure, and links to its place in the list; raise if it has no outcome."""
    opened = open_results(run)
    with reading(opened.run, opened.kept) as database:
        found = database.query(
            'select status, verdict_id, "case", reason, message, judge, label, system_a, system_b '
            f"from {database.chosen} where position = ?",
            position,
        )
        if not found:
            raise NotFoundError(f"{position}: no such case in {run.run_id}, or it has no outcome yet")
        where, given = asked.condition(opened.run.protocol, database.schema)
        order = _order(_sorts(opened.run, opened.view), asked.sort)
        beside = database.query(
            f"""select before, after, place, cases from (
              select r.position as position, lag(r.position) over this as before, lead(r.position) over this as after,
              row_number() over this as place, count(*) over () as cases
              from {database.chosen} as r where {where} window this as (order by {order})
            ) where position = ?""",
            *given,
            position,
        )
    before, after, place, cases = beside[0] if beside else (None, None, 0, 0)
    home, tail = f"/runs/{run.run_id}", asked.tail()
    on_page = {"page": str((place - 1) // _AT_A_TIME + 1)} if place > _AT_A_TIME else {}
    nav: dict[str, Any] = {
        "home": f"{home}/cases{asked.tail((), **on_page)}#case-{position}",
        "before": "" if before is None else f"{home}/cases/{before}{tail}",
        "after": "" if after is None else f"{home}/cases/{after}{tail}",
        "place": f"case {place:,} of {cases:,}" if place else "",
    }
    status, verdict_id, case, reason, message, judge, label, *systems = found[0]
    systems = [name for name in systems if name]
    nav["row"] = {"case": case, "label": label, "systems": systems}
    if status == "verdict":
        return verdict_id, {}, nav
    with Reader(opened.run) as reader:
        known = reader.case(position)
    failed = {
        "case": case,
        "position": position,
        "place": str(known.get("place", "")).rpartition(", ")[2],  # leave out the path, which is on our machine
        "reason": (reason or "cannot be judged").replace("_", " "),
        "message": message or "the row could not be judged",
        "judge": judge or "",
        "texts": list(_texts(opened.run.protocol, known.get("input"))),
    }
    return None, failed, nav


def _texts(protocol: Protocol, stored: dict[str, Any] | None) -> Iterable[tuple[str, str]]:
    """Yield the titled texts of a case as it is stored, as people see them who label it."""
    if stored is not None:
        shown = protocol.labelling.show(protocol.case.model_validate(stored))
        yield from shown.before
        yield from zip(LABELS, shown.answers or (), strict=False)


def _sorts(run: Run, view: RunView) -> dict[str, str]:
    """Return the sort keys with their SQL, which contains nothing from the request."""
    return {
        "position": "r.position",
        "case": 'r."case"',
        "outcome": run.protocol.table.outcome.sql,
        "cost": "r.cost",
        **run.protocol.listing.sorts,
        **{name: f"r.{sql_name(name)}" for name in view.columns},
    }


def _order(sorts: Mapping[str, str], asked: str) -> str:
    key = asked.removeprefix("-")
    if key not in sorts:
        raise InputError("sort", repr(key), f"one of {', '.join(sorts)}, with - before it for descending order")
    return f"{sorts[key]} {'desc' if asked.startswith('-') else 'asc'} nulls last, r.position"
