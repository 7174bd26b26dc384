"""Which judge is at hand, and which one a wrong name means. Model servers are played at the network's edge."""

import json
import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from adjudge import CompareSettings, DialogueSettings, GradeSettings, InputError
from adjudge.errors import NOTE, JudgeSpecError
from adjudge.judges import at_hand
from adjudge.judges.at_hand import LocalServer, best_judge, judge_meant, judge_on_this_machine, judge_with_key
from adjudge.judges.specs import JudgeContext, open_judge
from adjudge.llm.providers import PROVIDERS


@pytest.fixture(autouse=True)
def _nothing_at_hand(monkeypatch):
    for provider in PROVIDERS.values():
        for name in (*provider.keys, *provider.url_variables):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(at_hand, "LOCAL_SERVERS", ())


@pytest.fixture
def serving():
    """Starts a model server that answers each path with this JSON, and returns its port and what it was asked."""
    started = []

    def start(**answers):
        asked = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append((self.path, self.headers.get("authorization")))
                known = answers.get(self.path.rpartition("/")[2])
                body = b"no" if known is None else json.dumps(known).encode()
                self.send_response(404 if known is None else 200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        started.append(server)
        return server.server_address[1], asked

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


ANSWERS = [
    ({"models": {"data": [{"id": "nomic-embed-text"}, {"id": "qwen3:8b"}]}}, "qwen3:8b"),
    ({"tags": {"models": [{"name": "llama3.2"}, {"name": "other"}]}}, "llama3.2"),
    ({"models": {"data": [{"id": "two words"}, {"id": 3}, "x", {"id": "fine/model-1"}]}}, "fine/model-1"),
    ({"models": {"data": []}}, None), ({"models": ["x"]}, None), ({}, None),
]  # fmt: skip


def test_a_local_server_is_asked_for_its_models_and_for_nothing_else(serving, monkeypatch):
    monkeypatch.setenv("ADJUDGE_API_KEY", "a-key-for-another-server")
    for answers, model in ANSWERS:
        port, asked = serving(**answers)
        found = judge_on_this_machine([LocalServer("Nobody", 9), LocalServer("Ollama", port)])
        assert found == (model and (f"http://localhost:{port}/v1#{model}", "Ollama answers on this machine")), answers
        assert {path for path, _ in asked} <= {"/v1/models", "/api/tags"}
        assert {key for _, key in asked} == {None}


def test_auto_takes_a_key_then_a_local_server_then_the_embedded_judge_and_says_why(serving, monkeypatch, caplog):
    caplog.set_level(NOTE, "adjudge")
    assert best_judge().judge == "embedded"
    port, _ = serving(models={"data": [{"id": "m"}]})
    monkeypatch.setattr(at_hand, "LOCAL_SERVERS", (LocalServer("vLLM", port),))
    assert best_judge().judge == f"http://localhost:{port}/v1#m"
    monkeypatch.setenv("MISTRAL_API_KEY", "x" * 20)
    assert best_judge().judge == "mistral:mistral-large-latest"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x" * 20)
    assert best_judge().judge == f"anthropic:{PROVIDERS['anthropic'].example}"
    assert caplog.messages[0].startswith("the judge is embedded: no provider's key is set")
    assert caplog.messages[1].endswith("vLLM answers on this machine")
    assert caplog.messages[2].endswith("the key of Mistral is set")


def test_a_provider_whose_model_only_its_owner_knows_is_not_at_hand(monkeypatch):
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "x" * 20)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine.example")
    assert judge_with_key() is None


def test_settings_hold_the_judge_that_auto_found_not_the_word(monkeypatch, caplog):
    caplog.set_level(logging.INFO, "adjudge")
    monkeypatch.setenv("OPENAI_API_KEY", "x" * 20)
    assert CompareSettings(judge="auto").judges == ("openai:gpt-5.1",)
    assert DialogueSettings(evaluator="auto", critic="auto").judges == ("openai:gpt-5.1",) * 2
    assert len(caplog.messages) == 2, "said once for each settings"
    assert GradeSettings(judge="cascade:embedded>auto").judge == "cascade:embedded>openai:gpt-5.1"
    assert GradeSettings(judge="jury(weighted):auto*2+embedded*1").judge == "jury(weighted):openai:gpt-5.1*2+embedded*1"
    assert GradeSettings(judge="openrouter:auto").judge == "openrouter:auto"


MEANT = {
    "opnai:gpt-5": "openai:gpt-5", "antropic:claude-x": "anthropic:claude-x", "OpenAI:gpt-5": "openai:gpt-5",
    "gpt-5.1": "openai:gpt-5.1", "claude-opus": "anthropic:claude-opus", "mistral": "mistral:mistral-large-latest",
    "embeded": "embedded", "models/small.gguf": "gguf:models/small.gguf", "ggfu:small.gguf": "gguf:small.gguf",
    "host.example:8000": "http://host.example:8000/v1#MODEL", "localhost:99#llama3": "http://localhost:99/v1#llama3",
    "10.0.0.1:8000/v1#m": "http://10.0.0.1:8000/v1#m",
    "http://host.example:8000": "http://host.example:8000/v1#MODEL", "something": None, "bedrock:x": None,
    "https://host.example:8443/v1": "https://host.example:8443/v1#MODEL", "openai:": "openai:gpt-5.1",
    "opnai: ": "openai:gpt-5.1", "gguf:": None, "jury:": None, "foo:bar": None,
}  # fmt: skip


def test_a_wrong_name_is_answered_with_the_whole_name_to_try():
    assert {spec: judge_meant(spec) for spec in MEANT} == MEANT
    assert not [spec for spec, meant in MEANT.items() if spec == meant], "the same name is no help"


def test_a_wrong_name_is_refused_when_the_judge_is_opened_and_a_local_address_names_a_model_that_it_serves(
    serving, journal
):
    port, _ = serving(models={"data": [{"id": "qwen3:8b"}]})
    for spec in (f"localhost:{port}", f"127.0.0.1:{port}/v1", f"http://localhost:{port}"):
        with pytest.raises(JudgeSpecError) as refused:
            open_judge(spec, JudgeContext(journal))
        host = "127.0.0.1" if spec.startswith("127") else "localhost"
        assert f"did you mean http://{host}:{port}/v1#qwen3:8b? " in f"{refused.value} "
    with pytest.raises(JudgeSpecError, match="'opnai:gpt-5': unknown provider; did you mean openai:gpt-5\\?"):
        open_judge("opnai:gpt-5", JudgeContext(journal))


def test_a_rubric_given_as_a_path_is_refused():
    with pytest.raises(InputError, match="rubric: expected a rubric, found text; a Rubric, such as "):
        GradeSettings(rubric="rubric.yaml")
