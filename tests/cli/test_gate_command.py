"""`adjudge gate`, `adjudge run --fail-if` and `adjudge grade --strict` as a build meets them: on real runs."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from adjudge.cli.main import build_parser, main
from adjudge.protocols import registry
from adjudge.protocols.base import names, protocol_of
from adjudge.runs import job

# A case with a source is undecided if it says yes: the embedded judge does not read claims.
RUBRIC = """\
name: says-yes
version: "1"
protocol: grade
items:
  - {key: says_yes, points: 1, required: true, check: {contains: "yes"}}
  - {key: supported, points: 1, claims: context}
"""


def write_rows(path, passed, cases, *, undecided=0, bad=0, labelled=False, a_task=1):
    rows = []
    for at in range(cases):
        row = {
            "id": f"q{at}",
            "task": f"Question {at // a_task}?",
            "answer": "yes, it is" if at < passed else "no, not",
        }
        if at < undecided:
            row["context"] = "A source."
        if labelled:
            row["label"] = "pass" if at < passed - 10 else "fail"
        rows.append(row if at < cases - bad else {**row, "task": ""})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


@pytest.fixture(scope="module", autouse=True)
def _in_this_process():
    """Two hundred checks take no longer than a process needs to start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "_CASES_A_WORKER", 1_000_000)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("gates")
    (made / "yes.yaml").write_text(RUBRIC)
    for name, passed, cases, more in (
        ("good", 195, 200, {"labelled": True}),
        ("poor", 160, 200, {}),
        ("close", 178, 200, {}),
        ("open", 195, 200, {"undecided": 20}),
        ("broken", 196, 200, {"bad": 3}),
        ("tasks", 190, 200, {"a_task": 5}),
    ):
        write_rows(made / f"{name}.jsonl", passed, cases, **more)
        given = ["run", "grade", f"{made}/{name}.jsonl", "--run", f"{made}/{name}", "--rubric", f"{made}/yes.yaml"]
        assert main([*given, "--quiet", "--skip-bad"]) == (1 if name == "broken" else 0)
    return made


@pytest.mark.parametrize(
    ("run", "conditions", "code", "said"),
    [
        ("good", ["pass_rate < 0.9"], 0, "Gate: passes"),
        ("poor", ["pass_rate < 0.9"], 1, "Gate: fails"),
        ("close", ["pass_rate < 0.9"], 3, "About 3,600 more cases like these would settle it"),
        ("open", ["pass_rate < 0.9"], 3, "20 cases undecided or without a verdict could turn it: with all of them it"),
        ("open", ["share_undecided > 0.2"], 0, "10.0 %"),
        ("tasks", ["pass_rate < 0.9"], 3, "95.0 %"),
        ("broken", ["share_failed > 0.1", "pass_rate < 0.9"], 0, "3 failed judgments"),
        ("broken", ["share_failed > 0"], 1, "share_failed is 1.5 %"),
        ("good", ["cost > 1", "mean_score < 90", "kappa < 0"], 0, "kappa < 0"),
        ("good", ["kappa<0.9", "share_failed > 0"], 1, "kappa < 0.9: fails. kappa is 0."),
        ("poor", ["share_failed > 0", "pass_rate < 0.9", "mean_score < 75"], 1, "mean_score < 75"),
    ],
)
def test_a_run_passes_fails_or_is_too_close_to_call(adjudge, folder, run, conditions, code, said):
    given = [word for each in conditions for word in ("--fail-if", each)]
    found, out, err = adjudge("gate", folder / run, *given, "--unsure", "fail")
    assert (found, err) == (code, "") and said in " ".join(out.split())
    if code == 3:
        code, out, _ = adjudge("gate", folder / run, *given)
        assert code == 0 and "Warning: what is too close to call passes" in out


@pytest.mark.parametrize("name", ["compare", "dialogue", "review"])
def test_every_figure_that_a_protocol_offers_can_be_measured(adjudge, runs_to_label, name):
    figures = ["share_failed", "cost", *(each.name for each in protocol_of(name).table.gates)]
    figures += ["share_undecided"] if name == "compare" else []
    given = [f"{figure} > {60 if figure == 'mean_score' else 0.5}" for figure in figures]
    given += [f"{figure} > baseline" for figure in figures]
    options = [word for each in given for word in ("--fail-if", each)]
    folder = runs_to_label[name]
    code, out, _ = adjudge("gate", folder, "--against", folder, *options, "--format", "json")
    found = json.loads(out)["decisions"]
    assert [each["condition"] for each in found] == given and code in (0, 1)
    assert all(each["value"]["value"] is not None for each in found if not each["open_cases"])


