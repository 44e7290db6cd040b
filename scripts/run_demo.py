#!/usr/bin/env python3
"""Plays OSMPDummySensor.fmu in FMPy and shows what comes out: a table, a CSV file and a picture. `make run` calls it.

Every step reads the OSMPSensorDataOut triple, decodes the SensorData with osi-python, a protobuf implementation that knows
nothing of the FMU's, and reads all plain outputs. The scenario's rows are counted with a second reader, so that the table can
say whether every one of them has arrived.

Exit code: 0 when the run is complete, 1 when the FMU does not load, a step fails, or no message comes, 2 for wrong arguments.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import filecmp
import math
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "scripts")]

try:
    import fmpy
    from fmpy.fmi1 import FMICallException
    from google.protobuf.message import DecodeError
    from osi3.osi_sensordata_pb2 import SensorData

    import demo_plot
    import gosmp
    import simsensor_rows
    from demo_report import Progress, print_report
    from demo_run import Run, Scenario
    from demo_slave import Slave
except ModuleNotFoundError as missing:
    sys.exit(
        f"The Python package {missing.name!r} is missing here. `make run` sets up .venv and uses it; by hand: "
        "scripts/setup.sh run && .venv/bin/python scripts/run_demo.py"
    )

OUTPUT = "OSMPSensorDataOut"
_LONGEST_DEFAULT = 600.0  # s: of longer scenarios only the beginning is played, unless --stop says otherwise
_LARGEST_COUNTED = 50e6  # bytes: the second reader holds all rows in memory


class Failure(Exception):
    """The run cannot go on; the text says why and what to do."""


def main() -> int:
    """Parses the command line and runs; see the module's text for the exit codes."""
    options = parse_arguments()
    try:
        return play(options)
    except Failure as failure:
        print(f"\nrun_demo: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nrun_demo: interrupted", file=sys.stderr)
        return 130


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Plays OSMPDummySensor.fmu in FMPy and shows what comes out.")
    parser.add_argument("--fmu", type=Path, default=ROOT / "dist" / "OSMPDummySensor.fmu", help="default %(default)s")
    parser.add_argument("--scenario", default="", help="simsensor CSV file; default: the one packed into the FMU")
    parser.add_argument("--unit", choices=list(simsensor_rows.TICK_NS), help="unit of its stamps; default: the FMU's")
    parser.add_argument(
        "--stop", type=positive, help=f"seconds; default: the length of the scenario, at most {_LONGEST_DEFAULT:g}"
    )
    parser.add_argument("--step", type=positive, help="seconds; default: the FMU's default step size")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "dist" / "run", help="folder of the results, default %(default)s"
    )
    return parser.parse_args()


def positive(text: str) -> float:
    """A number of seconds above zero, for argparse."""
    value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds above 0")
    return value


def play(options: argparse.Namespace) -> int:
    """One complete run."""
    if not options.fmu.is_file():
        raise Failure(f"there is no FMU at {options.fmu}; `make fmu` builds it")
    with tempfile.TemporaryDirectory(prefix="gosmp-run-") as folder:
        description = unpack(options.fmu, folder)
        scenario = find_scenario(options, description, Path(folder))
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
    complete = print_report(run, scenario)
    subtitle = (
        f"{run.steps} steps of {run.step * 1000:g} ms, {run.messages} SensorData messages, FMPy {fmpy.__version__}"
    )
    demo_plot.draw(files["png"], traces, f"{options.fmu.stem}: {scenario.title}", subtitle)
    print("\nWritten:")
    for path in files.values():
        print(f"  {shown(path)}")
    return 0 if complete else 1


def shown(path: Path) -> str:
    """A path as short as possible from here."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def unpack(fmu: Path, folder: str) -> Any:
    """Unpacks the FMU and returns FMPy's model description."""
    try:
        fmpy.extract(str(fmu), unzipdir=folder)
        return fmpy.read_model_description(folder)
    except (OSError, zipfile.BadZipFile) as error:
        raise Failure(f"{fmu} cannot be unpacked: {error}") from error
    except Exception as error:  # FMPy reports everything about the XML as a bare Exception
        raise Failure(f"FMPy rejects the modelDescription.xml of {fmu}: {error}") from error


def start_value(description: Any, name: str) -> str:
    """The start value of a variable, "" if there is none."""
    found = [v.start for v in description.modelVariables if v.name == name]
    return (found[0] or "") if found else ""


