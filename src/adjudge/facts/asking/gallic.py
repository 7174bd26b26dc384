"""How French and Italian ask."""

from __future__ import annotations

from .lexicon import Lexicon, numerals
from .romance import LANGUAGES, PROGRAM, START

_FR_ITEM = (
    r"noms|pr[ée]noms|id[ée]es|exemples|conseils|astuces|titres|questions|raisons|fa[çc]ons|mani[èe]res|options|suggestions|recettes|"
    r"livres|films|chansons|s[ée]ries|blagues|synonymes|adjectifs|faits|propositions|alternatives|slogans|lieux|endroits|"
    r"avantages|inconv[ée]nients|anecdotes|exercices|jeux|cadeaux|th[èe]mes|verbes|activit[ée]s|arguments"
)
_IT_ITEM = (
    r"nomi|idee|esempi|consigli|trucchi|titoli|domande|ragioni|motivi|modi|opzioni|suggerimenti|ricette|libri|film|canzoni|serie|"
    r"barzellette|sinonimi|aggettivi|fatti|proposte|alternative|slogan|luoghi|posti|vantaggi|svantaggi|curiosit[àa]|"
    r"esercizi|giochi|regali|temi|verbi|attivit[àa]|argomenti"
)

FRENCH = Lexicon(
    script=r"[a-zàâçéèêëîïôûùü]",
    numbers=numerals(
        "une_seule/un_seul/un/une=1 deux=2 trois=3 quatre=4 cinq=5 six=6 sept=7 huit=8 neuf=9 dix=10 onze=11 "
        "douze=12 quinze=15 vingt=20 trente=30 quarante=40 cinquante=50 cent/centaine_de=100 dizaine_de=10 "
        "vingtaine_de=20 trentaine_de=30 quarantaine_de=40 "
        "cinquantaine_de=50 soixantaine_de=60 deux_cents=200 trois_cents=300 "
        "cinq_cents=500 mille=1000"
    ),
    word=r" mots?\b",
    character=r" caract[èe]res\b",
    sentence=r"(?: courtes| br[èe]ves)? phrases?(?: courtes?| simples?)?\b",
    paragraph=r"(?: courts| brefs)? paragraphes?(?: courts?| brefs)?\b",
    request=START
    + r"et|puis|s'il (?:te|vous) pla[îi]t|merci de|veuillez|toujours|tu dois|vous devez|peux-tu|pouvez-vous|"
    r"pourrais-tu|pourriez-vous|j'aimerais que tu|aide-moi à|je veux que tu|maintenant|(?:tu peux|vous pouvez|"
    r"tu pourrais|vous pourriez)|salut|bonjour|est-ce que tu peux) )"
    r"(?:me |nous |m')?(?:[ée]cri(?:s|vez|"
    r"re)|"
    r"[ée]cris-moi|d[ée]fini(?:s|ssez|r)|raconte[zr]?(?:-moi)?|\w{2,14}-(?:moi|nous)|classe[zr]?|range[zr]?|d[ée]veloppe[zr]?|analyse[zr]?|pr[ée]pare[zr]?|imagine[zr]?|invente[zr]?|conseille[zr]?(?:-moi)?|mets|mettez|montre[zr]?(?:-moi)?|"
    r"donne[zr]?(?:-moi|-nous)?|liste[zr]?|[ée]num[èe]re|[ée]num[ée]re[zr]|nomme[zr]?|cite[zr]?|sugg[èe]re(?:-moi)?|"
    r"sugg[ée]re[zr](?:-moi)?|propose[zr]?(?:-moi)?|r[ée]sume[zr]?|explique[zr]?|d[ée]cri(?:s|vez|re)|r[ée]dige[zr]?|"
    r"r[ée]pond(?:s|ez|re)|utilise[zr]?|limite[zr]?(?:-toi)?|fai(?:s|tes|re)|cr[ée]e[zr]?|g[ée]n[èée]re[zr]?|"
    r"mentionne[zr]?|recommande[zr]?|pr[ée]sente[zr]?|renvoie|retourne[zr]?|conver(?:tis|tir|tissez)|tradui(?:s|sez|"
    r"re)|"
    r"indique[zr]?|fourni(?:s|ssez|r)|trouve[zr]?|compose[zr]?|dis-moi|organise[zr]?|reste[zr]?|compare[zr]?|"
    r"dresse[zr]?)\b"
    r"|\bs'il (?:te|vous) pla[îi]t\b|\bveuillez\b|\bmerci de\b|\b(?:je veux|j'ai besoin|je voudrais|j'aimerais|"
    r"il me faut(?:drait)?|je cherche) "
    r"(?:d'une?|un|une|\d|de \d)|\b(?:la|ta|votre|le|ton) (?:r[ée]ponse|texte|r[ée]sum[ée]|essai|r[ée]daction|"
    r"article) (?:doit|ne "
    r"doit|devra)\b",
    about=r"(?:environ|à peu près|approximativement|autour de|quelque|près de|dans les|~|une|quelques) ?(?:de )?",
    at_most=r"(?:maximum(?: de)?:?|max\.?|au (?:plus|maximum)|pas plus de|moins de|jusqu'à|ne (?:d[ée]passe[zr]?|"
    r"d[ée]passant|d[ée]passe|pas d[ée]passer|doit|devra)(?: pas)?(?: d[ée]passer)?|sans d[ée]passer|"
    r"limite(?: de)?:?|en dessous de|"
    r"un maximum de) ?",
    at_least=r"(?:au moins|minimum(?: de)?:?|au minimum|plus de|pas moins de|un minimum de) ?",
    exactly=r"(?:exactement|pile) ",
    about_after=r" environ\b",
    at_most_after=r",? (?:maximum|max\b|au (?:plus|maximum)|ou moins|pas plus|grand max)",
    at_least_after=r",? (?:minimum|au (?:moins|minimum)|ou plus)\b",
    between=r"entre |de ",
    between_and=r" (?:et|à) ",
    to=r" ?(?:-|–|à|ou) ?",
    plain=r"(?<!liste )\b(?:en|de|avec)(?: seulement)? ",
    plain_after=r" (?:de long|sur|au total)\b",
    header=r"longueur|limite(?: de mots)?|nombre de mots",
    described=r"\b(?:qui|que|si|quand|lorsque|parce|comment|j'ai|a [ée]crit|avait|contient|comporte|[ée]tait|il y a|"
    r"fait)\b(?! (?:ne|soit|fasse|comporte|contienne)\b)",
    craft=r"\b(?:fonction|programme|mot de passe|conseils|pour (?:[ée]crire|r[ée]diger))\b",
    explains=r"\b(?:explique[zr]?(?:-moi)?|dis-moi|dites-moi|d[ée]cris|r[ée]sume[zr]?|raconte(?:-moi)?|"
    r"r[ée]ponds) (?:bri[èe]vement )?"
    r"(?:ce (?:que|qui|qu')|pourquoi|comment|qui|quand|qu')(?: c'est que)?(?: (?:que|qu'))?",
    composes=r"\b(?:[ée]cri\w+|r[ée]dig\w+|dissertation|texte)\b",
    question=r"(?:c'est quoi|qu'est-ce (?:que|qu')|qui (?:est|[ée]tait)|pourquoi)",
    reference=r"(?:\bl'\w+ de |\b(?:le|la|ce|cet|cette|mon|ma|son|sa|les|ces|premiers|"
    r"premi[èe]res)(?: \w+(?: \w+)? de)? )",
    part=r"\b(?:titre|en-t[êe]te|objet|chaque|par|introduction|conclusion|slogan|(?:avec|et) une?|mot de passe|"
    r"phrases|"
    r"paragraphes|po[èe]mes|r[ée]sum[ée]s|chacune?)\b",
    part_after=r" (?:par|chacune?|de chaque|qui |ci-dessus|pour chaque)",
    persistent=r"\btoujours\b|\bd[ée]sormais\b|\bà partir de maintenant\b|\bdor[ée]navant\b|\bdans (?:toutes tes|"
    r"chaque|"
    r"toutes vos) r[ée]ponses?\b|\bjamais\b",
    items=(
        r"(?P<asks>\A\W*(?:[a-zéèàù]+ )?(?:quel(?:le)?s|qui) (?:sont|seraient|furent|"
        r"ont [ée]t[ée])(?: les)?) (?P<n>{n}) "
        r"(?:(?:meilleure?s|pires|plus (?:grand|bea?u|belle|petit|gros)\w*|principa(?:les|ux)|grande?s|"
        r"premi[èe]re?s|premiers|"
        r"choses) (?P<noun>[a-zàâçéèêëîïôûùü]{3,20}[sx])|(?P<noun2>[a-zàâçéèêëîïôûùü]{3,20}[sx]) (?:les plus|"
        r"principa|essenti|import))",
        rf"(?P<asks>\b(?:je (?:veux|voudrais|cherche)|j'aimerais(?: avoir)?|il me (?:faut|faudrait)|(?:tu|"
        rf"vous) (?:me )?(?:donnes|as|avez|"
        rf"aurais|auriez)|as-tu|avez-vous|aurais-tu|j'ai besoin d[e'’])(?: une liste de)?)(?P<q> au moins|"
        rf" exactement| au plus)? ?(?P<n>{{n}}) "
        rf"(?:bon(?:ne)?s |petite?s )?(?P<noun>{_FR_ITEM})\b",
        r"(?:donne[zr]?|liste[zr]?|[ée]num[èe]re|[ée]num[ée]re[zr]|nomme[zr]?|cite[zr]?|sugg[èe]re|sugg[ée]re[zr]|"
        r"propose[zr]?|mentionne[zr]?|recommande[zr]?|[ée]cri(?:s|vez|re)|indique[zr]?|g[ée]n[èée]re[zr]?|fourni(?:s|"
        r"ssez)|"
        r"trouve[zr]?|explique[zr]?|d[ée]cri(?:s|vez)|dis|conseille[zr]?|raconte[zr]?|montre[zr]?|cr[ée]e[zr]?|proposer|sugg[ée]rer|recommander)"
        r"(?:-moi|-nous)?(?: une liste de)?(?: les)?"
        r"(?P<q> au moins| exactement| jusqu'à| au plus| au maximum| au minimum)? (?P<n>{n}) "
        r"(?P<noun>[a-zàâçéèêëîïôûùü]{3,20}[sx])\b",
        r"\b(?:en|avec) (?P<n>{n}) (?P<noun>puces|points|[ée]tapes)\b",
    ),
    not_items=r"(?:mots|phrases|paragraphes|lignes|caract[èe]res|minutes|heures|jours|semaines|mois|ans|pages|"
    r"strophes|"
    r"vers|fois|euros|grammes|m[èe]tres|sections|parties|pommes)",
    formats={
        "bulleted list": r"(?:liste à )?puces",
        "numbered list": r"liste num[ée]rot[ée]e",
        "list": r"(?:forme de |forme d'une )?listes?",
        "table": r"(?:forme de |forme d'un )?tableaux?",
        "json": r"(?:format )?json(?: valide)?",
        "html": r"(?:format )?html",
        "csv": r"(?:format )?csv",
        "yaml": r"(?:format )?yaml",
        "xml": r"(?:format )?xml",
        "plain text": r"texte (?:brut|simple)",
        "markdown": r"markdown",
        "emojis": r"[ée]mojis?|[ée]motic[ôo]nes|smileys?",
        "code": r"code",
    },
    frame=r"\b(?:en|sous|au|avec|dans|fais|faites|fais-moi|faire|cr[ée]e|cr[ée]er|donne-moi|dresse|dressez|dresser|"
    r"utilise|comme|(?:veux|voudrais)(?= un tableau (?:comparatif|r[ée]capitulatif|avec|qui compare)))(?: une?|"
    r" forme d[e'’](?: ?une?)?| format)? ?(?:[a-zéè]+ )?",
    languages=LANGUAGES,
    code=r"(?:[ée]cris|[ée]crivez|cr[ée]e[zr]?|fais|donne(?:-moi)?|g[ée]n[èe]re|impl[ée]mente|[ée]cris-moi) "
    r"(?:une? |du )?(?:fonction|script|programme|code|requête sql|classe)\b"
    rf"(?: (?:en) (?P<lang>{LANGUAGES})\b)?",
    forbids=r"(?:\bn['e] ?(?:utilise[zr]?|inclus|incluez|mets|mettez|[ée]cris|[ée]crivez|emploie|ajoute[zr]?|fais|"
    r"donne[zr]?)"
    r"(?: pas| jamais| aucune?)|\b[ée]vite[zr]?|\bsans|\bpas(?= d[e'’])|\bne pas (?:utiliser|inclure|mettre))"
    r"(?: utiliser| inclure)?(?: de| d'| le| la| les| aucune?)? ?",
    about_program=PROGRAM + r"|\b(?:fonction|programme|base de donn[ée]es)\b",
)

