"""What a well-behaved model would reply to a request of ours, and how each provider wraps a reply.

It reads the request as a model does: the schema it was given and the texts between the fences. It knows nothing of
adjudge's code, so that it can stand in for a provider in benchmarks too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

USAGE = {"input": 1000, "output": 200, "reasoning": 30, "cached": 400}
_CODE = re.compile(r"^Marker code for this message: (\w+)$", re.MULTILINE)
_SCHEMA_IN_TEXT = "The schema of your reply:\n"
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Request:
    """A request as it arrived."""

    path: str
    body: bytes
    headers: Mapping[str, str]

    @cached_property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body)

    @property
    def anthropic(self) -> bool:
        return self.path.endswith("/messages")

    @property
    def system(self) -> str:
        if self.anthropic:
            return self.json["system"][0]["text"]
        return next(message["content"] for message in self.json["messages"] if message["role"] == "system")

    @cached_property
    def turns(self) -> list[str]:
        return [message["content"] for message in self.json["messages"] if message["role"] != "system"]

    @property
    def repairs(self) -> bool:
        """Whether it repeats an earlier reply, to have it mended."""
        return bool(self.fenced("YOUR REPLY"))

    @property
    def schema(self) -> dict[str, Any]:
        """The schema the reply must fit, by whichever way it was asked for."""
        data = self.json
        if "response_format" in data:
            return data["response_format"]["json_schema"]["schema"]
        if "output_config" in data:
            return data["output_config"]["format"]["schema"]
        if "tools" in data:
            tool = data["tools"][0]
            return tool["input_schema"] if self.anthropic else tool["function"]["parameters"]
        return json.loads(self.system.partition(_SCHEMA_IN_TEXT)[2])

    @property
    def code(self) -> str:
        """The code of the fence."""
        return _CODE.search(self.turns[0])[1]

    def fenced(self, name: str) -> str:
        """The text between the markers of this name, as the model sees it."""
        start, end = f"<<<{name} {self.code}>>>\n", f"\n<<<END {name} {self.code}>>>"
        return self.turns[0].partition(start)[2].partition(end)[0]


def quote_from(text: str) -> str:
    """A passage of at least five words from the beginning of a text, or all of it if it is short."""
    words = [match for match in _WORD.finditer(text) if any(map(str.isalnum, match[0]))]
    if any(len(match[0]) > 40 for match in words[:6]):  # a script without spaces: a few characters are as many words
        return words[0][0][:16]
    return text[words[0].start() : words[5].end()] if len(words) > 6 else text.strip()


def score_by_length(text: str, scale: list[Any]) -> Any:
    """A score that belongs to the text, not to the place it is shown at: more words, more points."""
    return scale[min(len(scale) - 1, len(_WORD.findall(text)) // 5)]


def correct_reply(request: Request, score: Callable[[str], Any] | None = None) -> dict[str, Any]:
    """The object a careful model would reply with, whichever of our schemas is asked for."""
    asked = request.schema["properties"]
    if "queries" in asked:
        return {"queries": []}
    texts = [request.fenced("ANSWER 1"), request.fenced("ANSWER 2")]
    if "criteria" not in asked:
        keys = asked["evidence"]["items"]["properties"]["criterion"]["enum"]
        numbered = [{"answer": n, **_quote(text, n)} for n, text in enumerate(texts, start=1)]
        return {"evidence": [{"criterion": key, **quote} for key in keys for quote in numbered]}
    criteria = asked["criteria"]["properties"]
    scale = next(iter(criteria.values()))["properties"]["score_1"]["enum"]
    scores = [score(text) if score else score_by_length(text, scale) for text in texts]
    marks: dict[str, Any] = {}
    for n, text in enumerate(texts, start=1):
        marks |= {f"{field}_{n}": value for field, value in _quote(text, n).items()}
    for n, points in enumerate(scores, start=1):
        marks |= {f"justification_{n}": f"Answer {n} says what it says.", f"score_{n}": points}
    first, second = scores
    return {
        "criteria": dict.fromkeys(criteria, marks),
        "more_evidence": [],
        "summary_1": "Answer 1 in short.",
        "summary_2": "Answer 2 in short.",
        "rationale": "Answer 1 and Answer 2 were read; Answer 2 stood second.",
        "preference": "tie" if first == second else "answer_1" if first > second else "answer_2",
    }


def _quote(text: str, number: int) -> dict[str, Any]:
    return {"quote": quote_from(text), "impact": "favorable", "rationale": f"Answer {number} is clear."}


def envelope(request: Request, content: str, finish: str = "stop", refusal: str | None = None) -> dict[str, Any]:
    """The provider's JSON around a model's reply; a forced tool gets it as its arguments."""
    data = request.json
    return (_message if request.anthropic else _completion)(data, content, finish, refusal)


def _completion(data: dict[str, Any], content: str, finish: str, refusal: str | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": refusal}
    if "tools" in data and refusal is None:
        name = data["tools"][0]["function"]["name"]
        call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": content}}
        message |= {"content": None, "tool_calls": [call]}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": data["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {
            "prompt_tokens": USAGE["input"],
            "completion_tokens": USAGE["output"],
            "total_tokens": USAGE["input"] + USAGE["output"],
            "prompt_tokens_details": {"cached_tokens": USAGE["cached"]},
            "completion_tokens_details": {"reasoning_tokens": USAGE["reasoning"]},
        },
    }


def _message(data: dict[str, Any], content: str, finish: str, refusal: str | None) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": content if refusal is None else refusal}
    if "tools" in data and refusal is None:
        # A model may answer in prose although it was given a tool.
        with suppress(ValueError):
            given = json.loads(content)
            block = {"type": "tool_use", "id": "toolu_1", "name": data["tools"][0]["name"], "input": given}
    stop = {"stop": "end_turn", "length": "max_tokens"}.get(finish, finish)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": data["model"],
        "content": [block],
        "stop_reason": "refusal" if refusal is not None else stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": USAGE["input"] - USAGE["cached"],
            "cache_read_input_tokens": USAGE["cached"],
            "cache_creation_input_tokens": 0,
            "output_tokens": USAGE["output"],
        },
    }
