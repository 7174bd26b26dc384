"""Words the finding of an agreement report: the sentence that somebody who must decide needs first, why it is so, and
what to know before trusting it."""

from __future__ import annotations

from collections.abc import Iterable

from ...agreement.report import AgreementReport
from ...agreement.report.people import (
    FEW_CASES,
    HEADLINE_WITHIN,
    JUDGE,
    MAJORITY,
    ONE_PERSON,
    SAME_PEOPLE,
    BestGuesses,
    not_clearly_worse,
)
from ...models.figures import Figure
from ...protocols.base import protocol_of
from ...protocols.origin import judge_note
from ...rendering.wording import about, many, percent, rounded, rounded_percent
from ...statistics.stand_in import PASSES, StandIn
from ..run.conduct import share_sentence
from .bias import bias_sentence
from .charts import ENDINGS, RULES, Figures, constant_of, row_of, value_of, who, with_bounds

_FEW = 30  # with fewer labelled cases the report adds a caution
_MOSTLY_DECIDED, _RARELY_DECIDED = 0.9, 0.5


# -- the sentence ------------------------------------------------------------------------------------------------------


def headline(report: AgreementReport) -> str:
    """Say whether the judge can stand in for a person; if that is not known, how far it agrees with one."""
    if (guesses := mostly_guessed(report)) is not None:
        counted = (
            f"only {report.counted:,} of {guesses.cases:,} labelled cases" if report.counted else "no labelled case"
        )
        answer = guesses.stand_in.answer
        start = f"Decides {counted}; with its best guesses"
        if answer == "open":
            return f"{start}, {_open(guesses.stand_in).lower()}"
        does = f"{answer} stand in for a person" if answer in ("can", "cannot") else _agrees(report, guesses).lower()
        return f"{start} it {does}{_but_so(report, guesses)}"
    if report.more_for_headline is not None:
        count = (
            f"{report.counted:,} {'counts' if report.counted == 1 else 'count'}" if report.counted else "none counts"
        )
        within = f"{100 * HEADLINE_WITHIN:g} {'% of the scale' if report.measured.numeric else 'points'}"
        return f"Too few labels: {count}; about {about(report.more_for_headline)} more for ±{within}"
    decided = _decided(report)
    # The other cases are not decided, so the line says for how many it holds.
    part = "" if decided >= _MOSTLY_DECIDED else f"the {rounded_percent(decided)} "
    found, where = report.stand_in, f" in {part}of cases that it decides" if part else ""
    if found.answer in ("can", "cannot"):
        return f"{found.answer.capitalize()} stand in for a person{where or ' here'}{_but_so(report, report)}"
    if found.answer == "open":
        return _open(found, where)
    return f"{_agrees(report, report)} of {part}it decides" if part else _beside_another(report)


def _open(found: StandIn, where: str = "") -> str:
    asked = f"to tell whether it can stand in for a person{where}"
    if found.more_labels is None:
        return f"Too close {asked}"
    return f"Too few labels {asked}: about {about(found.more_labels)} more"


def unfit(report: AgreementReport, headline: str) -> str:
    """Say behind the headline that the judge is not fit, and why: agreement alone does not make it so."""
    found = report.conduct
    if found is None or found.level != "not_fit":
        return ""
    why = f": {share_sentence(found.worst, found.share)}" if found.worst and found.share is not None else ""
    joint = ", but is" if headline.startswith("Can ") and ", but " not in headline else "; it is"
    return f"{joint} not fit to judge{why}"


def _but_so(report: AgreementReport, figures: Figures) -> str:
    """Name a simple rule that can stand in as well: then the judge has shown nothing."""
    also = figures.stand_in.also
    if not also:
        return ""
    rule = who(also[0], report, figures)
    return f", but so can a simple rule: {rule[0].lower()}{rule[1:]}"


def _decided(report: AgreementReport) -> float:
    return report.counted / max(report.counted + report.left_out.get("undecided", 0), 1)


def mostly_guessed(report: AgreementReport) -> BestGuesses | None:
    """Return the figures with best guesses if the judge decides so few cases that these say more."""
    guesses = report.best_guesses
    few = report.more_for_headline is not None or _decided(report) < _RARELY_DECIDED
    return guesses if guesses is not None and guesses.cases >= FEW_CASES and few else None


def headline_figures(report: AgreementReport) -> Figures:
    """Return the figures that the headline is about."""
    return mostly_guessed(report) or report


def cases_of(figures: Figures) -> str:
    """Say over how many cases these figures are."""
    return many(figures.cases if isinstance(figures, BestGuesses) else figures.counted, "labelled case")


def _person(figures: Figures) -> str:
    """Name whom the judge is compared with: one person, or people's one label."""
    return "a person" if row_of(figures, ONE_PERSON) else "people"


