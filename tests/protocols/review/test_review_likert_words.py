"""SPEC 3: which of a person's (or a judge's) Likert justifications tell the story of the tables, and which do not."""

import pytest
from protocols.review.tables import table

from adjudge.protocols.review.preference import problems_of
from adjudge.rubric import shipped

RUBRIC = shipped("review")


TABLES = {
    6: {"A": table(truthfulness=1, overall_quality=2), "B": table()},
    5: {"A": table(style_clarity=2, overall_quality=4), "B": table()},
    4: {"A": table(), "B": table()},
    3: {"A": table(), "B": table(verbosity=1, overall_quality=4)},
    7: {
        "A": table(truthfulness=1, instruction_following=2, overall_quality=2),
        "B": table(style_clarity=2, overall_quality=4),
    },
    2: {"A": table(), "B": table(instruction_following=1, harmlessness=2, overall_quality=2)},
}
WRONG_1 = "Response 1 is factually wrong. Response 2 is correct."
VERDICTS_6 = [
    "Response 2 is overall better.",
    "Response 2 is a better answer.",
    "Response 2 is the best.",
    "Response 2 is the better response because it gets the capital right.",
    "Response 2 outperforms Response 1.",
    "Response 2 is considerably better than Response 1.",
    "Response 2 is clearly preferred over Response 1.",
    "Response 2 is clearly better.",
    "Response 1 is worse than Response 2.",
    "Response 1 is clearly worse.",
    "The second response is better.",
    "Response #2 is better.",
    "Response B is better.",
    "Answer 2 is better.",
    "I prefer Response 2.",
    "I would choose Response 2 over Response 1.",
    "Response 2 wins.",
    "Response 2 clearly wins.",
    "Overall, Response 2 is the stronger answer.",
    "In my opinion, Response 2 is better.",
    "Response 2 is far superior.",
    "Response 2 is much better than Response 1.",
    "My preference is for Response 2.",
    "Response 2 is the clear winner.",
    "Response 1 loses to Response 2.",
    "Response 2 is better, with not a single issue.",
]
VERDICTS_4 = [
    "Response 1 and Response 2 are equal in quality.",
    "The responses are comparable.",
    "Both responses are about the same.",
    "Both responses are equally good.",
    "There is no preference.",
    "I have no preference between the two.",
    "Neither response is better than the other.",
    "The two answers are on par.",
    "It is a tie.",
    "Neither response stands out.",
]
GOOD = [
    *((6, f"{verdict} {WRONG_1}") for verdict in VERDICTS_6),
    *((4, f"{verdict} Both name Paris. Both are correct.") for verdict in VERDICTS_4),
    (6, "Response 2 is better overall. Response 1 names the wrong capital. Response 2 names the right one."),
    (
        6,
        "Response 2 is better overall. Its Truthfulness is a 3 against a 1 for Response 1. Instruction Following and "
        "Style & Clarity don't differ.",
    ),
    (6, "Response 2 is better. Response 1 is a little better in style but is factually wrong. Response 2 is correct."),
    (6, "Response 2 is better. Truthfulness is 1 for Response 1 and 3 for Response 2. The Overall is 2 against 5."),
    (
        6,
        "Response 2 is better. Response 1 scores 1 in Truthfulness while Response 2 scores 3. It is as simple as that.",
    ),
    (6, "Response 2 is better. Truthfulness clearly favors Response 2. Response 1 is not accurate."),
    (6, "Response 2 is better. Response 2 is more truthful than Response 1. Both are safe and easy to read."),
    (6, "Response 2 is better. Response 1 is less accurate. Neither has an issue of style."),
    (
        6,
        "Response 2 is better. Although both follow the instructions, Response 1 is factually wrong. That settles it.",
    ),
    (6, "The second response is better. The first is factually wrong. The second is correct."),
    (6, "Response B is better. Response A is factually wrong. Response B is correct."),
    (6, "Response 2 is better. Response 1 is well written but makes a factual error on Paris. Response 2 does not."),
    (6, "Response 2 is better. Response 1 has 3 sentences, of which one is false. Response 2 has no errors."),
    (5, "Response 2 is slightly better. It is cleaner to read than Response 1. Response 1 opens with filler."),
    (
        5,
        "Response 2 is slightly better. Both are accurate, so truth is the same. Response 1 has poorer formatting.",
    ),
    (5, "Response 2 has a slight edge. Response 1 is harder to follow in style. Both are correct."),
    (5, "Response 2 is marginally better. Response 1 is a bit awkward in style. Response 2 is clear."),
    (5, "I slightly prefer Response 2. Response 1 is not clear in its second half. Both are truthful."),
    (3, "Response 1 is slightly better. Response 2 is padded. Response 1 is concise."),
    (
        3,
        "Response 1 is a little better. Response 2 is a bit too long. Verbosity is 0 for Response 1 and 1 for it.",
    ),
    (3, "The first response is slightly better. Response 2 is wordy at the end. Both are correct and safe."),
    (2, "Response 1 is better. Response 2 ignores the instructions. Response 2 is also slightly unsafe."),
    (2, "Response 1 is better. Response 2 does not follow the instructions. Response 1 does."),
    (2, "Response 1 is significantly better. Response 2 fails to follow the format. Both are accurate."),
    (4, "Neither response is better. Both have an Overall Quality of 5. All ratings are the same."),
    (4, "Neither is better. Response 1 is correct. Response 2 is correct too."),
    (4, "The responses are equivalent. Response 1 is a bit better in style. Response 2 is a bit better in length."),
]
# Whole justifications in longer sentences.
GOOD_LONG = [
    (
        7,
        "Response 2 is much better. Response 1 invents a quotation, which is a serious truthfulness "
        "problem. Response 2's style is a little clumsy, but it is accurate.",
    ),
    (
        7,
        "Response 2 is far better than Response 1. Response 1 contains several factual errors and misses "
        "part of the instructions. Response 2 only has a small style issue.",
    ),
    (
        7,
        "Response 2 is by far the better one. Response 1 reads more smoothly, but its facts are wrong. "
        "Response 2 follows all instructions.",
    ),
    (
        7,
        "Response 2 is strongly preferred. Truthfulness is the main difference: 1 versus 3. Response 1 "
        "also skips an instruction.",
    ),
    (
        7,
        "Response 2 is much better. Even though Response 1 is clearer, it is factually incorrect. "
        "Accuracy matters most here.",
    ),
    (
        7,
        "Response 2 is much better overall. On Truthfulness, Response 1 is rated 1 and Response 2 is "
        "rated 3. On Style & Clarity, Response 1 is better.",
    ),
    (
        6,
        "Response 2 is better. Response 1 claims that Lyon is the capital, which is false. Response 2 "
        "correctly says Paris, and that is why it is preferred.",
    ),
    (6, "Response 2 is the more accurate answer. Response 1 gets the capital wrong. All other dimensions are tied."),
    (
        6,
        "Response 2 is better than Response 1. Response 2 is factually accurate, while Response 1 is "
        "not. Otherwise they do not differ.",
    ),
    (
        6,
        "Response 2 is better. In terms of Truthfulness, Response 1 makes a major mistake. Both "
        "responses are safe, clear and concise.",
    ),
    (6, "Response 2 is better overall. Had Response 1 been correct, they would be equal. Its factual error decides."),
    (
        5,
        "Response 2 is slightly better than Response 1. Response 1 uses pleasantries at the start. "
        "Response 2 gets straight to the point.",
    ),
    (
        5,
        "Response 2 is a bit better. Response 1 is correct but awkwardly phrased. Response 2 is equally "
        "correct and easier to read.",
    ),
    (5, "Slightly better is Response 2. Response 1 loses a point in Style & Clarity. The rest is equal."),
    (3, "Response 1 is somewhat better. Response 2 repeats itself and is too long. Response 1 has the right length."),
    (
        3,
        "Response 1 is slightly preferred. Response 2 could be more concise. Both follow all "
        "instructions and are accurate.",
    ),
    (3, "Response 2 is slightly worse. It adds a redundant paragraph, so its Verbosity is 1. Response 1 has 0."),
    (
        2,
        "Response 1 is better. Response 2 refuses to answer, which ignores the instruction. Response 1 gives the list.",
    ),
    (2, "Response 1 wins. Response 2 misses the required table. It also contains mildly unsafe advice."),
    (
        4,
        "Both responses are of equal quality. Each answers the question accurately. I see no difference "
        "in style or length.",
    ),
    (4, "The two responses are nearly identical. Both follow the instructions. There are no errors in either."),
    (4, "I can't choose between Response 1 and Response 2; they are equally good. Both are correct. Both are short."),
]
BAD_LONG = [
    (
        7,
        "Response 2 is much better. Response 1 is truthful and follows the instructions. Response 2 has "
        "a small style issue.",
    ),
    (7, "Response 2 is much better. Response 2 has a Style & Clarity of 3. Response 1 is wrong."),
    (7, "Response 2 is much better. Response 1 is better on Instruction Following. Response 1 is wrong."),
    (
        7,
        "Response 2 is much better. Response 2 is more readable and has better style. Response 2 beats "
        "Response 1 on Style & Clarity.",
    ),
    (7, "Response 2 is slightly better. Response 1 is wrong. Response 2 is accurate."),
    (7, "Response 1 is much better. Response 1 is wrong. Response 2 is accurate."),
    (6, "Response 2 is better. Response 2 makes factual mistakes. Response 1 is right."),
    (6, "Response 2 is better. Response 1's Truthfulness is 3. Response 2's is 3 too."),
    (6, "Response 2 is better. The better answer is Response 1. Truthfulness says so."),
    (6, "Response 2 is better. Response 1 is accurate and Response 2 hallucinates. So there."),
    (6, "Response 2 is better. Response 1 deserves to win. It is more factual."),
    (6, "Response 2 is better. Both are equally truthful. Both are accurate."),
    (6, "Response 2 is better. Verbosity is why: Response 1 is too long. It is also less factual."),
    (5, "Response 2 is slightly better. Response 2 has awkward style. Response 1 is clear."),
    (5, "Response 2 is slightly better. Response 1 has an Overall Quality of 5. Style decides."),
    (5, "Response 2 is slightly better. Response 1 contains dangerous advice. Style decides."),
    (3, "Response 1 is slightly better. Response 2 is truncated. Its length is the issue."),
    (3, "Response 1 is slightly better. Response 1 is too wordy. Response 2 is concise."),
    (3, "Response 1 is slightly better. Response 2 is more concise. Length decides."),
    (2, "Response 1 is better. Response 2 follows the instructions perfectly. Response 1 does too."),
    (2, "Response 1 is better. I'd pick Response 2. Instruction Following decides."),
    (4, "Neither response is better. Response 1 beats Response 2. Both are correct."),
    (4, "Neither response is better. Response 2 contains a factual error. Response 1 does not."),
    (4, "Response 1 and Response 2 differ a lot. Both are correct. Both are fine."),
]
HEAD = {
    6: "Response 2 is better overall.",
    5: "Response 2 is slightly better overall.",
    4: "Neither response is better overall.",
    3: "Response 1 is slightly better overall.",
    2: "Response 1 is better overall.",
}
# Each with the right verdict in front.
BAD_REASONS = [
    (6, "Response 2 is full of factual errors and Response 1 is accurate. That is why I chose it."),
    (6, "Response 2 scores 1 in Truthfulness while Response 1 scores 3. So it wins."),
    (6, "Response 1 is more truthful than Response 2. Response 1 should win."),
    (
        6,
        "Truthfulness is 3 for Response 1 and 1 for Response 2. The Overall Quality is 5 for Response 1 and 2 for "
        "Response 2.",
    ),
    (6, "Actually Response 1 wins on truthfulness. Choose Response 1."),
    (6, "However, truthfulness clearly favors the first response. Response 1 has a perfect score."),
    (6, "Response 1 is harmful and unsafe. Response 1 makes factual claims that are wrong."),
    (6, "Response 1 is accurate. Truthfulness decides."),
    (6, "Response 2 is factually wrong. Truthfulness decides."),
    (6, "Truthfulness decides. Response 1 outperforms Response 2."),
    (6, "Truthfulness decides. I would still go with Response 1."),
    (6, "Truthfulness decides. Response 2 is worse."),
    (6, "Truthfulness decides. Response 2 loses."),
    (6, "Truthfulness decides. The first response is ahead."),
    (6, "Truthfulness decides. Answer A is the stronger one."),
    (6, "Response 1 is rated 2 on Truthfulness. Response 2 is correct."),
    (6, "Response 1 has a Truthfulness of 3. Response 2 is correct."),
    (6, "Response 1 is factually wrong. Both have an Overall Quality of 5."),
    (6, "Response 1 is factually wrong. Response 2 gets a Truthfulness of 2."),
    (6, "Response 1 is factually wrong. Response 2 is too long."),
    (6, "Response 1 is factually wrong. Response 2 ignores the instructions."),
    (6, "Response 1 is factually wrong. Response 2 is confusing."),
    (6, "Response 1 is factually wrong. Response 2 is offensive."),
    (6, "Response 1 is better on truthfulness. Response 2 is fine."),
    (6, "Response 2 is less accurate. Response 1 is fine in its errors."),
    (6, "On Instruction Following, Response 1 makes an error. Response 2 does not."),
    (6, "It reads well. It has charm."),
    (6, "Response 1 is factually wrong."),
    (5, "Response 1 is clearer than Response 2. Style decides."),
    (5, "Response 2 is hard to read. Style decides."),
    (5, "Response 1 is better in style. So it is."),
    (5, "Style & Clarity is 3 for Response 1 and 2 for Response 2. So it is."),
    (5, "Style decides. Response 1 is factually wrong."),
    (4, "Response 1 is wrong about Paris. Response 2 is perfect and I would pick it."),
    (4, "Both name Paris. Response 1 is better."),
    (4, "Both name Paris. I prefer Response 2."),
    (4, "Both name Paris. Response 2 outperforms Response 1."),
    (4, "Both have an Overall Quality of 3. All is the same."),
    (4, "Both name Paris. Response 1 is unsafe."),
    (3, "Response 2 is too short. Length decides."),
    (3, "Response 2 is concise. Response 1 is padded."),
    (3, "Verbosity is 1 for Response 1 and 0 for Response 2. That decides."),
    (3, "Response 2 wins on Verbosity. That decides."),
    (2, "Response 2 follows all instructions. Response 1 is fine."),
    (2, "Response 1 ignores the instructions. Response 2 does not."),
    (2, "Response 2 is safer than Response 1. Instruction Following decides."),
    (2, "Response 2 is perfect. Instruction Following decides."),
]
NO_VERDICT = [
    (6, "Response 2 is not the better one."),
    (6, "Response 2 isn't better."),
    (6, "Is Response 2 better?"),
    (6, "Response 2 is slightly better."),
    (6, "Response 1 is better."),
    (6, "Response 2 is worse."),
    (6, "Response 1 outperforms Response 2."),
    (6, "I would not choose Response 2."),
    (6, "Both responses are comparable."),
    (6, "Response 2 is slightly worse but Response 2 is better."),
    (6, "Response 2 names Paris."),
    (5, "Response 2 is much better."),
    (5, "Response 2 is far superior."),
    (4, "Both responses are great."),
    (4, "Neither response is perfect."),
    (4, "The responses are not equal."),
    (4, "Response 1 is better."),
    (4, "Neither is bad, but Response 2 wins."),
]


