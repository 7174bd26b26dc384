"""A cascade asks the next judge only where the one before is unsure of the case, and says who was asked and why."""

from decimal import Decimal

import pytest
from protocols.dialogue.judging import EIGHTY, TALK, WHY, criticizes, evaluates, script
from protocols.review.rivers import CASE as RIVERS
from protocols.review.rivers import REPLY
from scripted.provider import fails, judges, refuses, says

from adjudge import CompareSettings, DialogueSettings, ReviewSettings, open_engine, render, replay
from adjudge.models.base import from_json, to_json
from adjudge.models.common import Failure, MemberScores
from adjudge.protocols.base import row_of
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.verdict import ComparisonVerdict
from adjudge.protocols.dialogue.rules import jury_results
from adjudge.protocols.dialogue.verdict import DialogueVerdict
from adjudge.protocols.origin import judge_note, origin_of
from adjudge.protocols.review.verdict import ReviewVerdict
from adjudge.protocols.rubrics import parse

CASE = Comparison(
    "How do I boil an egg?",
    "Put the egg in boiling water for eight minutes, then cool it under cold water.",
    "Boil it until it is done, as everybody knows who has ever boiled one.",
)
BEES = "Give me three tips for helping bees on a farm. Use no more than 80 words."
BEES_LISTED = (
    "Bees carry pollen between flowers, and most crops depend on them. Three tips:\n\n"
    "1. Sow a strip of wild flowers along each field, for example clover.\n"
    "2. Spray in the evening only, when bees do not fly.\n"
    "3. Leave some bare soil, since many wild bees nest in it."
)
GOOD, BAD = 9, 3


def scores(a, b):
    return judges(lambda text: a if text == CASE.a else b)


def by_model(**behaviours):
    """Each model behaves as told; `None` would be a call that must not come."""
    return lambda request: behaviours[request.json["model"]]


def cascade(provider, *models, option=""):
    return f"cascade{option}:" + ">".join(f"{provider.url}/v1#{model}" for model in models)


def asked(provider):
    return [request.json["model"] for request in provider.requests]


async def judged(folder, case, settings):
    async with open_engine(folder / "journal.db") as engine:
        return await engine.judge(case, settings)


@pytest.fixture
def compared(tmp_path, provider):
    async def run(judge, case=CASE, **settings):
        return await judged(tmp_path, case, CompareSettings(judge=judge, **settings))

    return run


async def same_again(folder, provider, verdict):
    before = provider.calls
    kept, made, _ = await replay(verdict.verdict_id, journal=folder / "journal.db")
    assert kept == made
    assert provider.calls == before
    return kept


# -- compare ----------------------------------------------------------------------------------------------------------


async def test_a_sure_verdict_of_the_first_judge_stands_and_the_second_is_not_asked(compared, provider, tmp_path):
    provider.script = by_model(cheap=scores(GOOD, BAD))
    judge = cascade(provider, "cheap", "dear")
    verdict = await compared(judge)
    assert isinstance(verdict, ComparisonVerdict)
    assert asked(provider) == ["cheap", "cheap"]
    assert (verdict.winner, verdict.provenance.judge, len(verdict.calls)) == ("A", judge, 2)
    (stage,) = verdict.stages
    assert (stage.answer, stage.margin, stage.unsure, stage.calls) == ("A", 6, (), 2)
    assert row_of(verdict)["stage"] == 1
    await same_again(tmp_path, provider, verdict)


async def test_where_the_totals_are_too_close_the_second_judge_decides_and_both_are_paid(compared, provider, tmp_path):
    provider.script = by_model(cheap=scores(5, 5), dear=scores(BAD, GOOD))
    judge = cascade(provider, "cheap", "dear")
    verdict = await compared(judge)
    assert asked(provider) == ["cheap", "cheap", "dear", "dear"]
    assert verdict.winner == "B"
    assert [(stage.answer, stage.margin, stage.unsure, stage.calls) for stage in verdict.stages] == [
        ("tie", 0, ("the totals are 0 apart, less than 0.5",), 2),
        ("B", 6, (), 2),
    ]
    assert (len(verdict.calls), verdict.usage.input_tokens) == (4, 4000)
    assert row_of(verdict)["stage"] == 2
    kept = await same_again(tmp_path, provider, verdict)
    assert from_json(ComparisonVerdict, kept, case=CASE, rubric=verdict.rubric).stages == verdict.stages

    # The second judge sees what it would see alone: the keys hash all that is sent.
    alone = await compared(f"{provider.url}/v1#dear")
    assert {call.key for call in alone.calls} == {call.key for call in verdict.calls if call.model == "dear"}
    assert provider.calls == 4
    assert alone.verdict_id != verdict.verdict_id == (await compared(judge)).verdict_id

    # Reports say who was asked and why.
    told = dict(origin_of(verdict).provenance)
    assert told["Stage 1"] == f"{provider.url}/v1#cheap: tie, the totals are 0 apart, less than 0.5 (2 calls)"
    assert told["Stage 2"] == f"{provider.url}/v1#dear: B, decided (2 calls)"
    text = " ".join(render(verdict, "text", width=200).split())
    assert "Stage 1: " + told["Stage 1"] in text and "Stage 2: " + told["Stage 2"] in text
    markdown = render(verdict, "markdown")
    assert "Stage 1: http" in markdown and "Stage 2: http" in markdown


