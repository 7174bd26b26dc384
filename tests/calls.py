"""Calls to LLM judges: a plain one over an endpoint, and questions about comparisons."""

import asyncio

from adjudge.llm.openai import is_reply
from adjudge.models.common import Failure
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.compare.verdict import ComparisonOpinion
from adjudge.protocols.rubrics import shipped

HEADERS = {"content-type": "application/json"}
BODY = b'{"model": "m", "messages": []}'


async def post(endpoint, **headers):
    return await endpoint.ask({**HEADERS, **headers}, is_reply, BODY)


async def post_many(endpoint, count):
    return await asyncio.gather(*(post(endpoint) for _ in range(count)))


def about(case, order="ab"):
    return CompareQuestion(case, shipped("compare"), order)


def numbered(number):
    """A question that can be told from others by its number."""
    case = Comparison("Say “hello” — with\nlines\u2028 and \\ signs.", f"Hello number {number}, how are you?", "Hi.")
    return about(case)


async def ask(judge, count):
    return await asyncio.gather(*(judge.opine(numbered(number)) for number in range(count)))


def all_judged(outcomes):
    return all(isinstance(outcome, ComparisonOpinion) for outcome in outcomes)


def reasons(outcomes):
    """Why each judgment failed; empty where it did not."""
    return [outcome.reason if isinstance(outcome, Failure) else "" for outcome in outcomes]
