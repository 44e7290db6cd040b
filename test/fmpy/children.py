"""Tests that run in a separate process: they would crash it if the FMU were wrong, or count its
threads and files. Run by the fixture `child`: children.py FUNCTION FMU FOLDER [ARGUMENT...]; the
last line printed is the result as JSON."""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import mmap
import os
import random
import sys
import textwrap
from ctypes import byref, c_void_p
from pathlib import Path
from typing import Any

import fmpy
from fmpy.fmi1 import FMICallException
from google.protobuf.message import DecodeError
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

import gosmp
import sensorviews
from host import SENSOR_VIEW_IN, Host, Refused

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = c_void_p
_libc.mmap.argtypes = [c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.mprotect.argtypes = [c_void_p, ctypes.c_size_t, ctypes.c_int]
_NONE, _READ_WRITE = 0, mmap.PROT_READ | mmap.PROT_WRITE
_MAP_FIXED_NOREPLACE = 0x100000


class Pages:
    """Memory of whole pages at a chosen address, which can be made inaccessible."""

    def __init__(self, size: int, address: int = 0) -> None:
        self.size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | (_MAP_FIXED_NOREPLACE if address else 0)
        found = _libc.mmap(address or None, self.size, _READ_WRITE, flags, -1, 0)
        if found == c_void_p(-1).value or address and found != address:
            raise OSError(ctypes.get_errno(), f"no memory at {address:#x}")
        self.address = found

    def protect(self, protection: int) -> None:
        if _libc.mprotect(self.address, self.size, protection) != 0:
            raise OSError(ctypes.get_errno(), "mprotect")

    def put(self, data: bytes, offset: int = 0) -> int:
        ctypes.memmove(self.address + offset, data, len(data))
        return self.address + offset


def protected_input(_fmu: Path, folder: Path, steps: str) -> Any:
    """V7: the input's memory becomes inaccessible as soon as fmi2DoStep has returned."""
    host = Host(folder, fmpy.read_model_description(str(folder))).initialize()
    pages = Pages(65536)
    carried = 0
    for k in range(int(steps)):
        pages.protect(_READ_WRITE)
        data = sensorviews.sensor_view(host.now_ns, objects=k % 7).SerializeToString()
        host.set_triple(SENSOR_VIEW_IN, pages.put(data, offset=k % 16), len(data))
        host.steps(1)
        pages.protect(_NONE)
        host.outputs()
        carried += sensorviews.payloads(host.raw(), 8) == [data]
        if k % 50 == 0:
            state = host.fmu.getFMUstate()
            host.fmu.freeFMUstate(state)
    pages.protect(_NONE)
    host.steps(1)  # without a new input the address of the previous step must not be used
    host.fmu.terminate()
    host.outputs()
    host.free()
    return {"carried": carried}


def special_addresses(_fmu: Path, folder: Path) -> Any:
    """B3, B8: addresses whose lower half is 0, and whose lower half has bit 31 set."""
    host = Host(folder, fmpy.read_model_description(str(folder))).initialize()
    data = sensorviews.sensor_view().SerializeToString()
    result = {}
    for name, base, offset in (
        ("lo is 0", 0x2_0000_0000, 0),
        ("bit 31", 0x3_8000_0000, 16),
        ("all low bits", 0x4_FFFF_F000, 0),
    ):
        address = Pages(65536 if offset or not base & 0xFFF else 4096, base).put(data, offset)
        host.set_triple(SENSOR_VIEW_IN, address, len(data))
        host.steps(1)
        result[name] = sensorviews.payloads(host.raw(), 8) == [data]
    host.free()
    return result


def undecodable_inputs(_fmu: Path, folder: Path, seed: str) -> Any:
    """Random bytes and every truncation of a good SensorView, each in a separate run. Returns
    unexpected results."""
    description = fmpy.read_model_description(str(folder))
    dice = random.Random(int(seed))
    good = sensorviews.sensor_view(objects=1).SerializeToString()
    inputs = [dice.randbytes(dice.choice((1, 2, 3, 10, 100, 5000))) for _ in range(150)]
    inputs += [good[:n] for n in range(1, len(good), 3)]
    inputs += [_flip(good, dice) for _ in range(150)]
    host = Host(folder, description)
    wrong, refused = [], 0
    for data in inputs:
        host.fmu.reset()
        host.log.clear()
        host.initialize({"replay.loop": True, "input.validate": True})
        buffer = ctypes.create_string_buffer(data, len(data))
        host.set_triple(SENSOR_VIEW_IN, ctypes.addressof(buffer), len(data))
        status = host.step()
        carried = sensorviews.payloads(host.raw(), 8) == [data]
        lines = sum(line.category != "OSI" for line in host.problems())  # a readable view may still have oddities
        SensorData.FromString(host.raw())
        decodable = _decodes(data)
        refused += not carried
        # An unused view gives one warning and one log line, a used one gives neither.
        if (status, lines) != ((0, 0) if carried else (1, 1)) or carried != decodable:
            wrong.append([data.hex()[:200], status, lines, carried, decodable])
    host.free()
    return {"inputs": len(inputs), "refused": refused, "wrong": wrong}


def _flip(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _decodes(data: bytes) -> bool:
    try:
        SensorView.FromString(data)
    except DecodeError:
        return False
    return True


def foreign_components(_fmu: Path, folder: Path) -> Any:
    """fmi2Component values that do not belong to an instance: NULL, an arbitrary number, and one
    that has been freed."""
    host = Host(folder, fmpy.read_model_description(str(folder)))
    stale = host.fmu.component
    functions = {
        "fmi2Terminate": (),
        "fmi2Reset": (),
        "fmi2EnterInitializationMode": (),
        "fmi2DoStep": (0.0, 0.1, 1),
        "fmi2SetDebugLogging": (1, 0, None),
        "fmi2GetFMUstate": (byref(c_void_p()),),
    }
    host.fmu.fmi2FreeInstance(stale)
    statuses = set()
    for component in (None, 1, 0xDEADBEEF, 2**63 + 8, stale):
        for name, arguments in functions.items():
            statuses.add(Host.status(getattr(host.fmu, name), component, *arguments))
        host.fmu.fmi2FreeInstance(component)
    return {"statuses": sorted(statuses)}


def without_core(_fmu: Path, folder: Path) -> Any:
    """Calls the loader without a core and returns what it logs."""
    try:
        Host(folder, fmpy.read_model_description(str(folder)))
    except Refused as refused:
        return [list(line) for line in refused.args[0]]
    return "instantiated"


def simulate(fmu: Path, _folder: Path) -> Any:
    """One simulation in the environment that the test has prepared."""
    result = fmpy.simulate_fmu(str(fmu), stop_time=1.0)
    return {"rows": int(result["replay.rows"][-1]), "samples": len(result)}


def failing_simulation(fmu: Path, _folder: Path, scenario: str) -> Any:
    """The output of simulate_fmu for a scenario that does not exist, with FMPy's own logger."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            fmpy.simulate_fmu(str(fmu), start_values={"replay.scenarioFile": scenario})
    except FMICallException as error:
        return {"raised": str(error), "printed": printed.getvalue()}
    return {}


def documented_example(fmu: Path, _folder: Path) -> Any:
    """Runs the example in the documentation of gosmp.osmp verbatim and returns its output."""
    example = textwrap.dedent(gosmp.osmp.__doc__.split(":\n\n", 1)[1].split("\n\nIt also", 1)[0])
    os.chdir(fmu.parent)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(example, {})
    return printed.getvalue()


def many_simulations(fmu: Path, _folder: Path, count: str) -> Any:
    """Runs from the .fmu itself, unpacked each time. Returns threads, files and resident kB after
    some runs and after all."""
    description = fmpy.read_model_description(str(fmu))
    counts = []
    for k in range(int(count)):
        result = fmpy.simulate_fmu(str(fmu), stop_time=0.1, validate=False, model_description=description)
        assert result["replay.rows"][-1] > 0
        if k + 1 in (int(count) // 3, int(count)):
            counts.append(_process())
    return counts


def many_instances(_fmu: Path, folder: Path, count: str) -> Any:
    """Creates and frees instances of an unpacked FMU, some in the middle of a run and some at its
    beginning."""
    description = fmpy.read_model_description(str(folder))
    counts = []
    for k in range(int(count)):
        host = Host(folder, description, f"number {k}")
        if k % 4:
            host.initialize()
            host.steps(k % 4)
            host.fmu.freeFMUstate(host.fmu.getFMUstate())
        host.free()
        if k + 1 in (int(count) // 3, int(count)):
            counts.append(_process())
    return counts


def _process() -> dict[str, int]:
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    return {
        "threads": len(os.listdir("/proc/self/task")),
        "files": len(os.listdir("/proc/self/fd")),
        "resident": int(status["VmRSS"].split()[0]),
    }


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:])))
