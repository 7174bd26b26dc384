"""What the rest of adjudge knows of the toy protocol."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudge.inputs.rows.columns import IDS, LABELS, CaseReader, beside
from adjudge.judges.base import Asked
from adjudge.protocols.base import Protocol
from adjudge.protocols.command import Command
from adjudge.protocols.figures import CaseSql, OutcomeClass, Outcomes
from adjudge.protocols.form import Field, Form
from adjudge.protocols.labelling import LabelRules, ShownCase
from adjudge.protocols.measured import MeasureRules
from adjudge.protocols.origin import Origin, origin_of
from adjudge.protocols.reading import CaseReading, Row
from adjudge.protocols.table import Column, Table
from adjudge.rubric import RubricRules

from .judging import DECIDER, Line, LineSettings, LineVerdict, PoliteQuestion, combine, decide, measure


@dataclass(frozen=True)
class LineView:
    verdict: LineVerdict
    headline: str
    origin: Origin


def choose(columns, rubric):
    columns.check_given(("text", "id", "label"))
    chosen = {"text": columns.one("text", (("text",),)), "id": columns.one("id", [(name,) for name in IDS])}
    chosen["label"] = columns.one("label", LABELS)
    if chosen["text"] is None:
        raise columns.missing(["text"], [])
    return CaseReader({name: column for name, column in chosen.items() if column}, rubric, read)


def read(reader, record, case_id):
    case, label = Line(reader.value(record, "text")), reader.value(record, "label")
    return Row(record.place, case_id, case, label, None, beside(record.values, reader.mapping.values()))


async def judge(case, judges, settings, services) -> Any:
    return await decide(case, judges[0], settings.rubric, settings)


PROTOCOL = Protocol(
    name="toy",
    noun="line",
    folder=Path(__file__).parent,
    case=Line,
    verdict=LineVerdict,
    settings=LineSettings,
    judge=judge,
    questions=(Asked(PoliteQuestion, DECIDER, combine, measure),),
    example_questions=lambda rubric: [PoliteQuestion(Line("(the text)"))],
    rubric=RubricRules(calibrated="politeness"),
    table=Table(
        columns=(Column("polite", "VARCHAR", "yes or no", lambda verdict: verdict.polite),),
        outcome=Outcomes(
            value="polite",
            column="polite",
            name="politeness",
            heading="Polite",
            title="Is it polite?",
            classes=(OutcomeClass("yes", "Polite", "A"), OutcomeClass("no", "Not polite", "B")),
        ),
        agrees=lambda label, cells: label == cells["polite"],
        case=CaseSql(content="hash(input ->> '/text')", opening="input ->> '/text'"),
    ),
    labelling=LabelRules(
        question="Is this text polite?",
        show=lambda case: ShownCase((("Text", case.text),)),
        choices=(("1", "yes", "it is polite"), ("2", "no", "it is not")),
    ),
    measured=MeasureRules(value="r.polite", classes=("yes", "no")),
    reading=CaseReading(choose=choose, from_object=lambda given, rubric: Line(given["text"]), wanted="text"),
    command=Command(description="Say whether a text is polite."),
    form=Form(
        heading="Is it polite?",
        lead="One text, yes or no.",
        whole="One text.",
        many="Texts",
        row='{"text": "Please wait."}',
        fields=(Field("text", "Text", "The text to judge.", 4, needed=True),),
        case=lambda values, rubric: Line(values.get("text", "")),
        fill=lambda whole, rubric: {"text": whole},
        example="example.txt",
        example_title="A polite request",
    ),
    view=lambda verdict, rubric: LineView(verdict, f"Polite: {verdict.polite}", origin_of(verdict)),
)
