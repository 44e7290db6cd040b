#!/bin/sh
# Runs every fuzz target in turn: scripts/fuzz.sh [duration of each, default 10s].
set -eu
cd "$(dirname -- "$0")/.."

grep -rl --include='*_test.go' '^func Fuzz' . | while read -r file; do
    package=$(dirname "$file")
    sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$file" | while read -r target; do
        printf '== %s %s\n' "$package" "$target"
        go test -run '^$' -fuzz "^$target\$" -fuzztime "${1:-10s}" "$package" </dev/null
    done
done
