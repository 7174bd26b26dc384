"""How verdicts and failures look in Python: short, false if failed, and safe in a notebook."""

import re

import pytest

import adjudge

HOSTILE = '<script>alert(1)</script> 11 is a prime"><img src=x onerror=alert(1)>'


@pytest.fixture
def verdict(tmp_path):
    return adjudge.compare_sync("Name a prime above 10.", HOSTILE, "12.", journal=tmp_path / "journal.db")


def test_a_failure_is_false_and_a_verdict_is_true(verdict):
    assert not adjudge.Failure(reason="timeout", message="too late", judge="x")
    assert verdict


def test_the_repr_says_protocol_id_outcome_and_score(verdict):
    assert re.fullmatch(rf"<ComparisonVerdict {verdict.verdict_id}: (A|B|tie), -?[\d.]+>", repr(verdict))


def test_a_notebook_shows_the_report_in_a_frame_in_which_nothing_runs(verdict):
    shown = verdict._repr_html_()
    assert shown.startswith("<iframe sandbox srcdoc=") and shown.endswith("</iframe>")
    assert shown.count("<") == 2, "everything but the frame is escaped"
    assert "&amp;lt;script&amp;gt;" in shown, "the text stays escaped in the report, too"
    assert verdict.verdict_id in shown
