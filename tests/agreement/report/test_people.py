"""The first lines of a report: whether the judge can stand in for a person, and how far it agrees with one."""

import html
import json
import random
import re
from dataclasses import replace
from itertools import permutations
from statistics import fmean, median

import pytest
from agreement.report.judged import build_report, compared, shown
from planted import planted, rated
from results.building import Given, write_run
from results.samples import dialogues

from adjudge.agreement.report import floor_figures
from adjudge.errors import InputError
from adjudge.protocols.dialogue.case import Turn
from adjudge.reports.agreement.view import agreement_document
from adjudge.results.run import open_run


def judged(folder, votes, verdicts, decided=None):
    """A run of which the first cases are decided, or all."""
    rows = [
        replace(compared(n, said, None, decided=decided is None or n < decided), extra={"votes": own})
        for n, (own, said) in enumerate(zip(votes, verdicts, strict=True))
    ]
    return open_run(write_run(folder / "run", rows))


def first_lines(found, run):
    return [" ".join(form.split()) for form in shown(found, run)]


@pytest.mark.parametrize(
    ("people", "judge", "cases", "headline"),
    [
        (3, 0.95, 60, r"Can stand in for a person here"),
        (3, 0.2, 120, r"Cannot stand in for a person here"),
        (3, 0.7, 40, r"Too few labels to tell whether it can stand in for a person: about \d+ more"),
        (2, 0.7, 40, r"Agrees with a person in \d+ %, where another person does in \d+ %"),
        (1, 0.7, 40, r"Agrees with people in \d+ %"),
        (3, 0.7, 19, r"Too few labels: 19 count; about 77 more for ±10 points"),
        (1, 0.7, 1, r"Too few labels: 1 counts; about 95 more for ±10 points"),
    ],
)
def test_the_first_line_is_what_a_lead_can_act_on(tmp_path, people, judge, cases, headline):
    run = judged(tmp_path, *planted(5, (0.7,) * people, judge, cases))
    found = build_report(run, "votes")
    text, markdown, page = (" ".join(html.unescape(form).split()) for form in shown(found, run))
    assert re.match(rf"{headline} (It agrees|\d+ of)", text)
    assert re.search(rf"<h1[^>]*>{headline}</h1>", page) and re.match(rf"# {headline} ", markdown.replace("\\", ""))


INVENTED = "78 % of the quotes are invented"


def test_the_runs_conduct_comes_before_trust(tmp_path):
    for judge, levels in {
        0.95: {
            "not_fit": f"Can stand in for a person here, but is not fit to judge: {INVENTED}",
            "look_at": "Can stand in for a person here",
            "fine": "Can stand in for a person here",
        },
        0.2: {"not_fit": f"Cannot stand in for a person here; it is not fit to judge: {INVENTED}"},
    }.items():
        (tmp_path / str(judge)).mkdir()
        run = judged(tmp_path / str(judge), *planted(5, (0.7,) * 3, judge, 120))
        for level, headline in levels.items():
            seen = {"share": 0.78, "look_at": 0.05, "level": level}
            told = {"level": level, "sentence": "What the run said.", "observed": {"invented": seen}, "always": {}}
            (run.folder / "summary.json").write_text(json.dumps({"conduct": told}))
            document = agreement_document(build_report(run, "votes"), run.rubric)
            assert document.title == headline
            said = [caution == "What the run said." for caution in document.cautions]
            assert (said[:1], sum(said)) == (([False], 0) if level == "fine" else ([True], 1))


def test_the_second_line_says_why_and_floors_take_the_figures_against_a_person(tmp_path):
    run = judged(tmp_path, *planted(5, (0.7,) * 3, 0.95, 60))
    found = build_report(run, "votes", margin=0.2)
    for form in first_lines(found, run):
        assert re.search(
            r"It agrees with a person in [\d.]+ % \([^)]*\) of 60 labelled cases; another person does in", form
        )
        assert re.search(r"so it is [\d.]+ points ahead of a person \([−\d.]+ to [−\d.]+\)", form)
        assert "for 3 of 3, within a margin of 20 percentage points of cases (alternative annotator test: " in form
        assert "winning rate 1.00, 0.50 is needed" in form
    floors = floor_figures(found)
    assert floors["winning_rate"].value == 1 and floors["advantage"] == found.stand_in.advantage
    assert floors["person_agreement"] == found.beside[0].figures["accuracy"] != floors["accuracy"]
    alone = build_report(run, "votes", annotators=["ann"])
    assert alone.stand_in.more_labels == 60 and alone.ahead is None
    for form in first_lines(alone, run):
        assert "Whether it can stand in for a person is not tested: it needs 3 people" in form
        assert "that another person labels, too; so far nobody has 30 such cases." in form
        assert "About 60 more labels would do." in form
    with pytest.raises(InputError, match=r"--margin.*0 or more, and less than 1"):
        build_report(run, "votes", margin=15)


