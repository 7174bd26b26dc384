"""How English asks."""

from __future__ import annotations

from .lexicon import Lexicon, numerals

_VERBS = (
    "write|rewrite|give|list|name|provide|suggest|generate|create|come up with|find|recommend|share|identify|propose|"
    "brainstorm|tell|offer|compile|produce|make|think of|state|mention|describe|explain|summari[sz]e|answer|respond|"
    "reply|keep|limit|use|restrict|describe|compose|draft|craft|prepare|design|outline|discuss|compare|analy[sz]e|"
    "present|format|return|output|print|show|convert|translate|shorten|condense|paraphrase|rephrase|expand|extend|"
    "elaborate|review|define|develop|build|implement|code|complete|continue|finish|include|put|organi[sz]e|arrange|"
    "structure|display|render|extract|enumerate|introduce|pitch|highlight|start|begin|end|construct|formulate|select|"
    "choose|pick|do|ensure|aim for|try|stick to|stay|be|add|fill|invent|imagine|argue|evaluate|describe|plan|simplify|"
    "turn|transform|change|edit|combine|merge|break|sum up|help me|let me have|get me|send me|assume|act|pretend|"
    "reduce|trim|cut|avoid|say|speak|talk|pen|put together|walk me through|teach me|lay out|set out|rank|sort|"
    "map out|jot down|"
    "spell out|run through|gimme|go over"
)
_NOUN = (
    "answer|response|reply|output|essay|summary|text|story|article|result|report|post|paragraph|letter|email|poem|"
    "description|explanation|speech|review|blog|piece|word count|length|word limit|total|final \\w+|list|code|table"
)
_ITEM = (
    "examples?|ideas?|tips?|reasons?|ways?|questions?|bullet points?|bullets|points?|titles?|names?|headlines?|"
    "slogans?|taglines?|facts?|benefits?|steps?|advantages|disadvantages|pros|cons|suggestions?|items?|options?|"
    "alternatives?|strategies|recommendations?|methods?|techniques?|factors?|features?|arguments?|causes?|effects?|"
    "jokes?|riddles?|quotes?|synonyms|antonyms|books?|movies|films|songs|recipes|activities|topics|themes|"
    "differences|similarities|characteristics|lessons|habits|exercises|hashtags|captions|tweets|puns|metaphors|"
    "use cases|applications|places|destinations|hobbies|gifts?|trends|challenges|problems|solutions|key points|"
    "takeaways|adjectives|verbs|nouns|things|types|kinds|rules|goals|skills|resources|variations|versions|haikus"
)
_LANGUAGES = (
    r"python|java ?script|typescript|java|c\+\+|c#|golang|rust|ruby|php|swift|kotlin|perl|matlab|sql|bash|shell|"
    r"powershell|scala|haskell|lua|html|css|react|r"
)
_ASKING = r"(?:can|could|would|will) (?:you|u|ya)(?: please| kindly)?(?: also)?(?: \w+ly)? "