def test_a_judge_of_text_features_is_named_as_such_wherever_it_is_in_the_name():
    assert "text features only" in judge_note("cascade(margin=1):embedded>openai:x")
    assert "text features only" in judge_note("jury(mean):embedded+openai:x")
    assert judge_note("cascade:openai:x>openai:y") == ""


async def test_the_margin_stands_in_the_name_or_is_the_rubrics_tie_band(compared, provider):
    options = [("", 6, 5, 0), ("(margin=1)", 6, 5, 0), ("(margin=1.01)", 6, 5, 2), ("(margin=0)", 5, 5, 0)]
    for sample, (option, a, b, dear) in enumerate([*options, ("", 5, 5, 2)]):
        provider.script = by_model(cheap=scores(a, b), dear=scores(GOOD, BAD))
        provider.requests.clear()
        await compared(cascade(provider, "cheap", "dear", option=option), sample=sample)
        assert asked(provider).count("dear") == dear, option


async def test_orders_that_name_different_winners_are_unsure_whatever_the_margin(compared, provider):
    def first_is_better(reply):
        for marks in reply["criteria"].values():
            marks |= {"score_1": 9, "score_2": 2}

    provider.script = by_model(cheap=judges(change=first_is_better), dear=scores(GOOD, BAD))
    verdict = await compared(cascade(provider, "cheap", "dear", option="(margin=0)"))
    assert verdict.winner == "A"
    assert verdict.stages[0].unsure == ("the two orders name different winners",)


async def test_the_embedded_judge_goes_first_for_nothing_and_says_when_it_did_not_decide(compared, provider):
    provider.script = by_model(dear=scores(GOOD, BAD))
    judge = f"cascade(margin=0):embedded>{provider.url}/v1#dear"
    unsure = await compared(judge)
    assert "it did not decide" in unsure.stages[0].unsure
    assert (unsure.stages[0].calls, unsure.stages[0].cost_usd) == (0, 0)
    listed = Comparison(BEES, BEES_LISTED, "Bees are nice animals that fly around in the summer. " * 12)
    before = provider.calls
    sure = await compared(judge, case=listed)
    assert (sure.decided, [stage.judge for stage in sure.stages]) == (True, ["embedded"])
    assert provider.calls == before


async def test_a_third_judge_is_asked_where_the_second_is_unsure_too(compared, provider):
    provider.script = by_model(one=scores(5, 5), two=scores(6, 6), three=scores(7, 7))
    verdict = await compared(cascade(provider, "one", "two", "three"))
    assert [stage.answer for stage in verdict.stages] == ["tie"] * 3
    assert (verdict.winner, verdict.stages[2].unsure) == ("tie", ())  # nobody is left to ask


async def test_a_jury_whose_members_name_different_winners_is_unsure(compared, provider, tmp_path):
    provider.script = by_model(x=scores(GOOD, 1), y=scores(GOOD, 1), z=scores(5, 6), dear=scores(BAD, GOOD))
    jury = "jury:" + "+".join(f"{provider.url}/v1#{model}" for model in "xyz")
    verdict = await compared(f"cascade:{jury}>{provider.url}/v1#dear", one_order=True)
    assert verdict.stages[0].unsure == ("the members of the jury name different winners",)
    assert verdict.winner == "B"
    await same_again(tmp_path, provider, verdict)


async def test_a_reply_that_the_jury_of_the_next_stage_can_use_is_not_paid_again(compared, provider, tmp_path):
    provider.script = by_model(x=scores(5, 5), y=scores(GOOD, BAD), z=scores(GOOD, BAD))
    x, y, z = (f"{provider.url}/v1#{model}" for model in "xyz")
    verdict = await compared(f"cascade:{x}>jury:{x}+{y}+{z}")
    assert sorted(asked(provider)) == ["x", "x", "y", "y", "z", "z"]
    assert (len(verdict.calls), [stage.calls for stage in verdict.stages]) == (6, [2, 4])
    await same_again(tmp_path, provider, verdict)


