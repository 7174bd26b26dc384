"""Cases to label of each protocol, and what is done with them: set up, answered, and read from the files of labels."""

from __future__ import annotations

from server.run_pages import FORM

from adjudge.agreement.labels.files import read_label_file
from adjudge.agreement.labels.sampling import order_for, read_selection
from adjudge.results.run import open_run

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
ANSWERS = [
    {
        "id": f"answer{n}",
        "task": f"How far is it to stop {n}?",
        "answer": f"It is {n} km to the stop, and no more." if n else NASTY,
        "context": [{"id": "map", "text": f"Stop {n} is {n} km away."}],
        "system": "secretmodel-z",
    }
    for n in range(3)
]
# One item of each kind that is labelled in a way of its own; the first, which the embedded judge assesses, decides.
ITEMS = """\
name: stops
version: "1"
protocol: grade
pass_at: 0.3
items:
  - {key: names_km, points: 6, required: true, check: {contains: km}}
  - {key: polite, points: 1, ask: 'Is it polite?', quote: none}
  - {key: helps, points: 1, ask: 'How far does it help?', scale: {1: not, 2: partly, 3: fully}}
  - {key: true_to_map, points: 2, claims: context}
"""
ROWS = {"compare": PAIRS, "dialogue": TALKS, "grade": ANSWERS, "review": REVIEWS}
RUBRICS = {"grade": ITEMS}  # a protocol's shipped one where there is none


def folder_of(app, run):
    return app.state.adjudge.runs.folder / "runs" / run


def set_up(client, run, cases=CASES, people=1, named="", **more):
    given = {"cases": cases, "people": people, "named": named, **more}
    answer = client.post(f"/runs/{run}/label", data=given, headers=FORM)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/runs/{run}/label")


def say(client, run, number, answer="", **fields):
    """Answer a case; where that leads."""
    given = client.post(f"/runs/{run}/label/{number}", data={"answer": answer, **fields}, headers=FORM)
    assert given.status_code == 303, given.text
    return given.headers["location"]


def labels_of(app, run, person):
    """What the person's file holds, the last line of a case."""
    path = folder_of(app, run) / "labels" / f"{person}.jsonl"
    return {label.position: label for label in read_label_file(path)[0]} if path.exists() else {}


def twin(client, run="", *path):
    start = f"/runs/{run}/label" if run else "/label"
    return client.get("/".join((start, *map(str, path))) + ".json").json()


def orders(app, run, person):
    """By the number of a case, in which order a person sees its answers, and its position."""
    selection = read_selection(open_run(folder_of(app, run)))
    return {
        number: (order_for(selection, person, pick.position), pick.position)
        for number, pick in enumerate(selection.picks, 1)
    }
