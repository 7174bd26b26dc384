"""What reviewers decide of reviews: over the API and on the page, with its history; and what is handed on then."""

import asyncio
import html
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient
from reports import review_report_samples, verdict_samples
from server.run_pages import FORM, HTML, JSON, acting_as, bearer, lines_of, ran
from stored import store_verdict

from adjudge.engine import open_engine
from adjudge.protocols.compare.settings import CompareSettings
from adjudge.protocols.review.settings import ReviewSettings
from adjudge.server.app import create_app
from adjudge.server.users import TokenStore

SAMPLES = {
    "r" + "1" * 20: review_report_samples.every_sample()["audited"],
    "r" + "2" * 20: review_report_samples.invalid_sample(),
    "r" + "3" * 20: review_report_samples.hostile_sample(),
    "c" + "4" * 20: verdict_samples.plain_sample(),
}
AUDITED, INVALID, HOSTILE, COMPARED = SAMPLES
PRIME = lines_of({"prompt": "Name a prime.", "response1": "It is 7.", "response2": "It is 8."})
WRONG_DATE = {"response1": {"truthfulness": {"rating": 2, "justification": "It gives a date that the task does not."}}}


@pytest.fixture(scope="module")
def journal(tmp_path_factory):
    place = tmp_path_factory.mktemp("decided") / "journal.db"

    async def store():
        async with open_engine(place) as engine:
            for verdict_id, sample in SAMPLES.items():
                verdict = sample.verdict.model_copy(update={"verdict_id": verdict_id})
                settings = CompareSettings if verdict_id == COMPARED else ReviewSettings
                await store_verdict(engine, verdict.case, settings(rubric=sample.rubric), verdict)

    asyncio.run(store())
    return place


@pytest.fixture(scope="module")
def running(journal):
    app = create_app(CompareSettings(), journal=journal, data=journal.parent)
    with TestClient(app, follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(running):
    """Nothing is decided yet, and everybody may do everything."""
    running.app.state.adjudge.audit.database.change("delete from adjudge_audit")
    return running


def put(client, verdict_id=AUDITED, **body):
    return client.put(f"/api/verdicts/{verdict_id}/decision", json=body)


def known(client, verdict_id=AUDITED):
    return client.get(f"/api/verdicts/{verdict_id}/decision").json()


def fields(client, verdict_id=AUDITED, query=""):
    """The form as a browser without a script would send it, untouched."""
    return fields_in(client.get(f"/verdicts/{verdict_id}{query}", headers=HTML).text)


def fields_in(page):
    boxes = re.findall(r'<textarea id="[^"]*" name="([^"]*)"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
    radios = re.findall(r'<input type="radio" name="([^"]*)" form="decide" value="([^"]*)" checked>', page)
    hidden = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page)
    return {name: html.unescape(value) for name, value in (*boxes, *radios, *hidden)}


def known_feedback(client):
    """The bullets that stand."""
    return known(client)["blocks"].partition("<SBQ>\n- ")[2].partition("\n</SBQ>")[0].split("\n- ")


def send(client, verdict_id=AUDITED, query="", **changes):
    names = {name.replace("__", "."): value for name, value in changes.items()}
    return client.post(
        f"/verdicts/{verdict_id}/decision", data={**fields(client, verdict_id, query), **names}, headers=FORM
    )


# -- the API ----------------------------------------------------------------------------------------------------------


def test_nothing_is_decided_at_first_and_the_newest_decision_counts(client):
    before = known(client)
    assert (before["decision"], before["history"]) == (None, [])
    assert before["blocks"] == client.get(f"/verdicts/{AUDITED}.txt").text
    assert put(client, decision="accepted").json() == put(client, decision="accepted").json()
    after = put(client, decision="rejected", reason=" The prompt is another. ").json()
    assert after == known(client)
    assert (after["decision"]["decision"], after["decision"]["reason"]) == ("rejected", "The prompt is another.")
    assert [(one["decision"], one["person"]) for one in after["history"]] == [
        ("accepted", "local"),
        ("rejected", "local"),
    ]
    assert after["blocks"] is None, "nobody stands behind it"


def test_a_fix_is_what_is_handed_on_and_the_verdict_stays_as_it_was(client, journal):
    verdict = client.get(f"/api/verdicts/{AUDITED}").content
    decided = put(client, decision="fixed", fixes=WRONG_DATE).json()
    assert put(client, decision="fixed", fixes=WRONG_DATE).json() == decided, "the same again is kept once"
    assert (len(decided["history"]), decided["decision"]["changes"][0]) == (1, "Response 1, Truthfulness: 3 → 2")
    assert re.search(r"\| Truthfulness +\| 2 +\| It gives a date that the task does not\. \|", decided["blocks"])
    assert client.get(f"/verdicts/{AUDITED}.txt").text == decided["blocks"]
    assert client.get(f"/api/verdicts/{AUDITED}").content == client.get(f"/verdicts/{AUDITED}.json").content == verdict
    with TestClient(create_app(CompareSettings(), journal=journal, data=journal.parent)) as other:
        assert known(other) == known(client), "it is on the disk, and known to another process"
    again = put(client, decision="fixed", fixes={"likert": 1}).json()
    assert "3 → 2" not in str(again["decision"]["changes"]), "fixes are changes to the verdict, not to a decision"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "decision: missing"),
        ({"decision": "maybe"}, "decision: input should be 'accepted', 'fixed' or 'rejected'"),
        ({"decision": "accepted", "mood": 1}, "mood: unknown field; one of decision, reason, fixes"),
        ({"decision": "rejected"}, "reason: empty; say why it is rejected"),
        ({"decision": "rejected", "reason": "x" * 5001}, "reason: string should have at most 5000 characters"),
        ({"decision": "fixed"}, "fixes: nothing is changed; change something, or accept it as it is"),
        ({"decision": "accepted", "fixes": WRONG_DATE}, "fixes: given with accepted; only `fixed` takes them"),
        ({"decision": "fixed", "fixes": {"likert": "3"}}, "fixes.likert: '3'; a whole number is allowed"),
        ({"decision": "fixed", "fixes": {"likert": 6}}, "likert: 6 contradicts the tables; it must be 1 or 2"),
    ],
)
def test_what_cannot_be_decided_is_refused_by_name_and_nothing_is_kept(client, body, said):
    refused = put(client, **body)
    assert (refused.status_code, refused.json()) == (400, {"error": said})
    assert known(client)["history"] == []


