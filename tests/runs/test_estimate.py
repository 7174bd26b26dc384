"""What a run says it will ask: also of those who are asked only after somebody else has answered."""

import re

import pytest
from runs.conftest import judge_of, pairs, write_lines

TALK = [{"role": "user", "content": "Is it late?"}, {"role": "assistant", "content": "No."}]


async def told(command, *args):
    """Calls and dollars of a dry run."""
    done = await command("run", *args, "--run", f"run-{len(list(command.folder.glob('run-*')))}", "--dry-run")
    assert done.code == 0, done.err
    calls, cost = re.search(r"about (\d+) calls", done.err), re.search(r"about \$([\d.]+)", done.err)
    return int(calls[1]), float(cost[1]) if cost else None


@pytest.fixture
def talks(tmp_path):
    rows = [{"id": f"t{n}", "turns": [*TALK, {"role": "user", "content": f"And bus {n}?"}]} for n in range(3)]
    return write_lines(tmp_path / "talks.jsonl", rows).name


async def test_a_critic_is_counted_and_priced_as_itself(command, talks):
    command.environment |= {"OPENAI_API_KEY": "k"}
    cheap, dear = "openai:gpt-4o-mini", "openai:gpt-4o"

    async def pair(evaluator, critic):
        return await told(command, "dialogue", talks, "--evaluator", evaluator, "--critic", critic)

    (_, both_cheap), (_, both_dear), mixed, turned = [
        await pair(*named) for named in ((cheap, cheap), (dear, dear), (cheap, dear), (dear, cheap))
    ]
    assert mixed[0] == turned[0] == 6
    assert both_cheap < mixed[1] < both_dear
    assert mixed[1] == pytest.approx(turned[1], abs=0.02)


async def test_a_critic_whose_evaluator_answers_offline_is_counted_once(command, provider, talks):
    calls, _ = await told(command, "dialogue", talks, "--evaluator", "embedded", "--critic", judge_of(provider))
    assert (calls, provider.calls) == (3, 0)


async def test_a_review_with_a_persons_words_is_asked_about_them_too(command, provider, tmp_path):
    rated = {"response1_truthfulness": "3", "response1_truthfulness_justification": "It names the right river."}
    rows = [
        {"id": f"r{n}", "prompt": f"Name river {n}.", "response1": "The Rhine.", "response2": "None."} for n in range(4)
    ]
    rows[0] |= rated
    rows[1] |= rated
    write_lines(tmp_path / "reviews.jsonl", rows)
    calls, _ = await told(command, "review", "reviews.jsonl", "--judge", judge_of(provider))
    assert (calls, provider.calls) == (6, 0)


async def test_the_comparisons_after_a_search_are_counted(command, provider, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(2))
    searching = ("compare", "pairs.jsonl", "--judge", judge_of(provider), "--search", f"searxng:{provider.url}")
    assert await told(command, *searching) == (6, None)
    assert await told(command, *searching, "--one-order") == (4, None)
    assert provider.calls == 0
