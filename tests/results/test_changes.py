"""Changed cases are read from the greatest on, and are not held in memory."""

import subprocess
import sys

import pytest

from adjudge.results.changes import CaseChange, Changes


@pytest.fixture
def changes():
    kept = Changes()
    yield kept
    kept.close()


def changed(case, before="A", after="A", change=0.0):
    return CaseChange(case, before, after, change, {"lead": (1.5, 2.5)})


def test_flips_come_first_then_the_greatest_then_by_name(changes):
    for each in [
        changed("é", change=1),
        changed("z", change=1),
        changed("far", change=-3.5),
        changed("none", after=None, change=None),
        changed("flip", after="B", change=0.25),
    ]:
        changes.add(each)
    assert [each.case for each in changes.greatest()] == ["flip", "none", "far", "z", "é"]
    assert [each.case for each in changes.greatest(2)] == ["flip", "none"]
    assert list(changes.greatest(0)) == [] and len(changes) == 5


def test_what_is_read_is_what_was_added(changes):
    each = CaseChange("x", "A", None, None, {"a": (0.1, 3), "b": (-1, 2.5)})
    changes.add(each)
    assert list(changes.greatest()) == [each]


MANY = """
import sys
from pathlib import Path
from adjudge.results.changes import CaseChange, Changes

count, kept = int(sys.argv[1]), Changes()
for at in range(count):
    kept.add(CaseChange(f"case-{at}", "A", "A", at % 77, {"long " * 600: (1.5, 2.5)}))
assert sum(1 for _ in kept.greatest()) == count
kept.close()
print(next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")))
"""


def peak_of(count):
    """The most memory, in kB, that a process has needed; Python's own count would not see what SQLite takes.

    Nor is `ru_maxrss` of use: it begins with what the parent needs.
    """
    return int(subprocess.run([sys.executable, "-c", MANY, str(count)], capture_output=True, check=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_ten_times_the_changes_need_no_more_memory():
    assert peak_of(10_000) < peak_of(1_000) + 10_000
