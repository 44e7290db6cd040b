"""Short runs: gosmp beside a loop of FMPy that has unpacked the FMU and read its description before.

    PYTHONPATH=python python test/bench/short_runs.py GOSMP FMU...

GOSMP is the command, and each FMU has a parameter that may have any positive value. Prints the processor time of all processes for
a run, in ms, and the ratios of the ways that took turns: runs in a gosmp.Session and in a sweep, and for FMUs
with a SensorView, tests of a trace with 10 vehicles against its own recording. FMPy compares these bytes, too.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import fmpy
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

import gosmp

ROOT = Path(__file__).parents[2]
ROUNDS = 5
LONG = 1000  # steps


def processor_time() -> float:
    """The processor time of this process and of all processes below it, in ms."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
            ticks[int(entry.name)] = sum(map(int, fields[11:15]))

    def tree(process: int) -> int:
        return ticks[process] + sum(map(tree, children.get(process, ())))

    return 1000 * tree(os.getpid()) / os.sysconf("SC_CLK_TCK")


def repeated(run, runs: int):
    """Returns a function that measures a run, after runs that warm up."""
    for _ in range(max(5, runs // 2)):
        run()

    def measure() -> float:
        begin = processor_time()
        for _ in range(runs):
            run()
        return (processor_time() - begin) / runs

    return measure


def compare(name: str, ways: dict) -> None:
    """Prints what functions have measured, in turn; FMPy is the last one."""
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(ROUNDS):
        for way, measure in ways.items():
            times[way].append(measure())
    for way in ways:
        ratio = statistics.median(ours / fmpys for ours, fmpys in zip(times[way], times["fmpy"]))
        print(f"{name + '/' + way:44} {statistics.median(times[way]):8.2f} cpu-ms {ratio:8.2f} times-fmpy", flush=True)


def prepared(fmu: Path):
    """Returns a function that instantiates an FMU, and one that simulates it, as FMPy does."""
    folder, description = fmpy.extract(fmu), fmpy.read_model_description(fmu)
    kind = FMU3Slave if description.fmiVersion.startswith("3") else FMU2Slave

    def instantiate():
        instance = kind(guid=description.guid, unzipDirectory=folder, instanceName="instance",
                        modelIdentifier=description.coSimulation.modelIdentifier)
        instance.instantiate()
        if kind is FMU2Slave:
            instance.setupExperiment(startTime=0.0)
        instance.enterInitializationMode()
        instance.exitInitializationMode()
        return instance

    def simulate(steps: int, size: float):
        fmpy.simulate_fmu(folder, model_description=description, stop_time=steps * size, step_size=size,
                          output_interval=size)

    return description, instantiate, simulate


def step_of(description) -> float:
    experiment = description.defaultExperiment
    return float(experiment.stepSize) if experiment and experiment.stepSize else 0.01


def tests(fmu: Path, session: gosmp.Session, instantiate, folder: Path, steps: int, runs: int) -> None:
    """Compares tests of an FMU with the SensorViews of simulated traffic."""
    size = 0.05
    trace, golden = folder / f"drive_sv_{steps}.osi", folder / f"{fmu.stem}{steps}.mcap"
    gosmp.simulate(ROOT / "examples/ccrs/road.xodr", actors=10, step=size, duration=size * steps, trace=trace)
    session.test(fmu, trace, golden, step_size=size, options=["--update"])
    expected: list[bytes | None] = []

    def ours():
        if not session.test(fmu, trace, golden, step_size=size).passed:
            raise SystemExit("the outputs are not as expected")

    def theirs():
        instance, found, data, at = instantiate(), [], trace.read_bytes(), 0
        while at < len(data):
            end = at + 4 + int.from_bytes(data[at:at + 4], "little")
            gosmp.write(instance, "OSMPSensorViewIn", data[at + 4:end])
            instance.doStep(len(found) * size, size)
            found.append(gosmp.read(instance, "OSMPSensorDataOut"))
            at = end
        instance.terminate()
        instance.freeInstance()
        if expected and found != expected:
            raise SystemExit("the outputs are not as expected")
        expected[:] = found

    compare(f"Test/{fmu.stem}/{steps}", {"session": repeated(ours, runs), "fmpy": repeated(theirs, runs)})


def row_of_sweep(fmu: Path, parameter: str, size: float, folder: Path):
    """Returns a function that measures a run of one step in a sweep with many runs, without the start of the sweep."""
    few, many = 40, 240

    def sweep(runs: int) -> float:
        plan = folder / "plan.sweep.yaml"
        plan.write_text(f"experiment: {fmu}\nparameters:\n  p: {{from: 1, to: {runs}, step: 1}}\n"
                        f"set:\n  {parameter}: p\n  --stop-time: {size}\n  --step-size: {size}\n")
        with tempfile.TemporaryDirectory(dir=folder) as store:
            begin = processor_time()
            subprocess.run([os.environ["GOSMP_BINARY"], "sweep", plan, "--jobs", "1", "--store", store,
                            "--out", folder / "plan.results"], check=True,
                           stdout=subprocess.DEVNULL)
            return processor_time() - begin

    return lambda: (sweep(many) - sweep(few)) / (many - few)


def main(command: str, fmus: list[str]) -> None:
    os.environ["GOSMP_BINARY"] = command
    with tempfile.TemporaryDirectory() as name, gosmp.Session() as session:
        folder = Path(name)
        for fmu in (Path(fmu).resolve() for fmu in fmus):
            description, instantiate, simulate = prepared(fmu)
            size = step_of(description)
            parameter = next(v.name for v in description.modelVariables
                             if v.causality == "parameter" and v.type in ("Real", "Float64"))
            compare(f"Run/{fmu.stem}/1", {
                "session": repeated(lambda: session.run(fmu, stop_time=size, step_size=size), 40),
                "sweep": row_of_sweep(fmu, parameter, size, folder),
                "fmpy": repeated(lambda: simulate(1, size), 40)})
            compare(f"Run/{fmu.stem}/{LONG}", {
                "session": repeated(lambda: session.run(fmu, stop_time=LONG * size, step_size=size), 5),
                "fmpy": repeated(lambda: simulate(LONG, size), 5)})
            if any(v.name.startswith("OSMPSensorViewIn") for v in description.modelVariables):
                tests(fmu, session, instantiate, folder, 1, 40)
                tests(fmu, session, instantiate, folder, LONG, 5)
        for note in session.notes:
            print("note:", note)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
