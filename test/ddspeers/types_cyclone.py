"""Messages of types that only DDS has, in the bytes of Cyclone DDS; those of the argument are read."""

import sys
from dataclasses import dataclass

from cyclonedds.idl import IdlEnum, IdlStruct, IdlUnion
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import array, case, default, int16, int32, sequence, typedef, uint8


class Color(IdlEnum, typename="lab.Color", default="RED"):
    RED = 0
    GREEN = 5
    BLUE = 6


@dataclass
@final
class Deep(IdlStruct, typename="lab.inner.Deep"):
    a: int16


@final
class Choice(IdlUnion, discriminator=Color, typename="lab.inner.Choice"):
    number: case[[Color.RED], int32]
    text: case[[Color.GREEN, Color.BLUE], str]
    deep: default[Deep]


@final
class Maybe(IdlUnion, discriminator=bool, typename="lab.Maybe"):
    amount: case[[True], float]


Row = typedef["Row", sequence[int32]]


@dataclass
@final
class Top(IdlStruct, typename="lab.Top"):
    first: uint8
    choice: Choice
    choices: sequence[Choice, 4]
    maybe: Maybe
    rows: sequence[Row]
    grid: array[array[int32, 3], 2]
    deeps: sequence[Deep]
    texts: sequence[sequence[str]]
    a: int32


top = Top(first=7, choice=Choice(text="hi"), choices=[Choice(number=-2)],
          maybe=Maybe(discriminator=False, value=None), rows=[[1, 2], []],
          grid=[[1, 2, 3], [4, 5, 6]], deeps=[Deep(9)], texts=[["x"]], a=-1)
written = top.serialize(use_version_2=False)
read = Top.deserialize(bytes.fromhex(sys.argv[1]))
print(written.hex(), read.choice.text, read.choices[0].number, read.rows, read.grid, read.texts)
