"""How the frozen dataclasses of a verdict are made fast: several stand behind every one of a run's verdicts."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, TypeVar

T = TypeVar("T")


def made_fast(cls: type[T]) -> type[T]:
    """A frozen dataclass with slots and keywords only, whose `__init__` fills the slots themselves.

    The one it has sets each field by its name, past its own refusal, which takes twice as long. Nothing else changes.
    """
    known: dict[str, Any] = {"to_be_made": MISSING}
    head, body = [], []
    for field in fields(cls):  # type: ignore[arg-type]
        name = field.name
        known[f"set_{name}"] = getattr(cls, name).__set__
        value = name
        if field.default is not MISSING:
            known[f"default_{name}"] = field.default
            head.append(f"{name}=default_{name}")
        elif field.default_factory is not MISSING:
            known[f"make_{name}"] = field.default_factory
            head.append(f"{name}=to_be_made")
            value = f"make_{name}() if {name} is to_be_made else {name}"
        else:
            head.append(name)
        body.append(f" set_{name}(self, {value})")
    exec(f"def __init__(self, *, {', '.join(head)}):\n" + "\n".join(body), known)
    init = known["__init__"]
    init.__qualname__, init.__annotations__ = cls.__init__.__qualname__, cls.__init__.__annotations__
    cls.__init__ = init  # type: ignore[method-assign]
    return cls
