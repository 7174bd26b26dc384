"""`adjudge run` as users start it: from a file to a finished directory, and on from wherever it was left."""

import json
import sqlite3
import zlib
from pathlib import Path

import pytest
from runs.conftest import judging_but, pairs, read_lines, until
from scripted.provider import fails, judges, waits

from adjudge.journal import open_journal


async def test_every_case_of_a_file_has_a_verdict_in_the_directory(finished, files):
    assert finished.code == 0, finished.err
    files.check_complete(5)
    for said in (
        *("5 verdicts", "none of 5 labelled cases was decided", "undecided 5"),
        "everything is in out; see: adjudge show out, adjudge export out --format html",
    ):
        assert said in finished.out
    line = files.verdicts[0]
    assert line["verdict"]["verdict_id"] == line["verdict_id"]
    assert line["answer"] == line["verdict"]["evaluation"]["winner"]
    assert {line["case"] for line in files.verdicts} == {f"case-{n}" for n in range(5)}


async def test_the_same_command_given_twice_asks_and_pays_nothing_more(provider, command, files, asked):
    await command.run(6, *asked)
    before = (files.path / "verdicts.jsonl").read_bytes()
    again = await command.run(6, *asked)
    assert "6 done, 0 to do now" in again.err
    assert (provider.calls, (files.path / "verdicts.jsonl").read_bytes()) == (6, before)


async def test_another_judge_or_other_cases_are_refused_in_the_same_folder(finished, command):
    given = ("run", "compare", "pairs.jsonl", "--run", "out")
    for option, said in {
        ("--seed", "7"): "holds a run with seed 0, not 7; give another folder",
        ("--judge", "jury:embedded+embedded"): 'out: holds a run with judge "embedded", not "jury:embedded+embedded"; '
        "give another folder with --run",
    }.items():
        other = await command(*given, *option)
        assert (other.code, said in other.err) == (2, True), other.err
    assert "other cases" in (await command.run(3, exits=2)).err


async def test_standard_input_can_be_resumed_although_it_is_gone_and_a_shuffled_run_judges_every_case_once(
    command, files
):
    rows = "".join(json.dumps(row) + "\n" for row in pairs(20)).encode()
    first = await command("run", "compare", "-", "--run", "out", "--shuffle", "3", "--limit", "5", stdin=rows)
    assert first.code == 0, first.err
    drawn = {line["position"] for line in files.verdicts}
    assert len(drawn) == 5 and drawn != set(range(5))
    await command.resume()
    files.check_complete(20)


async def test_a_case_that_fails_is_a_failure_with_its_reason_and_the_others_go_on(provider, command, files, asked):
    provider.script = judging_but({3: fails(400, "not this one")})
    done = await command.run(5, *asked, exits=1)
    files.check_complete(5)
    (failure,) = files.failures
    assert (failure["case"], failure["reason"]) == ("case-3", "rejected")
    assert "not this one" in failure["message"] and "rejected 1" in done.out


# -- files that changed under us --------------------------------------------------------------------------------------


@pytest.mark.parametrize("torn", [50, -1, None], ids=["a part", "its end", "garbage"])
async def test_files_are_made_whole_from_the_journal(finished, command, files, torn):
    path = files.path / "verdicts.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]) + (lines[2][:torn] if torn else b"garbage\n" + b"".join(lines[3:])))
    (files.path / "summary.json").unlink()
    await command.resume()
    files.check_complete(5)
    assert sorted(path.read_bytes().splitlines(keepends=True)) == sorted(lines)


async def test_changed_or_missing_cases_are_said(finished, command, files):
    cases = files.path / "cases.jsonl"
    cases.write_bytes(b"".join(cases.read_bytes().splitlines(keepends=True)[:2]))
    assert "has changed since the run began" in (await command.resume(exits=2)).err
    cases.unlink()
    assert "is missing" in (await command.resume(exits=2)).err


async def test_another_journal_is_refused_and_without_its_own_a_run_is_shown_but_not_continued(
    finished, command, files
):
    assert "journal.db" in (await command.resume("--journal", "other.db", exits=2)).err
    for path in files.path.glob("journal.db*"):
        path.unlink()
    before = (files.path / "verdicts.jsonl").read_bytes()
    assert "journal.db: knows nothing of the run in out; restore" in (await command.resume(exits=2)).err
    assert (files.path / "verdicts.jsonl").read_bytes() == before
    assert (await command("show", "out", "--case", "case-3")).code == 0
    assert (await command("export", "out", "-o", "out.jsonl")).code == 0


