package campaign

import (
	"reflect"
	"strings"

	"gosmp/experiment/trial"
)

// option is an option as on the command line.
type option struct {
	name   string
	field  string // of Options
	repeat bool   // whether runs or outcomes depend on it; a field of this kind has texts
}

// options holds all options of gosmp sweep, except for those about its own output.
var options = []option{
	{"--shard", "Shard", true}, {"--until", "Until", true}, {"--require", "Require", true},
	{"--select", "Select", true}, {"--sut", "SUT", true}, {"--on", "On", true},
	{"--drive", "Drive", true}, {"--connect", "Connect", true},
	{"--start-value", "StartValue", true}, {"--map", "Map", true},
	{"--library-path", "Library", true},

	{"--out", "Out", false}, {"--store", "Store", false}, {"--jobs", "Jobs", false},
	{"--rerun", "Rerun", false}, {"--junit", "JUnit", false}, {"--keep", "Keep", false},
	{"--keep-all", "KeepAll", false}, {"--fresh", "Fresh", false}, {"--serve", "Serve", false},
	{"--nats", "Server", false}, {"--nats-creds", "Server", false},
	{"--nats-ca", "Server", false}, {"--nats-cert", "Server", false},
	{"--nats-key", "Server", false}, {"--token", "Access", false},
	{"--tls-cert", "Access", false}, {"--tls-key", "Access", false},
}

// Names returns the names of all options as on the command line.
func Names() (names []string) {
	for _, o := range options {
		names = append(names, o.name)
	}
	return names
}

// command returns the command that repeats the sweep: the plan, and the options that determine its
// runs and outcomes.
func (o *Options) command() string {
	words := []string{"gosmp sweep", trial.Quoted(o.File)}
	all := reflect.ValueOf(o).Elem()
	for _, x := range options {
		var values []string
		switch v := all.FieldByName(x.field).Interface().(type) {
		case string:
			values = []string{v}
		case []string:
			values = v
		}
		for _, value := range values {
			if x.repeat && value != "" {
				words = append(words, x.name, trial.Quoted(value))
			}
		}
	}
	return strings.Join(words, " ")
}
