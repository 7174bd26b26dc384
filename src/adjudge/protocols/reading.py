"""How rows, files and texts become the cases of a protocol. `inputs/` reads files and formats and knows no protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..models.cases import Case
from ..rubric import Rubric

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Record:
    """One row: its place, its number from 1, and its columns. `name` is the name of its file in a folder."""

    place: str
    number: int
    values: Mapping[str, Any]
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One case and where it was found. `label` is the people's judgment, `systems` names who wrote A and B."""

    place: str
    case_id: str
    case: Case
    label: str | None = None
    systems: tuple[str, str] | None = None
    extra: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be judged. The message names the field, what was found and what is allowed."""

    place: str
    case_id: str
    message: str


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """One answer in a log of another tool, before a protocol makes a case of it.

    `task_id` is the same for all answers to one task, `name` is the answer's own. `system` names who wrote it, `column`
    is a column's name for its answers in a table with a column for each system. `answer` is its text. `messages` is the
    whole conversation, if the log has it; `has_steps` means that the answer is more than its last message. `problem`
    says why there is no answer. `extra` are further columns.
    """

    place: str
    task_id: str
    name: str
    system: str
    column: str
    task: Any
    answer: Any = None
    messages: list[Any] | None = None
    has_steps: bool = False
    reference: Any = None
    label: Any = None
    problem: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


class RowReader(Protocol):
    """Reads cases from records. `mapping` says which column each field is read from."""

    @property
    def mapping(self) -> Mapping[str, str]: ...

    def read(self, record: Record) -> Row | BadRow: ...


@dataclass(frozen=True, kw_only=True)
class CaseReading:
    """How input becomes the cases of a protocol.

    `choose` takes the columns of the first rows (`inputs.rows.columns.Columns`) and the rubric, chooses the column of
    each field, and returns the reader of all rows. `from_object` reads one JSON object, such as the body of a request;
    `wanted` names its fields in errors, and `needed` are the names that each needed field may have. `from_text` reads
    all cases of one text; without it a text is such an object. `suffixes` are those of files in a folder that may hold
    cases. `fields` are what a column may be taken for, with words for them.

    The others are for protocols whose cases may also be in files without columns. `split` yields the cases of one;
    its last argument is the file's name in a folder. `begins_text` tells by its first line whether a pipe is such a
    file, `is_whole` by format and first line whether a file of rows is. A JSON array in a row is the field `lists`.

    `from_log` makes records of the answers in a log of another tool; without it such logs hold no cases. Its second
    argument is the name of the file. `spread` may make several records of a row in a table; its second argument is the
    mapping that the user gave.
    """

    choose: Callable[[Any, Rubric], RowReader]
    from_object: Callable[[Mapping[str, Any], Rubric], Case]
    wanted: str
    from_text: Callable[[bytes, str, Rubric], Sequence[Case]] | None = None
    needed: tuple[tuple[str, ...], ...] = ()
    suffixes: tuple[str, ...] = (".json", ".txt")
    split: Callable[[bytes, str, Rubric, str | None], Iterator[Row | BadRow]] | None = None
    begins_text: Callable[[str], bool] = lambda _: False
    is_whole: Callable[[str, str], bool] = lambda *_: False
    lists: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    spread: Callable[[Iterator[Record | BadRow], Mapping[str, str]], Iterator[Record | BadRow]] | None = None
    from_log: Callable[[Iterable[LoggedAnswer | BadRow], str], Iterator[Record | BadRow]] | None = None

    def lacks_names(self, data: Mapping[str, Any]) -> bool:
        """Say whether an object has a needed field under none of its names."""
        return not all(any(name in data for name in names) for names in self.needed)
