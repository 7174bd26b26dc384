"""An open service for a whole file of tests, and runs in it: whoever needs a fresh one, or people, makes it."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from server.labelled import ROWS, RUBRICS, folder_of, set_up
from server.run_pages import BAD, LINES, NASTY, acting_as, judged, lines_of, ran, served
from stored import store_examples

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.rubrics import shipped
from adjudge.server.app import create_app
from adjudge.server.users import Role


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("service") / "journal.db"


@pytest.fixture(scope="module")
def examples(journal: Path) -> dict[str, Any]:
    """The verdicts of the shipped examples, by protocol."""
    return store_examples(journal)


@pytest.fixture(scope="module")
def app(journal: Path) -> FastAPI:
    return create_app(CompareSettings(), allowed_judges=("jury:embedded+embedded",), journal=journal)


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, follow_redirects=False) as client:
        yield client


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[TestClient]:
    """A service with nothing in it."""
    with served(tmp_path) as client:
        yield client


@pytest.fixture(scope="module")
def compared(client: TestClient) -> str:
    """Twelve comparisons with a verdict, and one row that cannot be judged."""
    return judged(client, LINES + BAD, name=f"numbers {NASTY}", skip_bad="true")


@pytest.fixture(scope="module")
def again(client: TestClient) -> str:
    """The same cases with other weights: the totals differ."""
    source = shipped("compare").source.replace("name: compare", "name: mine", 1).replace("weight: 1.5", "weight: 9", 1)
    assert client.post("/api/rubrics", content=source).status_code == 201
    return judged(client, name="numbers again", rubric="mine")


@pytest.fixture
def as_role(app: FastAPI) -> Iterator[Callable[[Role], None]]:
    """Ask as somebody of this role."""

    with ExitStack() as until_the_end:
        yield lambda role: until_the_end.enter_context(acting_as(app, "somebody", role))


@pytest.fixture(scope="module")
def to_label(app: FastAPI, client: TestClient) -> Callable[[str], str]:
    """By protocol: a finished run that nobody has labelled; its cases are picked, which takes a second."""
    ids: dict[str, str] = {}

    def of(protocol: str) -> str:
        if protocol not in ids:
            settings = {"protocol": protocol, "name": f"A run of {protocol}", "source": "secretfile.jsonl"}
            if protocol in RUBRICS:
                settings["rubric"] = client.post("/api/rubrics", content=RUBRICS[protocol]).json()["name"]
            ids[protocol] = ran(client, lines_of(*ROWS[protocol]), **settings)
            set_up(client, ids[protocol], cases=len(ROWS[protocol]))
            (folder_of(app, ids[protocol]) / "labels" / "setup.json").unlink()
        return ids[protocol]

    return of


@pytest.fixture
def fresh(app: FastAPI, to_label: Callable[[str], str]) -> Callable[..., str]:
    """A run of this protocol of one's own."""

    def copy(protocol: str = "compare") -> str:
        made = f"r{secrets.token_hex(9)[:17]}"
        # The table of its results may be on its way.
        without = shutil.ignore_patterns("kept")
        shutil.copytree(folder_of(app, to_label(protocol)), folder_of(app, made), ignore=without)
        return made

    return copy


@pytest.fixture
def set_up_run(client: TestClient, fresh: Callable[..., str]) -> Callable[..., str]:
    """A run of one's own whose labelling is set up."""

    def begun(protocol: str = "compare", **setup: Any) -> str:
        run = fresh(protocol)
        set_up(client, run, **setup)
        return run

    return begun
