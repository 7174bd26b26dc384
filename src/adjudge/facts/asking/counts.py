"""Wishes for a number of items, sentences or paragraphs, read from sentences of instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

from ..patterns import put_off
from ..wishes import ItemsKind, ItemsWish
from .asked import MOST_MATCHES, Amount, amounts, is_asked, is_fragment, is_told
from .lexicon import Lexicon
from .literals import may_match
from .passages import Sentence

_MOST = 60
_AT_LEAST = put_off(
    r"least|minimum|menos|m[íi]nimo|moins|mindestens|pelo|almeno|少なくとも|最低|至少|不少于|최소|적어도|कम से कम|"
    r"الأقل|以上|이상",
    re.IGNORECASE,
)
_AT_MOST = put_off(
    r"up to|most|maximum|more than|hasta|m[áa]ximo|jusqu|plus|maximum|bis zu|höchstens|maximal|at[ée]|massimo|fino|"
    r"最大|最多|不超过|"
    r"최대|अधिकतम|أقصى|以内|まで|이하",
    re.IGNORECASE,
)
_VAGUE = put_off(r"about|around|ほど|くらい|程度|정도|左右", re.IGNORECASE)
_IN_TOTAL = put_off(r"\btotal\b", re.IGNORECASE)
# "for each", "each with two examples": the number is not that of the whole answer.
_DISTRIBUTED = put_off(
    r"\b(?:each|every|per (?:item|person|category|day|paragraph|section|point|week|page)|respectively|"
    r"cada|chaque|"
    r"chacune?|jede[rnsm]?|jeweils|ogni|ciascun[ao]?)\b|各|每|それぞれ|ずつ|각각|마다|씩|"
    r"प्रत्येक|हर |لكل|كل ",
    re.IGNORECASE,
)

# "every answer", "each time": but it is that of all answers.
_EACH_ANSWER = put_off(
    r"\b(?:each|every|all)(?: of)?(?: your| the| my| future| single)? (?:answers?|repl(?:y|ies)|responses?|messages?|"
    r"time)\b|\bcada (?:respuesta|resposta|mensaje|mensagem|vez)\b|\bchaque (?:r[ée]ponse|message|fois)\b|"
    r"\bjede(?:r|s|n|m)? (?:deiner |ihrer )?(?:antwort|nachricht|mal)\b|\bogni (?:tua )?(?:risposta|messaggio|volta)\b|"
    r"每(?:个|個|次|条)(?:回答|回复|回覆)|各回答|हर (?:उत्तर|जवाब|बार)|كل (?:إجابة|رد|مرة)",
    re.IGNORECASE,
)


def is_distributed(text: str) -> bool:
    """Whether a number in a sentence is that of each of several things."""
    return _DISTRIBUTED.search(_EACH_ANSWER.sub("", text)) is not None


def without_each_answer(text: str) -> str:
    """The text without "every answer", with all places kept."""
    return _EACH_ANSWER.sub(lambda match: "\x00" * len(match[0]), text)


def read_items(sentences: Sequence[Sentence], lexicons: Sequence[Lexicon]) -> ItemsWish | None:
    """How many items; None where several different numbers are asked for, since then no one list has to have them."""
    found: dict[int, ItemsWish] = {}
    for sentence in sentences:
        for lexicon in lexicons:
            for wish in _items(sentence, lexicon):
                same = [at for at, other in found.items() if at < wish.end and wish.start < other.end]
                if not same:
                    found[wish.start] = wish
    return _settled(list(found.values()), sentences)


def read_sentences_wish(sentences: Sequence[Sentence], lexicons: Sequence[Lexicon]) -> ItemsWish | None:
    """How many sentences."""
    return _counted("sentences", sentences, lexicons)


def read_paragraphs_wish(sentences: Sequence[Sentence], lexicons: Sequence[Lexicon]) -> ItemsWish | None:
    """How many paragraphs."""
    return _counted("paragraphs", sentences, lexicons)


def _items(sentence: Sentence, lexicon: Lexicon) -> Iterator[ItemsWish]:
    text = sentence.text
    lowered = text.lower()
    if not lexicon.may_count(lowered):
        return
    for pattern in lexicon.item_patterns:
        if not may_match(pattern, lowered):
            continue
        for match in islice(lexicon.compiled(pattern).finditer(text), MOST_MATCHES):
            groups = match.groupdict()
            noun = "noun" if groups.get("noun") else "noun2"
            count = lexicon.value(match["n"])
            said = f"{groups.get('q') or ''}{groups.get('q2') or ''}"
            if not 2 <= count <= _MOST or _VAGUE.search(said):
                continue
            if lexicon.compiled(rf"(?:{lexicon.not_items})\Z").match(match[noun]):
                continue
            if _range_before(text, match.start("n")) or is_distributed(text) or _IN_TOTAL.search(text):
                continue
            if groups.get("asks"):  # the pattern itself is the request
                if is_told(sentence, match.start("n")):
                    continue
            elif not is_asked(sentence, match.start("n"), match.end(noun), lexicon, things=True):
                continue
            kind: ItemsKind = (
                "at_least" if _AT_LEAST.search(said) else "at_most" if _AT_MOST.search(said) else "exactly"
            )
            start = match.start("q") if groups.get("q") else match.start("n")
            end = max(match.end(noun), match.end("q2") if groups.get("q2") else 0)
            lead = len(text[start:end]) - len(text[start:end].lstrip())
            place = sentence.start + start + lead
            yield ItemsWish(kind, count, "items", place, sentence.start + end, text[start + lead : end])


def _range_before(text: str, at: int) -> bool:
    """ "3-5 ideas", "3 or 4 ideas": more than one number would do."""
    return re.search(r"\d ?(?:-|–|~|to|or|a|o|ou|à|bis|oder|到|至|〜|～|から) ?\Z", text[:at]) is not None


def _counted(
    unit: Literal["sentences", "paragraphs"], sentences: Sequence[Sentence], lexicons: Sequence[Lexicon]
) -> ItemsWish | None:
    found: dict[int, ItemsWish] = {}
    for sentence in sentences:
        for lexicon in lexicons:
            noun = lexicon.sentence if unit == "sentences" else lexicon.paragraph
            for amount in amounts(sentence.text, lexicon, noun):
                if amount.kind != "about" and _is_count(sentence, amount, lexicon):
                    kind: ItemsKind = "exactly" if amount.kind == "plain" else amount.kind
                    start, end = sentence.start + amount.start, sentence.start + amount.end
                    words = sentence.text[amount.start : amount.end].strip()
                    found.setdefault(end, ItemsWish(kind, amount.count, unit, start, end, words, upper=amount.upper))
    return _settled(list(found.values()), sentences)


def _is_count(sentence: Sentence, amount: Amount, lexicon: Lexicon) -> bool:
    text = sentence.text
    before, after = text[: amount.start], text[amount.end :]
    if (amount.upper or amount.count) > _MOST or is_distributed(text):
        return False
    if lexicon.compiled(rf"(?:{lexicon.part_after})").match(after):
        return False
    if not amount.qualified and lexicon.compiled(rf"(?:{lexicon.reference})\Z").search(before):
        return False
    clause = before[max(before.rfind(mark) for mark in ",;:，；：、(（") + 1 :]
    if lexicon.compiled(lexicon.part).search(clause):
        return False
    if is_fragment(sentence, amount.start, amount.end, lexicon, qualified=amount.qualified):
        return True
    if not is_asked(sentence, amount.start, amount.end, lexicon):
        return False
    if amount.qualified or lexicon.compiled(
        rf"(?:{lexicon.plain}|\b(?:writ\w+|escrib\w+|[ée]cri\w+|schreib\w*|escrev\w+|scriv\w+) )\Z"
    ).search(before):
        return True
    return (
        "-" in text[amount.start : amount.end]
        or lexicon.compiled(rf"(?:{lexicon.plain_after})").match(after) is not None
        or (not lexicon.spaced)
    )


def _settled(wishes: list[ItemsWish], sentences: Sequence[Sentence]) -> ItemsWish | None:
    if not wishes or len({(wish.kind, wish.count, wish.upper) for wish in wishes}) > 1:
        return None
    return wishes[0]
