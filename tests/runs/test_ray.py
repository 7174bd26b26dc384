"""Runs on a real Ray cluster of two processors: killed workers, killed drivers, budgets and keys."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from decimal import Decimal
from pathlib import Path

import pytest
from runs.conftest import pairs, until, write_lines
from scripted.provider import waits

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


@pytest.fixture
def journal(postgres):
    return postgres.new_place()


def ray_run(provider, cluster, journal, *more):
    return (
        "run", "compare", "pairs.jsonl", "--run", "out", "--judge", f"{provider.url}/v1#m", "--one-order",
        "--engine", "ray", "--ray-address", cluster.address, "--journal", journal, *more,
    )  # fmt: skip


async def test_a_killed_workers_and_a_killed_drivers_cases_are_judged_and_little_is_paid_twice(
    provider, cluster, command, files, tmp_path, postgres, journal
):
    write_lines(tmp_path / "pairs.jsonl", pairs(60))
    provider.script = lambda request: waits(0.1)
    process = await command.start(*ray_run(provider, cluster, journal, "--concurrency", "4"))
    await until(lambda: provider.calls >= 10, patience=180)  # a cluster takes its time on a busy machine
    workers = cluster.workers()
    assert workers
    os.kill(workers[0], signal.SIGKILL)
    await until(lambda: provider.calls >= 30, patience=180)
    process.kill()
    _, err = await process.communicate()
    assert b"ray" not in err.lower().replace(b"--engine ray", b""), "Ray's own messages stay away"
    # The engine, its address and the concurrency are the run's; the journal's address holds no password to keep.
    resumed = ("run", "--resume", "out", "--journal", journal)
    rest = await (await command.start(*resumed)).communicate()
    files.check_complete(60)
    assert 60 <= provider.calls <= 60 + 4 + 4, rest
    assert postgres.do("select count(*) from adjudge_replies", journal) == [(60,)]
    assert not (tmp_path / "out" / "journal.db").exists()
    before = provider.calls
    again = await command.start(*resumed)
    await again.communicate()
    assert (again.returncode, provider.calls) == (0, before)


async def test_a_budget_is_kept_and_keys_reach_the_workers_but_no_log(
    provider, cluster, command, files, tmp_path, journal
):
    key = f"sk-{secrets.token_hex(12)}"
    command.environment |= {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": key}
    write_lines(tmp_path / "pairs.jsonl", pairs(80))
    process = await command.start(
        "run", "compare", "pairs.jsonl", "--run", "out", "--judge", "openai:gpt-4o", "--one-order", "--engine", "ray",
        "--ray-address", cluster.address, "--concurrency", "4", "--budget", "0.20", "--max-tokens", "1000",
        "--journal", journal,
    )  # fmt: skip
    _, err = await process.communicate()
    assert process.returncode == 1, err
    assert b"stopped by the budget" in err
    assert 0 < len(files.verdicts) < 80
    assert len(files.verdicts) == provider.calls
    spent = Decimal(files.summary["cost_usd"])
    assert Decimal("0.10") < spent <= Decimal("0.20")
    assert {request.headers["Authorization"] for request in provider.requests} == {f"Bearer {key}"}
    for log in (cluster.folder / "session_latest" / "logs").rglob("*"):
        assert not log.is_file() or key.encode() not in log.read_bytes(), log


async def test_a_case_that_no_worker_survives_is_a_failure_and_the_others_are_judged(
    provider, cluster, command, files, tmp_path, journal
):
    write_lines(tmp_path / "pairs.jsonl", pairs(6))

    def deadly(request):
        if "Plan tool 3." in request.turns[0]:
            for worker in cluster.workers():
                os.kill(worker, signal.SIGKILL)
        return waits(0.1)

    provider.script = deadly
    process = await command.start(*ray_run(provider, cluster, journal))
    _, err = await process.communicate()
    assert (process.returncode, files.summary["open"]) == (1, 0), err
    files.check_complete(6)
    assert [(line["case"], line["reason"]) for line in files.failures] == [("case-3", "crashed")]


async def test_a_cluster_started_for_the_run_ends_with_it_and_ctrl_c_finishes_what_is_in_flight(
    provider, command, files, tmp_path, journal
):
    mark = secrets.token_hex(8)
    command.environment |= {MARK: mark}
    write_lines(tmp_path / "pairs.jsonl", pairs(80))
    provider.script = lambda request: waits(1.0)
    process = await command.start(
        "run", "compare", "pairs.jsonl", "--run", "out", "--judge", f"{provider.url}/v1#m", "--one-order",
        "--engine", "ray", "--concurrency", "4", "--journal", journal,
    )  # fmt: skip
    await until(lambda: provider.calls >= 8, patience=180)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
    _, err = await process.communicate()
    assert process.returncode == 130, err
    assert len(files.verdicts) == provider.calls < 80
    assert files.summary["stopped_by"] == "interrupted"
    await until(lambda: not marked(mark))


async def test_an_address_that_nobody_listens_at_is_said_in_one_line(provider, command, tmp_path, journal):
    write_lines(tmp_path / "pairs.jsonl", pairs(2))
    begun = time.monotonic()
    done = await command("run", "compare", "pairs.jsonl", "--run", "out", "--engine", "ray", "--ray-address",
                         "127.0.0.1:1", "--quiet", "--journal", journal)  # fmt: skip
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "127.0.0.1:1 cannot be reached" in done.err
    assert time.monotonic() - begun < 100, "Ray itself would try for minutes"
