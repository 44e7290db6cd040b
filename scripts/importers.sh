#!/bin/sh
# Runs the packed FMU in third-party importers (docs/IMPORTERS.md lists them), after installing missing ones in pinned
# versions: Python packages into .venv, everything else into .tools/importers.
#
#   scripts/importers.sh            install, then test
#   scripts/importers.sh install    only that
#   scripts/importers.sh test       only that
#   ... --strict                    an importer that is missing is an error; for CI
#
# Importers that cannot be installed on this machine are left out; the last lines name them and what they need.
# GOSMP_FMU names an FMU other than the one of `make fmu`.
set -eu
cd "$(dirname -- "$0")/.."

tools=$PWD/.tools/importers
sources=$PWD/test/importers
python=$PWD/.venv/bin/python
what=all strict=''
for word; do
    case "$word" in
        install | test) what=$word ;;
        --strict) strict=yes ;;
        *)
            echo "usage: scripts/importers.sh [install|test] [--strict]" >&2
            exit 2
            ;;
    esac
done
mkdir -p "$tools/missing"

# Each file in missing/ is named after an importer and contains the reason why it is missing. The tests read them.
missing() { # missing IMPORTER "why"
    printf '%s\n' "$2" >"$tools/missing/$1"
    echo "importers: $1 is left out: $2" >&2
}

# fresh NAME FILE...: has NAME been installed from these files already, as they are now?
fresh() {
    stamp=$tools/$1.stamp
    shift
    sum=$(cat scripts/importers.sh "$@" | cksum)
    [ "$(cat "$stamp" 2>/dev/null)" = "$sum" ]
}
install_python() {
    scripts/setup.sh test
    stamp=.venv/.gosmp-importers # is removed with the environment when that is recreated
    sum=$(cat scripts/requirements-importers.txt scripts/constraints.txt | cksum)
    [ "$(cat $stamp 2>/dev/null)" = "$sum" ] && return
    echo "importers: installing libcosimpy, ecospy and fmu-manipulation-toolbox into .venv" >&2
    good=yes
    for importer in libcosimpy ecospy fmu-manipulation-toolbox; do
        "$python" -m pip install --quiet --disable-pip-version-check "$importer" \
            -c scripts/requirements-importers.txt -c scripts/constraints.txt >&2 && continue
        good=''
        missing $importer "pip could not install it for $("$python" --version), see above; libcosimpy needs Python 3.11 to 3.14"
    done
    [ -z "$good" ] || printf '%s\n' "$sum" >$stamp
}

check_ecos() { # ecos links with a library that a bare system lacks
    [ -e "$tools/missing/ecospy" ] && return
    "$python" -c 'import ecospy' 2>/dev/null && return
    missing ecospy "it cannot be loaded: $("$python" -c 'import ecospy' 2>&1 | tail -n 1); apt-get install libtbb12"
}

# maven NAME: copies the jars of test/importers/NAME/pom.xml to .tools/importers/NAME/lib.
maven() {
    fresh "$1" "$sources/$1/pom.xml" && return
    echo "importers: fetching $1 through Maven" >&2
    rm -rf "${tools:?}/$1"
    groups=false # before the names of the jars
    [ "$1" != maestro ] || groups=true # which has two jars of one name, in different groups
    mvn -B -q -f "$sources/$1/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
        -DincludeScope=runtime -Dmdep.prependGroupId=$groups "-DoutputDirectory=$tools/$1/lib" >&2 || return 1
    printf '%s\n' "$sum" >"$tools/$1.stamp"
}

# VDMCheck starts a second JVM, which needs jars without version numbers in one folder, and its models unpacked.
arrange_vdmcheck() {
    cd "$tools/vdmcheck"
    for jar in lib/*.jar; do
        name=${jar#lib/}
        cp "$jar" "${name%%-[0-9]*}.jar"
    done
    for part in 'static-model.jar fmi2-static-model' 'rule-model.jar fmi2-rule-model' 'vdmcheck2.jar fmi2schema'; do
        # shellcheck disable=SC2086 # two words are wanted
        "$python" - $part <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as jar:
    jar.extractall(members=[name for name in jar.namelist() if name.startswith(sys.argv[2])])
PYTHON
    done
    cd - >/dev/null
}

install_jvm() {
    lacking=''
    command -v java >/dev/null 2>&1 || lacking='java 17 or newer (apt-get install openjdk-17-jdk-headless)'
    command -v mvn >/dev/null 2>&1 || lacking="${lacking:+$lacking and }Maven (apt-get install maven)"
    for importer in fmi4j maestro vdmcheck; do
        if [ -n "$lacking" ]; then
            missing $importer "this machine lacks $lacking"
        elif ! maven $importer; then
            missing $importer 'Maven could not fetch it; see above'
        fi
    done
    [ -e "$tools/missing/vdmcheck" ] || [ -e "$tools/vdmcheck/fmi2-rule-model" ] || arrange_vdmcheck
}

install_rust() {
    if ! command -v cargo >/dev/null 2>&1; then
        missing fmi-rs 'this machine lacks cargo of Rust 1.85 or newer (https://rustup.rs)'
    elif ! CARGO_TARGET_DIR="$tools/fmirs" cargo build --quiet --manifest-path "$sources/fmirs/Cargo.toml" >&2; then
        missing fmi-rs 'cargo could not build its host; see above'
    fi
}

if [ $what != test ]; then
    rm -f "$tools/missing/"*
    install_python
    check_ecos
    install_jvm
    install_rust
fi

code=0
if [ $what != install ]; then
    "$python" -m pytest -q test/importers || code=$?
fi

left=$(cd "$tools/missing" && for importer in *; do
    [ -e "$importer" ] && printf '  SKIPPED %s: %s\n' "$importer" "$(cat "$importer")"
done; true)
if [ -n "$left" ]; then
    printf 'importers that could not be used on this machine:\n%s\n' "$left"
    [ -z "$strict" ] || exit 1
else
    echo 'importers: all of them are installed'
fi
exit $code
