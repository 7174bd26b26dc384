"""A run over a folder of cases, kept in that same folder."""


async def test_a_run_kept_among_its_cases_goes_on_when_the_command_is_given_again(command, files, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"USER\tHi, {name}\nSYSTEM\tHello\n")
    args = ("run", "dialogue", ".", "--run", "out")
    first = await command(*args, "--limit", "1")
    assert len(files.verdicts) == 1, first.err
    again = await command(*args)
    assert again.code == 0, again.err
    assert "1 done, 1 to do now" in again.err
    files.check_complete(2)
