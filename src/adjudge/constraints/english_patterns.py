"""Patterns for plain English instructions: requests, numbers and bounds, forms, quoted wordings.

`english.py` decides when a match is a demand.
"""

from __future__ import annotations

from ..models.constraints import Bound, ConstraintKind
from ..text.sentences import word_set


def _pattern(pattern: str) -> str:
    # `re` compiles and caches a pattern at first use. Compiling all takes 100 ms, and a comparison needs none of them.
    return f"(?im){pattern}"


# Text that is not an instruction: quotations and code (hidden, so that places do not change), and material to work on.
HIDDEN = "\x01"
QUOTATION = _pattern(r"\"[^\"]*(?:\"|\Z)|“[^”]*(?:”|\Z)|(?<!\w)['‘](?=\S)[^'‘’\n]{1,200}['’](?!\w)")
CODE = _pattern(r"`[^`\n]{1,200}`|<[^<>\n]{1,200}>|https?://\S{1,500}")
MATERIAL = _pattern(
    r"^[ *_>]{0,9}(?:text|passage|article|input|context|document|source|paragraph|sentences?|e-?mail|post|title|output|"
    r"conversation|transcript|dialogue|story|essay|examples?|data|content|code|abstract|answer|review|paper|prompt|"
    r"poem|background|notes?|keywords?|information|summary|description|reference|premise|hypothesis|tweet|message)"
    r" ?\d?[*_]{0,3} ?:|^ {0,9}(?:###|>|[-=*_~]{3,9} *$)|"
    r"\b(?:following|below|this|these|here is|here are|here's|above)\b(?![^.?!\n]{0,60}\b(?:rule|requirement|condition|"
    r"constraint|guideline|instruction|criteri|format))[^.?!\n]{0,80}:(?=\s|\Z)"
)
TRANSCRIPT = _pattern(r"^[ *]{0,9}(?:assistant|AI|bot|chatgpt|model)[ *]{0,9}:")
GAME = _pattern(r"\b(?:act(?:ing)? (?:as|like)|pretend|role-?play|let's play|game)\b")
UNSURE = _pattern(
    r"\b(?:if|unless|when|whenever|whether|each|every|per|both|either|neither|respectively|apiece|instead|rather|"
    r"e\.g|eg|for example|for instance|i wrote|i have|i had|as well as|followed by|along with|together with|then|"
    r"in addition|finally|plus|also|except|optional(?:ly)?|ideally|maybe|perhaps|should i|was|were|had|did)\b|"
    r"\bor\b(?! (?:less|fewer|more|so|under|below|shorter|longer)\b)"
)
NEGATION = _pattern(r"\b(?:not|never|without|avoid|no|cannot)\b|n['’]t\b")
CODING = _pattern(
    r"\b(?:program|function|script|python|java(?:script)?|c\+\+|sql|html|css|regex|query|algorithm|class|"
    r"password|user ?name|variable|database|api)\b"
)

