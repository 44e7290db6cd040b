#!/bin/sh
# Runs the tests that guard each change. `make test` calls it after it has built the FMU and the virtual environment.
# Whatever takes long, such as sanitizers, kills and second builds, is left to `make nightly` (go test -short skips
# it).
set -eu
cd "$(dirname -- "$0")/.."
. scripts/stages.sh

# More packages at once than processors: many tests wait for processes, connections or the clock.
packages=$(($(getconf _NPROCESSORS_ONLN) + 2))

# The packages that start goroutines or are called by several threads.
concurrent='./timebase/... ./export/... ./internal/fmitest ./cosim ./importer/worker ./trace/live ./bridge/server
    ./bridge/dds/... ./sweep/queue ./simapi/... ./mocksim/foreign'

# Each package is tested once, except trace/live, which has another implementation under the race detector. `make
# nightly` tests all packages without it.
others=$(go list ./... | grep -vxF "$(go list $concurrent | grep -v /trace/live$)")

# `make check` runs go vet as a part of the linter.
# Tests that compile FMUs compete for the processors: the default limit of 10 minutes is meant for idle machines.
stage go 'Go tests' go test -p $packages -short -vet=off -timeout 20m $others

stage race 'Go tests under the race detector' go test -p $packages -race -short -vet=off -timeout 20m $concurrent

# The tests of a file stay in one process, because they share what they have built.
stage fmpy 'the packed FMU in fmpy' \
    .venv/bin/python -m pytest -q -n auto --maxprocesses 8 --dist loadfile test/fmpy

verdict 'make test' 'all tests passed'
