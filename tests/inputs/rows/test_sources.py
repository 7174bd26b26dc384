"""Where rows come from: suffixes, zipped files, folders and pipes."""

import errno
import gzip
import json
import os
import socket
from collections import deque
from pathlib import Path

import pytest

from adjudge.errors import InputError, TooLargeError
from adjudge.inputs.rows import BadRow, open_rows
from adjudge.protocols.rubrics import shipped

CASE = {"task": "t", "a": "x", "b": "y"}
CSV = "task,a,b\nt,x,y\n"
TALK = "USER\tHi\nSYSTEM\tHello\n"
SLOTS = {"prompt": "p", "response1": "x", "response2": "y"}
MESSAGES = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
TAGGED = "<PROMPT>\np\n</PROMPT>\n<RESPONSE1>\nx\n</RESPONSE1>\n<RESPONSE2>\ny\n</RESPONSE2>\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.JSONL", json.dumps(CASE)),
        ("p.v2.csv", CSV),
        ("p.tsv", CSV.replace(",", "\t")),
        ("p.json", json.dumps([CASE])),
    ],
)
def test_the_suffix_says_the_format(opened, name, content):
    assert opened.only(name, content).case.a == "x"
    assert opened.only(name + ".gz", gzip.compress(content.encode())).case.a == "x"


def test_the_format_can_be_said(opened):
    assert opened.only("p.dat", CSV, format="csv").case.a == "x"
    assert opened.only("p.csv", json.dumps(CASE), format="ndjson").case.a == "x"


def test_what_is_unknown_is_refused_with_what_is_allowed(opened):
    assert "unknown format 'xls'; one of jsonl" in opened.refused("p.csv", CSV, format="xls")
    with pytest.raises(InputError, match="unknown protocol 'rank'"):
        open_rows("x", "rank", shipped("compare"))


def test_a_file_that_is_not_there_is_refused(opened):
    with pytest.raises(InputError, match=r"none\.csv: file not found$"):
        open_rows(str(opened.folder / "none.csv"), "compare", shipped("compare"))


def test_broken_gzip_data_is_refused(opened):
    cut = gzip.compress(b"".join(b'{"task": "%d", "a": "x", "b": "y"}\n' % n for n in range(9999)))[:-2000]
    with pytest.raises(InputError, match="broken gzip data"):
        opened.rows("p.jsonl.gz", cut)


@pytest.mark.parametrize(
    "content",
    [
        "\n" + json.dumps(CASE) + "\n",
        json.dumps([CASE]),
        CSV,
        CSV.replace(",", "\t"),
        "\ufeff\r\n" + CSV.replace("\n", "\r\n"),
    ],
)
def test_a_pipe_is_recognised_by_its_first_line(piped, content):
    rows = piped(content)
    (row,) = rows
    assert (row.case.task, row.case.a, row.case.b) == ("t", "x", "y")
    assert row.place.startswith("standard input, line ")


@pytest.mark.parametrize(
    "content",
    [
        TALK,
        "User: Hi\nAgent: Hello\n",
        json.dumps({"turns": MESSAGES}),
        json.dumps(MESSAGES),
        "\n".join(map(json.dumps, MESSAGES)),
        "speaker,text\nUSER,Hi\nSYSTEM,Hello\n",
        'id,transcript\n1,"User: Hi\nAgent: Hello"\n',
    ],
)
def test_dialogues_come_through_a_pipe_too(piped, content):
    (row,) = piped(content, "dialogue")
    assert [turn.text for turn in row.case.turns] == ["Hi", "Hello"]


def test_reviews_come_through_a_pipe_too(piped):
    (row,) = piped(TAGGED, "review")
    assert row.case.prompt == "p"
    (row,) = piped("prompt,response1,response2\np,x,y\n", "review")
    assert row.case.a == "x"


def test_a_long_first_line_of_a_pipe_is_whole(piped):
    (row,) = piped([CASE | {"a": "x" * 300_000}])
    assert len(row.case.a) == 300_000


