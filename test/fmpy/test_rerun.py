"""gosmp.to_rerun: what reaches Rerun's package is the scene of the trace, and the real package, where
it is installed, writes a recording that its own command accepts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytest import approx

import gosmp

MAP = Path(__file__).resolve().parents[2] / "examples" / "maps" / "crossing.xodr"
STEPS = 10


class Logged:
    """Stands for the package: its archetypes are dictionaries, and a stream keeps what it gets."""

    RIGHT_HAND_Z_UP = "z up"

    def __init__(self) -> None:
        self.time = -1.0
        self.log_of: list[tuple[float, str, str, dict[str, Any]]] = []
        self.closed = False
        self.ViewCoordinates = self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *parts, **named: {"archetype": name, "parts": parts, **named}

    def RecordingStream(self, _: str) -> Any:
        def log(path: str, *archetypes: Any, static: bool = False) -> None:
            for a in archetypes:
                if isinstance(a, dict):
                    self.log_of.append((-1 if static else self.time, path, a["archetype"], a))

        def end() -> None:
            self.closed = True

        def set_time(_: str, duration: float) -> None:
            self.time = duration

        return SimpleNamespace(
            save=lambda path: Path(path).write_bytes(b""),
            log=log, set_time=set_time, flush=lambda: None, disconnect=end,
        )

    def of(self, archetype: str) -> list[tuple[float, str, dict[str, Any]]]:
        return [(time, path, a) for time, path, kind, a in self.log_of if kind == archetype]


@pytest.fixture(autouse=True)
def command(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOSMP_BINARY", str(program))


@pytest.fixture(scope="module")
def trace(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("rerun") / "drive.mcap"
    command = [program, "simulate", MAP, "--actors", "4", "--duration", f"{STEPS * 0.02:g}", "--trace", file]
    subprocess.run(command, check=True, capture_output=True)
    return file


def test_boxes_are_the_true_objects(trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rerun = Logged()
    monkeypatch.setitem(sys.modules, "rerun", rerun)
    out = tmp_path / "drive.rrd"
    assert gosmp.to_rerun(trace, out) == out
    assert rerun.closed
    boxes = rerun.of("Boxes3D")
    views = list(gosmp.messages(trace, "SensorView"))
    assert len(boxes) == len(views) == STEPS
    for (time, path, box), view in zip(boxes, views, strict=True):
        assert time == approx(view.time / 1e9)
        frame = [a for _, at, a in rerun.of("CoordinateFrame") if at == path]
        assert [f["parts"] for f in frame] == [("map",)]
        objects = {str(o.id.value): o for o in view.message.global_ground_truth.moving_object}
        assert set(objects) <= set(box["labels"]), "signs have boxes, too"
        for label, center, size in zip(box["labels"], box["centers"], box["sizes"], strict=True):
            if label not in objects:
                continue
            base = objects[label].base
            assert center == approx([base.position.x, base.position.y, base.position.z])
            assert size == approx([base.dimension.length, base.dimension.width, base.dimension.height])


def test_frames_follow_the_host_vehicle(trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rerun = Logged()
    monkeypatch.setitem(sys.modules, "rerun", rerun)
    gosmp.to_rerun(trace, tmp_path / "drive.rrd", stop=0.1)
    transforms = [a for _, _, a in rerun.of("Transform3D") if a["child_frame"] == "base_link"]
    views = list(gosmp.messages(trace, "SensorView", stop=0.1))
    assert len(transforms) == len(views)
    for transform, view in zip(transforms, views, strict=True):
        truth = view.message.global_ground_truth
        host = next(o for o in truth.moving_object if o.id.value == truth.host_vehicle_id.value)
        assert transform["parent_frame"] == "map"
        ahead = rotated(transform["quaternion"], host.vehicle_attributes.bbcenter_to_rear.x)
        center = [host.base.position.x, host.base.position.y]
        assert [transform["translation"][k] - ahead[k] for k in (0, 1)] == approx(center, abs=1e-6)
    assert rerun.of("LineStrips3D"), "the lanes"


def rotated(q: list[float], x: float) -> tuple[float, float]:
    """The plane coordinates of (x, 0, 0) after a rotation."""
    return x * (1 - 2 * (q[1] * q[1] + q[2] * q[2])), x * 2 * (q[0] * q[1] + q[3] * q[2])


def test_the_trace_itself_is_not_overwritten(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rerun", Logged())
    before = trace.read_bytes()
    with pytest.raises(ValueError, match="which is the trace itself"):
        gosmp.to_rerun(trace, trace)
    assert trace.read_bytes() == before


def test_a_missing_trace_leaves_an_older_recording_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rerun", Logged())
    old = tmp_path / "old.rrd"
    old.write_text("older")
    with pytest.raises(gosmp.RunError, match="missing"):
        gosmp.to_rerun(tmp_path / "missing.mcap", old)
    assert old.read_text() == "older"


def test_only_the_recording_is_written(trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rerun", Logged())
    other = tmp_path / "drive.rrd.part"
    other.write_text("someone's")
    out = gosmp.to_rerun(trace, tmp_path / "drive.rrd")
    assert other.read_text() == "someone's"
    assert sorted(tmp_path.iterdir()) == [out, other]
    missing = tmp_path / "missing" / "drive.rrd"
    with pytest.raises(FileNotFoundError, match=str(missing)):
        gosmp.to_rerun(trace, missing)


def test_without_the_package_the_error_names_it(trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(ImportError, match="pip install rerun-sdk"):
        gosmp.to_rerun(trace, tmp_path / "drive.rrd")


def test_the_real_package_accepts_the_recording(trace: Path, tmp_path: Path) -> None:
    pytest.importorskip("rerun", reason="needs rerun-sdk, which the nightly tests install")
    out = gosmp.to_rerun(trace, tmp_path / "drive.rrd")
    rerun = Path(sys.executable).with_name("rerun")
    subprocess.run([rerun, "rrd", "verify", out], check=True, capture_output=True)
    shown = subprocess.run([rerun, "rrd", "print", out], check=True, capture_output=True, text=True).stdout
    for part in ("Boxes3D:centers", "LineStrips3D:strips", "Transform3D:parent_frame"):
        assert part in shown
