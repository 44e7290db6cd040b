"""The second reader, with which the FMU is compared, follows the description of the format."""

from __future__ import annotations

from pathlib import Path

import pytest

import simsensor_rows
from simsensor_rows import due, duration_ns, length_ns, parse, schedule, state_at


def rows(text: str) -> list[simsensor_rows.Row]:
    return list(parse(text.splitlines()))


def test_S3_units_are_converted_to_si() -> None:
    text = "1,0,1000,-2000,3000\n2,0,101325,290\n8,0,1,2,3,1000000,2,3\n16,0,200,0,-1\n32,0,288\n"
    state = state_at(due(rows(text), "ms", 0))
    assert state["accelerometer.y"] == -2.0
    assert state["barometer.pressure"] == 101325
    assert state["gyroscope.deltaAngle.x"] == 1.0
    assert state["magnetometer.x"] == pytest.approx(2e-5)
    assert state["thermometer.temperature"] == 288


def test_S3_gps_has_19_fields_or_18_without_utc() -> None:
    long = "4,0,95000,53202132333,22057384666,91417001984,140,216,31299,26,27,1,2,356,550,11,100,3,4,8,1"
    short = ",".join(cell for i, cell in enumerate(long.split(",")) if i != 5)
    a, b = (rows(text)[0].values() for text in (long, short))
    assert a.pop("gps.utc") == pytest.approx(91417.001984)
    assert a == b
    assert a["gps.latitude"] == pytest.approx(53.202132333, abs=1e-12)
    assert (a["gps.heading"], a["gps.satellites"], a["gps.fixQuality"]) == (0.1, 8, 1)


def test_S4_header_blank_lines_and_leading_blanks() -> None:
    assert [r.stamp for r in rows("SensorID,Timestamp,Field1\n\n 2, 7, 1000, 293\r\n")] == [7]
    assert [r.stamp for r in rows("sensor,timestamp\n32,8,290")] == [8]


def test_S5_S6_the_first_row_comes_at_the_start_and_the_others_after_their_distance() -> None:
    times = [t for t, _ in schedule(rows("32,5000,1\n32,5010,2\n32,5030,3\n0\n"), "ms", 10**9)]
    assert times == [10**9, 10**9 + 10_000_000, 10**9 + 30_000_000]


def test_S7_equal_stamps_are_both_there_and_decreasing_ones_add_no_time() -> None:
    times = [t for t, _ in schedule(rows("32,10,1\n32,10,2\n32,4,3\n32,6,4\n32,11,5\n0\n"), "s")]
    assert times == [0, 0, 0, 0, 10**9]


def test_S8_a_file_without_end_starts_over_without_a_gap() -> None:
    text = "sensor,timestamp\n2,50,1230,365\n1,60,50,60,70\n2,90,5000,301\n"
    barometer = [t // 10**6 for t, row in due(rows(text), "ms", 120 * 10**6) if row.sensor == "barometer"]
    assert barometer == [0, 40, 40, 80, 80, 120, 120]


def test_S9_nothing_comes_after_the_end_row() -> None:
    assert len(rows("32,0,1\n0\n32,5,2\n")) == 2
    assert len(due(rows("32,0,1\n0\n"), "ms", 10**12)) == 1
    assert duration_ns(rows("32,0,1\n32,7,1\n0\n"), "us") == 7000


def test_a_loop_without_length_ends() -> None:
    assert len(list(schedule(rows("32,0,1\n32,0,2\n"), "ms"))) == 2


@pytest.mark.parametrize("text", ["3,0,1,2,3", "x,0,1", "1,0,1.5,2,3", "32"])
def test_bad_rows_are_no_rows(text: str) -> None:
    with pytest.raises(ValueError):
        rows("SensorID,Timestamp\n" + text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SensorID,Timestamp\n32,500,280\n32,540,281\n", 40),
        ("\ufeff32,5,1\n32,9,2\n32,7,3\n0\n32,100,4\n", 4),
        ("32,5,1\n3,50,1\nx\n32\n32,y,1\n32,12,z\n\n", 7),
        ("32,5,1\n32,99999999999999999999,1\n32,6,1\n", 1),
        ("32,5,1\n", 0),
        ("SensorID,Timestamp\n", 0),
        ("", 0),
    ],
)
def test_the_length_of_a_file_with_malformed_rows(tmp_path: Path, text: str, expected: int) -> None:
    path = tmp_path / "scenario.csv"
    path.write_text(text, encoding="utf-8")
    assert length_ns(path, "ms") == (expected * 1_000_000, False)


def test_the_length_of_a_large_file_is_read_as_far_as_it_matters(tmp_path: Path) -> None:
    path = tmp_path / "scenario.csv"
    path.write_text("SensorID,Timestamp\n32,5,1\n32,9,2\n32,20,3\n32,99,4\n", encoding="utf-8")
    shares: list[float] = []
    assert length_ns(path, "ms", enough_ns=15_000_000, report=shares.append) == (15_000_000, True)
    assert length_ns(path, "ms", enough_ns=95_000_000) == (94_000_000, False)
    assert shares and all(0 <= share <= 1 for share in shares)
