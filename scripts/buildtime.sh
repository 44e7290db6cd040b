#!/bin/sh
# Builds the command with an empty cache, and prints the processor time of the whole build and of its most expensive
# packages, by the modules that contain them. KEEP=30 prints more of them.
set -eu
cd "$(dirname -- "$0")/.."
python=${PYTHON:-python3}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "building; this takes two to three minutes of processor time" >&2
GOCACHE=$folder/cache go build -debug-actiongraph="$folder/actions" -o "$folder/gosmp" ./cmd/gosmp
"$python" - "$folder/actions" "${KEEP:-12}" <<'PROGRAM'
import collections, json, sys

actions = [a for a in json.load(open(sys.argv[1])) if a.get("CmdUser")]
packages, modules = collections.Counter(), collections.Counter()
for action in actions:
    name = action.get("Package") or action["Mode"]
    time = (action["CmdUser"] + action.get("CmdSys", 0)) / 1e9
    if action["Mode"] == "link":
        name = "linking"
    parts = name.split("/")
    module = "gosmp" if parts[0] == "gosmp" else "/".join(parts[:3]) if "." in parts[0] else "Go's library"
    packages[name] += time
    modules["linking" if name == "linking" else module] += time
print(f"{'go build ./cmd/gosmp, cpu-s':48} {sum(packages.values()):8.1f}")
for title, times in (("packages", packages), ("modules", modules)):
    print(f"the most expensive {title}, cpu-s")
    for name, time in times.most_common(int(sys.argv[2])):
        print(f"  {name:46} {time:8.1f}")
PROGRAM
