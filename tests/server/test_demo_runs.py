"""The runs that `adjudge serve --demo` comes with: judged offline within seconds, once, and worth a look."""

import pytest
from fastapi.testclient import TestClient

from adjudge.protocols.compare.settings import CompareSettings
from adjudge.server.app import create_app


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("service")


def runs_of(folder):
    """The runs of a service over this folder, when all have ended."""
    with TestClient(create_app(CompareSettings(), journal=folder / "journal.db", demo=True)) as client:
        for run in client.get("/api/runs").json()["runs"]:
            client.get(f"/api/runs/{run['run_id']}/events")  # until its end
        return {run["protocol"]: run for run in client.get("/api/runs").json()["runs"]}


def test_a_comparison_and_a_review_run_are_there_with_varied_outcomes(folder):
    runs = runs_of(folder)
    compared, reviewed = runs["compare"], runs["review"]
    assert {compared["state"], reviewed["state"]} == {"finished"}
    assert (compared["cases"], compared["failures"], reviewed["failures"]) == (16, 0, 0)
    assert compared["answers"].keys() >= {"A", "B"}
    assert compared["undecided"] > 0
    assert compared["agreement"]["labelled"] == 16
    assert reviewed["cases"] == reviewed["verdicts"] == 39


def test_a_second_start_makes_no_second_ones(folder):
    before = runs_of(folder)
    assert runs_of(folder) == before
