"""The FMU for FMI 3.0: it computes what its twin for FMI 2.0 does, and shares one core with it."""

from __future__ import annotations

import itertools
import os
import re
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fmpy
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi3 import FMU3Slave
from fmpy.validation import validate_fmu

import gosmp
import sensorviews
from host import SENSOR_DATA_OUT, SENSOR_VIEW_IN, Host

ROOT = Path(__file__).resolve().parents[2]
STEP = 0.02
CONFIG, REQUEST = "OSMPSensorViewInConfig", "OSMPSensorViewInConfigRequest"
OSMP = "{http://xsd.pmsf.net/OSISensorModelPackaging}"
NAMES = ("linux64", "linux32", "win64", "win32", "aarch64-linux")


@pytest.fixture(scope="session")
def twin_file(fmu_file: Path) -> Path:
    """The .fmu for FMI 3.0, GOSMP_FMU3 or the one beside the FMU under test."""
    tested = Path(os.environ.get("GOSMP_FMU") or ROOT / "dist" / "OSMPDummySensor.fmu").resolve()
    path = Path(os.environ.get("GOSMP_FMU3") or tested.with_name(tested.stem + "-fmi3.fmu"))
    assert path.is_file(), f"there is no FMU at {path}: build it with `make fmu`"
    return path


