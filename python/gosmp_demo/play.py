"""One run of the demo: fmpy.simulate_fmu steps the FMU and records its outputs, gosmp.read takes
the SensorData of each step, and osi-python decodes it.

A run that ends early, because of Ctrl-C or because a step fails, keeps what was computed.
"""

from __future__ import annotations

import argparse
import csv
import io
import signal
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import fmpy
import gosmp
import numpy as np
from fmpy.fmi1 import FMICallException
from google.protobuf.message import DecodeError
from gosmp._whole import whole
from osi3.osi_sensordata_pb2 import SensorData

from . import plot

_LONGEST = 600.0  # s, how long a scenario is played without --stop
_FAILED, _INTERRUPTED = 4, 130
_MOST_LINES = 40  # of the FMU's log, so that the table stays visible
_SENSORS = ("accelerometer", "barometer", "gps", "gyroscope", "magnetometer", "thermometer")

#: What is recorded from each message, in addition to the plain outputs.
_MESSAGE = (
    ("osi.bytes", np.int64),
    ("osi.timestamp", np.float64),
    *((f"osi.acceleration.{axis}", np.float64) for axis in "xyz"),
)


class Run:
    """What FMPy's callbacks collect during a run."""

    def __init__(self, start: float, stop: float, once: bool) -> None:
        self.start, self.stop, self._once = start, stop, once
        self.recorder: Any = None
        self.messages: list[tuple[float, ...]] = []
        self.interrupted = False
        self._lines = 0
        self._shown = time.monotonic() + 2

    def interrupt(self, _signal: int, _frame: Any) -> None:
        """Ends the run after the current step; a second Ctrl-C ends the program."""
        self.interrupted = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def log(self, _environment: Any, _instance: bytes, status: int, category: bytes, message: bytes) -> None:
        """Prints a message of the FMU."""
        self._lines += 1
        if self._lines <= _MOST_LINES:
            label = ("ok", "warning", "discard", "error", "fatal", "pending")[status]
            print(f"  [{label}] {category.decode()}: {message.decode('utf-8', 'replace')}", file=sys.stderr)
        elif self._lines == _MOST_LINES + 1:
            print("  ... further messages of the FMU are not shown", file=sys.stderr)

    def step(self, now: float, recorder: Any) -> bool:
        """Decodes the message of a step. Returns whether the run continues."""
        self.recorder = recorder
        data = gosmp.read(recorder, "OSMPSensorDataOut") or b""
        self.messages.append(_cells(data))
        if time.monotonic() > self._shown:
            self._shown += 5
            print(f"  simulated {now:.0f} s of {self.stop:g} s", file=sys.stderr, flush=True)
        finished = recorder.rows[-1][[name for name, *_ in recorder.cols].index("replay.finished")]
        return not self.interrupted and not (self._once and finished)

    def result(self) -> np.ndarray:
        """All plain outputs and the values from the messages, a row for each step."""
        plain = self.recorder.result()[1:]  # the first row is the start
        kept = [column for column in plain.dtype.descr if not column[0].startswith("OSMP")]
        result = np.empty(len(plain), dtype=[*kept, *_MESSAGE])
        for name, *_ in kept:
            result[name] = plain[name]
        for k, (name, _) in enumerate(_MESSAGE):
            result[name] = [cells[k] for cells in self.messages]
        return result


def _cells(data: bytes) -> tuple[float, ...]:
    """The values of _MESSAGE in an encoded SensorData, nan for what it lacks."""
    if not data:
        return (0, *[np.nan] * (len(_MESSAGE) - 1))
    message = SensorData.FromString(data)
    stamp = message.timestamp.seconds + message.timestamp.nanos * 1e-9
    motion = (np.nan,) * 3
    if message.sensor_view:
        a = message.sensor_view[0].host_vehicle_data.vehicle_motion.acceleration
        motion = (a.x, a.y, a.z)
    return (len(data), stamp, *motion)


def main(options: argparse.Namespace) -> int:
    """One complete run; returns the exit code."""
    try:
        with tempfile.TemporaryDirectory(prefix="gosmp-run-") as folder:
            fmpy.extract(str(options.fmu), unzipdir=folder)
            return _play(options, folder)
    except zipfile.BadZipFile as error:
        return _fail(f"{options.fmu} cannot be unpacked: {error}")
    except (OSError, gosmp.Error, DecodeError, FMICallException) as error:
        return _fail(str(error))
    except Exception as error:
        if type(error) is not Exception:  # FMPy raises bare Exceptions for errors of an FMU
            raise
        return _fail(f"{options.fmu}: {error}")


def _fail(text: str) -> int:
    print(f"\ngosmp_demo: {text}", file=sys.stderr)
    return _FAILED


