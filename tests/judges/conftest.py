"""Judges in either provider's format."""

import pytest


@pytest.fixture(params=["openai_judge", "anthropic_judge"])
def any_judge(request):
    return request.getfixturevalue(request.param)
