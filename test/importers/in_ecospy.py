"""ecos (C++, its own importer) through ecospy as the importer.
Usage: in_ecospy.py trace FMU STEPS | ring FMU PARTNER STEPS"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from ecospy import EcosSimulation, EcosSimulationStructure

from traces import (
    BOOLEANS,
    INTEGERS,
    OUT,
    PARTNER_IN,
    PARTNER_OUT,
    REALS,
    STEP,
    VIEW_IN,
    Link,
    Trace,
    fetch,
    triple,
)


@contextmanager
def simulation(models: dict[str, str], connections: dict[str, str]) -> Iterator[EcosSimulation]:
    """A simulation of some FMUs whose Integers are connected, from initialization to termination.
    """
    with EcosSimulationStructure() as structure:
        for name, fmu in models.items():
            structure.add_model(name, fmu)
        for source, sink in connections.items():
            structure.make_int_connection(source, sink)
        with EcosSimulation(structure=structure, step_size=STEP) as running:
            running.init()
            yield running
            running.terminate()


def message(running: EcosSimulation, name: str) -> bytes:
    """The bytes of a binary variable."""
    return fetch(*(running.get_integer(part) for part in triple(name)))


def trace(fmu: str, steps: str) -> None:
    """Steps one FMU."""
    seen = Trace()
    with simulation({"dut": fmu}, {}) as running:
        for _ in range(int(steps)):
            running.step()
            plain = {name: running.get_real(f"dut::{name}") for name in REALS}
            plain |= {name: running.get_integer(f"dut::{name}") for name in INTEGERS}
            plain |= {name: running.get_bool(f"dut::{name}") for name in BOOLEANS}
            seen.add(message(running, f"dut::{OUT}"), plain)
    seen.print()


def ring(fmu: str, partner: str, steps: str) -> None:
    """Connects two FMUs both ways."""
    ends = (f"partner::{PARTNER_OUT}", f"sensor::{VIEW_IN}"), (f"sensor::{OUT}", f"partner::{PARTNER_IN}")
    connections = {a: b for out, into in ends for a, b in zip(triple(out), triple(into), strict=True)}
    links = []
    with simulation({"sensor": fmu, "partner": partner}, connections) as running:
        for _ in range(int(steps)):
            running.step()
            links.append(
                Link(
                    message(running, f"partner::{PARTNER_OUT}").hex(),
                    message(running, f"sensor::{OUT}").hex(),
                    running.get_integer("sensor::count"),
                    running.get_integer("partner::received.messages"),
                    running.get_integer("partner::received.crc32"),
                )
            )
    print("\n" + json.dumps([asdict(link) for link in links]))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
