"""Logs of other tools become the right cases: systems, ids, texts, steps; hostile files are refused by name."""

import json
import zipfile
from pathlib import Path

import pytest

from adjudge.errors import InputError
from adjudge.inputs.json import nested_items
from adjudge.inputs.rows import BadRow, open_rows
from adjudge.inputs.rows.logs import inspect_log, outline
from adjudge.inputs.rows.logs.promptfoo import systems_of
from adjudge.protocols.rubrics import shipped

FILES = Path(__file__).parent / "files"
SHORT, CHILD, LOUD = "[echo] short", "[echo] child", "[shout] short"
CHAT = '[echo] chat.json: [{"role":"system","content":"Be brief."},{"role"…'


def read(name, protocol="grade", mapping=None):
    path = name if isinstance(name, Path) else FILES / name
    rows = list(open_rows(str(path), protocol, shipped(protocol), mapping))
    return [row for row in rows if not isinstance(row, BadRow)], [row for row in rows if isinstance(row, BadRow)]


# -- promptfoo ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv"])
def test_two_prompts_of_one_model_are_two_systems(suffix):
    rows, bad = read(f"promptfoo.{suffix}")
    assert [row.case_id for row in rows] == [f"1.{n}" for n in range(1, 7)] + ["2.1", "2.2", "2.3", "2.4", "2.6"]
    assert [row.extra["system"] for row in rows][:4] == [SHORT, CHILD, CHAT, LOUD]
    first = rows[0].case
    assert (first.task, first.reference) == ("What is the capital of Norway?", "Oslo")
    assert first.answer == "Answer in one word: What is the capital of Norway?"
    assert rows[0].label is None  # what promptfoo's own checks said is no person's label
    (error,) = bad
    assert error.case_id == "2.5" and error.message.endswith(
        "promptfoo says ERROR" if suffix == "csv" else "answer: missing; promptfoo says: no river today"
    )


def test_what_promptfoo_wrote_of_our_own_assertion_is_read():
    rows, bad = read("promptfoo_judged.json")
    assert bad == [] and [row.case_id for row in rows] == ["1.1", "1.2", "2.1", "2.2"]
    assert [row.extra["system"] for row in rows] == ["[echo] short", "[echo] friendly"] * 2
    assert {row.case.reference for row in rows} == {"It takes up to 14 days."} and rows[0].label is None
    assert [row.extra["promptfoo_success"] for row in rows] == [True, False, False, False]
    assert [row.extra["promptfoo_score"] for row in rows] == [1, 0.25, 0, 0]
    assert "- Says how long it takes (days): no, 0 of 3 points" in rows[1].extra["promptfoo_reason"]
    # The judge could not be reached: to promptfoo that is a failed assertion, to a reader no verdict.
    assert all("no verdict from http://127.0.0.1:9/v1" in row.extra["promptfoo_reason"] for row in rows[2:])


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv"])
def test_promptfoos_systems_are_compared_by_test(suffix):
    with pytest.raises(InputError, match=r"a and b could be \[echo\] short, \[echo\] child or"):
        read(f"promptfoo.{suffix}", "compare")
    rows, bad = read(f"promptfoo.{suffix}", "compare", {"a": SHORT, "b": CHILD})
    assert bad == [] and [row.systems for row in rows] == [(SHORT, CHILD)] * 2
    assert [row.case.task for row in rows] == ["What is the capital of Norway?", "Name a river, please."]
    assert rows[1].case.b == "Explain to a child: Name a river, please."
    rows, bad = read(f"promptfoo.{suffix}", "compare", {"a": SHORT, "b": "[shout] child"})
    assert [row.case_id for row in rows] == ["1"] and [row.case_id for row in bad] == ["2"]


def test_promptfoos_messages_are_dialogues():
    rows, bad = read("promptfoo.json", "dialogue")
    talk = rows[2].case
    assert [turn.speaker for turn in talk.turns] == ["USER", "SYSTEM"]
    assert talk.turns[0].text == "What is the capital of Norway?"
    assert (len(rows), len(bad)) == (11, 1)


def result(test, prompt, answer, **more):
    return {
        "testIdx": test, "promptIdx": prompt, "provider": {"id": "openai:gpt-4o", "label": ""},
        "prompt": {"raw": f"Rephrase this: {test}", "label": "one"}, "testCase": {"vars": {"body": f"text {test}"}},
        "response": {"output": answer}, **more,
    }  # fmt: skip


def log(tmp_path, results, version):
    """The results as promptfoo's versions keep them: in a summary (3), or as rows of the database (4)."""
    if version == "3, shared":
        content = {"data": {"version": 3, "createdAt": "", "results": {"version": 3, "results": results}}}
    elif version == 4:
        results = [
            {**{k: v for k, v in one.items() if k != "response"}, "providerResponse": one["response"]}
            for one in results
        ]
        content = {"createdAt": 1, "id": "eval-1", "config": {"tests": []}, "results": results, "prompts": []}
    else:
        content = {"evalId": "e", "results": {"version": version, "timestamp": "", "results": results}, "config": {}}
    (tmp_path / "log.json").write_text(json.dumps(content))
    return tmp_path / "log.json"


