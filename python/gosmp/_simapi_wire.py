"""Messages and frames of the simulator support API as bytes, in protobuf's encoding."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

from ._simapi_schema import MESSAGES

_LARGEST = 16 << 20  # bytes of a frame
_FIXED, _BYTES, _VARINT = 1, 2, 0
_LENGTHS = {"string", "bytes"}


class Message(dict[str, Any]):
    """A message: its fields are attributes, and items if they are present."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        for _, field, kind, mark in MESSAGES[self.__dict__["kind"]]:
            if field == name:
                if mark:
                    return [] if mark == "*" else None
                return {"string": "", "bytes": b"", "double": 0.0, "bool": False}.get(kind, 0)
        raise AttributeError(f"{self.kind} has no field {name!r}")


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def encode(kind: str, message: Mapping[str, Any]) -> bytes:
    """The bytes of a message. Raises KeyError for fields that it does not have."""
    known = {name: (number, of, mark) for number, name, of, mark in MESSAGES[kind]}
    out = bytearray()
    for name, value in message.items():
        if name not in known:
            raise KeyError(f"{kind} has no field {name!r}; its fields are {', '.join(known)}")
        number, of, mark = known[name]
        if value is None:
            continue
        for one in value if mark == "*" else (value,):
            if of == "double":
                out += _varint(number << 3 | _FIXED) + struct.pack("<d", one)
            elif of in _LENGTHS or of in MESSAGES:
                b = encode(of, one) if of in MESSAGES else one.encode() if of == "string" else one
                out += _varint(number << 3 | _BYTES) + _varint(len(b)) + b
            else:
                out += _varint(number << 3 | _VARINT) + _varint(int(one))
    return bytes(out)


def _read_varint(b: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (b[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if b[at - 1] < 0x80:
            return value, at


def _value(of: str, raw: Any) -> Any:
    if of in MESSAGES:
        return decode(of, raw)
    if of == "string":
        return raw.decode()
    if of == "int32" and raw >> 63:
        return raw - (1 << 64)
    return bool(raw) if of == "bool" else raw


def decode(kind: str, b: bytes) -> Message:
    """The message in the bytes. Fields of later schemas are ignored."""
    known = {number: (name, of, mark) for number, name, of, mark in MESSAGES[kind]}
    message, at = Message(kind), 0
    while at < len(b):
        key, at = _read_varint(b, at)
        wire = key & 7
        raw: Any
        items: list[Any]
        if wire == _VARINT:
            raw, at = _read_varint(b, at)
            items = [raw]
        elif wire == _FIXED:
            items, at = [struct.unpack_from("<d", b, at)[0]], at + 8
        elif wire == _BYTES:
            size, at = _read_varint(b, at)
            items, at = [b[at : at + size]], at + size
        else:
            raise ValueError(f"{kind}: wire type {wire}")
        if key >> 3 not in known:
            continue
        name, of, mark = known[key >> 3]
        if wire == _BYTES and of not in _LENGTHS and of not in MESSAGES:  # packed numbers
            items = list(_packed(items[0]))
        values = [_value(of, item) for item in items]
        if mark == "*":
            message.setdefault(name, []).extend(values)
        else:
            message[name] = values[0]
    return message


def _packed(b: bytes) -> list[int]:
    at, values = 0, []
    while at < len(b):
        value, at = _read_varint(b, at)
        values.append(value)
    return values


def _read(source: BinaryIO, size: int) -> bytes:
    b = b""
    while len(b) < size:
        more = source.read(size - len(b))
        if not more:
            if b:
                raise EOFError(f"the stream ends after {len(b)} of {size} bytes")
            return b""
        b += more
    return b


def receive(source: BinaryIO) -> Message | None:
    """The next frame of a stream, or None at its end."""
    head = _read(source, 4)
    if not head:
        return None
    size = struct.unpack(">I", head)[0]
    if size > _LARGEST:
        raise ValueError(f"a frame of {size} bytes, expected at most {_LARGEST}")
    return decode("Frame", _read(source, size))


def send(sink: BinaryIO, **frame: Any) -> None:
    """Write a frame with these fields."""
    b = encode("Frame", frame)
    sink.write(struct.pack(">I", len(b)) + b)
    sink.flush()
