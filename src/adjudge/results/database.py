"""Loads a run into the table `results` in DuckDB, in the order of the input. All commands over results read this table.

It is built for each command in a temporary folder, and the memory needed does not grow with the size of the run. Once
it is filled, DuckDB can reach no file outside that folder and no network, so anybody's SQL can be run on it.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from ..errors import InputError
from ..files import TEMPORARY
from ..models.figures import Counts
from ..protocols.table import Cells, Column, Kind
from .columns import columns_of, extracted, name, text
from .run import CASES, FAILURES, VERDICTS, Run

_MEMORY = 192  # MB; DuckDB caches what it has read up to this limit
_STRETCH = 20_000  # positions sorted at a time
ROW_GROUP = 20_480  # rows buffered until they are written; a multiple of 2,048
_BATCH = 2_000
_TOGETHER = 2_048  # rows that DuckDB processes at a time
_USUAL_LINE = 2**20
_OPENING = 200
# More than any real table has. If every row has its own column names, the table must not get a million columns.
_MOST_EXTRAS = 200
_WHOLE = 2**53
_WORDS = """, lower("case" || chr(10) || coalesce(array_to_string(
    [item ->> '$' for item in json_extract(input, '$..*') if json_type(item) = 'VARCHAR'], chr(10)), '')) as texts"""
_LINES = {
    CASES: {
        **{"position": "BIGINT", "case": "VARCHAR", "label": "VARCHAR", "systems": "VARCHAR[]", "bad": "VARCHAR"},
        **{"extra": "JSON", "input": "JSON"},
    },
    VERDICTS: {
        **{"position": "BIGINT", "verdict_id": "VARCHAR", "words": "BIGINT[]", "calls": "BIGINT", "cost": "VARCHAR"},
        **{"input_tokens": "BIGINT", "output_tokens": "BIGINT", "row": "JSON"},
    },
    FAILURES: {
        **{"position": "BIGINT", "calls": "BIGINT", "cost": "VARCHAR", "input_tokens": "BIGINT"},
        **{"output_tokens": "BIGINT", "reason": "VARCHAR", "message": "VARCHAR", "judge": "VARCHAR"},
    },
}


@dataclass(frozen=True)
class Database:
    """The results of a run, for queries in SQL. `chosen` names the table with the chosen rows: all of them, or those
    that match the condition `where`."""

    run: Run
    columns: tuple[Column, ...]
    expected: int
    schema: str
    chosen: str
    connection: duckdb.DuckDBPyConnection
    folder: Path
    where: str | None = None
    space: str = "made"  # the attached database for tables of our own

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def scores(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.score)

    def ask(self, question: str, place: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Run a user's SELECT and return its column names and an iterator over its rows. `place` is named in errors."""
        try:
            statements = self.connection.extract_statements(question)
            if len(statements) != 1 or statements[0].type.name != "SELECT":
                raise InputError(place, "not one SELECT", "a single query is allowed: select … from results")
            answer = self.cursor().execute(question)
        except duckdb.Error as error:
            raise self._refused(error, place) from None
        return [str(about[0]) for about in answer.description or ()], self._fetched(answer, place)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Open a connection for a result that is read while other queries run."""
        cursor = self.connection.cursor()
        cursor.execute(f"use {self.space}")
        return cursor

    def query(self, sql: str, *given: Any) -> list[tuple[Any, ...]]:
        """Run our own SQL and return all its rows."""
        return self.connection.execute(sql, list(given)).fetchall()

    def stream(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Run our own SQL and yield its rows one by one, while other queries may run."""
        return self._fetched(self.cursor().execute(sql), "DIR")

    def figures(self, sql: str) -> dict[str, Any]:
        """Run our own SQL and return its one row by column name."""
        answer = self.connection.execute(sql)
        return dict(zip([about[0] for about in answer.description or ()], answer.fetchall()[0], strict=True))

    def counts(self) -> Counts:
        """Count the chosen rows by status."""
        found = self.query(f"select status, count(*) from {self.chosen} group by status")
        return Counts(self.expected, Counter(dict(found)))

    def rows(self) -> Iterator[Cells]:
        """Yield the chosen rows in the order of the input, with a cell for every column."""
        kinds = {column.name: column.kind for column in self.columns}
        floats = [at for at, kind in kinds.items() if kind == "DOUBLE"]
        costs = [at for at, kind in kinds.items() if kind.startswith("DECIMAL")]
        for row in self.stream(f"from {self.chosen}"):
            cells = dict(zip(kinds, row, strict=True))
            for at in floats:
                # JSON and CSV should say 3, not 3.0.
                if (number := cells[at]) is not None and number.is_integer() and abs(number) < _WHOLE:
                    cells[at] = int(number)
            for at in costs:
                if cells[at] is not None:
                    cells[at] = format(cells[at].normalize(), "f")
            yield cells

    def _fetched(self, answer: duckdb.DuckDBPyConnection, place: str) -> Iterator[tuple[Any, ...]]:
        try:
            while rows := answer.fetchmany(_BATCH):
                yield from rows
        except duckdb.Error as error:
            raise self._refused(error, place) from None

    def _refused(self, error: Exception, place: str) -> InputError:
        reason = str(error).strip().splitlines()[0].rstrip(".;!") if str(error).strip() else type(error).__name__
        reason = re.sub(r"^\w+ Error: ", "", reason)  # the error's class tells the user nothing
        quoted = 'put texts in single quotes, the column "case" in double quotes'
        return InputError(place, reason, f"{quoted}; the columns of results are {', '.join(self.names)}")


