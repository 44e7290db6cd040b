"""The FMUs of examples/ in FMPy: verifies the numbers that their package comments state with an
independent computation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import fmpy
import numpy
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu
from osi3.osi_environment_pb2 import EnvironmentalConditions
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

import gosmp
from host import ERROR, OK, WARNING, Host, one_problem
from osi_rules import Rules
from sensorviews import UNKNOWN_FIELD, payloads, sensor_view

EXAMPLES = ("source", "fog", "fusion", "imu")
VIEW_IN, VIEW_OUT = "OSMPSensorViewIn", "OSMPSensorViewOut"
HIDING = {"visibility": 60.0}


class Example(NamedTuple):
    """A packed example."""

    file: Path
    folder: Path
    description: Any


@pytest.fixture(scope="session")
def example(
    example_file: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Example]:
    """Packs and unpacks an example."""
    packed: dict[str, Example] = {}

    def pack(name: str) -> Example:
        if name not in packed:
            file = example_file(name)
            folder = Path(fmpy.extract(str(file), unzipdir=str(tmp_path_factory.mktemp("unpacked"))))
            packed[name] = Example(file, folder, fmpy.read_model_description(str(folder)))
        return packed[name]

    return pack


@pytest.fixture
def instance(example: Callable[[str], Example]) -> Iterator[Callable[..., Host]]:
    """Creates instances of an example by its name."""
    hosts: list[Host] = []

    def make(name: str) -> Host:
        hosts.append(Host(example(name).folder, example(name).description, name))
        return hosts[-1]

    yield make
    for host in hosts:
        host.free()


def view_of(host: Host) -> SensorView:
    """The SensorView of the newest step, which must exist."""
    view = gosmp.read(host.fmu, VIEW_OUT, SensorView)
    assert view is not None, host.log
    return view


def stamp(message: Any) -> int:
    """The timestamp in nanoseconds."""
    return message.timestamp.seconds * 10**9 + message.timestamp.nanos


def everything(host: Host) -> tuple[dict[str, Any], dict[str, bytes]]:
    """All outputs and all messages."""
    binaries = [n for n, v in gosmp.variables(host.fmu).items() if v.causality == "output"]
    return host.outputs(), {name: gosmp.read(host.fmu, name) for name in binaries}


def drive(host: Host, count: int, size: float = 0.02) -> list[tuple[dict[str, Any], dict[str, bytes]]]:
    """Makes steps with an input that depends on time alone, and returns the results of each."""
    trace = []
    for _ in range(count):
        if VIEW_IN in gosmp.variables(host.fmu):
            gosmp.write(host.fmu, VIEW_IN, sensor_view(host.now_ns, objects=1 + host.now_ns // 10**7 % 7))
        for number in (1, 2):
            if (name := f"OSMPSensorDataIn[{number}]") in gosmp.variables(host.fmu):
                gosmp.write(host.fmu, name, sensor_data(host.now_ns, number))
        assert host.step(size) == OK, host.log
        trace.append(everything(host))
    return trace


def sensor_data(at_ns: int, sensor: int) -> SensorData:
    """A sensor's view of three objects that drive away at 5 m/s; the second sensor sees one that
    the first does not see."""
    data = SensorData()
    data.version.version_major, data.version.version_minor, data.version.version_patch = 3, 8, 0
    data.timestamp.seconds, data.timestamp.nanos = divmod(at_ns, 10**9)
    data.last_measurement_time.CopyFrom(data.timestamp)
    data.sensor_id.value = sensor
    data.mounting_position.position.x = data.mounting_position.orientation.yaw = 0
    for k in range(2 + (sensor == 2)):
        found = data.moving_object.add()
        found.header.tracking_id.value = k + 1
        found.header.existence_probability = 0.5
        base = found.base
        base.position.x, base.position.y, base.position.z = 20.0 * k + 5e-9 * at_ns, 0.1 * sensor, 0.0
        base.velocity.x = 5.0
        base.dimension.length, base.dimension.width, base.dimension.height = 4.0, 2.0, 1.5
        base.orientation.yaw = 0.0
    return data


# -- all of them


@pytest.mark.parametrize("name", EXAMPLES)
def test_fmpy_finds_no_problem(example: Callable[[str], Example], name: str) -> None:
    assert validate_fmu(str(example(name).file)) == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_variable_is_explained(example: Callable[[str], Example], name: str) -> None:
    for variable in example(name).description.modelVariables:
        assert variable.description, variable.name


@pytest.mark.parametrize("name", EXAMPLES)
def test_P6_runs_with_nothing_set(example: Callable[[str], Example], name: str) -> None:
    result = fmpy.simulate_fmu(str(example(name).file))
    assert result["time"][-1] == pytest.approx(10)
    assert len(result) == 501


@pytest.mark.parametrize("name", EXAMPLES)
def test_states_are_saved_and_restored(instance: Callable[..., Host], name: str) -> None:
    host, other = instance(name), instance(name)
    host.initialize({"seed": 5} if name == "imu" else {})
    drive(host, 7)
    state, now, before = host.fmu.getFMUstate(), host.now_ns, everything(host)
    data = host.fmu.serializeFMUstate(state)
    first = drive(host, 20)
    assert first[0] != first[-1]
    host.fmu.setFMUstate(state)
    assert everything(host) == before
    host.now_ns = now
    assert drive(host, 20) == first
    host.fmu.freeFMUstate(state)

    status, elsewhere = other.initialize().deserialize(data)
    assert status == OK, other.log
    other.fmu.setFMUstate(elsewhere)
    assert everything(other) == before
    other.now_ns = now
    assert drive(other, 20) == first
    other.fmu.freeFMUstate(elsewhere)
    assert host.problems() + other.problems() == []


@pytest.mark.parametrize(
    ("name", "variable", "value"),
    [
        ("source", "vehicles", -1),
        ("source", "road.radius", 49.0),
        ("source", "speed", math.nan),
        ("fog", "visibility", 0.0),
        ("fog", "contrast.threshold", 1.5),
        ("imu", "gyroscope.range", 0.0),
        ("imu", "accelerometer.noise", -0.1),
        ("imu", "specificForce.x", math.inf),
    ],
)
def test_wrong_values_are_refused(instance: Callable[..., Host], name: str, variable: str, value: float) -> None:
    host = instance(name)
    with pytest.raises(FMICallException) as refused:
        host.set({variable: value})
    assert refused.value.status == ERROR
    one_problem(host.log, ERROR, variable)


# -- source


def test_source_sends_the_world_it_describes(instance: Callable[..., Host], rules: Rules) -> None:
    parameters = {"vehicles": 30, "speed": 20.0, "road.radius": 400.0, "gap": 30.0, "mounting.x": 2.0}
    host = instance("source").initialize(parameters)
    assert host.triple(VIEW_OUT) == (0, 0, 0)
    for step in range(1, 101):
        host.steps(1)
        view = view_of(host)
        truth = view.global_ground_truth
        assert {stamp(m) for m in (view, truth, view.host_vehicle_data)} == {step * 20_000_000}
        assert (host.get("count"), host.get("valid"), len(truth.moving_object)) == (31, True, 31)
        ego = truth.moving_object[0]
        angle = 20.0 * step * 0.02 / 400.0
        assert ego.id.value == view.host_vehicle_id.value == truth.host_vehicle_id.value == 1
        assert ego.base.position.x == pytest.approx(400 * math.sin(angle), abs=1e-9)
        assert ego.base.position.y == pytest.approx(400 - 400 * math.cos(angle), abs=1e-9)
        assert ego.base.orientation.yaw == pytest.approx(angle, abs=1e-12)
        assert math.hypot(ego.base.velocity.x, ego.base.velocity.y) == pytest.approx(20)
        leader = truth.moving_object[4]  # the next one in the host's lane
        assert leader.base.orientation.yaw - ego.base.orientation.yaw == pytest.approx(30 / 400)
        assert rules.violations(view) == []
    assert view.mounting_position.position.x == 2.0
    assert len(truth.stationary_object) == int(2 * math.pi * 400 / 50)
    assert host.problems() == []


def test_source_tells_when_the_road_is_full(instance: Callable[..., Host]) -> None:
    host = instance("source")
    with pytest.raises(FMICallException):
        host.initialize({"vehicles": 1000, "road.radius": 100.0})
    one_problem(host.log, ERROR, "1000 beside the host vehicle", "628 m hold 59", "lower vehicles or gap")


# -- fog


def through(host: Host, view: SensorView | bytes) -> SensorView:
    """The output of the fog."""
    gosmp.write(host.fmu, VIEW_IN, view)
    host.steps(1)
    return view_of(host)


def test_fog_hides_what_is_beyond_the_visibility(instance: Callable[..., Host], rules: Rules) -> None:
    """Cars stand 20 m apart. From the sensor to the rear of car k are 20 k + 1.4 - 3.5 - 2.25 m: 60
    m reach the third."""
    host = instance("fog").initialize(HIDING)
    view = sensor_view(7 * 10**9 + 1, objects=9)
    seen = through(host, view)
    wanted = [100 + k for k in range(10) if 20 * k + 1.4 - 3.5 - 2.25 <= 60]
    assert wanted == [100, 101, 102, 103]
    assert [o.id.value for o in seen.global_ground_truth.moving_object] == wanted
    assert (host.get("dropped.moving"), host.get("valid"), host.get("sight.range")) == (6, True, 60)
    conditions = seen.global_ground_truth.environmental_conditions
    assert conditions.fog == EnvironmentalConditions.FOG_THICK
    assert stamp(seen) == 7 * 10**9 + 1
    assert rules.violations(seen) == []

    del view.global_ground_truth.moving_object[4:]
    view.global_ground_truth.environmental_conditions.fog = conditions.fog
    assert seen == view, "nothing else has changed"


def test_fog_moves_with_its_parameter(instance: Callable[..., Host]) -> None:
    host = instance("fog").initialize(HIDING)
    counts = []
    for visibility in (1.0, 35.0, 60.0, 1e6):
        host.set({"visibility": visibility})
        counts.append(len(through(host, sensor_view(0, objects=9)).global_ground_truth.moving_object))
    assert counts == [1, 2, 4, 10]


def test_fog_weakens_lidar(instance: Callable[..., Host]) -> None:
    """A target at the distance d returns exp(-2 d ln 20 / V) of the light."""
    view = sensor_view()
    distances = (10.0, 60.0, 150.0)
    for distance in distances:
        reflection = view.lidar_sensor_view.add().reflection.add()
        reflection.signal_strength, reflection.time_of_flight = -30.0, 2 * distance / 299792458
    seen = through(instance("fog").initialize(HIDING), view)
    for distance, lidar in zip(distances, seen.lidar_sensor_view, strict=True):
        left = math.exp(-2 * distance * math.log(20) / 60)
        assert lidar.reflection[0].signal_strength == pytest.approx(-30 + 10 * math.log10(left), abs=1e-9)


def test_fog_keeps_fields_that_osi_does_not_know(instance: Callable[..., Host]) -> None:
    host = instance("fog").initialize()
    through(host, sensor_view(objects=0).SerializeToString() + UNKNOWN_FIELD)
    assert payloads(gosmp.read(host.fmu, VIEW_OUT), 5000) == [b"extra"]


def test_fog_without_input_says_nothing(instance: Callable[..., Host]) -> None:
    host = instance("fog").initialize(HIDING)
    through(host, sensor_view(objects=9))
    gosmp.write(host.fmu, VIEW_IN, None)
    host.steps(1)
    assert host.triple(VIEW_OUT) == (0, 0, 0)
    assert (host.get("valid"), host.get("dropped.moving")) == (False, 0)
    assert host.problems() == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xff\xff\xff", ["not a SensorView"]),
        (sensor_view(objects=2).SerializeToString()[:-5], ["not a SensorView"]),
        (SensorView(global_ground_truth={}).SerializeToString(), ["host_vehicle_id in neither GroundTruth nor SensorView"]),
    ],
)
def test_fog_rejects_what_it_cannot_use(instance: Callable[..., Host], data: bytes, words: list[str]) -> None:
    host = instance("fog").initialize()
    for status in (WARNING, OK):  # logged once
        gosmp.write(host.fmu, VIEW_IN, data)
        assert host.step() == status, host.log
        assert host.triple(VIEW_OUT) == (0, 0, 0)
    one_problem(host.log, WARNING, f"{len(data)} bytes that cannot be used", *words)
    through(host, sensor_view())


def test_source_and_fog_in_a_chain(instance: Callable[..., Host], rules: Rules) -> None:
    """The addresses of the source are passed on unchanged; the fog is one step late, as OSMP's D8
    allows."""
    source = instance("source").initialize({"vehicles": 40, "gap": 20.0})
    fog = instance("fog").initialize(HIDING)
    source.steps(1)
    for _ in range(100):
        lo, hi, size = source.triple(VIEW_OUT)
        truth = view_of(source)
        source.steps(1)
        fog.set_triple(VIEW_IN, gosmp.join(lo, hi), size)
        fog.steps(1)
        seen = view_of(fog)
        assert stamp(seen) == stamp(truth)
        moving, stationary = (
            [o.id.value for o in objects if o.id.value == 1 or distance(o.base, eye(truth)) <= 60]
            for objects in (truth.global_ground_truth.moving_object, truth.global_ground_truth.stationary_object)
        )
        assert [o.id.value for o in seen.global_ground_truth.moving_object] == moving
        assert [o.id.value for o in seen.global_ground_truth.stationary_object] == stationary
        assert fog.get("dropped.moving") == 41 - len(moving) > 0
        assert fog.get("dropped.stationary") == 62 - len(stationary) > 0
        assert rules.violations(seen) == []
    assert source.problems() + fog.problems() == []


def eye(view: SensorView) -> tuple[float, float, float]:
    """The position of the source's sensor; its vehicles are level."""
    host = view.global_ground_truth.moving_object[0]
    centre, yaw, rear = host.base.position, host.base.orientation.yaw, host.vehicle_attributes.bbcenter_to_rear
    ahead, up = (getattr(rear, axis) + getattr(view.mounting_position.position, axis) for axis in "xz")
    return centre.x + ahead * math.cos(yaw), centre.y + ahead * math.sin(yaw), centre.z + up


