#!/bin/sh
# Runs every fuzz target, two at a time: scripts/fuzz.sh [duration of each, default 10s].
#
# A target that fails does not stop the others. Failures are printed last, each with its input, so that a log from
# another machine is enough to reproduce them. Go writes failing inputs to testdata/fuzz of the target's package.
set -eu
cd "$(dirname -- "$0")/.."

targets() {
    grep -rl --include='*_test.go' '^func Fuzz' . | sort | while read -r file; do
        sed -n "s|^func \\(Fuzz[A-Za-z0-9_]*\\).*|$(dirname "$file") \\1|p" "$file"
    done
}

# input prints the file with the failing input, from the testdata of package $1 or from Go's cache of interesting inputs.
# Go's fuzzer writes text files, in which one byte can take four characters. Compressed, they mostly fit in 2 kB.
input() {
    written=$(sed -n 's|.*Failing input written to ||p' "$2" | head -n 1)
    entry=$(sed -n 's|.*failure while testing seed corpus entry: ||p' "$2" | head -n 1)
    for file in "$1/${written:-testdata/fuzz/$entry}" "$(go env GOCACHE)/fuzz/$(go list "$1")/$entry"; do
        [ -f "$file" ] || continue
        encoded=$(gzip -9nc "$file" | base64)
        echo "failing input: $file, $(wc -c <"$file" | tr -d ' ') bytes. To recreate it on another machine:"
        echo "mkdir -p '$1/testdata/fuzz/$3' && base64 -d <<'end' | gunzip >'$1/testdata/fuzz/$3/$(basename "$file")'"
        echo "$encoded" | head -c 2048
        [ ${#encoded} -le 2048 ] || printf '\n(cut: 2048 of %s characters)\n' ${#encoded}
        echo end
        return
    done
    echo "failing input: ${entry:-no file of its own}"
}

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
trap 'exit 130' INT TERM
echo "$(targets | wc -l | tr -d ' ') fuzz targets, ${1:-10s} each"
# Minimizing may take as long as the run itself, so it is limited. Before Go 1.27, the fuzzer sometimes reports the end of
# its time as a failure without a failing input (go.dev/issue/75804); that does not count as a failure.
targets | xargs -P 2 -L 1 sh -c '
    log=$0/$(echo "${2#./}.$3" | tr / _)
    go test -run "^\$" -fuzz "^$3\$" -fuzztime "$1" -fuzzminimizetime 10x -parallel 1 "$2" >"$log" 2>&1 </dev/null && code=0 || code=$?
    if ! grep -qE "Failing input|seed corpus entry|panic:" "$log" && grep -q "context deadline exceeded" "$log"; then code=0; fi
    [ $code = 0 ] && state= || { state=" FAILED"; echo "$2 $3" >"$log.failed"; }
    echo "== $2 $3$state: $(grep "^fuzz:" "$log" | tail -n 1)"
' "$logs" "${1:-10s}"

code=0
for failed in "$logs"/*.failed; do
    [ -f "$failed" ] || continue
    read -r package target <"$failed"
    printf '\n== FAILED: %s %s\n' "$package" "$target"
    head -c 20000 "${failed%.failed}"
    input "$package" "${failed%.failed}" "$target"
    code=1
done
exit $code