def test_a_baseline_is_compared_case_by_case(adjudge, folder):
    given = ("--against", folder / "good", "--fail-if", "pass_rate < baseline - 0.02", "--format", "json")
    code, out, _ = adjudge("gate", folder / "poor", *given, "--fail-if", "pass_rate < 0.5")
    read = json.loads(out)
    fell, alone = read["decisions"]
    assert (code, read["answer"], fell["answer"], alone["answer"]) == (1, "fails", "fails", "passes")
    assert (fell["value"]["value"], fell["baseline"]["value"], fell["difference"]["cases"]) == (0.8, 0.975, 200)
    low, high = fell["difference"]["interval"]
    assert -0.24 < low < fell["difference"]["value"] < high < -0.12 and alone["difference"] is None
    # 35 cases fell: two runs that are only drawn from the same tasks would have a wider interval.
    same = json.loads(adjudge("gate", folder / "good", *given)[1])["decisions"][0]
    assert (same["answer"], same["difference"]["value"]) == ("passes", 0.0)
    code, out, err = adjudge("gate", folder / "close", "--against", folder / "poor", "--fail-if", "cost > baseline")
    assert (code, err) == (0, "") and "200 cases have the same id" not in out
    kappa = adjudge("gate", folder / "good", "--against", folder / "good", "--fail-if", "kappa < baseline - 0.1")
    assert kappa[0] == 0 and "kappa" in kappa[1]


def test_of_cases_with_the_same_id_the_first_is_paired_with_the_first(adjudge, folder, tmp_path):
    twice = {"answer": "yes, it is", "label": "pass"}
    rows = [twice | {"id": f"q{at // 2}", "task": f"Question {at}?"} for at in range(40)]
    for row in rows[1::2]:
        row["label"] = "fail"
    (tmp_path / "twice.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    for name in ("one", "two"):
        adjudge("run", "grade", "twice.jsonl", "--run", name, "--rubric", folder / "yes.yaml", "--quiet")
    given = ("--fail-if", "accuracy < baseline - 0.1", "--fail-if", "pass_rate < baseline - 0.1", "--format", "json")
    found = json.loads(adjudge("gate", "two", "--against", "one", *given)[1])["decisions"]
    assert [(each["difference"]["value"], each["difference"]["cases"]) for each in found] == [(0.0, 40), (0.0, 40)]


def test_other_tasks_under_the_same_ids_and_missing_cases_are_said(adjudge, folder, tmp_path):
    write_rows(tmp_path / "few.jsonl", 50, 50)
    adjudge("run", "grade", "few.jsonl", "--run", "few", "--rubric", folder / "yes.yaml", "--quiet")
    out = adjudge("gate", "few", "--against", folder / "tasks", "--fail-if", "pass_rate < baseline")[1]
    said = " ".join(out.split())
    assert "50 cases are in both runs; 0 only in few, 150 only in tasks." in said
    assert "49 of 50 cases have the same id in both runs, but not the same task." in said
    assert "no number of cases" in said and "allow a margin" in said


def test_the_answer_is_written_as_junit_xml_and_appended_to_a_summary(adjudge, folder, tmp_path):
    (tmp_path / "summary.md").write_text("# Before\n")
    files = ("--junit", "gate.xml", "--summary", "summary.md")
    conditions = ("--fail-if", "pass_rate < 0.9", "--fail-if", "cost > 1", "--fail-if", "mean_score > 50")
    assert adjudge("gate", folder / "close", *conditions, *files)[0] == 1
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot()[0]
    assert suite.attrib == {
        **{"name": "adjudge gate close", "tests": "3", "failures": "1", "errors": "0", "skipped": "1"}
    }
    close, cost, score = suite
    assert close.find("skipped").get("message").startswith("pass_rate < 0.9: too close to call.")
    assert [each.tag for each in cost] == ["system-out"] and score.find("failure").get("type") == "fails"
    summary = (tmp_path / "summary.md").read_text()
    assert summary.startswith("# Before\n# Gate: fails\n") and "too close to call | 89.0 %" in summary
    adjudge("gate", folder / "close", *conditions, *files, "--unsure", "fail")
    assert ElementTree.parse(tmp_path / "gate.xml").getroot().get("failures") == "2"
    assert (tmp_path / "summary.md").read_text().count("# Gate: fails") == 2


# -- at the end of a run ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("pass_rat < 0.9", "no figure 'pass_rat'"),
        ("win_rate < 0.5", "no figure 'win_rate'"),
        ("kappa < 0.5", "no labels, and no label column in its input"),
        ("pass_rate < baseline", "there is no baseline"),
    ],
)
def test_a_run_refuses_a_bad_condition_before_any_call(adjudge, folder, tmp_path, condition, said):
    # A call to this judge would fail, and then the exit code would be 1.
    given = ("--run", "out", "--judge", "http://127.0.0.1:9/v1#none")
    code, out, err = adjudge("run", "grade", folder / "poor.jsonl", *given, "--fail-if", condition)
    assert (code, out) == (2, "") and said in err
    assert not (tmp_path / "out").exists()