def distance(base: Any, point: tuple[float, float, float]) -> float:
    """The distance from a point to a level box."""
    x, y, z = (p - c for p, c in zip(point, (base.position.x, base.position.y, base.position.z), strict=True))
    cos, sin = math.cos(base.orientation.yaw), math.sin(base.orientation.yaw)
    size = base.dimension
    sides = (cos * x + sin * y, size.length), (cos * y - sin * x, size.width), (z, size.height)
    return math.hypot(*(max(0.0, abs(along) - extent / 2) for along, extent in sides))


# -- imu


def test_imu_without_errors_measures_the_truth(example: Callable[[str], Example]) -> None:
    start = {f"{s}.{p}": 0.0 for s in ("accelerometer", "gyroscope") for p in ("noise", "biasWalk", "resolution")}
    start |= {"gyroscope.scaleError": 0.5, "gyroscope.bias.y": 0.25}
    columns = [(name, float) for name in ("time", "specificForce.x", "angularRate.y")]
    result = fmpy.simulate_fmu(
        str(example("imu").file),
        stop_time=1,
        output_interval=0.1,
        start_values=start,
        input=numpy.array([(0.0, 0.0, 0.0), (1.0, 10.0, 4.0)], dtype=columns),
        output=["accelerometer.x", "accelerometer.z", "gyroscope.x", "gyroscope.y"],
    )
    held = numpy.arange(10) / 10  # a step measures the values set at its beginning
    assert result["accelerometer.x"][1:] == pytest.approx(10 * held)
    assert result["gyroscope.y"][1:] == pytest.approx(1.5 * 4 * held + 0.25)
    assert (result["accelerometer.z"][1:] == 9.80665).all() and (result["gyroscope.x"] == 0).all()


