"""gosmp.check and gosmp.inspect: the faults of a file, and its content."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._call import RunError, call, document, file_words, option_words


@dataclass(frozen=True)
class Finding:
    """A rule that a file breaks."""

    file: str
    id: str  #: of the rule; `gosmp.call("explain", id)` explains it
    severity: str  #: error, warning or note
    place: str  #: where in the file
    message: str
    remedy: str  #: what to do; "" if the message says so

    def __str__(self) -> str:
        return f"{self.file}: {self.place}: {self.severity}: {self.message} [{self.id}]"


class Findings(list[Finding]):
    """The findings in all files."""

    def __init__(self, findings: Sequence[Finding], passed: bool) -> None:
        super().__init__(findings)
        self.passed = passed  #: whether no file breaks a rule; there may be warnings


def check(*files: Any, strict: bool = False, kind: str | None = None, options: Sequence[Any] = ()) -> Findings:
    """Checks recordings, traces, FMUs, systems, maps, statecharts, experiments and scenarios.

    strict: warnings make the check fail, too.
    kind: the kind of the files ("trace", "fmu", ...); by default, their content decides.
    options: further options of `gosmp check`.

    Raises RunError when a file cannot be read.
    """
    words = ["check", *file_words(*files), "--json"]
    words += [*(["--strict"] if strict else []), *([f"--as={kind}"] if kind else [])]
    called = call(*words, *option_words(options))
    if called.exit_code not in (0, 1):
        raise RunError(called)
    documents = [json.loads(line) for line in called.stdout.splitlines() if line]
    found = [
        Finding(
            document["file"],
            finding.get("id", ""),
            finding.get("severity", ""),
            str(finding.get("place", "")),
            finding.get("message", ""),
            finding.get("remedy") or "",
        )
        for document in documents
        for finding in document["findings"]
    ]
    return Findings(found, called.exit_code == 0)


def inspect(file: Any, *, options: Sequence[Any] = ()) -> dict[str, Any]:
    """The content of an FMU, a system, a map, an experiment or a trace: the JSON document of
    `gosmp inspect --json`.

    Raises RunError when the file cannot be read.
    """
    called = call("inspect", *file_words(file), "--json", *option_words(options))
    if called.exit_code not in (0, 1):
        raise RunError(called)
    return document(called)
