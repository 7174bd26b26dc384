"""The runs of a service, kept in one folder and executed in the background with the code of `adjudge run`.

Each is an ordinary run directory. A marker file with the run's name in `queue` says that it should be executed. It is
created as the last step of beginning or resuming a run, and removed when the run ends or is cancelled. So a process
started after a kill finds the runs to continue. If processes share the folder, the holder of a run's lock executes it.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import AdjudgeError, ConflictError, InputError, JournalError, NotFoundError, SetupError, plain_reason
from ..files import TEMPORARY, open_private
from ..judges.budget import Budget
from ..rendering.escaping import one_line
from .estimate import estimate
from .execute import Halt, check_can_be_asked, execute, skip_cases
from .hosted_progress import FileProgress
from .hosted_run import HostedRun, RunStatus, as_setup_error
from .plan import RunOptions
from .state import RunState, load_state
from .uploads import NewRun as NewRun
from .uploads import UploadFindings, cannot_start, create_run, look_into

AT_ONCE = 4
MAX_OWN_RUNS = 20  # queued or running, of one owner
_LOOK_EVERY = 1.0  # seconds between two checks of the queue, which other processes may change
_AFTER_TROUBLE = 15.0  # seconds until a run is retried after its journal could not be used
_KEPT_SECONDS = 86_400.0
_ID = re.compile(r"r[0-9a-f]{17}")
_log = logging.getLogger(__name__)


class HostedRuns:
    """All runs of a service. `payer` returns a person's budget, if there is one; each call must fit into it too.

    It raises InputError for a person who may no longer use the service, and that person's runs are stopped. `after` is
    called on a thread when a run has ended.
    """

    def __init__(
        self,
        folder: Path,
        journal: str,
        payer: Callable[[str], Budget | None] | None = None,
        at_once: int = AT_ONCE,
        after: Callable[[HostedRun], None] | None = None,
    ) -> None:
        self.folder = folder
        self.closing = asyncio.Event()
        self._journal, self._payer, self._at_once, self._after = journal, payer, at_once, after
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._halts: dict[str, Halt] = {}
        self._not_before: dict[str, float] = {}
        self._beginning: Counter[str] = Counter()
        self._news = asyncio.Event()
        self._looking = asyncio.Lock()  # one upload is read at a time, however fast people change their mind

    # -- what callers ask for -----------------------------------------------------------------------------------------

    def find(self, run_id: str, owner: str | None = None) -> HostedRun:
        """Return the run with this id. Raise NotFoundError if there is none, or it belongs to another owner."""
        run = HostedRun(self.folder, run_id)
        if not _ID.fullmatch(run_id) or not run.directory.exists or owner not in (None, run.owner):
            raise NotFoundError(f"{run_id[:80]}: no such run")
        return run

    def listed(self, owner: str | None = None, before: str | None = None) -> Iterator[HostedRun]:
        """Yield the owner's runs, or all if no owner is given, newest first; only those older than the run `before`."""
        for path in sorted((self.folder / "runs").glob("r*"), reverse=True):
            if before is None or path.name < before:
                with suppress(NotFoundError):
                    yield self.find(path.name, owner)

    def statuses(self, owner: str | None = None, before: str | None = None) -> Iterator[tuple[HostedRun, RunStatus]]:
        """Yield the same runs with their status, except those being deleted and those this version cannot read."""
        for run in self.listed(owner, before):
            with suppress(SetupError):
                yield run, run.status()

    def is_of(self, run_id: str, owner: str | None) -> bool:
        """Return whether this is a run that the owner may see."""
        with suppress(NotFoundError):
            return self.find(run_id, owner) is not None
        return False

    async def begin(self, new: NewRun, owner: str | None = None) -> HostedRun:
        """Create a run over the uploaded cases and queue it; all of them are read and checked before the first call."""
        run = self._new(new.created)
        with as_setup_error(run.run_id), self._counted(owner), run.directory.locked():
            try:
                await asyncio.to_thread(create_run, run, new, self._journal)
                self._record(run, new, owner=owner)
                state = await asyncio.to_thread(load_state, run.directory, journal_at=self._journal)
                check_can_be_asked(await estimate(state), new.options)
            except AdjudgeError:
                # Remove the run that could not begin, but not the folder of all runs: others may be about to use it.
                shutil.rmtree(run.directory.path, ignore_errors=True)
                raise
            run.enqueue()
        self._news.set()
        return run

    def _new(self, created: datetime | None = None) -> HostedRun:
        # Ids begin with the time, so sorting by id sorts by age.
        dated = created.timestamp() if created else time.time()
        return HostedRun(self.folder, f"r{int(dated * 1000):011x}{secrets.token_hex(3)}")

    def _record(self, run: HostedRun, new: NewRun, **more: Any) -> None:
        rubric = new.settings.rubric
        run.record(name=new.name, rubric=f"{rubric.name}@{rubric.version}", **more)

    def keep(self, content: bytes, suffix: str, owner: str | None) -> HostedRun:
        """Keep an uploaded file, so that people can look at what is in it before they start its run. Files that could
        not be read and that nobody looked at for a day are removed."""
        for path in (self.folder / "runs").glob("r*"):
            old = HostedRun(self.folder, path.name)
            # A look is written as a new file, which changes the time of the folder.
            with suppress(OSError):
                idle = time.time() - path.stat().st_mtime > _KEPT_SECONDS
                if idle and not old.directory.exists and old.upload is not None:
                    shutil.rmtree(path, ignore_errors=True)
        run = self._new()
        try:
            run.directory.path.mkdir(mode=0o700, parents=True)
            run.record(owner=owner)
            with open_private(run.directory.path / f"upload{suffix}", "wb") as file:
                file.write(content)
        except OSError as error:
            raise SetupError(f"{run.directory.path}: {plain_reason(error)}") from None
        return run

    def find_kept(self, run_id: str, owner: str | None = None) -> HostedRun:
        """Return the run with this id whose upload is still kept, whether or not it can be read."""
        run = HostedRun(self.folder, run_id)
        if not _ID.fullmatch(run_id) or run.upload is None or owner not in (None, run.owner):
            raise NotFoundError(f"{run_id[:80]}: no such upload; perhaps its run was started or discarded")
        return run

    async def look(self, run: HostedRun, new: NewRun) -> UploadFindings:
        """Read the upload of a run that is not started, and estimate the run; it waits until it is resumed."""
        async with self._looking:
            with self._locked(run), as_setup_error(run.run_id):
                self._check_not_started(run)
                found = await asyncio.to_thread(look_into, run, new, self._journal)
                if found.wrong is None:
                    self._record(run, new)
                    state = await asyncio.to_thread(load_state, run.directory, journal_at=self._journal)
                    expected = await estimate(state, store=False)
                    run.record(estimate=expected.as_json())
                    if wrong := cannot_start(expected, new.options):
                        run.forget_cases()
                        found = replace(found, wrong=wrong)
        return found

    def forget(self, run: HostedRun) -> None:
        """Remove what was read from the upload of a run that is not started: it is wanted in a way that is refused."""
        with self._locked(run):
            self._check_not_started(run)
            run.forget_cases()

    def _check_not_started(self, run: HostedRun) -> None:
        """Raise NotFoundError if the run was started meanwhile, by another click or in another tab."""
        if run.upload is None or run.marker.exists():
            raise NotFoundError(f"{run.run_id}: no such upload; its run was started or discarded")

    def cancel(self, run: HostedRun) -> None:
        """Stop the run after its calls in flight are finished."""
        if run.marker.exists():
            with suppress(SetupError):
                run.record(why="cancelled", error=None)
            run.marker.unlink(missing_ok=True)
            self._news.set()

    def pause(self, run: HostedRun) -> None:
        """Take no new case of the run, and stop it when those in flight are finished and stored."""
        if run.marker.exists() and not run.remark(b"running", b"pausing") and not run.is_pausing:
            with suppress(SetupError):  # it waits for its turn
                run.record(why="paused", error=None)
            run.marker.unlink(missing_ok=True)
        self._news.set()

    def resume(
        self, run: HostedRun, changes: Mapping[str, Any], *, retry: bool = False, payer: str | None = None
    ) -> None:
        """Continue the run, with new limits if any are given. With `retry` failed cases are tried again too.

        `payer` pays from now on instead of the previous payer; an empty name means that nobody does.
        """
        paying = run.payer if payer is None else payer or None
        if not changes and not retry and paying == run.payer and run.remark(b"pausing", b"running"):
            self._news.set()
            return
        with as_setup_error(run.run_id), self._counted(None if run.marker.exists() else paying), self._locked(run):
            run.record(payer=paying)
            config = run.directory.read()
            options = RunOptions.of(config["options"], changes)
            if options.stored() != config["options"]:
                run.directory.write({**config, "options": options.stored()})
            run.drop_upload()
            run.enqueue(retry=retry)
        self._news.set()

    @contextmanager
    def _counted(self, owner: str | None) -> Iterator[None]:
        """Count one more run of this owner while it is begun. Raise ConflictError if the owner has too many."""
        if owner is None:
            yield
            return
        waiting = sum(HostedRun(self.folder, path.name).payer == owner for path in self._queue())
        if waiting + self._beginning[owner] >= MAX_OWN_RUNS:
            found = f"runs: {owner} has {MAX_OWN_RUNS} that are queued or running"
            raise ConflictError(f"{found}; at most {MAX_OWN_RUNS} are allowed; wait for one to end, or cancel one")
        self._beginning[owner] += 1
        try:
            yield
        finally:
            self._beginning[owner] -= 1

    def _queue(self) -> list[Path]:
        try:
            return sorted((self.folder / "queue").iterdir())
        except FileNotFoundError:
            return []

    def remove(self, run: HostedRun) -> None:
        """Delete the run's folder; its verdicts stay in the journal."""
        with self._locked(run):
            run.marker.unlink(missing_ok=True)
            # Rename it first, so that it disappears at once: another task may be reading it and building its table.
            gone = self.folder / f"{TEMPORARY}{run.run_id}"
            run.directory.path.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)

    def _locked(self, run: HostedRun) -> ExitStack:
        stack = ExitStack()
        try:
            stack.enter_context(run.directory.locked())
        except InputError:
            raise ConflictError(f"{run.run_id}: the run is in progress; cancel it and wait for it to end") from None
        return stack

    # -- the background ------------------------------------------------------------------------------------------------

    async def work(self) -> None:
        """Execute the queued runs, a few at a time, until the service closes."""
        (self.folder / "queue").mkdir(mode=0o700, parents=True, exist_ok=True)
        while not self.closing.is_set():
            self._news.clear()
            try:
                await self._stop_revoked()
                self._begin_queued()
            except OSError as problem:  # for example too many open files; try again later
                _log.error(one_line(f"runs: {problem}"))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), _LOOK_EVERY)

    def _begin_queued(self) -> None:
        for path in self._queue():
            waits = self._not_before.get(path.name, 0.0) > time.monotonic()
            if len(self._tasks) < self._at_once and not waits and path.name not in self._tasks:
                self._tasks[path.name] = asyncio.create_task(self._execute(path.name))

    async def _stop_revoked(self) -> None:
        """Stop the runs of people who may no longer use the service."""
        for run_id, halt in list(self._halts.items()):
            try:
                await asyncio.to_thread(self._budget, HostedRun(self.folder, run_id))
            except InputError as error:
                halt.ask("revoked", str(error))
            except AdjudgeError as error:  # the database cannot be read; check again later
                _log.error(one_line(f"{run_id}: {error}"))

    def _budget(self, run: HostedRun) -> Budget | None:
        payer = run.payer
        return self._payer(payer) if self._payer is not None and payer is not None else None

    async def close(self) -> None:
        """Drop the calls in flight. The runs stay queued, and the next process continues them."""
        self.closing.set()
        self._news.set()
        for halt in self._halts.values():
            halt.ask("interrupted")
            halt.now.set()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _execute(self, run_id: str) -> None:
        run = HostedRun(self.folder, run_id)
        try:
            if not _ID.fullmatch(run_id) or not run.directory.exists:
                raise ConflictError("begun at this moment, or deleted at the one before")
            with self._locked(run):
                why, error = await self._continue(run)
                if why in ("cancelled", "interrupted") or (why == "paused" and not run.is_pausing):
                    return  # keep the marker: a resume may have created it again, or the next process needs it
                run.record(why=why or None, error=error)
                run.marker.unlink(missing_ok=True)
            if self._after is not None:
                try:
                    await asyncio.to_thread(self._after, run)
                except Exception:  # not fatal, because what `after` prepares can also be made on demand
                    if run.directory.exists:  # else it was deleted meanwhile
                        _log.exception(run.run_id)
        except ConflictError:
            self._not_before[run_id] = time.monotonic() + _LOOK_EVERY
        except (JournalError, SetupError, OSError) as problem:
            _log.error(one_line(f"{run_id}: {problem}; trying again in {_AFTER_TROUBLE:g} s"))
            self._not_before[run_id] = time.monotonic() + _AFTER_TROUBLE
        finally:
            del self._tasks[run_id]
            self._news.set()

    async def _continue(self, run: HostedRun) -> tuple[str, str | None]:
        """Execute a run. Return why it stopped early (empty if it did not), and a sentence for its owner or None."""
        halt = self._halts[run.run_id] = Halt()
        try:
            if run.is_pausing:
                return "paused", None  # the process that executed it has died
            retry = b"retry" in run.marker.read_bytes()
            with run.marker.open("r+b") as file:
                file.write(b"running retry" if retry else b"running")
            state = await self._loaded(run, retry)
            options = RunOptions.of(state.config["options"], {})
            try:
                payer = await asyncio.to_thread(self._budget, run)
            except InputError as error:
                return "revoked", str(error)
            except SetupError as error:
                raise JournalError(str(error)) from None  # the service's database is down: try again later
            if state.open:
                check_can_be_asked(await estimate(state), options)
            await execute(state, options, FileProgress(run, state, halt), halt, payer)
            if halt.detail:
                _log.error(one_line(f"{run.run_id}: {halt.why}: {halt.detail}"))
            return halt.why, halt.detail if halt.why == "revoked" else None
        except FileNotFoundError:
            return "cancelled", None
        except JournalError:
            raise
        except AdjudgeError as error:
            # Only log the message, because it may name files and variables of this machine.
            _log.error(one_line(f"{run.run_id}: {error}"))
            return "error", None
        except Exception:
            _log.exception(run.run_id)
            return "error", None
        finally:
            del self._halts[run.run_id]

    async def _loaded(self, run: HostedRun, retry: bool) -> RunState:
        load = partial(load_state, run.directory, retry=retry, journal_at=self._journal)
        state = await asyncio.to_thread(load)
        if state.suspects:
            # Skip cases that crash the process, or they would crash the service again and again.
            _log.error(one_line(f"{run.run_id}: skipping cases that crash the process: {', '.join(state.suspects)}"))
            await skip_cases(run.directory, self._journal, list(state.suspects))
            state = await asyncio.to_thread(load)
        return state
