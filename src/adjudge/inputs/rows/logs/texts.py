"""What logs of other tools hold as input and output: texts, messages of chat APIs, or objects that contain them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...json import parse_cell, text_parts
from ...messages import json_text
from ...text import Unreadable, kind_of

# Where an object keeps the text that matters.
_ASKED = ("question", "query", "input", "prompt", "task", "text", "content", "user_input", "instruction")
_ANSWERED = ("output", "answer", "response", "completion", "content", "text", "result")
_LISTS = ("messages", "input", "prompt")


def unfit(value: Any, wanted: str) -> str:
    """Say why a value is not the object that is wanted, such as `a row`."""
    return str(value) if isinstance(value, Unreadable) else f"expected {wanted}, found {kind_of(value)}"


def message_of(error: Any) -> Any:
    """Return the message of an error, which may be an object."""
    return error.get("message") if isinstance(error, Mapping) else error


def column_of(system: str) -> str:
    """Name the column of a system's answers as promptfoo's tables do."""
    return f"[{system.replace(']', ')')}] output"


def unpacked(value: Any, place: str) -> Any:
    """Return the value in a cell that holds JSON; other values as they are."""
    parsed = parse_cell(value, place) if isinstance(value, str) else None
    return value if parsed is None else parsed


def messages_in(value: Any, place: str) -> list[Any] | None:
    """Return the messages that a value holds: a list of them, JSON, or an object with them; None if there are none."""
    value = unpacked(value, place)
    if isinstance(value, Mapping):
        value = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
    is_talk = isinstance(value, list) and value and all(isinstance(one, Mapping) and "role" in one for one in value)
    return list(value) if is_talk else None


def asked_in(value: Any, place: str) -> Any:
    """Return the text that was asked: what the user says in messages, or the usual member of an object."""
    if (messages := messages_in(value, place)) is not None:
        parts = [text for one in messages if one["role"] in ("user", "human") for text in _texts(one)]
        return "\n\n".join(filter(None, parts))
    return _text(unpacked(value, place), _ASKED, place)


def answered_in(value: Any, place: str) -> Any:
    """Return the text that was answered: the last words of an assistant in messages, or the usual member."""
    value = unpacked(value, place)
    if isinstance(value, Mapping):
        choices = value.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
            value = choices[0].get("message", choices[0])
    if isinstance(value, Mapping) and value.get("role") is not None:
        return "\n".join(_texts(value))
    if (messages := messages_in(value, place)) is not None:
        answers = [_texts(one) for one in messages if one["role"] in ("assistant", "ai")]
        return "\n".join(answers[-1]) if answers else None
    return _text(value, _ANSWERED, place)


def has_tools(messages: Iterable[Any]) -> bool:
    """Tell whether tools were used in a conversation."""
    used = ("tool_calls", "tool_call_id", "function_call")
    return any(
        one.get("role") == "tool" or any(one.get(name) for name in used) for one in messages if isinstance(one, Mapping)
    )


def short(text: Any, length: int = 200) -> str:
    """Return a text on one line, cut to a length."""
    line = " ".join(str(text).split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _texts(message: Mapping[str, Any]) -> list[str]:
    return text_parts(message.get("content")) or []


def _text(value: Any, names: Sequence[str], place: str) -> Any:
    if isinstance(value, Mapping):
        found = [value[name] for name in names if isinstance(value.get(name), str)]
        if not found and len(value) == 1:
            found = [one for one in value.values() if isinstance(one, str)]
        return found[0] if found else json_text(value, place)
    return json_text(value, place) if isinstance(value, list) else value
