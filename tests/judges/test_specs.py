"""A judge is named by one string; a bad one is refused with what is allowed, and no key is needed to name one."""

from decimal import Decimal
from fractions import Fraction

import pytest
from scripted.provider import ScriptedProvider

from adjudge.errors import JudgeSpecError, SetupError
from adjudge.judges.base import Cascade
from adjudge.judges.jury import Jury
from adjudge.judges.specs import JudgeContext, open_judge, single_judges
from adjudge.llm.anthropic import AnthropicWire
from adjudge.llm.openai import OpenAIWire
from adjudge.llm.providers import PROVIDERS, url_keys
from adjudge.protocols.compare.questions import ResearchQuestion

URLS = {
    "openai": "https://api.openai.com/v1/chat/completions",
    "anthropic": "https://api.anthropic.com/v1/messages",
    "google": "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
    "mistral": "https://api.mistral.ai/v1/chat/completions",
    "azure": "https://mine.openai.azure.com/openai/v1/chat/completions",
    "groq": "https://api.groq.com/openai/v1/chat/completions",
    "openrouter": "https://openrouter.ai/api/v1/chat/completions",
}


@pytest.fixture
def asking(journal, monkeypatch):
    for provider in PROVIDERS.values():
        for variable in (*provider.keys, *provider.url_variables):
            monkeypatch.delenv(variable, raising=False)
    monkeypatch.delenv("ADJUDGE_API_KEY", raising=False)
    return JudgeContext(journal)


async def test_every_provider_has_its_address_and_takes_its_key_from_the_environment(asking, case, monkeypatch):
    assert list(URLS) == list(PROVIDERS)
    for provider, url in URLS.items():
        key, name = PROVIDERS[provider].keys[0], f"{provider}:some-model"
        with pytest.raises(SetupError, match=f"^{provider}: set {key}"):
            await open_judge(name, asking).opine(ResearchQuestion(case))
        monkeypatch.setenv(key, "sk-secret")
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com/")
        judge = open_judge(name, JudgeContext(asking.journal))
        assert isinstance(judge.wire, AnthropicWire if provider == "anthropic" else OpenAIWire)
        assert (judge.name, judge.wire.endpoint.url) == (name, url)
        assert any("sk-secret" in value for value in judge.wire.headers.values())
        assert "sk-secret" not in str(judge.wire.identity())
        monkeypatch.delenv("AZURE_OPENAI_ENDPOINT")


def test_any_openai_compatible_server_is_named_by_its_url(asking, monkeypatch):
    judge = open_judge("http://127.0.0.1:8080/v1#qwen", asking)
    assert isinstance(judge.wire, OpenAIWire)
    assert judge.wire.endpoint.url == "http://127.0.0.1:8080/v1/chat/completions"
    assert judge.wire.model == "qwen"
    assert "authorization" not in judge.wire.headers
    monkeypatch.setenv("ADJUDGE_API_KEY", "k")
    monkeypatch.setenv("OPENAI_API_KEY", "never sent to a stranger")
    keyed = open_judge("http://127.0.0.1:8080/v1#qwen", JudgeContext(asking.journal))
    assert keyed.wire.headers["authorization"] == "Bearer k"


@pytest.mark.parametrize(
    ("variables", "sent"),
    [
        ({"ADJUDGE_API_KEY": "all"}, ["Bearer all", "Bearer all"]),
        ({"ADJUDGE_API_KEY_127_0_0_1": "one", "ADJUDGE_API_KEY_LOCALHOST": "two"}, ["Bearer one", "Bearer two"]),
        ({"ADJUDGE_API_KEY_127_0_0_1": " one\n", "ADJUDGE_API_KEY": "all"}, ["Bearer one", "Bearer all"]),
        ({"ADJUDGE_API_KEY_127_0_0_1": "one"}, ["Bearer one", None]),
        ({"ADJUDGE_API_KEY_LOCALHOST": "", "ADJUDGE_API_KEY": "all"}, ["Bearer all", None]),
        ({"ADJUDGE_API_KEY_LOCALHOST_PORT": "port", "ADJUDGE_API_KEY_LOCALHOST": "host"}, [None, "Bearer port"]),
        ({}, [None, None]),
    ],
)
async def test_a_server_is_sent_the_key_of_its_own_host_and_no_other(variables, sent, asking, case, monkeypatch):
    async with ScriptedProvider() as first, ScriptedProvider() as second:
        port = second.url.rpartition(":")[2]
        for name, value in variables.items():
            monkeypatch.setenv(name.replace("PORT", port), value)
        for spec in (f"{first.url}/v1#m", f"http://LocalHost:{port}/v1#m"):
            judge = open_judge(spec, asking)
            await judge.opine(ResearchQuestion(case))
            await judge.close()
        assert [server.requests[0].headers.get("Authorization") for server in (first, second)] == sent


HOSTS = {
    "my.llm.example.com": "MY_LLM_EXAMPLE_COM", "my-llm.example.com": "MY__LLM_EXAMPLE_COM",
    "my_llm.example.com": "MY___LLM_EXAMPLE_COM", "例え.jp": "XN____R8JZ45G_JP", "試し.jp": "XN____68JW52Y_JP",
    "MÜNCHEN.de": "XN____MNCHEN__3YA_DE", "xn--mnchen-3ya.de": "XN____MNCHEN__3YA_DE",
    "straße.de": "XN____STRAE__OQA_DE", "strasse.de": "STRASSE_DE", "llm.Example.com": "LLM_EXAMPLE_COM",
}  # fmt: skip


