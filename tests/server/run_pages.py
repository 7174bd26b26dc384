"""What tests of the service share: headers, services, people who ask, and runs as they are begun over the API and on
the pages."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager

from fastapi.testclient import TestClient

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app
from adjudge.server.callers import Caller, Callers
from adjudge.server.users import User

HTML = {"accept": "text/html,application/xhtml+xml"}
FORM = {**HTML, "origin": "http://testserver"}
JSON = {**FORM, "accept": "application/json"}
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
BAD = '{"id": "broken", "task": "", "a": "x", "b": "y"}\n'
CASE = {
    "userTask": "Say hello politely.",
    "responseA": "Good morning to you, and how do you do?",
    "responseB": "Hey you over there, what is it now?",
}


def lines_of(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


LINES = lines_of(*PAIRS)
ONE = lines_of(PAIRS[0])
TALK = lines_of({"dialogue_id": 7, "messages": [
    {"role": "user", "content": "Where is my parcel?"},
    {"role": "assistant", "content": "It is in Leeds, and comes tomorrow."},
]})  # fmt: skip


# -- services and people ----------------------------------------------------------------------------------------------


def served(folder, settings=None, **options):
    """A service of its own, to be entered."""
    app = create_app(settings or CompareSettings(), journal=folder / "journal.db", **options)
    return TestClient(app, follow_redirects=False)


def bearer(secret):
    return {"authorization": f"Bearer {secret}"}


class _OneCaller(Callers):
    """Whoever asks is this person."""

    caller: Caller

    def known(self, bearer, cookie):
        return self.caller


@contextmanager
def acting_as(app, name, role="annotator"):
    """All requests inside are this person's, whatever lets them in."""
    before = app.state.callers
    app.state.callers = instead = _OneCaller(before.tokens, before.users, before.sessions)
    instead.caller = Caller(user=User(name, role, 0.0, ""))
    try:
        yield
    finally:
        app.state.callers = before


# -- runs over the API ------------------------------------------------------------------------------------------------


def begin(client, content=LINES, headers=None, **settings):
    settings = {"protocol": "compare", "source": "pairs.jsonl"} | settings
    return client.post("/api/runs", params=settings, content=content, headers=headers)


def reached(client, run_id, fact, headers=None):
    """The run's status when it is as wanted."""
    for _ in range(2400):
        if fact(status := client.get(f"/api/runs/{run_id}", headers=headers).json()):
            return status
        time.sleep(0.1)
    raise AssertionError(status)


def at_end(client, run_id, headers=None):
    """The run's status when nothing more happens."""
    return reached(client, run_id, lambda status: status.get("state") in ("finished", "stopped"), headers)


def ran(client, content=LINES, headers=None, **settings):
    """The id of a run that is over."""
    answer = begin(client, content, headers, **settings)
    assert answer.status_code == 201, answer.text
    at_end(client, answer.json()["run_id"], headers)
    return answer.json()["run_id"]


def rows(client, run_id, headers=None, **wanted):
    answer = client.get(f"/api/runs/{run_id}/rows", params=wanted, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()["rows"]


# -- runs on the pages ------------------------------------------------------------------------------------------------


def upload(client, content=LINES, headers=FORM, **fields):
    empty = dict.fromkeys(("rubric", "budget", "name"), "")
    sent = {"protocol": "compare", "judge": "embedded", "both_orders": "1"} | empty | fields
    return client.post("/runs/new", data=sent, files={"file": ("pairs.jsonl", content)}, headers=headers)


def run_of(answer):
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/runs/new/")


def twin(client, path, **query):
    """What a page says, as data."""
    answer = client.get(path, params=query, headers={"accept": "application/json"})
    assert answer.status_code == 200, answer.text
    return answer.json()


def ended(client, run_id):
    """The page of a run when nothing more happens, and lists know its finding."""
    at_end(client, run_id)
    return twin(client, f"/runs/{run_id}")


def act(client, run_id, action, **fields):
    """Press a button of a run."""
    return client.post(f"/runs/{run_id}/{action}", data={"pressed": action} | fields, headers=FORM)


def judged(client, content=LINES, **fields):
    run_id = run_of(upload(client, content, **fields))
    assert act(client, run_id, "start").status_code == 303
    ended(client, run_id)
    return run_id
