"""Polite phrases that carry nothing: praise for the question, offers of more help, good wishes, in eleven languages.

A short lead-in ("Sure, here is the list:") is none, and neither is what a letter, a quotation or a dialogue says.
"""

from __future__ import annotations

import re

from .passages import inside, quoted_spans
from .patterns import Lazy, holds_any, plain_words
from .sentences import rough_words, sentence_spans
from .spots import Spot
from .voices import asks_for_a_message, asks_for_rendering

_SHOWN = 8
_EDGE = 3  # sentences from the beginning or end where one is beyond doubt
_LONGEST = 45  # words of a sentence that is still a pleasantry
_HEAVY = 3  # pleasantries that are more than occasional
_WORDS = 60  # characters of one that are shown

_ENGLISH = (
    r"(?:I (?:really |sincerely |truly |do )?)?hope (?:that )?(?:this|that|these|it|the above|my \w+|the (?:\w+ )?\w+)"
    r"[^.!?]{0,30}?(?:help|useful|clarif|answers? your|makes? sense|assist|clears? |gives? you)",
    r"(?:(?:wow|ah|oh|hmm)[,!] )?(?:what an? |(?:that|this|it)(?:'s| is) (?:such )?an? )?(?:really |very |truly |"
    r"such an? )?"
    r"(?:great|good|excellent|fantastic|wonderful|interesting|thoughtful|fascinating|amazing|awesome|"
    r"lovely) question\b(?! (?:is|to|would|for|mark|about))",
    r"(?:please |always )?(?:feel free|(?:don't|do not) hesitate) to (?:ask|reach|contact|let me|tell me|message|"
    r"get in|come back|follow up)",
    r"(?:please |just |so |and )?let me know (?:if|whether|how (?:it|this|I)|what you think|in case|when you)",
    r"(?:if|should|in case) (?:you|there)(?:'d|'ve|'re)? [^.!?\n]{1,110}?\b(?:let me know|feel free|(?:don't|"
    r"do not) hesitate|I'm here|I am here|"
    r"just ask|I'd be (?:happy|glad)|I'm (?:happy|glad)|I am (?:happy|glad)|I(?:'ll| will| would) be (?:happy|glad))",
    r"have an? (?:great|nice|good|wonderful|lovely|fantastic|blessed|pleasant|amazing) (?:\w+ )?(?:day|weekend|"
    r"evening|time|trip|one|week|journey|night|vacation|holiday)\b",
    r"happy (?:coding|cooking|reading|travels|travell?ing|learning|writing|baking|gardening|hacking|programming|"
    r"studying|painting|exploring|gaming|hiking|brewing|testing|debugging)\b",
    r"(?:I(?:'d|'m|'ll| would| am| will)(?: be)?(?: more than| very| always| so| really| absolutely|"
    r" also)? )?(?:happy|glad|delighted|pleased|thrilled|excited) to (?:help|assist|answer|explain)\b",
    r"I(?:'m| am) (?:always )?here (?:to (?:help|assist)|for you|if you)",
    r"(?:is there|do you have) (?:anything|something) else\b|how (?:can|may) I (?:help|assist|be of)",
    r"(?:good|best of) luck\b(?! (?:is|charm|has|was|can))|thank(?:s| you)(?: so much| very much)? for (?:asking|"
    r"reaching|your (?:question|patience|interest|message|request|inquiry)|the question|sharing)",
    r"you(?:'re| are) (?:very |most |always )?welcome\b(?! to)|(?:it(?:'s| is) )?my pleasure\b|glad (?:you asked|"
    r"I could|to help)|wishing you\b|take care[!.]",
)  # fmt: skip
_OTHERS = (
    # Shorter offers, in all of them
    r"if (?:anything|something) [^.!?]{1,40}(?:just ask|let me know|feel free)|espero haber(?:te|le)? ayudado|"
    r"quedo a (?:tu|su) disposición|cualquier (?:duda|pregunta|cosa),? [^.!?]{0,40}(?:avísame|aquí|dime|disposición)|"
    r"pour toute (?:autre )?question[^.!?]{0,60}|melde(?:n sie sich)? (?:dich )?(?:gerne?|einfach|jederzeit)|"
    r"qualquer (?:dúvida|pergunta|coisa),? [^.!?]{0,40}(?:avis|dispos|aqui)|in bocca al lupo|buono? (?:studio|"
    r"lavoro)[!.]|"
    r"per qualsiasi (?:dubbio|domanda)[^.!?]{0,50}|(?:ご不明な点|ご質問|分からないこと|わからないこと)(?:が|"
    r"は)[^。！？]{0,15}"
    r"(?:れば|たら)[^。！]{0,30}(?:どうぞ|ください|下さい|ね)|有(?:任何)?(?:问题|疑问)，?[^。！]{0,8}(?:随时|欢迎)|"
    r"도움이 필요하시?면[^.!?]{0,30}|(?:और )?कोई (?:और )?(?:सवाल|प्रश्न|मदद|सहायता)[^।!?]{0,25}(?:पूछ|बता)",
    # Spanish
    r"(?:espero que (?:esto |esta \w+ |te |le |os |les )?[^.!?]{0,30}(?:ayud|sirv|útil|utilidad))|"
    r"[¡]?(?:qué )?(?:buena|excelente|gran|muy buena) pregunta|"
    r"(?:no dudes?|no dude|no duden) en (?:pregunt|contact|consult|dec|escrib)|(?:si (?:tienes|necesitas|tiene|"
    r"necesita|quieres)[^.!?]{1,80}(?:no dud|avísame|dímelo|dime|házmelo|aquí estoy|estoy aquí))|"
    r"[¡]?que tengas? (?:un|una) (?:buen|gran|excelente|lindo|bonito|feliz)|(?:estaré|estoy|será un placer|"
    r"con gusto) (?:encantad[oa] de ayudar|aquí para ayudar|ayudar)|avísame si|házmelo saber|"
    r"[¡]?(?:mucha|buena) suerte|[¡]?con mucho gusto|¿(?:hay algo más|puedo ayudarte|en qué (?:más )?puedo)|"
    r"gracias por (?:tu|su) (?:pregunta|consulta)|[¡]?feliz (?:programación|lectura|viaje)",
    # French
    r"j'espère que (?:cela|ça|ceci|cette)[^.!?]{0,40}(?:aide|utile|éclair|répond)|(?:très |excellente |"
    r"quelle )?(?:bonne|belle|excellente) question|"
    r"n'hésitez? pas (?:à|si)|(?:si (?:vous|tu) (?:avez|as|souhaitez|besoin)[^.!?]{1,80}(?:n'hésite|faites-le|"
    r"dites-le|dis-le))|(?:passez|passe|bonne|excellente) (?:une )?(?:bonne |excellente |belle )?(?:journée|soirée|"
    r"fin de journée)|"
    r"je (?:serai|serais|suis) (?:ravie?|heureu(?:x|se)) de (?:vous |t')?aider|je reste à (?:votre|ta) disposition|"
    r"bon(?:ne)? (?:chance|codage|lecture|voyage|appétit)\b|(?:avec plaisir|je vous en prie)[ ]?[!.]|"
    r"puis-je (?:vous |t')aider|merci (?:pour|de) (?:votre|ta) question|faites-(?:le-)?moi savoir|"
    r"fais-(?:le-)?moi savoir",
    # German
    r"ich hoffe,? (?:das|dies|diese|dass)[^.!?]{0,50}(?:hilf|weiter|nützlich|hilfreich|beantwortet)|"
    r"(?:das ist (?:eine )?)?(?:sehr |wirklich )?(?:gute|tolle|super|großartige|ausgezeichnete|interessante) frage\b|"
    r"(?:zögern sie nicht|zögere nicht)|(?:wenn (?:du|sie)|falls (?:du|sie)|bei (?:weiteren )?fragen|sollten sie|"
    r"solltest du)[^.!?]{0,90}(?:zöger|lass (?:es )?mich|lassen sie (?:es )?mich|melde|frag einfach|stehe ich|"
    r"gerne? zur verfügung|helfe ich)|"
    r"(?:ich wünsche (?:dir|ihnen)|hab(?:en sie)?|einen) (?:noch )?(?:einen )?(?:schönen|guten|tollen) (?:tag|abend)|"
    r"(?:ich )?helfe (?:dir |ihnen )?(?:gerne?|jederzeit)|gern(?:e)? geschehen|viel (?:erfolg|spaß|glück)\b|"
    r"kann ich (?:dir|ihnen) (?:sonst )?noch|danke für (?:deine|ihre) (?:frage|anfrage)|"
    r"lass(?:en sie)? (?:es )?mich wissen|frohes (?:coden|programmieren)",
    # Portuguese
    r"espero (?:que (?:isso|isto|esta|essa|tenha)[^.!?]{0,40}(?:ajud|útil|esclare)|ter ajudado)|(?:que |"
    r"essa é uma )?(?:ótima|boa|excelente) pergunta|(?:não hesite|fique à vontade|sinta-se à vontade)|"
    r"(?:se (?:você )?(?:tiver|precisar|quiser)[^.!?]{1,80}(?:avise|me diga|é só|estou (?:aqui|à disposição)|"
    r"não hesite|fique à vontade|sinta-se))|tenha um (?:ótimo|bom|excelente)|(?:ficarei|fico|"
    r"estou) (?:feliz em ajudar|à disposição|aqui para)|"
    r"boa sorte|bons (?:estudos|códigos)|boa leitura|(?:há|tem) (?:mais )?algo mais|posso ajudar|(?:obrigad[oa]|"
    r"agradeço) (?:por|pela) (?:sua )?(?:pergunta|perguntar)|me avise se|de nada[!.]",
    # Italian
    r"spero che (?:questo|questa|ti|le|vi|la|sia)[^.!?]{0,40}(?:aiut|util|chiar)|spero di esser(?:ti|le)? stat[oa]|"
    r"(?:che |è una )?(?:bella|ottima|buona) domanda|non esitare|"
    r"(?:se (?:hai|ha|avete|desideri|vuoi|serve)[^.!?]{1,80}(?:fammi sapere|mi faccia sapere|non esit|chiedi pure|"
    r"sono qui))|(?:ti auguro|le auguro|buona) (?:una )?(?:buona |splendida )?(?:giornata|serata)|"
    r"sar(?:ò|ei) (?:felice|lieto|lieta) di aiutar|sono qui per aiutar|buona fortuna|buon(?:a)? (?:programmazione|"
    r"lettura|lavoro|viaggio|appetito)\b|posso aiutar(?:ti|la|vi)|grazie per (?:la|aver)|fammi sapere se|prego[!.]|"
    r"felice di aiutar",
    # Japanese
    r"(?:(?:お役に立て|参考になれ|ご参考になれ)(?:ば|れば|ました)|お役に立てれば|参考になれば)|(?:とても|大変|"
    r"非常に)?(?:良い|いい|素晴らしい|すばらしい)(?:ご)?質問|(?:お気軽に|遠慮なく|"
    r"ご遠慮なく)[^。！]{0,30}(?:ください|下さい|ね)|"
    r"(?:他に|ほかに|何か)[^。！？]{0,30}(?:ありましたら|あれば|ございましたら)[^。！]{0,30}(?:ください|お知らせ|"
    r"どうぞ|ね)|(?:良い|よい|素敵な)一日を|喜んでお(?:手伝い|答え)|頑張ってください|ご質問ありがとうございます|"
    r"どういたしまして|何かお手伝い",
    # Chinese
    r"希望(?:这|這|以上|我的|對|对)?[^。！]{0,20}(?:有帮助|有幫助|帮到|幫到|有所帮助|有所幫助|帮助到|有用)|"
    r"(?:这是(?:一)?个|這是(?:一)?個|真是)?(?:好|很好的|非常好的|很棒的)问题(?=[！。!]|$)|(?:请|請)?(?:随时|"
    r"隨時)(?:告诉我|告訴我|提问|提問|问我|問我|联系|聯繫|向我)|"
    r"(?:如果|如)(?:你|您)?(?:还|還)?(?:有|需要)[^。！]{0,30}(?:随时|隨時|告诉我|告訴我|尽管问|欢迎|請|请)|祝(?:你|"
    r"您|大家)[^。！]{0,12}|很(?:高兴|高興|乐意|樂意)(?:为|為|能|帮|幫)[^。！]{0,10}|(?:感谢|感謝|谢谢|謝謝)(?:你|"
    r"您)?的(?:提问|提問|问题|問題)|(?:还有|還有)什么[^。！？]{0,12}(?:帮|幫)|不客气",
    # Korean
    r"(?:이|위|제)?[^.!?“”\"]{0,20}(?:도움이 (?:되|됐)(?:었으면|길|셨|기를|면)[^.!?“”\"]{0,12})|(?:아주 |정말 |"
    r"매우 )?(?:좋은|훌륭한) 질문|언제든지[^.!?]{0,30}(?:주세요|말씀|문의|물어)|(?:더|추가|다른|"
    r"궁금한)[^.!?]{0,30}(?:있으시면|있으면|필요하시면)[^.!?]{0,30}(?:주세요|말씀|알려|물어)|"
    r"(?:좋은|즐거운|행복한) (?:하루|시간|주말)(?: 되세요| 보내세요)|기꺼이 도와|행운을 빕니다|질문(?:해 주셔서|"
    r"해주셔서) 감사|(?:무엇을|더) 도와드릴|즐거운 (?:코딩|여행)|천만에요",
    # Hindi
    r"(?:मुझे )?(?:आशा|उम्मीद) है(?: कि)?[^।!?]{0,40}(?:मदद|सहाय|उपयोगी|काम आ)|(?:(?:यह|"
    r"ये)(?: तो)? )?(?:एक )?(?:बहुत (?:ही )?)?(?:अच्छा|"
    r"बढ़िया|शानदार|बेहतरीन) (?:सवाल|प्रश्न)|(?:बेझिझक|निःसंकोच)[^।!?]{0,30}(?:पूछ|बता|संपर्क)|(?:अगर|"
    r"यदि)[^।!?]{1,60}(?:बताएं|बताएँ|बताइए|पूछें|पूछ सकते|बेझिझक)|"
    r"आपका दिन (?:शुभ|अच्छा|मंगल)|(?:मुझे )?(?:आपकी )?(?:मदद|सहायता) (?:करने में|करके)[^।!?]{0,20}(?:खुशी|ख़ुशी)|"
    r"शुभकामनाएं|शुभकामनाएँ|(?:प्रश्न|सवाल|पूछने) (?:के लिए|पूछने के लिए) धन्यवाद|और (?:कुछ|कोई)[^।?]{0,25}(?:मदद|"
    r"सहायता)",
    # Arabic
    r"(?:آمل|أتمنى|أرجو) أن (?:يكون|تكون|يساعد|تساعد|يفيد)[^.!؟]{0,40}|(?:هذا )?سؤال (?:رائع|ممتاز|جيد|جميل)|"
    r"لا تترددو?ا?ي? (?:في|ب)[^.!؟]{0,40}|(?:إذا|إن) (?:كان|كنت|احتجت|أردت)[^.!؟]{1,70}(?:لا تتردد|أخبرني|فأخبرني|"
    r"فأنا هنا|أنا هنا|فلا تتردد)|"
    r"أتمنى لك (?:يوم|وقت|أمسية|رحلة|التوفيق)[^.!؟]{0,20}|(?:يسعدني|يسرني|سأكون سعيد)[^.!؟]{0,15}(?:مساعد|أساعد)|"
    r"بالتوفيق|حظا? ?(?:سعيدا|موفقا|سعيدًا|موفقًا)|شكر[اًا]{1,2} (?:لك )?على سؤالك|هل (?:هناك|يوجد) (?:أي )?شيء آخر|"
    r"أنا هنا لمساعدتك",
)  # fmt: skip
_LEAD = (
    r"[\s*_#>¡¿\"“\W]{0,6}(?:(?:sure|of course|certainly|absolutely|definitely|yes|hi|hello|hey|hi there|hello there|"
    r"no problem|claro|por supuesto|hola|bien sûr|bonjour|natürlich|klar|hallo|certo|ciao|olá|certamente|もちろん|"
    r"はい|当然|好的|물론|네|안녕하세요|بالطبع|نعم|مرحب\w*|हाँ|ज़रूर|नमस्ते)[,!.、，！。]?\s*[-–—]?\s*)?(?:(?:and|so|"
    r"also|again|anyway|overall|as always|please|por favor|s'il vous plaît|bitte|por|per favore|und|et|y|"
    r"e)[,]?\s+){0,2}"
)
_START = Lazy(rf"{_LEAD}(?P<phrase>{'|'.join((*_ENGLISH, *_OTHERS))})", re.IGNORECASE)
_ANYWHERE = Lazy(
    r"\b(?:I hope (?:this|that) helps|feel free to (?:ask|reach out|contact me)|(?:don't|do not) hesitate to (?:ask|"
    r"reach|contact)|"
    r"let me know if (?:you|there|I)|I'd be happy to help|no dudes en|n'hésitez pas|zögern sie nicht|não hesite|"
    r"non esitare)",
    re.IGNORECASE,
)
# A polite sentence that also says something, or that a person may say to another.
_DOUBTFUL = Lazy(
    r":\W*$|, but\b|, though\b|^how (?:can|may) i\b|\bhelps? me\b|\b(?:reach out|contact|get in touch|message me)\b|"
    r"else about|happy to explain|"
    r"here to help you \w+ \w+ \w+ \w+|\bmy (?:skills|experience|team|company|services|rate)\b",
    re.IGNORECASE,
)
_RULE = re.compile(r"^[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*$", re.MULTILINE)
_LABELLED = re.compile(r"[ \t*_>]*(?:\d{1,2}[.)]|[^\W\d_][^\n:]{0,30}:)[*_]*\s")
# One of these stands in every phrase above: the long expressions see only the sentences that have one.
_CUES = (
    "if anything", "if something", "quedo a", "cualquier", "pour toute", "melde", "qualquer", "in bocca",
    "qualsiasi", "ご不明", "ないこと", "疑问", "필요하", "hope", "question", "feel free", "hesitat", "let me know",
    "have a", "happy", "glad", "delighted", "pleased", "thrilled", "excited", "here to", "else", "can i", "may i",
    "luck", "thank", "welcome", "pleasure", "wishing", "take care", "espero", "pregunta", "no dud", "avísame",
    "házmelo", "que teng", "encantad", "placer", "gusto", "suerte", "algo más", "puedo", "gracias", "feliz", "hésit",
    "espère", "journée", "soirée", "ravi", "heureu", "disposition", "bon ", "bonne", "plaisir", "prie", "puis-je",
    "merci", "savoir", "hoffe", "frage", "zöger", "wünsch", "schönen", "guten", "helfe", "geschehen", "viel", "danke",
    "wissen", "frohes", "pergunta", "disposi", "é só", "me diga", "vontade", "avise", "tenha", "sorte", "posso",
    "obrigad", "agradeç", "nada", "spero", "domand", "fammi", "faccia", "esitare", "augur", "buon", "qui per",
    "grazie", "prego", "役に", "参考", "質問", "気軽", "遠慮", "一日", "喜んで", "頑張", "どういたし", "手伝い",
    "希望", "问题", "随时", "隨時", "如果", "祝", "很高", "很乐", "很樂", "感谢", "感謝", "谢谢", "謝謝", "不客",
    "도움", "질문", "언제든", "있으", "하루", "시간", "주말", "기꺼이", "행운", "도와", "즐거운", "천만", "आशा",
    "उम्मीद", "सवाल", "प्रश्न", "बेझिझक", "निःसंकोच", "बता", "पूछ", "दिन", "मदद", "सहायता", "शुभ", "धन्यवाद", "آمل",
    "أتمنى", "أرجو", "سؤال", "تتردد", "أخبرني", "يسعد", "يسر", "سعيد", "توفيق", "حظ", "شكر", "هنا", "آخر",
    "here for", "here if",
)  # fmt: skip
_START_OF_A_CUE = 4  # letters
_BY_START: dict[str, list[str]] = {}
_BY_LETTER: dict[str, str] = {}
for _cue in _CUES:
    if _cue.isascii():
        _BY_START.setdefault(_cue.split()[0][:_START_OF_A_CUE], []).append(_cue)
    else:
        _BY_LETTER[_cue] = max(_cue)


