"""How Spanish and Portuguese ask."""

from __future__ import annotations

from .lexicon import Lexicon, numerals
from .romance import LANGUAGES, PROGRAM, START

_ES_ITEM = (
    r"nombres|ideas|ejemplos|consejos|trucos|t[íi]tulos|preguntas|razones|motivos|formas|maneras|opciones|sugerencias|recetas|"
    r"libros|pel[íi]culas|canciones|series|chistes|sin[óo]nimos|adjetivos|datos|propuestas|alternativas|esl[óo]ganes|lugares|"
    r"recomendaciones|ventajas|desventajas|curiosidades|ejercicios|juegos|regalos|planes|temas|verbos"
)
_PT_ITEM = (
    r"nomes|ideias|exemplos|dicas|conselhos|truques|t[íi]tulos|perguntas|raz[õo]es|motivos|formas|maneiras|op[çc][õo]es|sugest[õo]es|"
    r"receitas|livros|filmes|m[úu]sicas|s[ée]ries|piadas|sin[ôo]nimos|adjetivos|fatos|factos|propostas|alternativas|slogans|"
    r"lugares|vantagens|desvantagens|curiosidades|exerc[íi]cios|jogos|presentes|planos|temas|verbos"
)

SPANISH = Lexicon(
    script=r"[a-záéíóúñ]",
    numbers=numerals(
        "una_sola/un_solo/un/una/uno=1 dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once=11 "
        "doce=12 quince=15 veinte=20 treinta=30 cuarenta=40 cincuenta=50 cien/centenar_de=100 ciento_cincuenta=150 "
        "doscientas/doscientos=200 trescientas/trescientos=300 quinientas/quinientos=500 mil=1000"
    ),
    word=r" palabras?\b",
    character=r" caracteres\b",
    sentence=r"(?: breves| cortas)? (?:oraci[óo]n(?:es)?|frases?)(?: cortas?| breves?| simples?)?\b",
    paragraph=r"(?: breves| cortos)? p[áa]rrafos?(?: cort[oa]s?| breves?)?\b",
    request=START
    + r"y|luego|por favor|favor de|siempre|debes?|tienes? que|quiero que|necesito que|puedes|podr[íi]as|ahora|"
    r"ay[úu]dame a|me|hola|oye|te pido que) )(?:me |nos )?(?:escrib[ea](?:me)?|escribir|escr[íi]beme|da(?:me|nos)?|"
    r"dar(?:me|nos)?|d[ae]r?|list[ae]r?|"
    r"enumer[ae]r?|nombr[ae]r?|"
    r"sugi[eé]r[ea](?:me)?|sugerir|propon(?:me|ga|er)?|prop[óo]n(?:me)?|resum[ea](?:lo|la)?|resumir|explica(?:me)?|"
    r"expl[íi]ca(?:me)?|explique|explicar|descri[bv][ea]|describir|redacta|redacte|redactar|resp[óo]nd[ea](?:me)?|responder|"
    r"contesta(?:me)?|[a-zñ]*[áéíóú][a-zñ]+(?:me|nos|melo)|orden[ae]r?|clasific[ae]r?|prepar[ae]|arm[ae]|desarroll[ae]|analiz[ae]|defin[ae]|def[íi]ne(?:me)?|ponme|p[óo]n(?:me)?|muéstrame|recomendar(?:me)?|recomiende|cont(?:ar|estar)(?:me)?|expl[íi]came|explicarme|"
    r"recomiendas|das|dices|"
    r"usa|use|utiliza|utilice|limita|limite|haz(?:me)?|haga|hacer|crea|cree|crear|genera|genere|generar|menciona|"
    r"mencione|cita|recomienda(?:me)?|recomi[eé]ndame|dime|presenta|devuelve|devuelva|convierte|traduce|mant[eé]n|"
    r"elabora|elabore|indica|indique|muestra|proporciona|proporcione|formatea|organiza|incluye|compar[ae]|comparar|"
    r"cu[ée]ntame|cuenta|narra)\b"
    r"|\bpor favor\b|\b(?:quiero|necesito|quisiera|me gustar[íi]a|busco) (?:un|una|\d|que)|\b(?:la|tu|el) (?:respuesta|"
    r"texto|"
    r"ensayo|resumen|salida|art[íi]culo) (?:debe|no debe|tiene que|ha de)\b",
    about=r"(?:unas|unos|aproximadamente|aprox\.?|alrededor de|cerca de|m[áa]s o menos|en torno a|como|~|un) ?",
    at_most=r"(?:m[áa]ximo(?: de)?:?|m[áa]x\.?|como m[áa]ximo|no m[áa]s de|menos de|hasta|un m[áa]ximo de|a lo sumo|"
    r"no (?:pase|pases|pasar|sobrepase|m[áa]s larg[oa] que|te pases)(?: de)?(?: las| los)?|no (?:superar?|"
    r"super(?:es|e)|exced[ae]s?|exceder|supere|debe superar|debe exceder)(?: de)?(?: las| los)?|"
    r"sin (?:superar|exceder)(?: las| los)?|l[íi]mite(?: de)?:?|por debajo de) ?",
    at_least=r"(?:al menos|m[íi]nimo(?: de)?:?|como m[íi]nimo|por lo menos|m[áa]s de|no menos de|un m[íi]nimo de) ?",
    exactly=r"(?:exactamente|justo|justamente) ",
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
    r"le[íi])\b(?! (?:no|tenga|sea|contenga|se[ae]n?|teng[ae]n?)\b)",
    craft=r"\b(?:funci[óo]n|programa|contraseña|consejos|para (?:escribir|redactar))\b",
    explains=r"\b(?:expl[íi]ca(?:me|nos)?|explicar(?:me)?|d[ií](?:me|nos)|decir(?:me)?|describe|cu[ée]ntame|resume|"
    r"responde) (?:brevemente )?"
    r"(?:qu[ée]|por qu[ée]|c[óo]mo|qui[ée]n|cu[áa]ndo|lo que)\b(?: (?:fue|era|hay|tiene)\b)?",
    composes=r"\b(?:escrib\w+|redact\w+|ensayo|texto)\b",
    question=r"¿?(?:qu[ée] (?:es|son|significa)|qui[ée]n (?:es|fue|era)|por qu[ée])\b",
    reference=r"\b(?:el|la|este|esta|ese|esa|mi|su|los|las|estas|estos|primeras|primeros)(?: \w+(?: \w+)? de)? ",
    part=r"\b(?:t[íi]tulo|titular|encabezado|asunto|cada|por(?! qu| favor)|introducci[óo]n|conclusi[óo]n|eslogan|"
    r"(?:con|y) una?|"
    r"contraseña|oraciones|frases|p[áa]rrafos|ensayos|poemas|res[úu]menes)\b",
    part_after=r" (?:por|cada una?|al d[íi]a|de cada|que (?!es\b|son\b|significa|fue\b)|anteriores|en cada)",
    persistent=r"\bsiempre\b|\ba partir de ahora\b|\bde ahora en adelante\b|\ben (?:todas tus|cada) respuestas?\b|"
    r"\bnunca\b",
    items=(
        r"(?P<asks>(?:cu[áa]les|qui[ée]nes) (?:son|ser[íi]an|fueron)(?: las| los)?(?: mejores| principales)?) "
        r"(?P<n>{n}) (?:(?:mejores|peores|mayores|principales|grandes) (?P<noun>[a-záéíóúñ]{3,20}s)|"
        r"(?P<noun2>[a-záéíóúñ]{3,20}s) (?:m[áa]s|principales|mejores|b[áa]sic|important))",
        rf"(?P<asks>\b(?:quiero(?: saber| conocer| ver| tener)?|necesito|quisiera(?: saber)?|querr[íi]a|"
        rf"me gustar[íi]an?|busco|ponme|(?:me|nos) (?:das|dices|pones|pasas)|"
        rf"(?:me )?(?:puedes|podr[íi]as|puede|podr[íi]a) (?:dar|decir|poner|pasar)(?:me|nos)?|"
        rf"tienes(?=[^.!\n]*\?))(?: una lista (?:de|con))?)"
        rf"(?P<q> al menos| exactamente| hasta| como m[áa]ximo| como m[íi]nimo)? (?P<n>{{n}}) (?:buen[ao]s |"
        rf"nuev[ao]s )?(?P<noun>{_ES_ITEM})\b",
        r"(?:dame|danos|da|dar(?:me|nos)?|lista|liste|listar|enumera|enumere|enumerar|nombra|nombre|sugiere|"
        r"sugi[eé]reme|sugerir|"
        r"prop[óo]n|propon(?:me|ga)?|menciona|mencione|cita|recomienda(?:s|me)?|recomi[eé]nda(?:me|nos)|recomendar(?:me|nos)?|recomiende|sugerir(?:me)?|dime|ponme|expl[íi]came|escr[íi]beme|c[íi]tame|mencionar|escribe|escriba|indica|"
        r"genera|genere|proporciona|proporcione|explica|describe|elabora|busca|muestra|crea|haz|"
        r"hazme)(?: una lista (?:de|con))?(?: las| los)?"
        r"(?P<q> al menos| exactamente| hasta| como m[áa]ximo| como m[íi]nimo| un m[íi]nimo de| un m[áa]ximo de)? "
        r"(?P<n>{n}) (?P<noun>[a-záéíóúñ]{3,20}s)\b",
        r"\b(?:en|con) (?P<n>{n}) (?P<noun>viñetas|puntos|vi[ñn]etas|pasos)\b",
    ),
    not_items=r"(?:palabras|oraciones|frases|p[áa]rrafos|l[íi]neas|caracteres|minutos|horas|d[íi]as|semanas|meses|"
    r"años|"
    r"p[áa]ginas|estrofas|versos|veces|euros|d[óo]lares|pesos|gramos|kilos|metros|secciones|partes|manzanas)",
    formats={
        "bulleted list": r"(?:lista (?:con|de) )?viñetas|lista (?:con|de) puntos",
        "numbered list": r"listas? (?:numeradas?|ordenadas?)",
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
    frame=r"\b(?:en|como|con|a|usa|usando|crea|crear|haz|hazme|hacer(?:me)?|genera|dame|devuelve|solo|(?:quiero|"
    r"necesito)(?= una tabla (?:comparativa|que compare|comparando|con (?:las|los|columnas)))|ponlo en|prepara|"
    r"elabora)(?: una?| formato|"
    r" forma de)? (?:[a-záéíóúñ]+ )?",
    languages=LANGUAGES,
    code=r"(?:escribe|crea|haz|hazme|dame|genera|implementa|escribir|crear)(?: me)? (?:una? )?(?:funci[óo]n|script|"
    rf"programa|c[óo]digo|consulta sql|clase)\b(?: (?:de|en) (?P<lang>{LANGUAGES})\b)?",
    forbids=r"\b(?:no (?:uses|use|utilices|utilice|incluyas|incluya|escribas|pongas|añadas|emplees|des|usar|metas|"
    r"me pongas|quiero|hagas)|nada de|evita"
    r"(?: usar)?|nunca uses|sin)(?: usar| utilizar| incluir)?(?: ning[úu]n| ninguna| el| la| las| los)? ",
    about_program=PROGRAM + r"|\b(?:funci[óo]n|programa|base de datos|mesa)\b",
)

PORTUGUESE = Lexicon(
    script=r"[a-zãõçáéíóúâêô]",
    numbers=numerals(
        "uma_única/um_único/um/uma=1 dois/duas=2 três=3 quatro=4 cinco=5 seis=6 sete=7 oito=8 nove=9 dez=10 onze=11 "
        "doze=12 quinze=15 vinte=20 trinta=30 quarenta=40 cinquenta=50 cem/centena_de=100 duzentas/duzentos=200 "
        "trezentas/trezentos=300 quinhentas/quinhentos=500 mil=1000"
    ),
    word=r" palavras?\b",
    character=r" caracteres\b",
    sentence=r"(?: curtas| breves)? (?:frases?(?! feita)|ora[çc](?:ão|ões))(?: curtas?| breves?| simples)?\b",
    paragraph=r"(?: curtos| breves)? par[áa]grafos?(?: curtos?| breves?)?\b",
    request=START
    + r"e|depois|por favor|sempre|deves?|você deve|tens de|quero que|preciso que|podes|pode|poderia|consegue|agora|"
    r"me|oi|olá|dá para|voc[êe] pode|podes|podias) )"
    r"(?:me |nos )?(?:escrev[ae]r?(?:-me)?|d[áêea](?:-me)?|dar|list[ae]r?|enumer[ae]r?|nomei[ae]|cit[ae]r?|"
    r"sugir[ae]|sugerir|"
    r"propon?h?a|"
    r"resum[ae]|resumir|expli(?:qu|c)[ae](?:-me|r)?|explicar|descrev[ae]r?|redija|respond[ae]r?|defin[ae]|us[ae]|utiliz[ae]|limit[ae](?:-se)?|"
    r"fa[çc]a|faz(?:er)?|cri[ae]r?|ger[ae]r?|mencion[ae]r?|recomend[ae]r?|indicar|dizer|di[gz]a?(?:-me)?|mand[ae]|coloqu[ae]|põe|apresent[ae]|retorne|devolv[ae]|converta|"
    r"traduz[ae]?|elabor[ae]|indiqu?[ae]|forne[çc]a|mostr[ae]|organiz[ae]|inclu[ai]|mantenha|compar[ae]r?|cont[ae](?:-me|r)?|narre|ajud[ae]|mont[ae]r?|orden[ae]r?|classifiqu[ae]|prepar[ae]r?|desenvolv[ae]|analis[ae]|(?:descrev|resum|mostr|list|compar|orden|sugir|recomend|mand)[ae]-me)\b"
    r"|\bpor favor\b|\b(?:quero|queria|preciso (?:de )?|precisava de|gostaria de) ?(?:um|uma|\d)|\b(?:a|sua|o|seu|"
    r"tua) (?:resposta|texto|"
    r"reda[çc]ão|"
    r"resumo|artigo) (?:deve|não deve|tem que|precisa)\b",
    about=r"(?:cerca de|aproximadamente|aprox\.?|por volta de|mais ou menos|em torno de|umas|uns|por a[íi]|uma|~) ?",
    at_most=r"(?:não passe d[eao]s?|que não passe de|sem passar de|m[áa]ximo(?: de)?:?|m[áa]x\.?|no m[áa]ximo|"
    r"não mais (?:de|que|do que)|menos de|at[ée]|"
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
    described=r"\b(?:que|quem|se|quando|porque|como|escrevi|escreveu|tinha|tem|cont[ée]m|foi|era|h[áa]|"
    r"li)\b(?! (?:não|tenha|seja|contenha|tenham|sejam)\b)",
    craft=r"\b(?:função|programa|senha|dicas|para (?:escrever|redigir))\b",
    explains=r"\b(?:expli(?:que|ca)(?:-me)?|explicar|diga(?:-me)?|diz(?:-me|er)?|descreva|resuma|conte|"
    r"responda) (?:para mim )?(?:brevemente )?"
    r"(?:o que|por ?qu[êe]|como|quem|quando)\b(?: (?:foi|era|h[áa]|tem)\b)?",
    composes=r"\b(?:escrev\w+|redigir|reda[çc]ão|texto)\b",
    question=r"(?:o que (?:é|são|foi|significa)|quem (?:é|foi|era)|por ?que)\b",
    reference=r"\b(?:o|a|este|esta|esse|essa|meu|minha|seu|sua|os|as|estas|estes|primeiras|primeiros)"
    r"(?: \w+(?: \w+)? de)? ",
    part=r"\b(?:t[íi]tulo|manchete|assunto|cada|por(?! qu| favor)|introdução|conclusão|slogan|(?:com|e) uma?|senha|"
    r"frases|"
    r"par[áa]grafos|"
    r"poemas|resumos|redações)\b",
    part_after=r" (?:por|cada uma?|por dia|de cada|que |acima|em cada)",
    persistent=r"\bsempre\b|\ba partir de agora\b|\bde agora em diante\b|\bem (?:todas as suas|cada|"
    r"todas as) respostas?\b|\bnunca\b",
    items=(
        r"(?P<asks>\A\W*(?:[a-zãçáéíóú]+ )?(?:quais|quem) (?:são|seriam|foram)(?: as| os)?(?: melhores| principais)?) "
        r"(?P<n>{n}) (?:(?:melhores|piores|maiores|principais|grandes) (?P<noun>[a-zãõçáéíóúâêô]{3,20}s)|"
        r"(?P<noun2>[a-zãõçáéíóúâêô]{3,20}s) (?:mais|principais|melhores|b[áa]sic|important))",
        rf"(?P<asks>\b(?:quero(?: saber| conhecer| ver)?|queria(?: saber)?|preciso de|precisava de|"
        rf"gostaria de(?: ter)?|procuro|me (?:dá|d[êe]|passa|passe|manda|mande|fala|fale|diz)|"
        rf"(?:pode|podes|podia|podias|poderia|consegue) (?:me )?(?:dar|dizer|passar|mandar)(?:-me)?|(?:tens|"
        rf"você tem)(?=[^.!\n]*\?))(?: uma lista (?:de|com))?)"
        rf"(?P<q> pelo menos| exatamente| at[ée]| no m[áa]ximo)? (?P<n>{{n}}) (?:bo[na]s |"
        rf"nov[ao]s )?(?P<noun>{_PT_ITEM})\b",
        r"(?:d[áêea](?:-me|-nos)?|me d[áêe]|dar(?:-me)?|indicar|list[ae]r?|enumer[ae]r?|nomei[ae]|cit[ae]r?|"
        r"sugir[ae]|sugerir|"
        r"propon?h?a|"
        r"mencion[ae]r?|recomend[ae]r?(?:-me)?|diga(?:-me)?|diz(?:-me)?|mand[ae]|mostr[ae]|cri[ae]|fa[çc]a|escrev[ae]r?|indiqu?[ae]|ger[ae]r?|forne[çc]a|explique|descreva|"
        r"elabore)"
        r"(?: uma lista (?:de|com))?(?: as| os)?"
        r"(?P<q> pelo menos| exatamente| at[ée]| no m[áa]ximo|"
        r" no m[íi]nimo)? (?P<n>{n}) (?P<noun>[a-zãõçáéíóúâêô]{3,20}s)\b",
        r"\b(?:em|com) (?P<n>{n}) (?P<noun>t[óo]picos|pontos|marcadores|passos)\b",
    ),
    not_items=r"(?:palavras|frases|orações|par[áa]grafos|linhas|caracteres|minutos|horas|dias|semanas|meses|anos|"
    r"p[áa]ginas|"
    r"estrofes|versos|vezes|euros|reais|gramas|quilos|metros|seções|partes|maçãs)",
    formats={
        "bulleted list": r"(?:lista com )?marcadores|lista com t[óo]picos|bullet points",
        "numbered list": r"listas? (?:numeradas?|ordenadas?)",
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
    frame=r"\b(?:em|como|com|para|numa|num|usando|use|usa|crie|cria|criar|faça|faz|fazer|gere|devolva|retorne|"
    r"(?:quero|preciso de)(?= uma tabela (?:comparativa|que compare|comparando|com (?:as|os|colunas)))|mont[ae]|"
    r"monte)(?: uma?| formato|"
    r" forma de)? (?:[a-zãõçáéíóú]+ )?",
    languages=LANGUAGES,
    code=r"(?:escreva|escreve|crie|cria|faça|gere|implemente|me d[êe]|d[êe]-me) (?:uma? )?(?:função|script|programa|"
    rf"c[óo]digo|consulta sql|classe)\b(?: (?:de|em) (?P<lang>{LANGUAGES})\b)?",
    forbids=r"\b(?:não (?:use|usa|uses|utilize|utilizes|inclua|incluas|escreva|coloque|adicione|usar|ponha|quero|"
    r"põe)|nada de|evite(?: usar)?|"
    r"nunca use|sem)(?: usar| utilizar| incluir)?(?: nenhuma?| o| a| as| os)? ",
    about_program=PROGRAM + r"|\b(?:função|programa|banco de dados|mesa)\b",
)
