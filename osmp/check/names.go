package check

import (
	"regexp"

	"gosmp/osmp"
)

// rules holds the names under which findings about a kind are reported.
type rules struct {
	words    string // causality and variability
	mimeType string // the message
	index    string // several variables of that name
	section  string // of OSMP, to end a message with; empty for kinds with rules of their own
}

// numbered holds the rules of kinds that have rules of their own in docs/OSMP_RULES.md.
var numbered = map[string]rules{
	osmp.SensorViewIn.Prefix:              {"OSMP-V3", "OSMP-V4", "OSMP-V2", ""},
	osmp.SensorDataOut.Prefix:             {"OSMP-D3", "OSMP-D4", "OSMP-D2", ""},
	osmp.SensorViewInConfigRequest.Prefix: {"OSMP-C2", "OSMP-C4", "OSMP-G2", ""},
	osmp.SensorViewInConfig.Prefix:        {"OSMP-C3", "OSMP-C4", "OSMP-G2", ""},
}

// rulesOf returns the rules of a kind that OSMP defines.
func rulesOf(k osmp.Kind) rules {
	if r, found := numbered[k.Prefix]; found {
		return r
	}
	return rules{"OSMP-K1", "OSMP-K2", "OSMP-K3", " (" + k.Section + ")"}
}

var release = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)

// isRelease reports whether text consists of three numbers such as 1.6.0, the form in which
// releases of OSMP and OSI are written.
func isRelease(text string) bool { return release.MatchString(text) }

// releases lists the releases of OSMP, in order.
var releases = []string{"0.1.0", "0.2.0", "0.2.1", "0.3.0", "1.0.0", "1.1.0", "1.1.1", "1.2.0",
	"1.3.0", "1.4.0", "1.5.0", "1.6.0"}

// topLevel lists the messages of OSI that models exchange, of all releases.
var topLevel = []string{"FeatureData", "GroundTruth", "HostVehicleData", "MotionRequest",
	"SensorData", "SensorView", "SensorViewConfiguration", "StreamingUpdate", "TrafficCommand",
	"TrafficCommandUpdate", "TrafficUpdate"}
