"""Single moments that speak against a score: one refusal at the wrong time, one sentence of real praise.

The Evaluator takes averages over the whole conversation; these checks look for the one exchange that an average hides.
Each finding names its criteria, says which way it points and how strongly, and stands at a turn that can be quoted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...facts.sentences import sentence_spans, word_set
from .dialogue_cues import CARE, SERVED_WELL
from .dialogue_features import Sign
from .dialogue_flaws import find_flaws
from .dialogue_reading import READ, Reading
from .phrases import spoken, words_of

GENERAL = "*"  # stands for every criterion that has no checks of its own

_NEGATIONS = word_set("not no isn't aren't wasn't doesn't don't didn't can't cannot never none unable")
_SMALL = word_set("the and for you are has have does with that this there would like can will your any was were")
_SENTENCES = 40  # statements of SYSTEM that a new one is held against
_LONG_BREATH = 60  # words without a stop


class Finding(NamedTuple):
    """One moment. `points` is -1 (the score is too high) or 1 (too low); strength 1 is a doubt, 2 or 3 is proof."""

    criteria: tuple[str, ...]
    points: int
    strength: int
    sign: Sign
    comment: str
    topic: tuple[str, ...]


def find_moments(reading: Reading) -> list[Finding]:
    """Everything the checks found, the strongest first; at equal strength the later one, which people leave with."""
    found = [finding for check in _CHECKS for finding in check(reading)]
    return sorted(found, key=lambda finding: (-finding.strength, -finding.sign.turn))


def _last_request(reading: Reading) -> Iterator[Finding]:
    """What came of the last thing USER asked for."""
    if not reading.requests:
        return
    last = reading.requests[-1]
    if last.reply == "none":
        comment = "The last thing the user asked for got no reply at all"
        yield Finding(("TaskSuccess", GENERAL), -1, 3, Sign(last.asked.turn), comment, ("nobody", "unanswered", "open"))
    elif last.reply == "refused":
        reply = next(heard for heard in last.replies if "refusal" in heard.cues)
        comment = "The last thing the user asked for was refused"
        sign = Sign(reply.turn, reply.cues["refusal"])
        yield Finding(("TaskSuccess", "Helpfulness", GENERAL), -1, 2, sign, comment, ("refus", "unable", "could not"))


def _refused_in_a_row(reading: Reading) -> Iterator[Finding]:
    """Two requests running that came to nothing."""
    for first, second in zip(reading.requests, reading.requests[1:], strict=False):
        if first.reply == second.reply == "refused":
            reply = next(heard for heard in second.replies if "refusal" in heard.cues)
            comment = "Two requests running were refused"
            sign = Sign(reply.turn, reply.cues["refusal"])
            yield Finding(("TaskSuccess", "Helpfulness", GENERAL), -1, 2, sign, comment, ("refus", "unable"))


def _not_taken_up(reading: Reading) -> Iterator[Finding]:
    """A correction, and whether the next reply takes up any word of it."""
    for index, heard in enumerate(reading.turns[:-1]):
        reply = reading.turns[index + 1]
        if "correction" not in heard.cues or reply.speaker != "SYSTEM":
            continue
        wanted = words_of(heard.said, _SMALL)
        taken_up = bool(wanted & words_of(reply.said)) or "apology" in reply.cues
        strength, comment = (1, "The user had to put the system right")
        if wanted and not taken_up:
            strength, comment = 2, "The user put the system right, and the reply takes up no word of it"
        sign = Sign(heard.turn, heard.cues["correction"])
        yield Finding(("Understanding", GENERAL), -1, strength, sign, comment, ("correct", "insist", "misunder"))


def _asked_after_answer(reading: Reading) -> Iterator[Finding]:
    """SYSTEM puts the same question again although USER has answered it."""
    for first, second in zip(reading.questions, reading.questions[1:], strict=False):
        before, now = words_of(first.asked.said), words_of(second.asked.said)
        if first.reply == "answered" and len(now) > 3 and len(before & now) >= 0.9 * len(before | now):
            comment = "The system asks once more what the user had just answered"
            yield Finding(
                ("Understanding", "Fluency"), -1, 2, Sign(second.asked.turn), comment, ("asked again", "repeat")
            )


def _contradiction(reading: Reading) -> Iterator[Finding]:
    """Two statements of SYSTEM with the same words, one of them denied."""
    stated: list[tuple[frozenset[str], bool]] = []
    for heard in reading.system:
        for start, end in sentence_spans(heard.text[:READ], _SENTENCES):
            sentence = heard.text[start:end]
            said = spoken(sentence)
            words = words_of(said, _SMALL | _NEGATIONS)
            if len(words) < 4 or sentence.endswith(("?", "？", "؟")):
                continue
            denied = not _NEGATIONS.isdisjoint(said.split())
            for past, past_denied in stated[-_SENTENCES:]:
                if past_denied != denied and len(words & past) >= 0.85 * len(words | past):
                    comment = "The system states here the opposite of what it stated before"
                    topic = ("disput", "contradict", "taken back")
                    yield Finding(("Accuracy",), -1, 2, Sign(heard.turn, said.strip(" |")), comment, topic)
                    break
            stated.append((words, denied))


def _doubted(reading: Reading) -> Iterator[Finding]:
    """A statement that USER does not believe, or SYSTEM itself takes back."""
    topic = ("disput", "contradict", "taken back")
    for heard in reading.with_cue("USER", "dispute"):
        comment = "The user does not accept what the system said"
        yield Finding(("Accuracy",), -1, 1, Sign(heard.turn, heard.cues["dispute"]), comment, topic)
    for heard in reading.with_cue("SYSTEM", "mistake"):
        comment = "The system takes back what it said"
        yield Finding(("Accuracy",), -1, 2, Sign(heard.turn, heard.cues["mistake"]), comment, topic)


def _cold_reply(reading: Reading) -> Iterator[Finding]:
    """USER is let down, and SYSTEM has no word for it."""
    for index, heard in enumerate(reading.turns[:-1]):
        reply = reading.turns[index + 1]
        if "frustration" not in heard.cues or reply.speaker != "SYSTEM":
            continue
        if not {"apology", "courtesy", "acknowledgement"} & reply.cues.keys():
            comment = "The user is let down here, and the reply has no word for it"
            sign = Sign(heard.turn, heard.cues["frustration"])
            yield Finding(("Empathy", "TaskSuccess", GENERAL), -1, 2, sign, comment, ("let down", "frustrat"))


def _warm_word(reading: Reading) -> Iterator[Finding]:
    """One sentence of SYSTEM that shows care."""
    for heard in reading.system:
        phrase = CARE.find(heard.said)
        if phrase is not None:
            comment = "Here the system shows care in so many words"
            yield Finding(("Empathy",), 1, 2, Sign(heard.turn, phrase), comment, ("care", "warm", "courteous"))


def _real_praise(reading: Reading) -> Iterator[Finding]:
    """USER says in so many words that the service was good; in the second half, when there is something to praise."""
    topic = ("approv", "thank", "prais", "satisf")
    for heard in reading.user[len(reading.user) // 2 :]:
        phrase = SERVED_WELL.find_meant(heard.said)
        if phrase is not None and "frustration" not in heard.cues:
            comment = "The user says in so many words that this was what was wanted"
            criteria = ("TaskSuccess", "Helpfulness", "Understanding", GENERAL)
            yield Finding(criteria, 1, 2, Sign(heard.turn, phrase), comment, topic)


def _same_words_again(reading: Reading) -> Iterator[Finding]:
    """SYSTEM repeats a whole reply, or talks without a stop."""
    seen: set[str] = set()
    for heard in reading.system:
        if heard.words > 5 and "offer" not in heard.cues:
            if heard.said in seen:
                comment = "The system repeats a whole reply word for word"
                yield Finding(
                    ("Fluency",), -1, 2, Sign(heard.turn), comment, ("word for word", "asked again", "repeat")
                )
            seen.add(heard.said)
        if heard.words > _LONG_BREATH and heard.sentences == 1 and "," not in heard.text:
            comment = f"This reply runs on for {heard.words} words without a stop"
            yield Finding(("Fluency",), -1, 2, Sign(heard.turn), comment, ("full stop", "runs on"))


def _plain_flaws(reading: Reading) -> Iterator[Finding]:
    """What code finds wrong in a single reply."""
    flaws = find_flaws(reading)
    for found, criteria, strength, topic in (
        (flaws.sums, ("Accuracy",), 3, ("which makes", "sum")),
        (flaws.language, ("Understanding", "Helpfulness", GENERAL), 2, ("answered in", "language")),
        (flaws.blanks, ("Helpfulness", "Fluency", GENERAL), 2, ("placeholder", "left standing")),
        (flaws.cut_off, ("Fluency",), 2, ("breaks off", "ends in", "ends with")),
    ):
        for flaw in found:
            sign = Sign(flaw.heard.turn, flaw.phrase)
            yield Finding(criteria, -1, strength, sign, f"Here the system {flaw.says}", topic)


def _rich_reply(reading: Reading) -> Iterator[Finding]:
    """One reply that alone holds a good deal to act on."""
    for heard in reading.system:
        figures = sum(1 for word in heard.said.split() if word[0].isdigit())
        if figures >= 3 and heard.words >= 12 and "refusal" not in heard.cues:
            comment = f"This one reply gives {figures} figures to act on"
            yield Finding(("Helpfulness",), 1, 1, Sign(heard.turn), comment, ("figure", "detail"))


def _clean_reply(reading: Reading) -> Iterator[Finding]:
    """One long reply without a slip."""
    for heard in reading.system:
        text = heard.text[:READ].strip()
        if heard.words >= 15 and heard.sentences > 1 and text[:1].isupper() and text.endswith((".", "!", "?")):
            comment = "Replies such as this one are well formed"
            yield Finding(("Fluency",), 1, 1, Sign(heard.turn), comment, ("well formed", "no slips"))
            return


_CHECKS: tuple[Callable[[Reading], Iterator[Finding]], ...] = (
    _last_request, _refused_in_a_row, _not_taken_up, _asked_after_answer, _contradiction, _doubted, _cold_reply,
    _warm_word, _real_praise, _same_words_again, _plain_flaws, _rich_reply, _clean_reply,
)  # fmt: skip
