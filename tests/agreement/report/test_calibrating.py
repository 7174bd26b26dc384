"""Calibration of a run: learned from labels, kept in the rubric, applied beside the exact numbers and nowhere else."""

import json
import math
import random
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from results.building import Given, write_run
from results.samples import comparisons, dialogues, reviews
from sklearn.linear_model import LogisticRegression

from adjudge.agreement.labels.files import HumanLabel, LabelFile
from adjudge.agreement.labels.sampling import select_cases
from adjudge.agreement.labels.sources import load_labels
from adjudge.agreement.report.remedies import calibrate_run
from adjudge.cli.main import main
from adjudge.engine import open_engine, run_sync
from adjudge.errors import InputError, RubricError
from adjudge.models.calibration import CalibrationMap, SavedCalibration
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.rubrics import calibrated_source, parse, shipped
from adjudge.reports import render
from adjudge.results.database import opened
from adjudge.results.run import open_run

KEYS = [criterion.key for criterion in shipped("compare").criteria]
WEIGHTS = {key: float(weight) for key, weight in shipped("compare").weights.items()}
CASES = 240  # so many that the map is clearly better than none


def planted(count, seed=5):
    """Comparisons whose judge weighs everything, and whose people look at correctness alone."""
    rng = random.Random(seed)
    for number in range(count):
        sides = {side: {key: rng.randint(2, 9) for key in KEYS} for side in "ab"}
        total = {
            side: sum(WEIGHTS[key] * scores[key] for key in KEYS) / sum(WEIGHTS.values())
            for side, scores in sides.items()
        }
        apart = sides["a"]["correctness_reasoning"] - sides["b"]["correctness_reasoning"]
        label = "A" if rng.random() < 1 / (1 + math.exp(-0.6 * apart)) else "B"
        cells = {f"{key}_{side}": scores[key] for side, scores in sides.items() for key in KEYS}
        cells["lead"] = total["a"] - total["b"]
        cells["winner"] = "A" if total["a"] > total["b"] else "B"
        case = comparisons()[0].case.updated(task=f"Say hello to person {number}.")
        yield Given(f"case-{number}", case, label, cells=cells)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("calibrating") / "run", planted(CASES))


@pytest.fixture(scope="module")
def report(folder):
    run = open_run(folder)
    return calibrate_run(run, load_labels(run))


def saved(map_, judge="embedded", **more):
    about = {
        "what": "preference_for_a", "judge": judge, "rubric": shipped("compare").reference, "date": "2026-11-16",
        "cases": 40, "labels": 40, "people": 1, "errors": {"unchanged": 0.4, "isotonic": 0.3}, "map": map_,
    }  # fmt: skip
    return SavedCalibration(**{**about, **more})


LINE = CalibrationMap(kind="isotonic", points=((-4.0, 0.2), (4.0, 0.8)))


def test_the_map_is_that_of_an_independent_fit_to_both_sides_of_every_comparison(folder, report):
    lines = [json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]
    rows, human = [line["row"] for line in lines], [float(line["label"] == "A") for line in lines]
    leads = [row["lead"] for row in rows]
    both = np.array(leads + [-lead for lead in leads])[:, None]
    other = LogisticRegression(C=1e4).fit(both, human + [1 - value for value in human])
    chosen = report.calibration.chosen
    assert chosen.kind == "ordinal" and (report.cases, report.labels, report.people) == (CASES, CASES, 1)
    asked = np.array([-9.0, -2.2, -1.0, 0.0, 0.4, 1.7, 9.0])
    expected = other.predict_proba(asked[:, None])[:, 1]
    assert [chosen.apply(lead) for lead in asked] == pytest.approx(expected, abs=5e-3)
    # What the judge says without a map: the winner.
    wrong = sum((row["winner"] == "A") != (value == 1) for row, value in zip(rows, human, strict=True))
    assert report.calibration.errors["unchanged"] == pytest.approx((wrong / CASES) ** 0.5)
    assert report.calibration.errors[chosen.kind] < report.calibration.errors["unchanged"]
    for lead in (0.0, 0.5, 1.3, 2.9):  # which answer is called A makes no difference
        assert chosen.apply(lead) == pytest.approx(1 - chosen.apply(-lead))


def test_weights_are_learned_beside_the_defaults(report):
    assert report.weights.better
    assert max(report.weights.weights, key=report.weights.weights.get) == "correctness_reasoning"
    assert report.weights.weights["correctness_reasoning"] > 3 > 2 == report.weights.defaults["correctness_reasoning"]
    assert sum(report.weights.weights.values()) == pytest.approx(sum(WEIGHTS.values()))


