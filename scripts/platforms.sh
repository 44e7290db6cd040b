#!/bin/sh
# Compilers and emulators for the platforms other than this one; docs/PLATFORMS.md explains them.
#
#   scripts/platforms.sh zig        installs the pinned zig compiler in .venv-zig and prints its path
#   scripts/platforms.sh install    installs the other compilers and the emulators with apt-get, if they are
#                                   available; needs root
#   scripts/platforms.sh buildable  prints the platforms that can be built here
#   scripts/platforms.sh test       tests dist/all/OSMPDummySensor.fmu on all platforms; the last lines name those that
#                                   could not be run
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=$root/.venv-zig

install_zig() {
    wanted=$(cat "$root/scripts/requirements-zig.txt")
    if [ "$(cat "$venv/.gosmp-zig" 2>/dev/null)" != "$wanted" ] || ! "$venv/bin/python" -c '' 2>/dev/null; then
        "$root/scripts/prerequisites.sh" python
        echo "zig compiler: installing $wanted in .venv-zig (once, about 400 MB)" >&2
        "$("$root/scripts/base_python.sh")" -m venv --clear "$venv"
        "$venv/bin/python" -m pip install --disable-pip-version-check --quiet -r "$root/scripts/requirements-zig.txt" >&2
        printf '%s\n' "$wanted" >"$venv/.gosmp-zig"
    fi
    "$venv/bin/python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))'
}

# try installs packages. A failure is not an error: the tests name what is missing.
try() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends --no-remove "$@" >&2 ||
        echo "not available here: $*" >&2
}

install_tools() {
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "as root on Debian or Ubuntu: scripts/platforms.sh install" >&2
        exit 1
    fi
    apt-get update -q >&2 || true
    try gcc-i686-linux-gnu libc6-dev-i386-cross
    try libc6-i386
    try qemu-user libc6-arm64-cross
    try wine64
    # 32-bit wine belongs to another architecture, whose packages must have the same versions as the
    # installed ones. If they differ, the architecture is removed again, so that it does not block later
    # updates.
    dpkg --print-foreign-architectures | grep -qx i386 || added=yes
    dpkg --add-architecture i386
    apt-get update -q >&2 || true
    try wine32:i386
    if [ "${added:-no}" = yes ] && [ ! -x /usr/lib/wine/wine ]; then
        dpkg --remove-architecture i386 >&2 || true
        apt-get update -q >&2 || true
    fi
}

buildable() {
    echo linux64 aarch64-linux win64 win32
    if command -v i686-linux-gnu-gcc >/dev/null 2>&1; then echo linux32; fi
}

run_tests() {
    cd "$root"
    GOSMP_FMU_ALL=$root/dist/all/OSMPDummySensor.fmu
    GOSMP_ZIG=$(install_zig)
    export GOSMP_FMU_ALL GOSMP_ZIG
    mkdir -p dist/all
    result=0
    go test -count=1 -timeout 30m -v ./test/platforms/ >dist/all/test.log 2>&1 || result=$?
    grep -v -e '^=== ' dist/all/test.log
    echo
    if grep -q 'NOT RUN' dist/all/test.log; then
        echo 'Platforms that were not run:'
        sed -n 's/.*NOT RUN: /  /p' dist/all/test.log | sort -u
    else
        echo 'All platforms of the FMU were run.'
    fi
    return "$result"
}

case "${1:-}" in
    zig) install_zig ;;
    install) install_tools ;;
    buildable) buildable | tr '\n' ' ' ;;
    test) run_tests ;;
    *)
        echo "usage: scripts/platforms.sh zig|install|buildable|test" >&2
        exit 2
        ;;
esac
