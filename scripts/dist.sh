#!/bin/sh
# What users install without a compiler, in dist/release; docs/RELEASE.md explains it.
#
#   scripts/dist.sh build   builds the command with zig for x86-64 and aarch64, and packs wheels, archives, Debian packages
#   scripts/dist.sh test    judges dist/release by tools of others, and uses it on a system that has nothing but Python
#
# ARCHITECTURES="amd64" builds for one processor only. The same sources give the same bytes in any folder.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
venv=$root/.venv-release
sbom=v1.10.0

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

# program ARCHITECTURE ZIG-TARGET builds the command for glibc 2.17, which all systems of wheels' manylinux_2_17 have.
program() {
    echo "building gosmp for $1 (minutes the first time)"
    GOFLAGS='' GOOS=linux GOARCH=$1 CGO_ENABLED=1 CC="$zig cc -target $2" CGO_CFLAGS='-O2 -g0' \
        go build -trimpath -buildvcs=false -ldflags '-s -w -buildid= -extldflags=-Wl,--build-id=none,-s' \
        -o "dist/programs/gosmp-$1" ./cmd/gosmp
}

build() {
    tools
    zig=$(scripts/platforms.sh zig)
    rm -rf dist/programs dist/release
    mkdir -p dist/programs
    for architecture in ${ARCHITECTURES:-amd64 arm64}; do
        case $architecture in
            amd64) program amd64 x86_64-linux-gnu.2.17 ;;
            arm64) program arm64 aarch64-linux-gnu.2.17 ;;
            *) echo "ARCHITECTURES: found $architecture, expected amd64 or arm64" >&2 && exit 2 ;;
        esac
    done
    make --no-print-directory fmu-all SCENARIO= UNIT= OSMP=0.3.0
    CGO_ENABLED=0 go run ./internal/distribution -nfpm "$venv/bin/nfpm" -cyclonedx ".tools/cyclonedx-gomod-$sbom" \
        dist/all/*.fmu
    ls -l dist/release
}

case "${1:-}" in
    build) build ;;
    test) tools && exec "$venv/bin/python" scripts/test_dist.py -v ;;
    *) sed -n '2,7s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
