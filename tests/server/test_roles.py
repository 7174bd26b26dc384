"""Every route with every role: what each may do, and that no route is without its line here."""

from __future__ import annotations

import re

import pytest
from fastapi.routing import APIRoute
from server.people_samples import HTML, PeopleService

from adjudge.server.users import ROLES

# What each route needs; None is open to strangers. A new route needs a line here, and its reason to be there.
NEEDS: dict[tuple[str, str], str | None] = {
    ("GET", "/"): "viewer",
    ("GET", "/judge"): "viewer",
    ("GET", "/judge/{name}"): "viewer",
    ("POST", "/judge/{name}"): "reviewer",
    ("GET", "/verdicts"): "viewer",
    ("GET", "/verdicts.json"): "viewer",
    ("GET", "/verdicts/{name}"): "viewer",
    ("GET", "/verdicts/{verdict_id}/again"): "reviewer",
    ("POST", "/verdicts/{verdict_id}/again"): "reviewer",
    ("GET", "/verdicts/{verdict_id}/beside/{other}"): "viewer",
    ("GET", "/verdicts/{verdict_id}/{name}"): "viewer",
    ("GET", "/setup"): None,  # only while there is no admin, and with the code on the terminal
    ("POST", "/setup"): None,
    ("GET", "/sign-in"): None,
    ("POST", "/sign-in"): None,
    ("POST", "/sign-out"): "viewer",
    ("GET", "/people"): "viewer",
    ("GET", "/people.json"): "viewer",
    ("POST", "/people"): "admin",
    ("POST", "/people/tokens"): "admin",
    ("POST", "/people/tokens/{name}/revoke"): "admin",
    ("POST", "/people/password"): "viewer",
    ("POST", "/people/{name}/role"): "admin",
    ("POST", "/people/{name}/remove"): "admin",
    ("GET", "/audit"): "admin",
    ("GET", "/audit.json"): "admin",
    ("GET", "/docs"): None,
    ("GET", "/api/health"): None,
    ("POST", "/api/evaluate"): "reviewer",
    ("POST", "/api/dialogue"): "reviewer",
    ("POST", "/api/grade"): "reviewer",
    ("POST", "/api/review"): "reviewer",
    ("POST", "/api/review/drafts"): "reviewer",
    ("GET", "/api/review/drafts/{draft_id}"): "viewer",
    ("PATCH", "/api/review/drafts/{draft_id}"): "reviewer",
    ("DELETE", "/api/review/drafts/{draft_id}"): "reviewer",
    ("POST", "/api/review/drafts/{draft_id}/judge"): "reviewer",
    ("GET", "/api/verdicts"): "viewer",
    ("GET", "/api/verdicts/{verdict_id}"): "viewer",
    ("POST", "/api/runs"): "reviewer",
    ("GET", "/api/runs"): "viewer",
    ("GET", "/api/runs/{run_id}"): "viewer",
    ("DELETE", "/api/runs/{run_id}"): "reviewer",
    ("GET", "/api/runs/{run_id}/events"): "viewer",
    ("POST", "/api/runs/{run_id}/cancel"): "reviewer",
    ("POST", "/api/runs/{run_id}/pause"): "reviewer",
    ("POST", "/api/runs/{run_id}/resume"): "reviewer",
    ("GET", "/api/runs/{run_id}/rows"): "viewer",
    ("GET", "/api/runs/{run_id}/export"): "viewer",
    ("GET", "/api/rubrics"): "viewer",
    ("POST", "/api/rubrics"): "reviewer",
    ("POST", "/api/rubrics/validate"): "reviewer",
    ("GET", "/api/rubrics/{name}"): "viewer",
    ("GET", "/api/rubrics/{name}/prompt"): "viewer",
    ("GET", "/api/verdicts/{verdict_id}/decision"): "viewer",
    ("PUT", "/api/verdicts/{verdict_id}/decision"): "reviewer",
    ("POST", "/verdicts/{verdict_id}/decision"): "reviewer",
    ("GET", "/review"): "reviewer",
    ("GET", "/review.json"): "reviewer",
    ("GET", "/runs/{run_id}/review"): "reviewer",
    ("GET", "/runs/{run_id}/review.json"): "reviewer",
    ("GET", "/runs/{run_id}/review/{name}"): "reviewer",
    ("POST", "/runs/{run_id}/review/{name}"): "reviewer",
    ("GET", "/api/annotators"): "viewer",
    ("GET", "/api/annotators/{name:path}"): "viewer",
    ("GET", "/annotators"): "viewer",
    ("GET", "/annotators.json"): "viewer",
    ("GET", "/annotators/{name:path}"): "viewer",
    ("GET", "/runs"): "viewer",
    ("GET", "/runs.json"): "viewer",
    ("GET", "/runs/new"): "reviewer",
    ("POST", "/runs/new"): "reviewer",
    ("GET", "/runs/new/{run_id}"): "reviewer",
    ("POST", "/runs/new/{run_id}"): "reviewer",
    ("GET", "/runs/compare"): "viewer",
    ("GET", "/runs/compare.json"): "viewer",
    ("GET", "/runs/over-time"): "viewer",
    ("GET", "/runs/over-time.json"): "viewer",
    ("GET", "/runs/{name}"): "viewer",
    ("GET", "/runs/{run_id}/progress"): "viewer",
    ("GET", "/runs/{run_id}/export"): "viewer",
    ("GET", "/runs/{run_id}/agreement"): "viewer",
    ("GET", "/runs/{run_id}/agreement.json"): "viewer",
    ("POST", "/runs/{run_id}/{action}"): "reviewer",
    ("GET", "/runs/{run_id}/cases"): "viewer",
    ("GET", "/runs/{run_id}/cases.json"): "viewer",
    ("GET", "/runs/{run_id}/cases/{name}"): "viewer",
    ("GET", "/runs/{run_id}/settings"): "viewer",
    ("GET", "/runs/{run_id}/settings.json"): "viewer",
    ("GET", "/label"): "annotator",
    ("GET", "/label.json"): "annotator",
    ("GET", "/label/{place:path}"): "annotator",
    ("POST", "/label/{place:path}"): "annotator",
    ("GET", "/runs/{run_id}/label"): "annotator",
    ("GET", "/runs/{run_id}/label.json"): "annotator",
    ("POST", "/runs/{run_id}/label"): "reviewer",
    ("GET", "/runs/{run_id}/label/{name}"): "annotator",
    ("POST", "/runs/{run_id}/label/{name}"): "annotator",
    ("GET", "/rubrics"): "viewer",
    ("GET", "/rubrics.json"): "viewer",
    ("GET", "/rubrics/{name}"): "viewer",
    ("GET", "/rubrics/{name}/edit"): "reviewer",
    ("POST", "/rubrics/{name}/edit"): "reviewer",
}


