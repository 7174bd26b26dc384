"""The API's description: its examples work, and no request that it allows, or nearly allows, ends in a 500."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from pydantic.alias_generators import to_camel
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance
from server.run_pages import ran

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.dialogue.settings import DialogueSettings
from adjudge.protocols.review.settings import ReviewSettings
from adjudge.server.app import create_app
from adjudge.server.guard import server_for

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance]
# The service runs beside in a thread, and what it imports there may draw from `random` while requests are drawn here.
RANDOM = "ignore:Do not use the `random` module inside strategies:hypothesis.errors.HypothesisDeprecationWarning"
NOT_HTTP = b"Invalid HTTP request received."  # uvicorn's answer to what is no request, such as a header with a NUL
LINE = '{"id": "1", "task": "Say hello.", "a": "Hello, how are you today?", "b": "Hey."}\n'


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """A real server, with something to find in it."""
    app = create_app(CompareSettings(), journal=tmp_path_factory.mktemp("described") / "journal.db")
    server = server_for(app, "127.0.0.1", 0, on_exit=app.state.adjudge.runs.closing.set)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def known(url):
    """Ids that lead somewhere: a finished run, a verdict, a draft."""
    with httpx2.Client(base_url=url, timeout=120) as client:
        settings = {"protocol": "compare", "format": "jsonl"}
        run = client.post("/api/runs", params=settings, content=LINE).json()["run_id"]
        while client.get(f"/api/runs/{run}").json()["state"] != "finished":
            time.sleep(0.05)
        draft = client.post("/api/review/drafts").json()["draft_id"]
        verdict = client.get("/api/verdicts").json()["verdicts"][0]["verdict_id"]
    return {"run_id": run, "draft_id": draft, "verdict_id": verdict, "name": "compare"}


def complaints(url, known):
    """What is wrong with the answers to requests drawn from the description, right ones and wrong ones."""
    described = schemathesis.openapi.from_url(f"{url}/openapi.json")
    bounded = settings(
        max_examples=12,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    found = []
    for result in described.get_all_operations():
        operation = result.ok()
        for mode in GenerationMode:
            tried = 0

            @bounded
            @given(case=operation.as_strategy(generation_mode=mode))
            def ask(case):
                nonlocal tried
                tried += 1
                # Every other request is about something that is there.
                for name in case.path_parameters or ():
                    if tried % 2:
                        case.path_parameters[name] = known[name]
                if case.method == "DELETE" and tried % 2:
                    return
                if tried % 4:
                    case.headers.pop("Idempotency-Key", None)  # or most requests were in conflict with one before
                answer = None
                try:
                    answer = case.call(base_url=url, timeout=300)
                    if answer.content != NOT_HTTP:
                        case.validate_response(answer, checks=CHECKS)
                except (Exception, BaseExceptionGroup) as error:
                    found.append(
                        f"{case.operation.label}: {error}: {answer and (answer.status_code, answer.content[:200])}"
                    )

            with suppress(Unsatisfiable):  # a request without parameters cannot be wrong
                ask()
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings(RANDOM)
def test_no_request_ends_in_an_error_of_the_service(url, known):
    assert "\n".join(complaints(url, known)) == ""


def test_every_error_is_described_in_the_one_shape(described):
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (method, path)
            for status, answer in operation["responses"].items():
                if status >= "4":
                    kind = answer["content"]["application/json"]["schema"]
                    assert kind == {"$ref": "#/components/schemas/ErrorReport"}, (method, path, status)


@pytest.fixture(scope="module")
def described(url):
    return httpx2.get(f"{url}/openapi.json", timeout=120).json()


def _shown(operation, kind):
    if kind == "query":
        return {one["name"]: one["schema"] for one in operation["parameters"]}
    return operation["requestBody"]["content"][kind]["schema"]["properties"]


def test_every_setting_is_described_with_its_range_and_default(described):
    runs = [("/api/runs", kind) for kind in ("query", "multipart/form-data")]
    own = {CompareSettings: "/api/evaluate", DialogueSettings: "/api/dialogue", ReviewSettings: "/api/review"}
    for asked, where in own.items():
        query = [("/api/review", "query")] if where == "/api/review" else []
        for path, kind in ((where, "application/json"), *query, *runs):
            shown_there = _shown(described["paths"][path]["post"], kind)
            for name, one in asked.requested().items():
                shown = shown_there[to_camel(name) if path == "/api/evaluate" else name]
                assert shown["description"] and shown["title"], (path, kind, name)
                assert (shown.get("minimum"), shown.get("maximum")) == (one.between or (None, None)), (path, kind, name)
                if one.service is None and one.parse is None:
                    assert shown["default"] == one.default, (path, kind, name)


def test_the_examples_of_all_bodies_are_taken(alone, described):
    texts = {"prompt": "Name three primes.", "response1": "They are 11, 13 and 17.", "response2": "They are 2 and 3."}
    ids = {
        "{draft_id}": alone.post("/api/review/drafts", json=texts).json()["draft_id"],
        "{run_id}": ran(alone, LINE),
        "{verdict_id}": alone.post("/api/review", json=texts).json()["verdict_id"],
    }
    tried = 0
    for path, methods in described["paths"].items():
        for name, value in ids.items():
            path = path.replace(name, value)
        for method, operation in methods.items():
            for kind, body in operation.get("requestBody", {"content": {}})["content"].items():
                for example in (*body["schema"].get("examples", ()), *([body["example"]] if "example" in body else ())):
                    tried += 1
                    if kind == "application/json":
                        sent = {"json": example}
                    elif kind == "multipart/form-data":
                        fields = {name: value for name, value in example.items() if name != "file"}
                        sent = {"data": fields, "files": {"file": ("cases.jsonl", example["file"])}}
                    else:
                        wanted = {"protocol": "compare"} if path == "/api/runs" else None
                        sent = {"content": example, "headers": {"content-type": kind}, "params": wanted}
                    answer = alone.request(method, path, **sent)
                    assert answer.status_code in (200, 201, 409), (path, kind, answer.text)
    assert tried >= 8
