"""Which labelled sets the embedded judge was fitted to, or looked at while it was made: nothing can be claimed there.

A set is recognised by its texts, whatever its file is called: the package has hashes of a few of each set's tasks.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from hashlib import blake2b
from importlib import resources

import orjson

from ...files import user_path
from .model import read_model

KEPT = 24  # of each set: a random tenth of it is still recognised in 92 of 100 draws
_DATA = "seen_sets.json"


def text_hash(text: str) -> str:
    """A short hash of a task or of a whole conversation; white space aside."""
    return blake2b(" ".join(text.split()).encode(), digest_size=6).hexdigest()


def sketch(texts: Iterable[str]) -> list[str]:
    """The smallest hashes of different texts, by which a set that shares them is recognised."""
    return heapq.nsmallest(KEPT, set(map(text_hash, texts)))


def seen_sets(judges: Iterable[str], file: str, texts: Iterable[str]) -> tuple[str, ...]:
    """The sets with texts among these that an embedded judge among `judges` saw while it was made.

    Of a model that the user fitted, the name of the file of labels is known too.
    """
    names = [name for name in judges if name.partition(":")[0] == "embedded"]
    if not names:
        return ()
    hashes = set(map(text_hash, texts))
    known = orjson.loads((resources.files(__package__) / _DATA).read_bytes())
    # The rules of dialogues are the same for every model, and only the weights of comparisons are fitted anew.
    found = [name for name, kept in known.items() if hashes.intersection(kept)]
    for _, own, model in (name.partition(":") for name in names):
        if own and read_model(user_path(model)).about.get("labels") == file:
            found.append(file)
    return tuple(found)
