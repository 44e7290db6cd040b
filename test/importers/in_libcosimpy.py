"""libcosim (C++, FMI Library) through libcosimpy as the importer.
Usage: in_libcosimpy.py trace FMU STEPS | ring FMU PARTNER STEPS"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave

from traces import (
    BOOLEANS,
    INTEGERS,
    OUT,
    PARTNER_IN,
    PARTNER_OUT,
    REALS,
    STEP_NS,
    VIEW_IN,
    Link,
    Trace,
    fetch,
    triple,
)

# libcosimpy 0.0.6 calls its function for connecting Integers by a wrong name.
CosimExecution._CosimExecution__connect_integer_variables = property(
    lambda execution: execution._CosimExecution__connect_int_variables
)


class Slave:
    """One FMU in an execution, with its variables by name."""

    def __init__(self, execution: CosimExecution, observer: CosimObserver, fmu: str, name: str) -> None:
        self.observer = observer
        self.index = execution.add_local_slave(CosimLocalSlave(fmu_path=fmu, instance_name=name))
        assert self.index is not None and self.index >= 0, "the FMU was refused"
        self.reference = {v.name.decode(): v.reference for v in execution.slave_variables(self.index)}

    def integers(self, *names: str) -> list[int]:
        """The values after the last step."""
        return self.observer.last_integer_values(self.index, [self.reference[n] for n in names])

    def plain(self) -> dict:
        """The plain outputs that are compared."""
        reals = self.observer.last_real_values(self.index, [self.reference[n] for n in REALS])
        booleans = self.observer.last_boolean_values(self.index, [self.reference[n] for n in BOOLEANS])
        values = [*reals, *self.integers(*INTEGERS), *map(bool, booleans)]
        return dict(zip(REALS + INTEGERS + BOOLEANS, values, strict=True))

    def message(self, name: str) -> bytes:
        """The bytes of a binary variable."""
        return fetch(*self.integers(*triple(name)))


def begin() -> tuple[CosimExecution, CosimObserver]:
    """An execution, and the observer that reads values."""
    log_output_level(CosimLogLevel.WARNING)
    execution = CosimExecution.from_step_size(step_size=STEP_NS)
    observer = CosimObserver.create_last_value()
    assert execution.add_observer(observer)
    return execution, observer


def trace(fmu: str, steps: str) -> None:
    """Steps one FMU."""
    execution, observer = begin()
    slave, seen = Slave(execution, observer, fmu, "dut"), Trace()
    for _ in range(int(steps)):
        assert execution.step(), "the step has failed"
        seen.add(slave.message(OUT), slave.plain())
    seen.print()


def ring(fmu: str, partner: str, steps: str) -> None:
    """Connects two FMUs both ways."""
    execution, observer = begin()
    sensor, other = Slave(execution, observer, fmu, "sensor"), Slave(execution, observer, partner, "partner")
    for source, out, sink, into in ((other, PARTNER_OUT, sensor, VIEW_IN), (sensor, OUT, other, PARTNER_IN)):
        for a, b in zip(triple(out), triple(into), strict=True):
            execution.connect_integer_variables(source.index, source.reference[a], sink.index, sink.reference[b])
    links = []
    for _ in range(int(steps)):
        assert execution.step(), "the step has failed"
        received = other.integers("received.messages", "received.crc32")
        links.append(
            Link(other.message(PARTNER_OUT).hex(), sensor.message(OUT).hex(), *sensor.integers("count"), *received)
        )
    print("\n" + json.dumps([asdict(link) for link in links]))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
