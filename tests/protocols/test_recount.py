"""Verdicts recounted from the replies alone, by a second hand that shares no code with the rules.

Judges at the network's edge answer at random, alone and in juries; what their replies make by the documented rules is
computed here from scratch, and must be what the verdict says.
"""

import random
import re
from collections import Counter
from fractions import Fraction

import pytest
from scripted.judging import open_openai
from scripted.provider import says
from scripted.ratings import BEST, KEYS, explained, rating_reply

from adjudge.judges.jury import Jury
from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.rules import CompareOptions, compare
from adjudge.protocols.compare.verdict import ComparisonVerdict
from adjudge.protocols.dialogue.case import Dialogue, Turn
from adjudge.protocols.dialogue.rules import dialogue
from adjudge.protocols.dialogue.verdict import DialogueVerdict
from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.review.rules import review
from adjudge.protocols.review.verdict import ReviewVerdict
from adjudge.protocols.rubrics import shipped

WEIGHTS = {
    "task_understanding": "1", "correctness_reasoning": "2", "depth_coverage_usefulness": "1.5",
    "actionability_specificity": "1.5", "clarity_structure": "1", "constraints_tradeoffs_uncertainty": "0.5",
    "insight_originality": "0.5",
}  # fmt: skip
SHARES = {"TaskSuccess": 40, "Helpfulness": 15, "Accuracy": 15, "Understanding": 10, "Empathy": 10, "Fluency": 10}
GRADES = (20, 40, 60, 80, 100)
A = "Boil the eggs for ten minutes, then cool them in cold water."
B = "Ask somebody who knows how long an egg takes to be done."
SAID = (("USER", "I need help with my order."), ("SYSTEM", "It will arrive on Monday, I am sure."))
DECIDE = ("instruction_following", "truthfulness", "harmlessness", "verbosity", "localization", "style_clarity")


def settled(rule, values):
    """The exact mean or median."""
    ordered = sorted(map(Fraction, values))
    middle = len(ordered) // 2
    if rule == "mean":
        return sum(ordered) / len(ordered)
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def on(scale, value):
    return min(scale, key=lambda step: (abs(step - value), step))


def bench(provider, journal, rule, draw):
    """One judge, or a jury of three; each member is a model of its own, and no stored reply answers."""
    names = [f"gpt-{number}" for number in range(3 if rule else 1)]
    members = tuple(open_openai(provider, journal, name, sample=draw) for name in names)
    return Jury("jury", members, rule) if rule else members[0]


