#!/bin/sh
# What users feel, measured; see test/bench. Prints the benchmarks and, where one has a twin that does the same work the plain
# way, how many times faster ours is in this very run. BENCHTIME=2s measures longer.
set -eu
cd "$(dirname -- "$0")/.."

results=$(mktemp)
trap 'rm -f "$results"' EXIT

measure() { # measure "title" package [flags]
    title=$1 package=$2
    shift 2
    printf '\n== %s\n' "$title"
    go test -run '^$' -bench . -benchmem -benchtime "${BENCHTIME:-1s}" "$@" "$package" | grep -v '^PASS\|^ok\|^goos\|^goarch\|^pkg\|^cpu' | tee -a "$results"
}

measure 'steps of the FMU and reading of scenarios (test/bench)' ./test/bench
measure 'a recording of 200 MB: speed and memory (sensor/simsensor)' ./sensor/simsensor -bench Read200MB -benchtime 1x
measure 'calls from C (internal/fmitest)' ./internal/fmitest
measure 'OSI messages: reading and writing (proto/wire)' ./proto/wire
measure 'detected objects (sensor/objects)' ./sensor/objects/...
measure 'clock, channels and activities (timebase)' ./timebase

printf '\n== ratios: how many times faster than the plain way\n'
awk '/^Benchmark/ {
    name = $1; sub(/-[0-9]+$/, "", name)
    if (name ~ /\/gosmp$/) { sub(/\/gosmp$/, "", name); ours[name] = $3; order[++n] = name }
    if (name ~ /\/plain$/) { sub(/\/plain$/, "", name); plain[name] = $3 }
} END {
    for (i = 1; i <= n; i++) if (order[i] in plain) printf "%-45s %6.1f\n", order[i], plain[order[i]] / ours[order[i]]
}' "$results"
