"""Reads request bodies up to a size limit, and decodes forms in time and memory that grow only with their size.

Starlette parses forms with files. URL-encoded ones are decoded here, because its decoder runs on the event loop and
takes 200 bytes for each `%41`. Neither Starlette nor uvicorn limits the size of a body or the time it takes. How many
bytes of all bodies are held at once is limited in `guard.py`.
"""

from __future__ import annotations

import asyncio
from binascii import a2b_qp
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from fastapi import HTTPException, Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from ..errors import InputError, TooLargeError
from ..inputs.json import parse_object
from ..text.decoding import decode

BODY_SECONDS = 60.0
MAX_BODY_BYTES = 16_000_000
MAX_FORM_FIELDS = 200
_MOST_BESIDE_A_FILE = 50
_PIECE = 65_536


async def read_body(request: Request, most: int = MAX_BODY_BYTES) -> bytes:
    """Return the body. Stop reading and raise an error as soon as it is too large or takes too long."""
    body = bytearray()  # not a list of chunks, which may be tiny
    async with _in_time(request):
        async for chunk in _chunks(request, most):
            body += chunk
    return bytes(body)


@asynccontextmanager
async def _in_time(request: Request) -> AsyncIterator[None]:
    seconds = request.app.state.body_seconds
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise HTTPException(408, f"body: not complete after {seconds:g} s", {"connection": "close"}) from None


async def _chunks(request: Request, most: int) -> AsyncGenerator[bytes, None]:
    packed = request.headers.get("content-encoding", "identity")
    if packed.lower() != "identity":
        raise InputError("content-encoding", repr(packed[:80]), "send the body uncompressed")
    too_large = TooLargeError("body", f"more than {most:,} bytes", f"at most {most:,} are allowed")
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        raise too_large
    received = 0
    async for chunk in request.stream():
        received += len(chunk)
        if received > most:
            raise too_large
        yield chunk


def form_fields(body: bytes, most: int = MAX_FORM_FIELDS) -> list[tuple[str, str]]:
    """Return the fields of a URL-encoded form, at most so many."""
    fields = [pair.partition(b"=") for pair in body.split(b"&", most) if pair]
    if len(fields) > most:
        raise InputError("body", f"not a form: more than {most} fields", "fewer are allowed")
    try:
        return [(_unescaped(name).decode(), _unescaped(value).decode()) for name, _, value in fields]
    except UnicodeDecodeError as error:
        raise InputError("body", f"not a form: {error.reason}", "UTF-8 text is needed") from None


def _unescaped(text: bytes) -> bytes:
    """Decode `%41` and `+`, piece by piece: one piece holds the interpreter lock for about a millisecond."""
    if b"\n" in text or b"\r" in text:  # in a form it is always escaped; after a `=` the decoder would drop it
        raise _not_a_form()
    pieces, begin = [], 0
    while begin < len(text):
        end = begin + _PIECE
        # Do not cut an escape in two.
        cut = text.rfind(b"%", end - 2, end) if end < len(text) else -1
        end = end if cut < 0 else cut
        pieces.append(_decoded(text[begin:end]))
        begin = end
    return b"".join(pieces)


def _decoded(piece: bytes) -> bytes:
    """Decode escapes as quoted-printable text (`=41`), because the decoder for that is written in C."""
    decoded = a2b_qp(piece.replace(b"+", b" ").replace(b"=", b"%3D").replace(b"%", b"="))
    # An escape turns three bytes into one; where one is wrong, fewer are saved.
    if len(decoded) != len(piece) - 2 * piece.count(b"%"):
        raise _not_a_form()
    return decoded


def _not_a_form() -> InputError:
    return InputError("body", "not a form", "every % needs two hexadecimal digits, and a line end is %0D%0A")


class UploadedFile(NamedTuple):
    """A file from a form, or a body that is the file, with the sender's name for it and its content type."""

    content: bytes
    name: str
    kind: str


async def read_upload(request: Request) -> tuple[UploadedFile, dict[str, str]]:
    """Return an uploaded file and its fields: from a form, or from the body and the query parameters."""
    kind = request.headers.get("content-type", "")
    given = request.query_params.multi_items()
    if kind.lower().startswith("multipart/form-data"):
        file, beside = await read_parts(request)
        given += beside
        if file is None:
            raise InputError("file", "missing", "a form needs a file in the field `file`")
    else:
        file = UploadedFile(await read_body(request), "", kind.partition(";")[0].strip().lower())
    if not file.content.strip():
        raise InputError("file", "empty", "a file of cases is needed")
    return file, each_once(given)


def each_once(given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the fields by name; raise InputError if one appears twice."""
    fields: dict[str, str] = {}
    for name, value in given:
        if name in fields:
            raise InputError(name[:80], "appears twice", "each field once")
        fields[name] = value
    return fields


class _UploadParser(MultiPartParser):
    spool_max_size = MAX_BODY_BYTES  # on no disk


async def read_parts(request: Request) -> tuple[UploadedFile | None, list[tuple[str, str]]]:
    """Return the file of a multipart form, if it has one, and its other fields."""
    parser = _UploadParser(
        request.headers,
        _chunks(request, MAX_BODY_BYTES),
        max_files=1,
        max_fields=_MOST_BESIDE_A_FILE,
        max_part_size=MAX_BODY_BYTES,
    )
    try:
        async with _in_time(request):
            form = await parser.parse()
    except MultiPartException as error:
        found = f"not a form: {error.message[:1].lower()}{error.message[1:].rstrip('.')}"
        raise InputError("body", found, "multipart/form-data with one file is needed") from None
    try:
        sent = [(name, await _uploaded(part)) for name, part in form.multi_items()]
    finally:
        await form.close()
    files = [part for name, part in sent if name == "file"]
    if len(files) > 1:
        raise InputError("file", "appears twice", "one file is allowed")
    fields = [(name, decode(part.content, name[:80])) for name, part in sent if name != "file"]
    return files[0] if files else None, fields


async def _uploaded(part: str | UploadFile) -> UploadedFile:
    if isinstance(part, str):
        return UploadedFile(part.encode(), "", "text/plain")
    return UploadedFile(await part.read(), part.filename or "", part.content_type or "text/plain")


async def read_object(request: Request, wanted: str, *, optional: bool = False) -> dict[str, Any]:
    """Return the JSON object in the body; `wanted` lists its fields for errors. If `optional`, an empty body is {}."""
    body = await read_body(request)
    return {} if optional and not body.strip() else await asyncio.to_thread(parse_object, body, "body", wanted)
