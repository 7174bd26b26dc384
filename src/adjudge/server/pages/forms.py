"""A form that was sent: who may send one, its fields as text, and which field an error belongs to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import Depends, Request

from ...arithmetic import to_decimal
from ...errors import AdjudgeError, ConflictError, InputError, TooLargeError
from ..bodies import UploadedFile, read_body, split_form
from ..callers import check_form, check_origin

MAX_FORM_FIELDS = 200
_KIND = "application/x-www-form-urlencoded"
_WEIGHT = "weights."


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form that a page of ours sent."""
    check_origin(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _KIND:
        raise InputError("content-type", repr(kind[:80]), f"{_KIND} is needed")
    body = await read_body(request)
    try:
        text = body.decode("ascii")
        pairs = await asyncio.to_thread(
            parse_qsl, text, keep_blank_values=True, errors="strict", max_num_fields=MAX_FORM_FIELDS
        )
    except (UnicodeError, ValueError) as error:
        allowed = f"UTF-8 text in at most {MAX_FORM_FIELDS} fields is needed"
        raise InputError("body", f"not a form: {str(error)[:80]}", allowed) from None
    return _checked(pairs)


# A route that takes it after the caller refuses a role before it reads what was sent.
FieldsOf = Annotated[dict[str, str], Depends(read_form)]


async def read_upload_form(request: Request) -> tuple[UploadedFile | None, dict[str, str]]:
    """The file of a form, if one was chosen, and its other fields."""
    kind = request.headers.get("content-type", "")
    if not kind.lower().startswith("multipart/form-data"):
        return None, await read_form(request)
    check_origin(request)
    file, pairs = await asyncio.to_thread(split_form, await read_body(request), kind)
    return file if file.content or file.name else None, _checked(pairs)


def _checked(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The fields, which of a signed-in browser must hold the code of its session.

    Browsers send every line end as CR LF, whatever was pasted.
    """
    fields = {name: value.replace("\r\n", "\n") for name, value in pairs}
    check_form(fields.pop("csrf", None))
    return fields


def weights_in(fields: Mapping[str, str]) -> dict[str, Any]:
    """The weights of sliders, each a field of its own; what is no number is refused where weights are checked."""
    given = {name.removeprefix(_WEIGHT): value for name, value in fields.items() if name.startswith(_WEIGHT)}
    return {key: value if (exact := to_decimal(value)) is None else exact for key, value in given.items()}


def said_beside(field: str, error: InputError | None) -> str:
    """An error as it stands beside its field, or above all of them; empty if there is none."""
    if error is None:
        return ""
    return f"{error.found}; {error.allowed}" if field and error.allowed else str(error)


def status_of(error: AdjudgeError | None) -> int:
    """The status of a page that says what is wrong with its form."""
    if error is None:
        return 200
    return 413 if isinstance(error, TooLargeError) else 409 if isinstance(error, ConflictError) else 400
