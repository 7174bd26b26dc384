"""What a run has paid is read off its journal: after kills, with retries, under a limit on dollars or on calls."""

import json
import re
import sqlite3
from decimal import Decimal

import pytest
from runs.conftest import judging_but, pairs
from scripted.provider import judges, says

from adjudge.errors import InputError
from adjudge.journal import Stored, open_journal
from adjudge.judges.budget import LocalBudget
from adjudge.models.common import Usage
from adjudge.runs.plan import RunOptions


def forget_outcomes(folder, *, unread=0):
    """Leave of a run what a kill leaves: the replies, of which the last ones were not read yet."""
    with sqlite3.connect(folder / "journal.db") as journal:
        journal.execute("delete from outcomes")
        journal.execute("delete from verdicts")
        journal.execute(
            "update calls set picodollars = null, input_tokens = 0, output_tokens = 0 where key in "
            "(select key from calls order by key limit ?)",
            [unread],
        )
    (folder / "verdicts.jsonl").write_bytes(b"")
    (folder / "summary.json").unlink()


@pytest.mark.parametrize("unread", [0, 3])
async def test_the_budget_counts_what_a_killed_process_paid(provider, command, priced, files, unread):
    await command.run(8, *priced)
    whole, calls = files.summary, provider.calls
    forget_outcomes(files.path, unread=unread)
    done = await command.resume("--json-progress")
    shown = json.loads(done.err.splitlines()[-1])
    for name in ("paid_usd", "cost_usd", "calls", "input_tokens", "output_tokens"):
        assert files.summary[name] == shown[name] == whole[name], name
    assert files.summary["paid_usd"] == files.summary["cost_usd"] != "0"
    assert provider.calls == calls


async def test_no_call_is_sent_where_a_killed_process_spent_the_budget(provider, command, priced, files):
    await command.run(12, *priced, "--limit", "8")
    paid, calls = float(files.summary["paid_usd"]), provider.calls
    forget_outcomes(files.path, unread=4)
    done = await command.resume("--budget", paid, "--concurrency", "1", exits=1)
    assert "stopped by the budget" in done.err
    assert provider.calls == calls
    assert (files.summary["verdicts"], float(files.summary["paid_usd"])) == (8, paid)


async def test_a_budget_is_the_runs_total_over_all_resumes_and_none_lifts_it(provider, command, priced, files):
    done = await command.run(40, *priced, "--concurrency", "4", "--budget", "0.08", exits=1)
    assert re.search(
        r"stopped by the budget: \$0\.0\d+ is spent of a budget of \$0\.08, and one more call may cost up "
        r"to \$0\.0\d+, with a reply of [\d,]+ tokens; continue with a higher one \(none removes the limit\): "
        r"adjudge run --resume out --budget USD$",
        done.err, re.MULTILINE,
    ), done.err  # fmt: skip
    spent, calls = Decimal(files.summary["paid_usd"]), provider.calls
    assert 0 < spent <= Decimal("0.08") and files.summary["open"] > 0 and files.summary["failures"] == 0
    assert "is spent of a budget of $0.08" in (await command.resume(exits=1)).err
    # What is left may do for a call or two, and never for more than the budget.
    assert Decimal(files.summary["paid_usd"]) <= Decimal("0.08") and provider.calls - calls <= 2
    assert "nothing was sent" in (await command.resume("--budget", format(spent, "f"), exits=1)).err
    assert provider.calls < 40
    await command.resume("--budget", "none")
    files.check_complete(40)
    assert provider.calls == 40
    assert json.loads((files.path / "run.json").read_text())["options"]["budget"] is None


async def test_after_a_resume_the_budget_still_knows_how_large_the_replies_were(provider, command, priced, files):
    judge = priced[:3]  # with as many tokens as a reply may have
    await command.run(20, *judge, "--limit", "12")
    (largest,) = files.summary["largest_replies"]
    assert (largest["judge"], largest["replies"], largest["output_tokens"]) == ("openai:gpt-4o", 12, 200)
    # A reply of 8,192 tokens would cost $0.08 and not fit; one like those before costs half a cent.
    left = Decimal(files.summary["paid_usd"]) + Decimal("0.06")
    await command.resume("--budget", format(left, "f"))
    assert files.summary["largest_replies"][0]["replies"] == 20
    files.check_complete(20)


