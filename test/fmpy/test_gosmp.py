"""gosmp.osmp, the companion for users of FMPy, tested with doubles of FMUs."""

from __future__ import annotations

import array
import ctypes
import gc
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

import gosmp

MIME = "application/x-open-simulation-interface; type={}; version=3.8.0"


def triple(name: str, causality: str, first: int, message: str) -> str:
    """Three ScalarVariables of a binary variable, with references in the order size, hi, lo to
    detect code that assumes another order."""
    parts = []
    for reference, role in enumerate(("size", "base.hi", "base.lo"), first):
        parts.append(
            f'<ScalarVariable name="{name}.{role}" valueReference="{reference}" causality="{causality}"><Integer start="0"/>'
            '<Annotations><Tool name="net.pmsf.osmp" '
            'xmlns:osmp="http://xsd.pmsf.net/OSISensorModelPackaging"><osmp:osmp-binary-variable '
            f'name="{name}" role="{role}" mime-type="{MIME.format(message)}"/></Tool></Annotations></ScalarVariable>'
        )
    return "".join(parts)


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    variables = triple("OSMPSensorViewIn", "input", 0, "SensorView") + triple("Odd", "output", 10, "SensorData")
    xml = f"<fmiModelDescription><ModelVariables>{variables}</ModelVariables></fmiModelDescription>"
    (tmp_path / "modelDescription.xml").write_text(xml)
    return tmp_path


class Instance:
    """The part of FMPy's FMU2Slave that gosmp uses."""

    def __init__(self, unzip_directory: Path) -> None:
        self.unzipDirectory = unzip_directory
        self.values: dict[int, int] = {}

    def getInteger(self, vr: list[int]) -> list[int]:
        return [self.values.get(r, 0) for r in vr]

    def setInteger(self, vr: list[int], value: list[int]) -> None:
        self.values.update(zip(vr, value))


@pytest.fixture
def instance(unpacked: Path) -> Instance:
    return Instance(unpacked)


@pytest.mark.parametrize(
    ("address", "lo", "hi"),
    [
        (0x00007FFF80000010, -2147483632, 32767),
        (0xFFFFFFFF00000001, 1, -1),
        (0x8000000080000000, -(2**31), -(2**31)),
        (0, 0, 0),
        (2**64 - 1, -1, -1),
    ],
)
def test_B3_address_halves(address: int, lo: int, hi: int) -> None:
    assert gosmp.split(address) == (lo, hi)
    assert gosmp.join(lo, hi) == address


@pytest.mark.parametrize("address", [-1, 2**64])
def test_B3_no_address_of_64_bits(address: int) -> None:
    with pytest.raises(gosmp.Error, match="64 bits"):
        gosmp.split(address)


def test_variables_are_found_by_their_annotations(instance: Instance, unpacked: Path) -> None:
    for source in (instance, unpacked, unpacked / "modelDescription.xml"):
        found = gosmp.variables(source)
        assert list(found) == ["OSMPSensorViewIn", "Odd"]
        assert found["Odd"].references == (12, 11, 10)
        assert found["Odd"].causality == "output"
        assert found["Odd"].message_type == "SensorData"


def test_variables_of_a_packed_fmu(unpacked: Path, tmp_path: Path) -> None:
    path = tmp_path / "packed.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(unpacked / "modelDescription.xml", "modelDescription.xml")
    assert gosmp.variables(path) == gosmp.variables(str(path)) == gosmp.variables(unpacked)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other.xml", "")
    with pytest.raises(gosmp.Error, match="packed.fmu cannot be read: .*modelDescription.xml"):
        gosmp.variables(path)
    path.write_bytes(b"no zip")
    with pytest.raises(gosmp.Error, match="packed.fmu cannot be read"):
        gosmp.variables(path)


def test_what_was_written_can_be_read(instance: Instance) -> None:
    gosmp.write(instance, "OSMPSensorViewIn", b"\x00\x01" * 1000)
    gc.collect()
    assert gosmp.read(instance, "OSMPSensorViewIn") == b"\x00\x01" * 1000


def test_messages_are_encoded_and_decoded(instance: Instance) -> None:
    view = SensorView()
    view.sensor_id.value = 9
    gosmp.write(instance, "OSMPSensorViewIn", view)
    assert gosmp.read(instance, "OSMPSensorViewIn", decode=True) == view
    assert gosmp.read(instance, "OSMPSensorViewIn", decode=SensorView) == view
    gosmp.write(instance, "OSMPSensorViewIn", b"\xff\xff\xff")
    with pytest.raises(DecodeError):
        gosmp.read(instance, "OSMPSensorViewIn", decode=True)


@pytest.mark.parametrize("empty", [b"", None, SensorView()])
def test_B8_nothing_written_is_three_zeros(instance: Instance, empty: object) -> None:
    gosmp.write(instance, "OSMPSensorViewIn", b"abc")
    gosmp.write(instance, "OSMPSensorViewIn", empty)
    assert instance.getInteger([0, 1, 2]) == [0, 0, 0]
    assert gosmp.read(instance, "OSMPSensorViewIn") is None
    assert gosmp.read(instance, "OSMPSensorViewIn", decode=True) is None


