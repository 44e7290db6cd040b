#!/bin/sh
# Refuses options of the Makefile that make no sense, before anything is built. make hands over UNIT and STOP in the environment; both
# may be missing or empty.
set -eu

wrong() { # wrong NAME "what was found" "what is wanted"
    echo "$1=$2: expected $3" >&2
    exit 2
}

case "${UNIT:-ms}" in
    ms | us | s | ns) ;;
    *) wrong UNIT "$UNIT" 'the unit of the time stamps: ms, us, s or ns' ;;
esac

# A number with a digit other than 0 in front of its exponent is above 0.
if [ -n "${STOP:-}" ] && { ! printf '%s\n' "$STOP" | grep -Eqx '([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?' ||
    ! printf '%s\n' "$STOP" | grep -Eq '^[0.]*[1-9]'; }; then
    wrong STOP "$STOP" 'a number of seconds above 0'
fi
