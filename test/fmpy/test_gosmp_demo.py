"""gosmp_demo, which `make run` calls: its output, its files and its exit codes."""

from __future__ import annotations

import csv
import errno
import math
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave

from conftest import ROOT
from gosmp_demo import __main__ as demo
from gosmp_demo import play, plot
from recordings import LOOPING, SIX_SENSORS, thermometer

DEMO = (sys.executable, "-m", "gosmp_demo")
WRONG_INPUT, FAILED, INTERRUPTED = 2, 4, 130

Scenario = Callable[..., str]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Matplotlib searches for fonts once, which takes seconds."""
    return {
        **os.environ,
        "MPLCONFIGDIR": str(tmp_path_factory.mktemp("matplotlib")),
        "PYTHONPATH": str(ROOT / "python"),
    }


@pytest.fixture
def run(fmu_file: Path, environment: dict[str, str], tmp_path: Path) -> Run:
    """Runs the demo with results in tmp_path/out."""

    def call(*arguments: str, fmu: Path = fmu_file) -> subprocess.CompletedProcess[str]:
        command = [*DEMO, "--fmu", str(fmu), "--out", str(tmp_path / "out"), *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=600, check=False
        )

    return call


def table(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_short_run_prints_a_table_and_writes_both_files(run: Run, tmp_path: Path) -> None:
    done = run("--stop", "2")
    assert done.returncode == 0, done.stderr
    for words in (
        "steps           100, to 2 s",
        "messages        100, ",
        "accelerometer         201   2.000000 s",
        "published, 0 rejected",
        "last position   48.",
    ):
        assert words in done.stdout, words
    files = {path.suffix: path for path in (tmp_path / "out").iterdir()}
    assert sorted(files) == [".csv", ".png"]
    for path in files.values():
        assert str(path.relative_to(tmp_path)) in done.stdout
    assert files[".png"].read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    rows = table(files[".csv"])
    assert len(rows) == 100
    assert (rows[-1]["time"], rows[-1]["osi.timestamp"]) == ("2.0", "2.0")
    assert all(math.isfinite(float(row["osi.acceleration.x"])) for row in rows[1:])
    assert all(int(row["osi.bytes"]) > 100 for row in rows)


def test_a_scenario_that_is_not_packed_is_played_to_its_end(run: Run, scenario: Scenario, tmp_path: Path) -> None:
    done = run("--scenario", scenario(SIX_SENSORS, "a b.csv"), "--step", "0.01")
    assert done.returncode == 0, done.stderr
    assert "'a b.csv'" in done.stdout and "to 0.1 s" in done.stdout
    assert "rows            12 published, 0 rejected" in done.stdout
    assert "finished        yes" in done.stdout
    assert len(table(tmp_path / "out" / "a_b-signals.csv")) == 10


def test_of_a_long_scenario_the_first_600_s_are_played(run: Run, scenario: Scenario) -> None:
    long = scenario(thermometer(42, 20_000))  # 820 s
    done = run("--scenario", long, "--step", "10")
    assert done.returncode == 0, done.stderr
    assert "to 600 s" in done.stdout and "The scenario goes on after 600 s: STOP=" in done.stdout
    assert "rows            31 published" in done.stdout
    done = run("--scenario", long, "--step", "10", "--stop", "820")
    assert "to 820 s" in done.stdout and "goes on" not in done.stdout
    assert "rows            42 published" in done.stdout


def test_a_scenario_with_malformed_rows_is_played_to_its_end(run: Run, scenario: Scenario) -> None:
    done = run("--scenario", scenario(thermometer(31, 1_000, end=False) + "32,x,1\n32,30500,1\n0\n"), "--step", "0.5")
    assert done.returncode == 0, done.stderr
    assert "to 30.5 s" in done.stdout and "finished        yes" in done.stdout


def test_a_run_that_fails_leaves_nothing_and_touches_nothing(run: Run, scenario: Scenario, tmp_path: Path) -> None:
    good, bad = scenario(SIX_SENSORS, "good.csv"), scenario("SensorID,Timestamp\n", "junk.csv")
    assert run("--scenario", bad).returncode == FAILED
    assert list((tmp_path / "out").iterdir()) == []
    assert run("--scenario", good, "--stop", "1").returncode == 0
    before = {path: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    scenario("SensorID,Timestamp\n", "good.csv")
    assert run("--scenario", good, "--stop", "1").returncode == FAILED
    assert {path: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_unit_and_loops(run: Run, scenario: Scenario) -> None:
    done = run("--scenario", scenario(LOOPING), "--unit", "us", "--stop", "0.0001", "--step", "0.00001")
    assert done.returncode == 0, done.stderr
    assert "5 published, 0 rejected" in done.stdout and "no, started over 2 times" in done.stdout
    assert "last position" not in done.stdout


def test_malformed_rows_are_shown_and_the_run_goes_on(run: Run, scenario: Scenario) -> None:
    done = run("--scenario", scenario("32,0,280\n32,10,x\n32,20,281\n0\n"), "--stop", "0.1")
    assert done.returncode == 0, done.stderr
    assert "scenario.csv:2:7" in done.stderr
    assert "2 published, 1 rejected" in done.stdout


def test_an_unusable_scenario_fails_with_the_fmus_own_words(run: Run, scenario: Scenario) -> None:
    done = run("--scenario", scenario("SensorID,Timestamp\n"))
    assert done.returncode == FAILED
    assert "[error] logStatusError" in done.stderr and "fmi2ExitInitializationMode failed" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scenario", "gone.csv"], "there is no scenario at gone.csv"),
        (["--stop", "-1"], "above 0"),
        (["--stop", "soon"], "soon"),
        (["--unit", "min"], "min"),
    ],
)
def test_wrong_arguments(run: Run, arguments: list[str], words: str) -> None:
    done = run(*arguments)
    assert done.returncode == WRONG_INPUT
    assert words in done.stderr.splitlines()[0] and len(done.stderr.splitlines()) == 2


def test_a_missing_fmu_says_how_to_build_it(run: Run, tmp_path: Path) -> None:
    done = run(fmu=tmp_path / "gone.fmu")
    assert done.returncode == WRONG_INPUT
    assert "make fmu" in done.stderr


def test_an_fmu_that_does_not_load(run: Run, fmu_file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.fmu"
    with zipfile.ZipFile(fmu_file) as source, zipfile.ZipFile(broken, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, b"no library" if name.endswith(".so") else source.read(name))
    done = run(fmu=broken)
    assert done.returncode == FAILED
    assert "broken.fmu: " in done.stderr and "Traceback" not in done.stderr
    broken.write_bytes(b"no zip")
    done = run(fmu=broken)
    assert done.returncode == FAILED
    assert "cannot be unpacked" in done.stderr


def test_no_message_is_a_failure(run: Run, fmu_file: Path, tmp_path: Path) -> None:
    silent = tmp_path / "silent.fmu"
    with zipfile.ZipFile(fmu_file) as source, zipfile.ZipFile(silent, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "modelDescription.xml":
                # the demo reads a variable that is never set as the message
                data = data.replace(b'name="OSMPSensorDataOut.', b'name="Unused.').replace(
                    b'name="OSMPSensorViewIn.', b'name="OSMPSensorDataOut.'
                )
            target.writestr(name, data)
    done = run("--stop", "0.1", fmu=silent)
    assert done.returncode == FAILED
    assert "never held a message" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_a_file_without_end_row_is_played_once_unless_stop_says_more(run: Run, scenario: Scenario) -> None:
    path = scenario(LOOPING)  # a round takes 40 ms
    done = run("--scenario", path, "--step", "0.01")
    assert done.returncode == 0, done.stderr
    assert "to 0.04 s" in done.stdout and "finished        yes" in done.stdout
    assert "2 published, 0 rejected" in done.stdout
    done = run("--scenario", path, "--step", "0.01", "--stop", "0.1")
    assert "5 published, 0 rejected" in done.stdout and "started over 2 times" in done.stdout


def test_ctrl_c_keeps_what_was_computed(
    fmu_file: Path, environment: dict[str, str], scenario: Scenario, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = [*DEMO, "--fmu", str(fmu_file), "--out", str(out), "--scenario", scenario(LOOPING), "--stop", "1e6"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment
    ) as process:
        assert process.stderr is not None
        while "simulated" not in (line := process.stderr.readline()):
            assert line, "the run has ended"
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=600)
    assert process.returncode == INTERRUPTED, stderr
    assert "interrupted after " in stderr and "Traceback" not in stderr
    rows = table(out / "scenario-signals.csv")
    assert f"steps           {len(rows)}, " in stdout
    assert (out / "scenario-signals.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_a_step_that_fails_keeps_what_came_before(
    monkeypatch: pytest.MonkeyPatch, fmu_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    step = FMU2Slave.doStep

    def fail(self: FMU2Slave, currentCommunicationPoint: float, communicationStepSize: float) -> None:
        if currentCommunicationPoint > 0.25:
            raise FMICallException(function="fmi2DoStep", status=3)
        step(self, currentCommunicationPoint, communicationStepSize)

    monkeypatch.setattr(FMU2Slave, "doStep", fail)
    arguments = ["--fmu", str(fmu_file), "--step", "0.1", "--out", str(tmp_path)]
    assert play.main(demo.parse(arguments)) == FAILED
    written = capsys.readouterr()
    assert "fmi2DoStep failed" in written.err
    assert "steps           3, to 0.3 s" in written.out
    (path,) = tmp_path.glob("*.csv")
    assert [row["time"] for row in table(path)] == ["0.1", "0.2", "0.30000000000000004"]
    assert len(list(tmp_path.glob("*.png"))) == 1


def test_a_full_disk_is_named_as_such(
    monkeypatch: pytest.MonkeyPatch, fmu_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(file: BinaryIO, result: object) -> None:
        file.write(b"time")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(play, "_csv", full)
    older = tmp_path / "scenario-signals.csv.part"
    older.write_text("someone's")
    arguments = ["--fmu", str(fmu_file), "--step", "0.1", "--out", str(tmp_path)]
    assert play.main(demo.parse(arguments)) == FAILED
    errors = capsys.readouterr().err
    assert "No space left on device" in errors and "signals.csv" in errors
    assert list(tmp_path.iterdir()) == [older]
    assert older.read_text() == "someone's"


def test_options_are_checked_without_any_package(environment: dict[str, str], tmp_path: Path) -> None:
    bare = (sys.executable, "-S", "-m", "gosmp_demo", "--check")  # -S: no site-packages
    for arguments, code in (["--stop", "41", "--unit", "us"], 0), (["--stop", "0"], WRONG_INPUT):
        done = subprocess.run(
            [*bare, *arguments], capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
        )
        assert done.returncode == code, done.stderr
        assert done.stdout == "" and "Traceback" not in done.stderr


def test_panels_over_time_share_one_axis() -> None:
    names = [name for _, _, lines in plot._PANELS for name, *_ in lines]
    sensors = ("accelerometer", "barometer", "gps", "gyroscope", "magnetometer", "thermometer")
    more = ["time", *(f"{sensor}.count" for sensor in sensors), "gps.latitude", "gps.longitude"]
    result = np.zeros(100, dtype=[(name, float) for name in [*more, *names]])
    result["time"] = np.arange(1, 101) * 0.1
    result["thermometer.count"] = 1
    result["gps.count"][50:] = 1  # GPS comes late, all others never
    panels = [p for p in plot.make(result, "", "").axes if p.get_xlabel().startswith("simulation time")]
    assert len(panels) == 7
    assert {p.get_xlim() for p in panels} == {(0.0, 10.0)}
