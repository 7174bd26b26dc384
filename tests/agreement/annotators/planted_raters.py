"""A review run with raters whose habits are known, judged by a scripted provider that is always right.

Of every 24 items eight have a false claim (Truthfulness 2) in Response 1, eight are muddled (Style & Clarity 2), and
eight are fine. Response 2 is fine throughout.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from scripted.provider import ScriptedProvider, says
from scripted.ratings import BEST, KEYS, rating_reply

from adjudge.cli.main import main

ITEMS = 24
HOSTILE = "<script>alert(1)</script> [x](javascript:alert(2)) | `c` \u202e"
_WRONG = {0: ("truthfulness", "falsely claims that rivers run uphill"), 1: ("style_clarity", "muddled sentence about")}
_CYCLE = ("localization", "instruction_following", "harmlessness", "style_clarity")


def texts(item: int) -> dict[str, str]:
    """What was rated: the issue stands in the text."""
    issue = _WRONG.get(item % 3, ("", "plain sentence about"))[1]
    return {
        "prompt": f"Tell me something about river number {item}.",
        "response1": f"Answer one is a text that {issue} the river {item}, and nothing else in it is wrong.",
        "response2": f"Answer two is a short and true sentence on the river {item}.",
    }


def truth(item: int) -> tuple[dict[str, int], dict[str, int], int]:
    """The right ratings of both responses, and the right preference."""
    first, second = dict(BEST), dict(BEST)
    if item % 3 in _WRONG:
        first |= {_WRONG[item % 3][0]: 2, "overall_quality": 4}
    return first, second, 5 if item % 3 in _WRONG else 4


def lenient(item: int, first: dict[str, int], _: dict[str, int]) -> int:
    """Truthfulness one too high whenever it can be, and the Overall and preference with it."""
    if first["truthfulness"] == 2:
        first |= {"truthfulness": 3, "overall_quality": 5}
        return 4
    return truth(item)[2]


def confused(item: int, first: dict[str, int], _: dict[str, int]) -> int:
    """What is muddled is called too long."""
    if first["style_clarity"] == 2:
        first |= {"style_clarity": 3, "verbosity": 1}
    return truth(item)[2]


def drifting(item: int, _: dict[str, int], second: dict[str, int]) -> int:
    """Right in the first half; in the second, an issue that is not there, each time in another dimension."""
    if item >= ITEMS // 2:
        second[_CYCLE[item % len(_CYCLE)]] = 2
    return truth(item)[2]


def faultless(item: int, *_: dict[str, int]) -> int:
    return truth(item)[2]


RATERS: dict[str, Any] = {"lena": lenient, "max": confused, "dora": drifting, "faye": faultless, HOSTILE: faultless}


def rows(items: int = ITEMS) -> list[dict[str, Any]]:
    """The run's input: a row a rater and item, with who rated when in columns of their own."""
    made = []
    for rater, habit in RATERS.items():
        for item in range(3 if rater == HOSTILE else items):
            first, second, _ = truth(item)
            likert = habit(item, first, second)
            entered = {f"response{n}_{key}": table[key] for n, table in ((1, first), (2, second)) for key in KEYS}
            about = {"id": f"review-{len(made)}", "rater": rater, "rated_at": f"2026-03-{item + 1:02}T10:00:00Z"}
            made.append({**about, **texts(item), **entered, "likert": likert})
    return made


def write_planted_run(folder: Path, items: int = ITEMS) -> Path:
    """The finished run in a folder of its own, of so many items a rater."""

    def reply(request: Any) -> Any:
        text = request.fenced("RESPONSE 1") or request.turns[0]
        wrong = next(((key, words) for key, words in _WRONG.values() if words in text), None)
        issue = {} if wrong is None else {wrong[0]: [2, wrong[1], "This is where it goes wrong."], "overall_quality": 4}
        return says(rating_reply({"response_1": issue, "preference": 5 if wrong else 4}))

    async def judged() -> None:
        async with ScriptedProvider(reply) as provider:
            given = folder / "ratings.jsonl"
            given.write_text("".join(json.dumps(row) + "\n" for row in rows(items)), "utf-8")
            arguments = ["run", "review", given, "--run", folder / "run", "--judge", f"{provider.url}/v1#m", "--quiet"]
            code = await asyncio.to_thread(main, [str(each) for each in arguments])
            assert code == 0

    asyncio.run(judged())
    return folder / "run"
