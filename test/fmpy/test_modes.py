"""An FMU with all modes of FMI 3.0 in FMPy: Event Mode with a clock, early return, Configuration Mode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fmpy
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi3 import FMU3Slave
from fmpy.validation import validate_fmu

from test_new import ROOT, run

PERIOD = 0.3


@pytest.fixture(scope="session")
def modes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packed FMU of FMI 3.0; its twin is beside it."""
    path = tmp_path_factory.mktemp("modes") / "Modes.fmu"
    run("go", "run", "./test/host/modes", "pack", "-fmi", "2,3", "-o", str(path), cwd=ROOT)
    return path.with_name("Modes-fmi3.fmu")


def test_fmpy_finds_no_problem(modes: Path) -> None:
    assert validate_fmu(str(modes)) == []
    assert validate_fmu(str(modes.with_name("Modes.fmu"))) == []


@pytest.mark.parametrize("event_mode", [False, True])
@pytest.mark.parametrize("early_return", [False, True])
def test_results_do_not_depend_on_the_modes(modes: Path, event_mode: bool, early_return: bool) -> None:
    result = fmpy.simulate_fmu(
        str(modes),
        stop_time=1.25,
        output_interval=0.25,
        start_values={"weather": 2},
        output=["number", "way", "seen"],
        use_event_mode=event_mode,
        early_return_allowed=early_return,
    )
    assert (result["time"][-1], result["number"][-1], result["seen"][-1]) == (1.25, 4, 2)
    assert result["way"] == pytest.approx(result["time"])
    for time, number in zip(result["time"], result["number"]):
        assert int(time / PERIOD + 1e-9) - number in ((0, 1) if event_mode else (0,))
    if event_mode and early_return:
        assert set(result["time"].round(9)) >= {0.3, 0.6, 0.9, 1.2}


def slave(modes: Path, folder: Path) -> tuple[Any, dict[str, int]]:
    description = fmpy.read_model_description(str(modes))
    fmpy.extract(str(modes), unzipdir=str(folder))
    fmu = FMU3Slave(
        guid=description.instantiationToken, unzipDirectory=str(folder), modelIdentifier="Modes", instanceName="modes"
    )
    fmu.instantiate(loggingOn=True)
    return fmu, {v.name: v.valueReference for v in description.modelVariables}


def test_arrays_have_the_length_that_was_configured(modes: Path, tmp_path: Path) -> None:
    fmu, names = slave(modes, tmp_path)
    fmu.enterConfigurationMode()
    fmu.setUInt64([names["channels"]], [3])
    fmu.exitConfigurationMode()
    fmu.setFloat64([names["gains"]], [1.0, 2.0, 3.0])
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    for k in range(4):
        fmu.doStep(k * 0.25, 0.25)
    assert fmu.getFloat64([names["sums"]], 3) == [4.0, 8.0, 12.0]
    fmu.enterConfigurationMode()  # the depth is tunable
    fmu.setUInt64([names["depth"]], [2])
    fmu.exitConfigurationMode()
    fmu.doStep(1.0, 0.25)
    assert fmu.getFloat32([names["levels"]], 2) == [3.0, 3.0]
    with pytest.raises(FMICallException):
        fmu.setUInt64([names["depth"]], [1])
    fmu.freeInstance()


def test_gosmp_run_records_the_ticks(modes: Path, tmp_path: Path) -> None:
    results = tmp_path / "results.csv"
    steps = ["--stop-time", "1.25", "--step-size", "0.25", "--start-value", "channels=3"]
    run("go", "run", "./cmd/gosmp", "run", str(modes), *steps, "-o", str(results), cwd=ROOT)
    head, *rows = (line.split(",") for line in results.read_text().splitlines())
    tick = head.index('"newFix"')
    ticks = {row[0]: row[tick] for row in rows}
    assert ticks == {
        "0.0": "0", "0.25": "0", "0.3": "1", "0.5": "1", "0.6": "2", "0.75": "2", "0.9": "3", "1.0": "3", "1.2": "4", "1.25": "4"
    }  # fmt: skip
