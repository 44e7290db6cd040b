"""fmpy.simulate_fmu and parameters: the recorded values are those in the file. S numbers are rules
of the file format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import fmpy
import numpy
import pytest
from fmpy.fmi1 import FMICallException

import simsensor_rows
from host import ERROR, WARNING, Host, one_problem
from recordings import LOOPING, SIX_SENSORS, thermometer

Scenario = Callable[..., str]


def expected(path: str | Path, unit: str, times: Iterable[float]) -> list[dict[str, float]]:
    """The values of all outputs at the given increasing times, from the second reader."""
    entries = simsensor_rows.schedule(simsensor_rows.read(path), unit)
    upcoming = next(entries, None)
    state: dict[str, float] = {}
    states = []
    for time in times:
        while upcoming and upcoming[0] <= round(time * 1e9):
            simsensor_rows.update(state, *upcoming)
            upcoming = next(entries, None)
        states.append(dict(state))
    return states


def assert_recorded(result: numpy.ndarray, states: list[dict[str, float]]) -> None:
    """Every output of every row of a recording equals the expected one, and is 0 before the first
    sample."""
    names = [n for n in result.dtype.names if "." in n and not n.startswith(("OSMP", "replay."))]
    assert len(names) == 46, names
    for record, state in zip(result, states, strict=True):
        for name in names:
            assert record[name] == pytest.approx(state.get(name, 0), rel=1e-12, abs=1e-15), (record["time"], name)


@pytest.fixture(scope="module")
def packed(folder: Path) -> Path:
    """The scenario that the FMU plays by default."""
    found = sorted((folder / "resources").rglob("*.csv"))
    assert len(found) == 1
    return found[0]


def test_P6_defaults_record_the_packed_scenario(fmu_file: Path, packed: Path) -> None:
    result = fmpy.simulate_fmu(str(fmu_file))
    assert result["time"][0] == 0
    assert result["time"][-1] == pytest.approx(10)
    assert len(result) == 501
    assert_recorded(result, expected(packed, "ms", result["time"]))
    assert result["replay.rows"][-1] == len(simsensor_rows.due(simsensor_rows.read(packed), "ms", 10 * 10**9))
    assert (result["valid"][1:]).all() and not result["valid"][0]


def test_P5_the_default_step_loses_no_sample(fmu_file: Path, packed: Path) -> None:
    duration = simsensor_rows.duration_ns(simsensor_rows.read(packed), "ms") / 1e9
    result = fmpy.simulate_fmu(str(fmu_file), stop_time=duration + 0.1, output_interval=0.02)
    total = sum(row.kind != simsensor_rows.END for row in simsensor_rows.read(packed))
    assert result["replay.rows"][-1] == total
    assert result["replay.rejectedRows"][-1] == 0
    assert result["replay.finished"][-1] and not result["replay.finished"][0]
    assert sum(result[f"{sensor}.count"][-1] for sensor, _ in simsensor_rows.SENSORS.values()) == total


def test_the_packed_demo_has_all_six_sensors_at_their_rates(packed: Path) -> None:
    rows = simsensor_rows.read(packed)
    counts = simsensor_rows.state_at(simsensor_rows.schedule(rows, "ms"))
    rates = {"accelerometer": 100, "gyroscope": 100, "magnetometer": 25, "barometer": 10, "gps": 5, "thermometer": 1}
    seconds = simsensor_rows.duration_ns(rows, "ms") / 1e9
    assert seconds == pytest.approx(60, abs=1)
    for sensor, rate in rates.items():
        assert counts[f"{sensor}.count"] == pytest.approx(rate * seconds, abs=2), sensor
    assert {len(row.fields) for row in rows if row.sensor == "gps"} == {19}


def test_S3_every_column_of_every_sensor_arrives_in_si_units(fmu_file: Path, scenario: Scenario) -> None:
    path = scenario(SIX_SENSORS)
    values = {"replay.scenarioFile": path}
    result = fmpy.simulate_fmu(str(fmu_file), stop_time=0.2, output_interval=0.01, start_values=values)
    assert_recorded(result, expected(path, "ms", result["time"]))
    assert result["replay.rows"][-1] == 12
    assert result["gps.longitude"][-1] == 13.400002


def test_S5_the_first_rows_are_there_after_initialization(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario(SIX_SENSORS)}, start=3.0)
    assert host.get("accelerometer.z") == pytest.approx(-9.8)
    assert [host.get(f"{s}.count") for s, _ in simsensor_rows.SENSORS.values()] == [1] * 6
    assert host.get("gps.time") == 3.0
    assert host.get("replay.rows") == 6
    assert host.triple() == (0, 0, 0), "no SensorData before the first step"
    assert host.get("valid") is False


def test_outputs_can_be_read_in_initialization_mode(host: Host, scenario: Scenario) -> None:
    host.set({"replay.scenarioFile": scenario(SIX_SENSORS)})
    host.fmu.setupExperiment(startTime=0.0)
    host.fmu.enterInitializationMode()
    assert host.get("thermometer.temperature") == 288
    host.set({"replay.scenarioFile": scenario(thermometer(2), "other.csv")})
    assert host.get("thermometer.temperature") == 200, "a parameter set later counts"
    host.fmu.exitInitializationMode()
    assert host.get("replay.rows") == 1


def test_S6_a_row_is_visible_in_the_step_that_ends_at_its_stamp(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario("32,0,280\n32,10,281\n32,11,282\n0\n")})
    host.steps(1, 0.01)
    assert host.get("thermometer.temperature") == 281
    host.steps(1, 0.000999999)
    assert host.get("thermometer.temperature") == 281
    host.steps(1, 0.000000001)
    assert host.get("thermometer.temperature") == 282


@pytest.mark.parametrize(("unit", "tick"), [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)])
def test_S2_units_of_time(host: Host, scenario: Scenario, unit: str, tick: float) -> None:
    # 20 000 ticks may be anything from 20 us to hours: the steps follow the row distance, not the
    # clock.
    host.initialize({"replay.scenarioFile": scenario(thermometer(3, 20_000, 7_000_000)), "replay.timeUnit": unit})
    host.steps(1, 20_000 * tick)
    assert host.get("replay.rows") == 2
    assert host.get("thermometer.time") == pytest.approx(20_000 * tick, rel=1e-12)
    host.steps(1, 20_000 * tick)
    assert host.get("replay.rows") == 3


def test_S2_an_implausible_unit_is_reported_with_numbers(host: Host, scenario: Scenario) -> None:
    rows = "".join(f"1,{i * 2500},0,0,-9800\n" for i in range(50)) + "0\n"
    host.initialize({"replay.scenarioFile": scenario(rows)})
    line = one_problem(host.log, WARNING, "replay.timeUnit", "2500", "us")
    assert line.category == "logStatusWarning"


def test_S2_a_file_in_microseconds_plays_all_its_rows_in_fmpy_as_it_comes(fmu_file: Path, scenario: Scenario) -> None:
    rows = "".join(f"1,{i * 2500},0,0,-9800\n" for i in range(400)) + "0\n"
    result = fmpy.simulate_fmu(
        str(fmu_file),
        start_values={"replay.scenarioFile": scenario(rows)},
        output=["replay.rows", "replay.finished"],
        stop_time=1.0,
    )
    assert result["replay.rows"][-1] == 400
    assert result["replay.finished"][-1]


def test_S2_a_doubtful_unit_is_reported_with_logging_off(new_host: Callable[..., Host], scenario: Scenario) -> None:
    path = scenario("32,0,280\n32,10,281\n0\n")
    host = new_host(logging_on=False).initialize({"replay.scenarioFile": path, "replay.timeUnit": "auto"})
    one_problem(host.log, WARNING, "fmi2ExitInitializationMode", "doubtful unit of time", "read in ms")
    host.steps(1, 0.01)
    assert host.get("replay.rows") == 2


def test_start_delay(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario(SIX_SENSORS), "replay.startDelay": 0.1}, start=1.0)
    assert host.get("replay.rows") == 0
    host.run_to(1.08)
    assert host.get("replay.rows") == 0
    assert host.raw() == b"", "no data before the first row"
    assert host.get("valid") is False
    host.run_to(1.10)
    assert host.get("replay.rows") == 6
    assert host.get("accelerometer.time") == pytest.approx(1.1, abs=1e-12)
    assert host.message().last_measurement_time.nanos == 100_000_000


def test_S8_looping_adds_no_time_and_counts(host: Host, scenario: Scenario) -> None:
    path = scenario(LOOPING)
    host.initialize({"replay.scenarioFile": path})
    rows = simsensor_rows.read(path)
    for _ in range(20):
        host.steps(1)
        due = simsensor_rows.due(rows, "ms", host.now_ns)
        assert host.get("replay.rows") == len(due)
        assert host.get("thermometer.time") == pytest.approx(due[-1][0] / 1e9, abs=1e-12)
        assert host.get("thermometer.temperature") == due[-1][1].fields[0]
    assert host.get("replay.loops") == 10
    assert host.get("replay.finished") is False


def test_without_looping_the_end_of_the_file_ends_the_scenario(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario(LOOPING), "replay.loop": False})
    host.run_to(0.2)
    assert (host.get("replay.rows"), host.get("replay.loops"), host.get("replay.finished")) == (2, 0, True)


def test_S9_after_the_end_row_steps_go_on_with_the_last_values(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario(SIX_SENSORS)})
    host.run_to(0.5)
    assert host.get("replay.finished") is True
    assert host.get("gps.altitude") == 95.5
    message = host.message()
    assert (message.timestamp.seconds, message.timestamp.nanos) == (0, 500_000_000)
    assert (message.last_measurement_time.seconds, message.last_measurement_time.nanos) == (0, 100_000_000)
    assert host.fmu.getBooleanStatus(3), "fmi2Terminated"
    host.steps(1)


def test_S1_S13_lenient_skips_what_is_malformed_and_says_where(host: Host, scenario: Scenario) -> None:
    text = "32,0,280\n32,10,28x\n3,20,1,2,3\n32,30,283\n0\n"
    host.initialize({"replay.scenarioFile": scenario(text)})
    host.run_to(0.1)
    assert (host.get("replay.rows"), host.get("replay.rejectedRows")) == (2, 2)
    assert host.get("thermometer.temperature") == 283
    texts = [line.text for line in host.problems()]
    assert len(texts) == 2
    assert "scenario.csv:2:7" in texts[0] and "28x" in texts[0]
    assert "scenario.csv:3:1" in texts[1]


@pytest.mark.parametrize(
    ("row", "place"),
    [("32,10,28x", "scenario.csv:2:7"), ("3,10,1", "scenario.csv:2:1"), ("32,-5,280", "scenario.csv:2:4")],
)
def test_S1_S7_strict_refuses_a_malformed_file_and_says_where(
    host: Host, scenario: Scenario, row: str, place: str
) -> None:
    values = {"replay.scenarioFile": scenario(f"32,0,280\n{row}\n32,30,283\n0\n"), "replay.strict": True}
    with pytest.raises(FMICallException) as refused:
        host.initialize(values)
    assert refused.value.status == ERROR
    one_problem(host.log, ERROR, place)


def test_S13_the_example_of_the_format_plays_with_one_warning_per_kind(host: Host, scenario: Scenario) -> None:
    rows = [(0, 748), (3169, 740), (5514, 740), (7363, 742), (10017, 723)]
    text = "SensorID,Timestamp,Field1,Field2,Field3\n"
    for distance, x in rows:
        text += f"1,{2282607175 + distance},{x},-419,-9780,0\n8,{2282607175 + distance},-2,-64,0,0\n"
    host.initialize({"replay.scenarioFile": scenario(text), "replay.timeUnit": "us"})
    host.steps(1, 0.01)
    assert host.get("replay.rows") == 8
    host.steps(1, 0.0001)
    assert host.get("accelerometer.x") == pytest.approx(0.748), "the file has started over"
    assert host.get("replay.rejectedRows") == 0
    assert len(host.problems()) == 2, "one for the surplus field, one for the missing ones"


@pytest.mark.parametrize(
    "text",
    [
        SIX_SENSORS.replace("\n", "\r\n"),
        "\ufeff" + SIX_SENSORS,
        SIX_SENSORS.partition("\n")[2],
        SIX_SENSORS.replace("\n", "\n\n"),
        SIX_SENSORS.replace(",", ", "),
        SIX_SENSORS.rstrip("\n"),
    ],
    ids=["CRLF", "BOM", "no header", "blank lines", "leading blanks", "no last newline"],
)
def test_S4_ways_to_write_the_same_file(host: Host, scenario: Scenario, text: str) -> None:
    host.initialize({"replay.scenarioFile": scenario(text), "replay.strict": True})
    host.run_to(0.2)
    assert host.get("replay.rows") == 12
    assert host.get("replay.rejectedRows") == 0
    assert host.get("gps.latitude") == 52.300001


def test_S3_gps_rows_of_18_fields(host: Host, scenario: Scenario) -> None:
    lines = SIX_SENSORS.splitlines()
    short = [
        ",".join(c for i, c in enumerate(line.split(",")) if i != 5) if line.startswith("4,") else line
        for line in lines
    ]
    host.initialize({"replay.scenarioFile": scenario("\n".join(short) + "\n")})
    host.run_to(0.2)
    assert host.get("gps.utc") == 0
    assert (host.get("gps.hdop"), host.get("gps.satellites"), host.get("gps.fixQuality")) == (141, 10, 4)
    assert not host.message().HasField("system_time")


@pytest.mark.parametrize(
    "name",
    ["with blanks.csv", "Müller straße.csv", "100%.csv", "50%20off.csv", "a#b.csv", "日本/飛行.csv", "quote'\".csv"],
)
def test_scenario_paths_are_taken_literally(host: Host, scenario: Scenario, name: str) -> None:
    host.initialize({"replay.scenarioFile": scenario(SIX_SENSORS, name)})
    assert host.get("replay.rows") == 6
    assert host.problems() == []


def test_scenario_as_start_value_of_simulate_fmu(fmu_file: Path, scenario: Scenario) -> None:
    values = {"replay.scenarioFile": scenario(thermometer(5), "Prüf lauf 100%.csv"), "replay.loop": False}
    result = fmpy.simulate_fmu(str(fmu_file), start_values=values, stop_time=0.1)
    assert result["replay.rows"][-1] == 5


def test_relative_paths_start_at_the_resources(
    new_host: Callable[..., Host], packed: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    host = new_host().initialize({"replay.scenarioFile": os.path.relpath(packed, folder / "resources")})
    assert host.get("replay.rows") > 0


def test_replay_can_be_switched_off(host: Host) -> None:
    host.initialize({"replay.enabled": False, "replay.scenarioFile": "/does/not/exist.csv"})
    host.steps(3)
    assert host.raw() == b"" and host.triple() == (0, 0, 0)
    assert host.get("valid") is False
    assert host.get("replay.rows") == 0
    assert host.problems() == []


def test_variable_step_sizes_see_the_same_rows(new_host: Callable[..., Host], packed: Path) -> None:
    sizes = (0.001, 0.0333, 0.25, 0.0157, 0.5)
    rows = simsensor_rows.read(packed)
    host = new_host().initialize()
    for k in range(20):
        host.steps(1, sizes[k % len(sizes)])
        assert host.get("replay.rows") == len(simsensor_rows.due(rows, "ms", host.now_ns))


def test_stop_time_is_checked_with_tolerance(host: Host) -> None:
    host.initialize(stop=1.0)
    for k in range(10):
        # Sums as in an importer that accumulates time: the last step ends slightly before or after
        # 1.0.
        host.fmu.doStep(currentCommunicationPoint=sum([0.1] * k), communicationStepSize=0.1)
    assert host.status(host.fmu.doStep, 1.0, 0.1) == ERROR
    one_problem(host.log, ERROR, "stop time")
