"""Labels from everywhere: people's own files, files of other tools in both forms, columns of the run's input."""

import csv
import json
import shutil
import tracemalloc
from decimal import Decimal

import duckdb
import pytest
from results.building import Given, write_run
from results.samples import comparisons, dialogues, reviews

from adjudge.agreement.labels.files import HumanLabel, LabelFile, shown_case
from adjudge.agreement.labels.sampling import Selection, candidates, grow, select_cases
from adjudge.agreement.labels.sources import load_labels
from adjudge.errors import InputError
from adjudge.models.base import to_json
from adjudge.protocols.review.case import Original
from adjudge.protocols.rubrics import parse, shipped
from adjudge.results.run import Reader, open_run


def ratings(labels, annotator, positions, criterion=None):
    """What one person said of these cases, of the whole or of one criterion; None for a gap."""
    found = [labels.by_case.get(position, {}).get(annotator) for position in positions]
    values = [each and (each.value if criterion is None else each.criteria.get(criterion)) for each in found]
    return [float(value) if isinstance(value, Decimal) else value for value in values]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    voted = [
        Given(row.name, row.case, row.label, row.systems, {"votes": votes, "expert": expert})
        for row, votes, expert in zip(
            comparisons()[:3], ('["A","B","A"]', '["[[B]]",null,"tie"]', ""), ("left", None, "wren"), strict=True
        )
    ]
    talks = dialogues()[:2]
    rated = [
        Given("1", talks[0].case.updated(overall_ratings=(4, 5, 4)), "4.33"),
        Given("2", talks[1].case.updated(overall_ratings=(2, 1)), "1.5"),
    ]
    return {
        "compare": open_run(write_run(folder / "compare", comparisons())),
        "voted": open_run(write_run(folder / "voted", voted)),
        "dialogue": open_run(write_run(folder / "dialogue", dialogues())),
        "rated": open_run(write_run(folder / "rated", rated)),
        "review": open_run(write_run(folder / "review", reviews())),
        "copies": open_run(write_run(folder / "copies", [*comparisons()[:1] * 2, comparisons()[1]])),
    }


@pytest.fixture
def run(made):
    return made["compare"]


def said(labels):
    """All labels as plain data: {case: {annotator: value}}."""
    return {
        next(iter(by.values())).case: {annotator: label.value for annotator, label in by.items()}
        for by in labels.by_case.values()
    }


