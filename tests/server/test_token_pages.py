"""Tokens on the page of people: made and shown once, revoked, and for admins only."""

from __future__ import annotations

import re

import pytest
from server.people_samples import HTML, PeopleService

SECRET = re.compile(r"adj_[\w-]{40,}")


@pytest.fixture
def service(tmp_path):
    made = PeopleService(tmp_path)
    made.add("boss", "admin")
    made.add("eve", "reviewer")
    with made.browser():
        yield made


def test_an_admin_makes_a_token_that_is_shown_once_and_revokes_it(service):
    boss = service.browser("boss")
    sent = {"name": "nightly", "role": "viewer", "budget": "2.50", "rate": "30"}
    answer = boss.submit("/people/tokens", sent)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    (secret,) = set(SECRET.findall(answer.text))
    header = {"authorization": f"Bearer {secret}"}
    assert service.browser().get("/api/runs", headers=header).status_code == 200
    token = service.tokens.named("nightly")
    assert (token.role, str(token.budget), token.rate) == ("viewer", "2.50", 30)
    again = boss.get("/people", headers=HTML).text
    assert not SECRET.search(again)
    assert "Revoke nightly for good" in again
    gone = boss.submit("/people/tokens/nightly/revoke")
    assert gone.headers["location"] == "/people?said=revoked"
    assert service.browser().get("/api/runs", headers=header).status_code == 401
    log = [(entry.person, entry.action, entry.subject) for entry in service.app.state.adjudge.audit.newest(2)]
    assert log == [("boss", "token.revoked", "nightly"), ("boss", "token.added", "nightly")]
    assert secret not in str(service.app.state.adjudge.audit.newest(20))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "eve"}, "there is already a user eve"),
        ({"name": "a b"}, "name: &#39;a b&#39;"),
        ({"budget": "much"}, "budget: &#39;much&#39; is not a number"),
        ({"budget": "-1"}, "budget: -1; a number of dollars above 0"),
        ({"rate": "1.5"}, "rate: 1.5; a whole number"),
        ({"role": "king"}, "role: &#39;king&#39;"),
    ],
)
def test_a_token_that_cannot_be_made_is_refused_beside_its_form(service, changes, said):
    answer = service.browser("boss").submit("/people/tokens", {"name": "nightly", "role": "viewer", **changes})
    assert answer.status_code == 400
    assert said in answer.text
    assert service.tokens.listed() == []


def test_without_sign_in_the_page_makes_no_token(tmp_path):
    service = PeopleService(tmp_path, auth=False)
    with service.browser() as browser:
        assert "Make a token" not in browser.get("/people", headers=HTML).text
        assert browser.submit("/people/tokens", {"name": "nightly", "role": "viewer"}).status_code == 409
        assert service.tokens.listed() == []