def test_a_calibrated_rubric_reads_back_and_is_the_same_version(report):
    rubric = shipped("compare")
    text = calibrated_source(rubric, report.saved("2026-11-16"))
    again = parse(text, "mine.yaml")
    assert again.reference == rubric.reference and again.weights == rubric.weights
    assert again.calibration == report.saved("2026-11-16")
    assert text.startswith(rubric.source)
    # A newer calibration takes the place of the old one.
    other = parse(calibrated_source(again, saved(LINE)), "mine.yaml")
    assert other.calibration.map == LINE and other.source.count("calibration:") == 1


def judged(rubric, judge="embedded"):
    async def work():
        settings = CompareSettings(rubric=rubric, judge=judge)
        with tempfile.TemporaryDirectory() as kept:
            async with open_engine(Path(kept) / "journal.db") as engine:
                return await engine.judge_case(comparisons()[0].case, settings)

    return run_sync(work)


@pytest.fixture
def rubric():
    return parse(calibrated_source(shipped("compare"), saved(LINE)), "mine.yaml")


def test_a_verdict_carries_the_calibrated_number_beside_everything_else_unchanged(rubric):
    plain, made = judged(shipped("compare")), judged(rubric)
    exact = plain.verdict.overall["A"].normalized - plain.verdict.overall["B"].normalized
    assert float(made.verdict.calibrated.value) == pytest.approx(0.5 + 0.6 * float(exact) / 8, abs=5e-5)
    before, after = json.loads(plain.written), json.loads(made.written)
    assert after.pop("calibrated") == {
        "what": "preference_for_a", "value": float(made.verdict.calibrated.value), "method": "isotonic", "cases": 40,
    }  # fmt: skip
    assert before.pop("verdict_id") != after.pop("verdict_id")
    assert before == after
    assert plain.verdict.calibrated is None and "calibrated" not in json.loads(plain.written)


def test_a_calibration_of_another_judge_is_not_applied_and_that_is_said_and_reports_say_what_people_would(rubric):
    for form in ("text", "markdown", "html"):
        page = " ".join(render(judged(rubric).verdict, form).split())
        assert "People are expected to say 0." in page and "learned from 40 labelled cases" in page, form
    rubric = parse(calibrated_source(shipped("compare"), saved(LINE, judge="openai:gpt-5.1")), "mine.yaml")
    plain, made = judged(shipped("compare")), judged(rubric)
    assert made.written == plain.written  # and so its id, too
    for form in ("text", "markdown", "html"):
        page = " ".join(render(made.verdict, form).split())
        assert "The rubric’s calibration is for the judge openai" in page and "was not applied" in page, form
        assert "not applied" not in render(plain.verdict, form)


def test_a_rubric_whose_calibration_does_not_fit_it_is_refused(rubric):
    for old, new, says in (
        ("weight: 2", "weight: 3", "calibration: made for compare@1#"),
        ("\ncalibration:", "calibration:", "calibration: made for compare@1#"),
        ("what: preference_for_a", "what: likert", "calibration.what: likert; preference_for_a is allowed"),
        ("cases: 40", "cases: many", "calibration.cases: "),
        ("  judge: embedded\n", "", "calibration.judge: Field required"),
        ("[-4.0, 0.2]", "[4.0, 0.9]", "calibration.map: Value error, not a calibration map"),
    ):
        assert old in rubric.source
        with pytest.raises(RubricError) as refused:
            parse(rubric.source.replace(old, new, 1), "mine.yaml")
        line, _, found = str(refused.value).removeprefix("mine.yaml:").partition(": ")
        assert line.isdigit() and found.startswith(says), str(refused.value)
    (line,) = (line for line in rubric.source.splitlines(keepends=True) if line.startswith("version:"))
    with pytest.raises(RubricError, match="calibration: other fields follow it; it must be the last section"):
        parse(rubric.source.replace(line, "", 1) + line, "mine.yaml")


def test_runs_have_a_column_of_calibrated_numbers_and_replays_are_the_same(rubric, tmp_path, capsys):
    folder = write_run(tmp_path / "run", comparisons()[:4], rubric=rubric)
    with opened(open_run(folder)) as database:
        found = database.query("select calibrated, lead, verdict_id from results")
    assert [value for value, *_ in found] == pytest.approx([0.5 + 0.6 * lead / 8 for _, lead, _ in found], abs=5e-5)
    with opened(open_run(write_run(tmp_path / "plain", comparisons()[:2]))) as database:
        assert "calibrated" not in database.names
    assert main(["replay", found[0][2], "--journal", str(folder / "journal.db")]) == 0
    assert "the same, byte for byte" in capsys.readouterr().err
    for name in ("report.html", "report.md"):
        assert main(["export", str(folder), "-o", str(tmp_path / name)]) == 0
        page = " ".join((tmp_path / name).read_text("utf-8").split())
        assert "calibration (isotonic, 40 labelled cases, 2026" in page.replace("\\", ""), name


