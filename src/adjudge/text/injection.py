"""Does a text address whoever judges it, or imitate what surrounds it? Phrases are hints, imitated markers are certain.

It reports; it does not clean the text and it does not punish. Text that talks about such attempts is told apart by
its grammar ("makes the model ignore …") and by quotation marks, so a phrase is reported only where it commands.
"""

from __future__ import annotations

import re
from itertools import islice

from .control_tokens import CONTROL_TOKEN
from .injection_words import OTHER_LANGUAGES, Pattern, pattern
from .spots import Spot

_SHOWN = 5  # facts of one kind from one text
_LOOKED_AT = 200  # matches of one pattern, so that a text full of them costs no more
_JUDGE = r"(?:judge|evaluator|grader|rater|referee|assessor|scorer)s?"
_ANSWER = r"(?:response|answer|assistant|candidate|option|model|output|submission)"
_WHICH = r"(?:A|B|1|2|one|two)"


PATTERNS = (
    pattern(
        "ignore|disregard|forget|override|bypass & instruction|prompt|rule|guideline|criteria|direction|rubric",
        r"\b(?:ignore|disregard|forget|override|bypass)\b(?: (?:all|any|every|the|your|of|these|those|my|other)){0,4}",
        r" (?:previous|prior|above|earlier|preceding|existing|original|former|system|judging|grading|scoring)",
        r"(?: \w+)? (?:instructions?|prompts?|rules?|guidelines?|criteria|directions?|rubrics?)\b",
        found="tells the reader to ignore its instructions",
        commands=True,
    ),
    *OTHER_LANGUAGES,
    pattern(
        "judge|evaluator|grader|rater|referee|assessor|scorer",
        rf"\bas (?:the|an?) (?:\w+ )?{_JUDGE},? (?:you (?:must|should|have to|need to|will|are required)|please)\b",
        r"|\b(?:dear|attention|hey|hello|note to(?: the)?|(?:message|instructions?) (?:to|for)(?: the)?)",
        rf":?,? (?:AI |LLM )?{_JUDGE}\b\s?[,:!.—-]",
        rf"|^\W{{0,4}}(?:AI |LLM )?{_JUDGE}\s?[:,] (?:you|please|give|score|rate|choose|select|pick|this)\b",
        found="addresses the judge",
    ),
    pattern(
        "give |assign |award |rate |score |grade |mark  & score|rating|grade|points|marks|10| ten|5/5",
        r"\b(?:give|assign|award|rate|score|grade|mark) (?:(?:this|my|the|that|our) )?",
        rf"(?:{_ANSWER}(?: {_WHICH})?|me|it|this)",
        r"(?: (?:with|as|at|an?|the|of|out|full|perfect|highest|maximum|top|best|possible)){0,4}",
        r" (?:10|ten|100|5/5|scores?|marks|ratings?|points|grade)\b",
        found="asks for a score",
        commands=True,
    ),
    pattern(
        "choose|select|pick|declare|name |mark |pronounce|vote for|prefer & winner|best|better|superior|prefer|over"
        " & response|answer|assistant|candidate|option|model|output|submission",
        r"\b(?:choose|select|pick|declare|name|mark|pronounce|vote for|prefer)(?: this| my| the)?",
        rf" {_ANSWER}(?: {_WHICH})?(?: (?:to be|is|as))?(?: the)? (?:winner|best|better|superior|preferred|over)\b",
        found="asks to be named the winner",
        commands=True,
    ),
    pattern(
        "winner",
        r"\b(?:output|print|return|answer|reply|respond|say|write)(?: with)?:? [\"'“`]?(?:the )?",
        rf"winner\W{{0,4}}(?:is )?\W{{0,3}}(?:{_ANSWER} )?{_WHICH}\b",
        found="asks to be named the winner",
        commands=True,
    ),
    pattern(
        "response |answer |assistant  & better|best|winner|superior|correct",
        r"\b(?:[Rr]esponse|[Aa]nswer|[Aa]ssistant|RESPONSE|ANSWER) [AB12] (?:is|was)",
        r" (?:clearly |obviously |definitely |by far |simply |much )?(?:the )?",
        r"(?:better|best|winner|superior|correct one)\b",
        found="says which answer is better",
        cased=True,
    ),
    pattern(
        "winner",
        r"\b(?:final )?winner[ \t]{0,3}[:=][ \t*\"']{0,4}(?:response |answer )?(?:A|B|tie)\b",
        found="imitates a verdict",
    ),
    pattern(
        "[ & [[a]]|[[b]]|[[c]]",
        r"\[\[[ABC]\]\]",
        found="imitates a verdict",
    ),
    pattern(
        '" & "winner"|"preference"|"verdict"|"criteria_|"weighted_|"winner_|"summary_|"task_|"correctness_|"depth_'
        '|"action',
        r"\"(?:winner|preference|verdict)\"\s{0,9}:\s{0,9}\"(?:A|B|tie|(?:answer|response)[ _]?[12AB])\"",
        r"|\"(?:criteria_scores|weighted_total_score|winner_rationale|summary_[12]|task_understanding",
        r"|correctness_reasoning|depth_coverage_usefulness|actionability_specificity)\"\s{0,9}:",
        found="imitates the JSON of a verdict",
    ),
    pattern(
        "system|# & system|instruction:|assistant:|user:|human:"
        " & [system|<system|</system|# system|#system|system prompt|system message|system note|system override"
        "|system instruction|instruction:|assistant:|user:|human:",
        r"^[ \t]{0,8}(?:\[system(?: \w+)?\]|</?system(?:[_-]?\w+)?>",
        r"|#{1,6} ?system(?: (?:prompt|message|note|override|instructions?))?:?[ \t]*$",
        r"|(?:\*\*)?system (?:prompt|message|note|override|instructions?)(?:\*\*)?:",
        r"|#{1,6} ?(?:instruction|assistant|user|human):[ \t]*$)",
        found="imitates the header of another role",
    ),
    pattern(
        "< & > & <<< & >>>",
        r"(?<!<)<<<(?!<)[ \t]{0,4}(?:END\b|(?:THE )?(?:TASK|CONTEXT|ANSWER|RESPONSE|SEARCH RESULTS)\b)[^<>\n]{0,60}>>>",
        found="imitates the markers around judged text",
        certain=True,
    ),
    pattern(
        "[ & ] & start of|end of",
        r"\[(?:the )?(?:start|end) of (?:the )?(?:assistant|response|answer|candidate|user question|evaluation)\b",
        r"[^\[\]\n]{0,40}\]",
        found="imitates the markers around judged text",
        certain=True,
    ),
)


