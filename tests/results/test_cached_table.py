"""A run's table in a file: made once, made again when the run has changed, whole at any moment."""

import os
import shutil
import threading
import time

import pytest
from results.building import write_run
from results.samples import comparisons

from adjudge.files import try_lock
from adjudge.results.cached_table import cached_table, chosen_rows, reading
from adjudge.results.database import opened
from adjudge.results.run import open_run
from adjudge.runs.directory import RunDirectory


class Teller:
    """Counts how often a table is made."""

    def __init__(self):
        self.asked = 0

    def __call__(self, database):
        self.asked += 1
        return f"{database.counts().finished} outcomes".encode()


@pytest.fixture
def run(runs, tmp_path):
    shutil.copytree(runs["compare"], tmp_path / "run")
    return open_run(tmp_path / "run")


@pytest.mark.parametrize("protocol", ["compare", "dialogue", "grade", "review"])
def test_a_kept_table_has_the_rows_and_columns_of_one_that_is_read_anew(runs, protocol, tmp_path):
    shutil.copytree(runs[protocol], tmp_path / "run")
    run = open_run(tmp_path / "run")
    with opened(run) as fresh, reading(run, cached_table(run, Teller())) as kept:
        assert [(it.name, it.kind, it.score) for it in kept.columns] == [
            (it.name, it.kind, it.score) for it in fresh.columns
        ]
        assert (kept.expected, kept.counts()) == (fresh.expected, fresh.counts())
        assert list(kept.rows()) == list(fresh.rows())


def test_it_is_made_once_and_again_when_the_run_has_changed(run):
    tell = Teller()
    assert cached_table(run, tell).description == b"10 outcomes"
    assert cached_table(run, tell).description == b"10 outcomes"
    assert tell.asked == 1
    verdicts = run.folder / "verdicts.jsonl"
    verdicts.write_bytes(b"".join(verdicts.read_bytes().splitlines(keepends=True)[1:]))
    assert cached_table(run, tell).description == b"9 outcomes"
    assert tell.asked == 2
    assert (run.folder / "kept" / "results.duckdb").stat().st_mode & 0o777 == 0o600
    assert not list(run.folder.glob(".adjudge-*")), "nothing is left over"


def test_of_a_run_that_goes_on_an_older_table_will_do_for_a_while(run):
    tell = Teller()
    cached_table(run, tell)
    verdicts = run.folder / "verdicts.jsonl"
    verdicts.write_bytes(b"".join(verdicts.read_bytes().splitlines(keepends=True)[1:]))
    assert cached_table(run, tell, in_progress=True).description == b"10 outcomes"
    long_ago = time.time() - 3600
    os.utime(run.folder / "kept" / "results.duckdb", (long_ago, long_ago))
    # While another makes it anew, nobody else waits.
    with (run.folder / "kept" / "lock").open() as held:
        assert try_lock(held.fileno())
        assert cached_table(run, tell, in_progress=True).description == b"10 outcomes"
    assert cached_table(run, tell, in_progress=True).description == b"9 outcomes"


def test_a_file_that_is_no_table_of_ours_is_replaced(run):
    (run.folder / "kept").mkdir()
    (run.folder / "kept" / "results.duckdb").write_bytes(b"something else" * 1000)
    assert cached_table(run, Teller()).description == b"10 outcomes"


def test_many_who_ask_at_once_have_it_made_once_and_all_read_it(run):
    tell, found = Teller(), []

    def ask():
        with reading(run, cached_table(run, tell)) as database:
            found.append(database.counts().finished)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tell.asked, found) == (1, [10] * 4)


def test_words_are_found_in_every_text_of_a_case_and_are_only_words(run):
    kept = cached_table(run, Teller())

    def found(words):
        with reading(run, kept) as database:
            sought = f"r.position in (select position from {database.schema}.cases where contains(texts, lower(?)))"
            return [row["case"] for row in chosen_rows(database, sought, [words], "").rows()]

    assert found("FOR 3 PEOPLE") == ["egg-2"]
    assert found("eight MINUTES, then cool") == ["egg-0", "egg-2", "egg-3", "egg-5", "=cmd|' /C calc'!A0", "lost"]
    assert found("' or 1=1 --") == found("%") == []


def test_a_grown_run_can_be_read_while_its_table_is_made_again(tmp_path):
    run = open_run(write_run(tmp_path / "run", comparisons()[:3]))
    with reading(run, cached_table(run, Teller())) as before:
        verdicts = run.folder / "verdicts.jsonl"
        verdicts.write_bytes(verdicts.read_bytes().splitlines(keepends=True)[0])
        with reading(run, cached_table(run, Teller())) as after:
            assert (before.counts().finished, after.counts().finished) == (3, 1)


def test_whoever_continues_a_run_leaves_a_table_that_is_being_made_alone(run):
    def continued(database):
        with RunDirectory(run.folder).locked():
            return b"made"

    assert cached_table(run, continued).description == b"made"


def test_what_a_killed_process_left_behind_is_cleared_away(run):
    left = run.folder / "kept" / ".adjudge-left"
    left.mkdir(parents=True)
    (left / "results.duckdb").touch()
    assert cached_table(run, Teller()).description == b"10 outcomes"
    assert not left.exists()
