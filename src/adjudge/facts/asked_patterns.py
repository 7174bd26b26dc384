"""How people ask for a language, in the languages they ask in: patterns whose group `name` is a language's code.

They read text in which `language_names.mark_names` has marked the names, and each is a request by its own grammar;
what takes a request back (negation, condition, mere topic) is here too.
"""

from __future__ import annotations

import re

from .language_names import CLOSE, OPEN

_NAME = f"{OPEN}(?P<name>[a-z]{{2}}){CLOSE}"
# What a language's name is followed by when it is the language and not an adjective ("in French Guiana").
_ENDS = (
    r"(?=\s*(?:$|[.,;:!?()\]\n—–]|- |/|(?:to|for|about|with|that|which|and|or|but|only|please|using|because|so|from|on|"
    r"of|at|by|as|when|if|even|instead|since|explaining|asking|telling|describing|saying|including|no|not|without|"
    r"then|language|translation|version|regardless|no matter|unless|throughout|from now|always|und|oder|bitte|für|"
    r"an|über|von|mit|zu|sprache|para|a|al|sobre|de|del|du|des|della|dos|das|por|que|y|o|con|porque|pour|à|au|sur|et|ou|avec|s'il|svp|"
    r"para|sobre|e|com|do|da|per|su|che|di|con|al|alla|el|la|le|il|este|esta|ce|cette|questo)\b))"
)
_KIND = (
    r"(?:(?:only|just|entirely|exclusively|fluent|simple|plain|formal|informal|proper|perfect|the|standard|modern|"
    r"mexican|brazilian|british|american|european|latin american|canadian|argentinian|castilian|simplified|traditional|"
    r"egyptian|swiss|austrian|natural|basic|easy|clear|good|idiomatic|language)\s+){0,3}"
)
_FLAGS = re.IGNORECASE
_ORDER = (
    r"\b(?:answer|respond|reply|write|speak|talk|communicate|explain|summari[sz]e|describe|give|provide|produce|generate|"
    r"compose|draft|create|make|tell|rewrite|rephrase|say|output|list|present|continue|converse|chat|help|answers|type|"
    r"responding|answering|replying|outline|discuss|show|prepare|suggest|recommend|translate|stay|stick|keep)\b"
)
_THING = (
    r"\b(?:answers?|responses?|repl(?:y|ies)|outputs?|texts?|essay|e-?mail|letter|article|poem|story|summary|translation|"
    r"results?|content|messages?|post|report|everything|it|explanations?|conversation|communication)\b"
)

