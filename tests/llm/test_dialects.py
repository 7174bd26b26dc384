"""What a server does not take is left out the next time, remembered, and recorded with the call."""

from __future__ import annotations

import asyncio

import pytest
from scripted.provider import fails, judges

from adjudge.models.common import Failure
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.compare.verdict import ComparisonOpinion
from adjudge.protocols.rubrics import shipped


def asked(case, order="ab"):
    return CompareQuestion(case, shipped("compare"), order)


def without(*fields, message="Unsupported parameter: '{}'"):
    """A server that does not take these fields, and names the first that it finds."""

    def behave(request):
        for field in fields:
            if field in request.json:
                return fails(400, message.format(field))
        return judges()

    return behave


@pytest.mark.parametrize(
    ("field", "recorded"),
    [
        ("temperature", {"temperature": None, "seed": 0, "max_tokens": 8192, "structure": "json_schema"}),
        ("seed", {"temperature": 0.0, "seed": None, "max_tokens": 8192, "structure": "json_schema"}),
        ("response_format", {"temperature": 0.0, "seed": 0, "max_tokens": 8192, "structure": "tool"}),
    ],
)
async def test_openai_leaves_out_what_is_complained_of_and_remembers(openai_judge, provider, case, field, recorded):
    provider.script = without(field)
    judge = openai_judge()
    first = await judge.opine(asked(case))
    assert isinstance(first, ComparisonOpinion)
    assert provider.calls == 2
    assert first.calls[0].sent == recorded
    assert first.calls[0].attempts == 2
    second = await judge.opine(asked(case, "ba"))
    assert isinstance(second, ComparisonOpinion)
    assert provider.calls == 3, "the second question is asked right at once"
    assert second.calls[0].sent == recorded
    assert field not in provider.requests[-1].json


async def test_json_schema_gives_way_to_a_tool_and_the_tool_to_text(openai_judge, provider, case):
    provider.script = without("response_format", "tools", message="this server does not support {}")
    opinion = await openai_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert [sorted({"response_format", "tools"} & set(request.json)) for request in provider.requests] == [
        ["response_format"],
        ["tools"],
        [],
    ]
    assert "The schema of your reply:" in provider.requests[-1].system
    assert opinion.calls[0].sent["structure"] == "text"


@pytest.mark.parametrize(
    ("model", "unknown", "used"),
    [("gpt-4o", "max_completion_tokens", "max_tokens"), ("old-server", "max_completion_tokens", "max_tokens")],
)
async def test_the_token_limit_goes_by_the_other_name(openai_judge, provider, case, model, unknown, used):
    provider.script = without(unknown, message="Unrecognized request argument supplied: {}")
    opinion = await openai_judge(model).opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert provider.requests[-1].json[used] == 8192
    assert unknown not in provider.requests[-1].json


async def test_a_limit_above_the_servers_own_is_left_out(openai_judge, provider, case):
    provider.script = without(
        "max_tokens",
        "max_completion_tokens",
        message="{} is too large: 8192. This model's maximum context length is 4096 tokens",
    )
    opinion = await openai_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert opinion.calls[0].sent["max_tokens"] is None


async def test_a_server_that_takes_neither_token_field_does_not_send_us_in_circles(openai_judge, provider, case):
    provider.script = without("max_tokens", "max_completion_tokens", message="{}: not supported")
    failure = await openai_judge().opine(asked(case))
    assert isinstance(failure, Failure)
    assert failure.reason == "rejected"
    assert provider.calls == 2


async def test_calls_that_were_under_way_together_adapt_together(openai_judge, provider, case):
    # All are sent before the first refusal comes back: each is refused for what is by then already left out.
    provider.script = without("temperature", "seed", "response_format")
    judge = openai_judge()
    cases = [Comparison(task=f"{case.task} ({number})", a=case.a, b=case.b) for number in range(8)]
    opinions = await asyncio.gather(*(judge.opine(asked(each)) for each in cases))
    assert all(isinstance(opinion, ComparisonOpinion) for opinion in opinions)
    assert {str(opinion.calls[0].sent) for opinion in opinions} == {
        "{'temperature': None, 'seed': None, 'max_tokens': 8192, 'structure': 'tool'}"
    }


@pytest.mark.parametrize("status", [401, 403])
async def test_a_bad_key_is_unauthorized(openai_judge, provider, case, status):
    provider.script = [fails(status, "invalid key")]
    failure = await openai_judge().opine(asked(case))
    assert isinstance(failure, Failure)
    assert (failure.reason, failure.judge) == ("unauthorized", "openai:gpt-4o")
    assert "invalid key" in failure.message


async def test_a_complaint_that_nothing_can_be_done_about_is_rejected(openai_judge, provider, case):
    provider.script = [fails(400, "no such model: gpt-4o")]
    failure = await openai_judge().opine(asked(case))
    assert isinstance(failure, Failure)
    assert (failure.reason, provider.calls) == ("rejected", 1)
    assert "no such model" in failure.message


async def test_anthropic_adapts_too(anthropic_judge, provider, case):
    provider.script = without("temperature", "output_config", "tools", message="{}: Extra inputs are not permitted")
    judge = anthropic_judge()
    first = await judge.opine(asked(case))
    assert isinstance(first, ComparisonOpinion)
    assert first.calls[0].sent == {"temperature": None, "seed": None, "max_tokens": 8192, "structure": "text"}
    assert provider.calls == first.calls[0].attempts == 4
    assert isinstance(await judge.opine(asked(case, "ba")), ComparisonOpinion)
    assert provider.calls == 5


async def test_anthropic_learns_how_much_a_model_can_write(anthropic_judge, provider, case):
    def behave(request):
        asked_for = request.json["max_tokens"]
        if asked_for > 4096:
            return fails(400, f"max_tokens: {asked_for} > 4096, which is the maximum allowed number of output tokens")
        return judges()

    provider.script = behave
    opinion = await anthropic_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert opinion.calls[0].sent["max_tokens"] == 4096


async def test_an_anthropic_tool_reply_is_read_from_the_tools_input(anthropic_judge, provider, case):
    provider.script = without("output_config")
    opinion = await anthropic_judge().opine(asked(case))
    assert isinstance(opinion, ComparisonOpinion)
    assert opinion.calls[0].sent["structure"] == "tool"
    assert provider.requests[-1].json["tool_choice"] == {"type": "tool", "name": "comparison"}
