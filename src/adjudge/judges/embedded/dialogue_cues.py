"""What people say when they thank, refuse, correct or complain: phrases, and nothing but data.

English first, with the commonest forms of a dozen other languages where a phrase is unmistakable. A language that is
not here has none of them, so they speak neither for nor against it. `|` in a phrase is the edge of a sentence.
"""

from __future__ import annotations

from .phrases import Cue

THANKS = Cue("""
    thank, thanks, thank you, thankyou, thx, appreciate, appreciated, cheers, much obliged, gracias, merci, danke,
    vielen dank, obrigado, obrigada, grazie, bedankt, dank je, dank u, dziękuję, dzięki, спасибо, благодарю, дякую,
    teşekkürler, teşekkür ederim, tack, takk, tak for, kiitos, ευχαριστώ, děkuji, köszönöm, 谢谢, 謝謝, 感谢, 感謝,
    ありがとう, 감사합니다, 고마워, 감사, شكرا, شكراً, धन्यवाद, ขอบคุณ, cảm ơn, terima kasih, תודה
""")

DONE = Cue("""
    that's all, that is all, that was all, that will be all, that'll be all, that would be all, that's it, that is it,
    that will be it, that'll be it, that's everything, that is everything, all i need, all i needed, everything i need,
    everything i needed, that should do it, that'll do, that will do, that does it, nothing else, all set, i'm good,
    i am good, no more questions, i'm done, i am done, no that's fine, no further, eso es todo, es todo, nada más,
    c'est tout, das ist alles, das war's, das wars, é só isso, isso é tudo, è tutto, dat is alles, to wszystko,
    это всё, это все, 没有了, 就这些, 以上です, 大丈夫です, 됐습니다, هذا كل شيء, बस इतना
""")

FAREWELL = Cue("""
    bye, goodbye, good bye, have a good, have a great, have a nice, have a wonderful, have a lovely, take care,
    farewell, see you, catch you later, talk to you later, good night, enjoy your, enjoy the, you too, adiós,
    hasta luego, au revoir, auf wiedersehen, tschüss, adeus, tchau, arrivederci, ciao, tot ziens, до свидания, 再见,
    再見, さようなら, 안녕히, مع السلامة, अलविदा
""")

PRAISE = Cue("""
    great, perfect, awesome, excellent, wonderful, fantastic, amazing, brilliant, lovely, sounds good, sounds nice,
    sounds fun, sounds interesting, very helpful, so helpful, really helpful, most helpful, good job, good work,
    well done, works for me, that works, that's right, that is right, exactly, nice, cool, love, loved, superb,
    perfecto, genial, excelente, parfait, super, perfekt, wunderbar, toll, ótimo, perfeito, perfetto, ottimo, geweldig,
    świetnie, doskonale, отлично, прекрасно, harika, mükemmel, 太好了, 很好, 完美, 素晴らしい, 完璧, 좋아요, 완벽,
    ممتاز, رائع, बहुत अच्छा, बढ़िया
""")

SERVED_WELL = Cue("""
    very helpful, so helpful, really helpful, extremely helpful, most helpful, you've been great, you have been great,
    you've been helpful, been a great help, been a big help, great help, big help, helped so much, helped a lot,
    great job, good job, great work, good work, well done, answered all my questions, just what i needed,
    exactly what i needed, exactly what i wanted, exactly what i was looking for, just what i was looking for,
    | perfect, that's perfect, that is perfect, sounds perfect, | excellent |, you're the best, you are the best,
    couldn't be better, thank you so much, thanks so much, thank you very much, muchas gracias, merci beaucoup,
    vielen dank, muito obrigado, grazie mille, hartelijk dank, большое спасибо, 非常感谢, ありがとうございました,
    정말 감사합니다
""")

CORRECTION = Cue("""
    i meant, i did mean, i mean the, i said, i already said, i already told, i told you, as i said, like i said,
    i asked, that's not, that is not what, not what i, that's wrong, that is wrong, that's incorrect,
    you misunderstood, you didn't, you did not, i didn't ask, i did not ask, i didn't say, i did not say, i wanted,
    are you sure, check again, try again, look again, | no i need, | no i want, | no it needs, | no it has to,
    | no make it, | no not, | wait, | pardon, | actually no, instead, | no i would, | no i'd, quise decir,
    no es lo que, eso no es, je voulais dire, ce n'est pas, ich meinte, das ist nicht, das stimmt nicht, eu quis dizer,
    não é isso, intendevo, non è quello, ik bedoelde, dat klopt niet, я имел в виду, я имела в виду, не то, 不是这个,
    我是说, 我的意思是, そうじゃな, 違います, 그게 아니, 아니요 제, ليس هذا, मेरा मतलब
""")

