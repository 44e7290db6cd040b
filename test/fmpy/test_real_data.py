"""Real recordings, which are not part of the repository: skipped if they are missing (see the
fixture real_data)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gosmp
import sensorviews
import simsensor_rows
from host import OK, SENSOR_VIEW_IN, Host
from osi_rules import Rules

LOGS = {
    "derived_hover_sorted_us.csv": ("us", 45_776, True),
    "derived_hover_gps_baro_ms.csv": ("ms", 1_193, True),
    "derived_hover_gps18_ms.csv": ("ms", 204, False),
}
TRACES = [
    "20230623T142745Z_sv_350_32112_100.osi",
    "20240618T122540Z_sv_370_244_20_minimal_valid_example.osi",
    "20240221T141700Z_sv_300_2112_10_one_moving_object.osi",
]


def log_of(real_data: Path, name: str) -> Path:
    path = real_data / "simsensor" / name
    if not path.is_file():
        pytest.skip(f"there is no {path}")
    return path


def messages(path: Path) -> Iterator[bytes]:
    """The messages of an .osi trace: each is preceded by its length, 32 bits little-endian."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        (size,) = struct.unpack_from("<L", data, at)
        yield data[at + 4 : at + 4 + size]
        at += 4 + size


@pytest.mark.parametrize("name", LOGS)
def test_every_row_of_a_flight_log_is_accounted_for(host: Host, rules: Rules, real_data: Path, name: str) -> None:
    unit, total, ends = LOGS[name]
    path = log_of(real_data, name)
    rows = simsensor_rows.read(path)
    assert sum(row.kind != simsensor_rows.END for row in rows) == total
    assert simsensor_rows.found_unit(path) == unit
    host.initialize({"replay.scenarioFile": str(path), "replay.timeUnit": "auto"})
    entries = simsensor_rows.schedule(rows, unit)
    upcoming = next(entries)
    state: dict[str, float] = {}
    published = 0
    for k in range(2100 if ends else 4100):  # 42 s; the file without end row is played twice
        host.steps(1)
        while upcoming and upcoming[0] <= host.now_ns:
            simsensor_rows.update(state, *upcoming)
            published += 1
            upcoming = next(entries, None)
        assert host.get("replay.rows") == published
        if k % 100 == 0:
            assert rules.violations(host.message()) == []
            found = host.outputs()
            for output, value in state.items():
                assert found[output] == pytest.approx(value, rel=1e-12, abs=1e-15), (host.now_ns, output)
    assert host.get("replay.rejectedRows") == 0
    assert host.get("replay.finished") is ends
    assert published == total if ends else published > 1.9 * total


@pytest.mark.parametrize(
    ("name", "rows", "finished"),
    [("scenario1.csv", 1, True), ("scenario2.csv", 3, True), ("scenario3.csv", None, False)],
)
def test_files_of_the_formats_author(host: Host, real_data: Path, name: str, rows: int | None, finished: bool) -> None:
    path = log_of(real_data, name)
    host.initialize({"replay.scenarioFile": str(path), "replay.timeUnit": "us"})
    host.steps(3, 0.000_1)
    expected = simsensor_rows.due(simsensor_rows.read(path), "us", host.now_ns)
    assert host.get("replay.rows") == len(expected)
    assert rows is None or len(expected) == rows
    assert host.get("replay.finished") is finished
    assert host.get("replay.rejectedRows") == 0


def test_S13_the_documented_example_as_it_stands(host: Host, real_data: Path) -> None:
    path = log_of(real_data, "seed_example.csv")
    host.initialize({"replay.scenarioFile": str(path), "replay.timeUnit": "us", "replay.strict": True})
    host.steps(1, 0.010_016)
    assert host.get("replay.rows") == 8
    assert host.get("accelerometer.z") == pytest.approx(-9.788)
    assert len(host.problems()) == 2, "short gyroscope rows, long accelerometer rows"


def test_a_flight_log_in_the_wrong_unit_is_noticed(host: Host, real_data: Path) -> None:
    host.initialize({"replay.scenarioFile": str(log_of(real_data, "derived_hover_sorted_us.csv"))})
    assert ["us" in line.text for line in host.problems()] == [True]


@pytest.mark.parametrize("name", TRACES)
def test_recorded_sensor_views_are_carried_byte_for_byte(
    new_host: Callable[..., Host], real_data: Path, name: str
) -> None:
    path = real_data / "osi" / name
    if not path.is_file():
        pytest.skip(f"there is no {path}")
    host: Any = new_host().initialize({"replay.enabled": False})
    for data in messages(path):
        gosmp.write(host.fmu, SENSOR_VIEW_IN, data)
        assert host.step(0.1) == OK
        assert sensorviews.payloads(host.raw(), 8) == [data]
        assert host.get("count") == len(host.message().moving_object)
    assert [line for line in host.problems() if line.category != "OSI"] == [], "only what is odd about the content"
