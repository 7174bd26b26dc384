"""Reads the messages of chat APIs as steps: who said what, which tool was called with what, and what it returned.

The shapes are OpenAI's (chat completions and Responses items) and Anthropic's, also as inspect, LangChain and DeepEval
write them. Nothing is dropped: what cannot be shown as text becomes a placeholder such as `[image]`, and what is
unknown is an error that names its place. Each protocol decides which kinds of steps it shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import groupby
from typing import Any, Literal

from ..errors import InputError
from .json import parse_or_explain, parse_value
from .text import Unreadable, kind_of, quote

Kind = Literal["instructions", "user", "assistant", "thinking", "tool call", "tool result"]

_ROLES: Mapping[str, Kind] = {
    "system": "instructions",
    "developer": "instructions",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "tool": "tool result",
    "function": "tool result",
}
_PLACEHOLDERS = {
    "image": "image", "image_url": "image", "input_image": "image", "audio": "audio", "input_audio": "audio",
    "video": "video", "video_url": "video", "file": "file", "input_file": "file", "document": "document",
}  # fmt: skip
_TEXTS = ("text", "input_text", "output_text", "summary_text", "reasoning_text", "refusal")
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning")
_CALLED = ("tool_calls", "function_call")
_CALLED_BEFORE = ("tools_called",)  # DeepEval: the calls that led to the content, with their results
_ARGUMENTS = ("arguments", "args", "input", "input_parameters")
# A message with one of these fields may have no content.
_FIELDS = ("content", "refusal", "audio", "reasoning_content", "reasoning", *_CALLED, *_CALLED_BEFORE)
_MESSAGE = '{"role", "content"}, or an item of type function_call or function_call_output, is allowed'
_PARTS = f"one of {', '.join((*_TEXTS, *_PLACEHOLDERS, *_THOUGHTS))}, search_result, tool_use, tool_result"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a conversation. A tool call's text are its arguments, a tool result's text is what the tool returned.

    `name` is the tool's (empty if a result does not say which), `call_id` links a result to its call, and `failed`
    means that the result is marked as an error. `message` is the position in the list of messages, from 0.
    """

    kind: Kind
    text: str
    name: str = ""
    call_id: str = ""
    failed: bool = False
    message: int = 0

    @property
    def label(self) -> str:
        """What the step is: `user`, `tool call get_weather`."""
        return f"{self.kind} {self.name}".rstrip()

    @property
    def shown(self) -> str:
        """The step as one text: `get_weather({"city": "Bergen"})`, `get_weather: 4 °C`; words as they are.

        A colon ends the name, so that a result which begins with a command is recognised as one.
        """
        if self.kind == "tool call":
            return f"{self.name}({self.text})"
        if self.kind != "tool result":
            return self.text
        head = " ".join(filter(None, (self.name, "(error)" if self.failed else "")))
        text = self.text if self.text.strip() else "(empty)"
        return f"{head}: {text}" if head else text


def read_steps(messages: object, place: str = "messages") -> tuple[Step, ...]:
    """Read a list of messages. Raise InputError that names the message, such as `messages[3].content[0]`."""
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes):
        raise InputError(place, f"expected a list of messages, found {kind_of(messages)}", _MESSAGE)
    reader = MessageReader()
    return tuple(step for at, message in enumerate(messages) for step in reader.read(message, f"{place}[{at}]", at))


