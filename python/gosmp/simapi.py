"""The simulator support API in Python: simulators as children of gosmp, and directors over TCP.

A simulator is a class with a method for each call that it supports. gosmp starts it as a child and
does the rest (order of calls, checks, steps, missing velocities, heights, trajectories):

    import gosmp.simapi as simapi

    class Mine:
        name = "mine 1.0"
        def init(self, request): ...                 # request.map_info.path, request.step_size_ms
        def create_actor(self, request): ...         # request.actor_id, request.state.position.x
        def destroy_actor(self, request): ...
        def set_actor_state(self, state): ...        # where an actor is at the end of the next step
        def step(self, request): ...                 # to request.requested_sim_time_ms
        def states(self): return [{"actor_id": "ego", "position": {"x": 1.0, "y": 2.0}}]

    simapi.child(Mine())

    gosmp run town.xodr --simulator "exec:python3 mine.py"
    gosmp sim check "exec:python3 mine.py"

The other calls are launch_simulator, terminate_simulator, start_simulation, end_simulation,
set_actor_params, set_weather, set_time_of_day, sim_command, set_xy_trajectory, set_dynamic_move,
set_external_controller and get_ground_truth. Each gets its request and returns its reply, as a
dict or None; step returns events. Calls without a method are not supported; gosmp
does their work if it can. `raise simapi.Error("INVALID", "...")` refuses a call. Texts in a list `notes` of
the simulator are handed over with the next reply. states returns all actors; those that the
simulator created itself have a "description".

Simulator is a base class for simulators that show where gosmp puts actors: it keeps their poses and sizes.

A director:

    with simapi.Client("127.0.0.1:7788") as simulator:
        simulator.call("init", step_size_ms=20, map_info={"path": "/maps/town.xodr"})
        ...
        reply = simulator.call("step", requested_sim_time_ms=20, states=True)

Messages are those of simapi.proto. Arguments are dicts. In results, fields are
attributes; missing fields are None, an empty list, or 0.
"""

from __future__ import annotations

import math
import os
import socket
import ssl
import sys
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO

from ._simapi_schema import CALLS, CODE, METHOD, ROLE
from ._simapi_wire import Message, decode, encode, receive, send

__all__ = ["API", "Actor", "Client", "Error", "Message", "Simulator", "child", "decode", "encode"]

API = "gosmp.simapi/1"
_NAMES = {number: name for name, number in METHOD.items()}
_WORDS = {number: name for name, number in CODE.items()}


class Error(Exception):
    """A refused call: code is a name such as "INVALID"."""

    def __init__(self, code: str, text: str = "") -> None:
        super().__init__(text or code.lower().replace("_", " "))
        self.code = code


def _step(simulator: Any, request: Message) -> dict[str, Any]:
    for one in request.set:
        simulator.set_actor_state(one.state)
    events = simulator.step(request)
    reply = {"sim_time_ms": request.requested_sim_time_ms, "steps": 1, "events": events or []}
    if request.states:
        reply["state"] = simulator.states()
    return reply


def _handler(simulator: Any, name: str) -> Callable[[Message], Any] | None:
    if name == "hello":
        return lambda _: {"api": API, "name": getattr(simulator, "name", type(simulator).__name__)}
    if name == "get_actors_states":
        return lambda _: {"state": simulator.states()}
    if name == "step":
        return lambda request: _step(simulator, request)
    if name == "set_actor_state":
        return lambda request: simulator.set_actor_state(request.state)
    method: Callable[[Message], Any] | None = getattr(simulator, name, None)
    return method


class Actor:
    """An actor created by gosmp: the centre of its box on the ground, and its size."""

    def __init__(self, name: str, description: Message | None) -> None:
        self.name, self.kind = name, (description and description.actor_type) or "car"
        self.size: dict[str, float] = {
            field: getattr(description, field, None) or usual
            for field, usual in (("length", 4.5), ("width", 1.8), ("height", 1.5))
        }
        self.x = self.y = self.z = self.yaw = self.speed = 0.0
        self.held = False  #: gosmp has requested its pose at the end of the next step
        self.placed = False

    def put(self, state: Message) -> None:
        """Take the requested pose. Without a yaw, the actor faces its direction of travel."""
        p, v = state.position, state.speed
        if p.yaw is not None:
            self.yaw = p.yaw
        elif self.placed and (p.x, p.y) != (self.x, self.y):
            self.yaw = math.atan2(p.y - self.y, p.x - self.x)
        self.x, self.y, self.z = p.x, p.y, p.z or 0.0
        self.speed = math.hypot(v.x, v.y) if v else 0.0
        self.held = self.placed = True

    def ahead(self, way: float) -> tuple[float, float]:
        """A point ahead of its center, such as its bumper."""
        return self.x + way * math.cos(self.yaw), self.y + way * math.sin(self.yaw)

    def front(self) -> tuple[float, float]:
        """The center of its front."""
        return self.ahead(self.size["length"] / 2)

    def put_front(self, x: float, y: float) -> None:
        """Place it by the center of its front, and keep its size and yaw."""
        self.x, self.y = x, y
        self.x, self.y = self.ahead(-self.size["length"] / 2)

    def state(self) -> dict[str, Any]:
        """Its state, in the format of states()."""
        position = {"x": self.x, "y": self.y, "yaw": self.yaw}
        return {"actor_id": self.name, "position": position}


