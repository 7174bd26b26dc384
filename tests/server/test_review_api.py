"""`POST /api/review`, and reviews that come in pieces."""

import json

import pytest
from fastapi.testclient import TestClient

from adjudge.engine import CompareSettings
from adjudge.server.app import create_app
from adjudge.server.review import DraftResponse, ReviewResponse

SLOTS = {
    "prompt": "Name three primes between 10 and 20, as a bulleted list.",
    "response1": "- 11\n- 13\n- 17",
    "response2": "Sure! 11 and 13 are primes. I hope this helps! Have a wonderful day!",
    "response2_original_ratings": {"Style & Clarity": {"rating": 3}},
    "original_likert_and_justification": {"likert": 6},
}


def served(tmp_path):
    return TestClient(create_app(CompareSettings(), journal=tmp_path / "journal.db"))


@pytest.fixture
def client(tmp_path):
    with served(tmp_path) as client:
        yield client


def test_the_five_blocks_come_back_as_json(client):
    answer = client.post("/api/review", json=SLOTS)
    assert answer.status_code == 200, answer.content
    body = answer.json()
    blocks = ["response1_fixed_table", "response2_fixed_table", "final_likert_and_justification", "changelog", "sbq"]
    assert list(body)[:5] == blocks
    assert [line["dimension"] for line in body["response1_fixed_table"]][-1] == "Overall Quality"
    assert body["final_likert_and_justification"]["likert"] < 4
    assert any("Style & Clarity" in line for line in body["changelog"])
    ReviewResponse.model_validate(body)


def test_the_verdict_is_found_again_by_its_id(client):
    answer = client.post("/api/review", json=SLOTS)
    assert client.get(f"/api/verdicts/{answer.headers['x-verdict-id']}").json() == answer.json()


def test_an_invalid_task_is_an_answer_and_no_error(client):
    answer = client.post("/api/review", json={"prompt": "Name a prime."})
    assert answer.status_code == 200
    assert answer.json()["invalid_task"] == "Both responses are missing."
    assert "response1_fixed_table" not in answer.json()
    ReviewResponse.model_validate(answer.json())


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({**SLOTS, "judge": "openai:gpt-5.1"}, "judge: 'openai:gpt-5.1' is not allowed here; one of embedded"),
        ({**SLOTS, "languages": "en"}, "languages: 'en'; a list of ISO codes"),
        ({**SLOTS, "languages": ["xx"]}, "languages: 'xx'; one of"),
        ({**SLOTS, "seed": "7"}, "seed: '7'; a whole number is allowed"),
        ({**SLOTS, "seed": -1}, "seed: -1; 0 to"),
        ({"prompt": "One?", "respons1": "x"}, "respons1: unknown field; did you mean response1?"),
        ({**SLOTS, "response1_original_ratings": {"Charm": 3}}, "response1_original_ratings"),
        ([], "body: expected an object, found an array"),
    ],
)
def test_a_bad_request_says_which_field_and_what_is_allowed(client, body, says):
    answer = client.post("/api/review", json=body)
    assert answer.status_code == 400, answer.content
    assert answer.json()["error"].startswith(says), answer.json()


# -- pieces -----------------------------------------------------------------------------------------------------------


def test_pieces_in_any_order_until_there_is_enough(client):
    begun = client.post("/api/review/drafts")
    assert begun.status_code == 201
    draft = begun.json()
    DraftResponse.model_validate(draft)
    assert draft["needed"] == ["prompt", "response1", "response2"]
    assert draft["ready"] is False
    where = f"/api/review/drafts/{draft['draft_id']}"
    refused = client.post(f"{where}/judge")
    assert refused.status_code == 409
    assert refused.json() == {"error": "prompt: still needed", "needed": ["prompt", "response1", "response2"]}
    assert client.patch(where, json={"response2": SLOTS["response2"]}).json()["needed"] == ["prompt", "response1"]
    ratings = {name: SLOTS[name] for name in SLOTS if "original" in name}
    assert client.patch(where, json=ratings).json()["needed"] == ["prompt", "response1"]
    assert client.patch(where, json={"prompt": SLOTS["prompt"]}).json()["needed"] == ["response1"]
    ready = client.patch(where, json={"response1": SLOTS["response1"]}).json()
    assert ready["ready"] is True
    assert ready["optional"] == [
        "taskconfig",
        "system_prompt",
        "conversation_history",
        "response1_original_ratings",
    ]
    assert client.post(f"{where}/judge").json() == client.post("/api/review", json=SLOTS).json()


def test_a_draft_survives_a_restart(tmp_path):
    with served(tmp_path) as client:
        draft = client.post("/api/review/drafts", json={"prompt": SLOTS["prompt"]}).json()
    with served(tmp_path) as client:
        again = client.get(f"/api/review/drafts/{draft['draft_id']}").json()
        assert again == draft
        assert again["given"] == ["prompt"]


def test_a_piece_can_be_replaced_and_taken_out(client):
    draft = client.post("/api/review/drafts", json={"prompt": "One?", "response1": "Yes."}).json()
    where = f"/api/review/drafts/{draft['draft_id']}"
    assert client.patch(where, json={"response1": None}).json()["given"] == ["prompt"]
    assert client.patch(where, json={"prompt": "  "}).json()["given"] == []


def test_a_bad_piece_leaves_the_draft_as_it_was(client):
    draft = client.post("/api/review/drafts", json={"prompt": "One?"}).json()
    where = f"/api/review/drafts/{draft['draft_id']}"
    bad = client.patch(where, json={"response1": "Yes.", "response1_original_ratings": {"Charm": 1}})
    assert bad.status_code == 400
    unknown = client.patch(where, json={"response3": "Yes."})
    assert unknown.status_code == 400
    assert unknown.json()["error"].startswith("response3: unknown slot; one of taskconfig")
    assert client.get(where).json() == draft


@pytest.mark.parametrize("draft_id", ["0123456789abcdef", "nothing", "%20"])
def test_there_is_no_such_draft(client, draft_id):
    for answer in (
        client.get(f"/api/review/drafts/{draft_id}"),
        client.patch(f"/api/review/drafts/{draft_id}", json={}),
        client.post(f"/api/review/drafts/{draft_id}/judge"),
    ):
        assert answer.status_code == 404
        assert "no such draft" in answer.json()["error"]


def test_a_page_of_another_origin_cannot_change_a_draft(client):
    draft = client.post("/api/review/drafts", json={"prompt": "One?"}).json()
    where = f"/api/review/drafts/{draft['draft_id']}"
    foreign = client.patch(where, json={"prompt": "Two?"}, headers={"origin": "https://elsewhere.example"})
    assert foreign.status_code == 403


def test_judging_takes_options_and_no_slots(client):
    draft = client.post("/api/review/drafts", json=SLOTS).json()
    where = f"/api/review/drafts/{draft['draft_id']}/judge"
    assert client.post(where, json={"judge": "embedded", "seed": 3}).status_code == 200
    wrong = client.post(where, json={"prompt": "Three?"})
    assert wrong.json()["error"].startswith("prompt: unknown field; one of judge, languages, seed; slots are set with")


def test_the_api_is_described(client):
    paths = client.get("/openapi.json").json()["paths"]
    assert {"post"} == set(paths["/api/review"])
    assert {"post"} == set(paths["/api/review/drafts"])
    assert {"get", "patch"} == set(paths["/api/review/drafts/{draft_id}"])
    example = paths["/api/review"]["post"]["requestBody"]["content"]["application/json"]["schema"]["examples"][0]
    assert client.post("/api/review", json=json.loads(json.dumps(example))).status_code == 200