def _agrees(report: AgreementReport, figures: Figures, row: str = JUDGE) -> str:
    main = row_of(figures, row)[report.measured.headline[0]]
    if report.measured.numeric:
        return f"{rounded(main.value, 1)} points from {_person(figures)}"
    return f"Agrees with {_person(figures)} in {rounded_percent(main.value or 0.0)}"


def _beside_another(report: AgreementReport) -> str:
    """Say how far the judge agrees and how far another person does, both over the cases that several labelled."""
    name, numbers = report.measured.headline[0], report.measured.numeric
    another = row_of(report, ONE_PERSON).get(name)
    if another is None or another.value is None or another.cases < FEW_CASES:
        return _agrees(report, report)
    other = f"is {rounded(another.value, 1)}" if numbers else f"does in {rounded_percent(another.value)}"
    if not row_of(report, SAME_PEOPLE):
        return f"{_agrees(report, report)}, where another person {other}"
    over = f"{'over' if numbers else 'of'} the {many(another.cases, 'case')} that several labelled"
    judge = row_of(report, JUDGE)[name]
    of_all = rounded(judge.value, 1) if numbers else f"in {rounded_percent(judge.value or 0.0)}"
    overall = f"{of_all} {'over' if numbers else 'of'} all {judge.cases:,}"
    return f"{_agrees(report, report, SAME_PEOPLE)} {over}, where another person {other}; {overall}"


# -- why ---------------------------------------------------------------------------------------------------------------


def lead(report: AgreementReport) -> tuple[str, ...]:
    """Say what the headline rests on."""
    guesses = report.best_guesses
    guessed = [_with_guesses(report, guesses)] if guesses is not None and guesses.cases >= FEW_CASES else []
    if report.more_for_headline is not None:
        sentence = f"{report.counted or 'None'} of {many(report.labels.cases, 'labelled case')} can be counted"
        left = f": {left_out(report)}" if report.left_out else ""
        return (*guessed, f"{sentence}{left}. A headline needs {FEW_CASES}.")
    decided = _agreement(report, report, "Where it decides, it" if guesses else "It")
    if mostly_guessed(report):
        return (*guessed, decided[0])
    return (*decided, _stand_in(report.stand_in), *guessed)


def _agreement(report: AgreementReport, figures: Figures, start: str = "It") -> list[str]:
    """Say how far the judge agrees with a person, and how far another person does; then with the majority. Where some
    cases have one label only, judge and person are compared over the others."""
    first, second = report.measured.headline
    judge, another, shared, joint = (row_of(figures, name) for name in (JUDGE, ONE_PERSON, SAME_PEOPLE, MAJORITY))
    one, numbers = _person(figures), report.measured.numeric
    own, does = with_bounds(first, judge[first]), "is" if numbers else "does in"
    agrees = f"is {own} points from {one} on average over" if numbers else f"agrees with {one} in {own} of"
    sentence = f"{start} {agrees} {cases_of(figures)}"
    if shared:
        several = f"on the {many(another[first].cases, 'case')} that several people labelled"
        sentence += f"; {several} it {does} {with_bounds(first, shared[first])}, and another person {does}"
    elif another:
        sentence += f"; another person {does}"
    elif not numbers:
        sentence += f"; kappa is {_known(second, judge[second])}"
    sentence += f" {with_bounds(first, another[first])}{_apart(report, figures)}" if another else ""
    if numbers:
        ranks = _known(second, (shared or judge)[second])
        these = f"{'these ' if shared else ''}{protocol_of(report.protocol).noun}s"
        sentence += f". Its order of {these} has a rank correlation of {ranks} with {one}"
        return [f"{sentence}, another person’s has {_known(second, another[second])}." if another else f"{sentence}."]
    rate = percent(next(iter(figures.base_rates.values()), None))
    rate += f" of all {judge[first].cases:,}" if shared else ""
    found = [f"{sentence}. Always saying {constant_of(report, figures)} would agree in {rate}."]
    if joint and isinstance(figures, AgreementReport):
        left = f"; {many(figures.tied, 'case')} without one {'is' if figures.tied == 1 else 'are'} left out"
        same = f"{with_bounds(first, joint[first])} of {many(joint[first].cases, 'case')}"
        found.append(f"With the majority of people it agrees in {same}{left if figures.tied else ''}.")
    return found


def _apart(report: AgreementReport, figures: Figures) -> str:
    """Say how far the judge is behind or ahead of a person, on the same cases."""
    ahead = figures.ahead
    if ahead is None or ahead.value is None or ahead.interval is None:
        return ""
    numbers = report.measured.numeric
    less, more = ("farther away", "nearer") if numbers else ("behind", "ahead")

    def show(value: float) -> str:
        return rounded(abs(value) if numbers else 100 * abs(value), 1)

    def directed(value: float) -> str:
        return f"{show(value)} {less if value < 0 else more}"

    low, high = ahead.interval
    near, far = (low, high) if ahead.value >= 0 else (high, low)
    ends = f"{directed(low)} to {directed(high)}" if low < 0 < high else f"{show(near)} to {show(far)}"
    link = "than" if numbers else "of" if ahead.value > 0 else ""
    than = f"{less if ahead.value < 0 else more} {link}".strip()
    so = f"{show(ahead.value)} points {than} a person" if float(show(ahead.value)) else "level with a person"
    return f", so it is {so} ({ends})"


