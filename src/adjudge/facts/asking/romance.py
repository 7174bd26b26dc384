"""How Spanish, French, Portuguese and Italian ask."""

from __future__ import annotations

from .lexicon import Lexicon, numerals

_START = r"(?:\A[\W\d_]{0,8}|[,;:!?¡¿(\[—–]\s{0,3}|\s-\s|\b(?:"
_LANGUAGES = r"python|java ?script|typescript|java|c\+\+|c#|rust|ruby|php|sql|bash|kotlin|swift|go|r"
_PROGRAM = r"\b(?:sql|api|excel|latex|app|html|pandas|json schema)\b"

SPANISH = Lexicon(
    script=r"[a-záéíóúñ]",
    numbers=numerals(
        "una_sola/un_solo/un/una/uno=1 dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once=11 "
        "doce=12 quince=15 veinte=20 treinta=30 cuarenta=40 cincuenta=50 cien=100 ciento_cincuenta=150 "
        "doscientas/doscientos=200 trescientas/trescientos=300 quinientas/quinientos=500 mil=1000"
    ),
    word=r" palabras?\b",
    character=r" caracteres\b",
    sentence=r"(?: breves| cortas)? (?:oraci[óo]n(?:es)?|frases?)\b",
    paragraph=r"(?: breves| cortos)? p[áa]rrafos?\b",
    request=_START
    + r"y|luego|por favor|favor de|siempre|debes?|tienes? que|quiero que|necesito que|puedes|podr[íi]as|ahora|"
    r"ay[úu]dame a) )(?:escrib[ea]|escribir|escr[íi]beme|da(?:me|nos)?|dar(?:me|nos)?|d[ae]r?|list[ae]r?|"
    r"enumer[ae]r?|nombr[ae]r?|"
    r"sugi[eé]r[ea](?:me)?|sugerir|propon(?:me|ga|er)?|prop[óo]n(?:me)?|resum[ea](?:lo|la)?|resumir|explica(?:me)?|"
    r"expl[íi]ca(?:me)?|explique|explicar|descri[bv][ea]|describir|redacta|redacte|redactar|responde|responda|"
    r"contesta|"
    r"usa|use|utiliza|utilice|limita|limite|haz(?:me)?|haga|hacer|crea|cree|crear|genera|genere|generar|menciona|"
    r"mencione|cita|recomienda(?:me)?|recomi[eé]ndame|dime|presenta|devuelve|devuelva|convierte|traduce|mant[eé]n|"
    r"elabora|elabore|indica|indique|muestra|proporciona|proporcione|formatea|organiza|incluye|pon|compara)\b"
    r"|\bpor favor\b|\b(?:quiero|necesito|quisiera|me gustar[íi]a) (?:un|una|\d|que)|\b(?:la|tu|el) (?:respuesta|"
    r"texto|"
    r"ensayo|resumen|salida|art[íi]culo) (?:debe|no debe|tiene que|ha de)\b",
    about=r"(?:unas|unos|aproximadamente|aprox\.?|alrededor de|cerca de|m[áa]s o menos|en torno a|~) ?",
    at_most=r"(?:m[áa]ximo(?: de)?:?|m[áa]x\.?|como m[áa]ximo|no m[áa]s de|menos de|hasta|un m[áa]ximo de|a lo sumo|"
    r"no (?:superar?|exceda|exceder|supere|debe superar|debe exceder)(?: de)?(?: las| los)?|"
    r"sin (?:superar|exceder)(?: las| los)?|l[íi]mite(?: de)?:?|por debajo de) ?",
    at_least=r"(?:al menos|m[íi]nimo(?: de)?:?|como m[íi]nimo|por lo menos|m[áa]s de|no menos de|un m[íi]nimo de) ?",
    exactly=r"exactamente ",
    about_after=r" (?:aproximadamente|aprox|m[áa]s o menos)\b",
    at_most_after=r",? (?:como m[áa]ximo|m[áa]ximo|o menos|a lo sumo)\b",
    at_least_after=r",? (?:como m[íi]nimo|m[íi]nimo|o m[áa]s|al menos)\b",
    between=r"entre |de ",
    between_and=r" (?:y|a) ",
    to=r" ?(?:-|–|a|o) ?",
    plain=r"(?<!lista )\b(?:en|de|con|solo)(?: solo| unas?| s[óo]lo)? ",
    plain_after=r" (?:de extensi[óo]n|sobre|en total)\b",
    header=r"extensi[óo]n|longitud|l[íi]mite(?: de palabras)?",
    described=r"\b(?:que|qui[eé]n|si|cuando|porque|c[óo]mo|escrib[íi]|escribi[óo]|ten[íi]a|tiene|contiene|fue|era|hay|"
    r"le[íi]|funci[óo]n|programa|contraseña|consejos)\b(?! (?:no|tenga|sea|contenga|se[ae]n?|teng[ae]n?)\b)",
    reference=r"\b(?:el|la|este|esta|ese|esa|mi|su|los|las|estas|estos|primeras|primeros)(?: \w+(?: \w+)? de)? ",
    part=r"\b(?:t[íi]tulo|titular|encabezado|asunto|cada|por|introducci[óo]n|conclusi[óo]n|eslogan|(?:con|y) una?|"
    r"contraseña|oraciones|frases|p[áa]rrafos|ensayos|poemas|res[úu]menes)\b",
    part_after=r" (?:por|cada una?|al d[íi]a|de cada|que |anteriores|en cada)",
    persistent=r"\bsiempre\b|\ba partir de ahora\b|\bde ahora en adelante\b|\ben (?:todas tus|cada) respuestas?\b|"
    r"\bnunca\b",
    items=(
        r"(?:dame|danos|da|dar(?:me|nos)?|lista|liste|listar|enumera|enumere|enumerar|nombra|nombre|sugiere|"
        r"sugi[eé]reme|sugerir|"
        r"prop[óo]n|propon(?:me|ga)?|menciona|mencione|cita|recomienda|recomi[eé]ndame|dime|escribe|escriba|indica|"
        r"genera|genere|proporciona|proporcione|explica|describe|elabora)(?: una lista (?:de|con))?(?: las| los)?"
        r"(?P<q> al menos| exactamente| hasta| como m[áa]ximo| como m[íi]nimo| un m[íi]nimo de| un m[áa]ximo de)? "
        r"(?P<n>{n}) (?P<noun>[a-záéíóúñ]{3,20}s)\b",
        r"\b(?:en|con) (?P<n>{n}) (?P<noun>viñetas|puntos|vi[ñn]etas)\b",
    ),
    not_items=r"(?:palabras|oraciones|frases|p[áa]rrafos|l[íi]neas|caracteres|minutos|horas|d[íi]as|semanas|meses|"
    r"años|"
    r"p[áa]ginas|estrofas|versos|veces|euros|d[óo]lares|pesos|gramos|kilos|metros|secciones|partes|manzanas)",
    formats={
        "bulleted list": r"viñetas|lista con viñetas",
        "numbered list": r"lista numerada",
        "list": r"(?:forma de |formato de )?listas?",
        "table": r"(?:forma de |formato de )?tablas?",
        "json": r"(?:formato )?json(?: v[áa]lido)?",
        "html": r"(?:formato )?html",
        "csv": r"(?:formato )?csv",
        "yaml": r"(?:formato )?yaml",
        "xml": r"(?:formato )?xml",
        "plain text": r"texto (?:plano|sin formato)",
        "markdown": r"markdown",
        "emojis": r"emojis?|emoticonos",
        "code": r"c[óo]digo",
    },
    frame=r"\b(?:en|como|con|a|usa|usando|crea|haz|hazme|genera|dame|devuelve|solo)(?: una?| formato|"
    r" forma de)? (?:[a-záéíóúñ]+ )?",
    languages=_LANGUAGES,
    code=r"(?:escribe|crea|haz|hazme|dame|genera|implementa|escribir|crear)(?: me)? (?:una? )?(?:funci[óo]n|script|"
    rf"programa|c[óo]digo|consulta sql|clase)\b(?: (?:de|en) (?P<lang>{_LANGUAGES})\b)?",
    forbids=r"\b(?:no (?:uses|use|utilices|utilice|incluyas|incluya|escribas|pongas|añadas|emplees|des|usar)|evita"
    r"(?: usar)?|nunca uses|sin)(?: usar| utilizar| incluir)?(?: ning[úu]n| ninguna| el| la| las| los)? ",
    about_program=_PROGRAM + r"|\b(?:funci[óo]n|programa|base de datos|mesa)\b",
)

