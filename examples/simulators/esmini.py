"""esmini 3.6 as a simulator of gosmp, by libesmini: pip install gosmp

    export LIBESMINI=/opt/esmini/bin/libesminiLib.so
    gosmp run town.xodr --simulator "exec:python3 esmini.py" --drive ego=driver.fmu
    gosmp run town.xodr --actors 0 --simulator "exec:python3 esmini.py cut-in.xosc"

Without a scenario esmini has the map of gosmp alone, and shows actors where gosmp puts them; the
objects of a scenario, which has to be on the same map, appear in gosmp. esmini's reference point is
the middle of the rear axle on the ground: centerOffset of an object leads to the middle of its box.
Run with esmini 3.6.0: go test ./mocksim/foreign -run Esmini, with LIBESMINI.
"""

import ctypes
import math
import os
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

from gosmp import simapi

MAP_ALONE = """<OpenSCENARIO><FileHeader revMajor="1" revMinor="1" date="2026-01-01T00:00:00"
description="" author=""/><CatalogLocations/><RoadNetwork><LogicFile filepath=%s/></RoadNetwork>
<Entities/><Storyboard><Init><Actions/></Init><StopTrigger/></Storyboard></OpenSCENARIO>"""


class State(ctypes.Structure):  # SE_ScenarioObjectState of esminiLib.hpp, version 3.6
    _fields_ = [("id", ctypes.c_int), ("model_id", ctypes.c_int), ("ctrl_type", ctypes.c_int),
                *((name, ctypes.c_double) for name in ("timestamp", "x", "y", "z", "h", "p", "r")),
                ("roadId", ctypes.c_uint), ("junctionId", ctypes.c_uint), ("t", ctypes.c_double),
                ("laneId", ctypes.c_int), ("laneOffset", ctypes.c_double), ("s", ctypes.c_double),
                ("speed", ctypes.c_double), *((f"centerOffset{a}", ctypes.c_double) for a in "XYZ"),
                *((name, ctypes.c_double) for name in ("width", "length", "height")),
                ("objectType", ctypes.c_int), ("objectCategory", ctypes.c_int),
                ("wheel_angle", ctypes.c_double), ("wheel_rot", ctypes.c_double),
                ("visibilityMask", ctypes.c_int)]


class Box(ctypes.Structure):  # SE_OSCBoundingBox: center, then dimensions
    _fields_ = [(name, ctypes.c_double) for name in ("x", "y", "z", "width", "length", "height")]


class Esmini(simapi.Simulator):
    name = "esmini"

    def init(self, request):
        self.lib = ctypes.CDLL(os.environ.get("LIBESMINI", "libesminiLib.so"))
        self.scenario = (sys.argv[1:] or [""])[0]
        if not self.scenario:
            file = Path(tempfile.mkdtemp()) / "map.xosc"
            file.write_text(MAP_ALONE % quoteattr(str(Path(request.map_info.path).resolve())))
            self.scenario = str(file)
        self.seed, self.numbers = request.seed % 2**31, None
        self.launch_simulator()
        return self.ready(request)

    def launch_simulator(self, _=None):
        super().launch_simulator()
        if self.numbers is not None:
            self.lib.SE_Close()
        self.numbers, self.now = {}, 0.0
        words = ["esmini", "--osc", self.scenario, "--headless", "--seed", str(self.seed)]
        argv = (ctypes.c_char_p * len(words))(*(w.encode() for w in words))
        if self.lib.SE_InitWithArgs(len(words), argv) != 0:
            raise simapi.Error("INVALID", f"esmini refuses {self.scenario}; see its log")

    def added(self, actor):
        size = actor.size  # the box begins where gosmp has its origin: in the middle
        box = Box(0, 0, size["height"] / 2, size["width"], size["length"], size["height"])
        add = self.lib.SE_AddObjectWithBoundingBox  # a vehicle without a picture
        number = add(actor.name.encode(), 1, 0, 0, -1, None, box, 0)
        if number < 0:
            raise simapi.Error("INVALID", f"esmini does not add {actor.name}")
        self.numbers[actor.name] = number
        self.report(actor)

    def removed(self, actor):
        self.lib.SE_DeleteObject(self.numbers.pop(actor.name))

    def report(self, actor):
        number, f = self.numbers[actor.name], ctypes.c_double
        self.lib.SE_ReportObjectPosXYH(number, f(self.now), f(actor.x), f(actor.y), f(actor.yaw))
        self.lib.SE_ReportObjectSpeed(number, f(actor.speed))

    def step(self, request):  # what was reported holds at the end of the step
        end = request.requested_sim_time_ms / 1000
        step, self.now = end - self.now, end
        for actor in self.actors.values():
            self.report(actor)
        self.lib.SE_StepDT(ctypes.c_double(step))

    def states(self):
        known, state = set(self.numbers.values()), State()
        for k in range(self.lib.SE_GetNumberOfObjects()):
            number = self.lib.SE_GetId(k)
            if number in known or self.lib.SE_GetObjectState(number, ctypes.byref(state)):
                continue
            actor = self.actor(f"esmini{number}")
            actor.x, actor.y, actor.z, actor.yaw = state.x, state.y, state.z, state.h
            actor.x, actor.y = actor.ahead(state.centerOffsetX)
            actor.yaw = math.remainder(actor.yaw, 2 * math.pi)
            actor.size = {s: getattr(state, s) for s in actor.size}
        return super().states()


simapi.child(Esmini())
