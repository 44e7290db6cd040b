package guard

import (
	"maps"
	"slices"

	"gosmp/run"
	"gosmp/run/fileuse"
)

// The roles, and four more: the configuration of a bridge may name a recording to write, the
// folders for generated code and for programs have files that each call overwrites, and the folder
// of a sweep's store has rows, which other files must not replace.
const (
	text       = fileuse.Text
	in         = fileuse.In
	namedIn    = fileuse.NamedIn
	valueIn    = fileuse.ValueIn
	atIn       = fileuse.AtIn
	driverIn   = fileuse.DriverIn
	library    = fileuse.Library
	out        = fileuse.Out
	namedOut   = fileuse.NamedOut
	outFolder  = fileuse.OutFolder
	outResults = fileuse.OutResults
	inOut      = fileuse.InOut

	bridge  = fileuse.InOut + 1
	outCode = fileuse.InOut + 2

	outPrograms = fileuse.InOut + 3
	store       = fileuse.InOut + 4
)

// roles maps each command to the roles of its flags and arguments with text values. Flags of gosmp
// run that are options of package run have their roles in run/options.go. A test compares the table
// with the definitions of the commands, so that no flag is missing.
var roles = map[string]map[string]fileuse.Role{
	"run": withOptions(map[string]fileuse.Role{
		"step-size": text, "bridge": bridge, "isolate": text, "memory": text, "log-file": out,
		"allow-origin": text, "allow-driving-from": text, "token": atIn, "tls-cert": in,
		"tls-key": in,
	}),
	"experiment list": {
		"folders": in,
	},
	"experiment pack": {
		"file": in, "out": out,
	},
	"experiment unpack": {
		"file": in, "out": outFolder,
	},
	"check": {
		"files": in, "type": text, "unit": text, "events": text, "variant": text, "glibc": text,
		"channel": text, "only": text, "page": out, "programs": outPrograms, "map": in,
		"bridge": in, "library-path": library,
	},
	"explain": {
		"id": in, "condition": text, "set": text, "map": in,
	},
	"inspect": {
		"files": in, "type": text, "graph": out, "variant": text,
	},
	"convert": {
		"files": namedIn, "out": out, "type": text, "channel": text, "field": text,
		"topic": text, "metadata": text, "variant": text, "connect": text,
		"start-value": valueIn, "step-size": text, "layout": out, "split-size": text,
	},
	"repair": {
		"file": in, "out": out, "date": text, "type": text,
	},
	"test": {
		"fmu": in, "trace": in, "type": text, "input": text, "expect": inOut, "tolerance": text,
		"ignore": text, "channel": text, "start-value": valueIn, "record": out, "junit": out,
	},
	"metrics": {
		"file": in, "out": out, "truth": text, "data": text, "type": text, "channel": text,
	},
	"report": {
		"file": in, "out": out, "truth": text, "data": text, "type": text, "channel": text,
		"unit": text,
	},
	"draw": {
		"file": in, "out": out, "mark": text, "variant": text, "channel": text, "color": text,
	},
	"plot": {
		"file": in, "path": text, "out": out, "channel": text, "type": text, "unit": text,
	},
	"simulate": {
		"map": in, "trace": out, "recording": out, "picture": out, "page": out, "bridge": bridge,
		"serve": text, "allow-origin": text, "allow-driving-from": text, "token": atIn,
		"tls-cert": in, "tls-key": in, "set": text,
	},
	"sweep run": {
		"plan": in, "out": outResults, "junit": out, "store": store, "shard": text, "serve": text,
		"nats": text, "nats-creds": in, "nats-ca": in, "nats-cert": in, "nats-key": in,
		"require": atIn, "select": text, "sut": namedIn, "on": namedIn, "drive": namedIn,
		"connect": text, "start-value": valueIn, "token": atIn, "tls-cert": in, "tls-key": in,
		"map": in, "library-path": library,
	},
	"sweep report": {
		"results": in, "from": in, "out": out,
	},
	"sweep plan": {
		"plan": in, "store": text, "gosmp": text, "image": text, "claim": text, "out": out,
		"library-path": library,
	},
	"work": {
		"experiment": in, "cache": outFolder, "nats": text, "nats-creds": in, "nats-ca": in,
		"nats-cert": in, "nats-key": in, "library-path": library,
	},
	"sensors": {
		"sensor": driverIn, "unit": text,
	},
	"sim check": {
		"address": text, "at": text, "map": in, "bridge": bridge,
	},
	"bridge generate": {
		"config": in, "out": outCode, "package": text, "gosmp": text,
	},
	"bridge topics": {
		"address": text,
	},
	"bridge echo": {
		"address": text, "topic": text, "definitions": in,
	},
	"new": {
		"name": text, "kind": text, "identifier": text, "dir": outFolder, "gosmp": text,
	},
	"demo": {
		"out": out,
	},
}

// withOptions adds the flags of gosmp run whose roles package run knows.
func withOptions(roles map[string]fileuse.Role) map[string]fileuse.Role {
	for name, role := range run.FileRoles() {
		if _, known := roles[name]; !known {
			roles[name] = role
		}
	}
	return roles
}

// RoleOf returns the role of a flag or an argument of a command, such as "sweep run".
func RoleOf(command, name string) (role fileuse.Role, known bool) {
	role, known = roles[command][name]
	return role, known
}

// Roles returns the names of the flags and arguments that have roles, by command.
func Roles() map[string][]string {
	all := map[string][]string{}
	for command, names := range roles {
		all[command] = slices.Sorted(maps.Keys(names))
	}
	return all
}
