"""Looking facts up: off by default, kept with the verdict, journalled, and honest in `web_search_used`."""

import json

import pytest
from aiohttp import web
from scripted.provider import fails, judges, says

from adjudge.api import replay
from adjudge.engine import Engine
from adjudge.errors import InputError, SetupError
from adjudge.journal import open_journal
from adjudge.models.base import to_json
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.compare.verdict import ComparisonVerdict
from adjudge.search import open_searcher

CASE = Comparison(
    "How high is Mont Blanc?",
    "Mont Blanc is 4,806 metres high, as measured in 2023.",
    "Mont Blanc is about 5,200 metres high, I am sure of it.",
)


@pytest.fixture
async def service():
    """A search service on 127.0.0.1 that speaks SearXNG's and Brave's formats and counts what it is asked."""
    asked = []

    async def searxng(request):
        asked.append(dict(request.query))
        login = request.headers.get("Authorization", "")
        if request.query["q"] == "who am I":
            return web.json_response({"error": f"{login} is not welcome"}, status=401)
        if request.query["q"] == "broken":
            return web.json_response({"error": "nothing works"}, status=400)
        found = [
            {"title": "Mont  Blanc", "url": "https://example.org/mb", "content": "4,805.59 m\nin 2023", "engine": "x"},
            {"title": "bad", "url": "javascript:alert(1)", "content": "no"},
        ]
        return web.json_response({"query": request.query["q"], "results": found})

    async def brave(request):
        asked.append({**request.query, "token": request.headers["X-Subscription-Token"]})
        results = [{"title": "MB", "url": "https://example.org/b", "description": "4,806 m"}]
        return web.json_response({"type": "search", "web": {"type": "search", "results": results}})

    app = web.Application()
    app.router.add_get("/search", searxng)
    app.router.add_get("/brave", brave)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield url, asked
    await runner.cleanup()


async def test_a_searxng_server_is_asked_in_its_format_and_only_real_addresses_are_kept(service, journal):
    url, asked = service
    searcher = open_searcher(f"searxng:{url}", journal)
    lookup = await searcher.look_up("height of Mont Blanc")
    assert asked == [{"q": "height of Mont Blanc", "format": "json"}]
    assert [(f.title, f.url, f.snippet) for f in lookup.findings] == [
        ("Mont Blanc", "https://example.org/mb", "4,805.59 m in 2023")
    ]
    assert await searcher.look_up("height of Mont Blanc") == lookup
    assert len(asked) == 1  # the journal had it
    await searcher.close()


async def test_a_search_that_fails_says_why_and_is_tried_again_the_next_time(service, journal):
    url, asked = service
    searcher = open_searcher(f"searxng:{url}", journal)
    lookup = await searcher.look_up("broken")
    assert lookup.findings == ()
    assert lookup.error is not None
    assert "HTTP 400: nothing works" in lookup.error
    await searcher.look_up("broken")
    assert len(asked) == 2
    await searcher.close()


async def test_a_searxng_server_gets_its_login_from_the_environment_and_cannot_leak_it(service, journal, monkeypatch):
    url, _ = service
    monkeypatch.setenv("SEARXNG_AUTH", "ann:hush-hush")
    searcher = open_searcher(f"searxng:{url}", journal)
    lookup = await searcher.look_up("who am I")
    assert lookup.error == "HTTP 401: Basic *** is not welcome"
    await searcher.close()
    with pytest.raises(InputError, match=r"must not contain a user or password; .*SEARXNG_AUTH") as refused:
        open_searcher("searxng:http://ann:hush@host", journal)
    assert "hush" not in str(refused.value)


async def test_brave_is_asked_with_its_key(service, journal, monkeypatch):
    url, asked = service
    monkeypatch.setenv("BRAVE_API_KEY", "secret")
    monkeypatch.setenv("BRAVE_BASE_URL", f"{url}/brave")
    searcher = open_searcher("brave", journal)
    lookup = await searcher.look_up("mb")
    assert asked[0]["token"] == "secret"
    assert lookup.findings[0].snippet == "4,806 m"
    await searcher.close()


async def test_brave_without_a_key_says_which_variable_to_set(journal, monkeypatch):
    for name in ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SetupError, match="set BRAVE_API_KEY or BRAVE_SEARCH_API_KEY"):
        await open_searcher("brave", journal).look_up("x")


