"""What languages are called: their English names, and their names in the languages people give instructions in.

Codes are ISO 639-1. The names in other languages are lower case and without the particles around them.
"""

from __future__ import annotations

LANGUAGE_NAMES = {
    "af": "Afrikaans", "am": "Amharic", "ar": "Arabic", "az": "Azerbaijani", "be": "Belarusian", "bg": "Bulgarian",
    "bn": "Bengali", "bs": "Bosnian", "ca": "Catalan", "co": "Corsican", "cs": "Czech", "cy": "Welsh", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "eo": "Esperanto", "es": "Spanish", "et": "Estonian",
    "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French", "fy": "Frisian", "ga": "Irish",
    "gd": "Scottish Gaelic", "gl": "Galician", "gu": "Gujarati", "ha": "Hausa", "he": "Hebrew", "hi": "Hindi",
    "hr": "Croatian", "ht": "Haitian Creole", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "ig": "Igbo",
    "is": "Icelandic", "it": "Italian", "ja": "Japanese", "jv": "Javanese", "ka": "Georgian", "kk": "Kazakh",
    "km": "Khmer", "kn": "Kannada", "ko": "Korean", "ku": "Kurdish", "ky": "Kyrgyz", "la": "Latin",
    "lb": "Luxembourgish", "lo": "Lao", "lt": "Lithuanian", "lv": "Latvian", "mg": "Malagasy", "mi": "Maori",
    "mk": "Macedonian", "ml": "Malayalam", "mn": "Mongolian", "mr": "Marathi", "ms": "Malay", "mt": "Maltese",
    "my": "Burmese", "ne": "Nepali", "nl": "Dutch", "no": "Norwegian", "ny": "Chichewa", "pa": "Punjabi",
    "pl": "Polish", "ps": "Pashto", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sd": "Sindhi",
    "si": "Sinhala", "sk": "Slovak", "sl": "Slovenian", "sm": "Samoan", "sn": "Shona", "so": "Somali",
    "sq": "Albanian", "sr": "Serbian", "st": "Sotho", "su": "Sundanese", "sv": "Swedish", "sw": "Swahili",
    "ta": "Tamil", "te": "Telugu", "tg": "Tajik", "th": "Thai", "tl": "Filipino", "tr": "Turkish", "uk": "Ukrainian",
    "ur": "Urdu", "uz": "Uzbek", "vi": "Vietnamese", "xh": "Xhosa", "yi": "Yiddish", "yo": "Yoruba", "zh": "Chinese",
    "zu": "Zulu",
}  # fmt: skip

