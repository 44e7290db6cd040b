"""gosmp.to_rerun: a trace as a recording for the Rerun viewer.

The scene is the one that `gosmp convert --to foxglove` writes: objects, detections and lanes in
frames that move with the host vehicle. Each topic becomes an entity of Rerun.
"""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from ._call import RunError, call
from ._run import _each, _one
from ._trace import messages
from ._whole import whole

_ROOT = "map"  # the frame of the world


def to_rerun(
    trace: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    topic: str | Sequence[str] | None = None,
    start: float | None = None,
    stop: float | None = None,
) -> Path:
    """Write a trace (.mcap, .jsonl, .txth, .osi) as a recording for the Rerun viewer.

    out: the file to write; by default the name of the trace with .rrd, in the working directory.
    topic: the channels to show, each a topic or a type such as "SensorView"; all by default.
    start, stop: in seconds; a message at stop is left out.

    Returns the path of the recording, which `rerun FILE` opens. Needs the packages rerun-sdk and
    foxglove-schemas-protobuf. Raises RunError if the trace cannot be read.

    >>> gosmp.to_rerun("drive.mcap", stop=10)  # doctest: +SKIP
    PosixPath('drive.rrd')
    """
    path = Path(out if out is not None else Path(trace).with_suffix(".rrd").name)
    if path.exists() and Path(trace).exists() and path.samefile(trace):
        raise ValueError(f"out: found {path}, which is the trace itself; name another file")
    rerun = _module("rerun", "rerun-sdk")
    channels = [topic] if isinstance(topic, str) else topic or ()
    with tempfile.TemporaryDirectory() as folder, whole(path) as recording:
        scene = Path(folder, "scene.mcap")
        called = call(
            *("convert", os.fspath(trace), "--to=foxglove", f"--out={scene}"),
            *_each("--channel", channels),
            *_one("--from", start),
            *_one("--until", stop),
        )
        if called.exit_code not in (0, 1):
            raise RunError(called)
        writer = _Writer(rerun, recording)
        for message in messages(scene, decode=False):
            if message.type in writer.kinds:
                writer.write(message.time, message.topic, message.type, message.message)
        writer.close()
    return path