@contextmanager
def opened(run: Run, where: str | None = None, only: tuple[str, Sequence[int]] | None = None) -> Iterator[Database]:
    """Open a run as a database. With a condition in SQL, only matching rows are chosen.

    `only` is our own SQL that selects positions from `cases`, and its parameter: only these have rows in `results`,
    which takes less time if they are few.
    """
    with workspace() as (connection, folder):
        database = staged(connection, folder, run, "main", only=only)
        connection.execute("pragma disable_checkpoint_on_shutdown")  # the file is deleted at the end
        # From here on, SQL can reach nothing but the database's own folder.
        connection.execute(f"set allowed_directories = [{text(str(folder))}]")
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        if where is not None:
            condition = f"select * from results where (\n{where}\n) order by position"
            database.ask(f"{condition} limit 0", "--where")
            database.query(f"create table chosen as {condition}")
            database = replace(database, where=where, chosen="chosen")
        yield database


@contextmanager
def workspace(within: Path | None = None) -> Iterator[tuple[duckdb.DuckDBPyConnection, Path]]:
    """Open an empty database in a temporary folder, which is created in `within` if given."""
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=within) as made:
        folder = Path(made).resolve()
        connection = start(folder)
        try:
            connection.execute(f"attach {text(str(folder / 'results.duckdb'))} as made (row_group_size {ROW_GROUP})")
            connection.execute("use made")
            yield connection, folder
        finally:
            connection.close()


def start(folder: Path) -> duckdb.DuckDBPyConnection:
    """Start DuckDB, which writes what exceeds its memory to this folder."""
    settings: dict[str, Any] = {
        "memory_limit": f"{_MEMORY}MB",
        "temp_directory": str(folder),
        "threads": 1,  # every further thread would need its own buffers for reading JSON
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "python_enable_replacements": "false",
    }
    return duckdb.connect(":memory:", config=settings)


def staged(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    run: Run,
    schema: str,
    *,
    searchable: bool = False,
    only: tuple[str, Sequence[int]] | None = None,
) -> Database:
    """Read a run's files into a schema: `cases` has every case, `results` every outcome, or the `only` ones wanted.

    With `searchable`, cases have a column `texts` with all their words in lower case.
    """
    try:
        connection.execute(f"create schema if not exists {schema}")
        _read_cases(connection, run, schema, _WORDS if searchable else "")
        if only is not None:
            connection.execute(f"create table {schema}.wanted as from ({only[0]}) as it(position)", [list(only[1])])
        _read_outcomes(connection, run, schema)
        _put_in_order(connection, run, schema, "true" if only is None else f"position in (from {schema}.wanted)")
    except duckdb.Error as error:
        reason = str(error).strip().splitlines()[0]
        allowed = "restore the files that the run wrote"
        raise InputError(str(run.folder), f"its lines cannot be read: {reason}", allowed) from None
    return table_of(connection, folder, run, schema)


def table_of(connection: duckdb.DuckDBPyConnection, folder: Path, run: Run, schema: str) -> Database:
    """Return the database of a run whose tables are already in this schema."""
    ours = {column.name: column for column in columns_of(run, {})[0]}
    found = connection.execute(f"describe {schema}.results").fetchall()
    columns = tuple(ours.get(name) or Column(name, kind, "from the input") for name, kind, *_ in found)
    (cases,) = connection.execute(f"select count(*) from {schema}.cases").fetchone() or (0,)
    return Database(run, columns, max(cases, run.planned), schema, f"{schema}.results", connection, folder)