@pytest.mark.parametrize(("broken", "reason"), [
    (refuses("I would rather not."), "it failed: refused: I would rather not."),
    (says("no JSON"), "it failed: malformed: "),
    (fails(400, "too long for me"), "it failed: rejected: "),
])  # fmt: skip
async def test_a_judge_that_cannot_judge_the_case_is_followed_by_the_next(compared, provider, tmp_path, broken, reason):
    provider.script = by_model(cheap=broken, dear=scores(GOOD, BAD))
    verdict = await compared(cascade(provider, "cheap", "dear"), one_order=True)
    assert isinstance(verdict, ComparisonVerdict)
    assert (verdict.winner, verdict.stages[0].answer) == ("A", None)
    assert verdict.stages[0].unsure[0].startswith(reason)
    assert len(verdict.calls) == sum(stage.calls for stage in verdict.stages)
    await same_again(tmp_path, provider, verdict)


async def test_a_judge_that_cannot_be_reached_is_a_failure_and_the_dear_one_is_not_paid_for_it(compared, provider):
    provider.script = by_model(cheap=fails(401, "who are you?"))
    failed = await compared(cascade(provider, "cheap", "dear"))
    assert isinstance(failed, Failure)
    assert failed.reason == "unauthorized"
    assert set(asked(provider)) == {"cheap"}


@pytest.mark.parametrize(("status", "reached"), [(401, False), (400, True)])
async def test_a_jury_without_quorum_is_unsure_only_if_its_members_could_be_reached(
    compared, provider, status, reached
):
    provider.script = by_model(x=fails(status), y=fails(400), dear=scores(GOOD, BAD))
    jury = f"jury:{provider.url}/v1#x+{provider.url}/v1#y"
    outcome = await compared(f"cascade:{jury}>{provider.url}/v1#dear")
    assert isinstance(outcome, ComparisonVerdict) is reached
    assert ("dear" in asked(provider)) is reached
    assert reached or outcome.reason == "no_quorum"


async def test_if_the_last_judge_fails_the_cascade_fails_and_says_why_it_was_asked(compared, provider):
    provider.script = by_model(one=scores(5, 5), two=refuses("No."), three=refuses("Never."))
    failed = await compared(cascade(provider, "one", "two", "three"), one_order=True)
    assert isinstance(failed, Failure)
    assert (failed.reason, failed.judge) == ("refused", f"{provider.url}/v1#three")
    assert failed.message.startswith("Never.; asked because ")
    assert "#one: the totals are 0 apart, less than 0.5; asked because" in failed.message
    assert "#two: it failed: refused: No." in failed.message
    assert len(failed.calls) == 3


async def test_failed_members_of_every_stage_are_replayed_as_they_failed(compared, provider, tmp_path):
    replies = {"x": scores(5, 5), "y": scores(5, 5), "bad": fails(400, "not me"), "z": scores(GOOD, BAD)}
    provider.script = by_model(**replies)
    x, y, z, bad = (f"{provider.url}/v1#{model}" for model in ("x", "y", "z", "bad"))
    verdict = await compared(f"cascade:jury:{x}+{y}+{bad}>jury:{bad}+{z}+{y}")
    assert isinstance(verdict, ComparisonVerdict)
    assert [where for where, _ in verdict.failures] == [
        f"stage {stage} CompareQuestion {order}" for stage in (1, 2) for order in ("ab", "ba")
    ]
    await same_again(tmp_path, provider, verdict)


# -- dialogue and review ----------------------------------------------------------------------------------------------

OBJECTION = (60, "SYSTEM", WHY, True)
BEST = evaluates([100] * 6), criticizes([100] * 6)


def talks(cheap, dear):
    return lambda request: (script(*cheap) if request.json["model"] == "cheap" else script(*dear))(request)


@pytest.mark.parametrize(("objections", "unsure"), [
    ({}, ()),
    ({"Empathy": OBJECTION}, ()),
    ({"Empathy": (60, "SYSTEM", "", True)}, ("the Critic objects without another score or a verified quote",)),
    (dict.fromkeys(("Empathy", "Fluency", "Accuracy"), OBJECTION), ("the Critic objects to 3 scores",)),
])  # fmt: skip
async def test_a_dialogue_goes_on_where_evaluator_and_critic_leave_it_open(provider, tmp_path, objections, unsure):
    provider.script = talks((evaluates(), criticizes(**objections)), BEST)
    judge = cascade(provider, "cheap", "dear")
    verdict = await judged(tmp_path, TALK, DialogueSettings(evaluator=judge, critic=judge))
    assert isinstance(verdict, DialogueVerdict)
    assert verdict.stages[0].unsure == unsure
    assert len(verdict.stages) == (2 if unsure else 1)
    assert (verdict.overall_experience == 100) is bool(unsure)
    assert verdict.judges == (judge, judge)
    await same_again(tmp_path, provider, verdict)


