"""What a protocol is: all that the rest of adjudge may know of one. A protocol's folder fills in a `Protocol` in its
`protocol.py`; `protocol_of` returns it by name.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from .. import prompts
from ..judges.base import ASKED, Asked, Judge, Question
from ..llm.base import BlankPrompt, Prompt
from ..models.cases import Case
from ..models.verdict import Verdict
from ..rubric import Rubric, RubricRules
from . import registry
from .command import Command, Trial
from .estimate import ExpectedCalls
from .form import Form
from .labelling import LabelRules
from .listing import CaseListing
from .measured import MeasureRules
from .procedure import Services
from .reading import CaseReading
from .registry import names as names
from .service import Service
from .settings import Settings
from .special import Cards, Probes, Ranking
from .table import Cells, Table


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """A protocol: what it judges, how, and how that is read, shown, labelled and measured."""

    name: str
    noun: str  # one case, in a word
    folder: Path  # with rubric.yaml and the folders prompts and templates
    case: type[Case]
    verdict: type[Verdict]
    settings: type[Settings[Any]]
    judge: Callable[[Any, tuple[Judge, ...], Any, Services], Awaitable[Any]]
    questions: tuple[Asked, ...]
    example_questions: Callable[[Rubric], Iterable[Question[Any]]]
    rubric: RubricRules
    table: Table
    reading: CaseReading
    labelling: LabelRules
    measured: MeasureRules
    view: Callable[[Any, Rubric], Any]
    command: Command = field(default_factory=Command)
    trial: Trial | None = None
    calls: ExpectedCalls = field(default_factory=ExpectedCalls)
    formats: Mapping[str, Callable[[Any, Rubric], str]] = field(default_factory=dict)  # beside the usual ones
    probes: Callable[[], Probes] | None = None
    cards: Callable[[], Cards] | None = None
    ranking: Callable[[], Ranking] | None = None
    stored_case: Callable[[Any], Any] = lambda case: case  # the case without what the verdict does not depend on
    # Imports the `reports.run.report.RunReport`, which needs packages that may be missing; None for the usual one.
    run_report: Callable[[], Any] = lambda: None
    form: Form
    listing: CaseListing = field(default_factory=CaseListing)
    # The first prompt of each role, by its title, rebuilt from a verdict. Later ones depend on replies.
    first_prompts: Callable[[Any], Mapping[str, BlankPrompt]] = lambda _: {}
    service: Callable[[], Service] = Service  # imports the service, so it is called only there

    def register_questions(self) -> None:
        """Make known how judges answer the questions."""
        ASKED.update({each.question: each for each in self.questions})

    @property
    def package(self) -> str:
        """The package of its folder, whose `templates` show its verdicts."""
        return self.verdict.__module__.rpartition(".")[0]

    @property
    def prompts(self) -> dict[str, str]:
        """The reference of each prompt file, by its name."""
        files = [
            (each.role.folder, name) for each in self.questions for name in (each.role.file, *each.role.extra_files)
        ]
        return {name: prompts.load(folder, name).reference for folder, name in files}


def protocol_of(name: str) -> Protocol:
    """Return the protocol of this name. Raise KeyError if there is none."""
    return cast(Protocol, registry.load(name))


def example_prompts(rubric: Rubric) -> dict[str, Prompt]:
    """Return the prompts that a model gets with this rubric, by role, for a made-up case, to help write a rubric."""
    questions = protocol_of(rubric.protocol).example_questions(rubric)
    asked = [(ASKED[type(question)].role, question) for question in questions]
    return {role.file: role.prompt(question).with_code("0" * 16) for role, question in asked}


def row_of(verdict: Verdict, label: str | None = None) -> Cells:
    """Compute the cells of a verdict in a run's table; `label` is what people said of the case."""
    return protocol_of(verdict.protocol).table.row(verdict, label)
