"""What run_demo.py knows: the scenario it plays, and what the run has produced so far."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import simsensor_rows


@dataclass
class Run:
    """What a run has produced so far."""

    start: float
    stop: float
    step: float
    steps: int = 0
    messages: int = 0
    octets: int = 0
    largest: int = 0
    fmu_seconds: array = field(default_factory=lambda: array("d"))  # wall time of fmi2DoStep, per step
    decode_seconds: array = field(default_factory=lambda: array("d"))  # wall time of pointer and protobuf, per step
    last: dict[str, Any] = field(default_factory=dict)  # all columns of the newest step


@dataclass
class Scenario:
    """The file the FMU plays, as far as it can be found and read here."""

    title: str
    unit: str
    rows: list[simsensor_rows.Row] | None = None
    override: Path | None = None  # a file the FMU has to be pointed at, because it does not carry it
    problem: str = ""  # why the rows cannot be counted
    length: float = 0.0  # seconds from the first row to the last one, 0 when that is not known
