"""`--retry-failed`: a malformed case is asked anew, and its verdict replays from that attempt."""

from runs.conftest import judge_of, pairs, write_lines
from scripted.provider import judges, says


async def test_a_malformed_case_is_asked_anew(provider, command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(2))
    provider.script = lambda request: says("nonsense") if "Plan tool 1." in request.turns[0] else judges()
    args = ("--judge", judge_of(provider), "--one-order")
    assert (await command("run", "compare", "pairs.jsonl", "--run", "out", *args)).code == 1
    assert [line["reason"] for line in files.failures] == ["malformed"]
    provider.script = lambda request: judges()
    calls = provider.calls
    done = await command("run", "--resume", "out", "--retry-failed")
    assert done.code == 0, done.err
    assert provider.calls == calls + 1
    files.check_complete(2)
    assert files.failures == []
    verdict = next(line for line in files.verdicts if line["case"] == "case-1")
    replay = await command("replay", verdict["verdict_id"], "--journal", "out/journal.db")
    assert replay.code == 0, replay.err
    assert provider.calls == calls + 1