def test_imu_noise_has_the_density_of_its_parameter(example: Callable[[str], Example]) -> None:
    """N / sqrt(h): 0.02 (m/s2)/sqrt(Hz) at 100 Hz are 0.2 m/s2. 5 % are ten standard deviations of
    20 000 samples."""
    parameters = {"noise": 0.02, "biasWalk": 0.0, "resolution": 0.0, "bias.y": 3.0}
    values = {f"accelerometer.{name}": value for name, value in parameters.items()}
    outputs = ["accelerometer.x", "accelerometer.y", "accelerometer.z"]
    run = {"stop_time": 200, "output_interval": 0.01, "start_values": values, "output": outputs}
    first, second = (fmpy.simulate_fmu(str(example("imu").file), **run) for _ in range(2))
    assert (first == second).all(), "the same seed"
    for name, mean in zip(outputs, (0.0, 3.0, 9.80665), strict=True):
        samples = first[name][1:]
        assert len(samples) == 20_000
        assert samples.std() == pytest.approx(0.2, rel=0.05)
        assert samples.mean() == pytest.approx(mean, abs=0.01)
    values["seed"] = 2
    assert (fmpy.simulate_fmu(str(example("imu").file), **run) != first)[1:].all()


def test_imu_saturates(instance: Callable[..., Host]) -> None:
    host = instance("imu").initialize({"gyroscope.range": 4.0})
    for rate, held in ((5.0, True), (-5.0, True), (1.0, False)):
        host.set({"angularRate.z": rate})
        host.steps(1)
        assert host.get("gyroscope.saturated") is held
        assert host.get("accelerometer.saturated") is False
        assert host.get("gyroscope.z") == pytest.approx(max(-4, min(4, rate)), abs=0.02)


