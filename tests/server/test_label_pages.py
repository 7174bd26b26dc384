"""Labelling in the service: set up and shared among people, blind, and the same labels as in a terminal."""

from __future__ import annotations

import io
import re
from decimal import Decimal

import pytest
from server.labelled import CASES, NASTY, PAIRS, folder_of, labels_of, orders, say, set_up, twin
from server.run_pages import FORM, acting_as

from adjudge.agreement.labels.sources import load_labels
from adjudge.cli.main import main
from adjudge.results.run import open_run

# -- setting up -------------------------------------------------------------------------------------------------------


def test_a_reviewer_sets_up_what_others_then_find_in_their_list(app, client, fresh):
    run = fresh()
    with acting_as(app, "ann"):
        assert run not in client.get("/label").text
        assert client.get(f"/runs/{run}/label").status_code == 404
        assert client.post(f"/runs/{run}/label", data={"cases": 2, "people": 1}, headers=FORM).status_code == 403
    with acting_as(app, "rita", "reviewer"):
        assert f'href="/runs/{run}/label"' in client.get("/label").text
        set_up(client, run, cases=4, people=1, named="ann, bob")
    with acting_as(app, "ann"):
        found = next(each for each in twin(client)["runs"] if each["run_id"] == run)
        assert (found["name"], found["mine"], found["all"]) == (
            "A run of compare", {"done": 0, "of": 2}, {"done": 0, "of": 4},
        )  # fmt: skip
        assert twin(client, run)["setup"] is None
    with acting_as(app, "eve"):
        assert run not in client.get("/label").text
        assert client.get(f"/runs/{run}/label/1").status_code == 404
    with acting_as(app, "vera", "viewer"):
        assert client.get("/label").status_code == 403
    entry = app.state.adjudge.audit.entries(run)[-1]
    assert (entry.person, entry.action) == ("rita", "labels.set_up")


@pytest.mark.parametrize(("role", "offered"), [("viewer", False), ("reviewer", True)])
def test_who_may_not_label_is_not_sent_to_label_by_a_run_without_labels(app, client, fresh, role, offered):
    run = fresh("grade")
    with acting_as(app, "vera", role):
        page = client.get(f"/runs/{run}/agreement").text
        assert "Nothing to measure yet" in page
        assert ("Label cases" in page) is offered


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"cases": "many"}, "cases", "&#39;many&#39;; a whole number is allowed"),
        ({"cases": ""}, "cases", "missing"),
        ({"people": "0"}, "people", "input should be greater than or equal to 1"),
        ({"people": "3", "named": "ann, bob"}, "people", "3 people per case, but only 2 are named"),
        ({"named": "../ann"}, "named", "cannot be the name of a file"),
    ],
)
def test_a_wrong_set_up_is_said_beside_its_field_and_the_rest_stays(client, fresh, given, field, said):
    run = fresh()
    answer = client.post(f"/runs/{run}/label", data={"cases": "5", "people": "2", "named": "", **given}, headers=FORM)
    assert answer.status_code == 400
    assert re.search(rf'id="error-{field}">[^<]*{re.escape(said)}', answer.text)
    assert f'value="{given.get("cases", "5")}"' in answer.text
    assert not (folder_of(client.app, run) / "labels" / "setup.json").exists()


def test_raising_the_number_of_cases_keeps_what_is_labelled(client, set_up_run):
    run = set_up_run(cases=2)
    assert say(client, run, 1, "1") == f"/runs/{run}/label/2"
    assert say(client, run, 2, "t") == f"/runs/{run}/label"
    set_up(client, run, cases=5)
    page = twin(client, run)
    assert (page["mine"], page["next"]) == ({"done": 2, "of": 5}, 3)


