"""Shows the decisions of a gate: as a document for people, and as JUnit XML for CI."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ..agreement.gates.deciding import FAILS, PASSES, TOO_CLOSE
from ..agreement.gates.gate import GateDecision, GateReport
from ..models.figures import Figure
from ..rendering.document import Document, Grid, Section, non_empty
from ..rendering.wording import about, interval, many, percent, points, rounded, signed

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def gate_document(report: GateReport) -> Document:
    """Build the report: the answer, every condition with its figure, and what would settle those too close to call."""
    rows = [
        (
            each.condition,
            each.answer,
            _shown(each, each.value),
            *((_shown(each, each.baseline), _shown(each, each.difference, moved=True)) if report.baseline else ()),
            _within(each),
            f"{each.decided_on.cases:,}",
        )
        for each in report.decisions
    ]
    versus = ("Baseline", "Difference") if report.baseline else ()
    head = ("Fails if", "Answer", report.run, *versus, "95 % interval", "Cases")
    close = [gate_sentence(each) for each in report.decisions if each.answer != PASSES]
    return Document(
        f"Gate: {report.answer}",
        (_lead(report),),
        non_empty(Section("Conditions", (), [Grid(head, rows, names=2)]), Section("Why", close)),
        cautions=report.cautions,
    )


def _lead(report: GateReport) -> str:
    counted = [many(report.verdicts, "verdict")]
    counted += [f"{report.undecided:,} of them undecided"] if report.undecided else []
    counted += [many(report.failed, "failed judgment")] if report.failed else []
    against = f", against {report.baseline}" if report.baseline else ""
    unsure = ""
    if report.answer == TOO_CLOSE:
        unsure = (
            " What is too close to call fails (--unsure fail)."
            if report.unsure == "fail"
            else (" Warning: what is too close to call passes, unless --unsure fail is given.")
        )
    return f"{report.run}{against}: {', '.join(counted)}.{unsure}"


def gate_sentence(decision: GateDecision) -> str:
    """Say why a condition was decided so and, if it is too close to call, what would settle it."""
    figure = decision.decided_on
    named = f"The difference of {decision.figure}" if decision.difference else decision.figure
    begin = f"{decision.condition}: {decision.answer}"
    if figure.value is None:
        return f"{begin}. {named} has no value: {figure.reason}."
    value = _shown(decision, figure, moved=decision.difference is not None)
    within = "" if decision.exact else f" (95 % interval {_within(decision)})" if figure.interval else ""
    sentences = [f"{begin}. {named} is {value}{within}."]
    if decision.answer == TOO_CLOSE:
        sentences.append(_settling(decision))
    return " ".join(sentences)


def _settling(decision: GateDecision) -> str:
    figure = decision.decided_on
    if decision.turned:
        ends = [each for each in (decision.lowest, decision.highest) if each is not None]
        low, high = (_shown(decision, each, moved=decision.difference is not None) for each in ends)
        return (
            f"{many(decision.open_cases, 'case')} undecided or without a verdict could turn it: with all of "
            f"them it is {low} to {high}. To settle it, have these decided; more cases alone would not help."
        )
    if figure.interval is None and not decision.exact:
        return f"There is no interval: {figure.reason}."
    if decision.more_cases is None:
        margin = "; allow a margin, such as baseline - 0.02" if decision.difference else ""
        return f"It is exactly at the limit, so no number of cases would settle it{margin}."
    cases = f"About {about(decision.more_cases)} more cases like these would settle it, if the figure stays the same"
    open_cases = many(decision.open_cases, "case")
    return (
        f"{cases}, and if it does not depend on {open_cases} undecided or without a verdict."
        if decision.open_cases
        else f"{cases}."
    )


def gate_junit(report: GateReport) -> str:
    """Write the decisions as JUnit XML: a test case for each condition. Too close to call is skipped, or a failure."""
    unsure_fails = report.unsure == "fail"
    failing = (FAILS, TOO_CLOSE) if unsure_fails else (FAILS,)
    failures = [each for each in report.decisions if each.answer in failing]
    skipped = 0 if unsure_fails else sum(each.answer == TOO_CLOSE for each in report.decisions)
    counts = {"tests": str(len(report.decisions)), "failures": str(len(failures)), "errors": "0"}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": _xml(f"adjudge gate {report.run}"), **counts, "skipped": str(skipped)}
    )
    for each in report.decisions:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": _xml(f"adjudge.{report.run}"), "name": _xml(each.condition)}
        )
        text = _xml(gate_sentence(each))
        if each in failures:
            ElementTree.SubElement(case, "failure", {"type": each.answer, "message": text}).text = text
        elif each.answer == TOO_CLOSE:
            ElementTree.SubElement(case, "skipped", {"message": text})
        ElementTree.SubElement(case, "system-out").text = text
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    return _NOT_IN_XML.sub("�", text)


def _shown(decision: GateDecision, figure: Figure | None, *, moved: bool = False) -> str:
    if figure is None or figure.value is None:
        return "–"
    return f"{_number(decision, figure.value, moved)}{' points' if moved and decision.share else ''}"


def _within(decision: GateDecision) -> str:
    if decision.exact:
        return "counted"
    moved, ends = decision.difference is not None, decision.decided_on.interval
    unit = " points" if moved and decision.share and ends else ""
    return f"{interval(ends, lambda end: _number(decision, end, moved))}{unit}"


def _number(decision: GateDecision, value: float, moved: bool) -> str:
    """Write a figure, or by how much it `moved`."""
    if decision.share:
        return points(value) if moved else percent(value)
    return (signed if moved else rounded)(value, 1 if abs(value) >= 10 else 3)