def find_scenario(options: argparse.Namespace, description: Any, folder: Path) -> Scenario:
    """Which file will be played: the one asked for, else the one packed into the FMU."""
    unit = options.unit or start_value(description, "replay.timeUnit") or "ms"
    packed = packed_scenario(description, folder / "resources")
    asked = Path(options.scenario) if options.scenario else None
    if asked and not asked.exists():
        raise Failure(f"there is no scenario at {asked}; SCENARIO= takes the path of a simsensor CSV file")
    if asked and (packed is None or not same_content(asked, packed)):
        return count_rows(Scenario(asked.name, unit, override=asked.resolve()), asked)
    if packed is None:
        return Scenario("the packed scenario", unit, problem="its file could not be told among the FMU's resources")
    return count_rows(Scenario(asked.name if asked else packed.name, unit), packed)


def packed_scenario(description: Any, resources: Path) -> Path | None:
    """The file in resources that the FMU plays by default: the named one, else the only CSV file."""
    named = start_value(description, "replay.scenarioFile")
    if named:
        return resources / named if (resources / named).is_file() else None
    found = sorted(resources.rglob("*.csv"))
    return found[0] if len(found) == 1 else None


def same_content(a: Path, b: Path) -> bool:
    """Do two files hold the same bytes? What is no file is left for the FMU to judge."""
    return a.is_file() and filecmp.cmp(a, b, shallow=False)


def count_rows(scenario: Scenario, path: Path) -> Scenario:
    """Reads the rows with the second reader. What it cannot read is left to the FMU's messages."""
    try:
        if path.stat().st_size > _LARGEST_COUNTED:
            scenario.problem = f"the file has more than {_LARGEST_COUNTED / 1e6:.0f} MB"
        else:
            scenario.rows = simsensor_rows.read(path)
    except (OSError, ValueError) as error:
        scenario.problem = f"the file is not one of good rows only: {error}"
    with contextlib.suppress(OSError):
        scenario.length = simsensor_rows.length_ns(path, scenario.unit) / 1e9
    return scenario


def plan(options: argparse.Namespace, description: Any, scenario: Scenario) -> Run:
    """Start, stop and step of the run."""
    experiment = description.defaultExperiment
    start = float(getattr(experiment, "startTime", None) or 0)
    step = options.step or float(getattr(experiment, "stepSize", None) or 0.02)
    stop = options.stop
    if stop is None:
        stop = float(getattr(experiment, "stopTime", None) or start + 10)
        if scenario.length > 0:
            stop = end_of(min(scenario.length, _LONGEST_DEFAULT), start, step)
    if stop <= start:
        raise Failure(f"the stop time {stop:g} s is not after the start time {start:g} s")
    return Run(start, stop, step)


def end_of(length: float, start: float, step: float) -> float:
    """The first communication point by which so many seconds have been played."""
    return start + math.ceil(length / step - 1e-9) * step


def left_out(run: Run, scenario: Scenario) -> str:
    """What to do about a scenario that goes on after the stop time; "" when it does not."""
    whole = end_of(scenario.length, run.start, run.step)
    if whole <= run.stop:
        return ""
    return (
        f"The scenario lasts {scenario.length:.10g} s, so that this is only its beginning: STOP={whole:.10g} plays all of "
        "it. If that length is wrong, UNIT= is (ms, us, s or ns).\n"
    )