@pytest.fixture(scope="session")
def twin_folder(twin_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("twin")
    fmpy.extract(str(twin_file), unzipdir=str(path))
    return path


class Twin:
    """An instance of the FMU for FMI 3.0."""

    def __init__(self, folder: Path, name: str = "twin") -> None:
        self.description = fmpy.read_model_description(str(folder))
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        self.fmu = FMU3Slave(
            guid=self.description.instantiationToken,
            unzipDirectory=str(folder),
            modelIdentifier=self.description.coSimulation.modelIdentifier,
            instanceName=name,
        )
        self.fmu.instantiate(loggingOn=True)
        self.now = 0

    def initialize(self, **values: Any) -> Twin:
        for name, value in values.items():
            self.fmu.setString([self.references[name.replace("__", ".")]], [value])
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        return self

    def step(self) -> tuple[bool, bool, bool, float]:
        self.now += 1
        return self.fmu.doStep((self.now - 1) * STEP, STEP)

    def message(self) -> bytes | None:
        return gosmp.read(self.fmu, SENSOR_DATA_OUT)


@pytest.fixture
def new_twin(twin_folder: Path) -> Iterator[Callable[..., Twin]]:
    made: list[Twin] = []

    def make(name: str = "twin") -> Twin:
        made.append(Twin(twin_folder, name))
        return made[-1]

    yield make
    for twin in made:
        twin.fmu.freeInstance()


def test_fmpy_finds_no_problem(twin_file: Path) -> None:
    assert validate_fmu(str(twin_file)) == []


def test_archive_has_the_names_of_FMI_3(twin_file: Path, fmu_file: Path) -> None:
    with zipfile.ZipFile(twin_file) as twin, zipfile.ZipFile(fmu_file) as other:
        names = twin.namelist()
        cores = [n for n in names if "-core-" in n]
        assert cores and not any(n.split("/")[1] in NAMES[:4] for n in names if n.startswith("binaries/"))
        assert "model.png" not in names
        assert twin.read("terminalsAndIcons/icon.png") == other.read("model.png")
        core = next(n for n in other.namelist() if "-core-" in n)
        assert any(twin.read(n) == other.read(core) for n in cores), "one core for both"
        assert {Path(n).name for n in cores} >= {Path(core).name}


def test_every_message_is_one_binary(twin_folder: Path, description: Any) -> None:
    root = ElementTree.parse(twin_folder / "modelDescription.xml").getroot()
    mark = root.find(f"Annotations/Annotation[@type='net.pmsf.osmp']/{OSMP}osmp")
    assert mark is not None and (mark.get("version"), mark.get("osi-version")) == ("1.6.0", "3.8.0")
    found = {}
    for variable in root.iterfind("ModelVariables/Binary"):
        (note,) = variable.iterfind(f"Annotations/Annotation[@type='net.pmsf.osmp']/{OSMP}osmp-binary-variable")
        assert (note.get("name"), note.get("role")) == (variable.get("name"), "full")
        assert note.get("mime-type") == variable.get("mimeType")
        starts = [s.get("value") for s in variable.iterfind("Start")]
        assert starts == ([] if variable.get("causality") == "calculatedParameter" else [""])
        found[variable.get("name")] = variable.get("causality"), variable.get("variability")
    sizes = {v.name.removesuffix(".size"): v for v in description.modelVariables if v.name.endswith(".size")}
    assert found == {name: (v.causality, v.variability) for name, v in sizes.items()}
    assert [v.get("name") for v in root.find("ModelVariables") if v.get("causality") == "independent"] == ["time"]
    plain = [v.name for v in description.modelVariables if not re.search(r"\.(base\.(lo|hi)|size)$", v.name)]
    assert [v.get("name") for v in root.find("ModelVariables") if v.tag != "Binary"] == ["time", *plain]


@pytest.mark.parametrize("which", ["fmu_file", "twin_file"])
def test_every_message_is_a_terminal(which: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(which)
    with zipfile.ZipFile(path) as archive:
        root = ElementTree.fromstring(archive.read("terminalsAndIcons/terminalsAndIcons.xml"))
    known = gosmp.variables(path)
    terminals = {t.get("name"): t for t in root.iterfind("Terminals/Terminal")}
    assert {n: t.get("terminalKind") for n, t in terminals.items()} == {n: v.mime_type for n, v in known.items()}
    roles = ["full"] if which == "twin_file" else ["base.lo", "base.hi", "size"]
    for name, terminal in terminals.items():
        members = terminal.findall("TerminalMemberVariable")
        assert [m.get("memberName") for m in members] == roles
        assert [m.get("variableName") for m in members] == [
            name if role == "full" else f"{name}.{role}" for role in roles
        ]


def test_twins_give_the_same_messages(new_host: Callable[..., Host], new_twin: Callable[..., Twin]) -> None:
    host, twin = new_host(), new_twin()
    config = sensorviews.configuration().SerializeToString()
    host.fmu.setupExperiment()
    host.fmu.enterInitializationMode()
    twin.fmu.enterInitializationMode()
    assert gosmp.read(host.fmu, REQUEST) == gosmp.read(twin.fmu, REQUEST)
    for fmu in (host.fmu, twin.fmu):
        gosmp.write(fmu, CONFIG, config)
        fmu.exitInitializationMode()
        assert gosmp.read(fmu, REQUEST) == config
    for k in range(400):
        view = sensorviews.sensor_view(k * 20_000_000, objects=k % 9).SerializeToString() if k % 7 else b""
        for fmu in (host.fmu, twin.fmu):
            gosmp.write(fmu, SENSOR_VIEW_IN, view)
        host.fmu.doStep(k * STEP, STEP)
        assert twin.step() == (False, False, False, (k * STEP) + STEP)
        message = twin.message()
        assert message == gosmp.read(host.fmu, SENSOR_DATA_OUT)
        assert message or not view


def test_simulate_fmu_with_messages(fmu_file: Path, twin_file: Path) -> None:
    """gosmp.read and gosmp.write in FMPy's callback, which is all that a user of simulate_fmu has."""

    view = sensorviews.sensor_view().SerializeToString()

    def simulate(path: Path) -> list[bytes | None]:
        seen: list[bytes | None] = []

        def after_step(time: float, recorder: Any) -> bool:
            seen.append(gosmp.read(recorder))
            assert (gosmp.read(recorder, decode=True) is None) == (seen[-1] is None)
            gosmp.write(recorder, SENSOR_VIEW_IN, view)
            return True

        fmpy.simulate_fmu(str(path), stop_time=0.2, output_interval=STEP, step_finished=after_step)
        return seen

    messages = simulate(twin_file)
    assert len(messages) == 10
    assert all(view in message for message in messages[1:] if message is not None)
    assert None not in messages
    assert messages == simulate(fmu_file)


def test_an_empty_value_has_an_address(new_twin: Callable[..., Twin]) -> None:
    twin = new_twin().initialize()
    reference = [twin.references[SENSOR_VIEW_IN]]
    assert twin.fmu.getBinary(reference) == [b""], "not None, which fmpy makes of NULL"
    twin.fmu.setBinary(reference, [b"abc"])
    assert twin.fmu.getBinary(reference) == [b"abc"]


def test_a_restored_instance_goes_on_with_the_same_bytes(new_twin: Callable[..., Twin]) -> None:
    twin, other = new_twin("a"), new_twin("b")
    twin.initialize()
    view = sensorviews.sensor_view(objects=5).SerializeToString()
    for _ in range(20):
        gosmp.write(twin.fmu, SENSOR_VIEW_IN, view)
        twin.step()
    state = twin.fmu.getFMUState()
    saved = bytes(twin.fmu.serializeFMUState(state))
    expected = []
    for _ in range(30):
        twin.step()
        expected.append(twin.message())
    twin.fmu.terminate()
    for again, restored in ((twin, state), (other, other.fmu.deserializeFMUState(saved))):
        again.fmu.setFMUState(restored)
        again.now = 20
        got = []
        for _ in range(30):
            again.step()
            got.append(again.message())
        assert got == expected
    twin.fmu.freeFMUState(state)


def test_a_state_of_the_other_standard_is_refused(host: Host, new_twin: Callable[..., Twin]) -> None:
    host.initialize()
    twin = new_twin().initialize()
    state = host.fmu.getFMUstate()
    saved = host.fmu.serializeFMUstate(state)
    with pytest.raises(FMICallException):
        twin.fmu.deserializeFMUState(saved)


def test_the_end_of_a_scenario_is_told(new_twin: Callable[..., Twin], scenario: Callable[..., str]) -> None:
    rows = "SensorID,Timestamp,Field1,Field2,Field3\n" + "".join(f"1,{1000 + 10 * k},1,2,3\n" for k in range(10))
    twin = new_twin().initialize(replay__scenarioFile=scenario(rows + "0\n"), replay__timeUnit="ms")
    ends = [twin.step()[1] for _ in range(8)]
    assert ends == sorted(ends) and not ends[0] and ends[-1], "steps after the end are computed, too"


@pytest.mark.parametrize(("events", "early"), list(itertools.product((False, True), repeat=2)))
def test_event_mode_and_early_return(twin_folder: Path, events: bool, early: bool) -> None:
    """What the FMU does not offer is refused at instantiation; a permission to return early is no
    duty."""
    description = fmpy.read_model_description(str(twin_folder))
    fmu = FMU3Slave(
        guid=description.instantiationToken,
        unzipDirectory=str(twin_folder),
        modelIdentifier=description.coSimulation.modelIdentifier,
        instanceName="modes",
    )
    arguments = {"eventModeUsed": events, "earlyReturnAllowed": early}
    if events and not description.coSimulation.hasEventMode:
        with pytest.raises(Exception, match="[Ff]ailed to instantiate"):
            fmu.instantiate(**arguments)
        return
    fmu.instantiate(**arguments)
    fmu.freeInstance()


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="Linux only")
def test_twins_in_one_process_share_a_core(new_host: Callable[..., Host], new_twin: Callable[..., Twin]) -> None:
    new_host().initialize()
    threads = len(os.listdir("/proc/self/task"))
    twin = new_twin().initialize()
    twin.step()
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    assert len({line.split()[-1] for line in maps.splitlines() if "OSMPDummySensor-core-" in line}) == 1
    assert len(os.listdir("/proc/self/task")) <= threads + 2


def test_a_blank_or_foreign_resource_path(twin_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "with blank ü"
    folder.symlink_to(twin_folder)
    twin = Twin(folder)
    twin.initialize()
    twin.step()
    assert twin.message()
    twin.fmu.freeInstance()
