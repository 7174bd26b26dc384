"""Reports the results of probes: how the judge behaved on the unchanged cases, what moves it, and the table."""

from __future__ import annotations

from collections.abc import Sequence

from ...rendering.document import Document, Grid, Section
from ...rendering.wording import interval, many, percent, points
from ...reports.run.conduct import view_conduct
from ...results.conduct import Conduct
from ..base import Probes
from .probes import ORIGINAL, ProbeResult, copies, draw_rows, measure_probes, rows_of_run

_PROBES = {
    "swap": "Order of the answers",
    "padding": "Neutral filler behind one answer",
    "lists": "One answer as a list",
    "bold": "Bold words in one answer",
}
_MORE = {"swap": "the answer shown first", "padding": "padded answers", "lists": "lists", "bold": "bold words"}


def probes_document(judge: str, cases: int, results: Sequence[ProbeResult], conduct: Conduct) -> Document:
    """Build the report on probes: how the judge behaved on the unchanged cases, findings, then the tables."""
    behaved = view_conduct(conduct)
    lead = f"{many(cases, 'comparison')}, each judged as it is and with changes that add nothing."
    head = ("Probe", "Cases", "Moved", "95 % interval", "Moved away", "Gain", "95 % interval", "Undecided")
    rows = []
    for each in results:
        moved = (percent(each.toward.value), interval(each.toward.interval, percent))
        away = "–" if each.away is None else percent(each.away.value)
        gain = (points(each.net.value), interval(each.net.interval, points))
        rows.append((_PROBES[each.probe], f"{each.cases:,}", *moved, away, *gain, f"{each.undecided:,}"))
    explained = (
        "Moved is the share of cases whose verdict moved towards the changed answer. For the order of the answers, it "
        "is the share whose winner changed with the order.",
        "The gain is in percentage points: how much more often the changed answer wins than before, a tie counting "
        "half. For the order, it is how much more often than half the time the first answer wins. A fair judge has 0.",
        "Undecided verdicts count with the judge’s best guess.",
    )
    found = Section("What moves this judge", list(map(_probe_finding, results)))
    numbers = Section("In numbers", explained, [Grid(head, rows)])
    return Document(f"Probes of {judge}", (behaved.sentence, lead), (found, numbers, behaved.section))


def _probe_finding(each: ProbeResult) -> str:
    name, value = _PROBES[each.probe], each.net.value or 0
    left = f" {many(each.cannot, 'case')} had nothing to change." if each.cannot else ""
    if each.found is None:
        return f"{name}: too few cases to tell ({each.net.reason or 'no interval'}).{left}"
    leans = f"the judge {'prefers' if value > 0 else 'dislikes'} {_MORE[each.probe]}"
    finding = leans if each.found else "no bias is shown"
    return f"{name}: {finding}; the gain is {points(value)} points ({interval(each.net.interval, points)}).{left}"


JUDGE_PROBES = Probes(
    original=ORIGINAL,
    rows_of=rows_of_run,
    draw=draw_rows,
    copies=copies,
    measure=measure_probes,
    document=probes_document,
)
