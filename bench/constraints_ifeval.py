"""Compares the measuring of constraints with the checker of IFEval (Zhou et al. 2023) on responses published with it.

    python bench/constraints_ifeval.py FOLDER [--data PROMPTS RESPONSES]… [--half developed|held-out] [--differences]

FOLDER is a checkout of google-research's `instruction_following_eval`. Its checker needs nltk (with its punkt_tab),
langdetect, immutabledict and absl-py, in the same environment as adjudge. From the ids and arguments of each prompt's
instructions we build the constraints that a perfect judge would list, and measure the response against them. Prompts
with an even key were looked at while the measuring was developed; those with an odd key were held out. Without --data
these are the prompts in FOLDER and GPT-4's responses to them.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from adjudge.constraints.measuring import measure
from adjudge.models.constraints import Constraint

DATA = "data/input_data.jsonl", "data/input_response_data_gpt4_20231107_145030.jsonl"
NEEDS = "nltk langdetect immutabledict absl-py"
HEADER = (
    f"{'instruction':<27} {'kind':<21} {'n':>4} {'agree':>6} {'only ours met':>14} {'only theirs met':>16} "
    f"{'met in part':>12} {'unmeasured':>11}"
)
Half = Literal["developed", "held-out"]
Arguments = dict[str, Any]


def _bound(arguments: Arguments) -> str:
    return {"at least": "at_least", "less than": "below"}[arguments["relation"]]


def _paragraph_start(arguments: Arguments) -> list[dict[str, Any]]:
    return [
        {"kind": "paragraphs", "amount": arguments["num_paragraphs"]},
        {"kind": "first_word", "amount": arguments["nth_paragraph"], "text": arguments["first_word"]},
    ]


def _cased(casing: str) -> list[dict[str, Any]]:
    return [{"kind": "casing", "text": casing}, {"kind": "language", "text": "en"}]


# What a perfect judge lists for each instruction. Two have no kind of ours: one of several given answers
# (constrained_response), and two different answers (two_responses), of which only the divider is checked.
# Lengths are strict here, so that the counts are compared and not our tolerance of 5 %.
LISTED: dict[str, Callable[[Arguments], list[dict[str, Any]]]] = {
    "keywords:existence": lambda of: [{"kind": "must_contain", "text": word} for word in of["keywords"]],
    "keywords:forbidden_words": lambda of: [
        {"kind": "must_not_contain", "text": word} for word in of["forbidden_words"]
    ],
    "keywords:frequency": lambda of: [
        {"kind": "occurrences", "bound": _bound(of), "amount": of["frequency"], "text": of["keyword"].strip()}
    ],
    "keywords:letter_frequency": lambda of: [
        {
            "kind": "occurrences", "bound": {"at least": "at_least", "less than": "below"}[of["let_relation"]],
            "amount": of["let_frequency"], "text": of["letter"], "quote": f"the letter {of['letter']}",
        }
    ],
    "language:response_language": lambda of: [{"kind": "language", "text": of["language"]}],
    "length_constraints:number_sentences": lambda of: [
        {"kind": "sentences", "bound": _bound(of), "amount": of["num_sentences"]}
    ],
    "length_constraints:number_paragraphs": lambda of: [{"kind": "paragraphs", "amount": of["num_paragraphs"]}],
    "length_constraints:number_words": lambda of: [
        {"kind": "words", "bound": _bound(of), "amount": of["num_words"], "strict": True}
    ],
    "length_constraints:nth_paragraph_first_word": _paragraph_start,
    "detectable_content:number_placeholders": lambda of: [
        {"kind": "placeholders", "bound": "at_least", "amount": of["num_placeholders"], "quote": "such as [address]"}
    ],
    "detectable_content:postscript": lambda of: [{"kind": "must_contain", "text": of["postscript_marker"].strip()}],
    "detectable_format:number_bullet_lists": lambda of: [
        {"kind": "items", "amount": of["num_bullets"], "quote": "bullet points such as * This is point 1"}
    ],
    "detectable_format:number_highlighted_sections": lambda of: [
        {
            "kind": "highlights", "bound": "at_least", "amount": of["num_highlights"],
            "quote": "with markdown, i.e. *highlighted section*",
        }
    ],
    "detectable_format:multiple_sections": lambda of: [
        {"kind": "sections", "bound": "at_least", "amount": of["num_sections"], "text": of["section_spliter"]}
    ],
    "detectable_format:json_format": lambda of: [{"kind": "json", "quote": "the entire output in JSON format"}],
    "detectable_format:title": lambda of: [{"kind": "title", "text": "<<>>"}],
    "combination:two_responses": lambda of: [{"kind": "must_contain", "text": "******"}],
    "combination:repeat_prompt": lambda of: [{"kind": "begins_with", "text": of["prompt_to_repeat"]}],
    "startend:end_checker": lambda of: [{"kind": "ends_with", "text": of["end_phrase"].strip()}],
    "startend:quotation": lambda of: [{"kind": "quotation_marks"}],
    "change_case:capital_word_frequency": lambda of: [
        {
            "kind": "capital_words", "bound": {"at least": "at_least", "less than": "below"}[of["capital_relation"]],
            "amount": of["capital_frequency"],
        }
    ],
    "change_case:english_capital": lambda of: _cased("upper"),
    "change_case:english_lowercase": lambda of: _cased("lower"),
    "punctuation:no_comma": lambda of: [{"kind": "must_not_contain", "text": ","}],
}  # fmt: skip


class Compared(NamedTuple):
    """One instruction on one response: whether it was met in our and in their eyes; None if we do not measure it.

    `in_part`: we count it as met, but some usual way of counting misses.
    """

    key: int
    instruction: str
    kinds: tuple[str, ...]
    ours: bool | None
    theirs: bool
    in_part: bool
    says: str
    response: str

    @property
    def half(self) -> Half:
        return "held-out" if self.key % 2 else "developed"


def constraints_of(instruction: str, arguments: Arguments) -> list[Constraint]:
    """Return the constraints that a perfect judge lists for an instruction; none if there is no kind for it."""
    listed = LISTED.get(instruction)
    if listed is None:
        return []
    place: dict[str, Any] = {"source": "prompt", "quote": "", "start": 0, "end": 0}
    return [Constraint(**{**place, **fields}) for fields in listed(arguments)]


def ours(constraints: list[Constraint], response: str) -> tuple[bool | None, bool, str]:
    """Return whether a response meets all constraints (None if one cannot be measured), whether only in part, and what
    was found."""
    measured = [measure(constraint, response) for constraint in constraints]
    says = "; ".join("unmeasured" if one is None else one.says for one in measured)
    if any(one is not None and not one.met for one in measured):
        return False, False, says
    if None in measured or not measured:
        return None, False, says
    return True, any(one is not None and one.in_part for one in measured), says


def compare(registry: dict[str, Any], prompts: Path, responses: Path, half: Half | None) -> Iterator[Compared]:
    """Yield every instruction of every prompt that has a response, measured by both."""
    answers = {record["prompt"]: record["response"] for record in _records(responses)}
    for record in _records(prompts):
        response = answers.get(record["prompt"])
        if response is None or (half is not None and (half == "held-out") != bool(record["key"] % 2)):
            continue
        for instruction, given in zip(record["instruction_id_list"], record["kwargs"], strict=True):
            arguments = {name: value for name, value in given.items() if value is not None}
            if instruction == "combination:repeat_prompt" and "prompt_to_repeat" not in arguments:
                continue  # the data first published with text-bison's responses do not have it
            checker = registry[instruction](instruction)
            checker.build_description(**arguments)
            constraints = constraints_of(instruction, arguments)
            met, in_part, says = ours(constraints, response)
            theirs = bool(response.strip()) and bool(checker.check_following(response))
            kinds = tuple(dict.fromkeys(one.kind for one in constraints))
            yield Compared(record["key"], instruction, kinds, met, theirs, in_part, says, response)


def _registry(folder: Path) -> dict[str, Any]:
    """Import IFEval's checkers from a checkout."""
    sys.path.insert(0, str(folder.resolve().parent))
    try:
        registry = importlib.import_module(f"{folder.resolve().name}.instructions_registry")
        importlib.import_module("langdetect").DetectorFactory.seed = 0  # else it answers at random where it is unsure
        random.seed(0)  # it replaces arguments that it does not allow, such as "#" for a letter, at random
        importlib.import_module("nltk").word_tokenize("Is the data here?")
    except ModuleNotFoundError as error:
        sys.exit(f"{error}; FOLDER must be a checkout of instruction_following_eval, and its checker needs: {NEEDS}")
    except LookupError:
        sys.exit("nltk has no punkt_tab; python -m nltk.downloader punkt_tab")
    return dict(registry.INSTRUCTION_DICT)


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def table(compared: list[Compared]) -> str:
    """Return a line for each instruction and one for all of them. Agreement is over what we measure."""
    groups: defaultdict[tuple[str, str], list[Compared]] = defaultdict(list)
    for one in compared:
        groups[one.instruction.partition(":")[2], "+".join(one.kinds) or "–"].append(one)
    rows = [_row(name, kinds, group) for (name, kinds), group in sorted(groups.items())]
    return "\n".join([HEADER, *rows, _row("all", "", compared)])


