"""Labels from everywhere: people's own files, files of other tools in both forms, columns of the run's input."""

import csv
import json
import re
import tracemalloc
from decimal import Decimal

import duckdb
import pytest
from agreement.conftest import said
from results.building import Given, write_run
from results.samples import comparisons, dialogues, reviews

from adjudge.agreement.labels.sources import load_labels
from adjudge.errors import InputError
from adjudge.protocols.review.case import Original
from adjudge.protocols.rubrics import parse, shipped
from adjudge.results.run import open_run


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


def by(annotator, labels, **more):
    """A row a label."""
    return [{"id": case, "annotator": annotator, "label": label, **more} for case, label in labels.items()]


LONG = [*by("ann", {"egg-0": "A"}), *by("ben", {"egg-0": "model_b"}), *by("ann", {"egg-1": "tie"})]
WIDE = [{"case_id": "egg-0", "ann": "A", "ben": "model_b"}, {"case_id": "egg-1", "ann": "tie", "ben": None}]
MEANT = {"egg-0": {"ann": "A", "ben": "B"}, "egg-1": {"ann": "tie"}}
STRETCHED = ("ratings from 1 to 5 were stretched to the rubric's scale from 20 to 100",)


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv", "tsv", "parquet"])
def test_both_forms_a_row_a_label_and_a_column_a_person_are_read_in_every_format(runs, tmp_path, suffix):
    for rows in (LONG, WIDE):
        labels = load_labels(open_run(runs["compare"]), write(tmp_path / f"gold.{suffix}", rows))
        assert (said(labels), labels.annotators, labels.at_random) == (MEANT, ("ann", "ben"), None)


READ = {
    "the same label twice is one": ("compare", "csv", [*LONG, LONG[0]], MEANT),
    "a column of labels is one person": (
        *("compare", "csv"),
        [{"id": "egg-0", "human_label": "tie", "comment": "easy"}, {"id": "egg-1", "human_label": "1"}],
        {"egg-0": {"human_label": "tie"}, "egg-1": {"human_label": "A"}},
    ),
    "several people in a cell": (
        *("compare", "jsonl"),
        [{"id": "egg-0", "label": ["A", None, "B"]}, {"id": "egg-1", "label": {"ann": "A", "ben": "tie"}}],
        {"egg-0": {"label 1": "A", "label 3": "B"}, "egg-1": {"ann": "A", "ben": "tie"}},
    ),
    "an empty list is a gap": (
        *("compare", "csv", [{"id": "egg-0", "label": "[]"}, {"id": "egg-1", "label": '["A"]'}]),
        {"egg-1": {"label 1": "A"}},
    ),
    "a person called 0": (
        *("compare", "jsonl", [*by(0, {"egg-0": "A"}), *by(1, {"egg-0": "A"})]),
        {"egg-0": {"0": "A", "1": "A"}},
    ),
    "a system named as the winner": (
        *("compare", "csv", by("ann", {"egg-0": "crow", "egg-1": "crow"})),
        {"egg-0": {"ann": "B"}, "egg-1": {"ann": "A"}},
    ),
    "ratings on the rubric's scale": (
        *("dialogue", "jsonl", by("ann", {"1": 80, "2": "33.5"})),
        {"1": {"ann": 80}, "2": {"ann": Decimal("33.5")}},
    ),
    "ratings from 1 to 5": (
        *("dialogue", "jsonl", by("ann", {"1": 5, "2": 1.5}), {"1": {"ann": 100}, "2": {"ann": 30}}, STRETCHED),
    ),
    "preferences from 1 to 7": (
        *("review", "csv", [{"id": "walk", "ann": "2 (better)", "ben": 7}, {"id": "odd", "ann": 4}]),
        {"walk": {"ann": 2, "ben": 7}, "odd": {"ann": 4}},
    ),
    "names usual for dialogues": (
        *("dialogue", "jsonl", [{"dialogue_id": "1", "annotator": "ann", "overall_rating": 80}]),
        {"1": {"ann": 80}},
    ),
    "other names usual for dialogues": (
        *("dialogue", "jsonl", [{"Conversation ID": "1", "annotator": "ann", "overall_ratings": 80}]),
        {"1": {"ann": 80}},
    ),
    "names usual for reviews": (
        *("review", "jsonl", [{"review_id": "walk", "annotator": "ann", "likert": 2}]),
        {"walk": {"ann": 2}},
    ),
}


