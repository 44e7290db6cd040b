#!/bin/sh
# Runs the notebooks of the documentation and builds the site, dist/site. The tools go to .venv-site. The notebooks call
# GOSMP_BINARY, or else dist/gosmp, which is then built first.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
venv=$root/.venv-site

wanted=$(cat scripts/requirements-site.txt)
if [ "$(cat "$venv/.gosmp" 2>/dev/null)" != "$wanted" ] || ! "$venv/bin/python" -c '' 2>/dev/null; then
    echo "tools of the documentation: installing them in .venv-site (once, about 400 MB)" >&2
    "$("$root/scripts/base_python.sh")" -m venv --clear "$venv"
    "$venv/bin/python" -m pip install --disable-pip-version-check --quiet -r scripts/requirements-site.txt >&2
    printf '%s\n' "$wanted" >"$venv/.gosmp"
fi

if [ -z "${GOSMP_BINARY:-}" ]; then
    echo "building gosmp"
    go build -o dist/gosmp ./cmd/gosmp
    GOSMP_BINARY=$root/dist/gosmp
fi
export GOSMP_BINARY PYTHONPATH="$root/python"

build=dist/site-build
rm -rf dist/site $build
mkdir -p $build/source/docs
cp -R docs/tutorials $build/source/docs

echo "running the notebooks (a minute or two)"
"$venv/bin/python" -m pytest -q -p no:cacheprovider --nbmake --overwrite --nbmake-timeout=600 \
    $build/source/docs/tutorials
"$venv/bin/jupyter" nbconvert --log-level ERROR --to markdown $build/source/docs/tutorials/*.ipynb
rm $build/source/docs/tutorials/*.ipynb

"$venv/bin/python" scripts/docs_site.py prepare $build
"$venv/bin/pdoc" -o $build/source/python gosmp gosmp.osmp gosmp.simapi
"$venv/bin/zensical" build --strict -f $build/zensical.toml >$build/log.txt 2>&1 ||
    { cat $build/log.txt; exit 1; }
mv $build/site dist/site
"$venv/bin/python" scripts/docs_site.py check dist/site
echo "open dist/site/index.html"