class MessageReader:
    """Reads the messages of one conversation in order. It remembers the tools by the ids of their calls, because a
    result often has the id only."""

    def __init__(self) -> None:
        self._tools: dict[str, str] = {}

    def read(self, message: object, place: str, number: int = 0, kind: Kind | None = None) -> list[Step]:
        """Read one message. `kind` says who speaks if the caller knows names of roles that are not read here."""
        if not isinstance(message, Mapping):
            raise InputError(place, f"expected a message, found {kind_of(message)}", _MESSAGE)
        found: list[Step] = []
        for step in self._item(message, place) if kind is None else self._message(message, place, kind):
            if step.kind == "tool call" and step.call_id:
                self._tools[step.call_id] = step.name
            name = step.name or self._tools.get(step.call_id, "")
            found.append(step if (name, number) == (step.name, 0) else replace(step, name=name, message=number))
        return found

    def _item(self, item: Mapping[str, Any], place: str) -> Iterator[Step]:
        role, type_ = item.get("role"), item.get("type")
        if role is None and isinstance(type_, str) and type_ not in _ROLES:
            if type_.endswith("_call_output"):
                return iter([_result(item, "output", f"{place}.output")])
            if type_.endswith("_call"):
                return _hosted_call(item, type_, place)
            if type_ == "reasoning":
                return iter([_thought(item, place)])
            raise InputError(place, f"unknown type {quote(type_)}", _MESSAGE)
        name = type_ if role is None else role
        if not isinstance(name, str):
            raise InputError(place, "no role" if name is None else f"the role is {kind_of(name)}", _MESSAGE)
        if (kind := _ROLES.get(name.lower())) is None:
            raise InputError(f"{place}.role", f"unknown role {quote(name)}", f"one of {', '.join(_ROLES)}")
        return self._message(item, place, kind)

    def _message(self, message: Mapping[str, Any], place: str, kind: Kind) -> Iterator[Step]:
        if kind == "tool result":
            yield from _results(message, place)
            return
        if not any(name in message for name in _FIELDS):
            raise InputError(place, f"no content in a message of {kind}", _MESSAGE)
        steps = [
            *_thoughts_beside(message, place),
            *_calls(message, place, _CALLED_BEFORE),
            *_content(message, place, kind),
            *_calls(message, place, _CALLED),
        ]
        # A message without words is a step of its own only if there is nothing else in it.
        filled = [step for step in steps if step.text.strip() or step.kind.startswith("tool")]
        yield from filled or [step for step in steps if step.kind == kind] or [Step(kind, "")]


def _content(message: Mapping[str, Any], place: str, kind: Kind) -> list[Step]:
    """Read the content. Neighbouring words are one step, until a tool is called or a result comes."""
    content = message.get("content")
    parts: Sequence[Any] = content if isinstance(content, list | tuple) else [content] if content is not None else []
    steps: list[Step] = []
    for at, part in enumerate(parts):
        if isinstance(part, str):
            steps.append(Step(kind, part))
        elif parts is content and isinstance(part, Mapping):
            steps += _part(part, f"{place}.content[{at}]", kind)
        else:
            where = f"{place}.content[{at}]" if parts is content else f"{place}.content"
            raise InputError(where, f"expected text, found {kind_of(part)}", "text, or a list of parts, is allowed")
    if isinstance(refusal := message.get("refusal"), str):
        steps.append(Step(kind, refusal))
    audio = message.get("audio")
    if isinstance(audio, Mapping) and not content:
        steps.append(Step(kind, audio["transcript"] if isinstance(audio.get("transcript"), str) else "[audio]"))
    joined: list[Step] = []
    for spoken, group in groupby(steps, lambda step: step.kind if step.kind in (kind, "thinking") else None):
        those = list(group)
        joined += [Step(spoken, _lines(step.text for step in those))] if spoken else those
    return joined


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(text for text in texts if text)


def _part(part: Mapping[str, Any], place: str, kind: Kind) -> Iterator[Step]:
    """Read one part of a content, whatever API wrote it."""
    type_ = part.get("type", "text" if "text" in part else None)
    if not isinstance(type_, str):
        raise InputError(place, "no type", _PARTS)
    if type_ in _THOUGHTS:
        yield _thought(part, place)
    elif type_.endswith("tool_use"):
        yield _call(part, place)
        # inspect keeps the result of a tool that the provider ran in the same part.
        if part.get("result") is not None:
            yield _result(part, "result", f"{place}.result")
    elif type_.endswith("tool_result"):
        yield _result({"content": None, **part}, "content", f"{place}.content")
    else:
        yield Step(kind, _words(part, type_, place))