def result_files(folder: Path, scenario: Scenario) -> dict[str, Path]:
    """Where the results go."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"the folder {folder} for the results cannot be made: {error}") from error
    stem = Path(scenario.title).stem.replace(" ", "_")
    return {kind: folder / f"{stem}-signals.{kind}" for kind in ("csv", "png")}


@contextlib.contextmanager
def complete_file(path: Path) -> Iterator[Path]:
    """A path to write to. The file appears at its own place when all has gone well, and not at all otherwise."""
    part = path.with_name(path.name + ".part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def simulate(folder: str, description: Any, scenario: Scenario, run: Run, path: Path) -> demo_plot.Traces:
    """Instantiates, initializes, steps to the stop time and writes the CSV file along the way."""
    steps = max(1, math.ceil((run.stop - run.start) / run.step - 1e-9))
    traces = demo_plot.Traces(steps)
    try:
        with (
            complete_file(path) as part,
            Slave(folder, description) as slave,
            open(part, "w", newline="", encoding="utf-8") as file,
        ):
            writer = csv.DictWriter(file, ["time", *slave.names, *OSI_COLUMNS], restval="")
            writer.writeheader()
            slave.initialize(start_values(scenario, description), run.start, run.stop)
            progress = Progress(run.start, run.stop)
            for k in range(steps):
                advance(slave, run, k)
                writer.writerow(run.last)
                traces.add(run.last["time"], demo_row(run.last))
                progress.show(run.last["time"])
            progress.done()
            slave.terminate()
            if run.messages == 0:
                raise Failure(f"{run.steps} steps, and {OUTPUT} never held a message; the log lines above may say why")
    except FMICallException as error:
        raise Failure(
            f"{error} At {run.last.get('time', run.start):g} s, after {run.steps} steps; see the FMU's own "
            "log lines above"
        ) from error
    except DecodeError as error:
        raise Failure(f"step {run.steps}: osi-python cannot decode the message: {error}") from error
    except gosmp.Error as error:
        raise Failure(str(error)) from error
    except OSError as error:
        raise Failure(f"{error}") from error
    return traces


def start_values(scenario: Scenario, description: Any) -> dict[str, str]:
    """The parameters that differ from what is packed into the FMU."""
    values = {}
    if scenario.override:
        values["replay.scenarioFile"] = str(scenario.override)
    if scenario.unit != start_value(description, "replay.timeUnit"):
        values["replay.timeUnit"] = scenario.unit
    return values


def advance(slave: Slave, run: Run, k: int) -> None:
    """One step: compute, take the message, read the plain outputs."""
    # Communication points are products, not sums: errors do not add up.
    begin, end = run.start + k * run.step, min(run.start + (k + 1) * run.step, run.stop)
    t0 = time.perf_counter()
    slave.step(begin, end - begin)
    t1 = time.perf_counter()
    data = gosmp.read(slave.fmu, OUTPUT)
    message = SensorData.FromString(data) if data else None
    t2 = time.perf_counter()
    run.steps += 1
    run.fmu_seconds.append(t1 - t0)
    run.decode_seconds.append(t2 - t1)
    run.last = {"time": round(end, 9), **slave.outputs(), "osi.bytes": len(data)}
    if message is not None:
        run.messages += 1
        run.octets += len(data)
        run.largest = max(run.largest, len(data))
        run.last |= osi_row(message)


#: Columns made from the decoded message: name -> path of the field. Unset fields leave the cell empty.
_OSI_FIELDS = {
    **{
        f"osi.acceleration.{axis}": f"sensor_view.host_vehicle_data.vehicle_motion.acceleration.{axis}"
        for axis in "xyz"
    },
    **{f"osi.velocity.{axis}": f"host_vehicle_location.velocity.{axis}" for axis in "xyz"},
    **{f"osi.position.{axis}": f"host_vehicle_location.position.{axis}" for axis in "xyz"},
    "osi.yaw": "host_vehicle_location.orientation.yaw",
    **{
        f"osi.{a}": f"sensor_view.host_vehicle_data.vehicle_localization.geodetic_position.{a}"
        for a in ("latitude", "longitude", "altitude")
    },
    "osi.pressure": "sensor_view.global_ground_truth.environmental_conditions.atmospheric_pressure",
    "osi.temperature": "sensor_view.global_ground_truth.environmental_conditions.temperature",
}
OSI_COLUMNS = ("osi.bytes", "osi.timestamp", "osi.last_measurement_time", *_OSI_FIELDS, "osi.moving_objects")


def osi_row(message: SensorData) -> dict[str, Any]:
    """The OSI columns of one message."""
    row: dict[str, Any] = {"osi.moving_objects": len(message.moving_object)}
    for name in ("timestamp", "last_measurement_time"):
        if message.HasField(name):
            stamp = getattr(message, name)
            row[f"osi.{name}"] = f"{stamp.seconds}.{stamp.nanos:09d}"  # exact, as text
    for column, path in _OSI_FIELDS.items():
        value = dig(message, path)
        if value is not None:
            row[column] = value
    return row


def dig(message: Any, path: str) -> Any:
    """The field at a dotted path, None where something on the way is unset; of a repeated field the first element."""
    for name in path.split("."):
        if message.DESCRIPTOR.fields_by_name[name].is_repeated:
            elements = getattr(message, name)
            if not elements:
                return None
            message = elements[0]
        elif message.HasField(name):
            message = getattr(message, name)
        else:
            return None
    return message


def demo_row(row: dict[str, Any]) -> dict[str, float]:
    """The step's values for the picture, without those of sensors that have not sent anything yet."""
    return {
        name: row[name]
        for name in demo_plot.COLUMNS
        if name in row and (name.startswith("osi.") or row.get(f"{name.split('.')[0]}.count", 1) > 0)
    }


if __name__ == "__main__":
    sys.exit(main())
