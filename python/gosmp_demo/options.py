"""The arguments of the demo. This module uses the standard library only, so that `make run` can
check its options with any Python before it installs or builds anything."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import NoReturn

from .simsensor_rows import TICK_NS

ROOT = Path(__file__).resolve().parents[2]

#: Without --stop, at most this many seconds of a scenario are played.
LONGEST_DEFAULT = 600.0

#: The units that replay.timeUnit takes.
UNITS = ("auto", *TICK_NS)


class _Parser(argparse.ArgumentParser):
    """Prints the error and then where to find help, instead of the whole usage before the error."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"gosmp_demo: {message}\n{self.prog} --help lists the arguments\n")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parses the command line. A wrong argument ends the program with exit code 2 and a line that
    names it."""
    parser = _Parser(
        prog="python -m gosmp_demo", description="Plays OSMPDummySensor.fmu in FMPy and shows the results."
    )
    add = parser.add_argument
    add("--fmu", type=Path, default=ROOT / "dist" / "OSMPDummySensor.fmu", help="default %(default)s")
    add("--scenario", default="", help="simsensor CSV file; default: the one packed into the FMU")
    add("--unit", choices=UNITS, help="unit of its stamps; default: that of the FMU")
    add(
        "--stop",
        type=positive,
        help=f"seconds; default: the end of the scenario, at most {LONGEST_DEFAULT:g}",
    )
    add("--step", type=positive, help="seconds; default: the FMU's default step size")
    add("--out", type=Path, default=ROOT / "dist" / "run", help="folder of the results, default %(default)s")
    add("--check", action="store_true", help="check these arguments and stop")
    options = parser.parse_args(arguments)
    if options.scenario and not Path(options.scenario).exists():
        parser.error(f"there is no scenario at {options.scenario}; SCENARIO= takes the path of a simsensor CSV file")
    return options


def positive(text: str) -> float:
    """A number of seconds above zero, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number of seconds above 0")
    return value
