"""SUMO as a simulator of gosmp: pip install gosmp eclipse-sumo libsumo

    gosmp run town.xodr --simulator "exec:python3 sumo.py" --drive ego=driver.fmu
    gosmp run town.xodr --actors 0 --simulator "exec:python3 sumo.py -r flows.rou.xml"

Arguments are options of SUMO, such as flows, whose vehicles appear in gosmp. SUMO drives actors that
have a controller; gosmp places all others. SUMO's positions are the positions of front bumpers."""
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import libsumo as sumo
from gosmp import simapi

CONVERT = [Path(sys.executable).with_name("netconvert"), "-W", "--offset.disable-normalization"]
OPTIONS = ["sumo", "--no-step-log", "-W", "--collision.action", "none", "--time-to-teleport", "-1",
           "--collision.mingap-factor", "0", "--lanechange.duration", "3", *sys.argv[1:]]


class Sumo(simapi.Simulator):
    name, moves = "SUMO", ("set_actor_state", "set_external_controller")

    def init(self, request):
        step, net = self.whole_step(request), tempfile.mkdtemp() + "/net.xml"
        subprocess.check_output([*CONVERT, "--opendrive", request.map_info.path, "-o", net])
        self.options = [*OPTIONS, "-n", net, "--step-length", str(step / 1000),
                        "--seed", str(request.seed % 2**31)]
        self.launch_simulator()
        return self.ready(request, fixed_step_ms=step)

    def launch_simulator(self, _=None):
        super().launch_simulator()
        sumo.close() if sumo.isLoaded() else None
        sumo.start(self.options)
        self.waiting = {}

    def added(self, actor):
        near = sumo.simulation.convertRoad(*actor.front())[0]
        edges = [e for e in (near, *sumo.edge.getIDList()) if e[0] != ":"]
        sumo.vehicle.add(actor.name, "")
        sumo.vehicle.setRoute(actor.name, edges[:1])
        for name, value in actor.size.items():
            getattr(sumo.vehicle, "set" + name.title())(actor.name, value)

    def removed(self, actor):
        sumo.vehicle.remove(actor.name)

    def set_external_controller(self, request):
        name, actor = request.actor_id, self.actors[request.actor_id]
        if actor.held:
            edge, *at = sumo.simulation.convertRoad(*actor.front())
            if edge[0] == ":" or math.dist(sumo.simulation.convert2D(edge, *at), actor.front()) > 3:
                raise simapi.Error("INVALID", f"{name} is on no lane of SUMO")
            if name not in sumo.vehicle.getIDList():  # it enters SUMO in the first step
                self.waiting[name] = request
                return
            sumo.vehicle.setRoute(name, [edge])
            sumo.vehicle.setPreviousSpeed(name, actor.speed)
            actor.held = False
        for p in request.parameters:
            known = {"time_gap": "tau", "speed": "max_speed"}.get(p.name, p.name).title()
            getattr(sumo.vehicle, "set" + known.replace("_", ""))(name, float(p.value))
            sumo.vehicle.setSpeedFactor(name, 10) if p.name == "speed" else None
        if t := request.target:
            sumo.vehicle.changeTarget(name, sumo.simulation.convertRoad(t.x, t.y)[0])

    def step(self, request):
        waiting, self.waiting = self.waiting, {}
        for name, actor in self.actors.items():
            if name in waiting:
                actor.x, actor.y = actor.ahead(actor.speed * sumo.simulation.getDeltaT())
            if actor.held:  # what is not moved in a step vanishes
                sumo.vehicle.moveToXY(name, "", -1, *actor.front(), 90 - math.degrees(actor.yaw),
                                      1 if name in waiting else 2)
            else:
                self.go_on(name)
        sumo.simulationStep(request.requested_sim_time_ms / 1000)
        for one in waiting.values():
            self.set_external_controller(one)

    def go_on(self, name):  # a route that has no destination goes on at its end
        edge, lane = sumo.vehicle.getRoadID(name), sumo.vehicle.getLaneID(name)
        if edge == sumo.vehicle.getRoute(name)[-1]:
            if links := sumo.lane.getLinks(lane):
                sumo.vehicle.setRoute(name, [edge, links[0][0].rpartition("_")[0]])
            elif sumo.vehicle.getLanePosition(name) + 50 > sumo.lane.getLength(lane):
                sumo.vehicle.setSpeed(name, 0)

    def states(self):
        for name in sumo.vehicle.getIDList():
            if not (actor := self.actor(name)).held:
                size = {s: getattr(sumo.vehicle, "get" + s.title())(name) for s in actor.size}
                actor.size, actor.yaw = size, math.radians(90 - sumo.vehicle.getAngle(name))
                actor.put_front(*sumo.vehicle.getPosition(name))
        return super().states()


simapi.child(Sumo())
