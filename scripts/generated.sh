#!/bin/sh
# Fails when committed generated code differs from the output of its generator. The generators run in the tree itself,
# where they find what has been compiled for the tests, so files that differ are up to date afterwards.
set -eu
cd "$(dirname -- "$0")/.."

before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 tar cf - | tar xf - -C "$before"
go generate ./...
differ=$(git ls-files --cached --others --exclude-standard | while read -r file; do
    [ ! -e "$file" ] || cmp -s "$file" "$before/$file" || echo "$file"
done)
[ -z "$differ" ] || {
    echo "$differ" | sed 's/$/ differed from the output of go generate, which has replaced it: review and commit it/' >&2
    exit 1
}
echo 'generated code is up to date'
