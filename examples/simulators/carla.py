"""CARLA 0.9.16 as a simulator of gosmp: pip install gosmp carla, and a server that runs

    gosmp run town.xodr --simulator "exec:python3 carla.py localhost:2000" --drive ego=driver.fmu

The server gets the map of gosmp (generate_opendrive_world) and steps with it. Actors of gosmp are
moved there without physics; those with a controller drive by CARLA's traffic manager. CARLA's axes
are left-handed: y and yaw have the other sign, and angles are in degrees. What CARLA has spawned
itself is shown to gosmp. Not run in the tests of gosmp, which have no server.
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
        text = Path(request.map_info.path).read_text()
        self.world = self.client.generate_opendrive_world(text)
        settings = self.world.get_settings()
        settings.synchronous_mode = True
        settings.fixed_delta_seconds = request.step_size_ms / 1000
        self.world.apply_settings(settings)
        self.traffic = self.client.get_trafficmanager()
        self.traffic.set_synchronous_mode(True)
        self.traffic.set_random_device_seed(request.seed % 2**31)
        self.there = {}
        return self.ready(request, fixed_step_ms=request.step_size_ms)

    def launch_simulator(self, _=None):
        super().launch_simulator()
        for one in self.there.values():
            one.destroy()
        self.there = {}

    terminate_simulator = launch_simulator

    def pose(self, actor):
        place = carla.Location(actor.x, -actor.y, actor.z)
        return carla.Transform(place, carla.Rotation(yaw=-math.degrees(actor.yaw)))

    def added(self, actor):
        wanted = BLUEPRINTS.get(actor.kind, BLUEPRINTS["car"])
        blueprint = self.world.get_blueprint_library().find(wanted)
        transform = self.pose(actor)
        transform.location.z += 0.5  # where it spawns, nothing may touch it
        one = self.world.try_spawn_actor(blueprint, transform)
        if one is None:
            raise simapi.Error("INVALID", f"{actor.name} collides where it is to appear")
        one.set_simulate_physics(False)
        half = one.bounding_box.extent
        actor.size = {"length": 2 * half.x, "width": 2 * half.y, "height": 2 * half.z}
        self.there[actor.name] = one

    def removed(self, actor):
        self.there.pop(actor.name).destroy()

    def set_external_controller(self, request):
        one, actor = self.there[request.actor_id], self.actors[request.actor_id]
        one.set_simulate_physics(True)
        one.enable_constant_velocity(carla.Vector3D(actor.speed, 0, 0))
        one.disable_constant_velocity()
        one.set_autopilot(True, self.traffic.get_port())
        actor.held = False
        for p in request.parameters:
            if p.name in ("speed", "max_speed"):
                self.traffic.set_desired_speed(one, float(p.value) * 3.6)

    def step(self, request):
        for name, actor in self.actors.items():
            if actor.held:
                one = self.there[name]
                one.set_autopilot(False)
                one.set_simulate_physics(False)
                one.set_transform(self.pose(actor))
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
                half = one.bounding_box.extent
                actor.size = {"length": 2 * half.x, "width": 2 * half.y, "height": 2 * half.z}
        return super().states()

    @staticmethod
    def read(one, actor):
        t = one.get_transform()
        actor.x, actor.y, actor.yaw = t.location.x, -t.location.y, -math.radians(t.rotation.yaw)


simapi.child(Carla())
