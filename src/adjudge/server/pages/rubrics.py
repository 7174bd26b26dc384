"""Pages to view, edit, check and version rubrics, and to see the prompts that each one renders to.

Built-in rubrics can be viewed and copied. An invalid text comes back unchanged, with the line of the error.
"""

from __future__ import annotations

import asyncio
import re
from difflib import unified_diff
from fractions import Fraction
from itertools import islice
from typing import Annotated, Any, TypedDict
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from ...errors import ConflictError, InputError, RubricError, TooLargeError
from ...protocols.base import names, protocol_of
from ...protocols.rubrics import parse
from ...rendering.wording import many, number
from ...rubric import MAX_RUBRIC_BYTES, Rubric, Scale
from ..callers import Caller, CallerOf, MayJudge
from ..common import State, StateOf
from ..rubrics import RubricPrompt, find_rubric, keep_version, prompts_of, rubrics_for, versions_of
from .common import SMALL_FORM, error_beside, form_up_to, page, status_of
from .judge import share
from .rubric_form import MAX_FIELDS, RubricForm, sent_text, shown_form

router = APIRouter(include_in_schema=False)

# A rubric of the largest size with every character escaped, as text and as fields, and somewhat more, so that the error
# can say what is wrong.
RubricFormOf = Annotated[dict[str, str], Depends(form_up_to(6 * MAX_RUBRIC_BYTES + SMALL_FORM, MAX_FIELDS))]
_MOST_LINES = 3_000  # longest text that is compared with another
_AROUND = 2  # lines shown before and after a wrong line


@router.get("/rubrics")
@router.get("/rubrics.json")
def listed(request: Request, state: StateOf, caller: CallerOf) -> Response:
    """List the latest version of every rubric."""
    found = [_summary(kept, _versions(state, caller, kept)) for kept in rubrics_for(state, caller)]
    return page(request, "rubrics", {"may_edit": caller.may("reviewer"), "rubrics": found})


class RubricPage(TypedDict):
    """A version of a rubric, its prompts, and its differences from another version."""

    may_edit: bool
    rubric: dict[str, Any]
    source: str
    prompts: list[RubricPrompt]
    against: str | None
    diff: list[dict[str, str]] | None


@router.get("/rubrics/{name}")
def show(name: str, request: Request, state: StateOf, caller: CallerOf) -> Response:
    """Show a rubric: the latest version or `version`, compared with version `against` if that is given."""
    name, query = name.removesuffix(".json"), request.query_params
    kept = find_rubric(state, caller, name, query.get("version") or None)
    against = query.get("against") or None
    context = RubricPage(
        may_edit=caller.may("reviewer"),
        rubric=_summary(kept, _versions(state, caller, kept)),
        source=kept.source,
        prompts=prompts_of(kept),
        against=against,
        diff=_diff(find_rubric(state, caller, name, against).source, kept.source) if against else None,
    )
    return page(request, "rubric", context)


class EditorPage(TypedDict):
    """The text of a rubric being edited, with its error and the lines around it, or with the rubric it parses to.

    `form` has its fields; None if the text is edited as YAML, or if `not_shown` says why it cannot be a form.
    """

    name: str
    copied: bool
    source: str
    form: RubricForm | None
    not_shown: str
    error: str
    line: int | None
    excerpt: list[tuple[int, str]]
    rubric: dict[str, Any] | None
    prompts: list[RubricPrompt]


@router.get("/rubrics/{name}/edit")
def edit(caller: MayJudge, name: str, request: Request, state: StateOf) -> Response:
    """Show a rubric as its next version, or as a copy if it is built in: as fields, or with `view=yaml` as text."""
    kept = find_rubric(state, caller, name, request.query_params.get("version") or None)
    known = [each.name for each in rubrics_for(state, caller)]
    # A calibration is only valid for the version it was made for, so a new version starts without it.
    text = kept.uncalibrated or kept.source
    if kept.name in names():
        numbered = (f"my {name}{f' {at}' if at > 1 else ''}" for at in range(1, len(known) + 2))
        text = _with(_with(text, "name", next(new for new in numbered if new not in known)), "version", '"1"')
    else:
        versions = _versions(state, caller, kept)
        if all(each.isdecimal() and len(each) < 10 for each in versions):
            text = _with(text, "version", f'"{max(map(int, versions)) + 1}"')
    fields = request.query_params.get("view") != "yaml"
    return page(request, "rubric_edit", _editor(name, text, fields=fields))