def _stand_in(found: StandIn) -> str:
    if found.answer == "refused":
        more = f" About {about(found.more_labels)} more labels would do." if found.more_labels else ""
        return f"Whether it can stand in for a person is not tested: {found.reason}.{more}"
    wins = sum(bool(it.wins) for it in found.people)
    loses = sum(bool(it.loses) for it in found.people)
    sentence = (
        f"In the place of each of {found.tested} people in turn, it is as near to the others as that person for {wins} "
        f"of {found.tested}, within a margin of {100 * found.margin:g} percentage points of cases"
    )
    sentence += f", and farther away than that for {loses}" if loses else ""
    sentence += (
        f" (alternative annotator test: winning rate {rounded(found.winning_rate)}, {rounded(PASSES)} is needed; "
        f"average advantage {with_bounds('advantage', found.advantage)})."
    )
    if found.answer != "open":
        return sentence
    if found.more_labels is None or found.more_cases is None:
        return f"{sentence} The labels allow both answers, and very many more would be needed to decide."
    more = f"about {about(found.more_labels)} more, {many(found.more_cases, 'case')} for each of these people"
    return f"{sentence} The labels allow both answers: {more}, should decide."


def _with_guesses(report: AgreementReport, guesses: BestGuesses) -> str:
    agreement = " ".join(_agreement(report, guesses, "With its best guess where it did not decide, it"))
    found = guesses.stand_in
    if found.answer == "refused":
        return agreement
    if mostly_guessed(report):
        return f"{agreement} {_stand_in(found)}"
    answer = {"can": "It can", "cannot": "It cannot"}.get(found.answer, "It is open whether it can")
    return f"{agreement} {answer} stand in for a person then."


def _known(name: str, figure: Figure) -> str:
    """Write the figure, or "not defined". The reason is given below the tables, once for all figures."""
    return "not defined" if figure.value is None else with_bounds(name, figure)


def left_out(report: AgreementReport) -> str:
    """Say why labelled cases are in no figure, and how many."""
    return ", ".join(f"{count:,} {ENDINGS.get(why, why)}" for why, count in report.left_out.items())


# -- before you trust it -----------------------------------------------------------------------------------------------


def cautions(report: AgreementReport) -> Iterable[str]:
    """Say what to know before trusting the finding."""
    if report.conduct is not None and report.conduct.worth_saying:
        yield report.conduct.sentence
    main = report.measured.headline[0]
    if FEW_CASES <= report.counted < _FEW:
        yield f"Only {many(report.counted, 'labelled case')} can be counted: the intervals show how uncertain that is."
    if report.left_out and report.more_for_headline is None:
        total = sum(report.left_out.values())
        where = "in no figure" if report.best_guesses is None else "in no figure over decided cases"
        left = left_out(report)
        yield f"{many(total, 'labelled case')} of the sample {'is' if total == 1 else 'are'} {where}: {left}."
    leading = headline_figures(report)
    judge = row_of(leading, JUDGE)[main]
    rules = [
        f"“{who(name, report, leading)}” is at {value_of(main, rule)}"
        for name in RULES
        if (rule := row_of(leading, name).get(main)) is not None and not_clearly_worse(main, rule, judge)
    ]
    if rules and judge.cases >= FEW_CASES:
        guessed = "" if leading is report else " with best guesses"
        yield f"Not clearly better than a simple rule over {cases_of(leading)}{guessed}: {', '.join(rules)}."
    yield from (bias_sentence(report, name) for name, found in report.biases.items() if found)
    labels = report.labels
    if labels.at_random is None:
        yield "The labelled cases are treated as a random sample of the run: it is not recorded how they were chosen."
    elif labels.cases > labels.at_random:
        yield (
            f"Figures rest on the {many(labels.at_random, 'case')} drawn at random. The other "
            f"{labels.cases - labels.at_random:,} were picked because the judge was unsure: they show where it fails, "
            f"and are in no {'figure but the corrected ones' if picks_count(report) else 'figure'}."
        )
    if report.sampled:
        yield "The run is large: figures about all its cases come from a random sample of them."
    yield from (f"{note[0].upper()}{note[1:]}." for note in labels.notes if note)
    yield from filter(None, [judge_note(report.judge)])


def picks_count(report: AgreementReport) -> bool:
    """Return whether cases that were picked because the judge was unsure count in the corrected figures."""
    return any(found.picked for found in report.corrected.values())
