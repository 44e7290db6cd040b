"""fmi2GetFMUstate and the five related functions: a restored instance continues exactly as the first one did.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from ctypes import byref
from pathlib import Path

import fmpy
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import fmi2FMUstate

import gosmp
import sensorviews
from host import (
    CONFIG,
    CONFIG_REQUEST,
    ERROR,
    OK,
    SENSOR_VIEW_IN,
    Host,
    one_problem,
    trace,
)
from recordings import LOOPING, SIX_SENSORS, thermometer

Scenario = Callable[..., str]


def test_a_restored_instance_repeats_its_outputs(host: Host) -> None:
    host.initialize()
    host.steps(7)
    state, now = host.fmu.getFMUstate(), host.now_ns
    first = trace(host, 40)
    for _ in range(3):  # the same state may be used repeatedly
        host.fmu.setFMUstate(state)
        host.now_ns = now
        assert trace(host, 40) == first
    host.fmu.freeFMUstate(state)
    assert host.problems() == []


@pytest.mark.parametrize("text", [LOOPING, SIX_SENSORS, "\ufeff" + thermometer(30, 7).replace("\n", "\r\n")])
@pytest.mark.parametrize("at", [0, 1, 3, 9])
def test_every_moment_of_a_scenario_can_be_restored(host: Host, scenario: Scenario, text: str, at: int) -> None:
    host.initialize({"replay.scenarioFile": scenario(text)})
    host.steps(at)
    state, before, raw, now = host.fmu.getFMUstate(), host.outputs(), host.raw(), host.now_ns
    first = trace(host, 15)
    host.fmu.setFMUstate(state)
    assert (host.outputs(), host.raw()) == (before, raw)
    host.now_ns = now
    assert trace(host, 15) == first
    host.fmu.freeFMUstate(state)


def test_a_state_brings_back_the_future_after_terminate(host: Host) -> None:
    host.initialize()
    host.steps(5)
    state, now = host.fmu.getFMUstate(), host.now_ns
    first = trace(host, 10)
    host.fmu.terminate()
    host.fmu.setFMUstate(state)
    host.now_ns = now
    assert trace(host, 10) == first
    host.fmu.freeFMUstate(state)
    host.fmu.terminate()


def test_a_state_brings_an_instance_back_from_an_error(host: Host) -> None:
    host.initialize()
    host.steps(5)
    state, now = host.fmu.getFMUstate(), host.now_ns
    first = trace(host, 5)
    assert host.step(-1.0) == ERROR
    host.fmu.setFMUstate(state)
    host.now_ns = now
    assert trace(host, 5) == first
    host.fmu.freeFMUstate(state)


def test_a_state_survives_reset_and_other_parameters(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario(SIX_SENSORS), "sensorId": 5})
    host.steps(2)
    state, now = host.fmu.getFMUstate(), host.now_ns
    first = trace(host, 6)
    host.fmu.reset()
    host.initialize({"replay.scenarioFile": scenario(LOOPING, "other.csv"), "sensorId": 6})
    host.steps(3)
    host.fmu.setFMUstate(state)
    host.now_ns = now
    assert host.get("sensorId") == 5
    assert trace(host, 6) == first
    host.fmu.freeFMUstate(state)


def test_a_state_taken_in_initialization_mode(host: Host, scenario: Scenario) -> None:
    host.set({"replay.scenarioFile": scenario(SIX_SENSORS)})
    host.fmu.setupExperiment(startTime=0.0)
    host.fmu.enterInitializationMode()
    state = host.fmu.getFMUstate()
    host.fmu.exitInitializationMode()
    first = trace(host, 5)
    host.fmu.setFMUstate(state)
    host.fmu.exitInitializationMode()
    host.now_ns = 0
    assert trace(host, 5) == first
    host.fmu.freeFMUstate(state)


def test_an_object_that_is_reused_takes_the_new_state(host: Host) -> None:
    host.initialize()
    state = host.fmu.getFMUstate()
    host.steps(4)
    address, now = state.value, host.now_ns
    host.fmu.fmi2GetFMUstate(host.fmu.component, byref(state))
    assert state.value == address
    first = trace(host, 5)
    host.fmu.setFMUstate(state)
    host.now_ns = now
    assert trace(host, 5) == first
    host.fmu.freeFMUstate(state)


def test_freeing_sets_the_pointer_to_null_and_null_can_be_freed(host: Host) -> None:
    state = host.fmu.getFMUstate()
    host.fmu.freeFMUstate(state)
    assert state.value is None
    host.fmu.freeFMUstate(state)
    assert host.problems() == []


def test_D7_restoring_brings_the_bytes_back_to_their_address(host: Host) -> None:
    host.initialize()
    host.steps(3)
    lo, hi, size = host.triple()
    data, address = host.raw(), gosmp.join(lo, hi)
    state = host.fmu.getFMUstate()
    host.steps(5)
    host.fmu.setFMUstate(state)
    assert host.triple() == (lo, hi, size)
    assert ctypes.string_at(address, size) == data
    host.fmu.freeFMUstate(state)


def test_serialized_in_one_instance_and_restored_in_another(new_host: Callable[..., Host], scenario: Scenario) -> None:
    first, second = new_host("first"), new_host("second")
    first.initialize({"replay.scenarioFile": scenario(SIX_SENSORS), "mounting.x": 2.0})
    first.steps(3)
    state = first.fmu.getFMUstate()
    data = first.fmu.serializeFMUstate(state)
    first.fmu.freeFMUstate(state)
    status, other = second.deserialize(data)
    assert status == OK
    second.fmu.setFMUstate(other)
    second.fmu.freeFMUstate(other)
    second.now_ns = first.now_ns
    assert second.outputs() == first.outputs()
    assert second.raw() == first.raw()
    assert trace(second, 10) == trace(first, 10)


def test_equal_states_are_equal_bytes(host: Host) -> None:
    host.initialize()
    host.steps(3)
    a, b = host.fmu.getFMUstate(), host.fmu.getFMUstate()
    data = host.fmu.serializeFMUstate(a)
    assert host.fmu.serializeFMUstate(b) == data
    status, c = host.deserialize(data)
    assert status == OK
    assert host.fmu.serializeFMUstate(c) == data
    for state in (a, b, c):
        host.fmu.freeFMUstate(state)


def test_states_stay_small_however_long_the_file_is(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario(thermometer(200_000, 1))})
    sizes = []
    for stop in (5.0, 100.0):
        host.run_to(stop, 0.1)
        state = host.fmu.getFMUstate()
        sizes.append(len(host.fmu.serializeFMUstate(state)))
        host.fmu.freeFMUstate(state)
    assert sizes[1] <= sizes[0] + 100, "it holds the place in the file and the events of the last step"
    assert sizes[1] < 20_000


@pytest.mark.parametrize("damage", ["empty", "one byte", "truncated", "longer", "flipped", "random"])
def test_damaged_states_are_refused_with_one_line(host: Host, damage: str) -> None:
    host.initialize()
    host.steps(2)
    state = host.fmu.getFMUstate()
    good = host.fmu.serializeFMUstate(state)
    dice = random.Random(5)
    flipped = bytearray(good)
    flipped[len(good) // 2] ^= 0x10
    bad = {
        "empty": b"",
        "one byte": good[:1],
        "truncated": good[:-1],
        "longer": good + b"\0",
        "flipped": bytes(flipped),
        "random": dice.randbytes(len(good)),
    }[damage]
    status, _ = host.deserialize(bad)
    assert status == ERROR
    one_problem(host.log, ERROR, "fmi2DeSerializeFMUstate")
    host.fmu.setFMUstate(state)
    host.steps(3)
    host.fmu.freeFMUstate(state)


def test_a_buffer_that_is_too_small_is_refused(host: Host) -> None:
    host.initialize()
    state = host.fmu.getFMUstate()
    size = len(host.fmu.serializeFMUstate(state))
    buffer = ctypes.create_string_buffer(b"\xee" * size, size)
    assert host.status(host.fmu.fmi2SerializeFMUstate, host.fmu.component, state, buffer, size - 1) == ERROR
    assert buffer.raw == b"\xee" * size, "nothing was written"
    one_problem(host.log, ERROR, str(size))
    host.fmu.freeFMUstate(state)


@pytest.mark.parametrize("value", [1, 0xDEADBEEF])
def test_a_state_that_is_none_is_refused(host: Host, value: int) -> None:
    host.initialize()
    assert host.status(host.fmu.setFMUstate, fmi2FMUstate(value)) == ERROR
    one_problem(host.log, ERROR, "fmi2SetFMUstate")


def test_a_state_of_a_changed_scenario_is_refused(new_host: Callable[..., Host], scenario: Scenario) -> None:
    path = scenario(thermometer(50))
    first = new_host("first").initialize({"replay.scenarioFile": path})
    first.steps(5)
    state = first.fmu.getFMUstate()
    data = first.fmu.serializeFMUstate(state)
    first.fmu.freeFMUstate(state)
    Path(path).write_text(thermometer(40, 11))
    second = new_host("second")
    status, other = second.deserialize(data)
    assert status == OK
    with pytest.raises(FMICallException):
        second.fmu.setFMUstate(other)
    one_problem(second.log, ERROR, path)
    second.fmu.freeFMUstate(other)


def test_a_connected_sensor_view_belongs_to_the_state(host: Host) -> None:
    host.initialize({"replay.enabled": False})
    view = sensorviews.sensor_view().SerializeToString()
    gosmp.write(host.fmu, SENSOR_VIEW_IN, view)
    state, now = host.fmu.getFMUstate(), host.now_ns
    host.steps(1)
    first = host.raw()
    host.fmu.setFMUstate(state)
    host.now_ns = now
    host.steps(1)
    assert host.raw() == first
    assert sensorviews.payloads(first, 8) == [view]
    host.fmu.freeFMUstate(state)


def test_the_agreed_configuration_belongs_to_the_state(new_host: Callable[..., Host]) -> None:
    first, second = new_host("first"), new_host("second")
    config = sensorviews.configuration().SerializeToString()
    gosmp.write(first.fmu, CONFIG, config)
    first.initialize()
    first.steps(1)
    state = first.fmu.getFMUstate()
    status, other = second.deserialize(first.fmu.serializeFMUstate(state))
    assert status == OK
    second.fmu.setFMUstate(other)
    first.free()
    assert gosmp.read(second.fmu, CONFIG_REQUEST) == config
    second.now_ns = 20_000_000
    second.steps(1)
    assert second.message().mounting_position.position.x == 2.5
    second.fmu.freeFMUstate(other)


def test_fmpy_continues_from_a_serialized_state(fmu_file: Path, host: Host) -> None:
    whole = fmpy.simulate_fmu(str(fmu_file), stop_time=2.0)
    host.initialize(stop=2.0)
    host.run_to(1.0)
    state = host.fmu.getFMUstate()
    data = host.fmu.serializeFMUstate(state)
    host.fmu.freeFMUstate(state)
    rest = fmpy.simulate_fmu(str(fmu_file), start_time=1.0, stop_time=2.0, fmu_state=data)
    assert len(rest) == 51
    names = [n for n in whole.dtype.names if not n.endswith((".base.lo", ".base.hi"))]
    for name in names[1:]:
        assert list(rest[name]) == list(whole[name][-51:]), name


def test_reset_is_as_if_freshly_instantiated(new_host: Callable[..., Host], scenario: Scenario) -> None:
    fresh, used = new_host("fresh"), new_host("used")
    used.initialize({"replay.scenarioFile": scenario(LOOPING), "sensorId": 9, "nominalrange": 1.0})
    for _ in range(10):
        gosmp.write(used.fmu, SENSOR_VIEW_IN, sensorviews.sensor_view())
        used.steps(1)
    used.fmu.reset()
    for host in (fresh, used):
        host.initialize()
    for name in fresh.names("parameter") + fresh.names("input"):
        assert used.get(name) == fresh.get(name), name
    assert used.outputs() == fresh.outputs()
    assert trace(used, 30) == trace(fresh, 30)
    assert used.problems() == []
