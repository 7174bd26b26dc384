"""One POST that is tried again when that can help: 429, 5xx, time-outs and broken connections, bounded and jittered.

Nothing here knows a provider. A 4xx other than 429 is the caller's to understand: it comes back as `Refused`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp

from ...errors import SetupError
from ...verdicts import Failure, Reason

IsReply = Callable[[bytes], bool]

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})


@dataclass(frozen=True, slots=True)
class Retries:
    """How long and how often to try."""

    attempts: int = 6
    first_wait: float = 0.5
    longest_wait: float = 60.0
    timeout: float = 300.0
    connect_timeout: float = 15.0


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply with status 200."""

    body: bytes
    attempts: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The provider will not take the request as it is."""

    status: int
    message: str
    attempts: int


@dataclass(slots=True)
class Poster:
    """Posts to one URL over one connection pool, opened at first use; `needs` says what must be set up before that."""

    url: str
    judge: str
    retries: Retries = field(default_factory=Retries)
    needs: SetupError | None = None
    _sessions: dict[asyncio.AbstractEventLoop, aiohttp.ClientSession] = field(default_factory=dict)

    async def post(self, body: bytes, headers: Mapping[str, str], is_reply: IsReply) -> Answered | Refused | Failure:
        """The reply; what is none (a gateway's page, an error in disguise) is tried again, and never stored."""
        return await self._request("POST", headers, is_reply, data=body)

    async def get(
        self, params: Mapping[str, str], headers: Mapping[str, str], is_reply: IsReply
    ) -> Answered | Refused | Failure:
        """The same for a GET, as search services want it."""
        return await self._request("GET", headers, is_reply, params=params)

    async def _request(
        self, method: str, headers: Mapping[str, str], is_reply: IsReply, **content_of: Any
    ) -> Answered | Refused | Failure:
        if self.needs is not None:
            raise self.needs
        session = self._sessions.get(asyncio.get_running_loop())
        if session is None or session.closed:
            session = await self._open()
        last: tuple[Reason, str] = ("connection", "never tried")
        for attempt in range(1, self.retries.attempts + 1):
            wait: float | None = None
            try:
                # A redirect is not followed: the case and the key go to the server that was named and to no other.
                async with session.request(
                    method, self.url, headers=headers, allow_redirects=False, **content_of
                ) as response:
                    content = await response.read()
                    status = response.status
                    if status == 200 and is_reply(content):
                        return Answered(content, attempt)
                    message = _error_message(content)
                    if 300 <= status < 400:
                        message = f"redirects to {response.headers.get('Location', 'nowhere')}"
                    if 300 <= status < 500 and status not in _RETRIED:
                        return Refused(status, message, attempt)
                    wait = _retry_after(response.headers)
                    if status == 429:
                        last = ("rate_limited", f"HTTP 429: {message}")
                    else:
                        last = ("server_error", f"HTTP {status}: {message}")
            except aiohttp.ConnectionTimeoutError:
                last = ("timeout", f"no connection within {self.retries.connect_timeout:g} s")
            except TimeoutError:
                last = ("timeout", f"no reply within {self.retries.timeout:g} s")
            except (aiohttp.ClientError, OSError) as error:
                last = ("connection", f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
            if wait is not None and wait > self.retries.longest_wait:
                return self._failure(last[0], f"{last[1]}; the server asks to wait {wait:g} s", attempt)
            if attempt < self.retries.attempts:
                await asyncio.sleep(self._pause(attempt, wait))
        return self._failure(last[0], last[1], self.retries.attempts)

    def _pause(self, attempt: int, asked: float | None) -> float:
        growing = min(self.retries.first_wait * 2.0 ** (attempt - 1), self.retries.longest_wait)
        jittered = growing * random.uniform(0.5, 1.0)
        # What the server asks for is a minimum; the jitter on top keeps a thousand callers from coming back at once.
        return jittered if asked is None else asked + jittered * 0.1

    def _failure(self, reason: Reason, message: str, attempts: int) -> Failure:
        tries = "one attempt" if attempts == 1 else f"{attempts} attempts"
        return Failure(reason=reason, message=f"{self.url}: {message} (after {tries})", judge=self.judge)

    async def _open(self) -> aiohttp.ClientSession:
        """This loop's session; a judge may outlive a loop (one `asyncio.run` a call) and be used on several."""
        loop = asyncio.get_running_loop()
        for ended in [other for other in self._sessions if other.is_closed()]:
            await self._sessions.pop(ended).close()
        session = self._sessions.get(loop)
        if session is None or session.closed:
            session = self._sessions[loop] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=self.retries.timeout, sock_connect=self.retries.connect_timeout),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return session

    async def close(self) -> None:
        here = asyncio.get_running_loop()
        for loop, session in list(self._sessions.items()):
            # One that belongs to another running loop only that loop may close.
            if loop is here or loop.is_closed():
                del self._sessions[loop]
                await session.close()


def _retry_after(headers: Mapping[str, Any]) -> float | None:
    if milliseconds := headers.get("retry-after-ms"):
        try:
            return max(0.0, float(milliseconds) / 1000)
        except ValueError:
            pass
    value = headers.get("Retry-After")
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _error_message(content: bytes) -> str:
    """The provider's own words, whichever of the usual shapes they come in, on one line."""
    import orjson

    try:
        data: Any = orjson.loads(content)
    except orjson.JSONDecodeError:
        text = content[:200].decode("utf-8", "replace")
    else:
        if isinstance(data, list) and data:
            data = data[0]
        error = data.get("error", data) if isinstance(data, dict) else data
        text = str(error.get("message") or error) if isinstance(error, dict) else str(error)
    return " ".join(text.split())[:300] or "no message"
