"""The FMU in its process: several instances, threads, many runs, foreign and read-only folders."""

from __future__ import annotations

import os
import re
import shutil
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fmpy
import pytest

from host import OK, Host, trace
from recordings import LOOPING, SIX_SENSORS

Scenario = Callable[..., str]

#: The threads that a Go runtime may start on its own when the machine is busy. A leak would be a thread
#: for each of hundreds of runs.
SOME_THREADS = 3


def test_two_instances_side_by_side(new_host: Callable[..., Host], scenario: Scenario) -> None:
    settings = [
        {"replay.scenarioFile": scenario(SIX_SENSORS, "a.csv"), "sensorId": 1},
        {"replay.scenarioFile": scenario(LOOPING, "b.csv"), "sensorId": 2},
    ]
    alone = [trace(new_host(f"alone {k}").initialize(values), 20) for k, values in enumerate(settings)]
    together = [new_host(f"together {k}").initialize(values) for k, values in enumerate(settings)]
    found: list[list[Any]] = [[], []]
    for _ in range(20):
        for k, host in enumerate(together):
            found[k] += trace(host, 1)
    assert found == alone


def test_instances_log_under_their_own_names(new_host: Callable[..., Host]) -> None:
    a, b = new_host("first"), new_host("zweite Instanz")
    a.initialize()
    a.step(-1.0)
    b.step()
    assert [line.instance for line in a.log] == ["first"] * 2
    assert [line.instance for line in b.log] == ["zweite Instanz"] * 2


def test_an_instance_names_its_release_in_the_log(new_host: Callable[..., Host]) -> None:
    host = new_host()
    assert [(line.status, line.category) for line in host.log] == [(OK, "logAll")]
    version, guid = host.description.version, host.description.guid
    assert re.fullmatch(
        rf"OSMPDummySensor {version}, made with gosmp {version} \(go1\S+\) for OSI 3\.8\.0, guid {guid}", host.log[0].text
    )
    assert new_host(logging_on=False).log == []


def test_one_instance_failing_does_not_touch_the_others(new_host: Callable[..., Host]) -> None:
    good, bad = new_host("good").initialize(), new_host("bad").initialize()
    reference = trace(new_host("reference").initialize(), 20)
    found = []
    for k in range(20):
        found += trace(good, 1)
        bad.step(-1.0 if k % 2 else float("nan"))
        bad.fmu.reset()
        bad.initialize()
    bad.free()
    assert found == reference


def test_instances_on_threads_of_their_own(new_host: Callable[..., Host]) -> None:
    reference = trace(new_host("reference").initialize(), 100)
    hosts = [new_host(f"thread {k}") for k in range(6)]
    results: list[Any] = [None] * len(hosts)

    def run(k: int) -> None:
        results[k] = trace(hosts[k].initialize(), 100)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(hosts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=600)
    assert all(result == reference for result in results)


def test_an_instance_may_change_its_thread_between_calls(new_host: Callable[..., Host]) -> None:
    reference = trace(new_host("reference").initialize(), 20)
    host = new_host().initialize()
    found: list[Any] = []
    for _ in range(20):
        thread = threading.Thread(target=lambda: found.extend(trace(host, 1)))
        thread.start()
        thread.join(timeout=600)
    assert found == reference


def test_300_simulations_in_one_process_leave_nothing_behind(child: Callable[..., Any]) -> None:
    after_100, after_300 = child("many_simulations", 300, timeout=900)
    assert after_300["threads"] <= after_100["threads"] + SOME_THREADS
    assert after_300["files"] == after_100["files"]
    assert after_300["resident"] < after_100["resident"] + 20_000, "kB"


def test_900_instances_in_one_process_leave_nothing_behind(child: Callable[..., Any]) -> None:
    after_300, after_900 = child("many_instances", 900)
    assert after_900["threads"] <= after_300["threads"] + SOME_THREADS
    assert after_900["files"] == after_300["files"]
    assert after_900["resident"] < after_300["resident"] + 10_000, "kB"


def test_P7_foreign_working_directory(child: Callable[..., Any], tmp_path: Path) -> None:
    assert child("simulate", cwd=tmp_path)["rows"] > 0
    assert list(tmp_path.iterdir()) == [], "nothing is written to it"


@pytest.fixture
def read_only(folder: Path) -> Iterator[Path]:
    """The unpacked FMU without write permission."""
    paths = [folder, *folder.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path, mode in modes.items():
        path.chmod(mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    yield folder
    for path, mode in modes.items():
        path.chmod(mode)


def test_P7_read_only_folder(read_only: Path, child: Callable[..., Any]) -> None:
    def listing() -> dict[str, tuple[int, int]]:
        return {str(p): (p.stat().st_size, p.stat().st_mtime_ns) for p in (read_only, *read_only.rglob("*"))}

    before = listing()
    assert len(child("many_instances", 3)) == 2
    assert listing() == before, "nothing is written, not even where root could"


def test_the_folder_may_be_deleted_while_an_instance_lives(
    fmu_file: Path, new_host: Callable[..., Host], tmp_path: Path
) -> None:
    place = tmp_path / "unpacked"
    fmpy.extract(str(fmu_file), unzipdir=str(place))
    host = new_host(folder=place).initialize()
    host.steps(5)
    shutil.rmtree(place)
    host.steps(20)
    assert not os.path.exists(place)
    assert host.get("replay.rows") > 0
