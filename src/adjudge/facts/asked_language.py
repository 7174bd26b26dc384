"""Which language an answer should be in: what the instructions say, else the language that they are written in.

A language that is only spoken of ("the history of Spanish", "my French teacher", "how do you say it in German") is not
asked for, nor is one that is quoted, negated or tied to a condition. Where wishes contradict, nothing is asked for.
"""

from __future__ import annotations

import re

from .language import TRANSLATE
from .language_guess import Language, language_of, read_language, without_code
from .language_names import LANGUAGE_NAMES, OPEN, code_named, mark_names, named_languages
from .patterns import put_off
from .sentences import sentence_spans

_LOOKED_AT = 12_000
_PART = 400  # characters of a prompt's start and end that may be its instruction
_QUOTED = put_off(
    r"[\"“„«「『][^\"“”„«»「」『』]{1,2000}[\"”“»」』]|(?<!\w)'[^'\n]{1,200}'(?!\w)|^[ \t]*>.*$", re.MULTILINE
)
_BLOCK = put_off(r"\"\"\".*?\"\"\"|'''.*?'''", re.DOTALL)
_TAG = put_off(r"<(\w{1,30})>")
_TAGS = 20  # marked blocks that are taken out, so that a text full of tags costs no more
_RENDER = put_off(
    r"\b(?:translat|rewrit|rephras|paraphras|correct|proofread|summari[sz]|edit|fix|tradu[czi]|resum|corrig|"
    r"reescrib|reformul|übersetz|korrigier|zusammenfass|fass|überarbeit|riassum|correg)|"
    r"翻译|翻譯|翻訳|要約|总结|總結|修改|訂正|添削|번역|요약|교정|अनुवाद|सारांश|ترجم|لخص|صحح|перевед|исправ",
    re.IGNORECASE,
)
# A language is spoken of and not named; or a text is to be made whose language may be that of those it is for or about.
_SOME_LANGUAGE = put_off(
    r"(?<!programming )(?<!body )(?<!sign )(?<!query )(?<!markup )(?<!coding )(?<!scripting )(?<!natural )"
    r"\b(?:languages?(?! models?)|native tongue|mother tongue|bilingual|multilingual|idiomas?|biling[üu]e|"
    r"langues?\b|bilingue|"
    r"sprachen?\b|muttersprach\w*|zweisprachig\w*|línguas?|lingue?\b)\b|言語|母語|语言|語言|母语|언어|모국어|भाषा|لغة|لغت|язык",
    re.IGNORECASE,
)
_CREATIVE = put_off(
    r"\b(?:lyrics|poems?|verses?|songs?|messages?|toasts?|slogans?|names?|mottos?|greetings?|cards?|captions?|tattoos?|"
    r"proverbs?|sayings?|prayers?|blessings?|chants?|anthems?|hymns?|lullab\w+|quotes?|phrases?|wish(?:es)?|invitations?|"
    r"menus?|signs?|serenades?|raps?|haikus?|carols?|titles?|say|sing|recite)\b"
    r"|letra|canci[óo]n|poema|mensaje|brindis|eslogan|nombre|refr[áa]n|oraci[óo]n|tarjeta|paroles|chanson|po[èe]me|slogan|"
    r"\bnom\b|proverbe|prière|carte|liedtext|\blied|gedicht|nachricht|trinkspruch|name|sprichwort|gebet|karte|m[úu]sica|"
    r"can[çc][ãa]o|mensagem|brinde|nome|prov[ée]rbio|canzone|poesia|messaggio|brindisi|preghiera|歌詞|詩|歌|メッセージ|名前|"
    r"歌词|诗|祝福|名字|口号|가사|노래|시를|메시지|이름|गीत|गाना|कविता|संदेश|नाम|أغنية|قصيدة|شعر|رسالة|اسم|شعار",
    re.IGNORECASE,
)
_ELSEWHERE = put_off(
    r"reggaet|fado\b|chanson|flamenco|bachata|corrido|mariachi|k-?pop|j-?pop|bossa|samba|tango|schlager|ranchera|\bsalsa|"
    r"merengue|cumbia|mpb|sertanejo|forr[óo]\b|bollywood|qawwali|ghazal|\bopera|anime|yodel|jodel|vallenato|mantra|"
    r"bra[sz]il|m[ée]xi[ck]|spain|españa|espanha|spanien|espagne|spagna|latin|france|francia|frança|frankreich|german|"
    r"aleman|alemanha|allemagne|deutschland|austria|österreich|ital|japan|jap[óo]n|tokyo|china|chine|korea|cor[ée]e|corea|"
    r"india|inde\b|indien|arab|egypt|egipt|ägypt|morocc|marruec|maroc|russ|turk|türk|portug|lisbo|argentin|colombi|kolumbi|"
    r"chile|per[uú]\b|cuba|kuba|puerto ric|venez|dominic|qu[ée]bec|paris|rome\b|roma\b|madrid|berlin|vienna|"
    r"rio\b|gre[ek]|"
    r"griech|pol(?:and|en)|netherl|holland|dutch|sweden|swed|norw|finland|viet|thai|hebrew|israel|jewish|catholic|"
    r"england|inglaterra|angleterre|inghilterra|englisch|anglais|british|london|american|estados unidos|"
    r"états-unis|usa\b|"
    r"ireland|irish|hawai|zulu|swahili|africa|hispanic|latin[oa]|bavari|swiss|schweiz|suisse|scot|welsh|"
    r"フランス|スペイン|イタリア|ドイツ|アメリカ|英|韓国|中国|ブラジル|法国|西班牙|意大利|德国|美国|日本|韩国|巴西|"
    r"프랑스|스페인|미국|일본|중국|독일|브라질|फ्रांस|स्पेन|अमेरिक|जापान|अंग्रेज|فرنس|إسبان|أمريك|ياباني|إنجليز|برازيل",
    re.IGNORECASE,
)
_LEAD = put_off(r"\W*[^:：\n]{1,40}[:：]")
_LOCALE = put_off(r"(?<![\w-])([a-z]{2})[-_](?:[A-Z]{2}|419|Han[st]|Latn|Cyrl)(?![\w])")
_LABELLED = put_off(r"\b(?:locale|language|lang|idioma|langue|sprache|lingua)\b\W{1,4}([^\W\d_]{2,20})", re.IGNORECASE)