# -- player


def write_trace(folder: Path, count: int = 20) -> Path:
    """An .osi file of SensorViews, 10 ms apart from 1 s on."""
    file = folder / f"20210818T150542Z_sv_380_13612_{count}.osi"
    with file.open("wb") as out:
        for k in range(count):
            message = sensor_view(10**9 + k * 10**7, objects=1 + k % 3).SerializeToString(deterministic=True)
            out.write(len(message).to_bytes(4, "little") + message)
    return file


def test_player_fmpy_finds_no_problem(example: Callable[[str], Example]) -> None:
    assert validate_fmu(str(example("player").file)) == []


def test_player_without_a_trace_warns_and_runs(example: Callable[[str], Example]) -> None:
    result = fmpy.simulate_fmu(str(example("player").file), output=["valid"])
    assert len(result) == 501
    assert not result["valid"].any()


@pytest.mark.parametrize("milliseconds", [5, 20, 33])
def test_player_shows_the_message_of_the_time(instance: Callable[..., Host], tmp_path: Path, milliseconds: int) -> None:
    file = write_trace(tmp_path)
    host = instance("player")
    host.initialize({"trace.file": str(file)})
    while host.now_ns + milliseconds * 10**6 < 19 * 10**7:
        assert host.step(milliseconds / 1000) == OK, host.log
        k = host.now_ns // 10**7
        assert view_of(host) == sensor_view(10**9 + k * 10**7, objects=1 + k % 3)
        assert stamp(view_of(host)) == 10**9 + k * 10**7


def test_player_restores_its_place_in_the_file(instance: Callable[..., Host], tmp_path: Path) -> None:
    host = instance("player")
    host.initialize({"trace.file": str(write_trace(tmp_path)), "trace.loop": True})
    drive(host, 7)
    state, now = host.fmu.getFMUstate(), host.now_ns
    first = drive(host, 20)
    host.fmu.setFMUstate(state)
    host.now_ns = now
    assert drive(host, 20) == first
    host.fmu.freeFMUstate(state)
