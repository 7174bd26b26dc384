"""`adjudge.compare`: two answers to one task, from plain arguments."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from ..judges.base import Judge
from ..models import ComparisonVerdict, Failure
from ..models.cases import Comparison, check_weights
from ..rubric import Rubric
from .core import open_engine
from .settings import CompareSettings, rubric_for
from .sync import run_sync


async def compare(
    task: str,
    a: str,
    b: str,
    *,
    context: str = "",
    weights: Mapping[str, float | int | Decimal] | None = None,
    judge: str | Judge = "embedded",
    rubric: str | Path | Rubric | None = None,
    one_order: bool = False,
    seed: int = 0,
    sample: int = 0,
    temperature: float = 0.0,
    max_tokens: int = 8192,
    search: str | None = None,
    journal: str | Path | None = None,
) -> ComparisonVerdict | Failure:
    """Compare two answers to one task.

    `judge` is a judge's name (`"embedded"`, `"openai:gpt-5.1"`, `"http://host:port/v1#model"`, `"gguf:PATH"`,
    `"jury:a+b+c"`) or an open judge. The verdict, and every reply behind it, is kept in the journal.
    """
    chosen = rubric_for("compare", rubric)
    case = Comparison(task, a, b, context, check_weights(weights, chosen.weights))
    settings = CompareSettings(
        judge=judge if isinstance(judge, str) else judge.name,
        rubric=chosen,
        one_order=one_order,
        seed=seed,
        sample=sample,
        temperature=temperature,
        max_tokens=max_tokens,
        search=search,
    )
    async with open_engine(journal) as engine:
        return await engine.compare(case, settings, None if isinstance(judge, str) else judge)


def compare_sync(*args: Any, **kwargs: Any) -> ComparisonVerdict | Failure:
    """`compare` for code that is not async; it takes and gives the same."""
    return run_sync(lambda: compare(*args, **kwargs))