def _play(options: argparse.Namespace, folder: str) -> int:
    """Simulates the unpacked FMU and shows the results."""
    description = fmpy.read_model_description(folder)
    run = Run(0.0, options.stop or _LONGEST, once=options.stop is None)
    step = options.step or float(description.defaultExperiment.stepSize)
    title = options.scenario.name if options.scenario else _packed(folder)
    print(f"{options.fmu.name} plays {title!r} in steps of {step * 1000:g} ms", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    failure = None
    before = signal.signal(signal.SIGINT, run.interrupt)
    begun = time.perf_counter()
    try:
        fmpy.simulate_fmu(
            folder,
            model_description=description,
            start_time=run.start,
            stop_time=run.stop,
            output_interval=step,
            start_values=_start_values(options),
            debug_logging=True,
            logger=run.log,
            step_finished=run.step,
        )
    except FMICallException as error:
        if not run.messages:
            raise
        failure = f"{error}; the log lines above may say why"
    finally:
        signal.signal(signal.SIGINT, before)
    return _show(options, run, title, time.perf_counter() - begun, failure)


def _packed(folder: str) -> str:
    """The name of the scenario in an unpacked FMU."""
    found = sorted(path.name for path in Path(folder, "resources").rglob("*.csv"))
    return found[0] if len(found) == 1 else "the packed scenario"


def _start_values(options: argparse.Namespace) -> dict[str, Any]:
    """The parameters that differ from the defaults packed into the FMU."""
    values: dict[str, Any] = {}
    if options.scenario:
        values["replay.scenarioFile"] = str(options.scenario.resolve())
    if options.unit:
        values["replay.timeUnit"] = options.unit
    if options.stop is None:
        values["replay.loop"] = False
    return values


def _show(options: argparse.Namespace, run: Run, title: str, seconds: float, failure: str | None) -> int:
    """Prints the table and writes the files; returns the exit code."""
    result = run.result()
    if not result["osi.bytes"].any():
        return _fail(f"{len(result)} steps, and OSMPSensorDataOut never held a message")
    _table(result, seconds)
    finished = bool(result["replay.finished"][-1])
    if not (finished or options.stop or run.interrupted or failure):
        print(f"The scenario goes on after {run.stop:g} s: STOP=3600, for instance, plays an hour of it.")
    stem = options.out / f"{Path(title).stem.replace(' ', '_')}-signals"
    early = f", ended at {result['time'][-1]:g} s" if run.interrupted or failure else ""
    subtitle = f"{len(result)} steps, FMPy {fmpy.__version__}{early}"
    figure = plot.make(result, f"{options.fmu.stem}: {title}", subtitle)
    print("\nWritten:")
    _write(stem.with_suffix(".csv"), lambda file: _csv(file, result))
    _write(stem.with_suffix(".png"), lambda file: figure.savefig(file, format="png"))
    if failure:
        return _fail(failure)
    if run.interrupted:
        print(f"\ngosmp_demo: interrupted after {len(result)} steps", file=sys.stderr)
        return _INTERRUPTED
    return 0


def _table(result: np.ndarray, seconds: float) -> None:
    """The state at the end of the run."""
    last, sizes = result[-1], result["osi.bytes"][result["osi.bytes"] > 0]
    print(f"  {'steps':<16}{len(result)}, to {last['time']:g} s, {last['time'] / seconds:,.0f} times real time")
    print(f"  {'messages':<16}{len(sizes)}, {sizes.mean():.0f} bytes on average, largest {sizes.max()}\n")
    print(f"  {'sensor':<16}{'samples':>9}   newest at")
    for name in _SENSORS:
        count = last[f"{name}.count"]
        print(f"  {name:<16}{count:>9}   " + (f"{last[f'{name}.time']:.6f} s" if count else "-"))
    rejected, again = last["replay.rejectedRows"], last["replay.loops"]
    print(f"\n  {'rows':<16}{last['replay.rows']} published, {rejected} rejected")
    print(f"  {'finished':<16}" + ("yes" if last["replay.finished"] else f"no, started over {again} times"))
    if last["gps.count"]:
        place = f"{last['gps.latitude']:.7f}°, {last['gps.longitude']:.7f}°, {last['gps.altitude']:.3f} m"
        print(f"  {'last position':<16}{place}")


def _csv(file: BinaryIO, result: np.ndarray) -> None:
    """All columns of all steps."""
    with io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(result.dtype.names)
        writer.writerows(result.tolist())


def _write(path: Path, write: Callable[[BinaryIO], Any]) -> None:
    """Writes a file, which gets its name only when it is complete."""
    with whole(path) as place, open(place, "wb") as file:
        write(file)
    print(f"  {path}")