FRUSTRATION = Cue("""
    this is frustrating, so frustrating, i'm frustrated, this is confusing, really confusing, so confusing,
    i'm annoyed, this is annoying, this is ridiculous, that's ridiculous, this is useless, you are useless,
    you're useless, terrible service, i'm disappointed, that's disappointing, waste of time, wasting my time,
    not helpful, unhelpful, doesn't help, does not help, makes no sense, doesn't make sense, what the hell, wtf,
    are you kidding, forget it, never mind, nevermind, at this point, i give up, unacceptable, i'll call,
    speak to a human, talk to a human, a real person, a human agent, that's too bad, that is too bad,
    that's unfortunate, third time, how many times, not good enough, es inútil, qué ridículo, es frustrante,
    c'est ridicule, c'est nul, das ist nutzlos, lächerlich, enttäuscht, è ridicolo, waardeloos, бесполезно, 没用, 太差,
    生气, 失望, 役に立たない, がっかり, 짜증, 실망, बेकार
""")

NO = Cue("""
    | no, | nope, | nah, haven't, have not, | never, don't know, do not know, not sure, can't think, can't remember,
    don't remember, no idea, don't really, never heard, never seen, not really, | i don't think so, i'd rather not,
    | nein, | non, | não, | nee, | nie, | нет, | hayır, | 不, | 没, 没有, いいえ, 아니요, | لا, | नहीं, no sé,
    je ne sais, ich weiß nicht, não sei, non lo so, weet niet, не знаю, 不知道, 分かりません, わかりません, 모르겠
""")

REFUSAL = Cue("""
    unable, couldn't, could not, wasn't able, was not able, weren't able, not able to, i can't, i cannot, we can't,
    we cannot, can't find, cannot find, can't book, cannot book, can't do, cannot do, not available, isn't available,
    unavailable, unsuccessful, not successful, wasn't successful, failed, no results, no result, no matches, no match,
    no such, nothing matching, nothing available, none available, don't have any, do not have any, doesn't have any,
    there are no, there is no, there were no, there was no, there aren't any, there isn't any, there aren't,
    there isn't, no longer available, fully booked, booked up, sold out, all booked, don't see any, do not see any,
    did not find, didn't find, don't find, do not find, don't show, doesn't appear, not possible, impossible,
    technical problems, technical difficulties, system is down, currently down, doesn't match, don't match,
    no listings, nothing in, i don't know, i do not know, i'm not sure, not that i know, no puedo, no hay,
    no encuentro, no disponible, je ne peux pas, il n'y a pas, n'est pas disponible, pas possible, kann nicht,
    nicht verfügbar, nicht möglich, keine ergebnisse, leider nicht, leider kein, leider keine, não posso, não há,
    não encontrei, indisponível, non posso, non c'è, non ci sono, non disponibile, niet beschikbaar, kan niet,
    nie mogę, niedostępne, не могу, недоступно, к сожалению, нет в наличии, maalesef, 无法, 無法, 没有找到, 不能, 抱歉,
    できません, ございません, 見つかりません, 申し訳, 없습니다, 불가능, لا يمكن, لا يوجد, غير متاح, नहीं कर सकते,
    उपलब्ध नहीं
""")

DENIAL = Cue("""
    | no, | nope, does not, doesn't, do not, don't, isn't, is not, aren't, are not, unfortunately, i'm afraid, sorry,
    | nein, | non, | não, | nee, | нет, | いいえ, | 不, | 没有, | 아니요, | لا, | नहीं, lo siento, leider, désolé
""")

APOLOGY = Cue("""
    sorry, apologize, apologise, apologies, my apologies, unfortunately, i'm afraid, my mistake, my bad, pardon,
    lo siento, perdón, disculpe, désolé, désolée, entschuldigung, es tut mir leid, tut mir leid, leider, desculpe,
    sinto muito, mi dispiace, scusi, sorry voor, het spijt me, przepraszam, извините, простите, к сожалению, üzgünüm,
    抱歉, 对不起, 對不起, 不好意思, 申し訳, すみません, 죄송, آسف, عذرا, खेद, माफ़
""")

SUCCESS = Cue("""
    reference number, reference is, reference no, ref number, confirmation number, confirmation code, booked,
    is booked, booking was successful, was successful, successfully, confirmed, reserved, reservation is,
    reservation has been, purchased, your order, has been sent, i have sent, have been made, has been made,
    is scheduled, was scheduled, has been scheduled, all taken care, taken care of, it's done, | done, i found,
    here is, here are, here's, reservado, reservada, confirmado, réservé, réservation est, gebucht, reserviert,
    bestätigt, prenotato, geboekt, забронирован, забронировано, подтверждено, 预订成功, 已预订, 已为您, 予約しました,
    予約が完了, 예약되었, 예약이 완료, تم الحجز, बुक हो
""")

COURTESY = Cue("""
    please, thank, thanks, thank you, welcome, you're welcome, happy to, glad, my pleasure, pleasure, certainly,
    of course, sure, absolutely, gladly, no problem, enjoy your, enjoy the, have a great, have a good, have a nice,
    have a wonderful, hello, hi, good morning, good afternoon, would be happy, i'd be happy, i'd love to, definitely,
    you're very welcome, por favor, con gusto, de nada, s'il vous plaît, s'il te plaît, avec plaisir, je vous en prie,
    bitte, gerne, com prazer, prego, volentieri, per favore, alstublieft, graag, proszę, пожалуйста, с удовольствием,
    lütfen, 请, 您, 不客气, です, ます, 습니다, 세요, من فضلك, أهلا, कृपया, आपका स्वागत
""")

