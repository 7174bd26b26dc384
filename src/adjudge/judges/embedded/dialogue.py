"""The embedded Evaluator and Critic: six scores from what was counted, and an objection where one moment contradicts.

What is counted needs no understanding: who apologised, praised, complained, and where. The phrases are short English
lists, and text in another language has none, so they say nothing of it. The share of SYSTEM's replies that apologise or
decline moves most; the weights are simple fractions, set by hand. The Critic looks for the one exchange that a share
hides; a moment that the Evaluator quotes itself is no news.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import dropwhile, takewhile
from typing import NamedTuple

from ...models import Critique, Evaluation, Mark, Objection, Utterance
from ...models.cases import Dialogue, Turn
from ...text.sentences import rough_words, sentence_spans
from ...text.words import count_words
from ..base import CriticizeQuestion, EvaluateQuestion

# -- phrases -----------------------------------------------------------------------------------------------------------


def _any_of(*phrases: str) -> re.Pattern[str]:
    """One pattern for all phrases, as whole words in any case; an apostrophe may be typographic."""
    together = "|".join(phrases).replace("'", "['’]").replace(" ", r"\s+")
    return re.compile(rf"\b(?:{together})\b", re.IGNORECASE)


# "I'm sorry to hear that" is sympathy, and nothing was declined.
_APOLOGIES_AND_REFUSALS = (
    "sorry(?! to hear| for your loss)", "apologi[sz]e", "apologies", "unfortunately", "regrettably", "as an ai",
    "(?:i'm|i am|we're|we are) afraid", "my mistake", "(?:must|have to) decline", "not possible",
    "(?:i|we) (?:can't|cannot|can not|couldn't|could not|won't|will not)(?! (?:wait|agree more|thank you enough))",
    "(?:i'm|i am|we're|we are|i was|we were|currently) (?:unable|not able)", "(?:wasn't|weren't|won't be) able to",
    "(?:i|we) (?:don't|do not) (?:know|have (?:any|access|information|that|the ability)|see any)",
    "(?:i|we) (?:didn't|did not|don't|do not) find",
)  # fmt: skip
_DECLINES = _any_of(*_APOLOGIES_AND_REFUSALS)
# In a conversation also where nobody says sorry, and still nothing came of it.
DECLINED = _any_of(
    *_APOLOGIES_AND_REFUSALS,
    "unsuccessful", "not successful", "not available", "isn't available", "unavailable", "sold out", "fully booked",
    "no (?:results?|match(?:es)?|such|longer available)", "there (?:are|is|were|was) (?:no|none|nothing)",
    "there (?:aren't|isn't) any", "(?:has|have) failed",
)  # fmt: skip
COURTESY = _any_of(
    "thank(?:s| you)", "please", "(?:you're|you are)(?: very| most)? welcome", "welcome to", "(?:happy|glad) to",
    "my pleasure", "of course", "certainly", "gladly", "sorry", "apologi[sz]e", "apologies", "i understand",
    "enjoy your", "have a (?:great|good|nice|lovely|wonderful)",
)  # fmt: skip
REQUEST = _any_of(
    "(?:can|could|would|will) you", "can i", "please", "i(?:'d| would) like", "i (?:also )?(?:need|want)",
    "(?:i'm|i am) looking for",
)  # fmt: skip
# Something was done for USER; "fully booked", or a question whether to book, is nothing done.
CARRIED_OUT = _any_of(
    "(?:have|has|been|is|are|was|were|'ve)(?: now| also| just)? (?:booked|reserved|confirmed|purchased|ordered|sent)",
    "(?:have|has|been|'ve)(?: now| also| just)? (?:scheduled|changed|updated|cancell?ed|refunded)", "successfully",
    "(?:is|was|were) successful", "(?:reference|confirmation) (?:number|code|is)", "taken care of",
)  # fmt: skip
# Of whatever it is: who speaks of good things is mostly content with the conversation, too.
PRAISE = _any_of(
    r"(?<!not\s)(?:great|perfect|awesome|excellent|wonderful|fantastic|amazing|brilliant|lovely|nice|cool|helpful)",
    r"(?<!not\s)exactly", "sounds (?:good|fun|interesting)", "loved?", "good job", "that works",
)  # fmt: skip
NO = _any_of(
    r"(?:\A|(?<=[.!?]\s))(?:no|nope|nah)", "(?:don't|do not) (?:know|remember|think so)", "not (?:sure|really)",
    "no idea", "haven't", "have not", "never (?:seen|heard)",
)  # fmt: skip
THANKS = _any_of("thanks?(?: you)?", "thx", "cheers", "appreciate it", "much appreciated")
# Only what is said to SYSTEM or of it: a film may be annoying, too.
COMPLAINT = _any_of(
    "(?:this|that|it)(?:'s| is)(?: so| really| just| very)? (?:ridiculous|unacceptable|frustrating|disappointing)",
    "(?:you|you're|you are|this is)(?: so| really| just)? (?:useless|unhelpful|not helpful|no help)",
    "wast(?:e of|ing) my time", "(?:that|this) (?:doesn't|does not|didn't) help", "thanks for nothing", "i give up",
    "(?:terrible|awful|poor) service", "forget it", "how many times", "not good enough", "i'm (?:so )?frustrated",
    "(?:speak|talk) to (?:a|your) (?:human|manager|supervisor|real person)",
)  # fmt: skip
CORRECTION = _any_of(
    "no,? i meant", "i (?:already|just) (?:said|told)", "i told you", "as i said", "you misunderstood",
    "(?:that's|that is) (?:not what|wrong|incorrect|not (?:right|correct|true))", "you just (?:told me|said)",
    "not what i (?:asked|said|meant|wanted)", "i (?:didn't|did not) ask",
)  # fmt: skip


def declines(text: str) -> tuple[int, int] | None:
    """The place of the first apology or refusal."""
    match = _DECLINES.search(text)
    return match.span() if match else None


# -- places ------------------------------------------------------------------------------------------------------------

_LONGEST = 200  # characters of a quote
_SHORTEST = 3  # words of a quote that is not the whole utterance
_PLENTY = 25  # words from which one sentence shows as much as another
_LAST_WORDS = 2  # turns of USER that are the end of a conversation
_MORE_HELP = re.compile(r"\b(?:else|(?:more|further) (?:help|assistance))\b", re.IGNORECASE)
# A small word said twice, or an end that leaves the sentence open.
_SLIP = re.compile(r"\b(the|an|of|to|is|are|and|with|your)\s+\1\b|(?:,|\b(?:and|or|the|an|because))\s*\Z", re.I)


class Place(NamedTuple):
    """Where something shows: a turn, and the stretch of its text."""

    turn: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns of both sides (their positions in `turns`; of USER only those with words), and what was found."""

    turns: tuple[Turn, ...]
    system: tuple[int, ...]
    user: tuple[int, ...]
    found: Mapping[str, tuple[Place, ...]]


