"""The columns that a protocol brings, as SQL over a line of `verdicts.jsonl`: the same cells as `columns_…` make.

Each function takes a shape to read with, and what criteria are called in columns. Nothing is read that is not asked
for: an expression is made when its column is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import sql
from .columns_review import NO_PREFERENCE
from .shape import Shape

Expression = Callable[[], str]
_WARNINGS = "STRUCT(code VARCHAR)[]"
_CRITIC = "STRUCT(criterion VARCHAR, agree BOOLEAN, suggested_score VARCHAR)[]"
_RATING = "STRUCT(key VARCHAR, rating BIGINT, action VARCHAR, assessed BOOLEAN, original STRUCT(rating VARCHAR))[]"
# Wide enough for the greatest total that weights allow, and for all 17 digits of any total above a billionth.
_EXACT = "DECIMAL(38, 26)"


def own_expressions(protocol: str, shape: Shape, names: Mapping[str, str]) -> dict[str, Expression]:
    """The expression of each column of a protocol and its criteria."""
    made = {"compare": _compare, "dialogue": _dialogue, "review": _review}[protocol](shape, names)
    return {"warnings": lambda: _codes(shape.at("verdict", "warnings", kind=_WARNINGS)), **made}


def minus(first: str, second: str) -> str:
    """The exact difference of two numbers in JSON's form, in that form: a whole number has no point."""
    apart = f"(try_cast({first} as {_EXACT}) - try_cast({second} as {_EXACT}))"
    whole = f"cast(cast({apart} as DECIMAL(38, 0)) as VARCHAR)"
    # By way of a text, so that it is rounded once, as Python rounds it.
    broken = f"cast(cast(cast({apart} as VARCHAR) as DOUBLE) as VARCHAR)"
    return f"case when {apart} = trunc({apart}) then {whole} else {broken} end"


def _compare(shape: Shape, names: Mapping[str, str]) -> dict[str, Expression]:
    def at(*path: str, kind: str = "VARCHAR") -> Expression:
        return lambda: shape.at("verdict", "evaluation", *path, kind=kind)

    def score(key: str, side: str) -> Expression:
        given, assessed = (
            at("criteria_scores", key, side, "score"),
            at("criteria_scores", key, side, "assessed", kind="BOOLEAN"),
        )
        return lambda: f"case when coalesce({assessed()}, true) then {given()} end"

    total = {side: at("overall", side, "weighted_total_score") for side in "AB"}
    return {
        "winner": at("winner"),
        "decided": at("decided", kind="BOOLEAN"),
        "confidence": at("confidence"),
        "total_a": total["A"],
        "total_b": total["B"],
        "difference": lambda: minus(total["A"](), total["B"]()),
        "normalized_a": at("overall", "A", "normalized"),
        "normalized_b": at("overall", "B", "normalized"),
        "decided_by": at("decided_by"),
        "order_consistent": at("order_consistent", kind="BOOLEAN"),
        "judge": lambda: shape.at("verdict", "provenance", "judge"),
        **{f"{name}_{side.lower()}": score(key, side) for key, name in names.items() for side in "AB"},
    }


def _dialogue(shape: Shape, names: Mapping[str, str]) -> dict[str, Expression]:
    # The contract's object stands alone, or in a record under `output`.
    def at(*path: str, kind: str = "VARCHAR") -> Expression:
        return lambda: (
            f"coalesce({shape.at('verdict', 'output', *path, kind=kind)}, {shape.at('verdict', *path, kind=kind)})"
        )

    def changed() -> str:
        each = [(at("referee_final", key, "score")(), at("evaluator", key, "score")()) for key in names]
        return " + ".join(
            f"coalesce(cast(cast({one} as DOUBLE) <> cast({other} as DOUBLE) as BIGINT), 0)" for one, other in each
        )

    def suggested(key: str) -> Expression:
        return lambda: f"list_filter({critic()}, lambda entry: entry.criterion = {sql.text(key)})[-1].suggested_score"

    critic = at("critic", kind=_CRITIC)
    made: dict[str, Expression] = {
        "overall_experience": at("referee_final", "OverallExperience"),
        "average": at("referee_final", "numeric_weighted_average"),
        "evaluator_average": at("evaluator", "numeric_weighted_average"),
        "objections": lambda: f"len(list_filter({critic()}, lambda entry: not entry.agree))",
        "changed": changed,
        "judge": lambda: shape.at("verdict", "provenance", "judge"),
    }
    for key, name in names.items():
        made[name] = at("referee_final", key, "score")
        made[f"{name}_evaluator"] = at("evaluator", key, "score")
        made[f"{name}_critic"] = suggested(key)
    return made


def _review(shape: Shape, names: Mapping[str, str]) -> dict[str, Expression]:
    def at(*path: str, kind: str = "VARCHAR") -> Expression:
        return lambda: shape.at("verdict", *path, kind=kind)

    def preference(*path: str, kind: str = "VARCHAR") -> Expression:
        return at("final_likert_and_justification", *path, kind=kind)

    def rating(key: str, side: str) -> Expression:
        return lambda: f"list_filter({tables[side]()}, lambda entry: entry.key = {sql.text(key)})[-1]"

    def winner() -> str:
        given = likert()
        sides = f"when {given} < {NO_PREFERENCE} then 'A' when {given} > {NO_PREFERENCE} then 'B'"
        return f"case {sides} when {given} = {NO_PREFERENCE} then 'tie' end"

    def counted(action: str) -> Expression:
        def count() -> str:
            given = f"cast({preference('action')()} = '{action}' as BIGINT)"
            each = (
                f"len(list_filter({table()}, lambda entry: entry.action = '{action}'))" for table in tables.values()
            )
            return f"{given} + {' + '.join(each)}"

        return count

    tables = {side: at(f"response{at_}_fixed_table", kind=_RATING) for side, at_ in (("a", 1), ("b", 2))}
    likert = preference("likert", kind="BIGINT")
    judge, provenance = at("judge"), at("provenance", "judge")
    made: dict[str, Expression] = {
        "winner": winner,
        "likert": likert,
        "likert_entered": lambda: f"nullif({preference('original', 'rating')()}, '')",
        "likert_action": preference("action"),
        "invalid": at("invalid_task"),
        **{action: counted(action) for action in ("kept", "replaced", "filled", "refused")},
        "task_type": at("opinion", "task_type"),
        "judge": lambda: f"coalesce(nullif({judge()}, ''), {provenance()})",
    }
    for key, name in names.items():
        for side in tables:
            made |= _rated(f"{name}_{side}", rating(key, side))
    return made


def _rated(name: str, entry: Expression) -> dict[str, Expression]:
    def given() -> str:
        blank = f"(not coalesce({entry()}.assessed, true) and {entry()}.action = 'filled')"
        return f"case when not {blank} then {entry()}.rating end"

    return {
        name: given,
        f"{name}_entered": lambda: f"nullif({entry()}.original.rating, '')",
        f"{name}_action": lambda: f"{entry()}.action",
    }


def _codes(warnings: str) -> str:
    """Each code once, where it first stood."""
    every = f"list_transform({warnings}, lambda entry: entry.code)"
    first = f"list_filter({every}, lambda code, place: list_position({every}, code) = place)"
    return f"nullif(array_to_string({first}, ' '), '')"
