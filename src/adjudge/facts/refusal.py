"""Does an answer decline as its main content? Looks at how a short text opens, in eleven languages.

It does not say whether declining was right, and it ignores a disclaimer that an answer follows.
"""

from __future__ import annotations

import re

from .sentences import rough_words
from .spots import Spot

_OPENING = 320  # characters in which a refusal begins
_MAX_WORDS = 130  # longer texts do something besides declining
_SURE_WORDS = 70

_DO = (
    r"(?:help|assist|provide|answer|fulfil+|comply|generate|create|write|offer|give|share|support|engage|discuss|"
    r"do (?:that|this)|participate|continue|complete|recommend|advise|respond|tell you|access|browse|perform|produce)"
)
_FIRM = re.compile(
    rf"\bI(?: am|'m)? (?:really |just |simply )?(?:can(?:'t|not| not)|won't|will not|unable to|not able to|"
    rf"not comfortable|must decline to|have to decline to)(?: \w+)? {_DO}\b"
    rf"|\bI (?:must|have to|will have to) (?:respectfully )?(?:decline|refuse)\b"
    rf"|\bAs an AI(?: language)?(?: model| assistant)?,? I(?: am|'m)? (?:can(?:'t|not| not)|unable|not able|"
    rf"(?:do not|don't) have the ability)\b"
    rf"|\b(?:unable|not able) to (?:help|assist|comply) (?:you )?with (?:that|this)\b"
    rf"|\bI(?: am|'m) not (?:going|willing) to {_DO}\b",
    re.IGNORECASE,
)
_SOFT = re.compile(
    r"\A\W{0,3}(?:(?:I(?: am|'m) (?:very |so |really )?)?sorry,?(?: but)?|I apologi[sz]e,? but|My apologies,? but)"
    r" [^.!?\n]{0,60}\b(?:can't|cannot|can not|unable|won't|will not|not able|not allowed|not permitted|not possible)"
    r"|\bI (?:don't|do not) (?:feel comfortable|think (?:that )?I (?:can|should))\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    # Spanish, Portuguese, Italian, French, German
    r"\bno (?:puedo|podr[ée]) (?:ayudar|proporcionar|responder|cumplir|hacer|ofrecer|generar|asistir)"
    r"|\bn[ãa]o posso (?:ajudar|fornecer|responder|fazer|atender|oferecer|gerar|auxiliar)"
    r"|\bnon posso (?:aiutar|fornir|rispond|soddisfar|assister|generar|offrir)"
    r"|\bje ne (?:peux|puis) pas (?:vous |t['’])?(?:aider|fournir|r[ée]pondre|r[ée]aliser|faire|donner|g[ée]n[ée]rer)"
    r"|\bich (?:kann|darf|werde) (?:\w+ ){0,4}?(?:nicht|leider nicht|keine)\b"
    r"[^.!?\n]{0,60}(?:helfen|beantworten|unterst[üu]tzen|bereitstellen|geben|erf[üu]llen|erstellen)"
    # Japanese, Chinese, Korean, Hindi, Arabic
    r"|(?:お手伝い|お答え|ご協力|対応|提供|お応え)(?:することは|は)?(?:でき(?:ません|かねます|ない))|いたしかねます"
    r"|(?:我|抱歉|對不起|对不起)[^。！？\n]{0,12}(?:无法|無法|不能)[^。！？\n]{0,8}(?:帮助|幫助|协助|協助|提供|回答|满足|滿足|完成|生成)"
    r"|(?:도와드릴|도움을 드릴|답변(?:해 드릴|드릴|할)|제공(?:해 드릴|할)|도와줄) 수 (?:없|가 없)"
    r"|(?:मैं|मुझे)[^।!?\n]{0,40}(?:मदद|सहायता|उत्तर|जवाब|प्रदान)[^।!?\n]{0,15}नहीं (?:कर|दे) ?सकत"
    r"|لا (?:أستطيع|يمكنني|أقدر)(?: \w+)? ?(?:مساعد|تقديم|الإجابة|المساعدة|تلبية|توفير)",
    re.IGNORECASE,
)
# One of these stands in every refusal above: most texts are done after as many substring searches.
_CUES = (
    "can't", "cannot", "can not", "won't", "will not", "unable", "not able", "decline", "refuse", "sorry", "apolog",
    "comfortable", "as an ai", "not going to", "not willing", "not allowed", "not permitted", "i should", "i can",
    "puedo", "podr", "posso", "ne peux", "ne puis", "ich ", "ません", "ない", "かねます", "无法", "無法", "不能", "없",
    "नहीं", "لا ",
)  # fmt: skip
_ANSWERS_AFTER_ALL = re.compile(
    r"```|^[ \t]*(?:[-*•]|\d{1,2}[.)])\s|\bhere(?:'s| is| are)\b", re.MULTILINE | re.IGNORECASE
)
_HERE_INSTEAD = re.compile(r"\b(?:but|however|instead)\b[^.!?\n]{0,20}\b(?:I can|there)\b(?!')", re.IGNORECASE)


def find_refusal(text: str) -> Spot | None:
    """The refusal that is the text's main content, or None."""
    opening = text[:_OPENING].replace("’", "'")
    lowered = opening.lower()
    if not any(cue in lowered for cue in _CUES):
        return None
    match = _FIRM.search(opening) or _OTHERS.search(opening)
    firm = match is not None
    match = match or _SOFT.search(opening)
    if match is None or len(text) > 4000:
        return None
    words = rough_words(text)
    if words > _MAX_WORDS or _ANSWERS_AFTER_ALL.search(text):
        return None
    if not firm and words > _SURE_WORDS:
        return None
    sure = firm and words <= _SURE_WORDS and match.start() < 120 and not _HERE_INSTEAD.search(text.replace("’", "'"))
    return Spot(match.start(), match.end(), "declines instead of answering", sure)
