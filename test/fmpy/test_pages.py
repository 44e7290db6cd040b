"""The Python code in the user documentation runs as printed, next to the FMU that `make fmu`
builds."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT

Example = Callable[[str, int], list[str]]


@pytest.fixture
def example(fmu_file: Path, tmp_path: Path) -> Example:
    """Runs the n-th Python example of a page and returns the lines that it prints."""

    def run(page: str, number: int) -> list[str]:
        (tmp_path / "dist").mkdir()
        shutil.copy(fmu_file, tmp_path / "dist")
        code = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)[number]
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def test_running_prints_what_was_recorded(example: Example, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOSMP_BINARY", str(program))
    run, latitude, message = example("docs/PYTHON.md", 0)
    assert run == "True 100 101 rows" and message == "OSMPDummySensor.OSMPSensorDataOut 2"
    assert re.fullmatch(r"latitude 48\.\d{6}", latitude)


def test_a_session_prints_a_line_for_each_run(
    example: Example, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOSMP_BINARY", str(program))
    assert example("docs/PYTHON.md", 1) == ["50 1", "100 1", "200 1"]


def test_simulating_prints_the_acceleration(example: Example) -> None:
    lines = example("docs/PYTHON.md", 2)
    assert [line[:6] for line in lines] == [f"{0.5 * k:4.1f} s" for k in range(1, 41)]
    assert max(abs(float(line.split()[2])) for line in lines) > 0.5, "the demo drives off within 20 s"


def test_stepping_by_hand_prints_every_step(example: Example) -> None:
    release, *lines = example("docs/PYTHON.md", 3)
    assert re.fullmatch(r"\[OK\] OSMPDummySensor .*, made with gosmp .*", release), "logging is on"
    assert [int(line.split()[0]) for line in lines] == [20_000_000 * k % 10**9 for k in range(1, 51)]


def test_a_connected_sensor_view_is_detected_in(example: Example) -> None:
    lines = example("docs/PYTHON.md", 4)
    # The view of one step is the input of the next one.
    assert lines == [f"{0.02 * k:.2f} s  object 2 at {20 + 30 * 0.02 * (k - 1):.1f} m" for k in range(2, 11)]
