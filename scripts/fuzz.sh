#!/bin/sh
# Runs every fuzz target, two at a time: scripts/fuzz.sh [duration of each, default 10s]. What a target has found stands in the
# testdata/fuzz of its package.
set -eu
cd "$(dirname -- "$0")/.."

# A minimization may take as long as the run itself and is worth it only when something has been found.
targets() {
    grep -rl --include='*_test.go' '^func Fuzz' . | sort | while read -r file; do
        sed -n "s|^func \\(Fuzz[A-Za-z0-9_]*\\).*|$(dirname "$file") \\1|p" "$file"
    done
}

count=$(targets | wc -l)
echo "$count fuzz targets, ${1:-10s} each"
targets | xargs -P 2 -L 1 sh -c '
    said=$(go test -run "^\$" -fuzz "^$2\$" -fuzztime "$0" -fuzzminimizetime 10x -parallel 1 "$1" 2>&1 </dev/null) && code=0 || code=$?
    echo "== $1 $2"; echo "$said" | tail -n 3
    if [ $code != 0 ]; then echo "$said"; exit 255; fi
' "${1:-10s}"
