"""gosmp.messages and gosmp.frame: traces of messages.

The command reads every format of traces and writes an uncompressed MCAP stream to a pipe, which is
simple to read: records with an opcode and a length.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import struct
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from ._call import Called, Folder, RunError, call, file_words, option_words, started
from ._run import _each, _one
from ._table import Table

_MAGIC = b"\x89MCAP0\r\n"
_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _DATA_END = 3, 4, 5, 6, 15


@dataclass(frozen=True)
class Message:
    """One message of a trace."""

    time: int  #: when it was logged, in nanoseconds
    topic: str
    type: str  #: such as osi3.SensorView
    message: Any  #: the decoded message, or bytes


def messages(
    trace: str | os.PathLike[str],
    topic: str | Sequence[str] | None = None,
    *,
    start: float | None = None,
    stop: float | None = None,
    decode: bool = True,
    options: Sequence[Any] = (),
) -> Iterator[Message]:
    """The messages of a trace (.mcap, .jsonl, .txth, .osi), ordered by time.

    topic: the channels to read, each a topic or a type such as "SensorView" or "sv"; all by default.
    start, stop: in seconds; a message at stop is left out.
    decode: decode OSI messages with osi-python. Other messages are bytes, and so are all if False.
    options: further options of `gosmp convert`, such as ["--type", "sv"].

    Messages are read on demand. Raises RunError if the trace cannot be read.

    >>> for message in gosmp.messages("drive.mcap", "SensorView"):  # doctest: +SKIP
    ...     print(message.time, len(message.message.global_ground_truth.moving_object))
    """
    channels = [topic] if isinstance(topic, str) else topic or ()
    words = (
        *("convert", *file_words(trace), "--to=mcap", "--compression=none", "--out=-"),
        *_each("--channel", channels),
        *_one("--from", start),
        *_one("--until", stop),
        *option_words(options),
    )
    return _stream(words, decode)


def _stream(words: tuple[str, ...], decode: bool) -> Iterator[Message]:
    # The log goes to a file, because a pipe that nobody reads would block the command once it is full.
    with tempfile.TemporaryFile() as log:
        with started(words, log=log) as process:
            pipe = process.stdout
            assert pipe is not None
            with contextlib.suppress(EOFError):
                yield from _read(pipe, decode)
            pipe.read()
            code = process.wait()
        if code not in (0, 1):
            log.seek(0)
            raise RunError(Called(words, code, "", log.read().decode(errors="replace")))


def _read(pipe: IO[bytes], decode: bool) -> Iterator[Message]:
    schemas: dict[int, tuple[str, str]] = {}
    channels: dict[int, tuple[str, str, Callable[[bytes], Any]]] = {}
    if _take(pipe, len(_MAGIC)) != _MAGIC:
        raise EOFError
    for opcode, content in _records(pipe):
        if opcode == _SCHEMA:
            fields = _Fields(content)
            number = fields.number("H")
            schemas[number] = fields.text(), fields.text()
        elif opcode == _CHANNEL:
            fields = _Fields(content)
            number, schema, topic = fields.number("H"), fields.number("H"), fields.text()
            kind, encoding = schemas.get(schema, ("", ""))
            channels[number] = topic, kind, _decoder(kind if decode and encoding == "protobuf" else "")
        elif opcode == _MESSAGE:
            number, _, time, _ = struct.unpack_from("<HIQQ", content)
            topic, kind, decoder = channels[number]
            yield Message(time, topic, kind, decoder(content[22:]))


def _records(pipe: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """The records up to the end of the data, including the records in chunks."""
    while True:
        opcode, length = struct.unpack("<BQ", _take(pipe, 9))
        content = _take(pipe, length)
        if opcode == _DATA_END:
            return
        if opcode != _CHUNK:
            yield opcode, content
            continue
        fields = _Fields(content, 28)  # after start, end, size and checksum
        if compression := fields.text():
            raise ValueError(f"a chunk is compressed by {compression!r}, though none was asked for")
        at, end = fields.at + 8, len(content)
        while at < end:
            opcode, length = struct.unpack_from("<BQ", content, at)
            yield opcode, content[at + 9 : at + 9 + length]
            at += 9 + length


def _take(pipe: IO[bytes], count: int) -> bytes:
    data = pipe.read(count)
    if len(data) < count:
        raise EOFError
    return data


class _Fields:
    """The fields of a record, one after the other."""

    def __init__(self, content: bytes, at: int = 0) -> None:
        self.content, self.at = content, at

    def number(self, format: str) -> int:
        value: int = struct.unpack_from("<" + format, self.content, self.at)[0]
        self.at += struct.calcsize("<" + format)
        return value

    def text(self) -> str:
        length = self.number("I")
        self.at += length
        return self.content[self.at - length : self.at].decode()


def _decoder(kind: str) -> Callable[[bytes], Any]:
    """The function that decodes a message of the type."""
    package, _, name = kind.partition(".")
    if package != "osi3":
        return lambda data: data
    try:
        module = importlib.import_module(f"osi3.osi_{name.lower()}_pb2")
    except ModuleNotFoundError as error:
        if error.name == "osi3":
            raise ImportError("decode=True needs the classes of OSI: pip install osi-python") from error
        return lambda data: data
    decoder: Callable[[bytes], Any] = getattr(module, name).FromString
    return decoder


class _Objects(Table):
    def __init__(self, folder: Folder) -> None:
        super().__init__(folder.path / "objects.csv")
        self._folder = folder


def frame(
    trace: str | os.PathLike[str],
    *,
    topic: str | None = None,
    start: float | None = None,
    stop: float | None = None,
    options: Sequence[Any] = (),
) -> Table:
    """The moving objects of a trace: a row for each object and message.

    The columns are those of `gosmp convert --to objects`: times in seconds, poses in metres and
    radians. Raises RunError when the trace has no moving objects.
    """
    folder = Folder()
    flags = [*_one("--channel", topic), *_one("--from", start), *_one("--until", stop)]
    called = call("convert", *file_words(trace), "--to=objects", f"--out={folder.path}/objects.csv", *flags, *option_words(options))
    if called.exit_code not in (0, 1):
        raise RunError(called)
    return _Objects(folder)
