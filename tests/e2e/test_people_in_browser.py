"""Signing in, changing people and signing out in a real browser: with keys only, on a phone in the dark."""

from __future__ import annotations

import json

import pytest
from e2e.pages import opened, page_width, serious_faults, serving, sign_in
from playwright.async_api import expect
from server.people_samples import PASSWORD, QUICK

from adjudge.server.database import open_database
from adjudge.server.users import TokenStore, UserStore

pytestmark = pytest.mark.asyncio(loop_scope="session")
CODE = "the-code-on-the-terminal"
ROLE_OF = {"rae": "reviewer", "bob": "annotator", "vic": "viewer"}
# What each role opens; what it may not open is a page, too.
SEEN = {
    "rae": ("/", "/review", "/runs/{run}/review", "/runs/{run}/review/0", "/people"),
    "bob": ("/", "/runs/{run}/label", "/runs/{run}/label/1", "/runs/{run}/agreement", "/people", "/audit"),
    "vic": ("/", "/runs/{run}/cases", "/runs/{run}/cases/0", "/runs/{run}/agreement", "/people", "/label"),
}
REVIEW = {"id": "one", "prompt": "Name a prime.", "response1": "It is 17.", "response2": "It is 15, I think."}
BEGIN = """async row => {
    const begun = await fetch("/api/runs?protocol=review&format=jsonl", {method: "POST", body: row});
    const id = (await begun.json()).run_id;
    await (await fetch(`/api/runs/${id}/events`)).text();
    return id;
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    users = UserStore(open_database(folder / "service.db"), hasher=QUICK)
    users.add("ann", PASSWORD, "admin")
    users.add("bob", PASSWORD, "annotator")
    with serving(folder, tokens=TokenStore(users.database), auth=True) as url:
        yield url


async def test_with_keys_only_one_signs_in_does_something_and_signs_out(site, browser):
    async with opened(browser, f"{site}/judge/compare?example=1", 390, "dark") as tab:
        page = tab.page
        assert page.url.endswith("/sign-in?next=%2Fjudge%2Fcompare%3Fexample%3D1")
        assert await page.evaluate("document.documentElement.scrollWidth") == 390
        await expect(page.locator("#name")).to_be_focused()
        await page.keyboard.type("ann")
        await page.keyboard.press("Tab")
        await page.keyboard.type("not the password")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_have_text("Name or password is wrong.")
        # The name stays, and the cursor stands where the password belongs.
        await expect(page.locator("#name")).to_have_value("ann")
        await expect(page.locator("#password")).to_be_focused()
        await page.keyboard.type(PASSWORD)
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/judge/compare?example=1")
        # A form that a script sends holds the session's code as well.
        await page.locator(".start").focus()
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/verdicts/*")
        for path in ("/people", "/audit"):
            await page.goto(site + path)
            assert await page.evaluate("document.documentElement.scrollWidth") == 390, path
        await page.goto(f"{site}/people")
        await page.locator("#role-bob").focus()
        await page.keyboard.press("v")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("status")).to_have_text("The role is changed.")
        await expect(page.locator("#role-bob")).to_have_value("viewer")
        await page.get_by_role("button", name="Sign out").focus()
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/sign-in")
        await page.go_back()
        await page.reload()
        assert "/sign-in?next=" in page.url
        assert [each for each in tab.complaints if "401" not in each] == []
        assert all(url.startswith((site, "data:")) for url in tab.requests)


async def test_without_scripts_a_person_is_added_and_removed(site, browser):
    async with opened(browser, f"{site}/people", java_script_enabled=False) as tab:
        page = tab.page
        await page.fill("#name", "ann")
        await page.fill("#password", PASSWORD)
        await page.click("form >> nth=0 >> button")
        await page.fill("#new-name", "cleo")
        await page.select_option("#new-role", "reviewer")
        await page.fill("#new-password", "short")
        await page.fill("#new-again", "another long password")
        await page.click("section:has(#add) button")
        # The browser itself says that it is too short.
        assert not page.url.endswith("said=added")
        await page.fill("#new-password", "another long password")
        await page.click("section:has(#add) button")
        await page.wait_for_url("**/people?said=added")
        row = page.locator("tr", has_text="cleo")
        await row.locator("summary").click()
        await row.get_by_role("button", name="Remove cleo for good").click()
        await page.wait_for_url("**/people?said=removed")
        assert await page.locator("tr", has_text="cleo").count() == 0


@pytest.mark.slow
async def test_the_pages_of_every_role_have_no_serious_fault_from_the_first_start_on(tmp_path, browser):
    """The service behind `--auth`: the first admin is made, a run is set up, and each role opens what it has."""
    users = UserStore(open_database(tmp_path / "service.db"), hasher=QUICK)
    tokens = TokenStore(users.database)
    with serving(tmp_path, tokens=tokens, auth=True, setup_code=CODE) as url:
        async with opened(browser, url) as tab:
            await sound(tab, f"{url}/setup")
            for code in ("wrong", CODE):
                for field, text in {"#code": code, "#name": "ann", "#password": PASSWORD, "#again": PASSWORD}.items():
                    await tab.page.fill(field, text)
                await tab.page.click("form button")
                await tab.page.wait_for_selector("#wrong" if code == "wrong" else "text=Welcome, ann")
                await sound(tab)
            for name, role in ROLE_OF.items():
                users.add(name, PASSWORD, role)
            run = await tab.page.evaluate(BEGIN, json.dumps(REVIEW))
            for path in ("/people", "/audit", "/runs", f"/runs/{run}", f"/runs/{run}/label"):
                await sound(tab, url + path)
            await tab.page.click("text=Set up labelling")
            await tab.page.wait_for_selector("text=Change the set-up")
        for name, paths in SEEN.items():
            async with opened(browser, f"{url}/sign-in") as tab:
                await sound(tab)
                await sign_in(tab.page, name)
                await tab.page.wait_for_selector(".who")
                for path in paths:
                    await sound(tab, url + path.format(run=run))


async def sound(tab, address=""):
    """The page, or the one at this address, has no fault that would stop those who cannot see or point, and fits."""
    if address:
        await tab.page.goto(address)
    assert await serious_faults(tab) == [], tab.page.url
    assert await page_width(tab) == 390, tab.page.url


async def test_a_refusal_is_shown_and_the_text_stays(site, browser):
    """The role is taken away while the form is open; then the service refuses, and nothing that was typed is lost."""
    async with opened(browser, f"{site}/judge/compare?example=1") as tab:
        page = tab.page
        await sign_in(page, "ann")
        await page.wait_for_url("**/judge/compare?example=1")
        await page.locator("#context").fill("typed by hand")

        async def refused(route):
            said = '{"error": "role: ann is annotator; this needs reviewer"}'
            await route.fulfill(status=403, content_type="application/json", body=said)

        await page.route("**/judge/compare", refused)
        await page.locator(".start").click()
        await expect(page.get_by_role("alert")).to_have_text(
            "role: ann is annotator; this needs reviewer. What you entered is still here."
        )
        await expect(page.locator("#context")).to_have_value("typed by hand")
        await page.unroute("**/judge/compare")
        await page.locator(".start").click()
        await page.wait_for_url("**/verdicts/*")


async def test_an_admin_adds_a_person_and_makes_a_token_with_3_clicks_and_4_keys_beside_the_text(site, browser):
    """On the page of people; what is typed into the fields does not count, and revoking takes two more clicks.

    The person took 2 clicks and 3 keys before, too; a token could be made on the server's command line only.
    """
    async with opened(browser, f"{site}/people") as tab:
        page, clicks, keys = tab.page, 0, 0
        await sign_in(page, "ann")
        await page.wait_for_url("**/people")
        await page.click("#new-name")
        await page.keyboard.type("dora")
        for text in (None, "another long password", "another long password"):
            await page.keyboard.press("Tab")
            await page.keyboard.type(text or "")
        await page.click("section:has(#add) button")
        clicks, keys = clicks + 2, keys + 3
        await expect(page.get_by_role("status")).to_have_text("The person can sign in now.")
        await page.click("#token-name")
        await page.keyboard.type("nightly")
        await page.keyboard.press("Enter")
        clicks, keys = clicks + 1, keys + 1
        secret = await page.locator("#token").inner_text()
        assert secret.startswith("adj_")
        await page.goto(f"{site}/people")
        assert secret not in await page.content()
        row = page.locator("tr", has_text="nightly")
        await row.locator("summary").click()
        await row.get_by_role("button", name="Revoke nightly for good").click()
        await expect(page.get_by_role("status")).to_have_text("The token is not valid any more; its runs are stopped.")
        assert (clicks, keys) == (3, 4)
