"""What a run's table says of its judge: which interval gives which level, what older runs do not know, and the table of
thresholds in the docs."""

from pathlib import Path

import pytest
from results.building import Given, write_run

from adjudge.models.figures import Figure
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.dialogue.case import Dialogue, Turn
from adjudge.protocols.review.case import Review
from adjudge.protocols.rubrics import shipped
from adjudge.rendering.wording import rounded_percent
from adjudge.reports.run.conduct import conduct_sentence, view_conduct
from adjudge.results.conduct import conduct_of
from adjudge.results.database import opened
from adjudge.results.run import open_run
from adjudge.results.traits import TRAITS, level_of

FIRST = shipped("compare").criteria[0].key
SENTENCE = "Keep the first version small enough that two people can finish it within a fortnight"


def pairs(count, *, task="Plan tool {}.", **cells):
    """Comparisons whose cells say what another judge would have done; a cell may be a function of the number."""
    for n in range(count):
        case = Comparison(
            task.format(n), f"{SENTENCE}, number {n}.", f"Number {n} may wait until {n} people ask for it."
        )
        own = {name: cell(n) if callable(cell) else cell for name, cell in cells.items()}
        yield Given(f"case-{n}", case, cells=own)


def varied():
    """Scores of a judge that tells cases and criteria apart."""
    keys = [criterion.key for criterion in shipped("compare").criteria]
    return {
        f"{key}_{side}": lambda n, at=at, side=side: 1 + (n * (at + 2) + at + ord(side)) % 9
        for at, key in enumerate(keys)
        for side in "ab"
    }


def measured(folder, rows, **more):
    with opened(open_run(write_run(folder / "run", rows)), **more) as database:
        return conduct_of(database)


def seen(conduct):
    return {each.trait: each for each in conduct.observed}


def test_the_low_end_of_the_interval_decides():
    for interval, based_on, level in (
        ((0.04, 0.9), 500, "fine"),
        ((0.051, 0.06), 500, "look_at"),
        ((0.49, 0.99), 500, "look_at"),
        ((0.51, 0.6), 20, "not_fit"),
        ((0.51, 0.6), 19, "too_few"),
        (None, 500, "too_few"),
    ):
        assert level_of(TRAITS["invented"], Figure(0.5, 100, "", interval), based_on) == level, (interval, based_on)


def test_some_things_never_make_a_judge_unfit():
    for trait in [trait for trait in TRAITS.values() if trait.not_fit is None]:
        assert level_of(trait, Figure(1.0, 100, "", (0.99, 1.0)), 100) == "look_at", trait.name


def test_every_threshold_and_its_reason_is_in_the_docs():
    table = (Path(__file__).parents[2] / "docs" / "judges.md").read_text("utf-8")
    for trait in TRAITS.values():
        unfit = "–" if trait.not_fit is None else rounded_percent(trait.not_fit)
        assert f"| {trait.name} | {rounded_percent(trait.look_at)} | {unfit} | {trait.reason} |" in table


def test_quotes_and_repairs_are_counted_over_all_cases(tmp_path):
    conduct = measured(
        tmp_path, pairs(24, replies=2, repaired=lambda n: n % 2, quotes=28, invented=lambda n: 14 if n % 2 else 0)
    )
    found = seen(conduct)
    assert (found["invented"].hits, found["invented"].of, found["invented"].level) == (168, 672, "look_at")
    assert (found["repaired"].hits, found["repaired"].of) == (12, 48)
    assert conduct.level == "look_at" and conduct.replies == 48
    assert conduct_sentence(conduct).startswith("Look at the judge’s conduct: 25 % of the quotes are invented (")


def test_a_share_above_its_threshold_whose_interval_is_not_is_called_uncertain(tmp_path):
    conduct = measured(tmp_path, pairs(24, replies=2, quotes=28, invented=lambda n: 20 if n < 3 else 0))
    assert seen(conduct)["invented"].unclear and conduct.level == "fine"
    assert "; not certain yet: 9 % of the quotes are invented (" in conduct_sentence(conduct)


def test_one_task_is_no_evidence_about_others(tmp_path):
    conduct = measured(tmp_path, pairs(24, task="The same task.", replies=2, quotes=28, invented=28))
    assert seen(conduct)["invented"].level == "too_few" and seen(conduct)["invented"].figure.value == 1


