"""A published corpus of rated dialogues comes back from the reader line for line.

It may not be copied here: ADJUDGE_DIALOGUES names the folder that holds CCPE.txt, MWOZ.txt, ReDial.txt and SGD.txt.
"""

import os
from pathlib import Path

import pytest

from adjudge.protocols.dialogue.transcript import read_dialogues

FOLDER = os.environ.get("ADJUDGE_DIALOGUES")
pytestmark = pytest.mark.skipif(not FOLDER, reason="ADJUDGE_DIALOGUES names no folder with the corpus")


def as_written(turn):
    return f"{turn.speaker}\t{turn.text}\t{turn.act or ''}\t{','.join(map(str, turn.ratings))}"


@pytest.mark.parametrize(
    ("name", "dialogues", "turns", "silent"),
    [("CCPE", 500, 11_936, 0), ("MWOZ", 1000, 22_108, 0), ("ReDial", 1000, 21_455, 3), ("SGD", 1000, 25_666, 0)],
)
def test_every_line_comes_back(name, dialogues, turns, silent):
    raw = (Path(FOLDER) / f"{name}.txt").read_bytes()
    read = read_dialogues(raw, name)
    assert [dialogue.dialogue_id for dialogue in read] == list(range(1, dialogues + 1))
    assert sum(len(dialogue.turns) for dialogue in read) == turns

    lines = dict(enumerate(raw.decode().split("\n"), 1))
    for dialogue in read:
        for turn in dialogue.turns:
            assert as_written(turn) == lines.pop(turn.line)
    rest = [line.split("\t") for line in lines.values() if line]
    overall = [ratings for _, text, _, ratings in rest if text == "OVERALL"]
    assert overall == [",".join(map(str, dialogue.overall_ratings)) for dialogue in read]
    # What is left are lines on which nothing was said and nothing noted.
    assert [text for _, text, _, _ in rest if text != "OVERALL"] == [""] * silent