def test_a_hosts_variable_is_its_name_in_capitals_and_no_two_hosts_share_one_unless_they_are_one():
    for host, variable in HOSTS.items():
        assert url_keys(f"http://{host}/v1#m") == (f"ADJUDGE_API_KEY_{variable}", "ADJUDGE_API_KEY")
    assert url_keys("http://[::1]:80/v1#m") == ("ADJUDGE_API_KEY___1_80", "ADJUDGE_API_KEY___1", "ADJUDGE_API_KEY")


def test_a_jury_is_named_by_its_members_and_its_rule(asking):
    jury = open_judge("jury:embedded+openai:gpt-5.1+http://h:1/v1#m", asking)
    assert isinstance(jury, Jury) and jury.rule == "median"
    assert [member.name for member in jury.members] == ["embedded", "openai:gpt-5.1", "http://h:1/v1#m"]
    assert open_judge("jury(mean):embedded+embedded", asking).rule == "mean"


def test_a_weighted_jury_has_its_weights_in_its_name(asking):
    jury = open_judge("jury(weighted):embedded*0.7 + http://h:1/v1#m * 12", asking)
    assert (jury.rule, jury.weights) == ("weighted", (Fraction(7, 10), Fraction(12)))
    assert [member.name for member in jury.members] == ["embedded", "http://h:1/v1#m"]
    assert single_judges(jury.name) == ["embedded", "http://h:1/v1#m"]


def test_a_cascade_is_named_by_its_judges_the_cheapest_first(asking):
    cascade = open_judge("cascade:embedded>openai:gpt-5.1>jury(weighted):anthropic:x*2+http://h:1/v1#m*1.5", asking)
    assert isinstance(cascade, Cascade)
    assert [type(stage).__name__ for stage in cascade.stages] == ["EmbeddedJudge", "LLMJudge", "Jury"]
    assert cascade.margin is None
    assert single_judges(cascade.name) == ["embedded", "openai:gpt-5.1", "anthropic:x", "http://h:1/v1#m"]
    assert open_judge("cascade(margin=0.25):embedded>openai:x", asking).margin == Decimal("0.25")


REFUSED = [
    ("jury(max):embedded+embedded", "jury(max): unknown vote rule", "one of median, mean, majority, weighted"),
    ("jury():embedded+embedded", "jury(): unknown vote rule", "one of median"),
    ("jury:", "a jury needs at least two judges", "jury:A+B+C"),
    ("jury(weighted):embedded*1+openai:x", "'openai:x': a member without a weight", "jury(weighted):A*0.7+B*0.5"),
    ("jury(weighted):embedded*0+openai:x*1", "'embedded*0': a member without a weight", "above 0"),
    ("jury(weighted):embedded*-1+openai:x*1", "'embedded*-1': a member without a weight", "above 0"),
    ("jury(weighted):embedded*nan+openai:x*1", "'embedded*nan': a member without a weight", "above 0"),
    ("jury:openai:x*2+embedded", "'jury:openai:x*2+embedded': only a weighted jury has weights", "jury(weighted)"),
    ("jury:embedded+cascade:openai:x>openai:y", "a cascade cannot be part of a jury", "a cascade of juries"),
    ("jury:jury:a+b+c", "a jury cannot be part of a jury", "jury:A+B+C"),
    ("cascade:embedded", "a cascade needs at least two judges", "put it in quotes in a shell"),
    ("cascade:embedded>", "a cascade needs at least two judges", "cascade:A>B"),
    ("cascade:", "a cascade needs at least two judges", "cascade:A>B"),
    ("cascade(0.5):embedded>openai:x", "cascade(0.5): unknown option", "cascade(margin=0.5):A>B"),
    ("cascade(margin=-1):embedded>openai:x", "cascade(margin=-1): unknown option", "a number from 0"),
    ("cascade(margin=1e3):embedded>openai:x", "cascade(margin=1e3): unknown option", "a number from 0"),
    ("cascade:openai:x>embedded>openai:x", "'openai:x' is in the cascade twice", "each judge once"),
    ("cascade:a>cascade:b>c", "a cascade cannot be part of a cascade", "cascade:A>B"),
    ("cascade:embedded>gpt-5", "'gpt-5' is not a judge", "or cascade:A>B"),
]
NO_JUDGES = [
    "", "gpt-5", "openai:", ":x", "http://host/v1", "http://#m", "http://user:pw@host/v1#m", "http://host/v1?key=1#m",
    "http://[::1/v1#m", "http://host:99999/v1#m", "http://host:port/v1#m", "jury:embedded", "jury:embedded+",
    "jury(" + "x" * 1000 + "):embedded+embedded", "cascade:" + "x" * 1000, "Open AI:x", "embedded2", "x" * 3000,
]  # fmt: skip


def test_what_names_no_judge_is_refused_in_one_line_with_what_was_found_and_what_is_allowed(asking):
    for spec, found, allowed in [*REFUSED, *((spec, "", "") for spec in NO_JUDGES)]:
        with pytest.raises(JudgeSpecError) as refused:
            open_judge(spec, asking)
        assert found in str(refused.value)
        assert allowed in refused.value.allowed and refused.value.allowed, spec
        assert "\n" not in str(refused.value) and len(str(refused.value)) < 400
