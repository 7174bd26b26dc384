"""What all judging routes share: the application's state, and answering with a failure."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from pydantic import BaseModel

from ..engine import CompareSettings, DialogueSettings, Engine, ReviewSettings
from ..errors import InputError
from ..models import ErrorReport, Failure
from ..models.base import to_json
from ..models.common import Reason
from ..reports import error_report
from ..reports.escaping import one_line

_FAILED_STATUS = {"rate_limited": 503, "timeout": 504, "over_budget": 402}
# What a provider or the network said is for the log: it may name addresses and accounts.
_SAID: dict[Reason, str] = {
    "rejected": "the judge did not take the request; the texts may be too long for it",
    "unauthorized": "the judge did not accept the service's key",
    "rate_limited": "the judge's rate limit is reached",
    "server_error": "the judge failed to answer",
    "timeout": "the judge did not answer in time",
    "connection": "the judge cannot be reached",
    "no_quorum": "too few members of the jury gave an opinion",
}
_NO_SEARCH = "the search failed"
_MEMBER = re.compile(rf"(.*?): ({'|'.join(_SAID)}): .*", re.DOTALL)
_log = logging.getLogger(__name__)

FAILURES: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorReport, "description": "The request names what is wrong and what is allowed."},
    401: {"model": ErrorReport, "description": "The service needs a token, and this is none of its."},
    402: {"model": ErrorReport, "description": "The token's budget is used up."},
    413: {"model": ErrorReport, "description": "A text or the whole request is too large."},
    429: {"model": ErrorReport, "description": "The token's rate is used up; `retry-after` says for how long."},
    502: {"model": ErrorReport, "description": "The judgment failed; `failure` says why. It is never a score."},
    503: {"model": ErrorReport, "description": "A key is missing, or the provider's rate limit is reached."},
    504: {"model": ErrorReport, "description": "The judge did not answer in time."},
}


@dataclass(frozen=True, slots=True)
class State:
    """The open engine, how requests are judged, and which judges they may ask for."""

    engine: Engine
    compare: CompareSettings
    dialogue: DialogueSettings
    review: ReviewSettings
    allowed_judges: frozenset[str]
    # One piece at a time: what an owner may keep is looked up before it is written.
    drafting: asyncio.Lock = field(default_factory=asyncio.Lock)

    def judge(self, data: Mapping[str, Any], field: str) -> str | None:
        """The judge a request names in this field, if it may."""
        judge = data.get(field)
        if judge is None:
            return None
        if not isinstance(judge, str) or judge not in self.allowed_judges:
            allowed = ", ".join(sorted(self.allowed_judges))
            raise InputError(field, f"{str(judge)[:80]!r} is not allowed by this service", f"one of {allowed}")
        return judge


def _state_of(request: Request) -> State:
    state: State = request.app.state.adjudge
    return state


StateOf = Annotated[State, Depends(_state_of)]


def documented_body(
    model: type[BaseModel], others: Mapping[str, Any] | None = None, *, required: bool = True
) -> dict[str, Any]:
    """A body for the API's description, also in other forms; routes read it themselves, so errors name the field."""
    content = {"application/json": {"schema": model.model_json_schema()}, **(others or {})}
    return {"requestBody": {"required": required, "content": content}}


def whole_number(data: Mapping[str, Any], field: str, default: int) -> int:
    """A field that holds a whole number, if it is given."""
    value = data.get(field)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise InputError(field, f"{str(value)[:80]!r}", "a whole number is allowed")
    return default if value is None else value


def yes_or_no(data: Mapping[str, Any], field: str, default: bool) -> bool:
    """A field that holds true or false, if it is given."""
    value = data.get(field, default)
    if not isinstance(value, bool):
        raise InputError(field, f"{str(value)[:80]!r}", "true or false is allowed")
    return value


def said_of(failure: Failure) -> Failure:
    """A failure as callers may read it; the log has the rest."""
    if failure.reason not in _SAID:
        return failure
    _log.error(error_report(failure).error)
    return failure.updated(message=_SAID[failure.reason])


def failed(failure: Failure, **named: Any) -> Response:
    """The answer when a judgment did not come about; it begins with the case's own id, if it has one."""
    failure = said_of(failure)
    report = {name: value for name, value in named.items() if value is not None}
    content = to_json({**report, **error_report(failure).model_dump()}, indent=True)
    return Response(content, _FAILED_STATUS.get(failure.reason, 502), media_type="application/json")


def judged(written: bytes, **headers: str) -> Response:
    """The answer with a verdict, given as JSON; what failed on the way to it is said without a provider's words."""
    if b'"jury_member_failed"' in written or b'"search_failed"' in written:
        verdict = json.loads(written, parse_float=Decimal)
        for place in (*verdict["warnings"], *verdict.get("lookups", ())):
            _without_their_words(place)
        written = to_json(verdict)
    return Response(written, media_type="application/json", headers=headers)


def _without_their_words(place: dict[str, Any]) -> None:
    """A warning or a look-up as callers may read it; the log has the rest."""
    said = place.get("error") or place.get("message")
    if place.get("error"):
        place["error"] = _NO_SEARCH
    elif place.get("code") == "search_failed":
        place["message"] = _NO_SEARCH
    elif place.get("code") == "jury_member_failed" and (member := _MEMBER.fullmatch(said or "")):
        place["message"] = f"{member[1]}: {_SAID[member[2]]}"  # type: ignore[index]
    else:
        return
    _log.error(one_line(str(said)))
