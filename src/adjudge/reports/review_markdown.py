"""A review's verdict as Markdown, to paste into an issue, a pull request or a document.

The same content as the page's, but for the responses. Every word that others wrote is escaped: it marks up nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..models import ReviewVerdict
from ..models.cases import Review
from ..rubric import Rubric
from . import review_wording as wording
from .columns import cut
from .escaping import markdown, one_line
from .markdown import closing, row, warnings
from .review_report import Report, Response, Row, build
from .wording import judge_note

_TASK_COLUMNS = 600
_ENTERED_COLUMNS = 300


def review_markdown(verdict: ReviewVerdict, case: Review, rubric: Rubric) -> str:
    """The verdict as a Markdown document."""
    report = build(verdict, case, rubric)
    lines = [f"# {wording.headline(verdict)}", ""]
    if report.likert is None:
        lines += _bullets(verdict.invalid or "", judge_note(verdict.provenance.judge))
    else:
        was = f", entered {report.likert.entered}" if report.likert.entered else ""
        likert = f"Likert {report.likert.final} {report.likert.grade}{was}."
        lines += _bullets(likert, wording.tally(verdict), judge_note(verdict.provenance.judge))
        for response in report.responses:
            lines += ["", f"## {response.name}", "", *_table(response), *_quotes(response), *_entered(response)]
        lines += ["", "## Preference", "", *_preference(report.likert)]
    lines += _section("Changelog", verdict.changelog)
    lines += _section("Feedback", verdict.feedback)
    lines += _task(report)
    lines += _facts(report)
    lines += warnings(verdict.warnings)
    lines += closing(verdict)
    return "\n".join(lines) + "\n"


def _bullets(*sentences: str) -> list[str]:
    return [f"- {markdown(sentence)}" for sentence in sentences if sentence.strip()]


def _section(heading: str, sentences: Sequence[str]) -> list[str]:
    return ["", f"## {heading}", "", *_bullets(*sentences)] if sentences else []


def _table(response: Response) -> list[str]:
    lines = [
        row("Dimension", "Entered", "Final", "What happened", "Justification"),
        "| --- | ---: | ---: | --- | --- |",
    ]
    for line in response.rows:
        final = f"**{line.final}** {markdown(line.grade)}".rstrip()
        said = f"{markdown(line.rating.justification)} {f'({markdown(line.fate)})' if line.fate else ''}".rstrip()
        lines.append(row(markdown(line.name), markdown(line.entered), final, _happened(line), said))
    return lines


def _happened(line: Row) -> str:
    refs = " ".join(found.ref for found in line.facts)
    sentences = [
        wording.what_happened(line.rating),
        f"{line.rule} {refs}".strip(),
        f"The judge’s own rating was {line.own}" if line.own else "",
        "" if line.rating.assessed else "Not assessed by this judge",
    ]
    return " ".join(f"{markdown(sentence.rstrip('.'))}." for sentence in sentences if sentence)


def _quotes(response: Response) -> list[str]:
    quotes = [quote for line in response.rows for quote in line.quotes]
    lines = [
        f"- “{markdown(quote.text)}” ({markdown(quote.name)}, characters {quote.start}–{quote.end})"
        for quote in sorted(quotes, key=lambda quote: (quote.start, quote.end))
    ]
    return ["", "Quoted:", "", *lines] if lines else []


def _entered(response: Response) -> list[str]:
    lines = [
        f"- {markdown(line.name)}&#58; {markdown(cut(one_line(line.replaced_words), _ENTERED_COLUMNS))}"
        for line in response.rows
        if line.replaced_words
    ]
    return ["", "Justifications that were entered and do not stand:", "", *lines] if lines else []


def _preference(likert: Row) -> list[str]:
    lines = [markdown(likert.rating.justification), "", f"- {_happened(likert)}", *_bullets(likert.fate)]
    if likert.replaced_words:
        lines.append(f"- Entered&#58; {markdown(cut(one_line(likert.replaced_words), _ENTERED_COLUMNS))}")
    return lines


def _task(report: Report) -> list[str]:
    parts = [f"- **{part.name}** {markdown(cut(one_line(part.text), _TASK_COLUMNS))}" for part in report.task]
    return ["", "## Task", "", *parts] if parts else []


def _facts(report: Report) -> list[str]:
    facts = [
        f"- **{found.ref} {markdown(found.name)}** in {found.place}, {found.certainty}. {markdown(found.fact.found)}"
        for found in report.facts
    ]
    return ["", "## Facts", "", *facts] if facts else []
