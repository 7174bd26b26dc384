"""The bench of the text detectors: enough samples, and the detectors do on them what docs/benchmarks.md says."""

import json

import pytest

LANGUAGES = {"en", "es", "fr", "de", "pt", "it", "ja", "zh", "ko", "hi", "ar"}
NAMES = ["injection", "markers", "repetition"]


@pytest.fixture(scope="module")
def text_detectors(bench):
    return bench("text_detectors")


def test_every_file_of_samples_has_its_detector(text_detectors):
    assert (
        sorted(path.stem for path in text_detectors.SAMPLES.glob("*.jsonl")) == sorted(text_detectors.LABELLED) == NAMES
    )


@pytest.mark.parametrize("name", NAMES)
def test_findings_are_right_and_nearly_complete_and_every_language_has_samples_of_both_kinds(text_detectors, name):
    outcomes = text_detectors.outcomes(name)
    counts = text_detectors.counted(outcomes)
    assert counts.precision >= 0.97 and counts.recall >= 0.97
    for present in (True, False):
        samples = [result.sample for result in outcomes if result.present is present]
        for language in LANGUAGES:
            assert sum(sample["language"] == language for sample in samples) >= 4, (language, present)


def test_the_command_prints_a_row_for_each_detector_and_counts_unlabelled_answers(call, tmp_path):
    pairs = [{"task": "List.", "response_a": "1. Fly.\n2.", "response_b": "Fine.</s>"}] * 2
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, pairs)))
    labelled, unlabelled = call("text_detectors", "--wrong", "--data", tmp_path).split("\n\n")
    assert [line.split()[0] for line in labelled.splitlines()[1:] if line[0] != " "] == NAMES
    told = {line.split()[0]: line.split()[1:] for line in unlabelled.splitlines()[1:]}
    assert told["cut_off"] == told["control_tokens"] == told["markers"] == ["2", "1"]
    assert told["repetition"] == told["injection"] == ["2", "0"]
