#!/bin/sh
# Every test there is. Called by `make test`, which has built the FMU and the virtual environment before.
set -eu
cd "$(dirname -- "$0")/.."

export GOSMP_FMU="$PWD/dist/OSMPDummySensor.fmu"
export GOSMP_PYTHON="$PWD/.venv/bin/python"
# The headers of the standard come with fmpy; our own header is compiled together with them.
export GOSMP_FMPY_HEADERS="$("$GOSMP_PYTHON" -c 'import fmpy, os; print(os.path.join(os.path.dirname(fmpy.__file__), "c-code"))')"

step() { printf '\n== %s\n' "$1"; }

step 'Go tests'
go test ./...

step 'Go tests under the race detector'
go test -race -short ./timebase/... ./fmu/... ./osmp/... ./export/... ./sensor/... ./internal/...

step 'the C boundary with checks of pointers passed to C'
GOEXPERIMENT=cgocheck2 go test -short ./export/... ./internal/fmitest/...

step 'the C boundary under the address sanitizer'
# Leaks are the tests' own business: Go keeps memory until the process ends, which the sanitizer would take for a leak.
ASAN_OPTIONS=detect_leaks=0 go test -asan -short ./export/... ./internal/fmitest/...

step 'the C boundary under the sanitizer for undefined behaviour'
CGO_CFLAGS='-O1 -g -fsanitize=undefined -fsanitize-undefined-trap-on-error' go test -short ./export/... ./internal/fmitest/...

step 'the packed FMU in fmpy'
.venv/bin/python -m pytest -q test/fmpy

printf '\nall tests passed\n'
