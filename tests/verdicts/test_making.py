"""Dataclasses that are made fast are dataclasses in every other way."""

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace

import pytest

from adjudge.verdicts.making import made_fast


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """As dataclasses make it."""

    name: str
    count: int = 3
    held: dict[str, int] = field(default_factory=dict)
    unseen: bool = field(default=False, compare=False)


@made_fast
@dataclass(frozen=True, slots=True, kw_only=True)
class Fast:
    """The same, made fast."""

    name: str
    count: int = 3
    held: dict[str, int] = field(default_factory=dict)
    unseen: bool = field(default=False, compare=False)


@pytest.mark.parametrize("given", [{"name": "x"}, {"name": "x", "count": 4, "held": {"a": 1}, "unseen": True}])
def test_it_holds_what_the_other_holds(given):
    fast, plain = Fast(**given), Plain(**given)
    assert asdict(fast) == asdict(plain)
    assert repr(fast) == repr(plain).replace("Plain", "Fast")
    assert fast == Fast(**{**given, "unseen": not fast.unseen})
    assert asdict(replace(fast, count=9)) == asdict(replace(plain, count=9))
    assert pickle.loads(pickle.dumps(fast)) == copy.deepcopy(fast) == fast
    assert [item.name for item in fields(Fast)] == [item.name for item in fields(Plain)]


def test_each_has_a_default_of_its_own():
    assert Fast(name="x").held is not Fast(name="y").held


def test_it_stays_as_it_was_made():
    with pytest.raises(FrozenInstanceError):
        Fast(name="x").count = 4


@pytest.mark.parametrize("wrong", [{}, {"name": "x", "other": 1}])
def test_a_field_too_few_or_too_many_is_an_error(wrong):
    with pytest.raises(TypeError, match=r"Fast\.__init__\(\)"):
        Fast(**wrong)


def test_nothing_is_given_by_its_place():
    with pytest.raises(TypeError):
        Fast("x")
