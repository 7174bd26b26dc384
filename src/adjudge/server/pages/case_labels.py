"""What the page of a run's case says about it: its id and systems, and what people said, as far as the caller may know.

The rules of the labelling pages hold: nobody sees labels of a case that they have yet to label, and only who may review
the labelling sees those of others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ...agreement.labels.files import HumanLabel, rated_criteria
from ...errors import ConflictError
from ...models.verdict import Verdict
from ...protocols.base import protocol_of, row_of
from ...rendering.wording import number
from ...results.run import Run
from ...runs.hosted_run import HostedRun
from ...statistics.ratings import consensus
from ..callers import Caller
from ..labelling import labelling_of, may_review

IN_THE_FILE = "Label in the file"


@dataclass(frozen=True)
class CaseAbout:
    """A case of a run: its id, the systems that answered, and people's labels, each with `who`, `label`, `tags` and
    `note`. `values` are the labels that count. `judge` and `differ` are known once there is a verdict."""

    case: str
    systems: tuple[str, ...]
    labels: tuple[dict[str, Any], ...] = ()
    values: tuple[str | Decimal, ...] = ()
    judge: str = ""
    differ: bool = False

    @property
    def people(self) -> str:
        """What people said, in few characters: `B`, or `A ×2, B`."""
        counted = Counter(map(_value, self.values))
        return ", ".join(
            value if many == 1 or len(counted) == 1 else f"{value} ×{many}" for value, many in counted.most_common()
        )

    def judged(self, verdict: Verdict) -> CaseAbout:
        """Add the verdict. It differs from people if it is decided and not their joint label, as agreement counts."""
        joint = consensus(value if isinstance(value, str) else float(value) for value in self.values)
        label = f"{joint:g}" if isinstance(joint, float) else joint
        differ = verdict.decided and label is not None and row_of(verdict, str(label))["agrees"] is False
        judge = verdict.answer if verdict.decided else "undecided"
        return CaseAbout(self.case, self.systems, self.labels, self.values, judge, differ)


def about_case(hosted: HostedRun, caller: Caller, position: int, row: dict[str, Any]) -> CaseAbout:
    """Return what the caller may know of a case, whose `row` has its id, systems and label."""
    systems, given, found = tuple(row["systems"]), row["label"], None
    with suppress(ConflictError):  # labels cannot be read, which the label page says
        found = labelling_of(hosted)
    own = {}
    if found is not None:
        if position in (task.pick.position for task in found.open(caller.person)):
            return CaseAbout(row["case"], systems)
        everybody = may_review(caller, hosted)
        own = {
            who: labels[position]
            for who, labels in found.labels.items()
            if position in labels and (everybody or who == caller.person)
        }
    labels = [_shown(found.run, who, label) for who, label in own.items()] if found else []
    values = [label.value for label in own.values() if label.value is not None and not label.skipped]
    if given is not None:
        usual = protocol_of(hosted.status().protocol).labelling.usual_scale
        given = f"{given} of {usual.high}" if usual else given
        labels.append({"who": IN_THE_FILE, "label": given, "tags": (), "note": ""})
        values = values or [given]
    return CaseAbout(row["case"], systems, tuple(labels), tuple(values))


def _value(value: str | Decimal) -> str:
    return value if isinstance(value, str) else number(value)


def _shown(run: Run, who: str, label: HumanLabel) -> dict[str, Any]:
    """Return a label as it is listed: the answer, tags, and a note with the ratings of criteria before it."""
    shown = "skipped" if label.skipped else "no answer yet" if label.value is None else _value(label.value)
    tags = {"flagged": label.flagged, "given after seeing the verdict": label.unblinded}
    note = "; ".join(filter(None, (", ".join(_ratings(run, label)), label.note)))
    return {"who": who, "label": shown, "tags": tuple(tag for tag, there in tags.items() if there), "note": note}


def _ratings(run: Run, label: HumanLabel) -> Iterator[str]:
    for rated in rated_criteria(run) if label.criteria else ():
        if rated.column in label.criteria:
            value = label.criteria[rated.column]
            yield f"{rated.name} {'skipped' if value is None else rated.names.get(str(value), number(value))}"
