"""Tool calls and their results are turns of TOOL, in every form that a dialogue may have."""

import json

import pytest

from adjudge.protocols.dialogue.transcript import read_dialogues

CALL, RESULT = 'get_weather({"city": "Bergen"})', "get_weather: 4 °C, rain"
TURNS = [("USER", "How warm is it in Oslo?"), ("TOOL", CALL), ("TOOL", RESULT), ("SYSTEM", "It is 4 °C in Oslo.")]
ASKED, ANSWERED = {"role": "user", "content": TURNS[0][1]}, {"role": "assistant", "content": TURNS[3][1]}
FUNCTION = {"name": "get_weather", "arguments": '{"city": "Bergen"}'}
CALLING = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": FUNCTION}]}
RETURNED = {"role": "tool", "tool_call_id": "c", "content": "4 °C, rain"}
BLOCKS = [
    ASKED,
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t", "name": "get_weather", "input": {"city": "Bergen"}}],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "4 °C, rain"}]},
    ANSWERED,
]
ITEMS = [
    ASKED,
    {"type": "reasoning", "summary": []},
    {"type": "function_call", "call_id": "c", **FUNCTION},
    {"type": "function_call_output", "call_id": "c", "output": "4 °C, rain"},
    ANSWERED,
]
LEGACY = [
    ASKED,
    {"role": "assistant", "content": None, "function_call": FUNCTION},
    {"role": "function", "name": "get_weather", "content": "4 °C, rain"},
    ANSWERED,
]
LANGCHAIN = [
    {"type": "system", "content": "Be kind."},
    {"type": "human", "content": TURNS[0][1]},
    {"type": "ai", "content": "", "tool_calls": [{"name": "get_weather", "args": {"city": "Bergen"}, "id": "c"}]},
    {"type": "tool", "content": "4 °C, rain", "tool_call_id": "c"},
    {"type": "ai", "content": TURNS[3][1]},
]
SPEAKERS = [{"speaker": speaker, "text": text} for speaker, text in TURNS]
IN_A_CELL = json.dumps(CALLING["tool_calls"]).replace('"', '""')
FORMS = {
    "OpenAI": json.dumps([ASKED, CALLING, RETURNED, ANSWERED]),
    "OpenAI, a message a line": "\n".join(map(json.dumps, [ASKED, CALLING, RETURNED, ANSWERED])),
    "OpenAI, instructions": json.dumps([{"role": "system", "content": "Be kind."}, ASKED, CALLING, RETURNED, ANSWERED]),
    "OpenAI, object": json.dumps({"messages": [ASKED, CALLING, RETURNED, ANSWERED]}),
    "OpenAI Responses": json.dumps(ITEMS),
    "OpenAI, legacy": json.dumps(LEGACY),
    "Anthropic": json.dumps(BLOCKS),
    "LangChain": json.dumps({"messages": LANGCHAIN}),
    "speakers": json.dumps(SPEAKERS),
    "columns": "\n".join("\t".join(turn) for turn in TURNS),
    "columns by spaces": "\n".join("   ".join(turn) for turn in TURNS),
    "labels": "\n".join(": ".join(turn) for turn in TURNS),
    "labels, other names": "\n".join(": ".join(turn) for turn in TURNS).replace("USER", "User").replace("TOOL", "Tool"),
    "labels in lower case": (
        f"user: {TURNS[0][1]}\nassistant:\ntool: {CALL}\ntool: {RESULT}\nassistant: {TURNS[3][1]}"
    ),
    "labels, brackets": "\n".join(f"[{speaker}] {text}" for speaker, text in TURNS),
    "labels, bold": "\n\n".join(f"**{speaker}:** {text}" for speaker, text in TURNS),
    "CSV": "\n".join(["speaker,text", *(f'{who},"{text.replace(chr(34), chr(34) * 2)}"' for who, text in TURNS)]),
    "CSV of an API": (
        "role,content,tool_calls,tool_call_id,name\n"
        f'user,{TURNS[0][1]},,,\nassistant,,"{IN_A_CELL}",,\ntool,"4 °C, rain",,c,\nassistant,{TURNS[3][1]},[],,\n'
    ),
}


def turns(text):
    (dialogue,) = read_dialogues(text.encode(), "chat")
    return [(turn.speaker, turn.text) for turn in dialogue.turns]


@pytest.mark.parametrize("form", FORMS)
def test_a_tool_call_and_its_result_are_turns_in_each_form(form):
    assert turns(FORMS[form]) == TURNS


def test_words_beside_a_call_stay_the_words_of_their_speaker():
    spoken = CALLING | {"content": "Let me look."}
    answered = {"role": "user", "content": [*BLOCKS[2]["content"], {"type": "text", "text": "Well?"}]}
    assert turns(json.dumps([ASKED, spoken, RETURNED, answered])) == [
        TURNS[0],
        ("SYSTEM", "Let me look."),
        *TURNS[1:3],
        ("TOOL", "4 °C, rain"),
        ("USER", "Well?"),
    ]


def test_annotations_belong_to_the_first_step_of_their_message():
    (dialogue,) = read_dialogues(json.dumps([ASKED, CALLING | {"content": "Hm.", "ratings": [3]}]).encode(), "chat")
    assert [turn.ratings for turn in dialogue.turns] == [(), (3,), ()]


def test_a_tools_output_is_kept_as_it_is():
    """It has no ACT and no ratings, may hold tabs, and its lines do not name speakers."""
    raw = "USER\tHi\nTOOL\tcity\ttemp\tOTHER\nTOOL  level   3,3,4\nSYSTEM\tHello"
    assert turns(raw)[1:3] == [("TOOL", "city\ttemp\tOTHER"), ("TOOL", "level   3,3,4")]
    text = "USER: Hi\nSYSTEM: Wait.\nNote: it takes a moment\nTOOL: find(7)\nStatus: open\nSYSTEM: It is open."
    assert turns(text) == [
        ("USER", "Hi"),
        ("SYSTEM", "Wait.\nNote: it takes a moment"),
        ("TOOL", "find(7)\nStatus: open"),
        ("SYSTEM", "It is open."),
    ]


def test_a_line_of_an_answer_that_begins_with_tool_is_part_of_it(caplog):
    assert turns("User: What do I need?\nAssistant: You need:\nTool: a screwdriver\nUser: Thanks") == [
        ("USER", "What do I need?"),
        ("SYSTEM", "You need:\nTool: a screwdriver"),
        ("USER", "Thanks"),
    ]
    assert "'Tool:' is read as part of the utterance before it" in caplog.text


def test_an_empty_result_and_a_failed_one_are_shown():
    failed = BLOCKS[2]["content"][0] | {"content": "no such city", "is_error": True}
    messages = [ASKED, CALLING, RETURNED | {"content": ""}, BLOCKS[1], {"role": "user", "content": [failed]}, ANSWERED]
    assert [text for speaker, text in turns(json.dumps(messages)) if speaker == "TOOL"] == [
        CALL,
        "get_weather: (empty)",
        CALL,
        "get_weather (error): no such city",
    ]
