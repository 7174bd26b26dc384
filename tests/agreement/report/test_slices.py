"""Agreement by slice: what is a slice, what is said of a bad one, and where its cases are."""

import random
from dataclasses import replace

import pytest
from agreement.report.judged import build_report, compared, shown
from results.building import write_run
from results.samples import dialogues

from adjudge import agree
from adjudge.cli.main import main
from adjudge.errors import InputError
from adjudge.results.run import open_run

TASKS = {
    "de": "Wie koche ich {} Eier, ohne dass sie platzen, und wie lange müssen sie im Wasser liegen?",
    "en": "How do I boil {} eggs without breaking them, and how long do they have to stay in the water?",
}


def labelled(number):
    """The judge is right in four of five cases, but wrong in every second one of topic tax."""
    topic, language = ("tax", "law", "food")[number % 3], "de" if number % 2 else "en"
    right = random.Random(number).random() < 0.8 if topic != "tax" else number % 4 < 2
    winner, loser = "ab" if right else "ba"
    key = "clarity_structure" if number % 5 else "task_understanding"
    given = compared(number, winner.upper(), "A", **{f"{key}_{winner}": 10, f"{key}_{loser}": 1})
    case = given.case.updated(task=TASKS[language].format(number))
    votes = '["A", "A", "B"]' if number % 10 == 0 else '["A", "A", "A"]'
    extra = {"topic": topic, "batch": number % 3, "other_judge": "AB"[number % 2], "votes": votes, "source": "x"}
    return replace(given, case=case, extra=extra)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rare = [replace(labelled(n), extra={"topic": "rare"}) for n in range(240, 245)]
    return write_run(tmp_path_factory.mktemp("slices") / "run", [*map(labelled, range(240)), *rare])


@pytest.fixture(scope="module")
def report(folder):
    return build_report(open_run(folder))


def test_slices_are_by_system_language_length_criterion_and_columns_of_words(report):
    found = {(it.by, it.name): it for it in report.slices.slices}
    assert {by for by, _ in found} == {"language", "length", "criterion", "topic"}  # one pair of systems: no slices
    assert {name for by, name in found if by == "language"} == {"German", "English"}
    assert {name for by, name in found if by == "topic"} == {"tax", "law", "food"}
    assert report.slices.too_small["topic"] == 1
    assert found["topic", "tax"].agreement.cases == 80


def test_the_worst_slice_comes_first_with_the_positions_of_its_cases(report, folder):
    worst = report.slices.slices[0]
    assert (worst.by, worst.name, worst.better) == ("topic", "tax", False)
    assert worst.adjusted < 0.01 and worst.p < worst.adjusted
    assert worst.differ == len(worst.differing) == 40
    assert all(position % 3 == 0 and position % 4 >= 2 for position in worst.differing)
    for page in shown(report, open_run(folder)):
        assert "Worst on topic tax: 50.0" in page
        assert "position in (" in page


def test_the_command_shows_the_cases_of_the_worst_slice(report, folder, capsys):
    text = shown(report, open_run(folder))[0]
    places = " ".join(text.split()).partition("position in (")[2].partition(")")[0]
    assert main(["show", str(folder), "--where", f"position in ({places})", "--format", "json"]) == 0
    assert '"tax"' in (said := capsys.readouterr().out) and '"law"' not in said


def test_a_judge_that_is_the_same_everywhere_is_said_to_be(tmp_path):
    rows = [compared(n, "A" if random.Random(n).random() < 0.7 else "B", "A") for n in range(80)]
    rows = [replace(row, extra={"topic": "ab"[n % 2]}) for n, row in enumerate(rows)]
    run = open_run(write_run(tmp_path / "run", rows))
    assert "No slice is worse than the rest beyond noise, of " in shown(build_report(run), run)[0]


def test_by_names_the_columns_even_of_numbers(folder):
    found = agree(folder, by=["batch"], draws=49).slices
    assert {it.by for it in found.slices} == {"language", "length", "criterion", "batch"}
    with pytest.raises(InputError, match="--by: run: no column 'topics'; one of batch, other_judge"):
        agree(folder, by=["topics"])


def test_every_person_counts_also_where_people_differ(folder):
    slices = agree(folder, "votes", draws=49).slices
    tax = next(it for it in slices.slices if it.name == "tax")
    three = [labelled(n) for n in range(0, 240, 3)]
    said = [(row.cells["winner"] == "A", row.extra["votes"].count("A") / 3) for row in three]
    assert tax.agreement.value == pytest.approx(sum(a if right else 1 - a for right, a in said) / 80)


def test_dialogues_are_compared_by_their_distance(tmp_path):
    one = dialogues()[0]
    rows = []
    for number in range(60):
        more = [one.case.turns[0].updated(text=f"It is number {number}.")] * (number % 7 + 1)
        case = one.case.updated(dialogue_id=number, turns=[*one.case.turns, *more])
        cells = {"overall_experience": 60.0, "average": 60.0}
        extra = {"channel": "chat" if number % 2 else "phone", "human": "20" if number % 2 else "60"}
        rows.append(replace(one, name=str(number), case=case, cells=cells, extra=extra))
    run = open_run(write_run(tmp_path / "run", rows))
    report = build_report(run, "human", group="")
    worst = report.slices.slices[0]
    assert report.slices.measure == "mae"
    assert {it.by for it in report.slices.slices} == {"channel", "length"}
    assert (worst.name, worst.agreement.value, worst.rest, worst.better) == ("chat", 40.0, 0.0, False)
    assert "Worst on channel chat: 40" in shown(report, run)[0]