def _words(part: Mapping[str, Any], type_: str, place: str) -> str:
    """Return the text of a part, or a placeholder for what is not text."""
    if type_ in _TEXTS:
        key = "refusal" if type_ == "refusal" else "text"
        text = part.get(key)
        if text is not None and not isinstance(text, str):
            raise InputError(f"{place}.{key}", f"expected text, found {kind_of(text)}", "a string is allowed")
        return text or ""
    if type_ == "search_result":
        return json_text(part, place)
    if type_ not in _PLACEHOLDERS:
        raise InputError(f"{place}.type", f"unknown type {quote(type_)}", _PARTS)
    source = part.get("source")
    if isinstance(source, Mapping) and source.get("type") == "text" and isinstance(source.get("data"), str):
        return str(source["data"])
    inner = part.get(type_)
    holders = [holder for holder in (part, inner) if isinstance(holder, Mapping)]
    names = [holder.get(key) for holder in holders for key in ("title", "filename")]
    name = next((name for name in names if isinstance(name, str) and name), "")
    return f"[{_PLACEHOLDERS[type_]}: {name}]" if name else f"[{_PLACEHOLDERS[type_]}]"


# -- tools -------------------------------------------------------------------------------------------------------------


def _calls(message: Mapping[str, Any], place: str, keys: Iterable[str]) -> Iterator[Step]:
    """Yield the calls in these fields of a message, and the results that are kept with them."""
    for key in keys:
        given = message.get(key)
        if isinstance(given, str) and given.strip():  # a cell of a table
            given = parse_value(given, f"{place}.{key}")
        if not given:
            continue
        calls = given if isinstance(given, list | tuple) else [given]
        for at, call in enumerate(calls):
            where = f"{place}.{key}[{at}]" if calls is given else f"{place}.{key}"
            if not isinstance(call, Mapping):
                raise InputError(where, f"expected a tool call, found {kind_of(call)}", "an object is allowed")
            yield _call(call, where)
            if key in _CALLED_BEFORE and call.get("output") is not None:
                yield _result(call, "output", f"{where}.output")


def _call(call: Mapping[str, Any], place: str) -> Step:
    inner = call.get("function", call.get("custom"))
    # inspect has the name there, OpenAI an object with name and arguments.
    holder = inner if isinstance(inner, Mapping) else call
    name = inner if isinstance(inner, str) else holder.get("name")
    if not isinstance(name, str) or not name.strip():
        raise InputError(place, "no name of a tool in a call", 'such as {"name": "get_weather", "arguments": "{}"}')
    given = next((holder[key] for key in _ARGUMENTS if holder.get(key) is not None), "")
    return Step("tool call", _arguments(given, place), " ".join(name.split()), _id(call))


def _hosted_call(item: Mapping[str, Any], type_: str, place: str) -> Iterator[Step]:
    """Read a Responses item: a call of a function, or of a tool that the provider runs, such as web_search_call."""
    tool = type_.removesuffix("_call")
    if tool in ("function", "custom_tool", "mcp"):
        yield _call(item, place)
    else:
        aside = ("type", "id", "call_id", "status", *(("result",) if tool == "image_generation" else ()))
        rest = {key: value for key, value in item.items() if key not in aside and value is not None}
        yield Step("tool call", json_text(rest, place), tool, _id(item))
        if tool == "image_generation":
            yield Step("tool result", "[image]", tool, _id(item))
    if tool == "mcp" and (item.get("output") is not None or item.get("error")):
        yield _result(item, "output", f"{place}.output")


