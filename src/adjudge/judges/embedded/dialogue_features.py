"""Named measurements of a conversation, each over all of it: shares and counts, said in words, with a place to quote.

A feature's value runs from -1 (speaks against SYSTEM) to 1 (speaks for it); 0 means that there was nothing to count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ...facts.sentences import rough_words
from .dialogue_reading import Exchange, Heard, Reading
from .phrases import words_of

_NUMBER = re.compile(r"\d[\d.,:/-]*")
_NAME = re.compile(r"(?<=[\w,] )(?!I\b)[A-Z][\w'&-]+")
_DOUBLED = re.compile(r"\b(\w{2,}) \1\b(?! \1\b)", re.IGNORECASE)
_SHORTHAND = re.compile(r"\b(?:u|ur|r|im|ive|dont|didnt|doesnt|cant|wont|whats|thats|pls|plz|gonna|wanna|cuz|idk)\b")
_ENDED = tuple(".!?…。！？｡؟۔।॥։:)\"'”’»」』")
_OPEN_END = re.compile(r"(?:,|\b(?:and|or|the|a|of|with|to|but|because|for|in))\s*\Z")
_ALIKE = 0.75  # share of the words two utterances have in common when one repeats the other
_LOOKED_BACK = 6
FEW = 4  # added to the turns a rate is taken over, so that one word in a short talk does not decide


class Sign(NamedTuple):
    """Where something shows: a turn, and the phrase in it (as the cues write it); without one, its first sentence."""

    turn: int
    phrase: str = ""


class Measure(NamedTuple):
    """One feature of a conversation."""

    value: float
    says: str
    sign: Sign | None


def measure_dialogue(reading: Reading) -> dict[str, Measure]:
    """All features."""
    return {
        "served": _served(reading.requests),
        "learned": _learned(reading.questions),
        "concluded": _concluded(reading),
        "ending": _ending(reading),
        "bad_news": _bad_news(reading),
        "noes": _noes(reading),
        "approval": _approval(reading),
        "corrections": _count(reading, "USER", "correction", "the user corrected or insisted {times}", -4.0),
        "frustration": _count(reading, "USER", "frustration", "the user sounded let down {times}", -6.0),
        "confusion": _confusion(reading),
        "repeats": _repeats(reading),
        "disputes": _disputes(reading),
        "detail": _detail(reading.system),
        "courtesy": _share(reading.system, "courtesy", "{part} of {all} system turns are courteous", 0.15, 0.30),
        "acknowledgement": _share(
            reading.system,
            "acknowledgement",
            "{part} of {all} system turns open by taking up what was said",
            0.10,
            0.30,
        ),
        "apologies": _apologies(reading.system),
        "flaws": _flaws(reading.system),
        "brevity": _brevity(reading.system),
    }


def _served(requests: tuple[Exchange, ...]) -> Measure:
    if not requests:
        return Measure(0.0, "the user asked for nothing", None)
    missed = [request for request in requests if request.reply in ("refused", "none")]
    returned = sum(request.reply == "asked back" for request in requests)
    met = len(requests) - len(missed) - returned
    share = (met + 0.8 * returned) / len(requests)
    lead = missed[0] if missed and share < 0.75 else next((item for item in requests if item.reply == "answered"), None)
    says = f"{met} of the user's {_several(len(requests), 'request')} got an answer"
    says += f" and {returned} a question back" if returned else ""
    value = _clamp((share - 0.75) * 4) * min(1.0, len(requests) / 3)
    return Measure(value, says, _sign(lead.replies[0] if lead and lead.replies else lead.asked if lead else None))


def _tells(item: Exchange) -> bool:
    # A number, a code or a date is an answer, however short.
    several = sum(reply.words for reply in item.replies) > 2
    return several or any(char.isdigit() for reply in item.replies for char in reply.text)


def _learned(questions: tuple[Exchange, ...]) -> Measure:
    if not questions:
        return Measure(0.0, "the system asked the user nothing", None)
    told = [item for item in questions if item.reply == "answered" and _tells(item)]
    share = len(told) / len(questions)
    says = f"{len(told)} of the system's {_several(len(questions), 'question')} got a real answer"
    lead: Heard | None = None
    if share >= 0.6 and told:
        lead = max((reply for item in told for reply in item.replies), key=lambda reply: min(reply.words, 30))
    else:
        poor = next(item for item in questions if item not in told)
        lead = poor.replies[0] if poor.replies else poor.asked
    return Measure(_clamp((share - 0.65) * 2.5) * min(1.0, len(questions) / 4), says, _sign(lead))


def _concluded(reading: Reading) -> Measure:
    """Something was carried out: a booking, a reference, a thing found."""
    done = reading.with_cue("SYSTEM", "success")
    if not done:
        # Who is only asked questions does not wait for anything to be booked.
        value = -0.2 if len(reading.requests) > len(reading.questions) else 0.0
        return Measure(value, "the system reported nothing as found, booked or done", None)
    says = f"the system reported something found, booked or done {_times(len(done))}"
    return Measure(min(1.0, 0.4 + 0.3 * len(done)), says, _sign(done[-1], "success"))


def _ending(reading: Reading) -> Measure:
    """How the user leaves: content, silent, or with something still open."""
    last_user = reading.user[-1]
    open_requests = [request for request in reading.requests[-1:] if request.reply == "none"]
    if open_requests:
        asked = open_requests[0].asked
        return Measure(-1.0, "the talk ends on a request nobody answered", Sign(asked.turn))
    for heard in reversed(reading.user[-2:]):
        if "thanks" in heard.cues or "done" in heard.cues or "praise" in heard.cues:
            cue = next(name for name in ("thanks", "done", "praise") if name in heard.cues)
            says = {"thanks": "the user left with thanks", "done": "the user left with all that was needed"}.get(cue)
            value = 0.35 + 0.25 * sum(name in heard.cues for name in ("thanks", "done", "praise"))
            return Measure(min(1.0, value), says or "the user left with a word of approval", _sign(heard, cue))
    closing = reading.system[-1]
    if "thanks" in closing.cues or "farewell" in closing.cues:
        sign = _sign(closing, "thanks" if "thanks" in closing.cues else "farewell")
        return Measure(0.2, "the system brought the talk to a close", sign)
    if "no" in last_user.cues:
        return Measure(-0.5, "the talk breaks off on a no of the user", _sign(last_user, "no"))
    return Measure(-0.3, "the talk breaks off without a close", Sign(reading.turns[-1].turn))


def _bad_news(reading: Reading) -> Measure:
    """Refusals, failures and noes of SYSTEM; later ones weigh up to twice as much, for people leave with them."""
    total = weight = 0.0
    count, heaviest = 0, 0.0
    worst: Sign | None = None
    for place, heard in enumerate(reading.system, start=1):
        late = 1 + place / len(reading.system)
        weight += late
        cue, harm = ("refusal", 1.0) if "refusal" in heard.cues else ("denial", 0.6)
        if cue in heard.cues and heard.cues.get("success") is None:
            total += harm * late
            count += 1
            if harm * late > heaviest:
                heaviest, worst = harm * late, _sign(heard, cue)
    says = f"{count} of {_several(len(reading.system), 'system turn')} brought a refusal or a no"
    says = says if count else "no system turn brought a refusal"
    return Measure(_clamp(0.25 - 1.7 * total / weight), says, worst)


def _noes(reading: Reading) -> Measure:
    """How often USER could only say no, or did not know; a no that ends the talk content is none of these."""
    noes = [heard for heard in reading.with_cue("USER", "no") if not {"thanks", "done"} & heard.cues.keys()]
    says = (
        f"the user answered {_times(len(noes))} with a no or a don't know" if noes else "the user never had to say no"
    )
    value = 0.3 - 3.0 * len(noes) / (len(reading.user) + FEW)
    return Measure(_clamp(value), says, _sign(noes[0], "no") if noes else None)


def _approval(reading: Reading) -> Measure:
    praised, thanked = reading.with_cue("USER", "praise"), reading.with_cue("USER", "thanks")
    if not praised and not thanked:
        return Measure(-0.3, "the user said no word of thanks or approval", None)
    rate = (len(praised) + 0.5 * len(thanked)) / (len(reading.user) + FEW)
    parts = [f"approved {_times(len(praised))}"] * bool(praised) + [f"gave thanks {_times(len(thanked))}"] * bool(
        thanked
    )
    lead = _sign(praised[-1], "praise") if praised else _sign(thanked[-1], "thanks")
    return Measure(_clamp(6.0 * rate - 0.3), f"the user {' and '.join(parts)}", lead)


def _confusion(reading: Reading) -> Measure:
    lost = reading.with_cue("USER", "confusion") + reading.with_cue("SYSTEM", "confusion")
    value = -min(1.0, 5.0 * len(lost) / (len(reading.turns) + FEW))
    return Measure(value, f"one side did not understand the other {_times(len(lost))}", _first(lost, "confusion"))


def _repeats(reading: Reading) -> Measure:
    """The same said twice: SYSTEM asks again at once, or USER has to ask for the same thing once more."""
    found = [*repeated(reading.system, lambda heard: heard.questions > 0 and "offer" not in heard.cues, 2)]
    found += repeated(reading.user, lambda heard: heard.questions > 0 or "request" in heard.cues, _LOOKED_BACK)
    value = -min(1.0, 5.0 * len(found) / (len(reading.turns) + FEW))
    return Measure(value, f"the same was asked again {_times(len(found))}", _first(found))


def repeated(turns: Iterable[Heard], counts: Callable[[Heard], bool], back: int) -> Iterable[Heard]:
    """The turns that say again what one of the last few of them said."""
    earlier: list[frozenset[str]] = []
    for heard in turns:
        words = words_of(heard.said)
        if counts(heard) and len(words) > 3:
            if any(len(words & past) >= _ALIKE * len(words | past) for past in earlier[-back:]):
                yield heard
            earlier.append(words)


def _disputes(reading: Reading) -> Measure:
    """What the conversation itself shows to be wrong: USER disputes a statement, or SYSTEM takes one back."""
    disputed, taken_back = reading.with_cue("USER", "dispute"), reading.with_cue("SYSTEM", "mistake")
    count = len(disputed) + len(taken_back)
    lead = _first(disputed, "dispute") or _first(taken_back, "mistake")
    says = f"a statement was disputed or taken back {_times(count)}"
    return Measure(-min(1.0, 0.35 * count), says if count else "nothing was disputed or taken back", lead)


def _detail(system: tuple[Heard, ...]) -> Measure:
    numbers = names = 0
    fullest: tuple[float, Heard] = (-1.0, system[0])
    for heard in system:
        figures, named = len(_NUMBER.findall(heard.text[:2000])), len(_NAME.findall(heard.text[:2000]))
        numbers, names = numbers + figures, names + named
        fullest = max(fullest, (figures + named + min(heard.words, 30) / 30, heard), key=lambda item: item[0])
    rate = (0.6 * numbers + 0.3 * names) / len(system)
    words = sum(heard.words for heard in system) / len(system)
    value = _clamp(rate * 0.7 + min(words, 25) / 25 - 0.8)
    says = f"the system gave {_several(numbers, 'figure')} and {_several(names, 'name')}, "
    says += f"{_several(round(words), 'word')} a turn"
    return Measure(value, says, Sign(fullest[1].turn))


def _apologies(system: tuple[Heard, ...]) -> Measure:
    """Bad news with a word of regret beside it, or without."""
    bad = [heard for heard in system if "refusal" in heard.cues]
    if not bad:
        return Measure(0.0, "there was nothing to apologise for", None)
    sorry = [heard for heard in bad if "apology" in heard.cues]
    says = f"{len(sorry)} of {_several(len(bad), 'refusal')} came with an apology"
    return Measure(0.8 * len(sorry) / len(bad) - 0.5, says, _first(sorry, "apology") or _first(bad, "refusal"))


def _flaws(system: tuple[Heard, ...]) -> Measure:
    found: list[tuple[str, Heard]] = []
    for heard in system:
        text = heard.text[:2000].strip()
        if text[:1].islower():
            found.append(("small first letter", heard))
        if heard.words > 3 and not text.endswith(_ENDED) and text[-1:].isalnum():
            found.append(("no full stop", heard))
        if _OPEN_END.search(text[-20:]):
            found.append(("broken off", heard))
        if _SHORTHAND.search(heard.said):
            found.append(("shorthand", heard))
        if _DOUBLED.search(text):
            found.append(("doubled word", heard))
    says = "the system's sentences show no slips"
    if found:
        kinds = ", ".join(dict.fromkeys(kind for kind, _ in found))
        says = f"the system's {_several(len(system), 'turn')} show {_several(len(found), 'slip')} ({kinds})"
    return Measure(_clamp(0.3 - 0.9 * len(found) / len(system)), says, _first([heard for _, heard in found]))


def _brevity(system: tuple[Heard, ...]) -> Measure:
    short = [heard for heard in system if rough_words(heard.text[:200]) < 3]
    says = f"{len(short)} of {_several(len(system), 'system turn')} have one or two words"
    return Measure(-min(1.0, 2.0 * len(short) / (len(system) + 1)), says, _first(short))


def _count(reading: Reading, speaker: str, cue: str, says: str, harm: float) -> Measure:
    found = reading.with_cue("USER" if speaker == "USER" else "SYSTEM", cue)
    value = max(-1.0, harm * len(found) / (len(reading.user) + FEW))
    return Measure(value, says.format(times=_times(len(found))), _first(found, cue))


def _share(turns: tuple[Heard, ...], cue: str, says: str, usual: float, wide: float) -> Measure:
    found = [heard for heard in turns if cue in heard.cues]
    value = _clamp((len(found) / len(turns) - usual) / wide)
    return Measure(value, says.format(part=len(found), all=len(turns)), _first(found, cue))


def _first(heard: list[Heard], cue: str = "") -> Sign | None:
    return _sign(heard[0], cue) if heard else None


def _sign(heard: Heard | None, cue: str = "") -> Sign | None:
    return Sign(heard.turn, heard.cues.get(cue, "")) if heard else None


def _times(count: int) -> str:
    return {0: "not once", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _clamp(value: float) -> float:
    return max(-1.0, min(1.0, value))
