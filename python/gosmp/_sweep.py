"""gosmp.sweep: many runs of an experiment with varied parameters."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ._call import Folder, RunError, call, document, file_words, option_words
from ._run import _models, _one
from ._table import Table


class Sweep(Table):
    """The results of a sweep: a row for each run, with its parameters, outcome and cause."""

    def __init__(self, summary: dict[str, Any], exit_code: int, folder: Folder) -> None:
        super().__init__(folder.path / "results.csv")
        self.summary = summary  #: the JSON document of `gosmp sweep --json`
        self.passed = exit_code == 0  #: all runs passed
        self.folder = folder.path  #: where the files are: results.csv, and the reports of kept runs
        self._folder = folder


def sweep(
    plan: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    until: str | None = None,
    keep: int | None = None,
    store: str | os.PathLike[str] | None = None,
    sut: Any = None,
    on: Mapping[str, Any] | None = None,
    drive: Mapping[str, Any] | None = None,
    require: str | Sequence[str] = (),
    folder: str | os.PathLike[str] | None = None,
    options: Sequence[Any] = (),
) -> Sweep:
    """Runs a plan (.sweep.yaml, or variations of an OpenSCENARIO file).

    jobs: number of runs at the same time, by default one for each processor.
    until: "failure" or "pass" ends the sweep at the first run that fails or passes.
    keep: number of runs that did not pass whose reports are kept, in folders case-NUMBER.
    store: folder with the rows of finished runs, which are not repeated.
    sut, on, drive, require: for the variations of a scenario, as in gosmp.run.
    folder: where to put results; by default a temporary folder, which is removed with the Sweep.

    Raises RunError when the plan cannot be used, or the sweep is interrupted.
    """
    results = Folder(folder)
    flags = [*_one("--jobs", jobs), *_one("--until", until), *_one("--keep", keep), *_one("--store", store)]
    flags += _models(sut, on, drive, require)
    called = call("sweep", "run", *file_words(plan), "--json", f"--out={results.path}", *flags, *option_words(options))
    if called.exit_code not in (0, 1):
        raise RunError(called)
    return Sweep(document(called), called.exit_code, results)
