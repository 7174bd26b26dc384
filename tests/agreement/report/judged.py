"""Runs whose verdicts and labels are given, for reports on them; and a report in all formats."""

import random
from functools import partial

from results.building import Given
from results.samples import GOOD, LONG, SHORT

from adjudge.agreement import report as building
from adjudge.agreement.labels.sources import load_labels
from adjudge.agreement.report.joining import join_labels
from adjudge.protocols.compare.case import Comparison
from adjudge.rendering.document import as_html, as_markdown, as_text
from adjudge.reports.agreement.view import agreement_document
from adjudge.results.run import open_run

TEXTS = (GOOD, SHORT, LONG)
# Intervals have tests of their own; here they need not be exact.
build_report = partial(building.build_report, draws=49)


def compared(number, winner, human, **cells):
    """A pair with the verdict that some judge gave."""
    drawn = random.Random(number)
    case = Comparison(f"How do I boil {number} eggs?", drawn.choice(TEXTS), f"{drawn.choice(TEXTS)} {number}")
    ahead = {"A": 2.0, "B": -2.0, "tie": 0.0}[winner] * drawn.random()
    verdict = {"winner": winner, "decided": True, "confidence": None, "lead": ahead}
    return Given(f"egg-{number}", case, human, ("wren", "rook"), cells=verdict | cells)


def sides(count, right=0.7, seed=3):
    """What people and a judge say, who is right in about this share."""
    drawn = random.Random(seed)
    human = drawn.choices(("A", "B", "tie"), (5, 4, 2), k=count)
    return [(said if drawn.random() < right else drawn.choice("AB"), said) for said in human]


def shown(report, run):
    """The report in all formats."""
    document = agreement_document(report, run.rubric)
    return as_text(document, colour=False, width=100), as_markdown(document), as_html(document)


PAIRS = sides(60)


def joined(folder, **more):
    """A run with its own labels."""
    run = open_run(folder)
    return join_labels(run, load_labels(run), **more)
