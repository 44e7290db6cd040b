"""The container of fmu-manipulation-toolbox (C, its own importer) as the importer, driven by FMPy.
The container is an FMU that contains Partner and sensor, connected. Usage: in_container.py ring
CONTAINER STEPS"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict

import fmpy

from host import Host
from traces import OUT, PARTNER_OUT, STEP, Link, fetch


def ring(container: str, steps: str) -> None:
    """Steps the container, which connects the FMUs that it contains."""
    links = []
    with tempfile.TemporaryDirectory() as folder:
        fmpy.extract(container, unzipdir=folder)
        host = Host(folder, fmpy.read_model_description(folder, validate=False), "container").initialize()
        for _ in range(int(steps)):
            host.steps(1, STEP)
            links.append(
                Link(
                    fetch(*host.triple(PARTNER_OUT)).hex(),
                    fetch(*host.triple(OUT)).hex(),
                    host.get("count"),
                    host.get("received.messages"),
                    host.get("received.crc32"),
                )
            )
        host.free()
    print("\n" + json.dumps([asdict(link) for link in links]))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