def find_pleasantries(text: str, asked: str = "") -> list[Spot]:
    """The pleasantries; all carry the severity that they have together. Hints where `asked` is for such a text."""
    plain = text.replace("’", "'")
    lowered = plain.lower()
    cues = _cues_of(lowered)
    if not cues:
        return []
    sentences = sentence_spans(plain)
    spans: list[tuple[int, int]] | None = None
    found: list[tuple[int, int, bool]] = []
    words = 0
    for index, (start, end) in enumerate(sentences):
        sentence = plain[start:end]
        low = sentence.lower()
        if len(sentence) > 400 or not holds_any(low, cues):
            continue
        match, edge = _START().match(sentence), index < _EDGE or index >= len(sentences) - _EDGE
        loose = None if match else _ANYWHERE().search(sentence)
        if (match is None and loose is None) or rough_words(sentence) > _LONGEST:
            continue
        if spans is None:
            spans = quoted_spans(plain)
        at = start + (match.start("phrase") if match else loose.start() if loose else 0)
        last = start + (match.end("phrase") if match else len(sentence)) - 1
        if inside(at, spans) or inside(last, spans) or sentence.lstrip().startswith(("- ", "* ", "• ", "|")):
            continue
        words += rough_words(sentence)
        line = plain[plain.rfind("\n", 0, start) + 1 : at]
        found.append(
            (at, end, match is not None and edge and not _DOUBTFUL().search(sentence) and not _LABELLED.match(line))
        )
    if found and (asks_for_a_message(asked) or (asks_for_rendering(asked) and _has_any(asked))):
        # Below a rule the answer speaks for itself again.
        rules = [rule.end() for rule in _RULE.finditer(plain)]
        found = [(at, end, certain and bool(rules) and at > rules[-1]) for at, end, certain in found]
    return _with_severity(text, found, words)


