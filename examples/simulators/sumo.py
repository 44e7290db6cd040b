"""SUMO as a simulator of gosmp: pip install gosmp eclipse-sumo libsumo

    gosmp run town.xodr --simulator "exec:python3 sumo.py" --drive ego=driver.fmu
    gosmp run town.xodr --actors 0 --simulator "exec:python3 sumo.py -r flows.rou.xml"

Arguments are options of SUMO, such as flows, whose vehicles appear in gosmp. SUMO drives what has
a controller; all else is where gosmp puts it.
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


class Sumo:
    name = "SUMO"

    def init(self, request):
        step, net = request.step_size_ms, str(Path(tempfile.mkdtemp()) / "net.xml")
        if step != round(step):
            raise simapi.Error("INVALID", f"a step of {step} ms; SUMO has whole milliseconds")
        where = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        convert = [shutil.which("netconvert", path=where), "-W", "-o", net]
        subprocess.run([*convert, "--opendrive-files", request.map_info.path], check=True,
                       stdout=subprocess.DEVNULL)
        x, y = re.search(r'netOffset="([^,]+),([^"]+)"', Path(net).read_text()).groups()
        self.offset, self.notes = (float(x), float(y)), []
        self.options = ["sumo", "-n", net, "--step-length", str(step / 1000), "--no-step-log", "-W",
                        "--collision.action", "none", "--collision.mingap-factor", "0",
                        "--time-to-teleport", "-1", "--lanechange.duration", "3",
                        "--seed", str(request.seed % 2**31), *sys.argv[1:]]
        self.launch_simulator()
        methods = [simapi.METHOD[m] for m in ("set_actor_state", "set_external_controller")]
        return {"simulation_step_size_ms": step, "map_info": request.map_info, "capabilities": {
            "method": methods, "own_actors": True, "fixed_step_ms": step}}

    def launch_simulator(self, _=None):
        if sumo.isLoaded():
            sumo.close()
        sumo.start(self.options)
        self.held, self.pose, self.speed, self.size, self.waiting = set(), {}, {}, {}, []

    end_simulation = launch_simulator

    def create_actor(self, request):
        actor, d = request.actor_id, request.description or simapi.Message("ActorDescription")
        size = {"length": d.length or 4.5, "width": d.width or 1.8, "height": d.height or 1.5}
        sumo.vehicletype.copy("DEFAULT_VEHTYPE", "type of " + actor)
        for name, value in size.items():
            getattr(sumo.vehicletype, "set" + name.title())("type of " + actor, value)
        self.size[actor] = size["length"]
        self.set_actor_state(request.state, actor)
        edges = [e for e in sumo.edge.getIDList() if e[0] != ":"]
        edge = sumo.simulation.convertRoad(*self.front(actor))[0]
        sumo.vehicle.add(actor, "", typeID="type of " + actor)
        sumo.vehicle.setRoute(actor, [edge if edge in edges else edges[0]])
        return {"description": {**d, **size}}

    def destroy_actor(self, request):
        self.held.discard(request.actor_id)
        del self.size[request.actor_id]
        sumo.vehicle.remove(request.actor_id)

    def set_actor_state(self, state, actor=None):
        p, v, actor = state.position, state.speed, actor or state.actor_id
        x, y, yaw = self.pose.get(actor, (p.x, p.y, 0))
        turned = math.atan2(p.y - y, p.x - x) if (p.x, p.y) != (x, y) else yaw
        self.pose[actor] = p.x, p.y, turned if p.yaw is None else p.yaw
        self.speed[actor] = math.hypot(v.x, v.y) if v else 0
        self.held.add(actor)

    def front(self, actor):  # of the bumper, to which SUMO's positions belong
        x, y, yaw = self.pose[actor]
        half = self.size[actor] / 2
        return x + half * math.cos(yaw) + self.offset[0], y + half * math.sin(yaw) + self.offset[1]

    def set_external_controller(self, request):
        actor = request.actor_id
        if actor in self.held:
            edge, place, lane = sumo.simulation.convertRoad(*self.front(actor))
            at = sumo.simulation.convert2D(edge, place, lane)
            if edge[0] == ":" or math.dist(at, self.front(actor)) > 3:
                raise simapi.Error("INVALID", f"{actor} is on no lane of SUMO")
            if actor not in sumo.vehicle.getIDList():  # it enters SUMO in the first step
                return self.waiting.append(request)
            sumo.vehicle.setRoute(actor, [edge])
            sumo.vehicle.setPreviousSpeed(actor, self.speed[actor])
            self.held.remove(actor)
        for p in request.parameters:
            getattr(sumo.vehicle, "set" + SETTERS[p.name])(actor, float(p.value))
            if p.name == "speed":
                sumo.vehicle.setSpeedFactor(actor, 10)
        if t := request.target:
            x, y = t.x + self.offset[0], t.y + self.offset[1]
            sumo.vehicle.changeTarget(actor, sumo.simulation.convertRoad(x, y)[0])

    def step(self, request):
        waiting, self.waiting = self.waiting, []
        for actor, (x, y, yaw) in ((one.actor_id, self.pose[one.actor_id]) for one in waiting):
            way = self.speed[actor] * sumo.simulation.getDeltaT()
            self.pose[actor] = x + way * math.cos(yaw), y + way * math.sin(yaw), yaw
        for actor in self.size:
            if actor not in self.held:
                self.go_on(actor)
            else:  # what is not moved in a step vanishes
                angle = 90 - math.degrees(self.pose[actor][2])
                keep = 1 if actor in (one.actor_id for one in waiting) else 2
                sumo.vehicle.moveToXY(actor, "", -1, *self.front(actor), angle, keep)
        sumo.simulationStep(request.requested_sim_time_ms / 1000)
        for one in waiting:
            self.set_external_controller(one)

    def go_on(self, actor):  # a route that has no destination goes on at its end
        edge = sumo.vehicle.getRoadID(actor)
        if edge and edge[0] != ":" and edge == sumo.vehicle.getRoute(actor)[-1]:
            lane = sumo.vehicle.getLaneID(actor)
            if links := sumo.lane.getLinks(lane):
                sumo.vehicle.setRoute(actor, [edge, links[0][0].rpartition("_")[0]])
            elif sumo.vehicle.getLanePosition(actor) + 50 > sumo.lane.getLength(lane):
                sumo.vehicle.setSpeed(actor, 0)

    def states(self):
        there, states = sumo.vehicle.getIDList(), []
        for actor in [*self.size, *(v for v in there if v not in self.size)]:
            if actor in there and actor not in self.held:
                x, y = sumo.vehicle.getPosition(actor)
                yaw = math.radians(90 - sumo.vehicle.getAngle(actor))
                half = sumo.vehicle.getLength(actor) / 2
                self.pose[actor] = (x - self.offset[0] - half * math.cos(yaw),
                                    y - self.offset[1] - half * math.sin(yaw), yaw)
            state = {"actor_id": actor, "position": dict(zip(("x", "y", "yaw"), self.pose[actor]))}
            if actor not in self.size:
                state["description"] = {
                    "actor_type": "car", "length": sumo.vehicle.getLength(actor),
                    "width": sumo.vehicle.getWidth(actor), "height": sumo.vehicle.getHeight(actor)}
            states.append(state)
        return states


simapi.child(Sumo())