def test_labels_are_read_from_files_of_every_usual_form(runs, tmp_path):
    for name in READ:
        protocol, suffix, rows, meant, *notes = READ[name]
        labels = load_labels(open_run(runs[protocol]), write(tmp_path / f"g.{suffix}", rows))
        assert (said(labels), [labels.notes]) == (meant, notes or [()])
        if name.endswith(("for dialogues", "for reviews")):
            with pytest.raises(InputError, match="no column with the ids of cases"):
                load_labels(open_run(runs["compare"]), write(tmp_path / f"g.{suffix}", rows))


def test_only_the_people_who_are_named_count(runs, tmp_path):
    run, path = open_run(runs["compare"]), write(tmp_path / "g.csv", LONG)
    assert said(load_labels(run, path, ["ben"])) == {"egg-0": {"ben": "B"}}
    with pytest.raises(InputError, match=r"g.csv: no labels by eve; one of ann, ben"):
        load_labels(run, path, ["eve"])


WRONG = {
    "compare": [
        ([*LONG, *by("ann", {"egg-9": "A"})], r"line 5, id: no case of this run has the id 'egg-9'"),
        (by("ann", {"": "A"}), r"line 2, id: no case of this run has the id ''"),
        ([*LONG, *by("ann", {"egg-0": "B"})], r"line 5, label: ann gives B to 'egg-0', but A in .*line 2, label; one"),
        (by("ann", {"egg-0": "maybe"}), r"line 2, label: 'maybe' is not a winner; A, B or tie"),
        (by("ann", {"egg-0": "0"}), r"line 2, label: '0' means a tie in some tools and B in others"),
        (by("", {"egg-0": "A"}), r"line 2, annotator: empty; name the person who gave this label"),
        ([{"id": "egg-0", "ann": "A", "ben": "x"}], r"line 2, ben: 'x' is not a winner"),
        ([{"name": "egg-0", "label": "A"}], r"no column with the ids of cases; columns found: name, label"),
        ([{"id": "egg-0", "annotator": "ann", "said": "A"}], r"no column with labels: said; one column called label"),
        ([LONG[0] | {"winner": "B"}], r"several columns with labels: label, winner"),
        ([{"id": "egg-0"}], r"no column with labels; columns found: id"),
        (by("ann", {"egg-0": ""}), r"no labels found; at least one is needed"),
        (by("a", {"egg-0": "A"}, criterion="Empathy"), r"criterion 'Empathy'; a comparison's label is a winner"),
    ],
    "copies": [(LONG, r"2 cases of this run have the id 'egg-0'; an id must name one case")],
    "dialogue": [
        (by("ann", {"1": 5, "2": 60}), r"line 2, label: '5' is not on the scale; a number from 20 to 100, or all"),
        (by("ann", {"1": "good"}), r"'good' is not on the scale; a number from 20 to 100"),
        (by("ann", {"1": 80}, criterion="Charm"), r"unknown criterion 'Charm'; one of TaskSuccess, "),
    ],
    "review": [
        ([{"id": "walk", "ann": 8, "ben": 1}], r"line 2, ann: '8' is not on the scale; a whole number from 1 to 7: 1"),
    ],
}


@pytest.mark.parametrize("protocol", WRONG)
def test_what_is_wrong_is_named_with_its_place_and_what_is_allowed(runs, tmp_path, protocol):
    copies = [*comparisons()[:1] * 2, comparisons()[1]]
    run = open_run(write_run(tmp_path / "run", copies) if protocol == "copies" else runs[protocol])
    for rows, says in WRONG[protocol]:
        with pytest.raises(InputError, match=says):
            load_labels(run, write(tmp_path / "gold.csv", rows))


def test_a_source_that_is_neither_file_nor_column_says_which_columns_there_are(runs, tmp_path):
    (tmp_path / "g.txt").write_text("egg-0 A\n")
    for source, says in {
        "humann": "humann: neither a file nor a column of this run's input; a file, or one of label",
        str(tmp_path / "g.txt"): "plain text has no columns; JSONL, JSON, CSV, TSV or Parquet is needed",
    }.items():
        with pytest.raises(InputError, match=re.escape(says)):
            load_labels(open_run(runs["compare"]), source)


