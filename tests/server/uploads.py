"""Twelve cases as a file, and runs of them over the API."""

from __future__ import annotations

import json
import time

PAIRS = [
    {
        "id": f"case-{n}",
        "task": f"Explain the number {n} to a friend.",
        "a": f"The number {n} follows {n - 1}. It is {'even' if n % 2 == 0 else 'odd'}, as its last digit shows.",
        "b": "No idea." if n % 2 else f"Well, {n}. Numbers are what they are. " * (n + 1),
        "label": "A" if n % 3 else "B",
    }
    for n in range(12)
]
LINES = "".join(json.dumps(pair) + "\n" for pair in PAIRS)


def bearer(secret):
    return {"authorization": f"Bearer {secret}"}


def begin(client, content=LINES, headers=None, **settings):
    settings = {"protocol": "compare", "source": "pairs.jsonl"} | settings
    return client.post("/api/runs", params=settings, content=content, headers=headers)


def ended(client, run_id, headers=None):
    """The run's status when nothing more happens."""
    for _ in range(2400):
        status = client.get(f"/api/runs/{run_id}", headers=headers).json()
        if status["state"] in ("finished", "stopped"):
            return status
        time.sleep(0.05)
    raise AssertionError(status)


def rows(client, run_id, **wanted):
    answer = client.get(f"/api/runs/{run_id}/rows", params=wanted)
    assert answer.status_code == 200, answer.text
    return answer.json()["rows"]
