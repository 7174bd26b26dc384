"""Many who label at once, what a reviewer sees of their labels, and what a look at the verdicts changes."""

from __future__ import annotations

import io
import json
from concurrent.futures import ThreadPoolExecutor

from server.labelled import CASES, folder_of, labels_of, orders, say, set_up, twin
from server.run_pages import FORM, acting_as, at_end, begin

from adjudge.agreement.labels.files import LabelFile
from adjudge.agreement.labels.sources import load_labels
from adjudge.cli.main import main
from adjudge.results.run import open_run
from adjudge.server import labelling

# -- many at once -----------------------------------------------------------------------------------------------------


def test_of_labels_given_at_the_same_moment_none_is_lost(app, client, fresh):
    run = fresh()
    set_up(client, run, people=3)
    with ThreadPoolExecutor(CASES) as pool:
        list(pool.map(lambda number: say(client, run, number, "1", note=f"note {number}"), range(1, CASES + 1)))
    kept = labels_of(app, run, "local")
    assert sorted(label.note for label in kept.values()) == [f"note {number}" for number in range(1, CASES + 1)]
    lines = (folder_of(app, run) / "labels" / "local.jsonl").read_bytes().splitlines()
    assert len(lines) == CASES
    assert all(json.loads(line)["annotator"] == "local" for line in lines)


