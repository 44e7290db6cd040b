"""gosmp.run: FMUs, systems, experiments, statecharts and scenarios."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from ._call import Called, Folder, RunError, call, document, file_words, option_words
from ._table import Table

_EXPERIMENTS = (".exc", ".exd")
_WITHOUT_COLUMNS = (*_EXPERIMENTS, ".scxml")  # inputs whose runs have no outputs to record


class Result(Table):
    """The result of a run: its outputs as columns, its summary, and its verdict.

    result["time"] and result["NAME"] are the columns of the recorded outputs. Files that were
    written to a temporary folder exist for as long as the Result.
    """

    def __init__(self, called: Called, folder: Folder, csv_file: Path | None, record: Path | None) -> None:
        super().__init__(csv_file if csv_file is not None and csv_file.exists() else None)
        self.exit_code = called.exit_code  #: 0 done or passed, 1 not passed
        self.log = called.log  #: what the command and the FMUs logged
        self.summary: dict[str, Any] = _summary(called)  #: the JSON document of `gosmp run --json`
        self.folder = folder.path  #: where the files are
        self.csv = self._csv  #: the file with the recorded outputs, if any
        self.record = record if record is not None and record.exists() else None  #: the trace of messages
        self._folder = folder

    @property
    def passed(self) -> bool:
        """True if the verdict of an experiment is "passed", and after a complete run of FMUs, which
        has no verdict."""
        if "passed" in self.summary:
            return self.summary["passed"] is True
        return self.exit_code == 0

    @property
    def outcome(self) -> str:
        """The outcome of an experiment: passed, failed, undecided, finished, timeout and so on;
        "complete" or "incomplete" for FMUs."""
        return str(self.summary.get("outcome", "")) or ("complete" if self.exit_code == 0 else "incomplete")

    @property
    def cause(self) -> str:
        """Why the verdict is not "passed", in one line; "" if it is."""
        return str(self.summary.get("cause", ""))

    def __repr__(self) -> str:
        return f"<gosmp.Result {self.outcome}{': ' + self.cause if self.cause else ''}, {self.folder}>"


def run(
    *files: Any,
    start_time: float | None = None,
    stop_time: float | None = None,
    step_size: float | str | Fraction | Mapping[str, Any] | None = None,
    relative_tolerance: float | None = None,
    start_values: Mapping[str, Any] | None = None,
    input: Any = None,
    output: str | Sequence[str] | None = None,
    connect: Mapping[str, str] | Iterable[str] = (),
    input_messages: Mapping[str, Any] | None = None,
    record: bool | str | os.PathLike[str] = False,
    algorithm: str | None = None,
    timeout: float | None = None,
    real_time: float | None = None,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,
    sut: Any = None,
    on: Mapping[str, Any] | None = None,
    drive: Mapping[str, Any] | None = None,
    require: str | Sequence[str] = (),
    report: str | os.PathLike[str] | None = None,
    folder: str | os.PathLike[str] | None = None,
    options: Sequence[Any] = (),
) -> Result:
    """Runs FMUs, a system (.ssp, .ssd), a map, an experiment (.exc), a scenario (.xosc) or a statechart.

    files: paths; for several FMUs also "NAME=PATH", where NAME is the prefix of the FMU's
        variables.
    start_time, stop_time, step_size: in seconds; by default, what the file proposes. A step may be a
        fraction ("1/60"), or a mapping by FMU.
    start_values: by name of the variable. A list is an array, bytes are a binary.
    input: values of inputs over time, with the column "time" in seconds: the path of a CSV file, a
        mapping of columns, a structured array of numpy as in fmpy, or a DataFrame.
    output: names or patterns (engine.*) of the variables to record; all outputs by default.
    connect: outputs and the inputs that take their values, {"source.y": "sensor.u"}.
    input_messages: for binary inputs, traces of messages by name of the input.
    record: True or a path records all binary variables as a trace, Result.record.
    timeout: seconds of real time that one step or phase of an FMU may take, or that an experiment
        may take.
    seed: of an experiment, a scenario, a statechart, or the traffic on a map.
    set: parameters of an experiment or a scenario, by name.
    sut: the system under test of a scenario, an FMU, a system or a program, "ENTITY=PATH" for an
        entity other than the ego vehicle.
    on: sensors by the entity of the scenario, or the actor of the map, that carries them.
    drive: drivers by the entity or actor that they move.
    require: what a scenario must satisfy, "no collision" or "@FILE" with one requirement per line.
    report: path of an HTML report of an experiment or a scenario.
    folder: where to put results; by default a temporary folder, which is removed with the Result.
    options: further options of `gosmp run`, such as ["--bridge", "bridge.json"].

    Returns a Result, even if the verdict is not "passed". Raises RunError for invalid input, for a
    time limit, and if an FMU fails.
    """
    results = Folder(folder)
    place = results.path
    csv_file = None if _is(files, _WITHOUT_COLUMNS) else place / "results.csv"
    trace = None if record is False else place / "messages.mcap" if record is True else Path(record)
    words = [
        "run",
        *file_words(*files),
        "--json",
        *_one("--start-time", start_time),
        *_one("--stop-time", stop_time),
        *_steps(step_size),
        *_one("--tolerance", relative_tolerance),
        *_pairs("--start-value", start_values),
        *_one("--input-file", _input(input, place)),
        *_each("--output-variable", [output] if isinstance(output, str) else output or ()),
        *_each("--connect", [f"{y}={u}" for y, u in connect.items()] if isinstance(connect, Mapping) else connect),
        *_pairs("--input-messages", input_messages),
        *_one("--record", trace),
        *_one("--algorithm", algorithm),
        *_one("--timeout", None if timeout is None else f"{value_text(timeout)}s"),
        *_one("--real-time", real_time),
        *_one("--rng-seed" if _is(files, _EXPERIMENTS) else "--seed", seed),
        *_pairs("--set", set),
        *_models(sut, on, drive, require),
        *_one("--report", report),
        *_one("--output-file", csv_file),
        *option_words(options),
    ]
    called = call(*words)
    result = Result(called, results, csv_file, trace)
    if called.exit_code not in (0, 1):
        raise RunError(called, result.cause, result)
    return result


def _models(
    sut: Any, on: Mapping[str, Any] | None, drive: Mapping[str, Any] | None, require: str | Sequence[str]
) -> list[str]:
    """The flags for models in a simulated world, and for their requirements."""
    requirements = [require] if isinstance(require, str) else require
    return [
        *_one("--sut", sut),
        *_pairs("--on", on),
        *_pairs("--drive", drive),
        *_each("--require", requirements),
    ]


def _is(files: Sequence[Any], extensions: tuple[str, ...]) -> bool:
    return any(str(file).lower().endswith(extensions) for file in files)


def _summary(called: Called) -> dict[str, Any]:
    try:
        return document(called)
    except ValueError:
        return {}


def _one(flag: str, value: Any) -> list[str]:
    return [] if value is None else [f"{flag}={value_text(value)}"]


def _each(flag: str, values: Iterable[Any]) -> list[str]:
    return [f"{flag}={value}" for value in values]


def _pairs(flag: str, values: Mapping[str, Any] | None) -> list[str]:
    values = values or {}
    for name, value in values.items():
        if value is None:
            raise TypeError(f"{name} is None; leave it out to keep the default")
    return [f"{flag}={name}={value_text(value)}" for name, value in values.items()]


def _steps(step: Any) -> list[str]:
    return _pairs("--step-size", step) if isinstance(step, Mapping) else _one("--step-size", step)


def value_text(value: Any) -> str:
    """A value in the format of the command: the shortest number that is equal, true and false,
    bytes in hexadecimal, elements of an array separated by blanks."""
    if value is None:
        raise TypeError("found None, expected a number, a text, bytes or a list")
    if hasattr(value, "tolist"):  # an array or a scalar of numpy
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, (list, tuple)):
        return " ".join(value_text(element) for element in value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _input(source: Any, folder: Path) -> Any:
    """The path of a CSV file with the values of inputs over time."""
    if source is None or isinstance(source, (str, os.PathLike)):
        return source
    columns = _columns(source)
    if "time" not in columns:
        raise ValueError(f'the input needs a column "time" in seconds; it has {", ".join(columns) or "no columns"}')
    path = folder / "input.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([map(value_text, row) for row in zip(*columns.values(), strict=True)])
    return path


def _columns(source: Any) -> dict[str, Any]:
    """The columns of a mapping, a structured array, a DataFrame or a Table."""
    dtype = getattr(source, "dtype", None)
    names = dtype.names if dtype is not None else getattr(source, "columns", None)
    if names is None and isinstance(source, Mapping):
        names = source.keys()
    if names is None:
        raise TypeError(
            "the input is a path, a mapping of columns, a structured array of numpy or a DataFrame, "
            f"not {type(source).__name__}"
        )
    return {str(name): source[name] for name in names}
