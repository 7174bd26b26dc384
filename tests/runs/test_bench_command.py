"""`adjudge bench`: every judge on every labelled set, within one budget, continued by the same command."""

import csv
import json
import re

import pytest
from runs.conftest import pairs, write_lines
from runs.test_probe_command import RUBRIC
from scripted.provider import judges

from adjudge.agreement.benchmark import Benchmark
from adjudge.rendering.document import as_markdown, as_text
from adjudge.reports.judges import benchmark_document

CASES = 12


@pytest.fixture
def bench(provider, command, tmp_path):
    sets = tmp_path / "sets"
    sets.mkdir()
    # People prefer the plan in all cases but two; the plan stands first.
    rows = [row | {"human": "B" if n < 2 else "A", "votes": ["A", "A", "B"]} for n, row in enumerate(pairs(CASES))]
    write_lines(sets / "plans.jsonl", [*rows, rows[0] | {"a": " "}])
    with (sets / "drafts.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, ["task", "a", "b", "winner"])
        table.writeheader()
        table.writerows(
            {"task": f"Draft {n}", "a": row["a"], "b": row["b"], "winner": "model_b"} for n, row in enumerate(rows)
        )
    write_lines(sets / "unlabelled.jsonl", pairs(2))
    (sets / "README.md").write_text("about these sets")
    provider.script = lambda request: judges(
        (lambda text: 9 if text.startswith("Plan") else 3) if request.json["model"] == "plans" else None
    )
    judge = [f"{provider.url}/v1#{name}" for name in ("plans", "length")]

    async def run(*more, judge=judge):
        named = [word for each in judge for word in ("--judge", each)]
        done = await command("bench", "sets", *named, *more)
        found = json.loads(done.out) if "json" in more and done.out else None
        return done, found

    return run


async def test_each_judge_stands_beside_simple_rules_and_people_and_the_same_command_continues_and_pays_nothing_twice(
    bench, provider, tmp_path
):
    done, found = await bench("--limit", "5", "--format", "json")
    assert [each["cases"] for each in found["sets"]] == [5, 5]
    assert len(provider.requests) == 2 * 2 * 2 * 5
    done, found = await bench("--format", "json")
    assert (done.code, len(provider.requests)) == (0, 2 * 2 * 2 * CASES), done.err
    by_name = {each["name"]: each for each in found["sets"]}
    assert list(by_name) == ["drafts", "plans"]
    assert found["left_out"] == {"unlabelled.jsonl": "no labels"}
    plans = by_name["plans"]
    assert (plans["cases"], plans["measure"], plans["base_rates"]) == (CASES, "agreement", {"A": 10 / 12, "B": 2 / 12})
    assert plans["skipped"] == 1
    assert plans["rules"]["first position"]["value"] == plans["rules"]["constant"]["value"] == 10 / 12
    # Two of three people agree with each other, the third with neither; two draw.
    assert 0 < plans["people"]["value"] <= 1 / 3
    follows_plans = plans["judges"][0]
    assert follows_plans["agreement"]["value"] == follows_plans["decided"]["value"] == 10 / 12
    low, high = follows_plans["agreement"]["interval"]
    assert low < 10 / 12 < high
    assert (follows_plans["failed"], follows_plans["undecided"], follows_plans["took_part"]) == (0, 0, [])
    assert by_name["drafts"]["judges"][0]["agreement"]["value"] == 0.0
    assert by_name["drafts"]["people"] is None
    # The report has the forms of the other commands.
    page, _ = await bench("--format", "html", "-o", "report")
    assert (page.code, len(provider.requests)) == (0, 2 * 2 * 2 * CASES), page.err
    document = benchmark_document(Benchmark.model_validate_json(done.out))
    forms = {"<!doctype": (tmp_path / "report").read_text("utf-8"), "# Judges on": as_markdown(document)}
    forms["Judges on labelled sets"] = as_text(document, colour=False, width=100)
    for begins, report in forms.items():
        assert report.startswith(begins)
        for word in ("plans", "drafts", "length", "Longest answer", "First position", "Another person", "unlabelled"):
            assert word in report, begins
    assert "<script" not in forms["<!doctype"]
    assert not re.search(r"""((src|href)=|url\()["']?http""", forms["<!doctype"])


async def test_a_dry_run_says_what_all_of_it_would_take_and_a_bad_output_is_refused_first(bench, provider):
    done, _ = await bench("--dry-run", "--one-order")
    assert (done.code, done.out, provider.requests) == (0, "", [])
    assert f"4 runs, {4 * CASES + 2} cases to judge, about {4 * CASES} calls" in done.err
    done, _ = await bench("-o", "bench.pdf")
    assert (done.code, provider.requests) == (2, []) and "no format is known for .pdf" in done.err


async def test_nothing_is_claimed_for_a_set_that_the_judge_was_made_with(bench, tmp_path):
    fitted = [row | {"task": "Tell me  a fun fact", "human": "A"} for row in pairs(11)]
    write_lines(tmp_path / "sets" / "renamed.jsonl", fitted)
    done, found = await bench("--format", "json", judge=["embedded"])
    parts = {each["name"]: each["judges"][0] for each in found["sets"]}
    assert (parts["renamed"]["took_part"], parts["renamed"]["ahead"]) == (["autoj"], None)
    assert (parts["plans"]["took_part"], parts["plans"]["ahead"]["cases"]) == ([], CASES)
    text = as_text(benchmark_document(Benchmark.model_validate_json(done.out)), colour=False, width=100)
    assert "took part in fitting: embedded was fitted to renamed," in text
    claims = text.partition("Against the longest answer")[2].partition("Before you trust it")[0]
    assert "plans" in claims and "renamed" not in claims


async def test_dialogues_are_ranked_beside_one_person_and_the_number_of_turns(command, tmp_path):
    sets = tmp_path / "sets"
    sets.mkdir()
    talks = []
    for n in range(12):
        declined = "Sorry, I cannot help with that." if n % 2 else "I booked a table for two at seven."
        more = "USER\tAnd a taxi, please.\t\t\nSYSTEM\tThe taxi comes at six.\t\t\n" * (n // 3)
        rated = f"{5 - 3 * (n % 2)},{4 - 2 * (n % 2)},3"
        talks.append(f"USER\tBook table {n}.\t\t\nSYSTEM\t{declined}\t\t\n{more}USER\tOVERALL\tOTHER\t{rated}\n")
    (sets / "talks.txt").write_text("\n".join(talks), "utf-8")
    done = await command("bench", "sets", "--format", "json")
    assert done.code == 0, done.err
    (talks_found,) = json.loads(done.out)["sets"]
    assert (talks_found["protocol"], talks_found["measure"], talks_found["cases"]) == ("dialogue", "spearman", 12)
    assert list(talks_found["rules"]) == ["number of turns"]
    assert talks_found["judges"][0]["agreement"]["value"] > 0.5
    # Three people: two who differ with the conversation, one who always says 3.
    assert 0 < talks_found["people"]["value"] < 1
    document = benchmark_document(Benchmark.model_validate_json(done.out))
    assert talks_found["judges"][0]["with_person"]["value"] < talks_found["judges"][0]["agreement"]["value"]
    assert "## Dialogues: rank agreement with one person" in as_markdown(document)


async def test_a_folder_without_labelled_cases_is_refused(command, tmp_path):
    (tmp_path / "sets").mkdir()
    write_lines(tmp_path / "sets" / "pairs.jsonl", pairs(2))
    done = await command("bench", "sets")
    assert done.code == 2
    assert "sets: no file with labelled cases; pairs.jsonl: no labels" in done.err
    assert not (tmp_path / "adjudge-bench").exists()
    done = await command("bench", "elsewhere")
    assert (done.code, "elsewhere: folder not found" in done.err) == (2, True)


async def test_a_rubric_of_ones_own_holds_for_the_sets_of_its_protocol(bench, provider, tmp_path):
    (tmp_path / "mine.yaml").write_text(RUBRIC)
    one = [f"{provider.url}/v1#plans"]
    done, found = await bench("--rubric", "mine.yaml", "--limit", "2", "--format", "json", judge=one)
    assert done.code == 0, done.err
    assert [each["cases"] for each in found["sets"]] == [2, 2]
    assert provider.requests and all(
        "Warmth" in request.system + "".join(request.turns) for request in provider.requests
    )
    done, _ = await bench("--rubric", "mine.yaml", "--rubric", "mine.yaml")
    assert done.code == 2 and "--rubric: mine: its protocol is compare; at most one for compare and one" in done.err
