"""The plugin for pytest: experiments as tests.

- The fixture `gosmp_run` is gosmp.run with its files in the folder of the test.
- With `gosmp_experiments = true` in the configuration of pytest, files *.exc and *.xosc are
  collected as tests. A test passes with the verdict "passed"; the log is shown when it does not.
- `@pytest.mark.gosmp_plan("aeb.sweep.yaml")` repeats a test for each run of a plan, whose row is
  the fixture `gosmp_case`: parameters, outcome, cause and so on. The plan is swept once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

_SETTING = "gosmp_experiments"
_MARK = "gosmp_plan"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the setting."""
    parser.addini(_SETTING, "collect *.exc and *.xosc as tests of gosmp", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Declares the mark."""
    config.addinivalue_line("markers", f"{_MARK}(plan): one test for each run of a plan of `gosmp sweep`")


@pytest.fixture
def gosmp_run(tmp_path: Path) -> Callable[..., Any]:
    """gosmp.run, whose results are in tmp_path."""

    def run(*files: Any, **arguments: Any) -> Any:
        import gosmp

        return gosmp.run(*files, **{"folder": tmp_path, **arguments})

    return run


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects an experiment or a scenario, if the configuration asks for it."""
    if file_path.suffix not in (".exc", ".xosc") or not parent.config.getini(_SETTING):
        return None
    # Variations are plans of sweeps, and catalogs are parts of scenarios: neither has a verdict.
    if file_path.suffix == ".exc" or b"<Storyboard" in file_path.read_bytes():
        return _File.from_parent(parent, path=file_path)
    return None


class _File(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        yield _Verdict.from_parent(self, name="verdict")


class NotPassed(Exception):
    """The verdict is not "passed"."""


class _Verdict(pytest.Item):
    """One run of an experiment."""

    def runtest(self) -> None:
        import gosmp

        result = gosmp.run(self.path)
        self.user_properties.append(("gosmp_outcome", result.outcome))
        self.user_properties.append(("gosmp_command", result.summary.get("command", "")))
        if result.log:
            self.add_report_section("call", "log of gosmp", result.log)
        if not result.passed:
            raise NotPassed(f"{self.path.name}: {result.outcome}: {result.cause or 'nothing has judged it'}")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The cause without a traceback of this file."""
        import gosmp

        if isinstance(excinfo.value, (NotPassed, gosmp.RunError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"experiment {self.path.name}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeats a test that has the mark for each run of its plan."""
    mark = metafunc.definition.get_closest_marker(_MARK)
    if mark is None:
        return
    if len(mark.args) != 1 or "gosmp_case" not in metafunc.fixturenames:
        pytest.fail(f"{_MARK} needs a plan, and the test the fixture gosmp_case", pytrace=False)
    plan = metafunc.definition.path.parent / mark.args[0]
    cases = [(plan, number) for number in _cases(plan)]
    names = [f"{plan.name}-{number}" for _, number in cases]
    metafunc.parametrize("gosmp_case", cases, ids=names, indirect=True)


def _cases(plan: Path) -> list[int]:
    """The numbers of the runs of a plan."""
    import json

    import gosmp

    called = gosmp.call("sweep", "run", plan, "--dry-run", "--json")
    if called.exit_code != 0:
        pytest.fail(str(gosmp.RunError(called)), pytrace=False)
    return [row["case"] for row in json.loads(called.stdout)["cases"]]


@pytest.fixture
def gosmp_case(request: pytest.FixtureRequest, _gosmp_sweeps: dict[Path, Any]) -> dict[str, Any]:
    """The row of this run in the results of its plan: a column each."""
    import gosmp

    plan, number = request.param
    if plan not in _gosmp_sweeps:
        _gosmp_sweeps[plan] = gosmp.sweep(plan, keep=0)
    table = _gosmp_sweeps[plan]
    row: dict[str, Any] = table.row(table["case"].index(number))
    return row


@pytest.fixture(scope="session")
def _gosmp_sweeps() -> dict[Path, Any]:
    """The sweeps of this session."""
    return {}