def _cues_of(lowered: str) -> list[str]:
    """The cues in a text. Only those are looked for that a word of it begins like, or whose own letter it has."""
    starts = {word[:_START_OF_A_CUE] for word in plain_words(lowered.replace("_", " "))}
    cues = [cue for start in starts & _BY_START.keys() for cue in _BY_START[start] if cue in lowered]
    if not lowered.isascii():
        cues += [cue for cue, letter in _BY_LETTER.items() if letter in lowered and cue in lowered]
    return cues


def _has_any(text: str) -> bool:
    plain = text.replace("’", "'")[:4000]
    return any(_START().match(plain, *span) or _ANYWHERE().search(plain, *span) for span in sentence_spans(plain, 100))


def _with_severity(text: str, found: list[tuple[int, int, bool]], words: int) -> list[Spot]:
    if not found:
        return []
    total = rough_words(text)
    heavy = len(found) >= _HEAVY
    # A text that is nothing but the phrase may be the sentence that was asked for.
    alone = total - words < 4
    few = "a pleasantry that carries nothing" if len(found) == 1 else f"one of {len(found)} pleasantries"
    return [
        Spot(start, end, f"“{_shown(text[start:end])}”, {few}", certain and not alone, "major" if heavy else "minor")
        for start, end, certain in found[:_SHOWN]
    ]


def _shown(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= _WORDS else f"{words[:_WORDS].rstrip()}…"
