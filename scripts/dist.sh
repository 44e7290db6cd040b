#!/bin/sh
# Builds what users install without a compiler, in dist/release; see docs/RELEASE.md.
#
#   scripts/dist.sh build   builds the command for Linux (with zig), Windows and macOS; packs wheels, archives, Debian packages
#   scripts/dist.sh test    checks dist/release with third-party tools, and uses it on a system with nothing but Python
#   scripts/dist.sh repeat  builds the committed state again in another folder, with empty caches, and compares the bytes
#
# TARGETS="linux-amd64" builds for one system only. The same sources produce the same bytes in any folder.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
venv=$root/.venv-release
sbom=v1.10.0
all='linux-amd64 linux-arm64 windows-amd64 macos-arm64'

tools() {
    wanted=$(cat scripts/requirements-release.txt)
    if [ "$(cat "$venv/.gosmp" 2>/dev/null)" != "$wanted" ] || ! "$venv/bin/python" -c '' 2>/dev/null; then
        echo "tools of a release: installing them in .venv-release (once)" >&2
        "$("$root/scripts/base_python.sh")" -m venv --clear "$venv"
        "$venv/bin/python" -m pip install --disable-pip-version-check --quiet -r scripts/requirements-release.txt >&2
        printf '%s\n' "$wanted" >"$venv/.gosmp"
    fi
    if [ ! -x ".tools/cyclonedx-gomod-$sbom" ]; then
        echo "bill of materials: building cyclonedx-gomod $sbom (once)" >&2
        GOBIN=$root/.tools go install "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$sbom"
        mv .tools/cyclonedx-gomod ".tools/cyclonedx-gomod-$sbom"
    fi
}

# Large packages in which no time is spent are compiled without inlining: this saves 1.3 MB of each package.
small=
for path in github.com/nats-io/... github.com/andybalholm/... codeberg.org/... git.sr.ht/... github.com/alecthomas/... \
    github.com/google/pprof/... golang.org/x/image/... golang.org/x/text/... gonum.org/... \
    net/http/... crypto/tls go/... html/... text/template/... encoding/gob \
    gosmp/cmd/... gosmp/report/... gosmp/importer/examine gosmp/fmi/check gosmp/build/...; do
    small="$small -gcflags=$path=-l"
done

# linux ARCHITECTURE ZIG-TARGET builds the command for glibc 2.17, which all systems for manylinux_2_17 wheels have.
linux() {
    GOFLAGS='' GOOS=linux GOARCH=$1 CGO_ENABLED=1 CC="$zig cc -target $2" CGO_CFLAGS='-O2 -g0' \
        go build -trimpath -buildvcs=false $small \
        -ldflags '-s -w -buildid= -extldflags=-Wl,--build-id=none,-s' \
        -o "dist/programs/gosmp-linux-$1" ./cmd/gosmp
}

# other SYSTEM ARCHITECTURE FILE builds the command without C.
other() {
    GOFLAGS='' GOOS=$1 GOARCH=$2 CGO_ENABLED=0 \
        go build -trimpath -buildvcs=false $small -ldflags '-s -w' -o "dist/programs/$3" ./cmd/gosmp
}

build() {
    tools
    zig=$(scripts/platforms.sh zig)
    rm -rf dist/programs dist/release
    mkdir -p dist/programs
    for target in ${TARGETS:-$all}; do
        echo "building gosmp for $target (minutes the first time)"
        case $target in
            linux-amd64) linux amd64 x86_64-linux-gnu.2.17 ;;
            linux-arm64) linux arm64 aarch64-linux-gnu.2.17 ;;
            windows-amd64) other windows amd64 gosmp-windows-amd64.exe ;;
            macos-arm64) other darwin arm64 gosmp-macos-arm64 ;;
            *) echo "TARGETS: found $target, expected some of $all" >&2 && exit 2 ;;
        esac
    done
    make --no-print-directory fmu-all SCENARIO= UNIT= OSMP=0.3.0
    CGO_ENABLED=0 go run ./internal/distribution -nfpm "$venv/bin/nfpm" -cyclonedx ".tools/cyclonedx-gomod-$sbom" \
        -deflate '.venv-release/bin/python scripts/squeeze.py' \
        dist/all/OSMPDummySensor.fmu dist/all/OSMPDummySensor-fmi3.fmu
    ls -l dist/release
}

# repeat builds the committed state as somebody else would: other folder, other home, empty caches except for Go modules.
repeat() {
    [ -f dist/release/SHA256SUMS ] || { echo "there is no dist/release: run make dist" >&2 && exit 2; }
    place=$(mktemp -d "${TMPDIR:-/tmp}/gosmp-repeated-XXXXXX")
    trap 'rm -rf "$place"' EXIT
    git archive --prefix=elsewhere/ HEAD | tar -x -C "$place"
    mkdir "$place/home"
    (
        GOMODCACHE=$(go env GOMODCACHE) GOCACHE=$place/go-build HOME=$place/home XDG_CACHE_HOME=$place/cache
        export GOMODCACHE GOCACHE HOME XDG_CACHE_HOME
        unset ZIG_GLOBAL_CACHE_DIR ZIG_LOCAL_CACHE_DIR
        cd "$place/elsewhere" && scripts/dist.sh build >&2
    )
    diff dist/release/SHA256SUMS "$place/elsewhere/dist/release/SHA256SUMS" ||
        { echo "the second build differs, or files have changed since make dist" >&2 && exit 1; }
    echo "both builds have the same bytes"
}

case "${1:-}" in
    build) build ;;
    repeat) repeat ;;
    test) tools && exec "$venv/bin/python" scripts/test_dist.py -v ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