def read_conversation(case: Dialogue) -> Conversation:
    """The conversation with everything that is measured in it."""
    turns = case.turns
    system = tuple(index for index, turn in enumerate(turns) if turn.speaker == "SYSTEM")
    user = tuple(index for index, turn in enumerate(turns) if turn.speaker == "USER" and turn.text.strip())

    def find(pattern: re.Pattern[str], among: Iterable[int]) -> tuple[Place, ...]:
        return tuple(Place(at, *match.span()) for at in among if (match := pattern.search(turns[at].text)))

    found = {
        "declined": find(DECLINED, system),
        "complained": find(COMPLAINT, user),
        "corrected": find(CORRECTION, user),
        "courteous": find(COURTESY, system),
        "slips": find(_SLIP, system),
        "unanswered": tuple(_unanswered(turns, user)),
    }
    # A turn speaks for one thing.
    bad = {place.turn for name in ("declined", "complained", "corrected") for place in found[name]}
    others = [index for index in user if index not in bad]
    found["carried_out"] = find(CARRIED_OUT, (index for index in system if index not in bad))
    found["said_no"] = find(NO, (index for index in others if not _ends(turns, index)))
    found["praised"] = find(PRAISE, others)
    found["thanked"] = find(THANKS, (index for index in others if index in user[-_LAST_WORDS:]))
    return Conversation(turns, system, user, found)


