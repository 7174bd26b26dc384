"""Reads request bodies up to a size limit, and decodes forms in time and memory that grow only with their size.

Starlette's form parser is not used: like `urllib`, whose decoder it calls, it needs 1.3 GB and seconds for 16 MB of
`%41`. How many bytes of bodies are held at once is limited in `guard.py`.
"""

from __future__ import annotations

import asyncio
from binascii import a2b_qp
from collections.abc import Callable, Iterable
from email import message_from_string
from typing import Any, NamedTuple, TypeVar

from fastapi import HTTPException, Request

from ..errors import InputError, TooLargeError
from ..inputs.json import parse_object
from ..inputs.text import decode

T = TypeVar("T")

BODY_SECONDS = 60.0
MAX_BODY_BYTES = 16_000_000
MAX_FORM_FIELDS = 200
_MOST_BESIDE_A_FILE = 50
_PIECE = 65_536
_MOST_IN_A_HEAD = 2_000


async def read_body(request: Request, most: int = MAX_BODY_BYTES) -> bytes:
    """Return the body. Stop reading and raise an error as soon as it is too large or takes too long."""
    packed = request.headers.get("content-encoding", "identity")
    if packed.lower() != "identity":
        raise InputError("content-encoding", repr(packed[:80]), "send the body uncompressed")
    too_large = TooLargeError("body", f"more than {most:,} bytes", f"at most {most:,} are allowed")
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        raise too_large
    body, seconds = bytearray(), request.app.state.body_seconds
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise too_large
    except TimeoutError:
        raise HTTPException(408, f"body: not complete after {seconds:g} s", {"connection": "close"}) from None
    return bytes(body)


def form_fields(body: bytes) -> list[tuple[str, str]]:
    """Return the fields of a URL-encoded form."""
    fields = [pair.partition(b"=") for pair in body.split(b"&", MAX_FORM_FIELDS) if pair]
    if len(fields) > MAX_FORM_FIELDS:
        raise InputError("body", f"not a form: more than {MAX_FORM_FIELDS} fields", "fewer are allowed")
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
    body = await read_body(request)
    given = request.query_params.multi_items()
    if kind.lower().startswith("multipart/form-data"):
        file, beside = await asyncio.to_thread(split_form, body, kind)
        given += beside
    else:
        file = UploadedFile(body, "", kind.partition(";")[0].strip().lower())
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


def split_form(body: bytes, kind: str) -> tuple[UploadedFile, list[tuple[str, str]]]:
    """Return the file of a multipart form, and its other fields."""
    boundary = message_from_string(f"content-type: {kind}\r\n\r\n").get_boundary("")
    if not boundary:
        raise InputError("content-type", "a form without a boundary", "multipart/form-data; boundary=…")
    file: UploadedFile | None = None
    fields: list[tuple[str, str]] = []
    # Allow one part more than the limit: the file, the fields, and what follows the closing boundary.
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary.encode("latin-1", "replace"), _MOST_BESIDE_A_FILE + 4)[1:]
    for part in parts:
        if part.startswith(b"--"):
            break
        head, separator, content = part.partition(b"\r\n\r\n")
        if len(head) > _MOST_IN_A_HEAD:
            raise InputError("body", f"the headers of a part of the form have more than {_MOST_IN_A_HEAD:,} bytes")
        # Browsers encode these names as UTF-8, whatever the rules for other headers are.
        told = message_from_string(head.decode("utf-8", "replace").lstrip("\r\n") + "\r\n\r\n")
        name = told.get_param("name", header="content-disposition")
        if not separator or not isinstance(name, str):
            raise InputError("body", "a part of the form has no name", "multipart/form-data is needed")
        if name != "file":
            fields.append((name, decode(content, name[:80])))
            if len(fields) > _MOST_BESIDE_A_FILE:
                raise InputError("body", f"more than {_MOST_BESIDE_A_FILE} fields", "fewer are allowed")
        elif file is not None:
            raise InputError("file", "appears twice", "one file is allowed")
        else:
            file = UploadedFile(content, told.get_filename("") or "", told.get_content_type())
    if file is None:
        raise InputError("file", "missing", "a form needs a file in the field `file`")
    return file, fields


async def read_case(request: Request, read: Callable[[bytes], T]) -> T:
    """Parse the body with `read`, on a thread."""
    return await asyncio.to_thread(read, await read_body(request))


async def read_object(request: Request, wanted: str, *, optional: bool = False) -> dict[str, Any]:
    """Return the JSON object in the body; `wanted` lists its fields for errors. If `optional`, an empty body is {}."""
    body = await read_body(request)
    return {} if optional and not body.strip() else await asyncio.to_thread(parse_object, body, "body", wanted)
