"""What a run on Ray needs and refuses before any cluster is there."""

import asyncio
import re
import sys
from decimal import Decimal

import pytest

from adjudge.errors import InputError, SetupError
from adjudge.extras import install_command
from adjudge.runs.plan import Plan, RunOptions
from adjudge.runs.ray import _budget_class, check_installed, environment_for


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SetupError, match=re.escape(install_command("ray"))):
        check_installed()


def test_a_worker_gets_the_variables_of_its_own_judges_only(monkeypatch):
    for name in ("OPENAI_API_KEY", "GROQ_API_KEY", "ADJUDGE_API_KEY", "XAI_API_KEY", "PGPASSWORD", "BRAVE_API_KEY"):
        monkeypatch.setenv(name, "k")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    def names(judge, journal="journal.db", **more):
        plan = Plan("r1", "compare", {"judge": judge, **more}, "")
        return set(environment_for(plan, journal))

    assert names("embedded") == set()
    assert names("openai:gpt-4o") == {"OPENAI_API_KEY"}
    assert names("jury:openai:gpt-4o+xai:grok-4") == {"OPENAI_API_KEY", "XAI_API_KEY"}
    assert names("http://host/v1#m", search="brave") == {"ADJUDGE_API_KEY", "BRAVE_API_KEY"}
    monkeypatch.setenv("SEARXNG_AUTH", "ann:k")
    assert names("embedded", search="searxng:http://host") == {"SEARXNG_AUTH"}
    monkeypatch.setenv("ADJUDGE_API_KEY_OWN_HOST", "k")
    assert names("http://own.host/v1#m") == {"ADJUDGE_API_KEY", "ADJUDGE_API_KEY_OWN_HOST"}
    assert names("http://other.host/v1#m") == {"ADJUDGE_API_KEY"}
    assert names("embedded", "postgresql://host/db") == {"PGPASSWORD"}


def test_a_batch_and_an_address_without_ray_are_refused():
    with pytest.raises(InputError, match="--ray-address"):
        RunOptions(ray_address="ray://host:10001")
    with pytest.raises(InputError, match="--batch"):
        RunOptions(batch=True, engine="ray")


async def test_calls_that_a_dead_worker_had_reserved_may_be_made_by_its_next_process():
    budget = _budget_class()(Decimal(1), Decimal(0), 2)
    price = Decimal("0.1")
    assert [await budget.reserve("actor 1", price) for _ in range(2)] == [True, True]
    waiting = asyncio.create_task(budget.reserve("actor 2", price))
    await budget.join("actor 2", "actor")
    assert await asyncio.wait_for(waiting, 5)
    assert await asyncio.wait_for(budget.reserve("actor 2", price), 5)
    assert (budget._budget.spent, budget._budget.reserved) == (2 * price, 2 * price)
