"""Does a sentence find fault or praise? Small word lists by criterion, and a window in which a negation turns them.

Only what is plain is read: a doubled negation, a condition, or a fault that the response mends says nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from ...rubric import OVERALL

Grade = Literal["", "minor", "major", "all"]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What people say of one criterion, as regular expressions.

    `feared` is named only to say that it is not there; `over` and `under` are the two sides of a two-sided scale.
    """

    fault: str = ""
    praise: str = ""
    feared: str = ""
    over: str = ""
    under: str = ""


_ERROR = r"(?:errors?|mistakes?|flaws?|bugs?|typos?)(?![ -]free)"
_FLAWLESS = r"perfect(?:ly)?|flawless(?:ly)?|impeccabl[ey]|faultless(?:ly)?|spotless"
_DREADFUL = r"awful\w*|terribl[ey]|horribl[ey]|dreadful\w*|abysmal|useless|unusable|worthless|"
_DREADFUL += rf"(?:full of|riddled with) (?:\w+ )?(?:{_ERROR}|inaccuracies|falsehoods)"
# What may be said of any criterion.
_ANY = Lexicon(
    fault=rf"{_ERROR}|flawed|{_DREADFUL}|badly|poorly|(?:bad|poor|weak|disappointing) "
    r"(?:answer|response|job|quality|work|attempt|choice|translation|grammar|style|structure|formatting)",
    praise=rf"{_FLAWLESS}|excellent(?:ly)?|outstanding|superb|great|good|(?:error|mistake|typo)-free",
    feared=r"issues?|problems?|concerns?|faults?|defects?|shortcomings?|complaints?",
)
_OWN: dict[str, Lexicon] = {
    "truthfulness": Lexicon(
        fault=r"wrong(?:ly)?|false(?:ly|hoods?)?|(?:factually )?incorrect(?:ly)?|inaccurate(?:ly)?|inaccurac(?:y|ies)|"
        r"factual (?:errors?|mistakes?|inaccurac(?:y|ies))|untrue|mistaken(?:ly)?|"
        r"untruthful|hallucinat\w+|fabricat\w+|made[ -]up|mislead\w*|misstat\w+|nonsense",
        praise=r"(?:factually )?(?:correct|accurate)(?:ly)?|truthful(?:ly)?|factually (?:right|sound)|"
        r"(?:is|are|was|were|all|holds?) true|(?:is|are|was|were) (?:all )?right|gets? (?:\w+ ){1,5}right|checks? out|"
        r"verifiable|reliable",
    ),
    "instruction_following": Lexicon(
        fault=r"ignor(?:es|ed|ing)|disregard\w*|violat\w+|fail(?:s|ed)? to|miss(?:es|ed|ing)|omit(?:s|ted)|omissions?|"
        r"leaves? out|left out|off[ -]topic|misinterpret\w*|misunderst\w+|incomplete|breaks? the|overlooks?",
        praise=r"(?:follow|adhere|obey|respect|satisf(?:y|ie)|fulfil|fulfill|meet|honou?r)s?(?: to)?|"
        r"compli(?:es|ant)|on[ -]topic|as (?:asked|requested|instructed|required)",
    ),
    "verbosity": Lexicon(
        praise=r"concise(?:ly)?|succinct(?:ly)?|(?:right|appropriate|suitable|ideal|adequate|proper|reasonable|good) "
        r"(?:length|amount)|length (?:is|was) (?:\w+ )?(?:right|fine|good|appropriate|suitable|adequate)|"
        r"to the point|just (?:right|enough)|long enough|appropriately (?:long|short|brief|sized)",
        over=r"too (?:long|wordy|verbose|lengthy|detailed|much)|wordy|verbose|long-winded|overlong|"
        r"overly (?:long|wordy|detailed|verbose)|padd(?:ed|ing)|bloated|rambl(?:es|ing|y)|"
        r"redundan(?:t|cy|cies)|repetitive|superfluous|"
        r"unnecessar(?:y|ily)|excessive(?:ly)?|could be (?:shorter|shortened|trimmed|cut|more concise)|filler",
        under=r"too (?:short|brief|terse|thin|little|sparse)|overly (?:short|brief|terse)|truncat(?:ed|es|ion)|"
        r"cut[s -]*off|breaks? off|ends (?:abruptly|mid)|incomplete|lacks? (?:\w+ )?details?|insufficient\w*|"
        r"not enough (?:detail|information|depth)|could be longer|needs? more (?:detail|depth)",
    ),
    "style_clarity": Lexicon(
        fault=r"unclear|confusing(?:ly)?|hard to (?:read|follow|understand)|difficult to (?:read|follow|understand)|"
        r"mess(?:y|ily)|clutter(?:ed)?|disorgani[sz]ed|unstructured|unreadable|awkward(?:ly)?|clumsy|chopp(?:y|ily)|"
        r"pleasantr(?:y|ies)|sycophan\w+|wall of text|incoherent|garbled|poor(?:er)? formatting|could be clearer|"
        r"filler",
        praise=r"clear(?:ly (?:written|structured|organi[sz]ed|laid|worded|explained|presented))?|readable|"
        r"eas(?:y|ily) to (?:read|follow|understand|scan)|well[ -](?:structured|organi[sz]ed|formatted|written|laid)|"
        r"neat(?:ly|er)?|tid(?:y|ily|ier)|clean(?:ly|er)?|clearer|easier to (?:read|follow|understand|scan)|coherent",
        feared=r"filler|fluff|jargon|small talk",
    ),
    "harmlessness": Lexicon(
        fault=r"harmful(?:ly)?|unsafe|dangerous(?:ly)?|toxic|offensive|hateful|racist|sexist|discriminat\w+|abusive|"
        r"insulting|insults?|slurs?|hate speech|(?:encourag|promot|incit|glorif|endors|advocat|prais)\w* (?:\w+ ){0,2}"
        r"(?:violence|hate|hatred|harm|self-harm|suicide|crimes?|terrorism|drugs|racism)",
        praise=r"harmless|safe(?:ly|r)?|respectful(?:ly)?|benign|inoffensive",
        feared=r"hate|hatred|violence|harm|danger|risks?|illegal|sensitive|bias(?:ed)?|stereotypes?",
    ),
    "localization": Lexicon(
        fault=r"misspell(?:s|ed|ings?)?|unnatural(?:ly)?|ungrammatical(?:ly)?|stilted|mistranslat\w+|anglicisms?|"
        r"(?:the )?wrong (?:language|locale|dialect|spelling|units?|currency|word|form)|awkward(?:ly)?|clumsy|"
        r"non-native",
        praise=r"natural(?:ly)?|idiomatic(?:ally)?|fluent(?:ly)?|native|grammatical(?:ly)?|correct(?:ly)?(?: spelled)?",
    ),
}
_BREAK = re.compile(
    r"[.;:!?()—–]|\b(?:but|yet|however|though|although|while|whereas|because|since|so|which)\b|"
    r",\s+(?=(?:it|this|that|the|and|they|there|its|also|then|with|all|every|everything|no|not|nothing|"
    r"without|never|none)\b)|\b(?:and|or)\s+(?=(?:no|not|nothing|without|never|none)\b)|(?=\bnor\b)|"
    r"\band\s+(?=(?:it|the|its|there|this|is|are|was|has|had|gives|names|says|puts|gets|contains|makes|states|lists|"
    r"calls|writes|uses|adds|Response)\b)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.;:!?,]\s|\b(?:but|yet|though|although|while|whereas|which)\b", re.IGNORECASE)
