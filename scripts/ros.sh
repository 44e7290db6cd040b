#!/bin/sh
# Tests the DDS participant with rclpy of ROS 2 Jazzy and Kilted (test/ddspeers), after installing them with pip in
# .tools/ros. With half a gigabyte, they are too large for each change. Where the system allows it, the tests run in a
# network namespace that only has loopback.
#
#   scripts/ros.sh            install, then test
#   scripts/ros.sh install    only install
#
# A distribution that cannot be installed is skipped; without any, nothing is tested.
set -eu
cd "$(dirname -- "$0")/.."
tools=$PWD/.tools/ros
peers=

for distribution in jazzy kilted; do
    wanted=scripts/requirements-ros-$distribution.txt
    venv=$tools/$distribution
    if ! cmp -s "$wanted" "$venv/.gosmp-ros"; then
        echo "ros: installing ROS 2 $distribution in .tools/ros (once, about 260 MB)" >&2
        "$(scripts/base_python.sh)" -m venv --clear "$venv"
        if ! "$venv/bin/python" -m pip install --disable-pip-version-check --quiet -r "$wanted" >&2; then
            echo "ros: SKIPPED $distribution: pip could not install it for $("$venv/bin/python" --version); it needs 3.11" >&2
            continue
        fi
        cp "$wanted" "$venv/.gosmp-ros"
    fi
    peers=$peers${peers:+:}$venv/bin/python
done
[ "${1:-}" != install ] && [ -n "$peers" ] || exit 0

go test -c -o "$tools/peers.test" ./test/ddspeers
cd test/ddspeers
GOSMP_DDS_PYTHON=$peers
export GOSMP_DDS_PYTHON
set -- "$tools/peers.test" -test.v -test.timeout 20m
if unshare -rn ip link set lo up 2>/dev/null; then
    # shellcheck disable=SC2016 # the inner shell expands it
    exec unshare -rn sh -c 'ip link set lo up && exec "$@"' sh "$@"
fi
exec "$@"
