"""gosmp in Python: run FMUs, systems and experiments, read traces, and pass OSI messages.

    import gosmp

    result = gosmp.run("OSMPDummySensor.fmu", stop_time=20)
    print(result["gps.latitude"][-1])
    result.pandas().plot(x="time", y="accelerometer.x")

Every function calls the command `gosmp`, which runs each FMU in its own process: a crash of an FMU
is merely an exception here. The command is part of the installed package; elsewhere it is found
through the environment variable GOSMP_BINARY or PATH.

    run, check, inspect, simulate, sweep, test     what the subcommands of the same names do
    messages, frame                                the messages of a trace; its objects as a table
    to_rerun                                       a trace as a recording for the Rerun viewer
    call                                           any other subcommand
    Session                                        the same for many short runs, in one process
    dummy_sensor                                   the path of the FMU that comes with the package
    read, write, variables                         OSMP's binary variables of an FMU that runs in
                                                   FMPy; see gosmp.osmp

Everything except Python's standard library is only imported when needed: `Table.numpy`, `pandas`,
`polars` and `arrow` need the corresponding package, and decoded messages need osi-python.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import osmp as osmp
    from ._call import Called, RunError, binary, call, dummy_sensor, version
    from ._check import Finding, Findings, check, inspect
    from ._rerun import to_rerun
    from ._run import Result, run
    from ._session import Session
    from ._simulate import simulate
    from ._sweep import Sweep, sweep
    from ._table import Table
    from ._test import Tested, test
    from ._trace import Message, frame, messages
    from .osmp import BinaryVariable, Error, join, message_class, read, split, variables, write

_PLACES = {
    "_call": ("Called", "RunError", "binary", "call", "dummy_sensor", "version"),
    "_check": ("Finding", "Findings", "check", "inspect"),
    "_rerun": ("to_rerun",),
    "_run": ("Result", "run"),
    "_session": ("Session",),
    "_simulate": ("simulate",),
    "_sweep": ("Sweep", "sweep"),
    "_table": ("Table",),
    "_test": ("Tested", "test"),
    "_trace": ("Message", "frame", "messages"),
    "osmp": ("BinaryVariable", "Error", "join", "message_class", "read", "split", "variables", "write"),
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "BinaryVariable",
    "Called",
    "Error",
    "Finding",
    "Findings",
    "Message",
    "Result",
    "RunError",
    "Session",
    "Sweep",
    "Table",
    "Tested",
    "binary",
    "call",
    "check",
    "dummy_sensor",
    "frame",
    "inspect",
    "join",
    "message_class",
    "messages",
    "read",
    "run",
    "simulate",
    "split",
    "sweep",
    "test",
    "to_rerun",
    "variables",
    "version",
    "write",
]


def __getattr__(name: str) -> Any:
    """Imports the module that defines the name, so that `import gosmp` alone is fast."""
    if name in _MODULES:
        value = getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
        globals()[name] = value
        return value
    if name == "osmp":
        return importlib.import_module(".osmp", __name__)
    if name == "__version__":
        return __getattr__("version")()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
