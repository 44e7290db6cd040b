"""The command line of the demo; see the package's docstring.

Exit code: 0 if the run is complete, 2 for wrong arguments, 4 if the FMU does not load, a step
fails, no message arrives or the results cannot be written, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]

#: The units that replay.timeUnit accepts.
UNITS = ("auto", "s", "ms", "us", "ns")


class _Parser(argparse.ArgumentParser):
    """Prints the error and where to find help, instead of the whole usage before the error."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"gosmp_demo: {message}\n{self.prog} --help lists the arguments\n")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parses the command line. A wrong argument ends the program with exit code 2."""
    parser = _Parser(
        prog="python -m gosmp_demo", description="Plays OSMPDummySensor.fmu in FMPy and shows the results."
    )
    add = parser.add_argument
    add("--fmu", type=Path, default=ROOT / "dist" / "OSMPDummySensor.fmu", help="default %(default)s")
    add("--scenario", type=Path, help="simsensor CSV file; default: the one packed into the FMU")
    add("--unit", choices=UNITS, help="unit of its stamps; default: that of the FMU")
    add("--stop", type=_seconds, help="seconds; default: the end of the scenario, at most 600")
    add("--step", type=_seconds, help="seconds; default: the FMU's default step size")
    add("--out", type=Path, default=ROOT / "dist" / "run", help="folder of the results, default %(default)s")
    add("--check", action="store_true", help="check these arguments and stop")
    options = parser.parse_args(arguments)
    if options.scenario and not options.scenario.exists():
        parser.error(f"there is no scenario at {options.scenario}; SCENARIO= takes the path of a simsensor CSV file")
    if not options.check and not options.fmu.is_file():
        parser.error(f"there is no FMU at {options.fmu}; `make fmu` builds it")
    return options


def _seconds(text: str) -> float:
    """A number of seconds above zero, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number of seconds above 0")
    return value


def main() -> int:
    """Parses the command line and runs."""
    options = parse()
    if options.check:
        return 0
    try:
        from . import play  # imported here: the checks above run without its packages
    except ModuleNotFoundError as missing:
        print(
            f"gosmp_demo: the Python package {missing.name!r} is missing in {sys.executable}. "
            "`make run` sets up .venv and uses it; by hand: "
            "scripts/setup.sh run && PYTHONPATH=python .venv/bin/python -m gosmp_demo",
            file=sys.stderr,
        )
        return 2
    return play.main(options)


if __name__ == "__main__":
    sys.exit(main())
