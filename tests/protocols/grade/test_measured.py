"""Gradings as rows, lists, labels and figures: pass or fail as classes, the score behind them, systems by pass rate."""

import io
import json
import re

import pytest
from fastapi.testclient import TestClient
from protocols.grade.judging import HEAD
from protocols.grade.verdicts import case, rubric, verdict
from reports.grade_samples import hostile_sample, undecided_sample
from server.run_pages import FORM, HTML, judged

from adjudge.cli.main import main
from adjudge.errors import InputError
from adjudge.protocols.base import protocol_of, row_of
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.grade.labelling import LABELLING
from adjudge.protocols.grade.leaderboard import leaderboard_of
from adjudge.results.database import opened
from adjudge.results.run import open_run
from adjudge.server.app import create_app

SYSTEMS = {"wren": 0.8, "rook": 0.4}
RUBRIC = f"""{HEAD}items:
  - {{key: polite, points: 3, check: {{contains_any: [please, thanks]}}}}
  - {{key: loud, points: -1, check: {{matches: "[A-Z]{{4,}}"}}}}
  - {{key: kind, points: 1, ask: "Is it kind?", quote: none}}
"""
TASKS = 20


def answer_of(at, share):
    """An answer that passes in this share of the tasks; one in five is polite and loud, and so undecided."""
    words = "please wait" if at % 10 < 10 * share else "wait"
    return f"{words} NOW THEN" if words != "wait" and at % 5 == 4 else words


def rows():
    """Answers of two systems, with labels that are wrong in every fourth task."""
    for system, share in SYSTEMS.items():
        for at in range(TASKS):
            answer = answer_of(at, share)
            passed = "please" in answer and "NOW" not in answer
            label = "pass" if passed != (at % 4 == 0) else "fail"
            yield {"id": f"{system}-{at}", "task": f"Task {at}.", "answer": answer, "system": system, "label": label}


def run_in(folder, rubric=RUBRIC, lines=None):
    """Run the rows, or these lines, by a rubric."""
    (folder / "rubric.yaml").write_text(rubric)
    (folder / "rows.jsonl").write_text(lines or "".join(json.dumps(row) + "\n" for row in rows()))
    asked = ["run", "grade", str(folder / "rows.jsonl"), "--run", str(folder / "out")]
    assert main([*asked, "--rubric", str(folder / "rubric.yaml")]) == 0
    return folder / "out"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return run_in(tmp_path_factory.mktemp("grade"))


# -- rows --------------------------------------------------------------------------------------------------------------


def test_a_row_has_the_outcome_the_score_and_every_item():
    cells = row_of(verdict(), "pass")
    expected = {
        "outcome": "pass", "passed": True, "decided": True, "pass_at": 70, "unassessed": 0, "supported": 1,
        "contradicted": 1, "not_found": 1, "agrees": True, "names_the_city": 1, "names_the_city_points": 2,
        "clear": 5, "clear_good": 1, "rude": 0, "rude_good": 1, "rude_result": "no", "rests_on_sources_result": "1/3",
    }  # fmt: skip
    assert {name: cells[name] for name in expected} == expected
    assert float(cells["score"]) == pytest.approx(100 * 10 / 12, abs=1e-4)
    assert float(cells["rests_on_sources"]) == pytest.approx(1 / 3, abs=1e-6)
    assert row_of(verdict(passed=False), "pass")["agrees"] is False


def test_what_nobody_assessed_is_empty_and_an_undecided_verdict_agrees_with_no_label():
    cells = row_of(undecided_sample().verdict, "pass")
    assert (cells["outcome"], cells["passed"], cells["decided"], cells["agrees"]) == ("undecided", None, False, False)
    assert (cells["unassessed"], cells["score_worst"], cells["clear"], cells["covers"]) == (4, 0, None, None)
    assert (cells["clear_result"], cells["covers_result"]) == ("unassessed", "not_applicable")
    assert cells["supported"] is None  # no claim was listed


