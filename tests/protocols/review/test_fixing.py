"""A reviewer's changes to a review: held to the rules of a judge's ratings, and all that follows derived anew."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reports.review_report_samples import every_sample

from adjudge.errors import InputError
from adjudge.models.base import from_json, to_json
from adjudge.models.common import LABELS
from adjudge.protocols.review.consistency import allowed_likerts, allowed_overalls
from adjudge.protocols.review.fixing import ReviewFixes, changes, fixed
from adjudge.protocols.review.preference import VERDICTS
from adjudge.text.sentences import sentences


def sample(name):
    found = every_sample()[name]
    return found.verdict.updated(rubric=found.rubric)


AUDITED = sample("audited")
RUBRIC = AUDITED.rubric
NEW = "It gives a date that the task does not."


GERMAN = "Dieser Satz ist ganz und gar auf Deutsch geschrieben, und zwar ohne ein einziges englisches Wort darin."


def fix(**fixes):
    return fixed(AUDITED, ReviewFixes.model_validate(fixes))


def values(verdict):
    return {label: {key: line.value for key, line in verdict.table(label).items()} for label in LABELS}


def test_nothing_changed_leaves_everything_but_the_changelog():
    again = fix(likert=AUDITED.likert.value, feedback=list(AUDITED.feedback), response1={"truthfulness": {"rating": 3}})
    assert again.updated(changelog=AUDITED.changelog) == AUDITED
    assert changes(AUDITED, again) == ()


def test_a_rating_moves_what_follows_from_it_and_the_changelog_says_so():
    after = fix(response1={"truthfulness": {"rating": 1, "justification": f"  {NEW}\n"}})
    line = after.tables[1]["truthfulness"]
    assert (line.value, line.justification, line.rule, line.action) == (1, NEW, "reviewer", "replaced")
    assert after.tables[1]["overall_quality"].value == 2
    assert after.likert.value == 3
    assert after.likert.justification.startswith(VERDICTS[3])
    assert f"Response 1, Truthfulness: 3 changed to 1: {NEW}" in after.changelog
    assert changes(AUDITED, after) == (
        "Response 1, Truthfulness: 3 → 1",
        "Response 1, Overall Quality: 4 → 2",
        "Likert: 2 → 3",
        "Feedback: other words",
    )
    shorter = fix(response1={"verbosity": {"rating": -1, "justification": "It leaves out the time."}})
    assert changes(AUDITED, shorter)[0].endswith(" → −1")
    assert AUDITED.tables[1]["truthfulness"].value == 3, "the verdict itself is never changed"


def test_a_rating_set_back_to_what_was_entered_is_kept():
    after = fix(response1={"instruction_following": {"rating": 2, "justification": "The invitation comes too late."}})
    assert after.tables[1]["instruction_following"].action == "kept"


def test_the_reviewers_words_stand_behind_the_sentence_of_the_verdict():
    words = "It keeps to the task. The other one breaks off."
    for told in (words, f"{VERDICTS[6]} {words}", f"{VERDICTS[2]} {words}"):
        after = fix(explanation=told)
        assert after.likert.justification == f"{VERDICTS[2]} {words}"
        assert after.feedback == AUDITED.feedback, "no rating was moved"


BROKEN = [
    ("truthfulness", {"rating": 4}, "truthfulness.rating: 4; one of 1, 2, 3"),
    ("truthfulness", {"rating": 1}, "truthfulness.justification: written for a 3; say why it is 1"),
    ("truthfulness", {"justification": " "}, "truthfulness.justification: empty; a reason is needed"),
    ("truthfulness", {"justification": GERMAN}, "truthfulness.justification: it is in German; English is needed"),
    (
        "truthfulness",
        {"justification": "It says “the moon is made of cheese”."},
        "is in none of the texts; quote",
    ),
    ("truthfulness", {"justification": "x" * 5001}, "justification: 5,001 characters; at most 5,000"),
    ("charm", {"rating": 1}, "charm: unknown dimension; one of localization, "),
    ("overall_quality", {"rating": 5}, "overall_quality.rating: 5 does not follow from the dimensions; it must be"),
    ("verbosity", {"rating": 0, "justification": NEW}, "verbosity.rating: 0 contradicts what was measured: The"),
    ("verbosity", {"rating": -1, "justification": NEW}, "verbosity.justification: does not name what was measured"),
]  # fmt: skip


def test_a_rating_that_breaks_a_rule_is_refused_by_name():
    for key, given_for_it, said in BROKEN:
        side = "response2" if key == "verbosity" else "response1"
        with pytest.raises(InputError) as refused:
            fix(**{side: {key: given_for_it}})
        assert str(refused.value).startswith(f"{side}.{key}")
        assert said in str(refused.value)


REFUSED = [
    ({"likert": 5}, "likert: 5 contradicts the tables; it must be 1 or 2"),
    ({"likert": 8}, "likert: 8; one of 1, 2, 3, 4, 5, 6, 7"),
    ({"explanation": "Because."}, "explanation: 1 sentence after “Response 1 is better overall.”; 2 or 3 are"),
    ({"explanation": "Truthfulness is 1 for Response 1. It decides."}, "explanation: a rating is not the table's"),
    ({"feedback": ["Count."]}, "feedback: 1 given; 2 to 4 are needed"),
    ({"feedback": ["Count.", ""]}, "feedback.2: empty"),
    (
        {"feedback": ["Count.", "You wrote “words that nobody wrote here”."]},
        "feedback.2: the quotation 'words that",
    ),
    (
        {"response1": {"truthfulness": {"rating": 1, "justification": NEW}}, "likert": 2},
        "likert: 2 contradicts the tables; it must be 3",
    ),
]  # fmt: skip


def test_so_is_the_rest():
    for fixes, said in REFUSED:
        with pytest.raises(InputError) as refused:
            fix(**fixes)
        assert str(refused.value).startswith(said)


def test_an_invalid_task_has_nothing_to_fix_and_identical_responses_the_same_ratings():
    with pytest.raises(InputError, match="an invalid task has nothing to fix"):
        fixed(sample("invalid"), ReviewFixes())
    twins = sample("identical")
    one = {"truthfulness": {"rating": 2, "justification": NEW}}
    with pytest.raises(InputError, match="the responses are identical"):
        fixed(twins, ReviewFixes.model_validate({"response1": one}))
    both = fixed(twins, ReviewFixes.model_validate({"response1": one, "response2": one}))
    assert both.likert.value == 4


@settings(max_examples=60, deadline=None)
@given(
    drawn=st.dictionaries(
        st.sampled_from([(side, c.key) for side in ("response1", "response2") for c in RUBRIC.criteria]),
        st.integers(-2, 5),
        max_size=6,
    ),
    likert=st.none() | st.integers(1, 7),
)
def test_whatever_is_changed_the_result_obeys_the_rules_or_is_refused(drawn, likert):
    fixes = {"response1": {}, "response2": {}, "likert": likert}
    for (side, key), rating in drawn.items():
        fixes[side][key] = {"rating": rating, "justification": f"{NEW} It breaks off."}
    try:
        after = fixed(AUDITED, ReviewFixes.model_validate(fixes))
    except InputError:
        return
    now = values(after)
    for side, label in (("response1", "A"), ("response2", "B")):
        allowed = allowed_overalls(RUBRIC, now[label], unusable=True, still_good=True)
        assert now[label]["overall_quality"] in allowed
        for key, one in fixes[side].items():
            assert now[label][key] == one["rating"], "what was asked for was done"
    assert after.likert.value in allowed_likerts(RUBRIC, now["A"], now["B"])
    if now != values(AUDITED):
        assert 3 <= len(sentences(after.likert.justification)) <= 4
    assert 2 <= len(after.feedback) <= 4
    written = to_json(after)
    kept = from_json(type(after), written, case=after.case, rubric=RUBRIC)
    assert kept.tables == after.tables
    assert kept.likert == after.likert
