"""Open the judge that a string names. The same string names a judge everywhere.

    embedded                      the judge shipped with adjudge: offline, text features only
    openai:gpt-5.1                a provider and a model; the key comes from the environment
    http://host:port/v1#model     any OpenAI-compatible server (vLLM, Ollama, llama.cpp, LM Studio)
    gguf:PATH                     a local model file, in this process
    written:NAME                  no model: replies that people wrote, in the journal (the service's demo)
    jury:a+b+c                    several judges; `jury(mean):a+b+c` names the vote rule, and
                                  `jury(weighted):a*0.7+b*0.5` the weight of each member
    cascade:a>b                   a first, and b only if a is unsure; a stage may be a jury

The settings replace `auto` by the name of the best judge at hand before a judge is opened.

Opening a judge makes no connection and needs no key. A missing key is reported when the first call would be paid.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from ..errors import JudgeSpecError
from ..files import user_path
from ..journal import Journal
from ..llm.base import Sampling, Wire
from ..llm.providers import PROVIDERS, URL_KEY, Provider, refuse_password, url_key
from ..models.common import Failure
from ..redaction import holds_password
from .at_hand import hint, judge_meant
from .base import Cascade, Judge
from .budget import Budget

if TYPE_CHECKING:
    from ..llm.anthropic import AnthropicWire
    from ..llm.batch.base import BatchSettings
    from ..llm.openai import OpenAIWire
    from ..llm.rate_limiter import RateLimits

ALLOWED = (
    "auto, embedded, PROVIDER:MODEL (" + ", ".join(PROVIDERS) + "), http://HOST:PORT/v1#MODEL, gguf:PATH, jury:A+B+C, "
    "or cascade:A>B"
)
# A judge made of other judges: its kind, its option in parentheses, and their names.
_COMPOSED = re.compile(r"(jury|cascade)(?:\(([^()]*)\))?:(.*)", re.DOTALL)
_NUMBER = r"\d{1,12}(?:\.\d{1,12})?"
_WEIGHTED = re.compile(rf"(.+?)\s*\*\s*({_NUMBER})", re.DOTALL)
_WEIGHTS = "jury(weighted):A*0.7+B*0.5"
_MAX_SPEC = 2000
_SAMPLES_APART = 1_000_000


@dataclass(frozen=True, slots=True)
class JudgeContext:
    """Everything an LLM judge needs besides its name.

    `wires` are already open, by judge name, and are shared. A replay takes `urls` and `recorded` from its verdict.
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


def _refuse(found: str, allowed: str) -> NoReturn:
    raise JudgeSpecError("judge", found, allowed)


def open_judge(spec: str, context: JudgeContext) -> Judge:
    """Return the judge that this string names. Raises JudgeSpecError if there is none."""
    spec = spec.strip()
    refuse_password("judge", spec)
    if not spec or len(spec) > _MAX_SPEC:
        _refuse(f"{spec[:60]!r} is not a judge", f"allowed: {ALLOWED}")
    if spec == "embedded" or spec.startswith("embedded:"):
        return _open_embedded(spec)
    if match := _COMPOSED.fullmatch(spec):
        return _open_composed(match, context)
    from .llm import LLMJudge

    if spec not in context.wires:
        context.wires[spec] = _open_wire(spec, context)
    # Replies of a batch need no limit: if we are killed, they can still be collected from the provider.
    limits = context.rate_limits if context.batches is None else None
    unsaved = limits.unsaved(spec) if limits is not None else None
    wire = context.wires[spec]
    return LLMJudge(spec, wire, context.journal, context.sampling, context.sample, context.budget, unsaved)


def _open_embedded(spec: str) -> Judge:
    """Open the embedded judge with the shipped model or with a model of the user's own.

    The judge's name in a verdict holds the model's digest (`embedded:FILE@digest`), so that a replay notices if the
    file has changed.
    """
    from .embedded import EmbeddedJudge

    if spec == "embedded":
        return EmbeddedJudge()
    from .embedded.model import digest_of, read_model

    path, _, wanted = spec.removeprefix("embedded:").partition("@")
    model = read_model(user_path(path))
    digest = digest_of(model)
    if wanted and wanted != digest:
        _refuse(f"{path} has changed: it is {digest}, not {wanted}", "the original model file is needed")
    return EmbeddedJudge(model, f"embedded:{path}@{digest}")


def _names(match: re.Match[str]) -> list[str]:
    """Return the members of a jury or the stages of a cascade, as written."""
    return [name.strip() for name in match[3].split("+" if match[1] == "jury" else ">")]


def single_judges(spec: str) -> list[str]:
    """Return the names of the single judges behind this name: the members of juries and the stages of cascades."""
    match = _COMPOSED.fullmatch(spec.strip())
    if match is None:
        return [spec.strip()]
    names = _names(match)
    if match[2] == "weighted":
        names = [weighted[1] if (weighted := _WEIGHTED.fullmatch(name)) else name for name in names]
    return [single for name in names for single in single_judges(name)]


