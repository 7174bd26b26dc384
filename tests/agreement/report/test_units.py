"""Which cases belong together: those of one task, or with the same cell of a column called group."""

from dataclasses import replace

import pytest
from agreement.report.judged import compared
from results.building import Given, write_run
from results.samples import dialogues, reviews

from adjudge import agree
from adjudge.agreement.benchmark import LabelledSet, measure_set
from adjudge.agreement.labels.sources import load_labels
from adjudge.agreement.report.joining import join_labels
from adjudge.agreement.report.remedies import calibrate_run
from adjudge.errors import InputError
from adjudge.protocols.compare.probes import probe_rows, rows_of_run
from adjudge.results.run import open_run


def units(folder, group=None):
    """The ids of the cases that belong together."""
    run, found = open_run(folder), {}
    for row in join_labels(run, load_labels(run, "human"), group=group).rows.values():
        found.setdefault(row.unit, []).append(row.case)
    return sorted(found.values())


def pair(name, task, context="", answer="Yes.", **extra):
    given = compared(1, "A", "A")
    return replace(given, name=name, case=given.case.updated(task=task, context=context, a=answer), extra=extra)


PAIRS = [
    pair("one", "Why?", human="A", group="x", topic="p"),
    pair("two", "Why?", answer="No.", human="B", group="y", topic="p"),
    pair("three", "Why?", context="At home.", human="A", group="y", topic=""),
    pair("four", "How?", human="A", group=" ", topic="q"),
    pair("five", "How?", human="A", topic="q"),
    pair("six", "How?", human="A", group="x"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("units")
    return write_run(made / "run", [*PAIRS[:5], replace(PAIRS[5], fate="unfinished")])


@pytest.mark.parametrize(
    ("group", "together"),
    [
        # The column called group is used; where it is empty, the task is.
        (None, [["five", "four"], ["one", "six"], ["three", "two"]]),
        ("", [["five", "four", "six"], ["one", "two"], ["three"]]),
        ("topic", [["five", "four"], ["one", "two"], ["six"], ["three"]]),
    ],
)
def test_comparisons_of_one_task_or_group_belong_together(folder, group, together):
    assert sorted(map(sorted, units(folder, group))) == together


def test_reviews_of_one_prompt_with_one_conversation_belong_together(tmp_path):
    case = reviews()[0].case
    rows = [
        ("one", case),
        ("swapped", case.updated(a=case.b, b=case.a, task_config="locale: de-DE")),
        ("other prompt", case.updated(prompt="Name two reasons to walk.")),
        ("other history", case.updated(history="User: Hello!\nAssistant: Hello.")),
        ("other system", case.updated(system_prompt="Be brief.")),
    ]
    run = write_run(tmp_path / "run", [Given(name, given, extra={"human": "5"}) for name, given in rows])
    assert units(run) == [["one", "swapped"], ["other history"], ["other prompt"], ["other system"]]


def test_a_dialogue_is_a_unit_of_its_own_unless_a_group_is_given(tmp_path):
    extras = [{"human": "60", "channel": it} for it in ("phone", "chat", "phone", "phone")]
    rows = [replace(row, extra=extra, fate="verdict") for row, extra in zip(dialogues(), extras, strict=True)]
    run = write_run(tmp_path / "run", rows)
    assert units(run) == [["1", "4"], ["2"], ["3"]]  # 4 is a copy of 1
    assert units(run, "channel") == [["1", "3", "4"], ["2"]]


def test_a_column_that_is_not_there_is_an_error_and_not_a_task(folder):
    known = "one of group, human, topic"
    with pytest.raises(InputError, match=rf"--group: run: no column 'topics'; did you mean topic\? {known}"):
        agree(folder, "human", group="topics")
    run = open_run(folder)
    with pytest.raises(InputError, match="--group"):
        calibrate_run(run, load_labels(run, "human"), group="topics")


def test_a_set_of_a_benchmark_is_drawn_by_group(tmp_path):
    # Every task once, so that without groups all cases are independent.
    def row(number):
        extra = {"batch": number // 10}
        return replace(compared(number, "A" if number % 20 < 10 else "B", "A"), extra=extra)

    run = open_run(write_run(tmp_path / "run", map(row, range(120))))
    labelled = LabelledSet("set", tmp_path / "set.jsonl", "compare")
    by_task, by_group, without = (
        measure_set(labelled, {"embedded": run}, "votes", group).judges[0].agreement
        for group in (None, "batch", "absent")
    )
    assert by_task.value == by_group.value == without.value == 0.5
    widths = [figure.interval[1] - figure.interval[0] for figure in (by_task, by_group, without)]
    assert widths[1] > 2 * widths[0] and widths[2] == widths[0]


def test_the_cases_of_a_probe_keep_their_group(folder):
    rows = list(rows_of_run(open_run(folder)))
    assert [row.extra.get("group") for row in probe_rows(rows, "original", 0)] == ["x", "y", "y", " ", None, "x"]
    assert [row.extra.get("group") for row in probe_rows(rows, "original", 0, "topic")][:3] == ["p", "p", ""]
    assert not any("group" in row.extra for row in probe_rows(rows, "original", 0, ""))
