"""Grades with models that say what a test tells them. The texts are those of `verdicts`."""

import re
from itertools import count

from scripted.judging import open_openai
from scripted.provider import says

from adjudge.judges.jury import Jury
from adjudge.protocols.grade.rules import grade
from adjudge.protocols.rubrics import parse

HEAD = 'name: mine\nversion: "1"\nprotocol: grade\n'
CITY, PEOPLE, FOUNDED = "The capital of Norway is Oslo.", "About 720,000 people live there", "it was founded in 1624"
IN_SOURCE = "Oslo is the capital of Norway."
ASK = ("city", 2, 'ask: "Does it name the city?"')
CLAIMS = ("claims", 3, "claims: context")
CHECK = ("short", 1, "check: {max_words: 40}")
FAULT = ("rude", -1, 'ask: "Is it rude?"')
STRICT = ("rude", -1, 'required: true, ask: "Is it rude?"')
SCALE = ("clear", 1, 'ask: "How clear?", scale: {1: no, 3: partly, 5: fully}')
COVERS = ("covers", 3, "covers: reference")
DEMANDS = ("demands", 2, "constraints: task")
_samples = count()  # no stored reply answers


def rubric_of(*items, pass_at=None):
    """A rubric of these items, each as `key, points, rest` in YAML's flow style."""
    lines = "".join(f"  - {{key: {key}, points: {points}, {rest}}}\n" for key, points, rest in items)
    mark = "" if pass_at is None else f"pass_at: {pass_at}\n"
    return parse(f"{HEAD}{mark}items:\n{lines}", "mine.yaml")


def answers(answer, quote="", reason="It is so.", **more):
    field = "answer" if isinstance(answer, str) else "level"
    return {"quote": quote, "reason": reason, field: answer, **more}


def claim(quote, result, source=""):
    return {"quote": quote, "source_quote": source, "result": result}


def point(quote, result, answer="", **more):
    return {"quote": quote, "answer_quote": answer, "result": result, **more}


def demand(quote, kind, amount=0, bound="exactly", text="", strict=False):
    return {"quote": quote, "kind": kind, "bound": bound, "amount": amount, "up_to": 0, "text": text, "strict": strict}


SENTENCES = demand("at most 2 sentences", "sentences", 2, "at_most")


def behave(said, again=(), demands=()):
    """A model that gives these answers or lists by item, these replacements in a repair round, and these demands."""

    def reply(request):
        fields = request.schema["properties"]
        if request.repairs:
            name = next(iter(fields))
            return says({name: list(again)} if name in ("items", "entries") else again)
        return says(first_reply(fields, said, demands))

    return reply


def first_reply(fields, said, demands=()):
    """The reply with these fields of a model that gives these answers or lists by item, and these demands."""
    if "constraints" in fields and fields["constraints"]["type"] == "array":
        return {"constraints": list(demands)}
    return {key: _fitting(said[key], shape) for key, shape in fields.items()}


def _fitting(given, shape):
    if shape["type"] == "array":
        names = shape["items"]["properties"]
        return [{name: one.get(name, 1) for name in names} for one in given]
    return {name: given.get(name, 1) for name in shape["properties"]}


async def graded(provider, journal, case, rubric, said=None, again=(), demands=()):
    provider.script = behave(said or {}, again, demands)
    provider.requests.clear()
    judge = open_openai(provider, journal, sample=next(_samples))
    outcome = await grade(case, judge, rubric)
    await judge.close()
    return outcome


async def jury_graded(provider, journal, case, rubric, *members, demands=None, rule="median"):
    """Grade with a jury; each member says what is given for it, and lists these demands."""
    models = [f"gpt-{number}" for number in range(len(members))]
    scripts = {
        model: behave(said, demands=(demands or [()] * len(members))[number])
        for number, (model, said) in enumerate(zip(models, members, strict=True))
    }
    provider.script = lambda request: scripts[request.json["model"]](request)
    provider.requests.clear()
    sample = next(_samples)
    jury = Jury("jury:test", tuple(open_openai(provider, journal, model, sample=sample) for model in models), rule)
    outcome = await grade(case, jury, rubric)
    await jury.close()
    return outcome


def shown(verdict):
    """The results of a verdict's items, by key."""
    return {item.key: item.result for item in verdict.items}


def codes(verdict):
    return [warning.code for warning in verdict.warnings]


def prompts(provider):
    """What was sent, as texts; the fence's code left out."""
    return [re.sub(r" [0-9a-f]{16}>>>", ">>>", "\n".join(request.turns)) for request in provider.requests]
