"""A second, independent reader of simsensor CSV files, against which the FMU is checked. It shares
no code with the Go reader.

Rows are read, placed on the time axis and converted to SI units according to the description of the
format: the first row is published at the start, every other one after its distance from the
previous row, and a file without an end row starts over with distance 0. Lines that are not rows
(header, blank lines) are skipped. Anything else that cannot be read raises ValueError, because this
reader is for files that are expected to be good.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

#: Nanoseconds of one tick of the file.
TICK_NS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}

END = 0

#: Type id -> (sensor, outputs in the order of the columns with the factor from the file's unit to
#: SI).
SENSORS: dict[int, tuple[str, tuple[tuple[str, float], ...]]] = {
    1: ("accelerometer", (("x", 1e-3), ("y", 1e-3), ("z", 1e-3))),
    2: ("barometer", (("pressure", 1), ("temperature", 1))),
    4: (
        "gps",
        (
            ("altitude", 1e-3),
            ("latitude", 1e-9),
            ("longitude", 1e-9),
            ("utc", 1e-6),
            ("hdop", 1),
            ("vdop", 1),
            ("ellipsoidAltitude", 1e-3),
            ("groundSpeed", 1e-3),
            ("velocity.north", 1e-3),
            ("velocity.east", 1e-3),
            ("velocity.down", 1e-3),
            ("accuracy.horizontal", 1e-3),
            ("accuracy.vertical", 1e-3),
            ("accuracy.velocity", 1e-3),
            ("heading", 1e-3),
            ("headingOffset", 1e-3),
            ("headingAccuracy", 1e-3),
            ("satellites", 1),
            ("fixQuality", 1),
        ),
    ),
    8: (
        "gyroscope",
        (
            ("x", 1e-3),
            ("y", 1e-3),
            ("z", 1e-3),
            ("deltaAngle.x", 1e-6),
            ("deltaAngle.y", 1e-6),
            ("deltaAngle.z", 1e-6),
        ),
    ),
    16: ("magnetometer", (("x", 1e-7), ("y", 1e-7), ("z", 1e-7))),
    32: ("thermometer", (("temperature", 1),)),
}

_END_OF_TIME = 2**63  # ns: no row can be that far ahead
_UTC = 3  # column of a GPS row that the 18-field layout lacks


@dataclass(frozen=True)
class Row:
    """One row of the file."""

    line: int
    kind: int
    stamp: int | None  # in ticks; None for a bare end row
    fields: tuple[int, ...]

    @property
    def sensor(self) -> str:
        """The sensor's name, "" for the end row."""
        return SENSORS[self.kind][0] if self.kind != END else ""

    def values(self) -> dict[str, float]:
        """The row in SI units, by the name of the FMU's output, without fields that the row
        lacks."""
        sensor, columns = SENSORS[self.kind]
        if sensor == "gps" and len(self.fields) == len(columns) - 1:
            columns = columns[:_UTC] + columns[_UTC + 1 :]
        return {f"{sensor}.{name}": value * factor for (name, factor), value in zip(columns, self.fields)}


Report = Callable[[float], None]  #: takes the share of a file that has been read


def read(path: str | Path, report: Report | None = None) -> list[Row]:
    """All rows of a file up to and including the end row."""
    with open(path, encoding="utf-8-sig") as file:
        return list(parse(_reported(file, path, report)))


def _reported(lines: Iterable[str], path: str | Path, report: Report | None) -> Iterator[str]:
    """The lines of a file; calls report now and then."""
    size, done = max(1, os.path.getsize(path)), 0
    for number, line in enumerate(lines):
        done += len(line)
        if report and number % 10_000 == 0:
            report(min(1.0, done / size))
        yield line


def parse(lines: Iterable[str]) -> Iterator[Row]:
    """The rows of the lines of a file."""
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.strip().split(",")]
        if cells == [""] or number == 1 and cells[0][:1].lower() == "s":
            continue
        numbers = [int(cell) for cell in cells]
        kind, stamp = numbers[0], numbers[1] if len(numbers) > 1 else None
        if kind != END and (kind not in SENSORS or stamp is None):
            raise ValueError(f"line {number}: found {line.strip()!r}, expected a row")
        yield Row(number, kind, stamp, tuple(numbers[2:]))
        if kind == END:
            return


def schedule(rows: list[Row], unit: str, start_ns: int = 0, loop: bool = True) -> Iterator[tuple[int, Row]]:
    """The times at which rows are published, in nanoseconds of simulation time; endless for a file
    that loops.

    A row with a decreasing stamp is published at the time of the previous row, and distances
    continue from the highest stamp, so that no time is added. A loop without length yields one
    round.
    """
    tick, now = TICK_NS[unit], start_ns
    while True:
        begun, highest = now, None
        for row in rows:
            if row.kind == END:
                return
            if highest is not None and row.stamp > highest:
                now += (row.stamp - highest) * tick
            highest = row.stamp if highest is None else max(highest, row.stamp)
            yield now, row
        if not loop or now == begun:
            return