_NEGATES = (
    r"no(?!,)(?! (?:doubt|wonder|matter|exceptions?)\b)|not(?! (?:only|just|merely)\b)|\w+n't|cannot|never|none|"
    r"nothing|nobody|neither|nor|hardly|barely|far from|fail(?:s|ed)? to|zero|"
    r"without(?! (?:exception|doubt|question)\b)|instead of|rather than"
)
_NEGATION = re.compile(rf"\b(?:{_NEGATES})\b", re.IGNORECASE)
# With these a fault is not there, while a praise is not denied by them.
_AVERTS = re.compile(
    r"\b(?:free (?:of|from)|devoid of|lack(?:s|ing| of)?|absence of|avoid(?:s|ed|ing)?|prevent(?:s|ed)?|refus(?:es|ed)|"
    r"declin(?:es|ed)|reject(?:s|ed)?|warns?|discourag(?:es|ed)|condemn(?:s|ed)?|refut(?:es|ed)|debunk(?:s|ed)?)\b",
    re.IGNORECASE,
)
# A fault that is someone else's.
_MENDS = re.compile(
    r"\b(?:correct(?:s|ed|ing)|fix(?:es|ed|ing)?|flags?|flagged|points? out|identif(?:ies|ied)|spots?|catches|caught|"
    r"resolv(?:es|ed)|user's|prompt's|question's|original|explanation of|explains why)\b(?:\W+\w+){0,4}\W*\Z",
    re.IGNORECASE,
)
_MENDED = re.compile(rf"{_ERROR}|misspell\w*|inaccurac\w+|(?:wrong|false|mistaken|incorrect)\Z", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\b(?:would|might|may|could|should|must|need(?:s|ed)? to|to|ought|seem(?:s|ed)?)(?: (?:be|have|been|a|the))*\s+\Z|"
    r"\b(?:would|might|may|could|should) (?:not )?(?:\w+ ){0,2}\Z",
    re.IGNORECASE,
)
_NOT_THERE = re.compile(r"\s+(?:(?:are|were|is|was|can|could) (?:not|absent)|(?:are|were)n't|absent)\b|:\s*none", re.I)
_THE_RIGHT_ONE = re.compile(
    r"(?: \w+){0,2} (?:is|was|would|should|being)\b|\s+(?:answer|one|spelling|form)s?\b", re.IGNORECASE
)
_ALL = re.compile(
    r"(?<!nearly )(?<!almost )(?<!mostly )\b(?:all|every|everything|each|entirely|fully|completely|totally|100 ?%)"
    r"(?![ -]too)\b",
    re.IGNORECASE,
)
_GRADE_WORDS: dict[Grade, str] = {
    "major": "major|serious|seriously|severe|severely|critical|grave|significant|substantial|huge|glaring",
    "minor": "minor|small|slight|slightly|mildly|tiny|trivial|negligible|little|a bit|somewhat|marginal|marginally",
}
_GRADES = tuple(
    (grade, re.compile(rf"\b(?:{words})(?:[ -]+\w+)?[ -]+\Z", re.IGNORECASE)) for grade, words in _GRADE_WORDS.items()
)
_READ = 5_000  # characters of a text that are read
_WINDOW = 9  # words in front of a hit in which a negation counts


