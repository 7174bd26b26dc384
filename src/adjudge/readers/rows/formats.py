"""Which format a source is in: as it was said, else by its suffix, else (a pipe) by its first line."""

from __future__ import annotations

from ...errors import InputError
from ..slots_tags import has_tags
from ..transcript_csv import header_delimiter
from ..transcript_json import is_message_line
from ..transcript_lines import is_column_line, is_label_line
from .delimited import delimiter_of
from .sources import Source

BY_SUFFIX = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".txt": "text",
}
FORMATS = ("jsonl", "ndjson", "json", "csv", "tsv", "parquet", "text", "folder")


def format_of(source: Source, protocol: str, said: str | None) -> str:
    """The format; `text` is transcripts or tagged slots, `utterances` a table or JSONL with a message a row."""
    if said is not None and said not in FORMATS:
        raise InputError("format", f"unknown format {said!r:.40}", f"one of {', '.join(FORMATS)}")
    chosen = _chosen(source, protocol, "jsonl" if said == "ndjson" else said)
    if chosen == "parquet" and (source.is_piped or source.suffixes[1]):
        raise InputError(source.name, "Parquet from a pipe or zipped", "a .parquet file is needed")
    if chosen == "text" and protocol == "compare":
        allowed = "JSONL, JSON, CSV, TSV, Parquet or a folder of JSON files are allowed"
        raise InputError(source.name, "text is no comparison", allowed)
    if protocol == "dialogue" and chosen in ("jsonl", "csv", "tsv") and _one_utterance_a_row(source, chosen):
        return "utterances"
    return chosen


def _chosen(source: Source, protocol: str, said: str | None) -> str:
    if not source.is_piped:
        is_folder = _is_folder(source)
        if is_folder != (said == "folder") and (is_folder or said == "folder") and said is not None:
            raise InputError(source.name, "a folder" if is_folder else "not a folder", "format=folder is for folders")
        if is_folder:
            return "folder"
        if not source.path.exists():
            raise InputError(source.name, "no such file or folder", "a readable file, a folder, or - is needed")
    elif said == "folder":
        raise InputError(source.name, "not a folder", "format=folder is for folders")
    if said is not None:
        return said
    if source.is_piped:
        return _recognised(source, protocol)
    suffix, _ = source.suffixes
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    found = f"unknown suffix {suffix!r}" if suffix else "no suffix"
    allowed = (
        f"{', '.join(BY_SUFFIX)} (text formats with .gz too), a folder, or - for standard input; or say the format"
    )
    raise InputError(source.name, found, f"{allowed}: {', '.join(FORMATS)}")


def _is_folder(source: Source) -> bool:
    try:
        return source.path.is_dir()
    except OSError as error:  # it lies where we may not look
        raise InputError(source.name, (error.strerror or str(error)).lower(), "a readable file or folder") from None


def _recognised(source: Source, protocol: str) -> str:
    opening = source.opening().strip()
    if opening.startswith("{"):
        return "jsonl"
    if opening.startswith("["):
        return "jsonl" if protocol == "dialogue" else "json"
    if protocol == "dialogue" and not header_delimiter(opening) and (is_column_line(opening) or is_label_line(opening)):
        return "text"
    if protocol == "review" and has_tags([opening]):
        return "text"
    return "tsv" if delimiter_of(opening) == "\t" else "csv"


def _one_utterance_a_row(source: Source, chosen: str) -> bool:
    opening = source.opening()
    return is_message_line(opening) if chosen == "jsonl" else header_delimiter(opening) is not None
