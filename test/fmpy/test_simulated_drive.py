"""A drive of the mock simulator, recorded as the six sensors of the host vehicle and replayed by
OSMPDummySensor.fmu, matches the truth that the same run writes as OSI messages."""

from __future__ import annotations

import math
import struct
import subprocess
from pathlib import Path

import fmpy
import numpy as np
from osi3.osi_sensorview_pb2 import SensorView

from conftest import ROOT

STEP = 0.02
STOP = 20.0


def views(path: Path) -> list[SensorView]:
    found, data = [], path.read_bytes()
    while data:
        (size,) = struct.unpack_from("<I", data)
        found.append(SensorView.FromString(data[4 : 4 + size]))
        data = data[4 + size :]
    return found


def radii(latitude: float) -> tuple[float, float]:
    """The radii of curvature of WGS 84 along a meridian and across it."""
    a, e2 = 6378137.0, 0.00669437999014
    w = math.sqrt(1 - e2 * math.sin(latitude) ** 2)
    return a * (1 - e2) / w**3, a / w


def test_simulated_drive_meets_the_truth(fmu_file: Path, program: Path, tmp_path: Path) -> None:
    trace, recording = tmp_path / "views.osi", tmp_path / "ego.csv"
    town = ROOT / "examples" / "maps" / "motorway.xodr"
    command = [str(program), "simulate", str(town), "--actors", "8", "--duration", str(STOP), "--trace", str(trace)]
    done = subprocess.run([*command, "--recording", str(recording)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    truth = []
    for view in views(trace):
        host = view.host_vehicle_id.value
        (ego,) = (o for o in view.global_ground_truth.moving_object if o.id.value == host)
        truth.append(ego.base)
    outputs = ["gps.latitude", "gps.longitude", "gps.groundSpeed", "gps.heading", "gps.time"]
    outputs += ["accelerometer.x", "accelerometer.y", "accelerometer.z", "gyroscope.z", "replay.rejectedRows"]
    result = fmpy.simulate_fmu(
        str(fmu_file),
        stop_time=STOP,
        output_interval=STEP,
        start_values={"replay.scenarioFile": str(recording), "replay.timeUnit": "ms", "replay.loop": False},
        output=outputs,
    )
    assert result["replay.rejectedRows"][-1] == 0
    compared = 0
    first: tuple[float, ...] | None = None
    for row in result:
        at = round(row["time"] / STEP)
        if at < 1 or at >= len(truth) or abs(row["gps.time"] - row["time"]) > 1e-6:
            continue  # no GPS row at this time
        base = truth[at - 1]
        latitude, longitude = math.radians(row["gps.latitude"]), math.radians(row["gps.longitude"])
        if first is None:
            first = (latitude, longitude, base.position.x, base.position.y)
        along, across = radii((latitude + first[0]) / 2)
        north = (latitude - first[0]) * along
        east = (longitude - first[1]) * across * math.cos((latitude + first[0]) / 2)
        assert abs(math.hypot(north, east) - math.hypot(base.position.x - first[2], base.position.y - first[3])) < 0.05
        assert abs(row["gps.groundSpeed"] - math.hypot(base.velocity.x, base.velocity.y)) < 2e-3
        turn = row["gps.heading"] - (math.pi / 2 - base.orientation.yaw)
        assert abs(math.remainder(turn, 2 * math.pi)) < 0.02  # includes the convergence of the map
        sin, cos = math.sin(base.orientation.yaw), math.cos(base.orientation.yaw)
        assert abs(row["accelerometer.x"] - (base.acceleration.x * cos + base.acceleration.y * sin)) < 2e-3
        assert abs(row["accelerometer.y"] - (base.acceleration.x * sin - base.acceleration.y * cos)) < 2e-3
        assert abs(row["accelerometer.z"] + 9.80665) < 2e-3
        assert abs(row["gyroscope.z"] + base.orientation_rate.yaw) < 2e-3
        compared += 1
    assert compared >= STOP / 0.2 - 2
    assert np.ptp(result["gps.groundSpeed"]) > 1  # the vehicle has moved
