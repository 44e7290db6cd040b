"""What users wait for: the processor time and memory of commands, beside other programs.

    PYTHONPATH=python python test/bench/waits.py GOSMP FMU [--scale X] [PART...]

GOSMP is the command, and FMU a small one. The parts are start, variables, traces, channels, maps, sweeps, traffic
and scenarios; without any, all are measured. Prints the processor time (user and system, the smallest of some
runs) and the peak memory of each command, and for a peer how many times as long it takes. --scale 0.1 makes the
large files a tenth as large. The peers are FMPy, and if they are found, the commands in GOSMP_SUMO, a folder with sumo
and netconvert, and GOSMP_ESMINI, the program; what is not found is named.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROAD = ROOT / "examples/ccrs/road.xodr"
LANE = '<lane id="{}" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>'


def measured(words: Sequence[object], folder: Path, expected: int = 0) -> tuple[float, float]:
    """Runs a command; returns the processor time of all its processes in s, and its peak memory in MB."""
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen([str(word) for word in words], stdout=log, stderr=log, cwd=folder)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, expected):
        raise SystemExit(f"{words}: exit code {process.returncode}\n{(folder / 'log').read_text()[-2000:]}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


class Bench:
    def __init__(self, command: Path, fmu: Path, folder: Path, scale: float):
        self.command, self.fmu, self.folder, self.scale = command, fmu, folder, scale
        self.last = 0.0

    def gosmp(self, name: str, *words: object, runs: int = 1, expected: int = 0) -> float:
        self.last = self.row(name + "/gosmp", (self.command, *words), runs, expected)
        return self.last

    def peer(self, name: str, words: Sequence[object], runs: int = 1) -> None:
        """Measures another program after the command that does the same work."""
        self.row(name, words, runs, 0, self.last)

    def python(self, name: str, program: str, *arguments: object, runs: int = 1) -> None:
        self.peer(name, (sys.executable, "-c", program, *arguments), runs)

    def row(self, name: str, words: Sequence[object], runs: int, expected: int, ours: float = 0.0) -> float:
        results = [measured(words, self.folder, expected) for _ in range(runs)]
        time = min(time for time, _ in results)
        ratio = f" {time / max(ours, 1e-6):8.2f} times-gosmp" if ours else ""
        print(f"{name:44} {1000 * time:10.1f} cpu-ms {max(memory for _, memory in results):8.1f} MB{ratio}", flush=True)
        return time

    def start(self) -> None:
        self.gosmp("Start/version", "--version", runs=5)
        self.python("Start/version/fmpy", "import fmpy", runs=3)
        self.gosmp("Start/check", "check", self.fmu, runs=5)
        self.python("Start/check/fmpy", "import fmpy, sys; fmpy.read_model_description(sys.argv[1], validate=True)",
                    self.fmu, runs=3)
        self.gosmp("Start/run", "run", self.fmu, "--stop-time", 1, "--step-size", 0.1, runs=5)
        self.python("Start/run/fmpy", SIMULATE, self.fmu, runs=3)

    def doubled(self, name: str, make: Callable[[int], Path], count: int, *commands: Sequence[str]) -> None:
        """Measures commands on a file, and on one of twice the size."""
        counts = max(2, int(count * self.scale)), 2 * max(2, int(count * self.scale))
        files = [make(n) for n in counts]
        for command in commands:
            verb, *options = command
            times = [self.gosmp(f"{name}/{n}/{verb}", verb, file, *options, expected=1) for n, file in zip(counts, files)]
            print(f"{f'{name}/{verb}':44} {times[1] / times[0]:10.2f} times as long for twice the size", flush=True)

    def variables(self) -> None:
        def make(count: int) -> Path:
            target = self.folder / f"{count}.fmu"
            more = "".join(f'<ScalarVariable name="module{k // 1000}.part[{k % 1000}].x" valueReference="{100000 + k}" '
                           f'causality="parameter" variability="fixed" description="variable number {k}">'
                           f'<Real start="{k}.5"/></ScalarVariable>\n' for k in range(count))
            with zipfile.ZipFile(self.fmu) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
                for entry in source.infolist():
                    data = source.read(entry)
                    if entry.filename == "modelDescription.xml":
                        data = data.decode().replace("</ModelVariables>", more + "</ModelVariables>").encode()
                    archive.writestr(entry, data)
            return target

        self.doubled("Variables", make, 300_000, ("inspect",), ("run", "--stop-time", "0.1", "--step-size", "0.1"), ("check",))
        count = max(2, int(30_000 * self.scale))  # FMPy would take minutes for all of them
        fewer = make(count)
        self.gosmp(f"Variables/{count}/check", "check", fewer, expected=1)
        self.python(f"Variables/{count}/check/fmpy", "import fmpy, sys; fmpy.read_model_description(sys.argv[1], validate=True)", fewer)

    def traces(self) -> None:
        def make(count: int) -> Path:
            target = self.folder / f"drive_sv_{count}.osi"
            measured((self.command, "simulate", ROAD, "--actors", 30, "--range", 0, "--step", 0.02,
                      "--duration", 0.02 * count, "--trace", target), self.folder)
            print(f"{f'Traces/{count}':44} {target.stat().st_size / 1e6:10.1f} MB", flush=True)
            return target

        self.doubled("Traces", make, 20_000, ("check",), ("metrics",))

    def channels(self) -> None:
        def make(count: int) -> Path:
            lines = self.folder / "channels.jsonl"
            with open(lines, "w") as file:
                for k in range(2 * count):
                    data = {"timestamp": {"seconds": k // 1000, "nanos": k % 1000 * 1_000_000}}
                    file.write(json.dumps({"topic": f"/g{k % count // 100}/c{k % count}", "type": "osi3.SensorData", "sequence": k,
                                           "log_time": str(k * 1_000_000), "publish_time": str(k * 1_000_000), "data": data}) + "\n")
            target = self.folder / f"{count}.mcap"
            measured((self.command, "convert", lines, "-o", target), self.folder)
            return target

        self.doubled("Channels", make, 30_000, ("inspect",), ("check",))

    def maps(self) -> None:
        def make(count: int) -> Path:
            target = self.folder / f"{count}.xodr"
            with open(target, "w") as file:
                file.write('<OpenDRIVE><header revMajor="1" revMinor="6" name="big"/>\n')
                for k in range(count):
                    x, y = k % 200 * 400.0, k // 200 * 50.0
                    plan = "".join(f'<geometry s="{50 * j}" x="{x + 50 * j}" y="{y}" hdg="0" length="50"><line/></geometry>'
                                   for j in range(6))
                    file.write(f'<road id="{k}" length="300" junction="-1"><planView>{plan}</planView><lanes><laneSection s="0"><left>'
                               f'{LANE.format(2)}{LANE.format(1)}</left><center><lane id="0" type="none"/></center><right>'
                               f'{LANE.format(-1)}{LANE.format(-2)}</right></laneSection></lanes></road>\n')
                file.write("</OpenDRIVE>\n")
            print(f"{f'Maps/{count}':44} {target.stat().st_size / 1e6:10.1f} MB", flush=True)
            return target

        self.doubled("Maps", make, 15_000, ("check",), ("inspect",), ("simulate", "--duration", "1"))

    def sweeps(self) -> None:
        """Sweeps of short runs, and the same again with all runs in the store."""
        for count in (max(2, int(10_000 * self.scale)), 2 * max(2, int(10_000 * self.scale))):
            plan, store = self.folder / f"{count}.sweep.yaml", self.folder / f"{count}.store"
            plan.write_text(f"experiment: {self.fmu}\nparameters:\n  p: {{from: 1, to: {count}, step: 1}}\n"
                            "set:\n  --stop-time: p\n  --step-size: 1e9\n")
            self.gosmp(f"Sweeps/{count}", "sweep", plan, "--store", store)
            self.gosmp(f"Sweeps/{count}/stored", "sweep", plan, "--store", store)

    def traffic(self) -> None:
        """Traffic with recorded output, per vehicle and step, because vehicles of SUMO arrive and leave."""
        sumo, vehicles, steps = Path(os.environ.get("GOSMP_SUMO", "/nowhere")), 60, 2400
        town, net, trips, output = ROOT / "examples/maps/motorway.xodr", *(self.folder / f"{n}.xml" for n in ("net", "trips", "fcd"))

        def row(name: str, words: Sequence[object], moved: Callable[[], int], ours: float = 0.0) -> float:
            time = min(measured(words, self.folder)[0] for _ in range(3)) / moved() * 1e6
            ratio = f" {time / ours:8.2f} times-gosmp" if ours else ""
            print(f"{name:44} {time:10.2f} cpu-us/vehicle-step{ratio}", flush=True)
            return time

        ours = row("Traffic/gosmp", (self.command, "simulate", town, "--actors", vehicles - 1, "--duration", 0.05 * steps, "--step", 0.05,
                                     "--lane-changes", "--range", 0, "--trace", self.folder / "town.osi"), lambda: vehicles * steps)
        if not (sumo / "sumo").exists():
            print("not measured: GOSMP_SUMO does not name the folder of sumo and netconvert")
            return
        measured((sumo / "netconvert", "--opendrive-files", town, "-o", net, "--no-warnings"), self.folder)
        edges = [line.split('"')[1] for line in net.read_text().splitlines()
                 if line.strip().startswith("<edge ") and "function=" not in line]
        trips.write_text("<routes>" + "".join(
            f'<vehicle id="{k}" depart="{k // vehicles * 10}" departPos="random_free" departLane="random">'
            f'<route edges="{edges[k % len(edges)]}"/></vehicle>\n' for k in range(12 * vehicles)) + "</routes>")
        row("Traffic/sumo", (sumo / "sumo", "-n", net, "-r", trips, "--end", 0.05 * steps, "--step-length", 0.05, "--no-step-log",
                             "--fcd-output", output), lambda: output.read_text().count("<vehicle "), ours)

    def scenarios(self) -> None:
        esmini = os.environ.get("GOSMP_ESMINI", "")
        for file in ("examples/ccrs/ccrs.xosc", "examples/lane/passing.xosc"):
            name = f"Scenarios/{Path(file).stem}"
            self.gosmp(name, "run", ROOT / file, "--trajectories", self.folder / "ours.csv", runs=5, expected=1)
            if not esmini:
                print("not measured: GOSMP_ESMINI does not name the program esmini")
                continue
            self.peer(f"{name}/esmini", (esmini, "--osc", ROOT / file, "--headless", "--fixed_timestep", 0.01, "--disable_stdout",
                                         "--csv_logger", self.folder / "theirs.csv"), 3)
        self.long_scenario(esmini)

    def long_scenario(self, esmini: str) -> None:
        """Half an hour, in which starting does not matter, without output and with a row in each step."""
        file = ROOT / "test/bench/ring.xosc"
        peer = (esmini, "--osc", file, "--headless", "--fixed_timestep", 0.01, "--disable_stdout")
        for name, ours, theirs in (("", (), ()), ("/csv", ("--trajectories", self.folder / "ours.csv", "--output-interval", 0.01),
                                                  ("--csv_logger", self.folder / "theirs.csv"))):
            self.gosmp(f"Scenarios/ring{name}", "run", file, "--duration", 2000, *ours, runs=3)
            if esmini:
                self.peer(f"Scenarios/ring{name}/esmini", (*peer, *theirs), 3)


SIMULATE = "import fmpy, sys; fmpy.simulate_fmu(sys.argv[1], stop_time=1, step_size=0.1, output_interval=0.1)"
PARTS = ("start", "variables", "traces", "channels", "maps", "sweeps", "traffic", "scenarios")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", type=Path)
    parser.add_argument("fmu", type=Path)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(options.command.resolve(), options.fmu.resolve(), Path(name), options.scale)
        for part in options.parts or PARTS:
            getattr(bench, part)()


if __name__ == "__main__":
    main()