# What may stand before an imperative. Anything else ("makes it ignore", "to ignore", "attackers disregard") describes.
_COMMANDS = re.compile(
    r"(?:\A|[.!?:;,\n\"'“”‘’`(*>\[\]—–。！？-]|\b(?:please|now|must|should|and|then|just|shall|so|instead|simply|"
    r"always|therefore|you (?:will|can|need to|have to)|(?:want|need|ask|order|instruct|require) you to))[ \t]*\Z",
    re.IGNORECASE,
)
_QUOTED_BEFORE = re.compile(r"[\"“‘'`«「][^\"”’`»」\n]{0,60}\Z")
_QUOTED_AFTER = re.compile(r"\A[^\"“`«「\n]{0,80}[\"”’'`»」]")
_TALKED_ABOUT = re.compile(
    r"injection|jailbreak|adversarial|attack|malicious|such as|for example|for instance|\be\.g\.|\bphrases?\b|\blike\b|"
    r"\bsays?\b|\bwrit(?:es?|ing)\b|\bsaid\b|\bexample",
    re.IGNORECASE,
)


def find_injection(text: str, task: str = "") -> list[Spot]:
    """The places where the text tries to steer its judge; what the task itself says may be repeated."""
    spots: list[Spot] = []
    lowered, asked = text.lower(), task.lower()
    for kind in PATTERNS:
        if not has_cues(lowered, kind):
            continue
        matches = islice(kind.regex.finditer(text), _LOOKED_AT)
        found = [match for match in matches if _steers(kind, text, match, asked)][:_SHOWN]
        spots += [Spot(match.start(), match.end(), kind.found, kind.certain) for match in found]
    spots.sort(key=lambda spot: (not spot.certain, spot.start, spot.end))
    return spots[:_SHOWN]


def has_cues(lowered: str, kind: Pattern) -> bool:
    """Whether a lower-case text may hold a match of the pattern."""
    return all(any(cue in lowered for cue in group) for group in kind.cues)


def _steers(kind: Pattern, text: str, match: re.Match[str], asked: str) -> bool:
    """Whether a match is an attempt, and not talk about one or the task's own words."""
    if not kind.certain and (_talks_about(text, match) or match[0].lower() in asked):
        return False
    return not kind.commands or _COMMANDS.search(text[max(0, match.start() - 40) : match.start()]) is not None


def find_control_tokens(text: str) -> list[Spot]:
    """Markers that end a turn in a chat template; each kind once."""
    if "<" not in text and "[" not in text:
        return []
    kinds: dict[str, Spot] = {}
    for match in CONTROL_TOKEN.finditer(text):
        if match[0] not in kinds:
            kinds[match[0]] = Spot(match.start(), match.end(), f"contains the chat marker {match[0]}", True)
            if len(kinds) >= _SHOWN:
                break
    return list(kinds.values())


def _talks_about(text: str, match: re.Match[str]) -> bool:
    """Is the match in quotation marks, in a passage about such phrases?"""
    if not _QUOTED_BEFORE.search(text[max(0, match.start() - 62) : match.start()]):
        return False
    if not _QUOTED_AFTER.search(text[match.end() : match.end() + 82]):
        return False
    around = text[max(0, match.start() - 250) : match.start()] + " " + text[match.end() : match.end() + 150]
    return _TALKED_ABOUT.search(around) is not None
