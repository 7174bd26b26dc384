"""The pytest plugin: the fixture `adjudge`, which judges in a test, and the replay of recorded replies.

Every pytest session of an installation imports this file, so it imports the rest of adjudge when the fixture is used.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Generator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..engine import Engine
    from ..journal import Journal
    from ..judges.budget import LocalBudget
    from ..models.common import Call, Failure
    from ..models.verdict import Verdict
    from ..protocols.compare.verdict import ComparisonVerdict
    from ..protocols.dialogue.verdict import DialogueVerdict
    from ..protocols.grade.verdict import GradeVerdict

_MARKER_OPTIONS = ("judge", "budget", "journal")
_CALLS, _COST, _VERDICT = "adjudge_calls", "adjudge_cost_usd", "adjudge_verdict"


class JudgmentError(Exception):
    """There is no verdict: the judgment failed, or its replies are not recorded. Never an AssertionError."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, each also as a setting in the ini file."""
    group = parser.getgroup("adjudge", "judging with adjudge")
    for name, metavar, text in (
        ("judge", "JUDGE", "who judges where a test does not say (default: embedded)"),
        ("budget", "USD", "dollars that the whole session may spend on judging (default: no limit)"),
        ("journal", "FILE|URL", "where replies are recorded, and replayed from (default: adjudge's own)"),
    ):
        group.addoption(f"--adjudge-{name}", metavar=metavar, help=text)
        parser.addini(f"adjudge_{name}", text)
    replay = "answer from the journal only: no call, no network, no cost"
    group.addoption("--adjudge-replay", action="store_true", help=replay)
    parser.addini("adjudge_replay", replay, type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        "markers", "adjudge(judge=…, budget=…, journal=…): who judges in this test, what it may spend, where it is kept"
    )


