"""Fixtures: the FMUs, and the importers' processes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import fmpy
import pytest

from osi_rules import Rules
from traces import BOOLEANS, INTEGERS, OUT, REALS, STEP, Trace, triple

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
TOOLS = ROOT / ".tools" / "importers"

STEPS = 150  # three seconds: every sensor of the recording has sent data, GPS several times


def need(importer: str) -> None:
    """Skips if scripts/importers.sh could not install an importer, and fails if the script has not
    been run."""
    reason = TOOLS / "missing" / importer
    if reason.exists():
        pytest.skip(f"{importer}: {reason.read_text().strip()}")
    if not reason.parent.is_dir():
        pytest.fail(f"{importer} has not been installed: run scripts/importers.sh install")


def pack(package: str, output: Path, *words: str) -> Path:
    """Builds an FMU from a main package of this repository."""
    command = ["go", "run", package, "pack", "-o", str(output), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output


@pytest.fixture(scope="session")
def fmu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The .fmu under test, GOSMP_FMU or what `make fmu` builds: a copy, so that a concurrent build
    does not matter."""
    path = Path(os.environ.get("GOSMP_FMU") or ROOT / "dist" / "OSMPDummySensor.fmu").resolve()
    if not path.is_file():
        pytest.exit(f"there is no FMU at {path}: build it with `make fmu`, or name another one in GOSMP_FMU", 1)
    return Path(shutil.copy(path, tmp_path_factory.mktemp("fmu") / "OSMPDummySensor.fmu"))


@pytest.fixture(scope="session")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The .fmu for FMI 3.0, GOSMP_FMU3 or the one beside the FMU under test: a copy as well."""
    tested = Path(os.environ.get("GOSMP_FMU") or ROOT / "dist" / "OSMPDummySensor.fmu").resolve()
    path = Path(os.environ.get("GOSMP_FMU3") or tested.with_name(tested.stem + "-fmi3.fmu"))
    return Path(shutil.copy(path, tmp_path_factory.mktemp("twin") / "OSMPDummySensor.fmu"))


@pytest.fixture(scope="session")
def folder(fmu: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked FMU."""
    return Path(fmpy.extract(str(fmu), unzipdir=str(tmp_path_factory.mktemp("unpacked"))))


@pytest.fixture(scope="session")
def partner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An FMU that sends SensorView and receives SensorData; see partner/main.go."""
    return pack("./test/importers/partner", tmp_path_factory.mktemp("partner") / "Partner.fmu")


@pytest.fixture(scope="session")
def variant(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Path:
    """Another OSMPDummySensor: the same model and recording, packed with another start value."""
    output = tmp_path_factory.mktemp("variant") / "OSMPDummySensor.fmu"
    scenario = folder / "resources" / "scenario.csv"
    return pack("./cmd/osmpdummysensor", output, "-scenario", str(scenario), "-start", "sensorId=2")


@pytest.fixture(scope="session")
def references(fmu: Path) -> list[str]:
    """Value references for hosts without names: those of SensorDataOut and of the plain outputs, by
    type."""
    by_name = {v.name: v.valueReference for v in fmpy.read_model_description(str(fmu)).modelVariables}
    return [",".join(str(by_name[n]) for n in names) for names in (triple(OUT), REALS, INTEGERS, BOOLEANS)]


class Process:
    """The output of a host's process."""

    def __init__(self, words: Sequence[str | Path], **options: Any) -> None:
        self.words = [str(word) for word in words]
        options.setdefault("timeout", 1800)  # ends what hangs, also on a busy machine
        try:
            done = subprocess.run(self.words, capture_output=True, text=True, check=False, **options)
        except subprocess.TimeoutExpired as late:  # carries bytes, even with text=True
            out, err = ((written or b"").decode(errors="replace") for written in (late.stdout, late.stderr))
            pytest.fail(f"{self.words}\nstill running after {late.timeout:.0f} s\n{out[-2000:]}\n{err[-4000:]}")
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    def good(self) -> Process:
        """The process itself, which must have succeeded."""
        assert self.code == 0, f"{self.words}\nexit code {self.code}\n{self.out[-2000:]}\n{self.err[-4000:]}"
        return self

    def result(self) -> Any:
        """The JSON in the last line."""
        return json.loads(self.good().out.splitlines()[-1])


@pytest.fixture(scope="session")
def python() -> Callable[..., Process]:
    """Runs one of the programs here in a separate Python process, with a temporary folder that is
    deleted afterwards."""
    path = os.pathsep.join(str(p) for p in (HERE, HERE.parent / "fmpy", ROOT / "python"))

    def run(program: str, *words: str | Path | int, **options: Any) -> Process:
        with tempfile.TemporaryDirectory() as place:
            environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": place}
            return Process([sys.executable, HERE / program, *map(str, words)], env=environment, **options)

    return run


@pytest.fixture(scope="session")
def fmi4j(fmu: Path, references: list[str]) -> Callable[..., Process]:
    """Runs FMI4j on the JVM."""

    def run(mode: str, steps: int = STEPS, **more: Any) -> Process:
        need("fmi4j")
        with tempfile.TemporaryDirectory() as place:  # FMI4j does not delete its own library
            host = ["java", f"-Djava.io.tmpdir={place}", "-cp", f"{TOOLS}/fmi4j/lib/*", HERE / "fmi4j" / "Run.java"]
            return Process([*host, mode, fmu, str(steps), str(STEP), *references], **more)

    return run


@pytest.fixture(scope="session")
def reference(fmu: Path, python: Callable[..., Process]) -> Trace:
    """The outputs that FMPy reads: the reference for all others."""
    return Trace.parse(python("in_fmpy.py", "trace", fmu, STEPS).good().out)


@pytest.fixture(scope="session")
def rules() -> Rules:
    """OSI's own rules."""
    return Rules.load()
