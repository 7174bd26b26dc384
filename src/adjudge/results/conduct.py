"""How the judge of a run behaved, which needs no label: how often it shows each of the traits in `traits.py`. DuckDB
does the counting."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson
from pydantic import Field

from ..inputs.rows.columns import fold_column
from ..models.base import Frozen
from ..models.figures import Figure
from ..protocols.figures import TraitCount, TraitKey
from ..statistics.shares import ClusterSums, clustered_share
from .columns import criteria, criterion_columns, name, unit_sql
from .database import Database
from .traits import ENOUGH, TRAITS, Level, level_of

_TOGETHER = 100_000  # cases whose units are counted at a time
_Usual = tuple[str, str, float, bool, int]  # criterion, column, most common score, whether it is the only one, cases
_UNUSABLE = "(calls > 0 and (status = 'verdict' or reason in ('refused', 'malformed', 'cut_off')))::INT"
# What every protocol has.
_ANY: dict[TraitKey, TraitCount] = {
    "invented": TraitCount("invented", "quotes"),
    "repaired": TraitCount("repaired", "replies"),
    "unusable": TraitCount("(status = 'failure')::INT", _UNUSABLE),
}
# Verdicts of older versions lack these: where the column is empty, the trait is not known of the case.
_RECORDED_IN: dict[TraitKey, str] = {
    "invented": "quotes", "repaired": "replies", "position": "replies", "ties": "replies"
}  # fmt: skip


# -- measuring --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Observed:
    """What was seen of one trait: `hits` of `of` things, the share, and its level.

    `unclear`: the share is above a threshold, but its interval is not. `detail` names what is remarkable.
    """

    trait: TraitKey
    figure: Figure
    hits: int
    of: int
    level: Level
    unclear: bool = False
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Conduct:
    """How a judge behaved in a run: the worst level, and what was seen of each trait that exists in the protocol.

    `older` verdicts were made by a version that did not record some of it. `always` has the criteria whose scores are
    the same in 20 cases or more, all that there are. `embedded`: only the embedded judge judged, which does not assess
    every criterion.
    """

    level: Level
    cases: int
    replies: int
    observed: tuple[Observed, ...]
    older: int = 0
    always: dict[str, float] = field(default_factory=dict)
    embedded: bool = False

    def of(self, *levels: Level) -> list[Observed]:
        """Return what was seen at these levels, the worst first."""
        found = [each for each in self.observed if each.level in levels]
        return sorted(found, key=lambda each: -(each.figure.value or 0) / TRAITS[each.trait].look_at)

    def as_json(self) -> dict[str, Any]:
        """Return the conduct for `summary.json`."""
        return {**asdict(self), "observed": {each.trait: _observed_json(each) for each in self.observed}}


def _observed_json(each: Observed) -> dict[str, Any]:
    figure, trait = each.figure, TRAITS[each.trait]
    return {
        "share": figure.value,
        "interval": figure.interval,
        "hits": each.hits,
        "of": each.of,
        "cases": figure.cases,
        "level": each.level,
        "look_at": trait.look_at,
        "not_fit": trait.not_fit,
        "reason": figure.reason or None,
    }


def conduct_of(database: Database) -> Conduct:
    """Measure how the judge behaved in the whole run. Chosen rows would say little: all ties are ties."""
    usual = _usual(database)
    own = _counts(database, usual)
    keys = database.query(f"select distinct unnest(json_keys(extra)) from {database.schema}.cases")
    unit = unit_sql(next((key for (key,) in keys if fold_column(key) == "group"), None))
    ((cases, replies),) = database.query(
        f"select count(*) filter (status = 'verdict'), coalesce(sum(replies), 0) from {database.schema}.results"
    )
    found = _sums(database, own, unit)
    older = _older(database, own)
    observed = []
    for key in own:
        if key in found:
            made, based_on, enough = found[key]
            figure = clustered_share(made, based_on)
            level = level_of(TRAITS[key], figure, enough)
            unclear = level == "fine" and (figure.value or 0) > TRAITS[key].look_at
            detail = _detail(database, key, own[key], usual)
            observed.append(Observed(key, figure, int(made.hits), int(made.of), level, unclear, detail))
        elif older.get(key):
            observed.append(
                Observed(key, Figure(None, 0, "the version that made this run did not record it"), 0, 0, "not_known")
            )
    # The worst level is that of the whole. What is not known may be bad, so the whole is not fine then.
    order: tuple[Level, ...] = ("not_fit", "look_at", "not_known", "fine", "too_few")
    levels: set[Level] = {each.level for each in observed} or {"not_known" if cases >= ENOUGH else "too_few"}
    judges = database.query(f"select distinct judge from {database.schema}.results where judge is not null")
    return Conduct(
        level=next(level for level in order if level in levels),
        cases=int(cases),
        replies=int(replies),
        observed=tuple(observed),
        older=max(older.values(), default=0),
        always=_always(usual, ENOUGH),
        embedded=bool(judges) and all(judge.startswith("embedded") for (judge,) in judges),
    )


# -- what a run has stored --------------------------------------------------------------------------------------------


class StoredConduct(Frozen):
    """What `summary.json` says of the judge's conduct since the run last ended, without its table.

    `worst` is the trait that makes the judge unfit, with its `share`; if there are several, the one that is furthest
    above its threshold.
    """

    level: Level
    sentence: str
    always: dict[str, float] = Field(default_factory=dict)
    worst: TraitKey | None = None
    share: float | None = None

    @property
    def worth_saying(self) -> bool:
        return self.level != "fine" or bool(self.always)


def stored_conduct(folder: Path) -> StoredConduct | None:
    """Return the conduct that the run in this folder has stored; None if it has none, as runs of older versions."""
    try:
        stored = orjson.loads((folder / "summary.json").read_bytes())["conduct"]
        unfit = [
            (it["share"] / it["look_at"], key) for key, it in stored["observed"].items() if it["level"] == "not_fit"
        ]
        worst = max(unfit)[1] if unfit else None
        share = stored["observed"][worst]["share"] if worst else None
        return StoredConduct(
            level=stored["level"],
            sentence=stored["sentence"],
            always=stored.get("always", {}),
            worst=worst,
            share=share,
        )
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return None


# -- counting ---------------------------------------------------------------------------------------------------------


def _counts(database: Database, usual: list[_Usual]) -> dict[TraitKey, TraitCount]:
    """Return the SQL of each trait that this run may have, in the order of `TRAITS`."""
    found = {**_ANY, **database.run.protocol.table.traits}
    by_answer = zip(*_score_columns(database).values(), strict=True)
    if lists := [f"[{', '.join(columns)}]" for columns in by_answer if len(columns) > 1]:
        alike = " + ".join(f"(list_unique({one}) = 1 and list_count({one}) > 1)::INT" for one in lists)
        found["flat"] = TraitCount(alike, " + ".join(f"(list_count({one}) > 1)::INT" for one in lists))
    if usual:
        same = " + ".join(f"coalesce(({column} = {score})::INT, 0)" for _, column, score, *_ in usual)
        found["unvaried"] = TraitCount(same, " + ".join(f"({column} is not null)::INT" for _, column, *_ in usual))
    return {key: found[key] for key in TRAITS if key in found}


def _sums(
    database: Database, own: Mapping[TraitKey, TraitCount], unit: str
) -> dict[TraitKey, tuple[ClusterSums, int, int]]:
    """Return of each trait that could show: the sums over units, in how many cases it could, and in how many replies,
    or cases if it is not a trait of replies. One row for each case and trait is counted: a column for each sum of each
    trait would take longer to plan than a small run takes to count."""
    hits, things = (", ".join(getattr(one, field) for one in own.values()) for field in ("hits", "of"))
    based_on = ", ".join("replies" if TRAITS[key].of_replies else "1" for key in own)
    keys, found = list(own), defaultdict[TraitKey, Counter[int]](Counter)
    # Some units at a time, so that a larger run does not need more memory. Counted before the join: behind a join that
    # drops rows, DuckDB 2.0 can fail on columns of texts ("global dictionary column changed identity").
    parts = max(database.expected // _TOGETHER, 1)
    for part in range(parts):
        rows = database.query(
            f"""with counted as (
              select position, [{hits}] as hits, [{things}] as things, [{based_on}] as based_on
              from {database.schema}.results),
            shown as (select unit, unnest(range({len(own)})) as trait, unnest(hits) as hits,
              unnest(things) as things, unnest(based_on) as based_on from counted
              join (select position, {unit} as unit from {database.schema}.cases as c) using (position)
              where hash(unit) % {parts} = {part}),
            units as (select trait, coalesce(sum(hits), 0) as h, sum(things) as n, count(*) as cases,
              sum(based_on) as based_on from shown where things > 0 group by unit, trait)
            select trait, count(*), sum(h), sum(n), sum(h * h), sum(h * n), sum(n * n), count(*) filter (h > 0),
            count(*) filter (h < n), sum(cases), coalesce(sum(based_on), 0) from units group by trait"""
        )
        for trait, *sums in rows:
            found[keys[trait]].update({at: int(value) for at, value in enumerate(sums)})
    return {key: (ClusterSums(*(sums[at] for at in range(8))), sums[8], sums[9]) for key, sums in found.items()}


def _score_columns(database: Database) -> dict[str, tuple[str, ...]]:
    """Return the quoted score columns of all criteria, one for each answer."""
    run = database.run
    found = criterion_columns(run, run.protocol.table.score_suffixes)
    return {stem: tuple(map(name, columns)) for stem, columns in found.items()}


def _usual(database: Database) -> list[_Usual]:
    """Return the score columns with the most common score of their criterion, and whether there is another one."""
    by_criterion = _score_columns(database)
    if not by_criterion:
        return []
    scores = ", ".join(column for columns in by_criterion.values() for column in columns)
    places = [at for at, columns in enumerate(by_criterion.values()) for _ in columns]
    found = database.query(
        f"""select criterion, mode(score), count(distinct score), count(*) from (
        select unnest({places}) as criterion, unnest([{scores}]) as score from {database.schema}.results)
        where score is not null group by criterion order by criterion"""
    )
    names, stems = criteria(database.run), list(by_criterion)
    return [
        (names[stems[at]], column, mode, kinds == 1, count // len(by_criterion[stems[at]]))
        for at, mode, kinds, count in found
        for column in by_criterion[stems[at]]
    ]


def _detail(database: Database, key: TraitKey, counted: TraitCount, usual: list[_Usual]) -> str:
    """Name what is remarkable: the most common detail of a trait, or the criteria whose scores never vary."""
    if key == "unvaried":
        return "; ".join(f"{name} is always {score:g}" for name, score in _always(usual).items())
    if not counted.detail:
        return ""
    asked = f"select {counted.detail}, count(*) from {database.schema}.results where {counted.hits} > 0 group by all"
    return str(max(database.query(asked), key=lambda found: found[1], default=("",))[0])


def _always(usual: list[_Usual], least: int = 1) -> dict[str, float]:
    """Return the criteria that have the same score in all cases, if there are at least so many, with that score."""
    return {name: float(score) for name, _, score, only, cases in usual if only and cases >= least}


def _older(database: Database, own: Container[TraitKey]) -> dict[TraitKey, int]:
    """Count the verdicts of versions that did not record one of these traits."""
    keys = [key for key in _RECORDED_IN if key in own]
    counts = ", ".join(f"count(*) filter ({_RECORDED_IN[key]} is null)" for key in keys)
    (found,) = database.query(f"select {counts} from {database.schema}.results where status = 'verdict'")
    return dict(zip(keys, found, strict=True))
