"""The agreement report: its figures are those of the written-out formulas, and no labelled case disappears silently."""

import html
import random
import re
from collections import Counter
from dataclasses import replace

import pytest
from agreement.report.judged import PAIRS, build_report, compared, joined, shown, sides
from results.building import Given, write_run
from results.samples import GOOD, SHORT, dialogues, reviews
from scipy import stats

from adjudge.agreement.labels.files import HumanLabel
from adjudge.agreement.report import AgreementReport, floor_figures, own_systems
from adjudge.errors import InputError
from adjudge.models.base import from_json, to_json
from adjudge.protocols.review.case import Review
from adjudge.reports.agreement.view import agreement_document
from adjudge.results.run import open_run

# -- comparisons ------------------------------------------------------------------------------------------------------


def test_the_figures_are_those_of_the_written_out_formulas(report):
    n = len(PAIRS)
    judge, human = (Counter(column) for column in zip(*PAIRS, strict=True))
    same = sum(one == other for one, other in PAIRS) / n
    chance = sum(judge[side] * human[side] for side in "AB") / n**2 + judge["tie"] * human["tie"] / n**2
    assert report.counted == n and report.left_out == {}
    assert report.metrics["accuracy"].value == pytest.approx(same, abs=1e-12)
    assert report.metrics["kappa"].value == pytest.approx((same - chance) / (1 - chance), abs=1e-12)
    place = {"A": -1, "tie": 0, "B": 1}
    seen = sum((place[one] - place[other]) ** 2 for one, other in PAIRS) / n
    expected = sum(judge[a] * human[b] * (place[a] - place[b]) ** 2 for a in place for b in place) / n**2
    assert report.metrics["quadratic_kappa"].value == pytest.approx(1 - seen / expected, abs=1e-12)
    assert report.base_rates == pytest.approx({side: count / n for side, count in human.items()})
    assert max(report.base_rates.values()) == next(iter(report.base_rates.values()))
    counts = Counter(PAIRS)
    assert report.confusion.classes == ("A", "tie", "B")
    expected_counts = tuple(tuple(counts[said, meant] for said in ("A", "tie", "B")) for meant in ("A", "tie", "B"))
    assert report.confusion.counts == expected_counts


def test_agreement_stands_beside_a_constant_the_longer_answer_and_the_first_position(folder, report):
    rows = {row.name: row.figures["accuracy"].value for row in report.beside}
    human = [human for _, human in PAIRS]
    words = [row.row.words for row in joined(folder).labelled]
    longer = ["A" if a > b else "B" if b > a else "tie" for a, b in words]
    assert rows["constant"] == pytest.approx(max(Counter(human).values()) / 60)
    assert rows["first position"] == pytest.approx(human.count("A") / 60)
    assert rows["longest"] == pytest.approx(sum(map(str.__eq__, longer, human)) / 60)
    assert "one person" not in rows and report.people_alpha is None


def test_intervals_hold_the_figure_and_say_how_many_labels_a_narrower_one_needs(report):
    for name in ("accuracy", "kappa", "alpha_nominal"):
        low, high = report.metrics[name].interval
        assert low < report.metrics[name].value < high
        assert report.more_labels[name] == pytest.approx(60 * ((high - low) / 0.1) ** 2 - 60, abs=1)


def test_disagreements_come_most_confident_first_with_criterion_and_reason(report):
    wrong = sum(judge != human for judge, human in PAIRS)
    assert (report.disputed.total, report.disputed.labelled, len(report.disputed.cases)) == (wrong, 60, min(wrong, 20))
    margins = [case.margin for case in report.disputed.cases]
    assert margins == sorted(margins, reverse=True)
    first = report.disputed.cases[0]
    assert first.judge != first.human and first.reason and first.opening.startswith("How do I boil")
    kinds = report.disputed.by_kind
    assert kinds["opposite winners"] + kinds["the judge names a winner, people a tie"] == wrong
    assert sum(group.differ for group in report.disputed.by_criterion) <= wrong


def test_confidence_orders_disagreements_and_is_held_against_truth(tmp_path):
    rows = [compared(n, "A", "A" if n % 4 else "B", confidence=0.5 + n / 50) for n in range(24)]
    found = build_report(open_run(write_run(tmp_path / "run", rows)))
    assert [case.case for case in found.disputed.cases] == ["egg-20", "egg-16", "egg-12", "egg-8", "egg-4", "egg-0"]
    assert sum(part.cases for part in found.confidence_curve) == 24
    assert found.calibration_error == pytest.approx(
        sum(part.cases * abs(part.confidence - part.right) for part in found.confidence_curve) / 24
    )


