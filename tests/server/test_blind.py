"""Labels stay blind: no route shows an annotator what the judge made of a case that is still theirs to label."""

from __future__ import annotations

import asyncio
import json
import re
from itertools import islice

from scripted.provider import judges, says
from scripted.ratings import rating_reply
from server.people_samples import HTML, PeopleService
from server.test_roles import NEEDS, routes

from adjudge.protocols.compare.settings import CompareSettings

WORDS = "zirconium quagga"
PAIRS = [
    {"id": f"pair{n}", "task": f"Say hello to {n}.", "a": f"Hello to you, number {n}, on this day.", "b": f"Hey {n}."}
    for n in range(4)
]
DIMENSIONS = ("Instruction Following", "Truthfulness", "Style & Clarity")
REVIEWS = [
    {
        "id": f"review{n}",
        "annotator": "ann" if n % 2 else "jonas",
        "prompt": f"Name a prime above {n}.",
        "response1": f"It is the number seventeen, and not {n}.",
        "response2": f"It is the number sixteen, and not {n}.",
        "response1_original_ratings": dict.fromkeys(DIMENSIONS, 3),
        "response2_original_ratings": dict.fromkeys(DIMENSIONS, 2),
        "original_likert_and_justification": {"likert": 4},
    }
    for n in range(4)
]


def reply(worse):
    """What the judge says of any case: this answer is bad, in words and numbers that occur nowhere else."""

    def behave(request):
        if "response_1" in request.schema["properties"]:
            said = f"Its claim about the {WORDS} of {worse} is false."
            found = {"truthfulness": [1, f"the number {'seventeen' if worse == 1 else 'sixteen'}", said]}
            return says(rating_reply({f"response_{worse}": found, "preference": 7 if worse == 1 else 1}))

        def planted(said):
            for marks in said.get("criteria", {}).values():
                marks |= {f"justification_{n}": f"The {WORDS} of answer {n} is odd." for n in (1, 2)}
            return said

        return judges(lambda text: (9 if worse == 1 else 2) if text.startswith("Hey") else 6, planted)

    return behave


CHANGING = re.compile(r'name="csrf" value="\w+"|\d{4}-\d\d-\d\dT[\d:.+Z]+|\d+ \w{3} \d{4}, [\d:]+')


