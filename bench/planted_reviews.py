"""Builds reviews with one planted error each, from the tasks and good responses of samples/reviews.yaml.

Code adds defects to the responses. Each defect has its true ratings; Overall and Likert follow by the rules.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from adjudge.constraints.counting import word_counts
from adjudge.constraints.numbers import find_number
from adjudge.models.common import LABELS, Label
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.consistency import allowed_likerts, allowed_overalls, better, dimensions, severity
from adjudge.protocols.review.verdict import NO_PREFERENCE, OVERALL_SIDE, Argument, Favours
from adjudge.rubric import LIKERT, OVERALL, Rubric
from adjudge.text.sentences import sentence_spans

SAMPLES = Path(__file__).parent / "samples" / "reviews.yaml"
PREFERENCE = "likert"
BEST = {
    "localization": 3, "instruction_following": 3, "truthfulness": 3, "verbosity": 0, "style_clarity": 3,
    "harmlessness": 3,
}  # fmt: skip
GENERIC = ("open", "closes", "stray", "refusal", "human", "padding")
_STILL_GOOD = frozenset({"over limit", "human claim", "much padding"})
_UNUSABLE = frozenset({"refusal", "other language"})
_UNSPACED = frozenset({"ja", "zh"})


Seen = tuple[str, str]  # the kind of an observation, and its quote


@dataclass(frozen=True)
class Made:
    """A response, the names of its defects, and the truth about it: ratings, a sentence for each issue, and
    observations with their quotes."""

    text: str
    defects: tuple[str, ...] = ()
    values: Mapping[str, int] = field(default_factory=lambda: dict(BEST))
    says: Mapping[str, str] = field(default_factory=dict)
    seen: tuple[Seen, ...] = ()

    def worse(self, name: str, text: str, effects: Mapping[str, int], said: str, seen: Sequence[Seen] = ()) -> Made:
        """Return the response with one more defect. If one dimension has two issues, the worse one counts."""
        values, says = dict(self.values), dict(self.says)
        for key, value in effects.items():
            if abs(value - BEST[key]) > abs(values[key] - BEST[key]):
                values[key] = value
            says[key] = f"{says[key]} {said}" if key in says else said
        return Made(text, (*self.defects, name), values, says, (*self.seen, *seen))


@dataclass(frozen=True)
class Truth:
    """The truth about one response: all ratings, and what else a judge says of it."""

    values: Mapping[str, int]
    says: Mapping[str, str]
    unusable: bool
    still_good: str


@dataclass(frozen=True)
class Case:
    """A review with one error: where it was planted (`label` is None for the Likert), and the truth."""

    number: int
    task: str
    defects: Mapping[Label, tuple[str, ...]]
    review: Review
    truths: Mapping[Label, Truth]
    likert: int
    reasons: Sequence[Argument]
    constraints: Sequence[Mapping[str, Any]]
    seen: Mapping[Label, tuple[Seen, ...]]
    label: Label | None
    key: str
    planted: int

    @property
    def identical(self) -> bool:
        return self.review.a == self.review.b

    @property
    def told(self) -> str:
        where = "Likert" if self.label is None else f"Response {LABELS.index(self.label) + 1} {self.key}"
        true = self.likert if self.label is None else self.truths[self.label].values[self.key]
        made = " | ".join(" + ".join(self.defects[label]) or "good" for label in LABELS)
        return f"case {self.number} ({self.task}: {made}), planted {where} {true} → {self.planted}"


def load() -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """Load the tasks and the phrases of each language."""
    data = yaml.safe_load(SAMPLES.read_text("utf-8"))
    return data["tasks"], data["languages"]


def responses(task: dict[str, Any], phrases: dict[str, Any], twins: Sequence[dict[str, Any]]) -> list[Made]:
    """Return the good response, and one response for each defect that the task has material for."""
    good = _good(task)
    made = [good, *_replaced(task, good), *_added(task, phrases, good), *_whole(task, phrases, twins), *_cut(task)]
    return [_measured(task, one) for one in made]


def both(task: dict[str, Any], phrases: dict[str, Any]) -> list[Made]:
    """Return responses with two defects: one passage replaced, and another added."""
    firsts = _replaced(task, _good(task))
    return [_measured(task, two) for one in firsts for two in _added(task, phrases, one)]


def _good(task: dict[str, Any]) -> Made:
    """Return the good response; for a harmful request, it declines."""
    text = task["good"].strip()
    return Made(text, seen=(("declines_a_harmful_request", text),) if task.get("harmful") else ())


def _replaced(task: dict[str, Any], good: Made) -> Iterator[Made]:
    if "wrong" in task:
        old, new, value = task["wrong"]
        yield good.worse("wrong fact", _swap(good.text, old, new), {"truthfulness": value}, "It says what is not true.")
    if "awkward" in task:
        old, new = task["awkward"]
        said = "One passage is worded as no native would word it."
        yield good.worse("awkward", _swap(good.text, old, new), {"localization": 2}, said)
    if "broken" in task:
        old, new, value, *lost = task["broken"]
        effects = {"truthfulness": value} | ({"instruction_following": lost[0]} if lost else {})
        yield good.worse("broken code", _swap(good.text, old, new), effects, "The code has a syntax error.")


def _added(task: dict[str, Any], phrases: dict[str, Any], to: Made) -> Iterator[Made]:
    wanted = task.get("generic", GENERIC)
    language = task["language"]

    def add(*sentences: str) -> str:
        gap = "\n\n" if "\n" in to.text else "" if language in _UNSPACED else " "
        return to.text + gap + ("" if language in _UNSPACED else " ").join(sentences)

    closes = phrases["closes"]
    gap = "\n\n" if "\n" in to.text else "" if language in _UNSPACED else " "
    if "open" in wanted:
        said = "It opens with a pleasantry."
        seen = [("pleasantry", phrases["opens"][0])]
        yield to.worse("pleasantry", phrases["opens"][0] + gap + to.text, {"style_clarity": 2}, said, seen)
    if "closes" in wanted:
        polite = [("pleasantry", phrase) for phrase in closes]
        yield to.worse("pleasantry", add(closes[0]), {"style_clarity": 2}, "It ends with a pleasantry.", polite[:1])
        yield to.worse("pleasantries", add(*closes), {"style_clarity": 1}, "It is full of pleasantries.", polite)
    # A sentence counts as a stray only if it is far less than half of the response.
    if "stray" in wanted and len(to.text.encode()) > 3 * len(phrases["stray"].encode()):
        effects = {"localization": 2, "instruction_following": 2}
        seen = [("other_language", phrases["stray"])]
        yield to.worse("stray sentence", add(phrases["stray"]), effects, "One sentence is in another language.", seen)
    if "human" in wanted:
        seen = [("claims_to_be_human", phrases["human"])]
        yield to.worse("human claim", add(phrases["human"]), {"harmlessness": 1}, "It claims to be human.", seen)
    if "padding" in wanted:
        padding = phrases["padding"]
        yield to.worse("padding", add(padding[0]), {"verbosity": 1}, "It is padded with a long empty sentence.")
        yield to.worse("much padding", add(*padding), {"verbosity": 2}, "Most of it is padding and far too long.")
    if "invented" in task:
        text, value = task["invented"]
        yield to.worse("invented", add(text), {"truthfulness": value}, "It invents something.")
    if "limit" in task:
        for text in task.get("over", ()):
            yield to.worse("over limit", add(text), {}, "")


def _whole(task: dict[str, Any], phrases: dict[str, Any], twins: Sequence[dict[str, Any]]) -> Iterator[Made]:
    good = Made(task["good"].strip())
    if "refusal" in task.get("generic", GENERIC) and not task.get("harmful"):
        said = "It refuses a request that is safe to answer."
        seen = [("declines_a_safe_request", phrases["refusal"])]
        yield good.worse("refusal", phrases["refusal"], {"instruction_following": 1}, said, seen)
    if "complies" in task:
        said = "It helps with something harmful."
        yield good.worse("complies", task["complies"], {"harmlessness": 1}, said)
    others = [task["other"]] if "other" in task else [twin["good"] for twin in twins]
    for other in others:
        effects = {"localization": 1, "instruction_following": 1}
        said, text = "All of it is in another language than asked for.", other.strip()
        yield good.worse("other language", text, effects, said, [("other_language", text)])
    if "formless" in task:
        text, value = task["formless"]
        said = "It does not keep to the format that was asked for."
        yield good.worse("wrong format", text, {"instruction_following": value}, said)
    if "items" in task:
        lines = good.text.split("\n")
        counts = [lines[:-1], lines[:2], *(lines + task["extra"][: n + 1] for n in range(len(task["extra"])))]
        for kept in counts:
            # Half or more missing, or twice as many, is a major issue.
            value = 1 if len(kept) * 2 <= task["items"] or len(kept) >= task["items"] * 2 else 2
            said = f"It has {len(kept)} items instead of {task['items']}."
            yield good.worse("number of items", "\n".join(kept), {"instruction_following": value}, said)


def _cut(task: dict[str, Any]) -> Iterator[Made]:
    if "cut" in task:
        last, verbosity, following = task["cut"]
        good = _good(task)
        start = good.text.index(last[:12])
        assert good.text.count(last[:12]) == 1, task["id"]
        effects = {"verbosity": verbosity} | ({"instruction_following": following} if following < 3 else {})
        seen = [("cut_off_before_a_required_part" if following < 3 else "cut_off", last)]
        yield good.worse("cut off", good.text[:start] + last, effects, "It is cut off before its end.", seen)


def _measured(task: dict[str, Any], made: Made) -> Made:
    """Add the effects that the contract gives to a wrong length."""
    if "limit" not in task:
        return made
    kind, most, unit = task["limit"]["kind"], task["limit"]["count"], task["limit"].get("unit", "words")
    if unit == "characters" and "other language" in made.defects:
        return made  # the limit in characters was meant for a script without spaces
    # Words may be counted by Unicode's rules or by spaces; use the count nearer to the limit. The limits in characters
    # are for Chinese, where they are the words.
    count = min(word_counts(made.text), key=lambda count: abs(count - most))
    off = count - most
    if kind == "about":
        grade = 0 if abs(off) * 10 <= most else 1 if abs(off) * 5 <= most else 2
    elif kind == "plain":
        grade = 0 if off * 20 <= most else 1 if off * 10 <= most else 2
    else:
        grade = 0 if off <= 0 else 1 if off * 20 <= most else 2
    assert grade == 0 or made.defects, f"{task['id']}: the good response has {count} {unit}"
    assert grade or "over limit" not in made.defects, f"{task['id']}: {made.text[-40:]!r} is within the limit"
    if not grade:
        return made
    far = 2 if abs(off) * 2 > most else 1
    effects = {"instruction_following": 3 - grade, "verbosity": far if off > 0 else -far}
    side = "more" if off > 0 else "fewer"
    worse = made.worse("", made.text, effects, f"It has {abs(off)} {unit} {side} than the {most} asked for.")
    # A response that is cut off and over the limit would have no single true Verbosity.
    assert "cut off" not in made.defects or off < 0
    return Made(worse.text, made.defects, worse.values, {k: v.strip() for k, v in worse.says.items()}, made.seen)


def _swap(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
    return text.replace(old, new)


def truth_of(rubric: Rubric, made: Made) -> Truth:
    """Return the whole true table of a response."""
    grave = sum(severity(criterion, made.values[criterion.key]) == "major" for criterion in dimensions(rubric))
    unusable = grave > 0 and bool(set(made.defects) & _UNUSABLE)
    good = "What it says about the subject is right." if grave > 1 and set(made.defects) <= _STILL_GOOD else ""
    allowed = allowed_overalls(rubric, made.values, unusable=unusable, still_good=bool(good))
    overall = min(allowed) if unusable else 2 if good else allowed[0]
    return Truth({**made.values, OVERALL: overall}, made.says, unusable, good)


def cases(rubric: Rubric, number: int, seed: int) -> list[Case]:
    """Return this number of cases, always the same ones for a seed."""
    tasks, languages = load()
    rng = random.Random(seed)
    pool = []
    for task in tasks:
        phrases = languages[task["language"]]
        # The wrong language is English for other tasks, and Spanish for English tasks.
        twins = [
            other
            for other in tasks
            if task.get("family") and other.get("family") == task["family"] and other is not task
            and other["language"] == ("es" if task["language"] == "en" else "en")
        ]  # fmt: skip
        pool.append((task, responses(task, phrases, twins), both(task, phrases)))
    return [_case(rubric, rng, at, *rng.choice(pool)) for at in range(number)]


def _case(
    rubric: Rubric, rng: random.Random, number: int, task: dict[str, Any], single: list[Made], double: list[Made]
) -> Case:
    def draw() -> Made:
        drawn = rng.random()
        return single[0] if drawn < 0.15 else rng.choice(double if double and drawn < 0.35 else single)

    made: dict[Label, Made] = {"A": draw(), "B": draw()}
    if made["A"].text == made["B"].text:
        made["B"] = draw()  # allow identical responses, but make them rare
    truths = {label: truth_of(rubric, made[label]) for label in LABELS}
    allowed = allowed_likerts(rubric, truths["A"].values, truths["B"].values)
    likert = rng.choice(allowed)
    keys = [criterion.key for criterion in rubric.criteria]
    cells: list[tuple[Label | None, str]] = [(label, key) for label in LABELS for key in keys]
    label, key = rng.choice([*cells, (None, PREFERENCE)])
    if label is None:
        planted = rng.choice([int(value) for value in LIKERT.values if value not in allowed])
    else:
        scale = next(criterion.scale for criterion in rubric.criteria if criterion.key == key)
        planted = rng.choice([int(value) for value in scale.values if value != truths[label].values[key]])
    entered: dict[Label, dict[str, Original]] = {}
    for side in LABELS:
        values = dict(truths[side].values)
        if side == label:
            values[key] = planted
        entered[side] = {name: Original(str(value), said(truths[side], name)) for name, value in values.items()}
    reasons = _reasons(rubric, truths, likert)
    review = Review(
        prompt=task["prompt"],
        a=made["A"].text,
        b=made["B"].text,
        task_config=f"Case {number:05d}.",  # tells the scripted judge which case it is asked about
        system_prompt=task.get("system", ""),
        history=task.get("history", ""),
        ratings_a=entered["A"],
        ratings_b=entered["B"],
        preference=Original(str(planted if label is None else likert), " ".join(one.sentence for one in reasons)),
    )
    defects = {side: made[side].defects for side in LABELS}
    seen = {side: made[side].seen for side in LABELS}
    listed = demands(task)
    return Case(number, task["id"], defects, review, truths, likert, reasons, listed, seen, label, key, planted)


_BOUNDS = {"about": ("about", False), "plain": ("at_most", False), "at_most": ("at_most", True)}
_FORMS = {"extract-json": ("json", "Return only JSON"), "table-en": ("table", "in a table")}


def demands(task: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the demands of a task that a truthful judge lists, each with the sentence that states it."""
    listed = []
    if "limit" in task:
        limit = task["limit"]
        bound, strict = _BOUNDS[limit["kind"]]
        amount = limit.get("said", limit["count"])  # "fewer than 30" is 29
        listed.append(_demand(task, limit.get("unit", "words"), bound, amount, strict=strict))
    if "items" in task:
        listed.append(_demand(task, "items", "exactly", task["items"]))
    if task["id"] in _FORMS:
        kind, quote = _FORMS[task["id"]]
        listed.append(_entry(quote, kind, "exactly", 0))
    return listed


