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
    outcomes = [v.get("value") for v in ElementTree.parse(project / "r.xml").iter("property") if v.get("name") == "gosmp_outcome"]
    assert sorted(outcomes) == ["failed", "passed"]


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