def _module(name: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and not name.startswith(error.name):
            raise
        raise ImportError(f"to_rerun needs {package}: pip install rerun-sdk foxglove-schemas-protobuf") from error


class _Writer:
    """Writes messages of Foxglove's schemas into a recording."""

    def __init__(self, rerun: Any, path: Path) -> None:
        self.rerun = rerun
        self.kinds: dict[str, Callable[[str, Any], None]] = {
            "foxglove.SceneUpdate": self.scene,
            "foxglove.FrameTransforms": self.transforms,
            "foxglove.PointCloud": self.cloud,
            "foxglove.LocationFix": self.location,
            "foxglove.Log": self.log_line,
        }
        self.classes = {kind: _class(kind) for kind in self.kinds}
        self.placed: set[str] = set()  # entities that have a frame
        self.stream = rerun.RecordingStream("gosmp")
        self.stream.save(path)
        self.stream.log("/", rerun.CoordinateFrame(_ROOT), rerun.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)

    def close(self) -> None:
        self.stream.flush()
        self.stream.disconnect()

    def write(self, time: int, topic: str, kind: str, data: bytes) -> None:
        self.stream.set_time("time", duration=time / 1e9)
        self.kinds[kind](topic, self.classes[kind].FromString(data))

    def log(self, path: str, frame: str, archetype: Any) -> None:
        """Log an archetype whose coordinates are in a frame, which is the same each time."""
        if path not in self.placed:
            self.placed.add(path)
            self.stream.log(path, self.rerun.CoordinateFrame(frame), static=True)
        self.stream.log(path, archetype)

    def scene(self, topic: str, update: Any) -> None:
        # Each update replaces the previous one of its topic: entities of a frame are one batch.
        self.stream.log(topic, self.rerun.Clear(recursive=True))
        frames: dict[str, list[Any]] = {}
        for entity in update.entities:
            frames.setdefault(entity.frame_id, []).append(entity)
        for frame, entities in frames.items():
            base = f"{topic}/{frame}"
            self.boxes(base, frame, entities)
            self.points(base, frame, entities)
            self.arrows(base, frame, entities)
            self.lines(base, frame, entities)

    def boxes(self, base: str, frame: str, entities: Iterable[Any]) -> None:
        cubes = [(c, e) for e in entities for c in e.cubes]
        if cubes:
            boxes = self.rerun.Boxes3D(
                sizes=[_vector(c.size) for c, _ in cubes],
                centers=[_vector(c.pose.position) for c, _ in cubes],
                quaternions=[_quaternion(c.pose.orientation) for c, _ in cubes],
                colors=[_color(c.color) for c, _ in cubes],
                labels=[e.texts[0].text if e.texts else e.id for _, e in cubes],
                show_labels=True,
            )
            self.log(base + "/boxes", frame, boxes)

    def points(self, base: str, frame: str, entities: Iterable[Any]) -> None:
        spheres = [s for e in entities for s in e.spheres]
        if spheres:
            points = self.rerun.Points3D(
                [_vector(s.pose.position) for s in spheres],
                radii=[s.size.x / 2 for s in spheres],
                colors=[_color(s.color) for s in spheres],
            )
            self.log(base + "/spheres", frame, points)

    def arrows(self, base: str, frame: str, entities: Iterable[Any]) -> None:
        arrows = [a for e in entities for a in e.arrows]
        if arrows:
            arrow = self.rerun.Arrows3D(
                origins=[_vector(a.pose.position) for a in arrows],
                vectors=[_ahead(a.pose.orientation, a.shaft_length + a.head_length) for a in arrows],
                radii=[a.shaft_diameter / 2 for a in arrows],
                colors=[_color(a.color) for a in arrows],
            )
            self.log(base + "/arrows", frame, arrow)

    def lines(self, base: str, frame: str, entities: Iterable[Any]) -> None:
        strips, radii, colors = [], [], []
        for line in (line for e in entities for line in e.lines):
            for strip in _strips(line):
                strips.append(strip)
                radii.append(line.thickness / 2)
                colors.append(_color(line.color))
        if strips:
            self.log(base + "/lines", frame, self.rerun.LineStrips3D(strips, radii=radii, colors=colors))

    def transforms(self, topic: str, message: Any) -> None:
        for t in message.transforms:
            transform = self.rerun.Transform3D(
                translation=_vector(t.translation),
                quaternion=_quaternion(t.rotation),
                parent_frame=t.parent_frame_id,
                child_frame=t.child_frame_id,
            )
            self.stream.log(f"{topic}/{t.child_frame_id}", transform)

    def cloud(self, topic: str, cloud: Any) -> None:
        numpy = importlib.import_module("numpy")
        names = ("", "u1", "i1", "<u2", "<i2", "<u4", "<i4", "<f4", "<f8")
        layout = numpy.dtype(
            {
                "names": [f.name for f in cloud.fields],
                "formats": [names[f.type] for f in cloud.fields],
                "offsets": [f.offset for f in cloud.fields],
                "itemsize": cloud.point_stride,
            }
        )
        points = numpy.frombuffer(cloud.data, layout)
        positions = numpy.stack([points[axis] for axis in "xyz"], axis=1)
        self.log(f"{topic}/{cloud.frame_id}", cloud.frame_id, self.rerun.Points3D(positions))

    def location(self, topic: str, fix: Any) -> None:
        self.stream.log(topic, self.rerun.GeoPoints(lat_lon=[[fix.latitude, fix.longitude]]))

    def log_line(self, topic: str, line: Any) -> None:
        levels = ("INFO", "DEBUG", "INFO", "WARN", "ERROR", "CRITICAL")  # of Foxglove, from UNKNOWN on
        self.stream.log(topic, self.rerun.TextLog(line.message, level=levels[line.level]))


def _class(kind: str) -> Any:
    name = kind.partition(".")[2]
    package = "foxglove_schemas_protobuf"
    module = _module(f"{package}.{name}_pb2", "foxglove-schemas-protobuf")
    return getattr(module, name)


def _vector(v: Any) -> list[float]:
    return [v.x, v.y, v.z]


def _quaternion(q: Any) -> list[float]:
    return [q.x, q.y, q.z, q.w]


def _color(c: Any) -> list[int]:
    return [round(255 * x) for x in (c.r, c.g, c.b, c.a)]


def _ahead(q: Any, length: float) -> list[float]:
    """The x axis of an orientation, with a length."""
    return [
        length * (1 - 2 * (q.y * q.y + q.z * q.z)),
        length * 2 * (q.x * q.y + q.w * q.z),
        length * 2 * (q.x * q.z - q.w * q.y),
    ]


def _strips(line: Any) -> list[list[list[float]]]:
    """The parts of a line, whose coordinates have no pose of their own in scenes of gosmp."""
    points = [_vector(p) for p in line.points]
    if line.type == 2:  # LINE_LIST: pairs of points
        return [points[k : k + 2] for k in range(0, len(points) - 1, 2)]
    if line.type == 1 and points:  # LINE_LOOP
        points.append(points[0])
    return [points] if len(points) > 1 else []
