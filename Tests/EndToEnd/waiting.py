"""Waits for what no page shows: what the app does to files."""

import select
import time


def until(holds, seconds=60):
    """Comes back when `holds()` is true; fails when that does not happen in time.

    Nothing tells us when a file is as it should be, so it is looked at again and again. What is put in its place just
    then may not be found. The time is that of a machine which does much else meanwhile.
    """
    def holds_now():
        try:
            return holds()
        except FileNotFoundError:
            return False

    last = time.monotonic() + seconds
    while not holds_now():
        assert time.monotonic() < last, "it did not happen in time"
        select.select([], [], [], 0.01)
