"""Count what a length or number in a task may refer to: words, characters, sentences, paragraphs, list items.

People count differently (a hyphen, a heading, an abbreviation, a nested item), so these functions return all possible
counts: a `range` where everything between is possible, too, and a set for items. What was asked for is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.sentences import (
    CLOSERS,
    QUOTATION,
    SENTENCE_ENDS,
    code_spans,
    ends_a_sentence,
    hide_code,
    rough_words,
    word_set,
)
from ..text.structure import DIVIDER, READ, Structure, read_line, read_structure
from ..text.words import count_words, split_words

Counts = range | frozenset[int]

_HAN = re.compile(
    r"[\u3005\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)  # and kana
_UNSTOPPED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # scripts that separate sentences by spaces
_UNSPACED = re.compile(f"{_HAN.pattern}|{_UNSTOPPED.pattern}")  # scripts that do not separate words by spaces
_LETTER = re.compile(r"[^\W\d_]")
_MIXED = 4  # unless one has this many times as much as the other, a text is in both scripts
_LETTERED = re.compile(r"^[ \t]*(?:[a-h]|[IVX]{1,4})[.)][ \t]", re.MULTILINE)
# What a bullet may look like: a sign, an emoji, a letter or number with a stop, or HTML.
_SIGN = re.compile(
    r"^[ \t]*(?:[^\w\s\"'“”‘’«»„(\[{<.…¿¡#_`~|>]|<li|第?[一二三四五六七八九十]{1,3}[、.．,，)）]|\(?\w{1,3}[.)][ \t])",
    re.MULTILINE | re.IGNORECASE,
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
_BOLD_ITALIC = re.compile(r"\*{3}(?=[^\s*])[^*\n]{1,500}(?<=[^\s*])\*{3}(?!\*)")
_STARS = re.compile(r"\*{3,}")
_ENUMERATOR = re.compile(r"^[ \t]*(?:[A-Za-z]|[IVXLC]{1,6})[.)][ \t]+")
_TITLE_WORDS = 12  # a longer line is a sentence
_INLINE_BULLETS = re.compile(r"[•●▪◦‣][^\n•●▪◦‣]*+[•●▪◦‣]")
_HTML_ITEM = re.compile(r"<li\b[^<>]{0,200}>\s{0,9}(?:<p\b[^<>]{0,200}>)?", re.IGNORECASE)
_HTML_PARAGRAPH = re.compile(r"</?p\b[^<>]{0,200}>", re.IGNORECASE)
_HTML_LINE = re.compile(r"<br\b[^<>]{0,200}>|</?[ou]l\b[^<>]{0,200}>", re.IGNORECASE)
_FIRST, _SECOND = (re.compile(rf"^[ \t]*{n}[.)]", re.MULTILINE) for n in (1, 2))


def html_as_lines(text: str) -> str:
    """Return a text with bullets, blank lines and line ends in place of the HTML tags that mean them."""
    return _HTML_LINE.sub("\n", _HTML_PARAGRAPH.sub("\n\n", _HTML_ITEM.sub("\n- ", text)))


# -- words and characters ----------------------------------------------------------------------------------------------


def outside_code(text: str) -> str:
    """Return a text without its code blocks, or all of it if there is nothing else."""
    rest = hide_code(text)
    return rest if rest.strip() else text


def counts_in_characters(text: str) -> bool:
    """Return whether the words of this text are counted as characters: it is in Chinese or Japanese."""
    han, others = _han_and_others(outside_code(text)[:READ])
    return han > others


def _han_and_others(text: str) -> tuple[int, int]:
    """Count the Han characters and kana, and the words that have none. A Latin word has as many letters as a Chinese
    sentence has characters, so letters cannot be compared."""
    han = len(_HAN.findall(text))
    return han, sum(_HAN.search(word) is None for word in split_words(text)) if han else 0


def word_counts(text: str) -> range:
    """Count the words of a text as Unicode and as spaces separate them ("well-known" is two or one), each without and
    with code. In Chinese and Japanese, every character is a word; Latin letters, signs and spaces may be characters."""
    han, others = _han_and_others(outside_code(text)[:READ])
    words = _MIXED * others >= han  # a text may be in both scripts
    characters = _MIXED * han > others
    counts: list[int] = []
    for body in dict.fromkeys((outside_code(text), text)):  # what was asked for may be in the code
        if words:
            counts += count_words(body), sum(map(_words_in, body.split()))
        if han:
            counts.append(sum(_han_and_others(body)))
        if characters:
            counts += _without_spaces(body), len(body.strip())
    return range(min(counts), max(counts) + 1)


def _words_in(piece: str) -> int:
    """Count the words of a piece between spaces. Only in scripts that use spaces is that one."""
    if _UNSPACED.search(piece):
        return count_words(piece)
    return any(map(str.isalnum, piece))


def character_counts(text: str) -> range:
    """Count the characters of a text with and without spaces. A letter with its accents is one or several."""
    from icu4py.breakers import CharacterBreaker

    spaceless = _without_spaces(text)
    low = spaceless if text.isascii() else sum(not char.isspace() for char in CharacterBreaker(text, "und"))
    return range(min(low, spaceless), len(text) + 1)


def _without_spaces(text: str) -> int:
    return sum(map(len, text.split()))


# -- sentences ---------------------------------------------------------------------------------------------------------

# A run of end marks, footnotes and closing marks, with a space after it, except in Chinese and Japanese; it may have
# been forgotten before a capital. In Greek, the question mark is a semicolon. Every repetition is possessive or
# bounded, so that any text takes linear time.
_CLOSING = rf"[{re.escape(CLOSERS)}]{{0,6}}+"
_END = re.compile(
    rf"[。！？｡]++{_CLOSING}"
    rf"|(?:(?P<mark>[{re.escape(SENTENCE_ENDS)}።]++)|(?<=[\u0370-\u03ff\u1f00-\u1fff])[;\u037e])"
    rf"(?:\[\d{{1,3}}\])*+{_CLOSING}(?=\s|\Z|{_HAN.pattern}|(?<=[a-zß-ÿ][.!?])[A-ZÀ-Þ][a-zß-ÿ])"
)
_QUOTED = re.compile(rf"{QUOTATION.pattern}|「[^「」]+」|『[^『』]+』|\([^()]+\)|（[^（）]+）")
_BEFORE = re.compile(r"[^\W_]+(?:\.[^\W_]+)*\Z")
_AFTER = re.compile(r"[\W_]{0,8}([^\W_])")
_ELLIPSIS = ("..", "…")
# In any language, a stop after a number, initial or short word need not end a sentence: "am 3. Oktober", "А. С.".
# Short words are known or capitalised: "Sra.", "Vol.". An exclamation mark may belong to a name.
_SHORT = 4
_ABBREVIATIONS = word_set(
    "adj adv al apr approx apt assoc aug av avda ave bd bldg blvd boul bros bzgl bzw ca cap capt cf ch chap cia cmdr "
    "co col comdr comp corp cpl ctra dec dept dir dott dr dra ecc ed éd edn eds ej env esp est etc ev evtl excl ext "
    "feb fig figs fr gen gén geb gest ggf gov hon hr hrsg ibid inc incl inkl ing insb inst intl jan jg jr jul jun lic "
    "lt ltd ltda maj messrs mgr mio mlle mme mmes mr mrd mrs ms mtg nº no nos nov nr núm obs oct orig pág págs pb pl "
    "plc pp pres prof prov pta pte pvt ref resp rev rte sen señ sept sg sgt sig soc sog sq sr sra sras sres srta st "
    "sta ste sto str stv suppl sv tel tj tr trad tzv ud uds ul univ usf usw vd vds vgl vol vols vs zb zzgl г гг гл др "
    "им млн млрд напр обл пер пл пр проф руб св см стр т тел тыс ул"
)


def sentence_counts(text: str) -> Counts:
    """Return the possible numbers of sentences, by ICU and by end marks: at least those that end for sure in prose, at
    most one for every end mark and every line. There are none in scripts without end marks."""
    from icu4py.breakers import SentenceBreaker

    sample, rest = text[:READ], text[READ:]
    if len(_UNSTOPPED.findall(sample)) * _MIXED > len(_LETTER.findall(sample)):
        return frozenset()
    body = outside_code(sample)
    cased = any(map(str.isupper, body))
    lines = [line for line in body.split("\n") if any(map(str.isalnum, line))]
    # ICU joins sentences that begin with a small letter, even if all do.
    by_icu = sum(
        any(map(str.isalnum, piece))
        for line in lines
        for piece in SentenceBreaker(read_line(line if cased else line.upper())[1], "en")
    )
    blocks = list(_blocks(body))
    sure = {kind: sum(_sure_ends(block, cased) for one, block in blocks if one == kind) for kind in ("prose", "item")}
    low = sure["prose"] or sure["item"] or bool(lines)
    high = sum(_possible_ends(block) for _, block in blocks)
    high += sum(len(_END.findall(sample[start:end])) for start, end in code_spans(sample))
    return range(min(low, by_icu), max(high, by_icu) + len(_END.findall(rest)) + rest.count("\n") + 1)


def _blocks(body: str) -> Iterator[tuple[str, str]]:
    """Yield the blocks of a text with their kind: paragraphs of prose, and each heading, list item and table row."""
    prose: list[str] = []
    for line in (*body.split("\n"), ""):
        kind, bare = read_line(line)
        if kind == "prose" and bare.strip():
            prose.append(bare)
            continue
        if prose:
            yield "prose", "\n".join(prose).strip()
            prose = []
        if bare.strip():
            yield kind, bare.strip()


def _possible_ends(block: str) -> int:
    """Count the parts between end marks and line ends that have a letter or digit."""
    return sum(any(map(str.isalnum, part)) for line in block.split("\n") for part in _parts(line))


def _parts(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        yield line[start : end.end()]
        start = end.end()
    yield line[start:]


def _sure_ends(block: str, cased: bool) -> int:
    """Count the end marks of a block that end a sentence for anybody."""
    # A block that is a quotation as a whole has its own sentences.
    quoted = [match.span() for match in _QUOTED.finditer(block) if len(match[0]) < len(block)]
    count = start = at = 0
    for end in _END.finditer(block):
        while at < len(quoted) and quoted[at][1] <= end.start():
            at += 1
        inside = at < len(quoted) and quoted[at][0] < end.start()
        # The last mark of a block ends it, whatever it is.
        if end.end() < len(block) and (inside or _is_doubtful(block, start, end, cased)):
            continue
        count += any(map(str.isalnum, block[start : end.end()]))
        start = end.end()
    return count


def _is_doubtful(block: str, start: int, end: re.Match[str], cased: bool) -> bool:
    """Return whether an end mark may be part of a sentence: a small letter or no space follows, or it may end an
    abbreviation."""
    following = _AFTER.match(block, end.end())
    if (cased and following and following[1].islower()) or end[0].startswith(_ELLIPSIS):
        return True
    if block[end.end() : end.end() + 1].isupper():
        return True
    before = _BEFORE.search(block[max(start, end.start() - 20) : end.start()])
    if before is None or not (end["mark"] or "").startswith((".", "!")):
        return False
    word = before[0]
    if len(word) == 1 or "." in word or (word.isdigit() and len(word) <= _SHORT) or word.casefold() in _ABBREVIATIONS:
        return True
    if len(word) > _SHORT or not word[0].isupper() or word.isupper():
        return False
    return any(map(str.isalnum, block[start : end.start() - len(word)].rpartition("\n")[2]))


# -- paragraphs and items ----------------------------------------------------------------------------------------------


def paragraph_counts(text: str) -> range:
    """Return the possible numbers of paragraphs: blocks between blank lines and dividers with headings and lists or
    only those with sentences, what is between dividers of one kind or of all, and lines that are whole sentences."""
    sample, rest = text[:READ], text[READ:]
    counts = [count for body in {outside_code(sample), sample.replace("```", "")} for count in _paragraphs(body)]
    return range(min(counts), max(counts) + rest.count("\n") + 1)


def _paragraphs(body: str) -> Iterator[int]:
    sections = [section for section in DIVIDER.split(body) if any(map(str.isalnum, section))]
    blocks = [
        [line for line in block.split("\n") if any(map(str.isalnum, line))]
        for section in sections
        for block in _BLANK_LINE.split(section)
    ]
    blocks = [block for block in blocks if block]
    # "***" may divide where "---" does not, and inside a line.
    signs = {sign for divider in DIVIDER.finditer(body) for sign in divider[0].strip()[:1]}
    ways = [sections, *(re.split(rf"(?m)^[ \t]*+(?:{re.escape(sign)}[ \t]*+)++$", body) for sign in signs)]
    ways.append(_STARS.split(_BOLD_ITALIC.sub("x", body)))
    for parts in ways:
        # A title above the first divider may be no part.
        worded = [_BLANK_LINE.split(part.strip()) for part in parts if any(map(str.isalnum, part))]
        if len(worded) > 1:
            yield len(worded)
            yield len(worded) - (len(worded[0]) == 1 and not _is_prose(worded[0][0].split("\n")))
    yield (sum(map(_is_prose, blocks)) - any(map(_may_be_above, blocks[:1]))) or bool(blocks)
    yield len(blocks)
    yield sum(map(_most_in, blocks))


def _most_in(block: list[str]) -> int:
    """Count the headings of a block and its other lines if all are whole sentences; else these are one paragraph."""
    lines = [line for line in block if read_line(line)[0] != "heading"]
    return len(block) if all(map(_ends, lines)) else len(block) - len(lines) + 1


def _is_prose(block: list[str]) -> bool:
    lines = (_ENUMERATOR.sub("", bare) for kind, bare in map(read_line, block) if kind == "prose")
    return any(map(_END.search, lines))


def _may_be_above(block: list[str]) -> bool:
    """Return whether a first block with a sentence may be above the paragraphs: a title ("Why Rivers Matter!") or a
    lead-in ("Here they are:")."""
    last = block[-1].rstrip(" \t*_")
    title = len(block) == 1 and last.endswith(("!", "?", "！", "？")) and rough_words(last) <= _TITLE_WORDS
    return _is_prose(block) and (title or last.endswith((":", "：")))


def _ends(line: str) -> bool:
    """Return whether a line ends a sentence."""
    return any(end.end() == len(line.rstrip()) for end in _END.finditer(line.rstrip()))


def item_counts(text: str) -> frozenset[int]:
    """Return the possible numbers of list items. There are none if the text has no list, table or headings to count.

    A list that is less than half of the text may be about something else, such as sources, and is not counted.
    """
    if len(text) > READ or _INLINE_BULLETS.search(text):
        return frozenset()  # a list may go on, or have several items in a line
    structure = read_structure(text)
    counts = [listing.count for listing in structure.listings]
    listed = sum(listing.end - listing.start for listing in structure.listings)
    if not structure.headings and not structure.bold_leads and (listed * 2 < len(text) or _LETTERED.search(text)):
        return frozenset()
    # The headings may include a title above and a closing line below.
    headings = (structure.headings, structure.headings - 1, structure.headings - 2) if structure.headings else ()
    # If a list begins with 2, its first item is the line above it.
    unnumbered = 1 if _SECOND.search(text) and not _FIRST.search(text) else 0
    ways = {*_listed(structure), len(counts), *headings, structure.bold_leads, *(n + unnumbered for n in counts)}
    ways |= _grouped(text)
    # A single entry is not a list: "1. Introduction" does not tell how many items there are.
    return frozenset(way for way in ways if way > 1)


def bullet_counts(text: str) -> frozenset[int]:
    """Return the possible numbers of bullet points, wherever they are: those of one list or of all, and 0 only if no
    line begins with any sign. There are none if that is not sure."""
    if len(text) > READ or _INLINE_BULLETS.search(text):
        return frozenset()
    if ways := _listed(read_structure(text)):
        return item_counts(text) | ways | _grouped(text)
    return frozenset() if _SIGN.search(DIVIDER.sub("", text)) or _has_unmarked_items(text) else frozenset({0})


def _has_unmarked_items(text: str) -> bool:
    """Return whether most lines of a text are short and end no sentence: they may be items without a mark."""
    lines = [line for line in text.split("\n") if line.strip()]
    short = sum(rough_words(line) <= _TITLE_WORDS and not ends_a_sentence(line) for line in lines)
    return short > 1 and short * 2 > len(lines)


def _grouped(text: str) -> frozenset[int]:
    """Return other numbers of items: of those between two dividers, and of blocks that begin with an item, since a
    label and its content may be two bullets."""
    ways: set[int] = set()
    sections = DIVIDER.split(text)
    for section in sections if len(sections) > 1 else ():
        ways |= _listed(read_structure(section))
    blocks = [block.split("\n") for block in _BLANK_LINE.split(text) if block.strip()]
    ways.add(sum(read_line(block[0])[0] == "item" for block in blocks))
    return frozenset(way for way in ways if way > 1)


def _listed(structure: Structure) -> frozenset[int]:
    """Return the numbers of items in each list and in all, without and with nested ones, and of bullets in numbered
    items, which may be the points that were asked for."""
    ways: set[int] = set()
    for way in zip(*((one.count, one.count + one.nested, one.bullets) for one in structure.listings), strict=True):
        ways |= {*way, sum(way)}
    return frozenset(ways - {0})
