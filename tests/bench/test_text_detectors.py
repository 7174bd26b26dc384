"""The bench of the text detectors: enough samples, and the detectors do on them what docs/benchmarks.md says."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parent.parent.parent / "bench"
LANGUAGES = {"en", "es", "fr", "de", "pt", "it", "ja", "zh", "ko", "hi", "ar"}
NAMES = ["injection", "markers", "repetition"]


@pytest.fixture(scope="module")
def bench():
    before = list(sys.path)
    sys.path.insert(0, str(BENCH))
    try:
        yield importlib.import_module("text_detectors")
    finally:
        sys.path[:] = before


def test_every_file_of_samples_has_its_detector(bench):
    assert sorted(path.stem for path in bench.SAMPLES.glob("*.jsonl")) == sorted(bench.LABELLED) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_findings_are_right_and_nearly_complete(bench, name):
    counts = bench.counted(bench.outcomes(name))
    assert counts.precision >= 0.97
    assert counts.recall >= 0.97


@pytest.mark.parametrize("name", NAMES)
def test_every_language_has_samples_of_both_kinds(bench, name):
    for present in (True, False):
        samples = [result.sample for result in bench.outcomes(name) if result.present is present]
        for language in LANGUAGES:
            assert sum(sample["language"] == language for sample in samples) >= 4, (language, present)


def test_the_command_prints_a_row_for_each_detector_and_counts_unlabelled_answers(tmp_path):
    pairs = [{"task": "List.", "response_a": "1. Fly.\n2.", "response_b": "Fine.</s>"}] * 2
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, pairs)))
    command = [sys.executable, str(BENCH / "text_detectors.py"), "--wrong", "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    labelled, unlabelled = done.stdout.split("\n\n")
    assert [line.split()[0] for line in labelled.splitlines()[1:] if line[0] != " "] == NAMES
    told = {line.split()[0]: line.split()[1:] for line in unlabelled.splitlines()[1:]}
    assert told["cut_off"] == told["control_tokens"] == told["markers"] == ["2", "1"]
    assert told["repetition"] == told["injection"] == ["2", "0"]