FRENCH = Lexicon(
    script=r"[a-zàâçéèêëîïôûùü]",
    numbers=numerals(
        "une_seule/un_seul/un/une=1 deux=2 trois=3 quatre=4 cinq=5 six=6 sept=7 huit=8 neuf=9 dix=10 onze=11 "
        "douze=12 quinze=15 vingt=20 trente=30 quarante=40 cinquante=50 cent=100 deux_cents=200 trois_cents=300 "
        "cinq_cents=500 mille=1000"
    ),
    word=r" mots?\b",
    character=r" caract[èe]res\b",
    sentence=r"(?: courtes| br[èe]ves)? phrases?\b",
    paragraph=r"(?: courts| brefs)? paragraphes?\b",
    request=_START
    + r"et|puis|s'il (?:te|vous) pla[îi]t|merci de|veuillez|toujours|tu dois|vous devez|peux-tu|pouvez-vous|"
    r"pourrais-tu|pourriez-vous|j'aimerais que tu|aide-moi à|je veux que tu|maintenant) )(?:me )?(?:[ée]cri(?:s|vez|"
    r"re)|"
    r"[ée]cris-moi|"
    r"donne[zr]?(?:-moi|-nous)?|liste[zr]?|[ée]num[èe]re|[ée]num[ée]re[zr]|nomme[zr]?|cite[zr]?|sugg[èe]re(?:-moi)?|"
    r"sugg[ée]re[zr](?:-moi)?|propose[zr]?(?:-moi)?|r[ée]sume[zr]?|explique[zr]?|d[ée]cri(?:s|vez|re)|r[ée]dige[zr]?|"
    r"r[ée]pond(?:s|ez|re)|utilise[zr]?|limite[zr]?(?:-toi)?|fai(?:s|tes|re)|cr[ée]e[zr]?|g[ée]n[èée]re[zr]?|"
    r"mentionne[zr]?|recommande[zr]?|pr[ée]sente[zr]?|renvoie|retourne[zr]?|conver(?:tis|tir|tissez)|tradui(?:s|sez|"
    r"re)|"
    r"indique[zr]?|fourni(?:s|ssez|r)|trouve[zr]?|compose[zr]?|dis-moi|organise[zr]?|reste[zr]?|compare[zr]?|"
    r"dresse[zr]?)\b"
    r"|\bs'il (?:te|vous) pla[îi]t\b|\bveuillez\b|\bmerci de\b|\b(?:je veux|j'ai besoin|je voudrais|il me faut) "
    r"(?:d'un|un|une|\d)|\b(?:la|ta|votre|le|ton) (?:r[ée]ponse|texte|r[ée]sum[ée]|essai|r[ée]daction|"
    r"article) (?:doit|ne "
    r"doit|devra)\b",
    about=r"(?:environ|à peu près|approximativement|autour de|quelque|près de|~) ?(?:de )?",
    at_most=r"(?:maximum(?: de)?:?|max\.?|au (?:plus|maximum)|pas plus de|moins de|jusqu'à|ne (?:d[ée]passe[zr]?|"
    r"d[ée]passant|d[ée]passe|doit|devra)(?: pas)?(?: d[ée]passer)?|sans d[ée]passer|limite(?: de)?:?|en dessous de|"
    r"un maximum de) ?",
    at_least=r"(?:au moins|minimum(?: de)?:?|au minimum|plus de|pas moins de|un minimum de) ?",
    exactly=r"exactement ",
    about_after=r" environ\b",
    at_most_after=r",? (?:maximum|max\b|au (?:plus|maximum)|ou moins)",
    at_least_after=r",? (?:minimum|au (?:moins|minimum)|ou plus)\b",
    between=r"entre |de ",
    between_and=r" (?:et|à) ",
    to=r" ?(?:-|–|à|ou) ?",
    plain=r"(?<!liste )\b(?:en|de|avec)(?: seulement)? ",
    plain_after=r" (?:de long|sur|au total)\b",
    header=r"longueur|limite(?: de mots)?|nombre de mots",
    described=r"\b(?:qui|que|si|quand|lorsque|parce|comment|j'ai|a [ée]crit|avait|contient|comporte|[ée]tait|il y a|"
    r"fait|"
    r"fonction|programme|mot de passe|conseils)\b(?! (?:ne|soit|fasse|comporte|contienne)\b)",
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
        r"(?:donne[zr]?|liste[zr]?|[ée]num[èe]re|[ée]num[ée]re[zr]|nomme[zr]?|cite[zr]?|sugg[èe]re|sugg[ée]re[zr]|"
        r"propose[zr]?|mentionne[zr]?|recommande[zr]?|[ée]cri(?:s|vez|re)|indique[zr]?|g[ée]n[èée]re[zr]?|fourni(?:s|"
        r"ssez)|"
        r"trouve[zr]?|explique[zr]?|d[ée]cri(?:s|vez)|dis)(?:-moi|-nous)?(?: une liste de)?(?: les)?"
        r"(?P<q> au moins| exactement| jusqu'à| au plus| au maximum| au minimum)? (?P<n>{n}) "
        r"(?P<noun>[a-zàâçéèêëîïôûùü]{3,20}[sx])\b",
        r"\b(?:en|avec) (?P<n>{n}) (?P<noun>puces|points)\b",
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
        "emojis": r"[ée]mojis?|[ée]motic[ôo]nes",
        "code": r"code",
    },
    frame=r"\b(?:en|sous|au|avec|dans|fais|fais-moi|cr[ée]e|donne-moi|dresse|dressez|utilise|comme)(?: une?|"
    r" forme d[e'’](?: ?une?)?| format)? ?(?:[a-zéè]+ )?",
    languages=_LANGUAGES,
    code=r"(?:[ée]cris|[ée]crivez|cr[ée]e[zr]?|fais|donne(?:-moi)?|g[ée]n[èe]re|impl[ée]mente|[ée]cris-moi) "
    r"(?:une? |du )?(?:fonction|script|programme|code|requête sql|classe)\b"
    rf"(?: (?:en) (?P<lang>{_LANGUAGES})\b)?",
    forbids=r"(?:\bn['e] ?(?:utilise[zr]?|inclus|incluez|mets|mettez|[ée]cris|[ée]crivez|emploie|ajoute[zr]?|fais|"
    r"donne[zr]?)"
    r"(?: pas| jamais| aucune?)|\b[ée]vite[zr]?|\bsans|\bne pas (?:utiliser|inclure|mettre))"
    r"(?: utiliser| inclure)?(?: de| d'| le| la| les| aucune?)? ?",
    about_program=_PROGRAM + r"|\b(?:fonction|programme|base de donn[ée]es)\b",
)

