"""A peer on Cyclone DDS for the tests of package dds: what it sees and gets is printed as JSON."""

import json
import sys
import time
from dataclasses import dataclass

from cyclonedds.core import Listener, Policy, Qos
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import sequence, uint8
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

CONFIG = """<CycloneDDS><Domain>
<General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General>
<Discovery><ParticipantIndex>auto</ParticipantIndex>
<Peers><Peer address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>"""


@dataclass
class String(IdlStruct, typename="std_msgs::msg::dds_::String_"):
    data: str


@dataclass
class Blob(IdlStruct, typename="test::Blob"):
    data: sequence[uint8]


TYPES = {"String": String, "Blob": Blob}


def say(**values):
    print(json.dumps(values), flush=True)


class Report(Listener):
    def on_offered_incompatible_qos(self, writer, status):
        say(incompatible=status.last_policy_id)

    def on_requested_incompatible_qos(self, reader, status):
        say(incompatible=status.last_policy_id)


def qos(words, depth):
    policies = [Policy.History.KeepLast(depth), Policy.DataRepresentation(use_cdrv0_representation=True)]
    policies.append(Policy.Reliability.Reliable(duration(seconds=1))
                    if "reliable" in words else Policy.Reliability.BestEffort)
    if "latched" in words:
        policies.append(Policy.Durability.TransientLocal)
        policies.append(Policy.DurabilityService(duration(seconds=0),
                                                 Policy.History.KeepLast(depth), 100, 100, 100))
    return Qos(*policies)


def shown(sample):
    if isinstance(sample, Blob):
        return [len(sample.data), sum(sample.data) % 65536]
    return sample.data


def listen(participant, topic, kind, words, count, seconds):
    reader = DataReader(participant, Topic(participant, topic, TYPES[kind]), qos=qos(words, 100),
                        listener=Report())
    say(ready=True)
    end, got = time.time() + seconds, 0
    while time.time() < end and got < count:
        for sample in reader.take(N=100):
            if hasattr(sample, "data"):
                got += 1
                say(got=shown(sample))
        time.sleep(0.002)


def talk(participant, topic, kind, words, count, seconds):
    writer = DataWriter(participant, Topic(participant, topic, TYPES[kind]), qos=qos(words, 100),
                        listener=Report())
    if "latched" not in words:
        end = time.time() + seconds
        while time.time() < end and not writer.get_matched_subscriptions():
            time.sleep(0.01)
    for k in range(count):
        if kind == "Blob":
            writer.write(Blob([(k + j) % 256 for j in range(int(words.split("=")[-1]))]))
        else:
            writer.write(String(f"number {k}"))
        time.sleep(0.01)
    say(ready=True)
    sys.stdin.readline()


def watched(words, depth=10):
    lease = duration(seconds=float(dict(w.split("=") for w in words.split() if "=" in w)["lease"]))
    kind = Policy.Liveliness.Automatic
    if "manual" in words:
        kind = Policy.Liveliness.ManualByTopic
    if "participant" in words:
        kind = Policy.Liveliness.ManualByParticipant
    return qos(words, depth) + Qos(kind(lease))


class Watcher(Report):
    def on_liveliness_changed(self, reader, status):
        say(alive=status.alive_count)


def watch(participant, topic, kind, words, count, seconds):
    """Prints how many publishers are alive, and what is got."""
    reader = DataReader(participant, Topic(participant, topic, TYPES[kind]), qos=watched(words),
                        listener=Watcher())
    say(ready=True)
    end = time.time() + seconds
    while time.time() < end:
        for sample in reader.take(N=100):
            if hasattr(sample, "data"):
                say(got=shown(sample))
        time.sleep(0.002)


def vouch(participant, topic, kind, words, count, seconds):
    """Publishes one message with a lease, and is silent until it is killed."""
    writer = DataWriter(participant, Topic(participant, topic, TYPES[kind]), qos=watched(words),
                        listener=Report())
    end = time.time() + seconds
    while time.time() < end and not writer.get_matched_subscriptions():
        time.sleep(0.01)
    writer.write(String("number 0"))
    say(ready=True)
    time.sleep(seconds)


def main():
    verb, domain, topic, kind, words, count, seconds = sys.argv[1:8]
    config = Domain(int(domain), CONFIG)
    participant = DomainParticipant(int(domain))
    verbs = {"listen": listen, "talk": talk, "watch": watch, "vouch": vouch}
    verbs[verb](participant, topic, kind, words, int(count), float(seconds))
    del config


main()