def asked_language(text: str) -> str | None:
    """The code of the language that instructions explicitly ask the answer to be in, or None."""
    asked = _asked(_instructions(text))
    return asked.pop() if len(asked) == 1 else None


def wanted_language(system_prompt: str, history: str, prompt: str, locale: str = "") -> tuple[str, str, bool] | None:
    """The language an answer should be in, where that is said, and whether it is certain."""
    by_system, by_history, by_prompt = asked_language(system_prompt), _lasting(history), asked_language(prompt)
    if by_system is not None:
        return by_system, "system_prompt", by_prompt in (None, by_system)
    if by_prompt is not None:
        return by_prompt, "prompt", by_history in (None, by_prompt)
    if by_history is not None:
        return by_history, "history", not _asked(_instructions(prompt))
    if (language := _prompt_language(prompt)) is not None:
        return language.code, "prompt_language", language.sure
    if (code := _locale(locale)) is not None:
        return code, "locale", False
    return None


def _instructions(text: str) -> str:
    """The text without code, quotations and marked blocks, which are material and not wishes."""
    if len(text) > _LOOKED_AT:
        text = f"{text[: _LOOKED_AT // 2]}\n{text[-_LOOKED_AT // 2 :]}"
    for _ in range(_TAGS):
        opened = _TAG.search(text)
        closed = text.find(f"</{opened[1]}>", opened.end()) if opened else -1
        if opened is None or closed < 0:
            break
        text = f"{text[: opened.start()]} {text[closed + len(opened[0]) + 1 :]}"
    text = _BLOCK.sub(" ", text)
    return _QUOTED.sub(" ", without_code(text)).replace("’", "'")


def _asked(text: str) -> set[str]:
    """Every language that is asked for."""
    marked = mark_names(text)
    if OPEN not in marked:
        return set()
    from .asked_patterns import (
        CONDITION,
        NEGATED_AFTER,
        NEGATED_BEFORE,
        PATTERNS,
        SECOND,
        TOLD,
        TOPIC,
    )  # compiled if needed

    asked: set[str] = set()
    for start, end in sentence_spans(marked):
        sentence = marked[start:end]
        if OPEN not in sentence or CONDITION.match(sentence):
            continue
        for pattern in PATTERNS:
            for match in pattern.finditer(sentence):
                before, after = sentence[: match.start("name") - 1], sentence[match.end("name") + 1 :]
                if (
                    NEGATED_BEFORE.search(before)
                    or NEGATED_AFTER.match(after)
                    or TOPIC.search(before)
                    or TOLD.search(before)
                ):
                    continue
                asked.add(match["name"])
                if second := SECOND.match(after):
                    asked.add(second["name"])
    return asked


def _lasting(history: str) -> str | None:
    """The last wish in a conversation that is meant to last ("from now on …")."""
    wish = None
    text = _instructions(history)
    if not named_languages(text):
        return None
    from .asked_patterns import LASTING

    for start, end in sentence_spans(text):
        if LASTING.search(text[start:end]):
            wish = asked_language(text[start:end]) or wish
    return wish


def _prompt_language(prompt: str) -> Language | None:
    """The language of a prompt's instruction, which stands at its start or its end; sure if nothing speaks against."""
    text = _instructions(prompt).strip()
    parts = [(part, read) for part in text.splitlines() if (read := language_of(part)) is not None]
    whole = language_of(text)
    if not parts:
        return None if whole is None else Language(whole.code, False)
    (head, first), (tail, last) = parts[0], parts[-1]
    # The shorter end is the instruction, the longer one is material.
    code = first.code if len(head) <= len(tail) else last.code
    sure = first.sure or last.sure or (whole is not None and whole.sure)
    ends = f"{head[:_PART]}\n{tail[-_PART:]}"
    doubtful = (
        _is_mixed(prompt, code)
        or named_languages(ends) - {code}
        or TRANSLATE.search(ends)
        or _SOME_LANGUAGE.search(ends)
        or (_CREATIVE.search(ends) and _ELSEWHERE.search(ends))
        # "Summarise: …" says little of its own, so that what follows was read instead.
        or ((start := _LEAD.match(text)) and _RENDER.search(start[0]))
    )
    return Language(code, sure and not doubtful)


def _is_mixed(prompt: str, code: str) -> bool:
    """Whether any of a prompt, quotations and material included, is in another language than its instruction."""
    prose = without_code(
        prompt if len(prompt) <= _LOOKED_AT else prompt[: _LOOKED_AT // 2] + prompt[-_LOOKED_AT // 2 :]
    )
    whole = read_language(prose)
    if whole is not None and whole.code != code:
        return True
    readings = (read_language(prose[start:end], code) for start, end in sentence_spans(prose, 200))
    return any(reading is not None and reading.is_not(code) for reading in readings)


def _locale(text: str) -> str | None:
    codes = {code for code in _LOCALE.findall(text) if code in LANGUAGE_NAMES}
    codes |= {code for word in _LABELLED.findall(text) if (code := code_named(word)) is not None}
    return codes.pop() if len(codes) == 1 else None
