"""What a run would ask and cost, before anything is paid: the protocol itself is run over a sample of the cases, on
wires that send nothing. What the journal already holds is found by the same keys as in the run.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

import orjson

from ..engine import Engine
from ..errors import SetupError
from ..judges.specs import single_judges
from ..llm.base import Delivery, Prompt, Sampling, Wire, WrappedWire
from ..llm.prices import cost_of
from ..models import Failure, Usage
from ..models.cases import Review
from .directory import case_digest, position_of, read_case, whole_lines
from .job import Job
from .plan import Plan
from .state import RunState

SAMPLE = 30
_BYTES_PER_TOKEN = 4
# Until a reply has been seen: what the shipped rubrics' replies usually take, in tokens a call.
_USUAL_REPLY = {"compare": 1000, "dialogue": 800, "review": 1500}
# What is asked only after a reply, which on silent wires never comes: after which one, and of whom.
_FOLLOWED = {"compare": ("searches", "judge"), "dialogue": ("evaluation", "critic"), "review": ("rating", "judge")}


@dataclass(frozen=True, slots=True)
class Estimate:
    """For all cases that are open: calls still to be paid, their tokens, and dollars (None: no price is published)."""

    cases: int
    sampled: int
    calls: int
    paid_calls: int
    input_tokens: int
    output_tokens: int
    cost: Decimal | None
    unpriced: tuple[str, ...] = ()
    missing: SetupError | None = None


class _SilentWire(WrappedWire):
    """Notes kind and bytes of each call that would be sent, and sends nothing."""

    def __init__(self, inner: Wire) -> None:
        super().__init__(inner)
        self.sent: dict[str, tuple[str, int]] = {}

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        self.sent[key] = prompt.schema_name, len(orjson.dumps((prompt.system, prompt.user, prompt.schema)))
        # As if the model did not take it: then a cascade goes on to its next stage, and the estimate is the most.
        return Failure(reason="rejected", message="nothing is sent while estimating", judge=self.inner.model)


async def estimate(state: RunState, engine: Engine) -> Estimate:
    """Read a sample of what is not done and see what it would ask.

    Equal cases are paid once and count once. Once the run has replies, a call is taken to be as long as these were.
    """
    plan, tally, known = state.plan, state.tally, state.known["input"]
    Job(plan, engine)  # opens the wires
    silent = engine.wrap_wires(_SilentWire)
    if not silent:
        return Estimate(state.open, 0, 0, 0, 0, 0, Decimal(0))
    job = Job(plan, engine)
    lines = list({case_digest(line): line for line in _sample(state)}.values())
    found: dict[str, Usage] = {}
    for line in lines:
        found |= {call.key: call.usage for call in await job.calls_for(line)}
    # Of few cases the sample holds all that differ.
    scale = 1.0
    if state.open > SAMPLE:
        scale = max(1.0, state.open * known.get("distinct", known["cases"]) / known["cases"] / max(1, len(lines)))
    calls_left = tokens_in = tokens_out = 0
    total, unpriced = Decimal(0), []
    sizes = [size for wire in silent.values() for _, size in wire.sent.values()]
    sent: float = sum(sizes) / _BYTES_PER_TOKEN / max(1, len(sizes))
    reply: float = _USUAL_REPLY[plan.protocol]
    if tally.calls:
        sent, reply = tally.input_tokens / tally.calls, tally.output_tokens / tally.calls
    elif found:
        reply = sum(usage.output_tokens for usage in found.values()) / len(found)
    further = _further(plan, silent, lines)
    for name, wire in silent.items():
        asked = round((len(wire.sent) + further.get(name, 0)) * scale)
        used = Usage(input_tokens=round(asked * sent), output_tokens=round(asked * reply))
        calls_left += asked
        tokens_in += used.input_tokens
        tokens_out += used.output_tokens
        cost = cost_of(wire.provider, wire.model, used, time.time())
        if cost is None:
            unpriced.append(name)
        else:
            total += cost
    return Estimate(
        state.open, len(lines), calls_left, round(len(found) * scale), tokens_in, tokens_out,
        None if unpriced and not total else total, tuple(unpriced), _missing(silent),
    )  # fmt: skip


def _further(plan: Plan, wires: Mapping[str, _SilentWire], lines: list[bytes]) -> dict[str, int]:
    """By judge, the calls that follow those of the sample: a Critic's; the comparisons after a search; in a review
    those that ask about a person's words, at most one for each review that has some."""
    reply, judge = _FOLLOWED[plan.protocol]
    follow = max(sum(kind == reply for kind, _ in wire.sent.values()) for wire in wires.values())
    if plan.protocol == "compare":
        follow *= 1 if plan.settings["one_order"] else 2
    elif plan.protocol == "review":
        follow = min(follow, sum(map(_has_words, lines)))
    return dict.fromkeys(single_judges(str(plan.settings[judge])), follow)


def _has_words(line: bytes) -> bool:
    """Whether the person who rated gave a reason."""
    given = read_case(line).input
    if given is None:
        return False
    case = Review.model_validate(given)
    entered = (*case.ratings_a.values(), *case.ratings_b.values(), case.preference)
    return any(original.justification for original in entered)


def _missing(wires: Mapping[str, _SilentWire]) -> SetupError | None:
    """What must be set up before the first call, such as a key."""
    for wire in wires.values():
        needs = getattr(getattr(wire.inner, "endpoint", None), "needs", None)
        if isinstance(needs, SetupError):
            return needs
    return None


def _sample(state: RunState) -> list[bytes]:
    """Some lines of cases that are not done, spread over the file; all of them if there are few."""
    left = (line for line in whole_lines(state.directory.cases) if not state.done[position_of(line)])
    return list(islice(left, 0, None, -(-state.tally.open // SAMPLE) or 1))
