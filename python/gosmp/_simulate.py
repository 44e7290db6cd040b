"""gosmp.simulate: traffic on a map."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ._call import RunError, call, document, file_words, option_words
from ._run import _one


def simulate(
    map: str | os.PathLike[str],
    *,
    duration: float | None = None,
    step: float | None = None,
    actors: int | None = None,
    seed: int | None = None,
    speed: float | None = None,
    lane_changes: bool = False,
    range: float | None = None,
    trace: str | os.PathLike[str] | None = None,
    recording: str | os.PathLike[str] | None = None,
    picture: str | os.PathLike[str] | None = None,
    page: str | os.PathLike[str] | None = None,
    options: Sequence[Any] = (),
) -> dict[str, Any]:
    """Simulates a host vehicle and other traffic on an OpenDRIVE map.

    duration, step: in seconds. actors: vehicles in addition to the host vehicle. seed: of all random choices.
    speed: desired speed in m/s, by default the limits of the lanes.
    range: range of the messages in metres; 0 for everything.
    trace: writes a SensorView of each step (.mcap or .osi).
    recording: writes what the sensors of the host vehicle measure (.csv).
    picture, page: the final scene (.png, .svg, .pdf), and a page with a slider over the run (.html).

    Returns the summary: the events, the pose of the host vehicle, and so on. Raises RunError.
    """
    flags = ["--lane-changes"] if lane_changes else []
    for flag, value in (
        ("--duration", duration),
        ("--step", step),
        ("--actors", actors),
        ("--seed", seed),
        ("--speed", speed),
        ("--range", range),
        ("--trace", trace),
        ("--recording", recording),
        ("--picture", picture),
        ("--page", page),
    ):
        flags += _one(flag, value)
    called = call("simulate", *file_words(map), "--json", *flags, *option_words(options))
    if called.exit_code != 0:
        raise RunError(called)
    return document(called)
