"""A verdict is written as documented and read back as the same; a quote that is not in its text is refused."""

import pytest
from protocols.grade.verdicts import case, quote, stepped, verdict

from adjudge.errors import InputError
from adjudge.models.base import from_json, to_json
from adjudge.protocols.grade.case import Grading
from adjudge.protocols.grade.verdict import GradeVerdict


def test_a_verdict_is_read_back_as_it_was_written():
    made = verdict()
    assert from_json(GradeVerdict, to_json(made), case=made.case, rubric=made.rubric) == made
    written = made.model_dump()
    assert written["decided"] is True
    assert (str(written["score"]), written["score_exact"]) == ("0.833333", "5/6")
    assert made.answer == "pass"
    assert verdict(passed=None, decided=False).answer == "undecided"


def test_a_quote_that_is_not_in_its_text_is_refused():
    given = case()
    forged = quote(given, "Oslo").updated(quote="Bergen")
    with pytest.raises(ValueError, match="is not in its answer"):
        verdict(given, items=(verdict().items[0].updated(evidence=(forged,)),))


def test_the_answer_of_steps_is_the_last_assistant_text():
    given = stepped(
        ("assistant", "Let me look."), ("tool call", '{"city": "Bergen"}', "weather"), ("tool result", "Rain."),
        ("assistant", "It rains in Oslo."),
    )  # fmt: skip
    assert (given.answer, given.final_step, given.is_empty) == ("It rains in Oslo.", 4, False)
    assert stepped(("tool call", "{}", "x")).answer == ""
    assert from_json(Grading, to_json(given)) == given
    with pytest.raises(InputError, match="last assistant text"):
        given.updated(answer="Another.")


def test_a_context_is_a_text_or_a_list_and_a_bad_one_is_refused_by_its_place():
    for context, ids in (
        (None, []),
        ("One text.", ["1"]),
        (["One.", " ", "Three."], ["1", "3"]),
        ([{"id": "a", "text": "One."}, {"text": "Two."}], ["a", "2"]),
    ):
        assert [one.id for one in case(context=context).context] == ids
    for context, says in (
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "context.2.id: 'a' appears twice"),
        ([{"txt": "x"}], "context.1.txt: unknown field; id and text are allowed"),
        ([7], "context.1.text: expected text, found a number"),
        (7, "context: neither a text nor a list"),
        ([{"id": "a\nb", "text": "x"}], "context.1.id: "),
    ):
        with pytest.raises(InputError) as refused:
            case(context=context)
        assert says in str(refused.value)
