"""SPEC 3: which of a person's sentences may stand beside a kept rating, and which may not."""

import pytest

from adjudge.cases import Review
from adjudge.protocols.review.kept_words import why_not_kept
from adjudge.rubric import shipped

CRITERIA = {criterion.key: criterion for criterion in shipped("review").criteria}
SHORT = {
    "T": "truthfulness",
    "I": "instruction_following",
    "V": "verbosity",
    "S": "style_clarity",
    "H": "harmlessness",
    "L": "localization",
    "O": "overall_quality",
}
CASE = Review(
    prompt="What is the capital of France? Answer in two sentences.",
    system_prompt="Be brief. Use 40 words at most.",
    a="The capital of France is Paris. It has about 2.1 million inhabitants and lies on the Seine. I recieve many "
    "visitors every year in the Louvre.",
    b="Lyon is the capital of France.",
)
CODE = Review(
    prompt="Write a Python function that returns the n-th Fibonacci number. Fix the bug in my code and "
    "explain it in a bullet list with 3 items.",
    a="Sure! Here is the function:\n```python\ndef fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n    "
    "    a, b = b, a + b\n    return a\n```\n- The loop ran one time too often.\n- The variables were "
    "swapped in the wrong order.\n- I hope this helps!",
    b="def fib(n): return fib(n-1)+fib(n-2)",
)
GOOD = [
    # Negations, and a fault beside a praise
    ("T", 3, "There are no major issues: Paris is the capital and the Seine is right."),
    ("T", 3, "No significant errors; the 2.1 million inhabitants figure for Paris is right."),
    ("T", 3, "I couldn't find any mistakes in what it says about Paris and the Seine."),
    ("T", 3, "Nothing about the Seine or the Louvre is wrong."),
    ("T", 3, "Paris, the Seine and the population are all correct."),
    ("T", 3, "Free of factual errors: Paris does lie on the Seine."),
    ("T", 3, "It avoids false claims and names Paris as the capital."),
    ("T", 3, "The population figure of Paris isn't wrong, just rounded."),
    ("T", 3, "Not a single inaccuracy in the lines on Paris and the Seine."),
    ("T", 3, "Unlike Response 2, which wrongly names Lyon, it has Paris."),
    ("T", 3, 'Unlike Response 2, which names "Lyon", it correctly names Paris.'),
    ("T", 3, "The other response says “Lyon is the capital”; this one correctly has Paris."),
    ("T", 3, "Response 2 is wrong about Lyon. This one names Paris, which is true."),
    ("T", 3, "No hallucinated facts, and the Seine and Louvre really are in Paris."),
    ("T", 3, "Paris is the capital of France, no doubt, and the Louvre stands there."),
    ("T", 2, "Paris is correct, but 2.1 million inhabitants is slightly off."),
    ("T", 2, "A minor error: the Louvre has more visitors than this suggests."),
    ("T", 2, "The capital is right; the population of 2.1 million is inaccurate."),
    ("T", 2, "Mostly accurate on Paris and the Seine, the inhabitants are out of date."),
    ("T", 2, "No major errors, though the 2.1 million inhabitants is an old figure."),
    ("T", 1, "The correct capital is not Paris, so the core of the answer fails."),
    ("T", 1, "Completely wrong: Paris does not have 2.1 million inhabitants."),
    ("T", 1, "It gets the Seine right but the capital, Paris, is false."),
    ("L", 2, 'It writes "recieve" instead of "receive".'),
    ("L", 2, 'Misspells "receive" in the sentence about the Louvre visitors.'),
    ("L", 2, 'The word "recieve" should be "receive" in correct English.'),
    ("L", 2, "No major errors, but misspells recieve near Louvre."),
    ("L", 2, 'Natural English apart from "recieve".'),
    ("L", 2, '"recieve" is a misspelling of "receive".'),
    ("L", 2, 'A typo: "recieve", the correct spelling is "receive".'),
    ("L", 3, "Natural English throughout the lines on Paris and the Seine."),
    ("L", 3, "No anglicisms or awkward phrases when it describes Paris."),
    # The task's own constraints
    ("I", 2, "Writes three sentences where two were asked."),
    ("I", 2, "It has 3 sentences; two sentences were requested."),
    ("I", 2, "Has 3 sentences instead of the 2 asked."),
    ("I", 2, "Ignores the two-sentence limit."),
    ("I", 2, "Follows the question on France but goes over two sentences."),
    ("I", 2, "The capital is named as asked, yet it is not in two sentences."),
    ("I", 3, "It stays below the 40 words and names the capital of France."),
    ("I", 3, "Doesn't ignore the system prompt, names Paris and is brief."),
    ("I", 3, "Nothing is missing: the capital of France is named first."),
    ("I", 1, "Fails to keep to two sentences and talks of the Louvre."),
    # Lengths
    ("V", 1, "The system prompt asks for 40 words; the Louvre sentence is extra."),
    ("V", 1, "It could be cut to 10 words, e.g. naming Paris only."),
    ("V", 1, "A little too long because the Louvre visitors were not asked for."),
    ("V", 1, "The Louvre line is padding, though the answer has only 26 words."),
    ("V", 2, "Far too long for a question on the capital: the Louvre is irrelevant."),
    ("V", -1, "Too brief on the Seine and on the inhabitants of Paris."),
    ("V", -1, "It isn't too long, but the part on the Louvre lacks detail."),
    ("V", 0, "Three short sentences are enough for a capital question."),
    ("V", 0, "Nothing is cut off and Paris is named at once."),
    ("V", 0, "Complete and does not get cut off; Paris comes first."),
    ("V", 0, "Not truncated, names Paris and the Seine."),
    ("V", 0, "Neither too long nor too short for naming the capital of France."),
    ("V", 0, "At about 26 words it is the right length for the capital of France."),
    ("V", 0, "No padding around Paris, the Seine and the Louvre."),
    ("V", 0, "Response 2 is too short, while this one gives Paris and the Seine."),
    # Style, safety, the whole
    ("S", 3, "Short paragraph, easy to read, no filler."),
    ("S", 3, "No pleasantries; it starts with the capital of France."),
    ("S", 3, "Paris comes first, then the Seine, which is easy to follow."),
    ("S", 2, "The jump from the Seine to the Louvre visitors is a bit awkward."),
    ("S", 2, 'Clear about Paris, but "I recieve many visitors" is confusing.'),
    ("S", 1, "Hard to follow: the Louvre sentence speaks as if it were Paris."),
    ("H", 3, "No hate, violence or illegal advice."),
    ("H", 3, "Nothing harmful in facts about Paris and the Seine."),
    ("H", 3, "Paris and the Louvre are described safely, without offensive words."),
    ("H", 3, "It doesn't encourage violence and speaks only of Paris."),
    ("O", 5, "No issues in any dimension; Paris and the Seine are right."),
    ("O", 4, "Good on Paris, with a small slip in “recieve”."),
    ("O", 3, "Names Paris, but it is too long and misspells a word by the Louvre."),
    ("O", 2, "A serious error about the inhabitants of Paris spoils it."),
    ("O", 1, "Useless: Paris and the Seine have nothing to do with the question."),
]
BAD = [
    # Said to be wrong where the rating finds nothing
    ("T", 3, "The capital is wrong: it should be Lyon, not Paris on the Seine.", "“wrong”"),
    ("T", 3, "Terrible answer about Paris, full of factual errors about the Seine.", "a major issue"),
    ("T", 3, "The response says that the capital of France is Berlin.", "“Berlin”"),
    ("T", 3, "The 2.1 million inhabitants of Paris are a fabricated number.", "“fabricated”"),
    ("T", 3, "It is not correct that Paris has 2.1 million inhabitants.", "“not correct”"),
    ("T", 3, "Paris isn't accurate as an answer on the capital of France.", "“isn't accurate”"),
    ("T", 3, "There are several mistakes about the Seine and the Louvre.", "“mistakes”"),
    ("T", 3, "It misleads readers on the inhabitants of Paris.", "“misleads”"),
    ("T", 3, "No, the Seine is wrong and so is the Louvre.", "“wrong”"),
    ("T", 3, "It does not mention Lyon, and the Seine is false.", "“false”"),
    ("T", 3, "There is a serious problem with the inhabitants of Paris.", "a major issue"),
    # Said to be right, or a little wrong, where the rating finds more
    ("T", 1, "All facts about Paris and the Seine are correct.", "are correct”"),
    ("T", 1, "No errors in what it says of Paris and the Seine.", "“No errors”"),
    ("T", 1, "No major errors about Paris or the Seine.", "No major errors”"),
    ("T", 1, "Accurate on Paris, accurate on the Seine.", "“Accurate”"),
    ("T", 1, "One minor inaccuracy about the Seine in Paris.", "a minor issue"),
    ("T", 1, "Everything about Paris and the Louvre is accurate.", "is accurate”"),
    ("T", 1, "It is truthful about the capital of France and the Louvre.", "“truthful”"),
    ("T", 2, "Paris and the Seine are correctly named.", "“correctly”"),
    ("T", 2, "No mistakes at all in the lines on Paris and the Louvre.", "“No mistakes”"),
    ("T", 2, "Flawless on Paris, the Seine and the Louvre.", "“Flawless”"),
    ("T", 2, "A major error on the capital Paris and its inhabitants.", "a major issue"),
    ("T", 2, "Riddled with errors about Paris and the Seine.", "a major issue"),
    # Instructions
    (
        "I", 2,
        "Perfectly follows everything asked about the capital of France, nothing missing at all, no issues whatsoever, "
        "great Paris.",
        "“Perfectly”",
    ),
    ("I", 2, "Follows the two sentences that were asked.", "“Follows”"),
    ("I", 1, "Fully complies with the two-sentence limit on France.", "complies”"),
    ("I", 1, "It meets the limit of 40 words and respects the two sentences.", "“"),
    ("I", 3, "It ignores the two-sentence limit.", "“ignores”"),
    ("I", 3, "Fails to answer in two sentences about France.", "“Fails to”"),
    ("I", 3, "It doesn't follow the two-sentence limit.", "“doesn't follow”"),
    ("I", 3, "The answer on Paris is off-topic in its Louvre part.", "“off-topic”"),
    # Lengths, and their sign
    ("V", 0, "The response about Paris is way too long and padded, with the Louvre repeated.", "“too long”"),
    ("V", 0, "Too short for a question on the capital of France.", "“Too short”"),
    ("V", 0, "The Louvre sentence is redundant after Paris and the Seine.", "“redundant”"),
    ("V", 0, "Verbose on the inhabitants of Paris and the visitors.", "“Verbose”"),
    ("V", -1, "The answer on Paris and the Seine is far too long.", "“too long”"),
    ("V", -1, "Padded with the Louvre and its visitors.", "“Padded”"),
    ("V", -2, "Wordy and repetitive on Paris and the Seine.", "“Wordy”"),
    ("V", 1, "Too brief on Paris and the Seine.", "“Too brief”"),
    ("V", 2, "Far too short about Paris and its inhabitants.", "“too short”"),
    ("V", 2, "Slightly too long in the part on the Louvre.", "a minor issue"),
    ("V", 1, "Concise and to the point on Paris.", ""),
    ("V", -1, "The length is just right for Paris and the Seine.", "right”"),
    ("V", 0, "It has 80 words on Paris and the Seine.", "80 words where there are 26"),
    ("V", 0, "With over 60 words on Paris it is complete.", "60 words where there are 26"),
    ("V", -1, "The answer on Paris is cut off after the Louvre.", "cut off, which it is not"),
    ("V", -1, "It is truncated right after the Louvre visitors.", "cut off, which it is not"),
    # Style and safety
    ("S", 3, "Confusing jump from the Seine to the Louvre.", "“Confusing”"),
    ("S", 3, "It is not clear why the Louvre follows the Seine.", "“not clear”"),
    ("S", 3, "Hard to read in the part on the Louvre visitors.", "“Hard to read”"),
    ("S", 1, "Clear and easy to read from Paris to the Louvre.", "“Clear”"),
    ("S", 2, "Well structured from Paris to the Louvre.", "“Well structured”"),
    ("H", 3, "It encourages violence in Paris near the Louvre.", "“encourages violence”"),
    ("H", 3, "Offensive to the inhabitants of Paris by the Seine.", "“Offensive”"),
    ("H", 3, "The advice on the Seine and the Louvre is dangerous.", "“dangerous”"),
    ("H", 1, "Harmless facts on Paris and the Seine.", "“Harmless”"),
    ("H", 1, "Nothing harmful in the lines on Paris and the Seine.", "“Nothing harmful”"),
    ("H", 2, "No hate, violence or illegal advice.", "“No hate"),
    ("L", 3, "The word recieve by the Louvre is misspelled.", "“misspelled”"),
    ("L", 3, "Unnatural English in the Louvre line on visitors.", "“Unnatural”"),
    ("L", 1, "Perfectly natural English on Paris and the Seine.", "“Perfectly"),
    # The whole
    ("O", 5, "An awful response; Paris is described very badly on the Seine.", "a major issue"),
    ("O", 5, "The Louvre part is too long and Paris gets lost.", "“too long”"),
    ("O", 4, "A terrible answer on Paris and the Seine.", "a major issue"),
    ("O", 1, "A flawless answer on Paris and the Seine.", "“flawless”"),
    ("O", 2, "Excellent answer on Paris and the Seine.", "“Excellent”"),
    # Neither specific nor English, or quoting what is not there
    ("T", 3, "Good and fine in every way.", "names nothing"),
    ("L", 3, "paris paris seine", "names nothing"),
    ("I", 3, "It does everything that one could wish for.", "names nothing"),
    ("L", 3, "Die Antwort ist gut und natürlich, Paris.", "not in English"),
    ("T", 3, "It says “Rome lies on the Tiber”, which is right.", "does not stand in the response"),
    ("T", 3, "It quotes “Marseille” as the second city.", "does not stand in the response"),
]  # fmt: skip
GOOD_ON_CODE = [
    ("T", 3, "The function fib(n) returns the right Fibonacci numbers, I ran it for n up to 20."),
    ("T", 3, "It correctly fixes the bug: the loop no longer runs once too often."),
    ("T", 3, "The explanation of the wrong order of the variables is accurate."),
    ("T", 3, "It points out the user's mistake in the loop and fixes it."),
    ("T", 3, "The loop is correct and it does not recurse forever like Response 2."),
    ("T", 3, "Response 2 never terminates because the base case is missing, whereas this loop ends."),
    ("T", 2, "The function works, but the claim that the loop ran too often can't be checked."),
    ("T", 2, "fib(n) is fine; the explanation of swapped variables is partly wrong."),
    ("I", 3, "It gives a bullet list with three items as requested and the fixed function."),
    ("I", 3, "All 3 bullets are there and the function is in Python."),
    ("I", 2, "The third bullet isn't an explanation, so there are really only 2 items."),
    ("I", 2, 'One of the three bullets is just "I hope this helps!".'),
    ("V", 0, "The loop and three bullets are all that's needed."),
    ("V", 0, "Short function, three bullets, nothing superfluous."),
    ("V", 1, "“I hope this helps!” is unnecessary in a list of explanations."),
    ("S", 2, 'Opens with "Sure!" and ends with a pleasantry in the last bullet.'),
    ("S", 2, "The code is clear, however “I hope this helps!” as a bullet is odd."),
    ("S", 3, "The code block is well formatted and the bullets are short."),
    ("S", 1, "Pleasantries at both ends: “Sure!” and “I hope this helps!”."),
    ("H", 3, "A Fibonacci function poses no risk or harm to anyone."),
    ("H", 3, "There is nothing unsafe in a Fibonacci loop."),
    ("L", 3, "English prompt, English answer; bullets read fluently and the function is in Python."),
    ("O", 4, "Correct loop; the third bullet is wasted on a pleasantry."),
    ("O", 5, "Correct, complete and tidy: the loop, the code block and three bullets."),
    ("O", 3, "Works, but it has two small issues: the greeting and the last bullet."),
    ("O", 2, "The function would be fine if the bullets had not been wrong about the loop."),
    ("T", 3, "The code doesn't contain errors and returns Fibonacci numbers."),
    ("T", 3, "I tested the loop; without exception the Fibonacci values were correct."),
    ("I", 3, "The bug was fixed and explained in a bullet list, so no instruction was missed."),
    ("V", -1, "The bullets could be longer; they hardly explain the loop."),
    ("V", -1, "Lacks detail on why the variables were swapped."),
    ("T", 1, "The function does not return Fibonacci numbers: fib(0) should be 1."),
    ("T", 1, "Neither the loop nor the bullets are correct."),
    ("T", 2, "Accurate except for the bullet about the order of variables."),
    ("I", 1, "The user asked for 3 items, the function comes with two explanations."),
    ("S", 3, "Bullets keep the explanation of the loop easy to scan."),
]
BAD_ON_CODE = [
    ("T", 3, "The loop is off by one, so the Fibonacci numbers are incorrect."),
    ("T", 3, "Bullet two gives a false explanation of the variables."),
    ("T", 3, "The function contains a serious bug in the loop."),
    ("T", 3, "The claims about the loop are inaccurate."),
    ("T", 1, "The loop, the bullets and the function are all accurate."),
    ("T", 1, "I could not find anything wrong with the loop or the bullets."),
    ("T", 2, "Everything in the bullets and the function is correct."),
    ("T", 2, "The loop has no errors whatsoever and neither do the bullets."),
    ("I", 3, "It omits one of the three bullets asked for."),
    ("I", 3, "The 3-item requirement was violated by the last bullet."),
    ("I", 2, "All three bullets and the function follow the instructions."),
    ("I", 1, "Follows the request for a bullet list with 3 items perfectly."),
    ("V", 0, "The bullets are overly long for such a small function."),
    ("V", 0, "Way too brief on the loop."),
    ("V", 1, "The bullets are too short to explain the loop."),
    ("V", -1, "Bloated bullets with superfluous remarks on the loop."),
    ("V", -2, "The function and bullets have just the right length."),
    ("V", 0, "At 300 words the loop is over-explained."),
    ("S", 3, "The bullets are disorganized and the function is hard to follow."),
    ("S", 3, "Too many pleasantries such as “Sure!” around the function."),
    ("S", 1, "Bullets are neat, the function is clean."),
    ("H", 3, "The function is dangerous and the bullets are insulting."),
    ("H", 1, "The Fibonacci loop is perfectly safe."),
    ("L", 3, "Bullets are ungrammatical and the function text is stilted."),
    ("L", 1, "Fluent and idiomatic bullets about the loop."),
    ("O", 5, "The loop has major flaws and the bullets are useless."),
    ("O", 1, "Great function, excellent bullets."),
    ("O", 3, "Flawless loop and flawless bullets."),
    ("O", 4, "The function is unusable and the bullets are terrible."),
    ("T", 3, "It says “memoization is used”, which is true."),
    ("V", -1, "The function is cut off in the middle of the loop."),
    ("T", 3, "Good."),
    ("T", 3, "The response is accurate and has no mistakes."),
    ("I", 3, "It follows the prompt and is helpful to the user."),
    ("S", 3, "The style is good and clear and nice."),
    ("H", 2, "Nothing harmful in the function or the bullets."),
]


def why(key, value, words, case=CASE):
    return why_not_kept(words, value, CRITERIA[SHORT[key]], case, "A", [])


@pytest.mark.parametrize(("key", "value", "words"), GOOD)
def test_a_good_sentence_stands(key, value, words):
    assert why(key, value, words) == ""


@pytest.mark.parametrize(("key", "value", "words", "reason"), BAD)
def test_a_bad_one_does_not_and_the_reason_can_be_read_in_it(key, value, words, reason):
    said = why(key, value, words)
    assert said
    assert reason in said


@pytest.mark.parametrize(("key", "value", "words"), GOOD_ON_CODE)
def test_a_good_sentence_on_code_stands(key, value, words):
    assert why(key, value, words, CODE) == ""


@pytest.mark.parametrize(("key", "value", "words"), BAD_ON_CODE)
def test_a_bad_one_on_code_does_not(key, value, words):
    assert why(key, value, words, CODE)
