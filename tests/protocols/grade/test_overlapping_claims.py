"""Claims over all kinds of overlaps: each passage of the answer counts once, with the worst result given for it."""

from hypothesis import given, settings
from hypothesis import strategies as st
from protocols.grade.judging import rubric_of
from protocols.grade.verdicts import case

from adjudge.protocols.grade.lister import LISTER
from adjudge.protocols.grade.questions import ClaimsQuestion

WORDS = [f"word{number}" for number in range(20)]
CASE = case(answer=" ".join(WORDS), context="Here it says so.")
QUESTION = ClaimsQuestion(CASE, rubric_of(("claims", 1, "claims: context")), ("claims",))
WORSE = ["contradicted", "not_found", "supported"]
ENTRIES = st.lists(st.tuples(st.integers(0, 16), st.integers(3, 6), st.sampled_from(WORSE), st.booleans()), max_size=8)


@settings(max_examples=150)
@given(ENTRIES)
def test_overlapping_quotes_are_one_claim_and_the_worse_result_counts(entries):
    reply = {
        "claims": [
            {
                "quote": " ".join(WORDS[start : start + size]),
                "source_quote": "" if result == "not_found" else "it says so" if real else "it says no such thing",
                "result": result,
            }
            for start, size, result, real in entries
        ]
    }
    found = LISTER.build(QUESTION, reply, {}, "judge").opinion.items["claims"]
    # Written independently: words that claims join belong together, and each group has its worst result.
    groups = []
    for start, size, result, real in sorted(entries):
        shown = result if real or result == "not_found" else "not_found"
        words = set(range(start, min(start + size, len(WORDS))))
        together = [group for group in groups if group[0] & words]
        groups = [group for group in groups if not group[0] & words]
        results = [shown, *(result for group in together for result in group[1])]
        groups.append((words.union(*(group[0] for group in together)), results))
    expected = [
        (" ".join(WORDS[min(words) : max(words) + 1]), min(results, key=WORSE.index))
        for words, results in sorted(groups, key=lambda group: min(group[0]))
    ]
    assert [(one.claim.quote, one.result) for one in found.claims] == expected
    assert all((one.source is None) == (one.result == "not_found") for one in found.claims)
    if expected:
        assert found.share * len(expected) == [result for _, result in expected].count("supported")
    else:
        assert found.state == "nothing"