@pytest.mark.parametrize("version", [2, 3, "3, shared", 4])
def test_each_version_of_promptfoos_results_is_read(tmp_path, version):
    other = {"provider": {"id": "anthropic:x", "label": "Claude"}}
    path = log(tmp_path, [result(0, 0, "a"), result(0, 1, {"n": 1}, **other), result(1, 0, "c")], version)
    rows, bad = read(path)
    assert [(row.case_id, row.extra["system"], row.case.task, row.case.answer) for row in rows] == [
        ("1.1", "openai:gpt-4o", "text 0", "a"),
        ("1.2", "Claude", "text 0", '{"n": 1}'),
        ("2.1", "openai:gpt-4o", "text 1", "c"),
    ]
    rows, bad = read(path, "compare")
    assert [(row.case_id, row.systems) for row in rows] == [("1", ("openai:gpt-4o", "Claude"))]
    assert bad[0].message.startswith("[Claude] one: missing")


def test_a_rating_in_promptfoos_viewer_is_a_label(tmp_path):
    rated = {"componentResults": [{"pass": False, "assertion": {"type": "human"}}]}
    rows, _ = read(log(tmp_path, [result(0, 0, "a", gradingResult=rated, success=True)], 3))
    assert (rows[0].label, rows[0].extra["promptfoo_success"]) == ("fail", True)


def test_prompts_that_differ_need_a_variable_as_the_task(tmp_path):
    both = {"testCase": {"vars": {"language": "French", "body": "Hello"}}}
    prompts = [{"prompt": {"raw": f"{word} it", "label": word}} for word in ("Say", "Sing")]
    path = log(tmp_path, [result(0, at, "a") | both | prompt for at, prompt in enumerate(prompts)], 3)
    with pytest.raises(InputError, match=r"no column for task; .* such as --map task=vars.language"):
        read(path, "compare")
    rows, _ = read(path, "compare", {"task": "vars.body"})
    assert (rows[0].case.task, rows[0].systems) == ("Hello", ("[openai:gpt-4o] Say", "[openai:gpt-4o] Sing"))


def test_one_system_cannot_be_compared(tmp_path):
    with pytest.raises(InputError, match="the answers of one system, openai:gpt-4o; answers of two systems"):
        read(log(tmp_path, [result(0, 0, "a")], 3), "compare")


def test_one_provider_with_two_settings_is_two_systems_and_structured_output_is_kept_whole(tmp_path):
    path = log(
        tmp_path,
        [result(0, 0, {"answer": "a", "sure": True}), result(0, 1, [{"role": "assistant", "content": "b"}])],
        3,
    )
    rows, _ = read(path)
    assert [(row.extra["system"], row.case.answer) for row in rows] == [
        ("[openai:gpt-4o] one", '{"answer": "a", "sure": true}'),
        ("[openai:gpt-4o] one (2)", "b"),
    ]


@pytest.mark.parametrize(
    ("columns", "systems"),
    [
        (["q", "[p:1] x", "[p:2] x"], ["p:1", "p:2"]),
        (["[p:1] x", "[p:1] y"], ["[p:1] x", "[p:1] y"]),
        ([f"[p] {'x' * 70}a", f"[p] {'x' * 70}b"], [f"[p] {'x' * 70}a", f"[p] {'x' * 70}b"]),
        (["[p] short", f"[p] {'x ' * 70}"], ["[p] short", f"[p] {'x ' * 29}x…"]),
    ],
)
def test_a_prompt_is_part_of_a_systems_name_where_there_are_several(columns, systems):
    assert list(systems_of(columns).values()) == systems


@pytest.mark.parametrize("value", [{"results": {"results": [3, "x", None]}}, {"results": {"results": []}}])
def test_results_of_wrong_types_are_refused(tmp_path, value):
    (tmp_path / "log.json").write_text(json.dumps(value))
    with pytest.raises(InputError, match=r"expected a result, found a number|no case"):
        read(tmp_path / "log.json")


