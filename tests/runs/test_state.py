"""The sums, and taking stock of a run that was left."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.models.common import Reason
from adjudge.runs.job import TRANSIENT, Outcome
from adjudge.runs.state import Tally


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["verdict", "failure", "left"]), st.sampled_from("AB"), st.booleans(), st.sampled_from("AB")
        ),
        max_size=30,
    )
)
def test_every_case_is_in_exactly_one_sum(seen):
    tally = Tally(100)
    for at, (status, answer, decided, label) in enumerate(seen):
        tally.add(Outcome(at, status, answer, decided, decided and answer == label, 1, 10, 5, "0.25", "0.25", b""))
    verdicts = [one for one in seen if one[0] == "verdict"]
    failures = [one for one in seen if one[0] == "failure"]
    assert (tally.verdicts, tally.failures, tally.open) == (
        len(verdicts), len(failures), 100 - len(verdicts) - len(failures),
    )  # fmt: skip
    assert tally.agreeing == sum(decided and answer == label for _, answer, decided, label in verdicts)
    assert tally.undecided == tally.undecided_labelled == sum(not decided for _, _, decided, _ in verdicts)
    assert tally.answers.total() + tally.undecided == tally.verdicts
    assert tally.calls == len(verdicts) + len(failures)
    assert float(tally.cost) == 0.25 * tally.calls


def test_a_call_without_a_price_is_counted_as_such_and_not_as_nothing():
    tally = Tally(2)
    tally.add(Outcome(0, "verdict", "A", True, None, 1, 1, 1, None, None, b""))
    tally.add(Outcome(1, "verdict", "A", True, None, 0, 0, 0, "0", "0", b""))
    assert tally.unpriced == 1
    assert tally.as_json()["cases_without_a_price"] == 1


@pytest.mark.parametrize(("cost", "unpriced"), [(None, 1), ("0.5", 0)])
def test_a_case_that_is_retried_is_one_case_without_a_price_or_none(cost, unpriced):
    tally, failure = Tally(1), Outcome(0, "failure", "malformed", True, None, 1, 1, 1, None, None, b"")
    tally.add(failure)
    tally.retrying += 1
    tally.add(Outcome(0, "verdict", "A", True, None, 1, 1, 1, cost, cost, b""), failure)
    assert (tally.verdicts, tally.failures, tally.retrying, tally.unpriced) == (1, 0, 0, unpriced)


def test_what_may_pass_is_a_known_reason():
    assert set(get_args(Reason)) >= TRANSIENT
