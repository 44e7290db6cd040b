"""The rule checker must be able to fail: it has to find the violations in bad messages."""

from __future__ import annotations

import pytest
from google.protobuf import descriptor_pb2
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensordata_pb2 import SensorData

from osi_rules import Rules


def valid_sensor_data() -> SensorData:
    """The smallest SensorData without violations."""
    message = SensorData()
    message.version.version_major = 3
    message.timestamp.seconds = 1
    message.sensor_id.value = 7
    message.mounting_position.position.x = 1
    return message


def valid_ground_truth() -> GroundTruth:
    """A host vehicle and nothing else."""
    truth = GroundTruth()
    truth.version.version_major = 3
    truth.timestamp.nanos = 5
    truth.host_vehicle_id.value = 1
    car = truth.moving_object.add()
    car.id.value = 1
    car.type = MovingObject.TYPE_VEHICLE
    car.vehicle_attributes.SetInParent()
    car.vehicle_classification.SetInParent()
    return truth


def test_the_rules_of_osi_3_8_0_are_there(rules: Rules) -> None:
    assert len(rules) > 200
    assert "is_set" in rules.by_field["osi3.SensorData.sensor_id"]


def test_valid_messages_pass(rules: Rules) -> None:
    assert rules.violations(valid_sensor_data()) == []
    assert rules.violations(valid_ground_truth()) == []


@pytest.mark.parametrize("field", ["version", "timestamp", "sensor_id", "mounting_position"])
def test_is_set(rules: Rules, field: str) -> None:
    message = valid_sensor_data()
    message.ClearField(field)
    assert [text for text in rules.violations(message) if f"SensorData.{field} is not set" in text]


def test_ranges(rules: Rules) -> None:
    message = valid_sensor_data()
    message.timestamp.nanos = 1_000_000_000
    assert len(rules.violations(message)) == 1
    truth = valid_ground_truth()
    truth.environmental_conditions.atmospheric_pressure = 79_999
    truth.environmental_conditions.temperature = 341
    truth.environmental_conditions.time_of_day.seconds_since_midnight = 86_400
    assert len(rules.violations(truth)) == 3


def test_conditions(rules: Rules) -> None:
    truth = valid_ground_truth()
    truth.moving_object[0].ClearField("vehicle_attributes")
    assert ["vehicle_attributes" in text for text in rules.violations(truth)] == [True]
    truth.moving_object[0].type = MovingObject.TYPE_ANIMAL
    truth.moving_object[0].ClearField("vehicle_classification")
    assert rules.violations(truth) == []


def test_references_and_unique_ids(rules: Rules) -> None:
    truth = valid_ground_truth()
    truth.host_vehicle_id.value = 2
    assert ["names no MovingObject" in text for text in rules.violations(truth)] == [True]
    truth.host_vehicle_id.value = 1
    truth.stationary_object.add().id.value = 1
    assert ["is also the id" in text for text in rules.violations(truth)] == [True]


def test_the_same_id_in_two_ground_truths_is_fine(rules: Rules) -> None:
    message = valid_sensor_data()
    for _ in range(2):
        view = message.sensor_view.add()
        view.version.CopyFrom(message.version)
        view.timestamp.CopyFrom(message.timestamp)
        view.sensor_id.CopyFrom(message.sensor_id)
        view.mounting_position.CopyFrom(message.mounting_position)
        view.host_vehicle_id.value = 1
        view.global_ground_truth.CopyFrom(valid_ground_truth())
    assert rules.violations(message) == []


def test_an_unknown_rule_is_no_silent_pass() -> None:
    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name="x.proto", package="osi3")
    file.message_type.add(name="SensorData").field.add(name="version")
    file.source_code_info.location.add(path=[4, 0, 2, 0], leading_comments="\\rules\nis_beautiful\n\\endrules")
    with pytest.raises(AssertionError, match="is_beautiful"):
        Rules.of(files).violations(valid_sensor_data())
