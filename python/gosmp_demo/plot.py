"""The picture of a run, with one panel per question. All panels over time share one axis."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable
from typing import BinaryIO

from matplotlib.axes import Axes
from matplotlib.figure import Figure

#: What the picture needs of every step, by column name of the CSV file.
COLUMNS = (
    *(f"accelerometer.{axis}" for axis in "xyz"),
    *(f"osi.acceleration.{axis}" for axis in "xyz"),
    *(f"gyroscope.{axis}" for axis in "xyz"),
    *(f"magnetometer.{axis}" for axis in "xyz"),
    "barometer.pressure",
    "barometer.temperature",
    "thermometer.temperature",
    "gps.latitude",
    "gps.longitude",
    "gps.altitude",
    "gps.groundSpeed",
    "gps.velocity.north",
    "gps.velocity.east",
    "gps.velocity.down",
)

_X, _Y, _Z, _FOURTH = "#c1272d", "#2a9d5c", "#2362a8", "#8a8a8a"
_EARTH_RADIUS = 6371008.8  # m, mean; good to 0.5 % for a local track
_MOST_POINTS = 20000  # per line; more would only slow down viewers


class Traces:
    """The columns of the picture, in memory: one value per step, nan if there is none. Long runs
    are thinned out."""

    def __init__(self, steps: int, start: float = 0.0) -> None:
        self.start = start
        self.every = max(1, math.ceil(steps / _MOST_POINTS))
        self.time = array("d")
        self.columns = {name: array("d") for name in COLUMNS}
        self._seen = 0

    def add(self, time: float, row: dict[str, float]) -> None:
        """Adds one step; row may lack columns."""
        self._seen += 1
        if (self._seen - 1) % self.every == 0:
            self.time.append(time)
            for name, values in self.columns.items():
                values.append(row.get(name, math.nan))

    def get(self, name: str, factor: float = 1, offset: float = 0) -> list[float]:
        """One column, scaled for display."""
        return [value * factor + offset for value in self.columns[name]]

    def has(self, names: Iterable[str]) -> bool:
        """Whether these columns contain any value."""
        return any(not math.isnan(value) for name in names for value in self.columns[name])


def draw(file: BinaryIO, traces: Traces, title: str, subtitle: str) -> None:
    """Writes the picture as PNG."""
    figure = make(traces, title, subtitle)
    figure.savefig(file, format="png")


def make(traces: Traces, title: str, subtitle: str) -> Figure:
    """The picture. Every panel except the track covers the whole run, even if its sensor sends
    nothing for part of it."""
    figure = Figure(figsize=(14, 15), dpi=110, layout="constrained")
    axes = figure.subplots(4, 2)
    figure.get_layout_engine().set(rect=(0, 0, 1, 0.955))
    figure.suptitle(title, y=0.992, fontsize=15, fontweight="bold")
    figure.text(0.5, 0.965, subtitle, ha="center", fontsize=10, color="#555555")
    _vector(
        axes[0, 0],
        traces,
        "accelerometer",
        "Accelerometer, sensor axes (forward, right, down)",
        "specific force [m/s²]",
    )
    _vector(
        axes[0, 1],
        traces,
        "osi.acceleration",
        "OSI vehicle motion, gravity removed (forward, left, up)",
        "acceleration [m/s²]",
    )
    _vector(axes[1, 0], traces, "gyroscope", "Gyroscope, sensor axes", "rate [rad/s]")
    _vector(axes[1, 1], traces, "magnetometer", "Magnetometer, sensor axes", "flux density [µT]", 1e6)
    _air(axes[2, 0], traces)
    _speed(axes[2, 1], traces)
    _track(axes[3, 0], traces)
    _altitude(axes[3, 1], traces)
    first, *others = (panel for panel in axes.flat if panel is not axes[3, 0])
    for panel in others:
        panel.sharex(first)
    if traces.time:
        first.set_xlim(traces.start, traces.time[-1])
    return figure


def _vector(axes: Axes, traces: Traces, name: str, title: str, label: str, factor: float = 1) -> None:
    parts = [f"{name}.{axis}" for axis in "xyz"]
    if _panel(axes, traces, parts, title, label):
        for part, axis, colour in zip(parts, "xyz", (_X, _Y, _Z)):
            axes.step(traces.time, traces.get(part, factor), where="post", color=colour, linewidth=0.9, label=axis)
        _legend(axes)


def _air(axes: Axes, traces: Traces) -> None:
    pressure, temperatures = "barometer.pressure", ("barometer.temperature", "thermometer.temperature")
    if not _panel(axes, traces, [pressure, *temperatures], "Air: pressure and temperature", "pressure [hPa]"):
        return
    right = axes.twinx()
    right.set_ylabel("temperature [°C]")
    right.spines["top"].set_visible(False)
    if traces.has([pressure]):
        axes.step(traces.time, traces.get(pressure, 0.01), where="post", color=_Z, linewidth=0.9, label="pressure")
    for name, colour in zip(temperatures, (_FOURTH, _X)):
        if traces.has([name]):
            label = f"temperature ({name.split('.')[0]})"
            right.step(
                traces.time, traces.get(name, 1, -273.15), where="post", color=colour, linewidth=1.2, label=label
            )
    for side in (axes, right):
        side.ticklabel_format(useOffset=False)
    handles = [line for side in (axes, right) for line in side.get_lines()]
    right.legend(handles=handles, loc="best", fontsize=8, framealpha=0.85)  # the right axes are drawn above the left ones


def _speed(axes: Axes, traces: Traces) -> None:
    parts = {
        "gps.groundSpeed": ("over ground", "black"),
        "gps.velocity.north": ("north", _X),
        "gps.velocity.east": ("east", _Y),
        "gps.velocity.down": ("down", _Z),
    }
    if _panel(axes, traces, parts, "GPS speed", "speed [m/s]"):
        for name, (label, colour) in parts.items():
            width = 1.4 if name == "gps.groundSpeed" else 0.9
            axes.step(traces.time, traces.get(name), where="post", color=colour, linewidth=width, label=label)
        _legend(axes)


def _track(axes: Axes, traces: Traces) -> None:
    """Latitude and longitude as metres east and north of the first fix."""
    if not _panel(axes, traces, ["gps.latitude"], "GPS track, local", "north of the start [m]"):
        return
    points = zip(traces.columns["gps.latitude"], traces.columns["gps.longitude"])
    fixes = [(lat, lon) for lat, lon in points if not math.isnan(lat)]
    lat0, lon0 = fixes[0]
    north = [math.radians(lat - lat0) * _EARTH_RADIUS for lat, _ in fixes]
    east = [math.radians(lon - lon0) * _EARTH_RADIUS * math.cos(math.radians(lat0)) for _, lon in fixes]
    axes.plot(east, north, color=_Z, linewidth=1.4)
    axes.plot(east[0], north[0], "o", color=_Y, label="start")
    axes.plot(east[-1], north[-1], "s", color=_X, label="end")
    axes.set_xlabel(f"east of the start [m]        start: {lat0:.6f}° north, {lon0:.6f}° east")
    axes.set_aspect("equal", adjustable="datalim")
    _legend(axes)


def _altitude(axes: Axes, traces: Traces) -> None:
    if _panel(axes, traces, ["gps.altitude"], "GPS altitude above mean sea level", "altitude [m]"):
        axes.step(traces.time, traces.get("gps.altitude"), where="post", color=_Z, linewidth=1.2)
        axes.ticklabel_format(useOffset=False)


def _panel(axes: Axes, traces: Traces, names: Iterable[str], title: str, label: str) -> bool:
    """Labels a panel. Returns whether there is anything to draw; without data the panel shows a
    note."""
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel("simulation time [s]")
    axes.set_ylabel(label)
    axes.grid(True, color="#dddddd", linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if traces.has(names):
        return True
    axes.text(0.5, 0.5, "no samples in this scenario", transform=axes.transAxes, ha="center", color="#888888")
    return False


def _legend(axes: Axes) -> None:
    axes.legend(loc="best", ncols=4, fontsize=8, framealpha=0.85)
