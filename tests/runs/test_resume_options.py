"""Options beside --resume: what decides the verdicts is the run's, limits are applied and kept, the rest is for now."""

import json
from decimal import Decimal

import pytest
from runs.conftest import judge_of, pairs, write_lines

from adjudge.runs.plan import RunOptions


@pytest.fixture
async def begun(command, tmp_path, provider):
    """A run of six cases of which two are done."""
    write_lines(tmp_path / "pairs.jsonl", pairs(6))
    judge = judge_of(provider)
    first = await command(
        "run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge, "--one-order", "--limit", "2"
    )
    assert first.code == 0, first.err
    return judge


def options_of(files):
    return json.loads((files.path / "run.json").read_text())["options"]


REFUSED = {
    ("review", "pairs.jsonl"): "PROTOCOL: ",
    ("compare", "other.jsonl"): "INPUT: ",
    ("--map", "a=answer"): "--map: the run was begun without it; this cannot change",
    ("--input-format", "csv"): "--input-format: ",
    ("--skip-bad",): "--skip-bad: the run was begun without it; this cannot change",
    ("--shuffle", "0"): "--shuffle: ",
    ("--judge", "embedded"): "--judge: ",
    ("--evaluator", "embedded"): "--evaluator: ",
    ("--critic", "embedded"): "--critic: ",
    ("--search", "brave"): "--search: ",
    ("--languages", "en"): "--languages: ",
    ("--seed", "3"): "--seed: the run was begun with 0; this cannot change",
    ("--sample", "1"): "--sample: ",
    ("--temperature", "0.5"): "--temperature: ",
    ("--max-tokens", "100"): "--max-tokens: ",
    ("--journal", "other.db"): "--journal: ",
}


async def test_what_decides_the_verdicts_is_refused_unless_it_is_the_runs(begun, command, provider):
    for option, says in REFUSED.items():
        done = await command("run", "--resume", "out", *option)
        assert done.code == 2, option
        assert done.err.startswith(f"adjudge: {says}"), done.err
        assert "this cannot change within a run" in done.err, option
    assert provider.calls == 2


async def test_a_folder_with_another_run_is_refused_and_says_how_they_differ(begun, command):
    done = await command("run", "compare", "pairs.jsonl", "--run", "out", "--judge", "embedded", "--one-order")
    assert done.code == 2
    assert f'out: holds a run with judge "{begun}", not "embedded"; give another folder with --run' in done.err


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((), "PROTOCOL and INPUT and --run DIR: missing"),
        (("compare", "pairs.jsonl"), "--run DIR: missing; adjudge run"),
    ],
)
async def test_what_a_run_lacks_is_named(command, given, says):
    done = await command("run", *given)
    assert (done.code, done.err.startswith(f"adjudge: {says}")) == (2, True), done.err


@pytest.mark.parametrize(
    ("protocol", "given", "says"),
    [
        ("dialogue", ("--one-order",), "--one-order: does not apply to dialogue"),
        ("compare", ("--critic", "embedded"), "--critic: does not apply to compare"),
        ("compare", ("--languages", "en"), "--languages: does not apply to compare"),
        ("compare", ("--temperature", "9"), "--temperature: 9.0; 0 to 2 is allowed"),
    ],
)
async def test_an_option_that_would_have_no_effect_is_refused(command, tmp_path, protocol, given, says):
    write_lines(tmp_path / "pairs.jsonl", pairs(1))
    done = await command("run", protocol, "pairs.jsonl", "--run", "out", *given)
    assert (done.code, done.err) == (2, f"adjudge: {says}\n")


async def test_another_rubric_is_refused_and_the_same_one_is_not(begun, command, tmp_path):
    shipped = (await command("rubric", "compare")).out
    (tmp_path / "same.yaml").write_text(shipped)
    (tmp_path / "other.yaml").write_text(shipped.replace("weight: 2.0", "weight: 3.0"))
    other = await command("run", "--resume", "out", "--rubric", "other.yaml")
    assert (other.code, "--rubric: is not the one that the run was begun with" in other.err) == (2, True), other.err
    same = await command("run", "--resume", "out", "--rubric", "same.yaml")
    assert same.code == 0, same.err