def test_only_reviews_are_decided_and_an_invalid_one_not_fixed(client):
    assert put(client, COMPARED, decision="accepted").json() == {
        "error": "verdict_id: not a review; only reviews can be decided"
    }
    assert put(client, "r" + "9" * 20, decision="accepted").status_code == 404
    assert "an invalid task has nothing to fix" in put(client, INVALID, decision="fixed", fixes={"likert": 1}).text
    assert put(client, INVALID, decision="accepted").json()["blocks"].startswith("INVALID TASK\n")


def test_of_decisions_at_the_same_moment_none_is_lost_and_the_same_one_is_kept_once(client):
    bodies = [{"decision": "rejected", "reason": f"Reason {number}."} for number in range(4)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda body: put(client, **body).status_code, [*bodies, *bodies]))
    assert set(answers) <= {200, 409}
    assert {one["reason"] for one in known(client)["history"]} == {body["reason"] for body in bodies}
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: put(client, decision="accepted"), range(4)))
    assert [one["decision"] for one in known(client)["history"]].count("accepted") == 1


def test_one_who_may_only_look_sees_the_decision_and_no_form(client):
    put(client, decision="rejected", reason="Not our task.")
    with acting_as(client.app, "somebody"):
        page = client.get(f"/verdicts/{AUDITED}", headers=HTML).text
    assert "Not our task." in page
    assert '<form id="decide"' not in page and 'name="likert"' not in page


def finished(client, lines, headers=None):
    """The verdicts of a run of reviews, in its order."""
    run = ran(client, lines, headers, protocol="review")
    return [one for _, one, _ in client.app.state.adjudge.engine.journal.outcomes(run)]


def test_the_same_review_in_a_run_of_another_token_leads_to_no_review_of_theirs(journal, tmp_path):
    tokens = TokenStore(tmp_path / "tokens.db")
    ann, bob = (bearer(tokens.add(name)) for name in ("ann", "bob"))
    with TestClient(create_app(CompareSettings(), journal=journal, data=tmp_path, tokens=tokens)) as client:
        [own] = finished(client, PRIME, ann)
        decided = client.put(f"/api/verdicts/{own}/decision", json={"decision": "accepted"}, headers=ann)
        assert decided.json()["decision"]["person"] == "ann"
        assert client.get(f"/api/verdicts/{AUDITED}/decision", headers=ann).status_code == 404
        other = PRIME.replace("It is 7", "It is 9")
        assert own in finished(client, PRIME + other, bob)
        for who, offered in ((ann, False), (bob, True)):
            page = client.get(f"/verdicts/{own}", headers={**HTML, **who}).text
            assert ('class="button next"' in page) is offered


# -- the page ---------------------------------------------------------------------------------------------------------


