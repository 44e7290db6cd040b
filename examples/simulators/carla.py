"""CARLA 0.9.16 as a simulator of gosmp: pip install gosmp carla, and a server that runs

    gosmp run town.xodr --simulator "exec:python3 carla.py localhost:2000" --drive ego=driver.fmu

The server gets the map of gosmp (generate_opendrive_world) and steps with it. Actors of gosmp are
moved there without physics; those with a controller are driven by CARLA's traffic manager. CARLA's
axes are left-handed: y and yaw have the other sign, and angles are in degrees. Vehicles that others
have spawned in CARLA are shown to gosmp.

The tests of gosmp (go test ./mocksim/foreign -run Carla) run this adapter with CARLA's Python
package, if it is installed, and a stand-in for the server. It has not been run with a server.
"""

import math
import sys
from pathlib import Path

import carla
from gosmp import simapi

BLUEPRINTS = {"car": "vehicle.tesla.model3", "van": "vehicle.mercedes.sprinter",
              "truck": "vehicle.carlamotors.carlacola", "bus": "vehicle.mitsubishi.fusorosa",
              "motorcycle": "vehicle.yamaha.yzf", "bicycle": "vehicle.diamondback.century",
              "pedestrian": "walker.pedestrian.0001"}


class Carla(simapi.Simulator):
    name, moves = "CARLA", ("set_actor_state", "set_external_controller")

    def init(self, request):
        host, _, port = (sys.argv[1:] or ["localhost:2000"])[0].partition(":")
        self.client = carla.Client(host, int(port or 2000))
        self.client.set_timeout(60)
        text = Path(request.map_info.path).read_text(encoding="utf-8")
        self.world = self.client.generate_opendrive_world(text)
        self.traffic = self.client.get_trafficmanager()
        self.traffic.set_random_device_seed(request.seed % 2**31)
        self.there = {}
        self.synchronous(True, request.step_size_ms / 1000)
        return self.ready(request, fixed_step_ms=request.step_size_ms)

    def synchronous(self, on, step=None):
        settings = self.world.get_settings()
        settings.synchronous_mode, settings.fixed_delta_seconds = on, step
        self.world.apply_settings(settings)
        self.traffic.set_synchronous_mode(on)

    def launch_simulator(self, _=None):
        super().launch_simulator()
        for one in self.there.values():
            one.destroy()
        self.there = {}

    terminate_simulator = launch_simulator

    def close(self):  # so that the server does not wait for steps
        if hasattr(self, "there"):
            self.launch_simulator()
            self.synchronous(False)

    def added(self, actor):
        blueprint = BLUEPRINTS.get(actor.kind, BLUEPRINTS["car"])
        place = carla.Location(actor.x, -actor.y, actor.z + 0.5)  # nothing may touch it there
        one = self.world.try_spawn_actor(
            self.world.get_blueprint_library().find(blueprint),
            carla.Transform(place, carla.Rotation(yaw=-math.degrees(actor.yaw))))
        if one is None:
            raise simapi.Error("INVALID", f"{actor.name} collides where it is to appear")
        one.set_simulate_physics(False)
        actor.size = self.size(one)
        self.there[actor.name] = one
        self.put(actor)

    def removed(self, actor):
        self.there.pop(actor.name).destroy()

    def set_actor_state(self, state):
        actor = self.actors[state.actor_id]
        if not actor.held:
            self.there[actor.name].set_autopilot(False)
            self.there[actor.name].set_simulate_physics(False)
        super().set_actor_state(state)

    def set_external_controller(self, request):
        one, actor = self.there[request.actor_id], self.actors[request.actor_id]
        if not hasattr(one, "set_autopilot"):
            raise simapi.Error("INVALID", f"{actor.name} is a pedestrian")
        one.set_simulate_physics(True)
        forward = one.get_transform().get_forward_vector()
        one.set_target_velocity(forward * actor.speed)
        one.set_autopilot(True, self.traffic.get_port())
        actor.held = False
        for p in request.parameters:
            if p.name in ("speed", "max_speed"):
                self.traffic.set_desired_speed(one, float(p.value) * 3.6)

    def put(self, actor):
        one = self.there[actor.name]
        turn = carla.Rotation(yaw=-math.degrees(actor.yaw))
        off = self.middle(one, carla.Transform(carla.Location(), turn))
        place = carla.Location(actor.x - off.x, -actor.y - off.y, actor.z)
        one.set_transform(carla.Transform(place, turn))

    def step(self, request):
        for actor in self.actors.values():
            if actor.held:
                self.put(actor)
        self.world.tick()

    def states(self):
        known = {one.id for one in self.there.values()}
        for name, actor in self.actors.items():
            if not actor.held:
                self.read(self.there[name], actor)
        for one in self.world.get_actors().filter("vehicle.*"):
            if one.id not in known:
                actor = self.actor(f"carla{one.id}")
                self.read(one, actor)
                actor.size = self.size(one)
        return super().states()

    def read(self, one, actor):
        transform = one.get_transform()
        at = self.middle(one, transform)
        actor.x, actor.y, actor.yaw = at.x, -at.y, -math.radians(transform.rotation.yaw)

    @staticmethod
    def middle(one, transform):  # of the box, which is not where the origin is
        at = one.bounding_box.location
        return transform.transform(carla.Location(at.x, at.y, 0))

    @staticmethod
    def size(one):
        half = one.bounding_box.extent
        return {"length": 2 * half.x, "width": 2 * half.y, "height": 2 * half.z}


simulator = Carla()
simapi.child(simulator)
simulator.close()