PORTUGUESE = Lexicon(
    script=r"[a-zãõçáéíóúâêô]",
    numbers=numerals(
        "uma_única/um_único/um/uma=1 dois/duas=2 três=3 quatro=4 cinco=5 seis=6 sete=7 oito=8 nove=9 dez=10 onze=11 "
        "doze=12 quinze=15 vinte=20 trinta=30 quarenta=40 cinquenta=50 cem=100 duzentas/duzentos=200 "
        "trezentas/trezentos=300 quinhentas/quinhentos=500 mil=1000"
    ),
    word=r" palavras?\b",
    character=r" caracteres\b",
    sentence=r"(?: curtas| breves)? (?:frases?|ora[çc](?:ão|ões))\b",
    paragraph=r"(?: curtos| breves)? par[áa]grafos?\b",
    request=_START
    + r"e|depois|por favor|sempre|deves?|você deve|tens de|quero que|preciso que|podes|pode|poderia|agora|me) )"
    r"(?:me )?(?:escrev[ae]r?|d[êea](?:-me)?|dar|list[ae]r?|enumer[ae]r?|nomei[ae]|cit[ae]r?|sugir[ae]|sugerir|"
    r"propon?h?a|"
    r"resum[ae]|resumir|expliqu?[ae]|explicar|descrev[ae]r?|redija|respond[ae]|us[ae]|utiliz[ae]|limit[ae](?:-se)?|"
    r"fa[çc]a|faz(?:er)?|cri[ae]r?|ger[ae]r?|mencion[ae]|recomend[ae]|diga|apresent[ae]|retorne|devolv[ae]|converta|"
    r"traduz[ae]?|elabor[ae]|indiqu?[ae]|forne[çc]a|mostr[ae]|organiz[ae]|inclu[ai]|mantenha|compar[ae])\b"
    r"|\bpor favor\b|\b(?:quero|preciso de|gostaria de) (?:um|uma|\d)|\b(?:a|sua|o|seu|tua) (?:resposta|texto|"
    r"reda[çc]ão|"
    r"resumo|artigo) (?:deve|não deve|tem que|precisa)\b",
    about=r"(?:cerca de|aproximadamente|aprox\.?|por volta de|mais ou menos|em torno de|umas|uns|~) ?",
    at_most=r"(?:m[áa]ximo(?: de)?:?|m[áa]x\.?|no m[áa]ximo|não mais (?:de|que|do que)|menos de|at[ée]|"
    r"um m[áa]ximo de|"
    r"(?:não|sem) (?:ultrapass\w+|exced\w+|deve ultrapassar|deve exceder)(?: as| os)?|limite(?: de)?:?|abaixo de) ?",
    at_least=r"(?:pelo menos|m[íi]nimo(?: de)?:?|no m[íi]nimo|mais de|não menos de|um m[íi]nimo de|ao menos) ?",
    exactly=r"exatamente ",
    about_after=r" (?:aproximadamente|mais ou menos)\b",
    at_most_after=r",? (?:no m[áa]ximo|m[áa]ximo|ou menos)\b",
    at_least_after=r",? (?:no m[íi]nimo|m[íi]nimo|ou mais|pelo menos)\b",
    between=r"entre |de ",
    between_and=r" (?:e|a) ",
    to=r" ?(?:-|–|a|ou) ?",
    plain=r"(?<!lista )\b(?:em|de|com|s[óo])(?: apenas| s[óo])? ",
    plain_after=r" (?:sobre|no total|de extensão)\b",
    header=r"extensão|tamanho|comprimento|limite(?: de palavras)?",
    described=r"\b(?:que|quem|se|quando|porque|como|escrevi|escreveu|tinha|tem|cont[ée]m|foi|era|h[áa]|li|função|"
    r"programa|"
    r"senha|dicas)\b(?! (?:não|tenha|seja|contenha|tenham|sejam)\b)",
    reference=r"\b(?:o|a|este|esta|esse|essa|meu|minha|seu|sua|os|as|estas|estes|primeiras|primeiros)"
    r"(?: \w+(?: \w+)? de)? ",
    part=r"\b(?:t[íi]tulo|manchete|assunto|cada|por|introdução|conclusão|slogan|(?:com|e) uma?|senha|frases|"
    r"par[áa]grafos|"
    r"poemas|resumos|redações)\b",
    part_after=r" (?:por|cada uma?|por dia|de cada|que |acima|em cada)",
    persistent=r"\bsempre\b|\ba partir de agora\b|\bde agora em diante\b|\bem (?:todas as suas|cada|"
    r"todas as) respostas?\b|\bnunca\b",
    items=(
        r"(?:d[êea](?:-me|-nos)?|me d[êe]|dar|list[ae]r?|enumer[ae]r?|nomei[ae]|cit[ae]r?|sugir[ae]|sugerir|"
        r"propon?h?a|"
        r"mencion[ae]|recomend[ae]|diga(?:-me)?|escrev[ae]r?|indiqu?[ae]|ger[ae]r?|forne[çc]a|explique|descreva|"
        r"elabore)"
        r"(?: uma lista (?:de|com))?(?: as| os)?"
        r"(?P<q> pelo menos| exatamente| at[ée]| no m[áa]ximo|"
        r" no m[íi]nimo)? (?P<n>{n}) (?P<noun>[a-zãõçáéíóúâêô]{3,20}s)\b",
        r"\b(?:em|com) (?P<n>{n}) (?P<noun>t[óo]picos|pontos|marcadores)\b",
    ),
    not_items=r"(?:palavras|frases|orações|par[áa]grafos|linhas|caracteres|minutos|horas|dias|semanas|meses|anos|"
    r"p[áa]ginas|"
    r"estrofes|versos|vezes|euros|reais|gramas|quilos|metros|seções|partes|maçãs)",
    formats={
        "bulleted list": r"(?:lista com )?marcadores|lista com t[óo]picos|bullet points",
        "numbered list": r"lista numerada",
        "list": r"(?:forma de |formato de )?listas?",
        "table": r"(?:forma de |formato de )?tabelas?",
        "json": r"(?:formato )?json(?: v[áa]lido)?",
        "html": r"(?:formato )?html",
        "csv": r"(?:formato )?csv",
        "yaml": r"(?:formato )?yaml",
        "xml": r"(?:formato )?xml",
        "plain text": r"texto (?:simples|puro|sem formatação)",
        "markdown": r"markdown",
        "emojis": r"emojis?|emoticons",
        "code": r"c[óo]digo",
    },
    frame=r"\b(?:em|como|com|para|numa|usando|use|crie|faça|gere|devolva|retorne)(?: uma?| formato|"
    r" forma de)? (?:[a-zãõçáéíóú]+ )?",
    languages=_LANGUAGES,
    code=r"(?:escreva|escreve|crie|cria|faça|gere|implemente|me d[êe]|d[êe]-me) (?:uma? )?(?:função|script|programa|"
    rf"c[óo]digo|consulta sql|classe)\b(?: (?:de|em) (?P<lang>{_LANGUAGES})\b)?",
    forbids=r"\b(?:não (?:use|usa|uses|utilize|utilizes|inclua|incluas|escreva|coloque|adicione|usar)|evite(?: usar)?|"
    r"nunca use|sem)(?: usar| utilizar| incluir)?(?: nenhuma?| o| a| as| os)? ",
    about_program=_PROGRAM + r"|\b(?:função|programa|banco de dados|mesa)\b",
)

