"""A chain of FMUs in FMPy: source, fog, two sensors, fusion, connected only by the three integers
of each binary variable.

With forward, each FMU steps after its sources and reads their output of the same step; with
backward it steps before them and reads their output of the previous step, so that the source is
three steps away from the fusion.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fmpy
import numpy
import pytest
from fmpy.fmi2 import FMU2Slave
from osi3.osi_detectedobject_pb2 import DetectedItemHeader
from osi3.osi_sensordata_pb2 import DetectedEntityHeader, SensorData
from osi3.osi_sensorview_pb2 import SensorView

import gosmp
from host import OK, SENSOR_DATA_OUT, SENSOR_VIEW_IN, Host
from osi_rules import Rules

STEP_NS = 20_000_000
VIEW_OUT = "OSMPSensorViewOut"

PARTS = ("source", "fog", "front", "left", "fusion")
LINKS = (
    ("source", VIEW_OUT, "fog", SENSOR_VIEW_IN),
    ("fog", VIEW_OUT, "front", SENSOR_VIEW_IN),
    ("fog", VIEW_OUT, "left", SENSOR_VIEW_IN),
    ("front", SENSOR_DATA_OUT, "fusion", "OSMPSensorDataIn[1]"),
    ("left", SENSOR_DATA_OUT, "fusion", "OSMPSensorDataIn[2]"),
)
OUTPUTS = {**{sender: out for sender, out, _, _ in LINKS}, "fusion": SENSOR_DATA_OUT}
ORDERS = {"forward": PARTS, "backward": PARTS[::-1]}
DELAY = {"forward": 0, "backward": 3}  # steps from the source to the fusion

MEASURED = DetectedItemHeader.MEASUREMENT_STATE_MEASURED
PREDICTED = DetectedItemHeader.MEASUREMENT_STATE_PREDICTED

VISIBILITY = 60.0
REACH = 135 * 1.1
MOUNTS = {"front": (3.5, 0.0, 0.0, math.pi / 6), "left": (2.0, 0.75, 0.5, 1.0)}  # x, y, yaw, half angle of view
VALUES: dict[str, dict[str, Any]] = {
    "source": {"vehicles": 19, "gap": 30.0},
    "fog": {"visibility": VISIBILITY},
    **{
        name: {
            "replay.enabled": False,
            "sensorId": number,
            "mounting.x": x,
            "mounting.y": y,
            "mounting.yaw": yaw,
            "objects.halfAngle": half,
        }
        for number, (name, (x, y, yaw, half)) in enumerate(MOUNTS.items(), 1)
    },
    "fusion": {"sensorId": 7},
}


class Kept:
    """A message as its reader keeps it: its address, and its bytes when it was new."""

    def __init__(self, triple: tuple[int, int, int]) -> None:
        lo, hi, self.size = triple
        self.address = gosmp.join(lo, hi)
        self.bytes = self.look()

    def look(self) -> bytes:
        """The bytes at the address now."""
        return ctypes.string_at(self.address, self.size) if self.size else b""


class Chain:
    """The five instances, initialized."""

    def __init__(self, unpacked: Callable[[str], tuple[Path, Any]], order: str, **values: dict[str, Any]) -> None:
        self.order = ORDERS[order]
        self.hosts: dict[str, Host] = {}
        self.kept: dict[str, list[Kept]] = {name: [] for name in PARTS}
        self.intact = 0
        for name in PARTS:
            folder, description = unpacked("sensor" if name in MOUNTS else name)
            self.hosts[name] = Host(folder, description, name)
            self.hosts[name].initialize(VALUES[name] | values.get(name, {}))
        self.wires = [(a, self.references(a, out), b, self.references(b, into)) for a, out, b, into in LINKS]
        self.outputs = {name: self.references(name, OUTPUTS[name]) for name in PARTS}

    def references(self, name: str, prefix: str) -> list[int]:
        """The value references of a binary variable."""
        return [self.hosts[name].reference(f"{prefix}.{role}") for role in ("base.lo", "base.hi", "size")]

    def slave(self, name: str) -> FMU2Slave:
        """One instance as an FMPy object."""
        return self.hosts[name].fmu

    def step(self, unplugged: tuple[str, ...] = ()) -> None:
        """One step of all instances, in the order of the chain. The outputs of unplugged instances
        are not read."""
        for name in self.order:
            for sender, out, receiver, into in self.wires:
                if receiver == name:
                    integers = [0, 0, 0] if sender in unplugged else self.slave(sender).getInteger(out)
                    self.slave(receiver).setInteger(into, integers)
            self.check(name, keep=1)
            assert self.hosts[name].step() == OK, self.hosts[name].log
            self.kept[name].append(Kept(tuple(self.slave(name).getInteger(self.outputs[name]))))

    def check(self, name: str, keep: int = 0) -> None:
        """Checks the messages whose lifetime ends now: all but the newest ones."""
        while len(self.kept[name]) > keep:
            message = self.kept[name].pop(0)
            assert message.look() == message.bytes, f"{name} has changed a message before the second step after it"
            self.intact += bool(message.bytes)

    def newest(self, name: str) -> bytes:
        """The message of the newest step."""
        return self.kept[name][-1].bytes

    def truth(self) -> SensorView:
        """The current objects of the source."""
        return SensorView.FromString(self.newest("source"))

    def fused(self) -> SensorData:
        """The current objects of the fusion."""
        return SensorData.FromString(self.newest("fusion"))

    def free(self) -> None:
        """Frees all instances."""
        for host in self.hosts.values():
            host.free()


@pytest.fixture(scope="session")
def unpacked(
    folder: Path, description: Any, example_file: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[Path, Any]]:
    """The unpacked FMUs by name."""
    known = {"sensor": (folder, description)}

    def get(name: str) -> tuple[Path, Any]:
        if name not in known:
            file = str(example_file(name))
            place = Path(fmpy.extract(file, unzipdir=str(tmp_path_factory.mktemp("unpacked"))))
            known[name] = (place, fmpy.read_model_description(str(place)))
        return known[name]

    return get


@pytest.fixture
def chain(unpacked: Callable[[str], tuple[Path, Any]]) -> Iterator[Callable[..., Chain]]:
    """Creates chains."""
    chains: list[Chain] = []

    def make(order: str, **values: dict[str, Any]) -> Chain:
        chains.append(Chain(unpacked, order, **values))
        return chains[-1]

    yield make
    for made in chains:
        made.free()


def nanoseconds(stamp: Any) -> int:
    """A time stamp in nanoseconds."""
    return stamp.seconds * 10**9 + stamp.nanos


def vector(v: Any) -> numpy.ndarray:
    """A Vector3d."""
    return numpy.array([v.x, v.y, v.z])


def places(view: SensorView) -> dict[int, numpy.ndarray]:
    """All moving objects except the host vehicle by id, relative to the middle of its rear axle.
    The world is level."""
    objects = {o.id.value: o for o in view.global_ground_truth.moving_object}
    host = objects.pop(view.host_vehicle_id.value)
    yaw = host.base.orientation.yaw
    turn = numpy.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]])
    axle = vector(host.base.position) + turn @ vector(host.vehicle_attributes.bbcenter_to_rear)
    return {number: turn.T @ (vector(o.base.position) - axle) for number, o in objects.items()}


def half_diagonals(view: SensorView) -> dict[int, float]:
    """The distance from each box's centre to its corners."""
    sizes = {o.id.value: o.base.dimension for o in view.global_ground_truth.moving_object}
    return {number: math.hypot(d.length, d.width, d.height) / 2 for number, d in sizes.items()}


