"""The .fmu as a file: zip, modelDescription.xml and OSMP annotations. Numbers are rules of OSMP
0.3.0."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import fmpy
import pytest
from fmpy.validation import validate_fmu

import gosmp

OSMP = "{http://xsd.pmsf.net/OSISensorModelPackaging}"
PREFIXES = {
    "OSMPSensorViewIn": ("input", "discrete", "SensorView"),
    "OSMPSensorDataOut": ("output", "discrete", "SensorData"),
    "OSMPSensorViewInConfigRequest": ("calculatedParameter", "fixed", "SensorViewConfiguration"),
    "OSMPSensorViewInConfig": ("parameter", "fixed", "SensorViewConfiguration"),
}
#: binary variables that are no messages of OSI: causality, variability, MIME type
OTHERS = {"replay.rowsIn": ("input", "discrete", "text/csv; format=simsensor")}
ROLES = ("base.lo", "base.hi", "size")
# FMI 2.0, 2.2.9: identifiers, quoted names, indices, joined by dots; der() does not occur here.
STRUCTURED = re.compile(r"[A-Za-z_]\w*(\[\d+(,\d+)*])?(\.[A-Za-z_]\w*(\[\d+(,\d+)*])?)*")


@pytest.fixture(scope="module")
def root(folder: Path) -> ElementTree.Element:
    return ElementTree.parse(folder / "modelDescription.xml").getroot()


@pytest.fixture(scope="module")
def scalars(root: ElementTree.Element) -> list[ElementTree.Element]:
    return root.findall("ModelVariables/ScalarVariable")


def notes(scalar: ElementTree.Element) -> list[ElementTree.Element]:
    """The OSMP annotations of a variable."""
    return scalar.findall(f"Annotations/Tool[@name='net.pmsf.osmp']/{OSMP}osmp-binary-variable")


def value_type(scalar: ElementTree.Element) -> ElementTree.Element:
    """The Real, Integer, Boolean or String element."""
    return next(child for child in scalar if child.tag != "Annotations")


def osmp_scalars(scalars: list[ElementTree.Element], name: str) -> list[ElementTree.Element]:
    """The three Integers of a binary variable in the order of ROLES."""
    return [next(s for s in scalars if s.get("name") == f"{name}.{role}") for role in ROLES]


def test_P1_fmpy_finds_no_problem(fmu_file: Path) -> None:
    assert validate_fmu(str(fmu_file)) == []


def test_P1_zip_is_portable(fmu_file: Path) -> None:
    with zipfile.ZipFile(fmu_file) as archive:
        assert archive.testzip() is None
        entries = archive.infolist()
    names = [e.filename for e in entries]
    assert names == sorted(names) and len(set(names)) == len(names)
    for entry in entries:
        assert "\\" not in entry.orig_filename and not entry.filename.startswith("/") and ".." not in entry.filename
        assert entry.compress_type in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)
        # FMI 2.0, 2.3: a data descriptor (bit 3) is only allowed with deflate, nothing is encrypted
        # (bit 0).
        assert not entry.flag_bits & 1
        assert not entry.flag_bits & 8 or entry.compress_type == zipfile.ZIP_DEFLATED
        assert entry.extract_version <= 20
    assert len({e.date_time for e in entries}) == 1, "fixed times make two builds identical"


def test_P1_contents(fmu_file: Path, description: Any) -> None:
    with zipfile.ZipFile(fmu_file) as archive:
        names = set(archive.namelist())
    identifier = description.coSimulation.modelIdentifier
    assert {
        "modelDescription.xml",
        "model.png",
        "documentation/index.html",
        f"binaries/linux64/{identifier}.so",
    } <= names
    assert any(n.startswith("documentation/licenses/") for n in names)
    assert [n for n in names if n.startswith("resources/") and n.endswith(".csv")]
    assert fmpy.supported_platforms(str(fmu_file)) == ["linux64"]


def test_identity_and_capabilities(root: ElementTree.Element) -> None:
    assert root.get("fmiVersion") == "2.0"
    assert root.get("modelName") == "OSMPDummySensor"
    assert re.fullmatch(r"[0-9A-Za-z-]+", root.get("guid"))
    flags = dict(root.find("CoSimulation").attrib)
    assert flags.pop("modelIdentifier") == "OSMPDummySensor"
    true = {
        "canHandleVariableCommunicationStepSize",
        "canGetAndSetFMUstate",
        "canSerializeFMUstate",
        "canNotUseMemoryManagementFunctions",
    }
    assert {name for name, value in flags.items() if value == "true"} == true
    assert root.find("ModelExchange") is None


def test_P3_structured_names(root: ElementTree.Element, scalars: list[ElementTree.Element]) -> None:
    assert root.get("variableNamingConvention") == "structured"
    assert [s.get("name") for s in scalars if not STRUCTURED.fullmatch(s.get("name"))] == []


def test_P4_default_experiment(root: ElementTree.Element) -> None:
    experiment = {name: float(value) for name, value in root.find("DefaultExperiment").attrib.items()}
    tolerance = experiment.pop("tolerance")
    assert experiment == {"startTime": 0, "stopTime": 10, "stepSize": 0.02}
    assert tolerance > 0


def test_P8_description_names_the_model_kind(root: ElementTree.Element) -> None:
    assert "sensor model" in root.get("description").lower()


def test_log_categories_are_the_standard_ones_and_osmp(root: ElementTree.Element) -> None:
    names = [c.get("name") for c in root.findall("LogCategories/Category")]
    assert {"logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal", "logAll"} <= set(names)
    assert len(set(names)) == len(names)


def test_A1_A2_osmp_and_osi_versions(root: ElementTree.Element) -> None:
    labels = root.findall(f"VendorAnnotations/Tool[@name='net.pmsf.osmp']/{OSMP}osmp")
    assert len(labels) == 1
    assert labels[0].get("version") in ("0.3.0", "1.6.0")
    assert labels[0].get("osi-version") == "3.8.0"


def test_A3_A8_A9_one_annotated_variable_per_role(scalars: list[ElementTree.Element]) -> None:
    found: Counter[tuple[str, str]] = Counter()
    for scalar in scalars:
        for note in notes(scalar):
            found[note.get("name"), note.get("role")] += 1
            assert scalar.get("name") == f"{note.get('name')}.{note.get('role')}"
    assert found == Counter({(prefix, role): 1 for prefix in (*PREFIXES, *OTHERS) for role in ROLES})


@pytest.mark.parametrize("prefix", PREFIXES)
def test_A4_A5_A6_A7_mime_types(scalars: list[ElementTree.Element], prefix: str) -> None:
    types = {note.get("mime-type") for scalar in osmp_scalars(scalars, prefix) for note in notes(scalar)}
    message = PREFIXES[prefix][2]
    assert types == {f"application/x-open-simulation-interface; type={message}; version=3.8.0"}


@pytest.mark.parametrize("prefix", PREFIXES)
def test_B2_B6_V3_C2_C3_D3_triples_are_integers_of_one_kind(scalars: list[ElementTree.Element], prefix: str) -> None:
    causality, variability, _ = PREFIXES[prefix]
    for scalar in osmp_scalars(scalars, prefix):
        assert value_type(scalar).tag == "Integer"
        assert (scalar.get("causality"), scalar.get("variability")) == (causality, variability)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_B7_start_is_0_where_a_start_is_allowed(scalars: list[ElementTree.Element], prefix: str) -> None:
    expected = None if PREFIXES[prefix][0] == "calculatedParameter" else "0"
    assert {value_type(s).get("start") for s in osmp_scalars(scalars, prefix)} == {expected}


def test_B9_no_variable_has_the_bare_prefix(scalars: list[ElementTree.Element]) -> None:
    assert not {s.get("name") for s in scalars} & set(PREFIXES)


def test_the_upstream_variables_keep_names_and_references(scalars: list[ElementTree.Element]) -> None:
    prefixes = ("OSMPSensorViewIn", "OSMPSensorDataOut", "OSMPSensorViewInConfigRequest", "OSMPSensorViewInConfig")
    expected = [(f"{prefix}.{role}", "Integer") for prefix in prefixes for role in ROLES]
    expected = [(name, kind, reference) for reference, (name, kind) in enumerate(expected)]
    expected += [("count", "Integer", 12), ("valid", "Boolean", 0), ("nominalrange", "Real", 0)]
    found = {s.get("name"): (value_type(s).tag, int(s.get("valueReference"))) for s in scalars}
    for name, kind, reference in expected:
        assert found[name] == (kind, reference), name
    assert {s.get("name") for s in scalars[:15]} == {name for name, _, _ in expected}


def test_our_variables_come_after_them(scalars: list[ElementTree.Element]) -> None:
    kinds = {s.get("name"): (s.get("causality"), value_type(s).tag) for s in scalars}
    parameters = {
        "Boolean": ["replay.enabled", "replay.loop", "replay.strict", "objects.enabled"],
        "String": ["replay.scenarioFile", "replay.timeUnit", "imu.axes"],
        "Real": ["replay.startDelay", *(f"mounting.{part}" for part in ("x", "y", "z", "roll", "pitch", "yaw"))],
        "Integer": ["sensorId"],
    }
    outputs = {
        "Boolean": ["replay.finished"],
        "Integer": ["replay.loops", "replay.rows", "replay.rejectedRows", "gps.satellites", "gps.fixQuality"],
        "Real": [
            *(
                f"{s}.{axis}"
                for s in ("accelerometer", "gyroscope", "gyroscope.deltaAngle", "magnetometer")
                for axis in "xyz"
            ),
            "barometer.pressure",
            "barometer.temperature",
            "thermometer.temperature",
            *(f"gps.{n}" for n in ("latitude", "longitude", "altitude", "ellipsoidAltitude", "utc", "hdop", "vdop")),
            *(f"gps.{n}" for n in ("groundSpeed", "heading", "headingOffset", "headingAccuracy")),
            *(f"gps.velocity.{n}" for n in ("north", "east", "down")),
            *(f"gps.accuracy.{n}" for n in ("horizontal", "vertical", "velocity")),
        ],
    }
    sensors = ("accelerometer", "barometer", "gps", "gyroscope", "magnetometer", "thermometer")
    outputs["Real"] += [f"{s}.time" for s in sensors]
    outputs["Integer"] += [f"{s}.count" for s in sensors]
    for causality, table in (("parameter", parameters), ("output", outputs)):
        for kind, names in table.items():
            for name in names:
                assert kinds.get(name) == (causality, kind), name


def test_every_variable_is_described_and_every_quantity_has_a_unit(
    root: ElementTree.Element, scalars: list[ElementTree.Element]
) -> None:
    assert [s.get("name") for s in scalars if not s.get("description")] == []
    units = {u.get("name") for u in root.findall("UnitDefinitions/Unit")}
    used = {value_type(s).get("unit") for s in scalars} - {None}
    assert used == units, "every unit that is used is declared, and no other"
    bare = {s.get("name") for s in scalars if value_type(s).tag == "Real" and not value_type(s).get("unit")}
    assert bare == set()


def test_value_references_count_up_per_type(scalars: list[ElementTree.Element]) -> None:
    seen: dict[str, list[int]] = {}
    for scalar in scalars:
        seen.setdefault(value_type(scalar).tag, []).append(int(scalar.get("valueReference")))
    for kind, references in seen.items():
        assert sorted(references) == list(range(len(references))), kind


def test_model_structure_is_complete(root: ElementTree.Element, scalars: list[ElementTree.Element]) -> None:
    index = {s.get("name"): i for i, s in enumerate(scalars, 1)}
    outputs = [int(u.get("index")) for u in root.findall("ModelStructure/Outputs/Unknown")]
    assert outputs == [i for i, s in enumerate(scalars, 1) if s.get("causality") == "output"]
    initial = [int(u.get("index")) for u in root.findall("ModelStructure/InitialUnknowns/Unknown")]
    calculated = [
        i
        for i, s in enumerate(scalars, 1)
        if s.get("causality") == "calculatedParameter"
        or s.get("causality") == "output"
        and s.get("initial", "calculated") in ("calculated", "approx")
    ]
    assert initial == calculated
    request = root.find(
        f"ModelStructure/InitialUnknowns/Unknown[@index='{index['OSMPSensorViewInConfigRequest.size']}']"
    )
    dependencies = {int(i) for i in request.get("dependencies", "").split()}
    if request.get("dependencies") is not None:  # without the attribute it depends on everything
        assert index["nominalrange"] in dependencies
        assert {index[f"OSMPSensorViewInConfig.{role}"] for role in ROLES} <= dependencies


def test_gosmp_finds_the_binary_variables(folder: Path, fmu_file: Path) -> None:
    found = gosmp.variables(folder)
    assert gosmp.variables(fmu_file) == found
    expected = {name: (causality, message) for name, (causality, _, message) in PREFIXES.items()}
    expected |= {name: (causality, "") for name, (causality, _, _) in OTHERS.items()}
    assert {name: (v.causality, v.message_type) for name, v in found.items()} == expected
