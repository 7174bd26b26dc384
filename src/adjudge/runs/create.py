"""Creates a run: reads and checks all cases of INPUT and copies them into the run's directory.

With its own copy a run can be resumed even if the input came through a pipe or has changed since. Bad rows are found
before the first call is paid for, and not after an hour.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from array import array
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, BinaryIO

import orjson

from ..errors import InputError, plain_reason
from ..files import make_private, open_private, replacing, user_path
from ..inputs.rows import BadRow, Rows
from ..journal import call_key, data_folder, masked
from ..protocols.base import protocol_of
from ..version import __version__
from .directory import OWN_JOURNAL, RunDirectory, case_digest, write_case
from .plan import RunOptions, Settings

_SHOWN = 5
_SKETCH = 4096


@dataclass(frozen=True, slots=True)
class SpooledCases:
    """What was read: the column mapping, how many cases there are of each kind, and a digest of them all."""

    mapping: Mapping[str, str]
    cases: int
    distinct: int
    bad: int
    labelled: int
    digest: str


def spool(rows: Rows, file: BinaryIO, *, skip_bad: bool) -> SpooledCases:
    """Write all cases to the file. Raise one InputError for all bad rows, which explains the first few of them.

    Distinct cases are counted in little memory: exactly up to 4,096, and above that within a few per cent. Only hashes
    divisible by `every` are kept, and `every` is doubled whenever there are too many.
    """
    cases = bad = labelled = 0
    shown: list[str] = []
    digest, kept, every = hashlib.sha256(), set[int](), 1
    for row in rows:
        if isinstance(row, BadRow):
            bad += 1
            if len(shown) < _SHOWN:
                shown.append(f"{row.place}: {row.message}")
        elif row.label is not None:
            labelled += 1
        line = write_case(cases, row)
        file.write(line)
        cases += 1
        digest.update(line)
        if (hashed := case_digest(line)) % every == 0:
            kept.add(hashed)
            if len(kept) > _SKETCH:
                every *= 2
                kept = {one for one in kept if one % every == 0}
    if bad and (not skip_bad or bad == cases):
        more = f" (and {bad - len(shown):,} more)" if bad > len(shown) else ""
        listed = "; ".join(shown) + more
        allowed = "correct them, or count them as failures with --skip-bad" if bad < cases else "no row can be judged"
        raise InputError("INPUT", f"{bad:,} of {cases:,} rows cannot be judged: {listed}", allowed)
    if not cases:
        raise InputError("INPUT", "no case in it", "at least one is needed")
    return SpooledCases(rows.mapping, cases, min(cases, len(kept) * every), bad, labelled, digest.hexdigest())


def in_order(path: Path, cases: int, *, shuffle: int | None = None, limit: int | None = None) -> Iterator[bytes]:
    """Yield the lines of the stored cases in file order, or shuffled with a seed; at most `limit` of them."""
    wanted = cases if limit is None else min(limit, cases)
    with path.open("rb") as file:
        if shuffle is None:
            for _, line in zip(range(wanted), file, strict=False):
                yield line
            return
        # Keep only the offset of each line in memory, eight bytes per case; the cases stay on disk.
        begins, at = array("Q"), 0
        for line in file:
            begins.append(at)
            at += len(line)
        Random(shuffle).shuffle(begins)
        for begin in begins[:wanted]:
            file.seek(begin)
            yield file.readline()


def create(
    directory: RunDirectory, settings: Settings[Any], rows: Rows, *, source: str,
    journal: str | None = None, shuffle: int | None = None, skip_bad: bool = False,
    options: RunOptions = RunOptions(), given: Mapping[str, Any] | None = None, run_id: str | None = None,
    created: datetime | None = None,
) -> SpooledCases:  # fmt: skip
    """Create the run. If the directory holds a run that has begun, check that it has the same cases and settings.

    `given` holds the command's options that determine the verdicts, so that a resume can be compared with them.
    `created` is the time that it is dated with, by default now.
    """
    config = directory.read() if directory.exists else None
    # A run that has sent no request yet (after a dry run, or because a key is missing) may be replaced.
    begun = config if config is not None and config.get("begun") else None
    for leftover in (directory.verdicts, directory.failures, directory.path / OWN_JOURNAL):
        if config is None and leftover.exists():
            raise InputError(str(leftover), "already exists", "a new run needs an empty folder")
    try:
        with replacing(directory.cases) as file:
            spooled = spool(rows, file, skip_bad=skip_bad)
            wanted = {
                "protocol": settings.protocol,
                "settings": settings.stored(),
                "rubric": settings.rubric.source,
                "digest": spooled.digest,
                "shuffle": shuffle,
            }
            if begun is not None:
                _refuse_another(directory, begun, orjson.loads(orjson.dumps(wanted)))
    except OSError as error:
        raise InputError(str(directory.cases), f"cannot be written: {plain_reason(error)}", "") from None
    if begun is not None:
        return spooled
    directory.write(
        {
            "run_id": run_id or "r" + secrets.token_hex(6),
            "software": __version__,
            "created": (created or datetime.now(UTC)).isoformat(timespec="seconds"),
            **({"dated": True} if created else {}),
            "journal": journal_name(journal),
            "begun": False,
            **wanted,
            "input": {
                "source": source,
                "mapping": dict(spooled.mapping),
                **{name: getattr(spooled, name) for name in ("cases", "distinct", "bad", "labelled")},
            },
            "given": dict(given or {}),
            "options": options.stored(),
        }
    )
    record_own_run(directory.read())
    return spooled


def journal_name(journal: str | None) -> str:
    """Return the journal as run.json stores it: a file name in the run's folder, a full path, or a masked address."""
    if journal is None:
        return OWN_JOURNAL
    return masked(journal) if "://" in journal else str(user_path(journal).resolve())


