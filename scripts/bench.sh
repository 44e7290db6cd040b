#!/bin/sh
# Measures what users notice; see test/bench. Prints the benchmarks and, for each benchmark with a twin that does the
# same work in the plain way, how many times faster ours is in this run, and at the end how long each part took;
# docs/PERFORMANCE.md says how long all of them take. BENCHTIME=2s measures each benchmark of Go for longer than 0.5 s.
set -eu
cd "$(dirname -- "$0")/.."

results=$(mktemp)
failures=$(mktemp)
tools=$(mktemp -d)
parts=$(mktemp)
trap 'rm -rf "$results" "$failures" "$tools" "$parts"' EXIT
begun=$(date +%s)

took() { # took SECONDS PART; notes how long a part has taken, which began at SECONDS
    printf '%6d s  %s\n' $(($(date +%s) - $1)) "$2" >>"$parts"
}

measure() { # measure "title" package [flags]; on a busy machine, a package may take longer than the 10 minutes of go test
    title=$1 package=$2
    shift 2
    printf '\n== %s\n' "$title"
    began=$(date +%s)
    { go test -run '^$' -timeout 2h -bench . -benchmem -benchtime "${BENCHTIME:-0.5s}" "$@" "$package" || echo "$package" >>"$failures"; } | grep --line-buffered -v '^PASS\|^ok\|^goos\|^goarch\|^pkg\|^cpu' | tee -a "$results"
    took "$began" "$package"
}

measure 'steps of the FMU, of 1 to 50 FMUs in four hosts, reading and steps of scenarios (test/bench)' ./test/bench
measure 'runs of FMUs: a run without a step (importer)' ./importer -bench Start
measure 'systems: a step of 1, 10 and 50 FMUs with 10 connections each (importer/system)' ./importer/system -bench System
measure 'the border between the host and the process of an FMU (importer/worker)' ./importer/worker
measure 'the step on its clock against a loop by hand (sensor/dummysensor)' ./sensor/dummysensor
measure 'a recording of 200 MB: speed and memory (sensor/simsensor)' ./sensor/simsensor -bench Read200MB -benchtime 1x
measure 'steps of the packed FMU with a SensorView, from C (test/host)' ./test/host -benchmem=false
measure 'calls from C (internal/fmitest)' ./internal/fmitest
measure 'OSI messages: reading and writing (proto/wire)' ./proto/wire
measure "OSI's rules: messages with 10 objects as bytes, and decoded (proto/rules)" ./proto/rules
measure 'sweeps: what is added to a run; opening a store of 100 000 rows, and writing their results (sweep)' ./sweep
measure 'sweeps: what a queue of NATS adds to a run (sweep/queue)' ./sweep/queue -bench 'Queue|Parts' -benchtime 10000x
measure 'sweeps: how many times as fast two workers are as one, with 1.8 on two idle processors as the goal (cmd/gosmp)' ./cmd/gosmp -bench Workers -benchtime 1x
measure 'traces: MCAP with messages of 11 kB, and the library of its authors (trace/mcap)' ./trace/mcap
measure 'traces: MCAP with zstd to .osi, and with the library of its authors (trace)' ./trace -bench Convert
measure 'recording: what a step of the engine pays for a message of 11 kB (trace/live)' ./trace/live
measure 'recording inside an FMU: what a step pays for messages of 600 bytes and 11 kB (model/internal/recording)' ./model/internal/recording
measure 'traffic: a step of 20 ms of 10, 100 and 1000 actors (mocksim)' ./mocksim
measure 'traffic: a step of 100 actors with its SensorView (mocksim/truth)' ./mocksim/truth
measure 'maps: reading 31 MB, a point of a road (mocksim/opendrive)' ./mocksim/opendrive
measure 'simulator support: a call and a step of 100 actors, in process and over TCP (simapi)' ./simapi
measure 'message bridges: a message from event to event over the loop-back, with 100 000/s as the goal (bridge)' ./bridge
measure 'message bridges: an Imu in generated code, below 200 ns and without memory as the goal (examples/bridge)' ./examples/bridge
measure 'message bridges: a viewer at 1 kHz for 2 s (bridge/server)' ./bridge/server -benchtime 2000x
measure 'detected objects: ours, the plain way on generated messages, a bare copy (sensor/objects)' ./sensor/objects
measure 'statecharts: transitions with guards, memory of 10 000 machines (experiment/scxml)' ./experiment/scxml
measure 'clock, channels and activities (timebase/activity)' ./timebase/activity

# Runs of FMPy in turn with ours need a Python that has it.
python=${GOSMP_PYTHON:-.venv/bin/python}
began=$(date +%s)
printf '\n== short runs: sessions, sweeps and tests beside a prepared loop of FMPy (test/bench/short_runs.py)\n'
if "$python" -c 'import fmpy' 2>/dev/null; then
    { go build -o "$tools/gosmp" ./cmd/gosmp && PYTHONPATH=python "$python" test/bench/short_runs.py "$tools/gosmp" \
        dist/OSMPDummySensor.fmu dist/OSMPDummySensor-fmi3.fmu; } || echo test/bench/short_runs.py >>"$failures"
else
    echo "not measured: make venv-test installs FMPy, or GOSMP_PYTHON names a Python that has it"
fi
took "$began" test/bench/short_runs.py

printf '\n== starts, large files, traffic and scenarios beside FMPy, and SUMO (GOSMP_SUMO) and esmini (GOSMP_ESMINI) if they are named (test/bench/waits.py)\n'
began=$(date +%s)
if "$python" -c 'import fmpy' 2>/dev/null; then
    PYTHONPATH=python "$python" test/bench/waits.py "$tools/gosmp" dist/OSMPDummySensor.fmu --scale "${BENCHSCALE:-1}" || echo test/bench/waits.py >>"$failures"
else
    echo "not measured: FMPy is missing"
fi
took "$began" test/bench/waits.py

printf '\n== go build ./cmd/gosmp with an empty cache, and its most expensive packages (scripts/buildtime.sh)\n'
began=$(date +%s)
scripts/buildtime.sh || echo scripts/buildtime.sh >>"$failures"
took "$began" scripts/buildtime.sh

printf '\n== how many times faster than the plain way, in this run\n'
awk '/^Benchmark/ {
    name = $1; sub(/-[0-9]+$/, "", name)
    way = name; sub(/.*\//, "", way); sub(/\/[^\/]*$/, "", name)
    if (way == "gosmp" || way == "fast") { ours[name] = $3; order[++n] = name }
    if (way == "plain") plain[name] = $3
    for (k = 3; k < NF; k++) if ($(k + 1) == "times-plain" && way != "plain") printf "%-48s %6.2f times as long as the plain host\n", name "/" way, $k
    for (k = 3; k < NF; k++) if ($(k + 1) == "times-one") if (name ~ /Workers/) printf "%-48s %6.2f times as fast with two workers as with one\n", name, $k; else printf "%-48s %6.2f times as long for each FMU as a single one\n", name "/" way, $k
    for (k = 3; k < NF; k++) if ($(k + 1) == "more-ns") printf "%-48s %6.0f ns more than by hand\n", name, $k
} END {
    for (i = 1; i <= n; i++) {
        if (order[i] in plain) printf "%-48s %6.1f\n", order[i], plain[order[i]] / ours[order[i]]
    }
}' "$results"

printf '\n== how long the parts took\n'
took "$begun" 'all parts'
sort -rn "$parts"

if [ -s "$failures" ]; then
    printf '\nbenchmarks of these packages failed:\n'
    cat "$failures"
    exit 1
fi
