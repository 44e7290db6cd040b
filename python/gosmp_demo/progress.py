"""The progress of a long run, on stderr: one line that is updated on a terminal, occasional lines
in a log file."""

from __future__ import annotations

import sys
import time

_QUIET = 2.0  # s: shorter tasks show no progress
_RHYTHM = {True: 0.2, False: 10.0}  # s between lines, on a terminal and in a log file


class Progress:
    """The progress of one task, from 0 to 1."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._next = self._begun + _QUIET
        self._terminal = sys.stderr.isatty()
        self._shown = False

    def show(self, share: float, text: str) -> None:
        """Can be called at any rate. text describes the task and its progress."""
        clock = time.monotonic()
        if clock < self._next:
            return
        self._next, self._shown = clock + _RHYTHM[self._terminal], True
        left = (clock - self._begun) * (1 - share) / share if share > 0 else 0
        line = f"  {share:4.0%}  {text}, about {left:.0f} s to go"
        if self._terminal:
            print(f"\r{line:<78}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def done(self) -> None:
        """Clears the line."""
        if self._shown and self._terminal:
            print(f"\r{'':<78}\r", end="", file=sys.stderr, flush=True)
