"""The short English lists of the embedded judge: how people apologise, decline, thank, complain and correct.

They only find words; nothing binds on them. Text in another language has none, so they say nothing of it.
"""

from __future__ import annotations

import re

Span = tuple[int, int]


def _any_of(*phrases: str) -> re.Pattern[str]:
    """One pattern for all phrases, as whole words in any case; an apostrophe may be typographic."""
    together = "|".join(phrases).replace("'", "['’]").replace(" ", r"\s+")
    return re.compile(rf"\b(?:{together})\b", re.IGNORECASE)


# "I'm sorry to hear that" is sympathy, and nothing was declined.
_DECLINES = _any_of(
    r"sorry(?! to hear\b| for your (?:loss|trouble))", "apologi[sz]e", "apologies", "unfortunately", "regrettably",
    "(?:i'm|i am|we're|we are) afraid", "my mistake",
    "(?:i|we) (?:can't|cannot|can not|couldn't|could not|won't|will not)(?! (?:wait|agree more|thank you enough))",
    "(?:i'm|i am|we're|we are|i was|we were|currently) (?:unable|not able)", "(?:wasn't|weren't|won't be) able to",
    "(?:i|we) (?:don't|do not) (?:know|have (?:any|access|information|that|the ability)|see any)",
    "(?:i|we) (?:didn't|did not|don't|do not) find", "(?:must|have to) decline", "not possible", "as an ai",
)  # fmt: skip
# Nobody says sorry, and still nothing came of it.
_EMPTY_HANDED = _any_of(
    "unsuccessful", "not successful", "not available", "isn't available", "unavailable", "sold out", "fully booked",
    "no (?:results?|match(?:es)?|such|longer available)", "there (?:are|is|were|was) (?:no|none|nothing)",
    "there (?:aren't|isn't) any", "(?:has|have) failed",
)  # fmt: skip
_COURTESY = _any_of(
    "thank(?:s| you)", "please", "(?:you're|you are)(?: very| most)? welcome", "welcome to", "(?:happy|glad) to",
    "my pleasure", "of course", "certainly", "gladly", "sorry", "apologi[sz]e", "apologies",
    "i understand(?! you want)", "i see why", "enjoy your", "have a (?:great|good|nice|lovely|wonderful)",
)  # fmt: skip
_THANKS = _any_of("thanks?", "thank(?:s| you)", "thx", "cheers", "appreciate it", "much appreciated")
_SOLVED = _any_of(
    "(?:that|it|this) (?:worked|works now|solved it|fixed it|helped a lot)", "problem(?:'s| is)? solved",
    "(?:exactly|just) what i (?:needed|wanted|was looking for)", "(?:very|so|really|extremely) helpful",
    "(?:a )?(?:great|big|huge) help", "you(?:'ve| have) been (?:great|wonderful)",
)  # fmt: skip
_COMPLAINT = _any_of(
    "ridiculous", "useless", "unacceptable", "frustrat(?:ed|ing)", "annoy(?:ed|ing)", "disappoint(?:ed|ing)",
    "waste of (?:my )?time", "wasting my time", "not helpful", "unhelpful", "(?:doesn't|does not|didn't) help",
    "no help", "(?:terrible|awful|poor) service", "thanks for nothing", "forget it", "i give up", "how many times",
    "(?:speak|talk) to (?:a|your) (?:human|manager|supervisor|real person)", "makes no sense", "not good enough",
)  # fmt: skip
_CORRECTION = _any_of(
    "i meant", "i (?:already |just )?(?:said|told you)", "(?:as|like) i said", "(?:that's|that is) (?:not what|wrong)",
    "not what i (?:asked|said|meant|wanted)", "you (?:just )?(?:told me|said)", "you misunderstood",
    "i (?:didn't|did not) (?:ask|say)", "(?:that's|that is) (?:incorrect|not (?:right|correct|true))",
)  # fmt: skip
_TAKEN_BACK = _any_of(
    "my mistake", "i (?:was|am) (?:wrong|mistaken)", "i made (?:a mistake|an error)", "i misspoke", "let me correct",
    "(?:that|what i said) was (?:wrong|incorrect)",
)  # fmt: skip
_REQUEST = _any_of(
    "(?:can|could|would|will) you", "can i", "please", "i(?:'d| would) like", "i (?:also )?(?:need|want)",
    "i'm looking for", "i am looking for",
)  # fmt: skip
_QUESTION_MARK = re.compile(r"\?")


def declines(text: str) -> Span | None:
    """The place of the first apology or refusal."""
    return _first(_DECLINES, text)


def comes_back_empty(text: str) -> Span | None:
    """The place where it first says that there is nothing to be had, politely or not."""
    return _first(_EMPTY_HANDED, text)


def is_courteous(text: str) -> Span | None:
    """The place of the first courteous or kind word."""
    return _first(_COURTESY, text)


def thanks(text: str) -> Span | None:
    """The place of the first thanks."""
    return _first(_THANKS, text)


def says_it_is_solved(text: str) -> Span | None:
    """The place where somebody first says that this was what they needed."""
    return _first(_SOLVED, text)


def complains(text: str) -> Span | None:
    """The place of the first complaint."""
    return _first(_COMPLAINT, text)


def corrects(text: str) -> Span | None:
    """The place where somebody first puts the other side right."""
    return _first(_CORRECTION, text)


def takes_back(text: str) -> Span | None:
    """The place where somebody first takes back what they said."""
    return _first(_TAKEN_BACK, text)


def asks(text: str) -> Span | None:
    """The place where somebody first asks for something."""
    return _first(_REQUEST, text) or _first(_QUESTION_MARK, text)


def _first(pattern: re.Pattern[str], text: str) -> Span | None:
    match = pattern.search(text)
    return match.span() if match else None
