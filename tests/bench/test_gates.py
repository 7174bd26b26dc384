"""Gates on runs with planted pass rates: few wrong calls, and many right ones where the rate is far from the limit."""

import pytest


@pytest.fixture(scope="module")
def found(bench):
    return {(line.situation, line.planted): line for line in bench("gates").lines(simulations=60, seed=1)}


@pytest.mark.slow
def test_planted_rates_are_called_right(found):
    calls = {rate: found["200 cases", rate].calls for rate in ("0.95", "0.80", "0.89")}
    assert calls["0.95"]["passes"] > 30 and calls["0.95"]["fails"] == 0
    assert calls["0.80"]["fails"] > 54 and calls["0.80"]["passes"] == 0
    assert calls["0.89"]["passes"] <= 3


@pytest.mark.slow
def test_no_situation_has_many_wrong_calls(found):
    assert len(found) == 27
    assert {key: line.wrong for key, line in found.items() if line.wrong > 0.1} == {}
    # Nothing that nobody decided passes, and 20 cases are too few to pass.
    assert all(found[where, "0.95"].calls["passes"] == 0 for where in ("200 cases, 10 % undecided", "20 cases"))
    assert found["200 cases", "0.89"].bare > 0.25
