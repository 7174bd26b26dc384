"""The short English lists of the embedded judge: how people apologise, decline, thank, praise and complain.

They only find words; nothing binds on them. Text in another language has none, so they say nothing of it.
"""

from __future__ import annotations

import re


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
