"""Bad input of every kind: the FMU returns the status that the standard requires and logs one line
with a remedy, and Python continues."""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import fmi2ModelExchange

from host import (
    CONFIG_REQUEST,
    DISCARD,
    ERROR,
    OK,
    SENSOR_DATA_OUT,
    Host,
    Refused,
    one_problem,
)
from recordings import LOOPING, SIX_SENSORS, thermometer

Scenario = Callable[..., str]


# -- instantiation


@pytest.mark.parametrize("guid", ["", "wrong", "{00000000-0000-0000-0000-000000000000}"])
def test_wrong_guid_is_refused(new_host: Callable[..., Host], description: Any, guid: str) -> None:
    with pytest.raises(Refused) as refused:
        new_host(guid=guid)
    one_problem(refused.value.args[0], ERROR, f'"{guid}"', description.guid)


def test_empty_instance_name_is_refused(new_host: Callable[..., Host]) -> None:
    with pytest.raises(Refused) as refused:
        new_host("")
    one_problem(refused.value.args[0], ERROR, "instanceName")


def test_model_exchange_is_refused(new_host: Callable[..., Host]) -> None:
    with pytest.raises(Refused) as refused:
        new_host(kind=fmi2ModelExchange)
    one_problem(refused.value.args[0], ERROR, "o-simulation")


def test_a_refusal_is_logged_even_with_logging_off(new_host: Callable[..., Host]) -> None:
    with pytest.raises(Refused) as refused:
        new_host(guid="wrong", logging_on=False)
    one_problem(refused.value.args[0], ERROR, '"wrong"')


def test_null_resource_location_is_no_obstacle_to_an_absolute_scenario(
    new_host: Callable[..., Host], scenario: Scenario
) -> None:
    host = new_host(resources=None).initialize({"replay.scenarioFile": scenario(SIX_SENSORS)})
    assert host.get("replay.rows") == 6


def test_null_resource_location_means_the_resources_of_the_fmu(new_host: Callable[..., Host]) -> None:
    host = new_host(resources=None).initialize()
    assert host.get("replay.rows") > 0


def test_null_resource_location_without_resources_is_explained(
    new_host: Callable[..., Host], folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("resources"))
    host = new_host(resources=None, folder=copy)
    with pytest.raises(FMICallException) as refused:
        host.initialize()
    assert refused.value.status == ERROR
    one_problem(host.log, ERROR, "replay.scenarioFile", "fmuResourceLocation")


@pytest.mark.parametrize("location", ["http://example.org/resources", "file:///does/not/exist", "fmu:x"])
def test_useless_resource_locations_are_explained(new_host: Callable[..., Host], location: str) -> None:
    log: Any = None
    try:
        host = new_host(resources=location)
        with pytest.raises(FMICallException):
            host.initialize()
        log = host.log
    except Refused as refused:
        log = refused.args[0]
    one_problem(log, ERROR)


@pytest.mark.parametrize("name", ["plain", "with blanks", "Straße 100% ü", "50%20off", "a#b?c"])
@pytest.mark.parametrize("form", ["file:///", "file:/", "file://localhost/", "path"])
def test_resource_locations_are_decoded(
    new_host: Callable[..., Host], folder: Path, tmp_path: Path, name: str, form: str
) -> None:
    place = tmp_path / name / "resources"
    shutil.copytree(folder / "resources", place)
    location = str(place) if form == "path" else form + place.as_uri().removeprefix("file:///")
    host = new_host(resources=location).initialize()
    assert host.get("replay.rows") > 0


def test_the_missing_core_is_named(child: Callable[..., Any], folder: Path, tmp_path: Path, description: Any) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    binaries = copy / "binaries" / "linux64"
    others = [path for path in binaries.iterdir() if path.name != f"{description.coSimulation.modelIdentifier}.so"]
    assert len(others) == 1, "the loader and the core, nothing else"
    others[0].unlink()
    lines = child("without_core", folder=copy)
    assert len(lines) == 1, lines
    instance, status, _, text = lines[0]
    assert (instance, status) == ("dut", ERROR)
    assert others[0].name in text


# -- scenario


