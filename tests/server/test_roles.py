"""Every route with every role: what each may do, what strangers and other sites are told, and that no route is without
its entry here."""

from __future__ import annotations

import re

import pytest
from fastapi.routing import APIRoute
from server.people_samples import PeopleService
from server.run_pages import HTML, bearer

from adjudge.server.users import ROLES

# What each route needs; `None` is open to strangers. A new route needs an entry here, and its reason to be there.
# The page that makes the first admin is open only while there is none, and needs the code on the terminal.
_TABLE = {
    (None, "GET"): "/setup /sign-in /docs /api/health",
    (None, "POST"): "/setup /sign-in",
    ("viewer", "GET"): """
        / /judge /judge/{name} /people /people.json /api/review/drafts/{draft_id}
        /verdicts /verdicts.json /verdicts/{name} /verdicts/{verdict_id}/{name} /verdicts/{verdict_id}/beside/{other}
        /api/verdicts /api/verdicts/{verdict_id} /api/verdicts/{verdict_id}/decision
        /api/runs /api/runs/{run_id} /api/runs/{run_id}/events /api/runs/{run_id}/rows /api/runs/{run_id}/export
        /runs /runs.json /runs/compare /runs/compare.json /runs/over-time /runs/over-time.json /runs/{name}
        /runs/{run_id}/progress /runs/{run_id}/export /runs/{run_id}/agreement /runs/{run_id}/agreement.json
        /runs/{run_id}/cases /runs/{run_id}/cases.json /runs/{run_id}/cases/{name}
        /runs/{run_id}/settings /runs/{run_id}/settings.json
        /api/rubrics /api/rubrics/{name} /api/rubrics/{name}/prompt /rubrics /rubrics.json /rubrics/{name}
        /api/annotators /api/annotators/{name:path} /annotators /annotators.json /annotators/{name:path}""",
    ("viewer", "POST"): "/sign-out /people/password",
    ("annotator", "GET"): """
        /label /label.json /label/{place:path} /runs/{run_id}/label /runs/{run_id}/label.json
        /runs/{run_id}/label/{name}""",
    ("annotator", "POST"): "/label/{place:path} /runs/{run_id}/label/{name}",
    ("reviewer", "GET"): """
        /verdicts/{verdict_id}/again /runs/new /runs/new/{run_id} /rubrics/{name}/edit
        /review /review.json /runs/{run_id}/review /runs/{run_id}/review.json /runs/{run_id}/review/{name}""",
    ("reviewer", "POST"): """
        /judge/{name} /verdicts/{verdict_id}/again /verdicts/{verdict_id}/decision
        /api/evaluate /api/dialogue /api/grade /api/review /api/review/drafts /api/review/drafts/{draft_id}/judge
        /api/runs /api/runs/{run_id}/cancel /api/runs/{run_id}/pause /api/runs/{run_id}/resume
        /api/rubrics /api/rubrics/validate /rubrics/{name}/edit
        /runs/new /runs/new/{run_id} /runs/{run_id}/{action} /runs/{run_id}/label /runs/{run_id}/review/{name}""",
    ("reviewer", "PUT"): "/api/verdicts/{verdict_id}/decision",
    ("reviewer", "PATCH"): "/api/review/drafts/{draft_id}",
    ("reviewer", "DELETE"): "/api/review/drafts/{draft_id} /api/runs/{run_id}",
    ("admin", "GET"): "/audit /audit.json",
    ("admin", "POST"): """
        /people /people/tokens /people/tokens/{name}/revoke /people/{name}/role /people/{name}/remove""",
}
NEEDS = {(method, path): role for (role, method), paths in _TABLE.items() for path in paths.split()}
HERE = {"origin": "http://localhost"}


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
    return {role: (service.browser(role.title()), service.token(f"token-{role}", role=role)) for role in ROLES}


def test_every_route_says_here_what_it_needs(service):
    known = {(method, route.path) for route in routes(service.app) for method in route.methods - {"HEAD"}}
    assert known == set(NEEDS)
    described = service.browser().get("/openapi.json").json()
    assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    for path, methods in described["paths"].items():
        for operation in methods.values():
            assert operation.get("security", []) == ([] if path == "/api/health" else [{"token": []}]), path


def test_a_route_is_refused_below_its_role_and_not_above_it(service, callers):
    stranger = service.browser()
    for (method, path), needed in NEEDS.items():
        where = re.sub(r"\{[^}]+\}", "none", path.replace("{action}", "cancel"))
        answers = [stranger.request(method, where, headers=each) for each in ({}, HERE)]
        led = stranger.request(method, where, headers={**HTML, **HERE})
        if needed is None:
            assert all(answer.status_code != 401 for answer in (*answers, led)), (method, path)
            continue
        assert [answer.status_code for answer in answers] == [401, 401], (method, path)
        assert led.status_code == (401 if path.startswith("/api/") else 303), (method, path)
        at = ROLES.index(needed)
        for role in ROLES[max(0, at - 1) : at + 1]:  # roles are in order, so those above are let in as well
            (browser, token), allowed = callers[role], role == needed
            for answer in (
                stranger.request(method, where, headers={**token, **HERE}),
                browser.request(method, where, headers=HERE),
            ):
                refused = answer.status_code == 403 and "; this needs " in answer.text
                assert refused is not allowed, (method, path, role, answer.text)
                assert answer.status_code not in (401, 500), (method, path, role)
        if method != "GET":  # no other site changes anything
            for foreign in ({}, {"origin": "http://evil.example"}):
                answer = callers["admin"][0].request(method, where, headers=foreign)
                assert (answer.status_code, answer.json()["error"][:8]) == (403, "origin: "), (method, path)
    # Signing out is among these calls, and ends no session without the form's code.
    assert callers["viewer"][0].get("/people").status_code == 200
    assert callers["admin"][0].get("/people").status_code == 200


def test_only_a_valid_token_lets_a_program_in(service):
    secret = service.tokens.add("program")
    wrong = (
        bearer("adj_wrong"),
        bearer(""),
        bearer(secret[:-1]),
        *({"authorization": f"{x}{secret}"} for x in ("", "Basic ")),
    )
    for headers in ({}, *wrong):
        answer = service.browser().get("/api/runs", headers=headers)
        assert (answer.status_code, answer.headers["www-authenticate"][:6]) == (401, "Bearer"), headers
        assert answer.json() == {"error": "authorization: a valid token is needed, as in `Authorization: Bearer TOKEN`"}
    assert service.browser().get("/api/runs", headers=bearer(secret)).status_code == 200


def test_what_a_role_may_not_do_is_not_offered(callers):
    for role, (browser, _) in callers.items():
        judging = role in ("reviewer", "admin")
        for protocol in ("compare", "dialogue", "review"):
            page = browser.get(f"/judge/{protocol}", headers=HTML).text
            assert ('id="judge"' in page and 'value="judge"' in page) is judging, role
            assert (f"{role.title()} is {role}; judging needs reviewer." in page) is not judging
        menu = re.search(r'<nav aria-label="Pages">.*?</nav>', page, re.DOTALL)[0]
        offered = {"/judge": judging, "/review": judging, "/label": role != "viewer", "/rubrics": True}
        assert {address: f'href="{address}"' in menu for address in offered} == offered, role
        for page in ("/rubrics", "/rubrics/compare"):
            assert ("/edit" in browser.get(page, headers=HTML).text) is judging, role
        assert ('href="/runs/new"' in browser.get("/runs", headers=HTML).text) is judging
        lost = browser.get("/runs/r00000000000000000", headers=HTML).text
        assert ("Judge something" in lost) is judging
