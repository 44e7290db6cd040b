"""The picture of a run: one panel for each question, with a common time axis."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_COLOURS = ("#c1272d", "#2a9d5c", "#2362a8", "#8a8a8a")
_EARTH_RADIUS = 6371008.8  # m, mean; good to 0.5 % for a local track
_MOST_POINTS = 20000  # per line; more would only slow down viewers

#: Title, label of the axis, and for each line its column, name, factor and offset.
_PANELS = (
    (
        "Accelerometer, sensor axes (forward, right, down)",
        "specific force [m/s²]",
        [(f"accelerometer.{axis}", axis, 1, 0) for axis in "xyz"],
    ),
    (
        "OSI vehicle motion, gravity removed (forward, left, up)",
        "acceleration [m/s²]",
        [(f"osi.acceleration.{axis}", axis, 1, 0) for axis in "xyz"],
    ),
    ("Gyroscope, sensor axes", "rate [rad/s]", [(f"gyroscope.{axis}", axis, 1, 0) for axis in "xyz"]),
    ("Magnetometer, sensor axes", "flux density [µT]", [(f"magnetometer.{axis}", axis, 1e6, 0) for axis in "xyz"]),
    ("Air pressure", "pressure [hPa]", [("barometer.pressure", "barometer", 0.01, 0)]),
    (
        "Air temperature",
        "temperature [°C]",
        [(f"{sensor}.temperature", sensor, 1, -273.15) for sensor in ("barometer", "thermometer")],
    ),
    (
        "GPS speed",
        "speed [m/s]",
        [
            ("gps.velocity.north", "north", 1, 0),
            ("gps.velocity.east", "east", 1, 0),
            ("gps.velocity.down", "down", 1, 0),
            ("gps.groundSpeed", "over ground", 1, 0),
        ],
    ),
)


def make(result: np.ndarray, title: str, subtitle: str) -> Figure:
    """The picture of a run's columns."""
    result = result[:: -(-len(result) // _MOST_POINTS)]
    figure = Figure(figsize=(14, 15), dpi=110, layout="constrained")
    *over_time, track = figure.subplots(4, 2).flat
    figure.get_layout_engine().set(rect=(0, 0, 1, 0.955))
    figure.suptitle(title, y=0.992, fontsize=15, fontweight="bold")
    figure.text(0.5, 0.965, subtitle, ha="center", fontsize=10, color="#555555")
    for axes, (heading, label, lines) in zip(over_time, _PANELS):
        axes.sharex(over_time[0])
        axes.set_xlabel("simulation time [s]")
        _frame(axes, heading, label, [_line(axes, result, colour, *line) for colour, line in zip(_COLOURS, lines)])
    over_time[0].set_xlim(0, result["time"][-1])
    _frame(track, "GPS track, local", "north of the start [m]", [_track(track, result)])
    return figure


def _line(axes: Axes, result: np.ndarray, colour: str, column: str, name: str, factor: float, offset: float) -> bool:
    """Draws a column from the first sample of its sensor on. Returns whether there are samples."""
    sensor = column.split(".")[0]
    sent = ~np.isnan(result[column]) if sensor == "osi" else result[f"{sensor}.count"] > 0
    if sent.any():
        values = result[column][sent] * factor + offset
        axes.step(result["time"][sent], values, where="post", color=colour, linewidth=0.9, label=name)
    return bool(sent.any())


def _track(axes: Axes, result: np.ndarray) -> bool:
    """Draws latitude and longitude as metres north and east of the first fix."""
    fixes = result[result["gps.count"] > 0]
    if not len(fixes):
        return False
    latitude, longitude = fixes["gps.latitude"], fixes["gps.longitude"]
    north = np.radians(latitude - latitude[0]) * _EARTH_RADIUS
    east = np.radians(longitude - longitude[0]) * _EARTH_RADIUS * np.cos(np.radians(latitude[0]))
    axes.plot(east, north, color=_COLOURS[2], linewidth=1.4)
    axes.plot(east[0], north[0], "o", color=_COLOURS[1], label="start")
    axes.plot(east[-1], north[-1], "s", color=_COLOURS[0], label="end")
    axes.set_xlabel(f"east of the start [m]        start: {latitude[0]:.6f}°, {longitude[0]:.6f}°")
    axes.set_aspect("equal", adjustable="datalim")
    return True


def _frame(axes: Axes, title: str, label: str, drawn: list[bool]) -> None:
    """Labels a panel; a note replaces lines without data."""
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_ylabel(label)
    axes.ticklabel_format(useOffset=False)
    axes.grid(True, color="#dddddd", linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if any(drawn):
        axes.legend(loc="best", ncols=4, fontsize=8, framealpha=0.85)
    else:
        axes.text(0.5, 0.5, "no samples in this scenario", transform=axes.transAxes, ha="center", color="#888888")
