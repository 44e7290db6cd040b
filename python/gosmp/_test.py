"""gosmp.test: an FMU against a trace of expected messages."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ._call import RunError, call, document, file_words, option_words
from ._run import _each, _one, _pairs


@dataclass(frozen=True)
class Tested:
    """The result of a test of an FMU."""

    passed: bool
    cause: str  #: why it did not pass, "" if it did
    summary: dict[str, Any]  #: the JSON document of `gosmp test --json`


def test(
    fmu: str | os.PathLike[str],
    trace: str | os.PathLike[str],
    expect: Any,
    *,
    tolerance: float | str | Sequence[str] | None = None,
    ignore: str | Sequence[str] = (),
    start_values: Mapping[str, Any] | None = None,
    stop_time: float | None = None,
    step_size: Any = None,
    record: str | os.PathLike[str] | None = None,
    junit: str | os.PathLike[str] | None = None,
    options: Sequence[Any] = (),
) -> Tested:
    """Replays a trace into an FMU, and compares the outputs with the expected ones.

    expect: a trace of expected outputs, or conditions (.yaml), or a list of both.
    tolerance: how much numbers may differ, 0.1 or "1%" or "base.position=0.1".
    ignore: fields that are not compared.

    Differences do not raise an exception. Raises RunError for invalid input, a time limit or a failure.
    """
    expected = expect if isinstance(expect, (list, tuple)) else [expect]
    tolerances = tolerance if isinstance(tolerance, (list, tuple)) else [] if tolerance is None else [tolerance]
    words = [
        *("test", *file_words(fmu), "--json", f"--trace={os.fspath(trace)}"),
        *_each("--expect", map(os.fspath, expected)),
        *_each("--tolerance", tolerances),
        *_each("--ignore", [ignore] if isinstance(ignore, str) else ignore),
        *_pairs("--start-value", start_values),
        *_one("--stop-time", stop_time),
        *_one("--step-size", step_size),
        *_one("--record", record),
        *_one("--junit", junit),
    ]
    called = call(*words, *option_words(options))
    if called.exit_code not in (0, 1):
        raise RunError(called)
    summary = document(called)
    causes = [verdict["cause"] for verdict in summary.get("verdicts", []) if not verdict.get("passed")]
    return Tested(called.exit_code == 0, "; ".join(causes), summary)
