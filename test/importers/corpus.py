"""Runs one FMU in FMPy and prints, as JSON, the times that were used and every value of every row.

usage: corpus.py FMU MAXIMAL_NUMBER_OF_STEPS [even]

The times are those of the FMU's DefaultExperiment, shortened to that number of steps. A line
"experiment" comes before the FMU is loaded, so that it is known even if the FMU ends the process.

FMPy's simulation gives an FMU the difference of two points as its step, which is another number in
the last digit from step to step. With "even" each step of an FMU of FMI 2.0 is the same number, and
the k-th point is start + k * step, rounded once; the calls are FMPy's all the same.
"""

import json
import math
import re
import sys
from fractions import Fraction

import fmpy
from fmpy import fmi2


ADDRESS = re.compile(r"^OSMP.*\.(base\.lo|base\.hi|size)$")


def number(text, other):
    try:
        value = float(text)
    except (TypeError, ValueError):
        return other
    return value if math.isfinite(value) else other


def experiment(description, most):
    proposed = description.defaultExperiment
    start = number(proposed and proposed.startTime, 0.0)
    stop = number(proposed and proposed.stopTime, start + 1.0)
    if stop <= start:
        stop = start + 1.0
    step = number(proposed and proposed.stepSize, 0.0)
    if step <= 0 or step > stop - start:
        step = (stop - start) / 500
    return {"start": start, "stop": min(stop, start + most * step), "step": step}


def report(word, content):
    print(word, json.dumps(content), file=sys.__stdout__, flush=True)


def rows(result):
    for row in result:
        cells = []
        for name in result.dtype.names[1:]:
            value = row[name]
            cells.append([float(x) for x in value.flat] if hasattr(value, "flat") and value.ndim else float(value))
        yield [float(row["time"]), cells]


def exact(value):
    return Fraction(value).limit_denominator(10**9)


def even(path, description, times):
    """Names and rows of the outputs that are numbers."""
    outputs = [v for v in description.modelVariables if v.causality == "output" and v.type != "String"]
    slave = fmi2.FMU2Slave(
        guid=description.guid, unzipDirectory=fmpy.extract(path),
        modelIdentifier=description.coSimulation.modelIdentifier, instanceName="instance")
    slave.instantiate(loggingOn=False)
    proposed = description.defaultExperiment
    tolerance = number(proposed and proposed.tolerance, 0.0)
    slave.setupExperiment(startTime=times["start"], stopTime=times["stop"], tolerance=tolerance or None)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    get = {"Real": slave.getReal, "Boolean": slave.getBoolean}

    def row(time):
        return [time, [float(get.get(v.type, slave.getInteger)([v.valueReference])[0]) for v in outputs]]

    start, step = exact(times["start"]), exact(times["step"])
    count = int((exact(times["stop"]) - start) / step)
    points = [float(start + k * step) for k in range(count + 1)]
    result = [row(points[0])]
    for begin, end in zip(points, points[1:]):
        slave.doStep(begin, float(step))
        result.append(row(end))
    return {"names": [v.name for v in outputs], "rows": result}


def main():
    path, most = sys.argv[1], int(sys.argv[2])
    description = fmpy.read_model_description(path, validate=False)
    report("version", description.fmiVersion)
    if description.coSimulation is None:
        raise SystemExit("no co-simulation")
    times = experiment(description, most)
    report("experiment", times)
    if sys.argv[3:] == ["even"]:
        report("result", even(path, description, times))
        return
    result = fmpy.simulate_fmu(
        path, validate=False, fmi_type="CoSimulation", start_time=times["start"],
        stop_time=times["stop"], output_interval=times["step"])
    # The addresses of OSMP's messages differ from process to process.
    names = [name for name in result.dtype.names[1:] if not ADDRESS.search(name)]
    report("result", {"names": names, "rows": list(rows(result[["time", *names]]))})


if __name__ == "__main__":
    main()
