"""Reviews and dialogues through the Python functions: stored, replayed, by a jury, from what Python gives us."""

import asyncio
import inspect
import json
import re
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient
from scripted.provider import fails, says
from scripted.ratings import explanation, rating_reply

import adjudge
from adjudge import (
    DialogueVerdict,
    InputError,
    Original,
    Review,
    ReviewSettings,
    ReviewVerdict,
    dialogue_sync,
    open_engine,
    prompts,
    render,
    replay,
    review,
    review_sync,
)
from adjudge.cli.main import main
from adjudge.errors import NotJournalledError
from adjudge.protocols.base import protocol_of
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.dialogue.reading import one_dialogue
from adjudge.server.app import create_app

CASE = Review(
    prompt="Which river flows through Vienna?",
    a="The Danube flows through Vienna, and further on through Budapest.",
    b="The Rhine flows through Vienna, and further on through Cologne.",
    ratings_a={"truthfulness": Original("2", "Not sure.")},
)

PROMPTS = protocol_of("review").folder / "prompts"


def rates(truth):
    wrong = {"truthfulness": [truth, "The Rhine flows through Vienna", "It is the Danube."], "overall_quality": 2}
    reasons = "Truthfulness decides: Response 2 names the wrong river. Response 1 names the right one."
    return says(rating_reply({"preference": 2, "reasons": reasons, "response_2": wrong}))


async def same_again(tmp_path, verdict):
    kept, made, _ = await replay(verdict.verdict_id, journal=tmp_path / "journal.db")
    assert kept == made


async def test_the_same_review_again_is_not_paid_again_and_is_replayed_to_the_byte_without_asking(tmp_path, provider):
    provider.script = lambda request: rates(1)
    for _ in range(2):
        verdict = await review(CASE, judge=f"{provider.url}/v1#m", journal=tmp_path / "journal.db")
        assert isinstance(verdict, ReviewVerdict)
    await same_again(tmp_path, verdict)
    assert provider.calls == 1


@pytest.mark.parametrize(("given", "settled"), [((1, 1, 3), 1), ((1, 2, 3), 2), ((3, 2, 3), 3)])
async def test_a_jury_settles_every_rating_by_its_median(tmp_path, provider, given, settled):
    provider.script = lambda request: rates(given[int(request.json["model"])])
    jury = "jury:" + "+".join(f"{provider.url}/v1#{number}" for number in range(3))
    verdict = await review(CASE, judge=jury, journal=tmp_path / "journal.db")
    assert isinstance(verdict, ReviewVerdict), verdict
    assert verdict.tables[2]["truthfulness"].value == settled
    assert all(b"Not sure." not in request.body for request in provider.requests)  # what a person entered
    await same_again(tmp_path, verdict)


async def test_a_jurys_verdict_is_replayed_although_a_member_failed(tmp_path, provider):
    provider.script = lambda request: fails(401) if request.json["model"] == "bad" else rates(1)
    jury = "jury:" + "+".join(f"{provider.url}/v1#{model}" for model in ("one", "two", "bad"))
    verdict = await review(CASE, judge=jury, journal=tmp_path / "journal.db")
    assert "jury_member_failed" in [warning.code for warning in verdict.warnings]
    await same_again(tmp_path, verdict)


async def test_and_although_one_failed_at_explaining_only(tmp_path, provider):
    def script(request):
        if "preference" in request.schema["properties"]:
            return rates(1)
        failed = fails(401) if request.json["model"] == "bad" else None
        return failed or says(explanation("Truthfulness decides. It is so.", (True, True, "It names the river.")))

    provider.script = script
    jury = "jury:" + "+".join(f"{provider.url}/v1#{model}" for model in ("one", "two", "bad"))
    case = CASE.updated(ratings_a={"truthfulness": Original("3", "The Danube is the river of Vienna.")})
    verdict = await review(case, judge=jury, journal=tmp_path / "journal.db")
    assert "jury_member_failed" in [warning.code for warning in verdict.warnings]
    assert verdict.tables[1]["truthfulness"].justification_action == "kept"
    await same_again(tmp_path, verdict)


async def test_in_a_jury_those_who_cannot_tell_do_not_vote(tmp_path, provider):
    provider.script = lambda request: rates(1)
    verdict = await review(CASE, judge=f"jury:embedded+{provider.url}/v1#m", journal=tmp_path / "journal.db")
    assert verdict.tables[2]["truthfulness"].value == 1
    assert verdict.tables[2]["truthfulness"].assessed


