"""A judge is named by one string everywhere; this turns the string into a judge.

    embedded                      the judge that comes with adjudge: offline, text features only
    openai:gpt-5.1                a provider and a model; the key comes from the environment
    http://host:port/v1#model     any OpenAI-compatible server (vLLM, Ollama, llama.cpp, LM Studio)
    gguf:PATH                     a local model file, in this process
    jury:a+b+c                    several judges; `jury(mean):a+b+c` names the vote rule

Opening a judge connects to nothing and needs no key; a missing key shows when the first call would be paid.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..errors import JudgeSpecError
from ..journal import Journal
from ..llm.base import Sampling, Wire
from ..llm.providers import PROVIDERS, URL_KEY, Provider, refuse_password, url_key
from ..models import Failure
from ..redaction import holds_password
from .base import Judge
from .budget import Budget

if TYPE_CHECKING:
    from ..llm.anthropic import AnthropicWire
    from ..llm.batch.base import BatchSettings
    from ..llm.openai import OpenAIWire
    from ..llm.rate_limiter import RateLimits

ALLOWED = "embedded, PROVIDER:MODEL (" + ", ".join(PROVIDERS) + "), http://HOST:PORT/v1#MODEL, gguf:PATH, or jury:A+B+C"
_JURY = re.compile(r"jury(?:\((\w+)\))?:(.+)", re.DOTALL)
_MAX_SPEC = 2000
_SEATS_APART = 1_000_000


@dataclass(frozen=True, slots=True)
class Asking:
    """What an LLM judge needs beside its name.

    `wires` are those already open, by name, and are shared; a replay brings its verdict's `urls` and failures.
    """

    journal: Journal
    sampling: Sampling = field(default_factory=Sampling)
    sample: int = 0
    wires: dict[str, Wire] = field(default_factory=dict)
    urls: Mapping[str, str] = field(default_factory=dict)
    recorded: tuple[tuple[str, Failure], ...] = ()
    rate_limits: RateLimits | None = None
    budget: Budget | None = None
    batches: BatchSettings | None = None


def open_judge(spec: str, asking: Asking) -> Judge:
    """The judge of this name."""
    spec = spec.strip()
    refuse_password("judge", spec)
    if not spec or len(spec) > _MAX_SPEC:
        raise JudgeSpecError("judge", f"{spec[:60]!r} names no judge", f"allowed: {ALLOWED}")
    if spec == "embedded" or spec.startswith("embedded:"):
        return _open_embedded(spec)
    if match := _JURY.fullmatch(spec):
        return _open_jury(spec, match[1], match[2], asking)
    from .llm import LLMJudge

    if spec not in asking.wires:
        asking.wires[spec] = _open_wire(spec, asking.urls.get(spec), asking.rate_limits, asking.batches)
    # The replies of a batch need no bound: after a kill they are collected from the provider.
    limits = asking.rate_limits if asking.batches is None else None
    unsaved = limits.unsaved(spec) if limits is not None else None
    wire = asking.wires[spec]
    return LLMJudge(spec, wire, asking.journal, asking.sampling, asking.sample, asking.budget, unsaved)


def _open_embedded(spec: str) -> Judge:
    """The embedded judge, with the shipped model or one of the user's own.

    A verdict records the model's digest in the name (`embedded:FILE@digest`), so that a replay finds out if the file
    has changed.
    """
    from .embedded.judge import EmbeddedJudge

    if spec == "embedded":
        return EmbeddedJudge()
    from .embedded.model import digest_of, read_model

    path, _, wanted = spec.removeprefix("embedded:").partition("@")
    model = read_model(Path(path).expanduser())
    digest = digest_of(model)
    if wanted and wanted != digest:
        raise JudgeSpecError("judge", f"{path} has changed: it is {digest}, not {wanted}", "the model as it was")
    return EmbeddedJudge(model, f"embedded:{path}@{digest}")


def _open_jury(spec: str, rule: str | None, members: str, asking: Asking) -> Judge:
    from .jury import VOTE_RULES, Jury

    rules = {name: name for name in VOTE_RULES}
    if rule is not None and rule not in rules:
        raise JudgeSpecError("judge", f"jury({rule}): unknown vote rule", f"one of {', '.join(VOTE_RULES)}")
    names = [name.strip() for name in members.split("+")]
    if len(names) < 2 or not all(names):
        raise JudgeSpecError("judge", f"{spec!r}: a jury needs at least two members", "jury:A+B+C")
    if any(_JURY.fullmatch(name) for name in names):
        raise JudgeSpecError("judge", f"{spec!r}: a jury cannot sit in a jury", "name its members instead")
    # The same judge twice is asked twice: its second seat gets a sample of its own.
    seats = [
        replace(asking, sample=asking.sample + _SEATS_APART * names[:at].count(name)) for at, name in enumerate(names)
    ]
    jurors = tuple(open_judge(name, seat) for name, seat in zip(names, seats, strict=True))
    return Jury(spec, jurors, rules[rule] if rule else "median", asking.recorded)


async def collect_batches(asking: Asking) -> int:
    """Store the replies of batches that an earlier process submitted in the journal, and return their number."""
    if asking.batches is None or not asking.batches.ledger.exists():
        return 0
    from ..llm.batch.ledger import BatchLedger
    from ..llm.batch.wire import BatchWire

    ledger = BatchLedger(asking.batches.ledger)
    specs = dict.fromkeys(submission.judge for submission in ledger.unfinished())
    ledger.close()
    kept = 0
    for spec in specs:
        open_judge(spec, asking)
        wire = asking.wires[spec]
        if isinstance(wire, BatchWire):
            kept += await wire.collect(asking.journal)
    return kept


def _open_wire(spec: str, url: str | None, limits: RateLimits | None, batches: BatchSettings | None) -> Wire:
    if spec.startswith(("http://", "https://")):
        return _limited(_open_url(spec), spec, limits, batches)
    provider, colon, model = spec.partition(":")
    if not colon or not model or not re.fullmatch(r"[a-z][a-z0-9_-]*", provider):
        raise JudgeSpecError("judge", f"{spec!r} names no judge", f"allowed: {ALLOWED}")
    if provider == "gguf":
        from ..llm.gguf import GgufWire

        return GgufWire(Path(model).expanduser())
    if provider in PROVIDERS:
        return _limited(_open_provider(PROVIDERS[provider], model, spec, url), spec, limits, batches)
    if batches is not None:
        from ..llm.batch.wire import no_batches

        raise no_batches(spec)
    from ..llm.direct import DirectWire

    wire = DirectWire(spec)
    if limits is not None:
        wire.limiter = limits.limiter(provider, "")
    return wire


def _limited(
    wire: OpenAIWire | AnthropicWire, spec: str, limits: RateLimits | None, batches: BatchSettings | None
) -> Wire:
    """The wire in batches if they are asked for, else with the rate limiter of its provider and host."""
    if batches is not None:
        from ..llm.batch.wire import batched

        return batched(wire, spec, batches)
    if limits is not None:
        wire.endpoint.limiter = limits.limiter(wire.provider, wire.endpoint.url)
    return wire


def _open_url(spec: str) -> OpenAIWire:
    from ..llm.openai import OpenAIWire, default_dialect
    from ..llm.retry import Endpoint

    address, _, model = spec.partition("#")
    try:
        parts = urlsplit(address)
        named = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise JudgeSpecError("judge", f"{spec!r}: {error}", "http://HOST:PORT/v1#MODEL") from None
    if not named or not model:
        raise JudgeSpecError("judge", f"{spec!r}: a server needs a host and a model", "http://HOST:PORT/v1#MODEL")
    if parts.query:
        allowed = f"http://HOST:PORT/v1#MODEL, with the key in {URL_KEY}"
        raise JudgeSpecError("judge", "a server's address may hold no key and no query", allowed)
    endpoint = Endpoint(address.rstrip("/") + "/chat/completions", spec)
    return OpenAIWire("", model, endpoint, _bearer(url_key(address)), default_dialect("", model))


def _open_provider(provider: Provider, model: str, spec: str, url: str | None) -> OpenAIWire | AnthropicWire:
    from ..llm.anthropic import VERSION, AnthropicWire
    from ..llm.openai import OpenAIWire, default_dialect
    from ..llm.retry import Endpoint

    base, key = provider.base_url, provider.key
    if url is None and holds_password(base) and provider.missing is not None:
        raise provider.missing
    if provider.wire == "anthropic":
        headers = {"content-type": "application/json", "anthropic-version": VERSION, "x-api-key": key or ""}
        endpoint = Endpoint(url or base + "/v1/messages", spec, needs=provider.missing)
        return AnthropicWire(provider.name, model, endpoint, headers)
    if provider.wire == "azure":
        base += "/openai/v1"
        headers = {"content-type": "application/json", "api-key": key or ""}
    else:
        headers = _bearer(key)
    endpoint = Endpoint(url or base + "/chat/completions", spec, needs=provider.missing)
    return OpenAIWire(provider.name, model, endpoint, headers, default_dialect(provider.name, model))


def _bearer(key: str | None) -> dict[str, str]:
    headers = {"content-type": "application/json"}
    return {**headers, "authorization": f"Bearer {key}"} if key else headers
