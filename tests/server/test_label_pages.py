"""Labelling in the service: blind, shared among people, kept at once, and the same labels as in a terminal."""

from __future__ import annotations

import io
import json
import re
import secrets
import shutil
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from server.people import FORM, acting_as

from adjudge.agreement.labels.files import LabelFile, read_label_file
from adjudge.agreement.labels.sampling import order_for, read_selection
from adjudge.cli.main import main
from adjudge.results.run import open_run
from adjudge.server import labelling

CASES = 8
NASTY = "<script>alert(1)</script> \u202ebackwards {{ 7*7 }}"
PAIRS = [
    {
        "id": f"secretid{n}",
        "task": f"Task number {n}." if n else NASTY,
        "a": f"First text of {n}. It is short." if n else "x" * 100_000,
        "b": f"Second text of {n}. It is long, and says more than the other. " * 3,
        "system_a": "secretmodel-x",
        "system_b": "secretmodel-y",
        "label": "B",
        "secretcolumn": "secretvalue",
    }
    for n in range(CASES)
]
TALKS = [{"id": f"talk{n}", "transcript": f"USER\tIs it {n}?\nSYSTEM\tIt is {n}, and no more.\n"} for n in range(3)]
REVIEWS = [
    {"id": f"review{n}", "prompt": f"Name prime {n}.", "response1": f"Eleven, {n}.", "response2": f"Twelve, {n}."}
    for n in range(3)
]


@pytest.fixture(scope="module")
def judged(app, client):
    """A finished run of each protocol, which nobody has labelled; its cases are picked, which takes a second."""
    ids = {}
    for protocol, rows in (("compare", PAIRS), ("dialogue", TALKS), ("review", REVIEWS)):
        content = "".join(json.dumps(row) + "\n" for row in rows)
        settings = {
            "protocol": protocol,
            "format": "jsonl",
            "name": f"A run of {protocol}",
            "source": "secretfile.jsonl",
        }
        ids[protocol] = client.post("/api/runs", params=settings, content=content).json()["run_id"]
        client.get(f"/api/runs/{ids[protocol]}/events")  # until its end
        set_up(client, ids[protocol], cases=len(rows))
        (folder_of(app, ids[protocol]) / "labels" / "setup.json").unlink()
    return ids


@pytest.fixture
def fresh(app, judged):
    """A run of this protocol of one's own."""

    def copy(protocol="compare"):
        made = f"r{secrets.token_hex(9)[:17]}"
        shutil.copytree(folder_of(app, judged[protocol]), folder_of(app, made))
        return made

    return copy


def folder_of(app, run):
    return app.state.adjudge.runs.folder / "runs" / run


def set_up(client, run, cases=CASES, people=1, named=""):
    answer = client.post(f"/label/{run}", data={"cases": cases, "people": people, "named": named}, headers=FORM)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/label/{run}")


def say(client, run, number, answer="", **fields):
    """Answer a case; where that leads."""
    given = client.post(f"/label/{run}/{number}", data={"answer": answer, **fields}, headers=FORM)
    assert given.status_code == 303, given.text
    return given.headers["location"]


def labels_of(app, run, person):
    """What the person's file holds, the last line of a case."""
    path = folder_of(app, run) / "labels" / f"{person}.jsonl"
    return {label.position: label for label in read_label_file(path)[0]} if path.exists() else {}


def twin(client, *path):
    return client.get("/".join(("/label", *map(str, path))) + ".json").json()


def orders(app, run, person):
    """By the number of a case, in which order a person sees its answers, and its position."""
    selection = read_selection(open_run(folder_of(app, run)))
    return {
        number: (order_for(selection, person, pick.position), pick.position)
        for number, pick in enumerate(selection.picks, 1)
    }


# -- setting up -------------------------------------------------------------------------------------------------------


