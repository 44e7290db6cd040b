"""One run of the demo: plan, steps, results.

Every step reads the OSMPSensorDataOut triple, decodes the SensorData with osi-python, a protobuf
implementation that shares no code with the FMU's, and reads all plain outputs. A second reader
counts the scenario's rows, so that the table can report whether every one of them has arrived.

A run that ends early, by Ctrl-C or because a step fails, keeps its results and reports how far it
got.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import errno
import math
import signal
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fmpy
import gosmp
from fmpy.fmi1 import FMICallException
from google.protobuf.message import DecodeError
from osi3.osi_sensordata_pb2 import SensorData

from . import columns, plot, report
from .options import LONGEST_DEFAULT
from .progress import Progress
from .run import INCOMPLETE, INTERRUPTED, WRONG_INPUT, Failure, Run
from .scenario import Scenario, find, start_value
from .slave import NotUsable, Slave

OUTPUT = "OSMPSensorDataOut"


def play(options: argparse.Namespace) -> int:
    """One complete run; returns the exit code."""
    if not options.fmu.is_file():
        raise Failure(f"there is no FMU at {options.fmu}; `make fmu` builds it", WRONG_INPUT)
    size = options.fmu.stat().st_size
    if size > 10e6:
        print(f"unpacking {options.fmu.name} of {size / 1e6:.0f} MB", flush=True)
    with full_disk_named(), tempfile.TemporaryDirectory(prefix="gosmp-run-") as folder:
        description = unpack(options.fmu, folder)
        scenario = find(options, description, Path(folder))
        run = plan(options, description, scenario)
        files = result_files(options.out, scenario)
        print(
            f"{options.fmu.name} plays {scenario.title!r}, stamps in {scenario.unit}, "
            f"{run.start:g} s to {run.stop:g} s in steps of {run.step * 1000:g} ms",
            flush=True,
        )
        if options.stop is None:
            print(left_out(run, scenario), end="", flush=True)
        traces = simulate(folder, description, scenario, run, files["csv"])
        complete = report.print_report(run, scenario)
        title = f"{run.steps} steps of {run.step * 1000:g} ms, {run.messages} SensorData messages, FMPy {fmpy.__version__}"
        if run.ended:
            title += f", ended after {run.steps} of {run.planned} steps"
        with complete_file(files["png"], mode="wb") as file:
            plot.draw(file, traces, f"{options.fmu.stem}: {scenario.title}", title)
    print("\nWritten:" if not run.ended else f"\nWritten, up to {run.last['time']:g} s of {run.stop:g} s:")
    for path in files.values():
        print(f"  {shown(path)}")
    if run.ended:
        raise run.ended
    return 0 if complete else INCOMPLETE


def shown(path: Path) -> str:
    """The shortest path from the working directory."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


@contextlib.contextmanager
def full_disk_named() -> Iterator[None]:
    """Turns an OSError into a Failure. For a full disk, it names the folder on that disk."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            place = error.filename or tempfile.gettempdir()
            raise Failure(f"the disk is full: {place} cannot be written; free some space on it and run again") from error
        raise Failure(f"{error}") from error


def unpack(fmu: Path, folder: str) -> Any:
    """Unpacks the FMU and returns FMPy's model description."""
    try:
        fmpy.extract(str(fmu), unzipdir=folder)
        return fmpy.read_model_description(folder)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise Failure(f"{fmu} cannot be unpacked: {error}") from error
    except zipfile.BadZipFile as error:
        raise Failure(f"{fmu} cannot be unpacked: {error}") from error
    except Exception as error:  # FMPy reports everything about the XML as a bare Exception
        raise Failure(f"FMPy rejects the modelDescription.xml of {fmu}: {error}") from error


def plan(options: argparse.Namespace, description: Any, scenario: Scenario) -> Run:
    """Start, stop and step of the run. Without a stop time a scenario plays once, even if it has no
    end row."""
    experiment = description.defaultExperiment
    start = float(getattr(experiment, "startTime", None) or 0)
    step = options.step or float(getattr(experiment, "stepSize", None) or 0.02)
    run = Run(start, options.stop or 0.0, step)
    if options.stop is None:
        run.stop = float(getattr(experiment, "stopTime", None) or start + 10)
        if scenario.length > 0:
            run.stop = end_of(min(scenario.length, LONGEST_DEFAULT), start, step)
            run.loop = False
    if run.stop <= start:
        raise Failure(f"the stop time {run.stop:g} s is not after the start time {start:g} s", WRONG_INPUT)
    return run


def end_of(length: float, start: float, step: float) -> float:
    """The first communication point at which that many seconds have been played."""
    return start + math.ceil(length / step - 1e-9) * step


def left_out(run: Run, scenario: Scenario) -> str:
    """The advice for a scenario that goes on after the stop time, or ""."""
    if scenario.longer:
        return f"The scenario goes on after {run.stop:.10g} s: STOP=3600, for instance, plays an hour of it.\n"
    whole = end_of(scenario.length, run.start, run.step)
    if whole <= run.stop:
        return ""
    return (
        f"The scenario lasts {scenario.length:.10g} s, so that this is only its beginning: STOP={whole:.10g} plays all of "
        "it. If that length is wrong, state the unit: UNIT=ms, us, s or ns.\n"
    )


