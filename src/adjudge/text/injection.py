"""Find text that addresses its judge or imitates the prompt around it. Phrases are hints, imitated markers are certain.

This module reports such passages and can remove them; it does not punish. Text that only talks about such attempts is
recognised by its grammar ("makes the model ignore …") and by quotation marks: a phrase counts only as a command.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from . import Spot, in_pieces
from .control_tokens import CONTROL_TOKEN, real_end
from .hidden import as_read, without_hidden
from .sentences import sentence_spans


class Pattern:
    """One way to steer a judge, as cues and the parts of a regular expression, both for lower-case text.

    Every match contains the `cues` ("a|b & c": a or b, and c), so most patterns need no search. `cased`: match the text
    in its own case. `commands`: a match counts only as an imperative. `near`: it counts only if this expression matches
    nearby in the same sentence.
    """

    def __init__(
        self, cues: str, *regex: str, found: str, certain: bool = False, commands: bool = False, cased: bool = False,
        near: str = "",
    ) -> None:  # fmt: skip
        self.cues = [group.split("|") for group in cues.split(" & ")]
        self.regex = re.compile("".join(regex), re.MULTILINE)
        self.found, self.certain, self.commands, self.cased = found, certain, commands, cased
        self.near = re.compile(near) if near else None

    def may_match(self, lowered: str) -> bool:
        """Return whether a lower-case text may contain a match."""
        for group in self.cues:  # no generators: nearly all of the time goes into looking for the first group
            for cue in group:
                if cue in lowered:
                    break
            else:
                return False
        return True


# The same phrases in other languages: an order to ignore the instructions, an address to the judge, "this answer", and
# the score or win that is asked for. The last two count only if they are near each other.
# fmt: off
_IGNORE_ELSEWHERE = "|".join((
    r"\b(?:ignor|olvid)[ae]n?(?: \w+){0,2} (?:instrucciones|rúbrica|criterios)",
    r"\b(?:ignor|oubli)e[zrs]?(?: (?:toutes|tous|les|vos|tes|ces)){1,3} (?:instructions|consignes|critères)",
    r"\b(?:ignorieren?|vergiss|vergessen)(?: \w+){0,3} (?:anweisungen|\w*kriterien)",
    r"\b(?:ignore|esque[çc]a)(?: \w+){0,2} (?:instruç[õo]es|critérios)",
    r"\b(?:ignor[ai]|dimentic[ah]i?)(?: \w+){0,2} (?:istruzioni|criteri|griglia)",
    r"(?:忽略|无视|忽視|無視|不要理会)[^。，\n]{0,8}(?:指[令示]|评分标准)",
    r"(?:指示|評価基準)[をは](?:すべて|全て)?(?:無視|忘れ)",
    r"(?:지시|채점 기준)(?:를|사항을|은) (?:모두 )?(?:무시|잊고)",
    r"(?:निर्देशों को|नियम) (?:अनदेखा|नज़रअंदाज़|भूल)",
    r"(?:تجاهل|انس) (?:\S+ )?(?:التعليمات|معايير)",
))
_JUDGE_ELSEWHERE = "|".join((
    r"(?:estimad[oa]|querid[oa]|nota para (?:el|la)|como) (?:juez|evaluador)a?\b",
    r"(?:ch[eè]re?|note (?:au|à l['’]|pour l['’]|pour le ?)|en tant que) ?(?:juge|évaluateur)\b",
    r"(?:lieber?|sehr geehrter?|hinweis (?:an|für) (?:den|die)|als) (?:richter|bewerter|gutachter)(?:in)?\b",
    r"(?:car[oa]|prezad[oa]|nota (?:ao|para o|à)|como) (?:juiz|juíza|avaliadora?)\b",
    r"(?:gentile|car[oa]|nota (?:per il|al)|in quanto) (?:giudice|valutatore)\b",
    r"(?:審査員|評価者)(?:の皆様|の方|様|さん)?(?:へ|、)|(?:评委|評委|评审|評審|裁判)(?:老师|老師|们|們)?[，：:,！]",
    r"(?:심사위원|평가자|심판)(?:님|에게|께)[,:! ]",
    r"(?:प्रिय |सम्मानित )?(?:निर्णायक|मूल्यांकनकर्ता|न्यायाधीश)(?: महोदय| जी)?[,:!]",
    r"(?:عزيزي |إلى |ملاحظة إلى )(?:الحكم|المقيم|المُقيِّم|القاضي)[،,:!]",
))
_ANSWER_ELSEWHERE = (
    r"(?:esta|mi) respuesta|(?:cette|ma) réponse|(?:diese[rn]?|meiner?) (?:antwort|text)|(?:est[ae]|minha|ess[ae]) "
    r"(?:resposta|texto)|(?:quest[ao]|mia) (?:risposta|testo)|ce texte|(?:この|私の|こちらの)(?:回答|答え)|"
    r"(?:这个|這個|这份|本|我的|此)(?:回答|答案)|(?:이|저의|제|나의) (?:답변|응답|대답|글)|(?:इस|मेरे) उत्तर|"
    r"هذه الإجابة|هذا (?:الجواب|الرد|النص)|إجابتي"
)
_PRIZE_ELSEWHERE = (
    r"\b10\b|\b(?:diez|dix|dez|dieci)\b|máxim[oa]|más alt[oa]|mais alta|maximale|volle\w* punktzahl|"
    r"höchst\w*|bestnote|massimo|ganadora|vencedora|vincitrice|gagnante|\bsieger|als die besten?|la mejor|"
    r"a melhor|migliore|meilleure|満点|最高|勝者|最も|10点|满分|滿分|十分|10分|最高分|最佳|获胜|獲勝|만점|"
    r"최고|승자|10점|(?:पूरे|अधिकतम|अधिक|दस|10) अंक|विजेता|सर्वश्रेष्ठ|أعلى درجة|"
    r"الدرجة (?:الكاملة|القصوى)|درجة كاملة|فائز|الأفضل"
)
# fmt: on
_NEAR = 45  # characters
_SENTENCE_END = re.compile(r"[.!?。！？।؟\n]")
_SHOWN = 5  # facts of one kind from one text
_LOOKED_AT = 200  # matches of one pattern that are checked, so that a text full of them takes no longer
_JUDGE = r"(?:judge|evaluator|grader|rater|referee|assessor|scorer)s?"
_ANSWER = r"(?:response|answer|assistant|candidate|option|model|output|submission|text)"
_WHICH = r"(?:a|b|1|2|one|two)"


PATTERNS = (
    Pattern(
        "ignore|disregard|forget|override|bypass & instruction|prompt|rule|guideline|criteria|direction|rubric",
        r"\b(?:ignore|disregard|forget|override|bypass)\b(?: (?:all|any|every|the|your|of|these|those|my|other)){0,4}",
        r"(?: (?:previous|prior|above|earlier|preceding|existing|original|former|system|judging|grading|scoring)"
        r"(?: \w+)?) (?:instructions?|prompts?|rules?|guidelines?|criteria|directions?|rubrics?)\b"
        r"|\b(?:ignore|disregard|forget|override|bypass) (?:the|your) rubric\b",
        found="tells the reader to ignore its instructions",
        commands=True,
    ),
    Pattern(
        "ignor|olvid|oubli|vergiss|vergessen|esque|dimentic|忽略|无视|忽視|無視|不要理会"
        "|忘れ|무시|잊고|अनदेखा|नज़रअंदाज़|भूल|تجاهل|انس"
        " & instruc|instruç|istruzion|rúbrica|criteri|critéri|critère|consigne|anweisung|kriterien|griglia"
        "|指令|指示|标准|基準|지시|기준|निर्देश|नियम|تعليمات|معايير",
        _IGNORE_ELSEWHERE,
        found="tells the reader to ignore its instructions",
    ),
    Pattern(
        "juez|evaluador|juge|évaluateur|richter|bewerter|gutachter|juiz|juíza|avaliador|giudice|valutatore|審査員|評価者"
        "|評審|评委|评审|評委|裁判|심사위원|평가자|심판|निर्णायक|मूल्यांकनकर्ता|न्यायाधीश|الحكم|المقيم|المُقيِّم|القاضي",
        rf"(?:^|[.!?:。！？।؟\n(\[*>-]\s*)(?:{_JUDGE_ELSEWHERE})",
        found="addresses the judge",
    ),
    Pattern(
        "respuesta|réponse|resposta|risposta| testo|antwort|e text|r text|n text|a text"
        "|回答|答え|答案|답변|응답|대답|글|उत्तर"
        "|الإجابة|الجواب|الرد|النص|إجابتي",
        _ANSWER_ELSEWHERE,
        near=_PRIZE_ELSEWHERE,
        found="asks for a score or the win",
    ),
    Pattern(
        "judge|evaluator|grader|rater|referee|assessor|scorer",
        rf"\bas (?:the|an?) (?:\w+ )?{_JUDGE},? (?:you (?:must|should|have to|need to|will|are required)|please)\b",
        r"|\b(?:dear|attention|hey|hello|note to(?: the)?|(?:message|instructions?) (?:to|for)(?: the)?)",
        rf":?,? (?:ai |llm )?{_JUDGE}\b\s?[,:!.—-]",
        rf"|^\W{{0,4}}(?:ai |llm )?{_JUDGE}\s?[:,] (?:you|please|give|score|rate|choose|select|pick|this)\b",
        found="addresses the judge",
    ),
    Pattern(
        "judge|evaluator|grader|rater|referee|assessor|scorer",
        rf"\b(?:the|this|every|any|ai|llm) {_JUDGE} (?:must|should|shall|ha(?:s|ve) to|is to|are to|now)",
        rf"[^.!?\n]{{0,30}}? (?:{_ANSWER}|this|scores?|marks)\b",
        found="tells the judge what to do",
    ),
    Pattern(
        "give |assign |award |rate |score |grade |mark  & score|rating|grade|points|marks|10| ten|5/5|perfect|maximum",
        r"\b(?:give|assign|award|rate|score|grade|mark) ",
        rf"(?:(?:(?:(?:this|my|the|that|our) )?{_ANSWER}(?: {_WHICH})?|it|this)",
        r"(?: (?:with|as|at|an?|the|of|out|full|perfect|highest|maximum|top|best|possible)){0,4}",
        r" (?:10|ten|100|5/5|scores?|marks|ratings?|points|grade|perfect|maximum)\b",
        r"|me(?: (?:an?|the|full|perfect|highest|maximum|top|best|possible)){0,4} (?:scores?|marks|ratings?|grade)\b)",
        found="asks for a score",
        commands=True,
    ),
    Pattern(
        "this |my  & response|answer|submission|text",
        r"\b(?:this|my) (?:response|answer|submission|text)\b",
        near=r"\b(?:(?:highest|maximum|top|perfect|full|best)(?: possible)? (?:scores?|marks?|ratings?|grades?|credit)"
        r"|10(?: out of 10|/10))\b",
        found="asks for a score",
    ),
    Pattern(
        "choose|select|pick|declare|name |mark |pronounce|vote for|prefer & winner|best|better|superior|prefer|over"
        " & response|answer|assistant|candidate|option|model|output|submission|text| it ",
        r"\b(?:choose|select|pick|declare|name|mark|pronounce|vote for|prefer)(?: this| my| the)?",
        rf" (?:{_ANSWER}(?: {_WHICH})?|it)(?: (?:to be|is|as))?(?: the)?"
        rf" (?:winner|best|better|superior|preferred|over)\b|\bprefer (?:this|my) {_ANSWER}\b",
        found="asks to be named the winner",
        commands=True,
    ),
    Pattern(
        "winner",
        r"\b(?:output|print|return|answer|reply|respond|say|write)(?: with)?:? [\"'“`]?(?:the )?",
        rf"winner\W{{0,4}}(?:is )?\W{{0,3}}(?:{_ANSWER} )?{_WHICH}\b",
        found="asks to be named the winner",
        commands=True,
    ),
    Pattern(
        "response |answer |assistant  & better|best|winner|superior|correct",
        r"\b(?:[Rr]esponse|[Aa]nswer|[Aa]ssistant|RESPONSE|ANSWER) [AB12] (?:is|was)",
        r" (?:clearly |obviously |definitely |by far |simply |much )?(?:the )?",
        r"(?:better|best|winner|superior|correct one)\b",
        found="says which answer is better",
        cased=True,
    ),
    Pattern(
        "winner",
        r"\b(?:final )?winner[ \t]{0,3}[:=][ \t*\"']{0,4}(?:response |answer )?(?:a|b|tie)\b",
        found="imitates a verdict",
    ),
    Pattern(
        "[[ & [[a]]|[[b]]|[[c]]|rating:|score:|verdict:",
        r"\[\[[abc]\]\]|\b(?:rating|score|verdict): ?\[\[",
        found="imitates a verdict",
    ),
    Pattern(
        '" & "winner"|"preference"|"verdict"|"criteria_|"weighted_|"winner_|"summary_|"task_|"correctness_|"depth_'
        '|"action|"score_',
        r"\"(?:winner|preference|verdict)\"\s{0,9}:\s{0,9}\"(?:a|b|tie|(?:answer|response)[ _]?[12ab])\"",
        r"|\"(?:criteria_scores|weighted_total_score|winner_rationale|(?:summary|score)_[12]|task_understanding",
        r"|correctness_reasoning|depth_coverage_usefulness|actionability_specificity)\"\s{0,9}:",
        found="imitates the JSON of a verdict",
    ),
    Pattern(
        "system|# & system|instruction:|assistant:|user:|human:"
        " & [system|<system|</system|# system|#system|system prompt|system message|system note|system override"
        "|system instruction|instruction:|assistant:|user:|human:",
        r"^[ \t]{0,8}(?:\[system(?: \w+)?\]|</?system(?:[_-]?\w+)?>",
        r"|#{1,6} ?system(?: (?:prompt|message|note|override|instructions?))?:?[ \t]*$",
        r"|(?:\*\*)?system (?:prompt|message|note|override|instructions?)(?:\*\*)?:",
        r"|#{1,6} ?(?:instruction|assistant|user|human):[ \t]*$)",
        found="imitates the header of another role",
    ),
    Pattern(
        "< & > & <<< & >>>",
        r"(?<!<)<<<(?!<)[ \t]{0,4}(?:end\b|(?:the )?(?:task|context|answer|response|search results)\b)[^<>\n]{0,60}>>>",
        found="imitates the markers around judged text",
        certain=True,
    ),
    Pattern(
        "[ & ] & start of|end of",
        r"\[(?:the )?(?:start|end) of (?:the )?(?:assistant|response|answer|candidate|user question|evaluation)\b",
        r"[^\[\]\n]{0,40}\]",
        found="imitates the markers around judged text",
        certain=True,
    ),
)


# What may come before an imperative. After anything else ("makes it", "to", "attackers") the verb only describes.
_COMMANDS = re.compile(
    r"(?:\A|[.!?:;,\n\"'“”‘’`(*>\[\]—–。！？-]|\b(?:please|now|must|should|and|then|just|shall|so|instead|simply|"
    r"always|therefore|you (?:will|can|need to|have to)|(?:want|need|ask|order|instruct|require) you to))[ \t]*\Z",
)
_QUOTED_BEFORE = re.compile(r"[\"“‘'`«「][^\"”’`»」\n]{0,60}\Z")
_QUOTED_AFTER = re.compile(r"\A[^\"“`«「\n]{0,80}[\"”’'`»」]")
_TALKED_ABOUT = re.compile(
    r"injection|jailbreak|adversarial|attack|malicious|such as|for example|for instance|\be\.g\.|\bphrases?\b|\blike\b|"
    r"\bsays?\b|\bwrit(?:es?|ing)\b|\bsaid\b|\bexample",
)


def find_injection(text: str, task: str = "") -> list[Spot]:
    """Return the places where the text tries to steer its judge. Phrases that the task itself uses do not count."""
    return list(_first_attempts(text, task))


@lru_cache(maxsize=8)
def _first_attempts(text: str, task: str) -> tuple[Spot, ...]:
    """Return the attempts to show. Cached, because the facts of a case and the embedded judge's measures need them."""
    spots = sorted(_attempts(text, task), key=lambda spot: (not spot.certain, spot.start, spot.end))
    return tuple(spots[:_SHOWN])