PATTERNS = tuple(
    re.compile(pattern, _FLAGS)
    for pattern in (
        # English
        rf"{_ORDER}[^.!?\n]{{0,90}}?\bin\s+{_KIND}{_NAME}{_ENDS}",
        rf"\b(?:translat\w*|convert|turn|put|render|switch|change|localize|rewrite)\b[^.!?\n]{{0,120}}?"
        rf"\b(?:in)?to\s+{_KIND}{_NAME}{_ENDS}",
        rf"{_THING}\s+(?:\w+\s+){{0,4}}?(?:must|should|shall|has to|have to|needs? to|ought to|is to|are to|will)\s+"
        rf"(?:always\s+|only\s+|all\s+)?be\s+(?:\w+\s+){{0,2}}?in\s+{_KIND}{_NAME}{_ENDS}",
        rf"\b(?:I|we)(?:'d| would)?\s+(?:want|need|like|prefer|expect)\b[^.!?\n]{{0,60}}?\bin\s+{_KIND}{_NAME}{_ENDS}",
        rf"^\W*(?:please\s+)?in\s+{_KIND}{_NAME}(?:\s+please)?\s*(?:[,:.!]|$)",
        rf"\bin\s+{_KIND}{_NAME},?\s+please\b",
        rf"[(\[]\s*in\s+{_KIND}{_NAME}\s*[)\]]",
        rf"\b(?:a|an|the|your)\s+{_NAME}\s+(?:translation|version)\s*(?:$|[.,!?]|(?:of|for|please)\b)",
        rf"\b(?:assistant|bot|model|you)\s+(?:\w+\s+){{0,2}}?(?:responds?|repl(?:y|ies)|answers?|speaks?|writes?)"
        rf"\s+(?:\w+\s+){{0,2}}?in\s+{_KIND}{_NAME}{_ENDS}",
        rf"^\W*(?:please\s+|always\s+|only\s+){{0,2}}(?:use|speak)\s+(?:only\s+)?{_KIND}{_NAME}"
        r"\s*(?:$|[.,;!]|(?:only|from now|for|please)\b)",
        rf"^\W*{_NAME}\s+(?:only|please)\W*$",
        rf"^\W*only\s+{_NAME}\W*$",
        rf"^\W*language\s*[:=]\s*{_NAME}\W*$",
        rf"\b(?:output|response|answer|reply|target|respond)[ _-]?language\s*(?:is|:|=|must be|should be)\s*{_NAME}",
        # Spanish, Portuguese, Italian
        rf"\b(?:resp[oó]nd\w*|contest\w*|escr[ií]b\w*|redact\w*|habl\w*|expl[ií]c\w*|resum\w*|dime|d[aá]me|haz\w*|hacer|"
        rf"gener\w*|crea\w*|describ\w*|quiero|necesito|lista|enumera|cu[eé]nta\w*|prepara)\b[^.!?\n]{{0,90}}?"
        rf"\ben\s+(?:idioma\s+)?{_NAME}{_ENDS}",
        rf"\btradu[czj]\w*\b[^.!?\n]{{0,120}}?(?:\bal?|\bpara(?:\s+o)?|\ben|\bem|\bin)\s+{_NAME}{_ENDS}",
        rf"\b(?:respond\w*|escrev\w*|redij\w*|fal[ea]\w*|expli\w*|resum\w*|d[êe]|me d[êe]|fa[çz]\w*|ger[ea]\w*|"
        rf"cri[ea]\w*|descrev\w*|quero|preciso|list\w*|cont[ea]\w*|diga)\b[^.!?\n]{{0,90}}?\bem\s+{_NAME}{_ENDS}",
        rf"\b(?:rispond\w*|scriv\w*|parl\w*|spieg\w*|riassum\w*|dammi|dimmi|fammi|cre[ai]\w*|gener\w*|descriv\w*|voglio|"
        rf"vorrei|elenca\w*|raccont\w*)\b[^.!?\n]{{0,90}}?\bin\s+(?:lingua\s+)?{_NAME}{_ENDS}",
        rf"\b(?:en|em)\s+{_NAME},?\s+por favor\b",
        rf"\bin\s+{_NAME},?\s+per favore\b",
        rf"^\W*(?:solo\s+|só\s+|sólo\s+)?(?:en|em|auf)\s+{_NAME}\s*(?:$|[,:.!])",
        # French, German
        rf"\b(?:r[ée]pond\w*|[ée]cri[stv]\w*|r[ée]dig\w*|parl\w*|expli\w*|r[ée]sum\w*|donn\w*|fai[st]\w*|g[ée]n[èé]r\w*|"
        rf"cr[ée]{{1,2}}\w*|d[ée]cri\w*|dis|dites|veux|voudrais|besoin|list\w*|racont\w*)\b[^.!?\n]{{0,90}}?"
        rf"\ben\s+(?:langue\s+)?{_NAME}{_ENDS}",
        rf"\btradui\w*\b[^.!?\n]{{0,120}}?\b(?:en|vers)\s+(?:le\s+|l')?{_NAME}{_ENDS}",
        rf"\ben\s+{_NAME},?\s+(?:s'il|svp|stp)",
        rf"\bauf\s+(?:gutem\s+|einfachem\s+)?{_NAME}(?!\w)",
        rf"\b(?:sprich|rede)\s+(?:bitte\s+)?{_NAME}",
        rf"\bins\s+{_NAME}(?!\w)",
        # Japanese, Chinese, Korean
        rf"{_NAME}(?:だけ)?で(?:の)?[^。！？\n]{{0,14}}?(?:回答|答え|返信|返事|書|教え|説明|お願い|出力|話|述べ|まとめ|要約|作成|記述|"
        rf"対応|表現|解説|紹介|応答|ください)",
        rf"{_NAME}(?:に|へ)(?:翻訳|訳|直し|変換)",
        rf"{_NAME}の(?:メール|手紙|文章|文|記事|作文|レポート)を[^。！？\n]{{0,8}}?(?:書|作成)",
        rf"(?:用|以|使用){_NAME}[^。，,！？\n]{{0,12}}?(?:回|答|写|寫|说|說|解|告|介|总|總|描|撰|输|輸|表|列|生成|翻|讲|講|交流|对话|對話)",
        rf"(?:翻译|翻譯|译|譯|改写|改寫|转换|轉換)(?:成|为|為|到|至){_NAME}",
        rf"(?:写|寫|撰)[^。！？\n]{{0,20}}?{_NAME}的?(?:邮件|電郵|电邮|信|文章|作文|简历|履歷|版|报告|報告)",
        rf"{_NAME}(?:로|으로)(?:만|도)?[^.!?\n]{{0,15}}?(?:답|말|써|쓰|작성|설명|번역|응답|적|알려|요약|출력|해\s?줘|해주|부탁|하세요)",
        # Hindi, Arabic, Russian, Turkish, Polish, Dutch
        rf"{_NAME}\s+(?:भाषा\s+)?में[^।!?\n]{{0,25}}?(?:जवाब|उत्तर|लिख|बता|समझा|अनुवाद|बोल|दें|दीजिए|दो|कर)",
        rf"(?:أجب|اجب|أجيب|اكتب|أكتب|رد|ردّ|ترجم|اشرح|لخص|جاوب|تحدث|تكلم|قدم|أعط|اعط|أخبر|الرد|الإجابة|أريد)[^.؟!\n]{{0,80}}?"
        rf"(?:\sب|\sإلى\s|\sالى\s)(?:اللغة\s)?{_NAME}",
        rf"(?:ответ|отвеч|напиш|пиш|переве|объясн|расскаж|говор|опиш)\w*[^.!?\n]{{0,90}}?(?:на|по-?)\s?{_NAME}",
        rf"{_NAME}[^.!?\n]{{0,20}}?\b(?:yaz|cevap|yanıt|anlat|açıkla|konuş|çevir)\w*",
        rf"\b(?:odpowied\w*|napisz|pisz|przetłumacz)\b[^.!?\n]{{0,80}}?\b(?:po|na)\s+{_NAME}",
        rf"\b(?:antwoord|schrijf|vertaal)\w*\b[^.!?\n]{{0,80}}?\bin\s+het\s+{_NAME}",
    )
)