def result_files(folder: Path, scenario: Scenario) -> dict[str, Path]:
    """The folder for the results."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"the folder {folder} for the results cannot be created: {error}", WRONG_INPUT) from error
    stem = Path(scenario.title).stem.replace(" ", "_")
    return {kind: folder / f"{stem}-signals.{kind}" for kind in ("csv", "png")}


@contextlib.contextmanager
def complete_file(path: Path, **options: Any) -> Iterator[Any]:
    """A file opened for writing with the options of open. It appears under its name only if
    everything succeeded."""
    part = path.with_name(path.name + ".part")
    try:
        with open(part, **options) as file:
            yield file
        part.replace(path)
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)  # errors of writing and closing name no file
        raise
    finally:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def interruptible() -> Iterator[list[int]]:
    """A list that is empty until Ctrl-C or a request to terminate. A run then ends between two
    rows, not within one. A second Ctrl-C has its usual effect."""
    seen: list[int] = []

    def handle(number: int, _frame: Any) -> None:
        seen.append(number)
        signal.signal(number, before[number])

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def simulate(folder: str, description: Any, scenario: Scenario, run: Run, path: Path) -> plot.Traces:
    """Instantiates, initializes, steps to the stop time and writes the CSV file along the way."""
    traces = plot.Traces(run.planned, run.start)
    try:
        with (
            complete_file(path, mode="w", newline="", encoding="utf-8") as file,
            Slave(folder, description) as slave,
            interruptible() as signals,
        ):
            writer = csv.DictWriter(file, ["time", *slave.names, *columns.COLUMNS], restval="")
            writer.writeheader()
            slave.initialize(start_values(scenario, description, run), run.start, run.stop)
            progress = Progress()
            while run.steps < run.planned and not signals and not run.ended:
                run.ended = advance(slave, run)
                if run.ended is None:
                    writer.writerow(run.last)
                    traces.add(run.last["time"], plotted(run.last))
                    share = (run.last["time"] - run.start) / (run.stop - run.start)
                    progress.show(share, f"simulated {run.last['time']:.1f} s of {run.stop:g} s")
            progress.done()
            if run.steps < run.planned and run.ended is None:
                run.ended = Failure(f"interrupted after {run.steps} of {run.planned} steps", INTERRUPTED)
            if run.ended is None:
                slave.terminate()
            if run.messages == 0:
                raise run.ended or Failure(
                    f"{run.steps} steps, and {OUTPUT} never held a message; the log lines above may say why"
                )
    except FMICallException as error:
        raise Failure(f"{error} {moment(run)}") from error
    except (gosmp.Error, NotUsable) as error:
        raise Failure(str(error)) from error
    return traces


def moment(run: Run) -> str:
    """The progress of the run, for errors of the FMU."""
    return f"At {run.last.get('time', run.start):g} s, after {run.steps} steps; see the FMU's own log lines above"


def start_values(scenario: Scenario, description: Any, run: Run) -> dict[str, Any]:
    """The parameters that differ from the defaults packed into the FMU."""
    values: dict[str, Any] = {}
    if scenario.override:
        values["replay.scenarioFile"] = str(scenario.override)
    if scenario.order not in ("", start_value(description, "replay.timeUnit")):
        values["replay.timeUnit"] = scenario.order
    if not run.loop:
        values["replay.loop"] = False
    return values


def advance(slave: Slave, run: Run) -> Failure | None:
    """One step: compute, take the message, read the plain outputs. A failure leaves run as it was
    before the step."""
    # Communication points are products, not sums, so that errors do not add up.
    begin, end = run.start + run.steps * run.step, min(run.start + (run.steps + 1) * run.step, run.stop)
    try:
        t0 = time.perf_counter()
        slave.step(begin, end - begin)
        t1 = time.perf_counter()
        data = gosmp.read(slave.fmu, OUTPUT) or b""
        message = SensorData.FromString(data) if data else None
        t2 = time.perf_counter()
        outputs = slave.outputs()
    except FMICallException as error:
        return Failure(f"{error} {moment(run)}")
    except DecodeError as error:
        return Failure(f"step {run.steps + 1}: osi-python cannot decode the message: {error}")
    run.steps += 1
    run.fmu_seconds.append(t1 - t0)
    run.decode_seconds.append(t2 - t1)
    run.last = {"time": round(end, 9), **outputs, "osi.bytes": len(data)}
    if message is not None:
        run.messages += 1
        run.octets += len(data)
        run.largest = max(run.largest, len(data))
        run.last |= columns.row(message)
    return None


def plotted(row: dict[str, Any]) -> dict[str, float]:
    """The step's values for the picture, without those of sensors that have not sent anything yet.
    """
    return {
        name: row[name]
        for name in plot.COLUMNS
        if name in row and (name.startswith("osi.") or row.get(f"{name.split('.')[0]}.count", 1) > 0)
    }