@router.post("/rubrics/{name}/edit")
async def submit(caller: MayJudge, sent: RubricFormOf, name: str, request: Request, state: StateOf) -> Response:
    """Check the text, save it as a new version, show it as fields or as YAML, or change its entries: by `action`."""
    text, action, fields = sent.get("source", ""), sent.get("action", "keep"), sent.get("view") == "fields"
    try:
        if len(text.encode()) > MAX_RUBRIC_BYTES:
            raise TooLargeError("rubric", f"more than {MAX_RUBRIC_BYTES:,} bytes", "shorten it")
        if fields:
            text = await asyncio.to_thread(sent_text, text, sent)
        if action not in ("keep", "check"):
            return page(request, "rubric_edit", _editor(name, text, fields=action != "yaml"))
        rubric = await asyncio.to_thread(parse, text, "rubric")
        if action == "keep":
            await keep_version(state, caller, rubric)
            return RedirectResponse(f"/rubrics/{quote(rubric.name)}", 303)
    except (InputError, ConflictError) as error:
        shown = _editor(name, text, fields=fields, error=error if isinstance(error, RubricError) else None)
        return page(request, "rubric_edit", shown | _wrong(text, error), status_of(error))
    found = {"rubric": _summary(rubric, []), "prompts": prompts_of(rubric)}
    return page(request, "rubric_edit", _editor(name, text, fields=fields) | found)


def _editor(name: str, text: str, *, fields: bool, error: RubricError | None = None) -> EditorPage:
    form, not_shown = None, ""
    if fields:
        try:
            form = shown_form(text, error)
        except RubricError as reason:
            not_shown = str(reason).removeprefix("rubric:")
    return EditorPage(
        name=name,
        copied=name in names(),
        source=text,
        form=form,
        not_shown=not_shown,
        error="",
        line=None,
        excerpt=[],
        rubric=None,
        prompts=[],
    )


def _wrong(text: str, error: InputError | ConflictError) -> dict[str, Any]:
    """Return the error for the editor page, with its line and the lines around it if the line is known."""
    if not isinstance(error, RubricError) or not (found := re.search(r":(\d+)$", error.place)):
        return {"error": str(error).removeprefix("rubric: ")}
    line, lines = int(found[1]), text.split("\n")
    around = range(max(1, line - _AROUND), min(len(lines), line + _AROUND) + 1)
    return {
        "error": error_beside(error.place, error),
        "line": line,
        "excerpt": [(at, lines[at - 1][:200]) for at in around],
    }


def _with(text: str, field: str, value: str) -> str:
    """Replace the value of a top-level field in the text of a rubric."""
    return re.sub(rf"^{field}:.*$", lambda _: f"{field}: {value}", text, count=1, flags=re.MULTILINE)


def _versions(state: State, caller: Caller, kept: Rubric) -> list[str]:
    return [each.version for each in versions_of(state, caller, kept.name)]


# -- what is shown ----------------------------------------------------------------------------------------------------


def _summary(rubric: Rubric, versions: list[str]) -> dict[str, Any]:
    """Summarize a rubric for display; each criterion has its weight, its share of all weights, and a bar's width."""
    whole = sum(map(Fraction, rubric.weights.values()), Fraction(0))
    most, rules = max(rubric.weights.values()), protocol_of(rubric.protocol).rubric
    return {
        "name": rubric.name,
        "version": rubric.version,
        "protocol": rubric.protocol,
        "reference": rubric.reference,
        "built_in": rubric.name in names(),
        "versions": versions,
        "scale": "" if rules.own_scales else _scale(rubric.scale),
        "own_scales": rules.own_scales is not None,
        "weights_are_for": rules.weights_are_for,
        "tie_band": number(rubric.tie_band) if rules.ties else "",
        "bands": rubric.bands,
        "numbers": [(name.replace("_", " "), number(value)) for name, value in rubric.numbers.items()],
        "counted": many(len(rubric.criteria), {"criteria": "criterion"}.get(rules.listed, "item"), rules.listed),
        "criteria": [
            {
                "key": each.key,
                "name": each.name,
                "weight": number(rules.worth(each)),
                "share": share(Fraction(each.weight), whole) if rules.worth(each) >= 0 else "",
                "width": f"{100 * float(each.weight / most):.1f}%",
                "guidance": each.guidance,
                "scale": rules.about(each) if rules.about else _scale(each.scale),
                "bands": each.bands,
            }
            for each in rubric.criteria
        ],
    }


def _scale(scale: Scale) -> str:
    ends = f"{number(scale.low)} to {number(scale.high)}"
    return ends if scale.step == 1 else f"{ends} in steps of {number(scale.step)}"


def _diff(old: str, new: str) -> list[dict[str, str]]:
    """Diff two texts with three lines of context; a `gap` row gives the line numbers of the lines after it."""
    before, after = old.splitlines(), new.splitlines()
    if max(len(before), len(after)) > _MOST_LINES:
        raise HTTPException(400, f"against: a version has more than {_MOST_LINES:,} lines; too many to compare")
    kinds = {"@": "gap", " ": "same", "-": "removed", "+": "added"}
    # The first two lines of a unified diff name the files.
    lines = islice(unified_diff(before, after, lineterm=""), 2, None)
    return [{"kind": kinds[line[0]], "text": line.strip("@ ") if line[0] == "@" else line[1:]} for line in lines]