ACKNOWLEDGEMENT = Cue("""
    | ok, | okay, | got it, | gotcha, | alright, | all right, | i see, | great, | nice, | awesome, | cool, | right,
    | good, | oh, | interesting, | sounds, | yeah, | yes, | understood, | perfect, | wonderful, | excellent,
    | fantastic, i understand, that makes sense, | lovely, great choice, good choice, | fair enough, | true,
    | very well, | vale, | claro, | entiendo, | d'accord, | je comprends, | verstehe, | alles klar, | entendi, | certo,
    | capisco, | begrepen, | понятно, | хорошо, | tamam, | 好的, | 明白, | 了解, | わかりました, | かしこまりました,
    | 네, | حسنا, | ठीक
""")

CARE = Cue("""
    sorry to hear, i understand how, that must be, must be frustrating, i'm glad, i am glad, glad to hear, so glad,
    happy for you, congratulations, i hope you, hope you enjoy, enjoy your, have a great, have a wonderful,
    have a lovely, my pleasure, you're very welcome, i'd be happy to, i would be happy to, happy to help, glad to help,
    glad i could, super excited, sounds fun, that sounds, great choice, good choice, i love that, i apologize for,
    thank you for your, take care, feel better, no worries, siento mucho, con mucho gusto, avec plaisir,
    je suis désolé, das tut mir leid, sehr gerne, freut mich, sinto muito, com prazer, mi dispiace, con piacere,
    graag gedaan, с удовольствием, 很高兴, 祝您, 喜んで, お気をつけて, 즐거운, 기쁩니다, يسعدني, खुशी
""")

OFFER = Cue("""
    anything else, something else, any other, anything more, what else, further assistance, more help, more assistance,
    help you with, help with, assist you, assist with, be of service, is that all, is that everything, need anything,
    more questions, other questions, algo más, autre chose, noch etwas, sonst noch, mais alguma, qualcos'altro,
    nog iets, что-нибудь еще, 还有什么, 他に何か, 더 필요, شيء آخر, और कुछ
""")

REQUEST = Cue("""
    i need, i'm looking for, i am looking for, im looking for, looking for, i want, i would like, i'd like,
    i would love, can you, could you, can i, could i, would you, will you, please, book, find me, tell me, give me,
    let me know, show me, help me, recommend, i'll need, i will need, i also need, is there, are there, do you,
    does it, do they, what about, how about, what is, what's, what are, which, where, when, how much, how many,
    how long, who, why, necesito, quiero, quisiera, busco, puede, puedes, je cherche, je voudrais, j'ai besoin, pouvez,
    peux, ich brauche, ich suche, ich möchte, können sie, kannst du, preciso, quero, gostaria, procuro, pode, cerco,
    vorrei, ho bisogno, può, ik zoek, ik wil, kunt u, kan je, potrzebuję, szukam, мне нужно, нужна, нужен, хочу, ищу,
    можете, istiyorum, lazım, 我想, 我要, 请问, 請問, 需要, 吗, 嗎, ください, お願い, したい, ですか, ますか, 주세요,
    싶어요, 나요, 까요, أريد, هل, أحتاج, चाहिए
""")

SELF_CONTRADICTION = Cue("""
    i made a mistake, made an error, my mistake, my error, i was mistaken, i was wrong, i misspoke, i misread,
    correction, i gave you the wrong, that was incorrect, that was wrong, let me correct, oops, there was no,
    scratch that, me equivoqué, je me suis trompé, ich habe mich geirrt, mein fehler, me enganei, mi sono sbagliato,
    я ошибся, 我弄错了, 我错了, 間違えました, 실수했
""")

DISPUTE = Cue("""
    that's wrong, that is wrong, that's incorrect, that is incorrect, that's not right, that is not right, not correct,
    that's not true, that is not true, you're wrong, you are wrong, are you sure, that's odd, that is odd,
    that's strange, you just said, you told me, that can't be right, eso no es, eso está mal, c'est faux,
    das stimmt nicht, das ist falsch, está errado, è sbagliato, dat klopt niet, это неправда, это неверно, 不对, 不對,
    错了, 違います, 틀렸, هذا خطأ, गलत
""")

CONFUSION = Cue("""
    what do you mean, i don't understand, i do not understand, didn't understand, did not understand, didn't catch,
    can you repeat, could you repeat, can you rephrase, could you rephrase, say that again, | pardon, | huh, | what |,
    not sure what you mean, i'm confused, no entiendo, je ne comprends pas, verstehe nicht, não entendi, non capisco,
    begrijp niet, не понимаю, 听不懂, 不明白, わかりません, 이해하지 못, لا أفهم, समझ नहीं
""")
