"""`/api/review/drafts`: reviews that come in pieces, and how many of them anybody may keep."""

import asyncio
import time

import httpx2
import pytest
from review_blocks import read_blocks
from server.run_pages import bearer, served
from server.test_review_api import DRAFTS, FLAT, REVIEW, SETTINGS, SLOTS, TEXTS

from adjudge.protocols.review import drafts
from adjudge.protocols.review.service.judging import DraftResponse
from adjudge.server.users import TokenStore


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with served(tmp_path_factory.mktemp("service")) as client:
        yield client


@pytest.fixture
def two(tmp_path):
    """A service with two tokens, and their headers."""
    tokens = TokenStore(tmp_path / "tokens.db")
    with served(tmp_path, tokens=tokens) as client:
        yield client, bearer(tokens.add("ann")), bearer(tokens.add("bob"))


def begun(client, headers=None, **slots):
    """A new draft, and its address."""
    answer = client.post(DRAFTS, json=slots, headers=headers)
    assert answer.status_code == 201, answer.text
    return answer.json(), f"{DRAFTS}/{answer.json()['draft_id']}"


def test_pieces_in_any_order_until_there_is_enough(client):
    draft, where = begun(client)
    DraftResponse.model_validate(draft)
    assert (draft["needed"], draft["ready"]) == (["prompt", "response1", "response2"], False)
    needed, _, optional = draft["message"].partition(" Optional: ")
    assert needed.startswith("Still needed: prompt (the last user prompt, with any reference text); response1 ")
    for name in ("taskconfig (the task's configuration", "system_prompt (", "conversation_history (", "original_likert",
                 "response1_original_ratings (the original ratings of Response 1)"):  # fmt: skip
        assert name in optional
    refused = client.post(f"{where}/judge")
    assert (refused.status_code, refused.json()) == (
        409, {"error": "prompt: still needed; add prompt, response1, response2 first", "needed": draft["needed"]},
    )  # fmt: skip
    ratings = {name: SLOTS[name] for name in SLOTS if "original" in name}
    for piece, left in (
        ({"response2": SLOTS["response2"]}, ["prompt", "response1"]),
        (ratings, ["prompt", "response1"]),
        ({"prompt": SLOTS["prompt"]}, ["response1"]),
        ({"response1": SLOTS["response1"]}, []),
    ):
        ready = client.patch(where, json=piece).json()
        assert (ready["needed"], ready["ready"]) == (left, not left)
    assert ready["optional"] == ["taskconfig", "system_prompt", "conversation_history", "response1_original_ratings"]
    whole = client.post(REVIEW, json=SLOTS).json()
    assert client.post(f"{where}/judge").json() == whole
    assert read_blocks(client.post(f"{where}/judge", headers={"accept": "text/plain"}).text).likert
    assert client.post(f"{where}/judge", json={"judge": "embedded", "seed": 3}).status_code == 200
    wrong = client.post(f"{where}/judge", json={"prompt": "Three?"})
    assert wrong.json() == {"error": f"prompt: unknown field; one of {', '.join(SETTINGS)}"}


def test_a_draft_takes_the_names_a_review_takes_and_shows_what_was_given_as_it_was_given(client):
    flat, where = begun(client, **FLAT)
    assert flat["given"] == list(SLOTS)
    assert client.post(f"{where}/judge").json() == client.post(REVIEW, json=SLOTS).json()
    draft, where = begun(client, **SLOTS)
    assert draft["slots"] == SLOTS == client.get(where).json()["slots"]
    assert draft["message"].startswith("Nothing more is needed. Optional: taskconfig (")
    _, where = begun(client)
    assert client.patch(where, json={"prompt": "<PROMPT>\nOne?\n</PROMPT>"}).json()["slots"] == {"prompt": "One?"}
    table = "| Truthfulness | 2 | Hm. |\n| </RESPONSE2_ORIGINAL_RATINGS> | | |"
    given = client.patch(where, json={"response2_original_ratings": table})
    assert given.status_code == 200 and given.json()["given"] == ["prompt", "response2_original_ratings"]


def test_a_piece_can_be_replaced_and_taken_out_and_a_bad_one_changes_nothing(client):
    draft, where = begun(client, prompt="One?", response1="Yes.")
    for piece, said in (
        ({"response1": "No.", "response1_original_ratings": {"Charm": 1}}, "response1_original_ratings"),
        ({"response3": "Yes."}, "response3: unknown slot; one of taskconfig"),
        ({"response_1": "x"}, "response_1: unknown slot; did you mean response1? one of taskconfig"),
    ):
        bad = client.patch(where, json=piece)
        assert (bad.status_code, bad.json()["error"][: len(said)]) == (400, said)
    assert client.get(where).json() == draft
    assert client.patch(where, json={"response1": None}).json()["given"] == ["prompt"]
    assert client.patch(where, json={"prompt": "  "}).json()["given"] == []


