"""OSMP binary variables of an FMU that runs in FMPy.

FMI 2.0 has no binary variables. OSMP therefore passes a message as three Integers, <name>.base.lo,
<name>.base.hi and <name>.size: the two halves of an address in this process, and a number of bytes.
In FMI 3.0 a message is one Binary variable. Everything below works with both. This file reads and
writes such variables. It does not need the rest of the package, which provides its functions as
`gosmp.read` and `gosmp.write`:

    import fmpy, gosmp
    from fmpy.fmi2 import FMU2Slave

    path = fmpy.extract("OSMPDummySensor.fmu")
    description = fmpy.read_model_description(path)
    fmu = FMU2Slave(guid=description.guid, unzipDirectory=path, instanceName="sensor",
                    modelIdentifier=description.coSimulation.modelIdentifier)
    fmu.instantiate()
    fmu.setupExperiment()
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    fmu.doStep(0.0, 0.02)
    print(gosmp.read(fmu, "OSMPSensorDataOut", decode=True).timestamp)

It also works from the step_finished callback of fmpy.simulate_fmu: pass the recorder instead of the
FMU.

Reference
    read(fmu, name)                 the bytes of an output, a copy; None when there is no data
    read(fmu, name, decode=True)    the decoded message; the variable's MIME type selects its class
                                    (needs osi-python)
    write(fmu, name, data)          sets an input or a parameter to bytes or a message, and keeps
                                    its memory alive
    variables(fmu)                  the binary variables of the FMU, by name
    join(lo, hi), split(address)    address halves and addresses

Addresses are valid only in the process of the FMU: none of this works with an FMU of FMI 2.0 that
runs in another process (FMPy's remoting, Simulink's debug mode). Rules: OSMP 0.3.0, "Binary variables" and
"SensorView inputs"; OSMP 1.x has the same rules for FMI 2.0.

Needs Python 3.10 and nothing else; decode=True needs osi-python (module osi3).
"""

from __future__ import annotations

import ctypes
import importlib
import re
import weakref
import xml.etree.ElementTree as ElementTree
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["BinaryVariable", "Error", "join", "message_class", "read", "split", "variables", "write"]

_NAMESPACE = "http://xsd.pmsf.net/OSISensorModelPackaging"
_ROLES = ("base.lo", "base.hi", "size")
_FULL = "full"  # the role of a Binary
_LARGEST = 2**31 - 1  # size is a signed 32-bit Integer


class Error(Exception):
    """A binary variable does not exist, or cannot hold a value."""


@dataclass(frozen=True)
class BinaryVariable:
    """A notional binary variable: three Integers of one FMU, or one Binary."""

    name: str  #: the prefix, for example OSMPSensorDataOut
    causality: str  #: input, output, parameter or calculatedParameter
    mime_type: str  #: for example application/x-open-simulation-interface; type=SensorData; version=3.8.0
    references: tuple[int, ...]  #: value references of base.lo, base.hi and size, or of the Binary

    @property
    def message_type(self) -> str:
        """The name of the OSI message in the variable, "" if it contains something else."""
        found = re.search(r';\s*type="?([A-Za-z0-9_]+)"?', self.mime_type)
        return found.group(1) if found else ""


def join(lo: int, hi: int) -> int:
    """The address whose halves are the signed Integers lo and hi.

    Only the bits count: a negative lo must not borrow from hi.
    """
    return (hi & 0xFFFFFFFF) << 32 | (lo & 0xFFFFFFFF)


def split(address: int) -> tuple[int, int]:
    """Splits an address into the halves (lo, hi), as the signed 32-bit Integers of FMI 2.0."""
    if not 0 <= address < 2**64:
        raise Error(f"{address} is not an address of 64 bits")
    return _signed(address & 0xFFFFFFFF), _signed(address >> 32)


def _signed(bits: int) -> int:
    return bits - 2**32 if bits >= 2**31 else bits


