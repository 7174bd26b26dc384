"""The form of a comparison, its shipped examples, and what its page does with other weights."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import InputError
from ...inputs.json import parse_object
from ...inputs.text import kind_of
from ...models.cases import check_weights
from ...rubric import Rubric
from ..form import ExampleRun, Field, Form, weights_in
from .case import Comparison
from .deciding import reweighted
from .reading import FIELDS, WANTED, comparison_from, weights_from
from .verdict import ComparisonVerdict

_FIELDS = (
    Field("userTask", "Task", "What both answers respond to.", 3, needed="Enter a task"),
    Field("responseA", "Response A", "The first answer.", 12, needed="Enter response A", side="A"),
    Field("responseB", "Response B", "The second answer.", 12, needed="Enter response B", side="B"),
    Field("context", "Context", "What the answers should be read against, if anything.", 2),
)


def _case(values: Mapping[str, str], rubric: Rubric) -> Comparison:
    texts = {field.name: values.get(field.name, "") for field in _FIELDS}
    return comparison_from({**texts, "weights": weights_in(values) or None}, rubric)


def _fill(whole: str, rubric: Rubric) -> dict[str, str]:
    data = parse_object(whole.encode("utf-8", "surrogatepass"), "whole", WANTED)
    named = {name: data[given] for names in FIELDS.values() for given in names if given in data for name in names[:1]}
    weights = weights_from(named.pop("weights", None))
    check_weights(weights, rubric.weights)
    for name, value in named.items():
        if not isinstance(value, str | None):
            raise InputError(name, f"expected text, found {kind_of(value)}", "a string is allowed")
    sliders = {f"weights.{key}": str(weight) for key, weight in (weights or {}).items()}
    return {**{name: value or "" for name, value in named.items()}, **sliders}


def _reweighted(verdict: ComparisonVerdict, given: Mapping[str, str]) -> ComparisonVerdict:
    """Return the verdict with the weights given one by one or as `weights=a=1,b=2`, or itself if they are the same."""
    weights = weights_in(given) or weights_from(given.get("weights"))
    if weights is None:
        return verdict
    now = check_weights(weights, verdict.weights)
    return verdict if now == verdict.weights else reweighted(verdict, now)


# The runs of the service's demo: sixty cases of five weeks, each week by itself, and a second judge on all. Judges and
# labels are written; `python bench/demo.py` makes the files from what was written.
_WEEKS, _MARCH, _REPLIES = "demo/weeks.jsonl", "demo/march.jsonl", "demo/replies.jsonl"
_JUDGE = {"judge": "written:demo", "recheck_attempts": True}
_MONDAYS = ("2026-03-02", "2026-03-09", "2026-03-16", "2026-03-23", "2026-03-30")

# The first ones are judged first.
_RUNS = (
    ExampleRun(
        name="March: heron against kestrel",
        file=_MARCH,
        settings=_JUDGE,
        created="2026-04-02T08:00:00+00:00",
        replies=_REPLIES,
        labelling={"cases": 60, "people": 3, "named": ("lena", "omar", "priya")},
        labels="demo/labels.jsonl",
    ),
    ExampleRun(
        name="March again: a more careful judge",
        file=_MARCH,
        settings={**_JUDGE, "judge": "written:careful", "one_order": True},
        created="2026-04-03T08:00:00+00:00",
        replies=_REPLIES,
    ),
    *(
        ExampleRun(
            name=f"Week {number}: heron against kestrel",
            file=_WEEKS,
            only=("week", str(number)),
            settings=_JUDGE,
            created=f"{monday}T08:00:00+00:00",
            replies=_REPLIES,
        )
        for number, monday in enumerate(_MONDAYS, start=1)
    ),
)

FORM = Form(
    heading="Which answer is better, and why?",
    lead="Two answers to one task, judged in both orders, with evidence that really is in the text.",
    whole="JSON with userTask, responseA and responseB.",
    many="Two answers to a task",
    row='{"id": "1", "task": "Say hello.", "a": "Hello, how are you today?", "b": "Hey."}',
    fields=_FIELDS,
    case=_case,
    fill=_fill,
    example="example.json",
    example_title="Two answers to a nurse who cannot sleep by day",
    example_runs=_RUNS,
    reweighted=_reweighted,
)
