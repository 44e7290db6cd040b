"""The pytest plugin: experiments as tests.

- The fixture `gosmp_run` is gosmp.run with its files in the folder of the test.
- With `gosmp_experiments = true` in the configuration of pytest, files *.exc and *.xosc are
  collected as tests. A test passes with the verdict "passed", and fails with the verdict "failed". Everything else
  (undecided, timeout, invalid files) is an error of its setup. The log is shown when it does not pass.
- `--gosmp-reports=FOLDER` writes an HTML report for each of them.
- `@pytest.mark.gosmp_plan("aeb.sweep.yaml")` repeats a test for each run of a plan. The row of
  the run is the fixture `gosmp_case`: parameters, outcome, cause and so on. The plan is swept once; further
  arguments of the mark go to gosmp.sweep, such as `require="no collision"`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

try:
    from _pytest.junitxml import xml_key
except ImportError:  # it is not public; without it, properties stay in the test cases
    xml_key = None  # type: ignore[assignment]

_SETTING = "gosmp_experiments"
_MARK = "gosmp_plan"
_REPORTS = "--gosmp-reports"
_PROPERTY = "gosmp_"
_ENDS = {2: "invalid", 3: "timeout", 4: "error"}  # by exit code, where there is no outcome

# Variations are plans of sweeps, and catalogs are parts of scenarios: neither has a verdict.
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SCENARIO = re.compile(r"<(\w+:)?Storyboard\b")
_NO_SCENARIO = re.compile(r"<(\w+:)?(Catalog|ParameterValueDistribution)[\s>]")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the setting and the option."""
    parser.addini(_SETTING, "collect *.exc and *.xosc as tests of gosmp", "bool", default=False)
    parser.getgroup("gosmp").addoption(
        _REPORTS, metavar="FOLDER", type=Path, help="write an HTML report of each experiment"
    )


@pytest.hookimpl(trylast=True)  # after pytest has opened its JUnit file
def pytest_configure(config: pytest.Config) -> None:
    """Declares the mark, and places the properties of experiments in JUnit files."""
    text = "one test for each run of a plan; options go to gosmp.sweep"
    config.addinivalue_line("markers", f"{_MARK}(plan, **options): {text}")
    xml = config.stash.get(xml_key, None) if xml_key is not None else None
    if xml is not None and xml.family == "xunit2":
        config.pluginmanager.register(_Properties(xml))


class _Properties:
    """Moves the properties of experiments to the suite, because a test case has none in the schema of xunit2."""

    def __init__(self, xml: Any) -> None:
        self.xml = xml

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        ours = [p for p in report.user_properties if p[0].startswith(_PROPERTY)]
        report.user_properties = [p for p in report.user_properties if p not in ours]
        if report.when == "teardown":
            for name, value in ours:
                self.xml.add_global_property(f"{name} {report.nodeid}", str(value))


@pytest.fixture
def gosmp_run(tmp_path: Path) -> Callable[..., Any]:
    """gosmp.run with its results in tmp_path."""

    def run(*files: Any, **arguments: Any) -> Any:
        import gosmp

        return gosmp.run(*files, **{"folder": tmp_path, **arguments})

    return run


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects an experiment or a scenario, if the configuration asks for it."""
    kind = file_path.suffix.lower()
    if kind not in (".exc", ".xosc") or not parent.config.getini(_SETTING):
        return None
    if kind == ".exc" or _has_a_verdict(file_path):
        return _File.from_parent(parent, path=file_path)
    return None


def _has_a_verdict(path: Path) -> bool:
    """False for files that are certainly not scenarios. A damaged file is a test, which fails."""
    try:
        data = path.read_bytes()
    except OSError:
        return True
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    text = _COMMENT.sub("", data.decode(encoding, errors="replace"))
    return _SCENARIO.search(text) is not None or _NO_SCENARIO.search(text) is None


class _File(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        yield _Verdict.from_parent(self, name="verdict")


class NotPassed(Exception):
    """The verdict is not "passed"."""


class _Verdict(pytest.Item):
    """One run of an experiment.

    The run is the setup of the test. If it ends without a verdict, the test has an error; a negative verdict is a
    failure.
    """

    _verdict = ""  # the negative one

    def setup(self) -> None:
        import gosmp

        try:
            result = gosmp.run(self.path, report=self._report())
            cause = result.cause or "nothing has judged it"
        except gosmp.RunError as error:
            result, cause = error.result, error.cause
        outcome = result.summary.get("outcome") or _ENDS.get(result.exit_code, "ended")
        self.user_properties.append((f"{_PROPERTY}outcome", outcome))
        self.user_properties.append((f"{_PROPERTY}command", result.summary.get("command", "")))
        if result.log:
            self.add_report_section("call", "log of gosmp", result.log)
        text = f"{self.path.name}: {outcome}: {cause}"
        if outcome == "failed":
            self._verdict = text
        elif not result.passed:
            pytest.fail(text, pytrace=False)

    def runtest(self) -> None:
        if self._verdict:
            raise NotPassed(self._verdict)

    def _report(self) -> Path | None:
        """The path of the report: in the reports folder, with the relative path of the experiment."""
        folder: Path | None = self.config.getoption(_REPORTS)
        if folder is None:
            return None
        place = Path(f"{self.path.name}.html")
        if self.path.is_relative_to(self.config.rootpath):
            place = self.path.parent.relative_to(self.config.rootpath) / place
        report = folder.absolute() / place
        report.parent.mkdir(parents=True, exist_ok=True)
        return report

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The cause without a traceback of this file."""
        if isinstance(excinfo.value, NotPassed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"experiment {self.path.name}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeats a marked test for each run of its plan."""
    mark = metafunc.definition.get_closest_marker(_MARK)
    if mark is None:
        return
    if len(mark.args) != 1 or "gosmp_case" not in metafunc.fixturenames:
        pytest.fail(f"{_MARK} needs a plan, and the test the fixture gosmp_case", pytrace=False)
    plan = metafunc.definition.path.parent / mark.args[0]
    cases = [(plan, mark.kwargs, number) for number in _cases(plan)]
    names = [f"{plan.name}-{number}" for *_, number in cases]
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
def gosmp_case(request: pytest.FixtureRequest, _gosmp_sweeps: dict[str, Any]) -> dict[str, Any]:
    """The row of this run in the results of its plan, by column."""
    import gosmp

    plan, options, number = request.param
    key = repr((plan, sorted(options.items())))
    if key not in _gosmp_sweeps:
        try:
            _gosmp_sweeps[key] = gosmp.sweep(plan, **{"keep": 0, **options})
        except gosmp.RunError as error:
            _gosmp_sweeps[key] = error
    table = _gosmp_sweeps[key]
    if isinstance(table, gosmp.RunError):
        pytest.fail(str(table), pytrace=False)
    row: dict[str, Any] = table.row(table["case"].index(number))
    return row


@pytest.fixture(scope="session")
def _gosmp_sweeps() -> dict[str, Any]:
    """The sweeps of this session, or why they have no results."""
    return {}
