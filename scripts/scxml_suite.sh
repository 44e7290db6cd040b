#!/usr/bin/env bash
# Puts the public SCXML test suite where the tests of experiment/scxml look for it: charts from the W3C manifest and from
# SCION, with the expected configurations, Apache-2.0. It is not part of this repository; without it, the tests that need
# it are skipped.
set -euo pipefail
cd "$(dirname -- "${BASH_SOURCE[0]}")/.."

package=@scion-scxml/test-framework@2.0.16
sum=b813071f5691c7a36bab65ba5ce5aae479933395177447a6609c110bc936622b
target=experiment/scxml/testdata/suite

if ! command -v npm >/dev/null; then
    echo "scxml_suite: npm is missing: install Node.js, or run the tests without the suite" >&2
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
archive=$folder/$(cd "$folder" && npm pack --silent "$package")
echo "$sum  $archive" | sha256sum --check --quiet
mkdir "$folder/suite"
tar -xzf "$archive" -C "$folder/suite" --strip-components=1
rm -rf "$target"
mkdir -p "$(dirname "$target")"
mv "$folder/suite" "$target"
echo "scxml_suite: $package is in $target"