# Spanish, French, German, Portuguese, Italian, Japanese, Chinese, Korean, Hindi, Arabic, own name and other names.
_OTHER_NAMES = {
    "en": "inglés|ingles|anglais|englisch|inglês|inglese|英語|英语|英文|영어|अंग्रेज़ी|अंग्रेजी|الإنجليزية|الانجليزية|английск",
    "es": "español|espanol|castellano|espagnol|spanisch|espanhol|spagnolo|castilian|スペイン語|西班牙语|西班牙語|西班牙文|"
    "스페인어|स्पेनिश|स्पैनिश|الإسبانية|الاسبانية|испанск",
    "fr": "francés|frances|français|francais|französisch|francês|francese|フランス語|法语|法語|法文|프랑스어|불어|फ़्रेंच|फ्रेंच|"
    "फ़्रांसीसी|الفرنسية|французск",
    "de": "alemán|aleman|allemand|deutsch|alemão|alemao|tedesco|ドイツ語|德语|德語|德文|독일어|जर्मन|الألمانية|немецк",
    "pt": "portugués|portugais|portugiesisch|português|portugues|portoghese|ポルトガル語|葡萄牙语|葡萄牙語|葡萄牙文|葡语|"
    "포르투갈어|पुर्तगाली|البرتغالية|португальск",
    "it": "italiano|italien|italienisch|イタリア語|意大利语|義大利語|意大利文|이탈리아어|이태리어|इतालवी|इटैलियन|الإيطالية|الايطالية|итальянск",
    "ja": "japonés|japones|japonais|japanisch|japonês|giapponese|日本語|日语|日語|日文|일본어|일어|जापानी|اليابانية|японск",
    "zh": "chino|chinois|chinesisch|chinês|cinese|mandarin|mandarín|中国語|中文|汉语|漢語|华语|華語|简体|繁體|普通话|중국어|"
    "चीनी|الصينية|китайск",
    "ko": "coreano|coréen|koreanisch|韓国語|韩语|韓語|韩文|韓文|朝鲜语|한국어|한국말|कोरियाई|الكورية|корейск",
    "hi": "ヒンディー語|印地语|印地語|힌디어|हिंदी|हिन्दी|الهندية|хинди",
    "ar": "árabe|arabe|arabisch|arabo|アラビア語|阿拉伯语|阿拉伯語|阿拉伯文|아랍어|अरबी|العربية|арабск",
    "nl": "neerlandés|holandés|néerlandais|niederländisch|holländisch|holandês|olandese|オランダ語|荷兰语|荷蘭語|네덜란드어|डच|"
    "الهولندية|nederlands",
    "pl": "polaco|polonais|polnisch|polonês|polacco|ポーランド語|波兰语|波蘭語|폴란드어|पोलिश|البولندية|polsku",
    "ru": "ruso|russe|russisch|russo|ロシア語|俄语|俄語|俄文|러시아어|रूसी|الروسية|русск",
    "tr": "turco|turc|türkisch|トルコ語|土耳其语|土耳其語|터키어|튀르키예어|तुर्की|التركية|türkçe",
    "th": "tailandés|thaï|thaïlandais|thailändisch|tailandês|tailandese|タイ語|泰语|泰語|泰文|태국어|थाई|التايلاندية",
    "vi": "vietnamita|vietnamien|vietnamesisch|ベトナム語|越南语|越南語|越南文|베트남어|वियतनामी|الفيتنامية|tiếng việt",
    "id": "indonesio|indonésien|indonesisch|indonésio|indonesiano|インドネシア語|印尼语|印尼語|印度尼西亚语|인도네시아어|"
    "इंडोनेशियाई|الإندونيسية|bahasa",
    "uk": "ucraniano|ukrainien|ukrainisch|ucraino|ウクライナ語|乌克兰语|烏克蘭語|우크라이나어|यूक्रेनी|الأوكرانية|українськ",
    "sv": "sueco|suédois|schwedisch|svedese|スウェーデン語|瑞典语|瑞典語|스웨덴어|स्वीडिश|السويدية|svenska",
    "da": "danés|danois|dänisch|dinamarquês|danese|デンマーク語|丹麦语|덴마크어|الدنماركية|dansk",
    "no": "noruego|norvégien|norwegisch|norueguês|norvegese|ノルウェー語|挪威语|노르웨이어|النرويجية|norsk|bokmål|nynorsk",
    "fi": "finés|finlandés|finnois|finnisch|finlandês|finlandese|フィンランド語|芬兰语|핀란드어|suomi",
    "el": "griego|grec|griechisch|grego|greco|ギリシャ語|希腊语|希臘語|그리스어|यूनानी|اليونانية|ελληνικά",
    "cs": "checo|tchèque|tschechisch|tcheco|ceco|チェコ語|捷克语|체코어|التشيكية|česky|čeština",
    "he": "hebreo|hébreu|hebräisch|hebraico|ebraico|ヘブライ語|希伯来语|히브리어|العبرية|עברית",
    "ro": "rumano|roumain|rumänisch|romeno|rumeno|ルーマニア語|罗马尼亚语|루마니아어|الرومانية|română",
    "hu": "húngaro|hongrois|ungarisch|ungherese|ハンガリー語|匈牙利语|헝가리어|magyar",
    "fa": "persa|persan|persisch|persiano|farsi|ペルシア語|波斯语|페르시아어|फ़ारसी|الفارسية|فارسی",
    "ur": "ourdou|ウルドゥー語|乌尔都语|우르두어|उर्दू|الأردية|اردو",
    "bn": "bengalí|bengalisch|bangla|ベンガル語|孟加拉语|벵골어|बंगाली|البنغالية|বাংলা",
    "ta": "tamoul|タミル語|泰米尔语|타밀어|तमिल|தமிழ்",
    "te": "telougou|तेलुगु|తెలుగు",
    "mr": "marathe|मराठी",
    "tl": "tagalog|filipino|タガログ語|他加禄语|타갈로그어",
    "ms": "malayo|malais|malaiisch|malaio|マレー語|马来语|馬來語|말레이어|melayu",
    "ca": "catalán|catalan|katalanisch|catalão|catalano|català",
    "la": "latín|lateinisch|latim|latino|ラテン語|拉丁语|라틴어|لاتينية",
    "sw": "suajili|kiswahili",
}  # fmt: skip

CODES_BY_NAME = {name.lower(): code for code, name in LANGUAGE_NAMES.items()} | {
    name: code for code, names in _OTHER_NAMES.items() for name in names.split("|")
}


def language_name(code: str) -> str:
    """The English name of a language, or its code where we have none."""
    return LANGUAGE_NAMES.get(code, code)
