"""Our own FMUs, examined by running them: `gosmp check --run` proves every rule that it can test, of
all examples and of what `gosmp new` generates, for FMI 2.0 and 3.0. The FMUs that `make fmu` builds
are examined in importer/examine.

One example and one template are examined for each change; GOSMP_LONG examines all, which takes
minutes."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What `make examples` packs for both standards; it adds the link, which is for FMI 3.0 alone.
EXAMPLES = re.search(r"for model in ([\w ]+);", (ROOT / "Makefile").read_text())[1].split()  # type: ignore[index]
KINDS = re.findall(r'^\t\tName: "(\w+)"', (ROOT / "build/scaffold/kind.go").read_text(), re.MULTILINE)
#: Examined for each change.
QUICK = ("source", "plain")
PROVED = 40  # rules at least: whatever was not tested is not proved


def chosen(*names: str) -> list[object]:
    """Parameters of a test, of which only the quick ones run for each change."""
    skip = pytest.mark.skipif("GOSMP_LONG" not in os.environ, reason="set GOSMP_LONG to examine all")
    return [name if name in QUICK else pytest.param(name, marks=skip) for name in names]


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def examine(program: Path, files: list[Path]) -> None:
    """Requires that no rule is refuted for FMUs, not even a note."""
    assert files
    for file in files:
        document = json.loads(run(program, "check", "--run", "--time", "300", "--json", file, cwd=file.parent))
        examination = document["examination"]
        refuted = [v for v in examination["verdicts"] if v["outcome"] == "refuted"]
        assert refuted == [], file.name
        assert examination["proved"] >= PROVED, file.name


def test_none_is_missing() -> None:
    packers = {p.parent.name for p in ROOT.glob("examples/*/main.go") if '"gosmp/build"' in p.read_text()}
    assert packers == {*EXAMPLES}
    assert {"sensor", "plain"} <= {*KINDS}


@pytest.mark.parametrize("name", chosen(*EXAMPLES))
def test_examples(name: str, program: Path, tmp_path: Path) -> None:
    run("go", "run", f"./examples/{name}", "pack", "-fmi", "2,3", "-o", str(tmp_path / "x.fmu"), cwd=ROOT)
    files = sorted(tmp_path.glob("*.fmu"))
    assert len(files) == 2
    examine(program, files)


@pytest.mark.skipif("GOSMP_LONG" not in os.environ, reason="set GOSMP_LONG to examine all")
def test_link(program: Path, tmp_path: Path) -> None:
    run("go", "run", "./examples/link", "pack", "-o", str(tmp_path / "link.fmu"), cwd=ROOT)
    examine(program, [tmp_path / "link.fmu"])


@pytest.mark.parametrize("kind", chosen(*KINDS))
def test_templates(kind: str, program: Path, tmp_path: Path) -> None:
    place = tmp_path / kind
    run(program, "new", f"new{kind}", "--kind", kind, "--dir", str(place), "--gosmp", str(ROOT), cwd=ROOT)
    run("go", "run", ".", "pack", "-fmi", "2,3", cwd=place, GOPROXY="off", GOFLAGS="-mod=mod")
    files = sorted((place / "dist").glob("*.fmu"))
    assert len(files) == 2
    examine(program, files)
