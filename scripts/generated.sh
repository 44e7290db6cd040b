#!/bin/sh
# Fails when committed generated code differs from the output of its generator. Works on a copy; the tree is not changed.
set -eu
cd "$(dirname -- "$0")/.."

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 tar cf - | tar xf - -C "$copy"
(cd "$copy" && go generate ./...)
git ls-files --cached --others --exclude-standard | while read -r file; do
    cmp -s "$file" "$copy/$file" || { echo "$file differs from the output of go generate; run: make generate" >&2; exit 1; }
done
echo 'generated code is up to date'
