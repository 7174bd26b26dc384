"""Files that are no text are named for what they are, by every reader. The files are real ones, made by their tools."""

import bz2
import gzip
import io
import lzma
import sqlite3
import zipfile

import duckdb
import pytest

from adjudge.errors import InputError, RubricError
from adjudge.inputs.json import parse_object
from adjudge.inputs.rows import open_rows
from adjudge.protocols.rubrics import load, shipped
from adjudge.text.decoding import decode

ROW = b'{"task": "t", "a": "x", "b": "y"}\n'
OFFICE = "save a sheet as CSV (UTF-8), a document as UTF-8 text"


def zipped(*names, method=zipfile.ZIP_STORED):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        for name in names:
            archive.writestr(name, ROW)
    return held.getvalue()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The files that a library writes by itself."""
    folder = tmp_path_factory.mktemp("made")
    with sqlite3.connect(folder / "rows.db") as database:
        database.execute("CREATE TABLE rows (task, a, b)")
    duckdb.sql("SELECT 't' AS task, 'x' AS a, 'y' AS b").write_parquet(str(folder / "rows.parquet"))
    return {"sqlite": (folder / "rows.db").read_bytes(), "parquet": (folder / "rows.parquet").read_bytes()}


KINDS = {
    "png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image, not text; UTF-8 text is needed"),
    "jpeg": (b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01", "a JPEG image, not text; UTF-8 text is needed"),
    "gif": (b"GIF89a\x01\0\x01\0\x80", "a GIF image, not text; UTF-8 text is needed"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document, not text; copy its text into a UTF-8 file"),
    "xlsx": (zipped("[Content_Types].xml", "xl/workbook.xml"), f"an Office file (.xlsx, .docx, …), not text; {OFFICE}"),
    "docx": (
        zipped("_rels/.rels", "word/document.xml", method=zipfile.ZIP_DEFLATED),
        f"an Office file (.xlsx, .docx, …), not text; {OFFICE}",
    ),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", f"an old Office file (.xls, .doc, …), not text; {OFFICE}"),
    "eval": (zipped("_journal/start.json"), "a log of Inspect, not text; let its name end in .eval"),
    "zip": (zipped("rows.jsonl"), "a ZIP archive, not text; unpack it first"),
    "gzip": (
        gzip.compress(ROW),
        "gzip data, not text; unpack it first; a file of cases may stay packed if its name ends in .gz",
    ),
    "bzip2": (bz2.compress(ROW), "compressed data, not text; unpack it first, or use gzip"),
    "xz": (lzma.compress(ROW), "compressed data, not text; unpack it first, or use gzip"),
    "sqlite": (None, "a SQLite database, not text; export its rows as JSONL or CSV"),
    "parquet": (None, "Parquet data, not text; UTF-8 text, or for a file of cases a name that ends in .parquet"),
    "utf-16": (ROW.decode().encode("utf-16"), "looks like UTF-16; convert it to UTF-8: iconv -f UTF-16 -t UTF-8"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_no_text_is_named_for_what_it_is_by_every_reader(tmp_path, made, kind):
    raw, says = KINDS[kind]
    raw = made[kind] if raw is None else raw
    for name in ("rows.jsonl", "rows.json", "rows.csv", "rows.tsv", "rows.other"):
        file = tmp_path / name
        file.write_bytes(raw)
        with pytest.raises(InputError) as refused:
            list(open_rows(str(file), "compare", shipped("compare")))
        assert str(refused.value).startswith(f"{file}: {says}"), name
    with pytest.raises(InputError) as refused:
        parse_object(raw, "body", ())
    assert str(refused.value).startswith(f"body: {says}")
    with pytest.raises(RubricError) as refused:
        load(file)
    assert str(refused.value).startswith(f"{file}: {says}")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "PK is short for Pakistan.",
            "PAR1,PAR2\n",
            "PAR1中",
            "GIF89a",
            "GIF89a,task\n",
            "%PDF-1.7 is how one begins",
        ),
        *("BZh91AY&SY", "%PDF-1.7" + "é" * 2_000),
    ],
)
def test_a_text_that_begins_like_one_is_a_text(text):
    assert decode(text.encode(), "x") == text
