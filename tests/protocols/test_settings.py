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
from adjudge.protocols.compare.rules import CompareOptions
from adjudge.protocols.options import http_fields
from adjudge.protocols.procedure import provenance_of

FUNCTIONS = {
    adjudge.compare: adjudge.CompareSettings, adjudge.dialogue: adjudge.DialogueSettings,
    adjudge.review: adjudge.ReviewSettings, adjudge.ReviewDraft.judge: adjudge.ReviewSettings,
}  # fmt: skip


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
    asked = adjudge.CompareSettings.requested()
    body = pydantic.create_model("Body", **http_fields(asked, camel=True))
    shown = body.model_json_schema()["properties"]
    defaults = {"judge": None, "oneOrder": False, "seed": 0, "sample": 0, "temperature": 0.0}
    defaults |= {"recheckAttempts": False, "maxTokens": 8192}
    assert {name: about.get("default") for name, about in shown.items()} == defaults
    assert (shown["maxTokens"]["minimum"], shown["maxTokens"]["maximum"]) == asked["max_tokens"].between
    assert shown["oneOrder"]["description"] == asked["one_order"].http
    assert shown["seed"]["description"] == "Seed for everything random."
    assert body.model_validate({"oneOrder": True}).one_order is True
    both = pydantic.create_model("Body", **http_fields(adjudge.DialogueSettings.requested()))
    assert "evaluator and critic" in both.model_json_schema()["properties"]["judge"]["description"]


def test_a_list_is_a_list_in_json_and_text_in_a_query_or_form():
    asked = adjudge.ReviewSettings.requested()
    body, query = (pydantic.create_model("Request", **http_fields(asked, text=text)) for text in (False, True))
    assert body.model_validate({"languages": ["en", "es"]}, strict=True).languages == ["en", "es"]
    assert query.model_validate({"languages": "en, es"}).languages == ("en", "es")
    for model, value in ((body, "en"), (query, ["en"]), (query, "e" * 2001)):
        with pytest.raises(pydantic.ValidationError, match="languages"):
            model.model_validate({"languages": value}, strict=True)


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


def test_a_temperature_given_as_a_whole_number_is_written_like_any_other():
    assert repr(provenance_of("a judge", "a rubric", CompareOptions(temperature=1)).temperature) == "1.0"
