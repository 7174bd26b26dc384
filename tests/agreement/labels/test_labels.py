"""A label's shape, what a person is shown, and the file that keeps each label before the next case is seen."""

import json
import shutil
from decimal import Decimal

import pytest
from agreement.conftest import said
from results.building import Given, write_run
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
from adjudge.agreement.labels.sampling import Selection, candidates, grow, select_cases
from adjudge.agreement.labels.sources import load_labels
from adjudge.errors import ConflictError, InputError
from adjudge.models.base import from_json, to_json
from adjudge.results.run import Reader, open_run


@pytest.fixture
def run(copied):
    return copied("compare")


def label(position=0, value="A", **more):
    return HumanLabel(case=f"egg-{position}", position=position, annotator="ann", value=value, **more)


def test_a_label_is_the_same_after_it_was_written_and_read():
    for each in (label(), label(value=None, skipped=True), label(value="tie", flagged=True, note="hm\n\u202e")):
        assert from_json(HumanLabel, to_json(each)) == each
    scored = label(value=Decimal("62.5"), criteria={"Empathy": Decimal(20), "Fluency": None})
    assert from_json(HumanLabel, to_json(scored)) == scored
    assert json.loads(to_json(scored))["value"] == 62.5


def test_what_was_said_of_a_swapped_screen_is_turned_back(runs):
    def values(protocol, order):
        return list(questions(open_run(runs[protocol]), order, criteria=False)[0].answers.values())

    assert values("compare", "ab") == ["A", "B", "tie"] and values("compare", "ba") == ["B", "A", "tie"]
    assert values("review", "ab") == values("review", "ba")[::-1] == list(range(1, 8))
    assert values("dialogue", "ab") == values("dialogue", "ba") == [20, 40, 60, 80, 100] * 2


def test_a_person_sees_the_texts_of_a_case_and_nothing_that_people_or_judges_said_of_it():
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


def test_scales_are_those_of_the_protocol(runs):
    made = {protocol: open_run(folder) for protocol, folder in runs.items()}
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


@pytest.mark.parametrize("left", [b'{"case":"egg-1","posi', b"{", b'{"case":"egg-1"}', b"\xff", None])
def test_a_line_that_a_kill_cut_off_is_left_out_and_said_and_the_next_one_begins_anew(run, left):
    """But a last line whose end an editor took away still counts."""
    with LabelFile(run, "ann") as file:
        file.add(label(0))
    written = file.path.read_bytes()
    file.path.write_bytes(written.rstrip() if left is None else written + left)
    with LabelFile(run, "ann") as file:
        assert (file.torn, file.labels) == (left is not None, {0: label(0)})
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


def test_names_in_any_script_are_fine_the_users_own_is_the_default_and_what_cannot_be_a_file_is_refused(monkeypatch):
    for name in ("", ".hidden", "../up", "a/b", "a b", "x" * 65, "\x1b[31m", "-n"):
        with pytest.raises(InputError, match=r"--annotator: .* cannot be the name of a file"):
            annotator_name(name)
    assert annotator_name("Jo\u0308rg") == "Jörg"
    monkeypatch.setenv("LOGNAME", "ann.smith-2")
    assert annotator_name(None) == "ann.smith-2"


# -- what `adjudge label` wrote ---------------------------------------------------------------------------------------


def labelled(run, who, values, stratum=None):
    """Labels as the command keeps them."""
    with LabelFile(run, who) as file, Reader(run) as reader:
        for position, value in values:
            about = {"case": reader.case(position)["case"], "position": position, "annotator": who}
            about["stratum"] = stratum or ("random" if position == 0 else "disagreement")
            texts = shown_case(reader.given(position)).digest
            file.add(HumanLabel(**about, value=value, skipped=value is None, texts=texts))


def test_what_people_gave_comes_before_the_column_and_the_last_label_of_a_case_counts(run):
    labelled(run, "ann", [(0, "A"), (1, "B"), (2, None), (0, "tie")])
    labelled(run, "ben", [(0, "B")])
    labels = load_labels(run)
    assert said(labels) == {"egg-0": {"ann": "tie", "ben": "B"}, "egg-1": {"ann": "B"}}
    assert labels.annotators == ("ann", "ben") and labels.at_random == {0}


def test_labels_that_do_not_say_how_their_cases_were_chosen_all_count(run):
    with LabelFile(run, "ann") as file:
        file.add(HumanLabel(case="egg-0", position=0, annotator="ann", value="A"))
    assert load_labels(run).at_random is None