def _attempts(text: str, task: str, most: int = _SHOWN) -> Iterator[Spot]:
    """Yield what the patterns find in the text as a person reads it (see `as_read`)."""
    read, asked = as_read(text), as_read(task).text.lower()
    lowered = read.text.lower()  # has the same length: `as_read` leaves no letter whose lower case is two
    for kind in PATTERNS:
        if kind.may_match(lowered):
            looked_at = islice(in_pieces(kind.regex, read.text if kind.cased else lowered), _LOOKED_AT)
            for match in islice((match for match in looked_at if _steers(kind, lowered, match, asked)), most):
                yield Spot(*read.original(match.start(), match.end()), kind.found, kind.certain)


def _steers(kind: Pattern, text: str, match: re.Match[str], asked: str) -> bool:
    """Return whether a match is an attempt, and neither talk about one nor the task's own words."""
    if not kind.certain and (_talks_about(text, match) or match[0].lower() in asked):
        return False
    if kind.near is not None:
        before = _SENTENCE_END.split(text[max(0, match.start() - _NEAR) : match.start()])[-1]
        after = _SENTENCE_END.split(text[match.end() : match.end() + _NEAR], maxsplit=1)[0]
        return kind.near.search(f"{before} \n {after}") is not None
    return not kind.commands or _COMMANDS.search(text[max(0, match.start() - 40) : match.start()]) is not None


