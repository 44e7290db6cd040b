"""scripts/run_demo.py, which `make run` calls: what it prints, writes and returns."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT
from recordings import LOOPING, SIX_SENSORS, thermometer

Scenario = Callable[..., str]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(fmu_file: Path, tmp_path: Path) -> Run:
    """Runs the script with results in tmp_path/out."""

    def call(*arguments: str, fmu: Path = fmu_file) -> subprocess.CompletedProcess[str]:
        command = [
            sys.executable,
            str(ROOT / "scripts" / "run_demo.py"),
            "--fmu",
            str(fmu),
            "--out",
            str(tmp_path / "out"),
        ]
        return subprocess.run(
            [*command, *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "MPLCONFIGDIR": str(tmp_path)},
            timeout=120,
            check=False,
        )

    return call


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
    assert "yes, the end row was reached" in done.stdout
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
    assert "0 s to 30.5 s" in done.stdout and "yes, the end row was reached" in done.stdout


def test_a_run_that_fails_leaves_nothing_and_touches_nothing(run: Run, scenario: Scenario, tmp_path: Path) -> None:
    good, bad = scenario(SIX_SENSORS, "good.csv"), scenario("SensorID,Timestamp\n", "junk.csv")
    assert run("--scenario", bad).returncode == 1
    assert list((tmp_path / "out").iterdir()) == []
    assert run("--scenario", good, "--stop", "1").returncode == 0
    before = {path: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    scenario("SensorID,Timestamp\n", "good.csv")
    assert run("--scenario", good, "--stop", "1").returncode == 1
    assert {path: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_unit_and_loops(run: Run, scenario: Scenario) -> None:
    done = run("--scenario", scenario(LOOPING), "--unit", "us", "--stop", "0.0001", "--step", "0.00001")
    assert done.returncode == 0, done.stderr
    assert "stamps in us" in done.stdout and "loops           2" in done.stdout
    assert "no GPS sample" in done.stdout


def test_malformed_rows_are_shown_and_the_run_goes_on(run: Run, scenario: Scenario) -> None:
    done = run("--scenario", scenario("32,0,280\n32,10,x\n32,20,281\n0\n"), "--stop", "0.1")
    assert done.returncode == 0, done.stderr
    assert "scenario.csv:2:7" in done.stderr
    assert "2 published, 1 rejected; not checked" in done.stdout


def test_an_unusable_scenario_fails_with_the_fmus_own_words(run: Run, scenario: Scenario) -> None:
    done = run("--scenario", scenario("SensorID,Timestamp\n"))
    assert done.returncode == 1
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
    assert done.returncode in (1, 2)
    assert words in done.stderr and "Traceback" not in done.stderr


def test_a_missing_fmu_says_how_to_build_it(run: Run, tmp_path: Path) -> None:
    done = run(fmu=tmp_path / "gone.fmu")
    assert done.returncode == 1
    assert "make fmu" in done.stderr


def test_an_fmu_that_does_not_load(run: Run, fmu_file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.fmu"
    with zipfile.ZipFile(fmu_file) as source, zipfile.ZipFile(broken, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, b"no library" if name.endswith(".so") else source.read(name))
    done = run(fmu=broken)
    assert done.returncode == 1
    assert "cannot be loaded" in done.stderr and "Traceback" not in done.stderr
    broken.write_bytes(b"no zip")
    done = run(fmu=broken)
    assert done.returncode == 1
    assert "cannot be unpacked" in done.stderr


def test_no_message_is_a_failure(run: Run, fmu_file: Path, tmp_path: Path) -> None:
    silent = tmp_path / "silent.fmu"
    with zipfile.ZipFile(fmu_file) as source, zipfile.ZipFile(silent, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            data = source.read(name)
            if (
                name == "modelDescription.xml"
            ):  # the script reads another variable as the message: one that is never set
                data = data.replace(b'name="OSMPSensorDataOut" role', b'name="Unused" role').replace(
                    b'name="OSMPSensorViewIn" role', b'name="OSMPSensorDataOut" role'
                )
            target.writestr(name, data)
    done = run("--stop", "0.1", fmu=silent)
    assert done.returncode == 1
    assert "never held a message" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []
