"""Runs as a person begins them on the pages: cases, a form that is sent, and waiting for what comes of it."""

from __future__ import annotations

import json
import time

HTML = {"accept": "text/html"}
FORM = {**HTML, "origin": "http://testserver"}
NASTY = "<script>alert(1)</script> \u202eback & {{ 7*7 }}"
PAIRS = [
    {
        "id": NASTY if n == 4 else f"case-{n}",
        "task": f"Explain the number {n} to a friend. Use at least ten words.",
        "a": f"The number {n} follows {n - 1}. It is {'even' if n % 2 == 0 else 'odd'}, as its last digit shows.",
        "b": "No idea." if n % 2 else f"Well, {n}. Numbers are what they are. " * (n + 1),
        "label": "A" if n % 3 else "B",
        "system_a": "wren" if n % 2 else "crow",
        "system_b": "crow" if n % 2 else "wren",
    }
    for n in range(12)
]
LINES = "".join(json.dumps(pair) + "\n" for pair in PAIRS)
BAD = '{"id": "broken", "task": "", "a": "x", "b": "y"}\n'
TALK = json.dumps({"dialogue_id": 7, "messages": [
    {"role": "user", "content": "Where is my parcel?"},
    {"role": "assistant", "content": "It is in Leeds, and comes tomorrow."},
]}) + "\n"  # fmt: skip


def upload(client, content=LINES, headers=FORM, **fields):
    empty = dict.fromkeys(("rubric", "budget", "name"), "")
    sent = {"protocol": "compare", "judge": "embedded", "both_orders": "1"} | empty | fields
    return client.post("/runs/new", data=sent, files={"file": ("pairs.jsonl", content)}, headers=headers)


def run_of(answer):
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/runs/new/")


def twin(client, path, **query):
    answer = client.get(path, params=query, headers={"accept": "application/json"})
    assert answer.status_code == 200, answer.text
    return answer.json()


def ended(client, run_id):
    """The run when nothing more happens, and lists know its finding."""
    for _ in range(2400):
        if (found := twin(client, f"/runs/{run_id}"))["progress"]["state"] in ("finished", "stopped"):
            return found
        time.sleep(0.05)
    raise AssertionError(found["progress"])


def act(client, run_id, action, **fields):
    """Press a button of a run."""
    return client.post(f"/runs/{run_id}/{action}", data={"pressed": action} | fields, headers=FORM)


def reached(client, run_id, fact):
    """Wait until the run's status is as wanted."""
    for _ in range(1200):
        if fact(status := client.get(f"/api/runs/{run_id}").json()):
            return
        time.sleep(0.05)
    raise AssertionError(status)


def judged(client, content=LINES, **fields):
    run_id = run_of(upload(client, content, **fields))
    assert act(client, run_id, "start").status_code == 303
    ended(client, run_id)
    return run_id
