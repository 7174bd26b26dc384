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
from ..verdicts import Failure
from .base import Judge
from .budget import Budget
from .providers import PROVIDERS, URL_KEY, Provider, url_key
from .turns import Turns
from .wires.base import Sampling, Wire

if TYPE_CHECKING:
    from .wires.anthropic import AnthropicWire
    from .wires.batches.base import BatchSettings
    from .wires.openai import OpenAIWire
    from .wires.pacing import Pacing

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
    pacing: Pacing | None = None
    budget: Budget | None = None
    batches: BatchSettings | None = None
    turns: Turns | None = None


def open_judge(spec: str, asking: Asking) -> Judge:
    """The judge of this name."""
    spec = spec.strip()
    if not spec or len(spec) > _MAX_SPEC:
        raise JudgeSpecError("judge", f"{spec[:60]!r} names no judge", f"allowed: {ALLOWED}")
    if spec == "embedded" or spec.startswith("embedded:"):
        return _open_embedded(spec)
    if match := _JURY.fullmatch(spec):
        return _open_jury(spec, match[1], match[2], asking)
    from .llm import LLMJudge

    if spec not in asking.wires:
        asking.wires[spec] = _open_wire(spec, asking.urls.get(spec), asking.pacing, asking.batches)
    # A batch is as large as it likes: what it holds is known to the provider, and is collected after a kill.
    room = asking.pacing.room(spec) if asking.pacing is not None and asking.batches is None else None
    return LLMJudge(
        *(spec, asking.wires[spec], asking.journal, asking.sampling, asking.sample),
        *(asking.budget, room, asking.turns),
    )


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
    """Put the replies of batches that an earlier process handed in into the journal; how many there were."""
    if asking.batches is None or not asking.batches.ledger.exists():
        return 0
    from .wires.batches.ledger import Ledger
    from .wires.batches.wire import BatchWire

    ledger = Ledger(asking.batches.ledger)
    specs = dict.fromkeys(entry.judge for entry in ledger.open_entries())
    ledger.close()
    kept = 0
    for spec in specs:
        open_judge(spec, asking)
        wire = asking.wires[spec]
        if isinstance(wire, BatchWire):
            kept += await wire.collect(asking.journal)
    return kept


def _open_wire(spec: str, url: str | None, pacing: Pacing | None, batches: BatchSettings | None) -> Wire:
    if spec.startswith(("http://", "https://")):
        return _tuned(_open_url(spec), spec, pacing, batches)
    provider, colon, model = spec.partition(":")
    if not colon or not model or not re.fullmatch(r"[a-z][a-z0-9_-]*", provider):
        raise JudgeSpecError("judge", f"{spec!r} names no judge", f"allowed: {ALLOWED}")
    if provider == "gguf":
        from .wires.local import LocalWire

        return LocalWire(Path(model).expanduser())
    if provider in PROVIDERS:
        return _tuned(_open_provider(PROVIDERS[provider], model, spec, url), spec, pacing, batches)
    if batches is not None:
        from .wires.batches.wire import no_batches

        raise no_batches(spec)
    from .wires.direct import DirectWire

    wire = DirectWire(spec)
    if pacing is not None:
        wire.pace = pacing.pace(provider, "")
    return wire


def _tuned(wire: OpenAIWire | AnthropicWire, spec: str, pacing: Pacing | None, batches: BatchSettings | None) -> Wire:
    """The wire, in batches if so asked for, else in step with all others to the same provider and host."""
    if batches is not None:
        from .wires.batches.wire import batched

        return batched(wire, spec, batches)
    if pacing is not None:
        wire.poster.pace = pacing.pace(wire.provider, wire.poster.url)
    return wire


def _open_url(spec: str) -> OpenAIWire:
    from .wires.http import Poster
    from .wires.openai import OpenAIWire, default_dialect

    address, _, model = spec.partition("#")
    try:
        parts = urlsplit(address)
        named = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise JudgeSpecError("judge", f"{spec!r}: {error}", "http://HOST:PORT/v1#MODEL") from None
    if not named or not model:
        raise JudgeSpecError("judge", f"{spec!r}: a server needs a host and a model", "http://HOST:PORT/v1#MODEL")
    if parts.username or parts.password or parts.query:
        allowed = f"http://HOST:PORT/v1#MODEL, with the key in {URL_KEY}"
        raise JudgeSpecError("judge", "a server's address may hold no key, user or query", allowed)
    poster = Poster(address.rstrip("/") + "/chat/completions", spec)
    return OpenAIWire("", model, poster, _bearer(url_key(address)), default_dialect("", model))


def _open_provider(provider: Provider, model: str, spec: str, url: str | None) -> OpenAIWire | AnthropicWire:
    from .wires.anthropic import VERSION, AnthropicWire
    from .wires.http import Poster
    from .wires.openai import OpenAIWire, default_dialect

    base, key = provider.base_url, provider.key
    if provider.wire == "anthropic":
        headers = {"content-type": "application/json", "anthropic-version": VERSION, "x-api-key": key or ""}
        poster = Poster(url or base + "/v1/messages", spec, needs=provider.missing)
        return AnthropicWire(provider.name, model, poster, headers)
    if provider.wire == "azure":
        base += "/openai/v1"
        headers = {"content-type": "application/json", "api-key": key or ""}
    else:
        headers = _bearer(key)
    poster = Poster(url or base + "/chat/completions", spec, needs=provider.missing)
    return OpenAIWire(provider.name, model, poster, headers, default_dialect(provider.name, model))


def _bearer(key: str | None) -> dict[str, str]:
    headers = {"content-type": "application/json"}
    return {**headers, "authorization": f"Bearer {key}"} if key else headers