def test_the_report_is_frozen_data_that_json_holds_whole(report):
    written = to_json(report)
    assert to_json(from_json(AgreementReport, written)) == written
    with pytest.raises(ValueError, match="frozen"):
        report.counted = 1


# -- nothing is dropped silently --------------------------------------------------------------------------------------


def test_undecided_and_failed_cases_are_counted_and_in_no_figure_and_ties_in_all_but_those_of_the_majority(tmp_path):
    rows = [compared(n, "A", "A") for n in range(22)]
    rows += [compared(30, "B", "B", decided=False), compared(31, "A", "B", decided=False)]
    rows += [compared(32, "A", "A", decided=False)]
    rows += [replace(compared(33, "A", "A"), fate="failure"), replace(compared(34, "A", "A"), fate="unfinished")]
    rows += [replace(compared(35, "A", None), extra={"votes": ["A", "B"]})]
    rows = [row if row.extra else replace(row, extra={"votes": [row.label] * 2}) for row in rows]
    run = open_run(write_run(tmp_path / "run", rows))
    found = build_report(run, "votes")
    assert (found.counted, found.tied, found.labels.cases) == (23, 1, 28)
    assert found.left_out == {"undecided": 3, "failure": 1, "unfinished": 1}
    people = {row.name: row.figures["accuracy"] for row in found.beside}
    assert (people["judge"].value, people["judge"].cases) == (pytest.approx(22.5 / 23), 23)
    assert (people["majority"].value, people["majority"].cases) == (1, 22)
    guesses = found.best_guesses
    assert (guesses.metrics["accuracy"].value, guesses.cases) == (pytest.approx(24 / 25), 26)
    rules = {row.name: row.figures["accuracy"] for row in guesses.beside}
    assert (rules["first position"].value, rules["first position"].cases) == (pytest.approx(23.5 / 26), 26)
    text = shown(found, run)[0]
    assert text.startswith("Agrees with a person in 98 % of the 88 % it decides\n")
    told = (
        "5 labelled cases of the sample are in no figure over decided cases: 3 the judge did not decide, 1 no verdict"
    )
    said = " ".join(text.split())
    assert told in said
    assert re.search(
        r"With the majority of people it agrees in 100\.0 % \([^)]*\) of \d+ cases; 1 case without one", said
    )
    rows = re.findall(r"^(Where it decides|With its best guesses|The judge +\d.*)$", text, re.MULTILINE)
    told, guessed = (re.split(r" {2,}", row) for row in rows[1::2])
    assert rows[::2] == ["Where it decides", "With its best guesses"]
    assert (told[1], told[-1], guessed[1], guessed[-1]) == ("97.8 %", "23", "94.2 %", "26")
    assert re.search(r"^With the majority \(1 tie left out\) +100\.0 % .* 22$", text, re.MULTILINE)


def test_a_judge_that_decides_nothing_is_measured_by_its_best_guesses(tmp_path):
    rows = [compared(n, *pair, decided=False) for n, pair in enumerate(PAIRS[:20])]
    run = open_run(write_run(tmp_path / "run", rows))
    found = build_report(run)
    same = sum(judge == human for judge, human in PAIRS[:20])
    assert found.counted == 0 and found.best_guesses.metrics["accuracy"].value == same / 20
    for form in (" ".join(html.unescape(form).split()) for form in shown(found, run)):
        assert f"Decides no labelled case; with its best guesses it agrees with people in {5 * same} %" in form
        assert "The judge decided no labelled case: all figures here use its best guesses." in form
        assert "With its best guesses" in form
    text = shown(found, run)[0]
    tables = [part.splitlines() for part in text.split("\n\n") if "──" in part]
    for lines in tables:
        rows = lines[next(at for at, line in enumerate(lines) if line.startswith("──")) + 1 :]
        assert any(cell not in ("–", "0") for row in rows for cell in re.split(r" {2,}", row)[1:-1]), lines


def test_a_reason_is_said_once_and_what_has_no_figure_is_left_out(tmp_path):
    run = open_run(write_run(tmp_path / "run", [compared(n, "A", "A") for n in range(6)]))
    found = build_report(run)
    assert found.best_guesses is None and found.metrics["kappa"].value is None
    text, _, page = shown(found, run)
    for form in (text, page):
        assert form.count("always say A") == 2  # once below the table, and once below all measures
        assert " ".join(form.split()).count("Weights: too few labels for weights: 6, at least 20.") == 1
    document = agreement_document(found, run.rubric)
    assert [section.key for section in document.sections].count("weights") == 0
    # Nobody's name is known, and the report names no option: it is a page of the service, too.
    assert [name for name, _ in document.facts] == ["Judge", "Rubric", "Labels"] and "--earlier" not in page


