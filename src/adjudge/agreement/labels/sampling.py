"""Which cases of a run are most worth a person's minute, and which of them were drawn at random.

Half of the picks (by default) are a random sample of the judged cases: figures about the judge come from these. The
others are cases where the judge disagrees with itself or hardly decides: they show where it fails, and would make any
average look worse than it is. Picks are kept in `labels/selection.json`; raising the number adds to them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from ...errors import InputError, plain_reason
from ...files import TEMPORARY, open_private, replacing, try_lock
from ...models.base import Frozen, Plain, from_json, to_json
from ...models.comparison import ComparisonVerdict, Order
from ...models.dialogue import DialogueVerdict
from ...models.rows import NO_PREFERENCE, Verdict
from ...protocols.dialogue import jury_results
from ...results.run import Reader, Run

Stratum = Literal["random", "disagreement"]
FOLDER, SELECTION = "labels", "selection.json"
USUAL = 60
MAX_PICKS = 10_000
HALF = Decimal("0.5")
# Why a verdict may be doubted by what the judge itself said, in SQL.
_DOUBTS = {
    "compare": {"orders disagree": "r.order_consistent is false", "undecided": "r.decided is false"},
    "dialogue": {"Evaluator and Critic disagree": "r.objections > 0"},
    "review": {"differs from what was entered": "r.likert_action = 'replaced'"},
}


class Pick(Frozen):
    """A case to label, and why it was picked; `annotator` is the only one who gets it, None for everybody."""

    position: int
    case: str
    stratum: Stratum
    why: str
    annotator: str | None = None


class Selection(Frozen):
    """All picks of a run in the order in which they are shown, and what they were drawn from."""

    format: Literal[1] = 1
    seed: int = 0
    random_share: Plain = HALF
    picks: tuple[Pick, ...] = ()

    def of(self, annotator: str | None) -> list[Pick]:
        """The picks of one person alone; with None, those that everybody gets."""
        return [pick for pick in self.picks if pick.annotator == annotator]


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A judged case: what speaks for showing it to a person, and how far the verdict is from another one."""

    position: int
    case: str
    doubts: tuple[str, ...]
    margin: float


def select_cases(
    run: Run, n: int | None, *, seed: int | None, random_share: Decimal | None, annotator: str | None = None
) -> Selection:
    """The run's selection with at least `n` picks for everybody, or for this person alone.

    Without `n` it is left as it is, or gets its usual size if there is none. What it was drawn from cannot be changed.
    """
    with _held(run.folder / FOLDER) as folder:
        drawn = read_selection(run)
        if drawn is None:
            drawn = Selection(seed=seed or 0, random_share=HALF if random_share is None else random_share)
        for option, asked, kept in (("--seed", seed, drawn.seed), ("--random-share", random_share, drawn.random_share)):
            if asked is not None and asked != kept:
                raise InputError(option, str(asked), f"the cases of this run were picked with {kept}: leave it out")
        picked = drawn.of(annotator)
        if picked and (n is None or n <= len(picked)):
            return drawn
        grown = grow(drawn, candidates(run), n or USUAL, annotator)
        if grown != drawn:
            with replacing(folder / SELECTION) as file:
                file.write(to_json(grown, indent=True))
    return grown


