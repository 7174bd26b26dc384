"""`adjudge label` as a person meets it: blind, kept after each answer, continued at the first open case."""

from decimal import Decimal

import orjson
import pytest
from cli.labelled import kept
from results.samples import HOSTILE

from adjudge.agreement.labels.sampling import order_for, read_selection
from adjudge.agreement.labels.sources import load_labels
from adjudge.results.run import Reader, open_run


@pytest.fixture
def folder(copied):
    return copied("compare")


def shown_order(folder, annotator="ann"):
    """The positions in the order in which they are shown, and which answer stands first in each."""
    selection = read_selection(open_run(folder))
    return [(pick.position, order_for(selection, annotator, pick.position)) for pick in selection.picks]


# -- what is shown ----------------------------------------------------------------------------------------------------


def test_neither_verdict_nor_source_nor_anybodys_label_is_shown(adjudge, folder):
    code, out, err = adjudge("label", folder, "--annotator", "ann", stdin="1\n2\nt\n?\n1\n2\n1\n")
    assert (code, err) == (0, "")
    assert out.count("Task number") == 6 and "6 of 6 cases labelled by ann." in out
    assert "secret" not in out.replace(str(folder), "") and "random" not in out and "undecided" not in out
    with Reader(open_run(folder)) as reader:
        for position in range(6):
            verdict = reader.verdict(position)
            assert verdict.rationale not in out and str(verdict.overall["A"].weighted_total) not in out


def test_what_is_shown_does_not_depend_on_what_the_judge_said(adjudge, folder):
    asked = ("label", folder, "--annotator")
    before = adjudge(*asked, "ann", stdin="q\n")[1]
    lines = (folder / "verdicts.jsonl").read_bytes()
    (folder / "verdicts.jsonl").write_bytes(lines.replace(b'"winner":"A"', b'"winner":"B"').replace(b"true", b"false"))
    assert (folder / "verdicts.jsonl").read_bytes() != lines
    assert adjudge(*asked, "ann", stdin="q\n")[1] == before


def test_what_was_seen_first_is_recorded_and_the_label_is_in_the_cases_own_terms(adjudge, folder):
    code, out, _ = adjudge("label", folder, "--annotator", "ann", stdin="1\n" * 6)
    order = shown_order(folder)
    assert code == 0 and {first for _, first in order} == {"ab", "ba"}
    screens = out.split("─" * 100)[1:]
    for screen, (position, first) in zip(screens, order, strict=True):
        texts = [f"First text of {position}.", f"Second text of {position}."]
        heading, left = next(line for line in screen.splitlines() if " text of " in line), texts[first == "ba"]
        assert heading.startswith(left)
        label = kept(folder)[f"secretid{position}"]
        assert (label["shown"], label["value"]) == (first, "A" if first == "ab" else "B")


