"""The control tokens of a GGUF file, read from its own vocabulary."""

import struct

import pytest

from adjudge.errors import InputError
from adjudge.llm.gguf import control_tokens

NORMAL, UNKNOWN, CONTROL, USER_DEFINED = 1, 2, 3, 4


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def written(path, tokens):
    """A GGUF file of no tensors: a number, a text, the tokens and their kinds."""
    values = [
        text("general.alignment") + struct.pack("<II", 4, 32),
        text("general.name") + struct.pack("<I", 8) + text("tiny"),
        text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, len(tokens)) + b"".join(map(text, tokens)),
        text("tokenizer.ggml.token_type") + struct.pack(f"<IIQ{len(tokens)}i", 9, 5, len(tokens), *tokens.values()),
    ]
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(values)) + b"".join(values))
    return path


def test_control_tokens_are_those_that_the_vocabulary_says(tmp_path):
    tokens = {"the": NORMAL, "«turn»": CONTROL, "<unk>": UNKNOWN, "§think": USER_DEFINED, "<|x|>": CONTROL}
    assert control_tokens(written(tmp_path / "m.gguf", tokens)) == {"«turn»", "<unk>", "§think", "<|x|>"}


def test_spaces_line_breaks_and_html_that_are_tokens_of_their_own_stay_as_they_are(tmp_path):
    tokens = {"\n\n": USER_DEFINED, "   ": USER_DEFINED, "<table>": USER_DEFINED, "</h1>": USER_DEFINED}
    assert control_tokens(written(tmp_path / "m.gguf", tokens)) == set()


def test_a_vocabulary_that_is_cut_or_claims_too_much_is_refused(tmp_path):
    path = written(tmp_path / "m.gguf", {"a": CONTROL})
    whole = path.read_bytes()
    for broken in (whole[:-3], whole[:60], whole.replace(text("tiny"), struct.pack("<Q", 2**62) + b"tiny")):
        path.write_bytes(broken)
        with pytest.raises(InputError, match="its vocabulary cannot be read"):
            control_tokens(path)