def test_two_people_at_once_write_into_files_of_their_own(app, client, fresh, monkeypatch):
    run = fresh()
    set_up(client, run, people=2)
    hosted = app.state.adjudge.runs.find(run)
    found = labelling.labelling_of(hosted)

    def label(task_and_person):
        task, person = task_and_person
        labelling.keep_label(found, task, person, lambda label: label.updated(value="tie"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(label, [(task, person) for task in found.tasks for person in ("ann", "bob")]))
    assert {name: len(labels_of(app, run, name)) for name in ("ann", "bob")} == {"ann": CASES, "bob": CASES}


def test_while_a_terminal_labels_as_the_same_person_the_page_says_so_and_keeps_what_was_typed(
    app, client, fresh, monkeypatch
):
    monkeypatch.setattr(labelling, "_WAIT", 0.05)
    run = fresh()
    set_up(client, run)
    with LabelFile(open_run(folder_of(app, run)), "local"):
        answer = client.post(f"/runs/{run}/label/1", data={"answer": "1", "note": "half a thought"}, headers=FORM)
    assert answer.status_code == 409
    assert "local is also labelling this run in a terminal" in answer.text
    assert "half a thought" in answer.text
    assert str(folder_of(app, run)) not in answer.text


def test_a_broken_file_is_said_without_its_folder_and_keeps_nobody_from_other_runs(app, client, fresh):
    run, other = fresh(), fresh()
    for each in (run, other):
        set_up(client, each)
    (folder_of(app, run) / "labels" / "ann.jsonl").write_text("no label\n{}\n")
    answer = client.get(f"/runs/{run}/label.json")
    assert (answer.status_code, answer.json()["error"]) == (409, f"{run}: labels/ann.jsonl, line 1: not a label")
    listed = [each["run_id"] for each in twin(client)["runs"]]
    assert other in listed
    assert run not in listed


# -- side by side -----------------------------------------------------------------------------------------------------


def test_a_reviewer_sees_labels_side_by_side_the_largest_disagreement_first_in_her_own_order(app, client, fresh):
    run = fresh()
    with acting_as(app, "rita", "reviewer"):
        set_up(client, run, people=2, named="ann, bob")
    for name in ("ann", "bob"):
        with acting_as(app, name):
            seen = orders(app, run, name)
            for number, (order, _) in seen.items():
                # Both say the same of all cases but the second and the fifth, each in the terms of what they see.
                better = {2: "tie", 5: "B"}.get(number, "A") if name == "bob" else "A"
                said = "t" if better == "tie" else "1" if (better == "A") == (order == "ab") else "2"
                say(
                    client,
                    run,
                    number,
                    said,
                    **({"flag": "1", "note": "look here"} if (name, number) == ("bob", 3) else {}),
                )
            assert client.get(f"/runs/{run}/label/side-by-side").status_code == 403
    with acting_as(app, "rita", "reviewer"):
        page = twin(client, run, "side-by-side")
        found = [(each["number"], each["differ"]) for each in page["cases"]]
        assert found[:4] == [(5, True), (2, True), (3, False), (1, False)]
        assert (page["people"], page["differing"], page["hidden"]) == (["ann", "bob"], 2, 0)
        assert page["cases"][2]["labels"]["bob"]["note"] == "look here"
        mine = orders(app, run, "rita")
        for each in page["cases"]:
            first = "Answer 1 is better" if mine[each["number"]][0] == "ab" else "Answer 2 is better"
            assert each["labels"]["ann"]["said"] == first
        # She reads a case that is not hers, and cannot label it.
        shown = twin(client, run, 5)
        assert (len(shown["answers"]), shown["options"]) == (2, [])
        assert client.post(f"/runs/{run}/label/5", data={"answer": "1"}, headers=FORM).status_code == 404


def test_a_reviewer_who_labels_sees_others_only_where_she_has_labelled(app, client, fresh):
    run = fresh()
    with acting_as(app, "rita", "reviewer"):
        set_up(client, run, people=2)
    with acting_as(app, "ann"):
        for number in range(1, CASES + 1):
            say(client, run, number, "1")
    with acting_as(app, "rita", "reviewer"):
        assert (twin(client, run, "side-by-side")["cases"], twin(client, run, "side-by-side")["hidden"]) == ([], CASES)
        say(client, run, 4, "t")
        page = twin(client, run, "side-by-side")
        assert ([each["number"] for each in page["cases"]], page["hidden"]) == ([4], CASES - 1)


# -- agreement --------------------------------------------------------------------------------------------------------


def test_agreement_is_one_click_away_once_all_is_labelled_and_not_before(app, client, fresh):
    run = fresh()
    address = f"/runs/{run}/agreement"
    set_up(client, run)
    say(client, run, 1, "1")
    waits = client.get(address, headers={"accept": "text/html"})
    assert waits.status_code == 409
    assert "7 cases wait for your label" in waits.text
    assert "winner" not in waits.text
    assert client.get(f"{address}.json").json()["error"].startswith(f"{run}: 7 cases wait for your label")
    with acting_as(app, "vic", "viewer"):
        assert "wait for your label" not in client.get(address).text, "who may not label need not wait"
    for number in range(2, CASES + 1):
        say(client, run, number, "1")
    assert f'href="{address}"' in client.get(f"/runs/{run}/label").text
    page = client.get(address, headers={"accept": "text/html"})
    assert page.status_code == 200
    assert "A run of compare" in page.text
    assert str(app.state.adjudge.runs.folder) not in page.text
    twin = client.get(f"{address}.json").json()
    assert (twin["run"], twin["labels"]["cases"], twin["labels"]["source"]) == ("A run of compare", CASES, "given here")
    with acting_as(app, "ann"):
        assert client.get(address).status_code == 404


def test_whoever_looks_at_the_verdicts_early_is_asked_no_more(app, client, fresh):
    run = fresh()
    set_up(client, run)
    for number in range(1, 5):
        say(client, run, number, "1")
    with acting_as(app, "ann"):
        assert client.post(f"/runs/{run}/label/look", data={"now": "1"}, headers=FORM).status_code == 404
    looked = client.post(f"/runs/{run}/label/look", data={"now": "1"}, headers=FORM)
    assert (looked.status_code, looked.headers["location"]) == (303, f"/runs/{run}/agreement")
    assert client.get(f"/runs/{run}/agreement").status_code == 200
    page = twin(client, run)
    assert (page["next"], page["mine"]) == (None, {"done": 4, "of": 4})


def test_without_labels_the_column_of_the_input_is_measured(client, fresh):
    run = fresh()
    assert client.get(f"/runs/{run}/agreement.json").json()["labels"]["cases"] == CASES
    answer = client.get(f"/runs/{fresh('dialogue')}/agreement.json")
    assert answer.status_code == 409
    assert "nothing to measure yet" in answer.json()["error"]
    assert "/" not in answer.json()["error"].replace("and/or", "")


# -- after a look at the verdicts -------------------------------------------------------------------------------------


def test_a_label_changed_after_its_verdict_was_seen_is_marked_and_what_was_said_before_counts(
    app, client, fresh, monkeypatch, capsys
):
    run = fresh()
    set_up(client, run, cases=4)
    for number in range(1, 5):
        say(client, run, number, "t")
    case = client.get(f"/runs/{run}/label/1", headers={"accept": "text/html"}).text
    assert "You have seen the judge’s verdict on this case" not in case
    assert client.get(f"/runs/{run}/agreement.json").status_code == 200
    assert "You have seen the judge’s verdict on this case" in client.get(f"/runs/{run}/label/1").text
    say(client, run, 1, "1", flag="1")
    say(client, run, 2, "t", note="no other answer")
    seen = orders(app, run, "local")
    kept = labels_of(app, run, "local")
    assert [kept[seen[number][1]].unblinded for number in (1, 2, 3)] == [True, False, False]
    page = client.get(f"/runs/{run}/label", headers={"accept": "text/html"}).text
    assert page.count("after the verdict was seen") == 1
    assert "once you have seen the verdict on a case, figures use your label from before" in page
    beside = {each["number"]: each["labels"]["local"] for each in twin(client, run, "side-by-side")["cases"]}
    assert [number for number, label in beside.items() if label["unblinded"]] == [1]
    # The same in a terminal.
    folder, third = folder_of(app, run), kept[seen[3][1]].case
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))
    assert main(["label", str(folder), "--annotator", "local", "--change", third]) == 0
    assert "You have seen its verdict" in capsys.readouterr().out
    assert main(["label", str(folder), "--annotator", "local", "--list"]) == 0
    assert capsys.readouterr().out.count(", after the verdict was seen") == 2
    found = load_labels(open_run(folder))
    assert {by["local"].value for by in found.by_case.values()} == {"tie"}
    told = "2 labels of local were given or changed after the verdict was seen; only earlier labels count"
    assert found.notes == (told,)
    assert f"{told[0].upper()}{told[1:]}." in client.get(f"/runs/{run}/agreement", headers={"accept": "text/html"}).text
    # Cases that are added later were not in the report.
    set_up(client, run, cases=6)
    assert twin(client, run)["next"] == 5
    say(client, run, 5, "1")
    assert not labels_of(app, run, "local")[seen[5][1]].unblinded


