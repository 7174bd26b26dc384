"""What a server does not take is left out the next time, remembered, and recorded with the call."""

import asyncio

import pytest
from calls import about, all_judged
from scripted.provider import fails, judges

from adjudge.protocols.compare.case import Comparison

SENT = {"temperature": 0.0, "seed": 0, "max_tokens": 8192, "structure": "json_schema"}


def without(*fields, message="Unsupported parameter: '{}'"):
    """A server that does not take these fields, and names the first that it finds."""

    def behave(request):
        found = next((field for field in fields if field in request.json), None)
        return fails(400, message.format(found)) if found else judges()

    return behave


@pytest.mark.parametrize(
    ("field", "recorded"),
    [("temperature", {"temperature": None}), ("seed", {"seed": None}), ("response_format", {"structure": "tool"})],
)
async def test_openai_leaves_out_what_is_complained_of_and_remembers(openai_judge, provider, case, field, recorded):
    provider.script = without(field)
    judge = openai_judge()
    (first,) = (await judge.opine(about(case))).calls
    assert (first.sent, first.attempts, provider.calls) == (SENT | recorded, 2, 2)
    (second,) = (await judge.opine(about(case, "ba"))).calls
    assert (second.sent, provider.calls) == (SENT | recorded, 3), "the second question is asked right at once"
    assert field not in provider.requests[-1].json


async def test_json_schema_gives_way_to_a_tool_and_the_tool_to_text(openai_judge, provider, case):
    provider.script = without("response_format", "tools", message="this server does not support {}")
    opinion = await openai_judge().opine(about(case))
    tried = [sorted({"response_format", "tools"} & set(request.json)) for request in provider.requests]
    assert tried == [["response_format"], ["tools"], []]
    assert "The schema of your reply:" in provider.requests[-1].system
    assert opinion.calls[0].sent["structure"] == "text"


@pytest.mark.parametrize("model", ["gpt-4o", "old-server"])
async def test_the_token_limit_goes_by_the_other_name(openai_judge, provider, case, model):
    provider.script = without("max_completion_tokens", message="Unrecognized request argument supplied: {}")
    assert (await openai_judge(model).opine(about(case))).scores
    assert provider.requests[-1].json["max_tokens"] == 8192
    assert "max_completion_tokens" not in provider.requests[-1].json


async def test_a_limit_above_the_servers_own_is_left_out(openai_judge, provider, case):
    large = "{} is too large: 8192. This model's maximum context length is 4096 tokens"
    provider.script = without("max_tokens", "max_completion_tokens", message=large)
    assert (await openai_judge().opine(about(case))).calls[0].sent["max_tokens"] is None


async def test_calls_that_were_under_way_together_adapt_together(openai_judge, provider, case):
    # All are sent before the first refusal comes back: each is refused for what is by then already left out.
    provider.script = without("temperature", "seed", "response_format")
    judge = openai_judge()
    cases = [Comparison(task=f"{case.task} ({number})", a=case.a, b=case.b) for number in range(8)]
    opinions = await asyncio.gather(*(judge.opine(about(each)) for each in cases))
    assert all_judged(opinions)
    left_out = SENT | {"temperature": None, "seed": None, "structure": "tool"}
    assert [opinion.calls[0].sent for opinion in opinions] == [left_out] * 8


@pytest.mark.parametrize(("script", "reason", "says", "calls"), [
    (lambda request: fails(401, "invalid key"), "unauthorized", "invalid key", 1),
    (lambda request: fails(403, "invalid key"), "unauthorized", "invalid key", 1),
    (lambda request: fails(400, "no such model: gpt-4o"), "rejected", "no such model", 1),
    # A server that takes neither token field does not send us in circles.
    (without("max_tokens", "max_completion_tokens", message="{}: not supported"), "rejected", "not supported", 2),
], ids=["401", "403", "400", "no token field"])  # fmt: skip
async def test_a_complaint_that_nothing_can_be_done_about_is_a_failure(
    openai_judge, provider, case, script, reason, says, calls
):
    provider.script = script
    failure = await openai_judge().opine(about(case))
    assert (failure.reason, failure.judge, provider.calls) == (reason, "openai:gpt-4o", calls)
    assert says in failure.message


async def test_anthropic_adapts_too(anthropic_judge, provider, case):
    provider.script = without("temperature", "output_config", "tools", message="{}: Extra inputs are not permitted")
    judge = anthropic_judge()
    first = await judge.opine(about(case))
    assert first.calls[0].sent == SENT | {"temperature": None, "seed": None, "structure": "text"}
    assert provider.calls == first.calls[0].attempts == 4
    assert (await judge.opine(about(case, "ba"))).scores and provider.calls == 5


async def test_anthropic_learns_how_much_a_model_can_write(anthropic_judge, provider, case):
    most = "max_tokens: {} > 4096, which is the maximum allowed number of output tokens"
    provider.script = lambda request: (
        fails(400, most.format(asked)) if (asked := request.json["max_tokens"]) > 4096 else judges()
    )
    assert (await anthropic_judge().opine(about(case))).calls[0].sent["max_tokens"] == 4096


async def test_an_anthropic_tool_reply_is_read_from_the_tools_input(anthropic_judge, provider, case):
    provider.script = without("output_config")
    opinion = await anthropic_judge().opine(about(case))
    assert opinion.scores and opinion.calls[0].sent["structure"] == "tool"
    assert provider.requests[-1].json["tool_choice"] == {"type": "tool", "name": "comparison"}