def test_a_run_ends_with_the_answer_of_its_gate(adjudge, folder, tmp_path):
    def run(name, *given, **rows):
        made = write_rows(tmp_path / f"{name}.jsonl", **rows)
        rubric = ("--rubric", folder / "yes.yaml", "--skip-bad")
        return adjudge("run", "grade", made, "--run", name, *rubric, "--fail-if", "pass_rate < 0.7", *given)

    code, out, _ = run("poor", passed=10, cases=30)
    assert code == 1 and "Gate: fails" in out
    code, out, err = run("close", "--quiet", passed=21, cases=30)
    assert (code, out) == (0, "") and err.startswith("warning: pass_rate < 0.7: too close to call.")
    # A later call may decide otherwise, and asks no judge again.
    stricter = ("--fail-if", "pass_rate < 0.7", "--unsure", "fail", "--json-progress")
    code, _, err = adjudge("run", "--resume", "close", *stricter)
    assert code == 3 and json.loads(err.splitlines()[-1])["event"] == "gate"
    # A failed judgment makes a run exit with 1, whatever the gate says; `adjudge gate` decides by the gate alone.
    code, out, _ = run("broken", passed=30, cases=30, bad=1)
    assert code == 1 and "Gate: passes" in out
    assert adjudge("gate", "broken", "--fail-if", "pass_rate < 0.7")[0] == 0
    assert adjudge("run", "--resume", "broken", "--dry-run", "--fail-if", "pass_rate < 0.7")[0] == 0


@pytest.mark.parametrize(
    ("answer", "context", "code"), [("yes", None, 0), ("no", None, 1), ("yes", "A source.", 3), ("no", "A source.", 1)]
)
def test_grade_exits_with_0_whatever_the_grade_unless_it_is_strict(adjudge, folder, answer, context, code):
    given = ["grade", "--task", "Is it?", "--answer", answer, "--rubric", folder / "yes.yaml"]
    given += ["--context", context] if context else []
    assert adjudge(*given)[0] == 0
    assert adjudge(*given, "--strict")[0] == code


@pytest.fixture
def steps():
    """The steps of the workflow in the docs."""
    text = (Path(__file__).parents[2] / "docs" / "gates.md").read_text("utf-8")
    workflow = yaml.safe_load(re.search(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1])
    return workflow["jobs"]["gate"]["steps"]


def test_the_workflow_in_the_docs_can_be_read_and_its_commands_exist(steps):
    commands = [shlex.split(step["run"]) for step in steps if step.get("run", "").startswith("adjudge")]
    assert [words[1] for words in commands] == ["run", "gate", "export"]
    for words in commands:
        build_parser().parse_args(words[1:])


def test_the_workflow_keeps_paid_replies_also_if_its_gate_fails(steps):
    # actions/cache itself saves after a successful job only.
    assert not [step for step in steps if step.get("uses", "").startswith("actions/cache@")]
    (save,) = [s for s in steps if "cache/save@" in s.get("uses", "") and s["with"]["path"] == "journal.db"]
    assert save["if"].startswith("always()")
    assert "run_attempt" in save["with"]["key"], "a second attempt would have the key of the first"


@pytest.mark.slow
def test_the_workflows_own_lines_gate_a_push_and_then_pull_requests(steps, tmp_path):
    """Each job begins in a clean folder with what the caches keep; the judge is the embedded one."""
    lines = {step["name"]: step["run"].replace("openai:gpt-5.1", "embedded") for step in steps if "name" in step}
    kept = {"rubric.yaml": RUBRIC, "answer.py": "import sys; print(open(sys.argv[1]).read())"}
    found = {}
    for pushed, passed in (("push", 80), ("same", 80), ("worse", 70)):
        place = tmp_path / pushed
        place.mkdir()
        for name, text in kept.items():
            (place / name).write_text(text)
        write_rows(place / "questions.jsonl", passed, 80)
        if pushed != "push":
            shutil.copytree(tmp_path / "push" / "baseline", place / "baseline")
            shutil.copy(tmp_path / "push" / "journal.db", place)
        own = ("Keep this run as the baseline",) if pushed == "push" else ("Compare with the main branch",)
        for name in ("Answer", "Grade", *own, "Report"):
            done = subprocess.run(
                ["bash", "-e", "-c", lines[name]],
                cwd=place,
                env={**os.environ, "PATH": path_with_adjudge(), "GITHUB_STEP_SUMMARY": "summary.md"},
                capture_output=True,
                text=True,
            )
            found[pushed, name] = done.returncode
            assert done.returncode in (0, 1), done.stderr
        assert (place / "report.html").is_file()
    failed = [step for step, status in found.items() if status]
    assert failed == [("worse", "Compare with the main branch")]
    assert "baseline - 0.02: fails." in (tmp_path / "worse" / "summary.md").read_text()
    assert {path.name for path in (tmp_path / "worse").glob("*.xml")} == {"gate.xml", "difference.xml"}


def path_with_adjudge():
    return os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))


@pytest.mark.parametrize("loaded", [False, True])
def test_the_help_names_the_figures_that_each_protocols_table_has(loaded, monkeypatch, capsys):
    figures = [(name, each) for name in names() for each in protocol_of(name).table.gates]
    if not loaded:
        monkeypatch.setattr(registry, "_loaded", {})
    with pytest.raises(SystemExit):
        main(["gate", "--help"])
    shown = capsys.readouterr().out
    listed = re.findall(r"^  (\w+) +(\w+): (.+)$", shown.partition("of one protocol:")[2], re.MULTILINE)
    assert listed == [(name, each.name, each.about) for name, each in figures]
    assert bool(registry._loaded) is loaded
