#!/bin/sh
# Runs what takes too long for each change. `make nightly` calls it after it has built the FMU and the virtual environment.
# FUZZTIME is the duration of each fuzz target, 1m by default; STAGES names the stages to run, all by default.
set -eu
cd "$(dirname -- "$0")/.."
. scripts/stages.sh

stage long 'all Go tests, also the long ones' go test -timeout 3h ./...

stage race 'all Go tests under the race detector' \
    go test -race -short -timeout 60m $(go list ./... | grep -v -e /test/ -e /examples/ -e 'gosmp$' -e /build$)

stage cgocheck 'the C boundary with checks of pointers passed to C' \
    env GOEXPERIMENT=cgocheck2 go test -short ./export/... ./internal/fmitest/...

# The tests themselves check for leaks: Go keeps memory until the process ends, which the sanitizer would report.
stage asan 'the C boundary under the address sanitizer' \
    env ASAN_OPTIONS=detect_leaks=0 go test -asan -short ./export/... ./internal/fmitest/...

stage ubsan 'the C boundary under the sanitizer for undefined behaviour' \
    env CGO_CFLAGS='-O1 -g -fsanitize=undefined -fsanitize-undefined-trap-on-error' \
    go test -short ./export/... ./internal/fmitest/...

# Worker, FMUs, loader and the C part of the core have both sanitizers at once.
stage load 'many systems of FMUs at the same time under both sanitizers' sh -ec '
    CC="cc -fsanitize=address,undefined -fno-sanitize-recover=all" go run ./cmd/osmpdummysensor pack -fmi 2,3 \
        -o dist/sanitized/OSMPDummySensor.fmu
    GOSMP_FMU=$PWD/dist/sanitized/OSMPDummySensor.fmu GOSMP_FMU3=$PWD/dist/sanitized/OSMPDummySensor-fmi3.fmu \
        CGO_CFLAGS="-O1 -g -fsanitize=undefined -fsanitize-undefined-trap-on-error" ASAN_OPTIONS=detect_leaks=0 \
        go test -asan -count=1 -run TestLoad ./importer'

stage clock 'queue, bridge, simulator API, live view and runs while the time of day jumps by an hour' \
    scripts/clock.sh -short -timeout 40m ./sweep/... ./bridge/... ./simapi/... ./mocksim/foreign ./mocksim/support \
    ./trace/live ./timebase/... ./internal/gate/... ./run/... .

stage fuzz 'fuzz targets' scripts/fuzz.sh "${FUZZTIME:-1m}"
stage examine 'all our FMUs of both standards, examined by running them' sh -ec '
    make --no-print-directory examples
    go test -count=1 -timeout 30m -run OurFMUs ./importer/examine
    GOSMP_LONG=1 PYTHONPATH=python .venv/bin/python -m pytest -q test/fmpy/test_examination.py'

stage importers 'the packed FMU in importers that are not ours' scripts/importers.sh
stage ros 'the participant of DDS domains with rclpy of ROS 2' scripts/ros.sh
stage rerun 'recordings for the Rerun viewer, judged by its own command' sh -ec '
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r scripts/requirements-rerun.txt -c scripts/constraints.txt
    PYTHONPATH=python .venv/bin/python -m pytest -q test/fmpy/test_rerun.py'

stage platforms 'all platforms' make --no-print-directory test-platforms

# Commands that do not start FMUs must build there, too; nothing is run.
stage cross 'the command for Windows and macOS' sh -ec '
    CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go build -o /dev/null ./cmd/gosmp
    CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build -o /dev/null ./cmd/gosmp'

stage dist 'packages for users without a compiler' make --no-print-directory dist dist-test

stage site 'the documentation as a site, with its notebooks' make --no-print-directory site

verdict 'make nightly' 'all nightly tests passed'