def _open_composed(match: re.Match[str], context: JudgeContext) -> Judge:
    spec, kind, names = match[0], match[1], _names(match)
    form = "jury:A+B+C" if kind == "jury" else "cascade:A>B, the cheapest first; put it in quotes in a shell"
    if len(names) < 2 or not all(names):
        _refuse(f"{spec[:200]!r}: a {kind} needs at least two judges", form)
    for inner in filter(None, map(_COMPOSED.fullmatch, names)):
        if kind == "jury" or inner[1] == "cascade":
            _refuse(f"{spec[:200]!r}: a {inner[1]} cannot be part of a {kind}", f"{form}, or a cascade of juries")
    return (_open_jury if kind == "jury" else _open_cascade)(spec, match[2], names, context)


def _open_jury(spec: str, rule: str | None, names: list[str], context: JudgeContext) -> Judge:
    from .jury import VOTE_RULES, Jury

    rule = "median" if rule is None else rule
    voting = next((known for known in VOTE_RULES if known == rule), None)
    if voting is None:
        _refuse(f"jury({rule[:60]}): unknown vote rule", f"one of {', '.join(VOTE_RULES)}")
    found = [_WEIGHTED.fullmatch(name) for name in names]
    weights = tuple(Fraction(weighted[2]) for weighted in found if weighted is not None)
    if voting == "weighted":
        if bare := next((n for n, one in zip(names, found, strict=True) if one is None or not Fraction(one[2])), None):
            _refuse(f"{bare[:200]!r}: a member without a weight", f"{_WEIGHTS}, with a weight above 0 for each member")
        names = [weighted[1] for weighted in found if weighted is not None]
    elif weights:
        _refuse(f"{spec[:200]!r}: only a weighted jury has weights", _WEIGHTS)
    # A judge that is listed twice is asked twice, so its second seat gets its own sample number.
    samples = [context.sample + _SAMPLES_APART * names[:at].count(name) for at, name in enumerate(names)]
    jurors = [open_judge(name, replace(context, sample=seat)) for name, seat in zip(names, samples, strict=True)]
    return Jury(spec, tuple(jurors), voting, weights, context.recorded)


def _open_cascade(spec: str, option: str | None, names: list[str], context: JudgeContext) -> Judge:
    margin = re.fullmatch(rf"margin\s*=\s*({_NUMBER})", option.strip()) if option is not None else None
    if option is not None and margin is None:
        _refuse(f"cascade({option[:60]}): unknown option", "cascade(margin=0.5):A>B, with a number from 0")
    if twice := next((name for at, name in enumerate(names) if name in names[:at]), None):
        _refuse(f"{twice[:200]!r} is in the cascade twice and would give the same opinion again", "each judge once")
    judges = []
    for number, name in enumerate(names, start=1):
        # In a replay, each stage gets only its own recorded failures.
        prefix = f"stage {number} "
        own = ((asked.removeprefix(prefix), failure) for asked, failure in context.recorded if asked.startswith(prefix))
        judges.append(open_judge(name, replace(context, recorded=tuple(own))))
    failed = {at: f for at in range(len(names)) for asked, f in context.recorded if asked == f"stage {at + 1}"}
    return Cascade(spec, tuple(judges), Decimal(margin[1]) if margin else None, failed)


async def collect_batches(context: JudgeContext) -> int:
    """Collect replies of batches that an earlier process submitted, store them in the journal and return how many."""
    if context.batches is None or not context.batches.ledger.exists():
        return 0
    from ..llm.batch.ledger import BatchLedger
    from ..llm.batch.wire import BatchWire

    specs = dict.fromkeys(submission.judge for submission in BatchLedger(context.batches.ledger).unfinished())
    kept = 0
    for spec in specs:
        open_judge(spec, context)
        wire = context.wires[spec]
        if isinstance(wire, BatchWire):
            kept += await wire.collect(context.journal)
    return kept


def _open_wire(spec: str, context: JudgeContext) -> Wire:
    """Open the wire: a batch wire if batches are requested, otherwise one with the rate limiter of its host."""
    from ..llm.direct import DirectWire, is_known

    limits, batches = context.rate_limits, context.batches
    provider, colon, model = spec.partition(":")
    if spec.startswith(("http://", "https://")):
        wire: OpenAIWire | AnthropicWire = _open_url(spec)
    elif not colon or not model or not re.fullmatch(r"[a-z][a-z0-9_-]*", provider):
        _refuse(f"{spec!r} is not a judge", f"{hint(spec)}allowed: {ALLOWED}")
    elif provider == "gguf":
        from ..llm.gguf import GgufWire

        return GgufWire(user_path(model))
    elif provider == "written":
        from ..llm.written import WrittenWire

        return WrittenWire(model)
    elif provider in PROVIDERS:
        wire = _open_provider(PROVIDERS[provider], model, spec, context.urls.get(spec))
    elif batches is not None:
        from ..llm.batch.wire import no_batches

        raise no_batches(spec)
    elif (meant := judge_meant(spec)) and not is_known(provider):
        _refuse(f"{spec!r}: unknown provider", f"did you mean {meant}?")
    else:
        direct = DirectWire(spec)
        if limits is not None:
            direct.limiter = limits.limiter(provider, "")
        return direct
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
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        named = False
    if not named or not model:
        _refuse(f"{spec!r}: a server needs a host and a model", hint(spec).strip() or "http://HOST:PORT/v1#MODEL")
    if parts.query:  # it may hold a key, so the message does not repeat it
        _refuse("a server's address must not contain a key or query", f"http://HOST:PORT/v1#MODEL, with {URL_KEY} set")
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