def test_a_log_that_is_cut_off_names_the_line(tmp_path):
    text = (FILES / "promptfoo.json").read_text()
    (tmp_path / "log.json").write_text(text[: len(text) // 2])
    with pytest.raises(InputError, match=r"log.json, line \d+: not JSON: .*; a whole file is needed"):
        read(tmp_path / "log.json")


# -- Inspect -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["inspect.eval", "inspect.json"])
def test_inspects_samples_are_cases_with_their_steps(name):
    rows, bad = read(name)
    assert bad == [] and sorted(row.case_id for row in rows) == ["bergen", "bergen epoch 2", "oslo", "oslo epoch 2"]
    by = {row.case_id: row for row in rows}
    oslo = by["oslo"]
    assert (oslo.case.task, oslo.case.answer, oslo.case.reference) == (
        "What is the weather in Oslo?",
        "It rains.",
        "Rain",
    )
    assert oslo.extra == {"epoch": 1, "metadata.lang": "en", "scores.includes": "C", "system": "mockllm/model"}
    assert [step.kind for step in oslo.case.steps] == [
        "instructions", "user", "assistant", "tool call", "tool result", "assistant"
    ]  # fmt: skip
    assert by["bergen"].case.reference == "Rain\nor\nrainy"
    talks, _ = read(name, "dialogue")
    assert len(talks) == 4


def test_a_folder_of_logs_compares_their_models(tmp_path):
    for model in ("one", "two"):
        content = json.loads((FILES / "inspect.json").read_text())
        content["eval"]["model"] = model
        (tmp_path / f"{model}.json").write_text(json.dumps(content))
    rows, bad = read(tmp_path, "compare")
    assert bad == [] and [row.systems for row in rows] == [("one", "two")] * 4
    assert len({row.case_id for row in read(tmp_path)[0]}) == 8


def sample(**more):
    return {"id": "s", "epoch": 1, "input": "T?", "target": "R", "messages": [], "output": {"completion": "A."}, **more}


def packed(path, *samples, header={"eval": {"task": "t", "model": "m"}}, how=zipfile.ZIP_DEFLATED):  # noqa: B006
    with zipfile.ZipFile(path, "w", how) as file:
        if header is not None:
            file.writestr("header.json", json.dumps(header))
        for number, one in enumerate(samples):
            file.writestr(f"samples/{number}_epoch_1.json", one if isinstance(one, str) else json.dumps(one))
    return path


def test_older_logs_and_long_texts_and_samples_without_an_answer(tmp_path):
    held = {"attachments": {"abc": "a long question"}, "input": "attachment://abc"}
    nan = json.dumps(sample(scores={"f": {"value": float("nan")}}))
    path = packed(tmp_path / "x.eval", sample(**held), sample(output={}, error={"message": "time is up"}), nan)
    rows, bad = read(path)
    assert [row.case.task for row in rows] == ["a long question", "T?"]
    assert [row.message for row in bad] == ["answer: missing; Inspect says: time is up"]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path.write_text("no zip"), "x.eval: not an .eval log, or a broken one: File is not a zip file"),
        (lambda path: packed(path, header=None), "x.eval: a ZIP file without header.json; a whole .eval log"),
        (lambda path: packed(path), "x.eval: no case"),
        (lambda path: packed(path, "[1"), "no row can be read; the first error: not JSON"),
        (lambda path: packed(path, "7"), "no row can be read; the first error: expected a sample, found a number"),
        (lambda path: path.write_bytes((FILES / "inspect.eval").read_bytes()[:-900]), "x.eval: not an .eval log"),
    ],
)
def test_a_broken_eval_log_is_refused_by_name(tmp_path, make, says):
    make(tmp_path / "x.eval")
    with pytest.raises(InputError) as refused:
        read(tmp_path / "x.eval")
    assert says in str(refused.value)


@pytest.mark.parametrize("name", ["inspect.eval", "bomb.eval"])
def test_a_part_of_an_eval_log_has_a_limit(tmp_path, monkeypatch, name):
    path = packed(tmp_path / "bomb.eval", sample(input="x" * 50_000)) if name == "bomb.eval" else FILES / name
    monkeypatch.setattr(inspect_log, "MAX_ITEM", 3_000)
    with pytest.raises(InputError, match="at most 3,000 are allowed for a sample"):
        read(path)


def test_one_sample_that_is_too_large_is_a_bad_row_and_so_are_attachments_that_multiply(tmp_path, monkeypatch):
    monkeypatch.setattr(inspect_log, "MAX_ITEM", 3_000)
    many = [{"role": "assistant", "content": "attachment://x"}] * 30
    path = packed(
        tmp_path / "x.eval", sample(), sample(input="x" * 5_000), sample(messages=many, attachments={"x": "y" * 200})
    )
    rows, bad = read(path)
    assert [row.case.answer for row in rows] == ["A."]
    assert [row.message.partition(";")[0] for row in bad] == ["5,099 bytes", "more than 3,000 characters"]


