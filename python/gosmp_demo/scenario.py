"""Which file the FMU plays, and what can be found out about it here."""

from __future__ import annotations

import argparse
import contextlib
import filecmp
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import simsensor_rows
from .options import LONGEST_DEFAULT
from .progress import Progress

_LARGEST_COUNTED = 50e6  # bytes: the second reader holds all rows in memory


@dataclass
class Scenario:
    """The file that the FMU plays, as far as it can be found and read here."""

    title: str
    unit: str  # what replay.timeUnit is to be; auto becomes the unit of the stamps as soon as the file is read
    order: str = ""  # the same, and auto stays
    rows: list[simsensor_rows.Row] | None = None
    override: Path | None = None  # a file the FMU has to be pointed at, because it does not carry it
    problem: str = ""  # why the rows cannot be counted
    length: float = 0.0  # seconds from the first row to the last one, 0 when that is not known
    longer: bool = False  # length is a lower bound: the file was not read to its end

    @property
    def ends(self) -> bool:
        """Has the file an end row? Without one the FMU starts over."""
        return bool(self.rows) and self.rows[-1].kind == simsensor_rows.END


def find(options: argparse.Namespace, description: Any, folder: Path) -> Scenario:
    """The file that was asked for, else the one packed into the FMU, which is unpacked in folder.
    """
    unit = options.unit or start_value(description, "replay.timeUnit") or "ms"
    packed = _packed(description, folder / "resources")
    asked = Path(options.scenario) if options.scenario else None
    if asked and (packed is None or not _same_content(asked, packed)):
        return _read(Scenario(asked.name, unit, override=asked.resolve()), asked, options)
    if packed is None:
        return Scenario(
            "the packed scenario", unit, problem="none of the FMU's resources could be identified as its file"
        )
    return _read(Scenario(asked.name if asked else packed.name, unit), packed, options)


def start_value(description: Any, name: str) -> str:
    """The start value of a variable, "" if there is none."""
    found = [v.start for v in description.modelVariables if v.name == name]
    return (found[0] or "") if found else ""


def _packed(description: Any, resources: Path) -> Path | None:
    """The file in resources that the FMU plays by default: the named one, else the only CSV file.
    """
    named = start_value(description, "replay.scenarioFile")
    if named:
        return resources / named if (resources / named).is_file() else None
    found = sorted(resources.rglob("*.csv"))
    return found[0] if len(found) == 1 else None


def _same_content(a: Path, b: Path) -> bool:
    """Do two files hold the same bytes? What is not a file is left for the FMU to judge."""
    return a.is_file() and filecmp.cmp(a, b, shallow=False)


def _read(scenario: Scenario, path: Path, options: argparse.Namespace) -> Scenario:
    """Reads rows and length with the second reader. What it cannot read is left to the FMU's
    messages."""
    enough = None
    scenario.order = scenario.unit
    progress = Progress()

    def report(share: float) -> None:
        progress.show(share, f"reading {path.name}")

    try:
        if scenario.order == "auto":
            scenario.unit = "ms"
            scenario.unit = simsensor_rows.found_unit(path)
        if path.stat().st_size > _LARGEST_COUNTED:
            scenario.problem = f"the file has more than {_LARGEST_COUNTED / 1e6:.0f} MB"
            enough = LONGEST_DEFAULT
        else:
            scenario.rows = simsensor_rows.read(path, report)
    except (OSError, ValueError) as error:
        scenario.problem = f"the file does not consist of good rows only: {error}"
    if enough and options.stop:  # nothing depends on the length then, and reading takes long
        return scenario
    with contextlib.suppress(OSError):
        length, scenario.longer = simsensor_rows.length_ns(
            path,
            scenario.unit,
            enough_ns=round(enough * 1e9) if enough else None,
            report=report,
        )
        scenario.length = length / 1e9
    progress.done()
    return scenario