def test_the_form_accepts_fixes_and_rejects(client):
    answer = send(client, decision="accepted")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/verdicts/{AUDITED}#decision")
    send(
        client,
        decision="fixed",
        reason="A date is wrong.",
        response1__truthfulness__rating="2",
        response1__truthfulness__justification="It gives a date\nthat the task does not.",
        feedback="- Check every date.\r\n\r\n- Count the words.",
    )
    send(client, decision="rejected", reason="<b>Not</b> ours.")
    said = [(one["decision"], one["reason"]) for one in known(client)["history"]]
    assert said == [("accepted", ""), ("fixed", "A date is wrong."), ("rejected", "<b>Not</b> ours.")]
    page = client.get(f"/verdicts/{AUDITED}", headers=HTML).text
    assert "&lt;b&gt;Not&lt;/b&gt; ours." in page
    assert "A date is wrong." in page, "history is shown"
    assert "Response 1, Truthfulness: 3 → 2" in page


def test_after_a_fix_the_page_shows_what_stands_and_the_next_change_builds_on_it(client):
    words = "It gives a date that the task does not."
    send(client, decision="fixed", response1__truthfulness__rating="2", response1__truthfulness__justification=words)
    now = fields(client)
    assert (now["response1.truthfulness.rating"], now["response1.truthfulness.justification"]) == ("2", words)
    assert fields(client, query="?judged")["response1.truthfulness.rating"] == "3"
    send(client, decision="fixed", feedback="Check every date.\nCount the words.")
    newest = known(client)["decision"]
    assert "Response 1, Truthfulness: 3 → 2" in newest["changes"]
    assert "- Check every date.\n- Count the words." in known(client)["blocks"]
    send(client, query="?judged", decision="accepted")
    assert known(client)["decision"]["decision"] == "accepted"
    assert fields(client)["response1.truthfulness.rating"] == "3", "accepted as it was judged"


