"""Runs one FMU in FMPy and prints, as JSON, the times that were used and every value of every row.

usage: corpus.py FMU MAXIMAL_NUMBER_OF_STEPS

The times are those of the FMU's DefaultExperiment, shortened to that number of steps. A line
"experiment" comes before the FMU is loaded, so that it is known even if the FMU ends the process.
"""

import json
import math
import sys

import fmpy


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


def main():
    path, most = sys.argv[1], int(sys.argv[2])
    description = fmpy.read_model_description(path, validate=False)
    report("version", description.fmiVersion)
    if description.coSimulation is None:
        raise SystemExit("no co-simulation")
    times = experiment(description, most)
    report("experiment", times)
    result = fmpy.simulate_fmu(
        path, validate=False, fmi_type="CoSimulation", start_time=times["start"],
        stop_time=times["stop"], output_interval=times["step"])
    report("result", {"names": result.dtype.names[1:], "rows": list(rows(result))})


if __name__ == "__main__":
    main()