def due(rows: list[Row], unit: str, until_ns: int, start_ns: int = 0, loop: bool = True) -> list[tuple[int, Row]]:
    """The rows that have been published up to a time, of every round."""
    return list(itertools.takewhile(lambda entry: entry[0] <= until_ns, schedule(rows, unit, start_ns, loop)))


def duration_ns(rows: list[Row], unit: str) -> int:
    """The time from the first row to the last one."""
    return max((time_ns for time_ns, _ in schedule(rows, unit, loop=False)), default=0)


def length_ns(
    path: str | Path, unit: str, enough_ns: int | None = None, report: Report | None = None
) -> tuple[int, bool]:
    """The time from the first row to the last one of a file of any size, 0 without rows. Malformed
    rows are ignored.

    Reading ends early at a row that is enough_ns or more after the first one; the second value is
    then True. report is called now and then with the fraction of the file that has been read.
    """
    first = highest = None
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        for line in _reported(file, path, report):
            kind, stamp = _kind_and_stamp(line)
            if kind == END:
                break
            if kind not in SENSORS or stamp is None:
                continue
            if first is None:
                first = highest = stamp
            elif (stamp - highest) * TICK_NS[unit] < _END_OF_TIME:
                highest = max(highest, stamp)
            if enough_ns is not None and (highest - first) * TICK_NS[unit] >= enough_ns:
                return (highest - first) * TICK_NS[unit], True
    return (0 if first is None else (highest - first) * TICK_NS[unit]), False


def _kind_and_stamp(line: str) -> tuple[int | None, int | None]:
    """The first two cells of a line, None for a cell that is missing or not a number."""
    cells = line.split(",", 2)
    try:
        return int(cells[0]), int(cells[1]) if len(cells) > 1 else None
    except ValueError:
        return None, None


#: Seconds between the rows of a sensor: what is usual, and what is possible (docs/SIMSENSOR.md).
USUAL = {1: (1e-4, 0.5), 2: (2e-3, 5), 4: (1e-2, 10), 8: (1e-4, 0.5), 16: (1e-4, 0.5), 32: (0.1, 100)}
POSSIBLE = {1: (5e-5, 1), 2: (1e-3, 20), 4: (5e-3, 20), 8: (5e-5, 1), 16: (5e-5, 1), 32: (1e-3, 300)}


def found_unit(path: str | Path) -> str:
    """The unit that replay.timeUnit = "auto" detects in a file, by the rule in
    docs/SIMSENSOR.md."""
    stamps: dict[int, list[int]] = {kind: [] for kind in SENSORS}
    size = 0
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        for line in file:
            cells = line.split(",", 2)
            with contextlib.suppress(ValueError, IndexError, KeyError):
                if int(cells[0]) == END:
                    break
                stamps[int(cells[0])].append(int(cells[1]))
            before, size = size, size + len(line.encode("utf-8", errors="replace"))
            if before // 65536 != size // 65536 and (_majority(stamps) or size >= 1 << 20):
                break
    unit = _majority(stamps)
    return "ms" if unit in ("", "s") and (not unit or _fits(stamps, "ms")) else unit


def _distances(stamps: dict[int, list[int]]) -> dict[int, float]:
    """The mean distance of each sensor's rows in ticks, without the longest hundredth of the
    distances."""
    found = {}
    for kind, all_of in stamps.items():
        highest = list(itertools.accumulate(all_of, max))
        ordered = sorted(b - a for a, b in itertools.pairwise(highest))
        kept = ordered[: len(ordered) - math.ceil(len(ordered) / 100)]
        if len(all_of) >= 3 and sum(kept) > 0:
            found[kind] = sum(kept) / len(kept)
    return found


def _majority(stamps: dict[int, list[int]]) -> str:
    """The unit in which most sensors have a usual rate, "" if two units tie."""
    votes = {
        unit: sum(USUAL[kind][0] <= d * tick / 1e9 < USUAL[kind][1] for kind, d in _distances(stamps).items())
        for unit, tick in TICK_NS.items()
    }
    best = [unit for unit, count in votes.items() if count == max(votes.values())]
    return best[0] if len(best) == 1 else ""


def _fits(stamps: dict[int, list[int]], unit: str) -> bool:
    """Whether the rate of every sensor is possible in a unit."""
    tick = TICK_NS[unit] / 1e9
    return all(POSSIBLE[kind][0] <= d * tick <= POSSIBLE[kind][1] for kind, d in _distances(stamps).items())


def state_at(entries: Iterable[tuple[int, Row]]) -> dict[str, float]:
    """The newest value of every output after these rows, with <sensor>.count and <sensor>.time in
    seconds."""
    state: dict[str, float] = {}
    for time_ns, row in entries:
        update(state, time_ns, row)
    return state


def update(state: dict[str, float], time_ns: int, row: Row) -> None:
    """Adds one row to the state of the outputs."""
    state.update(row.values())
    state[f"{row.sensor}.time"] = time_ns / 1e9
    state[f"{row.sensor}.count"] = state.get(f"{row.sensor}.count", 0) + 1
