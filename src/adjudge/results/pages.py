"""One case of a run as its own report, in text or HTML, with the renderers that show a single verdict."""

from __future__ import annotations

from ..cases import Comparison, Dialogue, Review
from ..verdicts import ComparisonVerdict, DialogueVerdict, ReviewVerdict
from .directory import Outcome, Run
from .revive import comparison_of, review_of
from .revive_dialogue import dialogue_of


def case_html(run: Run, outcome: Outcome, home: str = "") -> str:
    """The page of a case that has a verdict; `home` is where the list of cases is."""
    case, verdict = revived(run, outcome)
    if isinstance(verdict, ComparisonVerdict):
        from ..render.html import comparison_html

        assert isinstance(case, Comparison)
        return comparison_html(verdict, case, run.rubric, home=home)
    if isinstance(verdict, DialogueVerdict):
        from ..render.dialogue_html import dialogue_html

        assert isinstance(case, Dialogue)
        return dialogue_html(verdict, case, run.rubric, home=home)
    from ..render.review_html import review_html

    assert isinstance(case, Review)
    return review_html(verdict, case, run.rubric, home=home)


def case_text(run: Run, outcome: Outcome, *, colour: bool, width: int) -> str:
    """The same as lines for a terminal."""
    case, verdict = revived(run, outcome)
    if isinstance(verdict, ComparisonVerdict):
        from ..render.text import comparison_text

        assert isinstance(case, Comparison)
        return comparison_text(verdict, case, colour=colour, width=width, rubric=run.rubric)
    if isinstance(verdict, DialogueVerdict):
        from ..render.dialogue_text import dialogue_text

        assert isinstance(case, Dialogue)
        return dialogue_text(verdict, case, colour=colour, width=width, rubric=run.rubric)
    from ..render.review_text import review_text

    assert isinstance(case, Review)
    return review_text(verdict, case, colour=colour, width=width, rubric=run.rubric)


def revived(
    run: Run, outcome: Outcome
) -> tuple[Comparison | Dialogue | Review, ComparisonVerdict | DialogueVerdict | ReviewVerdict]:
    """The case and its verdict."""
    if run.protocol == "compare":
        return comparison_of(outcome)
    if run.protocol == "dialogue":
        return dialogue_of(outcome, run)
    return review_of(outcome, run.rubric)
