"""A peer on rclpy for the tests of package dds: what it sees and gets is printed as JSON."""

import importlib
import json
import sys
import time

import rclpy
from rclpy.duration import Duration
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.qos import DurabilityPolicy, LivelinessPolicy, QoSProfile, ReliabilityPolicy

def say(**values):
    print(json.dumps(values), flush=True)


def message_type(name):
    package, kind = name.split("/")
    return getattr(importlib.import_module(package + ".msg"), kind)


def profile(words, depth=10):
    reliable = ReliabilityPolicy.RELIABLE if "reliable" in words else ReliabilityPolicy.BEST_EFFORT
    durable = (DurabilityPolicy.TRANSIENT_LOCAL if "latched" in words
               else DurabilityPolicy.VOLATILE)
    return QoSProfile(depth=depth, reliability=reliable, durability=durable)


def shown(message):
    if hasattr(message, "clock"):
        return [message.clock.sec, message.clock.nanosec]
    if hasattr(message, "linear_acceleration"):
        stamp = message.header.stamp
        return [stamp.sec, stamp.nanosec, message.linear_acceleration.z]
    if hasattr(message, "transforms"):
        return [t.child_frame_id for t in message.transforms]
    if hasattr(message, "child_frame_id"):
        return [message.child_frame_id, message.pose.pose.position.x]
    if hasattr(message, "point_step"):
        return [message.width, len(message.data), sum(message.data) % 65536]
    if hasattr(message, "linear"):
        return [message.linear.x, message.angular.z]
    if hasattr(message, "markers"):
        return len(message.markers)
    return message.data


def spin(node, seconds, done=lambda: False):
    end = time.time() + seconds
    while time.time() < end and not done():
        rclpy.spin_once(node, timeout_sec=0.05)


def listen(node, topic, kind, words, count, seconds):
    got = []

    def take(message):
        if len(got) < count:
            got.append(1)
            say(got=shown(message))
    node.create_subscription(message_type(kind), topic, take, profile(words, 100))
    say(ready=True)
    spin(node, seconds, lambda: len(got) >= count)


def talk(node, topic, kind, words, count, seconds):
    t = message_type(kind)
    publisher = node.create_publisher(t, topic, profile(words, 100))
    if "latched" not in words:
        spin(node, seconds, lambda: publisher.get_subscription_count() > 0)
    for k in range(count):
        m = t()
        if kind.endswith("Twist"):
            m.linear.x, m.angular.z = 1.5 + k, -0.25
        elif kind.endswith("PointCloud2"):
            m.data = bytes((k + j) % 256 for j in range(int(words.split("=")[-1])))
        else:
            m.data = f"number {k}"
        publisher.publish(m)
        spin(node, 0.01)
    say(ready=True)
    sys.stdin.readline()


def graph(node, topic, kind, words, count, seconds):
    def found():
        return [i for i in node.get_publishers_info_by_topic(topic)
                if i.node_name == "gosmp"]
    spin(node, seconds, lambda: bool(found()))
    spin(node, 0.5)
    for info in found():
        say(node=info.node_namespace + info.node_name, type=info.topic_type,
            hash=str(getattr(info, "topic_type_hash", "")),
            reliable=info.qos_profile.reliability == ReliabilityPolicy.RELIABLE)
    say(nodes=sorted(node.get_node_names()))


def clock(node, topic, kind, words, count, seconds):
    """Prints the time of a node that follows /clock."""
    node.set_parameters([rclpy.parameter.Parameter("use_sim_time", value=True)])
    say(ready=True)
    spin(node, seconds, lambda: node.get_clock().now().nanoseconds >= count * 1_000_000)
    say(got=node.get_clock().now().nanoseconds)


def stamp(message, nanos):
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(nanos, 1_000_000_000)


def measure(node, topic, kind, words, count, seconds):
    """Prints how many numbered messages came, and how long they took."""
    took, last = [], [time.time()]

    def take(message):
        sent = message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec
        took.append(time.time_ns() - sent)
        last[0] = time.time()
    node.create_subscription(message_type(kind), topic, take, profile(words, 1000))
    say(ready=True)
    end = time.time() + seconds
    while time.time() < end and len(took) < count:
        rclpy.spin_once(node, timeout_sec=0.05)
        if took and time.time() > last[0] + 3:
            break
    took.sort()
    say(got=[len(took), took[len(took) // 2] / 1000, took[len(took) * 99 // 100] / 1000])


def flood(node, topic, kind, words, count, seconds):
    """Publishes at a rate, and prints the processor time that it took."""
    rate = int(words.split("=")[-1])
    t = message_type(kind)
    publisher = node.create_publisher(t, topic, profile(words, 10))
    spin(node, seconds, lambda: publisher.get_subscription_count() > 0)
    time.sleep(1)
    m = t()
    if kind.endswith("PointCloud2"):
        m.data = bytes(1_000_000)
    begin, used = time.time(), time.process_time()
    for k in range(count):
        time.sleep(max(0, begin + k / rate - time.time()))
        stamp(m, time.time_ns())
        publisher.publish(m)
    used, took = time.process_time() - used, time.time() - begin
    say(cpu=100 * used / took)
    sys.stdin.readline()


def watched(words, depth=10):
    """A profile with the lease, the deadline and the liveliness that the words name."""
    numbers = dict(w.split("=") for w in words.split() if "=" in w)
    q = profile(words, depth)
    q.liveliness = (LivelinessPolicy.MANUAL_BY_TOPIC if "manual" in words
                    else LivelinessPolicy.AUTOMATIC)
    q.liveliness_lease_duration = Duration(seconds=float(numbers["lease"]))
    return q


def watch(node, topic, kind, words, count, seconds):
    """Prints how many publishers are alive, and what is got."""
    events = SubscriptionEventCallbacks(liveliness=lambda e: say(alive=e.alive_count))
    node.create_subscription(message_type(kind), topic, lambda m: say(got=shown(m)),
                             watched(words), event_callbacks=events)
    say(ready=True)
    spin(node, seconds)


def vouch(node, topic, kind, words, count, seconds):
    """Publishes one message with a lease, and is silent until it is killed."""
    t = message_type(kind)
    publisher = node.create_publisher(t, topic, watched(words))
    spin(node, seconds, lambda: publisher.get_subscription_count() > 0)
    publisher.publish(t(data="number 0"))
    say(ready=True)
    spin(node, seconds)


VERBS = {"watch": watch, "vouch": vouch, "listen": listen, "talk": talk, "graph": graph, "clock": clock, "measure": measure,
         "flood": flood}


def main():
    verb, domain, topic, kind, words, count, seconds = sys.argv[1:8]
    rclpy.init(domain_id=int(domain))
    node = rclpy.create_node("peer")
    VERBS[verb](node, topic, kind, words, int(count), float(seconds))
    node.destroy_node()
    rclpy.shutdown()


main()
