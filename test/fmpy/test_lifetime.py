"""How long published bytes stay valid: OSMP 0.3.0, lifetime of SensorData outputs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import gosmp
import sensorviews
from host import ERROR, SENSOR_VIEW_IN, Host
from recordings import LOOPING


class Published:
    """A pointer as a consumer keeps it, with the bytes at the time of publication."""

    def __init__(self, host: Host) -> None:
        lo, hi, self.size = host.triple()
        self.address = gosmp.join(lo, hi)
        self.bytes = self.look()

    def look(self) -> bytes:
        """The bytes at the address now."""
        return ctypes.string_at(self.address, self.size)


def test_D7_a_pointer_keeps_its_bytes_through_the_next_step(host: Host) -> None:
    host.initialize()
    host.steps(1)
    for k in range(500):
        before = Published(host)
        # Sizes go up and down, so that one buffer grows while the other is live.
        view = sensorviews.sensor_view(host.now_ns, objects=k * 37 % 120) if k % 5 else b""
        gosmp.write(host.fmu, SENSOR_VIEW_IN, view)
        host.steps(1)
        assert before.look() == before.bytes
        after = Published(host)
        assert after.bytes != before.bytes and after.address != before.address


def test_D7_getters_change_nothing(host: Host) -> None:
    host.initialize()
    host.steps(1)
    before = Published(host)
    for _ in range(3):
        host.outputs()
        host.fmu.freeFMUstate(host.fmu.getFMUstate())
        now = Published(host)
        assert (now.address, now.size, now.bytes) == (before.address, before.size, before.bytes)


def test_D7_a_failed_step_leaves_both_pointers(host: Host) -> None:
    host.initialize()
    host.steps(1)
    first = Published(host)
    host.steps(1)
    second = Published(host)
    assert host.step(-1.0) == ERROR
    assert first.look() == first.bytes
    assert second.look() == second.bytes


def test_D7_a_step_without_data_publishes_zeros_and_leaves_the_pointer(host: Host) -> None:
    host.initialize({"replay.enabled": False})
    gosmp.write(host.fmu, SENSOR_VIEW_IN, sensorviews.sensor_view())
    host.steps(1)
    before = Published(host)
    gosmp.write(host.fmu, SENSOR_VIEW_IN, b"")
    host.steps(1)
    assert host.triple() == (0, 0, 0)
    assert host.get("valid") is False
    assert before.look() == before.bytes


def test_D7_terminate_and_reset_take_nothing_back(host: Host) -> None:
    host.initialize()
    host.steps(2)
    before = Published(host)
    host.fmu.terminate()
    assert host.triple()[2] == before.size, "outputs can still be read"
    assert before.look() == before.bytes
    host.fmu.reset()
    assert before.look() == before.bytes
    host.initialize()
    assert host.triple() == (0, 0, 0), "after a reset there is no message before the first step"
    assert before.look() == before.bytes


def test_D8_a_consumer_that_is_one_step_late_sees_the_right_bytes(new_host: Callable[..., Host], scenario) -> None:
    """A chain as in Simulink: the consumer gets the triple of the previous step, after the producer
    has made its next step."""
    producer = new_host("producer").initialize({"replay.scenarioFile": scenario(LOOPING)})
    stamps = []
    late = producer.triple()
    for _ in range(50):
        producer.steps(1)
        lo, hi, size = late
        if size:
            message = gosmp.message_class("SensorData").FromString(ctypes.string_at(gosmp.join(lo, hi), size))
            stamps.append(message.timestamp.nanos + message.timestamp.seconds * 10**9)
        late = producer.triple()
    assert stamps == [k * 20_000_000 for k in range(1, 50)]


def test_D8_two_of_our_sensors_in_a_chain_of_views(new_host: Callable[..., Host]) -> None:
    """Two instances with the same SensorView, stepped in either order, do not disturb each other's
    buffers."""
    a, b = new_host("a").initialize(), new_host("b").initialize()
    for k in range(30):
        view = sensorviews.sensor_view(a.now_ns, objects=k).SerializeToString()
        for host in (a, b) if k % 2 else (b, a):
            gosmp.write(host.fmu, SENSOR_VIEW_IN, view)
            host.steps(1)
        assert a.raw() == b.raw()
        assert a.triple() != b.triple()