def directory(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


BAD_FILES: dict[str, tuple[Any, dict[str, Any]]] = {
    "missing": (lambda path: None, {}),
    "directory": (directory, {}),
    "named pipe": (pipe, {}),
    "dangling link": (dangling, {}),
    "empty": ("", {}),
    "blank lines": ("\n\n\n", {}),
    "header only": ("SensorID,Timestamp,Field1\n", {}),
    "end row only": ("0\n", {}),
    "one row without end": ("32,0,280\n", {}),
    "equal stamps without end": ("32,7,280\n32,7,281\n32,7,282\n", {}),
    "no good row": ("a,b,c\nd,e,f\n", {}),
    "semicolons": ("32;0;280\n32;10;281\n", {}),
    "binary": (bytes(range(256)) * 40, {}),
    "utf-16": (SIX_SENSORS.encode("utf-16"), {}),
    "zip": (b"PK\x03\x04" + bytes(100), {}),
    "no end of line": (b"9" * 100_000, {}),
}


@pytest.mark.parametrize("case", BAD_FILES)
@pytest.mark.parametrize("name", ["bad.csv", "Bäd %s %n 100%.csv"])
def test_unusable_scenarios_are_refused_with_one_line(
    host: Host, tmp_path: Path, scenario: Scenario, case: str, name: str
) -> None:
    content, values = BAD_FILES[case]
    path = tmp_path / name
    if callable(content):
        content(path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FMICallException) as refused:
        host.initialize({"replay.scenarioFile": str(path), **values})
    assert (refused.value.status, refused.value.function) == (ERROR, "fmi2ExitInitializationMode")
    line = one_problem(host.log, ERROR, str(path))
    assert (line.instance, line.category) == ("dut", "logStatusError")
    assert ";" in line.text, "says what to do next"
    assert host.step() == ERROR, "no step without a scenario"
    host.fmu.reset()
    host.initialize({"replay.scenarioFile": scenario(SIX_SENSORS, "good.csv")})
    host.steps(2)
    assert host.get("replay.rows") == 9


def test_a_loop_without_length_in_a_large_file_is_an_error_and_no_hang(host: Host, scenario: Scenario) -> None:
    with pytest.raises(FMICallException) as refused:
        host.initialize({"replay.scenarioFile": scenario("32,0,280\n" * 20_000)})
    assert refused.value.status == ERROR
    one_problem(host.log, ERROR, "scenario.csv")


def test_the_same_file_without_looping_is_fine(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario("32,0,280\n"), "replay.loop": False})
    host.steps(1)
    assert (host.get("replay.rows"), host.get("replay.finished")) == (1, True)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("replay.timeUnit", "min", ["replay.timeUnit", '"min"', "ms"]),
        ("replay.timeUnit", "", ["replay.timeUnit"]),
        ("replay.timeUnit", "%s%n", ["replay.timeUnit", "%s%n"]),
        ("imu.axes", "NED", ["imu.axes", '"NED"', "FRD"]),
        ("replay.startDelay", -1.0, ["replay.startDelay"]),
        ("replay.startDelay", float("inf"), ["replay.startDelay"]),
        ("replay.startDelay", 1e300, ["replay.startDelay"]),
        ("sensorId", -2, ["sensorId"]),
        ("replay.scenarioFile", None, ["fmi2SetString", "NULL"]),
    ],
)
def test_meaningless_parameters_are_refused_with_one_line(host: Host, name: str, value: Any, words: list[str]) -> None:
    with pytest.raises(FMICallException) as refused:
        host.initialize({name: value})
    assert refused.value.status == ERROR
    one_problem(host.log, ERROR, *words)


def test_a_file_that_shrinks_while_it_is_played_is_an_error_and_no_crash(host: Host, scenario: Scenario) -> None:
    path = scenario(thermometer(50_000, 1))
    host.initialize({"replay.scenarioFile": path})
    host.steps(1, 1.0)
    os.truncate(path, 100)
    status = OK
    while status == OK and host.now_ns < 60 * 10**9:
        status = host.step(1.0)
    assert status == ERROR
    one_problem(host.log, ERROR, path)


