"""gosmp.simapi: a director over TCP, and simulators that gosmp starts."""

from __future__ import annotations

import io
import math
import re
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from gosmp import simapi
from gosmp._simapi_wire import receive, send

Call = tuple[str, dict[str, Any]]


def frames(*calls: Call) -> io.BytesIO:
    """Requests as gosmp sends them."""
    stream = io.BytesIO()
    for number, (method, fields) in enumerate(calls, 1):
        body = simapi.encode(simapi.CALLS[method][0], fields)
        send(stream, id=number, method=simapi.METHOD[method], body=body)
    stream.seek(0)
    return stream


def answers(simulator: Any, *calls: Call) -> list[Any]:
    sink = io.BytesIO()
    simapi.child(simulator, frames(*calls), sink)
    sink.seek(0)
    replies = []
    for method, _ in calls:
        frame = receive(sink)
        if frame.status and frame.status.code:
            replies.append(frame.status)
        else:
            replies.append(simapi.decode(simapi.CALLS[method][1], frame.body))
    return replies


class Rolling(simapi.Simulator):
    """Moves what gosmp does not hold by a metre in each step."""

    name = "rolling"

    def added(self, actor: simapi.Actor) -> None:
        self.notes.append(f"{actor.name} is there")

    def step(self, request: simapi.Message) -> None:
        for actor in self.actors.values():
            if not actor.held:
                actor.x, actor.y = actor.ahead(1)
            actor.held = False


def test_a_simulator_keeps_the_actors_of_gosmp() -> None:
    start = {"actor_id": "ego", "position": {"x": 1.0, "y": 2.0, "yaw": math.pi / 2}}
    there = {"actor_id": "ego", "position": {"x": 1.0, "y": 4.0}, "speed": {"x": 3.0, "y": 4.0}}
    simulator = Rolling()
    hello, created, first, second, gone, states = answers(
        simulator,
        ("hello", {"api": simapi.API}),
        ("create_actor", {"actor_id": "ego", "state": start, "description": {"length": 5.0}}),
        ("step", {"requested_sim_time_ms": 20, "states": True, "set": [{"state": there}]}),
        ("step", {"requested_sim_time_ms": 40, "states": True}),
        ("destroy_actor", {"actor_id": "ego"}),
        ("get_actors_states", {}),
    )
    assert hello.name == "rolling"
    assert (created.description.length, created.description.width) == (5, 1.8)
    assert (first.state[0].position.x, first.state[0].position.y) == (1, 4)
    assert second.state[0].position.y == pytest.approx(5), "it looks where it goes"
    assert states.state == []


class Populated(Rolling):
    """Has its own vehicle, which it places by the front."""

    moves = ("set_actor_state", "set_external_controller")

    def init(self, request: simapi.Message) -> dict[str, Any]:
        return self.ready(request, fixed_step_ms=self.whole_step(request))

    def states(self) -> list[dict[str, Any]]:
        bus = self.actor("bus")
        bus.size, bus.yaw = {"length": 12.0, "width": 2.5, "height": 3.0}, math.pi
        bus.put_front(4.0, 1.0)
        assert bus.front() == pytest.approx((4, 1))
        return super().states()


def test_a_simulator_shows_actors_of_its_own() -> None:
    start = {"actor_id": "ego", "position": {"x": 1.0, "y": 2.0, "yaw": 0.0}}
    refused, ready, _, first, _, second = answers(
        Populated(),
        ("init", {"step_size_ms": 16.5}),
        ("init", {"step_size_ms": 20.0, "map_info": {"path": "a.xodr"}}),
        ("create_actor", {"actor_id": "ego", "state": start}),
        ("get_actors_states", {}),
        ("end_simulation", {}),
        ("get_actors_states", {}),
    )
    assert refused.code == simapi.CODE["INVALID"] and "rolling has whole" in refused.message
    assert ready.map_info.path == "a.xodr" and ready.simulation_step_size_ms == 20
    assert ready.capabilities.own_actors and ready.capabilities.fixed_step_ms == 20
    assert [simapi.METHOD[m] for m in Populated.moves] == ready.capabilities.method
    assert [s.actor_id for s in first.state] == ["ego", "bus"]
    assert first.state[0].description is None
    assert first.state[1].description.length == 12
    assert first.state[1].position.x == pytest.approx(10)
    assert [s.actor_id for s in second.state] == ["bus"], "the end forgets the actors of gosmp"


def test_what_a_simulator_cannot_do_is_refused() -> None:
    weather, failed = answers(
        Rolling(), ("set_weather", {}), ("destroy_actor", {"actor_id": "nobody"})
    )
    assert weather.code == simapi.CODE["NOT_SUPPORTED"]
    assert failed.code == simapi.CODE["INTERNAL"] and "KeyError" in failed.message


def served() -> str:
    """A simulator on a port, which answers one director."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        with listener:
            connection, _ = listener.accept()
        with connection, connection.makefile("rb") as source, connection.makefile("wb") as sink:
            simapi.child(Rolling(), source, sink)

    threading.Thread(target=answer, daemon=True).start()
    return "127.0.0.1:%d" % listener.getsockname()[1]


def test_a_client_directs_a_simulator() -> None:
    with simapi.Client(served()) as simulator:
        assert simulator.simulator == "rolling"
        state = {"actor_id": "ego", "position": {"x": 0.0, "y": 0.0, "yaw": 0.0}}
        simulator.call("create_actor", actor_id="ego", state=state)
        assert simulator.warnings == ["ego is there"]
        simulator.call("step", requested_sim_time_ms=20)
        reply = simulator.call("step", requested_sim_time_ms=40, states=True)
        assert reply.state[0].position.x == 1
        with pytest.raises(simapi.Error) as refused:
            simulator.call("set_time_of_day")
        assert refused.value.code == "NOT_SUPPORTED"


def test_a_client_directs_what_gosmp_serves(program: Path) -> None:
    """The clock, an actor and its place in the simulator of gosmp."""
    road = ROOT / "examples" / "maps" / "motorway.xodr"
    command = [program, "simulate", road, "--serve", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            line = next(line for line in server.stderr if "127.0.0.1:" in line)
            address = re.search(r"127\.0\.0\.1:\d+", line)
            assert address
            with simapi.Client(address[0], wait=30) as director:
                director.call("init", step_size_ms=20, map_info={"path": str(road)})
                director.call("launch_simulator")
                state = {"actor_id": "a", "position": {"x": 50.0, "y": -1.75, "yaw": 0.0}}
                car = {"actor_type": "car"}
                director.call("create_actor", actor_id="a", state=state, description=car)
                director.call("start_simulation")
                director.call("wait_start_simulation", max_wait_ms=10000)
                reply = director.call("step", requested_sim_time_ms=20, states=True)
                assert reply.sim_time_ms == 20
                assert reply.state[0].position.x == pytest.approx(50)
                with pytest.raises(simapi.Error):
                    director.call("destroy_actor", actor_id="nobody")
        finally:
            server.terminate()


def test_an_unknown_field_is_named_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match=r"ActorState has no field 'yaw'; .*position"):
        simapi.encode("ActorState", {"actor_id": "ego", "yaw": 0.0})