# Requests: to make something, or about the form of what is made.
_MAKE = (
    r"(?:write|compose|create|generate|draft|produce|prepare|craft|make|give|provide|tell|show|list|name|suggest|"
    r"recommend|brainstorm|describe|explain|summari[sz]e|outline|discuss|come up with|propose|offer|share|find|put|"
    r"identify|mention|rewrite|paraphrase|shorten|condense|define|compare|present|sell|translate|introduce|think of|"
    r"state|design|develop|build|construct|invent|analy[sz]e|review|extract|convert|turn)"
)
_SHAPE = (
    r"(?:answer|respond|reply|speak|talk|use|keep|limit|restrict|include|contain|mention|begin|start|end|finish|avoid|"
    r"conclude|open|close|return|output|format|display|organi[sz]e|arrange|ensure|do not|don['’]t|never)"
)
_LEAD = (
    r"(?:[-*•] {1,3}|\d{1,2}[.)] {1,3}|(?:human|user|question|task|instructions?): {0,3})?"
    r"(?:(?:please|kindly|now|hi|hello|hey|ok|okay|and|so|but|always|just|only|try to|make sure(?: to)?|be sure to|"
    r"remember to|you (?:should|must|need to|will|have to)|(?:can|could|would|will) you|i(?: would|['’]d) like(?: you)?"
    r" to|i (?:want|need) you to|help me(?: to)?|let['’]s),? {1,3}){0,4}"
)
_REPLY = (
    r"(?:answer|response|reply|output|essay|article|story|poem|summary|text|post|paper|review|speech|piece|description|"
    r"report|explanation|message|blog|it|tweet|caption|headline|slogan)"
)
_LABEL = r"(?:length|word (?:count|limit))\b[^:]{0,20}:"
REQUEST = _pattern(
    rf"{_LEAD}(?:{_MAKE}|{_SHAPE})\b|{_LABEL}|(?:what are the top|in|within|using|at most|no more than|maximum|exactly|"
    rf"at least|about|up to)\b|(?:your |the |this )?(?:\w{{1,20}} ){{0,3}}?{_REPLY} (?:should|must|has to|needs to)\b"
)
_PRODUCE = r"(?:write|compose|create|generate|draft|produce|prepare|craft|make|give|provide|tell)"
# Between a verb and its measure there may be the thing to make, but no other thing as in "a rubric for an essay".
DIRECT = _pattern(
    rf"\A(?:{_LEAD}(?:(?:{_PRODUCE}|keep|use|limit|include)\b(?!.*\b(?:for|about|of|on|from|to|that|between|by)\b).{{0,60}})?|"
    rf".*\b{_REPLY} (?:is|should|must|has to|needs to)\b[a-z ]{{0,12}}|.*[,:] ?)\Z"
)
INDIRECT = _pattern(r"\b(?:how|why|what|where|who|which|alternatives?)\b")
MAKING = _pattern(rf"{_LEAD}{_MAKE}\b")
AND_MORE = _pattern(rf"\b{_MAKE}\b.*?(?:\b(?:and|to)|[,;]) (?:please |also )?(?:{_MAKE}|a|an|why|how|what)\b")
ANSWER = _pattern(rf"^{_LEAD}(?:answer|respond|reply)\b|\byour (?:\w{{1,20}} )?(?:answer|response|reply|output)\b")

# Numbers, and the words before and after them.
_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
         "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
