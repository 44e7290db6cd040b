"""The plugin for pytest: fixtures, experiments as tests, plans as parameters."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from conftest import ROOT

CHART = """<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript">
  <datamodel><data id="limit" expr="1"/></datamodel>
  <state id="a">
    <onentry><send event="done" delay="1s"/></onentry>
    <transition event="done" cond="limit &lt; 2" target="success"/>
    <transition event="done" target="failure"/>
  </state>
  <final id="success"/>
  <final id="failure"><donedata><content expr="'too late'"/></donedata></final>
</scxml>
"""
EXPERIMENT = """<ExD xmlns="http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig"
     xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <name>waiting</name><description>waits</description><timeout time="simulation">10</timeout>
  <environmentModel src="road.xodr">
    <robotPose robotId="ego" x="60" y="-1.75" z="0" roll="0" pitch="0" yaw="0"/>
  </environmentModel>
  <bibiConf src="world.bibi"/>
  <experimentEvaluation><stateMachine id="judge" xsi:type="SCXMLStateMachine" src="judge.scxml"/></experimentEvaluation>
</ExD>
"""
WORLD = """<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BIBI">
  <bodyModel robotId="ego">car</bodyModel><timestep>20</timestep>
</bibi>
"""
CATALOG = """<?xml version="1.0"?>
<!-- no <Storyboard> is in here --><OpenSCENARIO><FileHeader/><Catalog name="cars"/></OpenSCENARIO>
"""
PLAN = """experiment: waiting.exc
parameters:
  limit: {values: [1, 2, 3]}
set:
  judge.limit: limit
"""
TESTS = """import pytest

def test_fixture(gosmp_run):
    result = gosmp_run("waiting.exc", set={"judge.limit": 3})
    assert result.outcome == "failed" and "too late" in result.cause

@pytest.mark.gosmp_plan("limits.sweep.yaml")
def test_limits(gosmp_case):
    assert gosmp_case["outcome"] == ("passed" if gosmp_case["limit"] < 2 else "failed")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "examples/braking/road.xodr", tmp_path)
    (tmp_path / "judge.scxml").write_text(CHART)
    (tmp_path / "world.bibi").write_text(WORLD)
    (tmp_path / "waiting.exc").write_text(EXPERIMENT)
    (tmp_path / "failing.exc").write_text(EXPERIMENT.replace("judge.scxml", "failing.scxml"))
    (tmp_path / "failing.scxml").write_text(CHART.replace('expr="1"', 'expr="9"'))
    (tmp_path / "limits.sweep.yaml").write_text(PLAN)
    return tmp_path


def run_pytest(project: Path, program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "gosmp._pytest", "-p", "no:cacheprovider", *words],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "GOSMP_BINARY": str(program)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_experiments_are_tests_when_asked_for(project: Path, program: Path) -> None:
    done = run_pytest(project, program, "-o", "gosmp_experiments=true", "--junitxml=r.xml")
    assert done.returncode == 1 and "1 passed, 1 failed" in done.stdout.replace("1 failed, 1 passed", "1 passed, 1 failed")
    assert "failing.exc: failed: judge: from a to failure" in done.stdout and "too late" in done.stdout
    assert "log of gosmp" in done.stdout and "_pytest.py" not in done.stdout
    results = ElementTree.parse(project / "r.xml")
    values = {v.get("name"): v.get("value") for v in results.iterfind("testsuite/properties/property")}
    assert values["gosmp_outcome failing.exc::verdict"] == "failed"
    assert values["gosmp_outcome waiting.exc::verdict"] == "passed"
    assert values["gosmp_command failing.exc::verdict"].startswith("gosmp run ")
    children = {child.tag for case in results.iter("testcase") for child in case}
    assert children == {"failure"}, "the schema of test cases permits no properties"


def test_other_families_of_results_have_properties_in_each_case(project: Path, program: Path) -> None:
    options = ("-o", "gosmp_experiments=true", "-o", "junit_family=xunit1", "--junitxml=r.xml")
    run_pytest(project, program, *options)
    cases = ElementTree.parse(project / "r.xml").iterfind("testsuite/testcase/properties/property[@name='gosmp_outcome']")
    assert sorted(v.get("value", "") for v in cases) == ["failed", "passed"]


def test_nothing_is_collected_unasked(project: Path, program: Path) -> None:
    done = run_pytest(project, program, "--collect-only")
    assert done.returncode == 5 and "no tests" in done.stdout


def test_fixture_and_plan(project: Path, program: Path) -> None:
    (project / "test_waiting.py").write_text(TESTS)
    done = run_pytest(project, program, "-vv")
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout and "limits.sweep.yaml-3" in done.stdout


