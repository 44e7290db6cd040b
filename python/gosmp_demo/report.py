"""The table that the demo prints at the end of a run."""

from __future__ import annotations

import statistics

from . import simsensor_rows
from .run import Run
from .scenario import Scenario


def print_report(run: Run, scenario: Scenario) -> bool:
    """Prints the table. Returns whether every expected row has arrived, or True if that cannot be
    determined."""
    last = run.last
    due = None
    if scenario.rows is not None:
        due = simsensor_rows.due(
            scenario.rows, scenario.unit, round(last["time"] * 1e9), round(run.start * 1e9), run.loop
        )
    _line("steps", f"{run.steps}" + (f" of {run.planned}: the run has ended early" if run.ended else ""))
    _line(
        "messages",
        f"{run.messages}, {run.octets / 1e6:.2f} MB, on average {run.octets / run.messages:.0f} bytes, "
        f"largest {run.largest}",
    )
    print()
    _print_sensors(last, due)
    print()
    complete = _print_rows(last, scenario, due)
    _line("rounds", _rounds(last, scenario, run))
    _line("finished", "yes, no row will follow" if last.get("replay.finished") else "no")
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
        reach = f"{rest} come after the stop" if rest > 0 else "to the end of the file"
        if rest < 0:
            reach = f"{len(due) // in_file} times the whole file and {len(due) % in_file} rows"
        _line("", f"every row is accounted for, {reach}")
        return True
    _line("", f"NOT ACCOUNTED FOR: {len(due) - published - rejected} rows")
    return False


def _rounds(last: dict, scenario: Scenario, run: Run) -> str:
    """How many times the file has been started."""
    rounds = f"{last['replay.loops'] + 1}" if "replay.loops" in last else "-"
    if scenario.rows is None or scenario.ends:
        return rounds
    again = "the file has no end row, so it starts over" if run.loop else "STOP= plays more of them"
    return f"{rounds}; {again}"


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
