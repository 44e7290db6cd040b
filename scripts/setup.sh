#!/bin/sh
# Creates the virtual environment .venv in the root of the repository. The system's Python only creates it and is never changed.
#
#   scripts/setup.sh run    what `make run` needs (requirements.txt)
#   scripts/setup.sh test   also what `make test` needs (requirements-test.txt)
#
# Fast when nothing has changed: a stamp in .venv contains a checksum of the requirement files and of the interpreter.
# PYTHON=/path/to/python3 chooses another interpreter. An active virtual environment, even .venv itself, makes no difference.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=$root/.venv

case "${1:-run}" in
    run) level=run requirements=requirements.txt ;;
    test) level=test requirements=requirements-test.txt ;;
    *)
        echo "usage: scripts/setup.sh [run|test]" >&2
        exit 2
        ;;
esac

"$root/scripts/prerequisites.sh" python
python=$("$root/scripts/base_python.sh")

checksum() { # of all requirement files and of the interpreter that .venv is created from
    {
        cat "$root/scripts/requirements.txt" "$root/scripts/requirements-test.txt" "$root/scripts/constraints.txt"
        "$python" -c 'import sys; print(sys.version, sys.prefix)'
    } | cksum
}

# Two runs of make must not build the environment at the same time. Without flock, nothing prevents that.
if command -v flock >/dev/null 2>&1; then
    exec 9<"$root/scripts"
    flock 9
fi

sum=$(checksum)

# The environment of the tests contains everything that a run needs.
up_to_date() {
    "$venv/bin/python" -c '' 2>/dev/null || return 1
    [ "$(cat "$venv/.gosmp-test" 2>/dev/null)" = "$sum" ] && return 0
    [ "$level" = run ] && [ "$(cat "$venv/.gosmp-run" 2>/dev/null)" = "$sum" ]
}
if up_to_date; then exit 0; fi

# An environment that only lacks the test packages is kept; any other is recreated.
if [ "$(cat "$venv/.gosmp-run" 2>/dev/null)" != "$sum" ] || ! "$venv/bin/python" -c '' 2>/dev/null; then
    free=$(df -Pk "$root" | awk 'NR == 2 { print int($4 / 1024) }')
    if [ "${free:-500}" -lt 500 ]; then
        echo "Python environment: the disk is full: .venv needs 500 MB, and $free MB are left in $root" >&2
        exit 1
    fi
    echo "Python environment: making .venv (once, about 400 MB)" >&2
    "$python" -m venv --clear "$venv"
fi

# Progress bars are for terminals; a log file gets errors only.
if [ -t 2 ]; then quiet=''; else quiet=--quiet; fi
echo "Python environment: installing $requirements (a few minutes the first time)" >&2
exec 4>&2
if ! errors=$("$venv/bin/python" -m pip install --no-compile --disable-pip-version-check --no-warn-script-location $quiet \
    -r "$root/scripts/$requirements" -c "$root/scripts/constraints.txt" 2>&1 >&4); then
    printf '%s\n' "$errors" >&2
    case $errors in
        *'No space left on device'* | *'Disk quota exceeded'*)
            echo "Python environment: the disk is full; .venv needs 500 MB. Free some space and run make again." >&2 ;;
        *)
            echo "Python environment: the packages of scripts/$requirements could not be installed. Is a package index reachable?" >&2
            echo "Behind a mirror or proxy, pip takes its settings from PIP_INDEX_URL, HTTPS_PROXY or pip.conf. Then run make again." >&2 ;;
    esac
    exit 1
fi
[ -z "$errors" ] || printf '%s\n' "$errors" >&2
printf '%s\n' "$sum" >"$venv/.gosmp-$level"
echo "Python environment: ready" >&2
