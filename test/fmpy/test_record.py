"""Recording inside the FMU: FMPy records no messages, so the FMU writes its own traces. Independent
readers read them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import gosmp
import pytest
from betterosi import read as read_betterosi
from osi3trace.osi_trace import OSITrace

from host import OK, SENSOR_VIEW_IN, WARNING, Host
from sensorviews import sensor_view

STEPS = 50
CYCLE_NS = 20_000_000


def record(host: Host, folder: Path) -> dict[str, list[bytes]]:
    """Runs with a SensorView in each step. Returns what the host has written and read."""
    host.initialize({"record.folder": str(folder), "replay.enabled": False})
    seen: dict[str, list[bytes]] = {"sv": [], "sd": []}
    for k in range(STEPS):
        view = sensor_view(k * CYCLE_NS).SerializeToString()
        gosmp.write(host.fmu, SENSOR_VIEW_IN, view)
        assert host.step(CYCLE_NS / 1e9) == OK, host.log
        seen["sv"].append(view)
        seen["sd"].append(host.raw())
    return seen


@pytest.fixture
def recorded(new_host: Callable[..., Host], tmp_path: Path) -> tuple[dict[str, Path], dict[str, list[bytes]]]:
    """The files of a run by type, and what the host has read."""
    host = new_host("front lidar")
    seen = record(host, tmp_path / "traces")
    host.fmu.terminate()
    files = {f.name.split("_")[1]: f for f in (tmp_path / "traces").iterdir()}
    return files, seen


def test_names_are_those_of_osi(recorded: tuple[dict[str, Path], dict[str, list[bytes]]]) -> None:
    files, _ = recorded
    assert {kind: f.name.split("_", 2)[2] for kind, f in files.items()} == {
        "sd": f"380_13612_{STEPS}_front-lidar.OSMPSensorDataOut.osi",
        "sv": f"380_13612_{STEPS}_front-lidar.OSMPSensorViewIn.osi",
    }


def test_osi_python_reads_what_the_host_has_seen(recorded: tuple[dict[str, Path], dict[str, list[bytes]]]) -> None:
    files, seen = recorded
    for kind, name in (("sv", "SensorView"), ("sd", "SensorData")):
        trace = OSITrace(str(files[kind]), name)
        assert [message.SerializeToString(deterministic=True) for message in trace] == seen[kind]
        trace.close()


def test_betterosi_reads_as_many_messages(recorded: tuple[dict[str, Path], dict[str, list[bytes]]]) -> None:
    files, _ = recorded
    stamps = [v.timestamp.seconds * 10**9 + v.timestamp.nanos for v in read_betterosi(files["sv"], return_sensor_view=True)]
    assert stamps == [k * CYCLE_NS for k in range(STEPS)]


def test_gosmp_check_has_nothing_to_say_about_the_files(
    recorded: tuple[dict[str, Path], dict[str, list[bytes]]], program: Path
) -> None:
    files, _ = recorded
    done = subprocess.run([str(program), "check", str(files["sv"])], capture_output=True, text=True, check=False)
    assert "trace." not in done.stdout and "name." not in done.stdout, done.stdout + done.stderr


def test_a_host_that_is_gone_leaves_a_file_that_opens(new_host: Callable[..., Host], tmp_path: Path) -> None:
    """Without fmi2Terminate and fmi2FreeInstance the file keeps its temporary name and contains
    what was flushed."""
    host = new_host("lost")
    record(host, tmp_path)
    (part,) = tmp_path.glob("*_sd_*.part.osi")
    trace = OSITrace(str(part), "SensorData")
    assert 0 < len(list(trace)) <= STEPS
    trace.close()


def test_a_folder_that_cannot_be_used_is_a_warning(new_host: Callable[..., Host], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    host = new_host()
    host.initialize({"record.folder": str(file)})
    (line,) = host.problems()
    assert line.status == WARNING and "so nothing is recorded" in line.text
    host.steps(3)
