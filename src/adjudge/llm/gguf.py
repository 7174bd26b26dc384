"""A GGUF model run in this process by llama.cpp: no server, no key, no cost. The schema constrains its output.

The model is loaded at the first call, on its own thread, which answers one request after the other.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import re
import secrets
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ..errors import NOTE, InputError, plain_reason
from ..extras import missing_extra
from ..models.common import Failure
from ..text.control_tokens import LISTED, defuse, pattern_of
from .base import Completion, Delivery, Prompt, ReplySchema, Sampling
from .http import Dialect
from .openai import decode, request
from .prices import LOCAL

_DIALECT = Dialect()
_log = logging.getLogger(__name__)
_SMALLEST_CONTEXT = 4096
_hash_lock = threading.Lock()
_BYTES_PER_TOKEN = 3  # a low estimate; if the prompt has more tokens, llama.cpp says how many


class GgufWire:
    """One model file."""

    provider = LOCAL

    def __init__(self, path: Path, *, longest_text: int = 1000, most_items: int = 16) -> None:
        self.path = path
        self._bounds = longest_text, most_items
        self._server: Any = None
        self._context = 0
        self._tokens: re.Pattern[str] | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._speed_known = False

    @property
    def model(self) -> str:
        return self.path.name

    def identity(self) -> Mapping[str, Any]:
        """Return the hash of the file's content, so that the identity does not depend on its path."""
        status = _checked(self.path)
        # With the lock, several gigabytes are read only once, and callers on other threads wait for the result.
        with _hash_lock:
            digest = _hashed(self.path, status.st_mtime_ns, status.st_size)
        return {"wire": "local", "size": status.st_size, "sha256": digest, "bounds": self._bounds}

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="adjudge-gguf")
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._complete, prompt, sampling)

    def decode(self, body: bytes) -> Completion:
        return decode(body)

    async def close(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            await asyncio.get_running_loop().run_in_executor(thread, self._unload)
            thread.shutdown()

    # -- on the model's own thread ------------------------------------------------------------------------------------

    def _complete(self, prompt: Prompt, sampling: Sampling) -> Delivery | Failure:
        bounded = replace(prompt, schema=ReplySchema(bounded_schema(prompt.schema, *self._bounds)))
        texts = (prompt.system, prompt.user)
        self._ensure_context(sum(len(text.encode()) for text in texts) // _BYTES_PER_TOKEN + sampling.max_tokens)
        if self._tokens is None:
            self._tokens = pattern_of(LISTED | control_tokens(self.path))
        system, user = (defuse(text, self._tokens) for text in texts)
        body = request(self.model, replace(bounded, system=system, user=user), sampling, _DIALECT)
        reply = self._server.handle_chat_completions(body)
        counted = _too_long(reply)
        if counted and self._ensure_context(counted[0] + sampling.max_tokens):
            reply = self._server.handle_chat_completions(body)
            counted = _too_long(reply)
        if counted:
            return self._failure(f"the prompt has {counted[0]:,} tokens; the model reads at most {counted[1]:,}")
        if "choices" not in reply:
            error = reply.get("error", reply)
            return self._failure(str(error.get("message") or error)[:300])
        if not self._speed_known:
            self._speed_known = True
            _log.log(NOTE, "%s reads %s", self.model, _speed(reply))
        return Delivery(orjson.dumps(reply), 1, _DIALECT.parameters(sampling))

    def _ensure_context(self, tokens: int) -> bool:
        """Load the model with a context of at least this many tokens; return True if it had to be loaded.

        The context takes memory, so it is no larger than needed. llama.cpp caps it at the model's own limit.
        """
        if tokens <= self._context:
            return False
        self._unload()
        context = max(_SMALLEST_CONTEXT, 1 << (tokens - 1).bit_length())
        try:
            import xllamacpp
        except ImportError:
            raise missing_extra("a gguf: judge", "local") from None
        size = _checked(self.path).st_size
        options = xllamacpp.CommonParams()
        options.model.path = str(self.path)
        options.model_alias = {self.model}
        options.n_ctx = context
        options.n_parallel = 1
        # llama.cpp's threads spin while they wait: with one thread more than free cores it is several times slower.
        options.cpuparams.n_threads = options.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) // 2)
        options.warmup = False
        options.verbosity = -1
        # llama.cpp opens a port on this machine; the key keeps other programs out.
        options.api_keys = [secrets.token_urlsafe(32)]
        _log.log(
            NOTE, "loading %s (%s MB) with a context of %s tokens", self.model, f"{size / 1e6:,.0f}", f"{context:,}"
        )
        began = time.monotonic()
        try:
            self._server = xllamacpp.Server(options)
        except RuntimeError:
            found = f"llama.cpp cannot load it with a context of {context:,} tokens"
            raise InputError(str(self.path), found, "a whole GGUF file that fits into memory is needed") from None
        self._context = context
        _log.info("%s: loaded in %.1f s", self.model, time.monotonic() - began)
        return True

    def _unload(self) -> None:
        self._server, self._context = None, 0

    def _failure(self, message: str) -> Failure:
        return Failure(reason="rejected", message=f"{self.model}: {message}", judge=f"gguf:{self.path}")


def bounded_schema(schema: Mapping[str, Any], longest_text: int, most_items: int) -> dict[str, Any]:
    """Add a maximum length to every text and list of the schema; otherwise a small model may never stop."""
    bounded = dict(schema)
    if schema.get("type") == "string" and "enum" not in schema:
        bounded["maxLength"] = longest_text
    elif schema.get("type") == "array":
        bounded |= {"maxItems": most_items, "items": bounded_schema(schema["items"], longest_text, most_items)}
    elif schema.get("type") == "object":
        properties = schema["properties"].items()
        bounded["properties"] = {name: bounded_schema(child, longest_text, most_items) for name, child in properties}
    return bounded


def _speed(reply: Mapping[str, Any]) -> str:
    """Describe how fast the model reads and writes, as llama.cpp measured it."""
    timings = reply.get("timings") or {}
    reads, writes = (timings.get(f"{what}_per_second") for what in ("prompt", "predicted"))
    if not reads:
        return "at an unknown speed"
    return f"{reads:,.0f} tokens/s of the prompt" + (f" and writes {writes:,.0f} tokens/s" if writes else "")


def _too_long(reply: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the prompt's tokens and the context's size if the prompt does not fit, else None."""
    error = reply.get("error")
    if not isinstance(error, dict) or error.get("type") != "exceed_context_size_error":
        return None
    return int(error["n_prompt_tokens"]), int(error["n_ctx"])


def _checked(path: Path) -> Any:
    """Return the file's status. Raise InputError if it does not exist or does not start like a GGUF file."""
    try:
        status = path.stat()
        with path.open("rb") as file:
            begins = file.read(4)
    except OSError as error:
        raise InputError(str(path), plain_reason(error), "a GGUF file is needed") from None
    if begins != b"GGUF":
        raise InputError(str(path), "not a GGUF file", "a model file that begins with GGUF is needed")
    return status


@lru_cache(maxsize=16)
def _hashed(path: Path, changed: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# -- the model's vocabulary -------------------------------------------------------------------------------------------

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_UNKNOWN, _CONTROL, _USER_DEFINED = 2, 3, 4
# Some vocabularies mark spaces, line breaks and HTML tags as special tokens, but no chat template uses them.
_ORDINARY = re.compile(r"\s*|</?[a-z][a-z0-9]*>")


def control_tokens(path: Path) -> frozenset[str]:
    """Return the tokens that the model's vocabulary marks as control tokens, or as tokens that are never split."""
    tokens: list[str] = []
    kinds: list[int] = []
    try:
        with path.open("rb") as file:
            for name, value in _metadata(file, path.stat().st_size):
                if name == "tokenizer.ggml.tokens":
                    tokens = value
                elif name == "tokenizer.ggml.token_type":
                    kinds = value
    except (struct.error, UnicodeDecodeError, KeyError, OSError) as error:
        raise InputError(str(path), f"its vocabulary cannot be read: {error}", "a whole GGUF file is needed") from None
    return frozenset(
        token
        for token, kind in zip(tokens, kinds, strict=False)
        if kind in (_UNKNOWN, _CONTROL) or (kind == _USER_DEFINED and not _ORDINARY.fullmatch(token))
    )


def _metadata(file: BinaryIO, size: int) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of the metadata, which the GGUF format stores before the tensors (little-endian)."""

    def numbers(kind: str, count: int = 1) -> Any:
        wanted = struct.calcsize(f"<{kind}") * count
        if wanted > size:
            raise struct.error("it names more values than the file holds")
        return struct.unpack(f"<{count}{kind}", file.read(wanted))

    def value(kind: int) -> Any:
        if kind == _STRING:
            (length,) = numbers("Q")
            return numbers("s", length)[0].decode("utf-8", "replace") if length else ""
        if kind == _ARRAY:
            (of,), (count,) = numbers("I"), numbers("Q")
            return list(numbers(_NUMBERS[of], count)) if of in _NUMBERS else [value(of) for _ in range(count)]
        return numbers(_NUMBERS[kind])[0]

    *_, count = numbers("s", 4) + numbers("I") + numbers("Q", 2)
    for _ in range(count):
        name = value(_STRING)
        yield name, value(*numbers("I"))
