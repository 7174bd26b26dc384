"""Makes the pictures in docs/images/: starts `adjudge serve --demo` and visits its pages in Chromium.

    python docs/screenshots.py [NAME …]

Needs what `make test` installs and a Chromium (ADJUDGE_BROWSER names one that is not on the PATH). Pictures are WebP of
at most 150 kB. A page that the service does not have fails, after all others are made.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx2
from playwright.async_api import Browser, async_playwright


class View(NamedTuple):
    """How large the window is, in which colours, and how many pixels a point has."""

    width: int
    height: int
    colours: str = "light"
    scale: float = 1


DESKTOP, PHONE = View(1440, 900), View(390, 844, "dark", 2)
# The name of the picture, its address, and how it is seen. {compare}, {dialogue}, {grade} and {review} are the ids
# of the judged examples, {recorded} that of the recorded one, {run} that of a run of comparisons,
# {labelled} that of one to be labelled.
PAGES: tuple[tuple[str, str, View], ...] = (
    ("judge", "/judge/compare?example=1", DESKTOP),
    ("comparison", "/verdicts/{compare}", DESKTOP),
    ("dialogue", "/verdicts/{dialogue}", DESKTOP),
    ("grading", "/verdicts/{recorded}", DESKTOP),
    ("review", "/verdicts/{review}", DESKTOP),
    ("runs", "/runs", DESKTOP),
    ("run", "/runs/{run}", DESKTOP),
    ("label", "/runs/{labelled}/label/1", DESKTOP),
    ("annotators", "/annotators", DESKTOP),
    ("rubrics", "/rubrics/compare", DESKTOP),
    ("comparison-phone", "/verdicts/{compare}", PHONE),
    ("grading-phone", "/verdicts/{recorded}", PHONE),
)

_ROOT = Path(__file__).parents[1]
_IMAGES = _ROOT / "docs" / "images"
_MOST_BYTES = 150_000
_QUALITIES = (90, 80, 70, 60, 50, 40)
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def serving(folder: Path) -> Iterator[httpx2.Client]:
    """The service with its examples, and nothing of the user's own."""
    kept = {**os.environ, "XDG_DATA_HOME": str(folder), "ADJUDGE_JOURNAL": str(folder / "journal.db")}
    command = [sys.executable, "-m", "adjudge", "serve", "--demo", "--port", "0"]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, env=kept) as service,
    ):
        try:
            while "open http" not in (said := (folder / "log").read_text()):
                if service.poll() is not None:
                    raise SystemExit(f"the service did not start:\n{said}")
                time.sleep(0.1)
            address = said.partition("open ")[2].split()[0]
            with httpx2.Client(base_url=address, trust_env=False, timeout=60) as client:
                yield client
        finally:
            service.terminate()


def places(client: httpx2.Client) -> Mapping[str, str]:
    """The ids of what there is to see, once the runs of the demo have ended; one of them is set up to be labelled."""
    while not (runs := client.get("/api/runs").json()["runs"]) or any(run["state"] != "finished" for run in runs):
        time.sleep(0.2)
    compared, *_, labelled = [run["run_id"] for run in runs if run["protocol"] == "compare"]
    form = {"cases": "12", "people": "2", "named": ""}
    client.post(f"/runs/{labelled}/label", data=form, headers={"origin": str(client.base_url).rstrip("/")})
    examples = client.get("/judge/compare.json").json()["examples"]
    recorded = next(each["verdict_id"] for each in examples if "recorded" in each["title"])
    shown = {"run": compared, "labelled": labelled, "recorded": recorded}
    return {**shown, **{each["protocol"]: each["verdict_id"] for each in examples}}


async def picture(browser: Browser, address: str, view: View) -> bytes | None:
    """What is seen of a page at first, in the best quality that is small enough; None if there is no such page."""
    context = await browser.new_context(
        viewport={"width": view.width, "height": view.height},
        color_scheme="dark" if view.colours == "dark" else "light",
        reduced_motion="reduce",
    )
    try:
        page = await context.new_page()
        answer = await page.goto(address, wait_until="networkidle")
        if answer is None or not answer.ok:
            return None
        session = await context.new_cdp_session(page)
        # Playwright itself writes no WebP.
        seen = {"x": 0, "y": 0, "width": view.width, "height": view.height, "scale": view.scale}
        for quality in _QUALITIES:
            taken = await session.send(
                "Page.captureScreenshot", {"format": "webp", "quality": quality, "clip": seen, "fromSurface": True}
            )
            content = base64.b64decode(taken["data"])
            if len(content) <= _MOST_BYTES:
                return content
        raise SystemExit(f"{address}: the picture has more than {_MOST_BYTES:,} bytes")
    finally:
        await context.close()


async def make(wanted: list[str]) -> list[str]:
    """Write the pictures; the names of those whose page is missing."""
    program = next(filter(None, map(shutil.which, (os.environ.get("ADJUDGE_BROWSER") or "", *_BROWSERS))), None)
    if program is None:
        raise SystemExit("no browser found; install chromium, or set ADJUDGE_BROWSER")
    missing = []
    _IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as client:
        ids = places(client)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            for name, address, view in PAGES:
                if wanted and name not in wanted:
                    continue
                content = await picture(browser, f"{str(client.base_url).rstrip('/')}{address.format(**ids)}", view)
                if content is None:
                    missing.append(f"{name} ({address})")
                    continue
                (_IMAGES / f"{name}.webp").write_bytes(content)
                print(f"docs/images/{name}.webp: {len(content):,} bytes", flush=True)
            await browser.close()
    return missing


def main() -> None:
    """Make all pictures, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [name for name, _, _ in PAGES]
    parser.add_argument("name", nargs="*", help=f"which pictures: {', '.join(names)} (default: all)")
    wanted = parser.parse_args().name
    if unknown := set(wanted) - set(names):
        parser.error(f"{', '.join(sorted(unknown))}: unknown; one of {', '.join(names)}")
    if missing := asyncio.run(make(wanted)):
        sys.exit(f"the service has no page for: {', '.join(missing)}")


if __name__ == "__main__":
    main()