def test_a_case_that_came_up_in_the_random_order_later_belongs_to_the_sample(run):
    cases = candidates(run)
    for seed in range(50):
        small = grow(Selection(seed=seed), cases, 2)
        (doubtful,) = (pick.position for pick in small.picks if pick.stratum == "disagreement")
        grown = grow(small, cases, 6)
        if any(pick.position == doubtful and pick.stratum == "random" for pick in grown.picks):
            break
    select_cases(run, 2, seed=seed, random_share=None)
    labelled(run, "ann", [(doubtful, "A")], stratum="disagreement")
    assert load_labels(run).at_random == frozenset()
    select_cases(run, 6, seed=None, random_share=None)
    assert load_labels(run).at_random == {doubtful}


def test_labels_hold_for_another_run_over_the_same_cases_and_for_no_other_texts(run, runs, tmp_path):
    labelled(run, "ann", [(0, "A"), (1, "B")])
    other = open_run(write_run(tmp_path / "other", list(reversed(comparisons()))))
    for source in (run.folder / "labels", run.folder / "labels" / "ann.jsonl"):
        labels = load_labels(other, str(source))
        assert said(labels) == {"egg-0": {"ann": "A"}, "egg-1": {"ann": "B"}}
        assert labels.at_random == {next(p for p, by in labels.by_case.items() if by["ann"].case == "egg-0")}
    changed = [Given("egg-0", comparisons()[0].case.updated(a="Something else.")), comparisons()[1]]
    for folder, says in {
        write_run(tmp_path / "edited", changed): r"label 1: the case 'egg-0' has different texts in this run",
        runs["dialogue"]: r"label 1: no case of this run has the id 'egg-0'",
    }.items():
        with pytest.raises(InputError, match=rf"ann.jsonl, {says}"):
            load_labels(open_run(folder), str(run.folder / "labels"))


def test_a_torn_last_line_is_left_out_and_said(run):
    labelled(run, "ann", [(0, "A")])
    path = run.folder / "labels" / "ann.jsonl"
    path.write_bytes(path.read_bytes() + b'{"case":')
    labels = load_labels(run)
    assert said(labels) == said(load_labels(run, str(path))) == {"egg-0": {"ann": "A"}}
    assert labels.notes == ("ann.jsonl: its last line was cut off and is left out",)
    with pytest.raises(InputError, match=r"no labels found; give NAME\.jsonl files"):
        load_labels(run, str(run.folder.parent))


def test_a_label_that_no_question_of_the_run_could_have_given_is_refused(runs, tmp_path):
    for protocol, said_of_it, says in (
        ("compare", {"value": Decimal(4)}, r"ann.jsonl, label 1: '4' is not a winner; A, B or tie"),
        ("dialogue", {"value": "A"}, r"ann.jsonl, label 1: 'A' is not on the scale; a number from 20 to 100"),
        ("review", {"value": Decimal(9)}, r"ann.jsonl, label 1: '9' is not on the scale; a whole"),
        ("review", {"criteria": {"charm_a": Decimal(2)}}, r"label 1: unknown criterion 'charm_a'; one of local"),
        ("dialogue", {"criteria": {"Empathy": Decimal(3)}}, r"label 1: '3' is not on the scale; a number from 20"),
    ):
        run = open_run(runs[protocol])
        with Reader(run) as reader:
            label = HumanLabel(case=reader.case(0)["case"], position=0, annotator="ann", **said_of_it)
        (tmp_path / "ann.jsonl").write_bytes(to_json(label))
        with pytest.raises(InputError, match=says):
            load_labels(run, str(tmp_path / "ann.jsonl"))


def test_two_files_of_one_person_may_not_contradict_each_other(run):
    labelled(run, "ann", [(0, "A"), (1, "B")])
    kept = run.folder / "labels" / "ann.jsonl"
    shutil.copy(kept, kept.with_name("copy.jsonl"))
    assert said(load_labels(run)) == {"egg-0": {"ann": "A"}, "egg-1": {"ann": "B"}}
    labelled(run, "ann", [(0, "tie")])
    says = r"copy.jsonl, label 1: ann gives A to 'egg-0', but tie in .*ann.jsonl, label 3; one label"
    with pytest.raises(InputError, match=says):
        load_labels(run)
