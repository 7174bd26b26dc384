"""A run, a difference and a leaderboard as text and Markdown: right, safe, and not cut."""

import io
import json
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace

import pytest
from results.building import write_run
from results.samples import comparisons
from results.test_diff import other_weights

from adjudge.models.figures import Counts
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.leaderboard import leaderboard_of
from adjudge.protocols.compare.leaderboard_view import leaderboard_document, leaderboard_json
from adjudge.rendering.document import Document, Grid, Section, as_markdown, as_text
from adjudge.rendering.wording import headline, missing
from adjudge.reports.run import export
from adjudge.reports.run.diff import diff_document, diff_json, diff_pictures
from adjudge.results.database import opened
from adjudge.results.diff import diff_of
from adjudge.results.run import open_run

LONG_NAME = "a-system-whose-name-is-much-longer-than-any-terminal-is-wide-" * 3


@pytest.fixture(scope="module")
def diffed():
    with ExitStack() as kept:
        yield lambda first, second: kept.enter_context(diff_of(open_run(first), open_run(second)))


@pytest.fixture(scope="module")
def same(runs, diffed):
    return diffed(runs["compare"], runs["compare"])


@pytest.fixture(scope="module")
def changed(runs, diffed, tmp_path_factory):
    """The same run by other weights."""
    rows, rubric = comparisons(), other_weights("compare")
    return diffed(runs["compare"], write_run(tmp_path_factory.mktemp("diffs") / "second", rows, rubric=rubric))


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    rows = [replace(row, cells={"decided": row.name != "egg-0"}) for row in comparisons()[:8]]
    with opened(open_run(write_run(tmp_path_factory.mktemp("boards") / "run", rows))) as database:
        return leaderboard_of(database)


def exported(folder, where=None):
    file = io.BytesIO()
    with opened(open_run(folder), where) as database:
        export.write_markdown(database, file)
    return file.getvalue().decode()


def test_a_table_is_whole_when_piped_and_wrapped_on_a_terminal():
    document = Document("t", (), (Section("s", (), (Grid(("System", "Won"), ((LONG_NAME, "12"),)),)),))
    assert f"{LONG_NAME}   12\n" in as_text(document, colour=False, width=None)
    lines = as_text(document, colour=False, width=60).splitlines()
    assert all(len(line) <= 60 for line in lines)
    assert "".join(line.split()[0] for line in lines[5:]) == LONG_NAME


@pytest.mark.parametrize(
    ("statuses", "says"),
    [
        ({"verdict": 1, "failure": 1}, "1 verdict, 1 failure of 3 cases"),
        ({"verdict": 2, "failure": 0, "skipped": 1}, "2 verdicts, 1 skipped of 3 cases"),
    ],
)
def test_one_is_one_and_more_are_more(statuses, says):
    counts = Counts(3, Counter(statuses))
    assert headline(counts) == says
    assert missing(counts) == ("The run is not finished: 1 case has no outcome yet." if counts.unfinished else "")


@pytest.mark.parametrize("protocol", ["compare", "dialogue", "grade", "review"])
def test_markdown_says_how_many_are_missing_and_marks_up_nothing(runs, protocol):
    text = exported(runs[protocol])
    assert ("The run is not finished: 1 case has no outcome yet" in text) == (protocol == "compare")
    assert "<script" not in text and "javascript:" not in text and "\u202e" not in text
    head, *rows = text[text.index("## Cases") :].strip().splitlines()[2:]
    assert {row.count(" | ") for row in rows} == {head.count(" | ")}


def test_the_summary_says_how_many_are_undecided_and_hides_none_behind_agreement(runs):
    text = exported(runs["compare"])
    assert "88 % undecided: in 7 of 8 cases" in text and "| Undecided | 87.5 % · 7 of 8 | 52.9 % to 97.8 % |" in text
    assert "Of 7 labelled cases 6 were not decided. Of the other 1 the verdict says what the label says in 1" in text


