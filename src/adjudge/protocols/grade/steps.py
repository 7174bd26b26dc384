"""How the texts of a grading are called, in reports and to people who label."""

from __future__ import annotations

from .case import Grading
from .verdict import Quote


def step_title(case: Grading, number: int) -> str:
    """Name a step by its number and what it is; the one that is the answer says so."""
    final = ", the final answer" if number == case.final_step else ""
    return f"Step {number}: {case.steps[number - 1].label}{final}"


def source_title(case: Grading, name: str) -> str:
    """Name a source by its id, if there are several."""
    return f"Source {name}" if len(case.context) > 1 or name != "1" else "Source"


def place_of(quote: Quote) -> str:
    """Name the text that a quote is from."""
    if quote.text == "step":
        return f"step {quote.step}"
    return f"source {quote.context}" if quote.text == "context" else quote.text
