"""The command `adjudge dialogue`."""

from __future__ import annotations

from ...errors import InputError
from ...inputs.arguments import read_cases
from ...inputs.delimited import id_in_cell
from ..command import Command, CommandArgument, Given, GivenCase
from .transcript import read_dialogues

_DESCRIPTION = """\
Judge conversations between SYSTEM (the assistant) and USER (the customer): an Evaluator scores six criteria, a Critic
challenges the scores with quotes, and a Referee, which is code, settles them and writes an audit.
FILE is a transcript (SPEAKER <tab> utterance, blank lines between dialogues), "User: …" text, JSON or JSONL with
role and content, or CSV; - is standard input. One dialogue gives one result; several give one line of JSON each.
"""


def _read(given: Given) -> list[GivenCase]:
    own = given.options["id"]
    raw, place = read_cases(given.options["file"], "a dialogue is needed")
    # An empty id is passed on and refused like any other invalid id.
    cases = read_dialogues(raw, place, first_id=id_in_cell(own) if own else own)
    if own is not None and len(cases) > 1:
        raise InputError("--id", f"{place} has {len(cases)} dialogues", "an id is allowed only for a file with one")
    return [GivenCase(case, f"dialogue {case.dialogue_id}", {"dialogue_id": case.dialogue_id}) for case in cases]


COMMAND = Command(
    description=_DESCRIPTION,
    arguments=(
        CommandArgument("file FILE", "a file with one or many dialogues, or - for standard input", needed=True),
        CommandArgument("--id ID", "the dialogue's id, if the file has only one and gives it no id"),
    ),
    read=_read,
    examples=("adjudge run dialogue transcripts/ --run talks",),
    without_id="json",
)
