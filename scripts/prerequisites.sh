#!/bin/sh
# Names everything that is missing on this machine for a target of the Makefile, in one go, with the command that installs it.
#
#   scripts/prerequisites.sh fmu      Go and a C compiler with the headers of the C library
#   scripts/prerequisites.sh python   Python with venv
#   scripts/prerequisites.sh run      both (`test` is the same)
#
# Prints nothing and returns 0 when nothing is missing. PYTHON and CC may name another interpreter and compiler.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
missing=''  # one line per missing thing
packages='' # Debian packages that provide them

lack() { # lack "what is missing" "packages"
    missing="$missing
  - $1"
    packages="$packages $2"
}

# at_least 1.26.8 1.25: is the first version at least the second?
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -t . -k 1,1n -k 2,2n | head -n 1)" = "$2" ]
}

check_make() {
    make --version >/dev/null 2>&1 || lack 'GNU make' 'make'
}

check_go() {
    wanted=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' "$root/go.mod")
    how="install it from https://go.dev/dl/ and put its bin folder into PATH"
    if ! command -v go >/dev/null 2>&1; then
        lack "Go $wanted or newer: $how" ''
        return
    fi
    # Outside the module and without switching toolchains, this prints the version that is really installed.
    found=$(cd / && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//; s/[^0-9.].*//')
    # Go 1.21 and newer download the version that go.mod requires, unless GOTOOLCHAIN is local.
    if at_least "${found:-0}" "$wanted"; then return; fi
    if at_least "${found:-0}" 1.21 && [ "$(cd / && go env GOTOOLCHAIN)" != local ]; then return; fi
    lack "Go $wanted or newer (found ${found:-an unknown version} in $(command -v go)): $how" ''
}

check_cc() {
    compiler=${CC:-$(go env CC 2>/dev/null || echo cc)}
    program=${compiler%% *}
    if ! command -v "$program" >/dev/null 2>&1; then
        lack "a C compiler ($program was not found)" 'gcc libc6-dev'
        return
    fi
    # cgo also needs the headers of the C library, which do not come with a compiler.
    if ! printf '#include <stdlib.h>\n#include <dlfcn.h>\n' | $compiler -x c -fsyntax-only - >/dev/null 2>&1; then
        lack "the headers of the C library ($compiler finds no stdlib.h and dlfcn.h)" 'libc6-dev'
    fi
}

check_python() {
    python=${PYTHON:-python3}
    if ! command -v "$python" >/dev/null 2>&1; then
        lack "Python 3.10 or newer ($python was not found)" 'python3 python3-venv'
        return
    fi
    found=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || found=0
    if ! at_least "$found" 3.10; then
        lack "Python 3.10 or newer ($python is $found); name another one with PYTHON=/path/to/python3" 'python3 python3-venv'
        return
    fi
    "$python" -c 'import venv, ensurepip' >/dev/null 2>&1 ||
        lack "the Python modules venv and ensurepip of $python" "python3-venv"
}

case "${1:-}" in
    fmu) check_make; check_go; check_cc ;;
    python) check_python ;;
    run | test) check_make; check_go; check_cc; check_python ;;
    *)
        echo "usage: scripts/prerequisites.sh fmu|python|run|test" >&2
        exit 2
        ;;
esac

[ -n "$missing" ] || exit 0
{
    echo "Missing on this machine:$missing"
    # shellcheck disable=SC2086 # word splitting, to drop duplicates
    packages=$(printf '%s\n' $packages | sort -u | tr '\n' ' ' | sed 's/^ *//; s/ *$//')
    if [ -n "$packages" ]; then
        echo "On Debian and Ubuntu, as root:"
        echo "  apt-get update && apt-get install -y $packages"
    fi
} >&2
exit 1
