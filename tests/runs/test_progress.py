"""What a run says of itself."""

import io
import json
import re

import pytest
from rich.console import Console

from adjudge.runs.job import Outcome
from adjudge.runs.progress import (
    JsonProgress,
    LiveProgress,
    PlainProgress,
    Throughput,
    agreement,
    describe,
    ordered,
)
from adjudge.runs.state import Tally


def tally_of(verdicts, failures=0, cost="0.01"):
    tally = Tally(100)
    for at in range(verdicts):
        tally.add(Outcome(at, "verdict", "A", at % 4 != 1, at % 4 == 3, 1, 10, 5, cost, cost, b""))
    for at in range(failures):
        tally.add(Outcome(verdicts + at, "failure", "timeout", True, None, 0, 0, 0, "0", "0", b""))
    return tally


def test_a_line_says_done_answers_failed_money_rate_and_why_it_waits():
    said = describe(tally_of(10, 2), 100, Throughput())
    assert said == "12 of 100, A 7, undecided 3, 2 failed, $0.1000, 0.0/s"
    assert describe(tally_of(0), 9, Throughput(), "a 429").endswith(", waiting: a 429")


def test_agreement_is_the_share_among_the_decided_and_says_how_many_are_not():
    said = "of 10 labelled cases 3 were not decided; agrees with the label in 2 of the other 7 (28.6 %)"
    assert agreement(tally_of(10)) == said
    assert agreement(tally_of(1)) == "agrees with 0 of 1 label (0.0 %)"


def test_answers_stand_in_the_order_of_their_scale():
    assert ordered({"100": 1, "20": 2, "tie": 0}) == [("20", 2), ("100", 1)]
    assert [answer for answer, _ in ordered({"tie": 1, "B": 1, "A": 1})] == ["A", "B", "tie"]


@pytest.mark.parametrize("waits_for", ["", "openai api.openai.com asks to wait 6 s (rate limit)", "x" * 300])
def test_the_live_display_keeps_bar_times_and_answers_in_80_columns(waits_for):
    out = io.StringIO()
    live = LiveProgress(Console(file=out, width=80, force_terminal=True, color_system="standard", legacy_windows=False))
    tally = tally_of(1000, 50)
    tally.answers.update({"B": 123_456, "tie": 98_765})
    live.begin(tally, 1_234_567)
    live.show(tally, waits_for)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue()).replace("\r", "\n")
    bar, below, *more = [line for line in shown.split("\n") if line.strip()]
    live.end(tally)
    assert "━" in bar and "1,050 of 1,234,567" in bar and "0 s, ? left" in bar
    assert below.startswith("A 750, B 123,456, tie 98,765, undecided 250, 50 failed, $")
    assert [line.rstrip()[:50] for line in more] == [f"waiting: {waits_for}"[:50] for _ in range(bool(waits_for))]
    assert max(map(len, (bar, below, *more))) <= 80


def test_an_unknown_price_is_said_and_not_shown_as_nothing():
    assert "no known price" in describe(tally_of(3, cost=None), 100, Throughput())


def test_plain_lines_come_only_now_and_then():
    out = io.StringIO()
    plain = PlainProgress(out, every=1000)
    plain.begin(tally_of(0), 100)
    for _ in range(50):
        plain.show(tally_of(5))
    plain.end(tally_of(5))
    assert out.getvalue() == ""


def test_json_lines_are_objects_with_the_sums():
    out = io.StringIO()
    shown = JsonProgress(out)
    shown.begin(tally_of(0), 100)
    shown.end(tally_of(5, 1))
    last = json.loads(out.getvalue().splitlines()[-1])
    assert (last["verdicts"], last["failures"], last["goal"]) == (5, 1, 100)


def test_the_time_left_is_a_range_and_only_after_five_cases_and_ten_seconds(monkeypatch):
    for seen, between in (
        ([(0, 0), (9, 50)], None),  # too early
        ([(0, 0), (100, 4)], None),  # too few
        ([(0, 0), (10, 25)], (10 * 100 / 30, 10 * 100 / 20)),
        ([(0, 0), (50, 3), (100, 6), (120, 9)], (120 * 100 / 12, 120 * 100 / 6)),  # slow: counted from the start
        ([(0, 0), (1, 900), (20, 901), (45, 926)], (25 * 100 / 30, 25 * 100 / 20)),  # slower than at the start
    ):
        pulse = Throughput()
        for now, done in seen:
            monkeypatch.setattr("adjudge.runs.progress.time.monotonic", lambda now=now: now)
            pulse.record(done)
        found = pulse.left_between(100)
        assert found == (None if between is None else pytest.approx(between)), seen