def test_an_empty_pipe_is_no_input(piped):
    with pytest.raises(InputError, match="standard input: no case"):
        piped("")
    with pytest.raises(InputError, match="Parquet cannot be read from a pipe"):
        piped(CSV, format="parquet")
    with pytest.raises(InputError, match="not a folder"):
        piped(CSV, format="folder")


def test_a_folder_of_case_files(opened):
    first, second, own = (
        json.dumps(CASE | more) for more in ({"task": "first", "team": "red"}, {"task": "2"}, {"id": "own"})
    )
    rows = opened.in_folder(
        {
            "b.json": second, "a.txt": first, "sub/c.json": own,
            "d.json": "{", "README.md": "not a case", ".hidden.json": "{}",
        }
    )  # fmt: skip
    assert [(row.case_id, isinstance(row, BadRow)) for row in rows] == [
        *(("a", False), ("b", False), ("d", True), ("own", False))
    ]
    assert (rows[0].case.task, rows[0].extra) == ("first", {"team": "red"})
    assert rows[0].place.endswith("in/a.txt")


def test_a_folder_of_transcripts_or_of_reviews(opened):
    table = "speaker,text\nUSER,Hi\nSYSTEM,Hello\n"
    talks = {"one.txt": TALK, "two.txt": f"{TALK}\n{TALK}", "three.csv": table, "bad.txt": "nothing of the kind"}
    rows = opened.in_folder(talks, "dialogue")
    assert [row.case_id for row in rows] == ["bad", "one", "three", "two:1", "two:2"]
    assert isinstance(rows[0], BadRow) and rows[1].case.dialogue_id == "one"
    reviews = {"one.txt": TAGGED, "two.json": json.dumps(SLOTS), "three.txt": "<PROMPT>\n"}
    rows = opened.in_folder(reviews, "review", folder="reviews")
    assert [(row.case_id, isinstance(row, BadRow)) for row in rows] == [("one", False), ("three", True), ("two", False)]


def test_a_folder_without_cases_is_refused(opened):
    with pytest.raises(InputError, match=r"no case; a folder with \.json or \.txt files is needed"):
        opened.in_folder({"README.md": "x"})
    with pytest.raises(InputError, match="a folder"):
        open_rows(str(opened.folder / "in"), "compare", shipped("compare"), format="csv")
    assert "not a folder" in opened.refused("p.csv", CSV, format="folder")


@pytest.mark.parametrize("protocol", ["compare", "dialogue", "review"])
def test_a_file_of_a_folder_that_cannot_be_read_leaves_the_others(opened, protocol):
    good = json.dumps({"compare": CASE, "dialogue": MESSAGES, "review": SLOTS}[protocol])
    for content in (b"[section]\na=b", b"[1] [2]", b"[" * 100_000, b"\xff\xfe", b"a\0b", b""):
        rows = opened.in_folder({"a.json": good, "notes.txt": content, "z.json": good}, protocol)
        assert [(row.case_id, isinstance(row, BadRow)) for row in rows] == [("a", False), ("notes", True), ("z", False)]
        assert rows[1].place.startswith(str(opened.folder / "in" / "notes.txt")) and rows[1].message, content[:9]


def test_a_bad_file_of_a_folder_is_named_with_the_line_and_the_reason(opened):
    _, bad = opened.in_folder({"a.json": json.dumps(CASE), "notes.txt": "[section]\na=b"})
    assert (bad.place, bad.case_id) == (f"{opened.folder}/in/notes.txt, line 1", "notes")
    assert bad.message.startswith("not JSON: Expecting value at column 2; the whole file is refused: one JSON value")