def sees(name: str, place: numpy.ndarray, margin: float) -> bool:
    """Whether a position is in a sensor's view in clear air; a margin in m makes the condition
    stricter."""
    x, y, yaw, half = MOUNTS[name]
    arm = place - [x, y, 0]
    distance = math.hypot(*arm)
    ahead = arm[0] * math.cos(yaw) + arm[1] * math.sin(yaw)
    aside = math.sqrt(max(0.0, distance**2 - ahead**2))
    return distance < REACH - margin and ahead * math.sin(half) - aside * math.cos(half) > margin


@pytest.mark.parametrize(("order", "tolerance"), [("forward", 1e-6), ("backward", 0.02)])
def test_D8_the_fused_objects_are_those_of_the_world(
    chain: Callable[..., Chain], order: str, tolerance: float, rules: Rules
) -> None:
    """The sensors have no noise, so a prompt chain is exact. A late one predicts over 60 ms; an
    apparent acceleration of 5 m/s2, as that of oncoming traffic in a bend, causes an error of 9
    mm."""
    run = chain(order)
    eye = VALUES["source"].get("mounting.x", 3.9)
    fogged = both = 0
    steps, delay = 300, DELAY[order]
    for k in range(steps):
        run.step()
        if k < delay:
            assert run.newest("fusion") == b"", "nothing has come through yet"
            continue
        view, fused = run.truth(), run.fused()
        now, half = places(view), half_diagonals(view)
        assert nanoseconds(fused.timestamp) == nanoseconds(view.timestamp) == (k + 1) * STEP_NS
        assert nanoseconds(fused.last_measurement_time) == (k + 1 - delay) * STEP_NS
        found = {}
        for item in fused.moving_object:
            (number,) = [i.value for i in item.header.ground_truth_id]
            assert number not in found, "no object is there twice"
            found[number] = vector(item.base.position)
            assert numpy.linalg.norm(found[number] - now[number]) < tolerance, (k, number)
            assert numpy.linalg.norm(now[number] - [eye, 0, 0]) < VISIBILITY + half[number] + 4, (k, number)
            assert item.header.measurement_state == (PREDICTED if delay else MEASURED)
            both += len(item.header.sensor_id) == 2
        for number, place in now.items():
            visible = [name for name in MOUNTS if sees(name, place, 4)]  # in 60 ms the relative motion is 3 m
            if visible and numpy.linalg.norm(place - [eye, 0, 0]) < VISIBILITY - 4:
                assert number in found, (k, number, place)
            elif visible and numpy.linalg.norm(place - [eye, 0, 0]) > VISIBILITY + half[number] + 4:
                assert number not in found
                fogged += 1
        if k % 50 == 49:
            assert rules.violations(fused) == []
    assert both > steps
    assert fogged > 20, "something that only the fog hides"
    for name in PARTS:
        run.check(name)
        assert run.hosts[name].problems() == []
    missing = {"forward": 0, "backward": 1 + 2 + 2 + 3}[order]
    assert run.intact == len(PARTS) * steps - missing