def test_a_log_line_keeps_percent_signs(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "100%d%s%n%%.csv"
    with pytest.raises(FMICallException):
        host.initialize({"replay.scenarioFile": str(path)})
    assert str(path) in host.problems()[0].text


def test_errors_are_logged_with_logging_off_and_nothing_else_is(
    new_host: Callable[..., Host], scenario: Scenario
) -> None:
    host = new_host(logging_on=False).initialize({"replay.scenarioFile": scenario("32,0,280\n32,10,x\n32,20,281\n")})
    host.steps(3)
    assert host.get("replay.rejectedRows") > 0
    assert host.log == []
    assert host.step(-1.0) == ERROR
    one_problem(host.log, ERROR)


def test_fmpy_itself_reports_the_failed_function_and_prints_the_line(child: Callable[..., Any], tmp_path: Path) -> None:
    seen = child("failing_simulation", tmp_path / "gone.csv")
    assert seen["raised"] == "fmi2ExitInitializationMode failed with status 3 (error)."
    assert seen["printed"].startswith("[ERROR] ") and seen["printed"].count("\n") == 1
    assert "gone.csv" in seen["printed"]


# -- calls


ILLEGAL: dict[str, Callable[[Host], Any]] = {
    "step before initialization": lambda h: h.fmu.doStep(0.0, 0.02),
    "get before initialization": lambda h: h.get("gps.latitude"),
    "exit without enter": lambda h: h.fmu.exitInitializationMode(),
    "terminate before initialization": lambda h: h.fmu.terminate(),
    "setup after initialization": lambda h: h.initialize().fmu.setupExperiment(),
    "initialize twice": lambda h: h.initialize().fmu.enterInitializationMode(),
    "step after terminate": lambda h: (h.initialize().fmu.terminate(), h.fmu.doStep(0.0, 0.02)),
    "terminate twice": lambda h: (h.initialize().fmu.terminate(), h.fmu.terminate()),
    "step size 0": lambda h: h.initialize().fmu.doStep(0.0, 0.0),
    "negative step size": lambda h: h.initialize().fmu.doStep(0.0, -0.02),
    "step size nan": lambda h: h.initialize().fmu.doStep(0.0, float("nan")),
    "step size inf": lambda h: h.initialize().fmu.doStep(0.0, float("inf")),
    "step size beyond all time": lambda h: h.initialize().fmu.doStep(0.0, 1e15),
    "communication point nan": lambda h: h.initialize().fmu.doStep(float("nan"), 0.02),
    "communication point behind": lambda h: (h.initialize().steps(2), h.fmu.doStep(0.02, 0.02)),
    "communication point ahead": lambda h: h.initialize().fmu.doStep(0.02, 0.02),
    "step beyond the stop time": lambda h: h.initialize(stop=0.05).fmu.doStep(0.0, 0.06),
    "stop before start": lambda h: h.initialize(start=1.0, stop=0.5),
    "start time nan": lambda h: h.initialize(start=float("nan")),
    "unknown reference": lambda h: h.initialize().fmu.getReal([99_999]),
    "largest reference": lambda h: h.initialize().fmu.getInteger([2**32 - 1]),
    "a known and an unknown reference": lambda h: h.initialize().fmu.getReal([0, 99_999]),
    "unknown reference set": lambda h: h.fmu.setReal([99_999], [1.0]),
    "output set": lambda h: h.set({"gps.latitude": 1.0}),
    "calculated parameter set": lambda h: h.set({f"{CONFIG_REQUEST}.size": 1}),
    "output triple set": lambda h: h.initialize().set({f"{SENSOR_DATA_OUT}.size": 1}),
    "parameter set after initialization": lambda h: h.initialize().set({"nominalrange": 1.0}),
    "string set after initialization": lambda h: h.initialize().set({"replay.timeUnit": "us"}),
    "unknown log category": lambda h: h.fmu.setDebugLogging(True, ["nonsense"]),
    "cancel": lambda h: h.initialize().fmu.cancelStep(),
    "directional derivative": lambda h: h.initialize().fmu.getDirectionalDerivative([0], [0], [1.0]),
}


@pytest.mark.parametrize("case", ILLEGAL)
def test_P2_illegal_calls_give_an_error_and_one_line(host: Host, case: str) -> None:
    with pytest.raises(FMICallException) as refused:
        ILLEGAL[case](host)
    assert refused.value.status == ERROR
    line = one_problem(host.log, ERROR, refused.value.function)
    assert line.category == "logStatusError"
    host.fmu.reset()
    host.initialize()
    host.steps(2)
    assert len(host.problems()) == 1, "after a reset all is well"


def test_P2_after_an_error_outputs_can_be_looked_at_and_nothing_goes_on(host: Host) -> None:
    host.initialize()
    host.steps(2)
    before = host.outputs()
    assert host.step(-1.0) == ERROR
    assert host.outputs() == before
    assert host.step() == ERROR
    assert host.status(host.fmu.terminate) == ERROR


@pytest.mark.parametrize("function", ["fmi2GetStatus", "fmi2GetIntegerStatus", "fmi2GetStringStatus"])
def test_P2_questions_about_asynchronous_steps_are_discarded(host: Host, function: str) -> None:
    host.initialize()
    answers = {
        "fmi2GetStatus": ctypes.c_int(),
        "fmi2GetIntegerStatus": ctypes.c_int(),
        "fmi2GetStringStatus": ctypes.c_char_p(),
    }
    call = getattr(host.fmu.dll, function)
    call.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
    assert call(host.fmu.component, 1, ctypes.byref(answers[function])) == DISCARD
    host.steps(1)


def test_P2_status_questions_that_can_be_answered(host: Host) -> None:
    host.initialize(start=2.0)
    host.steps(3)
    assert host.fmu.getRealStatus(2) == pytest.approx(2.06), "fmi2LastSuccessfulTime"
    assert host.fmu.getBooleanStatus(3) is False, "fmi2Terminated"


def test_P2_foreign_components_are_refused(child: Callable[..., Any]) -> None:
    assert child("foreign_components") == {"statuses": [ERROR]}


def test_log_categories_can_be_chosen(host: Host, scenario: Scenario) -> None:
    host.log.clear()
    host.fmu.setDebugLogging(False, ["simsensor"])
    host.initialize({"replay.scenarioFile": scenario(LOOPING + "32,560,x\n")})
    host.steps(5)
    assert host.get("replay.rejectedRows") > 0 and host.log == []
    host.fmu.reset()
    host.fmu.setDebugLogging(True, ["simsensor"])
    host.initialize({"replay.scenarioFile": scenario(LOOPING + "32,560,x\n")})
    host.steps(5)
    assert [line.category for line in host.log] == ["simsensor"]