def _ends(turns: tuple[Turn, ...], index: int) -> bool:
    """Whether USER only ends the conversation: a no to an offer of more help, or with thanks, refuses nothing."""
    offered = index > 0 and _MORE_HELP.search(turns[index - 1].text)
    return bool(offered or THANKS.search(turns[index].text))


def _unanswered(turns: tuple[Turn, ...], user: Iterable[int]) -> Iterator[Place]:
    """What USER said before an empty reply of SYSTEM, and a question at the end to which nobody replied."""
    last = max(index for index, turn in enumerate(turns) if turn.text.strip())
    for index in user:
        after = [(turn.speaker, bool(turn.text.strip())) for turn in turns[index + 1 : index + 3]]
        silence = after[:1] == [("SYSTEM", False)] and after[1:] != [("SYSTEM", True)]
        if silence or (index == last and "?" in turns[index].text):
            yield Place(index, 0, len(turns[index].text))


def replies_to(talk: Conversation, index: int) -> list[int]:
    """SYSTEM's turns after a turn of USER, until USER speaks again."""
    after = dropwhile(lambda at: talk.turns[at].speaker == "USER", range(index + 1, len(talk.turns)))
    return list(takewhile(lambda at: talk.turns[at].speaker == "SYSTEM", after))


def _asks(text: str) -> bool:
    """Whether somebody asks for something; thanks such as "that's all I need" are no request."""
    return "?" in text or bool(REQUEST.search(text) and not THANKS.search(text))


def fullest_sentence(talk: Conversation, among: Iterable[int]) -> Place:
    """The first sentence that says most; a question only where nothing else is said."""
    texts = ((index, talk.turns[index].text) for index in among)
    places = (Place(index, *span) for index, text in texts for span in sentence_spans(text))

    def size(place: Place) -> tuple[bool, int]:
        sentence = talk.turns[place.turn].text[place.start : place.end]
        return not sentence.endswith("?"), min(rough_words(sentence), _PLENTY)

    return max(places, key=size)


def quote(case: Dialogue, place: Place) -> Utterance:
    """The sentence around a place, cut to a readable length; never fewer than three words of a longer utterance."""
    turn = case.turns[place.turn]
    text = turn.text
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    start, end = next((span for span in sentence_spans(text) if place.start < span[1]), (first, last))
    if place.end - place.start < _LONGEST < place.end - start:
        start = place.start
    for low, high in ((start, end), (start, last), (first, last)):
        start, end = low, _cut(text, low, high)
        if count_words(text[start:end]) >= _SHORTEST:
            break
    else:
        start, end = first, last
    return Utterance(speaker=turn.speaker, quote=text[start:end], turn=place.turn, line=turn.line, start=start, end=end)


def _cut(text: str, start: int, end: int) -> int:
    """The end of a stretch, or the last gap between words before it becomes too long."""
    if end - start <= _LONGEST:
        return end
    gap = text.rfind(" ", start, start + _LONGEST + 1)
    return start + len(text[start : gap if gap > start else start + _LONGEST].rstrip())


# -- the Evaluator -----------------------------------------------------------------------------------------------------

ACCURACY = "Accuracy"
_NOT_ASSESSED = "Whether SYSTEM's statements are true cannot be measured, so this is only the middle of the scale."
_MANY = 2  # what happened so often counts in full


class Mix(NamedTuple):
    """Where a criterion starts on a scale from 0 to 1, how far each measure moves it, and what is said if none does."""

    start: Fraction
    weights: Mapping[str, Fraction]
    clean: str


