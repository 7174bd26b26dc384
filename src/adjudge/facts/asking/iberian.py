"""How Spanish and Portuguese ask."""

from __future__ import annotations

from .lexicon import Lexicon, numerals
from .romance import LANGUAGES, PROGRAM, START

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
    request=START
    + r"y|luego|por favor|favor de|siempre|debes?|tienes? que|quiero que|necesito que|puedes|podr[íi]as|ahora|"
    r"ay[úu]dame a) )(?:escrib[ea]|escribir|escr[íi]beme|da(?:me|nos)?|dar(?:me|nos)?|d[ae]r?|list[ae]r?|"
    r"enumer[ae]r?|nombr[ae]r?|"
    r"sugi[eé]r[ea](?:me)?|sugerir|propon(?:me|ga|er)?|prop[óo]n(?:me)?|resum[ea](?:lo|la)?|resumir|explica(?:me)?|"
    r"expl[íi]ca(?:me)?|explique|explicar|descri[bv][ea]|describir|redacta|redacte|redactar|responde|responda|"
    r"contesta|"
    r"usa|use|utiliza|utilice|limita|limite|haz(?:me)?|haga|hacer|crea|cree|crear|genera|genere|generar|menciona|"
    r"mencione|cita|recomienda(?:me)?|recomi[eé]ndame|dime|presenta|devuelve|devuelva|convierte|traduce|mant[eé]n|"
    r"elabora|elabore|indica|indique|muestra|proporciona|proporcione|formatea|organiza|incluye|pon|compara|"
    r"cu[ée]ntame|cuenta|narra)\b"
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
    languages=LANGUAGES,
    code=r"(?:escribe|crea|haz|hazme|dame|genera|implementa|escribir|crear)(?: me)? (?:una? )?(?:funci[óo]n|script|"
    rf"programa|c[óo]digo|consulta sql|clase)\b(?: (?:de|en) (?P<lang>{LANGUAGES})\b)?",
    forbids=r"\b(?:no (?:uses|use|utilices|utilice|incluyas|incluya|escribas|pongas|añadas|emplees|des|usar)|evita"
    r"(?: usar)?|nunca uses|sin)(?: usar| utilizar| incluir)?(?: ning[úu]n| ninguna| el| la| las| los)? ",
    about_program=PROGRAM + r"|\b(?:funci[óo]n|programa|base de datos|mesa)\b",
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
    request=START
    + r"e|depois|por favor|sempre|deves?|você deve|tens de|quero que|preciso que|podes|pode|poderia|agora|me) )"
    r"(?:me )?(?:escrev[ae]r?|d[êea](?:-me)?|dar|list[ae]r?|enumer[ae]r?|nomei[ae]|cit[ae]r?|sugir[ae]|sugerir|"
    r"propon?h?a|"
    r"resum[ae]|resumir|expliqu?[ae]|explicar|descrev[ae]r?|redija|respond[ae]|us[ae]|utiliz[ae]|limit[ae](?:-se)?|"
    r"fa[çc]a|faz(?:er)?|cri[ae]r?|ger[ae]r?|mencion[ae]|recomend[ae]|diga|apresent[ae]|retorne|devolv[ae]|converta|"
    r"traduz[ae]?|elabor[ae]|indiqu?[ae]|forne[çc]a|mostr[ae]|organiz[ae]|inclu[ai]|mantenha|compar[ae]|conte|narre)\b"
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
    languages=LANGUAGES,
    code=r"(?:escreva|escreve|crie|cria|faça|gere|implemente|me d[êe]|d[êe]-me) (?:uma? )?(?:função|script|programa|"
    rf"c[óo]digo|consulta sql|classe)\b(?: (?:de|em) (?P<lang>{LANGUAGES})\b)?",
    forbids=r"\b(?:não (?:use|usa|uses|utilize|utilizes|inclua|incluas|escreva|coloque|adicione|usar)|evite(?: usar)?|"
    r"nunca use|sem)(?: usar| utilizar| incluir)?(?: nenhuma?| o| a| as| os)? ",
    about_program=PROGRAM + r"|\b(?:função|programa|banco de dados|mesa)\b",
)
