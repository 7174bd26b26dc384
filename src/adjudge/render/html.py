"""A verdict as one HTML file: no script, no request, everything inside.

The template escapes all it is given, and every string is cleaned of control characters on its way in.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ..cases import Comparison
from ..rubric import Rubric
from ..verdicts import ComparisonVerdict, total_usage
from . import wording
from .escaping import clean, web_address
from .report import build


def comparison_html(verdict: ComparisonVerdict, case: Comparison, rubric: Rubric) -> str:
    """The report of a comparison."""
    report = build(verdict, case, rubric)
    return (
        _environment()
        .get_template("comparison.html.j2")
        .render(
            case=case,
            report=report,
            verdict=verdict,
            provenance=verdict.provenance,
            usage=total_usage(verdict.calls),
            headline=wording.headline(verdict.winner),
            decision=wording.decision(verdict),
            order_sentence=wording.order_sentence(verdict.order),
            judge_note=wording.judge_note(verdict.provenance.judge),
            cost=wording.cost_sentence(verdict.calls),
        )
    )


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("adjudge.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_cleaned,
    )
    environment.filters.update(number=wording.number, dollars=wording.dollars, web_address=web_address)
    stylesheet = resources.files("adjudge.render") / "templates" / "report.css"
    environment.globals["stylesheet"] = Markup(stylesheet.read_text("utf-8"))
    return environment


def _cleaned(value: object) -> object:
    # Here and not in the template: nothing can be forgotten.
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