def test_in_clear_air_the_far_objects_are_there(chain: Callable[..., Chain]) -> None:
    clear = chain("forward", fog={"visibility": 1e6})
    far = 0
    for _ in range(100):
        clear.step()
        now = places(clear.truth())
        found = {i.value for item in clear.fused().moving_object for i in item.header.ground_truth_id}
        assert found >= {number for number, place in now.items() if any(sees(name, place, 0.1) for name in MOUNTS)}
        far += sum(numpy.linalg.norm(now[number]) > VISIBILITY + 15 for number in found)
    assert far > 100


def test_an_unplugged_sensor_leaves_the_other_one(chain: Callable[..., Chain]) -> None:
    run = chain("forward")
    for _ in range(10):
        run.step()
    before = {i.header.ground_truth_id[0].value: i.header.tracking_id.value for i in run.fused().moving_object}
    run.step(unplugged=("front",))
    fused, now = run.fused(), places(run.truth())
    left = SensorData.FromString(run.newest("left"))
    assert len(fused.moving_object) == len(left.moving_object) > 0
    assert fused.moving_object_header.data_qualifier == DetectedEntityHeader.DATA_QUALIFIER_AVAILABLE_REDUCED
    for item in fused.moving_object:
        number = item.header.ground_truth_id[0].value
        assert [i.value for i in item.header.sensor_id] == [2]
        assert item.header.tracking_id.value == before[number]
        assert numpy.linalg.norm(vector(item.base.position) - now[number]) < 1e-6
    run.step(unplugged=("front", "left"))
    assert run.newest("fusion") == b""
    assert run.hosts["fusion"].get("valid") is False
    run.step()
    after = {i.header.ground_truth_id[0].value: i.header.tracking_id.value for i in run.fused().moving_object}
    assert after.items() >= {n: t for n, t in before.items() if n in after}.items()
    assert len(after) == len(before)


def test_both_orders_are_one_chain_but_for_the_delay(chain: Callable[..., Chain]) -> None:
    noise = {name: {"objects.positionNoise": 0.2, "objects.seed": seed} for seed, name in enumerate(MOUNTS)}
    prompt, late = chain("forward", **noise), chain("backward", **noise)
    history: list[SensorData] = []
    for k in range(100):
        prompt.step()
        late.step()
        history.append(prompt.fused())
        if k < DELAY["backward"]:
            continue
        was, now = history[k - 3], late.fused()
        assert [i.header.tracking_id.value for i in was.moving_object] == [
            i.header.tracking_id.value for i in now.moving_object
        ]
        for before, after in zip(was.moving_object, now.moving_object, strict=True):
            moved = vector(before.base.position) + vector(before.base.velocity) * 3 * STEP_NS / 1e9
            assert numpy.allclose(vector(after.base.position), moved, rtol=0, atol=1e-9)