def test_a_table_in_markdown_ends_and_says_so(runs, monkeypatch):
    monkeypatch.setattr(export, "MOST_ROWS", 4)
    table = exported(runs["compare"]).partition("## Cases\n")[2]
    assert "The first 4 of 10. --where chooses others; CSV and Parquet have all." in table
    assert len([line for line in table.splitlines() if line.startswith("|")]) == 2 + 4


def test_a_run_that_does_not_differ_says_so(same):
    text = as_text(diff_document(same, 5), colour=False, width=80)
    assert "score for score" in text and "Undecided: 7 before, 7 after." in text


def test_copies_are_said_to_count_as_one(tmp_path, diffed):
    rows = [replace(comparisons()[0], name=str(number)) for number in range(10)]
    folder = write_run(tmp_path / "run", rows)
    text = as_text(diff_document(diffed(folder, folder), 5), colour=False, width=None)
    assert "9 cases are copies of another; tests and intervals count copies as one case." in text


@pytest.mark.parametrize("which", ["same", "changed"])
def test_the_pieces_of_a_difference_are_one_indented_document(request, which):
    written = b"".join(diff_json(request.getfixturevalue(which))).decode()
    told = json.loads(written)
    assert bool(told["changed"]) == (which == "changed") and told["undecided"][0] == 7
    assert written == json.dumps(told, indent=2) + "\n"


def test_the_pictures_of_a_difference_hold_every_verdict_and_every_tested_mean(runs, diffed, changed, tmp_path):
    rows = [
        replace(row, name=f"{row.name}, {n}", case=Comparison(f"{row.case.task} ({n})", row.case.a, row.case.b))
        for row in comparisons()[:6]
        for n in range(3)
    ]
    again = write_run(tmp_path / "second", rows, rubric=other_weights("compare"))
    more = diffed(write_run(tmp_path / "first", rows), again)
    went, moved = diff_pictures(more)
    assert sum(more.moves.values()) == more.judged_in_both == 18
    assert all(sum(share for _, share, _ in stack.parts) == pytest.approx(1) for stack in went.rows)
    assert [bar.label for bar in moved.rows] == ["A’s total", "B’s total", "A’s lead over B"]
    assert all(0 <= bar.low <= bar.value <= bar.high <= 1 for bar in moved.rows)
    for few in (changed, diffed(runs["review"], runs["review"])):  # no interval of a mean, or no mean that moved
        assert [picture.title for picture in diff_pictures(few)] == ["Where verdicts went"]


def test_hostile_ids_mark_up_nothing(changed):
    assert "<script" not in as_markdown(diff_document(changed, 50))


def test_a_leaderboard_says_how_ties_and_the_undecided_count(board):
    text = " ".join(as_text(leaderboard_document(board, "run"), colour=False, width=None).split())
    assert "A tie is evidence that two systems are equally strong" in text and "counts as half." in text
    assert "The judge did not decide 1 of 8 comparisons: they count neither as wins nor as ties." in text
    assert "chess" not in text


def test_a_leaderboard_names_who_never_lost_and_is_the_same_as_data(board):
    told = leaderboard_json(board, "run")
    assert any("never lost: how far ahead it is cannot be told" in note for note in told["notes"])
    assert (told["comparisons"], told["undecided"]) == (7, 1)


def test_a_leaderboard_is_safe_to_show(board):
    document = leaderboard_document(board, "run")
    assert "\u202e" not in as_text(document, colour=False, width=100)
    assert "<script" not in as_markdown(document)


@pytest.mark.parametrize("width", range(40, 60))
def test_no_line_ends_between_a_number_and_its_percent(width):
    document = Document("Title", ("It says what people say in 100.0 % of cases, and 5.0 % of the others.",), ())
    lines = as_text(document, colour=False, width=width).splitlines()
    assert not any(line.startswith("%") for line in lines)
    assert " ".join(lines) == "Title It says what people say in 100.0 % of cases, and 5.0 % of the others."