async def test_a_run_of_an_earlier_version_is_continued(finished, command, files):
    path = files.path / "verdicts.jsonl"
    lines = sorted(path.read_bytes().splitlines())
    with sqlite3.connect(files.path / "journal.db") as journal:
        for number, *blobs in journal.execute("select number, inputs, verdict from verdicts").fetchall():
            plain = [zlib.decompress(blob) for blob in blobs]
            journal.execute("update verdicts set inputs = ?, verdict = ? where number = ?", [*plain, number])
        journal.executescript("drop table lines; delete from outcomes where position = 2; pragma user_version = 7")
    path.write_bytes(b"")
    looked = await command.resume("--dry-run")
    assert "5 cases, 4 done, 1 to do now" in looked.out + looked.err
    assert len(path.read_bytes().splitlines()) == 4 and set(path.read_bytes().splitlines()) < set(lines)
    await command.resume()
    assert sorted(path.read_bytes().splitlines()) == lines


async def test_two_processes_cannot_carry_out_one_run_and_after_kill_9_little_is_paid_twice(
    provider, command, files, asked
):
    provider.script = lambda request: waits(0.05)
    first = await command.start_run(40, *asked, "--concurrency", "4")
    await until(lambda: provider.calls >= 10)
    assert "another process is executing this run" in (await command.resume(exits=2)).err
    assert 10 <= provider.calls < 40, "it was killed in the middle"
    first.kill()
    await first.wait()
    await command.resume()
    files.check_complete(40)
    assert provider.calls <= 40 + 4


# -- failures tried again ---------------------------------------------------------------------------------------------


async def test_a_passing_failure_is_tried_again_at_the_next_resume_and_a_lasting_one_only_when_asked(
    provider, command, files, asked
):
    """Each new try of a lasting failure is a new attempt, which is asked anew; its verdict names it and is replayed."""
    provider.script = judging_but({0: fails(400, "no"), 1: fails(401, "bad key")})
    await command.run(3, *asked, exits=1)
    assert {line["reason"] for line in files.failures} == {"rejected", "unauthorized"}
    provider.script = judging_but({0: fails(400, "no")})
    assert "1 to do now" in (await command.resume(exits=1)).err
    files.check_complete(3)
    assert [line["attempt"] for line in files.failures] == [0] and len(files.verdicts) == 2
    await command.resume("--retry-failed", "--dry-run")
    assert [line["attempt"] for line in files.failures] == [0], "a dry run changes no file"
    await command.resume("--retry-failed", exits=1)
    assert [line["attempt"] for line in files.failures] == [1]
    provider.script = lambda request: judges()
    await command.resume("--retry-failed")
    files.check_complete(3)
    assert files.failures == [], "no line of a case that was judged since"
    journal, ids = (
        open_journal(files.path / "journal.db"),
        {line["case"]: line["verdict_id"] for line in files.verdicts},
    )
    attempts = {case: json.loads(journal.get_verdict(each)[0])["settings"]["attempt"] for case, each in ids.items()}
    journal.close()
    assert attempts == {"case-0": 2, "case-1": 0, "case-2": 0}
    calls = provider.calls
    replay = await command("replay", ids["case-0"], "--journal", "out/journal.db")
    assert (replay.code, provider.calls) == (0, calls), replay.err


async def test_a_case_that_keeps_failing_is_a_failure_after_a_second_try_and_open_at_the_next_resume(
    provider, command, files, asked, monkeypatch
):
    monkeypatch.setattr("adjudge.llm.retry._backoff", lambda *_: 0.01)
    provider.script = judging_but({2: fails(500, "no")})
    done = await command.run(5, *asked, exits=1)
    assert "1 failure: server_error 1" in done.out
    assert provider.calls == 4 + 2 * 6, "six attempts, and six more when all others were done"
    provider.script = lambda request: judges()
    assert "1 to do now" in (await command.run(5, *asked)).err
    files.check_complete(5)


# -- other protocols --------------------------------------------------------------------------------------------------


async def test_a_run_kept_among_its_cases_goes_on_when_the_command_is_given_again(command, files, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"USER\tHi, {name}\nSYSTEM\tHello\n")
    args = ("run", "dialogue", ".", "--run", "out")
    first = await command(*args, "--limit", "1")
    assert len(files.verdicts) == 1, first.err
    again = await command(*args)
    assert (again.code, "1 done, 1 to do now" in again.err) == (0, True), again.err
    files.check_complete(2)


