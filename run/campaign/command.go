package campaign

import (
	"strings"

	"gosmp/experiment/trial"
)

// option is an option as on the command line.
type option struct {
	name  string
	field string // of Options
	// values returns its values, for the command that repeats a sweep. It is nil if neither runs
	// nor outcomes depend on the option.
	values func(o *Options) []string
}

// options holds all options of gosmp sweep, except for those about its own output.
var options = []option{
	{"--shard", "Shard", func(o *Options) []string { return []string{o.Shard} }},
	{"--until", "Until", func(o *Options) []string { return []string{o.Until} }},
	{"--require", "Require", func(o *Options) []string { return o.Require }},
	{"--select", "Select", func(o *Options) []string { return o.Select }},
	{"--sut", "SUT", func(o *Options) []string { return o.SUT }},
	{"--on", "On", func(o *Options) []string { return o.On }},
	{"--drive", "Drive", func(o *Options) []string { return o.Drive }},
	{"--connect", "Connect", func(o *Options) []string { return o.Connect }},
	{"--start-value", "StartValue", func(o *Options) []string { return o.StartValue }},
	{"--map", "Map", func(o *Options) []string { return []string{o.Map} }},
	{"--library-path", "Library", func(o *Options) []string { return o.Library }},

	{"--out", "Out", nil}, {"--store", "Store", nil}, {"--jobs", "Jobs", nil},
	{"--rerun", "Rerun", nil}, {"--junit", "JUnit", nil}, {"--keep", "Keep", nil},
	{"--keep-all", "KeepAll", nil}, {"--fresh", "Fresh", nil}, {"--serve", "Serve", nil},
	{"--nats", "Server", nil}, {"--nats-creds", "Server", nil}, {"--nats-ca", "Server", nil},
	{"--nats-cert", "Server", nil}, {"--nats-key", "Server", nil}, {"--token", "Access", nil},
	{"--tls-cert", "Access", nil}, {"--tls-key", "Access", nil},
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
	for _, x := range options {
		if x.values == nil {
			continue
		}
		for _, value := range x.values(o) {
			if value != "" {
				words = append(words, x.name, trial.Quoted(value))
			}
		}
	}
	return strings.Join(words, " ")
}
