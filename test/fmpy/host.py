"""A host for one instance of the FMU in FMPy: access to variables by name, statuses as numbers, and
the log as a list."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from ctypes import byref, c_size_t
from pathlib import Path
from typing import Any, NamedTuple

from fmpy import calloc, free
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import (
    FMU2Slave,
    fmi2CallbackAllocateMemoryTYPE,
    fmi2CallbackFreeMemoryTYPE,
    fmi2CallbackFunctions,
    fmi2CallbackLoggerTYPE,
    fmi2CoSimulation,
    fmi2FMUstate,
)
from fmpy.logging import addLoggerProxy
from osi3.osi_sensordata_pb2 import SensorData

import gosmp

OK, WARNING, DISCARD, ERROR, FATAL = range(5)

SENSOR_VIEW_IN = "OSMPSensorViewIn"
SENSOR_DATA_OUT = "OSMPSensorDataOut"
CONFIG_REQUEST = "OSMPSensorViewInConfigRequest"
CONFIG = "OSMPSensorViewInConfig"


class LogLine(NamedTuple):
    """One call of the logger."""

    instance: str
    status: int
    category: str
    text: str


_hosts: weakref.WeakValueDictionary[int, Host] = weakref.WeakValueDictionary()


@fmi2CallbackLoggerTYPE
def _dispatch(environment: int | None, instance: bytes, status: int, category: bytes, message: bytes) -> None:
    """Delivers a log line to its host. FMPy's proxy, which expands printf arguments, stores one
    logger for the whole process, the last one registered, and calls it even after it has been
    deleted. So there is only this one, and it is never deleted."""
    texts = [(part or b"<null>").decode("utf-8") for part in (instance, category, message)]
    host = _hosts.get(environment or 0)
    if host is None:
        print(f"[{status}] {texts}")  # an instance that FMPy has created itself
    else:
        host.log.append(LogLine(texts[0], status, texts[1], texts[2]))


class Refused(Exception):
    """fmi2Instantiate returned NULL."""


class Host:
    """One instance. Time is kept in nanoseconds and passed as seconds, so that no errors add up
    here."""

    def __init__(
        self,
        folder: Path,
        description: Any,
        name: str = "dut",
        *,
        logging_on: bool = True,
        guid: str | None = None,
        resources: str | None = "",
        kind: int = fmi2CoSimulation,
    ) -> None:
        self.log: list[LogLine] = []
        self.description = description
        self.now_ns = 0
        self._variables = {v.name: v for v in description.modelVariables}
        _hosts[id(self)] = self
        self._callbacks = fmi2CallbackFunctions()
        self._callbacks.logger = _dispatch
        self._callbacks.allocateMemory = fmi2CallbackAllocateMemoryTYPE(calloc)
        self._callbacks.freeMemory = fmi2CallbackFreeMemoryTYPE(free)
        self._callbacks.componentEnvironment = id(self)
        addLoggerProxy(byref(self._callbacks))
        self.fmu = FMU2Slave(
            guid=description.guid if guid is None else guid,
            unzipDirectory=str(folder),
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName=name,
        )
        self._instantiate(Path(folder, "resources").as_uri() if resources == "" else resources, logging_on, kind)

    def _instantiate(self, resources: str | None, logging_on: bool, kind: int) -> None:
        self.fmu.component = self.fmu.fmi2Instantiate(
            self.fmu.instanceName.encode(),
            kind,
            self.fmu.guid.encode(),
            None if resources is None else resources.encode(),
            byref(self._callbacks),
            False,
            logging_on,
        )
        if self.fmu.component is None:
            self.fmu.freeLibrary()
            raise Refused(self.log)

    def free(self) -> None:
        """fmi2FreeInstance, once."""
        if self.fmu.component is not None:
            self.fmu.fmi2FreeInstance(self.fmu.component)
            self.fmu.freeLibrary()
            self.fmu.component = None

    # -- variables

    def reference(self, name: str) -> int:
        """The value reference of a variable."""
        return self._variables[name].valueReference

    def names(self, causality: str, *kinds: str) -> list[str]:
        """The names of all variables of a causality, of all or some types."""
        return [v.name for v in self._variables.values() if v.causality == causality and (not kinds or v.type in kinds)]

    def set(self, values: dict[str, Any]) -> None:
        """Sets variables by name, each with a separate call."""
        for name, value in values.items():
            getattr(self.fmu, f"set{self._variables[name].type}")([self.reference(name)], [value])

    def get(self, name: str) -> Any:
        """The value of one variable; a String as str, a Boolean as bool."""
        kind = self._variables[name].type
        value = getattr(self.fmu, f"get{kind}")([self.reference(name)])[0]
        if kind == "String":
            return value.decode("utf-8")
        return bool(value) if kind == "Boolean" else value

    def outputs(self) -> dict[str, Any]:
        """All outputs except the address halves, which may differ between equal runs."""
        return {n: self.get(n) for n in self.names("output") if not n.endswith((".base.lo", ".base.hi"))}

    def triple(self, name: str = SENSOR_DATA_OUT) -> tuple[int, int, int]:
        """The three Integers of a binary variable."""
        return tuple(self.fmu.getInteger([self.reference(f"{name}.{role}") for role in ("base.lo", "base.hi", "size")]))

    def set_triple(self, name: str, address: int, size: int) -> None:
        """Passes an arbitrary address and size."""
        lo, hi = gosmp.split(address)
        self.fmu.setInteger(
            [self.reference(f"{name}.{role}") for role in ("base.lo", "base.hi", "size")], [lo, hi, size]
        )

    def raw(self) -> bytes:
        """The bytes of OSMPSensorDataOut, b"" when there are none."""
        return gosmp.read(self.fmu, SENSOR_DATA_OUT) or b""

    def message(self) -> SensorData:
        """The decoded OSMPSensorDataOut, which must exist."""
        message = gosmp.read(self.fmu, SENSOR_DATA_OUT, SensorData)
        assert message is not None, f"no SensorData at {self.now_ns} ns, log: {self.log}"
        return message

    # -- life cycle

    def initialize(
        self, values: dict[str, Any] | None = None, *, start: float = 0.0, stop: float | None = None
    ) -> Host:
        """Takes the instance from instantiated to the first communication point and sets parameters
        on the way. Unless they include the unit of time, it is the documented one: most scenarios
        of the tests are too short to show theirs."""
        unit = {"replay.timeUnit": "ms"} if "replay.timeUnit" in self._variables else {}
        self.set(unit | (values or {}))
        self.fmu.setupExperiment(startTime=start, stopTime=stop)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        self.now_ns = round(start * 1e9)
        return self

    def step(self, size: float = 0.02) -> int:
        """One step; returns the status."""
        status = self.status(self.fmu.fmi2DoStep, self.fmu.component, self.now_ns / 1e9, size, 1)
        if status <= WARNING:
            self.now_ns += round(size * 1e9)
        return status

    def steps(self, count: int, size: float = 0.02) -> None:
        """Steps that must succeed."""
        for _ in range(count):
            assert self.step(size) == OK, self.log

    def run_to(self, seconds: float, size: float = 0.02) -> None:
        """Steps until a time."""
        self.steps(round((seconds * 1e9 - self.now_ns) / (size * 1e9)), size)

    @staticmethod
    def status(function: Callable, *arguments: Any) -> int:
        """Calls a function of FMPy and returns its status."""
        try:
            result = function(*arguments)
        except FMICallException as error:
            return error.status
        return result if isinstance(result, int) else OK

    # -- log

    def problems(self) -> list[LogLine]:
        """The log lines of a status other than fmi2OK."""
        return [line for line in self.log if line.status != OK]

    # -- state

    def deserialize(self, data: bytes) -> tuple[int, fmi2FMUstate]:
        """fmi2DeSerializeFMUstate with exactly these bytes."""
        state = fmi2FMUstate()
        status = self.status(
            self.fmu.fmi2DeSerializeFMUstate, self.fmu.component, data, c_size_t(len(data)), byref(state)
        )
        return status, state


def trace(host: Host, count: int, size: float = 0.02) -> list[tuple[dict[str, Any], bytes]]:
    """All outputs and the message of each of the next steps."""
    result = []
    for _ in range(count):
        host.steps(1, size)
        result.append((host.outputs(), host.raw()))
    return result


def one_problem(log: Sequence[LogLine], status: int, *words: str) -> LogLine:
    """Asserts that exactly one line was logged with a status other than fmi2OK, and checks its
    text."""
    problems = [line for line in log if line.status != OK]
    assert len(problems) == 1, problems
    assert problems[0].status == status, problems[0]
    for word in words:
        assert word in problems[0].text, (word, problems[0].text)
    return problems[0]
