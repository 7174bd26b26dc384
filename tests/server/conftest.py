"""An open service for a whole file of tests: whoever needs a fresh one, or one with people, makes it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from adjudge.engine import CompareSettings
from adjudge.server.app import create_app


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    journal = tmp_path_factory.mktemp("service") / "journal.db"
    return create_app(CompareSettings(), allowed_judges=("jury:embedded+embedded",), journal=journal)


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, follow_redirects=False) as client:
        yield client
