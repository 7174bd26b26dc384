"""Whose words does a task ask for? What an answer says in somebody else's voice, it does not say itself.

Reads the task only, in eleven languages: a message to write, a role to play, a text to translate, quote or continue.
It errs towards a voice: the detectors that ask then hint where they would have been certain.
"""

from __future__ import annotations

import re

from .patterns import Lazy

_READ = 6_000  # characters of the task's start and end that are read
_WRITE = (
    r"\b(?:re)?writ(?:e|ing|ten)\b|\bdraft|\bcompos(?:e|ing)\b|\bcraft\b|\bcreat(?:e|ing)\b|\bmake\b|\bgenerate|"
    r"\bgive me\b|\bneed\b|\bwant\b|\bprepare\b|\bsuggest|\bimprove|\bproofread|\bpolish\b|\bedit\b|\bcorrect\b|"
    r"\bshorten|\bsay\b|\bhelp me\b|\bsend\b|\bturn\b|\bcome up\b|\bpen\b|\bdesign|\bproduce\b|\bexample|\btemplate|"
    r"\b(?:re)?escrib|\bredact|\bcrea\b|\bhaz\b|\bdame\b|\bnecesito|\bquiero|\bgenera\b|\bprepara|\bmejora|\bcorrige|"
    r"\b(?:r[ée])?[ée]cri[stv]|\br[ée]dige|\bcr[ée]e|\bfais\b|\bfaites\b|\bdonne|\bbesoin|\bveux\b|\bvoudrais|"
    r"\bpr[ée]pare|\bschreib|\bverfass|\bformulier|\berstell|\bentwirf|\bgib\b|\bbrauche|\bmach|"
    r"\b(?:re)?escrev|\bredij|\bcrie\b|\bfaça|\bpreciso|\bquero|\belabore|\bgere\b|"
    r"\b(?:ri)?scriv|\bredigi|\bfammi|\bdammi|\bho bisogno|\bvorrei|"
    r"書|作成|作っ|考えて|写|寫|拟|擬|撰|起草|生成|编|써|쓰|작성|만들|적어|लिख|बना|तैयार|اكتب|أكتب|كتابة|صياغ|صغ|أنشئ|"
    r"أريد|أحتاج"
)
# What is said to somebody: greetings, thanks and offers belong to it.
_MESSAGE = (
    r"\b(?:messages?|repl(?:y|ies)|responses?\b(?! time| to (?:the|this|my) question)|answers? to (?:a|an|"
    r"my) (?!question)|"
    r"e-?mails?|letters?|posts?\b|tweets?|captions?|greetings?|closings?|speech(?:es)?|toasts?|invit(?:e|ation)s?|"
    r"thank[- ]?you|thanks|dialogues?|conversations?|scripts?|chatbots?|announcements?|newsletters?|cards?|"
    r"sms|dms?|whatsapp|texts?\b(?= (?:to|for|message))|replying|respond(?:ing)? to|welcomes?|farewells?|"
    r"apolog(?:y|ies)|out[- ]of[- ]office|voicemail|sign-?offs?|outros?|intros?|notes? (?:to|for)|"
    r"complaints?|customers?|clients?|support|testimonials?|reviews?|bios?|profiles?|ads?|adverts?|flyers?|"
    r"cover letters?|pitch|banners?|faqs?|landing page|websites?|copy)\b"
    r"|mensaje|respuesta|correo|carta\b|publicaci[óo]n|saludo|despedida|discurso|invitaci[óo]n|agradecimiento|"
    r"di[áa]logo|guion|gui[óo]n|conversaci[óo]n|felicitaci[óo]n|bienvenida|disculpa|cliente|brindis|anuncio"
    r"|\bmessage|r[ée]ponse|courriel|\bmail\b|lettre|publication|salutation|discours|invitation|remerciement|dialogue|"
    r"sc[ée]nario|\bscript|accueil|excuse|client|annonce|carte"
    r"|nachricht|antwort(?:e)? auf|antwort an|kunde|e-?mail|\bbrief|beitrag|begrüßung|gruß|grüße|schluss|rede\b|"
    r"einladung|dank|dialog|drehbuch|gespräch|entschuldigung|anzeige|glückwunsch|willkommen|karte"
    r"|mensagem|resposta|convite|sauda[çc][ãa]o|discurso|agradecimento|roteiro|conversa|boas-vindas|desculpas|an[úu]ncio"
    r"|messaggio|risposta|\bmail|lettera|saluto|saluti|discorso|invito|ringraziamento|dialogo|copione|conversazione|"
    r"benvenuto|scuse|annuncio|augur"
    r"|メッセージ|返信|返事|メール|手紙|投稿|挨拶|あいさつ|スピーチ|招待|お礼|感謝|会話|台本|案内|お詫び|謝罪|レター"
    r"|消息|短信|回复|回覆|邮件|郵件|电邮|信件|一封信|帖子|文案|问候|問候|结束语|開場|开场|演讲|演講|致辞|邀请|邀請|"
    r"感谢信|感謝信|对话|對話|剧本|劇本|欢迎|歡迎|道歉|客户|客戶|公告|祝福|通知"
    r"|메시지|답장|답변(?:서)?을? (?:작성|써)|이메일|메일|편지|게시|인사|연설|초대|감사|대화|대본|문자|사과|안내|공지"
    r"|संदेश|मैसेज|जवाब लिख|उत्तर लिख|ईमेल|पत्र|पोस्ट|अभिवादन|भाषण|निमंत्रण|आमंत्रण|धन्यवाद|संवाद|पटकथा|स्वागत|माफ़ी|ग्राहक"
    r"|رسالة|رسائل|ردا|رد على|رداً|ردًا|بريد|إيميل|منشور|تحية|ختام|خطاب|كلمة|دعوة|شكر|حوار|سيناريو|ترحيب|اعتذار|"
    r"عميل|عملاء|إعلان"
)  # fmt: skip
# A text that speaks as somebody: a person in a story, the user, whoever is quoted or played.
_SOMEBODY = (
    r"\b(?:stor(?:y|ies)|tales?|poems?|poetry|verses?|lyrics|songs?|raps?|haikus?|limericks?|sonnets?|novels?|"
    r"fiction|scenes?|plays?\b(?= |$)|monologues?|diary|journal entry|memoirs?|skits?|sketch(?:es)?|jokes?|"
    r"bios?|biograph\w+|about me|about page|about us|profiles?|first[- ]person|persona|personal statement|"
    r"characters?|role-?play\w*|opening lines?|first lines?|comics?|screenplay|fan ?fic\w*|taglines?|"
    r"slogans?|excuses?|eulog\w+|vows?|quotes?|quotations?|(?:a|example|sample) sentences?)\b"
    r"|cuento|relato|historia|poema|poes[íi]a|letra|canci[óo]n|novela|escena|mon[óo]logo|diario|chiste|biograf|"
    r"sobre m[íi]|perfil|personaje|eslogan|excusa|frase|cita\b"
    r"|histoire|conte\b|r[ée]cit|po[èe]me|po[ée]sie|paroles|chanson|roman\b|sc[èe]ne|monologue|journal intime|blague|"
    r"biographi|propos de moi|profil|personnage|slogan|phrase|citation"
    r"|geschichte|erzählung|gedicht|liedtext|\blied\b|roman\b|szene|monolog|tagebuch|witz|biogra|über mich|profil|"
    r"steckbrief|figur|slogan|ausrede|satz|zitat"
    r"|hist[óo]ria|conto\b|poema|poesia|letra|m[úu]sica|can[çc][ãa]o|romance|cena\b|mon[óo]logo|di[áa]rio|piada|"
    r"sobre mim|perfil|personagem|slogan|desculpa|frase|cita[çc][ãa]o"
    r"|storia|racconto|fiaba|poesia|testo di|canzone|romanzo|scena|monologo|diario|barzelletta|biogra|su di me|"
    r"profilo|personaggio|slogan|scusa|frase|citazione"
    r"|物語|小説|詩|俳句|歌詞|セリフ|台詞|独白|日記|冗談|自己紹介|プロフィール|登場人物|一文|引用"
    r"|故事|小说|小說|诗|詩|歌词|歌詞|台词|台詞|独白|獨白|日记|日記|笑话|笑話|自我介绍|自我介紹|简介|簡介|个人资料|"
    r"人物|句子|引用|名言"
    r"|이야기|소설|시를|시 한|가사|노래|장면|독백|일기|농담|자기소개|프로필|등장인물|문장|인용|명언"
    r"|कहानी|कविता|गीत|गाना|उपन्यास|दृश्य|एकालाप|डायरी|चुटकुला|परिचय|प्रोफ़ाइल|प्रोफाइल|बायो|पात्र|वाक्य|उद्धरण"
    r"|قصة|قصيدة|شعر|كلمات أغنية|أغنية|رواية|مشهد|مونولوج|يوميات|نكتة|سيرة|نبذة|ملف شخصي|الملف الشخصي|شخصية|"
    r"جملة|اقتباس"
)  # fmt: skip
# Prose that may speak of "I" as well, but hardly declines.
_PROSE = (
    r"\b(?:résumé|resume|cv|essays?|blogs?|articles?|sentences?|summar\w+|reviews?|testimonials?)\b"
    r"|ensayo|art[íi]culo|r[ée]daction|aufsatz|artikel|reda[çc][ãa]o|artigo|\btema\b|articolo|作文|文章|記事|에세이|기사|"
    r"निबंध|लेख|مقال"
)
_VERSE = (
    r"\b(?:poems?|poetry|verses?|lyrics|songs?|raps?|haikus?|limericks?|sonnets?|titles?|headlines?|headings?|slogans?|"
    r"taglines?|phrases?|names?)\b|poema|poes[íi]a|letra|canci[óo]n|t[íi]tulo|eslogan|po[èe]me|paroles|chanson|titre|slogan|"
    r"gedicht|liedtext|titel|überschrift|m[úu]sica|canzone|titolo|詩|俳句|歌詞|タイトル|题目|標題|标题|诗|歌词|시를|"
    r"가사|제목|कविता|गीत|शीर्षक|قصيدة|شعر|أغنية|عنوان"
)
_ROLE = (
    r"\brole-?play|\bpretend|\bact (?:as|like)|\bimagine (?:you|that you|being)|\bplay (?:the (?:role|part)|a |an )|"
    r"\bas if you|\bin character|\bimpersonat|\bspeak as|\btalk like|\bwrite as|\byou(?:'re|"
    r" are) (?!an? (?:[\w-]+,? ){0,3}"
    r"(?:ai|assistant|model|chatbot|bot)\b)(?:now )?(?:an?|the|my|called|named|[A-Z]\w+)\b|"
    r"\byour name is|\bas an? (?!ai\b)\w+(?: \w+)?,? for my|\bfor my (?:profile|page|site|website|bio|blog)|"
    r"act[úu]a como|finge|haz de|imagina que eres|eres (?:un|una|el|la)\b(?! (?:bot|robot|ia|m[áa]quina))|"
    r"joue le r[ôo]le|fais semblant|imagine que tu|tu es (?:un|une|le|la)\b(?! (?:bot|robot|ia|machine|vrai))|"
    r"spiel(?:e)? (?:die|eine|den|einen) |tu so|stell dir vor|in der rolle|du bist (?:ein|eine|der|"
    r"die)\b(?! (?:bot|roboter|"
    r"ki|mensch|maschine))|finja|aja como|atue como|imagine que voc[êe]|voc[êe] [ée] (?:um|uma|o|a)\b(?! (?:bot|"
    r"rob[ôo]|"
    r"ia|m[áa]quina|humano|pessoa))|fai finta|recita|immagina di|comportati come|"
    r"ふりを|役を|役に(?!立)|なりきって|演じ|ロールプレイ|扮演|假装|假裝|想象你是|想像你是|角色|역할|인 척|처럼 행동|"
    r"भूमिका|नाटक कर|अभिनय|किरदार|कल्पना|मान लो|تظاهر|تقمص|تخيل|العب دور|دور "
)
_RENDER = (
    r"\btranslat|\bparaphras|\brephras|\brewrit|\breword|\bproofread|\bcorrect (?:the|this|my|these)|\bquot(?:e|"
    r"ing|ation)|"
    r"\brecite|\btranscri|\brepeat|\bsummari[sz]e|\bwhat did\b|\bwhat does .{1,40} say|\bfix (?:the|my|this)|"
    r"\btradu[czi]|\breescrib|\bparafrase|\bcorrig|\bcita\b|\brepite|\btradui|\breformul|\br[ée][ée]cri|\brecopie|\bcite\b|"
    r"\bcitez|\br[ée]p[èe]te|übersetz|umschreib|umformulier|korrigier|zitier|wiederhol|\breescrev|\bcite\b|\brepita|"
    r"\briscriv|\bcorregg|\bcita|\bripeti|翻訳|訳し|書き換え|言い換え|引用|繰り返|翻译|翻譯|译成|改写|改寫|润色|引用|"
    r"重复|번역|다시 써|바꿔 써|고쳐|인용|반복|अनुवाद|दोबारा लिख|फिर से लिख|सुधार|उद्धृत|दोहरा|ترجم|ترجمة|أعد صياغة|صحح|"
    r"اقتبس|كرر"
)
_CONTINUE = (
    r"\bcontinu|\bcomplet(?:e|ing)\b|\bfinish\b|\bfill in|\bnext (?:word|line|sentence)|\bfragment|\bhalf of|"
    r"\b(?:first|opening|last) (?:\w+ )?(?:line|words?|half|sentence)|\bbeginning of|\bautocomplete|"
    r"\bstarters?\b|\bstem\b|"
    r"\bcut off|\bincomplete|\bunfinished|"
    r"\bcontin[úu]|\bcompleta|\btermina|\bsigue\b|\brellena|\bprimera (?:l[íi]nea|frase)|\bfragmento|"
    r"\bpoursui|\bcompl[èe]te|\btermine|\bpremi[èe]re (?:phrase|ligne)|\bremplis|"
    r"vervollständig|fortsetz|setze? .{1,40} fort|ergänz|weiterschreib|schreib(?:e)? weiter|beende|"
    r"ersten? (?:satz|zeile)|"
    r"satzanfang|\bprimeira (?:linha|frase)|\btermine|\bprima (?:riga|frase)|\bfinisci|\bprosegui|"
    r"続き|続け|完成させ|最初の一文|冒頭|续写|續寫|接着|接下去|补全|補全|完成(?:句|下面|这)|填空|第一句|开头|"
    r"이어서|이어 써|완성|첫 문장|빈칸|पूरा कर|जारी रख|आगे लिख|पहली पंक्ति|أكمل|اكمل|تابع|استمر|أول سطر|الجملة الأولى"
)
_REFUSING = Lazy(
    r"refus|declin|reject|\bsay(?:ing)? no\b|turn(?:ing)? down|\bcan't|\bcannot|\bunable|apolog|sorry|excuse|"
    r"\bAIs?\b|robot|"
    r"chatbot|assistant|rechaz|neg(?:ar|ativa|arse)|disculp|refuser|excus|décliner|ablehn|absag|entschuldig|weiger|recus|"
    r"desculp|rifiut|scus|断|拒|謝|抱歉|道歉|거절|사과|इनकार|मना|माफ|رفض|اعتذار|اعتذر|\b[ik]a\b|\bki\b",
    re.IGNORECASE,
)
_FLAGS = re.IGNORECASE
_WRITES, _SAYS_TO = Lazy(_WRITE, _FLAGS), Lazy(_MESSAGE, _FLAGS)
_PERSON, _IN_PROSE, _IN_VERSE = Lazy(_SOMEBODY, _FLAGS), Lazy(_PROSE, _FLAGS), Lazy(_VERSE, _FLAGS)
_PLAYS, _RENDERS, _CONTINUES = Lazy(_ROLE, _FLAGS), Lazy(_RENDER, _FLAGS), Lazy(_CONTINUE, _FLAGS)
_HOW_TO_SAY = Lazy(
    r"\b(?:what|how) (?:do|should|can|could|would) (?:I|we|you) (?:say|reply|respond|answer|write|greet|text)\b",
    _FLAGS,
)
_LIMITS = Lazy(
    r"\b(?:only|do not|don't|never|must not|refuse|decline|politely|no|not allowed|outside|solo|nunca|jam[áa]s|nur|nie|"
    r"niemals|kein\w*|ne|jamais|uniquement|apenas|somente|mai|soltanto)\b|のみ|だけ|しないで|断|只|不要|拒|만 |"
    r"거절|केवल|मत|"
    r"فقط|لا ",
    _FLAGS,
)
_SHORT = 60  # characters of a task that is a mere title: "Bio for dating app"