def test_figures_rest_on_the_random_stratum_and_disagreements_on_both(tmp_path):
    rows = [compared(n, "A", None) for n in range(20)]
    folder = write_run(tmp_path / "run", rows)
    (folder / "labels").mkdir()
    with (folder / "labels" / "ann.jsonl").open("wb") as file:
        for n in range(16):
            stratum = "random" if n < 12 else "disagreement"
            value = "A" if n < 9 else "B"
            file.write(to_json(HumanLabel(case=f"egg-{n}", position=n, annotator="ann", value=value, stratum=stratum)))
    run = open_run(folder)
    found = build_report(run)
    assert (found.labels.cases, found.labels.at_random, found.counted) == (16, 12, 12)
    assert found.metrics["accuracy"].value == 9 / 12
    assert found.disputed.total == 7 and {case.stratum for case in found.disputed.cases} == {"random", "disagreement"}
    # Cases picked for their doubts count as cases without labels where all of the run is meant.
    assert (found.corrected["wren"].raw.cases, found.corrected["wren"].labels.cases) == (20, 12)
    assert found.bias.order.flips.cases == found.consistency.orders.cases == 20
    assert found.bias.habits[0].people.cases <= 12
    text, markdown, page = shown(found, run)
    for form in (text, markdown, page):
        assert "were picked because the judge was unsure" in " ".join(form.split())
    assert "picked as doubtful" in page


def test_labels_without_a_random_one_are_refused(tmp_path):
    folder = write_run(tmp_path / "run", [compared(0, "A", None)])
    (folder / "labels").mkdir()
    label = HumanLabel(case="egg-0", position=0, annotator="ann", value="A", stratum="disagreement")
    (folder / "labels" / "ann.jsonl").write_bytes(to_json(label))
    with pytest.raises(InputError, match="no labelled case was drawn at random"):
        build_report(open_run(folder))


@pytest.mark.parametrize(
    "labels", [["A"] * 12, ["tie"], ["A", "B"], ["B"] * 12], ids=["one class", "a tie", "two labels", "all wrong"]
)
def test_few_labels_or_one_class_give_reasons_and_no_numbers_out_of_nothing(tmp_path, labels):
    rows = [compared(n, "A", label) for n, label in enumerate(labels)]
    run = open_run(write_run(tmp_path / "run", rows))
    found = build_report(run)
    for figure in found.metrics.values():
        assert figure.value is not None or figure.reason
        assert figure.interval is not None or figure.reason
    text, markdown, page = shown(found, run)
    assert not re.search(r"\b(nan|None)\b(?! of)", text + markdown + page.partition("<body>")[2])


def test_a_run_in_which_every_judgment_failed_says_so(tmp_path):
    rows = [replace(compared(n, "A", "A"), fate="failure") for n in range(3)]
    run = open_run(write_run(tmp_path / "run", rows))
    found = build_report(run)
    text, _, page = shown(found, run)
    assert found.counted == 0 and text.startswith(
        "Too few labels: none counts; about 96 more for ±10 points\nNone of 3 labelled cases can be counted: 3 no"
    )
    assert "Too few labels: none counts" in page


def test_of_a_large_run_a_random_sample_is_read_and_every_labelled_case(folder):
    everything, part = joined(folder), joined(folder, others=10)
    assert (everything.sampled, len(everything.rows)) == (False, 90)
    assert (part.sampled, len(part.rows), len(part.labelled)) == (True, 70, 60)


# -- dialogues and reviews --------------------------------------------------------------------------------------------