async def test_what_equals_the_runs_is_allowed_whether_it_is_the_default_or_not(begun, command, files):
    same = ("compare", "pairs.jsonl", "--judge", begun, "--one-order", "--seed", "0", "--max-tokens", "8192")
    done = await command("run", "--resume", "out", *same)
    assert done.code == 0, done.err
    files.check_complete(6)


async def test_limits_are_applied_and_kept(begun, command, files):
    given = ("--rate", "60000/min", "--concurrency", "3", "--poll", "5", "--limit", "3")
    assert (await command("run", "--resume", "out", *given)).code == 0
    kept = options_of(files)
    assert (kept["rate"], kept["concurrency"], kept["poll"]) == (60000.0, 3, 5.0)
    assert (await command("run", "--resume", "out", "--rate", "none")).code == 0
    kept = options_of(files)
    assert (kept["rate"], kept["concurrency"], kept["poll"]) == (None, 3, 5.0)
    files.check_complete(6)


async def test_a_dry_run_changes_no_limit(begun, command, files):
    assert (await command("run", "--resume", "out", "--rate", "5", "--dry-run")).code == 0
    assert options_of(files)["rate"] is None


async def test_a_budget_is_the_runs_total_over_all_resumes_and_none_lifts_it(provider, command, files, tmp_path):
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "k"}
    write_lines(tmp_path / "pairs.jsonl", pairs(40))
    judge = ("--judge", "openai:gpt-4o", "--one-order", "--max-tokens", "1000", "--concurrency", "4")
    first = await command("run", "compare", "pairs.jsonl", "--run", "out", *judge, "--budget", "0.08")
    assert first.code == 1, first.err
    assert "continue with a higher one (none removes the limit): adjudge run --resume out --budget USD" in first.err
    spent, calls = Decimal(files.summary["paid_usd"]), provider.calls
    again = await command("run", "--resume", "out")
    assert again.code == 1
    assert "is spent of a budget of $0.08" in again.err
    # What is left may do for a call or two, and never for more than the budget.
    assert Decimal(files.summary["paid_usd"]) <= Decimal("0.08")
    assert provider.calls - calls <= 2
    used = await command("run", "--resume", "out", "--budget", format(spent, "f"))
    assert (used.code, "nothing was sent" in used.err) == (1, True), used.err
    calls = provider.calls
    rest = await command("run", "--resume", "out", "--budget", "none")
    assert rest.code == 0, rest.err
    assert (provider.calls, calls < 40) == (40, True)
    assert options_of(files)["budget"] is None
    files.check_complete(40)


async def test_after_a_resume_the_budget_still_knows_how_large_the_replies_were(provider, command, files, tmp_path):
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "k"}
    write_lines(tmp_path / "pairs.jsonl", pairs(20))
    judge = ("--judge", "openai:gpt-4o", "--one-order")
    first = await command("run", "compare", "pairs.jsonl", "--run", "out", *judge, "--limit", "12")
    assert first.code == 0, first.err
    (largest,) = files.summary["largest_replies"]
    assert (largest["judge"], largest["replies"], largest["output_tokens"]) == ("openai:gpt-4o", 12, 200)
    # A reply of 8,192 tokens would cost $0.08 and not fit; one like those before costs half a cent.
    left = Decimal(files.summary["paid_usd"]) + Decimal("0.06")
    rest = await command("run", "--resume", "out", "--budget", format(left, "f"))
    assert rest.code == 0, rest.err
    assert files.summary["largest_replies"][0]["replies"] == 20
    files.check_complete(20)


async def test_workers_are_the_embedded_judges_and_ray_needs_a_shared_journal(begun, command):
    workers = await command("run", "--resume", "out", "--workers", "2")
    assert workers.code == 2
    assert f"--workers: sets the embedded judge's processes; with {begun} use --concurrency" in workers.err
    ray = await command("run", "--resume", "out", "--engine", "ray")
    assert ray.code == 2
    assert "--engine ray: its workers share the run's journal" in ray.err
    assert "postgresql://" in ray.err


def test_options_come_back_as_they_were_stored_and_a_local_engine_needs_no_address():
    options = RunOptions(7, 60.5, Decimal("0.10"), 2, engine="ray", ray_address="ray://h:1")
    stored = json.loads(json.dumps(options.stored()))
    assert RunOptions.of(stored, {}) == options
    assert RunOptions.of(stored, {"engine": "local"}).ray_address is None
