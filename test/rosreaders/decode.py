"""Prints each message of a ROS recording as a line of JSON: reader, topic, type, and fields.

decode.py FILE.mcap
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore


def shown(name: str) -> bool:
    """Whether a name is a field: readers add constants and marks of their own."""
    return name not in {"__msgtype__", "structure_needs_at_least_one_member"} and not name.isupper()


def plain(value: Any) -> Any:
    """Converts a message to values that JSON can represent."""
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value) if shown(f.name)}
    if hasattr(value, "__slots__"):  # a message from mcap-ros2-support
        return {name: plain(getattr(value, name)) for name in value.__slots__ if shown(name)}
    if hasattr(value, "tolist"):  # an array, or a number, of numpy
        return value.tolist()
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value


def by_rosbags(path: Path) -> Iterator[tuple[str, str, Any]]:
    with AnyReader([path], default_typestore=get_typestore(Stores.EMPTY)) as reader:
        for connection, _, raw in reader.messages():
            yield connection.topic, connection.msgtype, reader.deserialize(raw, connection.msgtype)


def by_rosbags_for_ros1(path: Path) -> Iterator[tuple[str, str, Any]]:
    """rosbags provides only types and bytes for ROS 1 in MCAP, so the official MCAP library reads
    the file."""
    store = get_typestore(Stores.EMPTY)
    with path.open("rb") as file:
        for schema, channel, message in make_reader(file).iter_messages():
            assert (schema.encoding, channel.message_encoding) == ("ros1msg", "ros1")
            name = schema.name.replace("/", "/msg/")
            store.register({k: v for k, v in get_types_from_msg(schema.data.decode(), name).items() if k not in store.fielddefs})
            yield channel.topic, name, store.deserialize_ros1(message.data, name)


def by_mcap(path: Path) -> Iterator[tuple[str, str, Any]]:
    with path.open("rb") as file:
        for schema, channel, _, decoded in make_reader(file, decoder_factories=[DecoderFactory()]).iter_decoded_messages():
            yield channel.topic, schema.name, decoded


def main() -> None:
    path = Path(sys.argv[1])
    with path.open("rb") as file:
        profile = make_reader(file).get_header().profile
    readers = {"rosbags": by_rosbags, "mcap": by_mcap} if profile == "ros2" else {"rosbags": by_rosbags_for_ros1}
    for name, read in readers.items():
        for topic, kind, message in read(path):
            fields = plain(message)
            if "raws" in fields:  # a byte of ROS 2 is unsigned; rosbags reads the signed one of ROS 1
                fields |= {"raw": fields["raw"] & 0xFF, "raws": [b & 0xFF for b in fields["raws"]]}
            print(json.dumps([name, topic, kind, fields]))


main()
