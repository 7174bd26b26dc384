"""HTML pages from templates: no script, no request, everything inside.

The template escapes all it is given, and every string is cleaned of control characters on its way in.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ..models import ComparisonVerdict, DialogueVerdict, ReviewVerdict, total_usage
from . import wording
from .escaping import clean, web_address


def fill(template: str, verdict: ComparisonVerdict | DialogueVerdict | ReviewVerdict, **values: Any) -> str:
    """A template with a verdict and what it shows beside it."""
    return (
        environment()
        .get_template(template)
        .render(
            verdict=verdict,
            provenance=verdict.provenance,
            usage=total_usage(verdict.calls),
            cost=wording.cost_sentence(verdict.calls),
            **values,
        )
    )


@lru_cache
def environment(*packages: str) -> Environment:
    """Where templates are found: in these packages first, then among the reports of single verdicts."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "adjudge.reports")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_cleaned,
    )
    environment.filters.update(number=wording.number, dollars=wording.dollars, web_address=web_address)
    environment.globals["stylesheet"] = _stylesheet
    return environment


@lru_cache
def _stylesheet(name: str) -> Markup:
    return Markup((resources.files("adjudge.reports") / "templates" / f"{name}.css").read_text("utf-8"))


def _cleaned(value: object) -> object:
    # Here and not in the template: nothing can be forgotten.
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
