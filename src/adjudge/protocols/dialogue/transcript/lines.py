"""Defines the entries of a transcript and reads its line formats: tab-separated columns, and plain `User: …`.

Columns are `SPEAKER <tab> utterance <tab> ACT <tab> ratings`. If tabs are missing, a word at the end is taken for an
ACT only if it is set apart by spaces or can hardly be anything else; otherwise it stays part of the utterance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ....inputs.text import Unreadable, quote
from .speakers import SPEAKERS, USERS, Label, plain, read_label

OVERALL = "OVERALL"
COLUMNS = "SPEAKER <tab> utterance [<tab> ACT [<tab> ratings]] is allowed"

_RATINGS = re.compile(r"[0-9]{1,3}(?: *, *[0-9]{1,3})*")
# The first line of a file tells whether it has columns (COLUMN_LINE) or is plain `User: …` text (`read_label`).
COLUMN_LINE = re.compile(r"[ ]*(?:([^\s:：]+)[ ]*(?:[:：][ ]*)?\t|(SYSTEM|USER|TOOL)(?:[ ]+|$))")
# In its own column an ACT may be any word or list of words. The tab before the ratings may be missing.
_ANNOTATIONS = re.compile(
    rf"((?!{_RATINGS.pattern}(?:\s|$))[^\s,]+(?:, *[^\s,]+)*)?(?:(?:^|\t| +)({_RATINGS.pattern}))?"
)
# For example ENTITY_NAME+MOVIE_OR_SERIES, which can hardly be anything else.
_CLEAR_ACT = re.compile(r"[A-Z]{2,}[A-Z0-9]*(?:[_+][A-Z0-9]{2,})+|OTHER")
# For example INFORM, Restaurant-Inform, general-bye: taken for an ACT only if its position fits too.
_LIKELY_ACT = re.compile(_CLEAR_ACT.pattern + r"|[A-Z]{4,}|[A-Z][a-z]+-[A-Z][A-Za-z]+|general-[a-z]+")
# Right after an utterance, only numbers up to ten are ratings: 1,200 or 2,000 are not.
# Ratings written "3, 3, 4" are joined to one word first.
_SPACED_RATINGS = re.compile(r"(?:[A-Z_+]{4,} +|   +)((?:10|[0-9])(?: ?, ?(?:10|[0-9]))+)$")
_LONGEST_ANNOTATION = 200
_STUCK_RATINGS = re.compile(r"(?:10|[0-9])(?:,(?:10|[0-9]))*")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line, row or message. `gap` counts the blank lines before it, `api` means that a chat API named the role.

    `labels` are words in it that look like the name of a speaker, each with the line of its first occurrence.
    A `problem` is raised only when the dialogue is built, because the error names the dialogue.
    """

    role: str
    text: str
    line: int
    act: str | None = None
    ratings: tuple[int, ...] = ()
    gap: int = 0
    api: bool = False
    labels: Mapping[str, int] = field(default_factory=dict)
    problem: Unreadable | None = None


@dataclass(frozen=True, slots=True)
class RawDialogue:
    """The entries of one dialogue, the line it begins on, and its own id and overall ratings if it has them."""

    entries: Sequence[Entry]
    line: int
    own_id: int | str | None = None
    overall: tuple[int, ...] = ()


def ratings_in(text: str) -> tuple[int, ...] | None:
    """Read the numbers in `3,3,4`. Return None if the text is something else."""
    return tuple(int(number) for number in text.split(",")) if _RATINGS.fullmatch(text) else None


def split_at_gaps(entries: Sequence[Entry]) -> list[RawDialogue]:
    """Split entries into dialogues at blank lines.

    Some people put a blank line after every line. So we split at one blank line, or else at two, if at least one of the
    resulting dialogues has both speakers. If neither works, all entries are one dialogue.
    """
    for width in (1, 2):
        groups: list[list[Entry]] = []
        for entry in entries:
            if entry.gap >= width or not groups:
                groups.append([])
            groups[-1].append(entry)
        speakers = [{plain(one.role) for one in group if one.text.strip() and one.text != OVERALL} for group in groups]
        if any(roles & USERS and roles & (SPEAKERS - USERS) for roles in speakers):
            break
    else:
        groups = [list(entries)] if entries else []
    return [RawDialogue(group, group[0].line) for group in groups]


def read_columns(lines: Sequence[str]) -> list[RawDialogue]:
    """Read the dialogues in tab-separated lines."""
    return split_at_gaps([_columns(line, number, gap) for number, gap, line in _with_gaps(lines)])


