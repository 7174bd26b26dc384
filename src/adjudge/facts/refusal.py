"""Does an answer decline as its main content? Looks at how a short text opens, in eleven languages.

It does not say whether declining was right, and it ignores a disclaimer that an answer follows.
"""

from __future__ import annotations

import re

from .patterns import Lazy
from .sentences import rough_words
from .spots import Spot

_OPENING = 320  # characters in which a refusal begins
_MAX_WORDS = 130  # longer texts do something besides declining
_SURE_WORDS = 70

_DO = (
    r"(?:help|assist|provide|answer|fulfil+|comply|generate|create|write|offer|give|share|support|engage|discuss|"
    r"do (?:that|this)|participate|continue|complete|recommend|advise|respond|tell you|access|browse|perform|produce)"
)
_FIRM = Lazy(
    rf"\bI(?: am|'m)? (?:really |just |simply )?(?:can(?:'t|not| not)|won't|will not|unable to|not able to|"
    rf"not comfortable|must decline to|have to decline to)(?: \w+)? {_DO}\b"
    rf"|\bI (?:must|have to|will have to) (?:respectfully )?(?:decline|refuse)\b"
    rf"|\bAs an AI(?: language)?(?: model| assistant)?,? I(?: am|'m)? (?:can(?:'t|not| not)|unable|not able|"
    rf"(?:do not|don't) have the ability)\b"
    rf"|\b(?:unable|not able) to (?:help|assist|comply) (?:you )?with (?:that|this)\b"
    rf"|\bnot something (?:that )?I(?: can|'m able to| am able to) (?:do|help|assist|provide|discuss)\b"
    rf"|\bI(?: am|'m) not (?:going|willing) to {_DO}\b",
    re.IGNORECASE,
)
_SOFT = Lazy(
    r"\A\W{0,3}(?:(?:I(?: am|'m) (?:very |so |really )?)?sorry,?(?: but)?|I apologi[sz]e,? but|My apologies,? but)"
    r" [^.!?\n]{0,60}\b(?:can't|cannot|can not|unable|won't|will not|not able|not allowed|not permitted|not possible)"
    r"|\bI (?:don't|do not) (?:feel comfortable|think (?:that )?I (?:can|should))\b",
    re.IGNORECASE,
)
_OTHERS = Lazy(
    # Spanish, Portuguese, Italian, French, German
    r"\bno (?:puedo|podr[ée]|me es posible|estoy en condiciones de) (?:ayudar|proporcionar|responder|cumplir|hacer|"
    r"ofrecer|generar|asistir|"
    r"dar(?:te|le)|brindar|facilitar|escribir|crear|compartir|complacer|atender)"
    r"|\bn[ãa]o (?:posso|poderei|consigo|me [ée] poss[íi]vel) (?:te |lhe )?(?:ajud|fornec|respond|fazer|atend|oferec|"
    r"ger[ae]|auxili|escrev|cri[ae]|compartilh|dar|cumpr)"
    r"|\bnon (?:posso|sono in grado di|mi [èe] possibile) (?:aiut|forn|rispond|soddisf|assist|gener|offr|scriv|crear|"
    r"condivid|dar[etli]|farlo|procedere)"
    r"|\bje ne (?:peux|puis|suis pas en mesure de|pourrai) ?(?:pas )?(?:vous |t['’]|te )?(?:aider|fournir|"
    r"r[ée]pondre|r[ée]aliser|faire|donner|g[ée]n[ée]rer|[ée]crire|cr[ée]er|partager|assister|"
    r"acc[ée]der [àa] (?:cette|votre))"
    r"|\bich (?:kann|darf|werde|möchte) (?:\w+ ){0,4}?(?:nicht|leider nicht|keine\w?)\b"
    r"[^.!?\n]{0,60}(?:helfen|beantworten|unterst[üu]tzen|bereitstellen|geben|erf[üu]llen|erstellen|schreiben|"
    r"nachkommen|weiterhelfen)"
    r"|\bno lo puedo (?:hacer|responder|escribir)|\bdas kann ich (?:\w+ ){0,2}?nicht (?:tun|machen|beantworten|"
    r"schreiben)"
    r"|\bdabei kann ich (?:\w+ ){0,3}?nicht (?:weiter)?helfen"
    # Japanese, Chinese, Korean, Hindi, Arabic
    r"|(?:お手伝い|お答え|ご協力|対応|提供|お応え|ご提供|回答|お教え|支援|ご案内)(?:を|する|すること|"
    r"いたし)?(?:ことは|は|が)?(?:でき(?:ません|かねます|ない)|いたしかねます)|いたしかねます"
    r"|(?:我|抱歉|對不起|对不起|很遗憾|很遺憾)[^。！？\n]{0,12}(?:无法|無法|不能|不便|没办法|"
    r"沒辦法)[^。！？\n]{0,10}(?:帮助|幫助|帮你|幫你|帮您|幫您|协助|協助|提供|回答|满足|滿足|完成|生成|编写|撰写)"
    r"|(?:도와드릴|도움을 드릴|도움을 줄|답변(?:해 드릴|해드릴|드릴|할)|제공(?:해 드릴|해드릴|할)|도와줄|알려드릴|"
    r"작성해 드릴|들어드릴|도와 드릴) 수(?:는|가)? 없"
    r"|(?:मैं|मुझे|हम)[^।!?\n]{0,50}(?:मदद|सहायता|उत्तर|जवाब|प्रदान|जानकारी|पूरा|लिख)[^।!?\n]{0,15}नहीं (?:कर|दे|"
    r"लिख)? ?(?:पा|सक)"
    r"|(?:لا|لن) (?:أستطيع|يمكنني|أقدر|أتمكن من)(?: \w+)? ?(?:مساعد|تقديم|الإجابة|المساعدة|تلبية|توفير|كتابة|إنشاء|"
    r"مشاركة|القيام)|(?:غير قادر|لست قادر\w*) على (?:مساعد|تقديم|الإجابة|المساعدة|تلبية)",
    re.IGNORECASE,
)
# One of these stands in every refusal above: most texts are done after as many substring searches.
_CUES = (
    "can't", "cannot", "can not", "won't", "will not", "unable", "not able", "decline", "refuse", "sorry", "apolog",
    "comfortable", "as an ai", "not something", "not going to", "not willing", "not allowed", "not permitted",
    "i should", "i can",
    "puedo", "podr", "posso", "ne peux", "ne puis", "ich ", "ません", "ない", "かねます", "无法", "無法", "不能", "없",
    "नहीं", "لا ", "لن ", "غير قادر", "لست", "不便", "没办法", "沒辦法", "consigo", "no me es", "no estoy", "não me",
    "non sono", "non mi", "ne suis pas",
)  # fmt: skip
_ANSWERS_AFTER_ALL = Lazy(
    r"```|^[ \t]*(?:[-*•]|\d{1,2}[.)])\s|\bhere(?:'s| is| are)\b"
    r"|(?:aquí tienes|voici|hier (?:ist|sind)|aqui est[áã]|ecco)\b|以下(?:は|是|に|のとおり)|다음은|यहाँ|إليك",
    re.MULTILINE | re.IGNORECASE,
)
_HERE_INSTEAD = Lazy(
    r"\b(?:but|however|instead)\b[^.!?\n]{0,20}\b(?:I can|there)\b(?!')"
    r"|\b(?:pero|sin embargo|mais|cependant|toutefois|aber|jedoch|mas|porém|ma|però|tuttavia)\b"
    r"(?:(?!\b(?:no|ne|não|non)\b)[^.!?\n]){0,20}\b(?:puedo|je peux|kann ich|ich kann|"
    r"posso)\b(?![^.!?\n]{0,50}\b(?:nicht|keine?)\b)"
    r"|(?:但是?|不过|不過)我?可以|(?:ですが|しかし|ただし)[^。\n]{0,30}(?:できます|可能です)|(?:하지만|"
    r"대신)[^.\n]{0,30}수 있"
    r"|(?:लेकिन|परंतु)(?:(?!नहीं)[^।\n]){0,40}सकत|(?:لكن|ولكن)(?:(?!لا )[^.\n]){0,12}(?:يمكنني|أستطيع)",
    re.IGNORECASE,
)


def find_refusal(text: str) -> Spot | None:
    """The refusal that is the text's main content, or None."""
    opening = text[:_OPENING].replace("’", "'")
    lowered = opening.lower()
    if not any(cue in lowered for cue in _CUES):
        return None
    match = _FIRM().search(opening) or _OTHERS().search(opening)
    firm = match is not None
    match = match or _SOFT().search(opening)
    if match is None or len(text) > 4000:
        return None
    words = rough_words(text)
    if words > _MAX_WORDS or _ANSWERS_AFTER_ALL().search(text):
        return None
    if not firm and words > _SURE_WORDS:
        return None
    sure = firm and words <= _SURE_WORDS and match.start() < 120 and not _HERE_INSTEAD().search(text.replace("’", "'"))
    return Spot(match.start(), match.end(), "declines instead of answering", sure)
