"""A ring of two FMUs, sensor and Partner, in importers that connect variables: SensorView one way,
SensorData the other. Each importer passes on what was published one step earlier, after the
producer has made its next step. The bytes must still be valid."""

from __future__ import annotations

import csv
import itertools
import json
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from osi3.osi_sensordata_pb2 import SensorData

import sensorviews
from conftest import STEPS, TOOLS, Process, need
from osi_rules import Rules
from traces import OUT, PARTNER_IN, PARTNER_OUT, STEP, VIEW_IN, Link, triple

SENSOR_VIEW = 8  # field of SensorData


@pytest.fixture(scope="module")
def expected(fmu: Path, partner: Path, python: Callable[..., Process]) -> list[Link]:
    """The ring in FMPy, connected by hand."""
    return [Link(**link) for link in python("in_fmpy.py", "ring", fmu, partner, STEPS).result()]


def test_the_reference_is_one_step_late(expected: list[Link]) -> None:
    assert len(expected) == STEPS
    for before, now in itertools.pairwise(expected):
        assert sensorviews.payloads(bytes.fromhex(now.data), SENSOR_VIEW) == [bytes.fromhex(before.view)]
        assert now.crc32 & 0xFFFFFFFF == zlib.crc32(bytes.fromhex(before.data))
    assert [link.messages for link in expected] == list(range(STEPS))
    assert len({len(link.view) for link in expected}) > 10, "SensorViews grow and shrink"


def test_every_connected_message_obeys_the_rules(expected: list[Link], rules: Rules) -> None:
    for link in expected[::7]:
        assert rules.violations(SensorData.FromString(bytes.fromhex(link.data))) == []


@pytest.mark.parametrize("importer", ["libcosimpy", "ecospy"])
def test_rings(importer: str, fmu: Path, partner: Path, python: Callable[..., Process], expected: list[Link]) -> None:
    need(importer)
    assert [Link(**link) for link in python(f"in_{importer}.py", "ring", fmu, partner, STEPS).result()] == expected


@pytest.mark.parametrize("threads", [[], ["-mt"]], ids=["one thread", "threads"])
def test_a_container_of_both(
    threads: list[str], fmu: Path, partner: Path, python: Callable[..., Process], expected: list[Link], tmp_path: Path
) -> None:
    need("fmu-manipulation-toolbox")
    lines = [f"FMU;{fmu.name};;;", f"FMU;{partner.name};;;"]
    for a, out, b, into in ((partner.name, PARTNER_OUT, fmu.name, VIEW_IN), (fmu.name, OUT, partner.name, PARTNER_IN)):
        lines += [f"LINK;{a};{x};{b};{y}" for x, y in zip(triple(out), triple(into), strict=True)]
        lines += [f"OUTPUT;{a};{x};;" for x in triple(out)]
    lines += [f"OUTPUT;{fmu.name};count;;", f"OUTPUT;{partner.name};received.messages;;"]
    lines += [f"OUTPUT;{partner.name};received.crc32;;"]
    (tmp_path / "pair.csv").write_text("\n".join(["rule;from_fmu;from_port;to_fmu;to_port", *lines]))
    for path in (fmu, partner):
        (tmp_path / path.name).symlink_to(path)
    tool = Path(sys.executable).with_name("fmucontainer")
    words = [tool, "-container", "pair.csv:0.02", "-fmu-directory", ".", "-fmi", "2", "-no-auto-output", *threads]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    found = python("in_container.py", "ring", tmp_path / "pair.fmu", STEPS).result()
    assert [Link(**link) for link in found] == expected


def test_a_ring_in_maestro(fmu: Path, partner: Path, expected: list[Link], tmp_path: Path) -> None:
    """Maestro records plain outputs only, and its process ends with the run, so checksums replace
    the bytes."""
    need("maestro")
    sensor, other = "{sensor}.a", "{partner}.b"  # {key of the FMU}.instance
    links = zip([*triple(PARTNER_OUT), *triple(OUT)], [*triple(VIEW_IN), *triple(PARTNER_IN)], strict=True)
    ends = [(other, sensor)] * 3 + [(sensor, other)] * 3
    model = {
        "fmus": {"{sensor}": fmu.as_uri(), "{partner}": partner.as_uri()},
        "connections": {f"{a}.{x}": [f"{b}.{y}"] for (a, b), (x, y) in zip(ends, links, strict=True)},
        "parameters": {},
        "logVariables": {sensor: ["count"], other: ["received.messages", "received.crc32"]},
        "algorithm": {"type": "fixed-step", "size": STEP},
        "startTime": 0,
        "endTime": (STEPS + 1.5) * STEP,  # it accumulates time, and makes no step that would end later
    }
    (tmp_path / "ring.json").write_text(json.dumps(model))
    java = ["java", f"-Djava.io.tmpdir={tmp_path}", "-cp", f"{TOOLS}/maestro/lib/*", "org.intocps.maestro.Main"]
    words = ["import", "-i", "-if", "-output", "out", "Sg1", "ring.json"]
    Process([*java, *words], cwd=tmp_path).good()  # it writes a log to the working directory
    with open(tmp_path / "out" / "outputs.csv", newline="") as file:
        rows = list(csv.DictReader(file))[1 : STEPS + 1]  # the first row precedes the first step
    names = (f"{sensor}.count", f"{other}.received.messages", f"{other}.received.crc32")
    found = [tuple(int(row[name]) for name in names) for row in rows]
    assert found == [(link.count, link.messages, link.crc32) for link in expected]
