"""Bytes to text. Names what a file is, if its first bytes tell that it is no text: an image, a workbook, UTF-16.

What is in the text is the business of readers.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder

from ..errors import InputError

BOM = b"\xef\xbb\xbf"
UTF8_NEEDED = "UTF-8 text is needed: save it as UTF-8, or convert it (for Latin-1: iconv -f LATIN1 -t UTF-8 OLD > NEW)"

_LOOKED_AT = 1_000
_TEXT = "UTF-8 text is needed"
_OFFICE = "save a sheet as CSV (UTF-8), a document as UTF-8 text"
_UNPACK = "unpack it first"
_ZIP = rb"PK\x03\x04"
_ZIP_OF = _ZIP + rb"[\s\S]{26}"  # up to the name of the first file
ZIP_HEAD = 64
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
# How files begin that are no text. A text may begin with letters such as GIF89a, so what is readable as text is one,
# except for the first line of a PDF.
_KINDS = tuple(
    (re.compile(begins), found, allowed)
    for begins, found, allowed in (
        (rb"\x89PNG", "a PNG image", _TEXT),
        (rb"\xff\xd8\xff", "a JPEG image", _TEXT),
        (rb"GIF8[79]a", "a GIF image", _TEXT),
        (rb"%PDF-\d\.\d\s*[\r\n]", "a PDF document", "copy its text into a UTF-8 file"),
        (_ZIP_OF + rb"(\[Content_Types\]|_rels/|docProps/|xl/|word/)", "an Office file (.xlsx, .docx, …)", _OFFICE),
        (_ZIP_OF + rb"_journal/", "a log of Inspect", "let its name end in .eval"),
        (rb"PK(\x03\x04|\x05\x06)", "a ZIP archive", _UNPACK),
        (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file (.xls, .doc, …)", _OFFICE),
        (rb"\x1f\x8b\x08", "gzip data", f"{_UNPACK}; a file of cases may stay packed if its name ends in .gz"),
        (rb"(\x28\xb5\x2f\xfd|\xfd7zXZ\x00|BZh[1-9]1AY&SY|7z\xbc\xaf)", "compressed data", f"{_UNPACK}, or use gzip"),
        (rb"PAR1[^\t\n\r -~]", "Parquet data", "UTF-8 text, or for a file of cases a name that ends in .parquet"),
        (rb"SQLite format 3\x00", "a SQLite database", "export its rows as JSONL or CSV"),
    )
)


def is_cut_zip(head: bytes) -> bool:
    """Say whether this is the beginning of a ZIP archive, and too little to see what is in it."""
    return head.startswith(b"PK\x03\x04") and len(head) < ZIP_HEAD


def _is_text(head: bytes) -> bool:
    """Say whether this is the beginning of UTF-8 text without control characters."""
    try:
        getincrementaldecoder("utf-8")().decode(head)  # the last character may be cut
    except UnicodeDecodeError:
        return False
    return _CONTROL.search(head) is None


def refuse_binary(raw: bytes, place: str) -> None:
    """Raise InputError if bytes are of a known kind that is no text, or look like UTF-16.

    In UTF-16 they begin with its byte order mark, or every other byte is NUL.
    """
    for begins, found, allowed in _KINDS:
        if begins.match(raw) and (raw.startswith(b"%") or not _is_text(raw[:_LOOKED_AT])):
            raise InputError(place, f"{found}, not text", allowed)
    name = "UTF-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else ""
    head = raw[:_LOOKED_AT]
    if not name and b"\0" in head:
        # A single NUL may be a mistake in UTF-8 text. In UTF-16, spaces and line ends alone give more of them.
        even, odd = head[::2].count(0), head[1::2].count(0)
        if head[:1] == b"\0" or head[1:2] == b"\0" or (min(even, odd) == 0 and max(even, odd) * 16 > len(head)):
            name = "UTF-16BE" if even > odd else "UTF-16LE"
    if name:
        raise InputError(place, "looks like UTF-16", f"convert it to UTF-8: iconv -f {name} -t UTF-8 OLD > NEW")


def decode(raw: bytes, place: str, *, numbered: bool = True) -> str:
    """Decode UTF-8 bytes and drop a byte order mark. Errors name `place:line`, or only `place` if not `numbered`."""
    refuse_binary(raw, place)
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = f"invalid UTF-8 at byte {error.start} (0x{raw[error.start]:02x})"
        raise InputError(f"{place}:{line}" if numbered else place, found, UTF8_NEEDED) from None
