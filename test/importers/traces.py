"""The outputs that an importer read, step by step, in a form that can be compared with those of
another importer.

The programs in_*.py, Run.java and main.rs run as importers' processes. They read SensorData through
base.lo, base.hi and size in the process where the pointers are valid; the ones in Python also
decode it there and check OSI's rules.
"""

from __future__ import annotations

import ctypes
import json
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from osi3.osi_sensordata_pb2 import SensorData

from gosmp.osmp import join
from osi_rules import Rules

STEP = 0.02  # seconds, the default experiment's
STEP_NS = 20_000_000
ROLES = ("base.lo", "base.hi", "size")
OUT, VIEW_IN = "OSMPSensorDataOut", "OSMPSensorViewIn"
PARTNER_OUT, PARTNER_IN = "OSMPSensorViewOut", "OSMPSensorDataIn"

#: Plain outputs that are compared as well, by type. They come from all sensors of the recording.
REALS = ("accelerometer.x", "gyroscope.x", "barometer.pressure", "gps.latitude", "gps.time")
INTEGERS = ("count", "gps.satellites", "replay.rows")
BOOLEANS = ("valid",)


def triple(name: str) -> list[str]:
    """The names of the three Integers of a binary variable."""
    return [f"{name}.{role}" for role in ROLES]


def fetch(lo: int, hi: int, size: int) -> bytes:
    """The bytes behind a triple. The pointer belongs to this process."""
    address = join(lo, hi)
    return ctypes.string_at(address, size) if address and size > 0 else b""


@dataclass
class Step:
    """The outputs that an importer read after one step."""

    message: str  # SensorData in hexadecimal digits
    plain: dict[str, float | int | bool]


@dataclass
class Trace:
    """All steps of a simulation, and the results of checking the messages in its own process."""

    steps: list[Step] = field(default_factory=list)
    stamps: list[int] = field(default_factory=list)  # timestamps of the decoded messages in nanoseconds
    violations: list[str] = field(default_factory=list)

    def add(self, message: bytes, plain: dict[str, Any]) -> None:
        """Adds a step."""
        self.steps.append(Step(message.hex(), plain))

    def judge(self) -> Trace:
        """Decodes all messages and checks them against OSI's own rules."""
        rules = Rules.load()
        for step in self.steps:
            decoded = SensorData.FromString(bytes.fromhex(step.message))
            self.stamps.append(decoded.timestamp.seconds * 10**9 + decoded.timestamp.nanos)
            self.violations += rules.violations(decoded)
        return self

    def print(self) -> None:
        """Checks the trace and prints it as JSON, as the last output of a process."""
        sys.stdout.flush()
        print("\n" + json.dumps(asdict(self.judge())))

    @staticmethod
    def parse(printed: str) -> Trace:
        """Parses what print has printed."""
        values = json.loads(printed.splitlines()[-1])
        return Trace([Step(**step) for step in values.pop("steps")], **values)

    @staticmethod
    def parse_lines(printed: str) -> Trace:
        """Parses the output of a host in another language: each line contains, separated by blanks,
        the message and the plain values in the order of REALS, INTEGERS, BOOLEANS. The messages are
        checked here."""
        trace = Trace()
        for line in printed.splitlines():
            words = line.removeprefix("step ").split()
            if not line.startswith("step ") or not words:
                continue
            values = [float(w) for w in words[1 : 1 + len(REALS)]]
            values += [int(w) for w in words[1 + len(REALS) : 1 + len(REALS) + len(INTEGERS)]]
            values += [w in ("1", "true") for w in words[1 + len(REALS) + len(INTEGERS) :]]
            trace.steps.append(Step(words[0], dict(zip(REALS + INTEGERS + BOOLEANS, values, strict=True))))
        return trace.judge()


@dataclass
class Link:
    """What passed through a ring of Partner and sensor in one step, according to the triples that
    the importer had afterwards."""

    view: str  # SensorView that the partner has sent
    data: str  # SensorData that the sensor has sent
    count: int  # vehicles that the sensor has detected
    messages: int  # SensorData that the partner has received
    crc32: int  # and the checksum of the newest one
