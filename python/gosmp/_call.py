"""Calling the command `gosmp`."""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

StrPath = "str | os.PathLike[str]"

_GRACE = 10  # seconds that the command has to terminate its FMUs after Ctrl-C; it kills them after 5
_ERROR = "gosmp: error: "  # before the cause; a line about the usage may follow
_LOG_LINES = 20  # lines of the log in the message of an exception


@dataclass(frozen=True)
class Called:
    """The outcome of a call of the command."""

    arguments: tuple[str, ...]  #: without the command itself
    exit_code: int  #: 0 done or passed, 1 not passed, 2 invalid input, 3 a time limit, 4 a failure
    stdout: str
    log: str  #: standard error


#: executes the command lines of this context instead of separate processes; see gosmp.Session
executor: ContextVar[Callable[[tuple[str, ...], str | None, Any, float | None], Called] | None] = ContextVar(
    "executor", default=None
)


class Folders(Protocol):
    """Temporary folders that are used again."""

    def take(self) -> Path:
        """An empty folder."""
        ...

    def give(self, path: str) -> None:
        """Takes back a folder."""


#: where the temporary folders of this context come from; see gosmp.Session
folders: ContextVar[Folders | None] = ContextVar("folders", default=None)


class RunError(Exception):
    """The command could not do its work: it ended with exit code 2, 3 or 4, or by a signal.

    The message contains the last lines of the log. A verdict "failed" is not an exception.
    """

    def __init__(self, called: Called, cause: str = "", result: Any = None) -> None:
        self.exit_code = called.exit_code  #: of the command; if negative, the number of a signal
        self.log = called.log  #: the whole log
        self.result = result  #: the partial result of run, or None
        lines = called.log.strip().splitlines()[-_LOG_LINES:]
        errors = [line for line in lines if line.startswith(_ERROR)] or lines
        self.cause = cause or (errors[-1].removeprefix(_ERROR) if errors else "")  #: one line
        said = f"gosmp {called.arguments[0]} ended with exit code {called.exit_code}: {self.cause}"
        rest = [line for line in lines if line.removeprefix(_ERROR) != self.cause]
        super().__init__("\n".join([said, *rest]))


@functools.cache
def binary() -> str:
    """The path of the command `gosmp`.

    It is searched in the environment variable GOSMP_BINARY, among the scripts that pip installed with
    this package, and in PATH. Raises FileNotFoundError if it is not found.
    """
    named = os.environ.get("GOSMP_BINARY")
    if named:
        if not os.path.isfile(named):
            raise FileNotFoundError(f"GOSMP_BINARY names {named}, which is not a file")
        return named
    name = "gosmp" + (sysconfig.get_config_var("EXE") or "")
    places = [*_script_folders(), Path(sys.prefix, "bin")]
    for place in places:
        if os.access(place / name, os.X_OK) and (place / name).is_file():
            return str(place / name)
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(
            f"the command {name} is neither in PATH nor in {', '.join(map(str, places))}; install the wheel of "
            "gosmp, or name the command in the environment variable GOSMP_BINARY"
        )
    return found


def _script_folders() -> Iterator[Path]:
    """The folders where pip may have put the command: next to Python, for the user, or with --target."""
    yield Path(sysconfig.get_path("scripts"))
    user = "posix_user" if os.name == "posix" else f"{os.name}_user"
    with contextlib.suppress(KeyError):
        yield Path(sysconfig.get_path("scripts", scheme=user))
    yield Path(__file__).resolve().parent.parent / "bin"


class Folder:
    """The folder with the files of a call: named by the caller, or a temporary folder, which is
    removed when the object is no longer used."""

    def __init__(self, named: Any = None) -> None:
        kept = folders.get()
        if named is not None:
            self.path = Path(named)
            self.path.mkdir(parents=True, exist_ok=True)
        elif kept is not None:
            self.path = kept.take()
            weakref.finalize(self, kept.give, str(self.path))
        else:
            self.path = Path(tempfile.mkdtemp(prefix="gosmp-"))
            weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def dummy_sensor(fmi: int = 2) -> Path:
    """The path of OSMPDummySensor, the FMU that comes with the installed package, for FMI 2 or 3.

    The FMU for FMI 3 is assembled from parts at the first request, in the user's cache.
    Raises FileNotFoundError in a checkout, where `make fmu` builds it.
    """
    name = {2: "OSMPDummySensor.fmu", 3: "OSMPDummySensor-fmi3.fmu"}.get(fmi)
    if name is None:
        raise ValueError(f"fmi is {fmi!r}, expected 2 or 3")
    path = Path(__file__).resolve().parent / "fmus" / name
    shared = path.with_suffix(".shared")
    if shared.is_file():
        return _joined(shared, name)
    if not path.is_file():
        raise FileNotFoundError(f"there is no {path}; only the wheel has it, in a checkout `make fmu` builds one")
    return path


