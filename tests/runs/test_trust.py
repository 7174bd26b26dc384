"""Whose a run is: one's own is resumed as before, one that others made gets no key; and its files are private."""

import json
import os
import shutil
from functools import partial

import pytest
from runs.conftest import judge_of
from scripted.provider import ScriptedProvider

RUN = ("run", "compare", "pairs.jsonl", "--run", "out", "--one-order")
RESUME = ("run", "--resume", "out")


def change(folder, **fields):
    path = folder / "out" / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


@pytest.fixture
def begun(command, tmp_path):
    """Begins a run of two cases with one of them judged."""
    command.environment |= {"XDG_DATA_HOME": str(tmp_path / "data"), "ADJUDGE_API_KEY": "a-key-of-mine"}
    return partial(command.run, 2, "--one-order", "--limit", "1")


async def test_ones_own_run_is_resumed_as_before_also_under_another_name(begun, provider, command, tmp_path):
    await begun("--judge", judge_of(provider))
    (tmp_path / "out").rename(tmp_path / "moved")
    done = await command("run", "--resume", "moved")
    assert done.code == 0, done.err
    assert provider.calls == 2


async def test_a_run_that_others_made_asks_nobody_until_it_is_trusted_once(begun, provider, command, tmp_path):
    await begun("--judge", judge_of(provider))
    shutil.rmtree(tmp_path / "data")
    for again in (RESUME, (*RUN, "--judge", judge_of(provider))):
        refused = await command(*again)
        assert (refused.code, provider.calls) == (2, 1)
        assert f"judge {judge_of(provider)}" in refused.err and "--trust" in refused.err
    assert (await command(*RESUME, "--trust", "--limit", "1")).code == 0
    assert (await command(*RESUME)).code == 0
    assert provider.calls == 2


async def test_a_known_run_that_now_names_another_judge_gets_no_key(begun, provider, command, tmp_path):
    await begun("--judge", judge_of(provider))
    known = json.loads((tmp_path / "out" / "run.json").read_text())
    async with ScriptedProvider() as thief:
        for changed in ({"judge": judge_of(thief)}, {"search": f"searxng:{thief.url}"}):
            change(tmp_path, settings=known["settings"] | changed)
            await command.resume(exits=2)
            assert thief.calls == 0


async def test_a_run_that_names_nobody_else_needs_no_trust_and_a_journal_outside_the_folder_does(
    begun, command, tmp_path
):
    await begun()
    shutil.rmtree(tmp_path / "data")
    await command.resume()
    change(tmp_path, journal="../elsewhere.db")
    assert "journal ../elsewhere.db" in (await command.resume(exits=2)).err
    assert not (tmp_path / "elsewhere.db").exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
async def test_a_folder_of_another_user_needs_trust_although_its_run_is_known(begun, provider, command, tmp_path):
    await begun("--judge", judge_of(provider))
    os.chown(tmp_path / "out" / "run.json", 12345, 12345)
    refused = await command(*RESUME)
    assert (refused.code, provider.calls) == (2, 1), refused.err
    assert (await command(*RESUME, "--trust")).code == 0


async def test_nothing_is_written_through_a_link(begun, command, tmp_path):
    await begun()
    (tmp_path / "out").rename(tmp_path / "kept")
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    for name in ("verdicts.jsonl", "failures.jsonl", "summary.json", "in_flight", "journal.db", "lock"):
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        shutil.copytree(tmp_path / "kept", tmp_path / "out")
        link = tmp_path / "out" / name
        link.unlink(missing_ok=True)
        link.symlink_to(victim)
        done = await command.resume(exits=None)
        assert victim.read_bytes() == b"mine"
        assert done.code == 2 or not link.is_symlink(), (name, done.err)


async def test_the_files_of_a_run_are_for_their_owner_alone_and_what_a_kill_left_of_a_temporary_one_is_removed(
    begun, command, tmp_path
):
    before = os.umask(0)
    try:
        await begun()
        (tmp_path / "out" / ".adjudge-left").write_bytes(b"half")
        await command.resume()
    finally:
        os.umask(before)
    for top in (tmp_path / "out", tmp_path / "data" / "adjudge"):
        made = [top, *top.rglob("*")]
        assert len(made) > 1
        modes = {path.name: oct(path.stat().st_mode & 0o777) for path in made}
        assert modes == {path.name: "0o700" if path.is_dir() else "0o600" for path in made}
    assert list((tmp_path / "out").glob(".adjudge-*")) == []
