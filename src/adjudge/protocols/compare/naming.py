"""Replace a judge's names for the answers, Answer 1 and Answer 2, by the case's labels, Response A and Response B."""

from __future__ import annotations

import re

from ...models.common import Label
from ...text.reasons import QUOTED_WORDS
from ...text.sentences import QUOTATION, QUOTATION_MARK
from ...text.words import count_words

_BOTH_NAMED = re.compile(r"\b(?:answers?|responses?) ([12])( and | or | & |/)([12])\b", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?:answer|response)[ _#]{0,2}(1|2|one|two)\b(?!\.\d)|\b(?:the )?(first|second) (?:answer|response)\b",
    re.IGNORECASE,
)
_PLACE = {"1": 0, "one": 0, "first": 0, "2": 1, "two": 1, "second": 1}


def in_case_labels(text: str, shown: tuple[Label, Label]) -> str:
    """Return the text, stripped, with the answers called by the case's labels. `shown` has them in the judge's order.

    Quotations are left unchanged, since their words are not the judge's. One or two words in quotes count as a name.
    """

    def both(match: re.Match[str]) -> str:
        return f"Responses {shown[_PLACE[match[1]]]}{match[2]}{shown[_PLACE[match[3]]]}"

    def one(match: re.Match[str]) -> str:
        place = _PLACE.get((match[1] or match[2]).lower())
        # IGNORECASE also matches unusual letters such as the long s. We do not know that word, so leave it.
        return match[0] if place is None else f"Response {shown[place]}"

    text = text.strip()
    folded = text.casefold()
    if "answer" not in folded and "response" not in folded:
        return text
    pieces, done = [], 0
    for quoted in QUOTATION.finditer(text) if QUOTATION_MARK.search(text) else ():
        if count_words(quoted[0]) < QUOTED_WORDS:
            continue
        pieces += [_NAMED.sub(one, _BOTH_NAMED.sub(both, text[done : quoted.start()])), quoted[0]]
        done = quoted.end()
    return "".join((*pieces, _NAMED.sub(one, _BOTH_NAMED.sub(both, text[done:]))))