@pytest.mark.parametrize(("likert", "text"), GOOD + GOOD_LONG)
def test_what_tells_the_story_of_the_tables_stands(likert, text):
    assert problems_of(text, likert, TABLES[likert], RUBRIC) == ()


@pytest.mark.parametrize(("likert", "reasons"), BAD_REASONS)
def test_what_contradicts_them_does_not(likert, reasons):
    problems = problems_of(f"{HEAD[likert]} {reasons}", likert, TABLES[likert], RUBRIC)
    assert problems
    assert not any("first sentence" in problem for problem in problems)


@pytest.mark.parametrize(("likert", "text"), BAD_LONG)
def test_what_contradicts_them_in_longer_sentences_does_not(likert, text):
    assert problems_of(text, likert, TABLES[likert], RUBRIC)


@pytest.mark.parametrize(("likert", "first"), NO_VERDICT)
def test_a_first_sentence_that_is_not_this_verdict(likert, first):
    problems = problems_of(f"{first} {WRONG_1}", likert, TABLES[likert], RUBRIC)
    assert any("the first sentence is not the verdict" in problem for problem in problems)


def test_one_sentence_is_counted_in_the_singular():
    (first, *_) = problems_of("Response 2 is better overall.", 6, TABLES[6], RUBRIC)
    assert first == "1 sentence with the verdict; 3 to 4 are allowed"
