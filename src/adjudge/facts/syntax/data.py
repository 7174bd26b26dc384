"""JSON and YAML, read with the usual parsers. What JSON5 or a template allows is a hint, not a certainty."""

from __future__ import annotations

import json
import re
import textwrap
from typing import Any

from .problems import ELIDED, ELIDED_LINE, HOLE, Problem

_STRING = r"\"(?:\\.|[^\"\\\n])*\""
_STRINGS = re.compile(_STRING)
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*.*?\*/|(?<=\s)#[^\n]*", re.DOTALL)
_TRAILING = re.compile(rf"({_STRING})|,(?=\s*[}}\]])")
_SINGLE = re.compile(rf"({_STRING})|'((?:\\.|[^'\\\n])*)'")
_BARE_KEY = re.compile(rf"({_STRING})|(?<=[{{,\s])([A-Za-z_$][\w$]*)(?=\s*:)")
_DOTS = re.compile(rf"({_STRING})|,?\s*(?:\.{{3,}}|…)")
_HOLES = re.compile(
    rf"({_STRING})|<[^<>\n]{{1,60}}>|(?<=:)\s*(?:string|number|integer|int|float|bool|boolean|array|object|any)\b"
)
_TEMPLATE = re.compile(r"\{\{|\{%|<%|\$\{")


def check_json(code: str) -> Problem | None:
    """The first thing that keeps the code from being JSON, JSON lines, or a piece of an object."""
    error = _json_error(code)
    if error is None:
        return None
    lines = [line for line in code.split("\n") if line.strip()]
    if len(lines) > 1 and all(_json_error(line) is None for line in lines):
        return None
    piece = code.strip().rstrip(",")
    if (piece.startswith(('"', "{", "[")) and _json_error("{" + piece + "}") is None) or _json_error(
        f"[{piece}]"
    ) is None:
        return None
    message = error.msg[:1].lower() + error.msg[1:]
    left_out = HOLE.search(code) or ELIDED.search(_STRINGS.sub("", code))
    return Problem(error.lineno, message, not (left_out or _relaxed_parses(code) or _TEMPLATE.search(code)))


def check_yaml(code: str) -> Problem | None:
    """The first thing that keeps the code from being one or several YAML documents."""
    problem = _yaml_problem(code)
    if problem is None or _yaml_problem(textwrap.dedent(code)) is None:
        return None
    if _yaml_problem(ELIDED_LINE.sub("", textwrap.dedent(code))) is None:
        return None
    line, message = problem
    return Problem(line, message, not _TEMPLATE.search(code) and not HOLE.search(code) and "…" not in code)


def _json_error(code: str) -> json.JSONDecodeError | None:
    try:
        json.loads(code.strip("\ufeff"), parse_int=len, parse_float=len)
    except json.JSONDecodeError as error:
        return error
    except (RecursionError, ValueError):
        return None
    return None


def _relaxed_parses(code: str) -> bool:
    """Is it JSON once comments, trailing commas, elisions, holes, single quotes and bare keys are allowed?"""
    code = _outside_strings(_COMMENT, "", ELIDED_LINE.sub("", code))
    code = _outside_strings(_DOTS, "", code)
    code = _outside_strings(_HOLES, " null", code)
    code = _SINGLE.sub(lambda m: m[1] if m[1] is not None else '"' + m[2].replace('"', "") + '"', code)
    code = _BARE_KEY.sub(lambda m: m[1] if m[1] is not None else f'"{m[2]}"', code)
    code = _outside_strings(_TRAILING, "", code)
    piece = code.strip().strip(",")
    return any(_json_error(form) is None for form in (piece, "{" + piece + "}", f"[{piece}]"))


def _outside_strings(pattern: re.Pattern[str], fill: str, code: str) -> str:
    """`fill` for every match, except the strings, which the pattern's first group matches."""
    return pattern.sub(lambda match: fill if match[1] is None else match[1], code)


def _yaml_problem(code: str) -> tuple[int, str] | None:
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for _ in yaml.compose_all(code, Loader=loader):
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return (mark.line + 1 if mark else 1), error.problem or error.context or "not YAML"
    except (yaml.YAMLError, RecursionError, ValueError):
        return None  # characters YAML forbids: not a question of syntax
    return None