def read_selection(run: Run) -> Selection | None:
    """The picks that were made for a run; None if there are none yet."""
    path = run.folder / FOLDER / SELECTION
    try:
        return from_json(Selection, path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {plain_reason(error)}") from None
    except (ValueError, TypeError):
        allowed = "the file as `adjudge label` wrote it is needed"
        raise InputError(str(path), "not a selection of cases", allowed) from None


def grow(selection: Selection, among: Sequence[JudgedCase], n: int, annotator: str | None = None) -> Selection:
    """The selection with `n` picks for this person (None: for everybody), as far as there are cases.

    The random stratum is the beginning of one random order of all cases. A case that was picked for its doubts and
    comes up in that order belongs to the random stratum from then on: left out, it would bias the sample.
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
    by_doubt = sorted(
        (candidate for candidate in among if candidate.position not in picks),
        key=lambda case: (-len(case.doubts), case.margin, _draw(selection.seed, "doubt", case.position)),
    )
    for candidate in by_doubt[: max(0, n - mine - len(new))]:
        add(candidate, "disagreement", ", ".join(candidate.doubts) or "small margin")
    # Mixed, so that whoever stops early has labelled some of each kind, and cannot tell which is which.
    new.sort(key=lambda pick: _draw(selection.seed, "order", pick.position))
    kept = tuple(picks[pick.position] for pick in selection.picks)
    return selection.updated(picks=(*kept, *new))


def order_for(selection: Selection, annotator: str, position: int) -> Order:
    """Which answer a person sees first; the same whenever the case is shown to them again."""
    return "ab" if _draw(selection.seed, f"shown {annotator}", position)[-1] % 2 else "ba"


def _draw(seed: int, purpose: str, position: int) -> bytes:
    """A random number of a case that depends on nothing else, so that cases added later move no other."""
    return hashlib.blake2b(f"{seed} {purpose} {position}".encode(), digest_size=8).digest()


def candidates(run: Run) -> list[JudgedCase]:
    """The cases that have a verdict to be compared with; of copies of a case only the first."""
    from ...results.database import opened

    doubts = _DOUBTS[run.protocol]
    # A dialogue's overall experience is the average rounded down: near a step little would change it.
    steps = ", ".join(f"abs(r.average - {step})" for step in run.rubric.scale.values)
    value, margin = {
        "compare": ("r.winner", "abs(r.normalized_a - r.normalized_b)"),
        "dialogue": ("r.average", f"least({steps})"),
        "review": ("r.likert", f"abs(r.likert - {NO_PREFERENCE})"),  # an invalid one has nothing to compare
    }[run.protocol]
    asked = f"""select r.position, r."case", r.judge, ({margin})::DOUBLE, {", ".join(doubts.values())}
        from results as r join cases as c using (position) where r.status = 'verdict' and {value} is not null
        qualify row_number() over (partition by c.content order by r.position) = 1 order by r.position"""
    found = []
    with opened(run) as database, Reader(run) as reader:
        for position, case, judge, margin, *said in database.query(asked):
            told = [doubt for doubt, there in zip(doubts, said, strict=True) if there]
            split = "jury" in judge and jurors_agree(reader.verdict(position)) is False
            found.append(JudgedCase(position, case, (*told, *(["jurors disagree"] if split else [])), margin))
    if not found:
        allowed = f"continue it: adjudge run --resume {run.folder}"
        raise InputError(str(run.folder), "no case has a verdict yet", allowed)
    return found


def jurors_agree(verdict: Verdict) -> bool | None:
    """Whether all members of a jury prefer the same answer in every order, or rate a dialogue alike; None without a
    jury."""
    if isinstance(verdict, ComparisonVerdict):
        said: list[set[Any]] = [{own.preference for own in opinion.members} for opinion in verdict.opinions]
    elif isinstance(verdict, DialogueVerdict):
        said = [set(jury_results(verdict))]
    else:
        votes = [own.scores["likert"] for own in verdict.opinion.members] if verdict.opinion else []
        said = [{(vote > NO_PREFERENCE) - (vote < NO_PREFERENCE) for vote in votes if vote is not None}]
    return all(len(each) < 2 for each in said) if any(said) else None


@contextmanager
def _held(folder: Path) -> Iterator[Path]:
    """The folder of the labels, made if it is not there; no other process picks cases meanwhile."""
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
    """The folder of the labels, for this user's eyes alone; a link is refused."""
    if folder.is_symlink():
        raise InputError(str(folder), "is a symbolic link", "a folder of the run itself is needed")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise InputError(str(folder), f"cannot be made: {plain_reason(error)}") from None