def test_a_dialogue_is_measured_by_distance_rank_and_weighted_kappa(tmp_path):
    drawn = random.Random(4)
    case = dialogues()[0].case
    rows, numbers = [], []
    for n in range(30):
        average = drawn.uniform(25, 99)
        judge = max(20, average // 20 * 20)
        human = min(max(judge + drawn.choice((-20, 0, 0, 20)), 20), 100)
        turns = (case.turns[0].updated(text=f"My parcel {n} is late."), *case.turns[1:])
        cells = {"overall_experience": judge, "average": average, "Empathy": judge}
        given = case.updated(dialogue_id=n, turns=turns, overall_ratings=())
        rows.append(Given(str(n), given, extra={"people": human}, cells=cells))
        numbers.append((judge, average, human))
    run = open_run(write_run(tmp_path / "run", rows))
    lines = "".join(f"{n},ann,,{human}\n{n},ann,Empathy,{human}\n" for n, (_, _, human) in enumerate(numbers))
    (tmp_path / "people.csv").write_text(f"id,annotator,criterion,label\n{lines}")
    found = build_report(run, str(tmp_path / "people.csv"))
    judge, average, human = zip(*numbers, strict=True)
    assert "accuracy" not in found.metrics and "kappa" not in found.metrics
    assert found.metrics["mae"].value == pytest.approx(sum(abs(a - b) for a, _, b in numbers) / 30)
    assert found.metrics["mae_average"].value == pytest.approx(sum(abs(a - b) for _, a, b in numbers) / 30)
    assert found.metrics["spearman"].value == pytest.approx(stats.spearmanr(average, human).statistic)
    assert found.metrics["kendall"].value == pytest.approx(stats.kendalltau(average, human).statistic)
    rows = {row.name: row.figures["mae"].value for row in found.beside}
    middle = sorted(human)[14:16]
    assert rows["constant"] == pytest.approx(sum(abs(sum(middle) / 2 - value) for value in human) / 30)
    (empathy,) = found.by_criterion
    assert empathy.name == "Empathy" and empathy.figures["mae"].value == found.metrics["mae"].value
    assert found.disputed.total == sum(abs(a - b) >= 20 for a, _, b in numbers)
    assert found.calibration.cases == 30 and found.bias is None and found.weights.cases == 30
    assert "points from people" in shown(found, run)[0] and "judge: 20" in shown(found, run)[1]


def test_a_review_is_measured_by_its_side_and_by_its_strength(tmp_path):
    drawn = random.Random(6)
    rows, numbers = [], []
    for n in range(24):
        judge = drawn.randint(1, 7)
        human = min(max(judge + drawn.choice((-1, 0, 0, 1)), 1), 7)
        winner = "A" if judge < 4 else "B" if judge > 4 else "tie"
        case = Review(prompt=f"How do I boil {n} eggs?", a=GOOD, b=SHORT)
        cells = {"likert": judge, "winner": winner}
        rows.append(Given(f"egg-{n}", case, extra={"people": human}, cells=cells))
        numbers.append((judge, human))
    run = open_run(write_run(tmp_path / "run", rows))
    found = build_report(run, "people")
    same = sum((a > 4) - (a < 4) == (b > 4) - (b < 4) for a, b in numbers)
    assert found.metrics["accuracy"].value == pytest.approx(same / 24)
    assert found.metrics["mae"].value == pytest.approx(sum(abs(a - b) for a, b in numbers) / 24)
    assert set(found.base_rates) <= {"A", "B", "tie"} and found.confusion.classes == ("A", "tie", "B")
    assert found.labels.notes == () and "Response 1" in shown(found, run)[0]


def test_preferences_that_were_entered_are_no_independent_labels_and_the_report_says_so(tmp_path):
    found = build_report(open_run(write_run(tmp_path / "run", reviews()[:1])))
    assert found.labels.notes == (
        "the labels are the preferences that were entered; the review keeps a preference that its rules allow, so "
        "agreement with these labels may be too high",
    )


# -- self-preference, floors ------------------------------------------------------------------------------------------


def test_a_system_called_as_the_judges_model_is_its_own_and_others_can_be_named(tmp_path):
    for number, (judge, own, other) in enumerate((
        ("openai:gpt-4o", "GPT-4o", "not-gpt-4o"),
        ("http://localhost:11434/v1#llama3:8b", "llama3:8b", "mistral:8b"),  # a model's own name may have a colon
        ("http://localhost/v1#meta/llama-3", "llama-3", "v1"),
        ("openai:gpt-4o", "openai/gpt-4o", "rook"),
    )):  # fmt: skip
        rows = [replace(compared(n, *pair), systems=(own, other)) for n, pair in enumerate(sides(12))]
        made = write_run(tmp_path / f"run-{number}", rows)
        config = (made / "run.json").read_bytes().replace(b'"judge":"embedded"', b'"judge":"%s"' % judge.encode())
        (made / "run.json").write_bytes(config)
        found = joined(made)
        assert own_systems(found) == [own] and own_systems(found, [other]) == [other]
    with pytest.raises(InputError, match=r"--own: no answer is by 'crow'; one of "):
        own_systems(found, ["crow"])
    assert "self-preference" in build_report(open_run(made)).biases


def test_every_figure_of_which_more_is_better_may_have_a_floor(report):
    known = floor_figures(report)
    assert {"accuracy", "kappa", "spearman", "order_consistency", "length_controlled_agreement"} <= known.keys()
    assert {"person_agreement", "person_kappa", "winning_rate", "advantage"} <= known.keys()
    assert known["person_agreement"] == report.beside[0].figures["accuracy"] and known["winning_rate"].reason
    assert "mae" not in known and "person_mae" not in known