async def test_one_critic_may_follow_a_cascade_of_evaluators(provider, tmp_path):
    provider.script = talks((evaluates(), criticizes()), BEST)
    settings = DialogueSettings(evaluator=f"cascade:embedded>{provider.url}/v1#dear", critic=f"{provider.url}/v1#dear")
    verdict = await judged(tmp_path, TALK, settings)
    assert isinstance(verdict, DialogueVerdict)
    assert "it could not assess every criterion" in verdict.stages[0].unsure
    assert [stage.judge for stage in verdict.stages] == [f"embedded, {provider.url}/v1#dear", f"{provider.url}/v1#dear"]
    await same_again(tmp_path, provider, verdict)


async def test_a_jury_of_evaluators_that_come_to_different_results_is_unsure_and_its_spread_is_kept(provider, tmp_path):
    def behave(request):
        given = {"x": EIGHTY, "y": EIGHTY, "z": (20,) * 6, "dear": (100,) * 6}[request.json["model"]]
        return script(evaluates(given), criticizes(given))(request)

    provider.script = behave
    jury = "jury(majority):" + "+".join(f"{provider.url}/v1#{model}" for model in "xyz")
    settings = DialogueSettings(evaluator=f"cascade:{jury}>{provider.url}/v1#dear", critic="embedded")
    verdict = await judged(tmp_path, TALK, settings)
    assert "the members of the jury come to different results" in verdict.stages[0].unsure
    plain = await judged(tmp_path, TALK, DialogueSettings(evaluator=jury, critic="embedded"))
    assert [own.scores["Fluency"] for own in plain.evaluator_members] == [80, 80, 20]
    assert from_json(DialogueVerdict, to_json(plain), case=TALK, rubric=plain.rubric).evaluator_members == (
        plain.evaluator_members
    )


async def test_a_members_score_of_zero_is_a_score(tmp_path):
    criteria = "".join(f"  - {{key: {key}, weight: 0.5, guidance: Good}}\n" for key in ("one", "two"))
    text = f'name: own\nversion: "1"\nprotocol: dialogue\nscale: {{min: 0, max: 4}}\ncriteria:\n{criteria}'
    verdict = await judged(tmp_path, TALK, DialogueSettings(rubric=parse(text, "own.yaml")))
    zero, four = (MemberScores(judge="j", scores=dict.fromkeys(("one", "two"), Decimal(n))) for n in (0, 4))
    assert jury_results(verdict.updated(evaluator_members=(zero, four))) == {0, 4}


@pytest.mark.parametrize(("change", "unsure"), [
    ({}, ()),
    ({"preference": 6}, ("it prefers the other response than its ratings do",)),
    ({"invalid_because": "There is no question in it."}, ("it calls the task invalid",)),
])  # fmt: skip
async def test_a_review_goes_on_where_the_ratings_contradict_the_preference(provider, tmp_path, change, unsure):
    cheap, dear = (says({**REPLY, **given}) for given in (change, {}))
    provider.script = lambda request: cheap if request.json["model"] == "cheap" else dear
    judge = cascade(provider, "cheap", "dear")
    verdict = await judged(tmp_path, RIVERS.blind(), ReviewSettings(judge=judge))
    assert isinstance(verdict, ReviewVerdict)
    assert (verdict.stages[0].unsure, len(verdict.stages)) == (unsure, 2 if unsure else 1)
    assert verdict.judge == verdict.provenance.judge == judge
    await same_again(tmp_path, provider, verdict)


async def test_what_code_alone_finds_invalid_asks_nobody(provider, tmp_path):
    case = RIVERS.blind().updated(prompt="")
    verdict = await judged(tmp_path, case, ReviewSettings(judge=cascade(provider, "cheap", "dear")))
    assert verdict.invalid
    assert (provider.calls, len(verdict.stages)) == (0, 1)


async def test_every_members_ratings_stay_with_a_review(provider, tmp_path):
    lower = {**REPLY, "preference": 3}
    provider.script = lambda request: says(lower if request.json["model"] == "y" else REPLY)
    jury = f"jury(weighted):{provider.url}/v1#x*0.9+{provider.url}/v1#y*0.2"
    verdict = await judged(tmp_path, RIVERS.blind(), ReviewSettings(judge=jury))
    first, second = verdict.opinion.members
    assert (first.scores["likert"], second.scores["likert"]) == (REPLY["preference"], 3)
    assert first.scores["response2.truthfulness"] == Decimal(1)
    kept = await same_again(tmp_path, provider, verdict)
    assert from_json(ReviewVerdict, kept, case=verdict.case, rubric=verdict.rubric).opinion.members == (first, second)
