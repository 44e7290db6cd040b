"""SensorViews and configurations as sent by a host, built with osi-python."""

from __future__ import annotations

from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensorview_pb2 import SensorView
from osi3.osi_sensorviewconfiguration_pb2 import SensorViewConfiguration

#: A field that OSI does not have (number 5000, length-delimited): code that decodes and re-encodes
#: a message is likely to drop or move it.
UNKNOWN_FIELD = b"\xc2\xb8\x02\x05extra"


def sensor_view(time_ns: int = 0, objects: int = 3) -> SensorView:
    """A host vehicle and some cars in a row before it."""
    view = SensorView()
    _stamp(view, time_ns)
    view.sensor_id.value = 42
    view.mounting_position.position.x = 3.5
    view.mounting_position.orientation.yaw = 0.125
    view.host_vehicle_id.value = 100
    truth = view.global_ground_truth
    _stamp(truth, time_ns)
    truth.host_vehicle_id.value = 100
    for k in range(objects + 1):
        car = truth.moving_object.add()
        car.id.value = 100 + k
        car.type = MovingObject.TYPE_VEHICLE
        car.base.position.x = 20.0 * k
        car.base.dimension.length, car.base.dimension.width, car.base.dimension.height = 4.5, 1.8, 1.5
        for motion in (car.base.velocity, car.base.acceleration):
            motion.x = motion.y = motion.z = 0
        for angles in (car.base.orientation, car.base.orientation_rate, car.base.orientation_acceleration):
            angles.roll = angles.pitch = angles.yaw = 0
        car.vehicle_attributes.bbcenter_to_rear.x = -1.4
        car.vehicle_classification.type = MovingObject.VehicleClassification.TYPE_MEDIUM_CAR
    return view


def _stamp(message, time_ns: int) -> None:
    message.version.version_major, message.version.version_minor = 3, 8
    message.version.version_patch = 0
    message.timestamp.seconds, message.timestamp.nanos = divmod(time_ns, 10**9)


def configuration(x: float = 2.5) -> SensorViewConfiguration:
    """An answer to the sensor's request: with another range and mounting position than
    requested."""
    config = SensorViewConfiguration()
    config.version.version_major, config.version.version_minor = 3, 8
    config.sensor_id.value = 42
    config.mounting_position.position.x = x
    config.mounting_position.orientation.yaw = -0.5
    config.range = 77
    return config


def wire_fields(data: bytes) -> list[tuple[int, bytes | int]]:
    """The top-level fields of an encoded message, undecoded: an int for wire type 0, bytes for all
    others."""
    fields: list[tuple[int, bytes | int]] = []
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        number, kind = divmod(varint(), 8)
        if kind == 0:
            fields.append((number, varint()))
            continue
        length = {1: 8, 5: 4}[kind] if kind != 2 else varint()
        assert at + length <= len(data), f"field {number} is truncated"
        fields.append((number, data[at : at + length]))
        at += length
    return fields


def payloads(data: bytes, number: int) -> list[bytes | int]:
    """All values of one field of an encoded message."""
    return [value for found, value in wire_fields(data) if found == number]
