import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import text_detectors

LANGUAGES = {"en", "es", "fr", "de", "pt", "it", "ja", "zh", "ko", "hi", "ar"}
RECALL = {"code": 0.95, "pleasantries": 0.95, "refusal": 0.95, "human_claims": 0.75, "truncation": 0.7, "markers": 0.97}


@pytest.mark.parametrize("name", text_detectors.DETECTORS)
def test_certain_facts_are_right_and_hints_mostly(name: str) -> None:
    results = text_detectors.outcomes(name)
    for certain, floor in ((True, 0.97), (False, 0.95)):
        found = text_detectors.counted(results, certain)
        assert found.right / (found.right + found.false_alarms) >= floor
    found = text_detectors.counted(results, True)
    assert found.right / (found.right + found.missed) >= RECALL.get(name, 0.0)


@pytest.mark.parametrize("name", [name for name in text_detectors.DETECTORS if name != "code"])
def test_every_language_has_samples_of_both_kinds(name: str) -> None:
    for present in (True, False):
        samples = [result.sample for result in text_detectors.outcomes(name) if result.present is present]
        for language in LANGUAGES:
            assert sum(sample["language"] == language for sample in samples) >= 4, (language, present)


def test_code_has_thirteen_languages_with_six_good_and_six_broken_samples() -> None:
    samples = [result.sample for result in text_detectors.outcomes("code")]
    languages = {sample["language"] for sample in samples}
    assert len(languages) == 13
    for language in languages:
        for present in (True, False):
            assert sum(s["language"] == language and s["present"] is present for s in samples) >= 6, language
