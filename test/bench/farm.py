"""A farm of short runs: whether memory, files and processes stay level.

    PYTHONPATH=python python test/bench/farm.py GOSMP MINUTES [--pause SECONDS] FMU...

For MINUTES, a gosmp.Session runs the FMUs in turn, tests those with a SensorView against their own
recording, checks and inspects them, and makes a call that fails. Each round ends with a sweep. Every
minute, prints how many runs there were, and of all processes below this one (without sweeps, which
have ended): their number, open files, memory (own and shared by parts, Pss), and the files in the
folder for temporary files. Ends with 1 if one of these has grown after the first fifth of the time.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import fmpy

import gosmp

ROOT = Path(__file__).parents[2]
POINTS = 20  # of a sweep
MEMORY = 8.0  # MB that the memory may grow by: collections of garbage come at different moments


def below(process: int) -> list[int]:
    """The processes that are descendants of a process."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = children.get(process, [])
    for child in found:  # also those that are added here
        found.extend(children.get(child, ()))
    return found


def sample(scratch: Path) -> dict[str, float]:
    processes = below(os.getpid())
    memory = files = 0
    for process in processes:
        try:
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
            memory += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
            files += len(os.listdir(f"/proc/{process}/fd"))
        except OSError:
            continue
    return {"processes": len(processes), "files": files, "MB": memory / 1024,
            "temporary": sum(len(names) for _, _, names in os.walk(scratch))}


class Farm:
    def __init__(self, session: gosmp.Session, fmus: list[Path], folder: Path):
        self.session, self.fmus, self.folder, self.runs = session, fmus, folder, 0
        self.descriptions = {fmu: fmpy.read_model_description(fmu) for fmu in fmus}
        self.trace = folder / "drive_sv_10.osi"
        gosmp.simulate(ROOT / "examples/ccrs/road.xodr", actors=10, step=0.05, duration=0.5, trace=self.trace)

    def round(self, pause: float) -> None:
        for fmu in self.fmus:
            self.one(fmu)
            time.sleep(pause)
        self.sweep(self.fmus[self.runs % len(self.fmus)])

    def one(self, fmu: Path) -> None:
        variables = self.descriptions[fmu].modelVariables
        for stop in (0.1, 1.0):
            self.session.run(fmu, stop_time=stop)
            self.runs += 1
        if any(v.name.startswith("OSMPSensorViewIn") for v in variables):
            golden = self.folder / f"{fmu.stem}.mcap"
            options = [] if golden.exists() else ["--update"]
            self.session.test(fmu, self.trace, golden, step_size=0.05, options=options)
            self.runs += 1
        self.session.check(fmu)
        self.session.inspect(fmu)
        self.session.call("run", str(fmu), "--stop-time", "-1")  # refused
        self.session.call("run", str(fmu), "--set", "there.is.no.such=1")  # refused later

    def sweep(self, fmu: Path) -> None:
        parameter = next((v.name for v in self.descriptions[fmu].modelVariables
                          if v.causality == "parameter" and v.variability == "fixed" and v.type in ("Real", "Float64")), None)
        if parameter is None:
            return
        plan = self.folder / "plan.sweep.yaml"
        plan.write_text(f"experiment: {fmu}\nparameters:\n  p: {{from: 1, to: {POINTS}, step: 1}}\n"
                        f"set:\n  {parameter}: p\n  --stop-time: 0.1\n")
        with tempfile.TemporaryDirectory(dir=self.folder) as store:
            called = self.session.call("sweep", str(plan), "--jobs", "2", "--store", store, "--out", str(self.folder / "plan.results"))
        if called.exit_code != 0:
            raise SystemExit(called.log)
        self.runs += POINTS


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("minutes", type=float)
    parser.add_argument("fmus", nargs="+", type=Path)
    parser.add_argument("--pause", type=float, default=0.0)
    options = parser.parse_args()
    os.environ["GOSMP_BINARY"] = options.command
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as scratch:
        os.environ["TMPDIR"] = scratch
        with gosmp.Session() as session:
            farm = Farm(session, [fmu.resolve() for fmu in options.fmus], Path(name))
            samples: list[dict[str, float]] = []
            begin = time.monotonic()
            while time.monotonic() - begin < 60 * options.minutes:
                farm.round(options.pause)
                if time.monotonic() - begin >= 60 * (len(samples) + 1):
                    samples.append(sample(Path(scratch)))
                    print(f"{len(samples):4} min {farm.runs:8} runs", *(f"{value:9.1f} {key}" for key, value in samples[-1].items()),
                          flush=True)
            for note in session.notes:
                print("note:", note)
    settled = len(samples) // 5
    early, late = samples[:settled + 1], samples[-max(1, settled):]
    grown = [key for key in samples[0]
             if min(s[key] for s in late) > max(s[key] for s in early) + (MEMORY if key == "MB" else 0)]
    print("grown:", ", ".join(grown) if grown else "nothing")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
