"""What probes of a judge moved, as a report."""

from __future__ import annotations

from collections.abc import Sequence

from ..agreement.probes import ProbeResult
from .document import Document, Grid, Section
from .wording import interval, many, percent, points

_NAMES = {
    "swap": "Order of the answers",
    "padding": "Neutral filler behind one answer",
    "lists": "One answer as a list",
    "bold": "Bold words in one answer",
}
_MORE = {"swap": "the answer that stands first", "padding": "padded answers", "lists": "lists", "bold": "bold words"}


def probes_document(judge: str, cases: int, results: Sequence[ProbeResult]) -> Document:
    """Findings first, then the table."""
    lead = f"{many(cases, 'comparison')}, each judged as it is and with changes that add nothing."
    head = ("Probe", "Cases", "Moved", "95 % interval", "Moved away", "Gain", "95 % interval", "Undecided")
    rows = []
    for each in results:
        moved = (percent(each.toward.value), interval(each.toward.interval, percent))
        away = "–" if each.away is None else percent(each.away.value)
        gain = (points(each.net.value), interval(each.net.interval, points))
        rows.append((_NAMES[each.probe], f"{each.cases:,}", *moved, away, *gain, f"{each.undecided:,}"))
    explained = (
        "Moved is the share of cases whose verdict moved towards the changed answer; of the order, the share whose "
        "winner changed with it.",
        "The gain is in points of 100: how much more often the changed answer wins than before, a tie counting half; "
        "of the order, how much more often than in half of the verdicts the first answer wins. A fair judge has 0.",
        "Undecided verdicts count with the judge’s best guess.",
    )
    found = Section("What moves this judge", list(map(_finding, results)))
    return Document(f"Probes of {judge}", (lead,), (found, Section("In numbers", explained, [Grid(head, rows)])))


def _finding(each: ProbeResult) -> str:
    name, value = _NAMES[each.probe], each.net.value or 0
    left = f" {many(each.cannot, 'case')} had nothing to change." if each.cannot else ""
    if each.found is None:
        return f"{name}: too few cases to tell ({each.net.reason or 'no interval'}).{left}"
    leans = f"the judge {'prefers' if value > 0 else 'dislikes'} {_MORE[each.probe]}"
    said = leans if each.found else "no bias is shown"
    return f"{name}: {said}; the gain is {points(value)} points ({interval(each.net.interval, points)}).{left}"