def asks_for_a_message(asked: str) -> bool:
    """Whether the task is to write something to somebody: a reply, a post, a greeting, a speech, a dialogue."""
    task = _task(asked)
    if not task:
        return False
    if _has(task, _HOW_TO_SAY, _PLAYS, _CONTINUES):
        return True
    return _has(task, _SAYS_TO) and (len(task) <= _SHORT or _has(task, _WRITES))


def asks_for_a_voice(asked: str) -> bool:
    """Whether what the answer says may be somebody else's words: a text to write, a role, a text to translate."""
    task = _task(asked)
    return _has(task, _PLAYS, _PERSON, _RENDERS, _IN_PROSE, _CONTINUES) or asks_for_a_message(asked)


def may_ask_for_a_refusal(asked: str, *, by_the_assistant: bool) -> bool:
    """Whether a refusal may be what the task wants somebody to say.

    One that speaks of a request and of being an assistant is a character's only where the task speaks of such things.
    """
    task = _task(asked)
    if not task:
        return False
    if _has(task, _PLAYS, _CONTINUES):
        return True
    if by_the_assistant and not _has(task, _REFUSING):
        return False
    return _has(task, _RENDERS, _PERSON, _HOW_TO_SAY) or (_has(task, _SAYS_TO) and _has(task, _WRITES))


def sets_limits(system_prompt: str) -> bool:
    """Whether a system prompt forbids something, so that declining may be what it asks for."""
    return _has(_task(system_prompt), _LIMITS)


def asks_for_a_fragment(asked: str) -> bool:
    """Whether an answer may rightly end in the middle of a sentence."""
    task = _task(asked)
    if not task:
        return False
    if _has(task, _CONTINUES, _IN_VERSE):
        return True
    # A text that breaks off is translated into one that does.
    return _has(task, _RENDERS) and task.rstrip("\"'”’»)]」』` \n")[-1:].isalpha()


def asks_for_rendering(asked: str) -> bool:
    """Whether the answer is a text of the task's own in other words."""
    return _has(_task(asked), _RENDERS)


def _has(task: str, *patterns: Lazy) -> bool:
    """Whether one of the patterns is in the task; they are compiled one by one, as far as needed."""
    return bool(task) and any(pattern().search(task) for pattern in patterns)


def _task(asked: str) -> str:
    asked = asked.strip().replace("’", "'")
    return asked if len(asked) <= _READ else f"{asked[: _READ // 2]}\n{asked[-_READ // 2 :]}"
