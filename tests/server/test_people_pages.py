"""The page of people and the audit log: who sees what, who changes whom, and what is written down of it."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from server.people_samples import FORM, HTML, PASSWORD, PeopleService
from server.run_pages import bearer

import adjudge
from adjudge.server.audit import ACTIONS, AuditLog
from adjudge.server.pages.common import A_PAGE

NASTY = "<script>alert(1)</script>\u202e"
NEW = "another long password"


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    made = PeopleService(tmp_path_factory.mktemp("people"))
    with made.browser():
        yield made


@pytest.fixture
def service(running):
    running.emptied()
    running.add("ann", "admin")
    running.add("bob", "annotator")
    return running


def log(service):
    return [
        (entry.person, entry.action, entry.subject, dict(entry.detail))
        for entry in AuditLog(service.database).entries()
    ]


# -- people -----------------------------------------------------------------------------------------------------------


def test_an_admin_sees_everybody_and_others_only_themselves(service):
    service.tokens.add("robot")
    told = service.browser("ann").get("/people.json").json()
    assert [(each["name"], each["kind"], each["role"]) for each in told["people"]] == [
        ("ann", "person", "admin"), ("bob", "person", "annotator"), ("robot", "token", "reviewer"),
    ]  # fmt: skip
    bob = service.browser("bob")
    told = bob.get("/people.json").json()
    assert (told["people"], told["person"], told["role"], told["manages"]) == ([], "bob", "annotator", False)
    page = bob.get("/people", headers=HTML).text
    assert "Your password" in page and '<h1 class="plain">Your account</h1>' in page
    assert "Add a person" not in page
    assert "ann" not in page.replace("annotator", "").replace("Annotator", "").replace("annotators", "")


def test_an_admin_adds_a_person_who_then_signs_in(service):
    ann = service.browser("ann")
    given = {"name": "cleo", "role": "reviewer", "password": NEW, "again": NEW}
    assert ann.submit("/people", given).headers["location"] == "/people?said=added"
    assert "The person can sign in now." in ann.get("/people?said=added", headers=HTML).text
    assert service.browser().sign_in("cleo", NEW).status_code == 303
    assert ("ann", "person.added", "cleo", {"role": "reviewer"}) in log(service)


def test_what_is_wrong_with_a_new_person_is_said_and_the_name_stays(service):
    service.tokens.add("robot")
    ann = service.browser("ann")
    for changes, said in (
        ({"name": "bob"}, "name: there is already a user bob; take another name"),
        ({"name": "robot"}, "name: there is already a token robot; a person needs a name of their own"),
        ({"name": NASTY}, "1 to 64 letters, digits, dots, hyphens and underscores"),
        ({"name": "local"}, "a service without sign-in uses this name for everybody"),
        ({"role": "king"}, "role: 'king'; one of viewer, annotator, reviewer, admin"),
        ({"again": "something else"}, "password: the two entries are not the same"),
        ({"password": "short", "again": "short"}, "password: 5 characters; 12 to 1,000 characters"),
        ({"password": "x" * 1001, "again": "x" * 1001}, "password: 1,001 characters; 12 to 1,000 characters"),
        ({"password": "cleocleocleo", "again": "cleocleocleo"}, "password: little more than the name"),
    ):
        given = {"name": "cleo", "role": "reviewer", "password": NEW, "again": NEW, **changes}
        refused = ann.submit("/people", given)
        assert (refused.status_code, said in html.unescape(refused.text)) == (400, True), said
        assert f'name="name" value="{given["name"]}' in refused.text or given["name"] == NASTY
        assert "<script>alert" not in refused.text
    assert len(service.users.listed()) == 2
    service.users.add("e", "correct horse")
    assert service.users.verified("e", "correct horse"), "a name of one letter may be in a password"


def test_another_role_holds_at_once_and_a_removed_person_is_signed_out(service):
    ann, bob = service.browser("ann"), service.browser("bob")
    assert ann.submit("/people/bob/role", {"role": "admin"}).status_code == 303
    assert bob.get("/audit").status_code == 200
    assert ann.submit("/people/bob/role", {"role": "viewer"}).status_code == 303
    refused = bob.get("/audit", headers=HTML)
    assert (refused.status_code, "Your role does not allow this" in refused.text) == (403, True)
    assert ann.submit("/people/bob/remove").status_code == 303
    assert bob.get("/people").status_code == 401
    assert service.browser().sign_in("bob").status_code == 401
    service.add("bob", "admin")
    assert bob.get("/people").status_code == 401, "one who comes again has no session from before"
    assert [entry[:3] for entry in log(service) if entry[1].startswith("person.")] == [
        ("ann", "person.role", "bob"), ("ann", "person.role", "bob"), ("ann", "person.removed", "bob"),
    ]  # fmt: skip


def test_the_last_admin_stays(service):
    ann = service.browser("ann")
    for path, fields in (("/people/ann/remove", {}), ("/people/ann/role", {"role": "viewer"})):
        refused = ann.submit(path, fields)
        assert refused.status_code == 409
        assert "ann: is the only admin; make somebody else an admin first" in refused.text
    assert ann.submit("/people/ann/role", {"role": "admin"}).status_code == 303
    assert ann.submit("/people/eve/remove").status_code == 400
    assert ann.submit("/people/e%00e/remove").status_code == 400
    service.users.set_role("bob", "admin")
    assert ann.submit("/people/ann/role", {"role": "viewer"}).status_code == 303


def test_a_changed_password_ends_all_sessions_and_needs_the_old_one(service):
    bob, phone = service.browser("bob"), service.browser("bob")
    given = {"password": PASSWORD, "new": NEW, "again": NEW}
    for changes, said in (
        ({"password": "wrong password!"}, "password: is not your current one"),
        ({"again": "else"}, "password: the two entries are not the same"),
        ({"new": "short", "again": "short"}, "password: 5 characters"),
    ):
        refused = bob.submit("/people/password", {**given, **changes})
        assert refused.status_code == 400
        assert said in refused.text
    assert phone.get("/people").status_code == 200
    changed = bob.submit("/people/password", given)
    assert (changed.status_code, changed.headers["location"]) == (303, "/sign-in?said=password")
    assert bob.get("/people").status_code == phone.get("/people").status_code == 401
    assert service.browser().sign_in("bob").status_code == 401
    assert service.browser().sign_in("bob", NEW).status_code == 303
    assert ("bob", "person.password", "bob", {}) in log(service)


def test_guessing_the_present_password_is_counted_like_signing_in(service):
    bob = service.browser("bob")
    given = {"password": "wrong password!", "new": NEW, "again": NEW}
    said = [bob.submit("/people/password", given).text for _ in range(11)]
    assert "is not your current one" in said[9]
    assert "too many wrong tries; wait 900 s" in said[10]


@pytest.mark.parametrize("tokens", [False, True])
def test_without_auth_nobody_is_added_over_http(tmp_path, tokens):
    service = PeopleService(tmp_path, auth=False)
    headers = {**FORM, **(service.token("boss", role="admin") if tokens else {})}
    given = {"name": "eve", "role": "admin", "password": NEW, "again": NEW}
    with service.browser() as browser:
        page = browser.get("/people", headers=headers).text
        assert "without <code>--auth</code>" in page
        assert ("Add a person" in page, "Make a token" in page) == (False, tokens)
        sent = [browser.post(f"/people{tail}", data=given, headers=headers) for tail in ("", "/password", "/tokens")]
        assert [answer.status_code for answer in sent] == [409, 409, 200 if tokens else 409]
    assert service.users.listed() == []
    assert [token.name for token in service.tokens.listed()] == (["boss", "eve"] if tokens else [])


def test_an_open_service_has_one_person_and_no_sign_in(tmp_path):
    with PeopleService(tmp_path, auth=False).browser() as browser:
        told = browser.get("/people.json").json()
        assert (told["person"], told["role"]) == ("local", "admin")
        page = browser.get("/", headers=HTML).text
        assert "Sign out" not in page
        assert 'name="csrf"' not in page
        assert browser.get("/sign-in", headers=HTML).headers["location"] == "/"
    assert not (tmp_path / "service.db").exists(), "looking makes no file"


# -- tokens -----------------------------------------------------------------------------------------------------------

SECRET = re.compile(r"adj_[\w-]{40,}")


def test_an_admin_makes_a_token_that_is_shown_once_and_revokes_it(service):
    ann = service.browser("ann")
    sent = {"name": "nightly", "role": "viewer", "budget": "2.50", "rate": "30"}
    answer = ann.submit("/people/tokens", sent)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    (secret,) = set(SECRET.findall(answer.text))
    assert service.browser().get("/api/runs", headers=bearer(secret)).status_code == 200
    token = service.tokens.named("nightly")
    assert (token.role, str(token.budget), token.rate) == ("viewer", "2.50", 30)
    again = ann.get("/people", headers=HTML).text
    assert not SECRET.search(again) and "Revoke nightly for good" in again
    gone = ann.submit("/people/tokens/nightly/revoke")
    assert gone.headers["location"] == "/people?said=revoked"
    assert service.browser().get("/api/runs", headers=bearer(secret)).status_code == 401
    assert [entry[:3] for entry in log(service)[-2:]] == [
        ("ann", "token.added", "nightly"), ("ann", "token.revoked", "nightly"),
    ]  # fmt: skip
    assert secret not in str(log(service))


def test_a_token_that_cannot_be_made_is_refused_beside_its_form(service):
    ann = service.browser("ann")
    for changes, said in (
        ({"name": "bob"}, "there is already a user bob"),
        ({"name": "a b"}, "name: &#39;a b&#39;"),
        ({"budget": "much"}, "budget: &#39;much&#39; is not a number"),
        ({"budget": "-1"}, "budget: -1; a number of dollars above 0"),
        ({"rate": "1.5"}, "rate: 1.5; a whole number"),
        ({"role": "king"}, "role: &#39;king&#39;"),
    ):
        answer = ann.submit("/people/tokens", {"name": "nightly", "role": "viewer", **changes})
        assert (answer.status_code, said in answer.text) == (400, True), said
    assert service.tokens.listed() == []


# -- the audit log ----------------------------------------------------------------------------------------------------


def test_the_log_is_filtered_by_the_address_and_comes_in_pages(service):
    audit = AuditLog(service.database)
    for number in range(A_PAGE + 10):
        audit.record("cleo", "review.accepted", f"v{number}", rating=number)
    said = {"reason": NASTY, "changes": ["one", "two"], "criteria": True, "result": {"whole": "tables"}}
    audit.record("dan", "review.rejected", "v3", **said)
    ann = service.browser("ann")
    everything = ann.get("/audit.json").json()
    assert everything["entries"][0]["action"] == "session.begun", "the newest first"
    assert len(everything["entries"]) == A_PAGE
    second = ann.get(everything["next_address"], headers={"accept": "application/json"}).json()
    assert second["next"] is None
    numbers = [entry["number"] for entry in (*everything["entries"], *second["entries"])]
    assert numbers == sorted(numbers, reverse=True)
    assert len(numbers) == A_PAGE + 12
    found = ann.get("/audit.json?subject=v3").json()["entries"]
    assert [(entry["person"], entry["action"]) for entry in found] == [
        ("dan", "review.rejected"), ("cleo", "review.accepted"),
    ]  # fmt: skip
    assert len(ann.get("/audit.json?person=cleo&action=review.accepted&subject=v3").json()["entries"]) == 1
    assert ann.get("/audit.json?person=cleo&action=review.rejected").json()["entries"] == []
    assert ann.get("/audit.json?subject=%00").json()["subject"] == ""
    more = ann.get("/audit.json?person=cleo").json()["next_address"]
    assert more.startswith("/audit?person=cleo&cursor=")
    page = ann.get("/audit?person=dan", headers=HTML).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<option selected>dan</option>" in page
    assert "changes: one, two · criteria: yes</td>" in page, "and not the whole tables"
    assert ann.get("/audit?cursor=nonsense", headers=HTML).status_code == 400
    assert "No entry matches these filters." in ann.get("/audit?person=nobody", headers=HTML).text


def test_the_log_is_in_plain_words_and_leads_to_what_was_acted_on(service):
    audit = AuditLog(service.database)
    audit.record("cleo", "review.accepted", "v" * 21)
    audit.record("cleo", "gone.done", "whatever")
    page = service.browser("ann").get("/audit", headers=HTML).text
    assert f'<td>accepted a review</td><td dir="auto"><a href="/verdicts/{"v" * 21}">' in page
    assert '<option value="review.accepted">accepted a review</option>' in page
    assert "<td>signed in</td>" in page and "<td>gone.done</td>" in page


def test_every_action_that_is_recorded_has_words():
    written = re.compile(r'record(?:,|\()[^"]*"([a-z]+\.[a-z_]+)"')
    folder = Path(adjudge.__file__).parent
    found = {action for file in folder.rglob("*.py") for action in written.findall(file.read_text("utf-8"))}
    done = re.compile(r'record\(state, caller, "([a-z]+)"(?: if [^"]*"start" else "([a-z]+)")?')
    for file in folder.rglob("server/**/*.py"):
        found |= {f"run.{one}" for pair in done.findall(file.read_text("utf-8")) for one in pair if one}
    assert {"session.refused", "rubric.kept", "token.added", "run.uploaded", "run.resumed"} < found
    assert found == set(ACTIONS)
