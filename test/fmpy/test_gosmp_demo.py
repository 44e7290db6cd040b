"""gosmp_demo, which `make run` calls: its output, its files and its exit codes."""

from __future__ import annotations

import argparse
import csv
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fmpy.fmi1 import FMICallException
from osi3.osi_sensordata_pb2 import SensorData

from conftest import ROOT
from gosmp_demo import player, plot
from gosmp_demo.run import Failure
from recordings import LOOPING, SIX_SENSORS, thermometer

DEMO = (sys.executable, "-m", "gosmp_demo")
INCOMPLETE, WRONG_INPUT, FAILED, INTERRUPTED = 1, 2, 4, 130

Scenario = Callable[..., str]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(fmu_file: Path, tmp_path: Path) -> Run:
    """Runs the demo with results in tmp_path/out."""

    def call(*arguments: str, fmu: Path = fmu_file) -> subprocess.CompletedProcess[str]:
        command = [*DEMO, "--fmu", str(fmu), "--out", str(tmp_path / "out"), *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=environment(tmp_path), timeout=120, check=False
        )

    return call


def environment(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "MPLCONFIGDIR": str(tmp_path), "PYTHONPATH": str(ROOT / "python")}


def table(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_short_run_prints_a_table_and_writes_both_files(run: Run, tmp_path: Path) -> None:
    done = run("--stop", "2")
    assert done.returncode == 0, done.stderr
    for words in (
        "steps           100",
        "messages        100,",
        "accelerometer",
        "every row is accounted for, ",
        " come after the stop",
        "° north",
        "FMU median",
    ):
        assert words in done.stdout, words
    files = {path.suffix: path for path in (tmp_path / "out").iterdir()}
    assert sorted(files) == [".csv", ".png"]
    for path in files.values():
        assert str(path.relative_to(tmp_path)) in done.stdout
    assert files[".png"].read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    rows = table(files[".csv"])
    assert len(rows) == 100
    assert (rows[-1]["time"], rows[-1]["osi.timestamp"]) == ("2.0", "2.000000000")
    assert float(rows[-1]["gps.latitude"]) == float(rows[-1]["osi.latitude"])
    assert all(int(row["osi.bytes"]) > 100 for row in rows)


def test_a_scenario_that_is_not_packed_is_played_to_its_end(run: Run, scenario: Scenario, tmp_path: Path) -> None:
    done = run("--scenario", scenario(SIX_SENSORS, "a b.csv"), "--step", "0.01")
    assert done.returncode == 0, done.stderr
    assert "'a b.csv'" in done.stdout and "0 s to 0.1 s" in done.stdout
    assert "12 published, 0 rejected; 12 were due by 0.1 s, 12 in the file" in done.stdout
    assert "every row is accounted for, to the end of the file" in done.stdout
    assert "yes, no row will follow" in done.stdout
    assert len(table(tmp_path / "out" / "a_b-signals.csv")) == 10


def test_of_a_long_scenario_the_first_600_s_are_played_and_the_rest_is_named(run: Run, scenario: Scenario) -> None:
    long = scenario(thermometer(42, 20_000))  # 820 s
    done = run("--scenario", long, "--step", "10")
    assert done.returncode == 0, done.stderr
    assert "0 s to 600 s" in done.stdout
    assert "lasts 820 s, so that this is only its beginning: STOP=820 plays all of it" in done.stdout
    assert "31 were due by 600 s, 42 in the file" in done.stdout
    done = run("--scenario", long, "--step", "10", "--stop", "820")
    assert "0 s to 820 s" in done.stdout and "beginning" not in done.stdout
    assert "to the end of the file" in done.stdout


def test_a_scenario_with_malformed_rows_is_played_to_its_end(run: Run, scenario: Scenario) -> None:
    done = run("--scenario", scenario(thermometer(31, 1_000, end=False) + "32,x,1\n32,30500,1\n0\n"), "--step", "0.5")
    assert done.returncode == 0, done.stderr
    assert "0 s to 30.5 s" in done.stdout and "yes, no row will follow" in done.stdout


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
    assert "5 published, 0 rejected; 5 were due" in done.stdout and "2 times the whole file and 1 rows" in done.stdout
    assert "stamps in us" in done.stdout and "rounds          3; the file has no end row" in done.stdout
    assert "no GPS sample" in done.stdout


def test_malformed_rows_are_shown_and_the_run_goes_on(run: Run, scenario: Scenario) -> None:
    done = run("--scenario", scenario("32,0,280\n32,10,x\n32,20,281\n0\n"), "--stop", "0.1")
    assert done.returncode == 0, done.stderr
    assert "scenario.csv:2:7" in done.stderr
    assert "2 published, 1 rejected; not checked" in done.stdout


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
    assert "cannot be loaded" in done.stderr and "Traceback" not in done.stderr
    broken.write_bytes(b"no zip")
    done = run(fmu=broken)
    assert done.returncode == FAILED
    assert "cannot be unpacked" in done.stderr


def test_no_message_is_a_failure(run: Run, fmu_file: Path, tmp_path: Path) -> None:
    silent = tmp_path / "silent.fmu"
    with zipfile.ZipFile(fmu_file) as source, zipfile.ZipFile(silent, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            data = source.read(name)
            if (
                name == "modelDescription.xml"
            ):  # the demo reads a variable that is never set as the message
                data = data.replace(b'name="OSMPSensorDataOut" role', b'name="Unused" role').replace(
                    b'name="OSMPSensorViewIn" role', b'name="OSMPSensorDataOut" role'
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
    assert "0 s to 0.04 s" in done.stdout and "rounds          1; STOP= plays more of them" in done.stdout
    assert "2 published, 0 rejected; 2 were due by 0.04 s, 2 in the file" in done.stdout
    assert "to the end of the file" in done.stdout
    done = run("--scenario", path, "--step", "0.01", "--stop", "0.1")
    assert "rounds          3; the file has no end row, so it starts over" in done.stdout
    assert "5 published, 0 rejected; 5 were due" in done.stdout


def test_ctrl_c_keeps_what_was_computed(run: Run, fmu_file: Path, scenario: Scenario, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [*DEMO, "--fmu", str(fmu_file), "--out", str(out), "--scenario", scenario(LOOPING), "--stop", "1e6"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment(tmp_path)
    ) as process:
        part = out / "scenario-signals.csv.part"
        deadline = time.monotonic() + 60
        while not (part.exists() and part.stat().st_size > 20_000) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED, stderr
    assert "interrupted after " in stderr and " of 50000000 steps" in stderr and "Traceback" not in stderr
    assert "the run has ended early" in stdout and "Written, up to " in stdout
    rows = table(out / "scenario-signals.csv")
    assert f"steps           {len(rows)} of 50000000" in stdout
    assert None not in rows[-1].values(), "the last row is complete"
    assert (out / "scenario-signals.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert not part.exists()


class FailingSlave:
    """An FMU that fails in its fourth step."""

    names = ("replay.loops",)
    fmu = None

    def __init__(self, *_arguments: object) -> None:
        self.steps = 0

    def __enter__(self) -> FailingSlave:
        return self

    def __exit__(self, *_exception: object) -> None: ...

    def initialize(self, *_arguments: object) -> None: ...

    def outputs(self) -> dict[str, Any]:
        return {"replay.loops": 0}

    def step(self, *_arguments: object) -> None:
        self.steps += 1
        if self.steps == 4:
            raise FMICallException(function="fmi2DoStep", status=3)


def test_a_step_that_fails_keeps_what_came_before(
    monkeypatch: pytest.MonkeyPatch, fmu_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(player, "Slave", FailingSlave)
    message = SensorData(timestamp={"seconds": 1})
    monkeypatch.setattr(player.gosmp, "read", lambda *_: message.SerializeToString())
    options = argparse.Namespace(fmu=fmu_file, scenario="", unit=None, stop=1.0, step=0.1, out=tmp_path)
    with pytest.raises(Failure, match="fmi2DoStep failed.* At 0.3 s, after 3 steps") as failure:
        player.play(options)
    assert failure.value.code == FAILED
    written = capsys.readouterr().out
    assert "steps           3 of 10: the run has ended early" in written
    (path,) = tmp_path.glob("*.csv")
    assert [row["time"] for row in table(path)] == ["0.1", "0.2", "0.3"]
    assert len(list(tmp_path.glob("*.png"))) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_named_as_such(run: Run, scenario: Scenario, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "scenario-signals.csv.part").symlink_to("/dev/full")
    done = run("--scenario", scenario(SIX_SENSORS))
    assert done.returncode == FAILED
    assert "the disk is full: " in done.stderr and "scenario-signals.csv cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_of_a_very_large_file_the_beginning_is_played_at_once(run: Run, scenario: Scenario) -> None:
    large = "".join(f"32,{stamp},280\n" for stamp in range(0, 4_000_000))  # 4000 s, 57 MB
    done = run("--scenario", scenario(large), "--step", "100")
    assert done.returncode == 0, done.stderr
    assert "0 s to 600 s" in done.stdout and "goes on after 600 s: STOP=" in done.stdout
    assert "600001 published, 0 rejected; not checked, because the file has more than 50 MB" in done.stdout


def test_options_are_checked_without_any_package(tmp_path: Path) -> None:
    bare = (sys.executable, "-S", "-m", "gosmp_demo", "--check")  # -S: no site-packages
    for arguments, code in (["--stop", "41", "--unit", "us"], 0), (["--stop", "0"], WRONG_INPUT):
        done = subprocess.run(
            [*bare, *arguments], capture_output=True, text=True, cwd=tmp_path, env=environment(tmp_path), check=False
        )
        assert done.returncode == code, done.stderr
        assert done.stdout == "" and "Traceback" not in done.stderr


def test_panels_over_time_share_one_axis() -> None:
    traces = plot.Traces(100, 0.0)
    for k in range(1, 101):  # the thermometer falls silent half way, GPS comes late, all else never
        row = {"thermometer.temperature": 280.0 + k} if k < 50 else {"gps.latitude": 50.0, "gps.longitude": 8.0}
        traces.add(k * 0.1, row | {"barometer.pressure": 1e5})
    panels = [p for p in plot.make(traces, "", "").axes if p.get_xlabel().startswith("simulation time")]
    assert len(panels) == 7
    assert {p.get_xlim() for p in panels} == {(0.0, 10.0)}
