"""FMPy as the importer: the reference for all others. Usage: in_fmpy.py trace FMU STEPS | ring FMU
PARTNER STEPS"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import fmpy

import gosmp
from host import Host
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
)


def load(fmu: str, folder: str) -> Host:
    """An instance at the end of its initialization."""
    place = Path(folder, Path(fmu).stem)
    fmpy.extract(fmu, unzipdir=str(place))
    return Host(place, fmpy.read_model_description(str(place)), "dut").initialize()


def trace(fmu: str, steps: str) -> None:
    """Steps one FMU."""
    seen = Trace()
    with tempfile.TemporaryDirectory() as folder:
        host = load(fmu, folder)
        for _ in range(int(steps)):
            host.steps(1, STEP)
            seen.add(fetch(*host.triple()), {name: host.get(name) for name in REALS + INTEGERS + BOOLEANS})
        assert host.problems() == [], host.problems()
        host.fmu.terminate()
        host.free()
    seen.print()


def ring(fmu: str, partner: str, steps: str) -> None:
    """Connects two FMUs by hand, like a parallel (Jacobi) master: all inputs are set to the outputs
    of the previous step."""
    links = []
    with tempfile.TemporaryDirectory() as folder:
        sensor, other = load(fmu, folder), load(partner, folder)
        for _ in range(int(steps)):
            view, data = other.triple(PARTNER_OUT), sensor.triple(OUT)
            sensor.set_triple(VIEW_IN, gosmp.join(*view[:2]), view[2])
            other.set_triple(PARTNER_IN, gosmp.join(*data[:2]), data[2])
            sensor.steps(1, STEP)
            other.steps(1, STEP)
            links.append(
                Link(
                    fetch(*other.triple(PARTNER_OUT)).hex(),
                    fetch(*sensor.triple(OUT)).hex(),
                    sensor.get("count"),
                    other.get("received.messages"),
                    other.get("received.crc32"),
                )
            )
        assert sensor.problems() + other.problems() == []
    print(json.dumps([asdict(link) for link in links]))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
