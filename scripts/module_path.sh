#!/usr/bin/env bash
# Gives the module another path, under which others can fetch it: scripts/module_path.sh example.org/tools/gosmp
#
# Changes go.mod, imports, templates of new models, options of the protocol files, commands that generate code, and
# the rules of the linter; then generates the code of the protocol files again. Commit before, and check git diff
# afterwards. Texts that name a folder of a checkout, such as gosmp/fmu in a cache, are left unchanged.
set -euo pipefail
cd "$(dirname -- "${BASH_SOURCE[0]}")/.."

new=${1-}
if [ $# != 1 ] || ! printf %s "$new" | grep -qE '^[A-Za-z0-9][A-Za-z0-9._~-]*(/[A-Za-z0-9][A-Za-z0-9._~-]*)*$'; then
    echo "found ${new:-nothing}, expected one module path; scripts/module_path.sh example.org/tools/gosmp" >&2
    exit 2
fi
old=$(go list -m)
[ "$old" != "$new" ] || { echo "the module path is $new already"; exit 0; }
if ! git diff --quiet HEAD --; then
    echo "files have changes that are not committed; commit them first, so that git diff shows what this script does" >&2
    exit 2
fi

# Only folders with packages are parts of import paths: the Python package has the same name as the module.
rooms=$(go list ./... | sed -nE "s#^$old/([^/]+).*#\1#p" | sort -u | paste -sd'|')
quoted="s#([\"\`])$old/($rooms)([\"\`/\$.])#\1$new/\2\3#g"
list() { git ls-files -z -- "$@"; }

go mod edit -module "$new"
list '*.go' ':!*.pb.go' '*.tmpl' '*.txtar' '*.md' | xargs -0 sed -i -E \
    -e "$quoted" -e "s#^(import |[[:space:]]*)\"$old\"\$#\1\"$new\"#" \
    -e "/^\/\/go:generate/s#([ =])$old/($rooms)([/ ]|\$)#\1$new/\2\3#g"
list '*.proto' | xargs -0 sed -i -E "s#(go_package = \")$old/#\1$new/#"
rule="s#([[:space:],[])$old(/($rooms)|\\$)([]/,\$[:space:]]|\$)#\1$new\2\4#g"
list .golangci.yml | xargs -0 sed -i -E -e "$rule" -e "$rule" # twice, because neighbors share a character
go generate ./proto/... ./simapi/...
gofmt -w $(list '*.go' | xargs -0 -n1 dirname | sort -u) # the order of imports may change
echo "the module path is $new; run make test, and commit"