ITALIAN = Lexicon(
    script=r"[a-zàèéìòù]",
    numbers=numerals(
        "una_sola/un_solo/un/uno/una=1 due=2 tre=3 quattro=4 cinque=5 sei=6 sette=7 otto=8 nove=9 dieci=10 undici=11 "
        "dodici=12 quindici=15 venti=20 trenta=30 quaranta=40 cinquanta=50 cento/centinaio_di=100 ventina_di=20 "
        "trentina_di=30 cinquantina_di=50 sessantina_di=60 duecento=200 trecento=300 "
        "cinquecento=500 mille=1000"
    ),
    word=r" parol[ae]\b",
    character=r" caratteri\b",
    sentence=r"(?: brevi)? fras[ei](?: brev[ei]| semplic[ei])?\b",
    paragraph=r"(?: brevi)? paragraf[oi](?: brev[ei])?\b",
    request=START
    + r"e|poi|per favore|sempre|devi|deve|puoi|può|potresti|potrebbe|vorrei che|voglio che tu|ora|aiutami a|mi|ciao|"
    r"riesci a) )"
    r"(?:mi |ci )?(?:scriv(?:i|a|ere|imi)|da(?:mmi|cci|re|rmi)|d[àa]i?|elenca(?:mi|re)?|elenchi|nomin[ai]|cita|"
    r"sugger(?:isci|"
    r"iscimi|"
    r"isca|"
    r"ire)|propon(?:i|imi|ga|ere)|riassum(?:i|a|ere|ilo)|spiega(?:mi|re)?|spieghi|descriv(?:i|a|ere)|redigi|"
    r"rispond[ia]|"
    r"rispondere|usa|usi|utilizza|limita(?:ti)?|fa(?:i|mmi|re)?|crea(?:mi|re)?|genera(?:re)?|menziona|consiglia(?:mi|"
    r"re|rmi)?|consigli|sugger(?:irmi|isce)|scrivermi|spiegarmi|elencarmi|definisci|(?!ultimi|minimi|massimi|prossimi|salami|\w+ssimi)\w{3,14}(?:ami|imi)|metti|ordina|prepara|analizza|sviluppa|inventa|immagina|metti|mostrami|racconta(?:re|rmi)|"
    r"prepara(?:mi)?|dire|dirmi|proporre|propormi|citami|"
    r"dimmi|presenta|restituisci|converti|traduci|elabora|indica|fornisci|fornire|mostra|organizza|includi|mantieni|"
    r"componi|confronta|racconta(?:mi)?)\b"
    r"|\bper favore\b|\b(?:voglio|vorrei|mi serv(?:e|ono)|ho bisogno di|mi occorr(?:e|ono)) (?:un|una|\d)|\b(?:la|"
    r"tua|il|tuo) (?:risposta|testo|"
    r"riassunto|saggio|articolo|tema) (?:deve|non deve|dovrebbe|dovrà)\b",
    about=r"(?:circa|all'incirca|approssimativamente|intorno a(?:lle)?|pi[ùu] o meno|un(?:a|')? ?~|una?|sulle|~) ?",
    at_most=r"(?:massimo(?: di)?:?|max\.?|al massimo|non pi[ùu] di|meno di|fino a|un massimo di|"
    r"non (?:superi(?:no)?|pi[ùu] lung[ao] di|superare|"
    r"super[ai]|"
    r"deve superare|oltre)(?: le| i)?|senza superare(?: le| i)?|entro(?: le| i)?|limite(?: di)?:?|sotto le) ?",
    at_least=r"(?:almeno|minimo(?: di)?:?|come minimo|pi[ùu] di|non meno di|un minimo di) ?",
    exactly=r"(?:esattamente|precisamente) ",
    about_after=r" (?:circa|all'incirca|pi[ùu] o meno)\b",
    at_most_after=r",? (?:al massimo|massimo|max|o meno)\b",
    at_least_after=r",? (?:come minimo|minimo|o pi[ùu]|almeno)\b",
    between=r"(?:tra(?: le)?|fra(?: le)?|da) ",
    between_and=r" (?:e|a)(?: le)? ",
    to=r" ?(?:-|–|a|o) ?",
    plain=r"(?<!lista )(?<!elenco )\b(?:in|di|con)(?: sole| soli| solo)? ",
    plain_after=r" (?:su|in totale|di lunghezza)\b",
    header=r"lunghezza|limite(?: di parole)?",
    described=r"\b(?:che|chi|se|quando|perch[ée]|come|ho|ha scritto|aveva|ha|contiene|era|c'è|ci sono)\b(?! (?:non|"
    r"abbia|sia|contenga|siano|abbiano)\b)",
    craft=r"\b(?:funzione|programma|password|consigli|per (?:scrivere|redigere))\b",
    explains=r"\b(?:spiega(?:mi|re|rmi)?|dimmi|descrivi(?:mi)?|riassumi|racconta(?:mi)?|rispondi) (?:brevemente )?"
    r"(?:che(?: cosa)?|cosa|perch[ée]|come|chi|quando|ci[òo] che)\b(?: (?:era|ha|c'è)\b)?",
    composes=r"\b(?:scriv\w+|redig\w+|saggio|testo)\b",
    question=r"(?:(?:che )?cos(?:a è|'è|a sono|a significa)|chi (?:è|era|fu)|perch[ée])",
    reference=r"(?:\bl'\w+ di |\b(?:il|lo|la|questo|questa|quel|quella|mio|mia|suo|sua|i|gli|le|queste|questi|prime|"
    r"primi)(?: \w+(?: \w+)? di)? )",
    part=r"\b(?:titolo|intestazione|oggetto|ogni|ciascun[ao]?|per(?! favore)|introduzione|conclusione|slogan|(?:con|"
    r"e) una?|"
    r"frasi|"
    r"paragrafi|poesie|riassunti|temi)\b",
    part_after=r" (?:per|ciascun[ao]|l'un[ao]|al giorno|di ogni|che (?!cos|è\b)|sopra|in ogni)",
    persistent=r"\bsempre\b|\bd'ora in (?:poi|avanti)\b|\bda ora in poi\b|\bin (?:tutte le tue|ogni|"
    r"tutte le) rispost[ae]\b|\bmai\b",
    items=(
        r"(?P<asks>\A\W*(?:[a-zèéàù]+ )?(?:quali|chi) (?:sono|sarebbero|furono|erano)(?: le| i| gli)?) (?P<n>{n}) "
        r"(?:(?:migliori|peggiori|pi[ùu] \w+|principali|grandi|maggiori) (?P<noun>[a-zàèéìòù]{3,20}[ieaà])|"
        r"(?P<noun2>[a-zàèéìòù]{3,20}[ieaà]) (?:pi[ùu]|principali|migliori|maggiori|fondamentali|important))",
        rf"(?P<asks>\b(?:voglio|vorrei(?: sapere| conoscere| avere)?|mi serv(?:e|ono)|mi (?:dai|dici|consigli|"
        rf"suggerisci|fai|proponi|dia)|hai(?=[^.!\n]*\?)|cerco|"
        rf"(?:(?:mi )?(?:puoi|potresti|può|potrebbe) (?:dare|dire)|(?:puoi|potresti|può|potrebbe) (?:darmi|dirmi)))"
        rf"(?: un elenco di| una lista di)?)(?P<q> almeno| esattamente| al massimo)? (?P<n>{{n}}) (?:buon[ie] |"
        rf"bell[ie] |nuov[ie] )?"
        rf"(?P<noun>{_IT_ITEM})\b",
        r"(?:da(?:mmi|cci|re|rmi)|d[àa]i?|elenca(?:mi|re)?|elenchi|nomina|cita|sugger(?:isci|iscimi|ire)|propon(?:i|"
        r"imi)|"
        r"menziona|"
        r"consiglia(?:mi|re|rmi)?|suggerirmi|propormi|elencarmi|dirmi|citami|mostrami|raccontami|crea|trova(?:mi)?|dimmi|scriv(?:i|imi|ere)|indica|genera|fornisci|spiega(?:mi)?|descrivi|"
        r"elabora)(?: un elenco di| una lista di)?"
        r"(?: le| i| gli)?(?P<q> almeno| esattamente| fino a| al massimo| come minimo)? (?P<n>{n}) "
        r"(?P<noun>[a-zàèéìòù]{3,20}[iea])\b",
        r"\b(?:in|con) (?P<n>{n}) (?P<noun>punti|passi|passaggi)\b",
    ),
    not_items=r"(?:parole|frasi|paragrafi|righe|caratteri|minuti|ore|giorni|settimane|mesi|anni|pagine|strofe|versi|"
    r"volte|"
    r"euro|grammi|chili|metri|sezioni|parti|mele)",
    formats={
        "bulleted list": r"(?:elenco|lista) puntat[oa]",
        "numbered list": r"(?:elenco|lista) numerat[oa]",
        "list": r"(?:forma di )?(?:elenco|elenchi|lista|liste)",
        "table": r"(?:forma di )?tabell[ae]",
        "json": r"(?:formato )?json(?: valido)?",
        "html": r"(?:formato )?html",
        "csv": r"(?:formato )?csv",
        "yaml": r"(?:formato )?yaml",
        "xml": r"(?:formato )?xml",
        "plain text": r"testo (?:semplice|normale)",
        "markdown": r"markdown",
        "emojis": r"emoji|emoticon",
        "code": r"codice",
    },
    frame=r"\b(?:in|come|con|usa|usando|crea|creami|creare|fai|fammi|fare|farmi|genera|dammi|restituisci|sotto|"
    r"(?:voglio|vorrei)(?= una tabella (?:comparativa|che confront|con))|prepara|preparami)(?: una?| un'| formato|"
    r" forma di)? ?(?:[a-zàèéìòù]+ )?",
    languages=LANGUAGES,
    code=r"(?:scrivi|scrivimi|crea|fai|genera|implementa|dammi) (?:una? |del )?(?:funzione|script|programma|codice|"
    r"query sql|classe)\b"
    rf"(?: (?:in) (?P<lang>{LANGUAGES})\b)?",
    forbids=r"\b(?:non (?:usare|utilizzare|includere|inserire|scrivere|usi|mettere|aggiungere|voglio|metterci)|"
    r"niente|evita(?: di usare)?|"
    r"senza)"
    r"(?: usare| utilizzare| includere)?(?: alcun[ao]?| il| la| le| i| gli)? ",
    about_program=PROGRAM + r"|\b(?:funzione|programma|tavolo)\b",
)
