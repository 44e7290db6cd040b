"""A ring of two FMUs, sensor and Partner, in importers that connect variables: SensorView one way, SensorData the
other. All of them hand over what was published one step before, when the producer has already stepped on: the bytes
must still be there."""

from __future__ import annotations

import itertools
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from osi3.osi_sensordata_pb2 import SensorData

import sensorviews
from conftest import STEPS, Process, need
from osi_rules import Rules
from traces import OUT, PARTNER_IN, PARTNER_OUT, VIEW_IN, Link, triple

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