def read_labels(lines: Sequence[str]) -> list[RawDialogue]:
    """Read the dialogues in `User: …` text. A line without a speaker's label continues the utterance before it."""
    found: list[tuple[str, int, int, list[str], dict[str, int]]] = []
    first = Label("", 0, "", False)
    lower_case = True
    user = ""
    for number, gap, line in _with_gaps(lines):
        label = read_label(line)
        # If labels are capitalised ("User:"), a line "user: root" is part of an utterance.
        cased = label is not None and (lower_case or not label.name.islower())
        # A user keeps one name, so in an answer to "User:" a line "Client: a web browser" is part of the answer.
        # (A bot may hand over to an agent, and after a blank line another dialogue may begin.)
        name = plain(label.name) if label else ""
        in_answer = bool(found) and not gap and plain(found[-1][0]) not in USERS
        renamed = in_answer and name in USERS and user not in ("", name)
        known = label and (label.is_known or (bool(found) and label.is_tool_after(found[-1][0], lower_case)))
        if label and (not found or (cased and known and not renamed and label.begins_like(first))):
            first = first if found else label
            user = name if name in USERS else user
            lower_case = lower_case and label.name.islower()
            found.append((label.name, number, gap, [line[label.end :]], {}))
        else:
            found[-1][3].extend([""] * gap + [line])
            if label and cased and label.may_name_a_speaker(line, first):
                found[-1][4].setdefault(label.name, number)
    return split_at_gaps(
        [
            Entry(role, "\n".join(text).strip(" \t\n"), number, gap=gap, labels=labels)
            for role, number, gap, text, labels in found
        ]
    )


def _with_gaps(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the number of each line that is not blank, the count of blank lines before it, and the line."""
    gap = 0
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, gap, line
            gap = 0
        else:
            gap += 1


def _columns(line: str, number: int, gap: int) -> Entry:
    speaker = COLUMN_LINE.match(line)
    if speaker and plain(role := speaker[1] or speaker[2]) == "tool":
        # Nobody annotates a tool's output, and it may have tabs of its own.
        return Entry(role, line[speaker.end() :].strip(" "), number, gap=gap)
    text, *columns = (column.strip(" ") for column in line[speaker.end() if speaker else 0 :].split("\t"))
    filled = [column for column in columns if column]
    read = _ANNOTATIONS.fullmatch("\t".join(filled))
    if speaker is None:
        found = f"cannot read {quote(line)}"
    elif read is None:
        found = f"cannot read {quote(' <tab> '.join(filled))} as ACT and ratings"
    elif read[1] and not text:
        found = f"no utterance before the ACT {quote(read[1])}"
    else:
        act, ratings = read[1], ratings_in(read[2] or "") or ()
        # With at most one column after the utterance, the tab before the ACT may be missing.
        if act is None and len(columns) < 2:
            text, act, stuck = _cut_annotations(text, rated=bool(ratings))
            ratings = ratings or stuck
        return Entry(speaker[1] or speaker[2], text, number, act, ratings, gap)
    return Entry("", "", number, gap=gap, problem=Unreadable(found, COLUMNS))


def _cut_annotations(text: str, *, rated: bool) -> tuple[str, str | None, tuple[int, ...]]:
    """Split off the ACT and ratings that follow an utterance after spaces. If in doubt, return the whole text."""
    if spaced := _SPACED_RATINGS.search(text, max(0, len(text) - _LONGEST_ANNOTATION)):
        text = text[: spaced.start()] + spaced[0][: len(spaced[0]) - len(spaced[1])] + spaced[1].replace(" ", "")
    head, gap, last = _cut_word(text)
    if rated or not _STUCK_RATINGS.fullmatch(last):
        if head and (_is_act(last, _CLEAR_ACT) or (gap > 1 and _is_act(last, _LIKELY_ACT))):
            return head, last, ()
        return text, None, ()
    ratings = ratings_in(last) or ()
    if head == OVERALL:
        return head, None, ratings
    before, _, act = _cut_word(head)
    # "the OTHER 3" and "IMAX 3" may be speech, but several numbers, or one set apart by spaces, are ratings.
    if before and _is_act(act, _LIKELY_ACT) and (gap > 1 or "," in last or "_" in act):
        return before, act, ratings
    # Some people type two spaces after a full stop, so only three or more spaces separate a column.
    return (head, None, ratings) if head and gap > 2 else (text, None, ())


def _is_act(word: str, shape: re.Pattern[str]) -> bool:
    return len(word) <= _LONGEST_ANNOTATION and all(shape.fullmatch(part) for part in word.split(","))


def _cut_word(text: str) -> tuple[str, int, str]:
    """Return the text before the last word, the number of spaces between them, and the word."""
    start = text.rfind(" ") + 1
    head = text[:start].rstrip(" ")
    return head, start - len(head), text[start:]
