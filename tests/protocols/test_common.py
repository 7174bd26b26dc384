"""Where a verdict comes from is written the same, however its numbers were given."""

from adjudge.protocols.compare.rules import CompareOptions
from adjudge.protocols.procedure import provenance_of


def test_a_temperature_given_as_a_whole_number_is_written_like_any_other():
    assert repr(provenance_of("a judge", "a rubric", CompareOptions(temperature=1)).temperature) == "1.0"
