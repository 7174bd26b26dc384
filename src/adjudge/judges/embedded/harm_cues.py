"""Does a request look harmful? By cue words only.

It chooses which weights two answers are compared by; it is no safety classifier, and nothing it says binds a rating.
"""

from __future__ import annotations

import re

from ...facts.patterns import folded, holds_any, put_off

_HARMFUL = put_off(
    r"\b(?:bombs?|explosives?|molotov|grenades?|silencer|ghost gun|nerve (?:gas|agent)|sarin|ricin|anthrax|"
    r"bioweapons?|"
    r"meth(?:amphetamine)?|cocaine|heroin|fentanyl|crack|"
    r"(?:kill|murder|poison|strangle|stab|kidnap|torture|rape|molest|assault|stalk|blackmail|extort|traffic) "
    r"(?:\w+ ){0,2}(?:someone|somebody|people|persons?|him|her|them|my|a|the|children|kids?|women|girls?|wife|"
    r"husband|"
    r"neighbou?r|boss)|"
    r"suicide|kill myself|hurt myself|self[- ]harm|"
    r"hack(?:ing)? (?:into|someone|a|an|my|his|her|their)|phishing|ransomware|malware|keylogger|ddos|botnet|"
    r"steal(?:ing)?|shoplift\w*|rob(?:bing)? (?:a|the|my|someone)|burgl\w+|pick (?:a|the) lock|counterfeit\w*|"
    r"forge(?:d|ry)? (?:a|documents?|checks?|signature)|launder(?:ing)? money|credit card fraud|identity theft|"
    r"fake id|evade taxes|"
    r"child porn\w*|underage sex|racial slurs?|ethnic cleansing|genocide|white supremac\w+|terroris[mt]\w*|"
    r"drug (?:someone|her|his|a drink)|roofies?|get away with|without getting caught|"
    # Spanish, Portuguese, Italian, French, German
    r"bombas?|explosivos?|veneno|envenenar|matar a|asesinar|suicid\w+|hackear|robar|drogar a|falsificar|"
    r"bomba|explosivos|matar algu[eé]m|assassinar|roubar|invadir (?:a conta|o computador)|veneno|"
    r"esplosiv[oi]|uccidere|avvelenare|rubare|hackerare|falsificare|"
    r"bombe|explosifs?|tuer|assassiner|empoisonner|voler|pirater|falsifier|"
    r"bomben?|sprengstoff|umbringen|t[öo]ten|vergiften|stehlen|hacken|f[äa]lschen)\b",
    re.IGNORECASE,
)
# One of these stands in every phrase above: the expression sees only the requests that have one.
_PIECES = (
    "bomb", "explosi", "esplosiv", "molotov", "grenade", "silencer", "ghost gun", "nerve ", "sarin", "ricin",
    "anthrax", "bioweapon", "meth", "cocaine", "heroin", "fentanyl", "crack", "kill ", "murder ", "poison ",
    "strangle ", "stab ", "kidnap ", "torture ", "rape ", "molest ", "assault ", "stalk ", "blackmail ", "extort ",
    "traffic ", "suicid", "hurt myself", "self-harm", "self harm", "hack", "phishing", "ransomware", "malware",
    "keylogger", "ddos", "botnet", "steal", "shoplift", "rob a", "rob the", "rob my", "rob someone", "robbing ",
    "burgl", "pick a lock", "pick the lock", "counterfeit", "forge", "launder", "card fraud", "identity theft",
    "fake id", "evade taxes", "child porn", "underage sex", "racial slur", "ethnic cleansing", "genocide",
    "white supremac", "terroris", "drug ", "roofie", "get away with", "getting caught",
    "venen", "matar a", "asesinar", "assassin", "robar", "drogar a", "falsif", "roubar", "invadir ", "uccidere",
    "avvelenare", "rubare", "tuer", "empoisonner", "voler", "pirater", "sprengstoff", "umbringen", "töten", "toten",
    "vergiften", "stehlen", "fälschen", "falschen",
)  # fmt: skip
# Japanese, Chinese, Korean, Hindi, Arabic
_OTHER_WORDS = (
    "爆弾", "爆発物", "殺す", "殺し方", "毒殺", "自殺", "盗む", "ハッキング", "炸弹", "炸彈", "爆炸物", "杀人", "殺人",
    "毒药", "自杀", "偷窃", "黑客", "폭탄", "살인", "자살", "훔치", "해킹", "बम", "विस्फोटक", "हत्या", "चोरी", "قنبلة",
    "متفجرات", "قتل", "انتحار", "سرقة", "اختراق",
)  # fmt: skip
_READ = 4000


def is_harmful(prompt: str) -> bool:
    """Whether a cue of harm stands in the request."""
    read = prompt[:_READ]
    if not read.isascii() and holds_any(read, _OTHER_WORDS):
        return True
    return holds_any(folded(read), _PIECES) and _HARMFUL.search(read) is not None
