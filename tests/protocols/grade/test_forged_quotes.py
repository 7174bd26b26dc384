"""A judge that forges 30 % of its quotes, of the answer and of the sources: none of them is ever shown."""

import random

from protocols.grade.judging import answers, claim, graded, point, rubric_of
from protocols.grade.verdicts import case

from adjudge.models.base import to_json

WORDS = ["river", "stone", "harbour", "winter", "market", "bridge", "ferry", "garden", "copper", "lantern", "island"]
ITEMS = (
    *((f"ask_{n}", 1, 'ask: "Q?"') for n in range(4)),
    *((f"level_{n}", 1, 'ask: "Q?", scale: {1: a, 2: b}') for n in range(4)),
    ("claims", 3, "claims: context"),
    ("both", 3, "claims: both"),
    ("covers", 3, "covers: reference"),
)


def text_of(draw, sentences):
    return " ".join(f"{' '.join(draw.choices(WORDS, k=7)).capitalize()} {draw.random():.6f}." for _ in range(sentences))


def forged(draw, quote):
    """The quote, or in three of ten cases one that differs from it by a word."""
    if draw.random() >= 0.3:
        return quote
    words = quote.split()
    words[draw.randrange(len(words) - 1)] = "forged"
    return " ".join(words)


async def test_0_forged_quotes_are_shown_of_a_judge_that_forges_30_percent(provider, journal):
    draw = random.Random(7)
    shown = forgeries = 0
    for number in range(12):
        answer, reference, source = (text_of(draw, 8) for _ in range(3))
        given = case(answer=answer, reference=reference, context=[{"id": f"s{number}", "text": source}])
        pieces = [[f"{one}." for one in text.split(". ")] for text in (answer, reference, source)]
        mine, good, sources = ([one.replace("..", ".") for one in piece] for piece in pieces)
        said = {
            **{f"ask_{n}": answers("yes", forged(draw, draw.choice(mine))) for n in range(4)},
            **{f"level_{n}": answers(1, forged(draw, draw.choice(mine))) for n in range(4)},
            "claims": [
                claim(forged(draw, one), draw.choice(["supported", "contradicted"]), forged(draw, draw.choice(sources)))
                for one in mine
            ],
            "both": [claim(forged(draw, one), "supported", forged(draw, draw.choice(good))) for one in mine],
            "covers": [point(forged(draw, one), "covered", forged(draw, draw.choice(mine))) for one in good],
        }
        names = [f"{kind}_{n}" for kind in ("ask", "level") for n in range(4)]
        again = [{"item": name, "quote": forged(draw, mine[0]), "reason": "So."} for name in names]
        verdict = await graded(provider, journal, given, rubric_of(*ITEMS), said, again=again if number % 2 else ())
        forgeries += verdict.quoted.invented
        quotes = [quote for item in verdict.items for quote in item.quotes]
        shown += len(quotes)
        for quote in quotes:
            assert verdict.text_of(quote)[quote.start : quote.end] == quote.quote
        assert all("forged" not in quote.quote for quote in quotes)
        items = to_json({"items": [item.model_dump() for item in verdict.items]})
        assert b"forged" not in items
        for item in verdict.items[:4]:
            assert (item.result == "yes") == bool(item.evidence)
        for one in (*verdict.items[8].claims, *verdict.items[9].claims):
            assert (one.source is None) == (one.result == "not_found")
        for one in verdict.items[10].main_points:
            assert (one.answer is None) == (one.result == "missing")
    assert forgeries > 70
    assert shown > 240
