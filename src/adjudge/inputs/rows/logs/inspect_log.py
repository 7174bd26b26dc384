"""Reads Inspect's logs: JSON, and `.eval`, a ZIP file with a JSON file for each sample.

Newer versions compress the parts with Zstandard, which Python's zipfile can unpack from 3.14 on; before that DuckDB
does it. Every part has a limit, whatever its header says about its size.
"""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from ....errors import InputError, TooLargeError, plain_reason
from ....protocols.reading import BadRow, LoggedAnswer
from ...json import MAX_ITEM, nested_items
from ...text import Unreadable
from ..records import Source
from .texts import answered_in, asked_in, column_of, message_of, short, unfit

MAX_PARTS = 200_000
_ZSTANDARD = 93
_LOCAL_HEADER = 30
_ATTACHMENT = "attachment://"
_NEEDED = "a whole .eval log of Inspect is needed"


def read_samples(items: Iterable[tuple[str, str, Any]]) -> Iterator[LoggedAnswer | BadRow]:
    """Yield the answers in a log, given its members: their places, names and values. A sample has the name ""."""
    model = ""
    for number, (place, name, value) in enumerate(items):
        if name == "eval" and isinstance(value, Mapping):
            model = str(value.get("model") or "")
        if name:
            continue
        try:
            if not isinstance(value, Mapping):
                raise InputError(place, unfit(value, "a sample"))
            yield _answer(value, place, model, number)
        except InputError as error:
            own = place.rpartition(", ")[2]
            yield BadRow(place, own, f"{error.found}; {error.allowed}".removesuffix("; "))


def _answer(sample: Mapping[str, Any], place: str, model: str, number: int) -> LoggedAnswer:
    attachments = _Attachments(sample.get("attachments"))
    resolved = {key: attachments.resolved(sample.get(key)) for key in ("input", "messages", "output")}
    output = resolved["output"] if isinstance(resolved["output"], Mapping) else {}
    messages = resolved["messages"] if isinstance(resolved["messages"], list) and resolved["messages"] else None
    answered = any(isinstance(one, Mapping) and one.get("role") == "assistant" for one in messages or ())
    completion = output.get("completion")
    answer = completion if isinstance(completion, str) and completion else answered_in(output or None, "output")
    if not answer and answered:
        answer = answered_in(messages, "messages")
    problem = message_of(sample.get("error"))
    if not problem and not answered and not answer:
        problem = "no output"
    epoch, own = sample.get("epoch"), sample.get("id")
    name = str(number if own is None else own)
    name = f"{name} epoch {epoch}" if isinstance(epoch, int) and epoch > 1 else name
    system = model if model not in ("", "none/none") else str(output.get("model") or "model")
    extra: dict[str, Any] = {"epoch": epoch} if epoch is not None else {}
    for key in ("metadata", "scores"):
        members = sample.get(key)
        for inner, value in members.items() if isinstance(members, Mapping) else ():
            extra[f"{key}.{inner}"] = value.get("value") if key == "scores" and isinstance(value, Mapping) else value
    return LoggedAnswer(
        place, name, name, system, column_of(system), asked_in(resolved["input"], "input"),
        answer, messages, has_steps=messages is not None, reference=_target(sample.get("target")),
        problem=f"Inspect says: {short(problem)}" if problem else "", extra=extra,
    )  # fmt: skip


def _target(value: Any) -> Any:
    """Return the target. Several are alternatives."""
    texts = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
    return "\nor\n".join(texts) if texts else value or None


class _Attachments:
    """Long texts, which a log holds once. A few of them, repeated many times, would be more than a sample may be."""

    def __init__(self, texts: Any) -> None:
        self._texts = texts if isinstance(texts, Mapping) else {}
        self._left = MAX_ITEM

    def resolved(self, value: Any) -> Any:
        """Put the texts back where they belong."""
        if not self._texts:
            return value
        if isinstance(value, str) and value.startswith(_ATTACHMENT):
            text = self._texts.get(value.removeprefix(_ATTACHMENT), value)
            self._left -= len(text) if isinstance(text, str) else 0
            if self._left < 0:
                raise TooLargeError("attachments", f"more than {MAX_ITEM:,} characters", "a shorter sample is needed")
            return text
        if isinstance(value, list):
            return [self.resolved(one) for one in value]
        return {key: self.resolved(one) for key, one in value.items()} if isinstance(value, Mapping) else value


# -- .eval -------------------------------------------------------------------------------------------------------------