def find_control_tokens(text: str) -> list[Spot]:
    """Return the control tokens of chat templates in a text, each kind once."""
    kinds: dict[str, Spot] = {}
    for match in in_pieces(CONTROL_TOKEN, text):
        if match[0] not in kinds:
            kinds[match[0]] = Spot(match.start(), match.end(), f"contains the chat marker {match[0]}", True)
            if len(kinds) >= _SHOWN:
                break
    return list(kinds.values())


def _talks_about(text: str, match: re.Match[str]) -> bool:
    """Return whether the match is in quotation marks, in a passage about such phrases."""
    if not _QUOTED_BEFORE.search(text[max(0, match.start() - 62) : match.start()]):
        return False
    if not _QUOTED_AFTER.search(text[match.end() : match.end() + 82]):
        return False
    around = text[max(0, match.start() - 250) : match.start()] + " " + text[match.end() : match.end() + 150]
    return _TALKED_ABOUT.search(around) is not None


# -- removal ----------------------------------------------------------------------------------------------------------

REMOVED = "[passage removed]"
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n|\Z")


def without_attempts(text: str, task: str = "") -> str:
    """Return the text without hidden characters and without attempts to steer. Each attempt's sentence is removed with
    the rest of its paragraph and replaced by a mark. Markers that a model left at the end are kept."""
    text = without_hidden(text)
    tokens = (match.start() for match in in_pieces(CONTROL_TOKEN, text[: real_end(text)]))
    starts = sorted({*(spot.start for spot in _attempts(text, task, _LOOKED_AT)), *tokens})
    if not starts:
        return text
    sentences, kept, done = sentence_spans(text), [], 0
    for start in starts:
        if start >= done:
            at = bisect_right(sentences, (start, len(text))) - 1
            low = sentences[at][0] if at >= 0 and start < sentences[at][1] else start
            kept += [text[done : max(low, done)], REMOVED]
            done = next(_PARAGRAPH_END.finditer(text, start)).start()
    return "".join([*kept, text[done:]])