ENGLISH = Lexicon(
    script=r"[a-z]",
    numbers=numerals(
        "a_single=1 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 "
        "thirteen=13 fourteen=14 fifteen=15 twenty=20 thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 "
        "ninety=90 a_hundred/one_hundred/hundred=100 two_hundred=200 three_hundred=300 four_hundred=400 "
        "five_hundred=500 a_thousand/one_thousand=1000 one_hundred_and_fifty=150 one_hundred_fifty=150 "
        "two_hundred_and_fifty=250 a_dozen=12 twenty-five=25 seventy-five=75"
    ),
    word=r"[ -]?words?\b",
    character=r"[ -]?characters?\b",
    sentence=r"(?: (?:short|simple|complete|concise|full|long|brief|clear))?[ -]?sentences?\b",
    paragraph=r"(?: (?:short|long|brief|concise|full))?[ -]?paragraphs?\b",
    request=(
        r"(?:\A[\W\d_]{0,8}|[,;:!?(\[—–]\s{0,3}|\s-\s|\b(?:and|then|please|pls|plz|kindly|now|hey|hi|hello|ok|okay|just|also|or|but|finally|next|"
        r"so|always|first|you (?:should|must|need to|have to|will|are to|are asked to)|"
        r"(?:want|need|like|asking|ask) you to|try to|be sure to|make sure to|your (?:task|job) is to|"
        rf"{_ASKING.strip()}|let's) )(?:\w{{3,12}}ly |only |also |always |please |just |now |do not |don['’]t |"
        rf"never )?(?:{_VERBS})\b(?! by\b)"
        rf"|\b{_ASKING}|\b(?:please|pls|plz)\b|\bI(?: will|'ll)? (?:want|need|require)(?! to\b| you to \w+ how)\b"
        r"|\bI(?: would|'d|’d) like(?! to\b)\b|\bhelp me (?:to )?(?:write|make|create|come up)"
        rf"|\b(?:the|your|this)(?: \w+)? ?(?:{_NOUN}) (?:should|must|needs? to|has to|have to|is to|shall|can|may|"
        r"cannot|can't|will)\b|\A\W{0,4}it (?:should|must|needs to|has to)\b"
        r"|\b(?:should|must) not exceed\b|\bword (?:limit|count) (?:is|of)\b|\bmake sure\b|"
        r"\bI want you to\b"
    ),
    about=(
        r"(?:about|around|like|approximately|approx\.?|roughly|circa|ca\.?|nearly|some|close to|in the region of|"
        r"~|≈|more or less)(?: an?)? ?"
    ),
    at_most=(
        r"(?:no more than|not more than|at most|at the most|a? ?max(?:imum)?(?: (?:of|length|limit)(?: of)?)?:?|max\.|"
        r"under|up to|limit(?:ed)?(?: \w+){0,4}? to|within|less than|fewer than|no longer than|not be (?:longer|"
        r"more) than|not exceed(?:ing)?|"
        r"not (?:go )?over|n['’]t go (?:over|above|past)|without exceeding|not to exceed|below|shorter than|"
        r"not longer than|cap(?:ped)? (?:it )?at|"
        r"doesn't exceed|does not exceed|(?:keep|stay)(?: \w+)? (?:under|below|within|to)|restrict(?:ed)?(?: \w+)? to|"
        r"limit(?: of| is)?:?|≤|<) ?"
    ),
    at_least=(
        r"(?:at least|a? ?min(?:imum)?(?: (?:of|length)(?: of)?)?:?|min\.|no (?:less|fewer) than|not (?:less|fewer) "
        r"than|more than|over|longer than|no shorter than|≥|>|upwards of) ?"
    ),
    exactly=r"(?:exactly|precisely|just) ",
    about_after=r",? (?:or so|approximately|approx\b|more or less|roughly|give or take)",
    at_most_after=(
        r",?(?: long| in length)?,? \(?(?:or (?:less|fewer|under|below|shorter)|max(?:imum)?\b|at (?:the )?most|tops|"
        r"limit\b|or fewer)| limit\b"
    ),
    at_least_after=r",?(?: long)? (?:or (?:more|longer|above)|min(?:imum)?\b|at least|at a minimum)",
    between=r"(?:between|from) ",
    between_and=r" ?(?:and|to|-|–) ?",
    to=r" ?(?:-|–|—|to|or|~) ?",
    plain=r"(?<!list )(?<!set )(?<!vocabulary )(?<!pair )(?<!group )\b(?:in|of|into|to|be|is|using|with|using only)"
    r"(?: (?:a|an|only|just|total))? ?|\b(?:an?|exactly|one|single|short|new|creative|original|another) ",
    plain_after=r" long\b| in (?:length|total)\b| (?:on|about) \w",
    header=r"(?:word|character|sentence) (?:count|limit)|length|limit|words",
    described=(
        r"\b(?:that|which|who|whose|where|if|when|unless|because|since|although|how(?! to\b)|why|"
        r"whether|was|were|wrote|written|had|has|have|contains?|read|"
        r"says?|said|asked|told|takes?|tell me if|there (?:is|are)|limit on|what|after|until|provided with|given an?|"
        r"receive|assignment is)\b"
        r"(?! (?:is|are|should|must|does not|doesn't|has|have|be|no|at|not)\b)(?!'s\b)"
    ),
    craft=(
        r"\b(?:how to|writing|tips|guide|advice|function|script|program|regex|app|password|query|vocabulary)\b"
        r"(?! (?:is|are|should|must|does not|doesn't|has|have|be|no|at|not)\b)(?!'s\b)"
    ),
    explains=(
        r"\b(?:explain|describe|tell (?:me|us)|summari[sz]e|outline|discuss|define|clarify|say|show me|answer|know|"
        r"understand)(?: to (?:me|us|a \w+(?: \w+){0,2}))?(?: briefly| simply| quickly)?,? "
        r"(?:what|why|how|who|where|when|whether|which)\b(?: \w+ (?:is|are|was|were|has|have|had)\b)?"
        r"(?:(?: \w+){1,4}? (?:was|were|has|have|had)\b)?"
    ),
    composes=r"\b(?:writ\w+|wrote|essays?|articles?|texts?|compos\w+|express\w*|fit|type|tell a|told|paragraphs? of|"
    r"word count|how many|mistakes?|errors?)\b",
    question=r"(?:so |and |ok(?:ay)?,? )?(?:what(?:'s|’s| is| was| are)|who(?:'s|’s| is| was)|why (?:is|are|do|does|"
    r"did))\b",
    reference=(
        r"\b(?:this|that|my|the|his|her|their|following|attached|above|these|those|our|its|first|last|next|other|"
        r"same|given|every|each|per|provided)(?: (?!in\b|to\b|with\b|into\b|using\b)\w+)?(?: of)? "
    ),
    part=(
        r"\b(?:title|headline|heading|subject line|subject|each|every|per|bullet|captions?|tagline|slogan|"
        r"introduction|"
        r"intro|conclusion|meta description|hook|all \w+s|opening|quote|sentences?|section|paragraphs|steps?|items?|"
        r"(?:with|including|plus|followed by|and|then|add|as well as) an?|keywords|respectively|password|username|"
        r"names?|labels?|"
        r"descriptions|summaries|answers|responses to|tweets|poems|essays|stories|phrases?|variable|string|domain|"
        r"abstracts|lines?|chapters?)\b"
    ),
    several=r"\b(?:points?|tips|examples|ideas|reasons|questions)\b",
    part_after=(
        r" ?(?:per|each|apiece|a day|every|/|of (?:the|this|my|your)|from |in (?:the|this|my|each)|(?:that|which) |"
        r"starting|beginning|ending|with \d|above|below|ago|for each|respectively|to (?:describe|say)|"
        r"(?:title|tagline|slogan|headline|vocabulary|password|phrases|sentences|names?|introduction|intro|conclusion|"
        r"caption|hook|quotes?|answers|essays|summaries|stories|poems|paragraphs|descriptions|subject|abstracts|"
        r"long (?:title|headline))\b|in (?:spanish|french|german|english) (?:and|for)|and \d+ (?:words|sentences))"
    ),
    persistent=(
        r"\balways\b|\bfrom now on\b|\b(?:every|each|all)(?: of)?(?: your| the| my| future)? (?:answers?|repl(?:y|"
        r"ies)|responses?)\b|\b(?:in|for) (?:every|each|all)(?: of)?(?: (?:your|the|my|future))? ?(?:\w+ )?"
        r"(?:answers?|repl(?:y|ies)|responses?|messages?|questions?)\b|\bgoing forward\b|\bevery time\b|"
        r"\bhenceforth\b|"
        r"\bthroughout (?:this|our) (?:chat|conversation)\b|\bwhenever you\b|\bnever\b"
    ),
    items=(
        rf"(?P<asks>\A\W*(?:\w+ )?what are)(?: the| some)?(?: top| best| key| main)?(?P<q> at least| up to| exactly|"
        rf" at most)? "
        rf"(?P<n>{{n}})(?: [a-z][a-z'-]{{1,20}}){{0,2}}? (?P<noun>{_ITEM})\b",
        r"(?P<asks>\A\W*(?:\w+ )?(?:what|which|who) are(?: the)?(?: top| best)?) (?P<n>{n})(?: most \w+| \w+est|"
        r" best| top| main| key| biggest| major| greatest| essential| important| good| great| common| popular){1,2}"
        r"(?: [a-z][a-z'-]{1,20}){0,2}? (?P<noun>[a-z]{3,20}(?<!ss)(?<!us)(?<!is)s|people|children|criteria)\b",
        rf"(?P<asks>\b(?:do you have|have you got|(?:i'm|i am|we're|we are) looking for|(?:i'd|i would|we'd|we would) "
        rf"(?:like|love)|i want|i need|i could use|gimme)(?: any)?)(?P<q> at least| up to| exactly| at most)? "
        rf"(?P<n>{{n}})(?: [a-z][a-z'-]{{1,20}}){{0,2}}? (?P<noun>(?!questions?\b)(?:{_ITEM}))(?: to (?!me\b)\w+|"
        rf" for| about| on| of| that|"
        rf" against|[.?!,]|\Z)",
        r"(?P<asks>\A\W*(?:\w+ )?which) (?P<n>{n})(?: [a-z][a-z'-]{1,20}){0,2}? "
        r"(?P<noun>[a-z]{3,20}(?<!ss)(?<!us)(?<!is)s)\b"
        r"(?=[^.?!\n]{0,60}? (?:should (?:i|we|one|everyone)|would you|do you (?:recommend|suggest))\b)",
        r"\bin (?P<n>{n}) (?:easy |simple |short |quick |clear |key )?(?P<noun>steps|points|bullets|tips)\b",
        rf"(?:give|list|name|provide|suggest|recommend|share|brainstorm|come up with|think of|propose|enumerate|"
        rf"identify|tell|offer|mention|state|{_ASKING}\w+)(?: me| us)?(?: with)?(?: a list of| a list with)?"
        r"(?: the| some| my)?(?: (?:top|best|first))?(?P<q> at least| up to| exactly| at most| a minimum of|"
        r" a maximum of| no more than| only| around| about)? (?P<n>{n})"
        r"(?: [a-z][a-z'-]{1,20}){0,3}? (?P<noun>[a-z]{3,20}(?<!ss)(?<!us)(?<!is)s|people|children|criteria|haiku)\b",
        rf"(?:write|create|make|find|generate|describe|explain|compile|produce|draft|discuss|include|"
        rf"need|want|list of)(?: me| us| it)?(?: a list of| a list with)?(?: the| my)?"
        rf"(?: (?:top|best|key|main))?(?P<q> at least| up to| exactly| at most| a minimum of| a maximum of|"
        rf" no more than| only)? (?P<n>{{n}})(?: [a-z][a-z'-]{{1,20}}){{0,2}}? (?P<noun>{_ITEM})\b(?! (?:answered|"
        rf"solved|fixed)\b)",
        r"(?P<q>at least|up to|exactly|at most|a minimum of|a maximum of|no more than|only)? ?(?P<n>{n}) "
        r"(?:[a-z]{2,12} )?(?P<noun>bullet points?|bullets|numbered points)\b",
        r"(?:a|the) (?:top )?(?P<n>{n})[ -](?:item|point|step)[ -](?P<noun>list|plan|guide|checklist)\b",
    ),
    not_items=(
        r"(?:words?|sentences?|paragraphs?|lines|characters|letters|minutes|hours|days|weeks|months|years|seconds|"
        r"dollars|pages|stanzas|verses|percent|times|miles|digits|syllables|this|its|was|has|parts|sections|cups|"
        r"grams|euros|pounds|meters|chapters|columns|rows|bytes|bits|apples|oranges|does|goes|is|always|also|days'|"
        r"acts|scenes|numbers|does|news|plus|less|series|cents|degrees|decimals|places of|classes|functions|methods|"
        r"servings|inches|feet|friends|others)"
    ),
    formats={
        "bulleted list": r"bullet(?:ed)?[ -]?points?(?: list| form| format)?|bullet(?:ed)? (?:lists?|form|format)|"
        r"bullets",
        "numbered list": r"(?:numbered|ordered) (?:lists?|points|bullets)",
        "list": r"(?<=\bas a )list|(?<=\bin a )list|(?<=\binto a )list|list (?:form|format)|lists",
        "table": r"tables?(?: form| format)?|tabular (?:form|format)|markdown tables?",
        "json": r"(?:valid |a single |raw |pure )?json(?: format| object| array| form| string)?",
        "html": r"html(?: format| code)?",
        "csv": r"csv(?: format)?",
        "yaml": r"yaml(?: format)?",
        "xml": r"xml(?: format)?",
        "plain text": r"plain[ -]?text",
        "markdown": r"markdown(?: formatting| syntax)?",
        "emojis": r"emojis?|emoticons?",
        "code": r"(?:any )?(?:source )?code(?: blocks?| snippets?| examples?)?",
    },
    frame=(
        r"\b(?:in|as|into|to|using|use|with|return|output|respond with|reply with|answer with|only|just|create|make|"
        r"draw|"
        r"generate|give me|provide(?: me with)?|produce|write|build|valid|(?:want|need|"
        r"like)(?= an? (?:\w+ )?table (?:comparing|contrasting|showing|listing|summari|"
        r"with (?:the )?columns)))(?: me| us)?(?: only| just)?(?: an?|"
        r" your answers? in)? ?"
        r"(?:(?!this|that|the|each|every|all|any|periodic)[a-z-]{3,14} )?"
    ),
    languages=_LANGUAGES,
    code=(
        rf"\b(?:write|implement|create|generate|give me|provide|develop|make|show me|build)(?: me)?(?: (?:a|an|the|"
        rf"some|simple|short|complete|basic|single|sample|example|recursive|full|working|small|new|following))*"
        rf" (?:(?P<lang>{_LANGUAGES}) (?:function|script|program|code|class|method|query)|function|code|sql query|"
        rf"regex|regular expression|program (?=that|to|which|in)|(?:script|class|method|query|"
        rf"program) (?=in (?:{_LANGUAGES})\b))"
        rf"\b(?:(?: \w+){{0,8}}? ?\b(?:in|using) (?P<lang2>{_LANGUAGES})\b)?"
    ),
    forbids=(
        r"\b(?:do not|don't|don’t|never|must not|mustn't|should not|shouldn't|cannot|avoid|refrain from|not)"
        r" (?:use|using|include|including|add|adding|write|writing|output|return|provide|give|produce|contain|insert|"
        r"put|"
        r"show|employ|format(?:ting)?(?: \w+)? (?:as|in|with)|present(?: \w+)? (?:as|in)|respond (?:in|with)|"
        r"answer (?:in|with))(?: \w+ (?:in|as|with))?(?: any| an?| the| me)? ?"
        r"|\b(?:avoid|skip|leave out|omit|drop)(?: any| the| all)? |\bwithout (?:using |including |any |writing |"
        r"adding )*"
        r"|(?:\A\W{0,6}|[,;(—]\s?|\b(?:and|but|with|please|use|contain|include) )no (?!-)"
    ),
    about_program=(
        r"\b(?:functions?|scripts?|programs?|api|app|apps|class|method|endpoint|library|parser|sql|"
        r"difference between (?:\w+ ){0,3}?(?:json|xml|html|csv|yaml|markdown|tables?|lists?)|database|"
        r"(?-i:CREATE TABLE)|latex|excel|spreadsheet|react|component|schema|restaurant|dinner|wood(?:en)?|coffee table|"
        r"parse|pandas|"
        r"dataframe)\b"
    ),
)
