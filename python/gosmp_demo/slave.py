"""One instance of the FMU in FMPy, for the demo: its life cycle, its log, and all plain outputs."""

from __future__ import annotations

import sys
from ctypes import byref
from typing import Any

from fmpy import calloc, free
from fmpy.fmi2 import (
    FMU2Slave,
    fmi2CallbackAllocateMemoryTYPE,
    fmi2CallbackFreeMemoryTYPE,
    fmi2CallbackFunctions,
    fmi2CallbackLoggerTYPE,
)
from fmpy.logging import addLoggerProxy

_STATUS = ("ok", "warning", "discard", "error", "fatal", "pending")
_MOST_LINES = 40  # of one category, so that a long run does not bury its table


class NotUsable(Exception):
    """The library cannot be loaded, or the FMU refuses to be instantiated."""


class Slave:
    """A co-simulation slave, freed when the with block ends. Its constructor raises NotUsable,
    calls raise FMPy's FMICallException."""

    def __init__(self, folder: str, description: Any) -> None:
        self._types = {v.name: (v.type, v.valueReference) for v in description.modelVariables}
        self._groups: dict[str, tuple[list[str], list[int]]] = {}
        for v in description.modelVariables:
            if v.causality == "output" and not v.name.endswith((".base.lo", ".base.hi")):
                names, references = self._groups.setdefault(v.type, ([], []))
                names.append(v.name)
                references.append(v.valueReference)
        #: The plain outputs in the order of outputs().
        self.names = [name for names, _ in self._groups.values() for name in names]
        self._lines: dict[str, int] = {}
        self._callbacks = self._make_callbacks()
        self.fmu = self._load(folder, description)

    def _load(self, folder: str, description: Any) -> FMU2Slave:
        slave = None
        try:
            slave = FMU2Slave(
                guid=description.guid,
                unzipDirectory=folder,
                instanceName="demo",
                modelIdentifier=description.coSimulation.modelIdentifier,
            )
            slave.instantiate(callbacks=self._callbacks, loggingOn=True)
            return slave
        except Exception as error:  # FMPy raises bare Exceptions here
            step = "loaded" if slave is None else "instantiated"
            raise NotUsable(f"the FMU cannot be {step}: {error}") from error

    def _make_callbacks(self) -> fmi2CallbackFunctions:
        callbacks = fmi2CallbackFunctions()
        callbacks.logger = fmi2CallbackLoggerTYPE(self._log)
        callbacks.allocateMemory = fmi2CallbackAllocateMemoryTYPE(calloc)
        callbacks.freeMemory = fmi2CallbackFreeMemoryTYPE(free)
        addLoggerProxy(byref(callbacks))  # expands the printf arguments, which ctypes cannot
        return callbacks

    def _log(self, _environment: Any, _instance: bytes, status: int, category: bytes, message: bytes) -> None:
        name = (category or b"").decode("utf-8", "replace")
        seen = self._lines[name] = self._lines.get(name, 0) + 1
        label = _STATUS[status] if 0 <= status < len(_STATUS) else str(status)
        if seen <= _MOST_LINES:
            print(f"  [{label}] {name}: {message.decode('utf-8', 'replace')}", file=sys.stderr)
        elif seen == _MOST_LINES + 1:
            print(f"  [{label}] {name}: ... further lines of this category are not shown", file=sys.stderr)

    def __enter__(self) -> Slave:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.fmu.freeInstance()

    def initialize(self, start_values: dict[str, Any], start: float, stop: float) -> None:
        """Takes the instance from instantiated to the first communication point."""
        for name, value in start_values.items():
            kind, reference = self._types[name]
            getattr(self.fmu, f"set{kind}")([reference], [value])
        self.fmu.setupExperiment(startTime=start, stopTime=stop)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def step(self, point: float, size: float) -> None:
        """fmi2DoStep."""
        self.fmu.doStep(currentCommunicationPoint=point, communicationStepSize=size)

    def outputs(self) -> dict[str, Any]:
        """All plain outputs."""
        values = {}
        for kind, (names, references) in self._groups.items():
            values.update(zip(names, getattr(self.fmu, f"get{kind}")(references)))
        return values

    def terminate(self) -> None:
        """fmi2Terminate; outputs stay readable."""
        self.fmu.terminate()
