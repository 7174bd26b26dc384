"""What the first line of a run says of its judge: scripted judges that forge quotes, follow the position, always tie,
give every criterion the same score, or behave."""

import html
import json
import re

import pytest
from agreement.report.judged import shown
from runs.conftest import judge_of, write_lines
from scripted.misbehaving import behaving, following_the_position, forging, never_varying, scoring_flat, tying
from scripted.provider import says

from adjudge.agreement.report import AgreementReport
from adjudge.models.base import from_json
from adjudge.results.run import open_run

CASES = 24


def different_pairs(count=CASES, start=0):
    words = ("plan", "draft", "budget", "team", "release", "test", "review")
    for n in range(start, start + count):
        one, two = words[n % 7], words[(n + 3) % 7]
        yield {
            "id": f"case-{n}",
            "task": f"Say how to begin number {n}.",
            "a": f"Begin number {n} with a small {one} that two people can finish in a week or less.",
            "b": f"For number {n} write the {two} first and show it to somebody before anything else is done.",
            "label": "AB"[n % 2],
        }


async def first_line(command, provider, script, cases=CASES):
    provider.script = script
    told = await command.run(different_pairs(cases), "--judge", judge_of(provider), exits=None)
    return told.out.splitlines()[0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ((), r"The judge’s conduct is fine\."),
        ((forging(0.03),), r"The judge’s conduct is fine\."),
        (
            (forging(0.2),),
            r"Look at the judge’s conduct: (18|19|20|21|22) % of the quotes are invented \(1\d to 2\d %\); "
            r"9\d % of the replies had to be repaired \(.*\)\.",
        ),
        (
            (following_the_position,),
            r"Not fit to judge: the (two orders disagree|preference follows the position) in 100 % of the cases .*; "
            r"the (two orders disagree|preference follows the position) in 100 % of the cases \(84 to 100 %\)\.",
        ),
        ((tying,), r"Not fit to judge: both answers score the same in 100 % of the cases \(84 to 100 %\)\."),
        (
            (scoring_flat,),
            r"Look at the judge’s conduct: every criterion gets the same score in 100 % of the answers "
            r"\([89]\d to 100 %\)\.",
        ),
        (
            (never_varying,),
            r"Look at the judge’s conduct: 9\d % of the scores are their criterion’s usual one \(9\d to 9\d %\); "
            r"Task understanding and goal fit is always 3; Correctness .* is always 4; Depth.* is always 5; "
            r"and 3 more never vary\.",
        ),
    ],
    ids=["good", "forges 3 %", "forges 20 %", "position", "ties", "flat", "never varies"],
)
async def test_a_runs_first_line_says_how_the_judge_behaved(provider, command, changes, said):
    line = await first_line(command, provider, behaving(*changes), cases=40 if never_varying in changes else CASES)
    assert re.fullmatch(said, line), line


