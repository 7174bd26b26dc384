"""Measures of an answer against its task, the passages given with it, and the other answer.

Wishes kept and broken, key terms taken up, wording copied, content the other answer lacks.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise

from ...facts.patterns import holds_any, plain_words, put_off
from .check import GROUPS, Check
from .measurement import Info, Measurement, several
from .reading import Answer, Context, Task, copied_share, names_in, stem, stems_of

_TASK, _DEPTH, _REASON = "task_understanding", "depth_coverage_usefulness", "correctness_reasoning"
_INSIGHT, _ACTION = "insight_originality", "actionability_specificity"

INFO = {
    "wishes_broken": Info("explicit conditions not kept", _TASK, "check", -1),
    "wishes_kept": Info("explicit conditions kept", _TASK, "check", 1),
    **{f"asked_{group}": Info(f"what the task asks for ({group})", _TASK, "check", 1) for group in GROUPS},
    "coverage": Info("key terms of the task taken up", _TASK, "task", 1),
    "opening_coverage": Info("key terms in its opening", _TASK, "task", 1),
    "entities": Info("names and numbers of the task taken up", _TASK, "task", 1),
    "copied": Info("wording copied from the task", _INSIGHT, "task", -1),
    "longest_copy": Info("starts by repeating the task", _INSIGHT, "task", -1),
    "own_words": Info("content words the other lacks", _DEPTH, "length", 1),
    "missing_words": Info("share of the other's content it has", _DEPTH, "task", 1),
    "own_numbers": Info("numbers the other lacks", _ACTION, "style"),
    "support": Info("words found in the passages", _REASON, "task", 1),
    "pair_support": Info("word pairs found in the passages", _REASON, "task", 1),
    "unsupported": Info("names and numbers not in the passages", _REASON, "task", -1),
    "material_use": Info("content of the given text taken up", _TASK, "task"),
    "foreign_numbers": Info("numbers that are not in the task", _REASON, "task"),
    "word_need": Info("words beyond what the task needs", _DEPTH, "length", -1),
    "meta": Info("leftovers of a prompt", _TASK, "flaw", -1),
    "same_end": Info("copies the given text", _TASK, "flaw", -1),
    "no_code": Info("code where the task is about code", _ACTION, "check", 1),
    "bare": Info("a bare answer", _DEPTH, "length", -1),
}

_META = put_off(
    r"###|\b(?:Instruction|Input|Output|Response|Question|Human|User|Assistant|Answer|Explanation)\s?:(?!\w)|<\|"
    r"?\w+\|?>|"
    r"\[INST\]|Below is an instruction",
)
_NOT_ASKED = Measurement(0.0, "nothing of the kind was asked for")
_TOO_FEW = 11  # words that anybody may write after another
_META_MARKS = ("###", "<", "[INST]", "Below is an")
_META_ROLES = (
    "Instruction", "Input", "Output", "Response", "Question", "Human", "User", "Assistant", "Answer", "Explanation",
)  # fmt: skip
_META_WORDS = frozenset(map(str.lower, _META_ROLES))
_META_COLONS = tuple(f"{role}:" for role in _META_ROLES)
_SPACED_COLON = put_off(r"\s:")
_LOOKS_LIKE_CODE = put_off(
    r"```|^[ \t]*(?:def |class |import |from \w+ import|function |const |let |var |public |#include|SELECT |<\w+)|"
    r"[{};]\s*$",
    re.MULTILINE,
)


def measure(
    task: Task, answer: Answer, other: Answer, context: Context, checks: list[Check], into: dict[str, Measurement]
) -> None:
    """All measures of one answer that need the task or the other answer."""
    _wishes(checks, into)
    _coverage(task, answer, into)
    _copying(task, answer, into)
    _beside(answer, other, into)
    _passages(task, answer, context, into)
    _need(task, answer, into)


def _wishes(checks: list[Check], into: dict[str, Measurement]) -> None:
    broken = [check for check in checks if not check.kept]
    kept = len(checks) - len(broken)
    told = "; ".join(f"{check.asked}: {check.found}" for check in broken)
    place = next((check.place for check in broken if check.place), None)
    into["wishes_broken"] = Measurement(
        float(len(broken)),
        f"it breaks {len(broken)} of {several(len(checks), 'explicit condition')}: {told}"
        if broken
        else "it breaks no explicit condition that can be checked",
        place,
    )
    into["wishes_kept"] = Measurement(float(kept), f"it keeps {kept} of {several(len(checks), 'explicit condition')}")
    for group in GROUPS:
        mine = [check for check in checks if check.group == group]
        if not mine:
            into[f"asked_{group}"] = _NOT_ASKED
            continue
        one = next((check for check in mine if not check.kept), mine[0])
        says = f"asked for {one.asked}, found {one.found}"
        into[f"asked_{group}"] = Measurement(1.0 if one.kept else -1.0, says, one.place)


def _coverage(task: Task, answer: Answer, into: dict[str, Measurement]) -> None:
    total = sum(weight for _, weight in task.terms)
    found = [(term, weight) for term, weight in task.terms if term in answer.stems]
    share = sum(weight for _, weight in found) / total if total else 0.5
    says = f"it takes up {len(found)} of the task's {several(len(task.terms), 'key term')}"
    into["coverage"] = Measurement(share, says)
    opening = set(stems_of(answer.words[:25]))
    early = sum(weight for term, weight in task.terms if term in opening) / total if total else 0.0
    into["opening_coverage"] = Measurement(early, f"its first words take up {early:.0%} of the task's key terms")
    entities = {*stems_of(task.names), *task.numbers}
    held = len(entities & (answer.stems | answer.numbers)) if entities else 0
    into["entities"] = Measurement(
        held / len(entities) if entities else 0.0,
        f"it has {held} of {several(len(entities), 'name or number')} of the task",
    )


def _copying(task: Task, answer: Answer, into: dict[str, Measurement]) -> None:
    share = copied_share(task, answer)
    into["copied"] = Measurement(share, f"{share:.0%} of its wording stands in the task already")
    run = 0
    for mine, theirs in zip(answer.words[:60], task.words[:60], strict=False):
        if mine != theirs:
            break
        run += 1
    into["longest_copy"] = Measurement(math.log2(1 + run), f"its first {several(run, 'word')} repeat the task")
    meta = _META.search(answer.plain) if _may_be_meta(answer) else None
    count = sum(1 for _ in _META.finditer(answer.plain)) if meta and not _META.search(task.plain) else 0
    into["meta"] = Measurement(
        math.log2(1 + count),
        f"it has {several(count, 'leftover')} of a prompt",
        meta.span() if meta and count else None,
    )
    used = 0.0
    same = 0.0
    if task.material:
        used = len(task.content & answer.content) / max(1, len(task.content))
        same = 1.0 if share > 0.85 and len(answer.words) > _TOO_FEW else 0.0
    into["material_use"] = Measurement(used, f"it takes up {used:.0%} of the given text's content words")
    into["same_end"] = Measurement(same, "it is mostly a copy of the given text" if same else "it is no copy")


def _may_be_meta(answer: Answer) -> bool:
    """A first look: a mark, or a role with a colon or with a space that one may stand behind."""
    plain = answer.plain
    if holds_any(plain, _META_MARKS):
        return True
    if plain.isascii() and _META_WORDS.isdisjoint(plain_words(answer.lower)):
        return False
    return holds_any(plain, _META_ROLES) and (holds_any(plain, _META_COLONS) or bool(_SPACED_COLON.search(plain)))


def _beside(answer: Answer, other: Answer, into: dict[str, Measurement]) -> None:
    own = len(answer.content - other.content)
    into["own_words"] = Measurement(math.log2(1 + own), f"it has {several(own, 'content word')} the other lacks")
    share = len(answer.content & other.content) / max(1, len(other.content))
    into["missing_words"] = Measurement(share, f"it has {share:.0%} of the other's content words")
    numbers = len(answer.numbers - other.numbers)
    into["own_numbers"] = Measurement(math.log2(1 + numbers), f"it has {several(numbers, 'number')} the other lacks")


def _passages(task: Task, answer: Answer, context: Context, into: dict[str, Measurement]) -> None:
    numbers = answer.numbers
    foreign = len(numbers - task.numbers)
    into["foreign_numbers"] = Measurement(
        math.log2(1 + foreign), f"it has {several(foreign, 'number')} that the task does not have"
    )
    if not context.stems or not answer.content:
        for name in ("support", "pair_support", "unsupported"):
            into[name] = Measurement(0.0, "no passages were given")
        return
    share = len(answer.content & context.stems) / len(answer.content)
    into["support"] = Measurement(share, f"{share:.0%} of its content words stand in the passages")
    pairs = set(pairwise(stems_of(answer.words)))
    together = len(pairs & context.pairs) / max(1, len(pairs))
    into["pair_support"] = Measurement(together, f"{together:.0%} of its word pairs stand in the passages")
    names = names_in(answer.plain)
    strange = len(numbers - context.numbers - task.numbers) + len(
        {name for name in names if stem(name) not in context.stems and name not in task.names}
    )
    into["unsupported"] = Measurement(
        math.log2(1 + strange), f"it has {several(strange, 'name or number')} that the passages do not have"
    )


def _need(task: Task, answer: Answer, into: dict[str, Measurement]) -> None:
    """A crude need: little for a title or a label, as much as the source for a rewrite, a page for an explanation."""
    kinds = task.kinds
    need = 60.0
    if "brief" in kinds or "classify" in kinds or "yes_no" in kinds:
        need = 20.0
    elif "edit" in kinds or "translation" in kinds:
        need = max(12.0, len(task.material.split()) * 1.1)
    elif "summary" in kinds:
        need = max(30.0, len(task.material.split()) * 0.3)
    elif kinds & {"explain", "list", "creative", "code", "detailed"}:
        need = 150.0
    beyond = max(0.0, math.log2((answer.count + 4) / (need + 4)))
    into["word_need"] = Measurement(
        beyond,
        f"it has {several(answer.count, 'word')} where about {need:.0f} might do" if beyond else "it is not too long",
    )
    bare = 1.0 if answer.count <= 3 else 0.0
    into["bare"] = Measurement(
        bare, f"it is only {several(answer.count, 'word')}" if bare else "it is more than a bare word"
    )
    code = 0.0
    if "code" in kinds and task.requests.asks_for_code:
        code = 1.0 if _LOOKS_LIKE_CODE.search(answer.plain) else -1.0
    into["no_code"] = Measurement(
        code, "it has code" if code > 0 else "it has no code" if code else "no code is called for"
    )
