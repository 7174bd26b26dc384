"""Picks the cases of a run that people should label.

Half of the picks (by default) are a random sample of the judged cases; figures about the judge come from these. The
others are cases where the judge disagrees with itself or hardly decides. They show where it fails, but would make any
average look worse than it is, unless they are weighted by their share of the run (`doubtful_stratum`). Picks are stored
in `labels/selection.json`; raising the number adds to them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal

from ...errors import InputError, plain_reason
from ...files import TEMPORARY, open_private, replacing, try_lock
from ...models.base import Frozen, Plain, from_json, to_json
from ...models.common import Order
from ...models.verdict import Verdict
from ...protocols.base import protocol_of
from ...results.run import Reader, Run

Stratum = Literal["random", "disagreement"]
FOLDER, SELECTION = "labels", "selection.json"
USUAL = 60
MAX_PICKS = 10_000
HALF = Decimal("0.5")


class Pick(Frozen):
    """A case to label, and why it was picked. Only `annotator` gets it; if that is None, everybody does."""

    position: int
    case: str
    stratum: Stratum
    why: str
    annotator: str | None = None


class Selection(Frozen):
    """All picks of a run in the order in which they are shown, and the settings they were drawn with."""

    format: Literal[1] = 1
    seed: int = 0
    random_share: Plain = HALF
    picks: tuple[Pick, ...] = ()

    def of(self, annotator: str | None) -> list[Pick]:
        """Return the picks that only this person gets; with None, those that everybody gets."""
        return [pick for pick in self.picks if pick.annotator == annotator]


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A judged case: the reasons to doubt its verdict, and how far the verdict is from a different one."""

    position: int
    case: str
    doubts: tuple[str, ...]
    margin: float


def select_cases(
    run: Run, n: int | None, *, seed: int | None, random_share: Decimal | None, annotator: str | None = None
) -> Selection:
    """Return the run's selection with at least `n` picks for everybody, or for this person alone, as far as there are
    cases. Without `n`, keep the picks or, if there are none, draw the usual number. The seed and the random share of
    an existing selection cannot be changed."""
    with _locked(run.folder / FOLDER) as folder:
        drawn = read_selection(run)
        if drawn is None:
            drawn = Selection(seed=seed or 0, random_share=HALF if random_share is None else random_share)
        for option, asked, kept in (("--seed", seed, drawn.seed), ("--random-share", random_share, drawn.random_share)):
            if asked is not None and asked != kept:
                raise InputError(option, str(asked), f"the cases of this run were picked with {kept}: omit it")
        picked = drawn.of(annotator)
        if picked and (n is None or n <= len(picked)):
            return drawn
        grown = grow(drawn, candidates(run), n or USUAL, annotator)
        if grown != drawn:
            with replacing(folder / SELECTION) as file:
                file.write(to_json(grown, indent=True))
    return grown


