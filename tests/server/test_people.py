"""Signing in and out: passwords and tokens, cookies, what ends a session, and what other sites cannot do."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from server.people_samples import FORM, HTML, PASSWORD, PeopleService

from adjudge.server.audit import AuditLog
from adjudge.server.callers import IDLE_SECONDS, LONGEST_SECONDS, SessionStore
from adjudge.server.hashing import AT_ONCE, MAX_WAITING
from adjudge.server.users import ATTEMPT_SECONDS, MAX_ATTEMPTS, MAX_ATTEMPTS_IN_ALL, UserStore

CASE = {"userTask": "Say hello.", "responseA": "Good morning to you!", "responseB": "Hey you over there."}


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


# -- in and out -------------------------------------------------------------------------------------------------------


def test_a_stranger_is_led_to_the_sign_in_and_back_to_where_he_was(service):
    browser = service.browser()
    led = browser.get("/judge/review?example=1", headers=HTML)
    assert (led.status_code, led.headers["location"]) == (303, "/sign-in?next=%2Fjudge%2Freview%3Fexample%3D1")
    page = browser.get(led.headers["location"], headers=HTML).text
    assert 'name="next" value="/judge/review?example=1"' in page
    signed_in = browser.sign_in(next="/judge/review?example=1")
    assert (signed_in.status_code, signed_in.headers["location"]) == (303, "/judge/review?example=1")
    page = browser.get("/judge/review?example=1", headers=HTML)
    assert page.status_code == 200
    assert 'action="/sign-out"' in page.text
    assert ">ann</a>" in page.text
    # Programs are not led about, and scripts open the page themselves.
    assert service.browser().get("/").status_code == 401
    assert service.browser().get("/api/runs", headers=HTML).json()["error"].startswith("authorization: ")
    assert service.browser().get("/", headers={**HTML, "hx-request": "true"}).headers["hx-redirect"].startswith("/sign")
    assert browser.get("/sign-in?next=/people", headers=HTML).headers["location"] == "/people"


def test_a_sign_in_leads_to_paths_of_this_service_only(service):
    for wanted in (
        "https://evil.example/", "//evil.example/", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)",
        "/ /evil.example", "/\t/evil.example", "http:evil.example", "evil.example", "/sign-out", "/api/runs",
        "", "///x",
    ):  # fmt: skip
        assert service.browser().sign_in(next=wanted).headers["location"] == "/", wanted


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(service):
    answers = [service.browser().sign_in(name, "wrong password!") for name in ("bob", "eve")]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert all("Name or password is wrong." in answer.text for answer in answers)
    assert not any("adjudge=" in cookie for answer in answers for cookie in answer.headers.get_list("set-cookie"))
    assert service.browser().sign_in("ann", "").status_code == 401
    assert service.browser().sign_in("ann\x00", PASSWORD).status_code == 401


def test_an_unknown_name_takes_as_long_as_a_wrong_password(service):
    users = UserStore(service.database)
    users.add("dora", PASSWORD)
    users.verified("nobody", "wrong password!")  # makes the hash that stands for nobody

    def seconds(name):
        began = time.process_time()
        assert users.verified(name, "wrong password!") is None
        return time.process_time() - began

    known, unknown = min(seconds("dora") for _ in range(2)), min(seconds("nobody") for _ in range(2))
    assert known / 3 < unknown < known * 3


def test_signing_out_ends_the_session_for_whoever_has_its_cookie(service):
    browser, copy = service.browser("ann"), service.browser()
    copy.cookies.update(browser.cookies)
    assert copy.get("/people").status_code == 200
    out = browser.submit("/sign-out")
    assert (out.status_code, out.headers["location"]) == (303, "/sign-in")
    assert "adjudge" not in browser.cookies
    assert copy.get("/people").status_code == 401


def test_a_session_ends_when_it_is_idle_and_at_the_latest_after_a_week(service):
    browser = service.browser("ann")
    service.clock.now += IDLE_SECONDS - 1
    assert browser.get("/people").status_code == 200
    service.clock.now += IDLE_SECONDS + 1
    assert browser.get("/people").status_code == 401
    browser = service.browser("ann")
    for _ in range(int(LONGEST_SECONDS / IDLE_SECONDS * 2) - 1):
        service.clock.now += IDLE_SECONDS / 2
        assert browser.get("/people").status_code == 200
    service.clock.now += IDLE_SECONDS / 2 + 1
    assert browser.get("/people").status_code == 401
    service.browser("bob")
    assert len(service.database.rows("select 1 from adjudge_sessions")) == 1, "what is over is deleted"


def test_a_session_that_was_there_before_is_never_taken_over(service):
    # Whoever gives a browser a session's id in advance must not share what is signed in with it.
    attacker = service.browser("bob")
    planted = attacker.cookies["adjudge"]
    victim = service.browser()
    for value in (planted, "made-up"):
        victim.cookies.set("adjudge", value, domain="localhost.local")
        assert victim.submit("/sign-in", {"name": "ann", "password": PASSWORD}, "/sign-in").status_code in (303, 403)
    victim = service.browser()
    hidden = victim.hidden("/sign-in")
    victim.cookies.set("adjudge", planted, domain="localhost.local")
    answer = victim.post("/sign-in", data={**hidden, "name": "ann", "password": PASSWORD}, headers=FORM)
    assert answer.status_code == 303
    (made,) = [cookie for cookie in answer.headers.get_list("set-cookie") if cookie.startswith("adjudge=")]
    assert planted not in made
    assert attacker.get("/people").status_code == 401, "the planted session is over"


def test_neither_ids_of_sessions_nor_passwords_are_in_the_database(service):
    secret = service.browser("ann").cookies["adjudge"]
    assert len(secret) >= 43  # 256 bits
    service.database.close()
    written = b"".join(path.read_bytes() for path in service.folder.glob("service.db*"))
    assert b"$argon2id$" in written
    assert secret.encode() not in written
    assert PASSWORD.encode() not in written


def test_cookies_are_for_this_host_alone_and_off_this_machine_over_tls_alone(service):
    def flags(url):
        browser = service.browser(url=url)
        (sign_in,) = browser.get("/sign-in", headers=HTML).headers.get_list("set-cookie")
        return sign_in

    here = flags("http://localhost")
    assert here.startswith("adjudge-sign-in=")
    assert "HttpOnly" in here
    assert "SameSite=lax" in here
    assert "Path=/" in here
    assert "Secure" not in here
    assert "Domain" not in here
    for url in ("https://localhost", "http://ours.example", "https://ours.example"):
        assert flags(url).startswith("__Host-adjudge-sign-in="), url
        assert "Secure" in flags(url)
    browser = service.browser(url="https://ours.example")
    (session,) = [
        cookie for cookie in browser.sign_in().headers.get_list("set-cookie") if cookie.startswith("__Host-adjudge=")
    ]
    assert all(flag in session for flag in ("HttpOnly", "Secure", "SameSite=lax", "Path=/"))
    assert browser.get("/people").status_code == 200
    # A browser keeps no such cookie without TLS, and is told so.
    refused = service.browser(url="http://ours.example").sign_in()
    assert refused.status_code == 403
    assert "without TLS it accepts them from this machine only" in refused.text


@pytest.mark.parametrize("change", ["password", "person", "token"])
def test_a_session_that_begins_while_its_password_or_token_changes_is_worth_nothing(service, change):
    # As if it was begun a moment after the others were ended: with what was known before.
    if change == "token":
        service.tokens.add("robot")
        before = service.tokens.named("robot")
        service.tokens.revoke("robot")
        service.tokens.add("robot")
    else:
        before = service.users.named("bob")
        if change == "password":
            service.users.set_password("bob", "another long password")
        else:
            service.users.remove("bob")
            service.add("bob", "annotator")
    late = SessionStore(service.database, service.clock).begin(
        "token" if change == "token" else "user", before.name, before.stamp
    )
    browser = service.browser()
    browser.cookies.set("adjudge", late.secret, domain="localhost.local")
    assert browser.get("/people").status_code == 401


# -- other sites ------------------------------------------------------------------------------------------------------


def test_no_other_site_can_sign_a_browser_in(service):
    browser, other = service.browser(), service.browser()
    given = {"name": "ann", "password": PASSWORD}
    foreign = other.hidden("/sign-in")
    for hidden in ({}, {"sign_in": ""}, {"sign_in": "0" * 64}, foreign):
        answer = browser.post("/sign-in", data={**hidden, **given}, headers=FORM)
        assert answer.status_code == 403
        assert "adjudge=" not in str(answer.headers.get_list("set-cookie")).replace("adjudge-sign-in", "")
    browser.hidden("/sign-in")
    assert browser.post("/sign-in", data={**foreign, **given}, headers=FORM).status_code == 403
    assert browser.post("/sign-in", data=given, headers=HTML).status_code == 403, "without an origin"


def test_a_form_without_the_code_of_its_session_is_refused(service):
    ann, again = service.browser("ann"), service.browser("ann")
    own, foreign = ann.hidden("/people")["csrf"], again.hidden("/people")["csrf"]
    assert own != foreign and ann.cookies["adjudge"] not in own
    people = ("/people", "/people/bob/role", "/people/bob/remove", "/people/password")
    for given in ({}, {"csrf": ""}, {"csrf": foreign}, {"csrf": own[:-1]}):
        for path in ("/judge/compare", *people, "/sign-out"):
            answer = ann.post(path, data={**CASE, **given}, headers=FORM)
            assert answer.status_code == 403, (path, given)
            assert "csrf: missing, or from another session" in answer.text
    assert [user.name for user in service.users.listed()] == ["ann", "bob"]
    assert ann.submit("/judge/compare", CASE, "/judge").status_code == 303


def test_the_api_takes_a_session_only_from_a_page_of_ours(service):
    ann = service.browser("ann")
    assert ann.get("/api/runs").status_code == 200
    assert ann.post("/api/evaluate", json=CASE).status_code == 403
    assert ann.post("/api/evaluate", json=CASE, headers={"origin": "http://evil.example"}).status_code == 403
    assert ann.post("/api/evaluate", json=CASE, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert ann.post("/api/evaluate", json=CASE, headers={"origin": "http://localhost"}).status_code == 200
    wrong = ann.get("/api/runs", headers={"authorization": "Bearer adj_wrong"})
    assert wrong.status_code == 401, "a wrong token is not mended by a cookie"


# -- tries ------------------------------------------------------------------------------------------------------------


def test_wrong_passwords_are_counted_by_name_and_address_in_all_processes(service):
    browsers = [service.browser(), type(service.browser())(service.another_process())]
    for at in range(MAX_ATTEMPTS):
        assert browsers[at % 2].sign_in("bob", "wrong password!").status_code == 401
    for browser in browsers:
        refused = browser.sign_in("bob")
        assert refused.status_code == 429, "the right one is refused as well"
        assert refused.headers["retry-after"] == str(int(ATTEMPT_SECONDS))
        assert "Too many wrong tries; wait 900 s." in refused.text
    assert browsers[0].sign_in("ann").status_code == 303, "others are not concerned"
    service.clock.now += ATTEMPT_SECONDS + 1
    assert service.browser().sign_in("bob").status_code == 303


def test_a_right_password_forgets_the_wrong_ones_before_it(service):
    for _ in range(3):
        for _ in range(MAX_ATTEMPTS - 1):
            assert service.users.seconds_to_wait("bob", "10.0.0.1") == 0
        service.users.forgive("bob", "10.0.0.1")
    assert service.users.seconds_to_wait("bob", "10.0.0.1") == 0


def test_one_name_from_many_addresses_and_many_names_from_one_are_counted_too(service):
    for at in range(MAX_ATTEMPTS_IN_ALL):
        assert service.users.seconds_to_wait("bob", f"10.0.0.{at}") == 0
        assert service.users.seconds_to_wait(f"guess{at}", "10.9.9.9") == 0
    assert service.users.seconds_to_wait("bob", "10.0.1.1") > 0
    assert service.users.seconds_to_wait("ann", "10.9.9.9") > 0
    assert service.users.seconds_to_wait("ann", "10.0.1.1") == 0


def test_beyond_a_few_that_wait_a_sign_in_is_refused_at_once_and_not_counted(tmp_path):
    """The first hashes wait for the refusals: as many as may wait do, and the others are told to come again."""
    service, many = PeopleService(tmp_path), 20
    expected, all_refused, answered = many - AT_ONCE - MAX_WAITING, threading.Event(), []
    users = service.app.state.callers.users
    verified = users.verified

    def slow(name, password):
        assert all_refused.wait(60)
        return verified(name, password)

    users.verified = slow
    with service.browser() as browser:
        fields = {**browser.hidden("/sign-in"), "password": "wrong password!"}

        def attempt(at):
            answered.append(browser.post("/sign-in", data={**fields, "name": f"guess{at}"}, headers=FORM))
            if sum(one.status_code == 503 for one in answered) == expected:
                all_refused.set()

        with ThreadPoolExecutor(many) as threads:
            list(threads.map(attempt, range(many)))
        refused = [answer for answer in answered if answer.status_code == 503]
        assert len(refused) == expected
        assert {answer.headers["retry-after"] for answer in refused} == {"2"}
        assert all("Too many people are signing in at the moment" in answer.text for answer in refused)
        assert {answer.status_code for answer in answered if answer not in refused} == {401}
        counted = service.database.rows("select count(distinct subject) from adjudge_attempts")
        assert counted == [(2 * (AT_ONCE + MAX_WAITING) + 1,)], "pairs and names that were tried, and the one address"
        service.add("ann")
        assert browser.sign_in("ann").status_code == 303


# -- tokens in a browser ----------------------------------------------------------------------------------------------


def test_a_browser_gets_in_with_a_token_where_nobody_has_a_password(tmp_path):
    service = PeopleService(tmp_path, auth=False)
    secret = service.tokens.add("robot", role="annotator")
    service.add("ann")
    with service.browser() as browser:
        page = browser.get("/sign-in", headers=HTML).text
        assert 'name="token"' in page
        assert 'name="password"' not in page
        assert browser.sign_in("ann").status_code == 401, "passwords count with --auth only"
        assert browser.sign_in(token="adj_wrong").status_code == 401
        assert browser.sign_in(token=f" {secret} ").status_code == 303
        assert browser.get("/people.json").json()["role"] == "annotator"
        assert browser.submit("/judge/compare", CASE, "/judge").status_code == 403
        service.tokens.revoke("robot")
        assert browser.get("/people.json").status_code == 401
        service.tokens.add("robot")
        assert browser.get("/people.json").status_code == 401, "a new token of that name begins no old session"


def test_who_signed_in_is_in_the_audit_log_and_what_may_be_a_password_is_not(service):
    service.browser("bob").submit("/sign-out")
    service.browser().sign_in("bob", "wrong password!")
    service.browser().sign_in("my secret password", "bob")
    found = [(entry.person, entry.action, entry.subject) for entry in AuditLog(service.database).entries()]
    assert found == [
        ("bob", "session.begun", "bob"),
        ("bob", "session.ended", "bob"),
        ("bob", "session.refused", "unknown"),
        ("unknown", "session.refused", "unknown"),
    ]
