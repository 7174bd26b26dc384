"""English phrases of apology and refusal. No binding rule rests on them: in another language they find nothing."""

from __future__ import annotations

import re


def any_of(*phrases: str) -> re.Pattern[str]:
    """Return one pattern that matches any of the phrases as whole words, in any case and with either apostrophe."""
    together = "|".join(phrases).replace("'", "['’]").replace(" ", r"\s+")
    return re.compile(rf"\b(?:{together})\b", re.IGNORECASE)


# "I'm sorry to hear that" is sympathy and declines nothing.
APOLOGIES_AND_REFUSALS = (
    "sorry(?! to hear| for your loss)", "apologi[sz]e", "apologies", "unfortunately", "regrettably", "as an ai",
    "(?:i'm|i am|we're|we are) afraid", "my mistake", "(?:must|have to) decline", "not possible",
    "(?:i|we) (?:can't|cannot|can not|couldn't|could not|won't|will not)"
    "(?! (?:wait|agree more|thank|believe|imagine|stop|help but|stress|emphasi[sz]e|recommend|stand|be happier|lie))",
    "(?:i'm|i am|we're|we are|i was|we were|currently) (?:unable|not able)", "(?:wasn't|weren't|won't be) able to",
    "(?:i|we) (?:don't|do not) (?:know|have (?:any|access|information|that|the ability)|see any)",
    "(?:i|we) (?:didn't|did not|don't|do not) find",
)  # fmt: skip
_DECLINES = any_of(*APOLOGIES_AND_REFUSALS)


def declines(text: str) -> tuple[int, int] | None:
    """Return the place of the first apology or refusal, or None."""
    match = _DECLINES.search(text)
    return match.span() if match else None