def test_the_command_saves_a_rubric_that_the_next_run_can_use(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["calibrate", str(folder), "-o", "mine.yaml"]) == 0
    shown = capsys.readouterr()
    assert "An ordinal map (proportional odds) errs by" in shown.out and "correctness_reasoning" in shown.out
    assert "mine.yaml: use it with --rubric and the judge embedded" in shown.err
    assert main(["calibrate", str(folder), "-o", "calibration.json"]) == 2
    assert "--output: calibration.json; a YAML file is needed, such as mine.yaml" in capsys.readouterr().err
    assert main(["calibrate", str(folder), "--format", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["calibration"]["map"]["kind"] == "ordinal" and data["weights"]["default"] == WEIGHTS
    kept = parse((tmp_path / "mine.yaml").read_text(), "mine.yaml").calibration
    assert kept.map.model_dump(mode="json") == data["calibration"]["map"]
    assert main(["rubric", "mine.yaml"]) == 0
    assert f"calibrated for the judge embedded: ordinal, {CASES} labelled cases" in capsys.readouterr().out


def test_too_few_labels_give_no_map_and_write_nothing(tmp_path, capsys):
    folder = write_run(tmp_path / "run", list(planted(12)))
    assert main(["calibrate", str(folder), "-o", str(tmp_path / "mine.yaml")]) == 1
    shown = capsys.readouterr()
    assert "No map: too few labelled cases for a map: 12, at least 20" in shown.out
    assert "not written, as there is no map" in shown.err and not (tmp_path / "mine.yaml").exists()


def test_only_cases_drawn_at_random_count_where_that_is_known(folder, tmp_path):
    run = open_run(shutil.copytree(folder, tmp_path / "run"))
    selection = select_cases(run, 60, seed=None, random_share=None)
    given = {row.name: row.label for row in planted(CASES)}
    with LabelFile(run, "ann") as file:
        for pick in selection.picks:
            about = {"case": pick.case, "position": pick.position, "annotator": "ann", "stratum": pick.stratum}
            file.add(HumanLabel(**about, value=given[pick.case]))
    found = calibrate_run(run, load_labels(run))
    assert (found.cases, found.picked) == (30, 30)


def labels_in(path, values):
    path.write_text("id,label\n" + "".join(f"{name},{value}\n" for name, value in values.items()))
    return str(path)


def test_a_kind_judge_of_dialogues_is_mapped_down_and_the_criterion_people_follow_is_found(tmp_path):
    rng, steps = random.Random(3), [20, 40, 60, 80, 100]
    case, keys = dialogues()[0].case, list(shipped("dialogue").weights)
    human = {str(number): rng.choice(steps) for number in range(40)}
    talks = []
    for name, value in human.items():
        scores = {key: rng.choice(steps) for key in keys} | {"TaskSuccess": value}
        last = case.turns[-1].updated(text=f"Goodbye, number {name}.")
        cells = {**scores, "average": 50 + value / 2 + rng.uniform(-6, 6)}
        talks.append(Given(name, case.updated(turns=(*case.turns[:-1], last)), cells=cells))
    run = open_run(write_run(tmp_path / "run", talks))
    found = calibrate_run(run, load_labels(run, labels_in(tmp_path / "labels.csv", human)))
    assert found.what == "overall_experience" and found.calibration.chosen.apply(60.0) < 40
    assert max(found.weights.weights, key=found.weights.weights.get) == "TaskSuccess"
    assert found.weights.better and sum(found.weights.weights.values()) == pytest.approx(1)


def test_copies_of_one_case_are_held_out_together(tmp_path):
    case = dialogues()[0].case
    run = open_run(write_run(tmp_path / "run", [Given(str(number), case) for number in range(24)]))
    found = calibrate_run(run, load_labels(run, labels_in(tmp_path / "labels.csv", dict.fromkeys(range(24), 60))))
    assert found.calibration.reason.startswith("too few") and found.weights.reason.startswith("too few")


def test_preferences_of_reviews_are_mapped_from_1_to_7_and_have_no_weights(tmp_path):
    case = reviews()[0].case
    likerts = {str(number): 3 + number % 3 for number in range(30)}
    rows = [
        Given(name, case.updated(prompt=f"Why walk {name} miles?"), cells={"likert": value})
        for name, value in likerts.items()
    ]
    run = open_run(write_run(tmp_path / "run", rows))
    said = {name: 2 * value - 4 for name, value in likerts.items()}  # people are surer than the judge
    found = calibrate_run(run, load_labels(run, labels_in(tmp_path / "labels.csv", said)))
    assert found.what == "likert" and found.weights is None
    assert [found.calibration.chosen.apply(value) for value in (3, 4, 5)] == pytest.approx([2, 4, 6])


def test_labelled_cases_without_a_verdict_are_refused(tmp_path):
    run = open_run(write_run(tmp_path / "run", [Given("x", comparisons()[0].case, "A", fate="failure")]))
    with pytest.raises(InputError, match="no labelled case has a verdict"):
        calibrate_run(run, load_labels(run))
