"""The service as it is started by a user: a real process, a real port."""

import json
import os
import re
import subprocess
import sys
import urllib.request

import pytest

CASE = {
    "userTask": "Say hello politely.",
    "responseA": "Good morning to you, and how do you do?",
    "responseB": "Hey you over there, what is it now?",
}


@pytest.fixture
def service(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "adjudge.cli.main", "serve", "--port", "0"],
        env={**os.environ, "ADJUDGE_JOURNAL": str(tmp_path / "journal.db")},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(r"running on (http://\S+)", line):
            yield found[1]
            break
    process.terminate()
    process.communicate()
    assert process.returncode in (0, -15)


def test_adjudge_serve_answers_on_its_port(service):
    request = urllib.request.Request(service + "/api/evaluate", json.dumps(CASE).encode(), method="POST")
    with urllib.request.urlopen(request) as answer:
        assert answer.headers["content-type"] == "application/json"
        assert json.load(answer)["evaluation"]["winner"] in ("A", "B", "tie")
    with urllib.request.urlopen(service + "/api/health") as answer:
        assert json.load(answer)["status"] == "ok"


@pytest.mark.asyncio(loop_scope="session")
async def test_the_documentation_page_works_in_a_browser_without_a_network(service, browser):
    asked = []
    page = await browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(service + "/docs")
    await page.wait_for_selector("text=Compare two answers to one task")
    await page.click("#operations-compare-evaluate_api_evaluate_post button")
    await page.wait_for_selector("text=Try it out")
    await page.close()
    assert asked
    assert all(url.startswith((service, "data:")) for url in asked)
