"""Which parts of a text are not the answer speaking for itself: code, quotations, letters, dialogue.

Word-based detectors leave these out. It goes by the layout of the text, in eleven languages.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from .patterns import Lazy
from .sentences import code_spans

_GREETING = Lazy(
    r"^[ \t*_>\"“]*(?:(?:Subject|Asunto|Objet|Betreff|Assunto|Oggetto|件名|主题|主旨|제목|विषय|الموضوع)[ \t*]*[:：]"
    r"|(?:Dear|Hi|Hello|Hey|Estimad[oa]s?|Querid[oa]s?|Hola|Ch[eè]re?s?|Bonjour|Madame|Monsieur|Sehr geehrte\w*|"
    r"Liebe[rs]?|"
    r"Hallo|Prezad[oa]s?|Car[oaie]|Ol[áa]|Gentile|Egregi[oa]|Ciao|Spett\w*)\b[^.!?\n]{0,60}[,:]?[ \t*_]*$"
    r"|(?:尊敬的|亲爱的|親愛的)[^。\n]{1,30}[：:，,]?[ \t]*$|[^\n。]{1,30}(?:様|さん|さま|御中|各位)[、,]?[ \t]*$"
    r"|[^\n.]{1,30}(?:님께|께|귀하)[,:]?[ \t]*$|(?:प्रिय|आदरणीय|माननीय)[^।\n]{1,40}[,:]?[ \t]*$"
    r"|(?:عزيزي|عزيزتي|السيد|السيدة|حضرة|الأستاذ)[^.\n]{1,40}[,،:]?[ \t]*$)",
    re.MULTILINE | re.IGNORECASE,
)
_SIGN_OFF = Lazy(
    r"^[ \t*_>]*(?:(?:(?:Best|Kind|Warm|Warmest) ?(?:regards|wishes)?|Regards|Sincerely|Yours\b.{0,20}|Respectfully|"
    r"Cheers|Love|"
    r"Thank you|Thanks|Many thanks|Cordially|With gratitude|Saludos.{0,20}|Atentamente|Un cordial saludo|Un abrazo|"
    r"Cordialement|Bien cordialement|Bien à vous|Sincères salutations|Mit freundlichen Grüßen|Viele Grüße|Liebe Grüße|"
    r"Beste Grüße|Herzliche Grüße|Atenciosamente|Cumprimentos|Abraços|Cordiali saluti|Distinti saluti|Un caro saluto|"
    r"敬具|よろしくお願いいたします。?|此致|敬礼|祝好|谨上|드림|올림|감사합니다\.?|भवदीय|सादर|धन्यवाद|مع خالص التحية|"
    r"مع التحية|وتفضلوا.{0,40}|مع أطيب التحيات|تحياتي)[ \t,،.!:*]*$|\[(?:Your|Tu|Votre|Ihr|Seu|Il tuo)[^\]\n]{0,30}\])",
    re.MULTILINE | re.IGNORECASE,
)
_SPEAKER = Lazy(r"^[ \t*_>-]*[^\W\d_][^\n:：]{0,24}[*_]*[:：][*_]*[ \t]*\S", re.MULTILINE)
_LABEL = re.compile(r"^[ \t*_>-]*([^\W\d_][^\n:：]{0,24}?)[*_]*[:：]")
_QUOTED = Lazy(
    r"[\"“”„][^\"“”„\n]{3,600}[\"“”]|«[^«»\n]{3,600}»|「[^「」\n]{3,600}」|『[^『』\n]{3,600}』|"
    r"(?<!\w)‘[^‘’\n]{3,300}’(?!\w)"
    r"|(?<!\w)'[^'\n]{3,300}'(?!\w)|`[^`\n]{3,300}`"
)
_BLOCK_QUOTE = re.compile(r"^[ \t]*>[^\n]*$", re.MULTILINE)


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Code, quotations, letters and dialogue: start and end of each, in order."""
    spans = code_spans(text)
    spans += [match.span() for match in _QUOTED().finditer(text)]
    spans += [match.span() for match in _BLOCK_QUOTE.finditer(text)]
    spans += _letters(text) + _dialogue(text)
    return _merged(spans)


def inside(at: int, spans: list[tuple[int, int]]) -> bool:
    """Is the place in one of the spans?"""
    index = bisect_right(spans, (at, len(spans) and spans[-1][1] + 1)) - 1
    return index >= 0 and at < spans[index][1]


def _letters(text: str) -> list[tuple[int, int]]:
    """From a greeting line to its sign-off, or to the end where a subject or a formal greeting opens it."""
    spans: list[tuple[int, int]] = []
    after = 0
    for greeting in _GREETING().finditer(text):
        if greeting.start() < after:
            continue
        end = _SIGN_OFF().search(text, greeting.end())
        if end is not None:
            # The signature follows the sign-off: at most a handful of short lines.
            lines = re.compile(r"(?:\n[^\n]{0,60}){0,5}").match(text, end.end())
            after = _before_rule(text, end.end(), lines.end() if lines else end.end())
        elif re.match(r"\W*(?:Hi|Hello|Hey|Hola|Hallo|Bonjour|Ciao|Ol[áa])\b", greeting[0], re.IGNORECASE):
            continue
        else:
            after = _before_rule(text, greeting.end(), len(text))
        spans.append((greeting.start(), after))
    return spans


def _before_rule(text: str, start: int, end: int) -> int:
    """A rule or a long paragraph after the signature is the answer speaking again."""
    stop = re.compile(
        r"\n[ \t]*(?:---+|\*\*\*+|___+)[ \t]*\n|\n\n(?=[^\n]{45})|\n\n(?=(?:I hope|Let me know|Feel free|Is there))"
    )
    found = stop.search(text, start, end)
    return found.start() if found else end


def _dialogue(text: str) -> list[tuple[int, int]]:
    """Lines that open with a speaker, where a speaker speaks at least twice."""
    if ":" not in text and "：" not in text:
        return []
    turns: dict[str, list[tuple[int, int]]] = {}
    for match in _SPEAKER().finditer(text):
        label = _LABEL.match(match[0])
        if label is not None:
            line_end = text.find("\n", match.start())
            turns.setdefault(label[1].strip("* _").lower(), []).append(
                (match.start(), line_end if line_end >= 0 else len(text))
            )
    return [span for places in turns.values() if len(places) > 1 for span in places]


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
