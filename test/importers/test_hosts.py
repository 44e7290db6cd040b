"""The FMU in the processes of demanding hosts: many runs, other Go FMUs beside it, signals,
children, odd folders and streams. Each host is a separate process (hosts.py), so that a crash is
only a failed test."""

from __future__ import annotations

import ctypes
import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fmpy
import pytest

from conftest import Process, need
from host import ERROR, OK
from traces import Trace

Python = Callable[..., Process]

LIBC = ctypes.CDLL(None)
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2  # linux/prctl.h, linux/capability.h

#: Acceptable growth over 1000 runs, caused by the allocator and the runtime, in kB: of resident
#: memory, and of address space, in which one more thread takes a stack and an arena. A core that
#: remained loaded would take a gigabyte.
TOLERATED, TOLERATED_SPACE = 8_000, 200_000


@pytest.mark.parametrize("which", ["fmu", "twin"])
def test_1500_simulations_from_the_file_leave_nothing_behind(
    which: str, request: pytest.FixtureRequest, python: Python
) -> None:
    result = python("hosts.py", "simulations", request.getfixturevalue(which), 1500).result()
    early, _, late = result["seen"]
    print(f"after 500 and 1500 runs: {early} {late}, {result['seconds']:.0f} s")
    assert late["cores"] == early["cores"] == 1
    assert late["threads"] <= early["threads"] + 3, "a Go runtime may start a few on its own"
    assert late["files"] == early["files"]
    assert late["maps"] <= early["maps"] + 16
    assert late["resident"] <= early["resident"] + TOLERATED
    assert late["virtual"] <= early["virtual"] + TOLERATED_SPACE


def test_three_go_fmus_in_one_process(fmu: Path, variant: Path, partner: Path, python: Python) -> None:
    result = python("hosts.py", "several", fmu, variant, partner).result()
    assert result["cores"] == 3
    assert len(set(result["alone"])) == 3, "they differ"
    assert result["in turn"] == result["alone"]
    assert result["threaded"] == [[digest] for digest in result["alone"]]
    assert result["runs"] == [10, 10, 10]


@pytest.fixture(scope="module")
def usual(folder: Path, python: Python) -> str:
    """The result of an undisturbed run."""
    return python("hosts.py", "surroundings", folder).result()["digest"]


# -- the JVM


@pytest.mark.parametrize("preload", [False, True], ids=["plain", "libjsig"])
def test_a_jvm_that_uses_its_signals(preload: bool, fmi4j: Callable[..., Process], reference: Trace) -> None:
    need("fmi4j")
    environment = {**os.environ}
    if preload:
        environment["LD_PRELOAD"] = str(libjsig())
    process = fmi4j("stress", steps=40, env=environment).good()
    lines = process.out.splitlines()
    assert lines[0].startswith("threads 8 provoked ") and int(lines[0].split()[-1]) > 100_000
    assert lines[-1] == "done"
    assert Trace.parse_lines(process.out).steps == reference.steps[:40]


def libjsig() -> Path:
    """The JVM's library for chaining signal handlers."""
    shown = Process(["java", "-XshowSettings:properties", "-version"]).good()
    home = next(line.split("=")[1].strip() for line in shown.err.splitlines() if "java.home =" in line)
    path = Path(home, "lib", "libjsig.so")
    assert path.is_file(), f"this Java has no {path}"
    return path


# -- Python and signals


@pytest.mark.parametrize("enabled", ["before", "after"])
def test_the_fault_handler_sees_a_fault_of_the_host(enabled: str, fmu: Path, python: Python) -> None:
    process = python("hosts.py", "crash", fmu, enabled)
    assert process.code == -signal.SIGSEGV
    assert "the FMU has run" in process.out
    assert "Fatal Python error: Segmentation fault" in process.err
    assert "in crash" in process.err, "with the traceback"


def test_the_fault_handler_does_no_harm(fmu: Path, python: Python) -> None:
    process = python("hosts.py", "fault_handler", fmu)
    assert process.result() == {"results": 1}
    assert process.err.count("in fault_handler") == 40


def test_signals_of_the_host(fmu: Path, python: Python) -> None:
    result = python("hosts.py", "signals", fmu).result()
    assert result.pop("ticks") > 10, "the timer's handler has run between the steps"
    assert result == {"same": True, "child": "child\n", "interrupted": True, "SIGPIPE": True}


@pytest.mark.parametrize("function", ["broken_pipe", "dies_of_broken_pipe"])
def test_a_broken_pipe_does_what_it_does_without_the_fmu(function: str, fmu: Path, python: Python) -> None:
    without, loaded = (python("hosts.py", function, fmu, mode) for mode in ("without", "with"))
    assert (loaded.code, loaded.out) == (without.code, without.out)
    assert without.code == (-signal.SIGPIPE if function.startswith("dies") else 0)


