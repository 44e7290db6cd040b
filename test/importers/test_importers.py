"""Each importer steps the packed FMU in a separate process, reads SensorData through lo, hi and
size there, and gets the same bytes as FMPy. osi-python decodes every message, which must obey OSI's
own rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import STEPS, TOOLS, Process, need
from traces import STEP, STEP_NS, Trace


def assert_good(trace: Trace) -> None:
    """Requires a message in every step, with the right time and without violations."""
    assert len(trace.steps) == STEPS
    assert trace.stamps == [k * STEP_NS for k in range(1, STEPS + 1)]
    assert trace.violations == []


def test_fmpy_is_the_reference(reference: Trace) -> None:
    assert_good(reference)
    assert len({step.message for step in reference.steps}) == STEPS, "every message differs from all others"
    for name in ("accelerometer.x", "gyroscope.x", "gps.latitude", "gps.time", "replay.rows"):
        assert len({step.plain[name] for step in reference.steps}) > 2, f"{name} follows the recording"
    assert all(step.plain["valid"] is True for step in reference.steps)


@pytest.mark.parametrize("importer", ["libcosimpy", "ecospy"])
def test_importers_in_python(importer: str, fmu: Path, python: Callable[..., Process], reference: Trace) -> None:
    need(importer)
    trace = Trace.parse(python(f"in_{importer}.py", "trace", fmu, STEPS).good().out)
    assert_good(trace)
    assert trace.steps == reference.steps


def test_fmi4j_on_the_jvm(fmi4j: Callable[..., Process], reference: Trace) -> None:
    process = fmi4j("trace").good()
    assert process.out.splitlines()[-1] == "done"
    trace = Trace.parse_lines(process.out)
    assert_good(trace)
    assert trace.steps == reference.steps


def test_fmi_rs_in_rust(fmu: Path, references: list[str], reference: Trace) -> None:
    need("fmi-rs")
    process = Process([TOOLS / "fmirs" / "debug" / "fmirs-host", fmu, str(STEPS), str(STEP), *references]).good()
    assert process.out.splitlines()[-1] == "done"
    trace = Trace.parse_lines(process.out)
    assert_good(trace)
    assert trace.steps == reference.steps
