"""Every kind of page that the demo links to, found by following its links, in a real browser: at both widths it fits,
complains of nothing and has no fault that would stop those who cannot see or point."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterator
from urllib.parse import parse_qs, urldefrag, urljoin, urlsplit
from urllib.request import urlopen

import pytest
from e2e.pages import opened, page_width, serious_faults, serving
from e2e.reports import Tab
from fastapi import FastAPI

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

NO_PAGE = re.compile(r"^/api/|/(export|docs|openapi\.json)$|\.(json|jsonl|txt|md|html|csv)$")
# The id of a verdict may begin like that of a run.
RUN, VERDICT = re.compile(r"\br[0-9a-f]{17}\b"), re.compile(r"\b[a-z][0-9a-f]{20}\b")
# Kinds that must be among those found: of every protocol its run, a case, its form and a verdict, and what is one.
PROTOCOLS = ("compare", "dialogue", "grade", "review")
EXPECTED = {f"/runs/{each}{tab}" for each in PROTOCOLS for tab in ("", "/cases", "/cases/N", "/label", "/settings")}
EXPECTED |= {f"/judge/{each}" for each in PROTOCOLS} | {"/runs/compare/label/side-by-side", "/runs/review/review/N"}
EXPECTED |= {"/runs/compare/agreement", "/runs/compare a b", "/runs/over-time judge", "/runs/over-time source"}
EXPECTED |= {"/annotators", "/rubrics", "/verdicts", "/audit", "/people", "/runs/new", "/label", "/review", "/runs"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The demo, once its runs are judged, labelled and summarised; and these runs."""
    apps: list[FastAPI] = []
    with serving(tmp_path_factory.mktemp("demo"), apps.append, demo=True) as url:
        until = time.monotonic() + 300
        while not apps[0].state.people.done() or len(_trend(url)) < 5:
            assert time.monotonic() < until
            time.sleep(0.2)
        yield url, json.load(urlopen(f"{url}/api/runs"))["runs"]


def _trend(url: str) -> list[object]:
    points: list[object] = json.load(urlopen(f"{url}/runs/over-time.json?source=heron"))["points"]
    return points


def kind_of(address: str, protocols: dict[str, str]) -> str:
    """What an address is of: two cases of one run are of one kind, and so are two runs of one protocol."""
    parts = urlsplit(address)
    path = RUN.sub(lambda found: protocols.get(found[0], "run"), parts.path)
    path = re.sub(r"/[0-9]+(?=/|$)", "/N", VERDICT.sub(lambda found: found[0][0], path))
    path = re.sub(r"^/(rubrics|annotators)/[^/]+", r"/\1/NAME", path)
    # The filters of a list make no other page of it.
    return " ".join((path, *sorted(parse_qs(parts.query) if not RUN.search(parts.path) else ())))


async def test_every_kind_of_page_fits_both_widths_and_has_no_serious_fault(site, browser):
    url, runs = site
    protocols = {run["run_id"]: run["protocol"] for run in runs}
    pair = [run["run_id"] for run in runs if run["name"].startswith("March")]
    begin = ["/", f"/runs/compare?a={pair[0]}&b={pair[1]}", "/people", "/audit", "/nowhere"]
    begin += ["/runs/over-time?judge=written:demo", "/runs/over-time?source=heron"]
    begin += [f"/runs/{run['run_id']}" for run in runs if run["protocol"] != "compare" or "March:" in run["name"]]
    waiting, found = [url + path for path in begin], {}
    async with opened(browser, url) as one, opened(browser, url) as other:
        while waiting:
            new: list[str] = []
            while waiting and len(new) < 2:
                address = waiting.pop(0)
                kind = kind_of(address, protocols)
                if kind not in found and not NO_PAGE.search(urlsplit(address).path):
                    found[kind] = address
                    new.append(address)
            # Two pages at a time: axe keeps one core busy.
            seen = await asyncio.gather(*(links_of(tab, each) for tab, each in zip((one, other), new, strict=False)))
            waiting += [each for links in seen for each in links if each.startswith(f"{url}/")]
    assert found.keys() >= EXPECTED, EXPECTED - found.keys()


async def links_of(tab: Tab, address: str) -> list[str]:
    """Where a page leads, after it was looked at in both widths."""
    await tab.show(address)
    assert await serious_faults(tab) == [], address
    assert await page_width(tab) == 390, address
    # A page that is missing, or that waits for labels, is one by design.
    assert [each for each in tab.complaints if not re.search(r"status of (404|409)", each)] == [], address
    links = await tab.page.eval_on_selector_all("a[href]", "all => all.map(each => each.href)")
    return [urldefrag(urljoin(address, each)).url for each in links]
