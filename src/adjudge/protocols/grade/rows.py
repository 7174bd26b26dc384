"""The items of a report on a grading: each with its result, its points, its quotes, and its table of findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...arithmetic import plain
from ...rendering import wording
from ...rendering.highlighting import Highlight
from ...rendering.wording import number
from .labelling import lost_points
from .marks import Marks
from .rubric import KIND_WORDS, Item
from .verdict import ItemVerdict, Quote
from .wording import exact

# A mark in a text is green and solid, red and dashed, amber and dotted, or blue: for, against, open, or cited.
FOR, AGAINST, OPEN, CITED = "favorable", "unfavorable", "open", "cited"
_TONES = {
    **{"supported": FOR, "covered": FOR, "met": FOR, "not there": FOR},
    **{"contradicted": AGAINST, "not met": AGAINST, "found": AGAINST},
    **{"not_found": OPEN, "missing": OPEN},
}
_WORDS = {
    **{(False, True): "met", (False, False): "not met", (False, None): "not counted"},
    **{(True, True): "found", (True, False): "not there", (True, None): "not counted"},
}
_RESULTS = {"not_applicable": "not applicable", "unassessed": "not assessed", "unproven": "unproven: counts as no"}


@dataclass(frozen=True, kw_only=True)
class FindingRow:
    """One line of an item's table: a claim, a main point, a demand or a condition.

    `first` and `second` are the quotes in the order of the columns, each with its mark in a text, or None; `words` are
    shown where there is no quote.
    """

    number: str
    result: str
    tone: str
    first: Highlight | None = None
    second: Highlight | None = None
    words: tuple[str, str] = ("", "")

    @property
    def at(self) -> str:
        """Its anchor on the page."""
        return f"finding-{self.number.replace('.', '-')}"

    @property
    def refs(self) -> list[str]:
        """The refs of its marks."""
        return [mark.ref for mark in (self.first, self.second) if mark is not None]


@dataclass(frozen=True, kw_only=True)
class ItemRow:
    """An item: what it asked, what was found, and the points. `share` is how much of its bar is filled.

    `state` is earned, lost, part, unassessed or not_applicable. `head` are the headings of its table, if it has one.
    """

    key: str
    number: int
    name: str
    kind: str
    question: str
    points: str
    earned: str
    product: str
    share: str
    state: str
    result: str
    badge: str
    reason: str
    quotes: Sequence[Highlight]
    head: tuple[str, ...]
    findings: Sequence[FindingRow]
    unclaimed: Sequence[str]
    members: Sequence[tuple[str, str]]
    is_fault: bool
    lost: Fraction

    @property
    def assessed(self) -> bool:
        return self.state not in ("unassessed", "not_applicable")


def row_of(item: ItemVerdict, at: int, known: Item | None, marks: Marks) -> ItemRow:
    """Return the row of an item, the one at this place, and add the marks of its quotes."""
    name = known.name if known else wording.words_of(item.key)
    share = item.share or Fraction(0)
    return ItemRow(
        key=item.key,
        number=at,
        name=name,
        kind=KIND_WORDS[item.kind],
        question="" if known is None or item.checks else " ".join(known.guidance.split()),
        points=number(item.points),
        earned="–" if item.earned_exact is None else exact(item.earned_exact),
        product=_product(item),
        share=wording.width(share),
        state=_state(item),
        result=_result(item, known),
        badge=_badge(item, known),
        reason="" if item.checks else item.reason,  # the table of conditions says it
        quotes=list(_evidence(item, at, name, marks)),
        head=_HEADS.get(item.kind, ()),
        findings=list(_findings(item, at, name, marks)),
        unclaimed=[quote.quote for quote in item.unclaimed],
        members=[(member.judge, _RESULTS.get(member.result, member.result)) for member in item.members],
        is_fault=item.is_fault,
        lost=lost_points(item),
    )


_HEADS = {
    "claims": ("Claim in the answer", "Result", "What the source says"),
    "covers": ("Main point of the reference", "Result", "In the answer"),
    "constraints": ("Demand of the task", "Result", "Found in the answer"),
    "check": ("Condition", "Result", "Found in the answer"),
}


def _state(item: ItemVerdict) -> str:
    if not item.applicable:
        return "not_applicable"
    if item.share is None:
        return "unassessed"
    good = 1 - item.share if item.is_fault else item.share
    return "earned" if good == 1 else "lost" if good == 0 else "part"


def _product(item: ItemVerdict) -> str:
    """Write the arithmetic of what an item earned."""
    if item.share is None or item.earned_exact is None:
        return "not counted"
    return f"{number(item.points)} × {exact(item.share)} = {exact(item.earned_exact)}"


def _result(item: ItemVerdict, known: Item | None) -> str:
    """Say the result in a few words."""
    if not item.applicable or item.share is None:
        return _RESULTS["unassessed" if item.applicable else "not_applicable"]
    if item.kind == "scale":
        high = f" of {number(known.scale.high)}" if known else ""
        return f"{item.result}{high}"
    if item.kind in ("claims", "covers", "constraints"):
        done, _, of = item.result.partition("/")
        word = {"claims": "supported", "covers": "covered", "constraints": "met"}[item.kind]
        return f"{done} of {of} {word}"
    if item.is_fault:
        return "fault found" if item.share else "fault not found"
    return _RESULTS.get(item.result, item.result)


def _badge(item: ItemVerdict, known: Item | None) -> str:
    """Say that an item is required, what it must reach, and whether it does."""
    if not item.required:
        return ""
    least = ""
    if known is not None and item.kind == "scale":
        least = f" at least {number(plain(known.at_least))}"
    elif known is not None and known.is_share and known.at_least != 1:
        least = f" at least {number(plain(100 * known.at_least))} %"
    if not item.applicable:
        return f"required{least}"
    state = {True: "met", False: "not met", None: "unknown"}[item.met]
    return f"required{least}: {state}"


def _evidence(item: ItemVerdict, at: int, name: str, marks: Marks) -> Iterator[Highlight]:
    tone = CITED if item.kind == "scale" else AGAINST if item.is_fault else FOR
    for place, quote in enumerate(item.evidence, start=1):
        yield marks.add(
            item, quote, f"{at}-{place}", f"{at}.{place}", tone, f"{name}: {_RESULTS.get(item.result, item.result)}"
        )


def _findings(item: ItemVerdict, at: int, name: str, marks: Marks) -> Iterator[FindingRow]:
    pairs: list[tuple[str, Quote, Quote | None]] = [
        *((claim.result, claim.claim, claim.source) for claim in item.claims),
        *((point.result, point.point, point.answer) for point in item.main_points),
    ]
    nothing = "No passage was found." if item.kind == "claims" else "The answer does not say it."
    for place, (result, first, second) in enumerate(pairs, start=1):
        shown, tone, word = f"{at}.{place}", _TONES[result], result.replace("_", " ")
        title = f"{name}: {word}"
        yield FindingRow(
            number=shown,
            result=word,
            tone=tone,
            first=marks.add(item, first, f"{at}-{place}a", shown, tone, title),
            second=None if second is None else marks.add(item, second, f"{at}-{place}b", shown, tone, title),
            words=("", nothing),
        )
    measured = [
        *((one.met, _demand(one.constraint.quote, one.asked), one.found) for one in item.constraints),
        *((one.met, f"The answer {one.asked}", f"It {one.found}") for one in item.checks),
    ]
    for place, (met, asked, found) in enumerate(measured, start=1):
        word = _WORDS[item.is_fault, met]
        yield FindingRow(number=f"{at}.{place}", result=word, tone=_TONES.get(word, OPEN), words=(asked, found))


def _demand(quote: str, asked: str) -> str:
    """Quote a demand of the task, with what it was read as if that has other words."""
    return f"“{quote}”" if " ".join(quote.lower().split()) == asked.lower() else f"“{quote}”: {asked}"
