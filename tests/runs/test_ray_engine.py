"""Runs on a real Ray cluster of two processors: killed workers, killed drivers, other hosts, budgets and keys."""

import asyncio
import os
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from decimal import Decimal
from pathlib import Path

import pytest
from runs.conftest import pairs, until, write_lines
from scripted.provider import waits

from adjudge.engine import CompareSettings, rubric_for
from adjudge.errors import SetupError
from adjudge.inputs.rows import Row
from adjudge.models.cases import Comparison
from adjudge.runs import ray_engine
from adjudge.runs.directory import RunDirectory
from adjudge.runs.plan import Manner, Plan
from adjudge.runs.progress import Quiet
from adjudge.runs.ray_engine import RayWorkers
from adjudge.runs.running import begin, carry_out, look
from adjudge.runs.workers import Halt

pytestmark = pytest.mark.slow

MARK = "ADJUDGE_TEST_CLUSTER"
CLUSTER = """
import sys, logging, ray
started = ray.init("local", num_cpus=2, include_dashboard=False, object_store_memory=100 * 2**20,
                   log_to_driver=False, logging_level=logging.ERROR, _temp_dir=sys.argv[1])
print(started.address_info["gcs_address"], flush=True)
sys.stdin.read()
ray.shutdown()
"""


class Cluster:
    """A cluster in processes of its own; they carry a mark, so that only ours are ever killed."""

    def __init__(self, folder):
        self.folder, self.mark = folder, secrets.token_hex(8)
        (folder / "tmp").mkdir()
        environment = {**os.environ, MARK: self.mark, "RAY_USAGE_STATS_ENABLED": "0", "TMPDIR": str(folder / "tmp")}
        self._process = subprocess.Popen(
            [sys.executable, "-c", CLUSTER, str(folder)],
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self.address = self._process.stdout.readline().strip()

    def workers(self):
        """The processes that judge: children of ours, which write their title over the mark."""
        ours = marked(self.mark)
        return [
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit()
            and read(entry / "cmdline").startswith(b"ray::AdjudgeWorker")
            and any(f"PPid:\t{pid}\n".encode() in read(entry / "status") for pid in ours)
        ]

    def stop(self):
        self._process.communicate()


def marked(mark):
    """The processes whose environment holds this mark."""
    wanted = f"{MARK}={mark}".encode()
    entries = (entry for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [int(entry.name) for entry in entries if wanted in read(entry / "environ")]


def read(path):
    """A file of a process, which may have ended."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.fixture(scope="module")
def cluster():
    if not Path("/proc/self/environ").exists():
        pytest.skip("processes are found through /proc")
    # Not below pytest's folder: the names of Ray's sockets must stay short.
    folder = Path(tempfile.mkdtemp(prefix="ray"))
    with pytest.MonkeyPatch.context() as environment:
        # Ray reads this when it is loaded: nobody else on this machine may run code on our cluster.
        environment.setenv("RAY_AUTH_MODE", "token")
        environment.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        started = Cluster(folder)
        yield started
        started.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def connected(cluster):
    """The cluster, with a connection of this process that several tests share."""
    import ray

    ray.init(cluster.address, log_to_driver=False, logging_level="error")
    yield cluster
    ray.shutdown()


def ray_run(provider, cluster, *more):
    return (
        "run", "compare", "pairs.jsonl", "--run", "out", "--judge", f"{provider.url}/v1#m", "--one-order",
        "--engine", "ray", "--ray-address", cluster.address, *more,
    )  # fmt: skip


async def test_a_killed_workers_cases_are_taken_over_and_little_is_paid_twice(
    provider, cluster, command, files, tmp_path
):
    write_lines(tmp_path / "pairs.jsonl", pairs(60))
    provider.script = lambda request: waits(0.1)
    process = await command.start(*ray_run(provider, cluster, "--concurrency", "4", "--workers", "2"))
    await until(lambda: provider.calls >= 15)
    workers = cluster.workers()
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    _, err = await process.communicate()
    assert process.returncode == 0, err
    files.check_complete(60)
    assert files.summary["verdicts"] == len(files.verdicts) == 60
    assert 60 <= provider.calls <= 60 + 4
    assert b"ray" not in err.lower().replace(b"--engine ray", b""), "Ray's own messages stay away"


async def test_a_killed_driver_is_resumed_without_paying_again(provider, cluster, command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(40))
    provider.script = lambda request: waits(0.1)
    process = await command.start(*ray_run(provider, cluster, "--concurrency", "4", "--workers", "2"))
    await until(lambda: provider.calls >= 12)
    process.kill()
    await process.communicate()
    assert len(files.verdicts) < 40
    resumed = ("run", "--resume", "out", "--engine", "ray", "--ray-address", cluster.address, "--concurrency", "4")
    rest = await command(*resumed)
    assert rest.code == 0, rest.err
    files.check_complete(40)
    assert provider.calls <= 40 + 4
    before = provider.calls
    again = await command(*resumed)
    assert again.code == 0, again.err
    assert provider.calls == before


async def test_a_budget_is_kept_and_keys_reach_the_workers_but_no_log(provider, cluster, command, files, tmp_path):
    key = f"sk-{secrets.token_hex(12)}"
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": key}
    write_lines(tmp_path / "pairs.jsonl", pairs(60))
    done = await command(
        "run", "compare", "pairs.jsonl", "--run", "out", "--judge", "openai:gpt-4o", "--one-order", "--engine", "ray",
        "--ray-address", cluster.address, "--workers", "2", "--concurrency", "4", "--budget", "0.20",
        "--max-tokens", "1000",
    )  # fmt: skip
    assert done.code == 1, done.err
    assert "the budget is used up" in done.err
    assert 0 < len(files.verdicts) < 60
    assert len(files.verdicts) == provider.calls
    spent = Decimal(files.summary["cost_usd"])
    assert Decimal("0.10") < spent <= Decimal("0.20")
    assert {request.headers["Authorization"] for request in provider.requests} == {f"Bearer {key}"}
    for log in (cluster.folder / "session_latest" / "logs").rglob("*"):
        assert not log.is_file() or key.encode() not in log.read_bytes(), log


async def test_with_a_journal_on_a_postgres_server_every_worker_uses_it(
    provider, cluster, command, files, tmp_path, postgres
):
    write_lines(tmp_path / "pairs.jsonl", pairs(12))
    where = postgres.new_place()
    done = await command(*ray_run(provider, cluster, "--workers", "2", "--journal", where))
    assert done.code == 0, done.err
    files.check_complete(12)
    assert provider.calls == 12
    assert postgres.do("select count(*) from adjudge_replies", where) == [(12,)]
    assert not (tmp_path / "out" / "journal.db").exists()


async def test_a_case_that_no_worker_survives_is_given_up_on_a_cluster_too(provider, cluster, command, files, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(1))
    provider.script = lambda request: waits(600)
    process = await command.start(*ray_run(provider, cluster, "--workers", "1"))
    for deaths in range(1, 7):
        await until(lambda deaths=deaths: provider.calls >= deaths)
        for worker in cluster.workers():
            os.kill(worker, signal.SIGKILL)
    _, err = await process.communicate()
    assert process.returncode == 1, err
    files.check_complete(1)
    assert [line["reason"] for line in files.failures] == ["crashed"]


async def test_a_cluster_started_for_the_run_ends_with_it_and_ctrl_c_finishes_what_is_begun(
    provider, command, files, tmp_path
):
    mark = secrets.token_hex(8)
    command.environment |= {MARK: mark}
    write_lines(tmp_path / "pairs.jsonl", pairs(60))
    provider.script = lambda request: waits(0.2)
    process = await command.start(
        "run", "compare", "pairs.jsonl", "--run", "out", "--judge", f"{provider.url}/v1#m", "--one-order",
        "--engine", "ray", "--workers", "2", "--concurrency", "4",
    )  # fmt: skip
    await until(lambda: provider.calls >= 8)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
    _, err = await process.communicate()
    assert process.returncode == 130, err
    assert len(files.verdicts) == provider.calls < 60
    assert files.summary["stopped_by"] == "interrupted"
    await until(lambda: not marked(mark))


async def test_an_address_that_nobody_listens_at_is_said_in_one_line(provider, command, tmp_path):
    write_lines(tmp_path / "pairs.jsonl", pairs(2))
    begun = time.monotonic()
    done = await command("run", "compare", "pairs.jsonl", "--run", "out", "--engine", "ray", "--ray-address",
                         "127.0.0.1:1", "--quiet")  # fmt: skip
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "127.0.0.1:1 cannot be reached" in done.err
    assert time.monotonic() - begun < 20


# -- workers on other hosts -------------------------------------------------------------------------------------------


class Cases(list):
    @property
    def mapping(self):
        return {}


@pytest.fixture
def begun(tmp_path, provider):
    """A run of twelve comparisons that nobody has carried out yet."""

    def rows():
        for number, pair in enumerate(pairs(12)):
            yield Row(f"line {number}", pair["id"], Comparison(task=pair["task"], a=pair["a"], b=pair["b"]))

    settings = CompareSettings(judge=f"{provider.url}/v1#m", rubric=rubric_for("compare", None), one_order=True)
    directory = RunDirectory(tmp_path / "out")
    directory.path.mkdir()
    begin(directory, "compare", settings, Cases(rows()), source="here")
    return directory


async def carried_out_apart(directory, journal, plan):
    """All cases, by workers that cannot reach the journal."""
    heard = []
    lines = iter(directory.cases.read_bytes().splitlines())
    manner = Manner(4, workers=2, engine="ray")
    workers = RayWorkers(plan, str(journal), manner, lines, heard.extend, Halt(), None, 12, apart=True)
    await workers.run()
    return heard


def rows_in(journal, table):
    with sqlite3.connect(journal) as database:
        return database.execute(f"select count(*) from {table}").fetchone()[0]


async def test_what_workers_on_other_hosts_pay_for_is_merged_into_the_runs_journal(
    provider, begun, connected, tmp_path
):
    plan = begun.plan()
    heard = await carried_out_apart(begun, tmp_path / "one.db", plan)
    assert sorted(outcome.position for outcome in heard) == list(range(12))
    assert {outcome.status for outcome in heard} == {"verdict"}
    assert provider.calls == 12
    assert [rows_in(tmp_path / "one.db", table) for table in ("replies", "verdicts", "outcomes")] == [12, 12, 12]

    # The run's journal was lost: the host still has what was paid, and says it again.
    heard = await carried_out_apart(begun, tmp_path / "two.db", plan)
    assert len(heard) == 12
    assert provider.calls == 12
    assert [rows_in(tmp_path / "two.db", table) for table in ("replies", "verdicts", "outcomes")] == [12, 12, 12]

    # A host that never saw these questions: the run's journal has their replies.
    elsewhere = Plan("r" + secrets.token_hex(6), plan.protocol, plan.settings, plan.rubric)
    heard = await carried_out_apart(begun, tmp_path / "two.db", elsewhere)
    assert len(heard) == 12
    assert provider.calls == 12
    assert rows_in(tmp_path / "two.db", "outcomes") == 24


async def test_a_killed_worker_on_another_host_leaves_what_it_paid_to_its_successor(
    provider, begun, connected, tmp_path
):
    provider.script = lambda request: waits(0.5)
    task = asyncio.create_task(carried_out_apart(begun, tmp_path / "one.db", begun.plan()))
    await until(lambda: provider.calls >= 6)
    os.kill(connected.workers()[0], signal.SIGKILL)
    heard = await task
    assert sorted(outcome.position for outcome in heard) == list(range(12))
    assert provider.calls <= 12 + 4
    assert rows_in(tmp_path / "one.db", "replies") == 12


# -- what must be there -----------------------------------------------------------------------------------------------


async def test_another_version_on_the_cluster_is_said_plainly(begun, connected, monkeypatch):
    monkeypatch.setattr(ray_engine, "__version__", "99.0")
    stand = look(begun)
    manner = Manner(4, workers=1, engine="ray")
    with pytest.raises(SetupError, match=r"has adjudge .*, this is 99\.0; install the same version on every node"):
        await carry_out(begun, stand, manner, Quiet(), Halt())