_QUARTER, _HALF, _MOST = Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)
_SUCCESS = Mix(
    _HALF,
    {
        "declined": -Fraction(5, 4), "complained": -_HALF, "unanswered": -_HALF, "said_no": -_HALF,
        "corrected": -_QUARTER, "carried_out": _QUARTER, "praised": _QUARTER, "thanked": _QUARTER,
    },
    "SYSTEM apologised or declined in none of its replies",
)  # fmt: skip
# A criterion of a user's own rubric is scored as TaskSuccess is: that is the best guess at what matters.
MIXES: Mapping[str, Mix] = {
    "TaskSuccess": _SUCCESS,
    "Helpfulness": Mix(
        _HALF,
        {"declined": Fraction(-1), "unanswered": -_HALF, "carried_out": _QUARTER, "praised": _QUARTER},
        _SUCCESS.clean,
    ),
    "Understanding": Mix(_MOST, {"corrected": -_HALF, "said_no": -_HALF}, "USER never said no or put SYSTEM right"),
    "Empathy": Mix(
        _QUARTER,
        {"courteous": _MOST, "praised": _QUARTER, "complained": -_QUARTER},
        "SYSTEM has a courteous word in none of its replies",
    ),
    "Fluency": Mix(_MOST, {"slips": -_HALF}, "no reply of SYSTEM breaks off or doubles a word"),
}
# What is said of each measure. Some are a share of a side's turns; the others are counted.
_SAYS = {
    "declined": "SYSTEM apologised or declined",
    "courteous": "SYSTEM has a courteous word",
    "carried_out": "SYSTEM said that something was done",
    "slips": "SYSTEM broke off or doubled a word",
    "said_no": "USER said no or did not know",
    "corrected": "USER had to put SYSTEM right",
    "complained": "USER complained",
    "praised": "USER had a word of praise",
    "unanswered": "USER was left without a reply",
    "thanked": "USER said thanks at the end",
}
_SHARES = ("declined", "courteous", "said_no")


def evaluate(question: EvaluateQuestion) -> Evaluation:
    """A mark for every criterion of the rubric."""
    talk = read_conversation(question.case)
    values = question.rubric.scale.values
    marks = {item.key: _mark(question.case, talk, item.key, values) for item in question.rubric.criteria}
    return Evaluation(judge="embedded", marks=marks)


def _measure(talk: Conversation, name: str) -> tuple[Fraction, str]:
    """How much there is of something, from 0 to 1, and how a person would say it."""
    count, says = len(talk.found[name]), _SAYS[name]
    if name in _SHARES:
        every = len(talk.user if name == "said_no" else talk.system)
        where = f"{count} of its {every} replies"
        if count == every:
            where = "its only reply" if every == 1 else f"all {every} of its replies"
        return Fraction(count, every), f"{says} in {where}"
    if name == "thanked":
        return Fraction(bool(count)), says
    times = {0: "", 1: "", 2: " twice"}.get(count, f" {count} times")
    return Fraction(min(count, _MANY), _MANY), says + times


def _mark(case: Dialogue, talk: Conversation, key: str, values: Sequence[Decimal]) -> Mark:
    """The score, and in one sentence what moved it most each way."""
    if key == ACCURACY:
        # The middle, beside the fullest statement nobody checked.
        shown = quote(case, fullest_sentence(talk, talk.system))
        return Mark(value=on_scale(_HALF, values), reason=_NOT_ASSESSED, quotes=(shown,), assessed=False)
    mix = MIXES.get(key, _SUCCESS)
    moves = {name: weight * amount for name, weight in mix.weights.items() if (amount := _measure(talk, name)[0])}
    ranked = sorted(moves, key=lambda name: -abs(moves[name]))
    good = [name for name in ranked if moves[name] > 0][:2]
    bad = [name for name in ranked if moves[name] < 0][:2]
    told = [_measure(talk, name)[1] for name in good]
    if not bad and (not good or "declined" in mix.weights):
        told.append(mix.clean)
    against = " and ".join(_measure(talk, name)[1] for name in bad)
    said = ", but ".join(part for part in (", and ".join(told[:2]), against) if part)
    places = [talk.found[name][0] for name in (*good, *bad)]
    if not places:
        places = [fullest_sentence(talk, talk.user if key == "Understanding" else talk.system)]
    quotes = tuple(dict.fromkeys(quote(case, place) for place in places))
    value = on_scale(mix.start + sum(moves.values()), values)
    return Mark(value=value, reason=f"{said[0].upper()}{said[1:]}.", quotes=quotes)