@pytest.mark.parametrize(
    ("changes", "place", "said"),
    [
        ({"decision": "rejected"}, "reason", "empty; say why it is rejected"),
        ({"decision": "fixed", "likert": "7"}, "likert", "7 contradicts the tables; it must be 1 or 2"),
        ({"decision": "fixed", "likert": "<b>"}, "likert", "'<b>'; a whole number is allowed"),
        ({"decision": "fixed", "feedback": "One."}, "feedback", "1 given; 2 to 4 are needed"),
        (
            {"decision": "fixed", "response2__truthfulness__rating": "1"},
            "response2.truthfulness.justification",
            "written for a 2; say why it is 1",
        ),
        ({"decision": "accepted", "likert": "1"}, "", "1 field was changed; “Fix & accept” saves the changes"),
        ({"decision": "fixed"}, "", "nothing is changed; change something, or accept it as it is"),
        ({"decision": "accepted", "seen": "4"}, "", "somebody decided in the meantime"),
        ({"decision": ""}, "", "input should be 'accepted', 'fixed' or 'rejected'"),
    ],
)
def test_an_error_stands_beside_its_field_and_nothing_typed_is_lost(client, changes, place, said):
    typed = "Typed \u202eand not lost, <script>alert(1)</script>"
    answer = send(
        client, explanation=typed if changes["decision"] == "rejected" else fields(client)["explanation"], **changes
    )
    assert answer.status_code == 400
    page = answer.text
    told = re.search(rf'id="error-{re.escape(place)}">(.*?)</p>', page) if place and place != "reason" else None
    shown = told[1] if told else re.search(r'<p class="refusal summary".*?>(.*)</p>', page)[1]
    assert said in html.unescape(re.sub("<[^>]*>", "", shown))
    for name, value in changes.items():
        if name in ("feedback", "reason"):
            assert html.escape(value) in page
    assert "<script>alert" not in page
    assert known(client)["history"] == []
    if changes["decision"] == "rejected":
        box = re.search(r'<textarea id="explanation"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)[1]
        assert html.unescape(box) == typed


def test_a_program_that_sends_the_form_gets_the_error_as_json(client):
    refused = client.post(f"/verdicts/{AUDITED}/decision", data={"seen": "0"}, headers=JSON)
    assert refused.json()["error"].startswith("decision: ")


def test_whoever_lost_keeps_what_was_typed_and_takes_nothing_of_the_other_back(client):
    before = fields(client)
    words = "It gives a date that the task does not."
    send(client, decision="fixed", response1__truthfulness__rating="2", response1__truthfulness__justification=words)
    late = {**before, "decision": "fixed", "reason": "Mine.", "feedback": "Check every date.\nCount the words."}
    refused = client.post(f"/verdicts/{AUDITED}/decision", data=late, headers=FORM)
    assert refused.status_code == 400
    assert "somebody decided in the meantime" in refused.text
    now = fields_in(refused.text)
    assert (now["reason"], now["feedback"]) == (late["reason"], late["feedback"])
    assert (now["response1.truthfulness.rating"], now["response1.truthfulness.justification"]) == ("2", words)
    again = client.post(f"/verdicts/{AUDITED}/decision", data={**now, "decision": "fixed"}, headers=FORM)
    assert again.status_code == 303
    assert known(client)["decision"]["changes"][0] == "Response 1, Truthfulness: 3 → 2"


def test_a_bullet_that_is_only_parted_in_two_is_a_change(client):
    first, *others = known_feedback(client)
    words = first.split()
    parted = [" ".join(words[:4]), " ".join(words[4:]), *others][:4]
    assert send(client, decision="fixed", feedback="\n".join(parted)).status_code == 303
    assert known_feedback(client) == parted


def test_what_is_taken_along_says_the_decision_and_nothing_rejected_is_handed_on(client):
    as_judged = {form: client.get(f"/verdicts/{AUDITED}.{form}").text for form in ("html", "md", "txt", "json")}
    send(
        client,
        decision="fixed",
        reason="<b>A date</b> is *wrong*.",
        response1__truthfulness__rating="2",
        response1__truthfulness__justification="It gives a date that the task does not.",
    )
    page, text, blocks = (client.get(f"/verdicts/{AUDITED}.{form}").text for form in ("html", "md", "txt"))
    for told in (page, text, blocks):
        assert "It gives a date that the task does not." in told
    assert "<b>Fixed and accepted</b> by <bdi>local</bdi>" in page
    assert "&lt;b&gt;A date&lt;/b&gt; is *wrong*." in page
    assert "<script" not in page and "/static/" not in page, "a file asks for nothing"
    assert text.startswith("> **Fixed and accepted** by local, 20")
    assert r"&lt;b&gt;A date&lt;/b&gt; is \*wrong\*." in text
    assert "> - Response 1, Truthfulness&#58;" in text or "> - Response 1, Truthfulness: 3 → 2" in text
    send(client, decision="rejected", reason="Not our task.")
    refused = client.get(f"/verdicts/{AUDITED}.txt")
    assert refused.status_code == 409
    assert refused.json()["error"].startswith(f"{AUDITED}: rejected by local; ")
    assert "<b>Rejected</b> by" in client.get(f"/verdicts/{AUDITED}.html").text
    page = client.get(f"/verdicts/{AUDITED}", headers=HTML).text
    assert "What was rejected" in page
    assert "data-copy" not in page and f"/verdicts/{AUDITED}.txt" not in page
    assert client.get(f"/verdicts/{AUDITED}.json").text == as_judged["json"]
    for form in ("html", "md", "txt"):
        assert client.get(f"/verdicts/{AUDITED}.{form}?judged").text == as_judged[form]


def test_hostile_texts_stay_texts_in_the_form(client):
    page = client.get(f"/verdicts/{HOSTILE}", headers=HTML).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_after_deciding_the_next_undecided_review_of_the_same_run_is_offered(tmp_path):
    app = create_app(CompareSettings(), journal=tmp_path / "journal.db")
    with TestClient(app, follow_redirects=False) as client:
        case = {"prompt": "Name a prime.", "response2": "A prime is 7."}
        lines = lines_of(*({**case, "id": at, "response1": f"It is {at}."} for at in (11, 13, 17)))
        first, second, third = finished(client, lines)

        def offered(verdict_id):
            page = client.get(f"/verdicts/{verdict_id}", headers=HTML).text
            found = re.search(r'class="button next" href="/verdicts/([^"]*)"', page)
            return found and found[1]

        assert offered(second) is None, "it is not decided itself"
        for verdict_id, following in ((second, third), (third, first), (first, None)):
            put(client, verdict_id, decision="accepted")
            assert offered(verdict_id) == following


def test_only_decisions_count_as_newer_ones(client):
    """An entry about the same subject that is no decision, such as a refused sign-in, keeps nobody from deciding."""
    audit = client.app.state.adjudge.audit
    assert audit.record("unknown", "session.refused", AUDITED)
    assert put(client, decision="accepted").status_code == 200
    assert audit.record("unknown", "session.refused", AUDITED)
    answer = put(client, decision="rejected", reason="The second response belongs to another task.")
    assert answer.status_code == 200, answer.text
    assert send(client, decision="accepted").status_code == 303