@pytest.mark.parametrize("shared", ["rows", "orders"])
async def test_what_equal_rows_or_both_orders_share_is_paid_once_and_uses_the_budget_once(
    provider, command, priced, files, shared
):
    if shared == "rows":
        rows, options = [*(pairs(1) * 30), *pairs(3)], (*priced, "--budget", "0.2")
    else:  # of identical answers both orders ask the same
        rows, options = [{**row, "b": row["a"]} for row in pairs(3)], priced[:2]
    done = await command.run(rows, *options)
    files.check_complete(len(rows))
    assert provider.calls == 3
    assert "\n3 calls, " in done.out and " was paid by this run" not in done.out
    assert files.summary["paid_usd"] == files.summary["cost_usd"] == "0.012"


async def test_replies_that_another_run_paid_for_are_used_and_not_paid(provider, command, priced, files):
    for name in ("first", "out"):
        done = await command.run(3, *priced, "--journal", "shared.db", folder=name)
    assert provider.calls == files.summary["calls"] == 3 and float(files.summary["cost_usd"]) > 0
    assert files.summary["paid_usd"] == "0"
    assert "$0.0000 was paid by this run; the other replies were already stored" in done.out


async def test_totals_do_not_shrink_when_failures_are_tried_again(provider, command, asked, files):
    provider.script = judging_but(dict.fromkeys(range(2), says("nonsense")))
    await command.run(6, *asked, exits=1)
    calls = provider.calls
    assert (files.summary["failures"], files.summary["calls"], files.summary["reasons"]) == (2, calls, {"malformed": 2})
    provider.script = lambda request: judges()
    dry = await command.resume("--retry-failed", "--dry-run")
    assert "about 2 calls" in dry.err, "the failed cases are asked again"
    await command.resume("--retry-failed")
    assert files.summary["calls"] == provider.calls == calls + 2
    await command.resume()
    assert files.summary["calls"] == provider.calls, "also when the run is opened once more"


async def test_failures_that_were_not_reached_stay_failures(provider, command, asked, files):
    provider.script = lambda request: says("nonsense")
    await command.run(5, *asked, "--concurrency", "1", exits=1)
    provider.script = lambda request: judges()
    done = await command.resume("--retry-failed", "--max-calls", provider.calls + 2, exits=1)
    told = {name: files.summary[name] for name in ("verdicts", "failures", "open", "reasons")}
    assert told == {"verdicts": 2, "failures": 3, "open": 0, "reasons": {"malformed": 3}}
    assert len(files.failures) == 3 and "still open" not in done.out


async def test_at_most_so_many_calls_are_sent_over_all_resumes(provider, command, asked, files):
    done = await command.run(10, *asked, "--max-calls", "4", exits=1)
    assert (provider.calls, files.summary["verdicts"]) == (4, 4)
    assert "4 of at most 4 calls were sent" in done.err and "--max-calls COUNT" in done.err
    for options, exits, calls in (((), 1, 4), (("--max-calls", "7"), 1, 7), (("--max-calls", "none"), 0, 10)):
        await command.resume(*options, exits=exits)
        assert provider.calls == calls
    refused = await command.resume("--max-calls", "many", exits=2)
    assert "--max-calls: many; a whole number of calls, or none" in refused.err


@pytest.mark.parametrize("budget", ["NaN", "inf", "0", "-1"])
def test_a_budget_is_a_number_of_dollars(budget):
    with pytest.raises(InputError, match="--budget"):
        RunOptions(budget=Decimal(budget))


async def test_a_judge_without_a_price_is_not_held_up_by_an_overspent_budget():
    budget = LocalBudget(Decimal(1), spent=Decimal("1.05"))
    assert await budget.reserve(lambda: Decimal(0)) == 0
    assert await budget.reserve(lambda: Decimal("0.01")) is None


async def test_a_reply_that_an_earlier_process_paid_for_is_charged_once(tmp_path):
    for attempt in range(3):
        journal = open_journal(tmp_path / "journal.db")
        journal.run_id = "run"
        if attempt == 0:
            await journal.put("k", Stored.now(b"{}", 1))
        else:
            assert [await journal.settle("k"), await journal.settle("k")] == [attempt == 1, False]
        if attempt == 1:
            journal.record_call("k", Decimal("0.5"), Usage())
        paid = journal.calls_of("run")
        journal.close()
    assert (paid.paid, paid.sent) == (Decimal("0.5"), 1)
