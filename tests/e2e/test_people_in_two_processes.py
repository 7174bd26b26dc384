"""Two services on one Postgres: who signs in at one is known at the other, and who is revoked is refused at both."""

import json
import os
import re
import subprocess
import sys
import time
from urllib.parse import quote

import httpx2
import pytest
from e2e.test_service import CASE
from postgres import GUARDED, PASSWORD

from adjudge.server.database import open_database
from adjudge.server.users import TokenStore, UserStore

SECRET = "correct horse battery"


def command(folder, place, *args, given=""):
    environment = {**os.environ, "XDG_DATA_HOME": str(folder), "ADJUDGE_DB": place}
    done = subprocess.run(
        [sys.executable, "-m", "adjudge.cli.main", *args], env=environment, input=given, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert PASSWORD not in done.stdout + done.stderr
    return done.stdout.strip()


@pytest.fixture
def place(postgres):
    """An address with a password, which nobody may see."""
    return postgres.new_place().replace("//postgres:@", f"//{GUARDED}:{quote(PASSWORD, safe='')}@")


@pytest.fixture
def services(tmp_path, place):
    command(tmp_path, place, "user", "add", "ann", "--role", "admin", "--password-stdin", given=SECRET + "\n")
    started, urls, said = [], [], []
    for at in range(2):
        with (tmp_path / f"said-{at}").open("w") as file:
            started.append(
                subprocess.Popen(
                    [sys.executable, "-m", "adjudge.cli.main", "serve", "--auth", "--port", "0"],
                    env={**os.environ, "XDG_DATA_HOME": str(tmp_path), "ADJUDGE_DB": place},
                    stderr=file,
                    stdout=file,
                )
            )
    try:
        for at, process in enumerate(started):
            for _ in range(600):
                if found := re.search(r"open (http://\S+)/ in a browser", (tmp_path / f"said-{at}").read_text()):
                    urls.append(found[1])
                    break
                assert process.poll() is None, (tmp_path / f"said-{at}").read_text()
                time.sleep(0.1)
        yield urls
    finally:
        for process in started:
            process.terminate()
        for at, process in enumerate(started):
            process.wait(120)
            said.append((tmp_path / f"said-{at}").read_text())
    for text in said:
        assert PASSWORD not in text
        assert quote(PASSWORD, safe="") not in text
        assert SECRET not in text


def sign_in(browser, url):
    page = browser.get(f"{url}/sign-in", headers={"accept": "text/html"}).text
    hidden = re.search(r'name="sign_in" value="([^"]+)"', page)[1]
    given = {"sign_in": hidden, "name": "ann", "password": SECRET}
    return browser.post(f"{url}/sign-in", data=given, headers={"origin": url}).status_code


@pytest.mark.slow
def test_both_know_the_same_people_sessions_tokens_verdicts_and_log(tmp_path, place, services):
    one, other = services
    # Cookies know no ports: this browser shows both the same session.
    with httpx2.Client(timeout=60) as browser:
        assert browser.get(f"{other}/people.json").status_code == 401
        assert sign_in(browser, one) == 303
        for url in services:
            assert browser.get(f"{url}/people.json").json()["person"] == "ann"
        made = browser.post(f"{one}/api/evaluate", json=CASE, headers={"origin": one}).json()["verdict_id"]
        assert browser.get(f"{other}/api/verdicts/{made}").json()["verdict_id"] == made
        csrf = re.search(r'name="csrf" value="([^"]+)"', browser.get(f"{other}/people").text)[1]
        session = dict(browser.cookies)
        assert browser.post(f"{other}/sign-out", data={"csrf": csrf}, headers={"origin": other}).status_code == 303
    for url in services:
        assert httpx2.get(f"{url}/people.json", cookies=session, timeout=60).status_code == 401

    tokens = TokenStore(open_database(place))
    bearer = {"authorization": f"Bearer {tokens.add('robot')}"}
    assert [httpx2.get(f"{url}/api/runs", headers=bearer, timeout=60).status_code for url in services] == [200, 200]
    tokens.revoke("robot")
    assert [httpx2.get(f"{url}/api/runs", headers=bearer, timeout=60).status_code for url in services] == [401, 401]

    with httpx2.Client(timeout=60) as browser:
        assert sign_in(browser, other) == 303
        log = json.loads(browser.get(f"{one}/audit.json").text)["entries"]
        assert [(entry["person"], entry["action"]) for entry in log] == [
            ("ann", "session.begun"),
            ("ann", "session.ended"),
            ("ann", "session.begun"),
            ("command line", "person.added"),
        ]
        UserStore(tokens.database).remove("ann")
        assert [browser.get(f"{url}/people.json").status_code for url in services] == [401, 401]
    tokens.close()