def test_lists_say_how_many_passed_failed_and_are_undecided():
    parts = protocol_of("grade").listing.parts({"pass": 3, "undecided": 1})
    assert [(part.cases, part.words) for part in parts] == [(3, "passed"), (0, "did not pass"), (1, "undecided")]


# -- labels ------------------------------------------------------------------------------------------------------------


def test_a_person_is_asked_pass_or_fail_and_then_each_item():
    whole, *items = LABELLING.questions(rubric(), "ab", two_sides=False, criteria=True)
    assert whole.answers == {"1": "pass", "2": "fail"}
    asked = {each.criterion: [each.names[key] for key, _ in each.meanings] for each in items}
    assert asked["names_the_city"] == asked["short"] == ["no", "yes"]
    assert asked["clear"] == ["1", "3", "5"]
    assert asked["rests_on_sources"] == [f"{share} %" for share in range(0, 101, 10)]
    assert dict(items[0].meanings) == {"0": "no", "1": "yes"}


def test_a_person_sees_task_sources_reference_and_answer_but_no_verdict():
    titles = [title for title, _ in LABELLING.show(case()).before]
    assert titles == ["Task", "Source guide", "Reference", "Answer"]
    steps = LABELLING.show(hostile_sample().case.updated(steps=(), answer="")).before
    assert steps[-1] == ("Answer", "(empty)")


def test_labels_of_other_tools_are_read():
    for words, found in (
        ("PASS", "pass"),
        ("failed", "fail"),
        (True, "pass"),
        ("no", "fail"),
        (1, "pass"),
        ("0", "fail"),
    ):
        assert LABELLING.class_from(words) == found
    with pytest.raises(InputError, match="pass or fail"):
        LABELLING.class_from("maybe")


