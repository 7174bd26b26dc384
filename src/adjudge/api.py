"""The Python API: `compare`, `dialogue`, `review` and `grade` with plain arguments, `replay` of a stored verdict, and
`agree`.

All but `agree` are async. The first four have a `_sync` version for code that is not async.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, closing, nullcontext
from decimal import Decimal
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypedDict, TypeVar, Unpack

import orjson

from . import prompts
from .engine import Engine, named_judge, open_engine, run_sync
from .errors import JudgeSpecError, NotJournalledError
from .journal import ReplayJournal, open_journal
from .judges.base import Judge
from .models.base import to_json
from .models.cases import check_weights
from .models.common import Failure, Lookup
from .protocols.base import protocol_of
from .protocols.compare.case import Comparison
from .protocols.compare.settings import CompareSettings
from .protocols.compare.verdict import ComparisonVerdict
from .protocols.dialogue.case import Dialogue
from .protocols.dialogue.reading import one_dialogue as one_dialogue
from .protocols.dialogue.settings import DialogueSettings
from .protocols.dialogue.verdict import DialogueVerdict
from .protocols.grade.case import ContextText, Grading
from .protocols.grade.reading import answer_fields
from .protocols.grade.settings import GradeSettings
from .protocols.grade.verdict import GradeVerdict
from .protocols.review.case import Review
from .protocols.review.reading.rows import one_review as one_review
from .protocols.review.rules import codes_in
from .protocols.review.settings import ReviewSettings
from .protocols.review.verdict import ReviewVerdict
from .protocols.rubrics import parse, rubric_for
from .rubric import Rubric

if TYPE_CHECKING:
    from .agreement.report import AgreementReport

P = ParamSpec("P")
T = TypeVar("T")


class SamplingOptions(TypedDict, total=False):
    """Options that all protocols share. The defaults are those of the settings classes."""

    seed: int
    sample: int
    temperature: float
    max_tokens: int
    recheck_attempts: bool


def _engine(engine: Engine | None, journal: str | Path | None) -> AbstractAsyncContextManager[Engine]:
    """Return the engine that was given, which stays open, or a new one for this case."""
    return open_engine(journal) if engine is None else nullcontext(engine)


async def compare(
    task: str,
    a: str,
    b: str,
    *,
    context: str | None = None,
    weights: Mapping[str, float | int | Decimal] | None = None,
    judge: str | Judge = "embedded",
    rubric: str | Path | Rubric | None = None,
    one_order: bool = False,
    search: str | None = None,
    journal: str | Path | None = None,
    engine: Engine | None = None,
    **sampling: Unpack[SamplingOptions],
) -> ComparisonVerdict | Failure:
    """Compare two answers to one task.

    `judge` is a judge's name (`"embedded"`, `"openai:gpt-5.1"`, `"http://host:port/v1#model"`, `"gguf:PATH"`,
    `"jury:a+b+c"`, `"cascade:a>b"`) or a judge object. The verdict and every reply behind it are stored in the journal:
    that of `engine`, an open engine to judge with, if it is given.
    """
    chosen = rubric_for("compare", rubric)
    case = Comparison(task, a, b, context or "", check_weights(weights, chosen.weights))
    name, opened = named_judge(judge)
    settings = CompareSettings(judge=name, rubric=chosen, one_order=one_order, search=search, **sampling)
    async with _engine(engine, journal) as host:
        return await host.judge(case, settings, opened)


async def dialogue(
    transcript: str | Sequence[Mapping[str, Any]] | Mapping[str, Any] | Dialogue,
    *,
    dialogue_id: int | str | None = None,
    judge: str | Judge = "embedded",
    evaluator: str | Judge | None = None,
    critic: str | Judge | None = None,
    rubric: str | Path | Rubric | None = None,
    journal: str | Path | None = None,
    engine: Engine | None = None,
    **sampling: Unpack[SamplingOptions],
) -> DialogueVerdict | Failure:
    """Judge one conversation: the Evaluator scores it, the Critic challenges the scores, the Referee settles them.

    `transcript` is text in any form that `adjudge dialogue` reads, a list of `{"role", "content"}` messages, an
    object with such a list under `messages`, or a `Dialogue`. `judge` plays both roles unless `evaluator` or
    `critic` names another.
    """
    case = one_dialogue(transcript, dialogue_id)
    (first, first_judge), (second, second_judge) = named_judge(evaluator or judge), named_judge(critic or judge)
    settings = DialogueSettings(evaluator=first, critic=second, rubric=rubric_for("dialogue", rubric), **sampling)
    async with _engine(engine, journal) as host:
        return await host.judge(case, settings, first_judge, second_judge)


async def review(
    slots: str | Mapping[str, Any] | Review,
    *,
    judge: str | Judge = "embedded",
    rubric: str | Path | Rubric | None = None,
    languages: Sequence[str] = (),
    journal: str | Path | None = None,
    engine: Engine | None = None,
    **sampling: Unpack[SamplingOptions],
) -> ReviewVerdict | Failure:
    """Audit one person's ratings of two responses: rate them blind, correct, fill in, explain, and give feedback.

    `slots` is text with the nine tagged slots, an object with their names in lower case, or a `Review`.
    `languages` are the ISO codes in scope (all if empty); a task whose texts are all in other languages is invalid.
    """
    chosen = rubric_for("review", rubric)
    case = one_review(slots, chosen)
    name, opened = named_judge(judge)
    codes = codes_in(languages) if isinstance(languages, str) else tuple(languages)
    settings = ReviewSettings(judge=name, rubric=chosen, languages=codes, **sampling)
    async with _engine(engine, journal) as host:
        return await host.judge(case, settings, opened)


async def grade(
    task: str,
    answer: str | Sequence[Mapping[str, Any]],
    *,
    reference: str | None = None,
    context: str | Sequence[str | Mapping[str, Any] | ContextText] | None = None,
    judge: str | Judge = "embedded",
    rubric: str | Path | Rubric | None = None,
    journal: str | Path | None = None,
    engine: Engine | None = None,
    **sampling: Unpack[SamplingOptions],
) -> GradeVerdict | Failure:
    """Grade one answer against a rubric: an exact score, and whether it passes.

    `answer` is a text, or a list of messages with tool calls and results. `reference` is an answer known to be good,
    `context` what the answer must rest on: a text, or a list of texts or of `{"id", "text"}`.
    """
    given: Any = list(answer) if isinstance(answer, Sequence) and not isinstance(answer, str) else answer
    sources: Any = context  # the case reads and checks what it is
    case = Grading(task=task, **answer_fields(given), reference=reference or "", context=sources)
    name, opened = named_judge(judge)
    settings = GradeSettings(judge=name, rubric=rubric_for("grade", rubric), **sampling)
    async with _engine(engine, journal) as host:
        return await host.judge(case, settings, opened)


def _sync(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        return run_sync(lambda: function(*args, **kwargs))

    run.__name__ = run.__qualname__ = f"{function.__name__}_sync"
    run.__doc__ = f"`{function.__name__}` for code that is not async; the arguments and the result are the same."
    return run


compare_sync = _sync(compare)
dialogue_sync = _sync(dialogue)
review_sync = _sync(review)
grade_sync = _sync(grade)


def agree(
    run: str | Path,
    labels: str | Path | None = None,
    *,
    annotators: Sequence[str] = (),
    against: str | Path | None = None,
    earlier: Sequence[str | Path] = (),
    own_sources: Sequence[str] = (),
    group: str | None = None,
    by: Sequence[str] = (),
    limit: int = 20,
    draws: int = 999,
    margin: float = 0.15,
) -> AgreementReport:
    """Measure how far the judge of a run directory agrees with people, as `adjudge agree` reports it.

    `labels` is a file, a folder, or a column of the run's input; the default is the labels made with `adjudge label`.
    `own_sources` are the judge's own systems. `group` names the column of the run's input whose cases are not
    independent (by default `group`, else the same task; "" for the task), and `by` the columns to slice agreement by.
    `limit` is how many disagreements are listed, and `draws` is the number of bootstrap draws. `margin` is how much
    less near to people than a person the judge may be and still stand in for one.
    """
    from .agreement.report import build_report
    from .results.run import open_run

    return build_report(
        open_run(run, "run"),
        None if labels is None else str(labels),
        annotators=annotators,
        other=None if against is None else open_run(against, "against"),
        earlier=[open_run(each, "earlier") for each in earlier],
        own_sources=own_sources,
        group=group,
        by=by,
        limit=limit,
        draws=draws,
        margin=margin,
    )


class Replayed(NamedTuple):
    """A stored verdict and the one made again, both as one line of JSON; `shown` is the new one, indented."""

    kept: bytes
    made: bytes
    shown: bytes


async def replay(verdict_id: str, *, journal: str | Path | None = None) -> Replayed:
    """Make a verdict again from the stored replies. No model is called, and nothing is paid."""
    with closing(open_journal(journal)) as opened:
        record = opened.get_verdict(verdict_id)
        if record is None:
            raise NotJournalledError(f"{verdict_id}: no such verdict in this journal")
        stored = orjson.loads(record[0])
        protocol = protocol_of(stored["protocol"])
        if changed := prompts.changed_since(orjson.loads(record[1])["provenance"]["prompts"], protocol.prompts):
            raise NotJournalledError(
                f"{verdict_id}: {changed}, which the stored replies do not answer; only the version that recorded it "
                "can replay it"
            )
        failures = tuple((asked, Failure.model_validate(failure)) for asked, failure in stored["failures"])
        lookups = tuple(Lookup.model_validate(lookup) for lookup in stored.get("lookups", ()))
        engine = Engine(ReplayJournal(opened), stored["urls"], failures, recorded_lookups=lookups)
        try:
            case = protocol.case.model_validate(stored["case"])
            rubric = parse(stored["rubric"], "the stored rubric")
            settings = protocol.settings(**stored["settings"], rubric=rubric)
            made = await engine.judge_case(case, settings)
        except JudgeSpecError as error:
            raise NotJournalledError(
                f"{verdict_id}: was made with a judge given as an object, which cannot be opened again: {error}"
            ) from None
    if isinstance(made, Failure):
        raise NotJournalledError(f"{verdict_id}: the stored replies no longer give a verdict: {made.message}")
    return Replayed(record[1], made.written, to_json(made.verdict, indent=True))
