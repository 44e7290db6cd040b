"""What run_demo.py prints: progress while it runs, the table at the end."""

from __future__ import annotations

import statistics
import sys
import time

import simsensor_rows
from demo_run import Run, Scenario

_QUIET = 2.0  # s: a run shorter than this shows no progress
_RHYTHM = {True: 0.2, False: 10.0}  # s between progress lines, on a terminal and in a log file


class Progress:
    """Says how far a long run has come, on stderr: one line that renews itself on a terminal, a line now and then in a log."""

    def __init__(self, start: float, stop: float) -> None:
        self._start, self._stop = start, stop
        self._begun = time.monotonic()
        self._next = self._begun + _QUIET
        self._terminal = sys.stderr.isatty()
        self._shown = False

    def show(self, now: float) -> None:
        """Called after every step."""
        clock = time.monotonic()
        if clock < self._next:
            return
        self._next, self._shown = clock + _RHYTHM[self._terminal], True
        share = (now - self._start) / (self._stop - self._start)
        left = (clock - self._begun) * (1 - share) / share if share > 0 else 0
        text = f"  {share:4.0%}  simulated {now:.1f} s of {self._stop:g} s, about {left:.0f} s to go"
        print(
            f"\r{text:<78}" if self._terminal else text, end="" if self._terminal else "\n", file=sys.stderr, flush=True
        )

    def done(self) -> None:
        """Clears the line."""
        if self._shown and self._terminal:
            print(f"\r{'':<78}\r", end="", file=sys.stderr, flush=True)


def print_report(run: Run, scenario: Scenario) -> bool:
    """Prints the table. Returns whether every row that was due has been accounted for, True when that cannot be known."""
    last = run.last
    due = None
    if scenario.rows is not None:
        due = simsensor_rows.due(scenario.rows, scenario.unit, round(last["time"] * 1e9), round(run.start * 1e9))
    _line("steps", f"{run.steps}")
    _line(
        "messages",
        f"{run.messages}, {run.octets / 1e6:.2f} MB, on average {run.octets / run.messages:.0f} bytes, "
        f"largest {run.largest}",
    )
    print()
    _print_sensors(last, due)
    print()
    complete = _print_rows(last, scenario, due)
    _line("loops", f"{last.get('replay.loops', '-')}")
    _line("finished", "yes, the end row was reached" if last.get("replay.finished") else "no")
    _line("last position", _position(last))
    _line("time per step", f"FMU {_spread(run.fmu_seconds)}")
    _line("", f"decoding {_spread(run.decode_seconds)}")
    spent = sum(run.fmu_seconds)
    _line(
        "",
        f"FMU in all {spent:.3f} s, {(last['time'] - run.start) / max(spent, 1e-9):,.0f} times faster than real time",
    )
    return complete


def _line(label: str, text: str) -> None:
    print(f"  {label:<16}{text}")


def _print_sensors(last: dict, due: list | None) -> None:
    print(f"  {'sensor':<16}{'samples':>9}{'due':>9}   newest at")
    for name, _ in simsensor_rows.SENSORS.values():
        expected = "-" if due is None else sum(row.sensor == name for _, row in due)
        count = last.get(f"{name}.count", 0)
        newest = f"{last[f'{name}.time']:.6f} s" if count and f"{name}.time" in last else "-"
        print(f"  {name:<16}{count:>9}{expected:>9}   {newest}")


def _print_rows(last: dict, scenario: Scenario, due: list | None) -> bool:
    published, rejected = last.get("replay.rows", 0), last.get("replay.rejectedRows", 0)
    if due is None:
        _line("rows", f"{published} published, {rejected} rejected; not checked, because {scenario.problem}")
        return True
    in_file = sum(row.kind != simsensor_rows.END for row in scenario.rows)
    _line(
        "rows",
        f"{published} published, {rejected} rejected; {len(due)} were due by {last['time']:g} s, {in_file} in the file",
    )
    if published + rejected == len(due):
        rest = in_file - len(due)
        _line(
            "",
            "every row is accounted for, " + (f"{rest} come after the stop" if rest > 0 else "to the end of the file"),
        )
        return True
    _line("", f"NOT ACCOUNTED FOR: {len(due) - published - rejected} rows")
    return False


def _position(last: dict) -> str:
    if not last.get("gps.count"):
        return "no GPS sample"
    lat, lon = last["gps.latitude"], last["gps.longitude"]
    return (
        f"{abs(lat):.7f}° {'north' if lat >= 0 else 'south'}, {abs(lon):.7f}° {'east' if lon >= 0 else 'west'}, "
        f"{last['gps.altitude']:.3f} m above mean sea level"
    )


def _spread(seconds) -> str:
    """Median, 99th percentile and largest value of wall times."""
    ordered = sorted(seconds)
    high = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return f"median {statistics.median(ordered) * 1e6:.0f} µs, 99 % below {high * 1e6:.0f} µs, longest {ordered[-1] * 1e6:.0f} µs"
