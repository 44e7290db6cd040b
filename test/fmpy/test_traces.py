"""Traces written by `gosmp`, read by independent tools: osi-python, betterosi, asam-osi-utilities,
and the official MCAP library for Python."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import osi_utilities as utilities
import pytest
from betterosi import read as read_betterosi
from mcap.reader import make_reader
from osi3trace.osi_trace import OSITrace

from sensorviews import sensor_view

STEPS = 25
TOPICS = ["lidar.OSMPSensorDataOut", "lidar.OSMPSensorViewIn"]
MANDATORY = {"version", "min_osi_version", "max_osi_version", "min_protobuf_version", "max_protobuf_version"}


@pytest.fixture(scope="module")
def trace(fmu_file: Path, program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the sensor with SensorViews, recorded in MCAP."""
    folder = tmp_path_factory.mktemp("trace")
    views = folder / "views.osi"
    with views.open("wb") as out:
        for k in range(STEPS):
            message = sensor_view(k * 20_000_000).SerializeToString()
            out.write(len(message).to_bytes(4, "little") + message)
    file = folder / "drive.mcap"
    command = [program, "run", f"lidar={fmu_file}", "--input-messages", f"OSMPSensorViewIn={views}", "--record", file]
    done = subprocess.run([*command, "--stop-time", f"{STEPS * 0.02:g}"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return file


def convert(program: Path, source: Path, target: Path, *options: str) -> Path:
    done = subprocess.run([program, "convert", source, "-o", target, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def test_osi_python_lists_the_topics_and_reads_them(trace: Path) -> None:
    reader = OSITrace(str(trace), topic=TOPICS[1])
    assert sorted(reader.get_available_topics()) == TOPICS
    assert MANDATORY <= {key for entry in [reader.get_file_metadata()] for key in str(entry).replace("'", " ").split()}
    stamps = [m.timestamp.seconds * 10**9 + m.timestamp.nanos for m in reader]
    reader.close()
    assert stamps == [k * 20_000_000 for k in range(STEPS)]


def test_the_utilities_of_asam_read_all_formats(trace: Path, program: Path, tmp_path: Path) -> None:
    """asam-osi-utilities reads MCAP, .osi and .txth. It finds the types in the schemas of MCAP, and
    in the names of the other files."""
    def stamps(reader: Any, path: Path) -> dict[str, list[int]]:
        assert reader.open(path)
        found: dict[str, list[int]] = {}
        while reader.has_next():
            result = reader.read_message()
            assert result.status == utilities.ReadStatus.OK
            m = result.message
            found.setdefault(type(m).__name__, []).append(m.timestamp.seconds * 10**9 + m.timestamp.nanos)
        reader.close()
        return found

    views = [k * 20_000_000 for k in range(STEPS)]
    found = stamps(utilities.MultiTraceReader(), trace)
    assert found["SensorView"] == views
    assert len(found["SensorData"]) >= STEPS
    for extension, kind in (("osi", utilities.SingleTraceReader), ("txth", utilities.ProtobufTextFormatTraceReader)):
        name = tmp_path / f"20210818T150542Z_sv_380_13612_{STEPS}.{extension}"
        assert stamps(kind(), convert(program, trace, name, "--channel", "sv")) == {"SensorView": views}


def test_betterosi_reads_the_views(trace: Path) -> None:
    views = list(read_betterosi(str(trace), return_sensor_view=True, mcap_topics=[TOPICS[1]]))
    assert len(views) == STEPS
    assert [o.id.value for o in views[0].global_ground_truth.moving_object] == [100, 101, 102, 103]


def test_the_file_keeps_the_rules_of_osi_on_mcap(trace: Path) -> None:
    """OSI 3.8.0, multi-channel trace files: one metadata record with its keys, all messages in
    chunks of a known compression, an index, and both versions in each channel."""
    with trace.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        (metadata,) = [m for m in reader.iter_metadata() if m.name == "net.asam.osi.trace"]
        assert MANDATORY <= metadata.metadata.keys()
        assert all(c.compression in ("", "lz4", "zstd") for c in summary.chunk_indexes)
        assert sorted(c.topic for c in summary.channels.values()) == TOPICS
        for channel in summary.channels.values():
            assert {f"net.asam.osi.trace.channel.{key}_version" for key in ("osi", "protobuf")} <= channel.metadata.keys()
        messages = list(reader.iter_messages())
    assert len(messages) == summary.statistics.message_count > STEPS
    assert all(m.publish_time == m.log_time for _, _, m in messages)


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_converted_files_hold_the_same_bytes(trace: Path, program: Path, tmp_path: Path, compression: str) -> None:
    converted = convert(program, trace, tmp_path / "other.mcap", "--compression", compression)
    contents = []
    for path in (trace, converted):
        with path.open("rb") as file:
            contents.append([(c.topic, m.log_time, m.data) for _, c, m in make_reader(file, validate_crcs=True).iter_messages()])
    assert contents[0] == contents[1]


def test_osi_python_reads_a_converted_channel(trace: Path, program: Path, tmp_path: Path) -> None:
    single = convert(program, trace, tmp_path / "data.osi", "--channel", "sd")
    reader = OSITrace(str(single), "SensorData")
    stamps = [m.timestamp.seconds * 10**9 + m.timestamp.nanos for m in reader]
    reader.close()
    assert stamps == sorted(set(stamps)) and len(stamps) >= STEPS