def test_a_mark_without_its_fixture_is_an_error(project: Path, program: Path) -> None:
    (project / "test_waiting.py").write_text(TESTS.replace("(gosmp_case)", "()"))
    done = run_pytest(project, program)
    assert done.returncode != 0 and "needs a plan, and the test the fixture gosmp_case" in done.stdout + done.stderr


def test_broken_experiments_name_their_fault(project: Path, program: Path) -> None:
    (project / "road.xodr").unlink()
    done = run_pytest(project, program, "-o", "gosmp_experiments=true", "waiting.exc")
    assert done.returncode == 1 and "road.xodr" in done.stdout and "Traceback" not in done.stdout


def test_what_is_no_experiment_and_what_is_damaged(project: Path, program: Path) -> None:
    """A damaged file is a test that fails, not one that nobody misses."""
    scenario = (ROOT / "examples/ccrs/ccrs.xosc").read_text()
    (project / "utf16.xosc").write_bytes(scenario.replace("UTF-8", "UTF-16").encode("utf-16"))
    (project / "cut.XOSC").write_text(scenario[:300])
    (project / "none.xosc").write_text("")
    (project / "cut.exc").write_text(EXPERIMENT[:200])
    (project / "bytes.exc").write_bytes(bytes(range(256)))
    (project / "cars.xosc").write_text(CATALOG)
    (project / "cars16.xosc").write_bytes(CATALOG.encode("utf-16"))
    shutil.copy(ROOT / "examples/ccrs/speeds.xosc", project)
    done = run_pytest(project, program, "-o", "gosmp_experiments=true", "-rA", "--junitxml=r.xml")
    ended = dict(reversed(line.split(" - ")[0].split(" ", 1)) for line in done.stdout.splitlines() if "::verdict" in line)
    assert {name.removesuffix("::verdict"): end for name, end in ended.items()} == {
        "waiting.exc": "PASSED",
        "failing.exc": "FAILED",
        "utf16.xosc": "PASSED",
        "cut.XOSC": "ERROR",
        "none.xosc": "ERROR",
        "cut.exc": "ERROR",
        "bytes.exc": "ERROR",
    }
    assert "cut.exc: invalid: cut.exc:3:" in done.stdout and "Traceback" not in done.stdout


def test_undecided_experiments_have_an_outcome_and_a_log(project: Path, program: Path) -> None:
    (project / "waiting.exc").write_text(EXPERIMENT.replace(">10<", ">0.5<"))
    done = run_pytest(project, program, "-o", "gosmp_experiments=true", "--junitxml=r.xml", "waiting.exc")
    assert done.returncode == 1 and "waiting.exc: timeout: judge: still in a, waiting for done" in done.stdout
    assert "log of gosmp" in done.stdout and "judge: undecided" in done.stdout
    results = ElementTree.parse(project / "r.xml")
    assert [child.tag for case in results.iter("testcase") for child in case] == ["error"]
    outcome = results.find("testsuite/properties/property[@name='gosmp_outcome waiting.exc::verdict']")
    assert outcome is not None and outcome.get("value") == "timeout"


def test_reports_lie_where_the_experiments_do(project: Path, program: Path) -> None:
    (project / "more").mkdir()
    for file in project.iterdir():
        if file.suffix in (".exc", ".scxml", ".bibi", ".xodr") and file.name != "failing.exc":
            shutil.copy(file, project / "more")
    words = "-o", "gosmp_experiments=true", "--gosmp-reports=pages"
    assert run_pytest(project, program, *words).returncode == 1
    pages = {str(path.relative_to(project / "pages")) for path in (project / "pages").rglob("*.html")}
    assert pages == {"waiting.exc.html", "failing.exc.html", "more/waiting.exc.html"}
    assert "too late" in (project / "pages/failing.exc.html").read_text()


MARKED = """import pytest

@pytest.mark.gosmp_plan("speeds.xosc", require="speed of Ego < 3", keep=1)
def test_speeds(gosmp_case):
    assert gosmp_case["outcome"] == ("passed" if gosmp_case["Speed"] == 10 else "failed")

@pytest.mark.gosmp_plan("wrong.sweep.yaml")
def test_wrong(gosmp_case):
    pass
"""


def test_a_mark_passes_options_on_and_a_wrong_plan_is_an_error(project: Path, program: Path) -> None:
    scenario = ROOT / "examples/ccrs/ccrs.xosc"
    text = (ROOT / "examples/ccrs/speeds.xosc").read_text().replace('"ccrs.xosc"', f'"{scenario}"')
    (project / "speeds.xosc").write_text(text.replace('upperLimit="80"', 'upperLimit="20"'))
    (project / "wrong.sweep.yaml").write_text(PLAN.replace("judge.limit", "judge.nothing"))
    (project / "test_waiting.py").write_text(MARKED)
    done = run_pytest(project, program)
    assert "6 passed, 3 errors" in done.stdout, done.stdout
    assert 'found "nothing"' in done.stdout and "_sweep.py" not in done.stdout