def variables(fmu: Any) -> dict[str, BinaryVariable]:
    """The binary variables of an FMU by name.

    fmu is an FMPy instance, the recorder of step_finished, or the path of a .fmu file, of an
    unpacked FMU or of a modelDescription.xml. Variables are found by their OSMP annotations, so
    FMUs with prefixes other than those of OSMP work as well.
    """
    if hasattr(fmu, "modelDescription") and hasattr(fmu, "fmu"):
        return _recorded(fmu.modelDescription)
    path = _description(fmu)
    try:
        return _parse(_load(path))
    except (OSError, KeyError, ElementTree.ParseError, zipfile.BadZipFile) as error:
        hint = "; in step_finished of simulate_fmu pass the recorder" if hasattr(fmu, "unzipDirectory") else ""
        raise Error(f"{path} cannot be read: {error}{hint}") from error


def _description(fmu: Any) -> Path:
    """The path of the modelDescription.xml of fmu."""
    if isinstance(fmu, (str, Path)):
        path = Path(fmu)
    elif hasattr(fmu, "unzipDirectory"):
        path = Path(fmu.unzipDirectory)
    else:
        raise Error(f"{fmu!r} is neither an FMPy instance nor a path")
    return path / "modelDescription.xml" if path.is_dir() else path


def _load(path: Path) -> ElementTree.Element:
    """The XML in a modelDescription.xml, or in the modelDescription.xml of a .fmu file."""
    if not zipfile.is_zipfile(path):
        return ElementTree.parse(path).getroot()
    with zipfile.ZipFile(path) as archive:
        return ElementTree.fromstring(archive.read("modelDescription.xml"))


def _parse(root: ElementTree.Element) -> dict[str, BinaryVariable]:
    parts: dict[str, dict[str, tuple[int, str, str]]] = {}
    for scalar in root.iterfind("ModelVariables/*"):  # ScalarVariable, in FMI 3.0 Binary and others
        for note in scalar.iter(f"{{{_NAMESPACE}}}osmp-binary-variable"):
            part = int(scalar.get("valueReference", "-1")), scalar.get("causality", "local"), note.get("mime-type", "")
            parts.setdefault(note.get("name", ""), {})[note.get("role", "")] = part
    whole = (_FULL,), _ROLES
    return {name: _variable(name, roles) for name, roles in parts.items() if any(set(r) <= set(roles) for r in whole)}


def _variable(name: str, roles: dict[str, tuple[int, str, str]]) -> BinaryVariable:
    if _FULL in roles:
        reference, causality, mime_type = roles[_FULL]
        return BinaryVariable(name, causality, mime_type, (reference,))
    lo, hi, size = (roles[role] for role in _ROLES)
    return BinaryVariable(name, lo[1], lo[2], (lo[0], hi[0], size[0]))


def _recorded(model_description: Any) -> dict[str, BinaryVariable]:
    """The binary variables, by name, of a description parsed by FMPy, which drops annotations."""
    by_name = {v.name: v for v in model_description.modelVariables}
    found = {
        v.name: BinaryVariable(v.name, v.causality, _mime_type_of(v), (v.valueReference,))
        for v in model_description.modelVariables
        if getattr(v, "type", None) == "Binary"
    }
    for name in [n[: -len(".base.lo")] for n in by_name if n.endswith(".base.lo")]:
        parts = [by_name[full] for role in _ROLES if (full := f"{name}.{role}") in by_name]
        if len(parts) == len(_ROLES):
            lo, hi, size = (v.valueReference for v in parts)
            found[name] = BinaryVariable(name, parts[0].causality, _usual_mime_type(name), (lo, hi, size))
    return found


def _mime_type_of(variable: Any) -> str:
    """The MIME type of a Binary; FMPy 0.3.32 drops the attribute of the model description."""
    return getattr(variable, "mimeType", None) or _usual_mime_type(variable.name)


def _usual_mime_type(name: str) -> str:
    """The MIME type for a prefix of the OSMP specification."""
    plain = re.sub(r"\[\d+]$", "", name)
    config = {"OSMPSensorViewInConfig", "OSMPSensorViewInConfigRequest"}
    message = "SensorViewConfiguration" if plain in config else re.sub(r"^OSMP|(In|Out|Init)$", "", plain)
    return f"application/x-open-simulation-interface; type={message}" if plain.startswith("OSMP") else ""


