"""The service as it is started by a user: a real process, a real port."""

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager

import httpx2
import pytest

from adjudge.server.users import TokenStore

CASE = {
    "userTask": "Say hello politely.",
    "responseA": "Good morning to you, and how do you do?",
    "responseB": "Hey you over there, what is it now?",
}


@contextmanager
def serving(tmp_path, *options, until=r"running on (http://\S+)"):
    process = subprocess.Popen(
        [sys.executable, "-m", "adjudge.cli.main", "serve", "--port", "0", *options],
        env={**os.environ, "ADJUDGE_JOURNAL": str(tmp_path / "journal.db"), "XDG_DATA_HOME": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(until, line):
            yield found[1]
            break
    process.terminate()
    process.communicate()
    assert process.returncode in (0, -15)


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Where a browser of this machine would note the address it was opened with."""
    folder = tmp_path_factory.mktemp("browser")
    browser = folder / "browser"
    browser.write_text(f"#!/bin/sh\necho $1 >> {folder}/opened\n")
    browser.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BROWSER", f"{browser} %s")
        yield folder / "opened"


@pytest.fixture(scope="module")
def service(tmp_path_factory, opened):
    with serving(tmp_path_factory.mktemp("service"), until="open (http://.*)/ in a browser") as url:
        yield url


def test_the_service_says_its_address_and_opens_no_browser_by_itself(service, opened):
    assert status_of(f"{service}/api/health") == 200
    assert service not in (opened.read_text() if opened.exists() else "")


@pytest.mark.slow
def test_a_service_with_examples(tmp_path):
    with serving(tmp_path, "--demo", until="open (http://.*/) in a browser") as url:
        told = json.load(urllib.request.urlopen(f"{url}judge/compare.json"))
    assert [each["protocol"] for each in told["examples"]] == ["compare", "dialogue", "grade", "grade", "review"]


def status_of(url, headers=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers or {})) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_the_first_start_with_auth_prints_a_code_that_makes_the_admin_and_open_opens_a_browser(tmp_path, opened):
    data = ("--auth", "--data", str(tmp_path / "data"))
    with serving(tmp_path, *data, until=r"no admin yet: (http://\S+/setup makes one, with the code \S+)") as told:
        address, code = told.split(" makes one, with the code ")
        sent = {"code": code, "name": "boss", "password": "correct horse battery", "again": "correct horse battery"}
        origin = {"origin": address.removesuffix("/setup")}
        for given, status in (({**sent, "code": "guessed"}, 400), (sent, 303), (sent, 404)):
            assert httpx2.post(address, data=given, headers=origin, timeout=120).status_code == status
    with serving(tmp_path, *data, "--open", until="(open http://.*/ in a browser|no admin yet)") as told:
        assert told.startswith("open"), "there is one now"
    assert told.split()[1] in opened.read_text().splitlines()


def test_a_service_for_others_asks_for_a_token_until_it_is_revoked(tmp_path):
    tokens = TokenStore(tmp_path / "mine.db")
    headers = {"authorization": f"Bearer {tokens.add('ann')}"}
    options = ("--host", "0.0.0.0", "--tokens", f"{tmp_path}/mine.db", "--allow-host", "ours.example")
    with serving(tmp_path, *options) as url:
        url = url.replace("0.0.0.0", "127.0.0.1")
        unknown = f"{url}/api/verdicts/c0123456789abcdef0123"
        assert status_of(unknown) == 401
        assert status_of(unknown, headers) == 404
        assert status_of(unknown, {**headers, "host": "ours.example"}) == 404
        assert status_of(unknown, {**headers, "host": "evil.example"}) == 421
        tokens.revoke("ann")
        assert status_of(unknown, headers) == 401
        assert status_of(f"{url}/api/health") == 200
    tokens.close()


def test_adjudge_serve_answers_on_its_port(service):
    request = urllib.request.Request(service + "/api/evaluate", json.dumps(CASE).encode(), method="POST")
    with urllib.request.urlopen(request) as answer:
        assert answer.headers["content-type"] == "application/json"
        assert json.load(answer)["evaluation"]["winner"] in ("A", "B", "tie")
    with urllib.request.urlopen(service + "/api/health") as answer:
        assert json.load(answer)["status"] == "ok"


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_the_documentation_page_works_in_a_browser_without_a_network(service, browser):
    asked, complaints = [], []
    page = await browser.new_page()
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(service + "/docs")
    await page.wait_for_selector("text=Compare two answers to one task")
    await page.click("#operations-compare-evaluate_api_evaluate_post button")
    await page.wait_for_selector("text=Try it out")
    # The page asks for the token, and sends it from the same origin.
    await page.click("button:has-text('Try it out')")
    async with page.expect_response("**/api/evaluate") as answer:
        await page.click("button:has-text('Execute')")
    assert (await answer.value).status == 200
    assert await page.locator("button:has-text('Authorize')").count() > 0
    await page.close()
    assert complaints == []
    assert asked
    assert all(url.startswith((service, "data:")) for url in asked)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_foreign_name_that_leads_here_gets_nothing_in_a_browser(service, browser):
    # Browsers send every name under localhost to this machine, as rebinding does with a name of the attacker's.
    page = await browser.new_page()
    answer = await page.goto(service.replace("127.0.0.1", "evil.localhost") + "/api/health")
    assert answer.status == 421
    asked = await page.evaluate("fetch('/api/health').then(answer => answer.status)")
    assert asked == 421
    await page.close()


@pytest.mark.asyncio(loop_scope="session")
async def test_a_page_of_another_site_can_neither_frame_the_service_nor_send_it_a_form(service, browser, tmp_path):
    (tmp_path / "evil.html").write_text(
        f"<iframe src='{service}/docs'></iframe><form method='post' enctype='text/plain' "
        f"action='{service}/api/review/drafts'><input name='{{}}'><button>Win!</button></form>"
    )
    page = await browser.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    await page.goto((tmp_path / "evil.html").as_uri())
    assert any("frame-ancestors" in text for text in complaints)
    assert await page.frames[1].locator("#swagger-ui").count() == 0
    async with page.expect_response("**/api/review/drafts") as answer:
        await page.click("button")
    assert (await answer.value).status == 403
    await page.close()