async def test_dialogues_and_reviews_run_the_same_way(command, tmp_path):
    examples = Path(__file__).parents[2] / "examples"
    for protocol, answer in (
        ("dialogue", lambda verdict: verdict["output"]["referee_final"]["OverallExperience"]),
        ("review", lambda verdict: verdict["final_likert_and_justification"]["likert"]),
    ):
        done = await command("run", protocol, examples / f"{protocol}.txt", "--run", protocol)
        assert done.code == 0, done.err
        (line,) = read_lines(tmp_path / protocol / "verdicts.jsonl")
        assert line["answer"] == str(answer(line["verdict"]))


async def test_a_dialogues_rating_is_a_number_and_no_share_of_equal_ones_is_said(command, files, tmp_path):
    talk = "USER\tBook table {}.\t\t\nSYSTEM\tI booked it.\t\t\nUSER\tOVERALL\tOTHER\t{}\n"
    (tmp_path / "talks.txt").write_text("\n".join(talk.format(number, "3,4,3") for number in range(4)), "utf-8")
    done = await command("run", "dialogue", "talks.txt", "--run", "out")
    assert done.code == 0, done.err
    assert "4 verdicts" in done.out and "agrees with" not in done.out and "label" not in done.out
    assert files.verdicts[0]["label"] is not None and files.summary["agreement"] is None
    page = await command("export", "out", "--format", "markdown")
    assert page.code == 0 and "As labelled" not in page.out and "what the label says" not in page.out
    assert "agrees" not in (await command.resume()).out


# -- refused ----------------------------------------------------------------------------------------------------------


async def test_a_run_that_is_refused_leaves_nothing(finished, command, tmp_path):
    command.environment.pop("OPENAI_API_KEY", None)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").write_text("years of work")
    before = sorted(tmp_path.rglob("*"))
    for given, says in (
        (("compare", "none.jsonl"), "none.jsonl: file not found"),
        (("compare", "pairs.jsonl", "--temperature", "9"), "adjudge: --temperature: 9.0; 0 to 2 is allowed\n"),
        (("compare", "pairs.jsonl", "--map", "a=nothing"), "--map a=nothing"),
        (("compare", "pairs.jsonl", "--judge", "nope"), "--judge: 'nope' is not a judge"),
        (("compare", "pairs.jsonl", "--judge", "nope:x"), "'nope:x': unknown provider"),
        (("compare", "pairs.jsonl", "--judge", "openai:gpt-4o"), "OPENAI_API_KEY"),
        (("compare", "pairs.jsonl", "--judge", "http://127.0.0.1:1/v1#m", "--budget", "1"), "no price is published"),
        (("compare", "pairs.jsonl", "--search", "nope"), "--search: "),
        (("compare", "pairs.jsonl", "--journal", "none/journal.db"), "--journal: none/journal.db: folder not found"),
        (("compare", "pairs.jsonl", "--skip-case", "nope"), "--skip-case: no case nope"),
        (("dialogue", "pairs.jsonl", "--one-order"), "adjudge: --one-order: does not apply to dialogue\n"),
        (("compare", "pairs.jsonl", "--critic", "embedded"), "adjudge: --critic: does not apply to compare\n"),
        (("compare", "pairs.jsonl", "--languages", "en"), "adjudge: --languages: does not apply to compare\n"),
    ):
        for folder in ("new/out", "there"):
            refused = await command("run", *given, "--run", folder)
            assert (refused.code, says in refused.err, "\x1b" in refused.err) == (2, True, False), refused.err
            assert sorted(tmp_path.rglob("*")) == before


async def test_a_dry_run_and_a_missing_key_bind_nobody(command, files):
    command.environment.pop("OPENAI_API_KEY", None)
    await command.run(3, "--judge", "openai:gpt-4o", "--dry-run")
    assert "OPENAI_API_KEY" in (await command.run(3, "--judge", "openai:gpt-4o", exits=2)).err
    await command.run(3)
    files.check_complete(3)


async def test_a_judge_that_does_not_exist_is_one_error_and_no_failure_of_cases(command, files):
    assert "nope" in (await command.run(3, "--judge", "nope:x", exits=2)).err
    assert not (files.path / "failures.jsonl").exists() or not files.failures


async def test_what_is_said_holds_no_sign_of_the_folders_name_that_a_terminal_obeys(command):
    done = await command.run(2, "--judge", "openai:gpt-4o", "--quiet", folder="my \x1b[31mruns", exits=None)
    assert done.code and "\x1b" not in done.out + done.err