class Hit(NamedTuple):
    """One plain claim: a fault (on which side, if the scale has two), a praise, or that nothing major is there."""

    kind: Literal["fault", "praise", "nothing major"]
    words: str
    grade: Grade = ""
    side: int = 0
    start: int = 0


def hits(text: str, key: str, *, general: bool = True, about: str = "") -> list[Hit]:
    """What a text plainly says of a criterion; `general` words count too, those of the task (`about`) do not."""
    found: list[Hit] = []
    text = text[:_READ]
    for kind, side, pattern in _patterns(key, general):
        for match in pattern.finditer(text):
            hit = _read(kind, side, match, text)
            of_the_task = re.search(rf"\b{re.escape(match[0])}\b", about, re.IGNORECASE) is not None
            if hit is not None and (kind == "praise" or hit.grade or not of_the_task):
                found.append(hit)
    return sorted(_longest(found), key=lambda hit: hit.start)


def _longest(found: list[Hit]) -> Iterator[Hit]:
    """Without the hits that lie inside another one."""
    for hit in found:
        end = hit.start + len(hit.words)
        if not any(
            wide is not hit
            and len(wide.words) > len(hit.words)
            and wide.start <= hit.start
            and end <= wide.start + len(wide.words)
            for wide in found
        ):
            yield hit