def on_scale(place: Fraction, values: Sequence[Decimal]) -> Decimal:
    """The allowed value nearest to a place between 0 and 1; halfway is the higher one."""
    inside = max(Fraction(0), min(Fraction(1), place))
    return values[int(inside * (len(values) - 1) + _HALF)]


# -- the Critic --------------------------------------------------------------------------------------------------------


class Moment(NamedTuple):
    """Something at a place that asks for a lower (-1) or a higher (1) score of some criteria."""

    criteria: tuple[str, ...]
    points: int
    comment: str
    place: Place


def criticize(question: CriticizeQuestion) -> Critique:
    """An entry for every mark of the evaluation."""
    moments = list(_moments(read_conversation(question.case)))
    values = question.rubric.scale.values
    entries: dict[str, Objection] = {}
    for key, mark in question.evaluation.marks.items():
        # A criterion of a user's own rubric is looked at as TaskSuccess is.
        known = key if key in MIXES or key == ACCURACY else "TaskSuccess"
        entries[key] = _entry(question.case, mark, [one for one in moments if known in one.criteria], values)
    return Critique(judge="embedded", entries=entries)


def _moments(talk: Conversation) -> Iterator[Moment]:
    """All of them, for each criterion the gravest first."""
    # What came of the last thing that USER asked for, and whether USER leaves content.
    both = ("TaskSuccess", "Helpfulness")
    asked = next((index for index in reversed(talk.user) if _asks(talk.turns[index].text)), None)
    replies = replies_to(talk, asked) if asked is not None else []
    for place in talk.found["declined"]:
        if place.turn in replies:
            yield Moment(both, -1, "The last thing USER asked for was declined.", place)
    for place in talk.found["unanswered"]:
        yield Moment(both, -1, "USER was left without a reply here.", place)
    for place in talk.found["praised"]:
        if place.turn == talk.user[-1]:
            yield Moment(both, 1, "USER leaves with a word of praise.", place)
    # What USER complained of, and whether SYSTEM had a kind word for it.
    kind = {place.turn: place for place in talk.found["courteous"]}
    for place in talk.found["complained"]:
        yield Moment(("TaskSuccess",), -1, "USER complains here.", place)
        replies = replies_to(talk, place.turn)
        if answered := [kind[index] for index in replies if index in kind]:
            yield Moment(("Empathy",), 1, "SYSTEM answers USER's complaint with a kind word.", answered[0])
        elif replies:
            yield Moment(("Empathy",), -1, "USER complains here, and the reply has no kind word for it.", place)
    for place in talk.found["corrected"]:
        yield Moment(("Understanding",), -1, "USER has to put SYSTEM right here.", place)
    for place in talk.found["slips"]:
        yield Moment(("Fluency",), -1, "SYSTEM breaks off or doubles a word here.", place)


def _entry(case: Dialogue, mark: Mark, moments: Sequence[Moment], values: Sequence[Decimal]) -> Objection:
    """An objection if a moment contradicts the mark: a low one a good mark, a high one a poor one."""
    top = len(values) - 1
    at = min(range(len(values)), key=lambda index: abs(values[index] - mark.value))
    against = [moment for moment in moments if moment.points * (2 * at - top) < 0]
    quoted = {item.turn for item in mark.quotes}
    moment = next((moment for moment in against if moment.place.turn not in quoted), None)
    if moment is None:
        comment = "Nothing that can be measured contradicts this score."
        if against:
            comment = "What speaks against this score is already in the Evaluator's reason."
        return Objection(agree=True, comment=comment, suggested=None, contradicts=False, quotes=())
    # One value on the shipped scale; on a finer one as much of the whole.
    step = max(1, round(top / 4))
    return Objection(
        agree=False,
        comment=moment.comment,
        suggested=values[max(0, min(top, at + moment.points * step))],
        contradicts=True,
        quotes=(quote(case, moment.place),),
        wanted_quote=True,
    )
