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


def test_slices_are_by_system_language_length_criterion_and_columns_of_words_and_the_worst_comes_first(
    report, folder, capsys
):
    found = {(it.by, it.name): it for it in report.slices.slices}
    assert {by for by, _ in found} == {"language", "length", "criterion", "topic"}  # one pair of systems: no slices
    assert {name for by, name in found if by == "language"} == {"German", "English"}
    assert {name for by, name in found if by == "topic"} == {"tax", "law", "food"}
    assert report.slices.too_small == {"topic": 1}
    assert found["topic", "tax"].agreement.cases == 80
    worst = report.slices.slices[0]
    assert (worst.by, worst.name, worst.better) == ("topic", "tax", False)
    assert worst.adjusted < 0.01 and worst.p < worst.adjusted
    assert worst.differ == len(worst.differing) == 40
    assert all(position % 3 == 0 and position % 4 >= 2 for position in worst.differing)
    for page in shown(report, open_run(folder)):
        assert "Worst on topic tax: 50.0" in page
        assert "position in (" in page
    # The command that it names shows the cases of the worst slice.
    text = shown(report, open_run(folder))[0]
    places = " ".join(text.split()).partition("position in (")[2].partition(")")[0]
    assert main(["show", str(folder), "--where", f"position in ({places})", "--format", "json"]) == 0
    assert '"tax"' in (said := capsys.readouterr().out) and '"law"' not in said


def test_a_judge_that_is_the_same_everywhere_is_said_to_be(tmp_path):
    rows = [compared(n, "A" if random.Random(n).random() < 0.7 else "B", "A") for n in range(80)]
    pairs = [("wren", "rook"), ("rook", "crow"), ("crow", "wren")]
    rows = [replace(row, systems=pairs[n % 3], extra={"topic": "ab"[n % 2]}) for n, row in enumerate(rows)]
    run = open_run(write_run(tmp_path / "run", rows))
    report = build_report(run)
    assert "No slice is worse than the rest beyond noise, of " in shown(report, run)[0]
    # A case belongs to both its systems.
    systems = {it.name: it.agreement.cases for it in report.slices.slices if it.by == "system"}
    assert systems == {"wren": 53, "rook": 54, "crow": 53}


def test_by_names_the_columns_even_of_numbers_and_every_person_counts_also_where_people_differ(folder):
    with pytest.raises(
        InputError, match=r"--by: run: no column 'topics'; did you mean topic\? one of batch, other_judge"
    ):
        agree(folder, by=["topics"])
    found = agree(folder, "votes", by=["batch"], draws=49).slices
    assert {it.by for it in found.slices} == {"language", "length", "criterion", "batch"}
    tax = next(it for it in found.slices if (it.by, it.name) == ("batch", "0"))  # the topic is tax in this batch
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


def by_votes(number, winner, votes, **extra):
    return replace(compared(number % 60, winner, "A"), name=f"egg-{number}", extra={"votes": votes, **extra})


def test_the_column_says_that_anybody_who_differs_counts(tmp_path):
    votes = ['["A", "A", "B"]', '["A", "A", "A"]']
    rows = [by_votes(n, "A", votes[n % 2], topic=("tax", "law")[n // 2 % 2]) for n in range(60)]
    run = open_run(write_run(tmp_path / "run", rows))
    report = build_report(run, "votes", group="")
    topic = next(it for it in report.slices.slices if it.by == "topic")
    assert (topic.differ, report.disputed.total) == (15, 0)  # the majority always says what the judge says
    for page in shown(report, run):
        section = page.rpartition("No slice is worse")[2].partition("Consistency")[0]
        assert "Somebody differs" in section and "They differ" not in section
        assert "other cases of which this is known" in " ".join(section.split())


def test_where_no_slice_has_enough_independent_cases_the_section_says_how_many_there_are(tmp_path):
    rows = [by_votes(n, "A", '["A", "B"]', topic=("tax", "law")[n % 2], batch=f"b{n % 8}", same="x") for n in range(80)]
    run = open_run(write_run(tmp_path / "run", rows))
    report = build_report(run, "votes", group="batch")
    assert report.slices.slices == () and report.slices.units == 8
    text = " ".join(shown(report, run)[0].split())
    assert "By slice No slice has enough independent cases: there are 8, and a slice and the cases outside it" in text
    assert "2 by topic" in text
    text = " ".join(shown(build_report(run, "votes", group="batch", by=["same"]), run)[0].split())
    assert "No slices by same: the labelled cases do not differ in that." in text


def test_what_is_clearest_is_named_and_a_shortened_list_says_so(tmp_path):
    def row(number):
        topic = "tiny" if number % 20 == 0 else ("bad", "good")[number % 2]
        right = {"tiny": number % 40 > 0, "bad": number % 4 > 0, "good": number % 16 != 1}[topic]
        return by_votes(number, "A" if right else "B", '["A", "A"]', topic=topic)

    run = open_run(write_run(tmp_path / "run", [row(number) for number in range(400)]))
    report = build_report(run, "votes", group="")
    better = [it for it in report.slices.slices if it.better]
    worst = report.slices.slices[0]
    assert better and worst.better is False and worst.differ > 40
    text = " ".join(shown(report, run)[0].split())
    assert f"Better on topic {min(better, key=lambda it: it.adjusted).name}: " in text
    assert f"in which somebody differs from the judge, the first 40 of {worst.differ}: adjudge show" in text