def test_single_ratings_that_come_one_by_one_do_not_push_each_other_out(client):
    _, where = begun(client, **TEXTS, response1_original_ratings="| Verbosity | 1 | w |")
    for piece in (
        {"response1_localization": 3},
        {"response1_localization_justification": "fine"},
        {"likert": 6},
        {"likert_justification": "why"},
        {"response1_verbosity": None},
    ):
        assert client.patch(where, json=piece).status_code == 200
    table = {"Localization": {"rating": 3, "justification": "fine"}, "Verbosity": {"justification": "w"}}
    likert = {"likert": 6, "justification": "why"}
    whole = {**TEXTS, "response1_original_ratings": table, "original_likert_and_justification": likert}
    fixed = client.post(f"{where}/judge").json()
    assert fixed["changelog"] == client.post(REVIEW, json=whole).json()["changelog"]
    entered = {line["key"]: line["original"] for line in fixed["response1_fixed_table"] if line["original"]}
    assert entered == {
        "localization": {"rating": "3", "justification": "fine"},
        "verbosity": {"rating": "", "justification": "w"},
    }


def test_a_draft_survives_a_restart_and_can_be_deleted(tmp_path):
    with served(tmp_path) as client:
        draft, where = begun(client, **TEXTS)
    with served(tmp_path) as client:
        assert client.get(where).json() == draft
        assert (draft["given"], draft["slots"]) == (list(TEXTS), TEXTS)
        verdict = client.post(f"{where}/judge").headers["x-verdict-id"]
        answer = client.delete(where)
        assert (answer.status_code, answer.content) == (204, b"")
        for gone in (where, f"{DRAFTS}/0123456789abcdef", f"{DRAFTS}/nothing", f"{DRAFTS}/%20"):
            for method, path in (("GET", gone), ("PATCH", gone), ("DELETE", gone), ("POST", f"{gone}/judge")):
                answer = client.request(method, path, json={})
                assert (answer.status_code, "no such draft" in answer.json()["error"]) == (404, True), (method, gone)
        assert client.get(f"/api/verdicts/{verdict}").status_code == 200


# -- how many, and how long -------------------------------------------------------------------------------------------


def test_a_token_may_keep_only_so_many_drafts(two, monkeypatch):
    monkeypatch.setattr(drafts, "MAX_DRAFTS", 2)
    client, ann, bob = two
    (_, where), _ = (begun(client, ann) for _ in range(2))
    refused = client.post(DRAFTS, json={}, headers=ann)
    assert refused.status_code == 413
    assert refused.json() == {"error": "drafts: 2 are kept; at most 2 are allowed; delete one you no longer need"}
    begun(client, bob)
    # What is there can be added to, and one that goes makes room.
    assert client.patch(where, json=TEXTS, headers=ann).status_code == 200
    assert client.delete(where, headers=ann).status_code == 204
    begun(client, ann)


def test_many_drafts_at_once_do_not_pass_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(drafts, "MAX_DRAFTS", 3)
    app = served(tmp_path).app

    async def begin_many():
        transport = httpx2.ASGITransport(app)
        async with app.router.lifespan_context(app), httpx2.AsyncClient(transport=transport) as client:
            asked = (client.post(f"http://localhost{DRAFTS}", json={}) for _ in range(12))
            return [answer.status_code for answer in await asyncio.gather(*asked)]

    assert sorted(asyncio.run(begin_many())) == [201] * 3 + [413] * 9


def test_a_token_may_keep_only_so_many_bytes_replaced_ones_included_and_pieces(two, monkeypatch):
    monkeypatch.setattr(drafts, "MAX_DRAFT_BYTES", 3_000)
    client, ann, bob = two
    (_, first), (_, second) = begun(client, ann), begun(client, ann)
    text = {"prompt": "word " * 250}
    for where, status in ((first, 200), (first, 200), (first, 413), (second, 413)):
        answer = client.patch(where, json=text, headers=ann)
        assert answer.status_code == status
    assert "bytes in all; at most 3,000 are allowed" in answer.json()["error"]
    monkeypatch.setattr(drafts, "MAX_DRAFT_PIECES", 3)
    _, where = begun(client, bob)
    given = [client.patch(where, json={"prompt": "x"}, headers=bob).status_code for _ in range(3)]
    assert given == [200, 200, 413]


def test_a_draft_nobody_touches_for_a_month_is_gone(two, monkeypatch):
    client, ann, bob = two
    (old, where_old), (touched, where) = (begun(client, ann, **TEXTS) for _ in range(2))
    journal, now = client.app.state.adjudge.engine.journal, time.time()
    monkeypatch.setattr(time, "time", lambda: now + 20 * 86_400)
    assert client.patch(where, json={"prompt": "x"}, headers=ann).status_code == 200
    monkeypatch.setattr(time, "time", lambda: now + 31 * 86_400)
    assert [client.get(each, headers=ann).status_code for each in (where_old, where)] == [404, 200]
    assert journal.get_draft(old["draft_id"]) != []
    begun(client, bob)
    assert (journal.get_draft(old["draft_id"]), journal.draft_owner(old["draft_id"])) == ([], None)
    assert journal.get_draft(touched["draft_id"]) != []
