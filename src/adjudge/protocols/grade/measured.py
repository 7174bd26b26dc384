"""How verdicts on gradings are compared with labels: as classes, pass and fail."""

from __future__ import annotations

from ..measured import MeasureRules

MEASURED = MeasureRules(value="r.result", classes=("pass", "fail"))
