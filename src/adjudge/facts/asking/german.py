"""How German asks."""

from __future__ import annotations

from .lexicon import Lexicon, numerals

_LANGUAGES = r"python|java ?script|typescript|java|c\+\+|c#|rust|ruby|php|sql|bash|kotlin|swift|go|r"
_ITEM = (
    r"Namen|Vornamen|Ideen|Beispiele|Tipps|Tricks|Ratschläge|Titel|Fragen|Gründe|Möglichkeiten|Arten|Optionen|Vorschläge|Rezepte|"
    r"Bücher|Filme|Lieder|Songs|Serien|Witze|Synonyme|Adjektive|Fakten|Alternativen|Slogans|Orte|Vorteile|Nachteile|"
    r"Übungen|Spiele|Geschenke|Geschenkideen|Themen|Verben|Argumente|Empfehlungen|Aktivitäten"
)

GERMAN = Lexicon(
    script=r"[a-zäöüß]",
    numbers=numerals(
        "einem_einzigen/einem/einen/eine/ein=1 zwei=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 "
        "elf=11 "
        "zwölf=12 fünfzehn=15 zwanzig=20 dreißig=30 vierzig=40 fünfzig=50 hundert/einhundert=100 zweihundert=200 "
        "dreihundert=300 fünfhundert=500 tausend=1000"
    ),
    word=r"[ -]?(?:wörtern|wörter|worten|worte|wort)\b",
    character=r" zeichen\b",
    sentence=r"(?: kurzen?)? (?:sätzen|sätze|satz)\b",
    paragraph=r"(?: kurzen?)? (?:absätzen|absätze|absatz)\b",
    request=r"(?:\A[\W\d_]{0,8}|[,;:!?(\[—–]\s{0,3}|\s-\s|\b(?:und|dann|bitte|immer|jetzt|mir|kannst du|könntest du|"
    r"können sie|könnten sie|du sollst|ich möchte, dass du|nun|hallo|hey|hi) )(?:mir |uns |bitte )?(?:schreib(?:e|"
    r"en sie|t)?|gib|geben sie|"
    r"nenne?(?:n sie)?|"
    r"liste?|listen sie|zähle?|zählen sie|schlag(?:e)?|schlagen sie|erklär(?:e|en sie)?|fasse?|fassen sie|"
    r"beschreib(?:e|en sie)?|verfass(?:e|en sie)?|antworte?(?:n sie)?|beantworte?(?:n sie)?|verwende?(?:n sie)?|"
    r"benutze?(?:n sie)?|nutze?(?:n sie)?|beschränke?(?:n sie)?|begrenze?(?:n sie)?|mach(?:e|en sie)?|erstell(?:e|"
    r"en sie)?|"
    r"generier(?:e|en sie)?|erwähne?|definier(?:e|en sie)?|pack(?:e)?|ordne?|sortier(?:e)?|bring(?:e)?|entwerfe|"
    r"zeichne|schildere|skizziere|empfiehl|empfehlen sie|sag(?:e)?|stell(?:e|t)?(?:n sie)?|formatier(?:e|en sie)?|"
    r"übersetze?(?:n sie)?|wandle|konvertier(?:e|en sie)?|gestalte|halte?(?:n sie)?|entwirf|entwickle|"
    r"zeige?(?:n sie)?|"
    r"präsentier(?:e|en sie)?|formulier(?:e|en sie)?|füge?|finde?(?:n sie)?|vergleiche?|erzähle?)\b"
    r"|\bbitte\b|\b(?:kannst du|könntest du|können sie|könnten sie)\b|\bich (?:brauche|bräuchte|möchte|will|suche|"
    r"hätte gerne?) (?:bitte )?(?:einen?|\d)"
    r"|\b(?:die|deine|ihre|der|dein|das) (?:antwort|text|aufsatz|zusammenfassung|ausgabe|artikel) (?:soll|sollte|"
    r"muss|darf)\b",
    about=r"(?:etwa|ungefähr|circa|ca\.?|(?:so )?um die|so|rund|zirka|in etwa|~) ?",
    at_most=r"(?:in unter|höchstens|maximal in|maximal(?: mit)?|max\.?|nicht mehr als|weniger als|bis zu|unter|"
    r"auf maximal|auf höchstens|"
    r"nicht länger als|maximum:?|auf|limit:?|obergrenze:?) ?",
    at_least=r"(?:mindestens|mind\.?|wenigstens|mehr als|nicht weniger als|minimum:?|über) ?",
    exactly=r"(?:genau|exakt) ",
    at_most_after=r",? (?:maximal|höchstens|oder weniger|nicht überschreiten)\b",
    at_least_after=r",? (?:mindestens|oder mehr)\b",
    between=r"zwischen |von ",
    between_and=r" (?:und|bis) ",
    to=r" ?(?:-|–|bis|oder) ?",
    plain=r"(?<!liste )\b(?:in|mit|von|aus)(?: nur| genau)? |\b(?:einen?|ein) ",
    plain_after=r" (?:lang|umfassen|über|insgesamt)\b",
    header=r"länge|umfang|wortzahl|wortlimit|limit",
    described=r"\b(?:dass|der|welche[rs]?|wenn|ob|falls|als|weil|wie|schrieb|geschrieben|hatte|hat|enthält|war|"
    r"warum|gibt es|was|wer)\b(?! (?:nicht|maximal|höchstens|etwa|mindestens)\b)",
    craft=r"\b(?:funktion|programm|passwort|tipps)\b",
    explains=r"\b(?:erklär(?:e|en sie)?|erklären|sag(?:e)?|beschreib(?:e)?|erzähl(?:e)?|fass(?:e)?|"
    r"beantworte)(?: mir| uns)?(?: bitte)?(?: kurz)?,? "
    r"(?:was|warum|wieso|weshalb|wie|wer|wann|ob)\b(?:(?: \w+){1,4}? (?:war|hat|hatte)\b)?",
    composes=r"\b(?:schreib\w*|verfass\w*|aufsatz|texte?s?)\b",
    question=r"(?:was (?:ist|sind|bedeutet)|wer (?:ist|war)|warum)\b",
    reference=r"\b(?:der|die|das|den|dem|diese[rnsm]?|mein(?:e|en|em)?|sein(?:e|en)?|"
    r"ersten)(?: \w+(?: \w+)? (?:mit|von))? ",
    part=r"\b(?:titel|überschrift|betreff|jede[rnsm]?|je|pro|einleitung|schluss|slogan|(?:mit|und) einem?r?|passwort|"
    r"sätze|"
    r"absätze|gedichte|zusammenfassungen|aufsätze)\b",
    part_after=r" (?:pro|jeweils|je|am tag|oben)",
    persistent=r"\bimmer\b|\bab jetzt\b|\bvon nun an\b|\bab sofort\b|\bkünftig\b|\bin (?:jeder|"
    r"allen)(?: deiner)? antwort(?:en)?\b|\bnie(?:mals)?\b",
    items=(
        r"(?P<asks>\A\W*welche) (?P<n>{n}) (?:[a-zäöüß]{3,20} )?(?P<noun>(?-i:[A-ZÄÖÜ])[a-zäöüß]{2,30})\b"
        r"(?=[^.?!\n]{0,60}? (?:sollte|sollten|muss|empfiehlst|würdest|empfehlen)\b)",
        r"(?P<asks>\A\W*(?:[a-zäöüß]+ )?(?:was|welche|wer) (?:sind|wären|waren)(?: die| deine)?) (?P<n>{n}) (?:aller)?"
        r"(?:[a-zäöüß]{3,20}sten|besten|größten|top|wichtigen|guten?|"
        r"gute) (?:[a-zäöüß]{3,20} )?(?P<noun>(?-i:[A-ZÄÖÜ])[a-zäöüß]{2,30})\b",
        rf"(?P<asks>\b(?:hast du|haben sie|hättest du|ich (?:brauche|bräuchte|möchte|will|suche|"
        rf"hätte gerne?))(?: vielleicht| bitte| noch)?"
        rf"(?: eine liste mit)?)(?P<q> mindestens| genau| höchstens|"
        rf" maximal)? (?P<n>{{n}}) (?:[a-zäöüß]{{3,20}} )?(?P<noun>{_ITEM})\b",
        r"(?:gib|geben sie|nenne?(?:n sie)?|liste?|listen sie|zähle?|zählen sie|schlag(?:e)?|schlagen sie|"
        r"schreib(?:e|en sie)?|"
        r"erwähne?|empfiehl|empfehlen sie|finde?|generiere|erstelle|erkläre|beschreibe|sag|zeig(?:e)?|"
        r"erzähl(?:e)?)(?: mir|"
        r" uns)?(?: bitte| mal| doch)?(?: eine liste (?:mit|von))?"
        r"(?: die)?(?P<q> mindestens| genau| bis zu| höchstens| maximal)? (?P<n>{n}) (?:[a-zäöüß]{3,20} )?"
        r"(?P<noun>(?-i:[A-ZÄÖÜ])[a-zäöüß]{2,30})\b",
        r"(?:mir|uns|sie|du)(?: bitte|"
        r" vielleicht)? (?P<n>{n}) (?:[a-zäöüß]{3,20} )?(?P<noun>(?-i:[A-ZÄÖÜ])[a-zäöüß]{2,30})"
        r"(?: [^.?!\n]{0,60}?)? (?:empfehlen|nennen|geben|sagen|zeigen|vorschlagen|aufzählen|auflisten|aufschreiben)\b",
        r"\b(?:in|mit) (?P<n>{n}) (?P<noun>stichpunkten|aufzählungspunkten|punkten|schritten)\b",
    ),
    not_items=r"(?:wörter|worte|wörtern|worten|sätze|sätzen|absätze|absätzen|zeilen|zeichen|minuten|stunden|tage|"
    r"wochen|monate|"
    r"jahre|seiten|strophen|verse|mal|euro|gramm|meter|kapitel|teile|abschnitte|äpfel)",
    formats={
        "bulleted list": r"stichpunkten?|aufzählungspunkten?|stichworten|bullet ?points|aufzählung(?:en|szeichen)?",
        "numbered list": r"nummerierte[rn]? (?:liste|aufzählung)",
        "list": r"liste[n]?|listenform",
        "table": r"tabellen?|tabellenform|tabellarischer form",
        "json": r"(?:gültiges |valides |reines )?json(?:-format|-objekt)?",
        "html": r"html(?:-format)?",
        "csv": r"csv(?:-format)?",
        "yaml": r"yaml(?:-format)?",
        "xml": r"xml(?:-format)?",
        "plain text": r"(?:reinen?|reiner|einfacher) text|klartext",
        "markdown": r"markdown",
        "emojis": r"emojis?|emoticons",
        "code": r"(?:quell)?code",
    },
    frame=r"\b(?:als|in|im|mit|zu|erstelle|erstell|mach|mache|gib(?: mir)?|verwende|benutze|nutze|nur|(?:brauche|"
    r"möchte|will)(?= eine (?:[a-zäöüß]+ )?tabelle (?:mit|über|zum)))(?: mir| bitte)?(?: eine[rnm]?|"
    r" ein| gültiges)? ?(?:[a-zäöüß]+en? )?",
    languages=_LANGUAGES,
    code=r"(?:schreib(?:e|en sie)?|erstelle?|mach|gib|generiere|implementiere)(?: mir)? (?:eine?n? )?(?:(?P<lang>"
    rf"{_LANGUAGES})[- ])?(?:funktion|skript|script|programm|code|sql-abfrage|"
    rf"klasse)\b(?: in (?P<lang2>{_LANGUAGES})\b)?",
    forbids=r"\b(?:(?:verwende|benutze|nutze|schreibe?|gib|füge)(?:n sie)?(?: mir| bitte)? (?:keine?n?|niemals)|ohne|"
    r"vermeide|(?:\A|, |und |aber |bitte )keine?n?|verzichte auf|lass)(?: eine?n?)? ",
    about_program=r"\b(?:sql|api|excel|latex|app|pandas|funktion|programm|datenbank)\b",
)