@pytest.fixture
def adjudge(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TestJudging:
    """Judge in a test: `grade`, `compare` and `dialogue` return a verdict, or raise if there is none."""
    config = request.config
    if _SESSION not in config.stash:
        config.stash[_SESSION] = _TestSession(config, tmp_path_factory)
    judging = TestJudging(request.node, config.stash[_SESSION])
    request.node.stash[_JUDGED] = judging
    return judging


class _TestSession:
    """What the tests of one process share: the options, the budget, and copies of the journals to replay."""

    def __init__(self, config: pytest.Config, folders: pytest.TempPathFactory) -> None:
        self.config, self._folders = config, folders
        self.replay = bool(config.getoption("--adjudge-replay") or config.getini("adjudge_replay"))
        self.judge = self.option("judge") or "embedded"
        self.budget = self._budget()
        self._copies: dict[str, Path] = {}

    def option(self, name: str) -> str | None:
        return config_value(self.config, name)

    def _budget(self) -> LocalBudget | None:
        limit = self.option("budget")
        if limit is None:
            return None
        # Each process of xdist has an equal share, because they do not see what the others spend.
        workers = getattr(self.config, "workerinput", {}).get("workercount", 1)
        return _budget(limit, workers)

    @property
    def journal(self) -> str | Path:
        from ..journal import default_place, is_server

        for given, folder in (
            (self.config.getoption("--adjudge-journal"), self.config.invocation_params.dir),
            (self.config.getini("adjudge_journal"), self.config.rootpath),
        ):
            if given:
                return str(given) if is_server(given) else folder / given
        return default_place()

    def open_journal(self, place: str | Path) -> Journal:
        from ..journal import is_server, open_journal

        if not self.replay:
            return open_journal(place)
        # A copy, so that a replay changes nothing in a checkout, nor needs to write there.
        if not is_server(place):
            place = self._copy(Path(place))
        return _recorded(open_journal(place))

    def _copy(self, file: Path) -> Path:
        if str(file) not in self._copies:
            if not file.is_file():
                raise JudgmentError(f"{file}: no recorded replies; run the tests once without --adjudge-replay")
            folder = self._folders.mktemp("adjudge")
            for part in (file, file.with_name(f"{file.name}-wal")):  # the second is left behind by a killed process
                if part.is_file():
                    shutil.copyfile(part, folder / part.name)
            self._copies[str(file)] = folder / file.name
        return self._copies[str(file)]


def config_value(config: pytest.Config, name: str) -> str | None:
    """Return an option of the command line, else of the ini file, else None."""
    return config.getoption(f"--adjudge-{name}") or config.getini(f"adjudge_{name}") or None


def _budget(limit: object, shares: int = 1) -> LocalBudget:
    from ..judges.budget import LocalBudget

    try:
        dollars = Decimal(str(limit))
    except InvalidOperation:
        dollars = Decimal("NaN")
    if not dollars.is_finite() or dollars < 0:
        raise pytest.UsageError(f"adjudge budget: {str(limit)[:40]!r} is not an amount; dollars, such as 0.50")
    return LocalBudget(dollars / shares)


def _recorded(journal: Journal) -> Journal:
    from ..journal import ReplayJournal

    class Recorded(ReplayJournal):
        """Answers from what is recorded; verdicts are made again and not stored."""

        async def _write(self, *rows: object) -> None:
            """Store nothing."""

    return Recorded(journal)


class TestJudging:
    """The fixture's value. Each function takes what the function of that name in `adjudge` takes.

    `agrade`, `acompare` and `adialogue` are for async tests. The others work there too, and block the event loop.
    """

    __test__ = False

    def __init__(self, item: pytest.Item, session: _TestSession) -> None:
        self._item, self._session = item, session
        marked: dict[str, Any] = {}
        for mark in reversed(list(item.iter_markers("adjudge"))):  # the closest one wins
            unknown = mark.kwargs.keys() - set(_MARKER_OPTIONS)
            if mark.args or unknown:
                found = ", ".join(sorted(unknown)) or "arguments without a name"
                raise pytest.UsageError(
                    f"{item.nodeid}: marker adjudge: {found}; allowed: {', '.join(_MARKER_OPTIONS)}"
                )
            marked |= mark.kwargs
        self._judge = marked.get("judge", session.judge)
        self._journal = marked.get("journal", session.journal)
        self._limit = _budget(marked["budget"]) if "budget" in marked else None
        self.verdicts: list[Verdict] = []

    def grade(self, *args: Any, **kwargs: Any) -> GradeVerdict:
        """Grade one answer, as `adjudge.grade` does."""
        __tracebackhide__ = True
        verdict: GradeVerdict = self._given(self._wait("grade", args, kwargs))
        return verdict

    def compare(self, *args: Any, **kwargs: Any) -> ComparisonVerdict:
        """Compare two answers, as `adjudge.compare` does."""
        __tracebackhide__ = True
        verdict: ComparisonVerdict = self._given(self._wait("compare", args, kwargs))
        return verdict

    def dialogue(self, *args: Any, **kwargs: Any) -> DialogueVerdict:
        """Judge one conversation, as `adjudge.dialogue` does."""
        __tracebackhide__ = True
        verdict: DialogueVerdict = self._given(self._wait("dialogue", args, kwargs))
        return verdict

    async def agrade(self, *args: Any, **kwargs: Any) -> GradeVerdict:
        """Grade one answer in an async test."""
        __tracebackhide__ = True
        verdict: GradeVerdict = self._given(await self._ask("grade", args, kwargs))
        return verdict

    async def acompare(self, *args: Any, **kwargs: Any) -> ComparisonVerdict:
        """Compare two answers in an async test."""
        __tracebackhide__ = True
        verdict: ComparisonVerdict = self._given(await self._ask("compare", args, kwargs))
        return verdict

    async def adialogue(self, *args: Any, **kwargs: Any) -> DialogueVerdict:
        """Judge one conversation in an async test."""
        __tracebackhide__ = True
        verdict: DialogueVerdict = self._given(await self._ask("dialogue", args, kwargs))
        return verdict

    def _wait(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from ..engine import run_sync

        return run_sync(lambda: self._ask(name, args, kwargs))

    async def _ask(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the verdict, or the error to raise, which then has no frames of ours."""
        from .. import api
        from ..errors import AdjudgeError, NotJournalledError
        from ..models.common import Failure
        from ..reports import error_report

        place = kwargs.pop("journal", self._journal)
        try:
            async with self._engine(place) as engine:
                outcome = await getattr(api, name)(*args, **{"judge": self._judge, **kwargs}, engine=engine)
        except NotJournalledError:
            return JudgmentError(self._record_again(place))
        except (AdjudgeError, JudgmentError) as error:
            return error
        self._count(outcome)
        return JudgmentError(error_report(outcome).error) if isinstance(outcome, Failure) else outcome

    def _engine(self, place: str | Path) -> Engine:
        from ..engine import Engine
        from ..judges.budget import JointBudget

        limits = [limit for limit in (self._limit, self._session.budget) if limit is not None]
        budget = JointBudget(*limits) if len(limits) == 2 else limits[0] if limits else None
        return Engine(self._session.open_journal(place), budget=budget)

    def _record_again(self, place: str | Path) -> str:
        from ..journal import masked

        again = f"pytest {shlex.quote(self._item.nodeid)}"
        return f"{masked(place)} lacks a reply that this test needs; record it, without --adjudge-replay: {again}"

    def _count(self, outcome: Verdict | Failure) -> None:
        """Note what was paid now, for the summary and JUnit's properties. A reply found in the journal is free."""
        calls: list[Call] = [call for call in outcome.calls if not call.found]
        known = all(call.cost is not None for call in calls)
        cost = sum((call.cost for call in calls if call.cost is not None), Decimal(0))
        self._item.user_properties += [(_CALLS, str(len(calls))), (_COST, f"{cost:f}" if known else "unknown")]

    def _given(self, outcome: Any) -> Any:
        __tracebackhide__ = True
        if isinstance(outcome, Exception):
            raise outcome from None
        self.verdicts.append(outcome)
        self._item.user_properties.append((_VERDICT, outcome.verdict_id))
        return outcome


_SESSION = pytest.StashKey[_TestSession]()
_JUDGED = pytest.StashKey[TestJudging]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failed test what its verdicts say."""
    report = yield
    judging = item.stash.get(_JUDGED, None)
    add = getattr(report.longrepr, "addsection", None)
    if judging is not None and report.when == "call" and report.failed and add is not None:
        from .explaining import explain, headline

        for verdict in judging.verdicts:
            add(f"adjudge {verdict.protocol}: {headline(verdict)}", explain(verdict))
    return report


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what the session's judging cost, if there was any."""
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    found = [
        pair for each in reports if getattr(each, "when", "") == "call" for pair in getattr(each, "user_properties", ())
    ]
    verdicts = sum(name == _VERDICT for name, _ in found)
    calls = [int(value) for name, value in found if name == _CALLS]
    if not calls:
        return
    costs = [value for name, value in found if name == _COST]
    cost = "cost unknown" if "unknown" in costs else f"${sum(map(Decimal, costs)):f}"
    replay = config.getoption("--adjudge-replay") or config.getini("adjudge_replay")
    how = "replayed" if replay else "judged"
    terminalreporter.write_line(f"adjudge: {verdicts} {how}, {sum(calls)} calls, {cost}")
