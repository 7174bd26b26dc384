"""What a protocol is: all that the rest of adjudge may know of one. A protocol's folder fills in a `Protocol` in its
`protocol.py`; `protocol_of` returns it by name.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
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
from .figures import CaseListing
from .form import Form
from .labelling import LabelRules, ShownCase
from .measured import MeasureRules
from .procedure import Services
from .reading import CaseReading
from .registry import names as names
from .service import Service
from .settings import Settings
from .table import Cells, Table


@dataclass(frozen=True, kw_only=True)
class ExpectedCalls:
    """What is expected of the calls before any is made, for the estimate of a run's cost. `reply_tokens` is the usual
    size of a reply to the shipped rubric.

    Some calls are made only after a reply: `after` is the kind of that reply (its schema's name; empty if there are no
    such calls), `judge` the setting that names who is asked then, and `times` how many calls follow one reply with
    these settings. If not every case needs them, `probable` tells whether a case probably does.
    """

    reply_tokens: int = 1000
    after: str = ""
    judge: str = "judge"
    times: Callable[[Any], int] = lambda _: 1
    probable: Callable[[Any], bool] | None = None


# -- what only some protocols bring ------------------------------------------------------------------------------------


def imported(module: str, name: str) -> Callable[[], Any]:
    """Return a function that imports a name when it is called: of a module that is slow to load, or may be missing."""
    return lambda: getattr(import_module(module), name)


@dataclass(frozen=True, kw_only=True)
class Probes:
    """Changed copies of cases, which a judge that looks only at quality judges the same.

    - `original` is the name of the run over the unchanged cases.
    - `rows_of` returns the cases of a run as input rows; `draw` draws some of the rows, with a seed.
    - `copies` returns the rows of each run by name, the original first, for these probes, a seed, and the column that
      says which cases belong together. A probe that changes no case has no run.
    - `measure` returns the result of each probe from the runs and the number of cases drawn; a result has its `probe`.
    - `document` is the report of a judge, the number of cases, the results, and how the judge behaved.
    """

    original: str
    rows_of: Callable[[Any], Iterable[Any]]
    draw: Callable[[Iterable[Any], int, int], list[Any]]
    copies: Callable[[Sequence[Any], Sequence[str], int, str | None], Mapping[str, Sequence[Any]]]
    measure: Callable[[Mapping[str, Any], int], Sequence[Any]]
    document: Callable[[str, int, Sequence[Any], Any], Any]


@dataclass(frozen=True, kw_only=True)
class Cards:
    """Report cards of people. `report` builds them from runs, the columns with person and time, and the draws of each
    bootstrap; `document` and `html` show them."""

    report: Callable[..., Any]
    document: Callable[[Any], Any]
    html: Callable[[Any], str]


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """A leaderboard of systems. `rank` builds it from an open run; `document` and `data` show it under a name."""

    rank: Callable[[Any], Any]
    document: Callable[[Any, str], Any]
    data: Callable[[Any, str], dict[str, Any]]


# -- a protocol --------------------------------------------------------------------------------------------------------


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
    probe_names: tuple[str, ...] = ()  # known before `probes` is called, which imports SciPy
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

    def opening(self, shown: ShownCase) -> str:
        """Return the text that tells cases apart in a list: of the form's first field, or else what is shown first."""
        return dict(shown.before).get(self.form.fields[0].label) or next((text for _, text in shown.before), "")


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
