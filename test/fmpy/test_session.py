"""gosmp.Session: many runs in one process give what separate commands give."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import gosmp
from gosmp import _call


@pytest.fixture(autouse=True)
def found(program: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The command of this checkout is the one that the package calls."""
    monkeypatch.setenv("GOSMP_BINARY", str(program))
    _call.binary.cache_clear()
    yield
    _call.binary.cache_clear()


@pytest.fixture(params=[False, True], ids=["prepared", "fresh"])
def session(request: pytest.FixtureRequest, found: None) -> Iterator[gosmp.Session]:
    with gosmp.Session(fresh=request.param) as session:
        yield session


def test_results_are_those_of_separate_commands(session: gosmp.Session, fmu_file: Path) -> None:
    options = {"stop_time": 0.5, "step_size": "1/60", "start_values": {"nominalrange": 70}}
    alone = gosmp.run(fmu_file, **options)
    for _ in range(4):
        result = session.run(fmu_file, **options)
        assert result.csv.read_bytes() == alone.csv.read_bytes()
        assert result.summary["traceHash"] == alone.summary["traceHash"]
        assert result.log == alone.log
    assert session.run(fmu_file, stop_time=0.1)["time"][-1] == 0.1  # no flag of an earlier call remains


def test_other_functions_and_folders(session: gosmp.Session, fmu_file: Path, tmp_path: Path,
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    assert session.check(fmu_file).passed == gosmp.check(fmu_file).passed
    assert session.inspect(fmu_file) == gosmp.inspect(fmu_file)
    assert session.call("version").stdout == gosmp.call("version").stdout
    (tmp_path / "chart.scxml").write_text(
        '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a">'
        '<transition event="go" target="b"/></state><final id="b"/></scxml>'
    )
    monkeypatch.chdir(tmp_path)
    assert "end b" in session.call("run", "chart.scxml", input="go\n").stdout
    assert "end b" not in session.call("run", "chart.scxml").stdout


def test_errors_are_those_of_separate_commands(session: gosmp.Session, fmu_file: Path) -> None:
    with pytest.raises(gosmp.RunError) as alone:
        gosmp.run(fmu_file, start_values={"nothing": 1})
    with pytest.raises(gosmp.RunError) as error:
        session.run(fmu_file, start_values={"nothing": 1})
    assert (error.value.exit_code, error.value.log) == (alone.value.exit_code, alone.value.log)
    assert error.value.exit_code == 2
    assert session.run(fmu_file, stop_time=0.1).passed


def test_the_cause_is_the_error_and_not_the_usage(session: gosmp.Session, fmu_file: Path) -> None:
    for run in (gosmp.run, session.run):
        with pytest.raises(gosmp.RunError, match="unknown flag --frob") as refused:
            run(fmu_file, options=["--frob"])
        assert refused.value.cause == "unknown flag --frob"


def test_a_timeout_and_an_end_start_it_again(session: gosmp.Session, fmu_file: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        session.call("run", fmu_file, "--stop-time", "1000", "--real-time", "1", timeout=1)
    assert session.run(fmu_file, stop_time=0.1).passed
    process = session._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert session.run(fmu_file, stop_time=0.1).passed
    stopped = session._process
    stopped.send_signal(signal.SIGSTOP)
    threading.Thread(target=_kill_with_a_request, args=(stopped,)).start()
    with pytest.raises(gosmp.RunError) as error:
        session.run(fmu_file, stop_time=0.1)
    assert error.value.exit_code == -signal.SIGKILL


def _kill_with_a_request(stopped: subprocess.Popen[bytes]) -> None:
    """Kills a process that does not run when there is something in its input."""
    assert stopped.stdin is not None
    waiting = bytearray(4)
    while not any(waiting):
        time.sleep(0.01)
        fcntl.ioctl(stopped.stdin.fileno(), termios.FIONREAD, waiting)
    stopped.kill()


def test_threads_share_one(session: gosmp.Session, fmu_file: Path) -> None:
    ends: dict[float, float] = {}

    def work(stop: float) -> None:
        ends[stop] = session.run(fmu_file, stop_time=stop)["time"][-1]

    stops = [0.1, 0.2, 0.3, 0.4]
    threads = [threading.Thread(target=work, args=(stop,)) for stop in stops]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ends == {stop: stop for stop in stops}


def test_nothing_is_left(fmu_file: Path) -> None:
    with gosmp.Session() as session:
        session.run(fmu_file, stop_time=0.1)
        process = session._process
    assert process is not None and process.returncode == 0
    with pytest.raises(ValueError, match="closed"):
        session.run(fmu_file, stop_time=0.1)
    with gosmp.Session():  # one that was not used
        pass


def test_folders_are_used_again_under_other_names(session: gosmp.Session, fmu_file: Path) -> None:
    folders = set()
    for _ in range(4):
        result = session.run(fmu_file, stop_time=0.1)
        assert [path.name for path in result.folder.iterdir()] == ["results.csv"]
        (result.folder / "notes.txt").touch()
        folder = result.folder
        del result
        assert not (folder / "results.csv").exists()
        folders.add(folder)
    assert len(folders) == 4
    kept = session.run(fmu_file, stop_time=0.1)
    (kept.folder / "plots").mkdir()
    session.close()
    assert kept["time"][-1] == 0.1
    root = kept.folder.parent
    del kept
    assert not root.exists()