def _find(fmu: Any, name: str) -> tuple[Any, BinaryVariable]:
    """The FMPy instance behind fmu and the variable called name."""
    if isinstance(fmu, (str, Path)):
        raise Error(f"{fmu} is a path; values belong to a running FMU")
    known = _known.get(fmu)
    if known is None:
        known = _known[fmu] = variables(fmu)
    if name not in known:
        raise Error(f"the FMU has no binary variable {name!r}, it has " + (", ".join(known) or "none"))
    return (fmu.fmu if hasattr(fmu, "modelDescription") else fmu), known[name]


_known: weakref.WeakKeyDictionary[Any, dict[str, BinaryVariable]] = weakref.WeakKeyDictionary()


def read(fmu: Any, name: str = "OSMPSensorDataOut", decode: Any = False) -> Any:
    """What a binary variable holds now; None when there is no data.

    With decode=False a copy of the bytes, which stays valid when the FMU uses its buffer again.
    With decode=True, or with a message class instead, the decoded message. Raises Error for an
    unknown variable, google.protobuf.message.DecodeError for bytes that are not such a message.
    """
    instance, variable = _find(fmu, name)
    data = _data(instance, variable)
    kind = message_class(variable.message_type) if decode is True else decode
    return kind.FromString(data) if kind and data is not None else data


def _data(instance: Any, variable: BinaryVariable) -> bytes | None:
    """A copy of the bytes of a variable, or None if there are none."""
    if len(variable.references) == 1:
        return bytes(instance.getBinary(list(variable.references))[0] or b"") or None
    lo, hi, size = instance.getInteger(list(variable.references))
    address = join(lo, hi)
    if not address or size <= 0:  # OSMP: no data
        return None
    return ctypes.string_at(address, size)


def message_class(name: str) -> Any:
    """The class of osi-python for an OSI message, such as SensorData. Raises Error if there is
    none."""
    try:
        module = importlib.import_module(f"osi3.osi_{name.lower()}_pb2")
        return getattr(module, name)
    except ModuleNotFoundError as error:
        if error.name == "osi3":
            raise Error("decode=True needs the classes of OSI: pip install osi-python") from error
        raise Error(
            f"osi-python has no top-level message {name!r}; pass a message class instead of decode=True"
        ) from error


def write(fmu: Any, name: str, data: Any) -> None:
    """Sets an input or a parameter to data: bytes, any object with a buffer of bytes, or a message.

    b"" and None mean "no data". The bytes are copied into memory that stays valid for as long as
    OSMP requires: until the variable has been written twice more, or the FMU object is gone. An
    input of FMI 2.0 is valid for one step, so write it before each step. Raises Error for an unknown variable,
    for one that cannot be set, and for data of another type or of 2 GiB or more. If the FMU refuses
    the value, FMPy's own exception is raised.
    """
    instance, variable = _find(fmu, name)
    if variable.causality not in ("input", "parameter"):
        raise Error(f"{name} is of causality {variable.causality} and cannot be written")
    payload = _payload(name, data)
    if len(variable.references) == 1:
        instance.setBinary(list(variable.references), [payload])
        return
    if len(payload) > _LARGEST:
        raise Error(f"{len(payload)} bytes are too many for {name}: at most {_LARGEST} can be passed")
    buffer = ctypes.create_string_buffer(payload, len(payload)) if payload else None
    lo, hi = split(ctypes.addressof(buffer)) if buffer else (0, 0)
    instance.setInteger(list(variable.references), [lo, hi, len(payload)])
    # Another FMU may still use the pointer to the previous value: keep two.
    kept = _kept.setdefault(instance, {})
    kept[name] = (kept.get(name, (None,))[-1], buffer)


def _payload(name: str, data: Any) -> bytes:
    """The bytes to write."""
    plain: Any = data  # with a type that the branches do not narrow
    if data is None:
        return b""
    if hasattr(data, "SerializeToString") and not isinstance(data, type):
        serialized: bytes = data.SerializeToString()
        return serialized
    try:
        return bytes(memoryview(plain))  # bytes(5) would make five zeros
    except TypeError:
        found = f"the class {data.__name__}" if isinstance(data, type) else f"a value of type {type(data).__name__}"
        raise Error(f"{name} takes bytes, a message or None, not {found}") from None


_kept: weakref.WeakKeyDictionary[Any, dict[str, tuple[Any, ...]]] = weakref.WeakKeyDictionary()
