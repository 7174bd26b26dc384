"""The journal's tables and SQL statements, shared by SQLite and Postgres. Their differences are placeholders in braces.

Every table is created only if it is missing, so the same script upgrades a journal of an earlier format.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Kind = Literal[
    "reply", "verdict", "verdict_page", "verdict_runs", "draft", "draft_owner", "draft_removal", "owner_removal",
    "draft_sizes", "run", "outcome", "line", "answer", "answer_expiry", "call", "unsettled_call", "rubric",
]  # fmt: skip

SQLITE = {"t": "", "text": "text", "blob": "blob", "number": "integer primary key", "mark": "", "join": "group_concat"}
# With collation "C", ids with one prefix form a range. The unique mark makes the insert of a draft's piece idempotent.
POSTGRES = {
    "t": "adjudge_",
    "text": 'text collate "C"',
    "blob": "bytea",
    "number": "bigint generated always as identity",
    "mark": "mark text not null unique, ",
    "join": "string_agg",
}

TABLES = """
create table if not exists {t}replies (
    key {text} primary key, at double precision not null, attempts integer not null, sent text not null,
    body {blob} not null
);
create table if not exists {t}verdicts (
    number {number}, id {text} not null unique, inputs {blob} not null, verdict {blob} not null
);
create table if not exists {t}rubrics (digest {text} primary key, source text not null);
create table if not exists {t}drafts (number {number}, id {text} not null, {mark}changes {blob} not null);
create index if not exists {t}drafts_by_id on {t}drafts (id, number);
create table if not exists {t}draft_owners (id {text} primary key, owner text not null, at double precision not null);
create table if not exists {t}runs (id {text} primary key, config {blob} not null);
create table if not exists {t}outcomes (
    run {text} not null, position bigint not null, verdict text, failure {blob},
    primary key (run, position), check ((verdict is null) <> (failure is null))
);
create index if not exists {t}outcomes_by_verdict on {t}outcomes (verdict) where verdict is not null;
create table if not exists {t}lines (
    run {text} not null, position bigint not null, line {blob} not null, primary key (run, position)
);
create table if not exists {t}calls (
    run {text} not null, key {text} not null, paid integer not null, picodollars bigint, input_tokens bigint not null,
    output_tokens bigint not null, primary key (run, key)
);
create table if not exists {t}answers (
    id {text} primary key, at double precision not null, request text not null, head text not null, body {blob} not null
);
create index if not exists {t}answers_by_time on {t}answers (at);
create table if not exists {t}fence (secret {blob} not null);
"""
# Within a transaction, statements are executed in this order.
PUT: Mapping[Kind, str] = {
    "reply": "insert into {t}replies (key, at, attempts, sent, body) values (?, ?, ?, ?, ?) on conflict do nothing",
    "call": """insert into {t}calls (run, key, paid, picodollars, input_tokens, output_tokens) values (?, ?, ?, ?, ?, ?)
        on conflict (run, key) do update set picodollars = excluded.picodollars,
        input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens""",
    "rubric": "insert into {t}rubrics (digest, source) values (?, ?) on conflict do nothing",
    "verdict": "insert into {t}verdicts (id, inputs, verdict) values (?, ?, ?) on conflict do nothing",
    "draft": "insert into {t}drafts (id, changes) values (?, ?)",
    "draft_owner": """insert into {t}draft_owners (id, owner, at) values (?, ?, ?)
        on conflict (id) do update set at = excluded.at""",
    "draft_removal": "delete from {t}drafts where id = ?",
    "owner_removal": "delete from {t}draft_owners where id = ?",
    "run": "insert into {t}runs (id, config) values (?, ?) on conflict do nothing",
    "outcome": """insert into {t}outcomes (run, position, verdict, failure) values (?, ?, ?, ?)
        on conflict (run, position) do update set verdict = excluded.verdict, failure = excluded.failure
        where {t}outcomes.verdict is null""",
    "line": "insert into {t}lines (run, position, line) values (?, ?, ?) on conflict do nothing",
    "answer_expiry": "delete from {t}answers where at < ?",
    "answer": """insert into {t}answers (id, at, request, head, body) values (?, ?, ?, ?, ?) on conflict (id)
        do update set at = excluded.at, request = excluded.request, head = excluded.head, body = excluded.body""",
}
GET: Mapping[Kind, str] = {
    "reply": "select body, at, attempts, sent from {t}replies where key = ?",
    "call": """select count(*), sum(input_tokens), sum(output_tokens), sum(picodollars),
        sum(case when paid = 1 then picodollars end), coalesce(sum(paid), 0) from {t}calls where run = ?""",
    "unsettled_call": "select 1 from {t}calls where run = ? and key = ? and paid = 1 and picodollars is null",
    "verdict": "select id, inputs, verdict from {t}verdicts where id >= ? and id < ? order by id limit 2",
    "rubric": "select source from {t}rubrics where digest = ?",
    "verdict_page": """select number, id, inputs, verdict,
        (select {join}(run, ' ') from {t}outcomes where verdict = {t}verdicts.id)
        from {t}verdicts where number < ? order by number desc limit ?""",
    "verdict_runs": "select run from {t}outcomes where verdict = ?",
    "answer": "select at, request, head, body from {t}answers where id = ?",
    "draft": "select changes from {t}drafts where id = ? order by number",
    "draft_owner": "select owner, at from {t}draft_owners where id = ?",
    "draft_sizes": """select owner, id, at, count(*), cast(sum(length(changes)) as bigint)
        from {t}draft_owners join {t}drafts using (id) group by id, owner, at""",
    "run": "select config from {t}runs where id = ?",
    "outcome": """select position, verdict, failure from {t}outcomes
        where run = ? and position > ? order by position limit ?""",
    "line": """select position, o.verdict, failure, line, v.verdict
        from {t}outcomes as o left join {t}lines using (run, position) left join {t}verdicts as v on v.id = o.verdict
        where run = ? and position > ? order by position limit ?""",
}


def statements(of: Mapping[Kind, str], words: Mapping[str, str]) -> dict[Kind, str]:
    """Fill the placeholders of the statements for one database."""
    return {kind: statement.format(**words) for kind, statement in of.items()}
