"""The secret of a run's journal stays in that journal."""

import base64
import logging

import orjson
from runs.conftest import judge_of, pairs, write_lines
from scripted.provider import fails, judges

from adjudge.journal import open_journal


async def test_the_secret_is_found_in_no_export_message_log_or_other_file(provider, command, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    provider.script = lambda request: fails(400, "no") if "Plan tool 0" in request.turns[0] else judges()
    write_lines(tmp_path / "pairs.jsonl", pairs(3))
    said = [await command("run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge_of(provider))]
    (place,) = (tmp_path / "out").rglob("journal.db")
    journal = open_journal(place)
    secret = journal.secret
    journal.close()
    verdict_id = orjson.loads((tmp_path / "out" / "verdicts.jsonl").read_bytes().splitlines()[0])["verdict_id"]
    for name in ("out.csv", "out.jsonl", "out.parquet", "out.md", "site.html"):
        said.append(await command("export", "out", "-o", name))
        assert said[-1].code == 0, said[-1].err
    words = (("show", "out", "--columns", "*"), ("show", "out", "--case", "case-1"), ("run", "--help"), ("--help",))
    said += [await command(*each) for each in words]
    said.append(await command("replay", verdict_id, "--journal", str(place)))
    assert said[-1].code == 0, said[-1].err
    said.append(await command("doctor", "--journal", str(place)))
    forms = (secret, secret.hex().encode(), base64.b64encode(secret), repr(secret).encode())
    heard = "".join(each.out + each.err for each in said) + caplog.text
    files = [path for path in tmp_path.rglob("*") if path.is_file() and not path.name.startswith(place.name)]
    assert len(files) > 5
    sent = [request.body for request in provider.requests]
    contents = [heard.encode(), *sent, *(path.read_bytes() for path in files)]
    assert not [form for form in forms for content in contents if form in content]
