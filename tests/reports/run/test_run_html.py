"""A run as HTML: the finding first, pictures without a script, every case with its page, nobody else's markup."""

import re
import shutil
from dataclasses import replace
from decimal import Decimal

import pytest
from reports.looking import Page
from results.building import Given, write_run
from results.samples import GOOD, SHORT, comparisons, dialogues, reviews

from adjudge.errors import InputError
from adjudge.protocols.compare.case import Comparison
from adjudge.rendering.wording import duration, percent_sure
from adjudge.reports.run import export
from adjudge.reports.run.view import view_run
from adjudge.results.database import opened
from adjudge.results.run import open_run
from adjudge.results.summary import grid_of

PROTOCOLS = ("compare", "dialogue", "grade", "review")


def write_html(folder, index, where=None):
    with opened(open_run(folder), where) as database:
        return export.write_html(database, index)


def report_of(folder, tmp_path):
    return write_html(folder, tmp_path / "r.html").index.read_text("utf-8")


@pytest.fixture(scope="module")
def written(runs, tmp_path_factory):
    """The report of each run, written once: tests read it."""
    return {each: write_html(runs[each], tmp_path_factory.mktemp(each) / "the report.html") for each in PROTOCOLS}


@pytest.fixture(scope="module")
def reports(written):
    return {protocol: each.index.read_text("utf-8") for protocol, each in written.items()}


def said(row, winner, *, decided=True, agree=True):
    cells = {"winner": winner, "decided": decided, "order_consistent": agree}
    return replace(row, cells=cells)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_verdict_has_a_page_that_leads_back_and_no_element_of_a_stranger(written, reports, protocol):
    found, page = written[protocol], Page(reports[protocol])
    assert found.broken == 0 and found.pages == found.summary.verdicts
    assert page.tags.count("script") == 1 and not {"img", "iframe", "form"} & set(page.tags)
    links = [link for link in page.links if "cases/" in link]
    assert len(links) == found.pages
    for link in links:
        case = found.index.parent / link.replace("%20", " ")
        inner = Page(case.read_text("utf-8"))
        assert "script" not in inner.tags and "img" not in inner.tags
        assert "../../../the%20report.html" in inner.links


def test_the_page_may_run_its_own_script_and_nothing_else(reports):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', reports["compare"])[1].replace("&#39;", "'")
    assert re.fullmatch(r"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[\w+/]+=*'", policy)


def test_the_pages_of_cases_share_a_stylesheet_and_are_small(written):
    files = written["compare"].index.parent / "the report_files"
    (shared,) = files.glob("style-*.css")
    for page in (files / "cases").rglob("*.html"):
        text = page.read_text("utf-8")
        assert f'href="../../{shared.name}"' in text and "--serif:" not in text
        assert "style-src 'unsafe-inline' 'self' file:" in text
    assert "--serif:" in shared.read_text("utf-8")


def test_the_report_keeps_its_size_when_texts_are_long(tmp_path):
    words = "What would you say about that? " * 5_000
    rows = [Given(f"{number} {words[:500]}", Comparison(words, GOOD, SHORT)) for number in range(3)]
    assert len(report_of(write_run(tmp_path / "run", rows), tmp_path)) < 60_000


def test_a_long_list_goes_on_over_pages_that_lead_to_each_other_and_failures_are_linked_on_theirs(
    runs, tmp_path, monkeypatch
):
    monkeypatch.setattr(export, "ROWS", 4)
    monkeypatch.setattr(export, "MOST_PAGES", 5)
    written = write_html(runs["compare"], tmp_path / "my report.html")
    first = Page(written.index.read_text("utf-8"))
    second, third = (Page((tmp_path / "my report_files" / f"page-{at}.html").read_text("utf-8")) for at in (2, 3))
    assert {"../my%20report.html", "page-3.html", "cases/000/000004.html"} <= set(second.links)
    assert (written.pages, written.without_page) == (5, 3)
    assert "3 cases of the list have no page" in first.text
    assert "#case-8" not in first.links and "my%20report_files/page-3.html#case-8" in first.links
    assert "case-8" in third.ids


def test_the_list_says_how_sure_the_judge_is_as_the_case_does(tmp_path):
    rows = [replace(comparisons()[at], cells={"confidence": sure}) for at, sure in enumerate((0.29, 0.57, 0.58))]
    shown = Page(report_of(write_run(tmp_path / "run", rows), tmp_path)).text
    assert all(f" {sure} %" in shown for sure in (29, 57, 58))
    assert [percent_sure(Decimal(step) / 100) for step in range(101)] == list(range(101))
    assert [percent_sure(step / 100) for step in range(101)] == list(range(101))