VALUES = {word: n for n, word in enumerate(_ONES, 1)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_SPELLED = rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES[:9])}))?|{'|'.join(_ONES[::-1])})"
N = (
    r"(?:(?<![\d.,$€£#/])(?:\d{1,3}(?:,\d{3}){1,2}|\d{1,6})(?![\d%]|[.,]\d)|"
    rf"\b(?:(?:a|{_SPELLED}) (?:hundred|thousand)(?: and {_SPELLED})?|{_SPELLED})\b)"
)
_RANGE = rf"(?P<n>{N})(?: ?(?:-|–|to|and) ?(?P<m>{N}))?"
STRICTLY = _pattern(r"(?:no|not|n['’]t|never|strictly) ")
BOUNDS: tuple[tuple[str, Bound], ...] = (
    (r"(?:no|not|never) (?:be )?(?:more|longer) than|(?:not|n['’]t|never) (?:to )?(?:exceed|go over)|at maximum|up to|"
     r"(?:strictly )?(?:at most|under|below|less than|fewer than|within)|(?:an? )?max(?:imum)?(?: of)?|shorter than|"
     r"limit(?:ed)?(?: (?:it|this|yourself|(?:your|the) \w+))? to|(?:a |the )?limit of|or (?:less|fewer|under|below)",
     "at_most"),
    (r"at least|(?:an? )?min(?:imum)?(?: of)?|more than|over|longer than|or (?:more|longer)|"
     r"(?:no|not) (?:be )?(?:less|fewer|shorter) than", "at_least"),
    (r"about|around|approximately|approx\.?|roughly|circa|~|or so", "about"),
    (r"exactly|precisely", "exactly"),
    (r"between", "between"),
)  # fmt: skip
_ANY_BOUND = "|".join(pattern for pattern, _ in BOUNDS)
_BEHIND = r"or (?:less|fewer|under|below|more|longer|so)|max(?:imum)?|min(?:imum)?|at most|at least"
SHIFTED = r"(?:strictly )?(?:under|below|less than|fewer than)|more than|over|shorter than|longer than"
_FRAME = rf"\b(?:in|into|to|using|within)\b|\(|{_LABEL}"
_LINK = rf"\b(?:with|of|be|have|(?:{_PRODUCE}|use)(?: me| us)?)\b"
_BEFORE = (
    rf"(?={_FRAME}|{_LINK}|\b(?:{_ANY_BOUND}|just|only)|~)(?:(?P<frame>{_FRAME})|{_LINK})? {{0,2}}(?:only |just )?"
    rf"(?P<before>{_ANY_BOUND})?"
)
_ADJECTIVE = r"(?:short|brief|concise|long|complete|full|simple|clear|detailed|main|key|separate|different)"
KINDS: dict[str, ConstraintKind] = {"w": "words", "c": "characters", "s": "sentences", "p": "paragraphs"}
_UNIT = r"(?P<unit>words?|characters?|sentences?|paragraphs?|bullet(?:ed)?[- ]?(?:points?|items?)|bullets)\b"
THINGS = (
    r"tips|examples|reasons|ways|ideas|facts|questions|titles|names|jokes|steps|options|suggestions|benefits|trends|"
    r"advantages|disadvantages|points|headlines|slogans|quotes|tweets|things|books|movies|films|songs|places|cities|"
    r"countries|recommendations|strategies|hashtags|captions|synonyms|antonyms|alternatives|topics|keywords|techniques|"
    r"taglines|puns|riddles|habits|activities|factors|features|differences|similarities|principles|causes|effects|items"
)
# Things that have lines or parts of their own, or are units of measure, are not counted as items.
NO_THINGS = word_set(
    "minutes seconds hours days weeks months years times lines stanzas verses pages chapters columns rows words "
    "letters characters digits numbers sentences paragraphs recipes plans workouts stories poems emails articles "
    "essays descriptions programs functions problems exercises values variables lists sections parts scenes posts this"
)
MENTION = _pattern(rf"({N})[- ]? ?(?:{_ADJECTIVE} ){{0,2}}{_UNIT}")
# in at most 100 words
LENGTH = _pattern(
    rf"{_BEFORE} {{0,2}}{_RANGE}[- ]? ?(?:{_ADJECTIVE} ){{0,2}}{_UNIT}(?: (?:long|in length|in total|total))?"
    rf"(?:,? (?P<after>{_BEHIND})\b)?"
)
# a short 200-word essay
SIZED = _pattern(
    rf"\b{_PRODUCE}(?: me| us)? an? (?:[a-z]{{1,20}},? ){{0,2}}?(?:(?P<before>{_ANY_BOUND}) )?{_RANGE}[- ]"
    r"(?P<unit>word|sentence|paragraph)s?(?P<after>(?= [a-z]))"
)
# list five tips, the top 10 places
ITEMS = _pattern(
    rf"\b(?:(?P<naming>list|name|brainstorm)|{_MAKE}|what are)(?: (?:me|us|out|down|up with))?"
    r"(?: (?:a|the) (?:\w{1,20} )?list of)?(?P<top>(?: the)? (?:top|best))?"
    r"(?: (?:(?P<before>at least|at most|exactly|up to|about|around|no more than|between)|only|just))?"
    rf" {_RANGE} (?:[a-z][a-z-]{{1,20}} ){{0,3}}?(?P<unit>{THINGS}|[a-z]{{3,20}}s|species|people)\b(?P<after>)"
)
YEAR = 1000  # larger numbers may be years: "the top 5 movies of 2020" holds only one number of things
# "five words that rhyme" and "two sentences of the text" are not lengths of the reply.
OTHER_THING = _pattern(
    r" {0,2}(?:that|which|from|of|with|who|whose|starting|beginning|ending|containing|related|rhyming|like|such|at|"
    r"above|below|into|you|i|were|are|is)\b|['’]|-"
)
NUMBER_AT_END = _pattern(rf"{N} ?[-–]? ?\Z")  # the first number of a range
STOP = _pattern(r" {0,2}(?:[.,;:!?)]|\Z)")
LETTER = _pattern(r"\b(?:letter|e-?mail|dialogue|conversation|script|poem|song|recipe|haiku)\b")  # unusual paragraphs
STORY = _pattern(r"\b(?:story|novel|play|movie|film|scene|fiction|cast)\b")  # where characters may be persons