def test_who_looked_early_and_answers_a_case_that_was_only_flagged_is_marked_too(app, client, fresh):
    run = fresh()
    set_up(client, run, cases=2)
    say(client, run, 1, "1")
    say(client, run, 2, "", flag="1")
    client.post(f"/runs/{run}/label/look", headers=FORM, data={"now": "1"})
    say(client, run, 2, "1")
    assert [label.unblinded for label in labels_of(app, run, "local").values()] == [False, True]
    assert len(load_labels(open_run(folder_of(app, run))).by_case) == 1


def test_a_slice_of_the_agreement_report_links_to_its_cases(client):
    lines = [
        {"task": f"Name number {number}.", "a": f"It is {number}, and nothing else.", "b": f"{number}?", "label": "B"}
        | {"topic": "primes" if number % 2 else "squares"}
        for number in range(24)
    ]
    run = begin(client, "".join(json.dumps(line) + "\n" for line in lines)).json()["run_id"]
    at_end(client, run)
    report = client.get(f"/runs/{run}/agreement.json").json()
    found = next(it for it in report["slices"]["slices"] if it["name"] == "primes")
    link = f"/runs/{run}/cases?positions={','.join(map(str, found['differing']))}"
    assert f'href="{link}#cases"' in client.get(f"/runs/{run}/agreement", headers={"accept": "text/html"}).text
    rows = client.get(f"/api/runs/{run}/rows", params={"positions": link.partition("=")[2]}).json()["rows"]
    assert [row["position"] for row in rows] == sorted(found["differing"])
    assert {row["topic"] for row in rows} == {"primes"}
    assert f"{len(rows)} of 24 cases." in client.get(link, headers={"accept": "text/html"}).text
