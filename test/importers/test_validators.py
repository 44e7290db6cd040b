"""Independent validators find nothing in the packed FMU, and find a defect that is put into it."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from conftest import TOOLS, Process, need

#: What each validator prints when it finds nothing, besides exit code 0.
CONTENT = {
    "fmpy": "No problems found.",
    "vdmcheck": "No errors found.",
    "fmu-manipulation-toolbox": "No semantic error against the FMI-2 standard.",
}


def validate(validator: str, fmu: Path) -> Process:
    """Runs one validator."""
    scripts = Path(sys.executable).parent
    if validator != "fmpy":
        need(validator)
    if validator == "vdmcheck":
        return Process(["java", "-jar", TOOLS / "vdmcheck" / "vdmcheck2.jar", fmu])
    if validator == "fmpy":
        return Process([scripts / "fmpy", "validate", fmu])
    return Process([scripts / "fmutool", "-input", fmu, "-check"])


@pytest.mark.parametrize("validator", CONTENT)
@pytest.mark.parametrize("name", ["fmu", "variant", "partner"])
def test_nothing_is_found(validator: str, name: str, request: pytest.FixtureRequest) -> None:
    process = validate(validator, request.getfixturevalue(name)).good()
    assert CONTENT[validator] in process.out + process.err
    assert "WARNING" not in process.out + process.err


@pytest.mark.parametrize("validator", CONTENT)
def test_a_defect_is_found(validator: str, fmu: Path, tmp_path: Path) -> None:
    """An input without start value."""
    broken = tmp_path / "broken.fmu"
    with zipfile.ZipFile(fmu) as source, zipfile.ZipFile(broken, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.namelist():
            data = source.read(entry)
            if entry == "modelDescription.xml":
                before, found, after = data.partition(b'name="OSMPSensorViewIn.size"')
                assert found and b' start="0"' in after
                data = before + found + after.replace(b' start="0"', b"", 1)
            target.writestr(entry, data)
    process = validate(validator, broken)
    assert process.code != 0
    assert "OSMPSensorViewIn.size" in process.out + process.err