SECOND = re.compile(
    r"\s*(?:(?:,|/|&|\b(?:or|and|then|followed by|und|oder|dann|y|o|luego|et|ou|puis|e|poi|depois)\b|"
    r"と|か|和|或|와|과|और|या|و|أو)\s*)+"
    rf"(?:(?:then|also|in|into|to|en|em|auf|ins|用)\s+)*{_NAME}",
    _FLAGS,
)
# "don't answer in …", "not in …": within the same clause.
NEGATED_BEFORE = re.compile(
    r"(?:\b(?:don't|do not|dont|doesn't|never|not|avoid|without|instead of|rather than|stop|no longer|cannot|can't|"
    r"no|nunca|jamás|sin|evita\w*|ne|n'|jamais|sans|nicht|kein\w*|nie|não|nunca|sem|non|mai|senza)\b"
    r"|不要|别|別|勿|不能|禁止|\bلا\b|\bне\b)[^,;:.!?，；\n]{0,60}$",
    _FLAGS,
)
NEGATED_AFTER = re.compile(
    r"怎[么麼]|[^,;。！？\n]{0,14}(?:ないで|しない|ません|禁止|지\s?마|मत\b|नहीं)|\s+(?:nicht|(?:\w+\s+){1,2}nicht)\b|[^।\n]{0,20}\sमत\s",
    _FLAGS,
)
# A wish under a condition holds only there.
CONDITION = re.compile(
    r"\W*(?:if|when|whenever|unless|in case|should the|si|cuando|wenn|falls|sobald|quand|lorsque|se|quando|caso|"
    r"如果|若|要是|もし|만약|अगर|यदि|إذا|اذا|если)(?!\w{2})",
    _FLAGS,
)
# The language is what is asked about, not what the answer is to be in.
TOPIC = re.compile(
    r"\b(?:subjunctive|ser and estar|verbs?|tenses?|grammar|(?<![\d-] )(?<!-)words?|difference|pronouns?|conjugat\w*|"
    r"articles? (?:in|work)|genders?|alphabet|comments?|docstrings?|teach\w*|"
    r"how (?:do|would|can|to) (?:you |I |we |they )?(?:say|write|spell|pronounce|express)|"
    r"(?:what|that)(?:'s| is| does)\b[^.?!]{0,60}\b(?:called|mean|word)|phrases?|idioms?|"
    r"sentences|vocabulary|expressions?|pronunciation|spelling|accents?|was|were|published|movies?|films?|"
    r"books?|songs?|lesson|teacher|learn\w*|stud(?:y|ied|ying|ies)|fluent|speaks|wrote|"
    r"(?:users?|customers?|clients?|they|he|she|people|students) (?:\w+ ){0,2}(?:write|speak|ask|talk|answer|reply)|"
    r"aprend\w*|apprend\w*|lern\w*|impar\w*|cómo se dice|qué significa|palabras?|verbos?|gramática|"
    r"comment (?:dit|dire)|mots?|verbes?|grammaire|wie (?:sagt|heißt|schreibt)|was heißt|heißt|"
    r"wörter|verben|grammatik|como se diz|palavras|"
    r"come si dice|parole|verbi|grammatica)\b",
    _FLAGS,
)
# What somebody in a story does in that language: "a scene where a waiter insults a tourist in …".
TOLD = re.compile(
    r"\b(?:where(?:in)?|in which|while|who|whose|whom|donde|en (?:la|el) que|où|dans (?:laquelle|lequel)|"
    r"(?<=, )(?:wo|worin|in (?:der|dem)|wobei)|onde|na qual|no qual|em que|dove|in cui|nella quale)\s+(?!you\b|"
    r"du\b|tu\b|sie\b|vous\b)"
    r"[^.!?;:\n]{0,90}$"
    r"|\b(?:sing|speak|talk|shout|swear|curs|argu|chatt|whisper|mutter|scream|yell|convers|insult|pray|jok|flirt)\w{0,3}ing"
    r"\b[^.,!?;:\n]{0,40}$",
    _FLAGS,
)
LASTING = re.compile(
    r"\b(?:always|from now on|from here on|from this point|henceforth|going forward|for the rest|every time|in future|"
    r"all (?:your |future )?(?:answers|responses|replies)|siempre|a partir de ahora|desde ahora|de ahora en adelante|"
    r"toujours|désormais|à partir de maintenant|dorénavant|immer|ab jetzt|ab sofort|von nun an|künftig|sempre|"
    r"a partir de agora|de agora em diante|d'ora in poi|da ora in poi|всегда|отныне|теперь)\b"
    r"|これから|今後|以降|いつも|常に|从现在|從現在|以后|以後|今后|一直|始终|始終"
    r"|앞으로|이제부터|항상|지금부터|अब से|हमेशा|من الآن|دائم",
    _FLAGS,
)
