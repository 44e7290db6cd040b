"""The messages of `gosmp simulate` obey OSI's own rules: decoded by osi-python, checked with
betterosi's rules."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from osi3.osi_sensorview_pb2 import SensorView

from conftest import ROOT
from osi_rules import Rules

MAPS = sorted((ROOT / "examples" / "maps").glob("*.xodr"))

# These lists of neighbours and boundaries would need elements that no map can provide: the
# outermost lanes have no neighbour, and only lanes of junctions have free boundaries.
IMPOSSIBLE = {
    "centerline",
    "centerline_is_driving_direction",
    "left_adjacent_lane_id",
    "right_adjacent_lane_id",
    "lane_pairing",
    "right_lane_boundary_id",
    "left_lane_boundary_id",
    "free_lane_boundary_id",
}


def messages(path: Path) -> Iterator[SensorView]:
    data = path.read_bytes()
    while data:
        (size,) = struct.unpack_from("<I", data)
        yield SensorView.FromString(data[4 : 4 + size])
        data = data[4 + size :]


def possible(violation: str) -> bool:
    place = violation.split(" is not set", 1)[0]
    return not (".lane" in place and place.rsplit(".", 1)[-1] in IMPOSSIBLE)


def test_the_maps_are_there() -> None:
    assert {path.stem for path in MAPS} == {"crossing", "hills", "left", "motorway"}


@pytest.mark.parametrize("path", MAPS, ids=lambda path: path.stem)
def test_messages_obey_the_rules(path: Path, program: Path, rules: Rules, tmp_path: Path) -> None:
    trace = tmp_path / "views.osi"
    done = subprocess.run(
        [str(program), "simulate", str(path), "--actors", "12", "--duration", "0.1", "--trace", str(trace)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    views = list(messages(trace))
    assert len(views) == 5
    first = views[0]
    truth = first.global_ground_truth
    assert len(truth.moving_object) == 13
    assert truth.lane and truth.logical_lane and truth.reference_line
    assert [text for text in rules.violations(first) if possible(text)] == []
    last = views[-1]  # it refers to lanes of the first view
    for kind in ("lane", "lane_boundary", "logical_lane", "logical_lane_boundary", "reference_line"):
        getattr(last.global_ground_truth, kind).MergeFrom(getattr(truth, kind))
    assert [text for text in rules.violations(last) if possible(text)] == []
