"""Which judge a user could name: the best one at hand, and the one that a wrong name probably means.

At hand is a provider whose key is set, or a model server on this machine that lists its models. Nothing else is ever
asked for, no key is sent, and no other machine is asked.
"""

from __future__ import annotations

import http.client
import logging
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import orjson

from ..errors import NOTE
from ..llm.providers import PROVIDERS
from ..spelling import closest

EMBEDDED = "embedded"
_OTHER_KINDS = (EMBEDDED, "auto", "gguf", "jury", "cascade")
_CONNECT, _REPLY = 0.2, 1.0  # seconds
_LONGEST_LIST = 1_000_000
_LISTS = ("/v1/models", "/api/tags")  # of OpenAI-compatible servers, and of older versions of Ollama
_MODEL = re.compile(r"[\w.:/@+-]{1,200}")
_PLAIN = "http://"
_HERE = ("localhost", "127.0.0.1", "[::1]")
_SERVER = re.compile(
    r"(?P<scheme>https?://)?(?P<host>[\w.-]+|\[[\da-fA-F:]+\]):(?P<port>\d{2,5})(?:/v1)?/?(?:#(?P<model>.*))?"
)
# The name alone, or as a member of a jury or a stage of a cascade; not as a model (openrouter:auto).
_AUTO = re.compile(r"(?:^|(?<=[+>])|(?<=jury:)|(?<=cascade:)|(?<=\):))\s*auto\s*(?=$|[+>*])")
_log = logging.getLogger(__name__)


class LocalServer(NamedTuple):
    """A program that serves models on this machine, and the port on which it usually does."""

    title: str
    port: int


LOCAL_SERVERS = (
    LocalServer("Ollama", 11434),
    LocalServer("llama.cpp", 8080),
    LocalServer("vLLM", 8000),
    LocalServer("LM Studio", 1234),
)


class JudgeAtHand(NamedTuple):
    """A judge that can be asked now, and how we know."""

    judge: str
    why: str


def judge_with_key() -> JudgeAtHand | None:
    """Return the judge of the first provider whose key is set, with the model that we name as its example."""
    for name, provider in PROVIDERS.items():
        if provider.missing is None and _MODEL.fullmatch(provider.example):
            return JudgeAtHand(f"{name}:{provider.example}", f"the key of {provider.title} is set")
    return None


def judge_on_this_machine(servers: Sequence[LocalServer] | None = None) -> JudgeAtHand | None:
    """Return the first model of the first local server that answers; all are asked at the same time."""
    known = LOCAL_SERVERS if servers is None else servers
    with ThreadPoolExecutor(max(len(known), 1)) as threads:
        listed = threads.map(lambda server: served_model("localhost", server.port), known)
        for server, model in zip(known, listed, strict=True):
            if model:
                judge = _judge_at("localhost", server.port, model)
                return JudgeAtHand(judge, f"{server.title} answers on this machine")
    return None


def best_judge() -> JudgeAtHand:
    """Return the best judge at hand, and log which and why."""
    none = JudgeAtHand(EMBEDDED, "no provider's key is set, and no model server answers on this machine")
    found = judge_with_key() or judge_on_this_machine() or none
    _log.log(NOTE, "the judge is %s: %s", *found)
    return found


def named(*specs: str) -> tuple[str, ...]:
    """Return the names with the best judge at hand in place of `auto`, alone or in a jury or cascade."""
    if not any(_AUTO.search(spec) for spec in specs):
        return specs
    found = best_judge().judge
    return tuple(_AUTO.sub(lambda _: found, spec) for spec in specs)


def served_model(host: str, port: int) -> str | None:
    """Return the first model that a server lists and that can write; None if nobody answers in time."""
    for path in _LISTS:
        connection = http.client.HTTPConnection(host.strip("[]"), port, timeout=_CONNECT)
        try:
            connection.connect()
            connection.sock.settimeout(_REPLY)
            connection.request("GET", path)
            reply = connection.getresponse()
            content = reply.read(_LONGEST_LIST)
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        if reply.status == 200 and (names := _names(content)):
            return names[0]
    return None


def _names(content: bytes) -> list[str]:
    """Return the models in a list, those that only embed texts left out."""
    try:
        listed: Any = orjson.loads(content)
    except orjson.JSONDecodeError:
        return []
    entries = (listed.get("data") or listed.get("models")) if isinstance(listed, dict) else None
    named = [each.get("id") or each.get("name") for each in entries or () if isinstance(each, dict)]
    return [name for name in named if isinstance(name, str) and _MODEL.fullmatch(name) and "embed" not in name]


def _judge_at(host: str, port: int, model: str, scheme: str = _PLAIN) -> str:
    return f"{scheme}{host}:{port}/v1#{model}"


# -- names that are no judge -------------------------------------------------------------------------------------------


def judge_meant(spec: str) -> str | None:
    """Return the judge that a wrong name probably means, as the whole string to try; None if there is no guess."""
    if server := _SERVER.fullmatch(spec):
        host, port = server["host"], int(server["port"])
        scheme = server["scheme"] or _PLAIN
        listed = served_model(host, port) if scheme == _PLAIN and host in _HERE and port < 2**16 else None
        return _judge_at(host, port, server["model"] or listed or "MODEL", scheme)
    provider, colon, model = spec.partition(":")
    if colon and (near := closest(provider.lower(), [*PROVIDERS, *_OTHER_KINDS])):
        model = model.strip() or (PROVIDERS[near].example if near in PROVIDERS else "")
        return f"{near}:{model}" if model else None
    if spec.endswith(".gguf"):
        return f"gguf:{spec}"
    if colon:
        return None
    # The first word of a model's name says whose it is: gpt, claude, gemini.
    families = {each.example.partition("-")[0]: name for name, each in PROVIDERS.items()} | {n: n for n in PROVIDERS}
    family = re.split(r"[-\d]", spec.lower())[0]
    if family in families:
        provider = families[family]
        return f"{provider}:{PROVIDERS[provider].example if family == spec.lower() else spec}"
    return closest(spec.lower(), _OTHER_KINDS[:2])


def hint(spec: str) -> str:
    """Return the question whether another judge is meant, and a space; empty if there is no guess."""
    meant = judge_meant(spec)
    return f"did you mean {meant}? " if meant else ""
