"""How a phrase that steers a judge is described, and such phrases in ten languages beside English: to ignore the
instructions, to the judge, for a score, for the win. The English ones stand in `injection`.
"""

from __future__ import annotations

import re
from typing import NamedTuple


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
_ANSWER = "respuesta|réponse|resposta|risposta|antwort|回答|答え|答案|답변|응답|대답|उत्तर|الإجابة|الجواب|الرد|إجابتي"
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
        _ANSWER,
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
        _ANSWER,
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