async def recount_comparison(provider, journal, rule, draw):
    chance = random.Random(f"{rule} {draw}")
    base, replies = {key: chance.randint(3, 7) for key in WEIGHTS}, []

    def answer(request):
        first = request.fenced("ANSWER 1") == A
        shown = (A, B) if first else (B, A)
        marks = {}
        for key in WEIGHTS:
            marks[key] = {}
            for n in (1, 2):
                marks[key] |= {f"quote_{n}": " ".join(shown[n - 1].split()[:6]), f"impact_{n}": "favorable"}
                marks[key] |= {f"rationale_{n}": "So.", f"justification_{n}": "So."}
                marks[key][f"score_{n}"] = base[key] + chance.choice((0, 0, 1))
        whole = {"summary_1": "One.", "summary_2": "Two.", "rationale": "Because.", "more_evidence": []}
        prefers = chance.choice(("answer_1", "answer_1", "answer_2", "tie"))
        replies.append(("AB" if first else "BA", marks, prefers))
        return says({"criteria": marks, **whole, "preference": prefers})

    provider.script = answer
    judge = bench(provider, journal, rule, draw)
    verdict = await compare(Comparison("How long does an egg take?", A, B), judge, shipped("compare"), CompareOptions())
    await judge.close()
    assert isinstance(verdict, ComparisonVerdict)

    whole = sum(map(Fraction, WEIGHTS.values()))
    apart, named, preferred, scores = {}, {}, {}, {}
    for order in ("AB", "BA"):
        own = [(marks, prefers) for shown, marks, prefers in replies if shown == order]
        for key in WEIGHTS:
            for label in "AB":
                given = [marks[key][f"score_{order.index(label) + 1}"] for marks, _ in own]
                scores.setdefault((key, label), []).append(settled(rule, given))
        ahead = sum(Fraction(WEIGHTS[key]) * (scores[key, "A"][-1] - scores[key, "B"][-1]) for key in WEIGHTS)
        apart[order] = ahead / whole
        sides = {"answer_1": order[0], "answer_2": order[1], "tie": "tie"}
        side, votes = Counter(sides[prefers] for _, prefers in own).most_common(1)[0]
        preferred[order] = side if 2 * votes > len(own) else "tie"
        tied = not ahead or (abs(apart[order]) < Fraction(1, 2) and preferred[order] == "tie")
        named[order] = "tie" if tied else "A" if ahead > 0 else "B"
    average = sum(apart.values()) / 2
    winner = named["AB"]
    if named["AB"] != named["BA"]:
        winner = "tie" if abs(average) < Fraction(1, 2) else "A" if average > 0 else "B"
    evaluation = verdict.evaluation
    assert evaluation.order.winners == {"ab": named["AB"], "ba": named["BA"]}
    assert (evaluation.winner, evaluation.order_consistent) == (winner, named["AB"] == named["BA"])
    for (key, label), both in scores.items():
        shown = verdict.criteria[key].scores[label]
        assert abs(Fraction(shown.value) - sum(both) / 2) <= Fraction(1, 20_000)
        assert [(A if label == "A" else B)[item.start : item.end] for item in shown.evidence] == [
            " ".join((A if label == "A" else B).split()[:6])
        ]
    follows = any(warning.code == "preference_follows_position" for warning in verdict.warnings)
    assert follows == (preferred == {"AB": "A", "BA": "B"})


async def recount_dialogue(provider, journal, rule, draw):
    chance = random.Random(f"{rule} {draw}")
    evaluations, critiques = [], []

    def answer(request):
        if not request.fenced("EVALUATION"):
            mark = {"speaker": "USER", "quote": "I need help", "reason": "It is so."}
            evaluations.append({key: {**mark, "score": chance.choice(GRADES)} for key in SHARES})
            return says({"criteria": evaluations[-1]})
        if "quotes" in request.schema["properties"]:
            return says({"quotes": []})  # asked for better ones, the critic has none
        critiques.append(
            {
                key: {
                    "quotes": [{"speaker": "SYSTEM", "quote": chance.choice(("It will arrive", "Never said"))}],
                    "comment": "Not so.", "missing": "", "agree": chance.random() < 0.4,
                    "contradicts": chance.random() < 0.5, "score": chance.choice(GRADES),
                }
                for key in SHARES
            }
        )  # fmt: skip
        return says({"criteria": critiques[-1]})

    provider.script = answer
    judge = bench(provider, journal, rule, draw)
    case = Dialogue(7, tuple(Turn(speaker, text, at) for at, (speaker, text) in enumerate(SAID, start=1)))
    critic = open_openai(provider, journal, "critic", sample=draw)
    verdict = await dialogue(case, judge, critic, shipped("dialogue"))
    await judge.close()
    await critic.close()
    assert isinstance(verdict, DialogueVerdict)

    marks = {key: on(GRADES, settled(rule, [own[key]["score"] for own in evaluations])) for key in SHARES}
    given = critiques[0]
    against = {key: one for key, one in given.items() if not one["agree"] and one["score"] != marks[key]}
    real = {key for key, one in against.items() if one["quotes"][0]["quote"] != "Never said"}
    every = len(against) >= 3 and real == set(against)
    taken = {key for key in real if every or given[key]["contradicts"]}
    final = {key: given[key]["score"] if key in taken else marks[key] for key in SHARES}
    average = Fraction(sum(final[key] * share for key, share in SHARES.items()), 100)
    assert {key: verdict.output.referee_final[key].score for key in SHARES} == final
    assert {entry.criterion for entry in verdict.output.critic if not entry.agree} == set(against)
    assert Fraction(verdict.final_average) == average
    assert verdict.overall_experience == max((grade for grade in GRADES if grade <= average), default=20)
    assert re.search(r" = \d+\.\d\d$", verdict.output.audit.weighted_calc)
    for key, ruling in verdict.rulings.items():
        assert (ruling.rule in ("adopt_all", "accept"), ruling.rule == "adopt_all") == (
            key in taken,
            key in taken and every,
        )


