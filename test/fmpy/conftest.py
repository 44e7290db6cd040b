"""Fixtures of the black-box tests: the FMU, unpacked once, and hosts that are freed after each
test."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import fmpy
import pytest

from host import Host
from osi_rules import Rules

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def fmu_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The .fmu under test, GOSMP_FMU or what `make fmu` builds: a copy, so that a concurrent build
    does not matter."""
    path = Path(os.environ.get("GOSMP_FMU") or ROOT / "dist" / "OSMPDummySensor.fmu").resolve()
    if not path.is_file():
        pytest.exit(f"there is no FMU at {path}: build it with `make fmu`, or name another one in GOSMP_FMU", 1)
    start = {v.name: v.start for v in fmpy.read_model_description(str(path), validate=False).modelVariables}
    if (start.get("replay.scenarioFile") or "", start.get("replay.timeUnit")) != ("", "auto"):
        pytest.exit(f"{path} was packed with other defaults: build it with `make fmu`, without SCENARIO and UNIT", 1)
    return Path(shutil.copy(path, tmp_path_factory.mktemp("fmu") / "OSMPDummySensor.fmu"))


@pytest.fixture(scope="session")
def example_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Packs an example once, the way its author would. GOSMP_MODELS names the folder that the tests
    in Go have filled, see internal/packed."""
    common = Path(os.environ.get("GOSMP_MODELS") or tmp_path_factory.mktemp("models"))

    def pack(name: str) -> Path:
        path = common / f"examples-{name}.fmu"
        if not path.exists():
            own = tmp_path_factory.mktemp(name) / path.name
            command = ["go", "run", f"./examples/{name}", "pack", "-o", str(own)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            common.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=common, delete=False) as part:
                part.write(own.read_bytes())
            os.replace(part.name, path)
        return path

    return pack


@pytest.fixture(scope="session")
def folder(fmu_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked FMU."""
    path = tmp_path_factory.mktemp("unpacked")
    fmpy.extract(str(fmu_file), unzipdir=str(path))
    return path


@pytest.fixture(scope="session")
def description(folder: Path) -> Any:
    """FMPy's model description, validated."""
    return fmpy.read_model_description(str(folder))


@pytest.fixture
def new_host(folder: Path, description: Any) -> Iterator[Callable[..., Host]]:
    """Makes hosts; see Host for the arguments."""
    hosts: list[Host] = []

    def make(name: str = "dut", **options: Any) -> Host:
        hosts.append(Host(options.pop("folder", folder), description, name, **options))
        return hosts[-1]

    yield make
    for host in hosts:
        host.free()


@pytest.fixture
def host(new_host: Callable[..., Host]) -> Host:
    """One instance, just instantiated."""
    return new_host()


@pytest.fixture
def scenario(tmp_path: Path) -> Callable[..., str]:
    """Writes a simsensor file and returns its absolute path, for use as the parameter."""

    def write(text: str | bytes, name: str = "scenario.csv") -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return str(path)

    return write


@pytest.fixture(scope="session")
def rules() -> Rules:
    """OSI's own rules."""
    return Rules.load()


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command line."""
    path = tmp_path_factory.mktemp("gosmp") / "gosmp"
    done = subprocess.run(
        ["go", "build", "-o", str(path), "./cmd/gosmp"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def child(folder: Path, fmu_file: Path) -> Callable[..., Any]:
    """Runs a function of children.py in a separate Python process and returns its result, so that a
    crash is only a failed test. Extra arguments are passed as text."""

    unpacked = folder

    def run(
        function: str, *arguments: Any, folder: Path | None = None, cwd: Path | None = None, timeout: float = 600
    ) -> Any:
        path = os.pathsep.join(str(p) for p in (HERE, ROOT / "python"))
        done = subprocess.run(
            [
                sys.executable,
                str(HERE / "children.py"),
                function,
                str(fmu_file),
                str(folder or unpacked),
                *map(str, arguments),
            ],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert done.returncode == 0, (
            f"{function}: exit code {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        )
        return json.loads(done.stdout.splitlines()[-1])

    return run


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Real recordings, which are not part of the repository."""
    path = Path(os.environ.get("GOSMP_TESTDATA") or ROOT.parent / "shared" / "data").resolve()
    if not path.is_dir():
        pytest.skip(f"no real recordings at {path}; GOSMP_TESTDATA names another folder")
    return path
