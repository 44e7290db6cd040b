"""SUMO as a simulator of gosmp: pip install gosmp eclipse-sumo libsumo

    gosmp run town.xodr --simulator "exec:python3 sumo.py" --drive ego=driver.fmu
    gosmp run town.xodr --actors 0 --simulator "exec:python3 sumo.py -r flows.rou.xml"

Arguments are options of SUMO, such as flows, whose vehicles appear in gosmp. SUMO drives what has
a controller; all else is where gosmp puts it. Its positions are those of front bumpers.
"""

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import libsumo as sumo

from gosmp import simapi

SETTERS = {"time_gap": "Tau", "min_gap": "MinGap", "accel": "Accel", "decel": "Decel",
           "speed": "MaxSpeed", "max_speed": "MaxSpeed"}


class Sumo(simapi.Simulator):
    name = "SUMO"

    def init(self, request):
        step, net = request.step_size_ms, str(Path(tempfile.mkdtemp()) / "net.xml")
        if step != round(step):
            raise simapi.Error("INVALID", f"a step of {step} ms; SUMO has whole milliseconds")
        where = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        subprocess.run([shutil.which("netconvert", path=where), "-W", "-o", net, "--opendrive-files",
                        request.map_info.path], check=True, stdout=subprocess.DEVNULL)
        found = re.search(r'netOffset="([^,]+),([^"]+)"', Path(net).read_text()).groups()
        self.dx, self.dy = float(found[0]), float(found[1])
        self.options = ["sumo", "-n", net, "--step-length", str(step / 1000), "--no-step-log", "-W",
                        "--collision.action", "none", "--collision.mingap-factor", "0",
                        "--time-to-teleport", "-1", "--lanechange.duration", "3",
                        "--seed", str(request.seed % 2**31), *sys.argv[1:]]
        self.launch_simulator()
        methods = [simapi.METHOD[m] for m in ("set_actor_state", "set_external_controller")]
        return {"simulation_step_size_ms": step, "map_info": request.map_info, "capabilities": {
            "method": methods, "own_actors": True, "fixed_step_ms": step}}

    def launch_simulator(self, _=None):
        super().launch_simulator()
        sumo.close() if sumo.isLoaded() else None
        sumo.start(self.options)
        self.waiting = {}

    end_simulation = launch_simulator

    def added(self, actor):
        sumo.vehicletype.copy("DEFAULT_VEHTYPE", kind := "type of " + actor.name)
        for name, value in actor.size.items():
            getattr(sumo.vehicletype, "set" + name.title())(kind, value)
        edges = [e for e in sumo.edge.getIDList() if e[0] != ":"]
        edge = sumo.simulation.convertRoad(*self.front(actor))[0]
        sumo.vehicle.add(actor.name, "", typeID=kind)
        sumo.vehicle.setRoute(actor.name, [edge if edge in edges else edges[0]])

    def removed(self, actor):
        sumo.vehicle.remove(actor.name)

    def front(self, actor):
        x, y = actor.ahead(actor.size["length"] / 2)
        return x + self.dx, y + self.dy

    def set_external_controller(self, request):
        name, actor = request.actor_id, self.actors[request.actor_id]
        if actor.held:
            edge, place, lane = sumo.simulation.convertRoad(*self.front(actor))
            away = math.dist(sumo.simulation.convert2D(edge, place, lane), self.front(actor))
            if edge[0] == ":" or away > 3:
                raise simapi.Error("INVALID", f"{name} is on no lane of SUMO")
            if name not in sumo.vehicle.getIDList():  # it enters SUMO in the first step
                self.waiting[name] = request
                return
            sumo.vehicle.setRoute(name, [edge])
            sumo.vehicle.setPreviousSpeed(name, actor.speed)
            actor.held = False
        for p in request.parameters:
            getattr(sumo.vehicle, "set" + SETTERS[p.name])(name, float(p.value))
            sumo.vehicle.setSpeedFactor(name, 10) if p.name == "speed" else None
        if t := request.target:
            edge = sumo.simulation.convertRoad(t.x + self.dx, t.y + self.dy)[0]
            sumo.vehicle.changeTarget(name, edge)

    def step(self, request):
        waiting, self.waiting = self.waiting, {}
        for name, actor in self.actors.items():
            if name in waiting:
                actor.x, actor.y = actor.ahead(actor.speed * sumo.simulation.getDeltaT())
            if actor.held:  # what is not moved in a step vanishes
                sumo.vehicle.moveToXY(name, "", -1, *self.front(actor),
                                      90 - math.degrees(actor.yaw), 1 if name in waiting else 2)
            else:
                self.go_on(name)
        sumo.simulationStep(request.requested_sim_time_ms / 1000)
        for one in waiting.values():
            self.set_external_controller(one)

    def go_on(self, name):  # a route that has no destination goes on at its end
        edge, lane = sumo.vehicle.getRoadID(name), sumo.vehicle.getLaneID(name)
        if edge and edge[0] != ":" and edge == sumo.vehicle.getRoute(name)[-1]:
            if links := sumo.lane.getLinks(lane):
                sumo.vehicle.setRoute(name, [edge, links[0][0].rpartition("_")[0]])
            elif sumo.vehicle.getLanePosition(name) + 50 > sumo.lane.getLength(lane):
                sumo.vehicle.setSpeed(name, 0)

    def states(self):
        there, own = sumo.vehicle.getIDList(), []
        for name in there:
            actor = self.actors.get(name) or simapi.Actor(name, None)
            if not actor.held:
                (x, y), angle = sumo.vehicle.getPosition(name), sumo.vehicle.getAngle(name)
                actor.x, actor.y, actor.yaw = x - self.dx, y - self.dy, math.radians(90 - angle)
                actor.x, actor.y = actor.ahead(-sumo.vehicle.getLength(name) / 2)
            if name not in self.actors:
                size = {"length": sumo.vehicle.getLength(name), "height": sumo.vehicle.getHeight(name),
                        "width": sumo.vehicle.getWidth(name)}
                own.append({**actor.state(), "description": {"actor_type": "car", **size}})
        return super().states() + own


simapi.child(Sumo())
