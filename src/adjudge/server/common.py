"""Shared by all routes: the application's state, validation of input, and responses for failures."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

from fastapi import Depends, Query, Request, Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import PydanticCustomError

from ..engine import Engine
from ..errors import InputError
from ..models.base import to_json
from ..models.common import ErrorReport, Failure, Reason
from ..protocols.base import names
from ..protocols.options import Setting, http_fields
from ..protocols.settings import Settings
from ..rendering.escaping import one_line
from ..reports import error_report
from ..runs.hosting import HostedRuns
from .audit import AuditLog

_FAILED_STATUS = {"rate_limited": 503, "timeout": 504, "over_budget": 402}
# Public messages. Those of a provider or the network may name addresses and accounts, so they are only logged.
PUBLIC_MESSAGES: dict[Reason, str] = {
    "rejected": "the judge did not accept the request; the texts may be too long for it",
    "unauthorized": "the judge did not accept the service's key",
    "rate_limited": "the judge's rate limit is reached",
    "server_error": "the judge failed to answer",
    "timeout": "the judge did not answer in time",
    "connection": "the judge cannot be reached",
    "no_quorum": "too few members of the jury gave an opinion",
}
_NO_SEARCH = "the search failed"
FAILED_ONE = re.compile(rf"(.*?): ({'|'.join(PUBLIC_MESSAGES)}): .*", re.DOTALL)
# What is allowed, by the type of a pydantic error.
_ALLOWED = {
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    "string_type": "text",
    "list_type": "a list",
}
_log = logging.getLogger(__name__)
M = TypeVar("M", bound=BaseModel)
S = TypeVar("S", bound=Settings[Any])


def _known_protocol(name: str) -> str:
    if name not in (known := names()):
        *most, last = map(repr, known)
        raise PydanticCustomError("literal_error", "Input should be {all}", {"all": f"{', '.join(most)} or {last}"})
    return name


ProtocolName = Annotated[
    str,
    AfterValidator(_known_protocol),
    Field(json_schema_extra=lambda schema: schema.update(enum=[*names()])),
]

# For the OpenAPI description; docs/http.md explains what each status means.
ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": ErrorReport, "description": "What is wrong with the request, and what is allowed."},
    "5XX": {
        "model": ErrorReport,
        "description": "The judgment failed, and `failure` says why; it is never a score. Or something is not set up.",
    },
}


@dataclass(frozen=True, slots=True)
class State:
    """The open engine, the settings for judging requests by protocol, and the judges that requests may name.

    `first` are the settings that the service was started with; the others have the same judge.
    """

    engine: Engine
    first: Settings[Any]
    own: Mapping[str, Settings[Any]]
    allowed_judges: frozenset[str]
    runs: HostedRuns
    rubrics: Path  # the folder
    audit: AuditLog
    # Serializes writes of drafts: an owner's limits are checked before the write.
    drafting: asyncio.Lock = field(default_factory=asyncio.Lock)
    # Limits parallel reads: each reads a whole run, in up to 200 MB of memory.
    reading: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))

    def usual(self, kind: type[S]) -> S:
        """Return the service's own settings of this class."""
        return cast(S, self.own[kind.protocol])

    def judges(self, own: str) -> tuple[str, ...]:
        """Return the judges that requests may name, the default one (`own`) first."""
        return tuple(sorted({own, *self.allowed_judges}, key=lambda spec: (spec != own, spec)))

    def settings(self, own: S, asked: BaseModel, **more: Any) -> S:
        """Return `own` settings changed as the request asks. `judge` sets all judges that are not named themselves."""
        given = {name: value for name, value in asked if name in asked.model_fields_set and value is not None}
        judges = own.named("judge")
        for part in ("judge", *judges):
            if part in given and given[part] not in self.allowed_judges:
                allowed = f"one of {', '.join(sorted(self.allowed_judges))}"
                raise InputError(part, f"{given[part][:80]!r} is not allowed by this service", allowed)
        wanted = {**(dict.fromkeys(judges, given["judge"]) if "judge" in given else {}), **given, **more}
        try:
            return replace(own, **{name: value for name, value in wanted.items() if name in vars(own)})
        except InputError as error:
            fields = type(asked).model_fields
            raise error.renamed({name: each.alias for name, each in fields.items() if each.alias}) from None


def _state_of(request: Request) -> State:
    state: State = request.app.state.adjudge
    return state


StateOf = Annotated[State, Depends(_state_of)]


class Strict(BaseModel):
    """A request in which an unknown field is an error."""

    model_config = ConfigDict(extra="forbid")


def with_settings(
    model: type[M], settings: Mapping[str, Setting], *, camel: bool = False, text: bool = False
) -> type[M]:
    """Return a model with the fields of these settings added, for a JSON body or for the `text` of a query or form."""
    fields = http_fields(settings, camel=camel, text=text)
    return create_model(model.__name__, __base__=model, __doc__=model.__doc__, **fields)


