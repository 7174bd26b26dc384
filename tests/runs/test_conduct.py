"""What the first line of a run says of its judge: scripted judges that forge quotes, follow the position, always tie,
give every criterion the same score, or behave."""

import re

import pytest
from runs.conftest import judge_of, write_lines
from scripted.misbehaving import behaving, following_the_position, forging, never_varying, scoring_flat, tying

CASES = 40


def different_pairs(count=CASES):
    words = ("plan", "draft", "budget", "team", "release", "test", "review")
    for n in range(count):
        one, two = words[n % 7], words[(n + 3) % 7]
        yield {
            "id": f"case-{n}",
            "task": f"Say how to begin number {n}.",
            "a": f"Begin number {n} with a small {one} that two people can finish in a week or less.",
            "b": f"For number {n} write the {two} first and show it to somebody before anything else is done.",
        }


async def first_line(command, provider, folder, script, *more):
    provider.script = script
    write_lines(folder / "pairs.jsonl", different_pairs())
    told = await command("run", "compare", "pairs.jsonl", "--run", "out", "--judge", judge_of(provider), *more)
    return told.out.splitlines()[0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ((), r"Conduct is fine\."),
        ((forging(0.03),), r"Conduct is fine\."),
        (
            (forging(0.2),),
            r"Look at the judge’s conduct: (18|19|20|21|22) % of the quotes are invented \(1\d to 2\d %\); "
            r"9\d % of the replies had to be repaired \(.*\)\.",
        ),
        (
            (forging(0.78),),
            r"Not fit to judge: 7\d % of the quotes are invented \(7\d to [78]\d %\); 100 % of the repl.*",
        ),
        (
            (following_the_position,),
            r"Not fit to judge: the (two orders disagree|preference follows the position) in 100 % of the cases .*; "
            r"the (two orders disagree|preference follows the position) in 100 % of the cases \(9\d to 100 %\)\.",
        ),
        ((tying,), r"Not fit to judge: both answers score the same in 100 % of the cases \(9\d to 100 %\)\."),
        (
            (scoring_flat,),
            r"Look at the judge’s conduct: every criterion gets the same score in 100 % of the answers "
            r"\(9\d to 100 %\)\.",
        ),
        (
            (never_varying,),
            r"Look at the judge’s conduct: 9\d % of the scores are their criterion’s usual one \(9\d to 9\d %\)\.",
        ),
    ],
    ids=["good", "forges 3 %", "forges 20 %", "forges 78 %", "position", "ties", "flat", "never varies"],
)
async def test_a_runs_first_line_says_how_the_judge_behaved(provider, command, tmp_path, changes, said):
    line = await first_line(command, provider, tmp_path, behaving(*changes))
    assert re.fullmatch(said, line), line