def _joined(shared: Path, name: str) -> Path:
    """An FMU assembled from its own parts and the library that it shares with the FMU for FMI 2.

    The first line of the file contains three numbers: the position of the missing library, its
    position in the other FMU, and its length.
    """
    line, _, rest = shared.read_bytes().partition(b"\n")
    at, start, length = map(int, line.split())
    library = shared.with_name("OSMPDummySensor.fmu").read_bytes()[start : start + length]
    data = rest[:at] + library + rest[at:]
    folder = f"sensors-{hashlib.sha256(data).hexdigest()[:16]}"
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    try:
        return _kept(Path(cache, "gosmp", folder, name), data)
    except OSError:  # no home folder, or no permission to write to it
        return _kept(_private() / name, data)


@functools.cache
def _private() -> Path:
    """A temporary folder of this process. Nobody else can have prepared it, because its name is new."""
    path = tempfile.mkdtemp(prefix="gosmp-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


def _kept(path: Path, data: bytes) -> Path:
    """The file with the data, which is created atomically if it does not exist yet."""
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(data)
        os.chmod(file.name, 0o644)
        os.replace(file.name, path)
    return path


def file_words(*files: Any) -> list[str]:
    """Paths as words of a command line. A name that begins with - would be taken for a flag."""
    names = [os.fsdecode(file) if isinstance(file, (bytes, os.PathLike)) else str(file) for file in files]
    return [f"./{name}" if name.startswith("-") and name != "-" else name for name in names]


def option_words(options: Sequence[Any]) -> list[str]:
    """Further options as words of a command line."""
    if isinstance(options, (str, bytes)):
        raise TypeError(f'options is a list such as ["--bridge", "bridge.json"], not the text {options!r}')
    return [os.fsdecode(word) if isinstance(word, (bytes, os.PathLike)) else str(word) for word in options]


def document(called: Called) -> dict[str, Any]:
    """The JSON document that the command printed."""
    parsed: dict[str, Any] = json.loads(called.stdout)
    return parsed


@functools.cache
def version() -> str:
    """The version of the command, such as 0.2.0."""
    return call("--version").stdout.split()[1]


def call(*arguments: Any, input: str | None = None, cwd: Any = None, timeout: float | None = None) -> Called:
    """Calls the command with arguments, and returns how it ended, whatever the exit code.

    input is its standard input. After timeout seconds, and when Python is interrupted (Ctrl-C), it
    is terminated properly, together with its FMUs. Raises subprocess.TimeoutExpired in the first
    case. cwd is its working directory.

    >>> print(call("explain", "C01").stdout)  # doctest: +SKIP
    """
    words = tuple(os.fsdecode(word) if isinstance(word, (bytes, os.PathLike)) else str(word) for word in arguments)
    execute = executor.get()
    if execute is not None:
        return execute(words, input, cwd, timeout)
    with started(words, cwd, subprocess.PIPE if input is not None else subprocess.DEVNULL) as process:
        stdout, log = process.communicate(input.encode() if input is not None else None, timeout)
    return Called(words, process.returncode, stdout.decode(errors="replace"), log.decode(errors="replace"))


@contextlib.contextmanager
def started(words: Sequence[str], cwd: Any = None, stdin: int | IO[Any] = subprocess.DEVNULL,
            log: int | IO[Any] = subprocess.PIPE) -> Iterator[subprocess.Popen[bytes]]:
    """The running command, which is ended when the block is left."""
    process = subprocess.Popen([binary(), *words], stdin=stdin, stdout=subprocess.PIPE, stderr=log, cwd=cwd)
    try:
        yield process
    finally:
        end(process)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a command that is still running: Ctrl-C lets it terminate its FMUs properly."""
    if process.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
    try:
        process.communicate(timeout=_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    except ValueError:  # a pipe is already closed
        process.wait(_GRACE)
