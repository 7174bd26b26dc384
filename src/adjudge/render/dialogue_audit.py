"""The audit of a dialogue's verdict: the written-out sum, how it was mapped, the rules that fired, the evidence.

It recounts what the verdict holds. A quote that does not stand in the transcript is an error in our code, and raises.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..cases import Dialogue
from ..verdicts import DialogueVerdict, RefereeRule, Utterance
from .dialogue_wording import RULES, TAKEN
from .wording import hundredths


def check_quotes(verdict: DialogueVerdict, case: Dialogue) -> None:
    """Every quote stands where it says it stands, in this transcript."""
    for quote in _quotes(verdict):
        turn = case.turns[quote.turn] if 0 <= quote.turn < len(case.turns) else None
        if (
            turn is None
            or (turn.speaker, turn.line) != (quote.speaker, quote.line)
            or turn.text[quote.start : quote.end] != quote.quote
        ):
            raise ValueError(
                f"the quote at {quote.start}:{quote.end} of line {quote.line} does not stand in this dialogue"
            )


def _quotes(verdict: DialogueVerdict) -> Iterator[Utterance]:
    for opinions in (verdict.evaluation.marks, verdict.critique.entries, verdict.rulings):
        for opinion in opinions.values():
            yield from opinion.quotes


def decisions(verdict: DialogueVerdict) -> list[str]:
    """A sentence for each rule that fired: which suggestions it took, or which scores it kept."""
    by_rule: dict[RefereeRule, list[str]] = {}
    for key in verdict.weights:
        by_rule.setdefault(verdict.rulings[key].rule, []).append(key)
    return [
        f"{did} ({why}): {', '.join(_change(verdict, key) for key in by_rule[rule])}."
        for rule, (did, why) in RULES.items()
        if rule in by_rule
    ]


def _change(verdict: DialogueVerdict, key: str) -> str:
    score = format(verdict.evaluation.marks[key].value, "f")
    ruling, objection = verdict.rulings[key], verdict.critique.entries[key]
    if ruling.rule in TAKEN:
        return f"{key} {score} → {ruling.value:f}"
    if objection.suggested is not None:
        return f"{key} {score} ({objection.suggested:f} suggested)"
    return f"{key} {score}"


def evidence(verdict: DialogueVerdict) -> list[Utterance]:
    """The verified quotes behind the final justifications, each once, in the order of the transcript."""
    found: dict[str, Utterance] = {}
    quotes = [quote for ruling in verdict.rulings.values() for quote in ruling.quotes]
    for quote in sorted(quotes, key=lambda quote: (quote.turn, quote.start, quote.end)):
        found.setdefault(quote.shown, quote)
    return list(found.values())


def weighted_calc(verdict: DialogueVerdict) -> str:
    """The sum as it is added up: `100*0.40 + 60*0.15 + … = 88.00`."""
    terms = (f"{verdict.rulings[key].value:f}*{hundredths(weight)}" for key, weight in verdict.weights.items())
    return f"{' + '.join(terms)} = {hundredths(verdict.final_average)}"


def mapping_rule(verdict: DialogueVerdict) -> str:
    """How the average becomes a step of the scale: `round down 88.00 → 80`."""
    return f"round down {hundredths(verdict.final_average)} → {verdict.overall_experience:f}"