def test_a_reviewer_sets_up_what_others_then_find_in_their_list(app, client, fresh):
    run = fresh()
    with acting_as(app, "ann"):
        assert run not in client.get("/label").text
        assert client.get(f"/label/{run}").status_code == 404
        assert client.post(f"/label/{run}", data={"cases": 2, "people": 1}, headers=FORM).status_code == 403
    with acting_as(app, "rita", "reviewer"):
        assert f'href="/label/{run}"' in client.get("/label").text
        set_up(client, run, cases=4, people=1, named="ann, bob")
    with acting_as(app, "ann"):
        found = next(each for each in twin(client)["runs"] if each["run_id"] == run)
        assert (found["name"], found["mine"], found["all"]) == (
            "A run of compare", {"done": 0, "of": 2}, {"done": 0, "of": 4},
        )  # fmt: skip
        assert twin(client, run)["setup"] is None
    with acting_as(app, "eve"):
        assert run not in client.get("/label").text
        assert client.get(f"/label/{run}/1").status_code == 404
    with acting_as(app, "vera", "viewer"):
        assert client.get("/label").status_code == 403
    entry = app.state.adjudge.audit.entries(run)[-1]
    assert (entry.person, entry.action) == ("rita", "labels.set_up")


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"cases": "many"}, "cases", "a number from 1 to 10,000 is allowed"),
        ({"cases": ""}, "cases", "missing"),
        ({"people": "0"}, "people", "a number from 1 to 100 is allowed"),
        ({"people": "3", "named": "ann, bob"}, "people", "3 people a case, but 2 are named"),
        ({"named": "../ann"}, "named", "cannot be the name of a file"),
    ],
)
def test_a_wrong_set_up_is_said_beside_its_field_and_the_rest_stays(client, fresh, given, field, said):
    run = fresh()
    answer = client.post(f"/label/{run}", data={"cases": "5", "people": "2", "named": "", **given}, headers=FORM)
    assert answer.status_code == 400
    assert re.search(rf'id="error-{field}">[^<]*{re.escape(said)}', answer.text)
    assert f'value="{given.get("cases", "5")}"' in answer.text
    assert not (folder_of(client.app, run) / "labels" / "setup.json").exists()


def test_raising_the_number_of_cases_keeps_what_is_labelled(app, client, fresh):
    run = fresh()
    set_up(client, run, cases=2)
    assert say(client, run, 1, "1") == f"/label/{run}/2"
    assert say(client, run, 2, "t") == f"/label/{run}"
    set_up(client, run, cases=5)
    page = twin(client, run)
    assert (page["mine"], page["next"]) == ({"done": 2, "of": 5}, 3)


