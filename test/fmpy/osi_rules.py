"""OSI's own rules, checked on decoded messages.

The .proto files of OSI contain machine-readable rules in their comments. The betterosi package
ships them as a descriptor set with comments; the messages to check come from osi-python, so both
are independent of the FMU. All kinds of rules of OSI 3.8.0 are supported except the country code.
An unknown kind is an error, so that a new kind cannot stay unchecked.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

VERSION = "3.8.0"

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "is_greater_than_or_equal_to": lambda value, limit: value >= limit,
    "is_greater_than": lambda value, limit: value > limit,
    "is_less_than_or_equal_to": lambda value, limit: value <= limit,
    "is_less_than": lambda value, limit: value < limit,
    "is_equal_to": lambda value, limit: value == limit,
    "is_different_to": lambda value, limit: value != limit,
}
_BLOCK = re.compile(r"\\rules(.*?)\\endrules", re.DOTALL)
_CONDITION = re.compile(r"check_if this\.(\w+) (\w+) (\S+) else do_check is_set$")
_NOT_CHECKED = {"is_iso_country_code"}


@dataclass(frozen=True)
class Visit:
    """A field of a message, visited on the way through the tree."""

    path: str
    parent: Message
    field: FieldDescriptor
    values: list[Any]
    scope: int  # identity of the GroundTruth around it, or of the whole message


class Rules:
    """Rules by full field name."""

    def __init__(self, by_field: dict[str, list[str]]) -> None:
        self.by_field = by_field

    def __len__(self) -> int:
        return sum(map(len, self.by_field.values()))

    @classmethod
    def load(cls) -> Rules:
        """Reads the rules of VERSION from betterosi."""
        package = importlib.util.find_spec("betterosi")  # not imported: only a file of it is needed
        place = Path(package.submodule_search_locations[0], "generated", VERSION, "osi3_descriptor_set.pb")
        return cls.of(descriptor_pb2.FileDescriptorSet.FromString(place.read_bytes()))

    @classmethod
    def of(cls, files: descriptor_pb2.FileDescriptorSet) -> Rules:
        """The rules in the comments of a descriptor set."""
        by_field: dict[str, list[str]] = {}
        for file in files.file:
            names = {}
            for i, message in enumerate(file.message_type):
                names.update(_locations(message, (4, i), f"{file.package}.{message.name}"))
            for location in file.source_code_info.location:
                block = _BLOCK.search(location.leading_comments)
                name = names.get(tuple(location.path))
                if block and name:
                    by_field[name] = [line.strip() for line in block[1].splitlines() if line.strip()]
        return cls(by_field)

    def violations(self, message: Message) -> list[str]:
        """The violations in a message, one line each."""
        visits = list(_walk(message, message.DESCRIPTOR.name, id(message)))
        found = [problem for visit in visits for rule in self._rules(visit) for problem in self._check(visit, rule)]
        return found + self._references(visits) + self._duplicates(visits)

    def _rules(self, visit: Visit) -> list[str]:
        return self.by_field.get(visit.field.full_name, [])

    def _check(self, visit: Visit, rule: str) -> Iterator[str]:
        """Checks the rules that concern a single field."""
        kind, _, argument = (part.strip() for part in rule.partition(":"))
        condition = _CONDITION.match(rule)
        if kind == "is_set" or condition and _holds(visit.parent, *condition.groups()):
            if not visit.values:
                yield f"{visit.path} is not set ({rule})"
        elif kind in _COMPARE:
            for value in visit.values:
                if not _COMPARE[kind](value, float(argument)):
                    yield f"{visit.path} = {value} ({rule})"
        elif not condition and kind not in {"refers_to", "is_globally_unique"} | _NOT_CHECKED:
            raise AssertionError(f"{visit.field.full_name} has a rule that is not understood: {rule}")

    def _identifiers(self, visits: list[Visit]) -> dict[str, list[tuple[int, int, str]]]:
        """All ids that must be unique, by the message type that contains them."""
        ids: dict[str, list[tuple[int, int, str]]] = {}
        for visit in visits:
            if "is_globally_unique" in self._rules(visit):
                owner = visit.field.containing_type.name
                ids.setdefault(owner, []).extend((value.value, visit.scope, visit.path) for value in visit.values)
        return ids

    def _references(self, visits: list[Visit]) -> list[str]:
        ids = self._identifiers(visits)
        problems = []
        for visit in visits:
            for rule in self._rules(visit):
                kind, _, owner = (part.strip() for part in rule.partition(":"))
                known = {value for value, _, _ in ids.get(owner, [])}
                if kind == "refers_to":
                    strays = [v.value for v in visit.values if v.value not in known]
                    problems += [f"{visit.path} = {value} names no {owner}" for value in strays]
        return problems

    def _duplicates(self, visits: list[Visit]) -> list[str]:
        """An id may occur only once among all objects of one GroundTruth, whatever their type."""
        seen: dict[tuple[int, int], str] = {}
        problems = []
        for entries in self._identifiers(visits).values():
            for value, scope, path in entries:
                if (value, scope) in seen:
                    problems.append(f"{path} = {value} is also the id at {seen[value, scope]}")
                seen[value, scope] = path
        return problems


def _locations(message: Any, path: tuple[int, ...], name: str) -> Iterator[tuple[tuple[int, ...], str]]:
    """The source paths of all fields of a message and of those in it."""
    for i, field in enumerate(message.field):
        yield (*path, 2, i), f"{name}.{field.name}"
    for i, nested in enumerate(message.nested_type):
        yield from _locations(nested, (*path, 3, i), f"{name}.{nested.name}")


def _walk(message: Message, path: str, scope: int) -> Iterator[Visit]:
    """Every declared field of a message and of the messages in it, set or not."""
    if message.DESCRIPTOR.name == "GroundTruth":
        scope = hash(path)
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        values = list(value) if field.is_repeated else [value] if message.HasField(field.name) else []
        yield Visit(f"{path}.{field.name}", message, field, values, scope)
        if field.message_type:
            for i, child in enumerate(values):
                index = f"[{i}]" if field.is_repeated else ""
                yield from _walk(child, f"{path}.{field.name}{index}", scope)


def _holds(message: Message, name: str, comparison: str, argument: str) -> bool:
    """The condition of a check_if rule. An unset field satisfies no condition."""
    if not message.HasField(name):
        return False
    limit = {"true": 1.0, "false": 0.0}.get(argument)
    return _COMPARE[comparison](float(getattr(message, name)), float(argument) if limit is None else limit)