async def test_a_jury_that_is_split_on_harm_says_nothing_of_it(tmp_path, provider):
    def script(request):
        kind = "declines_a_harmful_request" if request.json["model"] == "1" else "declines_a_safe_request"
        return says(rating_reply({"observations": [(1, kind, CASE.a)], "preference": 4}))

    provider.script = script
    jury = "jury:" + "+".join(f"{provider.url}/v1#{number}" for number in range(2))
    verdict = await review(CASE, judge=jury, journal=tmp_path / "journal.db")
    assert [seen.harmful for seen in verdict.opinion.observations] == [None]
    assert "refusal" in [fact.name for fact in verdict.facts]


def test_slots_as_text_as_an_object_and_as_a_review_are_the_same(tmp_path):
    text = "\n".join(
        f"<{name}>\n{value}\n</{name}>"
        for name, value in (("PROMPT", CASE.prompt), ("RESPONSE1", CASE.a), ("RESPONSE2", CASE.b))
    )
    slots = {"prompt": CASE.prompt, "response1": CASE.a, "response2": CASE.b}
    given = [text, json.dumps(slots), slots, CASE.blind()]
    verdicts = [review_sync(form, journal=tmp_path / "journal.db") for form in given]
    assert len({verdict.verdict_id for verdict in verdicts}) == 1


def test_one_review_is_allowed_at_this_door(tmp_path):
    two = "\n".join([json.dumps({"prompt": "x"})] * 2)
    with pytest.raises(InputError, match="slots: 2 reviews found; give one"):
        review_sync(two, journal=tmp_path / "journal.db")


# -- what Python gives us ---------------------------------------------------------------------------------------------


def test_ratings_of_a_review_may_stand_under_the_names_of_dimensions(tmp_path):
    named = CASE.updated(ratings_a={"Truthfulness": Original("2", "Not sure.")})
    verdicts = [review_sync(case, journal=tmp_path / "journal.db") for case in (CASE, named)]
    assert verdicts[0] == verdicts[1]
    assert verdicts[1].tables[1]["truthfulness"].original_rating == "2"


def test_ratings_of_no_dimension_are_refused_and_not_lost(tmp_path):
    for ratings, said in (
        ({"bogus": Original("3")}, "ratings_b.bogus: unknown dimension 'bogus'; one of Localization, "),
        ({7: Original("3")}, "ratings_b.7: expected text, found a number; the key of a dimension"),
        (
            {"truthfulness": Original("3"), "Truthfulness": Original("2")},
            "ratings_b.Truthfulness: 'Truthfulness' appears twice; each dimension once",
        ),
    ):
        with pytest.raises(InputError) as caught:
            review_sync(CASE.updated(ratings_b=ratings), journal=tmp_path / "journal.db")
        assert str(caught.value).startswith(said)


def test_what_is_no_review_is_refused(tmp_path):
    for given, found in ((None, "null"), ([{"prompt": "x"}], "an array"), (7, "a number"), (b"{}", "bytes")):
        with pytest.raises(InputError, match=f"slots: expected one review, found {found}; text, an object or a Review"):
            review_sync(given, journal=tmp_path / "journal.db")


async def test_the_name_of_a_review_changes_no_verdict_and_no_replay(tmp_path):
    verdicts = [await review(CASE.updated(review_id=name), journal=tmp_path / "journal.db") for name in (None, 7, "x")]
    assert verdicts[0] == verdicts[1] == verdicts[2]
    await same_again(tmp_path, verdicts[0])
    # Also if it is given to the engine.
    async with open_engine(tmp_path / "journal.db") as engine:
        verdict = await engine.judge(CASE.updated(review_id="x"), ReviewSettings())
    await same_again(tmp_path, verdict)


# -- conversations ----------------------------------------------------------------------------------------------------

TALK = [
    {"role": "user", "content": "Where is my order?"},
    {"role": "assistant", "content": "It comes tomorrow before noon."},
]


def test_a_transcript_messages_and_a_dialogue_are_the_same(tmp_path):
    text = "USER\tWhere is my order?\nSYSTEM\tIt comes tomorrow before noon.\n"
    given = [text, TALK, {"messages": TALK}, one_dialogue(text, 7)]
    verdicts = [dialogue_sync(form, dialogue_id=7, journal=tmp_path / "journal.db") for form in given]
    assert all(isinstance(verdict, DialogueVerdict) for verdict in verdicts)
    (shown,) = {render(verdict, "json") for verdict in verdicts}
    assert json.loads(shown)["dialogue_id"] == 7