def _lines(connection: duckdb.DuckDBPyConnection, run: Run, file: str) -> str:
    """Return SQL that reads a run's file as a table. An incomplete last line is skipped."""
    path = run.folder / file
    longest = together = most = 0
    with path.open("rb", buffering=2**20) as lines:
        for number, line in enumerate(lines):
            together = len(line) + (together if number % _TOGETHER else 0)
            longest, most = max(longest, len(line)), max(most, together)
    # Raise the memory limit for lines of many megabytes, and for extracting texts from 2,048 large cases at a time.
    needed = _MEMORY + 16 * longest // 10**6 if longest >= _USUAL_LINE else 0
    needed = max(needed, _MEMORY * 2 // 3 + 16 * most // 10**6) if file == CASES else needed
    if needed > _MEMORY:
        connection.execute(f"set memory_limit = '{needed}MB'")
    kinds = ", ".join(f"{name(field)}: {text(kind)}" for field, kind in _LINES[file].items())
    exact = re.sub(r"[\[*?]", r"[\g<0>]", str(path.absolute()))  # escape wildcards
    options = "format = 'newline_delimited', compression = 'none', hive_partitioning = false, ignore_errors = true"
    size = f"maximum_object_size = {max(longest + 1, _USUAL_LINE)}"
    lines_of = f"read_json({text(exact)}, columns = {{{kinds}}}, {options}, {size})"
    return f"(select * from {lines_of} where position between 0 and 999999999)"


def _read_cases(connection: duckdb.DuckDBPyConnection, run: Run, schema: str, more: str) -> None:
    # The protocol extracts all texts of a case in one call: DuckDB frees the memory of each JSON extraction only after
    # all the rows that it processes at a time.
    case = run.protocol.table.case
    extracted = "".join(f", {sql} as {name}" for name, sql in case.extracted.items())
    connection.execute(
        f"""create table {schema}.cases as select position, "case", label, extra, nullif(bad, '') as bad,
        systems[1] as system_a, systems[2] as system_b, left({case.opening}, {_OPENING}) as opening,
        {case.content} as content, hash("case", content) as key, {case.task} as task{more}
        from (select *{extracted} from {_lines(connection, run, CASES)})"""
    )


def _extras(connection: duckdb.DuckDBPyConnection, schema: str) -> dict[str, Kind]:
    """Return the input's extra columns in the order of the input, each with the one type that can hold all its cells. A
    whole number too large for BIGINT is kept as text."""
    found = connection.execute(
        f"""with named as (select extra, unnest(json_keys(extra)) as name,
          position * 1000 + unnest(range(len(json_keys(extra)))) as place from {schema}.cases),
        cells as (select place, name, json_type(extra, pointer) as kind, extra ->> pointer as cell from
          (select *, '/' || replace(replace(name, '~', '~0'), '/', '~1') as pointer from named)),
        typed as (select place, name, case
          when kind in ('DOUBLE', 'BOOLEAN') then kind
          when kind in ('BIGINT', 'UBIGINT') and try_cast(cell as BIGINT) is not null then 'BIGINT'
          when kind <> 'NULL' then 'VARCHAR' end as kind from cells)
        select name, case when count(distinct kind) = 1 then min(kind)
          when bool_and(kind in ('BIGINT', 'DOUBLE')) then 'DOUBLE' else 'VARCHAR' end
        from typed group by name order by min(place) limit {_MOST_EXTRAS}"""
    )
    return dict(found.fetchall())


def _read_outcomes(connection: duckdb.DuckDBPyConnection, run: Run, schema: str) -> None:
    connection.execute(
        f"""create table {schema}.found (position BIGINT, status VARCHAR, verdict_id VARCHAR, words BIGINT[],
        calls BIGINT, cost VARCHAR, input_tokens BIGINT, output_tokens BIGINT, cells JSON, reason VARCHAR,
        message VARCHAR, judge VARCHAR)"""
    )
    parts = [f"select position, 'skipped' as status, bad as message from {schema}.cases where bad is not null"]
    verdict, failure = "'verdict' as status, * exclude (row), row as cells", "'failure' as status, *"
    for file, cells, sieve in ((VERDICTS, verdict, "row is not null"), (FAILURES, failure, "true")):
        if (run.folder / file).exists():
            parts.append(f"select {cells} from {_lines(connection, run, file)} where {sieve}")
    for part in parts:
        connection.execute(f"insert into {schema}.found by name {part}")


def _put_in_order(connection: duckdb.DuckDBPyConnection, run: Run, schema: str, wanted: str) -> None:
    """Build the table `results` of the wanted positions. Of a case's verdicts the first counts, of its failures the
    last, and a verdict before any failure. Sort a range of positions at a time, so that a larger run does not need more
    memory."""
    first = (
        "order by case status when 'verdict' then 0 when 'failure' then 1 else 2 end, "
        "case status when 'failure' then -place else place end"
    )
    # Column names come from untrusted input, so they appear only once, as quoted names.
    extras = _extras(connection, schema)
    columns, own = columns_of(run, extras)
    cells = ", ".join(f"cast({cell} as {column.kind}) as {name(column.name)}" for column, cell in columns.items())
    chosen = (
        f"select {cells} from (select rowid as place, *, {extracted('cells', own)} as own "
        f"from {schema}.found where position >= $1 and position < $2 and {wanted} "
        f"qualify row_number() over (partition by position {first}) = 1) as o "
        f"join (select *, {extracted('extra', extras)} as extras from {schema}.cases "
        "where position >= $1 and position < $2) as c using (position) order by c.position"
    )
    stretches = connection.execute(f"select distinct position // {_STRETCH} from {schema}.cases order by 1").fetchall()
    put = f"create table {schema}.results as"  # planning so many columns takes longer than reading a small run
    for (stretch,) in stretches or [(0,)]:
        connection.execute(f"{put} {chosen}", [stretch * _STRETCH, (stretch + 1) * _STRETCH])
        put = f"insert into {schema}.results"
    connection.execute(f"drop table {schema}.found")
