"""Labels from and for annotation tools: Label Studio, Argilla, Langfuse; what is written can be read again."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from results.samples import comparisons

from adjudge.agreement.labels.annotation_tools import answers_in
from adjudge.agreement.labels.exporting import export_labels
from adjudge.agreement.labels.files import HumanLabel, LabelFile
from adjudge.agreement.labels.sources import load_labels
from adjudge.cli.main import main
from adjudge.errors import InputError
from adjudge.inputs.rows import Record
from adjudge.results.run import open_run

FILES = Path(__file__).parent / "files"
FORMATS = ("label-studio", "label-studio-min", "argilla")
ANN, BEN = "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"


def said(labels):
    return {
        next(iter(by.values())).case: {name: (label.value, label.criteria) for name, label in by.items()}
        for by in labels.by_case.values()
    }


@pytest.mark.parametrize(
    ("name", "people"),
    [
        ("label_studio.json", ("1", "ben@example.org")),
        ("label_studio_min.json", ("1", "2")),
        ("argilla.json", (ANN, BEN)),
        ("argilla_flat.json", (ANN, BEN)),
        ("langfuse_scores.csv", ("Ann", None)),
    ],
)
def test_labels_of_annotation_tools_are_read(runs, name, people):
    first, second = people
    others = {second: ("B", {})} if second else {}  # the other score of Langfuse is a program's
    found = said(load_labels(open_run(runs["compare"]), str(FILES / name)))
    assert found == {"egg-0": {first: ("A", {}), **others}, "egg-1": {first: ("tie", {})}}


def test_a_rating_that_equals_the_id_of_its_case_is_a_label():
    about = {"annotator": "ann", "annotation_id": 7}
    rated = {1: 1, 2: 1, 3: 3, 4: 2}
    rows = [Record(f"row {n}", n, {**about, "id": n, "case": str(n), "label": rated[n]}) for n in rated]
    found = {each.case: each.words for each in answers_in(rows, ("case", "id")) if each.question == "label"}
    assert found == {str(n): value for n, value in rated.items()}


def task(*annotations, **data):
    return [{"id": 1, "data": data or {"case": "egg-0"}, "annotations": list(annotations)}]


def by(value, name="label", **more):
    return {"completed_by": 7, "result": [{"from_name": name, "type": "choices", "value": value}], **more}


ARGILLA = {"id": "egg-0", "fields": {}, "metadata": {}, "suggestions": {}}


def test_what_cannot_be_read_is_named(runs, tmp_path):
    for rows, says in (
        (task(by({"choices": ["A", "B"]})), "annotations[0].result[0]: expected one label, found an array"),
        (task(by({"choices": ["purple"]})), "'purple' is not a winner"),
        (task(by({"choices": ["A"]}), question="q"), "line 1, data: no id of a case; found question; keep the ids"),
        (task(by({"choices": ["A"]}), case="hen"), "no case of this run has the id 'hen'"),
        (task(by({"choices": ["A"]}, completed_by=None)), "annotations[0].completed_by: missing; the id or the email"),
        (task("x"), "annotations[0]: expected an annotation, found text; an object is needed"),
        (task({"completed_by": 1, "result": {}}), "annotations[0].result: expected a list, found an object"),
        (
            task(by({"choices": ["A"]}), by({"choices": ["A"]}, name="winner")),
            "several questions with labels: label, winner; one called label is needed",
        ),
        (task(by({"text": ["so"]})), "no question with labels: none; one called label is needed"),
        (
            [{**ARGILLA, "responses": {"label": [{"value": ["A", "B"], "user_id": "u"}]}}],
            "found an array; one choice is allowed",
        ),
        ([{**ARGILLA, "responses": {"label": [{"value": "A"}]}}], "responses.label[0]: no user_id; name the person"),
        ([{**ARGILLA, "responses": 3}], "responses: expected an object, found a number"),
    ):
        (tmp_path / "labels.json").write_text(json.dumps(rows))
        with pytest.raises(InputError) as refused:
            load_labels(open_run(runs["compare"]), str(tmp_path / "labels.json"))
        assert says in str(refused.value)


def test_several_choices_in_another_question_are_no_label(runs, tmp_path):
    rows = task(by({"choices": ["A"]}), by({"choices": ["tone", "facts"]}, name="issues"))
    rows[0]["annotations"][1]["completed_by"] = 8
    (tmp_path / "labels.json").write_text(json.dumps(rows))
    assert said(load_labels(open_run(runs["compare"]), str(tmp_path / "labels.json"))) == {"egg-0": {"7": ("A", {})}}


def test_argilla_1_and_questions_called_like_criteria(runs, tmp_path):
    values = {"overall": {"value": 80}, "Helpfulness": {"value": 60}, "comment": {"value": "fine"}}
    rows = [
        {**ARGILLA, "id": "1", "responses": [{"user_id": "u", "status": "submitted", "values": values}]},
        {**ARGILLA, "id": "1", "responses": [{"user_id": "v", "status": "discarded", "values": values}]},
    ]
    (tmp_path / "labels.json").write_text(json.dumps(rows))
    assert said(load_labels(open_run(runs["dialogue"]), str(tmp_path / "labels.json"))) == {
        "1": {"u": (Decimal(80), {"Helpfulness": Decimal(60)})}
    }


def label(case, position, value, annotator="ann", **more):
    return HumanLabel(case=case, position=position, annotator=annotator, value=value, **more)


@pytest.mark.parametrize("form", FORMATS)
def test_labels_out_are_the_same_labels_in(copied, tmp_path, form, capfdbinary):
    run = copied("compare")
    with LabelFile(run, "ann") as file:
        file.add(label("egg-0", 0, "A", note="clear"))
        file.add(label("egg-1", 1, "tie"))
        file.add(label("egg-2", 2, None, skipped=True))
    with LabelFile(run, "ben") as file:
        file.add(label("egg-0", 0, "A", "ben"))
        file.add(label("egg-0", 0, "B", "ben"))
        file.add(label("egg-0", 0, "tie", "ben", unblinded=True))
    capfdbinary.readouterr()
    assert main(["label", str(run.folder), "--export", form]) == 0
    out = capfdbinary.readouterr().out
    assert out == export_labels(run, form)
    (tmp_path / "out.json").write_bytes(out)
    found = load_labels(run, str(tmp_path / "out.json"))
    meant = {"egg-0": {"ann": ("A", {}), "ben": ("B", {})}, "egg-1": {"ann": ("tie", {})}}
    assert said(found) == said(load_labels(run)) == meant
    first = json.loads(out)[0]
    texts = first.get("data") or first.get("fields") or first
    assert texts["a"] == comparisons()[0].case.a and texts["task"] == comparisons()[0].case.task


@pytest.mark.parametrize("form", FORMATS)
def test_numbers_and_criteria_go_out_and_in(copied, tmp_path, form):
    run = copied("dialogue")
    rated = {"Helpfulness": Decimal(60), "Fluency": None}
    with LabelFile(run, "ann") as file:
        file.add(label("1", 0, Decimal(80), criteria=rated))
    (tmp_path / "out.json").write_bytes(export_labels(run, form))
    found = said(load_labels(run, str(tmp_path / "out.json")))
    assert found == {"1": {"ann": (Decimal(80), {"Helpfulness": Decimal(60)})}}


def test_a_run_without_labels_has_none_to_export(runs, capsys):
    assert main(["label", str(runs["compare"]), "--export", "argilla"]) == 2
    assert "no labels; label some: adjudge label" in capsys.readouterr().err
