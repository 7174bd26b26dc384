"""Does a text address whoever judges it, or imitate what surrounds it? Phrases are hints, imitated markers are certain.

It reports; it does not clean the text and it does not punish. Text that talks about such attempts is told apart by
its grammar ("makes the model ignore …") and by quotation marks, so a phrase is reported only where it commands.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from . import Spot, in_pieces
from .control_tokens import CONTROL_TOKEN


class Pattern(NamedTuple):
    """`cues`: of each group one lower-case piece stands in every match, so that most patterns need no search.

    `commands`: counts only as an imperative.
    """

    cues: tuple[tuple[str, ...], ...]
    regex: re.Pattern[str]
    found: str
    certain: bool = False
    commands: bool = False


def pattern(
    cues: str, *regex: str, found: str, certain: bool = False, commands: bool = False, cased: bool = False
) -> Pattern:
    """A pattern from its cues ("a|b & c": a or b, and c) and the parts of its expression."""
    flags = re.MULTILINE if cased else re.MULTILINE | re.IGNORECASE
    groups = tuple(tuple(group.split("|")) for group in cues.split(" & "))
    return Pattern(groups, re.compile("".join(regex), flags), found, certain, commands)


# One of these stands in every request for a score or the win.
_REPLY = "respuesta|réponse|resposta|risposta|antwort|回答|答え|答案|답변|응답|대답|उत्तर|الإجابة|الجواب|الرد|إجابتي"
OTHER_LANGUAGES = (
    pattern(
        "ignor|vergiss|vergessen|olvid|oubli|esque|dimentic|忽|无视|無視|무시|अनदेखा|नज़रअंदाज़|تجاهل"
        " & instruccion|instruction|consigne|anweisung|instruç|istruzion|指令|指示|지시|निर्देश|تعليمات",
        r"\b(?:ignor[ae]n?|olvid[ae]n?) (?:todas )?(?:las|tus|sus) instrucciones (?:anteriores|previas)",
        r"|\b(?:ignore[zs]?|oublie[zs]?) (?:toutes )?(?:les|tes|vos) (?:instructions|consignes) (?:pr[ée]c[ée]dentes|"
        r"ci-dessus|ant[ée]rieures)",
        r"|\b(?:ignorieren?|vergiss|vergessen) (?:Sie )?(?:alle |deine |Ihre )?(?:vorherigen|bisherigen|obigen|"
        r"vorigen) Anweisungen",
        r"|\b(?:ignore|esque[çc]a) (?:todas )?(?:as|suas) instruç[õo]es (?:anteriores|acima)",
        r"|\b(?:ignora|ignori|dimentica) (?:tutte )?le istruzioni (?:precedenti|di cui sopra)",
        r"|(?:忽略|无视|忽視|無視)(?:之前|以上|前面|先前|上述)的?(?:所有|全部)?(?:的)?指[令示]",
        r"|(?:以前|これまで|上記|前)の(?:すべての|全ての)?指示(?:を|は)(?:すべて)?無視",
        r"|이전(?:의)? (?:모든 )?지시(?:를|사항을) (?:모두 )?무시",
        r"|पिछले (?:सभी |सारे )?निर्देशों को (?:अनदेखा|नज़रअंदाज़)",
        r"|تجاهل (?:جميع |كل )?التعليمات السابقة",
        found="tells the reader to ignore its instructions",

    ),
    pattern(
        "juez|jueza|evaluador|juge|évaluateur|richter|bewerter|gutachter|juiz|juíza|avaliador|giudice|"
        "valutatore|審査員|評価者|評審|评委|评审|評委|裁判|심사위원|평가자|심판|निर्णायक|मूल्यांकनकर्ता|न्यायाधीश|"
        "الحكم|المقيم|المُقيِّم|القاضي",
        r"(?:^|[.!?:。！？؟\n]\s*)(?:(?:estimad[oa]|querid[oa]|nota para (?:el|la)|atención,?) (?:juez[a]?|"
        r"evaluador[a]?)|(?:cher|chère|note (?:au|à l['’]|pour l['’]|pour le ?)|à l['’]attention du) ?(?:juge|"
        r"évaluateur)"
        r"|(?:lieber?|sehr geehrter?|hinweis (?:an|für) (?:den|die)|achtung,?) (?:richter|bewerter|gutachter)(?:in)?|"
        r"(?:car[oa]|prezad[oa]|nota (?:ao|para o|à)|atenção,?) (?:juiz|juíza|avaliador[a]?)"
        r"|(?:gentile|car[oa]|nota (?:per il|al)|attenzione,?) (?:giudice|valutatore))\s?[,:!]"
        r"|\bcomo (?:juez|jueza|evaluador|juiz|avaliador),? (?:debes|debe|tienes que|você deve|deve)\b|"
        r"\ben tant que (?:juge|évaluateur),? (?:vous devez|tu dois)\b|\bals (?:richter|bewerter|"
        r"gutachter) (?:müssen sie|musst du|sollten sie|solltest du)\b|\b(?:come|in quanto) (?:giudice|"
        r"valutatore),? (?:devi|deve)\b"
        r"|(?:審査員|評価者)(?:の皆様|の方|様|さん)?(?:へ|は(?:必ず)|、)|(?:评委|評委|评审|評審|裁判)(?:老师|老師|们|"
        r"們)?[，：:,！]|作为(?:评委|评审|裁判)，?(?:你|您)(?:必须|应该|要)"
        r"|(?:심사위원|평가자|심판)(?:님|에게|께)[,:! ]|(?:प्रिय |सम्मानित )?(?:निर्णायक|मूल्यांकनकर्ता|"
        r"न्यायाधीश)(?: महोदय| जी)?[,:!]|(?:عزيزي |إلى |ملاحظة إلى )(?:الحكم|المقيم|المُقيِّم|القاضي)[،,:!]?",
        found="addresses the judge",
    ),
    pattern(
        _REPLY,
        r"\b(?:d[ae]|dale|asigna|otorga|pon(?:le)?|califica|puntúa) (?:a )?(?:esta|mi|la) respuesta (?:con )?(?:un |"
        r"una |la )?(?:10|diez|puntuación máxima|máxima puntuación|nota máxima|máxima calificación|calificación máxima)"
        r"|\b(?:donne[zr]?|attribue[zr]?|mets|mettez|note[zr]?) (?:à )?(?:cette|ma|la) réponse (?:avec )?(?:un |une |"
        r"la )?(?:10|dix|note maximale|note de 10|meilleure note)|\b(?:donne[zr]?|attribue[zr]?) (?:un |une |"
        r"la )?(?:10|dix|note maximale|meilleure note|note de 10) à (?:cette|ma) réponse"
        r"|\b(?:gib|geben sie|bewerte|bewerten sie|vergib|vergeben sie) (?:bitte )?(?:dieser|meiner|diese|meine|"
        r"für diese|für meine) antwort (?:mit )?(?:bitte )?(?:die |der |eine )?(?:10|volle punktzahl|höchstpunktzahl|"
        r"höchste punktzahl|höchsten punktzahl|höchste note|bestnote|vollen punktzahl)"
        r"|\b(?:dê|dá|atribua|avalie) (?:a |à )?(?:esta|minha|essa) resposta (?:com )?(?:um |uma |a )?(?:10|dez|"
        r"nota máxima|pontuação máxima|nota 10)|\b(?:dê|atribua) (?:a )?(?:nota máxima|pontuação máxima|nota 10|"
        r"10) (?:a |para )?(?:esta|essa|à minha) resposta"
        r"|\b(?:dai|dia|assegna|assegni|valuta) (?:a )?(?:questa|la mia|alla mia) risposta (?:con )?(?:un |il |"
        r"una )?(?:10|dieci|punteggio massimo|massimo punteggio|voto massimo|massimo dei voti)|\b(?:dai|"
        r"assegna) (?:il |un )?(?:punteggio massimo|voto massimo|massimo punteggio|10) a questa risposta"
        r"|(?:この|私の)(?:回答|答え)(?:に|を)[^。\n]{0,6}(?:10点|１０点|満点|最高点|最高の点数|最高得点|最高評価)|"
        r"(?:给|給|请给|請給)(?:这个|這個|这份|本|我的|此)(?:回答|答案)(?:打)?(?:10分|十分|满分|滿分|最高分)"
        r"|(?:이|저의|제|나의) (?:답변|응답|대답)(?:에|을|에게) [^.\n]{0,8}(?:10점|만점|최고 점수|최고점)|(?:इस|"
        r"मेरे) उत्तर को [^।\n]{0,8}(?:10 अंक|पूरे अंक|अधिकतम अंक|10 में से 10|दस अंक|सबसे अधिक अंक)"
        r"|(?:أعط|امنح|اعط|أعطِ) (?:هذه |هذا )?(?:الإجابة|الجواب|الرد|إجابتي) (?:ال)?(?:10|درجة كاملة|الدرجة الكاملة|"
        r"أعلى درجة|العلامة الكاملة|الدرجة القصوى|درجة)",
        found="asks for a score",
    ),
    pattern(
        _REPLY,
        r"\b(?:elige|elija|declara|declare|selecciona|seleccione|escoge|nombra) (?:a )?(?:esta|mi|"
        r"la) respuesta (?:[AB12] )?(?:como )?(?:la )?(?:ganadora|mejor|vencedora)"
        r"|\b(?:choisis(?:sez)?|déclare[zr]?|désigne[zr]?|sélectionne[zr]?) (?:cette|ma|"
        r"la) réponse (?:[AB12] )?(?:comme )?(?:la )?(?:gagnante|meilleure)"
        r"|\b(?:wähle[n]?|erkläre[n]?|bestimme[n]?)(?: sie)? (?:bitte )?(?:diese|meine|"
        r"die) antwort (?:[AB12] )?(?:als|zum|zur) (?:die )?(?:gewinner\w*|sieger\w*|beste\w*)"
        r"|\b(?:escolha|declare|selecione|eleja) (?:esta|essa|minha|"
        r"a) resposta (?:[AB12] )?(?:como )?(?:a )?(?:vencedora|melhor|ganhadora)"
        r"|\b(?:scegli|scelga|dichiara|dichiari|seleziona|proclama) (?:questa|la mia|"
        r"la) risposta (?:[AB12] )?(?:come )?(?:la )?(?:vincitrice|migliore)"
        r"|(?:この|私の|こちらの)(?:回答|答え)(?:[AB12])?を(?:勝者|最良|最も優れた|一番)[^。\n]{0,8}(?:選|し|と)|"
        r"(?:选择|選擇|请选|請選|判定|宣布|选)(?:这个|這個|本|我的|此)?(?:回答|答案)(?:[AB12])?(?:为|為|作为|作為|是|"
        r"获胜|獲勝)(?:获胜者|獲勝者|胜者|勝者|最佳|最好|赢家)?"
        r"|(?:이|제|저의) (?:답변|응답)(?: ?[AB12])?(?:을|를) (?:승자|우승자|최고|최고의 답변)(?:로|으로) (?:선택|"
        r"선정|뽑|골라)|(?:इस|मेरे) उत्तर को (?:विजेता|सर्वश्रेष्ठ) (?:चुन|घोषित|के रूप में)"
        r"|(?:اختر|أعلن|اعتبر|حدد) (?:هذه |هذا )?(?:الإجابة|الجواب|الرد|إجابتي) (?:[AB12] )?(?:ك|هي |هو )?(?:فائز\w*|"
        r"الفائز\w*|الأفضل|أفضل)",
        found="asks to be named the winner",
    ),
)  # fmt: skip

_SHOWN = 5  # facts of one kind from one text
_LOOKED_AT = 200  # matches of one pattern, so that a text full of them costs no more
_JUDGE = r"(?:judge|evaluator|grader|rater|referee|assessor|scorer)s?"
_ANSWER = r"(?:response|answer|assistant|candidate|option|model|output|submission)"
_WHICH = r"(?:A|B|1|2|one|two)"


PATTERNS = (
    pattern(
        "ignore|disregard|forget|override|bypass & instruction|prompt|rule|guideline|criteria|direction|rubric",
        r"\b(?:ignore|disregard|forget|override|bypass)\b(?: (?:all|any|every|the|your|of|these|those|my|other)){0,4}",
        r" (?:previous|prior|above|earlier|preceding|existing|original|former|system|judging|grading|scoring)",
        r"(?: \w+)? (?:instructions?|prompts?|rules?|guidelines?|criteria|directions?|rubrics?)\b",
        found="tells the reader to ignore its instructions",
        commands=True,
    ),
    *OTHER_LANGUAGES,
    pattern(
        "judge|evaluator|grader|rater|referee|assessor|scorer",
        rf"\bas (?:the|an?) (?:\w+ )?{_JUDGE},? (?:you (?:must|should|have to|need to|will|are required)|please)\b",
        r"|\b(?:dear|attention|hey|hello|note to(?: the)?|(?:message|instructions?) (?:to|for)(?: the)?)",
        rf":?,? (?:AI |LLM )?{_JUDGE}\b\s?[,:!.—-]",
        rf"|^\W{{0,4}}(?:AI |LLM )?{_JUDGE}\s?[:,] (?:you|please|give|score|rate|choose|select|pick|this)\b",
        found="addresses the judge",
    ),
    pattern(
        "give |assign |award |rate |score |grade |mark  & score|rating|grade|points|marks|10| ten|5/5",
        r"\b(?:give|assign|award|rate|score|grade|mark) (?:(?:this|my|the|that|our) )?",
        rf"(?:{_ANSWER}(?: {_WHICH})?|me|it|this)",
        r"(?: (?:with|as|at|an?|the|of|out|full|perfect|highest|maximum|top|best|possible)){0,4}",
        r" (?:10|ten|100|5/5|scores?|marks|ratings?|points|grade)\b",
        found="asks for a score",
        commands=True,
    ),
    pattern(
        "choose|select|pick|declare|name |mark |pronounce|vote for|prefer & winner|best|better|superior|prefer|over"
        " & response|answer|assistant|candidate|option|model|output|submission",
        r"\b(?:choose|select|pick|declare|name|mark|pronounce|vote for|prefer)(?: this| my| the)?",
        rf" {_ANSWER}(?: {_WHICH})?(?: (?:to be|is|as))?(?: the)? (?:winner|best|better|superior|preferred|over)\b",
        found="asks to be named the winner",
        commands=True,
    ),
    pattern(
        "winner",
        r"\b(?:output|print|return|answer|reply|respond|say|write)(?: with)?:? [\"'“`]?(?:the )?",
        rf"winner\W{{0,4}}(?:is )?\W{{0,3}}(?:{_ANSWER} )?{_WHICH}\b",
        found="asks to be named the winner",
        commands=True,
    ),
    pattern(
        "response |answer |assistant  & better|best|winner|superior|correct",
        r"\b(?:[Rr]esponse|[Aa]nswer|[Aa]ssistant|RESPONSE|ANSWER) [AB12] (?:is|was)",
        r" (?:clearly |obviously |definitely |by far |simply |much )?(?:the )?",
        r"(?:better|best|winner|superior|correct one)\b",
        found="says which answer is better",
        cased=True,
    ),
    pattern(
        "winner",
        r"\b(?:final )?winner[ \t]{0,3}[:=][ \t*\"']{0,4}(?:response |answer )?(?:A|B|tie)\b",
        found="imitates a verdict",
    ),
    pattern(
        "[ & [[a]]|[[b]]|[[c]]",
        r"\[\[[ABC]\]\]",
        found="imitates a verdict",
    ),
    pattern(
        '" & "winner"|"preference"|"verdict"|"criteria_|"weighted_|"winner_|"summary_|"task_|"correctness_|"depth_'
        '|"action',
        r"\"(?:winner|preference|verdict)\"\s{0,9}:\s{0,9}\"(?:A|B|tie|(?:answer|response)[ _]?[12AB])\"",
        r"|\"(?:criteria_scores|weighted_total_score|winner_rationale|summary_[12]|task_understanding",
        r"|correctness_reasoning|depth_coverage_usefulness|actionability_specificity)\"\s{0,9}:",
        found="imitates the JSON of a verdict",
    ),
    pattern(
        "system|# & system|instruction:|assistant:|user:|human:"
        " & [system|<system|</system|# system|#system|system prompt|system message|system note|system override"
        "|system instruction|instruction:|assistant:|user:|human:",
        r"^[ \t]{0,8}(?:\[system(?: \w+)?\]|</?system(?:[_-]?\w+)?>",
        r"|#{1,6} ?system(?: (?:prompt|message|note|override|instructions?))?:?[ \t]*$",
        r"|(?:\*\*)?system (?:prompt|message|note|override|instructions?)(?:\*\*)?:",
        r"|#{1,6} ?(?:instruction|assistant|user|human):[ \t]*$)",
        found="imitates the header of another role",
    ),
    pattern(
        "< & > & <<< & >>>",
        r"(?<!<)<<<(?!<)[ \t]{0,4}(?:END\b|(?:THE )?(?:TASK|CONTEXT|ANSWER|RESPONSE|SEARCH RESULTS)\b)[^<>\n]{0,60}>>>",
        found="imitates the markers around judged text",
        certain=True,
    ),
    pattern(
        "[ & ] & start of|end of",
        r"\[(?:the )?(?:start|end) of (?:the )?(?:assistant|response|answer|candidate|user question|evaluation)\b",
        r"[^\[\]\n]{0,40}\]",
        found="imitates the markers around judged text",
        certain=True,
    ),
)


# What may stand before an imperative. Anything else ("makes it ignore", "to ignore", "attackers disregard") describes.
_COMMANDS = re.compile(
    r"(?:\A|[.!?:;,\n\"'“”‘’`(*>\[\]—–。！？-]|\b(?:please|now|must|should|and|then|just|shall|so|instead|simply|"
    r"always|therefore|you (?:will|can|need to|have to)|(?:want|need|ask|order|instruct|require) you to))[ \t]*\Z",
    re.IGNORECASE,
)
_QUOTED_BEFORE = re.compile(r"[\"“‘'`«「][^\"”’`»」\n]{0,60}\Z")
_QUOTED_AFTER = re.compile(r"\A[^\"“`«「\n]{0,80}[\"”’'`»」]")
_TALKED_ABOUT = re.compile(
    r"injection|jailbreak|adversarial|attack|malicious|such as|for example|for instance|\be\.g\.|\bphrases?\b|\blike\b|"
    r"\bsays?\b|\bwrit(?:es?|ing)\b|\bsaid\b|\bexample",
    re.IGNORECASE,
)


def find_injection(text: str, task: str = "") -> list[Spot]:
    """The places where the text tries to steer its judge; what the task itself says may be repeated."""
    spots: list[Spot] = []
    lowered, asked = text.lower(), task.lower()
    for kind in PATTERNS:
        if not has_cues(lowered, kind):
            continue
        matches = islice(kind.regex.finditer(text), _LOOKED_AT)
        found = [match for match in matches if _steers(kind, text, match, asked)][:_SHOWN]
        spots += [Spot(match.start(), match.end(), kind.found, kind.certain) for match in found]
    spots.sort(key=lambda spot: (not spot.certain, spot.start, spot.end))
    return spots[:_SHOWN]


def has_cues(lowered: str, kind: Pattern) -> bool:
    """Whether a lower-case text may hold a match of the pattern."""
    return all(any(cue in lowered for cue in group) for group in kind.cues)


def _steers(kind: Pattern, text: str, match: re.Match[str], asked: str) -> bool:
    """Whether a match is an attempt, and not talk about one or the task's own words."""
    if not kind.certain and (_talks_about(text, match) or match[0].lower() in asked):
        return False
    return not kind.commands or _COMMANDS.search(text[max(0, match.start() - 40) : match.start()]) is not None


def find_control_tokens(text: str) -> list[Spot]:
    """Control tokens of chat templates; each kind once."""
    kinds: dict[str, Spot] = {}
    for match in in_pieces(CONTROL_TOKEN, text):
        if match[0] not in kinds:
            kinds[match[0]] = Spot(match.start(), match.end(), f"contains the chat marker {match[0]}", True)
            if len(kinds) >= _SHOWN:
                break
    return list(kinds.values())


def _talks_about(text: str, match: re.Match[str]) -> bool:
    """Is the match in quotation marks, in a passage about such phrases?"""
    if not _QUOTED_BEFORE.search(text[max(0, match.start() - 62) : match.start()]):
        return False
    if not _QUOTED_AFTER.search(text[match.end() : match.end() + 82]):
        return False
    around = text[max(0, match.start() - 250) : match.start()] + " " + text[match.end() : match.end() + 150]
    return _TALKED_ABOUT.search(around) is not None
