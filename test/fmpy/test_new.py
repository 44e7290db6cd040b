"""The output of `gosmp new` in FMPy: two kinds, generated and packed the way a new author would,
checked against numbers computed here."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import fmpy
import pytest
from fmpy.validation import validate_fmu
from osi3.osi_sensordata_pb2 import SensorData

import gosmp
from host import OK, WARNING, Host
from osi_rules import Rules
from sensorviews import sensor_view

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"sensor": "Newsensor", "plain": "Newplain"}
VIEWS = ["OSMPSensorViewIn[1]", "OSMPSensorViewIn[2]"]


class Module(NamedTuple):
    """A generated module and its FMU."""

    place: Path
    file: Path
    folder: Path
    description: Any


def run(*command: str, cwd: Path, **variables: str) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def module(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Module]:
    """Generates and packs a module of a kind, once."""
    made: dict[str, Module] = {}

    def make(kind: str) -> Module:
        if kind not in made:
            place = tmp_path_factory.mktemp("new") / f"new{kind}"
            flags = ["--kind", kind, "--inputs", "2", "--dir", str(place)]
            run("go", "run", "./cmd/gosmp", "new", f"new{kind}", *flags, cwd=ROOT)
            run("go", "run", ".", "pack", cwd=place, GOPROXY="off", GOFLAGS="-mod=mod")
            file = place / "dist" / f"{KINDS[kind]}.fmu"
            folder = Path(fmpy.extract(str(file), unzipdir=str(tmp_path_factory.mktemp("unpacked"))))
            made[kind] = Module(place, file, folder, fmpy.read_model_description(str(folder)))
        return made[kind]

    return make


@pytest.fixture
def instance(module: Callable[[str], Module]) -> Iterator[Callable[[str], Host]]:
    """Creates instances of a kind."""
    hosts: list[Host] = []

    def make(kind: str) -> Host:
        hosts.append(Host(module(kind).folder, module(kind).description, kind))
        return hosts[-1]

    yield make
    for host in hosts:
        host.free()


@pytest.mark.parametrize("kind", KINDS)
def test_fmpy_finds_no_problem(module: Callable[[str], Module], kind: str) -> None:
    assert validate_fmu(str(module(kind).file)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_simulate_fmu_runs_it_with_nothing_connected(module: Callable[[str], Module], kind: str) -> None:
    result = fmpy.simulate_fmu(str(module(kind).file), stop_time=1.0)
    assert len(result) == 51
    assert result["time"][-1] == pytest.approx(1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_its_run_py_runs(module: Callable[[str], Module], kind: str) -> None:
    found = module(kind)
    command = (sys.executable, "run.py", str(found.file), "2")
    lines = run(*command, cwd=found.place, PYTHONPATH=str(ROOT / "python")).splitlines()
    assert [line.split(" s ")[0].strip() for line in lines] == ["0.50", "1.00", "1.50", "2.00"]
    if kind == "plain":
        assert lines[-1].endswith(f"y = {1 - math.exp(-2):.4f}, {1 - math.exp(-2):.4f}")
    else:  # a car that is 20 m ahead at first and drives away at 30 m/s, according to the view of the last step
        assert lines[-1].endswith(f"object 2 at {20 + 30 * 1.98:.1f} m")


def test_the_sensor_detects_what_is_in_range(instance: Callable[[str], Host], rules: Rules) -> None:
    host = instance("sensor")
    host.initialize({"range": 50.0, "sensorId": 9})
    for step in range(3):
        view = sensor_view(host.now_ns, objects=4)  # at 20, 40, 60 and 80 m from the host vehicle's centre
        gosmp.write(host.fmu, VIEWS[0], view)
        gosmp.write(host.fmu, VIEWS[1], sensor_view(host.now_ns, objects=1))
        assert host.step(0.02) == OK, host.log
        data = gosmp.read(host.fmu, "OSMPSensorDataOut", decode=True)
        assert isinstance(data, SensorData)
        # bbcenter_to_rear is -1.4 m, so that everything is 1.4 m farther away: 21.4 and 41.4 are in
        # range.
        assert [o.header.tracking_id.value for o in data.moving_object] == [101, 102]
        assert [o.base.position.x for o in data.moving_object] == pytest.approx([21.4, 41.4])
        assert host.get("detected") == 2
        assert data.sensor_id.value == 9
        assert data.timestamp.nanos == (step + 1) * 20_000_000
        assert data.sensor_view[0] == view
        assert rules.violations(data) == []


def test_the_sensor_survives_what_is_no_view(instance: Callable[[str], Host]) -> None:
    host = instance("sensor").initialize()
    gosmp.write(host.fmu, VIEWS[0], b"\xff\xff")
    assert host.step(0.02) == WARNING
    assert gosmp.read(host.fmu, "OSMPSensorDataOut") is None
    gosmp.write(host.fmu, VIEWS[1], sensor_view(host.now_ns))
    assert host.step(0.02) == OK
    assert host.get("detected") == 3


def test_the_lag_follows_its_inputs(instance: Callable[[str], Host]) -> None:
    host = instance("plain")
    host.initialize({"gain": 2.0, "timeConstant": 0.25, "initial": 1.0})
    assert host.get("y[1]") == 1.0
    host.set({"u[1]": 3.0, "u[2]": -3.0})
    for _ in range(25):
        assert host.step(0.02) == OK
    assert host.get("y[1]") == pytest.approx(6 - 5 * math.exp(-2), abs=1e-12)
    assert host.get("y[2]") == pytest.approx(-6 + 7 * math.exp(-2), abs=1e-12)