# Forms, languages, wordings.
FORMS: tuple[tuple[ConstraintKind, str], ...] = (
    ("table", _pattern(
        r"\b(?:(?:as|in|into|using) an? (?:[a-z]{1,20} )?table|in (?:a )?(?:table|tabular) form(?:at)?|"
        r"in the form of a table)\b(?! (?:of contents|tennis|below|above|in ))|"
        r"\b(?:make|create|generate|draw) (?:me )?a (?:(?:brief|simple|short|summary|comparison|markdown) )?table"
        r"(?= (?:for|of|with|showing|listing|comparing|that|chart)\b(?! contents)|[.,:!?]|\Z)")),
    ("json", _pattern(
        r"\b(?:(?:in|as|using) (?:an? )?(?:valid |well-formed |correctly formatted )?json"
        r"(?: (?:format|object|array|string|syntax|document|output))?|(?:return|output) (?:only )?(?:valid )?json)\b"
        r"(?! (?:to|into|files?|parser|schema|data|format))")),
    ("code_block", _pattern(r"\b(?:in|inside|within|using|use) (?:a |one )?(?:single |markdown )?code ?block\b")),
)  # fmt: skip
_OBJECT = rf"(?: (?:me|it|this|everything|only|back|(?:your|the) (?:entire |whole )?{_REPLY}))?"
_THING = r"(?P<thing>(?: an? (?:[a-z]{1,20} ?){1,3}(?<! ))?)"
PART = _pattern(r"\b(?:of|on|about|for|between|from|with|that|to|title|word|phrase|name|sentence|verb|greeting|list)\b")
_SHOULD_BE = rf"(?:your|the) (?:entire |whole )?{_REPLY} (?:should|must) (?:be )?(?:written )?(?:entirely )?in "
LANGUAGE = _pattern(
    rf"(?:{_LEAD}(?:answer|respond|reply|explain|describe|speak|talk|(?:write|summari[sz]e|compose|tell|rewrite){_THING})"
    rf"{_OBJECT}(?: only)? in |{_SHOULD_BE}|{_LEAD}translate (?:it |this |the [a-z ]{{1,40}})?(?:in)?to (?!.* and ))"
    r"(?P<name>[a-z]{3,12})(?: language)?(?: only| please)?"
    r"(?=\s{0,2}(?:[.!,;:?)]|\Z|(?:what|how|why|when|where|who|which|about|and|using)\b))"
)
CASING = _pattern(
    rf"(?:{_LEAD}(?:answer|respond|reply|write){_OBJECT} (?:only )?in |{_SHOULD_BE}|{_LEAD}use )"
    r"(?:(?:only|all|entirely) ){0,2}(?P<case>caps|capital letters|capitals|(?:upper|lower) ?case(?: letters)?)"
    r"(?=\s{0,2}(?:[.!,;:?)]|\Z))"
)
QUOTED = rf"[\"“'‘]{HIDDEN}{{1,100}}[\"”'’]"
_TERM = r"(?:the )?(?:exact |following |specific )?(?:words?|phrases?|keywords?|key ?phrases?|terms?|expressions?)"
_QUOTES = rf"(?P<quotes>{QUOTED}(?:(?:,? and |, ?){QUOTED}){{0,9}})"
_WITH = (
    rf"(?: (?:it|(?:your|the) {_REPLY}))?(?: off)? with (?:{_TERM} |the (?:sentence|line|question) )?{_QUOTES}"
    r"(?=\s{0,2}(?:[.,;:!?)]|\Z|and\b))"
)
WORDINGS: tuple[tuple[ConstraintKind, str], ...] = (
    ("must_not_contain", _pattern(
        rf"(?:^{_LEAD}(?:(?:do not|don['’]t|never) (?:ever )?(?:use|include|mention|say|write)|avoid(?: using)?)|"
        rf"\bwithout using) {_TERM},?:? {_QUOTES}")),
    ("must_contain", _pattern(
        rf"(?:^{_LEAD}(?:include|use|mention|incorporate)|\b{_REPLY} (?:should|must) (?:include|contain|use|mention)|"
        rf"(?<!to )\b(?:using|including|containing)) {_TERM}:? {_QUOTES}")),
    ("begins_with", _pattern(rf"^{_LEAD}(?:start|begin|open){_WITH}")),
    ("ends_with", _pattern(rf"^{_LEAD}(?:end|finish|conclude|close){_WITH}")),
)  # fmt: skip
GAP = r"[\[\]<>{}]|\.\.\.|…|__"  # a placeholder to fill in, so the wording cannot be looked up
