"""What becomes of a comparer's reply: scores and quotes in the case's labels, and which quotes are evidence."""

from decimal import Decimal
from itertools import product

import orjson

from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.compare.roles import COMPARER
from adjudge.protocols.rubrics import parse

WORDS = "one plan that names each step and its owner"
CASE = Comparison(task="t", a=f"There is {WORDS}.", b=f"Well, {WORDS}! Then it ends, as most plans do.")


def own(low=1, high=10, step=1):
    scale = f"scale: {{min: {low}, max: {high}, step: {step}}}"
    criteria = "".join(f"  - {{key: {key}, weight: 1, guidance: How much}}\n" for key in ("kind_one", "two"))
    return parse(f'name: own\nversion: "1"\nprotocol: compare\n{scale}\ncriteria:\n{criteria}', "own")


def reply_to(rubric, *more, **changes):
    """A good reply; `changes` are made to the marks of the criterion `two`."""
    marks = {}
    for n in (1, 2):
        marks |= {f"quote_{n}": WORDS, f"impact_{n}": "favorable", f"rationale_{n}": "So."}
        marks |= {f"justification_{n}": f"Answer {n} is so.", f"score_{n}": int(rubric.scale.high)}
    said = {"summary_1": "One.", "summary_2": "Two.", "rationale": "Both.", "preference": "tie"}
    return {"criteria": {"kind_one": marks, "two": marks | changes}, "more_evidence": list(more), **said}


def further(quote, answer=2, impact="favorable"):
    return {"criterion": "two", "answer": answer, "quote": quote, "impact": impact, "rationale": "Answer 2 goes on."}


def read(reply, case=CASE, rubric=None):
    return COMPARER.read(CompareQuestion(case, rubric or own(), "ba"), orjson.dumps(reply).decode(), "j")


def evidence_for(reading, answer, criterion="two"):
    return [item for item in reading.opinion.evidence if (item.criterion, item.answer) == (criterion, answer)]


def test_no_answers_quote_reason_or_score_can_be_left_out():
    for field in (f"{name}_{n}" for name in ("quote", "impact", "rationale", "justification", "score") for n in (1, 2)):
        reply = reply_to(own())
        del reply["criteria"]["two"][field]
        reading = read(reply)
        assert (reading.opinion, reading.problems) == (None, (f"criteria.two.{field}: missing",))


def test_a_number_that_only_looks_different_is_the_same_score():
    rubric = own(0, 2, 0.5)
    reply = reply_to(rubric, further("it ends, as most plans do") | {"answer": 1.0}, score_1=1.5, score_2=2.0)
    reading = read(reply, rubric=rubric)
    assert not reading.problems
    given = {label: str(score.value) for label, score in reading.opinion.scores["two"].items()}
    assert given == {"A": "2", "B": "1.5"}
    assert reading.opinion.scores["kind_one"]["A"].value == Decimal(2)


def test_quotes_scores_and_reasons_are_those_of_the_answer_that_stood_there():
    reply = reply_to(own(), score_1=3, quote_1="Then it ends, as most plans do.", impact_1="unfavorable")
    reading = read(reply)
    (of_b,) = evidence_for(reading, "B")
    assert (of_b.quote, of_b.impact) == ("Then it ends, as most plans do.", "unfavorable")
    assert CASE.b[of_b.start : of_b.end] == of_b.quote
    score = reading.opinion.scores["two"]["B"]
    assert (score.value, score.justification) == (3, "Response B is so.")


def test_further_quotes_stand_beside_the_one_that_is_demanded():
    reading = read(reply_to(own(), further("it ends, as most plans do", answer=1)))
    assert [item.quote for item in evidence_for(reading, "B")] == [WORDS, "it ends, as most plans do"]
    assert evidence_for(reading, "B")[1].rationale == "Response A goes on."
    assert not reading.problems


def test_the_same_span_with_the_same_impact_stands_once_a_criterion():
    same = [further(WORDS, 1), further(f" “{WORDS}” ", 1), further(WORDS, 1, "unfavorable")]
    reading = read(reply_to(own(), *same))
    assert [item.impact for item in evidence_for(reading, "B")] == ["favorable", "unfavorable"]
    assert len(evidence_for(reading, "B", "kind_one")) == 1
    assert not reading.problems


def test_an_answer_of_fewer_than_five_words_is_quoted_whole_whatever_the_field_holds():
    answers = ("Yes!", "Of course!", "Yes, of course!", "Yes, of course, sir!")
    fields = ("", "Yes.", "some words that it never said", "Yes, certainly, of course, my friend")
    for answer, field in product(answers, fields):
        case = Comparison(task="t", a=f"There is {WORDS}.", b=f"\n {answer} ")
        reply = reply_to(own(), further(field, 1), quote_1=field)
        reply["criteria"]["kind_one"]["quote_1"] = field
        reading = read(reply, case)
        assert (reading.problems, reading.opinion.warnings) == ((), ())
        (whole,) = evidence_for(reading, "B")
        assert whole.quote == answer == case.b[whole.start : whole.end]


def test_an_answer_of_five_words_is_quoted_like_any_other():
    case = Comparison(task="t", a=f"There is {WORDS}.", b="Yes, of course it is.")
    reading = read(reply_to(own(), quote_1="No, certainly it is not."), case)
    assert any(problem.startswith("two: the quote 'No, certainly it is not.'") for problem in reading.problems)


def test_an_answer_without_a_word_needs_no_quote():
    for wordless in ("…", "👍 !!", "---\n***"):
        case = Comparison(task="t", a=f"There is {WORDS}.", b=wordless)
        for field in ("", "👍", "words that are not there at all"):
            reading = read(reply_to(own(), further(field, 1), quote_1=field), case)
            assert (reading.problems, reading.opinion.warnings) == ((), ())
            assert {item.answer for item in reading.opinion.evidence} == {"A"}


def test_an_empty_field_is_a_missing_quote_and_not_a_wrong_one():
    reading = read(reply_to(own(), further("  "), quote_2=" "))
    assert reading.problems == ("two: no usable quote from Answer 2",)
    assert reading.opinion.warnings == ()


def test_a_further_quote_can_take_the_place_of_a_bad_one_but_the_bad_one_is_told():
    reading = read(reply_to(own(), further(WORDS), quote_2="words that are not there at all"))
    assert len(reading.problems) == 1
    assert "'words that are not there at all' from Answer 2 is not in" in reading.problems[0]
    assert len(evidence_for(reading, "A")) == 1


def test_a_flood_of_quotes_is_looked_at_only_so_far():
    flood = [further(f"the invented passage with the number {at}") for at in range(1000)]
    reading = read(reply_to(own(), *flood))
    assert len(reading.problems) == 12


def test_of_two_quotes_about_the_same_only_the_one_whose_rationale_is_invented_loses_it():
    goes_on = further("Then it ends, as most plans do.", 1)
    reading = read(reply_to(own(), goes_on | {"rationale": 'It says "never mind the owner" there.'}))
    assert [item.rationale for item in evidence_for(reading, "B")] == [
        "So.", "Scored 10; the judge's reason quoted words that are not in the text."
    ]  # fmt: skip
    replacement = {"evidence": [], "reasons": [{"place": "two.rationale_1", "words": "It goes on."}]}
    question = CompareQuestion(CASE, own(), "ba")
    again = COMPARER.read_repair(question, reading, orjson.dumps(replacement).decode(), "j")
    assert [item.rationale for item in evidence_for(again, "B")] == ["So.", "It goes on."]