async def recount_review(provider, journal, rule, draw):
    chance = random.Random(f"{rule} {draw}")
    scales = {key: range(1, 4) for key in KEYS} | {"verbosity": range(-2, 3), "overall_quality": range(1, 6)}
    replies = []

    def answer(request):
        if "preference" not in request.schema["properties"]:
            return says(explained(request))  # the jury's ratings do not always fit what its speaker said
        sides = [
            {key: chance.choice((BEST[key], BEST[key], chance.choice(scales[key]))) for key in KEYS}
            | {"largely_unusable": chance.random() < 0.5, "still_good": chance.choice(("", "The tone is right"))}
            for _ in range(2)
        ]
        replies.append((*sides, chance.randint(1, 7)))
        return says(rating_reply({"response_1": sides[0], "response_2": sides[1], "preference": replies[-1][2]}))

    provider.script = answer
    entered = [{key: chance.choice(("", "9", *map(str, scales[key]))) for key in KEYS} for _ in range(2)]
    wish = chance.choice(("", "0", *"1234567"))
    originals = [{key: Original(value) for key, value in side.items()} for side in entered]
    judge = bench(provider, journal, rule, draw)
    case = Review(
        "Name the time an egg takes.", A, B, ratings_a=originals[0], ratings_b=originals[1], preference=Original(wish)
    )
    verdict = await review(case, judge, shipped("review"))
    await judge.close()
    assert isinstance(verdict, ReviewVerdict)

    tables = []
    for at in range(2):
        own = [reply[at] for reply in replies]
        table = {key: on(scales[key], settled(rule, [side[key] for side in own])) for key in KEYS}
        bad = [abs(table[key]) if key == "verbosity" else 3 - table[key] for key in DECIDE]
        major, minor = bad.count(2), bad.count(1)
        unusable = 2 * sum(side["largely_unusable"] for side in own) > len(own)
        good = 2 * sum(bool(side["still_good"]) for side in own) > len(own)
        allowed = {5, 4} if not minor else {4} if minor == 1 else {3}
        if major:
            allowed = ({1, 2} if unusable else {2}) if major == 1 else ({1, 2} if good else {1})
        table["overall_quality"] = on(allowed, table["overall_quality"])
        tables.append((table, bad))
        for key, line in verdict.tables[at + 1].items():
            value = entered[at][key]
            action = "filled" if not value else "refused" if value == "9" else "replaced"
            assert (line.value, line.action) == (table[key], "kept" if value == str(table[key]) else action)
            corrected = [
                said for said in verdict.changelog if said.startswith(f"Response {at + 1}, {line.dimension}: ")
            ]
            assert len(corrected) == (line.action in ("replaced", "refused"))
    (one, bad_one), (two, bad_two) = tables
    lead = one["overall_quality"] - two["overall_quality"]
    lead = lead or next((1 if a < b else -1 for a, b in zip(bad_one, bad_two, strict=True) if a != b), 0)
    steps = {0: (0,), 1: (1,)}.get(abs(lead), (2, 3))
    allowed = {4 - step if lead > 0 else 4 + step for step in steps}
    preference = on(range(1, 8), settled(rule, [reply[2] for reply in replies]))
    expected = int(wish) if wish and int(wish) in allowed else on(allowed, preference)
    assert verdict.likert.value == expected
    assert 2 <= len(verdict.sbq) <= 4


@pytest.mark.parametrize("recount", [recount_comparison, recount_dialogue, recount_review])
async def test_a_verdict_is_what_its_replies_make_by_the_rules(provider, journal, recount):
    for draw, rule in enumerate(["", "median", "mean"] * 6):
        await recount(provider, journal, rule, draw)
