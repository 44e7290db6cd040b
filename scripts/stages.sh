# Functions for scripts that run tests in stages. All stages run, even after a failure; verdict then
# names each failed stage and its first error. The whole output of a stage is in dist/test. To be
# sourced by bash in the root of the repository.

logs=$PWD/dist/test
summary=$logs/failed.txt

export GOSMP_FMU="$PWD/dist/OSMPDummySensor.fmu"
export GOSMP_PYTHON="$PWD/.venv/bin/python"
# fmpy contains the headers of the standard. A test compiles our own header together with them.
GOSMP_FMPY_HEADERS="$("$GOSMP_PYTHON" -c 'import fmpy, os; print(os.path.join(os.path.dirname(fmpy.__file__), "c-code"))')"
export GOSMP_FMPY_HEADERS

# stage NAME "title" command...: runs one stage. Its output goes to the terminal and to dist/test/NAME.log.
stage() {
    log=$logs/$1.log title=$2 begun=$(date +%s)
    shift 2
    printf '\n== %s\n' "$title"
    { "$@" && : >"$log.passed" || :; } 2>&1 | tee "$log"
    conclude "$log" "$title" $(($(date +%s) - begun))
}

# aside NAME "title" command...: runs one stage while others run, for commands that leave processors
# idle. Join waits for it and shows its output. The stage gets a process group of its own, in which
# Ctrl-C is not ignored: some tests send it.
aside() {
    aside_log=$logs/$1.log aside_title=$2
    shift 2
    set -m
    {
        started=$(date +%s)
        "$@" && : >"$aside_log.passed" || :
        echo $(($(date +%s) - started)) >"$aside_log.seconds"
    } >"$aside_log" 2>&1 </dev/null &
    aside=$!
    set +m
}

join() {
    wait "$aside" || :
    aside=
    printf '\n== %s, at the same time\n' "$aside_title"
    cat "$aside_log"
    conclude "$aside_log" "$aside_title" "$(cat "$aside_log.seconds")"
    rm "$aside_log.seconds"
}

# conclude LOG "title" SECONDS: the time of a stage, and an entry in the summary if it has failed.
conclude() {
    if [ -e "$1.passed" ]; then
        rm "$1.passed"
    else
        printf '\n%s: FAILED, see %s\n' "$2" "dist/test/${1##*/}" >>"$summary"
        first_error "$1" >>"$summary"
    fi
    printf '== %s: %d min %02d s\n' "$2" $(($3 / 60)) $(($3 % 60))
}

# first_error LOG: the first thing that went wrong, at most 16 lines. Go prints a failed test after the tests that contain
# it, so the innermost test of the first group counts. If no test has failed, the first package that does not build counts.
first_error() {
    awk '
        function begin(what) { kind = what; length_of[kind] = 0; keep() }
        function keep() { text[kind, ++length_of[kind]] = "  " $0 }
        $0 != "" { last = "  " $0 }
        /^(FAILED|ERROR) .*::/ && !pytest { pytest = "  " $0 }
        /^ *--- FAIL: / {
            nested = match($0, /-/) > indent
            if (!("test" in length_of) || kind == "test" && nested) { indent = match($0, /-/); begin("test") } else kind = ""
            next
        }
        /^(panic: |fatal error: |ERROR: |==[0-9]+==ERROR)/ && kind == "" && !("crash" in length_of) { begin("crash"); next }
        /^# / && !("build" in length_of) { begin("build"); next }
        /^(ok|FAIL|PASS|---|exit status|\?)/ { kind = ""; next }
        kind != "" { keep() }
        END {
            kind = "test" in length_of ? "test" : "crash" in length_of ? "crash" : "build"
            if (pytest || !(kind in length_of)) { print pytest ? pytest : last; exit }
            for (i = 1; i <= length_of[kind]; i++) {
                if (length_of[kind] > 16 && i == 7) { print "  ..."; i = length_of[kind] - 8 }
                print text[kind, i]
            }
        }' "$1"
}

# verdict "make test" "all tests passed": the end of the script, which exits with 1 when a stage has failed.
verdict() {
    if [ -s "$summary" ]; then
        printf '\n== %s FAILED\n' "$1" >&2
        cat "$summary" >&2
        exit 1
    fi
    printf '\n%s\n' "$2"
}

# Ctrl-C terminates everything: some of the commands catch the signal and merely fail.
aside=
trap '[ -z "$aside" ] || kill -TERM -- "-$aside" 2>/dev/null; exit 130' INT TERM

rm -rf "$logs"
mkdir -p "$logs"
: >"$summary"
