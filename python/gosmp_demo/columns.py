"""The columns of the CSV file that are made from the decoded SensorData."""

from __future__ import annotations

from typing import Any

#: Name -> path of the field. Unset fields leave the cell empty.
_FIELDS = {
    **{
        f"osi.acceleration.{axis}": f"sensor_view.host_vehicle_data.vehicle_motion.acceleration.{axis}"
        for axis in "xyz"
    },
    **{f"osi.velocity.{axis}": f"host_vehicle_location.velocity.{axis}" for axis in "xyz"},
    **{f"osi.position.{axis}": f"host_vehicle_location.position.{axis}" for axis in "xyz"},
    "osi.yaw": "host_vehicle_location.orientation.yaw",
    **{
        f"osi.{a}": f"sensor_view.host_vehicle_data.vehicle_localization.geodetic_position.{a}"
        for a in ("latitude", "longitude", "altitude")
    },
    "osi.pressure": "sensor_view.global_ground_truth.environmental_conditions.atmospheric_pressure",
    "osi.temperature": "sensor_view.global_ground_truth.environmental_conditions.temperature",
}

#: All of them, in the order of the file.
COLUMNS = ("osi.bytes", "osi.timestamp", "osi.last_measurement_time", *_FIELDS, "osi.moving_objects")


def row(message: Any) -> dict[str, Any]:
    """The columns of one message."""
    cells: dict[str, Any] = {"osi.moving_objects": len(message.moving_object)}
    for name in ("timestamp", "last_measurement_time"):
        if message.HasField(name):
            stamp = getattr(message, name)
            cells[f"osi.{name}"] = f"{stamp.seconds}.{stamp.nanos:09d}"  # exact, as text
    for column, path in _FIELDS.items():
        value = _dig(message, path)
        if value is not None:
            cells[column] = value
    return cells


def _dig(message: Any, path: str) -> Any:
    """The field at a dotted path, or None if part of the path is unset. For a repeated field, the
    first element."""
    for name in path.split("."):
        if message.DESCRIPTOR.fields_by_name[name].is_repeated:
            elements = getattr(message, name)
            if not elements:
                return None
            message = elements[0]
        elif message.HasField(name):
            message = getattr(message, name)
        else:
            return None
    return message