def test_what_is_not_one_dialogue_is_refused(tmp_path):
    for given, said in (
        ("USER\tHi.\nSYSTEM\tHello.\n\nUSER\tHi.\nSYSTEM\tHello.\n", "transcript: 2 dialogues found; give one"),
        ([{"role": "user", "content": object()}], "messages: not JSON ("),
        ("", "transcript: no dialogue"),
        ([{**TALK[0], "act": "\ud800"}, TALK[1]], "messages:1: dialogue 1: half of a surrogate pair (U+D800) at"),
    ):
        with pytest.raises(InputError) as caught:
            dialogue_sync(given, journal=tmp_path / "journal.db")
        assert str(caught.value).startswith(said)


def test_what_is_no_judge_is_refused(tmp_path):
    for judge, found in ((None, "null"), (3, "a number"), (["embedded"], "an array")):
        with pytest.raises(
            InputError, match=f"judge: expected a judge, found {found}; a judge's name, or an object with"
        ):
            review_sync(CASE, judge=judge, journal=tmp_path / "journal.db")


def test_languages_come_as_text_or_as_a_list(tmp_path):
    for languages in ("en,es", "en, es,", ["en", "es"], ("en", "es")):
        verdict = review_sync(CASE, languages=languages, journal=tmp_path / "journal.db")
        assert isinstance(verdict, ReviewVerdict) and verdict.invalid is None


def test_a_sync_function_has_the_signature_of_its_async_one():
    for name in ("compare", "dialogue", "grade", "review"):
        function, door = getattr(adjudge, name), getattr(adjudge, f"{name}_sync")
        assert inspect.signature(door) == inspect.signature(function)
        assert door.__name__ == f"{name}_sync"
        assert not inspect.iscoroutinefunction(door)


@pytest.mark.parametrize("judge", ["embedded", "scripted"])
async def test_a_verdict_recorded_with_other_prompts_says_so_by_name(tmp_path, provider, monkeypatch, judge, capsys):
    provider.script = lambda request: rates(1)
    judge = judge if judge == "embedded" else f"{provider.url}/v1#m"
    load, asked = prompts.load, {name: prompts.load(PROMPTS, name) for name in ("rater", "explainer")}
    older = {name: replace(file, version="1", source=f"{file.source} ") for name, file in asked.items()}
    with monkeypatch.context() as patched:
        patched.setattr(prompts, "load", lambda folder, name: older.get(name) or load(folder, name))
        verdict = await review(CASE, judge=judge, journal=tmp_path / "journal.db")
    now = " and ".join(f"{name} {file.version}" for name, file in asked.items())
    said = f"{verdict.verdict_id}: recorded with rater 1 and explainer 1; this version asks with {now}, which the"
    with pytest.raises(NotJournalledError, match=re.escape(said)):
        await replay(verdict.verdict_id, journal=tmp_path / "journal.db")
    command = ["replay", verdict.verdict_id, "--journal", str(tmp_path / "journal.db")]
    assert await asyncio.to_thread(main, command) == 2
    assert said in capsys.readouterr().err
    with TestClient(create_app(CompareSettings(), journal=tmp_path / "journal.db")) as client:
        page = client.get(f"/verdicts/{verdict.verdict_id}/calls", headers={"accept": "text/html"}).text
        assert client.get(f"/api/verdicts/{verdict.verdict_id}").status_code == 200
    sent = f"not those that were sent: recorded with rater 1 and explainer 1; this version asks with {now}."
    assert (sent in page) is (judge != "embedded")


async def test_a_prompt_changed_without_a_new_version_is_named_with_its_hash(tmp_path, monkeypatch):
    rater = prompts.load(PROMPTS, "rater")
    other = replace(rater, source=f"{rater.source} ")
    with monkeypatch.context() as patched:
        load = prompts.load
        patched.setattr(prompts, "load", lambda folder, name: other if name == "rater" else load(folder, name))
        verdict = await review(CASE, journal=tmp_path / "journal.db")
    said = f"recorded with rater {other.reference}; this version asks with rater {rater.reference}, "
    with pytest.raises(NotJournalledError, match=re.escape(said)):
        await replay(verdict.verdict_id, journal=tmp_path / "journal.db")
