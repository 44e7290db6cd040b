package guard

import (
	"maps"
	"slices"
)

// Role is what a command does with the text of a flag or an argument.
type Role int

// The roles. A name is what comes before the first "=".
const (
	Text       Role = iota + 1 // no file
	In                         // a file, or a folder with files, that is read
	NamedIn                    // NAME=FILE, or FILE
	ValueIn                    // NAME=VALUE, where the value may be @FILE or the name of a file
	AtIn                       // a text, or @FILE
	DriverIn                   // DRIVER:FILE
	Out                        // a file that is written
	NamedOut                   // NAME=FILE
	OutFolder                  // a folder in which files are made
	OutResults                 // a folder for the results of a sweep, which the sweep tries itself
	InOut                      // what --update replaces by intention, else a file that is read
)

// roles are those of all flags and arguments whose value is a text, by command. A test compares the
// table with the definitions of the commands, so that no flag is missing.
var roles = map[string]map[string]Role{
	"run": {
		"files": NamedIn, "connect": Text, "extrapolate": Text, "variant": Text, "step-size": Text,
		"library-path": Text,
		"start-value":  ValueIn, "clock-interval": Text, "input-file": In, "input-messages": NamedIn,
		"sensor-view-config": NamedIn, "output-file": Out, "output-format": Text,
		"output-variable": Text, "record": Out,
		"output-messages": NamedOut, "bridge": In, "plot": Out, "graph": Out, "isolate": Text,
		"memory": Text, "work-dir": Text, "preload": In, "log-category": Text, "log-file": Out,
		"initial-fmu-state-file": In, "final-fmu-state-file": Out, "events": In, "timeline": Out,
		"set": ValueIn, "report": Out, "resume": In, "junit": Out, "drive": NamedIn, "on": NamedIn,
		"sut":          NamedIn,
		"allow-origin": Text, "allow-driving-from": Text, "token": AtIn, "tls-cert": In,
		"tls-key": In,
		"require": AtIn, "trajectories": Out,
	},
	"experiment list":   {"folders": Text},
	"experiment pack":   {"file": In, "out": Out},
	"experiment unpack": {"file": In, "out": OutFolder},
	"check": {"files": In, "type": Text, "unit": Text, "events": Text, "variant": Text,
		"glibc": Text, "only": Text, "page": Out, "programs": OutFolder},
	"explain": {"id": Text, "condition": Text, "set": Text},
	"inspect": {"files": In, "type": Text, "graph": Out, "variant": Text},
	"convert": {
		"files": NamedIn, "out": Out, "type": Text, "channel": Text, "field": Text, "topic": Text,
		"metadata": Text, "variant": Text, "connect": Text, "start-value": ValueIn, "step-size": Text,
		"layout": Out,
	},
	"repair": {"file": In, "out": Out, "date": Text, "type": Text},
	"test": {
		"fmu": In, "trace": In, "type": Text, "input": Text, "expect": InOut, "tolerance": Text,
		"ignore": Text, "channel": Text, "start-value": ValueIn, "record": Out, "junit": Out,
	},
	"metrics": {"file": In, "out": Out, "truth": Text, "data": Text, "type": Text},
	"report":  {"file": In, "out": Out, "truth": Text, "data": Text, "type": Text},
	"draw":    {"file": In, "out": Out, "mark": Text, "variant": Text},
	"plot":    {"file": In, "path": Text, "out": Out, "channel": Text, "type": Text},
	"simulate": {
		"map": In, "trace": Out, "recording": Out, "picture": Out, "page": Out, "bridge": In,
		"serve":        Text,
		"allow-origin": Text, "allow-driving-from": Text, "token": AtIn, "tls-cert": In,
		"tls-key": In,
	},
	"sweep run": {
		"plan": In, "out": OutResults, "junit": Out, "store": Text, "shard": Text, "serve": Text, "nats": Text,
		"nats-creds": In, "nats-ca": In, "nats-cert": In, "nats-key": In,
		"require": AtIn, "select": Text, "sut": NamedIn, "on": NamedIn, "drive": NamedIn,
		"connect": Text, "start-value": ValueIn,
	},
	"sweep report": {"results": In, "from": In, "out": Out},
	"sweep plan": {
		"plan": In, "store": Text, "gosmp": Text, "image": Text, "claim": Text, "out": Out,
	},
	"work": {
		"experiment": In, "cache": OutFolder, "nats": Text, "nats-creds": In, "nats-ca": In,
		"nats-cert": In, "nats-key": In,
	},
	"sensors":         {"sensor": DriverIn, "unit": Text},
	"sim check":       {"address": Text, "at": Text, "map": In, "bridge": In},
	"bridge generate": {"config": In, "out": OutFolder, "package": Text, "gosmp": Text},
	"new": {
		"name": Text, "kind": Text, "identifier": Text, "dir": OutFolder, "gosmp": Text,
	},
	"demo": {"out": Out},
}

// RoleOf is the role of a flag or an argument of a command, such as "sweep run".
func RoleOf(command, name string) (role Role, known bool) {
	role, known = roles[command][name]
	return role, known
}

// Roles lists the names of the flags and arguments that have roles, by command.
func Roles() map[string][]string {
	all := map[string][]string{}
	for command, names := range roles {
		all[command] = slices.Sorted(maps.Keys(names))
	}
	return all
}