class Simulator:
    """A base class for simulators: it keeps the actors of gosmp by name, and what gosmp requests for
    them. Override added and removed, and step to show actors that are held and to move others.

    moves are the calls by which gosmp may move an actor, such as "set_actor_state".
    """

    moves: tuple[str, ...] = ("set_actor_state",)

    def __init__(self) -> None:
        self.actors: dict[str, Actor] = {}
        self._own: dict[str, Actor] = {}
        self.notes: list[str] = []

    def ready(self, request: Message, **more: Any) -> dict[str, Any]:
        """The reply of init: the map and step of the request, moves, and more capabilities."""
        capabilities = {"method": [METHOD[m] for m in self.moves], "own_actors": True, **more}
        return {
            "simulation_step_size_ms": request.step_size_ms,
            "map_info": request.map_info,
            "capabilities": capabilities,
        }

    def whole_step(self, request: Message) -> int:
        """The step of init in ms, which must be a whole number."""
        step: float = request.step_size_ms
        if step != round(step):
            text = f"a step of {step} ms; {getattr(self, 'name', 'it')} has whole milliseconds"
            raise Error("INVALID", text)
        return round(step)

    def actor(self, name: str) -> Actor:
        """The actor with that name, created by gosmp or else by the simulator itself. Call this for
        each of the simulator's own actors before states(), and set its position."""
        if name in self.actors:
            return self.actors[name]
        self._own[name] = Actor(name, None)
        return self._own[name]

    def added(self, actor: Actor) -> None:
        """An actor was created, at its initial position."""

    def removed(self, actor: Actor) -> None:
        """An actor was destroyed."""

    def launch_simulator(self, _: Message | None = None) -> None:
        """Start anew, without actors."""
        self.actors.clear()

    def end_simulation(self, _: Message | None = None) -> None:
        """Be ready for the next start."""
        self.launch_simulator()

    def create_actor(self, request: Message) -> dict[str, Any]:
        actor = Actor(request.actor_id, request.description)
        actor.put(request.state)
        self.added(actor)
        self.actors[actor.name] = actor
        return {"description": {**(request.description or {}), **actor.size}}

    def destroy_actor(self, request: Message) -> None:
        self.removed(self.actors.pop(request.actor_id))

    def set_actor_state(self, state: Message) -> None:
        self.actors[state.actor_id].put(state)

    def states(self) -> list[dict[str, Any]]:
        own, self._own = self._own.values(), {}
        described = [
            {**actor.state(), "description": {"actor_type": actor.kind, **actor.size}}
            for actor in own
        ]
        return [actor.state() for actor in self.actors.values()] + described


def child(simulator: Any, source: BinaryIO | None = None, sink: BinaryIO | None = None) -> None:
    """Answer calls until the input ends: by default on standard input and output.

    Meanwhile, output of the simulator and its libraries goes to standard error.
    """
    calls: BinaryIO = sys.stdin.buffer if source is None else source
    if sink is None:
        sink = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        sys.stdout = sys.stderr
    while (frame := receive(calls)) is not None:
        name = _NAMES.get(frame.method, "")
        status: dict[str, Any] = {}
        body = b""
        try:
            handler = _handler(simulator, name) if name in CALLS else None
            if handler is None:
                raise Error("NOT_SUPPORTED", f"{name or frame.method}: not supported")
            request, reply = CALLS[name]
            body = encode(reply, handler(decode(request, frame.body)) or {})
        except Error as refused:
            status = {"code": CODE[refused.code], "message": f"{name}: {refused}"}
        except Exception as failed:  # an error of the simulator, which gosmp reports
            traceback.print_exc(file=sys.stderr)
            text = f"{name}: {type(failed).__name__}: {failed}"
            status = {"code": CODE["INTERNAL"], "message": text}
        notes = getattr(simulator, "notes", None)
        if notes:
            status["info"] = list(notes)
            notes.clear()
        send(sink, id=frame.id, method=frame.method, body=body, status=status)


class Client:
    """A director of a simulator at HOST:PORT or TOKEN@HOST:PORT, with the prefix "tls:" for TLS.

    SSL_CERT_FILE names additional certificates to trust.
    """

    def __init__(
        self, address: str, name: str = "director", role: str = "SSP", wait: float = 15
    ) -> None:
        secure = address.startswith("tls:")
        token, _, place = address.removeprefix("tls:").rpartition("@")
        host, _, port = place.rpartition(":")
        host = host.strip("[]")
        self._socket = socket.create_connection((host, int(port)), timeout=wait)
        if secure:
            context = ssl.create_default_context()
            self._socket = context.wrap_socket(self._socket, server_hostname=host)
        self._wait, self._id = wait, 0
        self._source = self._socket.makefile("rb")
        self._sink = self._socket.makefile("wb")
        self.warnings: list[str] = []  #: the simulator's warnings about the last call
        hello = self.call("hello", api=API, name=name, role=ROLE[role], token=token)
        self.simulator: str = hello.name  #: its name and version

    def call(self, method: str, **fields: Any) -> Message:
        """Make a call such as "create_actor". Raises Error when it is refused."""
        request, reply = CALLS[method]
        self._id += 1
        self._socket.settimeout(self._wait + fields.get("max_wait_ms", 0) / 1000)
        send(self._sink, id=self._id, method=METHOD[method], body=encode(request, fields))
        frame = receive(self._source)
        if frame is None:
            raise Error("PARTY_LOST", f"{method}: the simulator has closed the connection")
        status = frame.status or Message("Status")
        self.warnings = status.info
        if status.code:
            raise Error(_WORDS.get(status.code, "INTERNAL"), status.message)
        return decode(reply, frame.body)

    def close(self) -> None:
        """End the connection."""
        self._source.close()
        self._sink.close()
        self._socket.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
