"""Words how the judge of a run behaved: one sentence that every report of the run begins with, and a table."""

from __future__ import annotations

from dataclasses import dataclass

from ...protocols.figures import TraitKey
from ...rendering.document import Grid, Section
from ...rendering.wording import interval, listed, many, percent, rounded_percent
from ...results.conduct import Conduct, Observed
from ...results.traits import ENOUGH, TRAITS, Level

TITLE = "The judge’s conduct"
MOST_NAMED = 3
_LEVELS: dict[Level, str] = {
    "fine": "fine",
    "look_at": "look at it",
    "not_fit": "not fit",
    "too_few": "too few to tell",
    "not_known": "not known",
}
_HEAD = ("What", "Share", "95 % interval", "Of", "Look at it above", "Not fit above", "Result")


@dataclass(frozen=True, slots=True)
class ConductView:
    """The conduct as every format shows it. `rows` are those of its table, each with its level. `notes` say what the
    table cannot."""

    level: str
    sentence: str
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    notes: tuple[str, ...]

    @property
    def head(self) -> tuple[str, ...]:
        return _HEAD

    @property
    def section(self) -> Section:
        """The table as a section of a report."""
        return Section(TITLE, self.notes, [Grid(_HEAD, [cells for _, cells in self.rows])], key="conduct")


def view_conduct(conduct: Conduct) -> ConductView:
    """Put the conduct into words."""
    notes = [_detail(each) for each in conduct.observed if each.detail and each.hits]
    if conduct.older:
        of = f"{many(conduct.older, 'verdict')} of {conduct.cases:,}"
        notes.append(
            f"{of} came from a version that did not record all of this; they are left out where it is missing."
        )
    rows = tuple((each.level, _cells(each)) for each in conduct.observed)
    return ConductView(conduct.level, conduct_sentence(conduct), rows, tuple(notes))


def conduct_sentence(conduct: Conduct) -> str:
    """Say in one sentence whether the judge behaved, and name the worst of what it did."""
    worst = conduct.of("not_fit") + conduct.of("look_at")
    if worst:
        named = "; ".join(map(_says, worst[:MOST_NAMED]))
        more = f"; and {len(worst) - MOST_NAMED} more" if len(worst) > MOST_NAMED else ""
        begin = "Not fit to judge" if conduct.level == "not_fit" else "Look at the judge’s conduct"
        unknown = _about(conduct, "not_known")
        unrecorded = f"; not known of {unknown}" if unknown else ""
        return f"{begin}: {named}{more}{_always(conduct, '; ')}{unrecorded}."
    if conduct.level == "too_few":
        return f"The judge’s conduct: {_why_untold(conduct)}{_always(conduct, '; ')}."
    unclear = [each for each in conduct.observed if each.unclear]
    doubts = [f"not certain yet: {'; '.join(map(_says, unclear))}"] if unclear else []
    few = _about(conduct, "too_few")
    doubts += [f"too few cases to tell about {few}"] if few else []
    more = "".join(f"; {each}" for each in doubts)
    if conduct.level == "fine":
        return f"The judge’s conduct is fine{_always(conduct, ', but ')}{more}."
    if not conduct.observed:
        return "The judge’s conduct: not known, because this judge writes no replies."
    unknown = f"not known of {_about(conduct, 'not_known')}, which the version that made this run did not record"
    fine = _about(conduct, "fine")
    known = f"; what is known ({fine}) is fine" if fine else ""
    return f"The judge’s conduct: {unknown}{known}{_always(conduct, ', but ' if fine else '; ')}{more}."


def share_sentence(trait: TraitKey, share: float) -> str:
    """Say one share, without its interval."""
    return TRAITS[trait].sentence.format(rounded_percent(share))


def _about(conduct: Conduct, level: Level) -> str:
    """Name what is at this level, in the order of the table; what is not certain is elsewhere in the sentence."""
    names = [TRAITS[each.trait].about for each in conduct.observed if each.level == level and not each.unclear]
    return listed(names, len(names))


def _always(conduct: Conduct, joint: str) -> str:
    """Name the criteria whose scores never vary: these scores say nothing of an answer."""
    if not conduct.always:
        return ""
    named = [f"{name} is always {score:g}" for name, score in conduct.always.items()]
    more = f"; and {len(named) - MOST_NAMED} more never vary" if len(named) > MOST_NAMED else ""
    why = " (the embedded judge does not assess every criterion)" if conduct.embedded else ""
    return f"{joint}{'; '.join(named[:MOST_NAMED])}{more}{why}"


def _why_untold(conduct: Conduct) -> str:
    """Say why too few cases, or tasks, tell nothing of the conduct."""
    few = conduct.of("too_few")
    if conduct.cases >= ENOUGH and (alike := next((each.figure.reason for each in few if each.figure.reason), "")):
        return f"too few tasks to tell, because {alike}"
    have = f"{many(conduct.replies, 'reply', 'replies')} to " if conduct.replies else ""
    return f"too few cases to tell ({have}{many(conduct.cases, 'case')}; {ENOUGH} are needed)"


def _says(each: Observed) -> str:
    sentence = share_sentence(each.trait, each.figure.value or 0.0)
    within = interval(each.figure.interval, rounded_percent).replace(" %", "", 1)
    return f"{sentence} ({within})"


def _detail(each: Observed) -> str:
    if each.trait == "position":
        return f"Where the preference follows the position, it is mostly for the {each.detail} answer."
    return f"Scores that never vary: {each.detail}."


def _cells(each: Observed) -> tuple[str, ...]:
    figure, trait = each.figure, TRAITS[each.trait]
    unfit = "–" if trait.not_fit is None else rounded_percent(trait.not_fit)
    of = f"{each.hits:,} of {each.of:,}" if each.of else figure.reason
    result = "not certain" if each.unclear else _LEVELS[each.level]
    share = percent(figure.value), interval(figure.interval, percent)
    return trait.name, *share, of, rounded_percent(trait.look_at), unfit, result
