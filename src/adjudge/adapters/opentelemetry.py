"""Verdicts as OpenTelemetry events, `gen_ai.evaluation.result`. Nothing is sent unless `emit` is called.

The event goes to the logger provider that the program has set up, and belongs to the span that is current.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry._logs import LogRecord, SeverityNumber, get_logger

from ..models.common import Failure
from ..version import __version__
from .explaining import explain
from .grading import as_float, failure_text

if TYPE_CHECKING:
    from ..models.verdict import Verdict

EVENT = "gen_ai.evaluation.result"
# The field that is a score, of the protocols that have one. A comparison has only a label: its winner.
_SCORES = {"grade": "score", "dialogue": "final_average"}


def emit(outcome: Verdict | Failure, *, name: str | None = None, response_id: str | None = None) -> None:
    """Emit the event for a verdict or a failure.

    `name` is what the evaluation is called (default: the protocol, as `adjudge.grade`; of a failure `adjudge`).
    `response_id` is the provider's id of the response that was judged, where its span is not the current one.
    """
    attributes: dict[str, str | float] = {}
    if isinstance(outcome, Failure):
        attributes["gen_ai.evaluation.name"] = name or "adjudge"
        attributes["error.type"] = outcome.reason
        attributes["gen_ai.evaluation.explanation"] = failure_text(outcome)
    else:
        attributes["gen_ai.evaluation.name"] = name or f"adjudge.{outcome.protocol}"
        score = as_float(getattr(outcome, _SCORES.get(outcome.protocol, ""), None))
        if score is not None:
            attributes["gen_ai.evaluation.score.value"] = score
        attributes["gen_ai.evaluation.score.label"] = outcome.answer if outcome.decided else "undecided"
        attributes["gen_ai.evaluation.explanation"] = explain(outcome)
    if response_id is not None:
        attributes["gen_ai.response.id"] = response_id
    severity = SeverityNumber.ERROR if isinstance(outcome, Failure) else SeverityNumber.INFO
    record = LogRecord(event_name=EVENT, attributes=attributes, severity_number=severity)
    get_logger("adjudge", __version__).emit(record)
