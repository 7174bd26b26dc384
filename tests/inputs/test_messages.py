"""Messages of chat APIs are read as steps. Nothing is lost: what is unknown is refused with its place."""

import json
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.inputs.messages import Step, read_steps

EXACT = Decimal("1.0")
OPENAI = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How warm is it in Oslo?"},
    {
        "role": "assistant",
        "content": None,
        "refusal": None,
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "get_weather", "arguments": '{"city":"\\u00c5s","days":1.50}'},
            },
            {"id": "call_2", "type": "custom", "custom": {"name": "note", "input": "not {JSON}"}},
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": '{"temp": 4}'},
    {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "kept"}]},
    {"role": "assistant", "content": "It is 4 °C.", "annotations": []},
]
OPENAI_STEPS = [
    ("instructions", "", "Be brief."),
    ("user", "", "How warm is it in Oslo?"),
    ("tool call", "get_weather", '{"city": "Ås", "days": 1.50}'),
    ("tool call", "note", "not {JSON}"),
    ("tool result", "get_weather", '{"temp": 4}'),
    ("tool result", "note", "kept"),
    ("assistant", "", "It is 4 °C."),
]
ANTHROPIC = [
    {"role": "user", "content": "How warm is it in Oslo?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Which city?", "signature": "EqQ="},
            {"type": "redacted_thinking", "data": "EmwK"},
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Bergen", "n": EXACT}},
        ],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "toolu_1",
                "content": [
                    {"type": "text", "text": "4 °C"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBOR"}},
                ],
            },
            {"type": "tool_result", "tool_use_id": "toolu_9", "content": "no such city", "is_error": True},
            {"type": "text", "text": "Well?"},
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "It is"}, {"type": "text", "text": "4 °C."}]},
]
ANTHROPIC_STEPS = [
    ("user", "", "How warm is it in Oslo?"),
    ("thinking", "", "Which city?\n[encrypted]"),
    ("assistant", "", "Let me look."),
    ("tool call", "get_weather", '{"city": "Bergen", "n": 1.0}'),
    ("tool result", "get_weather", "4 °C\n[image]"),
    ("tool result", "", "no such city"),
    ("user", "", "Well?"),
    ("assistant", "", "It is\n4 °C."),
]
RESPONSES = [
    {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Look it up."}]},
    {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "gAAA"},
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "find", "arguments": "{}", "status": "completed"},
    {"type": "function_call_output", "call_id": "c1", "output": "found"},
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "Oslo"}},
    {"type": "mcp_call", "id": "m1", "name": "ask", "arguments": '{"q":1}', "output": None, "error": "timed out"},
    {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "iVBOR"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done.", "annotations": []}]},
]
RESPONSES_STEPS = [
    ("user", "", "Hi"),
    ("thinking", "", "Look it up."),
    ("thinking", "", "[encrypted]"),
    ("tool call", "find", "{}"),
    ("tool result", "find", "found"),
    ("tool call", "web_search", '{"action": {"type": "search", "query": "Oslo"}}'),
    ("tool call", "ask", '{"q": 1}'),
    ("tool result", "ask", "timed out"),
    ("tool call", "image_generation", "{}"),
    ("tool result", "image_generation", "[image]"),
    ("assistant", "", "Done."),
]
LEGACY = [
    {"role": "assistant", "content": None, "function_call": {"name": "find", "arguments": '{"id": '}},
    {"role": "function", "name": "find", "content": "{}"},
]
INSPECT = [
    {
        "role": "assistant",
        "id": "a1",
        "content": [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Wait."}],
        "tool_calls": [{"id": "t1", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"}],
    },
    {
        "role": "tool",
        "id": "a2",
        "content": "",
        "tool_call_id": "t1",
        "function": "bash",
        "error": {"type": "timeout", "message": "too slow"},
    },
]
DEEPEVAL = [
    {
        "role": "assistant",
        "content": "There.",
        "tools_called": [{"name": "find", "input_parameters": {"id": 7}, "output": {"at": ["a", None]}}],
    },
]
LANGCHAIN = [
    {"type": "human", "content": "Hi"},
    {"type": "ai", "content": "", "tool_calls": [{"name": "find", "args": {"id": 7}, "id": "c", "type": "tool_call"}]},
    {"type": "tool", "content": "x", "tool_call_id": "c"},
]


@pytest.mark.parametrize(
    ("messages", "steps"),
    [
        (OPENAI, OPENAI_STEPS),
        (ANTHROPIC, ANTHROPIC_STEPS),
        (RESPONSES, RESPONSES_STEPS),
        (LEGACY, [("tool call", "find", '{"id": '), ("tool result", "find", "{}")]),
        (
            INSPECT,
            [
                ("thinking", "", "Hm."),
                ("assistant", "", "Wait."),
                ("tool call", "bash", '{"cmd": "ls"}'),
                ("tool result", "bash", "too slow"),
            ],
        ),
        (
            DEEPEVAL,
            [
                ("tool call", "find", '{"id": 7}'),
                ("tool result", "find", '{"at": ["a", null]}'),
                ("assistant", "", "There."),
            ],
        ),
        (LANGCHAIN, [("user", "", "Hi"), ("tool call", "find", '{"id": 7}'), ("tool result", "find", "x")]),
    ],
    ids=["openai", "anthropic", "responses", "legacy", "inspect", "deepeval", "langchain"],
)
def test_each_shape_reads_to_its_steps(messages, steps):
    assert [(step.kind, step.name, step.text) for step in read_steps(messages)] == steps


def test_a_step_knows_its_message_and_whether_the_tool_failed():
    steps = read_steps(ANTHROPIC)
    assert [step.message for step in steps] == [0, 1, 1, 1, 2, 2, 2, 3]
    assert [step.failed for step in steps if step.kind == "tool result"] == [False, True]
    assert [step.failed for step in read_steps(INSPECT)] == [False, False, False, True]


@pytest.mark.parametrize(
    ("step", "label", "shown"),
    [
        (Step("user", "Hi"), "user", "Hi"),
        (Step("tool call", '{"city": "Oslo"}', "weather"), "tool call weather", 'weather({"city": "Oslo"})'),
        (Step("tool result", "4 °C", "weather"), "tool result weather", "weather: 4 °C"),
        (Step("tool result", "4 °C"), "tool result", "4 °C"),
        (Step("tool result", " ", "weather"), "tool result weather", "weather: (empty)"),
        (Step("tool result", "no", "weather", failed=True), "tool result weather", "weather (error): no"),
    ],
)
def test_a_step_is_shown_with_its_tool(step, label, shown):
    assert (step.label, step.shown) == (label, shown)


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBOR"}}, "[image]"),
        ({"type": "input_audio", "input_audio": {"data": "x", "format": "wav"}}, "[audio]"),
        ({"type": "file", "file": {"filename": "bill.pdf", "file_data": "x"}}, "[file: bill.pdf]"),
        ({"type": "document", "title": "Terms", "source": {"type": "base64", "data": "x"}}, "[document: Terms]"),
        ({"type": "document", "source": {"type": "text", "data": "All of it."}}, "All of it."),
        ({"type": "refusal", "refusal": "I cannot."}, "I cannot."),
        ({"text": "no type"}, "no type"),
        ("a string", "a string"),
    ],
)
def test_what_is_not_text_is_a_placeholder(part, shown):
    (step,) = read_steps([{"role": "user", "content": ["See:", part]}])
    assert step == Step("user", f"See:\n{shown}")


@pytest.mark.parametrize("role", ["tool", "user"])
def test_parts_of_results_are_read_in_any_message_and_may_be_empty(role):
    one = {"type": "tool_result", "tool_use_id": "a", "content": "4 °C"}
    parts = [one, {"type": "tool_result", "tool_use_id": "b"}]
    given = read_steps([{"role": role, "content": parts}])
    assert given == (Step("tool result", "4 °C", call_id="a"), Step("tool result", "", call_id="b"))


def test_a_message_without_words_is_an_empty_step():
    messages = [{"role": "assistant", "content": None}, {"role": "assistant", "content": [], "tool_calls": []}]
    assert read_steps(messages) == (Step("assistant", ""), Step("assistant", "", message=1))


@pytest.mark.parametrize("messages", [None, "Hi", {"role": "user", "content": "Hi"}, 7])
def test_what_is_not_a_list_is_refused(messages):
    with pytest.raises(InputError, match=r"^messages: expected a list of messages, found "):
        read_steps(messages)


def test_any_json_is_shown_as_what_a_tool_returned():
    written = {'{"a": 1.5, "b": [true, null]}': {"a": 1.5, "b": [True, None]}, "0": 0, '["x", "y"]': ["x", "y"]}
    for shown, value in written.items():
        assert read_steps([{"role": "tool", "content": value}])[0].text == shown
    encrypted = [{"type": "web_search_result", "title": "Å", "encrypted_content": "x" * 9000}]
    part = {"type": "web_search_tool_result", "tool_use_id": "s", "content": encrypted}
    (step,) = read_steps([{"role": "assistant", "content": [part]}])
    assert step.text == '{"type": "web_search_result", "title": "Å", "encrypted_content": "[encrypted]"}'


WORD = st.uuids().map(lambda made: f"w{made.hex[:12]}")
VALUE = st.one_of(WORD, st.dictionaries(WORD, WORD, max_size=2), st.lists(WORD, min_size=1, max_size=2))
TEXT_PARTS = st.one_of(
    WORD,
    st.builds(lambda type_, text: {"type": type_, "text": text}, st.sampled_from(["text", "output_text"]), WORD),
    st.builds(lambda text: {"type": "refusal", "refusal": text}, WORD),
    st.builds(lambda text: {"type": "thinking", "thinking": text}, WORD),
    st.builds(lambda name: {"type": "file", "file": {"filename": name}}, WORD),
)
CALLS = st.builds(lambda name, given: {"function": {"name": name, "arguments": json.dumps(given)}}, WORD, VALUE)
PARTS = st.one_of(
    TEXT_PARTS,
    st.builds(lambda name, given: {"type": "tool_use", "name": name, "input": given}, WORD, VALUE),
    st.builds(lambda text: {"type": "tool_result", "content": text}, st.one_of(WORD, st.lists(TEXT_PARTS, min_size=1))),
)
CONTENTS = st.one_of(st.none(), WORD, st.lists(PARTS, max_size=4))
MADE = st.one_of(
    st.builds(lambda role, said: {"role": role, "content": said}, st.sampled_from(["user", "system", "ai"]), CONTENTS),
    st.builds(
        lambda said, calls: {"role": "assistant", "content": said, "tool_calls": calls}, CONTENTS, st.lists(CALLS)
    ),
    st.builds(lambda name, said: {"role": "tool", "name": name, "content": said}, WORD, VALUE),
    st.builds(lambda name, given: {"type": "function_call", "name": name, "arguments": given}, WORD, VALUE),
    st.builds(lambda given: {"type": "function_call_output", "output": given}, VALUE),
)


@given(st.lists(MADE, max_size=4))
def test_every_word_of_every_message_is_in_a_step_of_that_message(messages):
    steps = read_steps(messages)
    for at, message in enumerate(messages):
        own = [step for step in steps if step.message == at]
        assert own, message
        shown = " ".join(f"{step.name} {step.text}" for step in own)
        assert all(word in shown for word in re.findall(r"w[0-9a-f]{12}", json.dumps(message)))
