"""A verdict as Markdown, to paste into an issue, a pull request or a document.

The same content as the terminal's. Every word that others wrote is escaped: it can be read, but marks up nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..models import (
    LABELS,
    ComparisonVerdict,
    CriterionVerdict,
    DialogueVerdict,
    Label,
    Lookup,
    ReviewVerdict,
    Warning,
)
from ..models.cases import Comparison
from ..rubric import Rubric
from . import wording
from .columns import cut
from .escaping import markdown, one_line

_TASK_COLUMNS = 600


def comparison_markdown(verdict: ComparisonVerdict, case: Comparison, rubric: Rubric | None = None) -> str:
    """The verdict as a Markdown document; the rubric lends the criteria their names."""
    names = {key: markdown(name) for key, name in wording.criterion_names(verdict.criteria, rubric).items()}
    lines = [
        f"# {wording.headline(verdict)}",
        "",
        *([markdown(sure), ""] if (sure := wording.confidence_sentence(verdict)) else []),
        markdown(verdict.rationale),
        "",
        f"> **Task:** {markdown(cut(one_line(case.task), _TASK_COLUMNS))}",
        "",
        *_outcome(verdict),
        "",
        *_table(verdict, names),
    ]
    for key, criterion in verdict.criteria.items():
        lines += ["", f"## {names[key]}", ""]
        for label in LABELS:
            lines += _answer(label, criterion)
    lines += warnings(verdict.warnings)
    if verdict.lookups:
        lines += ["", "## Looked up", ""]
        lines += [_lookup(lookup) for lookup in verdict.lookups]
    lines += closing(verdict)
    return "\n".join(lines) + "\n"


def warnings(found: Sequence[Warning]) -> list[str]:
    """What a reader should know before trusting the verdict; nothing where there is nothing."""
    listed = [f"- **{markdown(warning.code)}** {markdown(warning.message)}" for warning in found]
    return ["", "## Warnings", "", *listed] if listed else []


def closing(verdict: ComparisonVerdict | DialogueVerdict | ReviewVerdict) -> list[str]:
    """Who judged, what it cost, and the verdict's id."""
    return [
        "",
        "---",
        "",
        f"Judge: {markdown(verdict.provenance.judge)}; {wording.cost_sentence(verdict.calls)}",
        "",
        f"Verdict {markdown(verdict.verdict_id)}",
    ]


def row(*cells: str) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"


def _outcome(verdict: ComparisonVerdict) -> list[str]:
    sentences = [
        f"Margin {wording.number(verdict.margin)}. {wording.decision(verdict)}",
        wording.order_sentence(verdict.order),
        wording.judge_note(verdict.provenance.judge),
    ]
    return [f"- {sentence}" for sentence in sentences if sentence]


def _table(verdict: ComparisonVerdict, names: Mapping[str, str]) -> list[str]:
    def of_both(field: str) -> list[str]:
        return [f"**{wording.number(getattr(verdict.overall[label], field))}**" for label in LABELS]

    lines = [row("Criterion", "Weight", "A", "B"), "| --- | ---: | ---: | ---: |"]
    for key, criterion in verdict.criteria.items():
        scores = [wording.score(criterion.scores[label]) for label in LABELS]
        lines.append(row(names[key], wording.number(criterion.weight), *scores))
    return [
        *lines,
        row("**Weighted total**", "", *of_both("weighted_total")),
        row("**Normalised**", "", *of_both("normalized")),
    ]


def _answer(label: Label, criterion: CriterionVerdict) -> list[str]:
    score = criterion.scores[label]
    lines = [f"- **{label}: {wording.score(score)}** {markdown(score.justification)}"]
    against = criterion.scores[wording.other(label)].value
    item = wording.telling_quote(criterion.evidence[label], score.value, against)
    if item is not None:
        lines.append(f"  - ({wording.sign(item)}) “{markdown(item.quote)}”")
    return lines


def _lookup(lookup: Lookup) -> str:
    found = "; ".join(f"{finding.title} ({finding.url})" for finding in lookup.findings)
    return f"- {markdown(lookup.query)}: {markdown(lookup.error or found or 'nothing found')}"
