"""`adjudge agree` as a user gives it: from a finished run to the report, in all formats, and as a check in CI."""

import json
import re
import subprocess
import sys

import pytest
from results.building import Given, write_run
from results.samples import GOOD, HOSTILE, LONG, SHORT

import adjudge as package
from adjudge.models.base import to_json
from adjudge.protocols.compare.case import Comparison

AGREE = ("agree", "--draws", 99)  # intervals have tests of their own


def pair(number, winner="A", human="A", **more):
    case = Comparison(f"How do I boil {number} eggs?", (GOOD, LONG)[number % 2], f"{SHORT} {number}")
    ahead = {"A": 1.5, "B": -1.5, "tie": 0.0}[winner]
    cells = {"winner": winner, "decided": True, "lead": ahead}
    return Given(f"egg-{number}", case, human, cells=cells, **more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rows = [pair(n, "A" if n % 5 else "B", "A" if n % 3 else "B") for n in range(30)]
    return write_run(tmp_path_factory.mktemp("agree") / "run", rows)


def test_from_a_finished_run_over_labels_from_a_pipe_to_the_report(adjudge, tmp_path):
    folder = write_run(tmp_path / "run", [pair(n, human=None) for n in range(24)])
    code, out, _ = adjudge("label", folder, "--annotator", "ann", "--n", 20, stdin="1\n" * 20)
    assert code == 0 and "20 of 20 cases labelled by ann." in out
    code, out, err = adjudge(*AGREE, folder)
    assert (code, err) == (0, "")
    titles = ["Agreement: ", "Consistency: ", "Bias: ", "Where they differ", "Corrected: ", "How to read it"]
    places = [out.index(title) for title in titles]
    assert places == sorted(places)
    assert "Figures rest on the 10 cases drawn at random. The other 10 were picked" in " ".join(out.split())


@pytest.mark.parametrize(
    ("columns", "cells", "people"),
    [
        ("case,label", "A", ""),
        ("case,winner", "A", ""),
        ("case,annotator,label", "label,A", "; people label"),
        ("case,annotator,label", "ann,A", "; people ann"),
        ("case,bob", "A", "; people bob"),
    ],
)
def test_people_are_named_if_the_labels_name_them_whatever_they_are_called(
    adjudge, folder, tmp_path, columns, cells, people
):
    (tmp_path / "labels.csv").write_text("\n".join([columns, *(f"egg-{n},{cells}" for n in range(30))]))
    code, out, _ = adjudge(*AGREE, folder, "--labels", tmp_path / "labels.csv")
    assert code == 0
    assert re.search(r"labels\.csv: 30 cases(.*?)\.\s", " ".join(out.split()))[1] == people


def test_every_format_says_the_same_kappa_stands_beside_its_base_rate_and_json_is_the_model(adjudge, folder, tmp_path):
    text = adjudge(*AGREE, folder)[1]
    assert text.startswith("Agrees with people in 60 %\n")
    said = " ".join(text.split())
    assert re.search(r"kappa is \S+ \(\S+ to \S+\)\. Always saying A would agree in 66\.7 %", said)
    assert "People’s labels are A in 66.7 %, B in 33.3 % of 30 labelled cases." in said
    code, out, _ = adjudge(*AGREE, folder, "--format", "json")
    data = json.loads(out)
    assert code == 0 and data["metrics"]["accuracy"]["value"] == pytest.approx(18 / 30)
    markdown = adjudge(*AGREE, folder, "--format", "markdown")[1]
    assert markdown.startswith("# Agrees with people in 60 %\n") and "| The judge | 60.0 % |" in markdown
    assert adjudge(*AGREE, folder, "-o", tmp_path / "report.html")[:2] == (0, "")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert '<h1 class="run" dir="auto">Agrees with people in 60\u00a0%</h1>' in page
    assert "<script" not in page and not re.search(r"(src|href)=\"(?!#)", page) and "default-src 'none'" in page
    assert to_json(package.agree(folder, limit=10, draws=99), indent=True).decode() == out


@pytest.mark.parametrize(
    ("floors", "code", "said"),
    [
        ("accuracy=0.5 order_consistency=1", 0, ""),
        (
            *("accuracy=0.7 kappa=0.6", 1),
            r"adjudge: accuracy is 0\.600 \(95 % interval 0\.423 to 0\.754\), below 0\.7\n"
            r"adjudge: kappa is -?0\.\d{3} \(95 % interval \S+ to \S+\), below 0\.6\n",
        ),
        ("person_agreement=0.5", 0, ""),
        (
            "winning_rate=0.5",
            1,
            r"adjudge: winning_rate has no value: it needs 3 people who .*; at least 0\.5 is needed\n",
        ),
    ],
)
def test_a_figure_below_its_floor_ends_with_exit_code_1_and_says_the_interval(adjudge, folder, floors, code, said):
    options = (word for floor in floors.split() for word in ("--fail-under", floor))
    found, out, err = adjudge(*AGREE, folder, *options)
    assert found == code and re.fullmatch(said, err) and out, err


def test_a_figure_without_a_value_is_below_every_floor(adjudge, tmp_path):
    folder = write_run(tmp_path / "run", [pair(n) for n in range(3)])
    code, _, err = adjudge(*AGREE, folder, "--fail-under", "kappa=0")
    assert code == 1
    reason = "both sides always say A: agreement beyond chance is not defined"
    assert err.startswith(f"adjudge: kappa has no value: {reason}; at")


@pytest.mark.parametrize("cases", [19, 20])
def test_a_figure_of_fewer_than_20_cases_fails_every_floor(adjudge, tmp_path, cases):
    folder = write_run(tmp_path / "run", [pair(n) for n in range(cases)])
    floors = ("--fail-under", "accuracy=0.9", "--fail-under", "person_agreement=0.8")
    code, out, err = adjudge(*AGREE, folder, *floors)
    few = [f"adjudge: {name} rests on 19 cases; at least 20 are needed\n" for name in ("accuracy", "person_agreement")]
    assert (code, err) == ((1, "".join(few)) if cases == 19 else (0, "")) and out


def test_labels_come_from_where_the_option_says(adjudge, folder, tmp_path):
    (tmp_path / "people.csv").write_text("id,ann,ben\n" + "".join(f"egg-{n},A,A\n" for n in range(12)))
    data = json.loads(adjudge(*AGREE, folder, "--labels", "people.csv", "--format", "json")[1])
    assert data["labels"]["annotators"] == ["ann", "ben"] and data["counted"] == 12
    one = adjudge(*AGREE, folder, "--labels", "people.csv", "--annotator", "ben", "--format", "json")[1]
    assert json.loads(one)["labels"]["annotators"] == ["ben"]


def test_two_runs_stand_side_by_side_and_earlier_ones_below(adjudge, folder, tmp_path):
    rows = [pair(n, "B", "A" if n % 3 else "B") for n in range(30)]
    other = write_run(tmp_path / "other", rows)
    code, out, _ = adjudge(*AGREE, folder, "--against", other, "--earlier", other, "--limit", 0)
    assert code == 0 and "Beside other" in out and "Over time" in out
    assert re.search(r"^Accuracy +60\.0 % +33\.3 % +−26\.7 ", out, re.MULTILINE)
    assert re.search(r"^Accuracy +33\.3 % +60\.0 % +\+26\.7 ", out, re.MULTILINE)
    assert "12 more are not listed: --limit shows more." in out


def test_what_strangers_wrote_is_shown_as_it_is_and_obeyed_by_nothing(adjudge, tmp_path):
    rows = [
        Given(
            f"{HOSTILE} {n}",
            Comparison(f"{HOSTILE} {n}\x1b[2J", GOOD + HOSTILE, f"{SHORT} {n}"),
            systems=(HOSTILE, "wren"),
            extra={"votes": {HOSTILE: "B", "ann": "B"}},
            cells={"winner": "A", "decided": True},
        )
        for n in range(12)
    ]
    folder = write_run(tmp_path / "run", rows)
    forms = {
        form: adjudge(*AGREE, folder, "--labels", "votes", "--format", form) for form in ("text", "markdown", "html")
    }
    for form, (code, out, _) in forms.items():
        assert code == 0 and not set(out) & {"\x1b", "\u202e", "\x07"}, form
    assert "<script>alert" not in forms["html"][1] and "&lt;script&gt;alert" in forms["html"][1]
    assert "onerror=alert(2)&gt;" in forms["html"][1] and "<img" not in forms["html"][1]
    assert "<script>" not in forms["markdown"][1] and "**bold**" not in forms["markdown"][1]


def test_a_folder_that_is_not_there_is_refused_before_scipy_is_loaded(tmp_path):
    commands = [["agree", "none"], ["annotators", "none"], ["calibrate", "none"], ["label", "none"]]
    commands += [["agree", str(tmp_path), "--against", "none"], ["bench", "none"], ["probe", "none"]]
    code = f"""if True:
        import sys
        from adjudge.cli.main import main
        for command in {commands}:
            assert main(command) == 2, command
            assert not {{"scipy", "duckdb"}} & sys.modules.keys(), command
    """
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr.count("not found") == len(commands) - 1, done.stderr


def test_a_stored_row_that_does_not_fit_is_an_error_with_its_case(adjudge, tmp_path):
    folder = write_run(tmp_path / "run", [pair(n) for n in range(3)])
    lines = (folder / "verdicts.jsonl").read_text("utf-8").splitlines()
    lines[1] = lines[1].replace('"winner":"A"', '"winner":"7"', 1)
    (folder / "verdicts.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    code, _, err = adjudge(*AGREE, folder)
    assert code == 2
    assert err.endswith("run/verdicts.jsonl, case egg-1: 7 is no verdict of this run; one of A, B, tie\n")