@pytest.mark.parametrize("spec", ["", "searxng", "searxng:ftp://x", "brave:x", "google"])
def test_what_names_no_service_is_refused(spec, journal):
    with pytest.raises(InputError, match="is not a search service; allowed: searxng:http://HOST:PORT or brave"):
        open_searcher(spec, journal)


def script(queries):
    """A model that first asks for these searches and then judges."""
    return lambda request: says({"queries": queries}) if "queries" in request.schema["properties"] else judges()


async def judged(tmp_path, provider, search, judge=None):
    settings = CompareSettings(judge=judge or f"{provider.url}/v1#m", search=search)
    async with Engine(open_journal(tmp_path / "journal.db")) as engine:
        verdict = await engine.judge(CASE, settings)
    assert isinstance(verdict, ComparisonVerdict), verdict
    return verdict, json.loads(to_json(verdict))


async def test_what_was_looked_up_reaches_the_judge_and_stays_with_the_verdict(tmp_path, provider, service):
    url, asked = service
    provider.script = script(["height of Mont Blanc"])
    verdict, shown = await judged(tmp_path, provider, f"searxng:{url}")
    assert shown["evaluation"]["web_search_used"] is True
    assert shown["lookups"][0]["findings"][0]["url"] == "https://example.org/mb"
    assert len(asked) == 1
    comparisons = [request for request in provider.requests if "criteria" in request.schema["properties"]]
    assert len(comparisons) == 2
    assert all("4,805.59 m in 2023" in request.turns[0] for request in comparisons)
    kept, made, _ = await replay(verdict.verdict_id, journal=tmp_path / "journal.db")
    assert kept == made
    assert len(asked) == 1


async def test_a_judge_that_wants_no_search_has_used_none(tmp_path, provider, service):
    url, asked = service
    provider.script = script([])
    _, shown = await judged(tmp_path, provider, f"searxng:{url}")
    assert shown["evaluation"]["web_search_used"] is False
    assert asked == []


async def test_a_search_that_failed_is_no_search_used_and_a_warning(tmp_path, provider, service):
    url, _ = service
    provider.script = script(["broken"])
    verdict, shown = await judged(tmp_path, provider, f"searxng:{url}")
    assert shown["evaluation"]["web_search_used"] is False
    assert [warning["code"] for warning in shown["warnings"]] == ["search_failed"]
    kept, made, _ = await replay(verdict.verdict_id, journal=tmp_path / "journal.db")
    assert kept == made


async def test_the_searches_of_every_stage_of_a_cascade_stay_with_the_verdict(tmp_path, provider, service):
    url, asked = service
    wishes = {"cheap": ["height of Mont Blanc"], "dear": ["Mont Blanc"]}

    def behave(request):
        model = request.json["model"]
        if "queries" in request.schema["properties"]:
            return says({"queries": wishes[model]})
        return judges((lambda text: 5) if model == "cheap" else None)

    provider.script = behave
    judge = f"cascade:{provider.url}/v1#cheap>{provider.url}/v1#dear"
    verdict, shown = await judged(tmp_path, provider, f"searxng:{url}", judge)
    assert [lookup["query"] for lookup in shown["lookups"]] == ["height of Mont Blanc", "Mont Blanc"]
    assert [stage["calls"] for stage in shown["stages"]] == [3, 3]
    kept, made, _ = await replay(verdict.verdict_id, journal=tmp_path / "journal.db")
    assert kept == made
    assert len(asked) == 2


async def test_a_jurys_verdict_is_replayed_although_a_member_failed_when_asked_what_to_look_up(
    tmp_path, provider, service
):
    url, _ = service

    def behave(request):
        if request.json["model"] == "bad" and "queries" in request.schema["properties"]:
            return fails(400, "not this")
        return script(["Mont Blanc"])(request)

    provider.script = behave
    jury = "jury:" + "+".join(f"{provider.url}/v1#{model}" for model in ("x", "y", "bad"))
    verdict, _ = await judged(tmp_path, provider, f"searxng:{url}", jury)
    kept, made, _ = await replay(verdict.verdict_id, journal=tmp_path / "journal.db")
    assert kept == made


async def test_without_a_service_no_search_is_even_asked_for(tmp_path, provider):
    provider.script = script(["height of Mont Blanc"])
    _, shown = await judged(tmp_path, provider, None)
    assert shown["evaluation"]["web_search_used"] is False
    assert len(provider.requests) == 2