def test_cases_are_shared_out_evenly_and_each_sees_only_hers(app, client, fresh):
    run = fresh()
    set_up(client, run, people=2, named="ann bob cas dora")
    seen = {}
    for name in ("ann", "bob", "cas", "dora"):
        with acting_as(app, name):
            seen[name] = {
                number for number in range(1, CASES + 1) if client.get(f"/label/{run}/{number}").status_code == 200
            }
    assert {len(numbers) for numbers in seen.values()} == {CASES * 2 // 4}
    assert all(sum(number in numbers for numbers in seen.values()) == 2 for number in range(1, CASES + 1))
    # Not always the same two: else nobody could be compared with everybody.
    assert len({frozenset(name for name in seen if number in seen[name]) for number in range(1, CASES + 1)}) > 2


def test_a_case_wants_only_so_many_people(app, client, fresh):
    run = fresh()
    set_up(client, run, people=2)
    for name in ("ann", "bob"):
        with acting_as(app, name):
            say(client, run, 1, "1")
    with acting_as(app, "cas"):
        assert twin(client, run)["next"] == 2
        assert client.get(f"/label/{run}/1").status_code == 404
        answer = client.post(f"/label/{run}/1", data={"answer": "1"}, headers=FORM)
        assert answer.status_code == 404
    # A skip is no answer: somebody else is asked.
    with acting_as(app, "ann"):
        say(client, run, 2, "s")
    with acting_as(app, "bob"):
        say(client, run, 2, "2")
    with acting_as(app, "cas"):
        assert twin(client, run)["next"] == 2


# -- labelling --------------------------------------------------------------------------------------------------------


def test_an_answer_is_on_the_disk_in_the_cases_own_terms_before_the_next_case_is_shown(app, client, fresh):
    run = fresh()
    set_up(client, run)
    for number, (order, position) in orders(app, run, "local").items():
        shown = twin(client, run, number)["answers"]
        first = PAIRS[position]["a" if order == "ab" else "b"]
        assert [text for _, text in shown] == [first, PAIRS[position]["b" if order == "ab" else "a"]]
        say(client, run, number, "1")
        label = labels_of(app, run, "local")[position]
        assert (label.value, label.shown, label.case) == ("A" if order == "ab" else "B", order, f"secretid{position}")
    assert {order for order, _ in orders(app, run, "local").values()} == {"ab", "ba"}
    page = twin(client, run)
    assert (page["mine"], page["next"]) == ({"done": CASES, "of": CASES}, None)
    assert {each["said"] for each in page["own"]} == {"Answer 1 is better"}


def test_people_see_the_answers_in_orders_of_their_own(app, client, fresh):
    run = fresh()
    set_up(client, run, people=2)
    assert orders(app, run, "ann") != orders(app, run, "bob")


def test_skip_flag_and_note_are_kept_and_a_label_can_be_changed(app, client, fresh):
    run = fresh()
    set_up(client, run)
    assert say(client, run, 1, "", flag="1", note=" odd\n one ") == f"/label/{run}/1"
    page = twin(client, run, 1)
    assert (page["done"], page["flagged"], page["note"]) == (False, True, "odd\n one")
    assert twin(client, run)["next"] == 1  # a flag or a note alone is no answer
    assert say(client, run, 1, "s", flag="1", note="odd") == f"/label/{run}/2"
    own = twin(client, run)["own"]
    assert [(each["said"], each["flagged"], each["note"]) for each in own] == [("Skipped", True, "odd")]
    say(client, run, 2, "t")
    assert twin(client, run, 3)["previous"] == 2
    say(client, run, 1, "2", note="odd")
    page = twin(client, run, 1)
    assert [option["key"] for option in page["options"] if option["chosen"]] == ["2"]
    assert (page["done"], page["skipped"], page["flagged"]) == (True, False, False)
    lines = (folder_of(app, run) / "labels" / "local.jsonl").read_bytes().splitlines()
    assert len(lines) == 4  # a change is another line, and nothing is written twice
    say(client, run, 1, "2", note="odd")
    assert len((folder_of(app, run) / "labels" / "local.jsonl").read_bytes().splitlines()) == 4


@pytest.mark.parametrize(
    ("fields", "said"),
    [({"answer": "3"}, "one of 1, 2, t, s is allowed"), ({"answer": "1", "note": "n" * 2001}, "at most 2,000")],
)
def test_what_is_no_answer_is_refused_and_kept_nowhere(app, client, fresh, fields, said):
    run = fresh()
    set_up(client, run)
    answer = client.post(f"/label/{run}/1", data=fields, headers=FORM)
    assert answer.status_code == 400
    assert said in answer.text
    assert labels_of(app, run, "local") == {}


@pytest.mark.parametrize(
    ("protocol", "keys", "pressed", "value"),
    [("dialogue", "12345", "3", Decimal(60)), ("review", "1234567", "7", None)],
)
def test_dialogues_are_scored_and_reviews_preferred_from_1_to_7(app, client, fresh, protocol, keys, pressed, value):
    run = fresh(protocol)
    set_up(client, run, cases=3)
    assert "".join(option["key"] for option in twin(client, run, 1)["options"]) == keys
    say(client, run, 1, pressed)
    order, position = orders(app, run, "local")[1]
    assert labels_of(app, run, "local")[position].value == (value or (7 if order == "ab" else 1))
    assert [option["key"] for option in twin(client, run, 1)["options"] if option["chosen"]] == [pressed]


def test_terminal_and_page_continue_each_other(app, client, fresh, monkeypatch, capsys):
    run = fresh()
    set_up(client, run)
    with acting_as(app, "ann"):
        say(client, run, 1, "1")
        say(client, run, 2, "s")
        monkeypatch.setattr("sys.stdin", io.StringIO("2\nf\nq\n"))
        assert main(["label", str(folder_of(app, run)), "--annotator", "ann"]) == 0
        assert "3 of 8" in capsys.readouterr().out
        page = twin(client, run)
        assert page["next"] == 4
        said = [(each["number"], each["said"], each["flagged"]) for each in page["own"]]
        assert said == [
            (1, "Answer 1 is better", False),
            (2, "Skipped", False),
            (3, "Answer 2 is better", False),
            (4, "Open", True),
        ]


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
        answer = client.post(f"/label/{run}/1", data={"answer": "1", "note": "half a thought"}, headers=FORM)
    assert answer.status_code == 409
    assert "local is labelling this run in a terminal, too" in answer.text
    assert "half a thought" in answer.text
    assert str(folder_of(app, run)) not in answer.text


def test_a_broken_file_is_said_without_its_folder_and_keeps_nobody_from_other_runs(app, client, fresh):
    run, other = fresh(), fresh()
    for each in (run, other):
        set_up(client, each)
    (folder_of(app, run) / "labels" / "ann.jsonl").write_text("no label\n{}\n")
    answer = client.get(f"/label/{run}.json")
    assert (answer.status_code, answer.json()["error"]) == (409, f"{run}: labels/ann.jsonl, line 1: not a label")
    listed = [each["run_id"] for each in twin(client)["runs"]]
    assert other in listed
    assert run not in listed


# -- blind ------------------------------------------------------------------------------------------------------------


def pages_of(client, run):
    """All pages and twins about a run, without the id that tells two runs apart."""
    paths = ["/label", f"/label/{run}", *(f"/label/{run}/{number}" for number in range(1, CASES + 1))]
    paths += [f"/label/{run}/side-by-side", f"/label/{run}/next"]
    found = {}
    for path in paths:
        for form in ("", ".json"):
            answer = client.get(path + form, headers={"accept": "text/html"})
            told = {name: value for name, value in answer.headers.items() if name != "date"}
            found[path + form] = (answer.status_code, told, answer.text)
    return found


def test_pages_are_the_same_whatever_the_judge_said(app, client, fresh):
    run = fresh()
    set_up(client, run, people=2)
    say(client, run, 2, "1", flag="1")
    verdicts = folder_of(app, run) / "verdicts.jsonl"
    before, as_judged = pages_of(client, run), verdicts.read_bytes()
    exchanged = {b'"A"': b'"B"', b'"B"': b'"A"'}
    swapped = re.sub(rb'"[AB]"', lambda found: exchanged[found[0]], as_judged)
    swapped = swapped.replace(b"normalized_a", b"normalized_c").replace(b"normalized_b", b"normalized_a")
    verdicts.write_bytes(swapped)
    assert swapped != as_judged
    assert pages_of(client, run) == before
    verdicts.write_bytes(b"")
    assert pages_of(client, run) == before


def test_nothing_of_ids_sources_columns_or_verdicts_is_on_a_page(app, client, fresh):
    run = fresh()
    set_up(client, run)
    say(client, run, 1, "1")
    for path, (status, headers, text) in pages_of(client, run).items():
        assert status in (200, 303), path
        for hidden in ("secret", "stratum", "random", "embedded", "winner", "margin", "position", '"ab"', '"ba"'):
            if hidden == "random" and path == f"/label/{run}":
                continue  # the set-up's explanation, which only a reviewer sees
            assert hidden not in text.replace("stands first", ""), (path, hidden)
            assert hidden not in str(headers), (path, hidden)


def test_hostile_texts_are_shown_as_text(app, client, fresh):
    run = fresh()
    set_up(client, run)
    number = next(number for number, (_, position) in orders(app, run, "local").items() if position == 0)
    say(client, run, number, "1", note=NASTY)
    for path in (f"/label/{run}/{number}", f"/label/{run}", f"/label/{run}/side-by-side"):
        page = client.get(path, headers={"accept": "text/html"}).text
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert "{{ 7*7 }}" in page
        # A box holds exactly what was typed, and turns nothing around it.
        assert "\u202e" not in re.sub(r"<textarea.*?</textarea>", "", page, flags=re.DOTALL)


# -- side by side -----------------------------------------------------------------------------------------------------


def test_a_reviewer_sees_labels_side_by_side_disagreements_first_in_her_own_order(app, client, fresh):
    run = fresh()
    with acting_as(app, "rita", "reviewer"):
        set_up(client, run, people=2, named="ann, bob")
    for name in ("ann", "bob"):
        with acting_as(app, name):
            seen = orders(app, run, name)
            for number, (order, _) in seen.items():
                # Both say the same of all cases but of the fifth, each in the terms of what they see.
                better = "A" if name == "ann" or number != 5 else "B"
                said = "1" if (better == "A") == (order == "ab") else "2"
                say(
                    client,
                    run,
                    number,
                    said,
                    **({"flag": "1", "note": "look here"} if (name, number) == ("bob", 3) else {}),
                )
            assert client.get(f"/label/{run}/side-by-side").status_code == 403
    with acting_as(app, "rita", "reviewer"):
        page = twin(client, run, "side-by-side")
        assert [(each["number"], each["differ"]) for each in page["cases"]][:3] == [(5, True), (3, False), (1, False)]
        assert (page["people"], page["differing"], page["hidden"]) == (["ann", "bob"], 1, 0)
        assert page["cases"][1]["labels"]["bob"]["note"] == "look here"
        mine = orders(app, run, "rita")
        for each in page["cases"]:
            first = "Answer 1 is better" if mine[each["number"]][0] == "ab" else "Answer 2 is better"
            assert each["labels"]["ann"]["said"] == first
        # She reads a case that is not hers, and cannot label it.
        shown = twin(client, run, 5)
        assert (len(shown["answers"]), shown["options"]) == (2, [])
        assert client.post(f"/label/{run}/5", data={"answer": "1"}, headers=FORM).status_code == 404


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
    for number in range(2, CASES + 1):
        say(client, run, number, "1")
    assert f'href="{address}"' in client.get(f"/label/{run}").text
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
        assert client.post(f"/label/{run}/look", data={"now": "1"}, headers=FORM).status_code == 404
    looked = client.post(f"/label/{run}/look", data={"now": "1"}, headers=FORM)
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
