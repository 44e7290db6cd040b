"""The SensorData: decoded by osi-python and compared with the scenario and OSI's own rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import fmpy
import pytest
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensordata_pb2 import SensorData

import gosmp
from host import Host
from osi_rules import Rules
from recordings import SIX_SENSORS, thermometer

Scenario = Callable[..., str]
G = 9.80665


def ns(stamp: Any) -> int:
    """A Timestamp in nanoseconds."""
    return stamp.seconds * 10**9 + stamp.nanos


def xyz(vector: Any) -> tuple[float, float, float]:
    return vector.x, vector.y, vector.z


def near(*values: float) -> Any:
    return pytest.approx(values, rel=1e-9, abs=1e-9)


@pytest.fixture
def sensor(host: Host, scenario: Scenario) -> Host:
    """An instance that has read all six sensors, at 0.1 s."""
    host.initialize({"replay.scenarioFile": scenario(SIX_SENSORS)})
    host.run_to(0.1)
    return host


def motion(message: SensorData) -> Any:
    return message.sensor_view[0].host_vehicle_data.vehicle_motion


def test_A2_D5_version_is_that_of_the_model_description(sensor: Host) -> None:
    message = sensor.message()
    for version in (
        message.version,
        message.sensor_view[0].version,
        message.sensor_view[0].global_ground_truth.version,
    ):
        assert (version.version_major, version.version_minor, version.version_patch) == (3, 8, 0)


@pytest.mark.parametrize("size", [0.02, 0.1, 0.001, 1 / 3])
def test_timestamp_is_the_end_of_the_step_to_the_nanosecond(host: Host, size: float) -> None:
    host.initialize()
    for k in range(200):
        host.fmu.doStep(currentCommunicationPoint=k * size, communicationStepSize=size)
        message = host.message()
        expected = round(k * size * 1e9 + size * 1e9) if size != 1 / 3 else None
        found = ns(message.timestamp)
        assert message.timestamp.nanos < 10**9
        assert found == expected or expected is None and abs(found - (k + 1) * size * 1e9) <= 1
        assert ns(message.sensor_view[0].timestamp) == found


def test_timestamp_counts_from_the_start_time_given(host: Host) -> None:
    host.initialize(start=1_000_000.0)
    host.steps(3)
    assert ns(host.message().timestamp) == 1_000_000_060_000_000


def test_D6_valid_and_count_agree_with_the_message(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario(SIX_SENSORS), "replay.startDelay": 0.05})
    for _ in range(10):
        host.steps(1)
        data = host.raw()
        assert host.get("valid") == bool(data)
        assert host.get("count") == (len(SensorData.FromString(data).moving_object) if data else 0)


def test_every_message_obeys_osis_own_rules(host: Host, rules: Rules) -> None:
    host.initialize()
    for _ in range(150):
        host.steps(1, 0.4)
        assert rules.violations(host.message()) == []


@pytest.mark.parametrize("kind", [1, 2, 4, 8, 16, 32])
def test_osis_rules_hold_with_one_sensor_alone(host: Host, scenario: Scenario, rules: Rules, kind: int) -> None:
    rows = [line for line in SIX_SENSORS.splitlines() if line.startswith(f"{kind},")]
    host.initialize({"replay.scenarioFile": scenario("\n".join([*rows, "0", ""]))})
    host.steps(1)
    assert rules.violations(host.message()) == []


def test_nothing_but_known_fields(sensor: Host) -> None:
    """An encoder with a wrong field number would be detected here."""

    def unknown(message: Any) -> Iterable[str]:
        copy = type(message)()
        copy.CopyFrom(message)
        copy.DiscardUnknownFields()
        if copy.ByteSize() != message.ByteSize():
            yield message.DESCRIPTOR.full_name

    assert list(unknown(sensor.message())) == []
    assert sensor.message().SerializeToString(deterministic=True) == sensor.raw(), (
        "canonical order, nothing written twice"
    )


def test_sensor_id_and_mounting_position(host: Host, scenario: Scenario) -> None:
    mounting = dict(zip(("x", "y", "z", "roll", "pitch", "yaw"), (1.5, -0.25, 0.75, 0.01, -0.02, 0.03)))
    values = {f"mounting.{name}": value for name, value in mounting.items()}
    host.initialize({"replay.scenarioFile": scenario(SIX_SENSORS), "sensorId": 4711, **values})
    host.steps(1)
    message = host.message()
    for part in (message, message.sensor_view[0]):
        assert part.sensor_id.value == 4711
        found = part.mounting_position
        assert (*xyz(found.position), found.orientation.roll, found.orientation.pitch, found.orientation.yaw) == tuple(
            mounting.values()
        )


def test_unconnected_sensor_view_is_the_least_that_the_rules_ask_for(sensor: Host) -> None:
    message = sensor.message()
    assert len(message.sensor_view) == 1
    view = message.sensor_view[0]
    truth = view.global_ground_truth
    assert view.HasField("host_vehicle_id") and view.host_vehicle_id == truth.host_vehicle_id
    assert [m.id for m in truth.moving_object] == [view.host_vehicle_id]
    assert truth.moving_object[0].type == MovingObject.TYPE_VEHICLE
    assert ns(truth.timestamp) == ns(message.timestamp)
    assert view.host_vehicle_data.host_vehicle_id == view.host_vehicle_id
    assert len(message.moving_object) == 0


def test_vehicle_motion_is_forward_left_up_without_gravity(sensor: Host) -> None:
    found = motion(sensor.message())
    # Newest rows: accelerometer 500, 600, -9600 mm/s2 and gyroscope 11, -21, 31 mrad/s, both
    # forward-right-down.
    assert xyz(found.acceleration) == near(0.5, -0.6, 9.6 - G)
    rate = found.orientation_rate
    assert (rate.roll, rate.pitch, rate.yaw) == near(0.011, 0.021, -0.031)


def test_gravity_can_be_left_in(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario(SIX_SENSORS), "imu.gravityCompensation": False})
    host.run_to(0.1)
    assert xyz(motion(host.message()).acceleration) == near(0.5, -0.6, 9.6)


def test_axes_can_be_forward_left_up(host: Host, scenario: Scenario) -> None:
    text = "1,0,100,200,9900\n8,0,1,2,3,0,0,0\n0\n"
    host.initialize({"replay.scenarioFile": scenario(text), "imu.axes": "FLU"})
    host.steps(1)
    found = motion(host.message())
    assert xyz(found.acceleration) == near(0.1, 0.2, 9.9 - G)
    assert (found.orientation_rate.roll, found.orientation_rate.pitch, found.orientation_rate.yaw) == near(
        1e-3, 2e-3, 3e-3
    )
    assert host.get("accelerometer.y") == pytest.approx(0.2), "plain outputs keep the file's axes"


def test_a_level_sensor_at_rest_reads_zero(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario("1,0,0,0,-9807\n0\n")})
    host.steps(1)
    assert xyz(motion(host.message()).acceleration) == pytest.approx((0, 0, 0), abs=1e-3)


def test_gps_becomes_position_velocity_yaw_and_accuracy(sensor: Host) -> None:
    message = sensor.message()
    place = message.sensor_view[0].host_vehicle_data.vehicle_localization
    geodetic = place.geodetic_position
    assert (geodetic.latitude, geodetic.longitude, geodetic.altitude) == near(52.300001, 13.400002, 95.5)
    location = message.host_vehicle_location
    # 0.000001 deg north, 0.000002 deg east and 0.5 m up of the first fix.
    north, east = math.radians(1e-6) * 6_371_000, math.radians(2e-6) * 6_371_000 * math.cos(math.radians(52.3))
    assert xyz(location.position) == pytest.approx((east, north, 0.5), rel=0.01)
    assert location.position == place.position
    assert xyz(location.velocity) == near(6.0, 0.0, 0.25)
    assert location.orientation.yaw == pytest.approx(math.pi / 2 - 1.571, abs=1e-12)
    accuracy = message.host_vehicle_location_rmse
    assert xyz(accuracy.position) == near(1.501, 1.501, 2.501)
    assert xyz(accuracy.velocity) == near(0.251, 0.251, 0.251)
    assert accuracy.orientation.yaw == pytest.approx(0.021)


def test_position_starts_at_the_first_fix(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario(SIX_SENSORS)})
    host.steps(1)
    assert xyz(host.message().host_vehicle_location.position) == pytest.approx((0, 0, 0), abs=1e-6)


def test_world_acceleration_is_the_vehicles_turned_by_the_yaw(sensor: Host) -> None:
    message = sensor.message()
    x, y, z = xyz(motion(message).acceleration)
    yaw = message.host_vehicle_location.orientation.yaw
    turned = x * math.cos(yaw) - y * math.sin(yaw), x * math.sin(yaw) + y * math.cos(yaw), z
    assert xyz(message.host_vehicle_location.acceleration) == pytest.approx(turned, abs=1e-9)


def test_air_goes_to_the_environmental_conditions(sensor: Host) -> None:
    found = sensor.message().sensor_view[0].global_ground_truth.environmental_conditions
    assert found.temperature == 288, "the thermometer wins over the barometer's own"
    # OSI defines the pressure at the height of the map's origin, half a metre below: about 6 Pa
    # more.
    assert found.atmospheric_pressure == pytest.approx(101300 + 6, abs=1)
    assert found.unix_timestamp == 1_700_000_000


def test_utc_becomes_system_time(sensor: Host) -> None:
    assert ns(sensor.message().system_time) == 1_700_000_000_223_456_000


def test_last_measurement_time_is_the_stamp_of_the_newest_row(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario(SIX_SENSORS)})
    found = []
    for _ in range(8):
        host.steps(1)
        found.append(ns(host.message().last_measurement_time) // 10**6)
    assert found == [10, 40, 60, 60, 100, 100, 100, 100]


def test_what_is_unknown_stays_unset(host: Host, scenario: Scenario) -> None:
    host.initialize({"replay.scenarioFile": scenario(thermometer(1))})
    host.steps(1)
    message = host.message()
    for name in ("host_vehicle_location", "host_vehicle_location_rmse", "system_time"):
        assert not message.HasField(name), name
    view = message.sensor_view[0]
    assert not view.host_vehicle_data.HasField("vehicle_motion")
    assert not view.host_vehicle_data.HasField("vehicle_localization")
    conditions = view.global_ground_truth.environmental_conditions
    assert conditions.temperature == 200
    assert not conditions.HasField("atmospheric_pressure") and not conditions.HasField("unix_timestamp")


def test_air_outside_osis_range_is_left_out(host: Host, scenario: Scenario, rules: Rules) -> None:
    host.initialize({"replay.scenarioFile": scenario("2,0,1000,20\n32,0,400\n0\n")})
    host.steps(1)
    assert rules.violations(host.message()) == []
    assert host.get("barometer.pressure") == 1000, "the plain output is lossless"


def test_a_heading_that_the_receiver_never_fills_in_is_no_yaw(host: Host, scenario: Scenario) -> None:
    row = "4,0,95000,52300000000,13400000000,0,140,216,131000,5000,5000,0,0,1500,2500,250,0,0,0,9,3\n"
    host.initialize({"replay.scenarioFile": scenario(row + "0\n")})
    host.steps(1)
    assert not host.message().host_vehicle_location.HasField("orientation")


def test_simulate_fmu_users_read_messages_in_step_finished(fmu_file: Path) -> None:
    times = []

    def finished(time: float, recorder: Any) -> bool:
        times.append((time, ns(gosmp.read(recorder, "OSMPSensorDataOut", decode=True).timestamp)))
        return True

    fmpy.simulate_fmu(str(fmu_file), stop_time=0.2, step_finished=finished)
    assert [round(t * 1e9) for t, _ in times] == [n for _, n in times]
    assert len(times) == 10