def test_disputed_cases_count_and_an_even_number_of_people_is_no_different(tmp_path):
    votes, verdicts = planted(6, (0.7,) * 2, 0.7, 50)
    found = build_report(judged(tmp_path, votes, verdicts), "votes")
    people = {row.name: row.figures["accuracy"] for row in found.beside}
    agreed = [own["ann"] == own["ben"] for own in votes]
    assert (found.counted, found.tied) == (50, 50 - sum(agreed))
    assert people["one person"].value == pytest.approx(fmean(agreed)) and people["one person"].cases == 50
    with_person = fmean(said == vote for own, said in zip(votes, verdicts, strict=True) for vote in own.values())
    assert people["judge"].value == pytest.approx(with_person)
    assert people["majority"].cases == sum(agreed) and people["majority"].value > with_person
    assert found.metrics["accuracy"] == people["majority"]


def test_cases_of_one_person_count_for_the_judge_only_and_the_report_says_so(tmp_path):
    votes, verdicts = planted(7, (0.8,) * 3, 0.8, 60)
    for own in votes[:7]:
        del own["ben"], own["cat"]
    run = judged(tmp_path, votes, verdicts)
    found = build_report(run, "votes")
    people = {row.name: row.figures["accuracy"] for row in found.beside}
    assert [people[name].cases for name in ("judge", "one person", "judge against the same people")] == [60, 53, 53]
    assert found.ahead.value == pytest.approx(
        people["judge against the same people"].value - people["one person"].value
    )
    for form in first_lines(found, run):
        assert "7 cases were labelled by one only: they count for the judge, but not for people" in form
        assert "on the 53 cases that several people labelled" in form


def test_judge_and_person_in_one_sentence_are_over_the_same_cases(tmp_path):
    """Of 120 cases with one label, the judge is wrong in all; of 40 with two, it is right where people agree."""
    votes = [{"ann": "A", "ben": "A" if number % 4 else "B"} for number in range(40)] + [{"ann": "B"}] * 120
    run = judged(tmp_path, votes, ["A"] * 160)
    found = build_report(run, "votes")
    for form in first_lines(found, run):
        said = html.unescape(form).replace("\\", "")
        headline = (
            "Agrees with a person in 88 % of the 40 cases that several labelled, where another person does in 75 %"
        )
        assert f"{headline}; in 22 % of all 160" in said
        assert re.search(
            r"It agrees with a person in 21\.9 % \([^)]*\) of 160 labelled cases; on the 40 cases that several people "
            r"labelled it does in 87\.5 % \([^)]*\), and another person does in 75\.0 % \([^)]*\), so it is 12\.5 "
            r"points ahead of a person \([^)]*\)\. Always saying B would agree in 78\.1 % of all 160\.",
            said,
        )
        assert re.search(
            r"With the majority of people it agrees in \S+ % \([^)]*\) of 150 cases; 10 cases without", said
        )


def test_each_person_is_shown_with_the_judge_in_their_place_and_one_table_holds_judge_people_and_rules(tmp_path):
    run = judged(tmp_path, *planted(8, (0.9, 0.8, 0.6), 0.8, 60))
    found = build_report(run, "votes")
    assert [person.person for person in found.stand_in.people] == ["ann", "ben", "cat"]
    text = shown(found, run)[0]
    for person in found.stand_in.people:
        own, judge = (f"{100 * it.value:.1f} %" for it in (person.own, person.judge))
        assert re.search(rf"^{person.person} +{own} +{judge} ", text, re.MULTILINE)
    assert [len(re.findall(rf"^{name}  ", text, re.MULTILINE)) for name in ("The judge", "Another person")] == [1, 1]
    table = text[text.index("Who  ") :].partition("\n\n")[0].splitlines()
    names = [line.partition("  ")[0] for line in table[2:]]
    assert names[:3] == ["The judge", "Another person", names[2]] and names[2].startswith("With the majority")
    assert names[4:] == ["The longer answer", "The answer shown first"]