def test_people_label_at_a_terminal(run, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n1\n0\n1\n2\n0\n0\n0\n"))
    assert main(["label", str(run), "--annotator", "ann", "--n", "2", "--criteria"]) == 0
    assert "Is this answer good enough?" in capsys.readouterr().out
    kept = [json.loads(line) for line in (run / "labels" / "ann.jsonl").read_text().splitlines()]
    last = {label["position"]: label for label in kept}.values()
    assert [label["value"] for label in last] == ["pass", "fail"]
    answers = [{"polite": 1, "loud": 0, "kind": 1}, {"polite": 0, "loud": 0, "kind": 0}]
    assert [label["criteria"] for label in last] == answers


# -- figures -----------------------------------------------------------------------------------------------------------


def test_agree_measures_pass_and_fail_over_the_decided_cases(run, capsys):
    assert main(["agree", str(run), "--labels", "label", "--draws", "99", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    decided = [row for row in rows() if "NOW" not in row["answer"]]
    agreeing = sum(("please" in row["answer"]) == (row["label"] == "pass") for row in decided)
    assert report["counted"] == len(decided)
    assert report["metrics"]["accuracy"]["value"] == pytest.approx(agreeing / len(decided), abs=1e-6)
    assert report["left_out"] == {"undecided": 2 * TASKS - len(decided)} and report["best_guesses"] is None
    assert set(report["metrics"]) == {"accuracy", "kappa", "ac1", "alpha_nominal", "spearman", "kendall"}
    assert report["confusion"]["classes"] == ["pass", "fail"]


def test_systems_are_ranked_by_passed_of_decided_with_intervals(run, capsys):
    with opened(open_run(run)) as database:
        board = leaderboard_of(database)
    for standing in board.standings:
        own = [row["answer"] for row in rows() if row["system"] == standing.system]
        decided = [answer for answer in own if "NOW" not in answer]
        passed = sum("please" in each for each in decided)
        assert (standing.passed, standing.undecided) == (passed, len(own) - len(decided))
        assert standing.pass_rate.value == standing.passed / len(decided)
        low, high = standing.pass_rate.interval
        assert 0 <= low < standing.pass_rate.value < high <= 1
    assert [(each.rank, each.system) for each in board.standings] == [(1, "wren"), (2, "rook")]
    assert board.ahead.change.cases == sum(
        all("NOW" not in answer_of(at, share) for share in SYSTEMS.values()) for at in range(TASKS)
    )
    assert main(["leaderboard", str(run), "--format", "text"]) == 0
    shown = capsys.readouterr().out
    assert "Pass rate" in shown and "wren" in shown and "not decided" in shown


def test_a_run_without_systems_has_no_leaderboard(tmp_path, capsys):
    made = run_in(tmp_path, lines='{"task": "Say yes.", "answer": "yes"}\n')
    assert main(["leaderboard", str(made)]) == 2
    assert "names who wrote each answer: system, model" in capsys.readouterr().err


def test_the_report_of_a_run_has_pass_rates_items_and_the_leaderboard(run, tmp_path):
    assert main(["export", str(run), "--format", "html", "--output", str(tmp_path / "report.html")]) == 0
    report = (tmp_path / "report.html").read_text()
    passed = sum("please" in row["answer"] and "NOW" not in row["answer"] for row in rows())
    decided = sum("NOW" not in row["answer"] for row in rows())
    assert f"{passed} of {decided} decided answers passed" in report
    for words in ("Pass rates", "Points by item", "found in", "Leaderboard", "neither as passed nor as failed"):
        assert words in report, words


def test_the_report_names_the_exact_pass_mark_and_every_item_by_its_own_column(tmp_path):
    items = "".join(
        f'  - {{key: {key}, points: 1, check: {{contains: "{word}"}}}}\n'
        for key, word in (("refund", "please"), ("criterion_refund", "wait"), ("score", "thanks"))
    )
    made = run_in(tmp_path, f"{HEAD}pass_at: 0.725\nitems:\n{items}")
    assert main(["export", str(made), "--format", "html", "--output", str(tmp_path / "report.html")]) == 0
    report = (tmp_path / "report.html").read_text()
    assert "72.5 is needed" in report and "72 is needed" not in report
    polite = sum("please" in row["answer"] for row in rows()) / len(list(rows()))
    drawn = report.partition(">Points by item</h2>")[2].partition("</section>")[0]
    cells = dict(re.findall(r'<dt dir="auto">([\w ]+)</dt>.*?"value">([\d.]+)\s%', drawn, re.DOTALL))
    assert cells == {"Refund": f"{100 * polite:.1f}", "Criterion refund": "100.0", "Score": "0.0"}


# -- the service -------------------------------------------------------------------------------------------------------


def test_the_form_judges_the_example_and_the_run_is_labelled_on_a_page(tmp_path):
    app = create_app(CompareSettings(), journal=tmp_path / "journal.db")
    with TestClient(app, follow_redirects=False) as client:
        shown = client.get("/judge/grade.json?example=1").json()
        answer = client.post("/judge/grade", data={**shown["fields"], "rubric": shown["rubric"]}, headers=FORM)
        assert "Failed with 50.0 of 100" in client.get(answer.headers["location"], headers=HTML).text
        assert client.post("/api/rubrics", content=RUBRIC).status_code == 201
        run = judged(client, "".join(json.dumps(row) + "\n" for row in rows()), protocol="grade", rubric="mine")
        page = client.get(f"/runs/{run}", headers=HTML).text
        assert "decided answers passed" in page and "Leaderboard" in page
        over_time = client.get("/runs/over-time.json?source=wren").json()
        assert over_time["measure"] == "Share of its decided answers that passed"
        assert [point["of"] for point in over_time["points"]] == ["14 passed, 4 failed"]
        setup = {"cases": "2", "people": "1", "named": "", "criteria": "1"}
        assert client.post(f"/runs/{run}/label", data=setup, headers=FORM).status_code == 303
        page = client.get(f"/runs/{run}/label/1", headers=HTML).text
        assert "Is this answer good enough?" in page and ">yes<" in page and ">Pass<" in page
        rated = {"answer": "1", "criterion.1": "1", "criterion.2": "0", "criterion.3": "s"}
        answer = client.post(f"/runs/{run}/label/1", data=rated, headers=FORM)
        assert answer.headers["location"] == f"/runs/{run}/label/2"