def test_cases_are_shared_out_evenly_and_each_sees_only_hers(app, client, set_up_run):
    run = set_up_run(people=2, named="ann bob cas dora")
    seen = {}
    for name in ("ann", "bob", "cas", "dora"):
        with acting_as(app, name):
            seen[name] = {
                number for number in range(1, CASES + 1) if client.get(f"/runs/{run}/label/{number}").status_code == 200
            }
    assert {len(numbers) for numbers in seen.values()} == {CASES * 2 // 4}
    assert all(sum(number in numbers for numbers in seen.values()) == 2 for number in range(1, CASES + 1))
    # Not always the same two: else nobody could be compared with everybody.
    assert len({frozenset(name for name in seen if number in seen[name]) for number in range(1, CASES + 1)}) > 2


def test_a_case_wants_only_so_many_people(app, client, set_up_run):
    run = set_up_run(people=2)
    for name in ("ann", "bob"):
        with acting_as(app, name):
            say(client, run, 1, "1")
    with acting_as(app, "cas"):
        assert twin(client, run)["next"] == 2
        assert client.get(f"/runs/{run}/label/1").status_code == 404
        answer = client.post(f"/runs/{run}/label/1", data={"answer": "1"}, headers=FORM)
        assert answer.status_code == 404
    # A skip is no answer: somebody else is asked.
    with acting_as(app, "ann"):
        say(client, run, 2, "s")
    with acting_as(app, "bob"):
        say(client, run, 2, "2")
    with acting_as(app, "cas"):
        assert twin(client, run)["next"] == 2


# -- labelling --------------------------------------------------------------------------------------------------------


def test_an_answer_is_on_the_disk_in_the_cases_own_terms_before_the_next_case_is_shown(app, client, set_up_run):
    run = set_up_run()
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


def test_people_see_the_answers_in_orders_of_their_own(app, set_up_run):
    run = set_up_run(people=2)
    assert orders(app, run, "ann") != orders(app, run, "bob")


def test_skip_flag_and_note_are_kept_and_a_label_can_be_changed(app, client, set_up_run):
    run = set_up_run()
    assert say(client, run, 1, "", flag="1", note=" odd\n one ") == f"/runs/{run}/label/1"
    page = twin(client, run, 1)
    assert (page["done"], page["flagged"], page["note"]) == (False, True, "odd\n one")
    assert twin(client, run)["next"] == 1  # a flag or a note alone is no answer
    assert say(client, run, 1, "s", flag="1", note="odd") == f"/runs/{run}/label/2"
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
def test_what_is_no_answer_is_refused_and_kept_nowhere(app, client, set_up_run, fields, said):
    run = set_up_run()
    answer = client.post(f"/runs/{run}/label/1", data=fields, headers=FORM)
    assert answer.status_code == 400
    assert said in answer.text
    assert labels_of(app, run, "local") == {}


@pytest.mark.parametrize(
    ("protocol", "keys", "pressed", "value"),
    [("dialogue", "12345", "3", Decimal(60)), ("grade", "12", "2", "fail"), ("review", "1234567", "7", None)],
)
def test_each_protocol_has_its_own_answers(app, client, set_up_run, protocol, keys, pressed, value):
    run = set_up_run(protocol, cases=3)
    assert "".join(option["key"] for option in twin(client, run, 1)["options"]) == keys
    say(client, run, 1, pressed)
    order, position = orders(app, run, "local")[1]
    assert labels_of(app, run, "local")[position].value == (value or (7 if order == "ab" else 1))
    assert [option["key"] for option in twin(client, run, 1)["options"] if option["chosen"]] == [pressed]


def test_terminal_and_page_continue_each_other(app, client, set_up_run, monkeypatch, capsys):
    run = set_up_run()
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


# -- criteria ---------------------------------------------------------------------------------------------------------


def rated(*answers):
    return {f"criterion.{number}": answer for number, answer in enumerate(answers, 1)}


def test_criteria_of_a_dialogue_are_rated_with_the_whole_and_one_may_be_skipped(app, client, set_up_run):
    run = set_up_run("dialogue", cases=3, criteria="1")
    page = twin(client, run, 1)
    assert [each["name"] for each in page["criteria"]][:2] == ["Task success", "Helpfulness"]
    assert [option["key"] for option in page["criteria"][0]["options"]] == ["1", "2", "3", "4", "5", "s"]
    answer = client.post(f"/runs/{run}/label/1", data={"answer": "4", **rated("1", "s", "5")}, headers=FORM)
    assert answer.status_code == 400
    assert "Understanding: missing; rate it, or skip it" in answer.text
    assert re.search(r'name="criterion.3" form="label" value="5" [^>]* checked>', answer.text), "nothing chosen is lost"
    refused = client.post(f"/runs/{run}/label/1", data={"answer": "4", **rated("9")}, headers=FORM)
    assert "Task success: &#39;9&#39;; one of 1, 2, 3, 4, 5, s is allowed" in refused.text
    assert labels_of(app, run, "local") == {}
    say(client, run, 1, "", **rated("1"))
    assert twin(client, run)["next"] == 1, "what is rated so far is kept, and the case is open"
    say(client, run, 1, "4", **rated("1", "s", "5", "3", "3", "3"))
    (label,) = labels_of(app, run, "local").values()
    assert (label.value, list(label.criteria.values())) == (80, [20, None, 100, 60, 60, 60])
    (by,) = load_labels(open_run(folder_of(app, run))).by_case.values()
    assert by["local"].criteria == label.criteria
    chosen = [[each["key"] for each in one["options"] if each["chosen"]] for one in twin(client, run, 1)["criteria"]]
    assert chosen == [["1"], ["s"], ["5"], ["3"], ["3"], ["3"]]
    file = folder_of(app, run) / "labels" / "local.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"Accuracy":100', b'"Accuracy":101'))
    assert not any(each["chosen"] for each in twin(client, run, 1)["criteria"][2]["options"]), "it is not on the scale"


def test_items_of_a_grading_are_answered_after_pass_or_fail_each_in_its_own_way(app, client, set_up_run):
    run = set_up_run("grade", cases=3, criteria="1")
    page = twin(client, run, 1)
    tenths = [*("0" if not n else "1" if n == 10 else f"0.{n}" for n in range(11))]
    assert [[option["key"] for option in each["options"]] for each in page["criteria"]] == [
        ["0", "1", "s"], ["0", "1", "s"], ["1", "2", "3", "s"], [*tenths, "s"],
    ]  # fmt: skip
    shown = client.get(f"/runs/{run}/label/1", headers={"accept": "text/html"}).text
    assert "secretmodel" not in shown and "names_km" not in shown
    refused = client.post(f"/runs/{run}/label/1", data={"answer": "1", **rated("0", "1")}, headers=FORM)
    assert "Helps: missing; rate it, or skip it" in refused.text
    say(client, run, 1, "1", **rated("0", "1", "3", "0.5"))
    say(client, run, 2, "2", **rated("0", "s", "1", "s"))
    labels = labels_of(app, run, "local").values()
    assert {(label.value, tuple(label.criteria.values())) for label in labels} == {
        ("pass", (0, 1, 3, Decimal("0.5"))),
        ("fail", (0, None, 1, None)),
    }
    assert [each["said"] for each in twin(client, run)["own"]] == ["Pass", "Fail"]


def test_criteria_of_a_review_are_kept_under_its_responses_and_the_page_does_not_tell_which(app, client, set_up_run):
    run = set_up_run("review", cases=3, criteria="1")
    first, second = ["3", "2", "3", "-1", "3", "3", "4"], ["1", "1", "1", "2", "1", "1", "2"]
    for number, (order, position) in orders(app, run, "local").items():
        page = client.get(f"/runs/{run}/label/{number}", headers={"accept": "text/html"}).text
        assert "truthfulness_" not in page and "_a" not in re.sub(r"[a-z]_a[a-z]", "", page.partition("<main")[2])
        say(client, run, number, "2", **rated(*first, *second))
        label = labels_of(app, run, "local")[position]
        for letter, given in zip(order, (first, second), strict=True):
            assert label.criteria[f"verbosity_{letter}"] == int(given[3])
            assert label.criteria[f"overall_quality_{letter}"] == int(given[6])


def test_a_label_without_criteria_is_open_again_once_they_are_asked_for(client, fresh, set_up_run):
    run = set_up_run("dialogue", cases=3)
    assert twin(client, run, 1)["criteria"] == []
    say(client, run, 1, "4")
    say(client, run, 2, "s")
    set_up(client, run, cases=3, criteria="1")
    page = twin(client, run)
    assert (page["next"], page["mine"], page["all"]) == (1, {"done": 1, "of": 3}, {"done": 0, "of": 3})
    assert [each["said"] for each in page["own"]] == ["80, criteria open", "Skipped"]
    say(client, run, 1, "s")
    assert twin(client, run)["next"] == 3
    assert "Rate each criterion" not in client.get(f"/runs/{fresh()}/label", headers={"accept": "text/html"}).text


# -- blind ------------------------------------------------------------------------------------------------------------


def pages_of(client, run):
    """All pages and twins about a run, without the id that tells two runs apart."""
    paths = ["/label", f"/runs/{run}/label", *(f"/runs/{run}/label/{number}" for number in range(1, CASES + 1))]
    paths += [f"/runs/{run}/label/side-by-side", f"/runs/{run}/label/next"]
    found = {}
    for path in paths:
        for form in ("", ".json"):
            answer = client.get(path + form, headers={"accept": "text/html"})
            told = {name: value for name, value in answer.headers.items() if name != "date"}
            found[path + form] = (answer.status_code, told, answer.text)
    return found


def test_pages_are_the_same_whatever_the_judge_said(app, client, set_up_run):
    run = set_up_run(people=2)
    say(client, run, 2, "1", flag="1")
    verdicts = folder_of(app, run) / "verdicts.jsonl"
    before, as_judged = pages_of(client, run), verdicts.read_bytes()
    exchanged = {b'"A"': b'"B"', b'"B"': b'"A"'}
    swapped = re.sub(rb'"[AB]"', lambda found: exchanged[found[0]], as_judged)
    swapped = swapped.replace(b'"lead":', b'"lead":-').replace(b'"lead":--', b'"lead":')
    verdicts.write_bytes(swapped)
    assert swapped != as_judged
    assert pages_of(client, run) == before
    verdicts.write_bytes(b"")
    assert pages_of(client, run) == before


def test_nothing_of_ids_sources_columns_or_verdicts_is_on_a_page(client, set_up_run):
    run = set_up_run()
    say(client, run, 1, "1")
    for path, (status, headers, text) in pages_of(client, run).items():
        assert status in (200, 303), path
        for hidden in ("secret", "stratum", "random", "embedded", "winner", "margin", "position", '"ab"', '"ba"'):
            if hidden == "random" and path == f"/runs/{run}/label":
                continue  # the set-up's explanation, which only a reviewer sees
            assert hidden not in text, (path, hidden)
            assert hidden not in str(headers), (path, hidden)


def test_hostile_texts_are_shown_as_text(app, client, set_up_run):
    run = set_up_run()
    number = next(number for number, (_, position) in orders(app, run, "local").items() if position == 0)
    say(client, run, number, "1", note=NASTY)
    for path in (f"/runs/{run}/label/{number}", f"/runs/{run}/label", f"/runs/{run}/label/side-by-side"):
        page = client.get(path, headers={"accept": "text/html"}).text
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert "{{ 7*7 }}" in page
        # A box holds exactly what was typed, and turns nothing around it.
        assert "\u202e" not in re.sub(r"<textarea.*?</textarea>", "", page, flags=re.DOTALL)
