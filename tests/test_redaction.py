"""What is taken out of texts before people see them, and what stays."""

import json
import os
import time
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError, SetupError
from adjudge.models.common import Failure
from adjudge.redaction import SHORTEST, holds_password, redact, redact_reply

VARIABLES = ("OPENAI_API_KEY", "ADJUDGE_API_KEY_HOST_8000", "AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "PGPASSWORD")
KEYS = st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S")), min_size=SHORTEST, max_size=40).filter(
    lambda key: "*" not in key
)


@given(st.sampled_from(VARIABLES), KEYS, st.text(), st.text())
def test_a_key_of_the_environment_is_in_no_text_and_no_reply(variable, key, before, after):
    with patch.dict(os.environ, {variable: key}):
        said = f"{before}{key}{after}"
        assert key not in redact(said)
        assert key not in str(InputError("here", said))
        assert key not in Failure(reason="rejected", message=said, judge="j").message
        assert key.encode() not in redact_reply(said.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("slash", ["/", r"\/", r"\\/"])
def test_a_key_is_known_in_json_that_escapes_slashes_also_inside_json(monkeypatch, slash):
    monkeypatch.setenv("ADJUDGE_API_KEY", 'one/key/of"ours')
    written = json.dumps('one/key/of"ours').replace("/", slash)
    assert redact_reply(b'{"content": %s}' % written.encode()) == b'{"content": "***"}'


@given(st.text())
def test_a_redacted_text_is_not_changed_again_and_a_reply_without_a_key_not_at_all(text):
    assert redact(redact(text)) == redact(text)
    assert redact_reply(text.encode()) == text.encode()


def test_what_looks_like_a_secret_is_hidden_and_the_rest_stays():
    for said, shown in (
        ("no route to http://ann:hush@host/v1", "no route to http://***@host/v1"),
        ("no route to https://token@host", "no route to https://***@host"),
        ("postgresql://ann:a@b@host/d is away", "postgresql://ann:***@host/d is away"),
        ("postgresql://ann@host/d is away", "postgresql://ann@host/d is away"),
        ("you sent Authorization: Basic YW5uOmh1c2g=", "you sent Authorization: Basic ***"),
        ('headers {"x-api-key": "abcdefgh12"}', 'headers {"x-api-key": "***"}'),
        ("connecting with password=hush host=h", "connecting with password=*** host=h"),
        ("password: expected a text", "password: expected a text"),
        ("expired: Bearer abc.def-ghi_jkl", "expired: Bearer ***"),
        ("Incorrect key sk-proj-0123456789abcdefghij.", "Incorrect key sk-***."),
        ("write to ann@host, see http://host/@ann?a=b", "write to ann@host, see http://host/@ann?a=b"),
        ("HTTP 401: the API key is missing", "HTTP 401: the API key is missing"),
    ):
        assert redact(said) == shown
        assert str(SetupError(said)) == shown


def test_a_password_in_an_address_of_the_environment_is_known(monkeypatch):
    monkeypatch.setenv("ADJUDGE_JOURNAL", "postgresql://ann:correct%20horse@host/d")
    monkeypatch.setenv("https_proxy", "http://me:battery-staple@proxy:3128")
    assert redact("correct horse, correct%20horse, battery-staple") == "***, ***, ***"


def test_a_login_is_known_in_the_form_it_is_sent(monkeypatch):
    monkeypatch.setenv("SEARXNG_AUTH", "ann:hush-hush")
    assert redact("ann:hush-hush, hush-hush, YW5uOmh1c2gtaHVzaA==") == "***, ***, ***"


def test_a_short_value_protects_nothing_and_stays(monkeypatch):
    monkeypatch.setenv("ADJUDGE_API_KEY", "ollama")
    assert redact("ollama does not answer") == "ollama does not answer"


def test_a_name_or_password_in_a_web_address_is_seen():
    for address, holds in (
        ("http://ann:hush@host/v1#m", True),
        ("HTTPS://token@host", True),
        ("http://ann:hu/sh@host/v1#m", True),
        ("jury:embedded+http://ann:hu+sh@host/v1#m", True),
        ("http://host/v1#model@main", False),
        ("embedded:model.json@0123", False),
    ):
        assert holds_password(address) is holds


def test_a_megabyte_of_addresses_takes_seconds_not_minutes():
    started = time.process_time()
    assert not holds_password("https://" * 100_000)
    redact("https://" * 100_000 + " authorization:" * 50_000)
    assert time.process_time() - started < 5