def documented_body(
    model: type[BaseModel], *examples: Mapping[str, Any], required: bool = True, **others: Any
) -> dict[str, Any]:
    """Describe a body for OpenAPI, with `others` by media type. Routes parse it themselves so errors name the field."""
    schema = {**model.model_json_schema(), "examples": examples}
    return {"requestBody": {"required": required, "content": {"application/json": {"schema": schema}, **others}}}


def documented_query(model: type[BaseModel], when: str = "") -> list[dict[str, Any]]:
    """Describe query parameters for OpenAPI; `when` is a sentence on when they are read."""
    return [
        {"name": name, "in": "query", "required": False, "schema": about}
        | {"description": f"{when} {about.get('description', '')}".strip()}
        for name, about in model.model_json_schema()["properties"].items()
    ]


def read_cursor(cursor: str | None, form: str) -> str | None:
    """Return the cursor, or raise InputError if it does not match the pattern `form`."""
    if cursor is not None and not re.fullmatch(form, cursor, re.ASCII):
        raise InputError("cursor", f"{cursor[:80]!r}", "the value of `next` in the previous response is allowed")
    return cursor


Cursor = Annotated[str | None, Query(max_length=200, description="`next` of the previous page; omit it for the first.")]


def validated(model: type[M], data: Mapping[str, Any], *, strict: bool | None = None) -> M:
    """Validate data with a model; an error names the field. If `strict`, values are not converted from text."""
    try:
        return model.model_validate(data, strict=strict)
    except ValidationError as error:
        first = error.errors()[0]
        raise invalid(first["loc"], first, tuple(model.model_fields)) from None


def invalid(place: Sequence[int | str], error: Mapping[str, Any], known: Sequence[str] = ()) -> InputError:
    """Convert a pydantic error to an InputError; `place` is the path of the field."""
    named, kind = ".".join(str(part)[:80] for part in place) or "body", error["type"]
    if kind == "extra_forbidden":
        return InputError(named, "unknown field", f"one of {', '.join(known)}")
    if kind in _ALLOWED:
        return InputError(named, f"{str(error['input'])[:80]!r}", f"{_ALLOWED[kind]} is allowed")
    return InputError(named, "missing" if kind == "missing" else error["msg"][:1].lower() + error["msg"][1:200])


def public_failure(failure: Failure) -> Failure:
    """Return a failure with a message that callers may read, and log the original one."""
    if failure.reason in PUBLIC_MESSAGES:
        failure = failure.updated(message=_logged(error_report(failure).error, PUBLIC_MESSAGES[failure.reason]))
    # A cascade's message also says why earlier judges failed.
    return failure.updated(message=_public_message(failure.message))


def failed(failure: Failure, **named: Any) -> Response:
    """Return the response for a failed judgment; it begins with the `named` fields, such as the case's own id."""
    failure = public_failure(failure)
    report = {name: value for name, value in named.items() if value is not None}
    content = to_json({**report, **error_report(failure).model_dump()}, indent=True)
    return Response(content, failed_status(failure), media_type="application/json")


def failed_status(failure: Failure) -> int:
    """Return the status of a failed judgment. If no model was asked, another judge or rubric has to be named."""
    if failure.reason == "nothing_to_grade" and not failure.calls:
        return 422
    return _FAILED_STATUS.get(failure.reason, 502)


def judged(written: bytes, **headers: str) -> Response:
    """Return the response with a verdict, given as JSON. Messages of providers are replaced."""
    return Response(in_our_words(written), media_type="application/json", headers=headers)


def in_our_words(written: bytes) -> bytes:
    """Return a verdict, given as JSON, in which messages of providers are replaced by ours."""
    if not any(sign in written for sign in (b'"jury_member_failed"', b'"search_failed"', b'"it failed: ')):
        return written
    verdict = json.loads(written, parse_float=Decimal)
    for lookup in verdict.get("lookups", ()):
        if lookup.get("error"):
            lookup["error"] = _logged(lookup["error"], _NO_SEARCH)
    for warning in verdict["warnings"]:
        if warning["code"] == "search_failed":
            warning["message"] = _logged(warning["message"], _NO_SEARCH)
        elif warning["code"] == "jury_member_failed":
            warning["message"] = _public_message(warning["message"])
    for stage in verdict.get("stages", ()):
        stage["unsure"] = [_public_message(doubt) for doubt in stage["unsure"]]
    return to_json(verdict)


def _public_message(message: str) -> str:
    """Replace a message of a provider or the network by the failed judge's name and our words for the reason."""
    found = FAILED_ONE.fullmatch(message)
    return _logged(message, f"{found[1]}: {PUBLIC_MESSAGES[cast(Reason, found[2])]}") if found else message


def _logged(message: str, public: str) -> str:
    """Log a message, and return the one that callers see instead."""
    _log.error(one_line(message))
    return public
