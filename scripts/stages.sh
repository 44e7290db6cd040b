# Functions for scripts that run tests in stages. All stages run, even after a failure; verdict then names each failed
# stage and its first error. The whole output of a stage is in dist/test. To be sourced in the root of the repository.

logs=$PWD/dist/test
summary=$logs/failed.txt
stages=

export GOSMP_FMU="$PWD/dist/OSMPDummySensor.fmu"
export GOSMP_PYTHON="$PWD/.venv/bin/python"
# fmpy contains the headers of the standard. A test compiles our own header together with them.
GOSMP_FMPY_HEADERS="$("$GOSMP_PYTHON" -c 'import fmpy, os; print(os.path.join(os.path.dirname(fmpy.__file__), "c-code"))')"
export GOSMP_FMPY_HEADERS
# The FMUs of examples, which many tests need, are packed once.
export GOSMP_MODELS="$logs/models"

# A shell's background job, and some CI servers, start commands with Ctrl-C ignored. The tests send it to programs,
# which would inherit that and not end. A shell cannot restore the signal, so the script begins again.
if [ -z "${GOSMP_INTERRUPTIBLE:-}" ]; then
    export GOSMP_INTERRUPTIBLE=1
    exec "$GOSMP_PYTHON" -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "scripts/${0##*/}" "$@"
fi

# stage NAME "title" command...: runs one stage. Its output goes to the terminal and to dist/test/NAME.log. If STAGES is
# set, only the stages that it names run.
stage() {
    stages="$stages $1"
    case " ${STAGES:-$1} " in
    *" $1 "*) ;;
    *) return 0 ;;
    esac
    log=$logs/$1.log title=$2 begun=$(date +%s)
    shift 2
    printf '\n== %s\n' "$title"
    { "$@" && : >"$logs/passed" || :; } 2>&1 | tee "$log"
    seconds=$(($(date +%s) - begun))
    if [ -e "$logs/passed" ]; then
        rm "$logs/passed"
    else
        printf '\n%s: FAILED, see %s\n' "$title" "dist/test/${log##*/}" >>"$summary"
        first_error "$log" >>"$summary"
    fi
    printf '== %s: %d min %02d s\n' "$title" $((seconds / 60)) $((seconds % 60))
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
    for name in ${STAGES:-}; do
        case "$stages " in
        *" $name "*) ;;
        *) printf '\nstage %s: found no such stage, expected some of:%s\n' "$name" "$stages" >>"$summary" ;;
        esac
    done
    if [ -s "$summary" ]; then
        printf '\n== %s FAILED\n' "$1" >&2
        cat "$summary" >&2
        exit 1
    fi
    printf '\n%s%s\n' "$2" "${STAGES:+ (of the stages $STAGES)}"
}

# Ctrl-C terminates everything: some of the commands catch the signal and merely fail.
trap 'exit 130' INT TERM

rm -rf "$logs"
mkdir -p "$logs"
: >"$summary"
