"""The benches of runs on few cases: each command works, and what it rests on does what it says."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import orjson
import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="process trees are read from /proc")


# -- the commands -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_throughput_is_told_for_the_bare_loop_and_for_adjudge(run):
    quick = ("--delay", 0.05, "--concurrency", 20, "--at-least", 0, "--at-most-cpu", 1000)
    done = run("run_throughput.py", "--cases", 60, "--rounds", 1, *quick)
    assert [line.split()[:2] for line in done.stdout.splitlines()[2:]] == [["bare", "aiohttp"], ["adjudge", "run"]]
    assert "100%" in done.stdout.splitlines()[2]


@pytest.mark.slow
def test_memory_is_told_with_the_disk_it_takes_and_fails_when_it_grows_and_nothing_is_left(run, tmp_path):
    done = run("run_memory.py", "--small", 20, "--large", 30, "--at-most", 0.1, "--folder", tmp_path, status=1)
    assert "more than 0.1 times" in done.stderr
    assert done.stdout.startswith("30 cases need about 0.0 GB")
    assert [line.split()[0] for line in done.stdout.splitlines()[-3:]] == ["20", "30", "the"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_results_are_measured_at_two_sizes_and_growth_fails(run, tmp_path):
    sizes = ("--small", 60, "--large", 90, "--only", "show-where,diff", "--at-most", 0.1)
    done = run("results_scale.py", *sizes, "--folder", tmp_path, status=1)
    told = [line.split() for line in done.stdout.splitlines()[1:]]
    assert [line[:2] for line in told[:3]] == [["show-where", "60"], ["show-where", "90"], ["show-where", "memory:"]]
    assert len(told) == 6 and list(tmp_path.iterdir()) == []
    assert "more than 0.1 times the memory: show-where, diff" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["run", "worker"])
def test_a_killed_run_loses_and_doubles_nothing(run, kind):
    done = run("run_kills.py", "--kills", 2, "--cases", 60, "--concurrency", 8, "--kinds", kind)
    *_, kills, runs, verdicts, lost, doubled, twice, most, allowed = done.stdout.splitlines()[-1].split()
    assert (int(kills), int(verdicts), int(lost), int(doubled)) == (2, 60 * int(runs), 0, 0)
    assert int(twice) <= 2 * int(most) <= 2 * int(allowed) == 16


@pytest.mark.slow
def test_a_run_ends_and_its_counts_add_up_when_the_server_misbehaves(run):
    done = run("run_faults.py", "--cases", 60, "--concurrency", 20, "--delay", 0.01)
    counts = re.search(r"(\d+) verdicts \+ (\d+) failures \(.+\) = 60 cases", done.stdout)
    verdicts, failures = map(int, counts.groups())
    assert verdicts + failures == 60
    assert 2 <= failures <= 6  # the two that cannot be judged, and whoever was answered badly twice


# -- what they rest on ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_bare_loop_makes_the_same_calls_as_adjudge(bench, folder, tmp_path):
    commands, overhead = bench("commands"), bench("overhead")
    cases = overhead.cases(3)
    commands.write_cases(tmp_path / "cases.jsonl", cases)
    (tmp_path / "reply.json").write_bytes(overhead.reply_body())
    recorder = [
        sys.executable,
        "-c",
        RECORDER,
        str(folder),
        str(tmp_path / "reply.json"),
        str(tmp_path / "asked.jsonl"),
    ]
    with subprocess.Popen(recorder, stdout=subprocess.PIPE, text=True) as server:
        judge = f"http://127.0.0.1:{int(server.stdout.readline())}/v1#m"
        command = commands.adjudge("run", "compare", tmp_path / "cases.jsonl", "--run", tmp_path / "run")
        done = subprocess.run([*command, "--one-order", "--judge", judge], env=commands.environment())
        server.terminate()
    assert done.returncode == 0
    asked = [orjson.loads(line) for line in (tmp_path / "asked.jsonl").read_bytes().splitlines()]
    assert len(asked) == 3
    for body in overhead.requests(cases):
        # One order is drawn for each case: which answer stands first may differ, and the fence code; nothing else.
        assert any(shape(body) == shape(other) for other in asked)


RECORDER = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
import instant_server
reply = instant_server.answer_of(open(sys.argv[2], "rb").read())
class Recorder(instant_server.Connection):
    def respond(self, path, body):
        with open(sys.argv[3], "ab") as file:
            file.write(body + b"\\n")
        self.say(reply)
asyncio.run(instant_server.listen(Recorder))
"""


def shape(body):
    system, user = body["messages"]
    code = user["content"].splitlines()[0].split()[-1]  # each journal has codes of its own
    return {**body, "messages": [system, sorted(user["content"].replace(code, "").split())]}


def test_faults_are_the_same_for_the_same_seed_and_as_frequent_as_asked(bench):
    server = bench("faulty_server")
    faults = server.Faults(seed=1, malformed=0.05, errors=0.05, resets=0.02, every=100, burst=10)
    fates = [server.fate(faults, number, b"%d" % number, 0) for number in range(20_000)]
    assert fates == [server.fate(faults, number, b"%d" % number, 0) for number in range(20_000)]
    told = [server.fate(faults, 0, b"TASK %s: %d" % (code, n), 0) for code in (b"0" * 16, b"f" * 16) for n in range(99)]
    assert told[:99] == told[99:]  # a fence code is not among what is drawn from
    share = {what: fates.count(what) / (20_000 - fates.count("busy")) for what in set(fates)}
    assert fates.count("busy") == pytest.approx(20_000 * 10 / 110, rel=0.01)
    assert share["malformed"] == pytest.approx(0.05, abs=0.01)
    assert share["error"] == pytest.approx(0.05, abs=0.01)
    assert share["reset"] == pytest.approx(0.02, abs=0.01)


def test_a_request_that_comes_again_counts_against_the_kill_before_it(bench):
    book = bench("faulty_server").Book()
    for body in (b"1", b"2"):
        book.note(body)
    book.kills += 1
    book.note(b"2")
    book.kills += 1
    for body in (b"1", b"2", b"3"):
        book.note(body)
    assert book.told()["again"] == {"0": 2, "1": 1}


def test_memory_and_processor_time_of_children_count(bench):
    child = "import time; block = b'x' * 60_000_000\nwhile time.process_time() < 0.4: pass"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}], check=True)"
    done = bench("process_tree").measured([sys.executable, "-c", parent], every=0.02)
    assert done.status == 0
    assert done.peak > 60
    assert done.cpu > 0.3
    assert done.cpu_between(0, time.monotonic()) == pytest.approx(done.cpu)


def test_a_process_that_ended_is_not_taken_for_another(bench):
    found = bench("process_tree")
    mine = found.process(os.getpid())
    assert found.still_runs(mine)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    known = found.process(child.pid)
    assert child.pid in [one.pid for one in found.tree(os.getpid())]
    child.communicate()
    assert not found.still_runs(known)


@pytest.mark.parametrize("name", ["autoevals_battle", "inspect_graded", "deepeval_geval"])
def test_each_peer_has_a_pinned_version_and_a_reply_of_its_own(bench, name):
    peer = bench(name)
    assert all("==" in requirement for requirement in peer.REQUIREMENTS)
    assert peer.REPLY["choices"][0]["message"]["role"] == "assistant"
