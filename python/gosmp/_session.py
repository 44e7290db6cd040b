"""gosmp.Session: many short runs in one process."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import queue
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from . import _call, _check, _run, _test
from ._call import Called

_P = ParamSpec("_P")
_R = TypeVar("_R")

_GRACE = 5  # seconds that an idle session may take to end


def _served(function: Callable[_P, _R]) -> Callable[Concatenate[Session, _P], _R]:
    """The function as a method that sends its command to the session."""

    @functools.wraps(function)
    def method(self: Session, /, *arguments: _P.args, **options: _P.kwargs) -> _R:
        with self._serving():
            return function(*arguments, **options)

    return method


class Session:
    """A persistent process of the command, for many short runs.

        with gosmp.Session() as session:
            for gain in gains:
                result = session.run("sensor.fmu", stop_time=1, start_values={"gain": gain})

    run, check, inspect, test and call are the functions of this package, with the same arguments,
    results and exceptions. For the next run of an FMU, its description has already been read, and a
    process has already loaded its library. FMUs never run in the process of the session, so a crash
    only ends a run. The process of an FMU may serve several runs, one after another, if a trial and
    a comparison after each run find that the FMU carries nothing over. notes names the other FMUs,
    which have a new process for each run. With fresh=True, each run starts new processes, which
    takes longer and gives the same results.

    A session executes one call at a time; calls from other threads wait. When the process itself
    ends, the call raises RunError, and the next one starts it again.
    """

    run = _served(_run.run)
    check = _served(_check.check)
    inspect = _served(_check.inspect)
    test = _served(_test.test)
    call = _served(_call.call)

    def __init__(self, fresh: bool = False) -> None:
        self._fresh = fresh
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._log = tempfile.TemporaryFile()  # what the session itself says
        self._closed = False
        self.notes: list[str] = []  #: FMUs that need a new process for each run, and why
        self._folders: _Folders | None = _Folders()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_process", None) is not None:
            self.close()

    def close(self) -> None:
        """Ends the process. The results of earlier runs remain."""
        with self._lock:
            self._closed = True
            self._folders = None
            process, self._process = self._process, None
            if process is not None:
                _end(process, _GRACE)
            self._log.close()

    @contextlib.contextmanager
    def _serving(self) -> Iterator[None]:
        token = _call.executor.set(self._execute)
        folders = _call.folders.set(self._folders)
        try:
            yield
        finally:
            _call.folders.reset(folders)
            _call.executor.reset(token)

    def _execute(self, words: tuple[str, ...], input: str | None, cwd: Any, timeout: float | None) -> Called:
        """Executes a command line in the process of this session."""
        line = json.dumps({"arguments": words, "folder": os.fspath(cwd) if cwd is not None else os.getcwd(),
                           "input": input or ""})
        with self._lock:
            if self._closed:
                raise ValueError("the session is closed")
            process = self._started()
            try:
                answer = self._exchange(process, line.encode() + b"\n", timeout)
            except BaseException as error:  # also KeyboardInterrupt
                self._process = None
                _end(process, 0)
                if isinstance(error, queue.Empty):
                    raise subprocess.TimeoutExpired(["gosmp", *words], timeout or 0) from None
                raise
            if not answer:
                self._process = None
                return self._died(process, words)
        result = json.loads(answer)
        self.notes += result.get("notes", ())
        return Called(words, result["exitCode"], result["stdout"], result["stderr"])

    def _exchange(self, process: subprocess.Popen[bytes], line: bytes, timeout: float | None) -> bytes:
        assert process.stdin is not None
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except BrokenPipeError:
            return b""
        if sys.platform == "win32":
            return self._answers.get(timeout=timeout)
        assert process.stdout is not None
        return _line(process.stdout.fileno(), timeout)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            process, self._process = self._process, None
            _end(process, 0)
        if self._process is None:
            self._log.seek(0)
            self._log.truncate()
            self._process = subprocess.Popen([_call.binary(), "session", *(["--fresh"] if self._fresh else [])], stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, stderr=self._log)
            if sys.platform == "win32":  # where nothing else waits for a pipe up to a limit
                self._answers = queue.SimpleQueue()
                threading.Thread(target=_forward, args=(self._process, self._answers), daemon=True).start()
        return self._process

    def _died(self, process: subprocess.Popen[bytes], words: tuple[str, ...]) -> Called:
        _end(process, 0)
        code = process.returncode
        self._log.seek(0)
        log = self._log.read().decode(errors="replace") or f"the process of the session has ended with {code}\n"
        return Called(words, code if code < 0 else 4, "", log)


class _Folders:
    """The temporary folders of a session's results, below one folder that exists as long as any of
    them is used. An emptied folder is used again under a new name, which is faster than removing it
    and creating another one."""

    def __init__(self) -> None:
        self._root: Path | None = None
        self._free: list[str] = []
        self._count = 0
        self._lock = threading.Lock()

    def take(self) -> Path:
        """An empty folder with a name that no folder had before."""
        with self._lock:
            if self._root is None:
                self._root = Path(tempfile.mkdtemp(prefix="gosmp-"))
                weakref.finalize(self, shutil.rmtree, self._root, ignore_errors=True)
            self._count += 1
            path = self._root / str(self._count)
        try:
            os.rename(self._free.pop(), path)
        except (IndexError, OSError):  # there is none, or somebody has removed it
            path.mkdir(parents=True, mode=0o700)
        return path

    def give(self, path: str) -> None:
        """Takes back a folder. It may be called at any time, by the collector of garbage."""
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    os.unlink(entry.path)
        except OSError:  # there are folders in it, which only a user has created
            shutil.rmtree(path, ignore_errors=True)
        else:
            self._free.append(path)


if sys.platform != "win32":

    def _line(descriptor: int, timeout: float | None) -> bytes:
        """The next line of a pipe; b"" at its end. Raises queue.Empty after timeout seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        line = bytearray()
        while not line.endswith(b"\n"):
            if end is not None and not poll.poll(max(0.0, end - time.monotonic()) * 1000):
                raise queue.Empty
            part = os.read(descriptor, 1 << 16)
            if not part:
                return b""
            line += part
        return bytes(line)


def _forward(process: subprocess.Popen[bytes], answers: queue.SimpleQueue[bytes]) -> None:
    """Passes on each answer, and b"" at the end."""
    assert process.stdout is not None
    for line in process.stdout:
        answers.put(line)
    answers.put(b"")
    process.stdout.close()


def _end(process: subprocess.Popen[bytes], grace: float) -> None:
    """Ends a session by closing its input and, after so many seconds, like Ctrl-C."""
    assert process.stdin is not None and process.stdout is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(grace)
    _call.end(process)
    if sys.platform != "win32":
        process.stdout.close()