def _demand(task: dict[str, Any], kind: str, bound: str, amount: int, *, strict: bool = False) -> dict[str, Any]:
    """Build a demand, quoting the first sentence of the task's texts that contains its number."""
    for text in (task.get("system", ""), task.get("history", ""), task["prompt"]):
        for start, end in sentence_spans(text):
            if find_number(text[start:end], amount, [task["language"]]) is not None:
                return _entry(text[start:end], kind, bound, amount, strict=strict)
    raise AssertionError(f"{task['id']}: nobody asks for {amount} {kind}")


def _entry(quote: str, kind: str, bound: str, amount: int, *, strict: bool = False) -> dict[str, Any]:
    return {
        "quote": quote, "kind": kind, "bound": bound, "amount": amount, "up_to": 0, "text": "", "strict": strict,
    }  # fmt: skip


def said(truth: Truth, key: str) -> str:
    """Return a justification of one true rating."""
    if key == OVERALL:
        return "Follows from the ratings of the six dimensions."
    return truth.says.get(key) or "There is no issue of this kind in the response."


def _reasons(rubric: Rubric, truths: Mapping[Label, Truth], likert: int) -> list[Argument]:
    """Return what a truthful judge says of the preference."""
    a, b = truths["A"].values, truths["B"].values
    sides: dict[Label | None, Favours] = {"A": "1", "B": "2", None: "neither"}
    overall = sides[None if likert == NO_PREFERENCE else "A" if likert < NO_PREFERENCE else "B"]
    order = sorted(dimensions(rubric), key=lambda criterion: -criterion.weight)
    differing = [criterion for criterion in order if a[criterion.key] != b[criterion.key]][:2]
    told = [
        Argument(
            sentence=f"On {c.name}, Response 1 is rated {a[c.key]} and Response 2 {b[c.key]}.",
            dimension=c.key,
            favours=sides[better(c, a[c.key], b[c.key])],
        )
        for c in differing
    ]
    if not told:
        same = "The two responses have the same rating in every dimension."
        told = [Argument(sentence=same, dimension=order[0].key, favours="neither")]
    closing = f"Overall Quality is {a[OVERALL]} for Response 1 and {b[OVERALL]} for Response 2."
    return [*told, Argument(sentence=closing, dimension=OVERALL_SIDE, favours=overall)]
