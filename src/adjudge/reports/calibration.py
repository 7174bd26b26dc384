"""What `adjudge calibrate` found, as a report for people and as data for programs; and a calibration in a sentence."""

from __future__ import annotations

from typing import Any

from ..agreement.report.remedies import CalibrationReport
from .document import Document, Grid, Section
from .wording import many, rounded

_PEOPLE = {
    "preference_for_a": "people’s preference, 0 (B) to 1 (A)",
    "overall_experience": "people’s overall rating",
    "likert": "people’s preference, 1 to 7",
}
_JUDGE = {
    "preference_for_a": "A’s lead on the rubric’s scale",
    "overall_experience": "the judge’s average",
    "likert": "the judge’s preference",
}
_NAMES = {
    "unchanged": "the judge’s own verdict",
    "mean": "one number for all cases",
    "isotonic": "isotonic map",
    "ordinal": "ordinal map (proportional odds)",
}
_SHOWN = 11  # points of a curve that a reader needs


def calibration_document(report: CalibrationReport) -> Document:
    """The map, the errors it was chosen by, and the weights."""
    counted = (
        f"{many(report.labels, 'label')} of {many(report.cases, 'case')} by {many(report.people, 'person', 'people')}"
    )
    lead = [f"Judge {report.judge}, rubric {report.rubric}. {counted}, from {report.source}."]
    if report.picked:
        were = "case that was" if report.picked == 1 else "cases that were"
        lead.append(f"{report.picked:,} labelled {were} picked for doubts do not count: only a random sample is fair.")
    if report.unjudged:
        lead.append(f"{many(report.unjudged, 'labelled case')} without a verdict to compare with.")
    found = report.calibration
    if found.chosen is None:
        lead.append(f"No map: {found.reason}.")
    else:
        now, then = (rounded(found.errors[kind], 3) for kind in ("unchanged", found.chosen.kind))
        lead.append(f"An {_NAMES[found.chosen.kind]} errs by {then} on held-out cases, {_NAMES['unchanged']} by {now}.")
    return Document(f"Calibration of {report.run}", tuple(lead), tuple(_sections(report)))


def calibration_json(report: CalibrationReport) -> dict[str, Any]:
    """The same for programs; `calibration` is what a rubric keeps."""
    saved, weights = report.saved(), report.weights
    return {
        "run": report.run,
        "judge": report.judge,
        "rubric": report.rubric,
        "what": report.what,
        "labels_from": report.source,
        "cases": report.cases,
        "labels": report.labels,
        "people": report.people,
        "picked_for_doubts": report.picked,
        "without_verdict": report.unjudged,
        "errors": dict(report.calibration.errors),
        "calibration": None if saved is None else saved.model_dump(),
        "reason": report.calibration.reason or None,
        "weights": None
        if weights is None
        else {
            "default": dict(weights.defaults),
            "learned": None if weights.weights is None else dict(weights.weights),
            "default_loss": weights.default_loss,
            "learned_loss": weights.loss,
            "reason": weights.reason or None,
        },
    }


def _sections(report: CalibrationReport) -> list[Section]:
    found, sections = report.calibration, []
    if found.errors:
        rows = [(_NAMES[kind], rounded(error, 3)) for kind, error in found.errors.items()]
        told = f"Root mean square of what is off from {_PEOPLE[report.what]}, on cases that took no part in the fit."
        sections.append(Section("Error", [told], [Grid(("What is compared with people", "Error"), rows)]))
    if (chosen := found.chosen) is not None:
        if chosen.kind == "isotonic":
            scores = [x for x, _ in chosen.points]
        else:
            middles = [cut / chosen.slope for cut in chosen.cuts] if chosen.slope else [0.0]
            reach = 4 / chosen.slope if chosen.slope else 1.0
            scores = [middles[0] - reach, *middles, middles[-1] + reach]
        shown = [*scores[: -1 : -(-len(scores) // _SHOWN)], scores[-1]]
        rows = [(rounded(score), rounded(chosen.apply(score))) for score in shown]
        sections.append(Section("The map", (), [Grid((_JUDGE[report.what], _PEOPLE[report.what]), rows, names=0)]))
    if (weights := report.weights) is not None:
        if weights.weights is None:
            return [*sections, Section("Weights", [f"None learned: {weights.reason}."])]
        told = "The learned ones err less on held-out cases" if weights.better else "The defaults err no more"
        said = (
            f"{told} ({rounded(weights.loss, 3)} against {rounded(weights.default_loss, 3)}). Totals are computed with "
            "the rubric’s own weights; to use others, write them into a new version of it."
        )
        names = ("Criterion", "Default", "Learned")
        grid = [(key, rounded(default), rounded(weights.weights[key])) for key, default in weights.defaults.items()]
        sections.append(Section("Weights", [said], [Grid(names, grid)]))
    return sections