def test_narrow_terminals_show_one_answer_below_the_other(adjudge, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    out = adjudge("label", folder, "--annotator", "ann", stdin="q\n")[1]
    lines = [line.rstrip() for line in out.splitlines()]
    assert lines.index("Answer 1") < lines.index("Answer 2")
    assert max(len(line) for line in lines if str(folder) not in line) == 60


def test_what_strangers_wrote_commands_no_terminal(adjudge, copied):
    folder = copied("hostile")
    with (folder / "cases.jsonl").open("rb") as file:
        line = orjson.loads(file.read())
    line["input"]["a"] = "\x1b]0;title\x07 \x1b[2J [bold]text[/bold] :smile: \x9b31m" + line["input"]["a"]
    (folder / "cases.jsonl").write_bytes(orjson.dumps(line) + b"\n")
    out = adjudge("label", folder, "--annotator", "ann", stdin="n \x1b[2J\u202e\n1\n")[1]
    out += adjudge("label", folder, "--annotator", "ann", "--list")[1]
    assert not set(out) & {"\x1b", "\x07", "\x9b", "\u202e"}
    assert "[bold]text[/bold]" in out and ":smile:" in out and HOSTILE.split()[0] in out


# -- what is kept -----------------------------------------------------------------------------------------------------


def test_labels_skips_flags_and_notes_are_kept_and_the_same_command_goes_on_at_the_first_open_case(adjudge, folder):
    order = [f"secretid{position}" for position, _ in shown_order_after(adjudge, folder, 4)]
    code, out, _ = adjudge("label", folder, "--annotator", "ann", stdin="f\nn a hard one\nt\ns\nq\n")
    assert code == 0 and "1 of 4 cases labelled by ann, 1 skipped, 1 flagged." in out
    assert f"Continue with: adjudge label {folder} --annotator ann" in out
    labels = kept(folder)
    first, second = labels[order[0]], labels[order[1]]
    assert (first["value"], first["flagged"], first["note"]) == ("tie", True, "a hard one")
    assert (second["value"], second["skipped"]) == (None, True)
    assert first["stratum"] in ("random", "disagreement") and first["time"].endswith("Z")
    out = adjudge("label", folder, "--annotator", "ann", stdin="1\n")[1]
    assert out.split("─" * 100)[1].splitlines()[1] == "3 of 4"
    assert list(kept(folder)) == order[:3]
    out = adjudge("label", folder, "--annotator", "ann", stdin="1\n")[1]
    assert out.endswith("3 of 4 cases labelled by ann, 1 skipped, 1 flagged.\n")
    assert "Nothing is open: --change ID" in adjudge("label", folder, "--annotator", "ann")[1]


def shown_order_after(adjudge, folder, n):
    assert adjudge("label", folder, "--annotator", "nobody", "--n", n)[0] == 0
    return shown_order(folder)


def test_a_flag_or_a_note_is_kept_although_the_case_is_left_open(adjudge, folder):
    adjudge("label", folder, "--annotator", "ann", stdin="f\nn\nlook at this\n")
    (label,) = kept(folder).values()
    assert (label["flagged"], label["note"], label["value"], label["skipped"]) == (True, "look at this", None, False)
    out = adjudge("label", folder, "--annotator", "ann", stdin="f\n1\nq\n")[1]
    assert "0 of 6 cases labelled by ann, 1 flagged." in out and "No longer flagged." in out and "2 of 6" in out


def test_u_goes_back_to_change_the_case_before_and_then_on_at_the_open_one(adjudge, folder):
    order = shown_order_after(adjudge, folder, 4)
    out = adjudge("label", folder, "--annotator", "ann", stdin="u\n1\n1\nu\nu\nt\nq\n")[1]
    assert "This is the first case." in out
    screens = [screen.splitlines()[1] for screen in out.split("─" * 100)[1:]]
    assert screens == ["1 of 4", "1 of 4", "2 of 4", "3 of 4", "2 of 4", "1 of 4", "3 of 4"]
    assert out.count("Your label so far: Answer 1 is better") == 2
    values = [kept(folder)[f"secretid{position}"]["value"] for position, _ in order[:2]]
    assert values == ["tie", "A" if order[1][1] == "ab" else "B"]
    assert len((folder / "labels" / "ann.jsonl").read_bytes().splitlines()) == 3


def test_change_asks_about_these_cases_again_and_the_new_label_counts(adjudge, folder):
    adjudge("label", folder, "--annotator", "ann", stdin="1\ns\n1\n1\n1\n1\n")
    skipped = next(case for case, label in kept(folder).items() if label["skipped"])
    other = next(case for case, label in kept(folder).items() if not label["skipped"])
    code, out, _ = adjudge("label", folder, "--annotator", "ann", "--change", skipped, other, stdin="t\nt\n")
    assert code == 0 and "Your label so far: skipped" in out and "Your label so far: Answer 1 is better" in out
    assert [kept(folder)[case]["value"] for case in (skipped, other)] == ["tie", "tie"]
    assert not kept(folder)[skipped]["skipped"]
    code, _, err = adjudge("label", folder, "--annotator", "ann", "--change", "nobody")
    assert code == 2 and err.startswith("adjudge: --change: 'nobody' is not among the cases to label; choose one of")


def test_the_list_shows_ones_own_labels(adjudge, folder):
    adjudge("label", folder, "--annotator", "ann", stdin="f\nn why, though\nt\ns\nq\n")
    code, out, _ = adjudge("label", folder, "--annotator", "ann", "--list")
    head, _, first, second = out.splitlines()
    assert code == 0 and head.split() == ["case", "label", "flag", "note", "time"]
    assert first.split()[1:6] == ["tie", "flagged", "why,", "though", kept(folder)[first.split()[0]]["time"]]
    assert second.split()[1] == "skipped"
    code, _, err = adjudge("label", folder, "--annotator", "eve", "--list")
    assert (code, err) == (2, "adjudge: --annotator: no labels by eve; there are labels by: ann\n")


def test_everybody_gets_the_same_cases_and_more_can_be_added(adjudge, folder):
    adjudge("label", folder, "--annotator", "ann", "--n", 2, stdin="1\n1\n")
    adjudge("label", folder, "--annotator", "ben", stdin="2\n2\n")
    assert list(kept(folder)) == list(kept(folder, "ben")) and len(kept(folder)) == 2
    before = list(kept(folder))
    out = adjudge("label", folder, "--annotator", "ann", "--n", 5, stdin="1\n1\n1\n")[1]
    assert "3 of 5" in out and "5 of 5 cases labelled by ann." in out
    assert list(kept(folder))[:2] == before and len(kept(folder)) == 5
    # Somebody with less time takes the first ones.
    assert "0 of 3 cases labelled by eve" in adjudge("label", folder, "--annotator", "eve", "--n", 3, stdin="q\n")[1]
    labels = load_labels(open_run(folder))
    assert labels.annotators == ("ann", "ben") and sum(len(by) == 2 for by in labels.by_case.values()) == 2


def test_separate_cases_are_ones_own(adjudge, folder):
    adjudge("label", folder, "--annotator", "ann", "--n", 3, stdin="1\n" * 3)
    code, out, err = adjudge("label", folder, "--annotator", "ben", "--n", 4, "--separate", stdin="1\nq\n")
    assert code == 0 and err == (
        "adjudge: only 3 cases can be picked: the others have no verdict that a label can be compared with, are "
        "copies, or belong to someone else\n"
    )
    assert f"Continue with: adjudge label {folder} --annotator ben --separate" in out
    assert not kept(folder).keys() & kept(folder, "ben").keys()


# -- dialogues and reviews --------------------------------------------------------------------------------------------


def test_a_dialogue_is_rated_on_the_rubrics_scale_by_its_steps_or_its_numbers(adjudge, copied):
    folder = copied("dialogue")
    out = adjudge("label", folder, "--annotator", "ann", stdin="4\n20\n")[1]
    assert "SYSTEM: " in out and "USER: " in out and "OVERALL" not in out
    assert "  4 80: a small flaw, otherwise met" in out
    assert sorted(label["value"] for label in kept(folder).values()) == [20, 80]
    assert all(label["shown"] is None and label["criteria"] == {} for label in kept(folder).values())


def test_criteria_are_rated_one_by_one_each_kept_at_once_and_one_may_be_skipped(adjudge, copied):
    folder = copied("dialogue")
    adjudge("label", folder, "--annotator", "ann", "--criteria", stdin="4\n1\ns\n3\nu\n5\n")
    (label,) = kept(folder).values()
    assert label["value"] == 80
    assert label["criteria"] == {"TaskSuccess": 20, "Helpfulness": None, "Accuracy": 100}
    out = adjudge("label", folder, "--annotator", "ann", "--criteria", stdin="2\n2\n2\nq\n")[1]
    assert "How good was the system" not in out.split("Fluency")[0] and "Understanding: " in out
    label = next(iter(kept(folder).values()))
    assert list(label["criteria"].values()) == [20, None, 100, 40, 40, 40]
    labels = load_labels(open_run(folder))
    rated = labels.by_case[label["position"]]["ann"].criteria
    assert (rated["Accuracy"], rated["Helpfulness"]) == (100, None)


def test_a_reviews_preference_and_ratings_are_mapped_back_to_its_own_responses(adjudge, copied):
    folder = copied("review")
    ratings = ["3", "2", "3", "-1", "3", "3", "4"], ["1", "1", "1", "2", "1", "1", "2"]
    answers = ["2", *ratings[0], *ratings[1]]
    out = adjudge("label", folder, "--annotator", "ann", "--criteria", stdin="\n".join(answers * 2) + "\n")[1]
    assert "2 of 2 cases labelled by ann." in out and "Answer 1 is much better" in out
    for position, order in shown_order(folder):
        label = next(label for label in kept(folder).values() if label["position"] == position)
        assert label["value"] == (2 if order == "ab" else 6)
        for letter, given in zip(order, ratings, strict=True):
            assert label["criteria"][f"verbosity_{letter}"] == int(given[3])
            assert label["criteria"][f"overall_quality_{letter}"] == int(given[6])
    values = load_labels(open_run(folder)).by_case
    assert all(by["ann"].value in (Decimal(2), Decimal(6)) for by in values.values())


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stdin", "says"),
    [
        ("1\nx\n", "line 2: 'x' is not an answer here; 1, 2, t, or s f n u q ?"),
        ("A\n", "line 1: 'A' is not an answer here; 1, 2, t,"),
        ("\n", "line 1: no answer; 1, 2, t,"),
    ],
)
def test_what_is_no_answer_is_one_line_that_says_what_is_allowed_and_labels_before_it_are_kept(
    adjudge, folder, stdin, says
):
    code, _, err = adjudge("label", folder, "--annotator", "ann", stdin=stdin)
    assert code == 2 and err.startswith(f"adjudge: standard input, {says}") and err.count("\n") == 1
    assert not stdin.startswith("1") or len(kept(folder)) == 1


def test_a_torn_last_line_is_said(adjudge, folder):
    adjudge("label", folder, "--annotator", "ann", stdin="1\nq\n")
    with (folder / "labels" / "ann.jsonl").open("ab") as file:
        file.write(b'{"case":"secr')
    code, out, err = adjudge("label", folder, "--annotator", "ann", stdin="1\nq\n")
    assert code == 0 and "the last line was cut off when it was written, and is left out" in err
    assert "2 of 6 cases labelled by ann." in out and len(kept(folder)) == 2