def test_a_part_that_lies_about_its_size_is_stopped_while_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(inspect_log, "MAX_ITEM", 3_000)
    raw = bytearray((FILES / "inspect.eval").read_bytes())
    with zipfile.ZipFile(FILES / "inspect.eval") as file:
        sizes = [info.file_size for info in file.infolist()]
    for size in sizes:
        raw = raw.replace(size.to_bytes(4, "little"), (9).to_bytes(4, "little"))
    (tmp_path / "x.eval").write_bytes(raw)
    with pytest.raises(InputError, match=r"header.json: more than 3,000 bytes; at most 3,000"):
        read(tmp_path / "x.eval")


# -- OpenAI's evals and Langfuse ---------------------------------------------------------------------------------------


def test_events_of_openais_evals():
    rows, bad = read("openai_events.jsonl")
    assert [(row.case_id, row.case.task, row.case.answer, row.case.reference) for row in rows] == [
        ("capitals.dev.0", "Capital of Norway?", "Oslo", "Oslo"),
        ("capitals.dev.1", "Capital of Sweden?", "Malmö", "Stockholm\nor\nSthlm"),
    ]
    assert rows[0].extra == {"match.correct": True, "match.picked": "Oslo", "system": "gpt-4o-mini"}
    assert [(row.case_id, row.message) for row in bad] == [
        ("capitals.dev.2", "answer: missing; the log says: slow down")
    ]
    assert len(read("openai_events.jsonl", "dialogue")[0]) == 2


def test_output_items_of_openais_evals():
    rows, bad = read("openai_items.json")
    (row,) = rows
    assert (row.case_id, row.case.task, row.case.answer, row.case.reference) == (
        "5",
        "Capital of Norway?",
        "Oslo",
        "Oslo",
    )
    assert (row.extra["system"], row.extra["grader.match-1"]) == ("gpt-4o-mini-2024-07-18", 1)
    assert bad[0].message == "answer: missing; the run says: no reply"


def test_langfuses_traces_of_two_versions_are_two_systems():
    rows, _ = read("langfuse_traces.json")
    assert [(row.case_id, row.extra["system"], row.case.task) for row in rows][:2] == [
        ("trace-1", "support v1", "Can I return shoes?"),
        ("trace-2", "support v2", "Can I return shoes?"),
    ]
    pairs, _ = read("langfuse_traces.json", "compare")
    assert [(row.systems, row.case.a, row.case.b) for row in pairs] == [
        (("support v1", "support v2"), "Within 30 days.", "Yes, for 30 days, unworn."),
        (("support v1", "support v2"), "Yes.", "We do, in five days."),
    ]


def test_a_page_of_langfuses_api_is_read_like_its_export(tmp_path):
    page = {"data": json.loads((FILES / "langfuse_traces.json").read_text()), "meta": {"page": 1, "totalPages": 1}}
    (tmp_path / "page.json").write_text(json.dumps(page))
    assert [row.case for row in read(tmp_path / "page.json")[0]] == [
        row.case for row in read("langfuse_traces.json")[0]
    ]


def test_langfuses_generations_keep_their_steps():
    rows, bad = read("langfuse_observations.csv")
    (row,) = rows
    assert (row.case_id, row.case.task, row.extra["system"]) == ("obs-2", "Weather in Oslo?", "gpt-4o-mini")
    assert [step.kind for step in row.case.steps] == ["user", "tool call", "tool result", "assistant"]
    assert [(one.case_id, one.message) for one in bad] == [("obs-3", "answer: missing; context length exceeded")]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (
            {"id": 1, "input": "q", "expectedOutput": "r", "sourceTraceId": None},
            "items of a Langfuse dataset, which have no",
        ),
        (
            {"traceId": "t", "name": "n", "value": 1, "dataType": "NUMERIC"},
            "scores of Langfuse, which have no texts; `adjudge agree`",
        ),
    ],
)
def test_rows_of_langfuse_without_an_answer_say_what_to_do(tmp_path, row, says):
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match=says):
        read(tmp_path / "rows.jsonl")


# -- JSON --------------------------------------------------------------------------------------------------------------


def test_an_outline_says_how_values_begin():
    text = '{"a": {"b": [{"c": "}"}], "d": 1}, "e": "x\\"y"'
    assert outline(text) == {"a": "{", "a.b": "[", "a.d": "1", "e": '"'}
    assert outline('[{"a": 1, "b": {"c": 2}}, {"z": 3}]') == {"[].a": "1", "[].b": "{", "[].b.c": "2"}
    assert outline("") == {} and outline("]}") == {}
    # Neither a string that is cut off nor one with many quotes takes long.
    assert outline('{"a": "' + '\\"' * 100_000 + "\\") == {"a": '"'}


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_items_of_a_nested_array_come_one_by_one(size):
    text = '{"h": {"m": 1}, "r": {"v": 3, "r": [{"n": NaN}, 2 ], "later": '
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    found = [(name, item.value) for name, item in nested_items(pieces, str, ("r", "r"))]
    assert found == [("h", {"m": 1}), ("r.v", 3), ("", {"n": None}), ("", 2)]