def test_a_column_of_criteria_says_what_was_rated(runs, tmp_path):
    rated = {"overall": 80, "Empathy": 20, "Fluency": None}
    rows = [row for key, value in rated.items() for row in by("ann", {"1": value}, criterion=key)]
    (label,) = load_labels(open_run(runs["dialogue"]), write(tmp_path / "g.jsonl", rows)).by_case[0].values()
    assert (label.value, label.criteria) == (80, {"Empathy": 20})
    rated = [{"id": "walk", "rater": "ann", "dimension": "verbosity_b", "score": -2}]
    labels = load_labels(open_run(runs["review"]), write(tmp_path / "g.csv", rated))
    assert labels.by_case[0]["ann"].criteria == {"verbosity_b": -2}


# -- columns of the run's input ---------------------------------------------------------------------------------------


def test_the_inputs_label_column_is_read_when_nobody_labelled_the_run(runs):
    run = open_run(runs["compare"])
    labels = said(load_labels(run))
    assert labels["egg-0"] == {"label": "A"} and "egg-5" not in labels
    assert said(load_labels(run, "label")) == labels


def test_columns_that_the_input_brought_along_are_people(tmp_path):
    votes, expert = ('["A","B","A"]', '["[[B]]",null,"tie"]', ""), ("left", None, "wren")
    rows = [
        Given(row.name, row.case, row.label, row.systems, {"votes": said_by, "expert": one})
        for row, said_by, one in zip(comparisons()[:3], votes, expert, strict=True)
    ]
    run = open_run(write_run(tmp_path / "run", rows))
    assert said(load_labels(run, "votes")) == {
        "egg-0": {"votes 1": "A", "votes 2": "B", "votes 3": "A"},
        "egg-1": {"votes 1": "B", "votes 3": "tie"},
    }
    assert said(load_labels(run, "label, expert")) == {
        "egg-0": {"label": "A", "expert": "A"},
        "egg-1": {"label": "B"},
        "egg-2": {"label": "B", "expert": "B"},
    }


def test_several_peoples_ratings_of_a_dialogue_stay_several_and_are_from_1_to_5_whatever_the_rubrics_scale(tmp_path):
    case = dialogues()[0].case
    rows = [
        Given("1", case.updated(overall_ratings=(4, 5, 4)), "4.33"),
        Given("2", dialogues()[1].case.updated(overall_ratings=(2, 1)), "1.5"),
    ]
    assert said(load_labels(open_run(write_run(tmp_path / "rated", rows)))) == {
        "1": {"label 1": 80, "label 2": 100, "label 3": 80},
        "2": {"label 1": 40, "label 2": 20},
    }
    source = shipped("dialogue").source.replace("{min: 20, max: 100, step: 20}", "{min: 1, max: 9, step: 2}")
    rows = [Given("1", case.updated(overall_ratings=(2, 5)), "3.5")]
    run = open_run(write_run(tmp_path / "run", rows, rubric=parse(source, "nine.yaml")))
    assert said(load_labels(run)) == {"1": {"label 1": 3, "label 2": 9}}
    on_the_scale = write(tmp_path / "g.csv", [{"id": "1", "ann": 2, "ben": 5}])
    assert said(load_labels(run, on_the_scale)) == {"1": {"ann": 2, "ben": 5}}


def test_a_reviews_own_labels_are_the_preferences_entered_and_those_off_the_scale_are_counted(tmp_path):
    case, words = reviews()[0].case, ("6", "11", "2 (better)", "")
    rows = [Given(f"r{n}", case.updated(prompt=it, preference=Original(it))) for n, it in enumerate(words)]
    labels = load_labels(open_run(write_run(tmp_path / "run", rows)))
    assert said(labels) == {"r0": {"label": 6}, "r2": {"label": 2}}
    assert labels.notes == ("entered preferences that are not on the scale are left out: 1",)


def test_a_run_without_any_label_says_how_to_get_some(tmp_path):
    run = open_run(write_run(tmp_path / "run", [Given("x", comparisons()[0].case)]))
    with pytest.raises(InputError, match=r"no labels, and no label column in its input; label some: adjudge label"):
        load_labels(run)


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
    assert said(load_labels(open_run(run), str(people))) == {"case-7": {"ann": "B"}}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (run / "cases.jsonl").stat().st_size / 5