def test_a_run_counted_in_parts_has_the_figures_of_the_whole(tmp_path, monkeypatch):
    rows = list(pairs(60, task="Plan tool {}.", quotes=lambda n: n % 5, invented=lambda n: n % 5 // 3, **varied()))
    rows += [Given(f"again-{n}", rows[n].case, cells=rows[n].cells) for n in range(0, 60, 4)]
    with opened(open_run(write_run(tmp_path / "run", rows))) as database:
        whole = conduct_of(database)
        monkeypatch.setattr("adjudge.results.conduct._TOGETHER", 10)
        assert conduct_of(database) == whole
    # 75 cases, of which 15 repeat a task: their unit is counted once, whichever part it is in.
    assert (whole.cases, seen(whole)["invented"].of) == (75, sum(row.cells["quotes"] for row in rows))


def test_fewer_than_twenty_replies_are_too_few_to_tell(tmp_path):
    conduct = measured(tmp_path, pairs(9, replies=2, quotes=28, invented=28))
    assert conduct.level == "too_few"
    assert (
        conduct_sentence(conduct)
        == "The judge’s conduct: too few cases to tell (18 replies to 9 cases; 20 are needed)."
    )


def test_what_an_older_version_did_not_record_is_not_known_and_never_0(tmp_path):
    lost = dict.fromkeys(("replies", "repaired", "quotes", "invented", "preferred_place", "equal_totals"))
    conduct = measured(tmp_path, pairs(24, **lost))
    found = seen(conduct)
    for trait in ("invented", "repaired", "position", "ties"):
        assert (
            found[trait].figure.value is None
            and found[trait].level == "not_known"
            and "did not record" in found[trait].figure.reason
        )
    assert found["orders"].figure.value is not None  # older versions have this
    assert conduct.older == 24 and conduct.level == "not_known"
    assert conduct_sentence(conduct).startswith(
        "The judge’s conduct: not known of quotes, repairs, positions, ties, which the version that made this run did "
        "not record; what is known (orders, criteria, scores) is fine"
    )
    split = measured(tmp_path / "split", pairs(24, **lost, **varied(), order_consistent=False))
    assert conduct_sentence(split) == (
        "Not fit to judge: the two orders disagree in 100 % of the cases (84 to 100 %); "
        "not known of quotes, repairs, positions, ties."
    )
    view = view_conduct(conduct)
    row = next(cells for _, cells in view.rows if cells[0] == TRAITS["invented"].name)
    assert (row[1], row[-1]) == ("–", "not known")
    assert any("24 verdicts of 24" in note for note in view.notes)


def test_a_run_of_both_counts_the_verdicts_that_know(tmp_path):
    cells = {"replies": lambda n: 2 if n % 2 else None, "quotes": lambda n: 10 if n % 2 else None}
    conduct = measured(tmp_path, pairs(44, **cells, invented=lambda n: 1 if n % 2 else None))
    found = seen(conduct)["invented"]
    assert (found.hits, found.of, found.figure.cases) == (22, 220, 22) and conduct.older == 22


def test_a_condition_does_not_choose_the_cases_of_the_conduct(tmp_path):
    rows = list(pairs(24, equal_totals=lambda n: n < 2, winner=lambda n: "tie" if n < 2 else "A"))
    conduct = measured(tmp_path, rows, where="winner = 'tie'")
    assert (seen(conduct)["ties"].hits, seen(conduct)["ties"].of) == (2, 24)


def test_where_nothing_can_be_told_the_sentence_says_why(tmp_path):
    reviews = [
        Given(f"r{n}", Review(prompt=f"Say hello {n}.", a="Hello there, you.", b="Good day to you.")) for n in range(20)
    ]
    silent = measured(tmp_path / "r", reviews)
    assert conduct_sentence(silent) == "The judge’s conduct: not known, because this judge writes no replies."
    assert silent.level == "not_known"
    alike = measured(tmp_path / "c", pairs(24, task="The same task.", **varied()))
    assert conduct_sentence(alike) == (
        "The judge’s conduct: too few tasks to tell, because all cases are of one task, so nothing is known of others."
    )


@pytest.mark.parametrize(
    ("count", "judge", "said"),
    [
        (19, "openai:x", "The judge’s conduct: too few cases to tell (19 cases; 20 are needed)."),
        (20, "openai:x", "The judge’s conduct is fine, but Task understanding and goal fit is always 6."),
        (
            20,
            "embedded",
            "The judge’s conduct is fine, but Task understanding and goal fit is always 6 (the embedded judge does not "
            "assess every criterion).",
        ),
    ],
)
def test_criteria_whose_scores_never_vary_are_named_first(tmp_path, count, judge, said):
    conduct = measured(tmp_path, pairs(count, **varied() | dict.fromkeys((f"{FIRST}_a", f"{FIRST}_b"), 6), judge=judge))
    assert conduct_sentence(conduct) == said
    assert conduct.as_json()["always"] == ({"Task understanding and goal fit": 6} if count == 20 else {})


def test_a_dialogue_and_a_review_have_what_exists_there(tmp_path):
    turns = (Turn(speaker="USER", text="I need a table for two.", line=1), Turn(speaker="SYSTEM", text="Done.", line=2))
    talks = [Given(f"d{n}", Dialogue(dialogue_id=n, turns=turns)) for n in range(2)]
    assert set(seen(measured(tmp_path / "d", talks))) == {"flat", "unvaried"}  # the embedded judge gives no reply
    reviews = [
        Given(f"r{n}", Review(prompt=f"Say hello {n}.", a="Hello there, you.", b="Good day to you.")) for n in range(2)
    ]
    assert not seen(measured(tmp_path / "r", reviews))  # and it does not assess every dimension
