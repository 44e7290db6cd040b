"""The file that the FMU plays, and its properties as far as they can be determined here."""

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
    """The file that the FMU plays, as far as it can be found and read."""

    title: str
    unit: str  # the value of replay.timeUnit; auto becomes the unit of the stamps once the file is read
    order: str = ""  # the same, and auto stays
    rows: list[simsensor_rows.Row] | None = None
    override: Path | None = None  # a file whose path the FMU needs, because the FMU does not contain it
    problem: str = ""  # why the rows cannot be counted
    length: float = 0.0  # seconds from the first row to the last one, 0 if unknown
    longer: bool = False  # length is a lower bound: the file was not read to its end

    @property
    def ends(self) -> bool:
        """Whether the file has an end row. Without one the FMU starts over."""
        return bool(self.rows) and self.rows[-1].kind == simsensor_rows.END


def find(options: argparse.Namespace, description: Any, folder: Path) -> Scenario:
    """The requested file, or else the one packed into the FMU, which is unpacked in folder."""
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
    """The file in resources that the FMU plays by default: the named one, or else the only CSV
    file."""
    named = start_value(description, "replay.scenarioFile")
    if named:
        return resources / named if (resources / named).is_file() else None
    found = sorted(resources.rglob("*.csv"))
    return found[0] if len(found) == 1 else None


def _same_content(a: Path, b: Path) -> bool:
    """Whether two files contain the same bytes. A path that is not a file is left to the FMU."""
    return a.is_file() and filecmp.cmp(a, b, shallow=False)


def _read(scenario: Scenario, path: Path, options: argparse.Namespace) -> Scenario:
    """Reads rows and length with the second reader. The FMU itself reports what this reader cannot
    read."""
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
    if enough and options.stop:  # the length is not needed then, and reading takes long
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
