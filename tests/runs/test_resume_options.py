"""Options beside --resume: what decides the verdicts is the run's, limits are applied and kept, the rest is for now."""

import json
from decimal import Decimal

import pytest

from adjudge.runs.plan import RunOptions


@pytest.fixture
async def begun(command, provider, asked):
    """A run of six cases of which two are done: its judge."""
    await command.run(6, *asked, "--limit", "2")
    return asked[1]


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
        done = await command.resume(*option, exits=2)
        assert done.err.startswith(f"adjudge: {says}"), done.err
        assert "this cannot change within a run" in done.err, option
    assert provider.calls == 2


async def test_what_a_run_lacks_is_named(command):
    for given, says in {
        (): "PROTOCOL and INPUT and --run DIR: missing",
        ("compare", "pairs.jsonl"): "--run DIR: missing; adjudge run",
    }.items():
        done = await command("run", *given)
        assert (done.code, done.err.startswith(f"adjudge: {says}")) == (2, True), done.err


async def test_another_rubric_is_refused_and_what_equals_the_runs_own_is_not(begun, command, files, tmp_path):
    shipped = (await command("rubric", "compare")).out
    (tmp_path / "same.yaml").write_text(shipped)
    (tmp_path / "other.yaml").write_text(shipped.replace("weight: 2.0", "weight: 3.0"))
    other = await command.resume("--rubric", "other.yaml", exits=2)
    assert "--rubric: is not the one that the run was begun with" in other.err
    # What equals the run's is allowed, whether it is the default or not.
    same = ("compare", "pairs.jsonl", "--judge", begun, "--one-order", "--seed", "0", "--max-tokens", "8192")
    await command.resume(*same, "--rubric", "same.yaml")
    files.check_complete(6)


async def test_limits_are_applied_and_kept_but_by_a_dry_run(begun, command, files):
    await command.resume("--rate", "5", "--dry-run")
    assert options_of(files)["rate"] is None
    given = ("--rate", "60000/min", "--concurrency", "3", "--poll", "5", "--limit", "3")
    for options, rate in ((given, 60000.0), (("--rate", "none"), None)):
        await command.resume(*options)
        kept = options_of(files)
        assert (kept["rate"], kept["concurrency"], kept["poll"]) == (rate, 3, 5.0)
    files.check_complete(6)


async def test_workers_are_the_embedded_judges_and_ray_needs_a_shared_journal(begun, command):
    workers = await command.resume("--workers", "2", exits=2)
    assert f"--workers: sets the embedded judge's processes; with {begun} use --concurrency" in workers.err
    ray = await command.resume("--engine", "ray", exits=2)
    assert "--engine ray: its workers share the run's journal" in ray.err and "postgresql://" in ray.err


def test_options_come_back_as_they_were_stored_and_a_local_engine_needs_no_address():
    options = RunOptions(7, 60.5, Decimal("0.10"), 2, engine="ray", ray_address="ray://h:1")
    stored = json.loads(json.dumps(options.stored()))
    assert RunOptions.of(stored, {}) == options
    assert RunOptions.of(stored, {"engine": "local"}).ray_address is None
