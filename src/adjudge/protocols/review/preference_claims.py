"""What a sentence about two responses plainly claims: which is ahead, that they are equal, and ratings it states.

Every function takes text in the plain form of `naming.plain`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...rubric import Criterion
from ...verdicts import Label
from .naming import NUMBER, named_by_name, other

_ADVERB = (
    r"(?:(?:much|far|clearly|slightly|somewhat|a bit|a little|significantly|considerably|marginally|overall|still|also|"
    r"generally|simply|substantially|noticeably|definitely|obviously|vastly|really|actually|just|even|way|notably|only|"
    r"by far|strongly|markedly|decidedly|largely|a lot|a tad|a touch|too|certainly|easily|ultimately|therefore|thus|"
    r"in the end|on balance|on the whole|in general),? )*"
)
_BE = (
    r"(?:is|was|seems|looks|remains|feels|appears|comes out|came out|performs|performed|does|did|ranks|reads|would be|"
    r"should be|to be|stands)"
)
_UP = (
    r"(?:better|stronger|superior|preferable|preferred|favou?red|best|strongest|ahead|on top|first|"
    r"(?:\w+ )?winner|more (?P<more>\w+)|(?P<er>clearer|safer|cleaner|tidier|neater|truer))"
)
_DOWN = r"(?:worse|weaker|inferior|poorer|behind|worst|weakest|less (?P<less>\w+))"
_WINS = (
    r"(?:wins|won|should win|deserves to win|must win|would win|outperforms|outperformed|beats|beat|surpasses|"
    r"outshines|outdoes|leads|prevails|edges out|takes the lead|has the edge|has an edge|has a slight edge|tops)"
)
_LOSES = r"(?:loses|lost|should lose|trails|lags|underperforms|is outperformed by|is beaten by)"
_CHOOSE = (
    r"(?:prefer(?:s|red)?|favou?r(?:s|ed)?|choose|chose|chosen|pick(?:s|ed)?|select(?:s|ed)?|go with|went with|opt for|"
    r"vote for|recommend|goes to|lean(?:s|ed|ing)? (?:to|towards?)|winner is|preference (?:is |goes )?(?:for|to)|"
    r"better (?:one |response |answer )?is|preferable is|advantage (?:is with|of|to))"
)
_R = r"Response (?P<n>1|2)\b"
_GAP = r"(?:,? (?!Response\b|and\b|but\b|not\b)[\w-]+,?){0,3}?"
_FORMS: tuple[tuple[re.Pattern[str], bool], ...] = tuple(
    (re.compile(form, re.IGNORECASE), ahead)
    for form, ahead in (
        (
            rf"\b{_R}{_GAP} (?P<neg>not )?{_BE} (?P<not>not |no |never )?{_ADVERB}(?:the |a |an |my )?{_ADVERB}{_UP}\b",
            True,
        ),
        (rf"\b{_R}{_GAP} {_ADVERB}{_WINS}\b", True),
        (rf"\b{_CHOOSE} (?:is |to |for )?(?:the )?{_R}", True),
        (rf"\b{_R}{_GAP} {_BE} (?P<not>not |no |never )?{_ADVERB}(?:the |a |an )?{_ADVERB}{_DOWN}\b", False),
        (rf"\b{_R}{_GAP} {_ADVERB}{_LOSES}\b", False),
        (rf"\b{_R} over Response", True),
    )
)
_DENIED = re.compile(r"(?:\b(?:not|never|no|cannot)|n't)(?: \w+){0,2}\s*\Z", re.IGNORECASE)
_IT = re.compile(rf"\b({_CHOOSE}) it\b", re.IGNORECASE)
_NOT_AHEAD = re.compile(
    r"\b(?:not|\w+n't|hardly) (?:\w+ ){0,3}?(?:better|stronger|superior|preferable|preferred|best|ahead|winner)\b",
    re.IGNORECASE,
)
_EQUAL = re.compile(
    r"\bneither\b[^.;]{0,40}\b(?:better|stronger|superior|ahead|best|wins?|preferred|preferable|favou?red|stands? out|"
    r"outperforms?|edge|advantage|worse)\b|\bno (?:\w+ )?(?:preference|winner|difference)\b|"
    r"\b(?:responses|answers|both|two|they|Response 1 and Response 2|Response 2 and Response 1)\b[^.;]{0,40}?"
    r"\b(?:equal|equally|equivalent|identical|the same|comparable|tied?|on (?:a )?par|alike|similar(?:ly)?|"
    r"indistinguishable|interchangeable|evenly matched)\b|"
    r"\bequally (?:good|bad|strong|weak)\b|\b(?:it is|it's|this is) a (?:tie|draw)\b|"
    r"\bResponse [12] (?:is|and) (?:\w+ )?(?:as good as|equal to|equivalent to|identical to|tied with) Response [12]\b",
    re.IGNORECASE,
)
_SOFT = r"slight(?:ly)?|marginal(?:ly)?|a (?:tiny |little )?bit|a little|somewhat|a tad|a touch|barely|narrowly"
_HARD = r"much|far|significant(?:ly)?|considerabl[ey]|substantial(?:ly)?|vastly|a lot|by far|way|strongly|markedly"
_AHEAD = (
    r"(?:better|worse|stronger|weaker|superior|inferior|preferable|preferred|best|ahead|behind|prefer|outperform|edge)"
)


class Lead(NamedTuple):
    """A claim that one response is ahead, where it stands, and with which word if it is a comparison of one quality."""

    winner: Label
    start: int
    quality: str = ""
    soft: bool = False


def leads(sentence: str) -> list[Lead]:
    """Who is said to be ahead, in order."""
    text = _with_it(sentence)
    found: dict[int, Lead] = {}
    for pattern, ahead in _FORMS:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            if (
                groups.get("not")
                or groups.get("neg")
                or _DENIED.search(text[max(0, match.start() - 60) : match.start()])
            ):
                continue
            named = NUMBER[match["n"]]
            quality = groups.get("more") or groups.get("er") or groups.get("less") or ""
            soft = re.search(rf"\b(?:{_SOFT})\b", match[0], re.IGNORECASE) is not None
            found.setdefault(match.start("n"), Lead(named if ahead else other(named), match.start(), quality, soft))
    return [found[at] for at in sorted(found)]


def denies_a_lead(sentence: str) -> bool:
    """Whether it says that one is *not* better, so that its leads cannot be a plain verdict."""
    return _NOT_AHEAD.search(sentence) is not None


def says_equal(sentence: str) -> bool:
    """Whether it says that neither is ahead."""
    found = _EQUAL.search(sentence)
    return found is not None and not re.search(
        r"\b(?:not|aren't|far from|hardly|never|isn't)\b", found[0], re.IGNORECASE
    )


def strength(sentence: str) -> str:
    """How far ahead: "soft", "hard", or "" if it does not say."""
    near = rf"(?:\W+\w+){{0,1}}?\W+{_AHEAD}"
    after = rf"\b{_AHEAD}\w*(?:\W+\w+){{0,3}}?\W+(?:by (?:a )?)?"
    for name, words, margin in (("soft", _SOFT, "small|narrow|slim"), ("hard", _HARD, "wide|large|big|huge")):
        if re.search(rf"\b(?:{words}){near}", sentence, re.IGNORECASE) or re.search(
            rf"{after}(?:{words}|{margin}) ?(?:margin)?\s*[.,;!]", sentence, re.IGNORECASE
        ):
            return name
    return ""


def _with_it(sentence: str) -> str:
    """ "I would pick it" names the response that was named last."""

    def resolved(match: re.Match[str]) -> str:
        named = re.findall(r"\bResponse [12]\b", sentence[: match.start()], re.IGNORECASE)
        return f"{match[1]} {named[-1]}" if named else match[0]

    return _IT.sub(resolved, sentence)


class Stated(NamedTuple):
    """A rating that a sentence states."""

    criterion: Criterion
    label: Label
    value: int


_VALUE = r"(?P<value>[-−+]?\d)(?:\s?/\s?\d\b| out of \d\b)?(?!\w|[.,]\d)"
_ENDS = r"(?=\s*(?:[.,;:)]|\Z)|\s+(?:and|for|while|whereas|on|in|but|against|to|vs|versus|compared|overall|with)\b)"
_RATES = r"(?:is|was|has|gets?|got|scores?|scored|rated|receives?|received|earns?|earned|deserves?|at|of|with|a|an|the)"
_STATED = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b{_R}(?:'s)?(?: (?!Response\b|and\b|both\b)[\w&/]+){{0,5}}? {_RATES} {_VALUE}{_ENDS}",
        rf"(?<![\w.]){_VALUE} (?:for|to|in|with|goes to) {_R}(?! and\b)",
    )
)
_BOTH = re.compile(
    rf"\b(?:both|each)\b(?: [\w&/,]+){{0,7}}? {_RATES} {_VALUE}{_ENDS}|{_VALUE.replace('value', 'v2')} (?:for|in) both",
    re.I,
)


def stated(sentence: str, criteria: tuple[Criterion, ...]) -> list[Stated]:
    """The ratings a sentence gives, where it is plain which criterion and which response they are of."""
    found: list[Stated] = []
    current: list[Criterion] = []
    for part in re.split(r"(?<=[;.])\s+", sentence):
        current = named_by_name(part, criteria) or current
        if len(current) != 1:
            continue
        criterion, scale = current[0], current[0].scale.values
        pairs = [(NUMBER[m["n"]], m["value"]) for pattern in _STATED for m in pattern.finditer(part)]
        for match in _BOTH.finditer(part):
            pairs += [("A", match["value"] or match["v2"]), ("B", match["value"] or match["v2"])]
        values = [(label, int(written.replace("−", "-"))) for label, written in pairs]
        found += [Stated(criterion, label, value) for label, value in values if value in scale]
    return list(dict.fromkeys(found))