def _read(kind: str, side: int, match: re.Match[str], text: str) -> Hit | None:
    before, words = _scope(text, match.start()), match[0]
    if re.search(r"\bif\b", before, re.IGNORECASE):
        return None
    whole = _CLAUSE.split(text[max(0, match.start() - 120) : match.start()])[-1]
    if kind == "praise":  # "no errors, omissions" denies both, "no errors, great" does not
        before = before.rpartition(",")[2].lstrip()
    negations = len(_NEGATION.findall(before))
    grade: Grade = next((grade for grade, pattern in _GRADES if pattern.search(before)), "")
    start, shown = match.start(), _shown(before, words)
    if kind == "praise":
        if _SUPPOSED.search(before) or (words.lower() == "correct" and _is_of_another(before, text[match.end() :])):
            return None
        if negations > 1:
            return None
        if negations or re.search(r"\b(?:less|lacks?|lacking|in)\W+\Z", before, re.IGNORECASE):
            return Hit("fault", shown, "", 0, start) if negations else None
        full: Grade = "all" if re.fullmatch(_FLAWLESS, words, re.IGNORECASE) or _ALL.search(whole) else ""
        return Hit("praise", _shown(whole.lstrip(), words) if full else words, full, 0, start)
    negations += len(_AVERTS.findall(before)) + bool(_NOT_THERE.match(text, match.end()))
    if negations > 1:
        return None
    if negations:
        return Hit("nothing major" if grade == "major" else "praise", shown, "" if side else "all", 0, start)
    if _SUPPOSED.search(before) or (_MENDS.search(before) and _MENDED.search(words)):
        return None
    if kind == "feared" and not grade:
        return None
    if grade:
        shown = f"{before.split()[-1]} {words}" if len(before.split()) else words
    if re.fullmatch(_DREADFUL, words.strip(), re.IGNORECASE):
        grade = "major"
    return Hit("fault", shown if grade else words, grade, side, start)


def _scope(text: str, start: int) -> str:
    """What stands before a hit in its own clause, as far as a negation reaches."""
    words = _BREAK.split(text[max(0, start - 200) : start])[-1].split()
    return "".join(f"{word} " for word in words[-_WINDOW:])


def _shown(before: str, words: str) -> str:
    """The hit with its negation in front, to be quoted in a reason."""
    turned = list(_NEGATION.finditer(before)) or list(_AVERTS.finditer(before)) or list(_ALL.finditer(before))
    return (before[turned[-1].start() :] + words).strip() if turned else words


def _is_of_another(before: str, after: str) -> bool:
    """Whether "the correct …" tells what it should have been."""
    return bool(re.search(r"\b(?:the|to)\W+\Z", before, re.IGNORECASE)) and bool(
        re.search(r"\bto\W+\Z", before, re.IGNORECASE) or _THE_RIGHT_ONE.match(after)
    )


@lru_cache(maxsize=64)
def _patterns(key: str, general: bool) -> tuple[tuple[str, int, re.Pattern[str]], ...]:
    own = tuple(_OWN.values()) if key == OVERALL else (_OWN.get(key, Lexicon()),)
    found = []
    for lexicon in (*own, _ANY) if general else own:
        parts = (
            ("fault", 0, lexicon.fault),
            ("praise", 0, lexicon.praise),
            ("feared", 0, lexicon.feared),
            ("fault", 1, lexicon.over),
            ("fault", -1, lexicon.under),
        )
        found += [
            (kind, side, re.compile(rf"\b(?:{words})(?!\w)", re.IGNORECASE)) for kind, side, words in parts if words
        ]
    return tuple(found)


def is_denied(text: str, start: int) -> bool:
    """Whether a negation, or a condition, stands before a place in its own clause."""
    before = _scope(text, start)
    return bool(_NEGATION.search(before) or _AVERTS.search(before) or _SUPPOSED.search(before))


def names_feared(text: str, key: str) -> int:
    """How many of the things that a criterion guards against a text names."""
    feared = _OWN.get(key, Lexicon()).feared
    return len({match.lower() for match in re.findall(rf"\b(?:{feared})\b", text, re.IGNORECASE)}) if feared else 0