def test_a_link_to_a_folder_is_not_followed_and_one_to_a_file_is(opened):
    opened.write("in/a.json", json.dumps(CASE))
    opened.write("in/sub/b.json", json.dumps(CASE))
    elsewhere = opened.write("elsewhere/c.json", json.dumps(CASE))
    folder = opened.folder / "in"
    (folder / "loop").symlink_to(".", target_is_directory=True)
    (folder / "other.json").symlink_to(elsewhere.parent, target_is_directory=True)
    (folder / "z.json").symlink_to(elsewhere)
    rows = list(open_rows(str(folder), "compare", shipped("compare")))
    assert [row.case_id for row in rows] == ["a", "sub/b", "z"]


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "link"])
def test_what_is_no_file_among_the_files_is_a_bad_row_and_nobody_waits_for_it(opened, kind, monkeypatch):
    opened.write("in/a.json", json.dumps(CASE))
    odd = opened.folder / "in" / "m.json"
    if kind == "socket":
        monkeypatch.chdir(odd.parent)  # the name of a socket must be short
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(odd.name)
    elif kind == "device":
        odd.symlink_to("/dev/zero")
    else:
        os.mkfifo(odd if kind == "pipe" else opened.folder / "elsewhere")
        if kind == "link":
            odd.symlink_to(opened.folder / "elsewhere")
    opened.write("in/z.json", json.dumps(CASE))
    first, bad, last = open_rows(str(opened.folder / "in"), "compare", shipped("compare"))
    assert bad == BadRow(str(odd), "m", "not a file; only files are read in a folder")
    assert (first.case_id, last.case_id) == ("a", "z")


def test_a_folder_that_cannot_be_listed_is_named(opened, monkeypatch):
    opened.write("in/a.json", json.dumps(CASE))
    locked = opened.write("in/sub/b.json", json.dumps(CASE)).parent
    listed = os.scandir

    def scandir(folder):
        if str(folder) == str(locked):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
        return listed(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(InputError) as refused:
        list(open_rows(str(opened.folder / "in"), "compare", shipped("compare")))
    assert str(refused.value).startswith(f"{locked}: cannot be listed: permission denied; ")


def test_an_input_where_nobody_may_look_is_named(opened, monkeypatch):
    def denied(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "stat", denied)
    with pytest.raises(InputError, match=r"private/p\.jsonl: permission denied$"):
        open_rows("private/p.jsonl", "compare", shipped("compare"))


def test_a_folder_may_itself_be_given_as_a_link(opened):
    opened.write("in/a.json", json.dumps(CASE))
    link = opened.folder / "link"
    link.symlink_to("in", target_is_directory=True)
    assert [row.case_id for row in open_rows(str(link), "compare", shipped("compare"))] == ["a"]


def test_the_folder_of_a_run_among_the_cases_is_passed_over(opened):
    opened.write("in/a.txt", TALK)
    opened.write("in/out/run.json", '{"format": 1}')
    opened.write("in/out/cases.jsonl", [{"position": 0, "case": "a", "input": {}}])
    opened.write("in/out/more/b.txt", TALK)
    opened.write("in/sub/cases.jsonl", [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])
    rows = list(open_rows(str(opened.folder / "in"), "dialogue", shipped("dialogue")))
    assert [row.case_id for row in rows] == ["a", "sub/cases"]


def test_the_folder_of_a_run_is_no_input_itself(opened):
    opened.write("out/run.json", '{"format": 1}')
    opened.write("out/cases.jsonl", [{"position": 0, "case": "a", "input": {}}])
    with pytest.raises(InputError, match="out: the folder of a run; give the file or folder"):
        open_rows(str(opened.folder / "out"), "dialogue", shipped("dialogue"))


def test_gzip_data_that_unpacks_to_far_more_than_its_size_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("adjudge.inputs.rows.records.MAX_UNPACKED_BYTES", 20_000_000)
    path = tmp_path / "p.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"task": "t", "a": "x", "b": "%s"}\n' % (b"y" * 900_000) * 25, 1))
    assert path.stat().st_size < 100_000
    with pytest.raises(TooLargeError, match="unpack to more than 20,000,000; at most 20,000,000, or 200 times"):
        deque(open_rows(str(path), "compare", shipped("compare")), maxlen=0)