def routes(app):
    """All routes, also those of the routers that were included."""
    found = []
    for route in app.routes:
        inner = getattr(route, "original_router", None)
        found += routes(inner) if inner is not None else [route] if isinstance(route, APIRoute) else []
    return found


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    made = PeopleService(tmp_path_factory.mktemp("roles"))
    for role in ROLES:
        made.add(role.title(), role)
    with made.browser():
        yield made


@pytest.fixture(scope="module")
def callers(service):
    """By role: a browser that is signed in, and the header of a token."""
    tokens = {role: service.tokens.add(f"token-{role}", role=role) for role in ROLES}
    return {role: (service.browser(role.title()), {"authorization": f"Bearer {tokens[role]}"}) for role in ROLES}


def test_every_route_says_here_what_it_needs(service):
    known = {(method, route.path) for route in routes(service.app) for method in route.methods - {"HEAD"}}
    assert known == set(NEEDS)


@pytest.mark.parametrize(("method", "path"), NEEDS)
def test_a_route_is_refused_below_its_role_and_not_above_it(service, callers, method, path):
    needed, where = NEEDS[method, path], re.sub(r"\{[^}]+\}", "none", path.replace("{action}", "cancel"))
    stranger = service.browser()
    answers = [stranger.request(method, where, headers=each) for each in ({}, {"origin": "http://localhost"})]
    led = stranger.request(method, where, headers={**HTML, "origin": "http://localhost"})
    if needed is None:
        assert all(answer.status_code not in (401,) for answer in (*answers, led))
        return
    assert [answer.status_code for answer in answers] == [401, 401]
    assert led.status_code == (401 if path.startswith("/api/") else 303)
    for role, (browser, bearer) in callers.items():
        allowed = ROLES.index(role) >= ROLES.index(needed)
        for answer in (
            service.browser().request(method, where, headers={**bearer, "origin": "http://localhost"}),
            browser.request(method, where, headers={"origin": "http://localhost"}),
        ):
            refused = answer.status_code == 403 and "; this needs " in answer.text
            assert refused is not allowed, (role, answer.text)
            assert answer.status_code not in (401, 500)
    # Signing out is among these calls, and ends no session without the form's code.
    assert callers["viewer"][0].get("/people").status_code == 200


def test_what_a_role_may_not_do_is_not_offered(callers):
    for role, (browser, _) in callers.items():
        for protocol in ("compare", "dialogue", "review"):
            page = browser.get(f"/judge/{protocol}", headers=HTML).text
            offered = 'id="judge"' in page and 'value="judge"' in page
            assert offered is (role in ("reviewer", "admin")), role
            assert (f"{role.title()} is {role}; judging needs reviewer." in page) is not offered
            assert (">Label</a>" in page) is (role != "viewer")
        assert ('href="/runs/new"' in browser.get("/runs", headers=HTML).text) is (role in ("reviewer", "admin"))
        lost = browser.get("/runs/r00000000000000000", headers=HTML).text
        assert ("Judge something" in lost) is (role in ("reviewer", "admin"))
