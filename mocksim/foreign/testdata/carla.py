"""Runs an adapter for CARLA without a server: python3 testdata/carla.py adapter.py HOST:PORT

If CARLA's Python package is there, its classes of geometry are used, and each class and method of
this stand-in must exist in it. Otherwise this file has the classes, too. The server is one world
without physics. Like CARLA's, it shows in the next tick what was set, and has one client. A vehicle
of somebody else, at (-30, 1.75), drives at 5 m/s.
"""

import math
import runpy
import sys
import types

STRANGER = (-30.0, 1.75, 180.0, 5.0)  # x, y, yaw in degrees, speed


class Vector3D:
    def __init__(self, x=0.0, y=0.0, z=0.0):
        self.x, self.y, self.z = float(x), float(y), float(z)

    def __mul__(self, factor):
        return Vector3D(self.x * factor, self.y * factor, self.z * factor)


class Location(Vector3D):
    pass


class Rotation:
    def __init__(self, pitch=0.0, yaw=0.0, roll=0.0):
        self.pitch, self.yaw, self.roll = float(pitch), float(yaw), float(roll)


class Transform:
    def __init__(self, location=None, rotation=None):
        self.location, self.rotation = location or Location(), rotation or Rotation()

    def transform(self, at):
        c, s = math.cos(math.radians(self.rotation.yaw)), math.sin(math.radians(self.rotation.yaw))
        at.x, at.y, at.z = (self.location.x + c * at.x - s * at.y,
                            self.location.y + s * at.x + c * at.y, self.location.z + at.z)
        return at

    def get_forward_vector(self):
        yaw = math.radians(self.rotation.yaw)
        return Vector3D(math.cos(yaw), math.sin(yaw))


class BoundingBox:
    def __init__(self, location, extent):
        self.location, self.extent = location, extent


class WorldSettings:
    synchronous_mode, fixed_delta_seconds = False, None


class Walker:
    def __init__(self, world, number, kind, transform):
        self.id, self.type_id, self._world = number, kind, world
        half = carla.Vector3D(2.4, 1.08, 0.74)
        self.bounding_box = carla.BoundingBox(carla.Location(0.15, 0, 0.7), half)
        self._shown = self._next = transform
        self._physics, self._speed = True, 0.0

    def get_transform(self):
        return self._shown

    def set_transform(self, transform):
        assert not self._physics, "physics moves it on"
        self._next = transform

    def set_simulate_physics(self, enabled):
        self._physics = enabled

    def set_target_velocity(self, v):
        assert self._physics, "without physics, nothing moves it"
        self._speed = math.hypot(v.x, v.y)

    def destroy(self):
        return self._world._actors.pop(self.id, None) is not None

    def _tick(self, h):
        if self._physics:
            ahead = self._shown.get_forward_vector() * (self._speed * h)
            at = self._shown.location
            place = carla.Location(at.x + ahead.x, at.y + ahead.y, at.z)
            self._next = carla.Transform(place, self._shown.rotation)
        self._shown = self._next


class Vehicle(Walker):
    def set_autopilot(self, enabled=True, tm_port=8000):
        assert tm_port == 8000 and (self._physics or not enabled)


class ActorList(list):
    def filter(self, pattern):
        return ActorList(a for a in self if a.type_id.startswith(pattern.rstrip("*")))


class BlueprintLibrary:
    def find(self, name):
        return types.SimpleNamespace(id=name)


class World:
    def __init__(self):
        self._actors, self._count, self._settings = {}, 0, WorldSettings()
        x, y, yaw, speed = STRANGER
        place = carla.Transform(carla.Location(x, y), carla.Rotation(yaw=yaw))
        stranger = self.try_spawn_actor(BlueprintLibrary().find("vehicle.audi.tt"), place)
        stranger._speed = speed

    def get_settings(self):
        return self._settings

    def apply_settings(self, settings):
        self._settings = settings

    def get_blueprint_library(self):
        return BlueprintLibrary()

    def try_spawn_actor(self, blueprint, transform):
        at = transform.location
        for other in self._actors.values():
            there = other._next.location
            if math.hypot(at.x - there.x, at.y - there.y) < 2:
                return None
        self._count += 1
        kind = Vehicle if blueprint.id.startswith("vehicle.") else Walker
        self._actors[self._count] = kind(self, self._count, blueprint.id, transform)
        return self._actors[self._count]

    def get_actors(self):
        return ActorList(self._actors.values())

    def tick(self):
        assert self._settings.synchronous_mode, "the server does not wait for ticks"
        for one in self._actors.values():
            one._tick(self._settings.fixed_delta_seconds)
        return self._count


class TrafficManager:
    def get_port(self):
        return 8000

    def set_synchronous_mode(self, mode):
        assert isinstance(mode, bool)

    def set_random_device_seed(self, seed):
        assert 0 <= seed < 2**31

    def set_desired_speed(self, vehicle, kmh):
        vehicle._speed = kmh / 3.6


class Client:
    def __init__(self, host, port):
        assert (host, port) == ("localhost", 2000)
        self._world = World()

    def set_timeout(self, seconds):
        assert seconds > 0

    def generate_opendrive_world(self, text):
        assert "<OpenDRIVE" in text
        return self._world

    def get_trafficmanager(self):
        return TrafficManager()


GEOMETRY = (Vector3D, Location, Rotation, Transform, BoundingBox)
SERVER = (WorldSettings, Walker, Vehicle, ActorList, BlueprintLibrary, World, TrafficManager,
          Client)

try:
    import carla
except ImportError:
    carla = types.ModuleType("carla")
    sys.modules["carla"] = carla
    for one in GEOMETRY + SERVER:
        setattr(carla, one.__name__, one)

for one in GEOMETRY + SERVER:
    known = dir(getattr(carla, one.__name__))
    unknown = [name for name in vars(one) if not name.startswith("_") and name not in known]
    assert not unknown, f"CARLA's {one.__name__} has no {unknown}"
carla.Client = Client

if __name__ == "__main__":
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
