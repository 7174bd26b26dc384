"""A limit on processor time that only work beyond linear reaches, however busy the machine is."""

import time
from contextlib import contextmanager


@contextmanager
def within(seconds):
    began = time.process_time()
    yield
    used = time.process_time() - began
    assert used < seconds, f"{used:.1f} s of processor time"
