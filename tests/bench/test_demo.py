"""The demo's files are what `python bench/demo.py` makes of what was written."""

import asyncio

import pytest

from adjudge.protocols.base import protocol_of


@pytest.fixture(scope="module")
def demo(bench):
    return bench("demo")


@pytest.mark.slow
def test_the_shipped_files_are_what_the_command_makes(demo, tmp_path):
    made = asyncio.run(demo.build(tmp_path))
    assert len(made) == 9
    for path in made:
        shipped = protocol_of(path.parent.name).folder / "demo" / path.name
        assert path.read_bytes() == shipped.read_bytes(), f"{shipped}: run `python bench/demo.py`"


def test_every_written_quote_is_in_its_answer_and_every_case_has_a_category(demo):
    cases = demo.written("compare")
    assert len(cases) == 60 and len({case["id"] for case in cases}) == 60
    for case in cases:
        for who, _, _, quote, _ in [*case["notes"], *case.get("careful", {}).get("notes", ())]:
            assert quote in case[who], (case["id"], quote)