# -- processes


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_multiprocessing(method: str, fmu: Path, python: Python) -> None:
    assert python("hosts.py", "spawn", fmu, method).result() == {"same": True, "runs": 6}


@pytest.mark.parametrize(
    ("moment", "runs", "children"), [("not_loaded", 5, 1), ("idle", 400, 1), ("alive", 40, 1), ("stepping", 10, 5)]
)
def test_a_forked_child_makes_instances_of_its_own(
    moment: str, runs: int, children: int, fmu: Path, python: Python
) -> None:
    """A Go runtime does not survive a fork: only the thread that forked exists in the child. The
    child loads a core of its own, and the parent is not affected."""
    result = python("hosts.py", "fork", fmu, moment, runs).result()
    assert result == {"outcomes": ["right"] * children, "parent": True}


def test_a_forked_child_runs_several_fmus(fmu: Path, variant: Path, partner: Path, python: Python) -> None:
    assert python("hosts.py", "fork_several", fmu, variant, partner).result() == ["True", "TrueTrue"]


def test_a_forked_child_is_told_that_its_parents_instance_is_lost(fmu: Path, python: Python) -> None:
    result = python("hosts.py", "fork_parents_instance", fmu).result()
    assert result["outcome"].startswith(f"{ERROR} fmi2DoStep: this process was forked after the instance had been made")
    assert result["parent"] == OK


# -- folders


@pytest.mark.parametrize("moment", ["instantiated", "initialized"])
def test_a_folder_that_is_deleted(moment: str, fmu: Path, python: Python) -> None:
    assert python("hosts.py", "deleted", fmu, moment).result() == {"same": True, "again": True}


@pytest.fixture
def read_only(fmu: Path, tmp_path: Path) -> Iterator[Path]:
    """The FMU, unpacked into a read-only folder."""
    fmpy.extract(str(fmu), unzipdir=str(tmp_path))
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield tmp_path
    for path in (tmp_path, *tmp_path.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)


def heed_permissions() -> None:
    """Removes the capabilities that let root read and write everything, before a program starts."""
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def test_a_read_only_folder_and_a_foreign_working_directory(read_only: Path, usual: str, python: Python) -> None:
    before = listing(read_only)
    result = python("hosts.py", "surroundings", read_only, cwd="/proc", preexec_fn=heed_permissions).result()
    if result["writable"]:
        pytest.skip("this process may write to a read-only folder and cannot give up that right")
    assert result["digest"] == usual
    assert listing(read_only) == before, "nothing was written"


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    """The files of a folder, with sizes and times."""
    return {str(p): (p.stat().st_size, p.stat().st_mtime_ns) for p in (folder, *folder.rglob("*"))}


# -- streams


@pytest.mark.parametrize("moment", ["before", "after"])
def test_closed_standard_streams(moment: str, fmu: Path, usual: str, python: Python, tmp_path: Path) -> None:
    answer = tmp_path / "answer.json"
    python("hosts.py", "closed_streams", fmu, answer, moment).good()
    result = json.loads(answer.read_text())
    assert result["writable"] == [], "what the host prints would end there"
    assert result["second"] == usual
    assert result["first"] in (None, usual)


def test_nothing_is_written_to_the_standard_streams(fmu: Path, python: Python) -> None:
    process = python("hosts.py", "streams", fmu, "/there/is/no/such.csv")
    assert process.result() == {"lines": 1}
    assert process.err == ""
    assert len(process.out.split()) == 2, process.out  # only the result


# -- no resource location


@pytest.mark.parametrize(
    "values", [{"replay.enabled": False}, {"replay.scenarioFile": "@resources/scenario.csv"}], ids=["off", "absolute"]
)
def test_no_resource_location(values: dict[str, Any], fmu: Path, usual: str, python: Python) -> None:
    result = python("hosts.py", "no_resources", fmu, json.dumps(values)).result()
    assert (result["status"], result["log"]) == (0, [])
    assert (result["digest"] == usual) == ("replay.scenarioFile" in values)


@pytest.mark.parametrize("values", [{}, {"replay.scenarioFile": "scenario.csv"}], ids=["bundled", "relative"])
def test_no_resource_location_and_a_scenario_from_there(
    values: dict[str, Any], fmu: Path, usual: str, python: Python
) -> None:
    """The scenario is found nevertheless, beside the library that the host has loaded, and gives
    the usual results."""
    result = python("hosts.py", "no_resources", fmu, json.dumps(values)).result()
    assert (result["status"], result["log"], result["digest"]) == (0, [], usual)


def test_no_resource_location_and_no_resources(fmu: Path, python: Python) -> None:
    """One log line names what is missing and the remedy, and the instance can still be used without
    a scenario."""
    result = python("hosts.py", "no_resources", fmu, json.dumps({}), "removed").result()
    assert result["status"] == ERROR
    (line,) = result["log"]
    assert "fmuResourceLocation" in line and "absolute path" in line