class Blinded:
    """A service in which ann and eve have to label all cases of two runs; these are eve's from better days."""

    def __init__(self, folder, judge):
        settings = CompareSettings(judge=judge, one_order=True)
        self.service = PeopleService(folder, settings=settings)
        for name, role in (("boss", "admin"), ("ann", "annotator"), ("eve", "reviewer")):
            self.service.add(name, role)

    def begin(self):
        maker = self.service.browser("eve")
        self.runs = []
        for protocol, rows in (("compare", PAIRS), ("review", REVIEWS)):
            content = "".join(json.dumps(row) + "\n" for row in rows)
            asked = {"protocol": protocol, "source": "rows.jsonl", "name": f"all {protocol}"}
            answer = maker.post("/api/runs", params=asked, content=content, headers={"origin": "http://localhost"})
            run = answer.json()["run_id"]
            maker.get(f"/api/runs/{run}/events")  # until its end
            assert maker.get(f"/api/runs/{run}").json()["verdicts"] == len(rows)
            maker.get(f"/runs/{run}")  # the table of its results is made
            setup = {"cases": str(len(rows)), "people": "2", "named": "ann, eve"}
            assert maker.submit(f"/runs/{run}/label", setup).status_code == 303
            self.runs.append(run)
        # She also had one of these cases judged by itself, so it is among her recent verdicts.
        alone = {field: PAIRS[0][field] for field in ("task", "a", "b")}
        mine = maker.post("/api/evaluate", json=alone, headers={"origin": "http://localhost"}).json()["verdict_id"]
        assert mine in maker.get("/verdicts", headers=HTML).text
        listed = maker.get("/api/verdicts").json()["verdicts"]
        self.verdicts = [verdict["verdict_id"] for verdict in listed]
        assert len(self.verdicts) == len(PAIRS) + len(REVIEWS)
        self.some = self.verdicts[0], self.verdicts[-1]  # one of each protocol
        self.service.users.set_role("eve", "annotator")

    def addresses(self):
        """Every route that reads, filled with everything there is to ask for, with and without the runs as filters."""
        filled = {
            "{run_id}": self.runs,
            "{verdict_id}": self.some,
            "{other}": [self.verdicts[1], self.verdicts[-1]],
            "{draft_id}": ["none"],
            "{action}": ["cancel"],
        }
        for route in routes(self.service.app):
            if "GET" not in route.methods or NEEDS["GET", route.path] == "admin":
                continue
            paths = [route.path]
            for place, values in filled.items():
                paths = [path.replace(place, value) for path in paths for value in (values if place in path else [""])]
            for path in paths:
                for name in self.names(route.path):
                    for tail in self.tails(route.path):
                        yield re.sub(r"\{name(:path)?\}", name, path) + tail
        yield f"/runs/compare?a={self.runs[0]}&b={self.runs[1]}"
        yield "/runs/over-time?judge=" + self.service.settings.judge.replace("#", "%23")

    def tails(self, path):
        if path.endswith("/export"):
            return [f"?format={kind}" for kind in ("jsonl", "csv", "markdown")]
        one = "{run_id}" in path or "verdict" in path or ("{name" in path and "annotators" not in path)
        return [""] if one else ["", *(f"?run={run}" for run in self.runs)]

    def names(self, path):
        if "{name" not in path:
            return [""]
        if path == "/runs/{name}":
            return [name for run in self.runs for name in (run, f"{run}.json")]
        if path == "/verdicts/{name}":
            return [f"{one}{kind}" for one in self.some for kind in ("", ".json", ".html", ".md", ".txt")]
        if "annotators" in path:
            return ["ann", "ann.json", "jonas"]
        if "/review/" in path:
            return ["0", "1", "next"]
        if "/cases/" in path or "/label/" in path:
            return ["0", "1", "2.json", "side-by-side", "side-by-side.json"]
        return ["calls", "calls.json"] if "verdict" in path else ["compare", "review.json"]

    def walked(self, who):
        """By address: the status and what is said, the ids of runs and verdicts aside."""
        browser, data = self.service.browser(who), {"accept": "application/json"}
        known = {run: f"RUN{at}" for at, run in enumerate(self.runs)} | dict.fromkeys(self.verdicts, "VERDICT")
        for address in self.addresses():
            # What the API says depends on no header.
            for headers in [data] if address.startswith("/api/") or who == "ann" else [HTML, data]:
                answer = browser.get(address, headers=headers)
                assert answer.status_code != 500, (address, answer.text)
                said = CHANGING.sub("", answer.text)
                for one, name in known.items():
                    said, address = said.replace(one, name), address.replace(one, name)
                yield (address, headers["accept"]), (answer.status_code, said)


async def test_no_route_shows_an_annotator_a_verdict_on_a_case_that_is_still_open(provider, tmp_path):
    seen = []
    for worse in (1, 2):
        provider.script = reply(worse)
        made = Blinded(tmp_path / str(worse), f"{provider.url}/v1#m")

        def work(made=made):
            with made.service.browser():
                made.begin()
                # The walk finds what was planted where it may be seen, so it would find it elsewhere, too.
                planted = (address for address, (_, said) in made.walked("boss") if WORDS in said)
                assert len(list(islice(planted, 11))) == 11
                return {(who, *address): said for who in ("ann", "eve") for address, said in made.walked(who)}

        seen.append(await asyncio.to_thread(work))
    assert seen[0].keys() == seen[1].keys()
    for address, (status, said) in seen[0].items():
        assert WORDS not in said, address
        # Whatever the judge says, the pages are the same: so no number of a verdict is on them, either.
        assert (status, said) == seen[1][address], address