def _results(message: Mapping[str, Any], place: str) -> Iterator[Step]:
    """Read a message of a tool. Some programs put Anthropic's parts into it, which are results of their own."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    if parts and all(isinstance(part, Mapping) and part.get("type") == "tool_result" for part in parts):
        for at, part in enumerate(parts):
            yield from _part(part, f"{place}.content[{at}]", "tool result")
    else:
        yield _result(message, "content", f"{place}.content")


def _result(result: Mapping[str, Any], key: str, place: str) -> Step:
    """Read what a tool returned. Any JSON value can be shown, so only a value that is missing is refused."""
    error = result.get("error")
    if key not in result and not error:
        raise InputError(place, "missing", "what the tool returned is needed")
    text = _returned(result.get(key), place)
    if error and not text.strip():
        text = _returned(error.get("message", error) if isinstance(error, Mapping) else error, place)
    inner = result.get("function")
    names = (inner if isinstance(inner, str) else None, result.get("name"))
    name = next((" ".join(name.split()) for name in names if isinstance(name, str)), "")
    return Step("tool result", text, name, _id(result), failed=bool(error) or result.get("is_error") is True)


def _returned(content: Any, place: str) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    parts: Sequence[Any] = content if isinstance(content, list | tuple) else ()
    if not parts or not all(isinstance(part, Mapping) and isinstance(part.get("type"), str) for part in parts):
        return json_text(content, place)
    known = (*_TEXTS, *_PLACEHOLDERS)
    return _lines(
        _words(part, part["type"], f"{place}[{at}]") if part["type"] in known else json_text(part, f"{place}[{at}]")
        for at, part in enumerate(parts)
    )


def _id(item: Mapping[str, Any]) -> str:
    ids = (item.get(key) for key in ("tool_call_id", "tool_use_id", "call_id", "id"))
    return next((given for given in ids if isinstance(given, str)), "")


def _arguments(given: Any, place: str) -> str:
    if not isinstance(given, str):
        return json_text(given, place)
    value = parse_or_explain(given) if given.lstrip()[:1] in ("{", "[") else None
    if value is None or isinstance(value, Unreadable):
        return given
    written = json_text(value, place)
    # Half of a surrogate pair is valid as an escape only.
    return given if any("\ud800" <= char <= "\udfff" for char in written) else written


# -- thoughts ----------------------------------------------------------------------------------------------------------


def _thoughts_beside(message: Mapping[str, Any], place: str) -> Iterator[Step]:
    for key in ("reasoning_content", "reasoning"):
        if isinstance(thought := message.get(key), str):
            yield Step("thinking", thought)
        elif isinstance(thought, Mapping):
            yield _thought(thought, f"{place}.{key}")


def _thought(part: Mapping[str, Any], place: str) -> Step:
    """Read a model's thoughts, or a summary of them; encrypted ones are a placeholder."""
    for key in ("thinking", "reasoning", "text", "content", "summary"):
        if text := _returned(part.get(key) or None, f"{place}.{key}"):
            return Step("thinking", text)
    return Step("thinking", "[encrypted]")


# -- JSON --------------------------------------------------------------------------------------------------------------


def json_text(value: Any, place: str) -> str:
    """Write a value as JSON on one line, with exact numbers, readable letters and a space after each comma and colon.

    Content that a provider encrypted for itself is not repeated.
    """
    try:
        return _json(value)
    except (TypeError, ValueError, RecursionError) as error:
        found = "nested too deeply" if isinstance(error, RecursionError) else f"not JSON ({error})"
        raise InputError(place, found, "text, numbers, lists and objects are allowed") from None


def _json(value: Any) -> str:
    if isinstance(value, Mapping):
        members = (
            (str(key), '"[encrypted]"' if key == "encrypted_content" and of else _json(of)) for key, of in value.items()
        )
        return f"{{{', '.join(f'{json.dumps(key, ensure_ascii=False)}: {written}' for key, written in members)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_json, value))}]"
    if isinstance(value, Decimal):
        return format(value, "f")
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