ITALIAN = Lexicon(
    script=r"[a-zàèéìòù]",
    numbers=numerals(
        "una_sola/un_solo/un/uno/una=1 due=2 tre=3 quattro=4 cinque=5 sei=6 sette=7 otto=8 nove=9 dieci=10 undici=11 "
        "dodici=12 quindici=15 venti=20 trenta=30 quaranta=40 cinquanta=50 cento=100 duecento=200 trecento=300 "
        "cinquecento=500 mille=1000"
    ),
    word=r" parol[ae]\b",
    character=r" caratteri\b",
    sentence=r"(?: brevi)? fras[ei]\b",
    paragraph=r"(?: brevi)? paragraf[oi]\b",
    request=_START
    + r"e|poi|per favore|sempre|devi|deve|puoi|può|potresti|potrebbe|vorrei che|voglio che tu|ora|aiutami a) )"
    r"(?:scriv(?:i|a|ere|imi)|da(?:mmi|cci|re|rmi)|d[àa]i?|elenca(?:mi|re)?|elenchi|nomin[ai]|cita|sugger(?:isci|"
    r"iscimi|"
    r"isca|"
    r"ire)|propon(?:i|imi|ga|ere)|riassum(?:i|a|ere|ilo)|spiega(?:mi|re)?|spieghi|descriv(?:i|a|ere)|redigi|"
    r"rispond[ia]|"
    r"rispondere|usa|usi|utilizza|limita(?:ti)?|fa(?:i|mmi|re)?|crea(?:mi|re)?|genera(?:re)?|menziona|consiglia(?:mi|"
    r"re)?|"
    r"dimmi|presenta|restituisci|converti|traduci|elabora|indica|fornisci|fornire|mostra|organizza|includi|mantieni|"
    r"componi|confronta)\b"
    r"|\bper favore\b|\b(?:voglio|vorrei|mi serve|ho bisogno di) (?:un|una|\d)|\b(?:la|tua|il|tuo) (?:risposta|testo|"
    r"riassunto|saggio|articolo|tema) (?:deve|non deve|dovrebbe|dovrà)\b",
    about=r"(?:circa|all'incirca|approssimativamente|intorno a(?:lle)?|pi[ùu] o meno|un(?:a|')? ?~|~) ?",
    at_most=r"(?:massimo(?: di)?:?|max\.?|al massimo|non pi[ùu] di|meno di|fino a|un massimo di|non (?:superare|"
    r"super[ai]|"
    r"deve superare|oltre)(?: le| i)?|senza superare(?: le| i)?|entro(?: le| i)?|limite(?: di)?:?|sotto le) ?",
    at_least=r"(?:almeno|minimo(?: di)?:?|come minimo|pi[ùu] di|non meno di|un minimo di) ?",
    exactly=r"esattamente ",
    about_after=r" (?:circa|all'incirca|pi[ùu] o meno)\b",
    at_most_after=r",? (?:al massimo|massimo|max|o meno)\b",
    at_least_after=r",? (?:come minimo|minimo|o pi[ùu]|almeno)\b",
    between=r"(?:tra(?: le)?|fra(?: le)?|da) ",
    between_and=r" (?:e|a)(?: le)? ",
    to=r" ?(?:-|–|a|o) ?",
    plain=r"(?<!lista )(?<!elenco )\b(?:in|di|con)(?: sole| soli| solo)? ",
    plain_after=r" (?:su|in totale|di lunghezza)\b",
    header=r"lunghezza|limite(?: di parole)?",
    described=r"\b(?:che|chi|se|quando|perch[ée]|come|ho|ha scritto|aveva|ha|contiene|era|c'è|ci sono|funzione|"
    r"programma|"
    r"password|consigli)\b(?! (?:non|abbia|sia|contenga|siano|abbiano)\b)",
    reference=r"(?:\bl'\w+ di |\b(?:il|lo|la|questo|questa|quel|quella|mio|mia|suo|sua|i|gli|le|queste|questi|prime|"
    r"primi)(?: \w+(?: \w+)? di)? )",
    part=r"\b(?:titolo|intestazione|oggetto|ogni|ciascun[ao]?|per|introduzione|conclusione|slogan|(?:con|e) una?|"
    r"frasi|"
    r"paragrafi|poesie|riassunti|temi)\b",
    part_after=r" (?:per|ciascun[ao]|l'un[ao]|al giorno|di ogni|che |sopra|in ogni)",
    persistent=r"\bsempre\b|\bd'ora in (?:poi|avanti)\b|\bda ora in poi\b|\bin (?:tutte le tue|ogni|"
    r"tutte le) rispost[ae]\b|\bmai\b",
    items=(
        r"(?:da(?:mmi|cci|re|rmi)|d[àa]i?|elenca(?:mi|re)?|elenchi|nomina|cita|sugger(?:isci|iscimi|ire)|propon(?:i|"
        r"imi)|"
        r"menziona|"
        r"consiglia(?:mi|re)?|dimmi|scriv(?:i|imi|ere)|indica|genera|fornisci|spiega(?:mi)?|descrivi|"
        r"elabora)(?: un elenco di| una lista di)?"
        r"(?: le| i| gli)?(?P<q> almeno| esattamente| fino a| al massimo| come minimo)? (?P<n>{n}) "
        r"(?P<noun>[a-zàèéìòù]{3,20}[iea])\b",
        r"\b(?:in|con) (?P<n>{n}) (?P<noun>punti)\b",
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
    frame=r"\b(?:in|come|con|usa|usando|crea|fai|fammi|genera|dammi|restituisci|sotto)(?: una?| un'| formato|"
    r" forma di)? ?(?:[a-zàèéìòù]+ )?",
    languages=_LANGUAGES,
    code=r"(?:scrivi|scrivimi|crea|fai|genera|implementa|dammi) (?:una? |del )?(?:funzione|script|programma|codice|"
    r"query sql|classe)\b"
    rf"(?: (?:in) (?P<lang>{_LANGUAGES})\b)?",
    forbids=r"\b(?:non (?:usare|utilizzare|includere|inserire|scrivere|usi|mettere|aggiungere)|evita(?: di usare)?|"
    r"senza)"
    r"(?: usare| utilizzare| includere)?(?: alcun[ao]?| il| la| le| i| gli)? ",
    about_program=_PROGRAM + r"|\b(?:funzione|programma|tavolo)\b",
)