def test_ratings_of_dialogues_are_compared_by_distance_and_rank(tmp_path):
    votes, verdicts = rated(9, 3, 40)
    first = dialogues()[0]
    rows = []
    for number, (own, said) in enumerate(zip(votes, verdicts, strict=True)):
        case = first.case.updated(turns=(*first.case.turns, Turn("USER", f"Number {number}, please.", 99)))
        cells = {"overall_experience": 20.0 * min(max(round(said), 1), 5), "average": 20 * said}
        extra = {"people": {name: 20 * vote for name, vote in own.items()}}
        rows.append(Given(f"talk-{number}", case, extra=extra, cells=cells))
    run = open_run(write_run(tmp_path / "run", rows))
    found = build_report(run, "people")
    people = {row.name: row.figures["mae"] for row in found.beside}
    apart = [abs(own[one] - own[other]) for own in votes for one, other in permutations(own, 2)]
    assert people["one person"].value == pytest.approx(20 * fmean(apart))
    said = [row.cells["overall_experience"] for row in rows]
    numbers = [20 * vote for own in votes for vote in own.values()]
    assert people["judge"].value == pytest.approx(
        fmean(abs(it - 20 * vote) for it, own in zip(said, votes, strict=True) for vote in own.values())
    )
    assert people["constant"].value == pytest.approx(fmean(abs(vote - median(numbers)) for vote in numbers))
    text = " ".join(shown(found, run)[0].split())
    assert "points from a person on average over 40 labelled cases; another person is" in text
    assert found.stand_in.tested == 3


def test_where_few_cases_are_decided_the_best_guesses_come_first(tmp_path):
    run = judged(tmp_path, *planted(5, (0.7,) * 3, 0.95, 60), decided=24)
    found = build_report(run, "votes")
    text = " ".join(shown(found, run)[0].split())
    assert text.startswith(
        "Decides only 24 of 60 labelled cases; with its best guesses it can stand in for a person With"
    )
    assert "Where it decides, it agrees with a person in" in text
    # Only two of five labels count, so that more are needed.
    assert (found.stand_in.answer, found.stand_in.more_labels) == ("refused", 45)


@pytest.mark.parametrize("decided", [11, 24])
def test_where_best_guesses_lead_all_that_is_said_is_over_their_cases(tmp_path, decided):
    """People say A in the cases that the judge decides, and B or A in the others, where it is no better than a rule."""
    drawn = random.Random(4)
    votes = [dict.fromkeys(("ann", "ben", "cat"), "A") for _ in range(decided)]
    votes += [{who: drawn.choice("AB") for who in ("ann", "ben", "cat")} for _ in range(80 - decided)]
    run = judged(tmp_path, votes, ["A"] * 80, decided)
    found = build_report(run, "votes", margin=0.02)
    assert found.best_guesses.stand_in.answer == "open"
    rates = [sum(own.count(side) for own in (list(it.values()) for it in votes)) / 2.4 for side in "AB"]
    text = " ".join(shown(found, run)[0].split())
    assert re.match(
        rf"Decides only {decided} of 80 labelled cases; with its best guesses, too (few labels|close) to tell whether "
        r"it can stand in for a person",
        text,
    )
    assert f"People’s labels are A in {rates[0]:.1f} %, B in {rates[1]:.1f} % of 80 labelled cases." in text
    rule = f"“Always A” is at {rates[0]:.1f} %"
    assert f"Not clearly better than a simple rule over 80 labelled cases with best guesses: {rule}" in text
    assert (found.more_labels["accuracy"] is None) == (decided < 20)
    table = shown(found, run)[0].partition("All measures")[2]
    more, guessed = found.more_labels["accuracy"], found.best_guesses.more_labels["accuracy"]
    wanted = {None: "–", 0: "enough"}.get(more, str(more))
    assert re.search(
        rf"^Accuracy .* {decided} +{wanted} .* {found.best_guesses.metrics['accuracy'].cases} +{guessed}$", table, re.M
    )


def test_with_few_labels_nothing_is_said_about_what_people_would_say(tmp_path):
    votes, verdicts = planted(5, (0.7,), 0.7, 40)
    run = judged(tmp_path, [own if number < 19 else None for number, own in enumerate(votes)], verdicts)
    text = " ".join(shown(build_report(run, "votes"), run)[0].split())
    assert "“Corrected” is people’s number" in text and "People would give" not in text


def test_a_judge_that_stands_in_no_better_than_a_rule_that_reads_nothing_is_said_to(tmp_path):
    """Where nearly all labels are one class, always saying it passes the test, too."""
    drawn = random.Random(3)
    votes = [{name: "B" if drawn.random() < 0.15 else "A" for name in ("ann", "ben", "cat")} for _ in range(120)]
    constant = judged(tmp_path, votes, ["A"] * 120)
    found = build_report(constant, "votes")
    assert found.stand_in.answer == "can" and "constant" in found.stand_in.also
    for form in first_lines(found, constant):
        assert "Can stand in for a person here, but so can a simple rule: always A" in form
