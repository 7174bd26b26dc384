"""A label's shape, what a person is shown, and the file that keeps each label before the next case is seen."""

import json
import shutil
from decimal import Decimal

import pytest
from results.building import write_run
from results.samples import comparisons, dialogues, reviews

from adjudge.agreement.labels.files import (
    HumanLabel,
    LabelFile,
    annotator_name,
    criterion_scales,
    overall_scale,
    read_label_file,
    shown_case,
)
from adjudge.agreement.labels.questions import questions
from adjudge.errors import ConflictError, InputError
from adjudge.models.base import from_json, to_json
from adjudge.results.run import open_run


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")
    return {
        "compare": open_run(write_run(folder / "compare", comparisons())),
        "dialogue": open_run(write_run(folder / "dialogue", dialogues())),
        "review": open_run(write_run(folder / "review", reviews())),
    }


@pytest.fixture
def run(made, tmp_path):
    return open_run(shutil.copytree(made["compare"].folder, tmp_path / "run"))


def label(position=0, value="A", **more):
    return HumanLabel(case=f"egg-{position}", position=position, annotator="ann", value=value, **more)


def test_a_label_is_the_same_after_it_was_written_and_read():
    for each in (label(), label(value=None, skipped=True), label(value="tie", flagged=True, note="hm\n\u202e")):
        assert from_json(HumanLabel, to_json(each)) == each
    scored = label(value=Decimal("62.5"), criteria={"Empathy": Decimal(20), "Fluency": None})
    assert from_json(HumanLabel, to_json(scored)) == scored
    assert json.loads(to_json(scored))["value"] == 62.5


def test_what_was_said_of_a_swapped_screen_is_turned_back(made):
    def values(protocol, order):
        return list(questions(made[protocol], order, criteria=False)[0].answers.values())

    assert values("compare", "ab") == ["A", "B", "tie"] and values("compare", "ba") == ["B", "A", "tie"]
    assert values("review", "ab") == values("review", "ba")[::-1] == list(range(1, 8))
    assert values("dialogue", "ab") == values("dialogue", "ba") == [20, 40, 60, 80, 100] * 2


def test_a_person_sees_the_texts_of_a_case_and_nothing_that_people_or_judges_said_of_it(made):
    case = reviews()[0].case
    shown = shown_case(case)
    assert shown.answers == (case.a, case.b)
    assert dict(shown.before)["Prompt"] == case.prompt
    entered = [original.justification for original in case.ratings_a.values()]
    assert entered and not any(words and words in str(shown) for words in entered)
    talk = dialogues()[0].case
    ((title, text),) = shown_case(talk).before
    assert title == "Conversation" and text.startswith("USER: ") and text.count("\n") == len(talk.turns) - 1
    assert shown_case(talk.updated(overall_ratings=(1, 2), dialogue_id="gpt-4")) == shown_case(talk)


def test_scales_are_those_of_the_protocol(made):
    assert overall_scale(made["compare"]) is None and criterion_scales(made["compare"]) == {}
    assert overall_scale(made["dialogue"]).values == (20, 40, 60, 80, 100)
    assert overall_scale(made["review"]).values == tuple(range(1, 8))
    assert criterion_scales(made["dialogue"])["Empathy"].high == 100
    assert criterion_scales(made["review"])["verbosity_b"].low == -2


# -- the file ---------------------------------------------------------------------------------------------------------


def test_a_label_is_in_the_file_when_it_was_added_and_a_change_is_another_line(run):
    with LabelFile(run, "ann") as file:
        file.add(label(0, "A"))
        assert [each.value for each in read_label_file(file.path)[0]] == ["A"]
        file.add(label(1, "tie"))
        file.add(label(0, "B"))
        assert file.labels == {0: label(0, "B"), 1: label(1, "tie")}
    assert file.path.stat().st_mode & 0o777 == 0o600
    assert len(file.path.read_bytes().splitlines()) == 3
    with LabelFile(run, "ann") as again:
        assert again.labels[0].value == "B" and not again.torn


@pytest.mark.parametrize("left", [b'{"case":"egg-1","posi', b"{", b'{"case":"egg-1"}', b"\xff"])
def test_a_line_that_a_kill_cut_off_is_left_out_and_said_and_the_next_one_begins_anew(run, left):
    with LabelFile(run, "ann") as file:
        file.add(label(0))
    with file.path.open("ab") as torn:
        torn.write(left)
    with LabelFile(run, "ann") as file:
        assert file.torn and file.labels == {0: label(0)}
        file.add(label(1))
    assert read_label_file(file.path) == ([label(0), label(1)], False)


def test_a_last_line_whose_end_an_editor_took_away_still_counts(run):
    with LabelFile(run, "ann") as file:
        file.add(label(0))
    file.path.write_bytes(file.path.read_bytes().rstrip())
    with LabelFile(run, "ann") as file:
        assert not file.torn and file.labels == {0: label(0)}
        file.add(label(1))
    assert read_label_file(file.path) == ([label(0), label(1)], False)


def test_a_line_in_the_middle_that_is_no_label_is_refused_with_its_number(run):
    with LabelFile(run, "ann") as file:
        file.add(label(0))
    file.path.write_bytes(file.path.read_bytes() + b"oops\n" + to_json(label(1)))
    with pytest.raises(InputError, match=r"ann.jsonl, line 2: not a label"), LabelFile(run, "ann"):
        pass


def test_two_people_label_at_once_and_one_person_only_once(run):
    with LabelFile(run, "ann") as ann, LabelFile(run, "ben") as ben:
        ann.add(label(0))
        ben.add(label(0, "B").updated(annotator="ben"))
        with pytest.raises(ConflictError, match="another process is labelling as ann"), LabelFile(run, "ann"):
            pass
    with LabelFile(run, "ann") as again:
        assert again.labels[0].value == "A"


def test_nothing_is_written_through_a_link(run, tmp_path):
    (run.folder / "labels").mkdir()
    (tmp_path / "precious").write_text("mine")
    (run.folder / "labels" / "ann.jsonl").symlink_to(tmp_path / "precious")
    with pytest.raises(InputError, match="cannot be written"), LabelFile(run, "ann"):
        pass
    assert (tmp_path / "precious").read_text() == "mine"


@pytest.mark.parametrize("name", ["", ".hidden", "../up", "a/b", "a b", "x" * 65, "\x1b[31m", "-n"])
def test_a_name_that_cannot_be_a_file_is_refused(name):
    with pytest.raises(InputError, match=r"--annotator: .* cannot be the name of a file"):
        annotator_name(name)


def test_names_in_any_script_are_fine_and_the_users_own_is_the_default(monkeypatch):
    assert annotator_name("Jo\u0308rg") == "Jörg"
    monkeypatch.setenv("LOGNAME", "ann.smith-2")
    assert annotator_name(None) == "ann.smith-2"