def write(path, rows):
    """Rows in the format of the suffix."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows))
    elif path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, columns, delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows({name: row.get(name) for name in columns} for row in rows)
    else:
        table = path.with_suffix(".jsonl")
        write(table, rows)
        duckdb.sql(f"copy (from read_json('{table}')) to '{path}'")
    return str(path)


LONG = [
    {"id": "egg-0", "annotator": "ann", "label": "A"},
    {"id": "egg-0", "annotator": "ben", "label": "model_b"},
    {"id": "egg-1", "annotator": "ann", "label": "tie"},
]
WIDE = [{"case_id": "egg-0", "ann": "A", "ben": "model_b"}, {"case_id": "egg-1", "ann": "tie", "ben": None}]
MEANT = {"egg-0": {"ann": "A", "ben": "B"}, "egg-1": {"ann": "tie"}}


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv", "tsv", "parquet"])
@pytest.mark.parametrize("rows", [LONG, WIDE], ids=["a row a label", "a column a person"])
def test_both_forms_are_read_in_every_format(run, tmp_path, rows, suffix):
    labels = load_labels(run, write(tmp_path / f"gold.{suffix}", rows))
    assert said(labels) == MEANT and labels.annotators == ("ann", "ben")
    assert labels.at_random is None
    assert ratings(labels, "ben", [0, 1, 5]) == ["B", None, None]


def test_a_file_with_one_column_of_labels_is_one_person(run, tmp_path):
    rows = [{"id": "egg-0", "human_label": "tie", "comment": "easy"}, {"id": "egg-1", "human_label": "1"}]
    assert said(load_labels(run, write(tmp_path / "g.csv", rows))) == {
        "egg-0": {"human_label": "tie"},
        "egg-1": {"human_label": "A"},
    }


def test_several_peoples_labels_may_stand_in_one_cell_as_a_list_or_under_their_names(run, tmp_path):
    rows = [{"id": "egg-0", "label": ["A", None, "B"]}, {"id": "egg-1", "label": {"ann": "A", "ben": "tie"}}]
    labels = said(load_labels(run, write(tmp_path / "g.jsonl", rows)))
    assert labels == {"egg-0": {"label 1": "A", "label 3": "B"}, "egg-1": {"ann": "A", "ben": "tie"}}


def test_an_empty_list_in_a_cell_is_a_gap_and_a_person_may_be_called_0(run, tmp_path):
    rows = [{"id": "egg-0", "label": "[]"}, {"id": "egg-1", "label": '["A"]'}]
    assert said(load_labels(run, write(tmp_path / "g.csv", rows))) == {"egg-1": {"label 1": "A"}}
    rows = [{"id": "egg-0", "annotator": number, "label": "A"} for number in (0, 1)]
    assert said(load_labels(run, write(tmp_path / "g.jsonl", rows))) == {"egg-0": {"0": "A", "1": "A"}}


def test_a_system_may_be_named_as_the_winner(run, tmp_path):
    rows = [{"id": "egg-0", "annotator": "ann", "label": "crow"}, {"id": "egg-1", "annotator": "ann", "label": "crow"}]
    assert said(load_labels(run, write(tmp_path / "g.csv", rows))) == {"egg-0": {"ann": "B"}, "egg-1": {"ann": "A"}}


def test_only_the_people_who_are_named_count(run, tmp_path):
    path = write(tmp_path / "g.csv", LONG)
    assert said(load_labels(run, path, ["ben"])) == {"egg-0": {"ben": "B"}}
    with pytest.raises(InputError, match=r"g.csv: no labels by eve; one of ann, ben"):
        load_labels(run, path, ["eve"])


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([*LONG, LONG[0] | {"id": "egg-9"}], r"line 5, id: no case of this run has the id 'egg-9'"),
        ([{"id": "", "annotator": "ann", "label": "A"}], r"line 2, id: no case of this run has the id ''"),
        ([*LONG, LONG[0] | {"label": "B"}], r"line 5, label: ann gives B to 'egg-0', but A in .*line 2, label; one"),
        ([LONG[0] | {"label": "maybe"}], r"line 2, label: 'maybe' is not a winner; A, B or tie"),
        ([LONG[0] | {"label": "0"}], r"line 2, label: '0' means a tie in some tools and B in others"),
        ([LONG[0] | {"annotator": ""}], r"line 2, annotator: empty; name the person who gave this label"),
        ([{"id": "egg-0", "ann": "A", "ben": "x"}], r"line 2, ben: 'x' is not a winner"),
        ([{"name": "egg-0", "label": "A"}], r"no column with the ids of cases; columns found: name, label"),
        ([{"id": "egg-0", "annotator": "ann", "said": "A"}], r"no column with labels: said; one column called label"),
        ([LONG[0] | {"winner": "B"}], r"several columns with labels: label, winner"),
        ([{"id": "egg-0"}], r"no column with labels; columns found: id"),
        ([{"id": "egg-0", "annotator": "ann", "label": ""}], r"no labels found; at least one is needed"),
        ([LONG[0] | {"criterion": "Empathy"}], r"unknown criterion 'Empathy'; a comparison's label is a winner"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place_and_what_is_allowed(run, tmp_path, rows, says):
    with pytest.raises(InputError, match=says):
        load_labels(run, write(tmp_path / "gold.csv", rows))


def test_the_same_label_twice_is_one(run, tmp_path):
    assert said(load_labels(run, write(tmp_path / "g.csv", [*LONG, LONG[0]]))) == MEANT


def test_an_id_that_two_cases_have_names_none(made, tmp_path):
    with pytest.raises(InputError, match=r"2 cases of this run have the id 'egg-0'; an id must name one case"):
        load_labels(made["copies"], write(tmp_path / "g.csv", LONG))


def test_a_source_that_is_neither_file_nor_column_says_which_columns_there_are(run, tmp_path):
    with pytest.raises(
        InputError, match=r"humann: neither a file nor a column of this run's input; a file, or one of label"
    ):
        load_labels(run, "humann")
    (tmp_path / "g.txt").write_text("egg-0 A\n")
    with pytest.raises(InputError, match=r"plain text has no columns; JSONL, JSON, CSV, TSV or Parquet is needed"):
        load_labels(run, str(tmp_path / "g.txt"))


# -- dialogues and reviews --------------------------------------------------------------------------------------------


def test_ratings_of_dialogues_are_on_the_rubrics_scale_or_all_from_1_to_5(made, tmp_path):
    run = made["dialogue"]
    rows = [{"id": "1", "annotator": "ann", "label": 80}, {"id": "2", "annotator": "ann", "label": "33.5"}]
    labels = load_labels(run, write(tmp_path / "g.jsonl", rows))
    assert said(labels) == {"1": {"ann": 80}, "2": {"ann": Decimal("33.5")}} and labels.notes == ()
    assert ratings(labels, "ann", [0, 1]) == [80.0, 33.5]
    rows = [{"id": "1", "annotator": "ann", "label": 5}, {"id": "2", "annotator": "ann", "label": 1.5}]
    labels = load_labels(run, write(tmp_path / "g.jsonl", rows))
    assert said(labels) == {"1": {"ann": 100}, "2": {"ann": 30}}
    assert labels.notes == ("ratings from 1 to 5 were stretched to the rubric's scale from 20 to 100",)
    rows = [{"id": "1", "annotator": "ann", "label": 5}, {"id": "2", "annotator": "ann", "label": 60}]
    with pytest.raises(
        InputError, match=r"line 1, label: 5 is not on the scale; a number from 20 to 100, or all of them"
    ):
        load_labels(run, write(tmp_path / "g.jsonl", rows))
    with pytest.raises(InputError, match=r"'good' is not on the scale; a number from 20 to 100"):
        load_labels(run, write(tmp_path / "g.jsonl", [{"id": "1", "annotator": "ann", "label": "good"}]))


def test_a_column_of_criteria_says_what_was_rated(made, tmp_path):
    rows = [
        {"id": "1", "annotator": "ann", "criterion": criterion, "label": value}
        for criterion, value in (("overall", 80), ("Empathy", 20), ("Fluency", None))
    ]
    labels = load_labels(made["dialogue"], write(tmp_path / "g.jsonl", rows))
    assert labels.by_case[0]["ann"].value == 80 and labels.by_case[0]["ann"].criteria == {"Empathy": 20}
    assert ratings(labels, "ann", [0, 1], "Empathy") == [20.0, None]
    with pytest.raises(InputError, match=r"unknown criterion 'Charm'; one of TaskSuccess, "):
        load_labels(made["dialogue"], write(tmp_path / "g.jsonl", [rows[0] | {"criterion": "Charm"}]))
    rated = [{"id": "walk", "rater": "ann", "dimension": "verbosity_b", "score": -2}]
    assert ratings(load_labels(made["review"], write(tmp_path / "g.csv", rated)), "ann", [0], "verbosity_b") == [-2.0]


def test_a_reviews_label_is_a_preference_from_1_to_7(made, tmp_path):
    rows = [{"id": "walk", "ann": "2 (better)", "ben": 7}, {"id": "odd", "ann": 4}]
    labels = load_labels(made["review"], write(tmp_path / "g.csv", rows))
    assert said(labels) == {"walk": {"ann": 2, "ben": 7}, "odd": {"ann": 4}}
    with pytest.raises(InputError, match=r"line 2, ann: '8' is not on the scale; a whole number from 1 to 7: 1 means"):
        load_labels(made["review"], write(tmp_path / "g.csv", [{"id": "walk", "ann": 8, "ben": 1}]))


@pytest.mark.parametrize(
    ("protocol", "case", "value", "ids", "labels"),
    [
        ("dialogue", "1", 80, "dialogue_id", "overall_rating"),
        ("dialogue", "1", 80, "Conversation ID", "overall_ratings"),
        ("review", "walk", 2, "review_id", "likert"),
    ],
)
def test_columns_may_have_the_names_that_are_usual_for_the_protocol(made, tmp_path, protocol, case, value, ids, labels):
    file = write(tmp_path / "g.jsonl", [{ids: case, "annotator": "ann", labels: value}])
    assert said(load_labels(made[protocol], file)) == {case: {"ann": value}}
    with pytest.raises(InputError, match="no column with the ids of cases"):
        load_labels(made["compare"], file)


# -- columns of the run's input ---------------------------------------------------------------------------------------


def test_the_inputs_label_column_is_read_when_nobody_labelled_the_run(run):
    labels = load_labels(run)
    assert said(labels)["egg-0"] == {"label": "A"} and "egg-5" not in said(labels)
    assert said(load_labels(run, "label")) == said(labels)


def test_columns_that_the_input_brought_along_are_people(made):
    assert said(load_labels(made["voted"], "votes")) == {
        "egg-0": {"votes 1": "A", "votes 2": "B", "votes 3": "A"},
        "egg-1": {"votes 1": "B", "votes 3": "tie"},
    }
    assert said(load_labels(made["voted"], "label, expert")) == {
        "egg-0": {"label": "A", "expert": "A"},
        "egg-1": {"label": "B"},
        "egg-2": {"label": "B", "expert": "B"},
    }


def test_several_peoples_ratings_of_a_dialogue_stay_several(made):
    labels = load_labels(made["rated"])
    assert said(labels) == {
        "1": {"label 1": 80, "label 2": 100, "label 3": 80},
        "2": {"label 1": 40, "label 2": 20},
    }


def test_the_inputs_ratings_of_dialogues_are_from_1_to_5_whatever_the_rubrics_scale(tmp_path):
    source = shipped("dialogue").source.replace("{min: 20, max: 100, step: 20}", "{min: 1, max: 9, step: 2}")
    case = dialogues()[0].case.updated(overall_ratings=(2, 5))
    run = open_run(write_run(tmp_path / "run", [Given("1", case, "3.5")], rubric=parse(source, "nine.yaml")))
    assert said(load_labels(run)) == {"1": {"label 1": 3, "label 2": 9}}
    on_the_scale = write(tmp_path / "g.csv", [{"id": "1", "ann": 2, "ben": 5}])
    assert said(load_labels(run, on_the_scale)) == {"1": {"ann": 2, "ben": 5}}


def test_a_reviews_own_labels_are_the_preferences_entered_and_those_off_the_scale_are_counted(tmp_path):
    case = reviews()[0].case
    rows = [Given(word, case.updated(prompt=word, preference=Original(word))) for word in ("6", "11", "2 (better)", "")]
    run = open_run(write_run(tmp_path / "run", [Given(f"r{n}", row.case) for n, row in enumerate(rows)]))
    labels = load_labels(run)
    assert said(labels) == {"r0": {"label": 6}, "r2": {"label": 2}}
    assert labels.notes == ("entered preferences that are not on the scale are left out: 1",)


def test_a_run_without_any_label_says_how_to_get_some(tmp_path):
    run = open_run(write_run(tmp_path / "run", [Given("x", comparisons()[0].case)]))
    with pytest.raises(InputError, match=r"no labels, and no label column in its input; label some: adjudge label"):
        load_labels(run)


# -- what `adjudge label` wrote ---------------------------------------------------------------------------------------


def labelled(run, who, values, stratum=None):
    """Labels as the command keeps them."""
    with LabelFile(run, who) as file, Reader(run) as reader:
        for position, value in values:
            case, texts = reader.case(position)["case"], shown_case(reader.given(position)).digest
            skipped = value is None
            file.add(
                HumanLabel(
                    case=case, position=position, annotator=who, value=value, skipped=skipped, texts=texts,
                    stratum=stratum or ("random" if position == 0 else "disagreement"),
                )
            )  # fmt: skip


@pytest.fixture
def own(run, tmp_path):
    return open_run(shutil.copytree(run.folder, tmp_path / "own"))


def test_what_people_gave_comes_before_the_column_and_the_last_label_of_a_case_counts(own):
    labelled(own, "ann", [(0, "A"), (1, "B"), (2, None), (0, "tie")])
    labelled(own, "ben", [(0, "B")])
    labels = load_labels(own)
    assert said(labels) == {"egg-0": {"ann": "tie", "ben": "B"}, "egg-1": {"ann": "B"}}
    assert labels.annotators == ("ann", "ben") and labels.at_random == {0}


def test_a_case_that_came_up_in_the_random_order_later_belongs_to_the_sample(own):
    cases = candidates(own)
    for seed in range(50):
        small = grow(Selection(seed=seed), cases, 2)
        (doubtful,) = (pick.position for pick in small.picks if pick.stratum == "disagreement")
        grown = grow(small, cases, 6)
        if any(pick.position == doubtful and pick.stratum == "random" for pick in grown.picks):
            break
    select_cases(own, 2, seed=seed, random_share=None)
    labelled(own, "ann", [(doubtful, "A")], stratum="disagreement")
    assert load_labels(own).at_random == frozenset()
    select_cases(own, 6, seed=None, random_share=None)
    assert load_labels(own).at_random == {doubtful}


def test_labels_hold_for_another_run_over_the_same_cases_and_for_no_other_texts(own, made, tmp_path):
    labelled(own, "ann", [(0, "A"), (1, "B")])
    other = open_run(write_run(tmp_path / "other", list(reversed(comparisons()))))
    for source in (own.folder / "labels", own.folder / "labels" / "ann.jsonl"):
        labels = load_labels(other, str(source))
        assert said(labels) == {"egg-0": {"ann": "A"}, "egg-1": {"ann": "B"}}
        assert labels.at_random == {next(p for p, by in labels.by_case.items() if by["ann"].case == "egg-0")}
    changed = [Given("egg-0", comparisons()[0].case.updated(a="Something else.")), comparisons()[1]]
    edited = open_run(write_run(tmp_path / "edited", changed))
    with pytest.raises(InputError, match=r"ann.jsonl, label 1: the case 'egg-0' has different texts in this run"):
        load_labels(edited, str(own.folder / "labels"))
    with pytest.raises(InputError, match=r"ann.jsonl, label 1: no case of this run has the id 'egg-0'"):
        load_labels(made["dialogue"], str(own.folder / "labels"))


def test_a_torn_last_line_is_left_out_and_said(own):
    labelled(own, "ann", [(0, "A")])
    path = own.folder / "labels" / "ann.jsonl"
    path.write_bytes(path.read_bytes() + b'{"case":')
    labels = load_labels(own)
    assert said(labels) == {"egg-0": {"ann": "A"}}
    assert labels.notes == ("ann.jsonl: its last line was cut off and is left out",)
    assert said(load_labels(own, str(path))) == said(labels)
    with pytest.raises(InputError, match=r"no labels found; give NAME\.jsonl files"):
        load_labels(own, str(own.folder.parent))


@pytest.mark.parametrize(
    ("protocol", "said_of_it", "says"),
    [
        ("compare", {"value": Decimal(4)}, r"ann.jsonl, label 1: '4' is not a winner; A, B or tie"),
        ("dialogue", {"value": "A"}, r"ann.jsonl, label 1: 'A' is not on the scale; a number from 20 to 100"),
        ("review", {"value": Decimal(9)}, r"ann.jsonl, label 1: '9' is not on the scale; a whole"),
        ("review", {"criteria": {"charm_a": Decimal(2)}}, r"label 1: unknown criterion 'charm_a'; one of local"),
        ("dialogue", {"criteria": {"Empathy": Decimal(3)}}, r"label 1: '3' is not on the scale; a number from 20"),
    ],
)  # fmt: skip
def test_a_label_that_no_question_of_the_run_could_have_given_is_refused(made, tmp_path, protocol, said_of_it, says):
    run = made[protocol]
    with Reader(run) as reader:
        label = HumanLabel(case=reader.case(0)["case"], position=0, annotator="ann", **said_of_it)
    (tmp_path / "ann.jsonl").write_bytes(to_json(label))
    with pytest.raises(InputError, match=says):
        load_labels(run, str(tmp_path / "ann.jsonl"))


def test_two_files_of_one_person_may_not_contradict_each_other(own):
    labelled(own, "ann", [(0, "A"), (1, "B")])
    kept = own.folder / "labels" / "ann.jsonl"
    shutil.copy(kept, kept.with_name("copy.jsonl"))
    assert said(load_labels(own)) == {"egg-0": {"ann": "A"}, "egg-1": {"ann": "B"}}
    labelled(own, "ann", [(0, "tie")])
    with pytest.raises(
        InputError, match=r"copy.jsonl, label 1: ann gives A to 'egg-0', but tie in .*ann.jsonl, label 3; one label"
    ):
        load_labels(own)


def test_labels_that_do_not_say_how_their_cases_were_chosen_all_count(own):
    label = HumanLabel(case="egg-0", position=0, annotator="ann", value="A")
    with LabelFile(own, "ann") as file:
        file.add(label)
    assert load_labels(own).at_random is None


def test_labels_are_read_without_holding_the_texts_of_a_large_run(tmp_path):
    run = write_run(tmp_path / "run", comparisons()[:1])
    line = json.loads((run / "cases.jsonl").read_text().splitlines()[0])
    with (run / "cases.jsonl").open("w") as file:
        for number in range(400):
            line |= {"position": number, "case": f"case-{number}", "label": "A" if number % 10 == 0 else None}
            line["input"]["a"] = f"{number} " * 10_000
            file.write(json.dumps(line) + "\n")
    (people := tmp_path / "people.csv").write_text("id,ann\ncase-7,B\n")
    tracemalloc.start()
    assert len(load_labels(open_run(run)).by_case) == 40
    assert ratings(load_labels(open_run(run), str(people)), "ann", [7]) == ["B"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (run / "cases.jsonl").stat().st_size / 5
