"""The sentences every report says about a verdict, and its numbers as people write them.

Plain text, not escaped for any format: whoever shows a sentence escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from .. import arithmetic
from ..arithmetic import plain
from ..models import LABELS, Call, ComparisonVerdict, Evidence, Label, OrderReport, Score, total_cost, total_usage
from ..rubric import Rubric

_DECISIONS = {
    "higher_total": "The higher weighted total decides.",
    "equal_totals": "The weighted totals are equal, so it is a tie.",
    "judge_prefers_tie": "The totals are close and the judge itself prefers neither answer, so it is a tie.",
    "both_orders_tie": "One order has equal totals; in the other they are close and the judge prefers neither answer: "
    "it is a tie.",
    "orders_disagree": "The orders do not name the same winner and the averaged totals are close, so it is a tie.",
    "averaged_totals": "The orders do not name the same winner; the averaged totals are far enough apart to decide.",
}
_FIRST = {"ab": "A first", "ba": "B first"}
_EMBEDDED = "The embedded judge works from text features only: it does not check facts, follow an argument or run code."
_EMBEDDED_IN_JURY = "One member of the jury, the embedded judge, works from text features only."

FAVORABLE, UNFAVORABLE = "+", "−"


def headline(verdict: ComparisonVerdict) -> str:
    """Who won, in a few words; or that nobody knows, and the best guess."""
    if verdict.decided:
        return "It is a tie" if verdict.winner == "tie" else f"Response {verdict.winner} wins"
    guess = "a tie" if verdict.winner == "tie" else f"response {verdict.winner}"
    return f"Undecided; the best guess is {guess}"


def confidence_sentence(verdict: ComparisonVerdict) -> str:
    """How sure the judge is, as a sentence; empty if it does not say."""
    if verdict.confidence is None:
        return ""
    sure = f"{int(verdict.confidence * 100)} % sure"
    if verdict.decided:
        return f"The judge is {sure}."
    return f"The judge is only {sure}, which is not enough to decide: one that reads the answers would settle it."


def decision(verdict: ComparisonVerdict) -> str:
    """The rule that decided, as a sentence; or that behind the best guess, where the judge is not sure enough."""
    if not verdict.decided:
        return "The judge is not sure enough to decide; the totals give the best guess."
    return _DECISIONS.get(verdict.decided_by, f"Decided by: {verdict.decided_by.replace('_', ' ')}.")


def order_sentence(order: OrderReport) -> str:
    """Whether it mattered which answer stood first, as a sentence."""
    if order.consistent is None:
        shown = " and ".join(_FIRST[name] for name in order.judged)
        seed = "" if order.drawn_from_seed is None else f", drawn from seed {order.drawn_from_seed}"
        return f"Judged in one order only ({shown}{seed}), so whether the order mattered is not known."
    if order.consistent:
        winner = next(iter(order.winners.values()))
        named = "both call it a tie" if winner == "tie" else f"both name {winner}"
    else:
        named = "they disagree: " + ", ".join(
            f"{'a tie' if winner == 'tie' else f'{winner} wins'} with {_FIRST[name]}"
            for name, winner in order.winners.items()
        )
    if any(order.moved.values()):
        moved = "totals moved by " + " and ".join(f"{signed(order.moved[label])} for {label}" for label in LABELS)
    else:
        moved = "totals did not move"
    return f"Judged in both orders; {named}; {moved}."


def judge_note(judge: str) -> str:
    """What a reader must know about this judge before trusting it; empty for most."""
    if judge.startswith("embedded"):
        return _EMBEDDED
    members = re.split(r"[:+]", judge)
    return _EMBEDDED_IN_JURY if judge.startswith("jury:") and "embedded" in members else ""


def cost_sentence(calls: Sequence[Call]) -> str:
    """Calls, tokens and dollars."""
    if not calls:
        return "no model was called; no cost"
    usage = total_usage(calls)
    count = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
    tokens = f"{usage.input_tokens:,} input and {usage.output_tokens:,} output tokens"
    if usage.reasoning_tokens:
        tokens += f" ({usage.reasoning_tokens:,} of them reasoning)"
    return f"{count}, {tokens}, {dollars(total_cost(calls))}"


def criterion_names(keys: Iterable[str], rubric: Rubric | None) -> dict[str, str]:
    """What to call each criterion: as the rubric does, or its key as words where the rubric is not at hand."""
    named = {criterion.key: criterion.name for criterion in rubric.criteria} if rubric else {}
    return {key: named.get(key) or key.replace("_", " ").capitalize() for key in keys}


def number(value: Decimal) -> str:
    """All digits of a number, without an exponent; a real minus sign."""
    return format(value, "f").replace("-", "−")


def score(given: Score) -> str:
    """A score; in brackets where it was not assessed and only stands for the middle."""
    return number(given.value) if given.assessed else f"({number(given.value)})"


def hundredths(value: Decimal) -> str:
    """All digits of a number, and at least two decimals, as a program reads them: 88.00, 0.125."""
    return format(arithmetic.hundredths(value), "f")


def signed(value: Decimal) -> str:
    """A number with its sign; nought has none."""
    return number(value) if value <= 0 else f"+{number(value)}"


def dollars(cost: Decimal | None) -> str:
    """An amount, or that it is not known."""
    return "price unknown" if cost is None else f"${number(plain(cost))}"


def sign(item: Evidence) -> str:
    """Plus for a quote that speaks for its answer, minus for one against it."""
    return FAVORABLE if item.impact == "favorable" else UNFAVORABLE


def telling_quote(evidence: Iterable[Evidence], score: Decimal, other: Decimal) -> Evidence | None:
    """The one quote to show: the first that fits how this answer did against the other, else the first."""
    items = list(evidence)
    wanted = "favorable" if score >= other else "unfavorable"
    return next((item for item in items if item.impact == wanted), items[0] if items else None)


def other(label: Label) -> Label:
    """The other answer."""
    return "B" if label == "A" else "A"
