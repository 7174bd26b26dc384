"""One run of a service: its status, its owner and who pays for it. Several processes may read its folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field

from ..errors import InputError, SetupError
from ..files import open_private
from ..protocols.base import names
from .directory import RunDirectory, read_whole, write_whole
from .state import Tally

Stopped = Literal["cancelled", "paused", "budget", "unreachable", "revoked", "error"]
_STOPPED_WORDS: dict[str, str] = {
    "budget": "the budget does not allow one more call",
    "unreachable": "the judge cannot be reached, or does not accept the service's key",
    "error": "the run cannot be continued as it is; the service's log has the details",
}


class RunStatus(BaseModel):
    """The state of a run. Every case is in exactly one of verdicts, failures and open."""

    model_config = ConfigDict(extra="ignore")

    run_id: str
    name: str
    protocol: str = Field(json_schema_extra=lambda schema: schema.update(enum=[*names()]))
    state: Literal["queued", "running", "stopped", "finished"]
    stopped_by: Stopped | None = Field(
        None, description="Why the run stopped, if it did; `error` says it in a sentence."
    )
    error: str | None = None
    pausing: bool = Field(False, description="Whether a running run only finishes the cases in flight, to pause then.")
    created: str
    judges: list[str]
    rubric: str = Field(description="Name and version.")
    source: str = Field(description="The file's name.")
    cases: int
    verdicts: int
    failures: int
    open: int
    answers: dict[str, int] = Field(description="Decided verdicts by answer.")
    undecided: int
    reasons: dict[str, int] = Field(description="Failures by reason.")
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: str = Field(description="What the replies behind the outcomes cost.")
    paid_usd: str = Field(description="What was paid for this run; a reply that was in the journal costs nothing.")
    cases_without_a_price: int
    conduct: dict[str, Any] | None = Field(
        None,
        description="How the judge behaved, measured when the run last stopped or ended: `level`, `sentence`, and for "
        "each trait its share, interval and thresholds.",
    )
    agreement: dict[str, int] | None = Field(None, description="Labelled cases, and how many verdicts agree.")
    per_second: float = 0.0
    seconds_left: float | None = None
    waits_for: str | None = None
    budget: str | None = Field(None, description="Dollars that the run may cost.")
    rate: float | None = Field(None, description="Calls a minute to each provider.")
    concurrency: int = Field(description="Calls in flight to each provider.")


@contextmanager
def as_setup_error(run_id: str) -> Iterator[None]:
    """Turn an InputError about a run's own files into a SetupError, which is logged and not shown to the caller: the
    caller did not cause it, and it names paths on this machine."""
    try:
        yield
    except InputError as error:
        if run_id not in str(error):
            raise
        raise SetupError(str(error)) from None


class HostedRun:
    """One of the runs in a service's folder."""

    def __init__(self, folder: Path, run_id: str) -> None:
        self.run_id = run_id
        self.directory = RunDirectory(folder / "runs" / run_id)
        self.marker = folder / "queue" / run_id
        self.progress = self.directory.path / "progress.json"
        self._file = self.directory.path / "service.json"
        self._look = self.directory.path / "look.json"

    @property
    def owner(self) -> str | None:
        """The person who owns the run; None on an open service."""
        return read_whole(self._file).get("owner")

    @property
    def payer(self) -> str | None:
        """The person who pays for the run: its owner, or the payer named when it was resumed. None if nobody does."""
        return read_whole(self._file).get("payer", self.owner) or None

    @property
    def estimate(self) -> dict[str, Any] | None:
        """The estimated calls and cost, for a run that was created without being started; else None."""
        return read_whole(self._file).get("estimate")

    @property
    def is_pausing(self) -> bool:
        """Whether the run takes no new case, and is to be paused when those in flight are finished."""
        try:
            return b"pausing" in self.marker.read_bytes()
        except FileNotFoundError:
            return False

    def remark(self, old: bytes, new: bytes) -> bool:
        """Replace a word in the marker by one as long. Return False if the run is not queued, or lacks the word."""
        with suppress(FileNotFoundError), self.marker.open("r+b") as file:
            if old in (content := file.read()):
                file.seek(0)
                return bool(file.write(content.replace(old, new)))
        return False

    @property
    def live(self) -> dict[str, Any]:
        """What only a page shows of a run in progress: `left_between` in seconds or None, and the `latest` outcomes."""
        known = read_whole(self.progress)
        return {"left_between": known.get("left_between"), "latest": known.get("latest", [])}

    def status(self) -> RunStatus:
        """Read the run's status as the executing process last reported it."""
        with as_setup_error(self.run_id):
            config, plan = self.directory.read(), self.directory.plan()
        record, progress = read_whole(self._file), read_whole(self.progress)
        counts = {**Tally(config["input"]["cases"]).as_json(), **progress}
        try:
            marked = self.marker.read_bytes()
            state = "running" if b"running" in marked or b"pausing" in marked else "queued"
        except FileNotFoundError:
            marked, state = b"", "stopped" if counts["open"] else "finished"
        options, at_work, why = config["options"], state == "running", record.get("why")
        return RunStatus.model_validate(
            {
                **counts,
                "per_second": counts.get("per_second", 0.0) if at_work else 0.0,
                "seconds_left": counts.get("seconds_left") if at_work else None,
                # The provider's message is not shown to users.
                "conduct": read_whole(self.directory.summary).get("conduct"),
                "waits_for": "the judge" if at_work and counts.get("waits_for") else None,
                "run_id": self.run_id,
                "name": record.get("name", ""),
                "protocol": config["protocol"],
                "state": state,
                "pausing": b"pausing" in marked,
                "stopped_by": why if state == "stopped" else None,
                "error": (record.get("error") or _STOPPED_WORDS.get(why or "")) if state == "stopped" else None,
                "created": config["created"],
                "judges": list(plan.judges),
                "rubric": record.get("rubric", ""),
                "source": config["input"]["source"],
                **{name: options[name] for name in ("budget", "rate", "concurrency")},
            }
        )

    # -- before it is started ------------------------------------------------------------------------------------------

    @property
    def upload(self) -> Path | None:
        """The uploaded file, which is kept until the run is started; None if there is none."""
        return next(self.directory.path.glob("upload.*"), None)

    @property
    def look(self) -> dict[str, Any]:
        """What was last found in the upload and what was asked for, as `write_look` stored it."""
        return read_whole(self._look)

    def write_look(self, look: Mapping[str, Any]) -> None:
        """Store what was found in the upload."""
        with as_setup_error(self.run_id):
            write_whole(self._look, orjson.dumps(look))

    def forget_cases(self) -> None:
        """Remove the run that was created from the upload, which cannot be read as it is wanted now."""
        directory = self.directory
        for path in (directory.config_file, directory.cases, directory.verdicts, directory.failures):
            path.unlink(missing_ok=True)

    def drop_upload(self) -> None:
        """Remove the upload of a run that is started: it has its own copy of the cases."""
        self._look.unlink(missing_ok=True)
        if (path := self.upload) is not None:
            path.unlink(missing_ok=True)

    # -- what is stored ------------------------------------------------------------------------------------------------

    def record(self, **changes: Any) -> None:
        """Store facts about the run, such as its name or why it stopped."""
        with as_setup_error(self.run_id):
            write_whole(self._file, orjson.dumps({**read_whole(self._file), **changes}))

    def enqueue(self, *, retry: bool = False) -> None:
        """Queue the run for execution."""
        self.marker.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open_private(self.marker, "wb") as file:
            file.write(b"retry" if retry else b"")
