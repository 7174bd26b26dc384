"""A setting is said once: the keywords of the Python functions, the HTTP body and the options are made from its field,
or equal to it.
"""

import inspect
import typing

import pydantic
import pytest

import adjudge
from adjudge.api import SamplingOptions
from adjudge.cli.main import build_parser
from adjudge.protocols.base import names, protocol_of
from adjudge.protocols.options import http_fields

FUNCTIONS = {
    adjudge.compare: adjudge.CompareSettings,
    adjudge.dialogue: adjudge.DialogueSettings,
    adjudge.review: adjudge.ReviewSettings,
    adjudge.ReviewDraft.judge: adjudge.ReviewSettings,
}


def kinds(hint):
    """The types that a keyword takes; a sequence is given where a setting holds a tuple."""
    return [typing.get_origin(each) or each for each in typing.get_args(hint) or (hint,)]


@pytest.mark.parametrize(("function", "settings"), FUNCTIONS.items())
def test_every_keyword_has_the_default_and_the_type_of_its_setting(function, settings):
    hints, keywords = typing.get_type_hints(function), inspect.signature(function).parameters
    shared = {name: hint for name, hint in typing.get_type_hints(SamplingOptions).items() if "sampling" in keywords}
    known = settings.described()
    for name in {*known, "judge"} & {*keywords}:
        one = known.get(name)
        if one is None or one.service == "judge":
            assert keywords[name].default == ("embedded" if name == "judge" else None)
            assert str in kinds(hints[name])
        elif one.type == tuple[str, ...]:
            assert keywords[name].default == one.default
            assert issubclass(tuple, typing.get_origin(hints[name])) and typing.get_args(hints[name]) == (str,)
        else:
            assert (keywords[name].default, hints[name]) == (one.default, one.type)
    assert shared == {name: known[name].type for name in shared}
    assert {name for name, one in known.items() if one.help} <= {*keywords, *shared}


def test_the_body_of_a_request_is_made_from_the_settings():
    seed = "Decides which answer comes first."
    fields = http_fields(adjudge.CompareSettings, "judge", "one_order", "seed", camel=True, seed=seed)
    body = pydantic.create_model("Body", **fields)
    shown = body.model_json_schema()["properties"]
    assert {name: about.get("default") for name, about in shown.items()} == {
        "judge": None,
        "oneOrder": False,
        "seed": 0,
    }
    assert shown["seed"]["description"] == seed
    assert shown["oneOrder"]["description"] == adjudge.CompareSettings.described()["one_order"].http
    assert body.model_validate({"oneOrder": True}).one_order is True
    languages = pydantic.create_model("Body", **http_fields(adjudge.ReviewSettings, "languages"))
    assert languages.model_validate({"languages": ["en"]}, strict=True).languages == ["en"]
    both = pydantic.create_model("Body", **http_fields(adjudge.DialogueSettings, "judge"))
    assert "evaluator and critic" in both.model_json_schema()["properties"]["judge"]["description"]


def test_every_setting_is_an_option_of_its_command_and_of_run():
    commands = build_parser()._subparsers._group_actions[0].choices
    for name in names():
        described = protocol_of(name).settings.described()
        for command in (name, "run"):
            options = {option: action for action in commands[command]._actions for option in action.option_strings}
            for one in described.values():
                assert (one.option in options) == bool(one.help), (command, one.name)
                if one.help:
                    assert options[one.option].metavar == (one.metavar or None)
