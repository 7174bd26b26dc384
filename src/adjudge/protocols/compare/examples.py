"""The comparisons in the service's demo: sixty cases of five weeks, each week by itself, and a second judge on all.

Judges and labels are written. `python bench/demo.py` makes the files from what was written.
"""

from __future__ import annotations

from ..form import ExampleRun

_WEEKS, _MARCH, _REPLIES = "demo/weeks.jsonl", "demo/march.jsonl", "demo/replies.jsonl"
_JUDGE = {"judge": "written:demo", "recheck_attempts": True}
_MONDAYS = ("2026-03-02", "2026-03-09", "2026-03-16", "2026-03-23", "2026-03-30")

# The first ones are judged first.
RUNS = (
    ExampleRun(
        name="March: heron against kestrel",
        file=_MARCH,
        settings=_JUDGE,
        created="2026-04-02T08:00:00+00:00",
        replies=_REPLIES,
        labelling={"cases": 60, "people": 3, "named": ("lena", "omar", "priya")},
        labels="demo/labels.jsonl",
    ),
    ExampleRun(
        name="March again: a more careful judge",
        file=_MARCH,
        settings={**_JUDGE, "judge": "written:careful", "one_order": True},
        created="2026-04-03T08:00:00+00:00",
        replies=_REPLIES,
    ),
    *(
        ExampleRun(
            name=f"Week {number}: heron against kestrel",
            file=_WEEKS,
            only=("week", str(number)),
            settings=_JUDGE,
            created=f"{monday}T08:00:00+00:00",
            replies=_REPLIES,
        )
        for number, monday in enumerate(_MONDAYS, start=1)
    ),
)
