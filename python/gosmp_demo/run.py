"""A run of the demo: its settings, its results, and why it ended early."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field
from typing import Any

#: Exit codes, see __main__.
INCOMPLETE, WRONG_INPUT, FAILED, INTERRUPTED = 1, 2, 4, 130


class Failure(Exception):
    """The run cannot continue. The text gives the reason and the remedy, code is the exit code."""

    def __init__(self, text: str, code: int = FAILED) -> None:
        super().__init__(text)
        self.code = code


@dataclass
class Run:
    """The settings of a run, and its results so far."""

    start: float
    stop: float
    step: float
    loop: bool = True  # whether a scenario without end row starts over
    steps: int = 0
    messages: int = 0
    octets: int = 0
    largest: int = 0
    fmu_seconds: array = field(default_factory=lambda: array("d"))  # wall time of fmi2DoStep, per step
    decode_seconds: array = field(default_factory=lambda: array("d"))  # wall time of pointer and protobuf, per step
    last: dict[str, Any] = field(default_factory=dict)  # all columns of the newest step
    ended: Failure | None = None  # why the run ended before its stop time

    @property
    def planned(self) -> int:
        """Steps to the stop time."""
        return max(1, math.ceil((self.stop - self.start) / self.step - 1e-9))
