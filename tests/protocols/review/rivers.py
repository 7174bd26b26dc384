"""A small review for tests, the reply of a judge that rates it truly, and what may be asked of a verdict."""

from scripted.ratings import KEYS, because, rating_reply

from adjudge.protocols.review.case import Original, Review
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("review")
SECRET = "zanzibar-quokka"
SAID = (
    ("Truthfulness decides: Response 2 names the wrong river.", "truthfulness", "1"),
    ("Response 1 names the right one.", "truthfulness", "1"),
)
REASONS = " ".join(sentence for sentence, _, _ in SAID)
WRONG = {"truthfulness": [1, "The Rhine flows through Vienna", "The river is the Danube."], "overall_quality": 2}
REPLY = rating_reply({"preference": 2, "reasons": SAID, "response_2": WRONG})
CASE = Review(
    prompt="Which river flows through Vienna?",
    a="The Danube flows through Vienna, and further on through Budapest.",
    b="The Rhine flows through Vienna, and further on through Cologne.",
    task_config="locale: en-GB",
    system_prompt="You are a patient teacher of geography.",
    history="User: hello\nAssistant: hello, what would you like to know?",
    ratings_a={key: Original("-2" if key == "verbosity" else "1", f"{SECRET} a {key}") for key in KEYS},
    ratings_b={key: Original("2", f"{SECRET} b {key}") for key in KEYS},
    preference=Original("7", f"{SECRET} likert"),
)
LIED = (
    ("Response 2 is more accurate than Response 1.", "truthfulness", "2"),
    ("It is the longer one.", "verbosity", "2"),
)
UNFIT = {**REPLY, "reasons": because(LIED)}


def codes(verdict):
    return [warning.code for warning in verdict.warnings]


def fields(case):
    return {name: getattr(case, name) for name in type(case).model_fields}
