"""Reads what OpenAI's evals write: the events that the package `evals` logs, and the output items of the Evals API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ....errors import TooLargeError
from ....protocols.reading import BadRow, LoggedAnswer
from ...text import Unreadable
from .promptfoo import MAX_LOG_CHARACTERS
from .texts import answered_in, asked_in, column_of, has_tools, message_of, messages_in, short, unfit

_IDEAL = ("ideal", "expected", "reference", "target", "ground_truth", "correct_label", "answer")


@dataclass
class _Sample:
    """The events of one sample: where it begins, what was asked and sampled last, and how that was matched."""

    place: str
    prompt: Any = None
    sampled: Any = None
    match: Mapping[str, Any] = field(default_factory=dict)
    error: Any = None


def read_events(items: Iterable[tuple[str, Any]], name: str) -> Iterator[LoggedAnswer | BadRow]:
    """Yield the answer of each sample in a log of events. An answer that was sampled in several calls is the last one.

    The events of samples that ran at the same time are mixed, so a log is read to its end first.
    """
    samples: dict[str, _Sample] = {}
    model, size = "model", 0
    for number, (place, event) in enumerate(items, 1):
        if not isinstance(event, Mapping):
            yield BadRow(place, str(number), unfit(event, "an event"))
            continue
        if isinstance(spec := event.get("spec"), Mapping):
            functions = spec.get("completion_fns")
            model = ", ".join(map(str, functions)) if isinstance(functions, list) and functions else model
        data, own = event.get("data"), event.get("sample_id")
        if own is None or not isinstance(data, Mapping):
            continue
        size += len(str(data))
        if size > MAX_LOG_CHARACTERS:
            raise TooLargeError(name, f"more than {MAX_LOG_CHARACTERS:,} characters of events", "split the file")
        sample = samples.setdefault(str(own), _Sample(place))
        if event.get("type") == "sampling":
            sample.prompt, sample.sampled = data.get("prompt"), data.get("sampled")
        elif event.get("type") == "match":
            sample.match = data
        elif event.get("type") == "error":
            sample.error = data.get("message") or data.get("error") or "an error"
    for own, sample in samples.items():
        if sample.sampled is not None or sample.error is not None:
            yield _sampled(own, sample, model)


def _sampled(own: str, sample: _Sample, model: str) -> LoggedAnswer:
    sampled = sample.sampled
    # Completion functions return one text, or a list of them.
    sampled = sampled[0] if isinstance(sampled, list) and len(sampled) == 1 else sampled
    asked = messages_in(sample.prompt, "prompt")
    answer = sampled if sampled is None or isinstance(sampled, str) else answered_in(sampled, "sampled")
    messages = [*asked, {"role": "assistant", "content": str(answer)}] if asked and answer is not None else None
    extra = {f"match.{key}": sample.match[key] for key in ("correct", "picked") if sample.match.get(key) is not None}
    return LoggedAnswer(
        sample.place, own, own, model, column_of(model), asked_in(sample.prompt, "prompt"), answer, messages,
        reference=_reference(sample.match.get("expected")),
        problem=f"the log says: {short(sample.error)}" if answer is None else "", extra=extra,
    )  # fmt: skip


def read_output_items(items: Iterable[tuple[str, Any]]) -> Iterator[LoggedAnswer | BadRow]:
    """Yield the answers in output items of the Evals API."""
    for number, (place, item) in enumerate(items, 1):
        sample = item.get("sample") if isinstance(item, Mapping) else None
        if not isinstance(item, Mapping) or not isinstance(sample, Mapping):
            found = str(item) if isinstance(item, Unreadable) else "no sample"
            yield BadRow(place, str(number), f"{found}; output items of an eval run are needed")
            continue
        given = item.get("datasource_item")
        given = given if isinstance(given, Mapping) else {}
        asked, written = (messages_in(sample.get(key), f"sample.{key}") or [] for key in ("input", "output"))
        model = str(sample.get("model") or "model")
        answer = answered_in(written, "sample.output") if written else None
        problem = message_of(sample.get("error"))
        own = str(item.get("datasource_item_id", item.get("id", number)))
        results = item.get("results")
        extra = {f"item.{key}": value for key, value in given.items()} | {
            f"grader.{one.get('name')}": one.get("score", one.get("passed"))
            for one in (results if isinstance(results, list) else ())
            if isinstance(one, Mapping)
        }
        task = asked_in(asked, "sample.input") if asked else asked_in(given, "datasource_item")
        yield LoggedAnswer(
            place, own, own, model, column_of(model), task, answer,
            [*asked, *written] if asked and written else None, has_steps=has_tools(written),
            reference=next((given[name] for name in _IDEAL if given.get(name) is not None), None),
            problem=f"the run says: {short(problem or 'no output')}" if answer is None else "", extra=extra,
        )  # fmt: skip


def _reference(value: Any) -> Any:
    """Return what was expected. Several texts are alternatives."""
    return "\nor\n".join(map(str, value)) if isinstance(value, list) else value