def read_selection(run: Run) -> Selection | None:
    """Read the picks of a run; None if there are none yet."""
    path = run.folder / FOLDER / SELECTION
    try:
        return from_json(Selection, path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {plain_reason(error)}") from None
    except (ValueError, TypeError):
        allowed = "restore the file that `adjudge label` wrote"
        raise InputError(str(path), "not a selection of cases", allowed) from None


def grow(selection: Selection, among: Sequence[JudgedCase], n: int, annotator: str | None = None) -> Selection:
    """Extend the selection to `n` picks for this person (None: for everybody), as far as there are cases.

    The random stratum is the beginning of one random order of all cases. If that order reaches a case that was picked
    for its doubts, the case moves to the random stratum: leaving it out would bias the sample.
    """
    picks = {pick.position: pick for pick in selection.picks}
    mine = len(selection.of(annotator))
    at_random = sum(pick.stratum == "random" for pick in selection.of(annotator))
    wanted = math.ceil(n * selection.random_share)
    new: list[Pick] = []

    def add(candidate: JudgedCase, stratum: Stratum, why: str) -> None:
        pick = Pick(position=candidate.position, case=candidate.case, stratum=stratum, why=why, annotator=annotator)
        picks[candidate.position] = pick
        new.append(pick)

    for candidate in sorted(among, key=lambda case: _draw(selection.seed, "sample", case.position)):
        known = picks.get(candidate.position)
        if at_random >= wanted or mine + len(new) >= n:
            break
        if known is None:
            add(candidate, "random", "drawn at random")
        elif known.stratum == "disagreement":
            picks[candidate.position] = known.updated(stratum="random")
        else:
            continue
        at_random += known is None or known.annotator == annotator
    by_doubt = _by_doubt(selection, (candidate for candidate in among if candidate.position not in picks))
    for candidate in by_doubt[: max(0, n - mine - len(new))]:
        add(candidate, "disagreement", ", ".join(candidate.doubts) or "small margin")
    # Mix both kinds, so that a person who stops early has labelled some of each and cannot tell them apart.
    new.sort(key=lambda pick: _draw(selection.seed, "order", pick.position))
    kept = tuple(picks[pick.position] for pick in selection.picks)
    return selection.updated(picks=(*kept, *new))


def doubtful_stratum(
    selection: Selection, among: Sequence[JudgedCase], labelled: Collection[int]
) -> frozenset[int] | str:
    """Return the cases that had to be picked, drawn at random or not, or why these are not known.

    They are the most doubtful ones, up to the last that was picked for its doubts: each was picked with certainty. Of
    the other cases, those drawn at random remain a random sample. If not all of them have been labelled, it must be
    chance which: that is so if all were picked at once, because picks are shown in random order.
    """
    picks = {pick.position: pick.stratum for pick in selection.picks}
    ordered = [case.position for case in _by_doubt(selection, among)]
    doubted = [at for at, position in enumerate(ordered) if picks.get(position) == "disagreement"]
    found = ordered[: doubted[-1] + 1] if doubted else []
    if len(doubted) < sum(stratum == "disagreement" for stratum in picks.values()) or not set(found) <= picks.keys():
        return "the run has changed since they were picked"
    shown = [_draw(selection.seed, "order", pick.position) for pick in selection.picks]
    if shown != sorted(shown) and not set(found) <= set(labelled):
        return "they were picked in several steps, and not all of them are labelled"
    return frozenset(found)


def order_for(selection: Selection, annotator: str, position: int) -> Order:
    """Return which answer a person sees first. It stays the same whenever the case is shown to them again."""
    return "ab" if _draw(selection.seed, f"shown {annotator}", position)[-1] % 2 else "ba"


def _by_doubt(selection: Selection, among: Iterable[JudgedCase]) -> list[JudgedCase]:
    """Return the cases by how much reason there is to doubt their verdicts, most first."""

    def key(case: JudgedCase) -> tuple[int, float, bytes]:
        return -len(case.doubts), case.margin, _draw(selection.seed, "doubt", case.position)

    return sorted(among, key=key)


def _draw(seed: int, purpose: str, position: int) -> bytes:
    """Return a case's own random number. It does not depend on other cases, so adding cases does not change it."""
    return hashlib.blake2b(f"{seed} {purpose} {position}".encode(), digest_size=8).digest()


def candidates(run: Run) -> list[JudgedCase]:
    """Return the cases that have a verdict to compare labels with; of copies of a case, only the first."""
    from ...results.database import opened

    labelling, value = run.protocol.labelling, run.protocol.measured.value
    doubts, margin = labelling.doubts, f"({labelling.margin(run.rubric)})::DOUBLE"
    asked = f"""select {", ".join(("r.position", 'r."case"', "r.judge", margin, *doubts.values()))}
        from results as r join cases as c using (position) where r.status = 'verdict' and ({value}) is not null
        qualify row_number() over (partition by c.content order by r.position) = 1 order by r.position"""
    found = []
    with opened(run) as database, Reader(run) as reader:
        for position, case, judge, margin, *there in database.query(asked):
            reasons = [doubt for doubt, is_there in zip(doubts, there, strict=True) if is_there]
            if "jury" in judge and jurors_agree(reader.verdict(position)) is False:
                reasons.append("jurors disagree")
            found.append(JudgedCase(position, case, tuple(reasons), margin))
    if not found:
        allowed = f"continue it: adjudge run --resume {run.folder}"
        raise InputError(str(run.folder), "no case has a verdict yet", allowed)
    return found


def jurors_agree(verdict: Verdict) -> bool | None:
    """Return whether all members of a jury say the same, whenever they were asked. Return None without a jury, and if
    no member decides."""
    votes = protocol_of(verdict.protocol).measured.jury_votes(verdict)
    return all(len(each) < 2 for each in votes) if any(votes) else None


@contextmanager
def _locked(folder: Path) -> Iterator[Path]:
    """Lock the label folder, creating it if needed, so that no other process picks cases at the same time."""
    make_folder(folder)
    try:
        lock = open_private(folder / "lock", "ab")
    except OSError as error:
        raise InputError(str(folder), f"cannot be written: {plain_reason(error)}") from None
    with lock:
        try_lock(lock.fileno(), wait=True)
        for left in folder.glob(f"{TEMPORARY}*"):
            left.unlink()
        yield folder


def make_folder(folder: Path) -> None:
    """Create the label folder, readable only by this user. Refuse a symbolic link."""
    if folder.is_symlink():
        raise InputError(str(folder), "is a symbolic link", "it must be a real folder inside the run")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise InputError(str(folder), f"cannot be made: {plain_reason(error)}") from None