@pytest.mark.parametrize(
    "data", [bytearray(b"ab\x00"), memoryview(b"ab\x00"), memoryview(b"a-b-\x00-")[::2], array.array("B", b"ab\x00")]
)
def test_whatever_holds_bytes_can_be_written(instance: Instance, data: object) -> None:
    gosmp.write(instance, "OSMPSensorViewIn", data)
    assert gosmp.read(instance, "OSMPSensorViewIn") == b"ab\x00"


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (5, "type int"),
        (0, "type int"),
        (False, "type bool"),
        (1.5, "type float"),
        ("text", "type str"),
        ("", "type str"),
        ([1, 2], "type list"),
        (object(), "type object"),
        (SensorView, "the class SensorView"),
    ],
)
def test_what_is_no_data_is_refused_and_changes_nothing(instance: Instance, data: object, found: str) -> None:
    gosmp.write(instance, "OSMPSensorViewIn", b"before")
    with pytest.raises(gosmp.Error, match=f"OSMPSensorViewIn takes bytes, a message or None, not .*{found}"):
        gosmp.write(instance, "OSMPSensorViewIn", data)
    assert gosmp.read(instance, "OSMPSensorViewIn") == b"before"


@pytest.mark.parametrize(("lo", "hi", "size"), [(0, 0, 5), (16, 0, 0), (16, 0, -4)])
def test_B8_no_data_is_not_dereferenced(instance: Instance, lo: int, hi: int, size: int) -> None:
    instance.values = {12: lo, 11: hi, 10: size}
    assert gosmp.read(instance, "Odd") is None
    assert gosmp.read(instance, "Odd", decode=True) is None


def test_V7_the_memory_outlives_the_next_write(instance: Instance) -> None:
    gosmp.write(instance, "OSMPSensorViewIn", b"first")
    size, hi, lo = instance.getInteger([0, 1, 2])
    gosmp.write(instance, "OSMPSensorViewIn", b"second")
    gc.collect()
    assert ctypes.string_at(gosmp.join(lo, hi), size) == b"first"
    assert gosmp.read(instance, "OSMPSensorViewIn") == b"second"


def test_two_instances_keep_their_own_memory(unpacked: Path) -> None:
    a, b = Instance(unpacked), Instance(unpacked)
    gosmp.write(a, "OSMPSensorViewIn", b"a")
    gosmp.write(b, "OSMPSensorViewIn", b"b")
    assert (gosmp.read(a, "OSMPSensorViewIn"), gosmp.read(b, "OSMPSensorViewIn")) == (b"a", b"b")


def test_memory_goes_with_the_instance(unpacked: Path) -> None:
    before = len(gosmp.osmp._kept)
    instance = Instance(unpacked)
    gosmp.write(instance, "OSMPSensorViewIn", b"x")
    assert len(gosmp.osmp._kept) == before + 1
    del instance
    gc.collect()
    assert len(gosmp.osmp._kept) == before


def test_errors_name_what_there_is(instance: Instance, tmp_path: Path) -> None:
    with pytest.raises(gosmp.Error, match="it has OSMPSensorViewIn, Odd"):
        gosmp.read(instance, "OSMPSensorDataOut")
    with pytest.raises(gosmp.Error, match="causality output"):
        gosmp.write(instance, "Odd", b"x")
    with pytest.raises(gosmp.Error, match="is a path"):
        gosmp.read(str(tmp_path), "Odd")
    with pytest.raises(gosmp.Error, match="pass the recorder"):
        gosmp.read(Instance(tmp_path / "gone"), "Odd")
    with pytest.raises(gosmp.Error, match="neither"):
        gosmp.variables(3)


def test_recorder_of_simulate_fmu(instance: Instance) -> None:
    variables = [
        SimpleNamespace(name=f"OSMPSensorDataOut.{role}", valueReference=r, causality="output")
        for r, role in ((3, "base.lo"), (4, "base.hi"), (5, "size"))
    ]

    class Recorder:
        fmu = instance
        modelDescription = SimpleNamespace(modelVariables=variables)

    data = ctypes.create_string_buffer(SensorData(sensor_id={"value": 4}).SerializeToString())
    lo, hi = gosmp.split(ctypes.addressof(data))
    instance.values = {3: lo, 4: hi, 5: len(data) - 1}
    assert gosmp.read(Recorder(), "OSMPSensorDataOut", decode=True).sensor_id.value == 4


def test_classes_by_name() -> None:
    assert gosmp.message_class("GroundTruth") is GroundTruth
    assert gosmp.message_class("SensorViewConfiguration").DESCRIPTOR.name == "SensorViewConfiguration"
    with pytest.raises(gosmp.Error, match="pass a message class"):
        gosmp.message_class("Nonsense")


def test_the_documented_example_runs(child: Callable[..., Any]) -> None:
    assert child("documented_example") == "seconds: 0\nnanos: 20000000\n\n"
