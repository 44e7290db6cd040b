"""`gosmp run` against FMPy: the same FMUs with the same steps give the same numbers and messages."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fmpy
import numpy
import pytest
from fmpy.util import read_csv

import gosmp
from host import OK, Host
from test_examples import EXAMPLES, Example, example  # noqa: F401, a fixture

NUMERIC = {"Real", "Integer", "Boolean", "Enumeration"}
Run = Callable[..., Path]


@pytest.fixture
def run(program: Path, tmp_path: Path) -> Run:
    """Runs an FMU in gosmp and returns the CSV file."""

    def call(fmu: Path, *options: str) -> Path:
        out = tmp_path / "out.csv"
        done = subprocess.run(
            [str(program), "run", str(fmu), "-o", str(out), *options], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return out

    return call


def outputs(description: Any) -> list[str]:
    """The outputs without the integers of binary variables, which gosmp treats as one variable."""
    notional = {name for v in description.modelVariables for name in [v.name] if name.endswith((".base.lo", ".base.hi"))}
    triples = {name.removesuffix(".base.lo") for name in notional if name.endswith(".base.lo")}
    return [
        v.name
        for v in description.modelVariables
        if v.causality == "output" and v.type in NUMERIC and v.name.rpartition(".base.")[0] not in triples
        and v.name.removesuffix(".size") not in triples
    ]


def same(ours: Path, theirs: numpy.ndarray, names: list[str]) -> None:
    """Requires equal values to the last bit, and times except for the last bit: FMPy computes them
    in floating point."""
    found = read_csv(str(ours))
    assert list(found.dtype.names) == ["time", *names]
    assert len(found) == len(theirs)
    assert found["time"] == pytest.approx(theirs["time"], rel=1e-15, abs=1e-12)
    for name in names:
        assert (found[name] == theirs[name].astype(float)).all(), name


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_give_the_numbers_of_fmpy(example: Callable[[str], Example], run: Run, name: str) -> None:  # noqa: F811
    fmu = example(name)
    names = outputs(fmu.description)
    theirs = fmpy.simulate_fmu(str(fmu.file), output=names)
    same(run(fmu.file), theirs, names)
    for isolation in ("shared", "process"):
        same(run(fmu.file, "--isolate", isolation), theirs, names)


def test_the_dummy_sensor_gives_the_numbers_of_fmpy(fmu_file: Path, description: Any, run: Run) -> None:
    names = outputs(description)
    start = {"objects.enabled": False, "replay.startDelay": 0.25, "imu.axes": "FLU"}
    theirs = fmpy.simulate_fmu(str(fmu_file), stop_time=30, output_interval=0.05, start_values=start, output=names)
    ours = run(fmu_file, "--stop-time", "30", "--step-size", "0.05",
               *(word for name, value in start.items() for word in ("--start-value", f"{name}={str(value).lower() if isinstance(value, bool) else value}")))  # fmt: skip
    same(ours, theirs, names)
    assert numpy.ptp(theirs["accelerometer.x"]) > 0


def test_input_files_give_the_numbers_of_fmpy(example: Callable[[str], Example], run: Run, tmp_path: Path) -> None:  # noqa: F811
    fmu = example("imu")
    names = outputs(fmu.description)
    columns = [(name, float) for name in ("time", "specificForce.x", "angularRate.y")]
    values = numpy.array([(0.0, 0.0, 0.0), (0.5, 3.0, 1.0), (1.0, 10.0, -4.0)], dtype=columns)
    path = tmp_path / "in.csv"
    rows = ["time,specificForce.x,angularRate.y", *(",".join(map(repr, row.tolist())) for row in values)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    theirs = fmpy.simulate_fmu(str(fmu.file), stop_time=1, output_interval=0.125, input=values, output=names)
    same(run(fmu.file, "--stop-time", "1", "--step-size", "0.125", "--input-file", str(path)), theirs, names)
    assert theirs["accelerometer.x"][-1] > 5


def test_messages_are_those_of_a_host_in_process(example: Callable[[str], Example], run: Run, tmp_path: Path) -> None:  # noqa: F811
    fmu = example("source")
    trace = tmp_path / "out.osi"
    run(fmu.file, "--stop-time", "1", "--step-size", "0.02", "--output-messages", f"OSMPSensorViewOut={trace}")
    host = Host(fmu.folder, fmu.description, "source").initialize()
    wanted = b""
    for _ in range(50):
        assert host.step(0.02) == OK
        message = gosmp.read(host.fmu, "OSMPSensorViewOut")
        wanted += struct.pack("<I", len(message)) + message
    host.free()
    assert trace.read_bytes() == wanted
