"""What a run says of itself."""

import io
import json

import pytest

from adjudge.runs.judging import Outcome
from adjudge.runs.ledger import Tally
from adjudge.runs.progress import Json, Plain, Pulse, describe, duration


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (60, "1 min"),
        (125, "2 min 5 s"),
        (3600, "1 h"),
        (7384, "2 h 3 min"),
        (90000, "1 d 1 h"),
    ],
)
def test_a_duration_in_two_units(seconds, said):
    assert duration(seconds) == said


def tally_of(verdicts, failures=0, cost="0.01"):
    tally = Tally(100)
    for at in range(verdicts):
        tally.add(Outcome(at, "verdict", "A", "A" if at % 2 else "B", 1, 10, 5, cost, cost, b""))
    for at in range(failures):
        tally.add(Outcome(verdicts + at, "failure", "timeout", None, 0, 0, 0, "0", "0", b""))
    return tally


def test_a_line_says_done_failed_money_rate_and_agreement():
    said = describe(tally_of(10, 2), 100, Pulse())
    assert said.startswith("12 of 100, 2 failed, $0.1000, 0.0/s")
    assert said.endswith("agrees with 50.0 % of 10 labels")


def test_an_unknown_price_is_said_and_not_shown_as_nothing():
    assert "no known price" in describe(tally_of(3, cost=None), 100, Pulse())


def test_plain_lines_come_only_now_and_then():
    out = io.StringIO()
    plain = Plain(out, every=1000)
    plain.begin(tally_of(0), 100)
    for _ in range(50):
        plain.show(tally_of(5))
    plain.end(tally_of(5))
    assert out.getvalue() == ""


def test_json_lines_are_objects_with_the_sums():
    out = io.StringIO()
    shown = Json(out)
    shown.begin(tally_of(0), 100)
    shown.end(tally_of(5, 1))
    last = json.loads(out.getvalue().splitlines()[-1])
    assert (last["verdicts"], last["failures"], last["goal"]) == (5, 1, 100)
