"""A verdict's cells: every criterion has columns of its own, whatever it is called."""

from adjudge import dialogue_sync
from adjudge.protocols.base import protocol_of, row_of
from adjudge.protocols.rubrics import parse
from adjudge.protocols.table import FIRST, LAST, WORDS

TALK = "USER\tWhere is my parcel, please?\nSYSTEM\tIt arrives on Monday, sir. Sorry for that.\n"


KEYS = [("label", "criterion_label"), ("tone", "tone_critic"), ("tone_critic", "tone"), ("winner", "average", "likert")]


def test_no_two_columns_have_the_same_name():
    for protocol in ("compare", "dialogue", "review"):
        for keys in KEYS:
            columns = (*FIRST, *protocol_of(protocol).table.all_columns(dict.fromkeys(keys, "")), *LAST, *WORDS)
            names = [column.name for column in columns]
            assert len(names) == len(set(names)), (protocol, keys)


def test_a_criterion_named_like_the_column_of_another_leaves_it_its_number(tmp_path):
    """What the Critic suggests for `tone` is not the score of `tone_critic`."""
    rubric = parse(
        "name: mine\nversion: '1'\nprotocol: dialogue\nscale: {min: 20, max: 100, step: 20}\ncriteria:\n"
        "  - {key: tone, weight: 0.5, guidance: x}\n  - {key: tone_critic, weight: 0.5, guidance: y}\n",
        "mine.yaml",
    )
    verdict = dialogue_sync(TALK, rubric=rubric, journal=tmp_path / "journal.db")
    cells = row_of(verdict)
    assert cells["tone_critic"] is verdict.objections["tone"].suggested is None
    assert cells["criterion_tone_critic"] == verdict.rulings["tone_critic"].value