def test_a_report_replaces_only_a_report(runs, tmp_path):
    write_html(runs["dialogue"], tmp_path / "r.html")
    write_html(runs["dialogue"], tmp_path / "r.html", "\"case\" = '1'")
    assert len(list((tmp_path / "r_files" / "cases").rglob("*.html"))) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.html", "r_files"]
    (tmp_path / "mine_files").mkdir()
    (tmp_path / "mine_files" / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="not a report of adjudge"):
        write_html(runs["dialogue"], tmp_path / "mine.html")
    assert (tmp_path / "mine_files" / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_line_ends_between_a_number_and_its_percent_sign(reports, protocol):
    page = reports[protocol]
    assert "95\u00a0% interval" in page
    assert not re.search(r"\d %", re.sub(r"(?s)<(style|script)>.*?</\1>", "", page))


def test_what_others_wrote_keeps_its_space_before_a_percent_sign(tmp_path):
    theirs = "Now 50 % off"
    rows = [
        Given(f"{theirs} {at}", Comparison(f"{theirs}: why {at}?", "Because.", "So."), systems=(theirs, "wren"))
        for at in range(3)
    ]
    page = report_of(write_run(tmp_path / theirs, rows), tmp_path)
    assert page.count(theirs) > 6
    assert theirs.replace(" %", "\u00a0%") not in page
    assert "95\u00a0% interval" in page


def test_an_empty_run_says_so(tmp_path):
    folder = write_run(tmp_path / "run", comparisons()[-1:])
    assert "No case has an outcome yet" in report_of(folder, tmp_path)


def test_a_run_without_a_verdict_and_one_of_invalid_tasks_claim_nothing(tmp_path):
    lost = report_of(write_run(tmp_path / "lost", [replace(reviews()[0], fate="failure")]), tmp_path)
    assert "No verdict</h1>" in lost and "None of 1 case has one." in lost
    empty = reviews()[3]
    invalid = report_of(write_run(tmp_path / "invalid", [empty, replace(empty, name="too")]), tmp_path)
    assert "None of 2 tasks can be rated." in invalid and "from scratch" not in invalid


def test_a_clear_winner_is_the_headline_with_its_share_as_a_bar(tmp_path):
    rows = [replace(said(comparisons()[at % 6], "A"), name=str(at), systems=None) for at in range(12)]
    for at, row in enumerate(rows):  # twelve different tasks
        rows[at] = replace(row, case=row.case.updated(task=f"How do I boil {at + 2} eggs?"))
    text = report_of(write_run(tmp_path / "run", rows), tmp_path)
    assert '<h1 class="run" dir="auto">A beats B</h1>' in text
    assert "A won 12 of 12 decided comparisons, B 0; 0 were ties (p < 0.001)." in Page(text).text
    assert re.search(r'<rect class="fill" width="100.00"', text) and "75.8\u00a0% to 100.0\u00a0%" in text


@pytest.mark.parametrize("systems", [None, ("wren", "crow")])
def test_copies_of_one_case_do_not_make_a_winner(tmp_path, systems):
    rows = [replace(said(comparisons()[0], "A"), name=str(at), systems=systems) for at in range(12)]
    text = Page(report_of(write_run(tmp_path / "run", rows), tmp_path)).text
    assert "Too close to call" in text and "(p = 1.00)" in text


def test_systems_are_shown_by_strength_and_head_to_head(tmp_path):
    rows = [said(row, "A" if row.systems[0] == "rook" else "B") for row in comparisons()[:6]]
    text = Page(report_of(write_run(tmp_path / "run", rows), tmp_path)).text
    assert "Head to head" in text and "rook against crow" in text and "2 won, 0 tied, 0 lost" in text


def test_margins_are_a_histogram_and_labels_a_comparison(reports):
    text = reports["compare"]
    assert 'class="step A"' in text and "+0.5: 4 cases" in text
    shown = Page(text).text
    assert "Of 7 labelled cases 6 were not decided." in shown and "As labelled, of those decided" in shown


def test_the_heaviest_caution_is_the_headline_and_one_lost_case_is_not(tmp_path):
    rows = [said(row, "A", agree=at > 1) for at, row in enumerate(comparisons()[:6])]
    lost = [replace(rows[0], name=f"x{at}", case=rows[0].case.updated(task=f"Task {at}.")) for at in range(30)]
    lost[0] = replace(lost[0], fate="failure")
    rows += [said(row, "A", agree=at > 9) for at, row in enumerate(lost)]
    text = report_of(write_run(tmp_path / "run", rows), tmp_path)
    first = text.index('class="first">31\u00a0% of orders disagree: in 11 of 35 cases')
    assert text.index("1 case failed and is in no figure.") > text.index('id="cases"') > first


def test_failures_have_a_section_that_leads_to_their_rows(reports):
    page = Page(reports["compare"])
    assert "Failures (2)" in page.text and "#failures" in page.links and "#case-8" in page.links


def test_the_list_shows_how_each_task_begins(reports):
    assert "How do I boil an egg for 3 people?" in Page(reports["compare"]).text
    assert "my parcel was due on Monday" in Page(reports["dialogue"]).text


def test_a_dialogue_run_leads_with_its_mean_and_shows_criteria_with_intervals(reports):
    text = Page(reports["dialogue"]).text
    assert "58.7 of 100" in text and "95 % interval" in text
    assert "Scores by criterion" in text and "Overall experience" in text


def test_a_review_run_leads_with_corrections_by_dimension(reports):
    text = Page(reports["review"]).text
    assert "90 % of ratings corrected" in text and "9 of 10 checked ratings were replaced" in text
    assert "20 more were not assessed." in text
    assert "Corrections by dimension" in text and "2 replaced, 2 filled, 2 not assessed" in text


def test_a_grid_shows_each_case_by_criterion_in_the_order_of_its_margin(tmp_path):
    rows = [
        replace(
            said(comparisons()[at], "A" if at % 2 else "B"),
            name=f"egg <{at}>",
            cells={
                "winner": "A" if at % 2 else "B",
                "decided": True,
                "lead": at,
                **{"clarity_structure_a": 5 + at - 2, "clarity_structure_b": 5},
            },
        )
        for at in range(5)
    ]
    with opened(open_run(write_run(tmp_path / "run", rows))) as database:
        view, *_ = view_run(database)
    (grid,) = (picture for picture in view.pictures if picture.kind == "grid")
    assert grid.cases == (4, 3, 2, 1, 0), "A is farthest ahead on the left"
    (strip,) = (row for row in grid.rows if row.label.startswith("Clarity"))
    assert [(tone, strength) for tone, strength, _ in strip.parts] == [
        ("A", 0.5), ("A", 0.25), ("", 0.0), ("B", 0.25), ("B", 0.5),
    ]  # fmt: skip
    assert [told for *_, told in strip.parts][:2] == ["egg <4>: +2.00", "egg <3>: +1.00"]
    text = report_of(tmp_path / "run", tmp_path)
    assert 'href="#case-4"' in text and "<title>egg &lt;4&gt;: +2.00</title>" in text


def test_many_cases_stand_together_in_the_grid_and_none_is_lost(tmp_path):
    rows = [replace(comparisons()[at % 6], name=str(at)) for at in range(100)]
    with opened(open_run(write_run(tmp_path / "run", rows))) as database:
        names, bands = grid_of(database)
    assert len(bands) == 48 and sum(band.cases for band in bands) == 100
    assert all(len(band.means) == len(names) for band in bands)


@pytest.mark.parametrize(
    ("protocol", "tones"),
    [("compare", {"A", "B", ""}), ("dialogue", {"A", "B"}), ("grade", {"A", "B", ""}), ("review", {"B", ""})],
)
def test_every_protocol_has_a_grid_and_says_what_it_cost(runs, protocol, tones):
    with opened(open_run(runs[protocol])) as database:
        view, *_ = view_run(database)
    by_kind = {picture.kind: picture for picture in view.pictures}
    assert {tone for row in by_kind["grid"].rows for tone, *_ in row.parts} <= tones
    assert by_kind["amounts"].rows[0].label == "Cost"


def test_the_time_is_from_the_start_to_the_end(runs, tmp_path):
    shutil.copytree(runs["compare"], tmp_path / "run")
    (tmp_path / "run" / "summary.json").write_text('{"ended": "2026-01-02T03:06:10+00:00"}')
    assert open_run(tmp_path / "run").seconds == 125
    assert "2 min 5 s" in report_of(tmp_path / "run", tmp_path)
    for stopped_by, seconds in (("null", None), ('"paused"', 125)):
        written = f'{{"ended": "2026-01-02T03:06:10+00:00", "open": 3, "stopped_by": {stopped_by}}}'
        (tmp_path / "run" / "summary.json").write_text(written)
        assert open_run(tmp_path / "run").seconds == seconds, "a run in progress has not ended"


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (59, "59 s"), (60, "1 min"), (3_661, "1 h 1 min"), (90_000, "1 d 1 h")]
)
def test_a_duration_has_its_two_largest_units(seconds, said):
    assert duration(seconds) == said


def test_numbers_in_the_list_have_two_decimals_and_intervals_of_means_end_with_the_scale(tmp_path):
    talks = [each for each in dialogues() if each.fate == "verdict"]
    given = zip(talks, (20, 100, 100), strict=True)
    rows = [replace(each, cells={"average": 66.666667, "Empathy": score}) for each, score in given]
    folder = write_run(tmp_path / "run", rows)
    with opened(open_run(folder)) as database:
        (means,) = (each for each in view_run(database)[0].pictures if each.title == "Scores by criterion")
    assert {row.label: row.note for row in means.rows}["Empathy"] == "20.0 to 100.0"
    shown = Page(report_of(folder, tmp_path)).text
    assert " 66.67 " in shown and "66.666" not in shown