async def test_every_report_of_a_run_begins_with_it(provider, command, tmp_path):
    line = await first_line(command, provider, behaving(forging(0.78)))
    assert re.fullmatch(
        r"Not fit to judge: 7\d % of the quotes are invented \(7\d to [78]\d %\); 100 % of the repl.*", line
    )
    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    told = summary["conduct"]
    assert (told["sentence"], told["level"]) == (line, "not_fit")
    quotes = told["observed"]["invented"]
    assert (quotes["of"], quotes["look_at"], quotes["not_fit"]) == (CASES * 2 * 14, 0.05, 0.5)
    assert quotes["share"] == quotes["hits"] / quotes["of"] and quotes["interval"][0] > 0.7
    await command("export", "out", "--output", "out.md")
    _, title, _, first, *_ = ["", *(tmp_path / "out.md").read_text("utf-8").splitlines()]
    assert (title, first) == ("# Run out", line)
    await command("export", "out", "--output", "out.html")
    page = (tmp_path / "out.html").read_text("utf-8").replace("\N{NO-BREAK SPACE}", " ")
    assert '<section class="conduct not_fit"' in page
    assert page.index(line) < page.index('<section class="hero')
    assert (await command("show", "out")).err.splitlines()[0] == line
    assert (await command("run", "--resume", "out")).out.splitlines()[0] == line
    agreed = from_json(AgreementReport, (await command("agree", "out", "--format", "json")).out.encode())
    assert (agreed.conduct.sentence, agreed.conduct.level, agreed.conduct.worst) == (line, "not_fit", "invented")
    for form in shown(agreed, open_run(tmp_path / "out")):
        said = html.unescape(form).replace("\N{NO-BREAK SPACE}", " ")
        said = " ".join(said.replace("\\", "").split())
        assert re.search(
            r"Agrees with people in \d+ %; it is not fit to judge: 7\d % of the quotes are invented\b", said
        )
        assert said.count(line) == 1
        assert said.index(line) < said.index("The labelled cases are treated as a random sample")
    # The estimate of another run with this judge counts with the same share of repairs.
    repaired = told["observed"]["repaired"]
    write_lines(tmp_path / "more.jsonl", different_pairs(start=CASES))
    again = ("run", "compare", "more.jsonl", "--run", "two", "--judge", judge_of(provider), "--dry-run")
    expected = await command(*again, "--journal", "out/journal.db")
    ends = " to ".join(f"{100 * end:.0f}" for end in repaired["interval"])
    said = f"{repaired['hits']} of {repaired['of']} replies in this journal were"
    assert f"{said} ({100 * repaired['share']:.0f} %; 95 % interval {ends} %), and as many" in expected.err


async def test_a_probe_says_it_of_the_unchanged_cases(provider, command, tmp_path):
    provider.script = behaving(tying)
    write_lines(tmp_path / "pairs.jsonl", different_pairs())
    probe = ("probe", "pairs.jsonl", "--judge", judge_of(provider), "--run", "probed", "--probes", "swap")
    text = await command(*probe, "--format", "text")
    sentence = "Not fit to judge: both answers score the same in 100 % of the cases (84 to 100 %)."
    assert " ".join(text.out.split()).startswith(f"Probes of {judge_of(provider)} {sentence}")


async def test_cases_that_fail_for_the_judges_replies_are_part_of_it(provider, command):
    def script(request):
        number = int(re.search(r"number (\d+)", request.fenced("TASK"))[1])
        return says("I cannot say.") if number % 3 == 0 else behaving()(request)

    line = await first_line(command, provider, script)
    assert re.fullmatch(r"Look at the judge’s conduct: 33 % of the cases have no usable reply \(1\d to 5\d %\)\.", line)


async def test_a_dialogue_says_it_of_evaluator_and_critic(provider, command, tmp_path):
    def script(request):
        fields = request.schema["properties"]
        if "quotes" in fields:
            return says({"quotes": []})
        mark = next(iter(fields["criteria"]["properties"].values()))["properties"]
        keys = list(fields["criteria"]["properties"])
        if "agree" in mark:
            entry = {"quotes": [], "comment": "Holds.", "missing": "", "agree": True, "contradicts": False}
        else:
            entry = {"speaker": "USER", "quote": "I will never come back here.", "reason": "It is so."}
        turn = request.fenced("TRANSCRIPT")
        scores = {key: 20 * (1 + (len(turn) + place) % 5) for place, key in enumerate(keys)}
        return says({"criteria": {key: {**entry, "score": scores[key]} for key in keys}})

    provider.script = script
    talks = [
        {
            "id": n,
            "messages": [
                {"role": "user", "content": f"I need a table for {'very ' * (n % 5)}many people, {n} of them."},
                {"role": "assistant", "content": f"There is one at {n} o'clock, shall I book it?"},
            ],
        }
        for n in range(24)
    ]
    write_lines(tmp_path / "talks.jsonl", talks)
    told = await command("run", "dialogue", "talks.jsonl", "--run", "out", "--judge", judge_of(provider))
    assert told.out.startswith("Not fit to judge: 100 % of the quotes are invented (84 to 100 %)"), told.out + told.err
