"""Whatever a judge writes, people read one sentence where one is promised, and no quotation of what nobody wrote."""

import re

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.protocols.compare.case import Comparison
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.compare.roles import COMPARER
from adjudge.protocols.dialogue.case import Dialogue, Turn
from adjudge.protocols.dialogue.questions import CriticizeQuestion, EvaluateQuestion
from adjudge.protocols.dialogue.roles import CRITIC, EVALUATOR
from adjudge.protocols.dialogue.verdict import Evaluation, Mark, Utterance
from adjudge.protocols.rubrics import shipped

TURNS = (
    Turn("SYSTEM", "What kinds of movies do you like? Tell me.", 1),
    Turn("USER", "I really like action movies, mostly old ones. They are fun!", 2),
    Turn("SYSTEM", "Why?", 3),
    Turn("USER", "They're just really fun.\nNo more.", 4),
)
TALK = Dialogue(1, TURNS)
CASE = Comparison("How long for an egg?", "Put it in boiling water for ten minutes.", "Boil it until it is done.")
PIECES = (
    "It asks.", "It asks twice", "Then it stops!", "Is it? Yes.", "Dr. Who came. He left", "A\n\nB.", "です。はい。",
    'SYSTEM: "Why?"', "USER: “They're just really fun”", 'USER: "Why?"', 'SYSTEM: "Tell me"', "„They are fun!“ Yes.",
    "«What kinds of movies do you like?»", "“nobody ever said this here”", '"nor was this said"', 'it says "open. And',
    "“boiling water for ten minutes”", "«Boil it until it is done.»", "Answer 1 has “see Answer 1 above”", '"a word"',
)  # fmt: skip
reasons = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map(" ".join)
quotes = st.sampled_from([
    {"speaker": "SYSTEM", "quote": "What kinds of movies"}, {"speaker": "USER", "quote": "They're just really fun."},
    {"speaker": "SYSTEM", "quote": "Why?"}, {"speaker": "USER", "quote": "No, never"},
])  # fmt: skip
_PAIRS = re.compile(r'"([^"“”„«»]*)"|“([^"“”„«»]*)”|„([^"“”„«»]*)“|«([^"“”„«»]*)»')
_SPOKEN = re.compile(r'\b(SYSTEM|USER): ["“«„]([^"“”„«»]*)["”»“]')


def plain(text):
    return " ".join(text.split())


def assert_real(words, texts):
    for match in _PAIRS.finditer(words):
        quoted = plain(next(filter(None, match.groups()), "")).rstrip(".,!?")
        assert len(quoted.split()) < 3 or any(quoted in plain(text) for text in texts), words


def assert_one_sentence_of_what_was_said(words, also=()):
    assert_real(words, [*(turn.text for turn in TURNS), *also])
    for speaker, quoted in _SPOKEN.findall(words):
        assert any(turn.speaker == speaker and plain(quoted).rstrip(".") in plain(turn.text) for turn in TURNS), words
    bare = _PAIRS.sub("Q", words).replace("Dr.", "Dr")
    assert len(re.split(r"(?<=[.!?。])\s+(?=[A-Z(])", bare)) == 1, words


def settled(role, question, reply, again):
    """The opinion after the reply and, if that is wrong, one repair round."""
    first = role.read(question, orjson.dumps(reply).decode(), "j")
    assert first.opinion is not None
    if not first.problems:
        return first.opinion
    fields = first.replacements.schema["properties"]
    given = {name: again[name] for name in fields}
    return role.read_repair(question, first, orjson.dumps(given).decode(), "j").opinion


RUBRIC = shipped("dialogue")
KEYS = list(RUBRIC.weights)
keys = st.sampled_from(KEYS)
replacements = st.fixed_dictionaries(
    {
        "quotes": st.lists(st.tuples(keys, quotes).map(lambda pair: {"criterion": pair[0], **pair[1]}), max_size=2),
        "reasons": st.lists(st.fixed_dictionaries({"criterion": keys, "words": reasons}), max_size=4),
    }
)


@settings(max_examples=30)
@given(st.data(), replacements)
def test_every_justification_of_the_evaluator_is_one_sentence_of_what_was_said(data, again):
    marks = {key: {**data.draw(quotes), "reason": data.draw(reasons), "score": 80} for key in KEYS}
    opinion = settled(EVALUATOR, EvaluateQuestion(TALK, RUBRIC), {"criteria": marks}, again)
    for mark in opinion.marks.values():
        assert_one_sentence_of_what_was_said(mark.justification)
        assert not mark.quotes or _SPOKEN.search(mark.justification)


@settings(max_examples=30)
@given(st.data(), replacements)
def test_every_comment_of_the_critic_is_one_sentence_of_what_was_said(data, again):
    shown = Utterance(speaker="SYSTEM", quote="Why?", turn=2, line=3, start=0, end=4)
    marks = dict.fromkeys(KEYS, Mark(value=80, reason="Short as it is, it asks.", quotes=(shown,)))
    question = CriticizeQuestion(TALK, RUBRIC, Evaluation(judge="e", marks=marks))
    entry = {
        "quotes": st.lists(quotes, max_size=2), "comment": reasons, "agree": st.booleans(),
        "missing": st.sampled_from(["", "An “I am very sorry”. And more.", "thanks"]),
        "contradicts": st.just(True), "score": st.just(40),
    }  # fmt: skip
    entries = {key: data.draw(st.fixed_dictionaries(entry)) for key in KEYS}
    opinion = settled(CRITIC, question, {"criteria": entries}, again)
    for entry in opinion.entries.values():
        assert_one_sentence_of_what_was_said(entry.justification, ["Short as it is, it asks."])


COMPARED = shipped("compare")
PLACES = [f"{key}.{field}_{n}" for key in COMPARED.weights for field in ("rationale", "justification") for n in (1, 2)]


@settings(max_examples=30)
@given(st.data(), st.sampled_from(["ab", "ba"]))
def test_no_reason_of_a_comparison_is_empty_or_quotes_what_the_judge_was_not_shown(data, order):
    def marks():
        given = {}
        for n, text in enumerate((CASE.a, CASE.b) if order == "ab" else (CASE.b, CASE.a), start=1):
            quote = data.draw(st.sampled_from([text, "", "words that are not there at all"]))
            given |= {f"quote_{n}": quote, f"impact_{n}": "favorable", f"rationale_{n}": data.draw(reasons)}
            given |= {f"justification_{n}": data.draw(reasons), f"score_{n}": 7}
        return given

    reply = {name: data.draw(reasons) for name in ("summary_1", "summary_2", "rationale")}
    reply |= {"criteria": {key: marks() for key in COMPARED.weights}, "more_evidence": [], "preference": "tie"}
    places = st.sampled_from([*PLACES, "summary_1", "summary_2", "rationale"])
    wrong = data.draw(st.lists(st.fixed_dictionaries({"place": places, "words": reasons}), max_size=5))
    again = {"evidence": [], "reasons": wrong}
    opinion = settled(COMPARER, CompareQuestion(CASE, COMPARED, order), reply, again)
    words = [opinion.rationale, *opinion.summaries.values(), *(item.rationale for item in opinion.evidence)]
    words += [score.justification for by_label in opinion.scores.values() for score in by_label.values()]
    for said in words:
        assert said.strip()
        assert_real(said, [CASE.task, CASE.a, CASE.b])
