"""The first start with `--auth`: the code on the terminal makes the first admin, once, and leads on."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from server.people_samples import HTML, PASSWORD, QUICK, Browser

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app
from adjudge.server.database import open_database
from adjudge.server.users import TokenStore, UserStore

CODE = "the-code-on-the-terminal"
SENT = {"code": CODE, "name": "boss", "password": PASSWORD, "again": PASSWORD}


@pytest.fixture
def made(tmp_path):
    database = open_database(tmp_path / "service.db")
    app = create_app(
        CompareSettings(), journal=tmp_path / "journal.db", tokens=TokenStore(database), auth=True, setup_code=CODE
    )
    app.state.callers.users = UserStore(database, hasher=QUICK)
    with Browser(app) as browser:
        yield app, browser


def posted(browser, **changes):
    return browser.post("/setup", data={**SENT, **changes}, headers=browser.form)


def test_the_first_visitor_is_led_through_making_the_admin_and_on(made):
    app, browser = made
    first = browser.get("/", headers=HTML)
    assert first.headers["location"].startswith("/sign-in")
    assert browser.get(first.headers["location"], headers=HTML).headers["location"] == "/setup"
    form = browser.get("/setup", headers=HTML)
    assert "Make the first admin" in form.text
    assert CODE not in form.text
    assert posted(browser).headers["location"] == "/setup"
    done = browser.get("/setup", headers=HTML).text
    for address in ("/people#add", "/runs/new", "/judge"):
        assert f'<a href="{address}">' in done
        assert browser.get(address, headers=HTML).status_code == 200, "the admin is signed in"
    assert app.state.callers.users.verified("boss", PASSWORD).role == "admin"
    assert [entry.action for entry in app.state.adjudge.audit.entries("boss")] == ["person.added", "session.begun"]


def test_nobody_is_made_an_admin_by_a_wrong_form_and_the_code_is_used_up_by_the_right_one(made):
    app, browser = made
    for changes, said in (
        ({"code": "guessed"}, "Code: not the one on the terminal"),
        ({"code": ""}, "Code: not the one on the terminal"),
        ({"again": "something else"}, "the two entries are not the same"),
        ({"password": "short", "again": "short"}, "12 to 1,000 characters"),
        ({"name": "a b"}, "Name: &#39;a b&#39;"),
    ):
        refused = posted(browser, **changes)
        assert (refused.status_code, said in refused.text) == (400, True), refused.text
        assert app.state.callers.users.listed() == []
    assert posted(browser).status_code == 303
    stranger = Browser(app)
    assert stranger.get("/setup", headers=HTML).status_code == posted(stranger, name="eve").status_code == 404
    assert stranger.get("/sign-in", headers=HTML).status_code == 200
    assert [user.name for user in app.state.callers.users.listed()] == ["boss"]


def test_a_service_without_auth_or_without_a_code_has_no_such_page(tmp_path):
    for options in ({}, {"setup_code": CODE}, {"auth": True}):
        app = create_app(CompareSettings(), journal=tmp_path / "journal.db", **options)
        with TestClient(app, base_url="http://localhost") as client:
            assert client.get("/setup", headers=HTML).status_code == 404, options
            sent = client.post("/setup", data=SENT, headers={**HTML, "origin": "http://localhost"})
            assert sent.status_code == 404, options