def eval_members(source: Source) -> Iterator[tuple[str, str, Any]]:
    """Yield the header of an `.eval` file and its samples, with their places and names."""
    if source.is_piped or source.is_zipped:
        raise InputError(source.name, "an .eval log cannot be read from a pipe or a .gz file", "give the file itself")
    try:
        with zipfile.ZipFile(source.path) as log, tempfile.TemporaryDirectory() as folder:
            parts = {info.filename: info for info in log.infolist()}
            header = next((parts[name] for name in ("header.json", "_journal/start.json") if name in parts), None)
            if header is None:
                raise InputError(source.name, "a ZIP file without header.json", _NEEDED)
            samples = [info for name, info in parts.items() if name.startswith("samples/") and name.endswith(".json")]
            if len(samples) > MAX_PARTS:
                raise TooLargeError(source.name, f"{len(samples):,} samples", f"at most {MAX_PARTS:,} are allowed")
            size = 0
            for info in (header, *samples):
                place = f"{source.name}, {info.filename}"
                # Counted before it is unpacked, so that parts that turn out not to be text count, too.
                source.check_unpacked(size := size + info.file_size)
                try:
                    text = _text(log, info, place, Path(folder))
                except InputError as error:
                    if info is header:
                        raise
                    yield place, "", Unreadable(error.found, error.allowed)
                    continue
                if info is header:
                    yield from ((place, name, item.value) for name, item in _members(text, place))
                else:
                    yield place, "", _sample(text, place)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(source.name, f"not an .eval log, or a broken one: {error}", _NEEDED) from None
    except OSError as error:
        raise InputError(source.name, plain_reason(error)) from None


def _members(text: str, place: str) -> Iterator[tuple[str, Any]]:
    # No log has an array of this name, so all members are read as such.
    return nested_items([text], lambda _: place, ("\0",))


def _sample(text: str, place: str) -> Any:
    try:
        # As the only item of an array, a sample is read in the same way as one in a JSON log.
        ((_, item),) = nested_items(['{"samples":[', text, "]}"], lambda _: place, ("samples",))
        return item.value
    except InputError as error:
        return Unreadable(error.found, error.allowed)
    except ValueError:
        return Unreadable("not one JSON value", "a sample of Inspect is needed")


def _text(log: zipfile.ZipFile, info: zipfile.ZipInfo, place: str, folder: Path) -> str:
    """Unpack one part of the file, and stop when it is larger than allowed."""
    if info.flag_bits & 1:
        raise InputError(place, "is encrypted", _NEEDED)
    if info.file_size > MAX_ITEM:
        raise _too_large(place, f"{info.file_size:,}")
    if info.compress_type == _ZSTANDARD and not hasattr(zipfile, "ZIP_ZSTANDARD"):
        raw = _unpacked(log, info, place, folder)
    else:
        try:
            with log.open(info) as part:
                raw = part.read(MAX_ITEM + 1)
        except NotImplementedError:
            raise InputError(place, f"compressed by the method {info.compress_type}", _NEEDED) from None
    if len(raw) > MAX_ITEM:
        raise _too_large(place, f"more than {MAX_ITEM:,}")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise InputError(place, "not UTF-8", _NEEDED) from None


def _too_large(place: str, size: str) -> TooLargeError:
    return TooLargeError(place, f"{size} bytes", f"at most {MAX_ITEM:,} are allowed for a sample")


def _unpacked(log: zipfile.ZipFile, info: zipfile.ZipInfo, place: str, folder: Path) -> bytes:
    import duckdb

    file: IO[bytes] | None = log.fp
    assert file is not None
    file.seek(info.header_offset)
    local = file.read(_LOCAL_HEADER)
    if len(local) < _LOCAL_HEADER or local[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile("a part is not where the directory says")
    file.seek(int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little"), 1)
    packed = folder / "part.zst"
    packed.write_bytes(file.read(info.compress_size))
    options = f"compression='zstd', format='unstructured', maximum_object_size={MAX_ITEM}"
    try:
        with duckdb.connect(config={"threads": 1, "memory_limit": "2GB"}) as connection:
            rows = connection.execute(f"SELECT json FROM read_json_objects(?, {options})", [str(packed)]).fetchmany(2)
    except duckdb.Error as error:
        if "maximum_object_size" in str(error):
            raise _too_large(place, f"more than {MAX_ITEM:,}") from None
        raise InputError(place, "cannot be unpacked, or is not JSON", _NEEDED) from None
    if len(rows) != 1:
        raise InputError(place, "not one JSON value", _NEEDED)
    return str(rows[0][0]).encode()
