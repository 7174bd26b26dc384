"""A dialogue's verdict as Markdown, to paste into an issue, a pull request or a document.

The same content as the terminal's. Every word that others wrote is escaped: it can be read, but marks up nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..models import DialogueVerdict, Utterance
from ..models.cases import Dialogue
from ..protocols.audit import evidence_used
from ..rubric import Rubric
from . import dialogue_wording as wording
from .escaping import markdown
from .markdown import closing, row, warnings
from .wording import criterion_names, hundredths, number


def dialogue_markdown(verdict: DialogueVerdict, case: Dialogue, rubric: Rubric) -> str:
    """The verdict as a Markdown document."""
    names = {key: markdown(name) for key, name in criterion_names(verdict.rulings, rubric).items()}
    sentences = [
        wording.outcome(verdict),
        wording.objections(verdict),
        f"Dialogue {markdown(str(verdict.dialogue_id))}: {len(case.turns):,} utterances.",
        wording.judge_note(verdict),
    ]
    lines = [
        f"# {wording.headline(verdict, rubric)}",
        "",
        *(f"- {sentence}" for sentence in sentences if sentence),
        "",
        *_table(verdict, names, rubric),
    ]
    for key in verdict.rulings:
        lines += ["", f"## {names[key]}", "", *_criterion(verdict, key)]
    lines += ["", "## Audit", "", *_audit(verdict)]
    lines += warnings(verdict.warnings)
    lines += closing(verdict)
    return "\n".join(lines) + "\n"


def _table(verdict: DialogueVerdict, names: Mapping[str, str], rubric: Rubric) -> list[str]:
    lines = [row("Criterion", "Weight", "Evaluator", "Critic", "Referee", "Rule"), "| --- |" + " ---: |" * 4 + " --- |"]
    marks, objections = verdict.marks, verdict.objections
    for key, ruling in verdict.rulings.items():
        given, view = marks[key].value, wording.view(objections[key])
        scores = (number(given), view, number(ruling.value))
        lines.append(row(names[key], hundredths(rubric.weights[key]), *scores, wording.rule(ruling.rule)))
    evaluator, final = hundredths(verdict.evaluator_average), hundredths(verdict.final_average)
    return [*lines, row("**Weighted average**", "", f"**{evaluator}**", "", f"**{final}**", "")]


def _criterion(verdict: DialogueVerdict, key: str) -> list[str]:
    mark, objection, ruling = verdict.marks[key], verdict.objections[key], verdict.rulings[key]
    return [
        f"- **Evaluator: {number(mark.value)}** {markdown(mark.reason)}",
        *_quotes(mark.quotes),
        f"- **Critic: {wording.view(objection)}** {markdown(objection.comment)}",
        *_quotes(objection.quotes),
        f"- **Referee: {number(ruling.value)}** {wording.rule(ruling.rule)}.",
    ]


def _audit(verdict: DialogueVerdict) -> list[str]:
    sentences = [*wording.decisions(verdict), verdict.output.audit.weighted_calc, verdict.output.audit.mapping_rule]
    used = evidence_used(verdict.rulings.values())
    return [
        *(f"- {markdown(sentence)}" for sentence in sentences),
        *(["- Evidence used:"] if used else []),
        *_quotes(used),
    ]


def _quotes(quotes: Iterable[Utterance]) -> list[str]:
    return [f"  - “{markdown(quote.quote)}” ({wording.place(quote)})" for quote in quotes]
