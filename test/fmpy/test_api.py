"""The package gosmp: functions that call the command, and the plugin for pytest."""

from __future__ import annotations

import functools
import inspect
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import fmpy
import numpy
import pytest

import gosmp
from conftest import ROOT
from gosmp import _call, _run, _table

CHART = """<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
  <state id="a"><onentry><send event="done" delay="1s"/></onentry><transition event="done" target="{end}"/></state>
  <final id="success"/><final id="failure"><donedata><content>"too late"</content></donedata></final>
</scxml>
"""


SILENT = """import sys
while head := sys.stdin.buffer.read(4):
    sys.stdin.buffer.read(int.from_bytes(head, "little"))
    sys.stdout.buffer.write(bytes(4))
    sys.stdout.buffer.flush()
"""


@pytest.fixture(autouse=True)
def found(program: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The command of this checkout is the one that the package calls."""
    monkeypatch.setenv("GOSMP_BINARY", str(program))
    _call.binary.cache_clear()
    yield
    _call.binary.cache_clear()


def test_run_gives_what_fmpy_gives(fmu_file: Path) -> None:
    ours = gosmp.run(fmu_file, stop_time=2, step_size=0.02)
    theirs = fmpy.simulate_fmu(str(fmu_file), stop_time=2, output_interval=0.02)
    assert ours.passed and ours.summary["steps"] == 100
    table = ours.numpy()
    pointers = {f"OSMPSensorDataOut.{role}" for role in ("base.lo", "base.hi", "size")}
    assert set(theirs.dtype.names) - set(table.dtype.names) == pointers
    for name in theirs.dtype.names:
        if name != "time" and name not in pointers:
            assert numpy.array_equal(theirs[name].astype(float), table[name].astype(float)), name
    assert numpy.allclose(theirs["time"], table["time"], rtol=0, atol=1e-12)


def test_every_argument_is_a_flag(program: Path) -> None:
    """What run passes on is known to the command, whatever is given."""
    source = inspect.getsource(_run.run) + inspect.getsource(_run._models)
    flags = set(re.findall(r'"(--[a-z-]+)"', source))
    known = subprocess.run([program, "run", "--help"], capture_output=True, text=True, check=True).stdout
    assert len(flags) > 12
    assert [flag for flag in flags if not re.search(re.escape(flag) + r"\b", known)] == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (0.1, "0.1"),
        (1e-300, "1e-300"),
        (3, "3"),
        (b"\x00\xff", "00ff"),
        ([1.5, 2.5], "1.5 2.5"),
        (numpy.float64(0.1), "0.1"),
        (numpy.array([1, 2]), "1 2"),
        ("20[degC]", "20[degC]"),
    ],
)
def test_values_as_the_command_takes_them(value: object, text: str) -> None:
    assert _run.value_text(value) == text


def test_start_values_and_outputs(fmu_file: Path) -> None:
    result = gosmp.run(fmu_file, stop_time=0.1, start_values={"replay.timeUnit": "us"}, output="gps.*")
    assert result.names[0] == "time" and all(name.startswith("gps.") for name in result.names[1:])
    with pytest.raises(KeyError, match="there is no column 'nothing'; the columns are: time, gps"):
        result["nothing"]


@pytest.mark.parametrize("shape", [dict, numpy.array])
def test_input_is_written_for_the_command(shape: type, tmp_path: Path) -> None:
    columns = {"time": [0.0, 0.1], "u": [1.0, 2.5]}
    source = columns
    if shape is numpy.array:
        source = numpy.array([(0.0, 1.0), (0.1, 2.5)], dtype=[("time", float), ("u", float)])
    path = _run._input(source, tmp_path)
    assert path.read_text().split() == ["time,u", "0.0,1.0", "0.1,2.5"]
    with pytest.raises(ValueError, match='needs a column "time"'):
        _run._input({"u": [1]}, tmp_path)
    with pytest.raises(TypeError, match="not int"):
        _run._input(5, tmp_path)


def test_messages(fmu_file: Path) -> None:
    result = gosmp.run(fmu_file, stop_time=1, step_size=0.02, record=True)
    read = list(gosmp.messages(result.record, "SensorData"))
    assert len(read) == 50 and read[-1].time == 10**9 and read[-1].type == "osi3.SensorData"
    assert read[-1].message.timestamp.seconds == 1
    assert [m.message for m in gosmp.messages(result.record, start=0.5, stop=0.6, decode=False)] == [
        m.message.SerializeToString(deterministic=True) for m in read if 0.5 <= m.time / 1e9 < 0.6
    ]
    for _ in gosmp.messages(result.record):  # leaving the loop early ends the command
        break
    with pytest.raises(gosmp.RunError, match="no-such"):
        list(gosmp.messages("no-such.mcap"))


def test_objects_of_a_simulation_are_a_table(tmp_path: Path) -> None:
    summary = gosmp.simulate(
        ROOT / "examples/maps/motorway.xodr", duration=1, step=0.1, actors=3, seed=2, trace=tmp_path / "t.mcap"
    )
    assert summary["actors"] == 4
    table = gosmp.frame(tmp_path / "t.mcap")
    assert len(table) == 4 * 11 or len(table) == 4 * 10
    assert {"total_nanos", "x", "y", "yaw"} <= set(table.names)
    assert gosmp.frame(tmp_path / "t.mcap", start=0.5).row(0)["total_nanos"] >= 5 * 10**8


def test_check_and_inspect(fmu_file: Path, tmp_path: Path) -> None:
    assert gosmp.check(fmu_file).passed
    chart = tmp_path / "broken.scxml"
    chart.write_text('<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a"><transition target="b"/></state></scxml>')
    findings = gosmp.check(chart, kind="statechart")
    assert not findings.passed
    assert [f.severity for f in findings][:1] == ["error"] and "b" in str(findings[0])
    assert gosmp.inspect(fmu_file)["model"]
    with pytest.raises(gosmp.RunError, match="no such file"):
        gosmp.check(tmp_path / "absent.fmu")


def test_failures_are_exceptions_and_verdicts_are_not(tmp_path: Path) -> None:
    with pytest.raises(gosmp.RunError, match="absent.fmu") as raised:
        gosmp.run(tmp_path / "absent.fmu")
    assert raised.value.exit_code == 2 and raised.value.log and raised.value.result.summary["exitCode"] == 2
    for end, code in ("success", 0), ("failure", 1):
        chart = tmp_path / f"{end}.scxml"
        chart.write_text(CHART.format(end=end))
        result = gosmp.run(chart)
        assert (result.exit_code, result.passed) == (code, code == 0)


def test_the_message_of_an_exception_states_the_cause_once(tmp_path: Path) -> None:
    with pytest.raises(gosmp.RunError) as raised:
        gosmp.run(tmp_path / "absent.fmu")
    assert str(raised.value).count("absent.fmu") == 1 and raised.value.cause in str(raised.value)


def test_arguments_that_no_command_line_can_contain(
    fmu_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TypeError, match="nominalrange is None; leave it out"):
        gosmp.run(fmu_file, start_values={"nominalrange": None})
    with pytest.raises(TypeError, match="found None, expected a number"):
        gosmp.run(fmu_file, input={"time": [0, None], "x": [1, 2]})
    for call in gosmp.run, gosmp.check, gosmp.inspect, gosmp.sweep, gosmp.simulate:
        with pytest.raises(TypeError, match="options is a list"):
            call(fmu_file, options="--json")
    assert gosmp.check(os.fsencode(fmu_file)).passed
    (tmp_path / "-s.fmu").write_bytes(fmu_file.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert gosmp.check("-s.fmu").passed and gosmp.run("-s.fmu", stop_time=0.1).passed
    with pytest.raises(gosmp.RunError, match="found a folder without modelDescription.xml"):
        gosmp.check(tmp_path)


def test_a_scenario_has_columns_and_a_verdict() -> None:
    crash = gosmp.run(ROOT / "examples/ccrs/ccrs.xosc", require="no collision", seed=3, set={"Speed": 36})
    assert (crash.passed, crash.outcome, crash.summary["seed"]) == (False, "failed", 3)
    assert crash["Ego.speed"][0] == pytest.approx(10)
    assert crash.cause.startswith("Ego collides with Target")


def test_models_and_requirements_of_a_scenario_and_a_sweep(tmp_path: Path) -> None:
    """A program that says nothing drives Target, which stands anyway."""
    silent = "exec:" + " ".join([sys.executable, str(tmp_path / "silent.py")])
    (tmp_path / "silent.py").write_text(SILENT)
    scenario = ROOT / "examples/ccrs/ccrs.xosc"
    asked = {"drive": {"Target": silent}, "require": ["no collision", "speed of Target < 1"]}
    driven = gosmp.run(scenario, **asked)
    assert (driven.outcome, max(driven["ccrs.Target.controlled"])) == ("failed", 1)
    plan = tmp_path / "two.xosc"
    text = (ROOT / "examples/ccrs/speeds.xosc").read_text().replace('"ccrs.xosc"', f'"{scenario}"')
    plan.write_text(text.replace('upperLimit="80"', 'upperLimit="20"'))
    rows = gosmp.sweep(plan, require="speed of Target < 1")
    assert rows["outcome"] == ["passed"] * 6


def test_cells_have_the_first_type_that_fits_all() -> None:
    assert _table._typed(("1", "2")) == [1, 2]
    assert _table._typed(("1", "2.5")) == [1.0, 2.5]
    assert _table._typed(("1_0", "2")) == ["1_0", "2"]
    assert math.isnan(_table._typed(("1", ""))[1])
    assert _table._typed(("", "")) == ["", ""]


def test_ctrl_c_ends_the_command(fmu_file: Path) -> None:
    """An interrupted Python leaves neither the command nor the process of an FMU."""
    code = "import gosmp, sys; print('ready', flush=True); gosmp.run(sys.argv[1], stop_time=1e4, real_time=1)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    python = subprocess.Popen(
        [sys.executable, "-c", code, str(fmu_file)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert python.stdout is not None and python.stdout.readline() == b"ready\n"
    children: list[int] = []
    while len(children) < 2:  # the command, and the process of the FMU
        time.sleep(0.01)
        children = _children(python.pid)
        children += [grandchild for child in children for grandchild in _children(child)]
    python.send_signal(signal.SIGINT)
    _, log = python.communicate(timeout=600)
    assert b"KeyboardInterrupt" in log
    while any(Path(f"/proc/{pid}").exists() for pid in children):  # the kernel ends the last one a little later
        time.sleep(0.01)


def _children(pid: int) -> list[int]:
    """The processes that the threads of a process have started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def test_import_needs_the_standard_library_only() -> None:
    code = "import sys, gosmp; gosmp.run; print(sorted({'numpy', 'osi3', 'fmpy', 'pandas'} & set(sys.modules)))"
    bare = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert bare.stdout.strip() == "[]"


def test_python_m_is_the_command(program: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    ours, theirs = (
        subprocess.run([*words, "run", "absent.fmu"], env=environment, capture_output=True, check=False)
        for words in ([sys.executable, "-m", "gosmp"], [str(program)])
    )
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr) and ours.returncode == 2


def test_a_checkout_has_no_packed_sensor() -> None:
    with pytest.raises(FileNotFoundError, match="OSMPDummySensor-fmi3.fmu; only the wheel has it"):
        gosmp.dummy_sensor(fmi=3)
    with pytest.raises(ValueError, match="fmi is 1, expected 2 or 3"):
        gosmp.dummy_sensor(fmi=1)


def test_the_second_packed_sensor_is_put_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "OSMPDummySensor.fmu").write_bytes(b"0123library789")
    shared = tmp_path / "OSMPDummySensor-fmi3.shared"
    shared.write_bytes(b"2 4 7\nab\ncd")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for _ in range(2):
        path = _call._joined(shared, "OSMPDummySensor-fmi3.fmu")
        assert path.is_relative_to(tmp_path / "cache" / "gosmp") and path.name == "OSMPDummySensor-fmi3.fmu"
        assert path.read_bytes() == b"ablibrary\ncd"
        path.write_bytes(b"damaged")
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(_call, "_private", functools.cache(_call._private.__wrapped__))
    path = _call._joined(shared, "OSMPDummySensor-fmi3.fmu")
    assert path.is_relative_to(tmp_path) and path.read_bytes() == b"ablibrary\ncd"
    assert [p for p in path.parent.iterdir() if p != path] == []
    # Others must not be able to guess the folder, prepare it, and replace the file after it was checked.
    assert path.parent.stat().st_mode & 0o077 == 0
    assert _call._joined(shared, "OSMPDummySensor-fmi3.fmu") == path
    assert _call._private.__wrapped__() != path.parent


def test_all_names_exist() -> None:
    assert [name for name in gosmp.__all__ if not hasattr(gosmp, name)] == []
    assert gosmp.__version__ == gosmp.version()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gosmp.nothing
