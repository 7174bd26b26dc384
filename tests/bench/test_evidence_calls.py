"""The bench that counts second calls: its judge fills in the form it is sent, and errs as often as it is told."""

import pytest


@pytest.mark.parametrize(("garbled", "calls", "second"), [(0, 6, 0), (1, 12, 6)])
def test_a_judge_that_copies_well_is_asked_once_an_order_and_one_that_garbles_all_twice(call, garbled, calls, second):
    done = call("evidence_calls", "--comparisons", 3, "--garbled", garbled)
    told = {line[:20].strip(): line[20:].split() for line in done.splitlines()[1:]}
    assert told["calls"] == [str(calls), "of", "them", "second", "ones", str(second), "for", "6", "replies"]
    # Three comparisons, seven criteria, two answers, two orders; or the same quote of both orders, once.
    assert 3 * 7 * 2 * (1 - garbled) <= int(told["verified quotes"][0]) <= 3 * 7 * 2 * 2 * (1 - garbled)
    assert int(told["verified quotes"][-1]) == 3 * 7 * 2 * garbled