def _row(name: str, kinds: str, group: list[Compared]) -> str:
    measured = [one for one in group if one.ours is not None]
    same = sum(one.ours == one.theirs for one in measured)
    share = f"{100 * same / len(measured):.0f} %" if measured else "–"
    more = sum(one.ours is True and not one.theirs for one in measured)
    fewer = sum(one.ours is False and one.theirs for one in measured)
    part = sum(one.in_part for one in measured)
    return (
        f"{name:<27} {kinds:<21} {len(measured):>4} {share:>6} {more:>14} {fewer:>16} {part:>12} "
        f"{len(group) - len(measured):>11}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, nargs=2, action="append", metavar=("PROMPTS", "RESPONSES"))
    parser.add_argument("--half", choices=["developed", "held-out"], help="default: both")
    parser.add_argument("--differences", action="store_true", help="list where the two differ, and what is unmeasured")
    given = parser.parse_args()
    registry = _registry(given.folder)
    sets = given.data or [[given.folder / name for name in DATA]]
    compared = [one for prompts, responses in sets for one in compare(registry, prompts, responses, given.half)]
    for half in ("developed", "held-out"):
        if part := [one for one in compared if one.half == half]:
            print(f"{half} ({'odd' if half == 'held-out' else 'even'} keys)\n{table(part)}\n")
    if given.differences:
        for one in compared:
            if one.ours != one.theirs:
                print(json.dumps(one._asdict(), ensure_ascii=False))


if __name__ == "__main__":
    main()
