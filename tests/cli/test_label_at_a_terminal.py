"""`adjudge label` at a real terminal and in real processes: single keys, Ctrl-C, a kill, two people at once."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from functools import partial

import pytest
from cli.labelled import kept, pairs
from results.building import Given, write_run

from adjudge.protocols.compare.case import Comparison


@pytest.fixture
def folder(copied):
    return copied("compare")


class Person:
    """Somebody at a terminal: reads what is shown up to a text, and presses keys."""

    def __init__(self, *args, columns=100, rows=24):
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        command = [sys.executable, "-m", "adjudge.cli.main", *map(str, args)]
        environment = {**os.environ, "TERM": "xterm"}
        # A shell that starts the tests in the background has them ignore Ctrl-C, and so would this.
        heeds = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            preexec_fn=heeds,
        )
        os.close(slave)

    def sees(self, text, patience=180):
        """What is shown up to this text."""
        shown, end = b"", time.monotonic() + patience
        while text.encode() not in shown:
            assert time.monotonic() < end and select.select([self._master], [], [], patience)[0], shown.decode()
            try:
                shown += os.read(self._master, 4096)
            except OSError:  # the other side is gone
                raise AssertionError(shown.decode()) from None
        return shown.decode().replace("\r\n", "\n")

    def presses(self, keys):
        os.write(self._master, keys.encode())

    def ends(self):
        return self.process.wait(180)

    def leaves(self):
        self.process.kill()
        self.process.wait(180)
        os.close(self._master)


@pytest.fixture
def sit_down():
    """A person at a terminal, in front of a command."""
    people = []

    def sits(*args):
        people.append(Person(*args))
        return people[-1]

    yield sits
    for person in people:
        person.leaves()


def test_at_a_terminal_single_keys_answer_and_long_texts_are_shown_whole(sit_down, tmp_path):
    long = "".join(f"Line {n} of a long answer.\n" for n in range(60))
    folder = write_run(tmp_path / "run", [Given("x", Comparison("Do it.", long, "No.")), *pairs(2)])
    person = sit_down("label", folder, "--annotator", "ann")
    for _ in range(3):
        screen = person.sees("\n> ")
        if "Do it." in screen:
            assert "Line 3 of" in screen and "Line 59 of" in screen
        person.presses("z")
        assert "'z' is not an answer here; 1, 2, t, or s f n u q ?" in person.sees("\n> ")
        person.presses("\x1b[A")  # an arrow key
        assert "no answer; 1, 2, t" in person.sees("\n> ")
        person.presses("n")
        person.sees("note: ")
        person.presses("so so\n")
        person.sees("\n> ")
        person.presses("2")
    assert "3 of 3 cases labelled by ann." in person.sees("ann.")
    assert person.ends() == 0
    assert [label["note"] for label in kept(folder).values()] == ["so so"] * 3
    assert all(label["value"] == ("B" if label["shown"] == "ab" else "A") for label in kept(folder).values())


def test_ctrl_c_at_a_terminal_loses_nothing_and_says_how_to_go_on(sit_down, folder):
    person = sit_down("label", folder, "--annotator", "ann")
    person.sees("\n> ")
    person.presses("1")
    assert "2 of 6" in person.sees("\n> ")
    person.process.send_signal(signal.SIGINT)
    said = person.sees("--annotator ann")
    assert "1 of 6 cases labelled by ann." in said and "Continue with: adjudge label" in said
    assert person.ends() == 130 and len(kept(folder)) == 1


def test_a_number_of_several_digits_is_typed_with_enter(sit_down, copied):
    folder = copied("review")
    person = sit_down("label", folder, "--annotator", "ann", "--criteria")
    for key in "2333":
        person.sees("\n> ")
        person.presses(key)
    person.sees("number and Enter > ")
    person.presses("-1\n")
    person.sees("\n> ")
    person.presses("\x04")
    assert person.ends() == 0
    (label,) = kept(folder).values()
    assert label["criteria"][f"verbosity_{label['shown'][0]}"] == -1


def test_two_people_label_at_once_and_after_a_kill_each_goes_on_where_they_were(adjudge, folder):
    started = {
        who: subprocess.Popen(
            [sys.executable, "-m", "adjudge.cli.main", "label", str(folder), "--annotator", who],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for who in ("ann", "ben")
    }
    for who, process in started.items():
        process.stdin.write(b"1\n" if who == "ann" else b"2\n2\n")
        process.stdin.flush()
        shown = b""
        while f"{2 if who == 'ann' else 3} of 6\n".encode() not in shown:
            shown += os.read(process.stdout.fileno(), 65536)
    for process in started.values():
        process.kill()
        process.communicate()
    assert len(kept(folder)) == 1 and len(kept(folder, "ben")) == 2
    assert list(kept(folder)) == list(kept(folder, "ben"))[:1]
    out = adjudge("label", folder, "--annotator", "ben", stdin="q\n")[1]
    assert out.startswith("2 of 6 cases labelled by ben.") and "3 of 6" in out
    assert json.loads((folder / "labels" / "selection.json").read_text())["format"] == 1