def _refuse_another(directory: RunDirectory, config: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise InputError if the folder holds a run with other cases, another rubric or other settings."""
    for name, difference in (
        ("digest", "with other cases"), ("protocol", "with another protocol"), ("rubric", "with another rubric"),
        ("shuffle", "with another shuffle"),
    ):  # fmt: skip
        if config[name] != wanted[name]:
            raise InputError(str(directory.path), f"holds a run {difference}", "give another folder with --run")
    for key in {**config["settings"], **wanted["settings"]}:
        before, now = config["settings"].get(key), wanted["settings"].get(key)
        if before != now:
            found = f"holds a run with {key.replace('_', ' ')} {json.dumps(before)}, not {json.dumps(now)}"
            raise InputError(str(directory.path), found, "give another folder with --run, or continue with --resume")


# -- trust ------------------------------------------------------------------------------------------------------------
# A run folder names a judge, a search service and a journal, and this user's keys would be sent to them. So we continue
# a run made by another user only if this user says that it can be trusted.


def record_own_run(config: Mapping[str, Any]) -> None:
    """Record in the user's data folder that the run is the user's own."""
    # If the data folder cannot be written, --resume will ask for --trust.
    with suppress(OSError):
        make_private(_own_runs())
        with open_private(_own_runs(), "ab") as file:
            file.write(_fingerprint(config).encode() + b"\n")


def check_trust(directory: RunDirectory, trusted: bool) -> None:
    """Raise InputError if the run is neither the user's own nor trusted and names services that would get keys."""
    config = directory.read()
    # The run's own journal and the embedded judge get no keys.
    services = protocol_of(config["protocol"]).settings.named("judge", "search")
    given = {key: config["settings"].get(key) for key in services}
    named = [f"{key} {value}" for key, value in given.items() if value and value != "embedded"]
    if config["journal"] != OWN_JOURNAL:
        named.append(f"journal {config['journal']}")
    if not named or _is_own(directory, config):
        return
    if not trusted:
        found = f"this run was not started by you on this machine, and your keys may be sent to: {', '.join(named)}"
        raise InputError(str(directory.path), found, "add --trust if these are right")
    record_own_run(config)


def _is_own(directory: RunDirectory, config: Mapping[str, Any]) -> bool:
    owners = {path.stat().st_uid for path in (directory.path, directory.config_file)}
    if hasattr(os, "getuid") and owners != {os.getuid()}:
        return False
    with suppress(OSError):
        return _fingerprint(config) in _own_runs().read_text("ascii").split()
    return False


def _fingerprint(config: Mapping[str, Any]) -> str:
    # Do not hash the id alone: another user who has seen it could put it into a folder that names another judge.
    return call_key({name: config[name] for name in ("run_id", "settings", "journal")})


def _own_runs() -> Path:
    return data_folder() / "runs"
