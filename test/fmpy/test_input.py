"""The binary variables that a host sets: SensorView and its configuration. Numbers are rules of
OSMP 0.3.0."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from fmpy.fmi1 import FMICallException
from osi3.osi_sensorviewconfiguration_pb2 import SensorViewConfiguration

import gosmp
import sensorviews
from host import (
    CONFIG,
    CONFIG_REQUEST,
    ERROR,
    OK,
    SENSOR_DATA_OUT,
    SENSOR_VIEW_IN,
    WARNING,
    Host,
    one_problem,
)
from osi_rules import Rules
from recordings import SIX_SENSORS

Scenario = Callable[..., str]


def connected(host: Host, data: bytes) -> bytes:
    """One step with a SensorView; returns the SensorData."""
    gosmp.write(host.fmu, SENSOR_VIEW_IN, data)
    host.steps(1)
    return host.raw()


def in_initialization_mode(host: Host, values: dict[str, Any] | None = None) -> Host:
    host.set(values or {})
    host.fmu.setupExperiment(startTime=0.0)
    host.fmu.enterInitializationMode()
    return host


def request(host: Host) -> SensorViewConfiguration:
    return gosmp.read(host.fmu, CONFIG_REQUEST, decode=True)


def test_V5_a_connected_sensor_view_is_carried_byte_for_byte(host: Host) -> None:
    host.initialize()
    for k in range(20):
        data = sensorviews.sensor_view(host.now_ns, k).SerializeToString() + sensorviews.UNKNOWN_FIELD
        assert sensorviews.payloads(connected(host, data), 8) == [data]
        assert host.get("valid") is True
    assert host.problems() == []


# The recording that comes with the FMU, chosen by name: it goes on with a SensorView and after it.
CHOSEN = {"replay.scenarioFile": "scenario.csv"}


def test_connecting_and_disconnecting(host: Host) -> None:
    host.initialize(CHOSEN)
    host.steps(1)
    own = host.message().sensor_view[0].host_vehicle_id
    assert connected(host, sensorviews.sensor_view().SerializeToString())
    assert host.message().sensor_view[0].host_vehicle_id.value == 100
    assert connected(host, b"")
    assert host.message().sensor_view[0].host_vehicle_id == own
    one_problem(host.log, WARNING, SENSOR_VIEW_IN, "no SensorView any more")
    assert connected(host, sensorviews.sensor_view().SerializeToString())
    assert connected(host, b"")
    assert len(host.problems()) == 1, "logged once per run"


def test_what_the_replay_knows_is_there_with_a_sensor_view_as_well(
    host: Host, scenario: Scenario, rules: Rules
) -> None:
    host.initialize({"replay.scenarioFile": scenario(SIX_SENSORS)})
    connected(host, sensorviews.sensor_view(20_000_000).SerializeToString())
    message = host.message()
    assert message.HasField("host_vehicle_location") and message.HasField("host_vehicle_location_rmse")
    assert message.last_measurement_time.nanos == 20_000_000, "the SensorView is newer than the newest row"
    assert rules.violations(message) == []


def test_a_sensor_view_alone_is_enough(host: Host, rules: Rules) -> None:
    host.initialize({"replay.enabled": False})
    connected(host, sensorviews.sensor_view().SerializeToString())
    message = host.message()
    assert host.get("valid") is True
    assert (message.timestamp.seconds, message.timestamp.nanos) == (0, 20_000_000)
    assert not message.HasField("host_vehicle_location")
    assert rules.violations(message) == []


def test_a_sensor_view_set_before_initialization_counts_for_the_first_step(host: Host) -> None:
    data = sensorviews.sensor_view().SerializeToString()
    in_initialization_mode(host)
    gosmp.write(host.fmu, SENSOR_VIEW_IN, data)
    host.fmu.exitInitializationMode()
    host.steps(1)
    assert sensorviews.payloads(host.raw(), 8) == [data]


def test_V7_nothing_is_read_after_the_step(child: Callable[..., Any]) -> None:
    assert child("protected_input", 1000) == {"carried": 1000}


def test_the_bundled_recording_ends_with_the_first_sensor_view(host: Host) -> None:
    host.initialize()
    host.steps(1)
    assert host.get("valid") is True
    assert connected(host, sensorviews.sensor_view().SerializeToString())
    assert host.message().sensor_view[0].host_vehicle_id.value == 100
    gosmp.write(host.fmu, SENSOR_VIEW_IN, b"")
    assert host.step() == OK
    assert host.get("valid") is False and gosmp.read(host.fmu, SENSOR_DATA_OUT) is None


def test_V7_an_address_is_good_for_one_step(host: Host) -> None:
    host.initialize(CHOSEN)
    connected(host, sensorviews.sensor_view().SerializeToString())
    for _ in range(3):
        assert host.step() == OK
        assert host.message().sensor_view[0].host_vehicle_id.value != 100, "the buffer may be gone by now"
    line = one_problem(host.log, WARNING, SENSOR_VIEW_IN)
    assert line.category == "OSMP"


@pytest.mark.parametrize(
    ("address", "size"),
    [(0, 5), (0, 2**31 - 1), ("real", 0), (0, 0), ("real", -1), ("real", -(2**31)), (0, -1)],
)
def test_B5_B8_base_or_size_0_and_negative_sizes_are_no_data(host: Host, address: Any, size: int) -> None:
    host.initialize()
    buffer = ctypes.create_string_buffer(sensorviews.sensor_view().SerializeToString())
    host.set_triple(SENSOR_VIEW_IN, ctypes.addressof(buffer) if address == "real" else address, size)
    assert host.step() in (OK, WARNING)
    assert host.message().sensor_view[0].host_vehicle_id.value != 100
    assert len(host.problems()) <= 1


def test_B3_B8_addresses_with_peculiar_halves(child: Callable[..., Any]) -> None:
    assert child("special_addresses") == {"lo is 0": True, "bit 31": True, "all low bits": True}


def test_undecodable_bytes_give_a_warning_and_no_data(host: Host) -> None:
    host.initialize(CHOSEN)
    gosmp.write(host.fmu, SENSOR_VIEW_IN, b"\xff" * 50)
    assert host.step() == WARNING
    line = one_problem(host.log, WARNING, SENSOR_VIEW_IN, "50 bytes")
    assert line.category == "logStatusWarning"
    assert host.message().sensor_view[0].host_vehicle_id.value != 100
    data = sensorviews.sensor_view().SerializeToString()
    assert sensorviews.payloads(connected(host, data), 8) == [data], "the next good one is used again"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_and_truncated_bytes_never_crash(child: Callable[..., Any], seed: int) -> None:
    found = child("undecodable_inputs", seed)
    assert found["wrong"] == []
    assert 100 < found["refused"] < found["inputs"], "both kinds have been tried"


def test_C5_C6_the_request_names_the_wanted_configuration(host: Host, rules: Rules) -> None:
    wanted = request(in_initialization_mode(host, {"sensorId": 9, "mounting.x": 1.25}))
    assert rules.violations(wanted) == []
    assert (wanted.version.version_major, wanted.version.version_minor, wanted.version.version_patch) == (3, 8, 0)
    assert wanted.sensor_id.value == 9
    assert wanted.mounting_position.position.x == 1.25
    assert wanted.range == pytest.approx(1.1 * 135)


def test_P5_the_request_asks_for_the_default_step_size(host: Host) -> None:
    cycle = request(in_initialization_mode(host)).update_cycle_time
    assert cycle.seconds * 10**9 + cycle.nanos == round(float(host.description.defaultExperiment.stepSize) * 1e9)


def test_C6_the_request_follows_the_parameters_it_depends_on(host: Host) -> None:
    in_initialization_mode(host)
    for wanted in (200.0, 50.0, 135.0):
        host.set({"nominalrange": wanted})
        assert request(host).range == pytest.approx(1.1 * wanted)
    host.fmu.exitInitializationMode()
    assert request(host).range == pytest.approx(1.1 * 135), "still there after initialization"


@pytest.mark.parametrize("early", [True, False], ids=["before", "in initialization mode"])
def test_C7_a_configuration_that_was_set_is_repeated_byte_for_byte(host: Host, early: bool) -> None:
    data = sensorviews.configuration().SerializeToString() + sensorviews.UNKNOWN_FIELD
    if early:
        gosmp.write(host.fmu, CONFIG, data)
    in_initialization_mode(host)
    if not early:
        assert request(host).range != 77
        gosmp.write(host.fmu, CONFIG, data)
    assert gosmp.read(host.fmu, CONFIG_REQUEST) == data
    host.set({"nominalrange": 10.0})
    assert gosmp.read(host.fmu, CONFIG_REQUEST) == data, "the agreement is unchanged"


def test_C7_the_hosts_memory_is_not_needed_after_initialization(host: Host) -> None:
    data = sensorviews.configuration().SerializeToString()
    buffer = ctypes.create_string_buffer(data, len(data))
    in_initialization_mode(host)
    host.set_triple(CONFIG, ctypes.addressof(buffer), len(data))
    host.fmu.exitInitializationMode()
    ctypes.memset(buffer, 0xFF, len(data))
    host.steps(2)
    assert gosmp.read(host.fmu, CONFIG_REQUEST) == data
    assert host.message().mounting_position.position.x == 2.5


def test_C7_taking_the_configuration_back_brings_the_wish_back(host: Host) -> None:
    in_initialization_mode(host)
    gosmp.write(host.fmu, CONFIG, sensorviews.configuration())
    assert request(host).range == 77
    gosmp.write(host.fmu, CONFIG, b"")
    assert request(host).range == pytest.approx(1.1 * 135)


def test_C8_C9_nobody_has_to_take_part_in_the_handshake(host: Host) -> None:
    host.initialize()
    host.steps(2)
    assert host.problems() == []


@pytest.mark.parametrize("order", list(itertools.permutations(("base.lo", "base.hi", "size"))))
@pytest.mark.parametrize("name", [CONFIG_REQUEST, SENSOR_DATA_OUT])
def test_C10_the_three_integers_belong_together_however_they_are_read(
    host: Host, name: str, order: tuple[str, ...]
) -> None:
    in_initialization_mode(host)
    if name == SENSOR_DATA_OUT:
        host.fmu.exitInitializationMode()
        host.steps(1)
    first = {role: host.get(f"{name}.{role}") for role in order}
    assert host.triple(name) == (first["base.lo"], first["base.hi"], first["size"])
    data = ctypes.string_at(gosmp.join(first["base.lo"], first["base.hi"]), first["size"])
    assert data == gosmp.read(host.fmu, name)
    assert gosmp.message_class(gosmp.variables(host.fmu)[name].message_type).FromString(data).HasField("version")


def test_an_undecodable_configuration_is_refused_with_one_line(host: Host) -> None:
    in_initialization_mode(host)
    gosmp.write(host.fmu, CONFIG, b"\xff" * 20)
    assert host.status(host.fmu.exitInitializationMode) == ERROR
    one_problem(host.log, ERROR, CONFIG, "20 bytes")


def test_mounting_position_from_parameter_then_configuration_then_sensor_view(new_host: Callable[..., Host]) -> None:
    view, config = sensorviews.sensor_view().SerializeToString(), sensorviews.configuration()
    found = []
    for values, answer in (({"mounting.x": 1.0}, config), ({}, config), ({}, b"")):
        host = in_initialization_mode(new_host(), values)
        gosmp.write(host.fmu, CONFIG, answer)
        host.fmu.exitInitializationMode()
        connected(host, view)
        found.append(host.message().mounting_position.position.x)
    assert found == [1.0, 2.5, 3.5]


def test_the_request_cannot_be_set_and_the_configuration_not_after_initialization(host: Host) -> None:
    with pytest.raises(gosmp.Error, match="calculatedParameter"):
        gosmp.write(host.fmu, CONFIG_REQUEST, b"x")
    host.initialize()
    with pytest.raises(FMICallException) as refused:
        gosmp.write(host.fmu, CONFIG, sensorviews.configuration())
    assert refused.value.status == ERROR
