package check

import (
	"mime"
	"regexp"
	"strings"

	"gosmp/fmi"
)

// known is what OSMP says about a name.
type known struct {
	message       string
	causality     fmi.Causality
	variabilities []fmi.Variability
	words         string // the rule of causality and variability
	mimeType      string // the rule of the message
	index         string // the rule of several variables of that name
}

var discrete = []fmi.Variability{fmi.Discrete}

// wellKnown are the names of OSMP 1.6.0.
var wellKnown = map[string]known{
	"OSMPSensorViewIn":  {"SensorView", fmi.Input, discrete, "OSMP V3", "OSMP V4", "OSMP V2"},
	"OSMPSensorDataOut": {"SensorData", fmi.Output, discrete, "OSMP D3", "OSMP D4", "OSMP D2"},
	"OSMPSensorViewInConfigRequest": {"SensorViewConfiguration", fmi.CalculatedParameter,
		[]fmi.Variability{fmi.Fixed, fmi.Tunable}, "OSMP C2", "OSMP C4", "OSMP G2"},
	"OSMPSensorViewInConfig": {"SensorViewConfiguration", fmi.Parameter,
		[]fmi.Variability{fmi.Fixed, fmi.Tunable}, "OSMP C3", "OSMP C4", "OSMP G2"},
	"OSMPSensorDataIn":  later("SensorData", fmi.Input, "OSMP 1.1.0, Sensor data inputs"),
	"OSMPSensorViewOut": later("SensorView", fmi.Output, "OSMP 1.1.0, Sensor view outputs"),
	"OSMPGroundTruthInit": {"GroundTruth", fmi.Parameter, []fmi.Variability{fmi.Fixed},
		groundTruthRule, groundTruthRule, groundTruthRule},
	"OSMPTrafficCommandIn":        later("TrafficCommand", fmi.Input, "OSMP 1.1.0, Traffic command inputs"),
	"OSMPTrafficUpdateOut":        later("TrafficUpdate", fmi.Output, "OSMP 1.1.0, Traffic update outputs"),
	"OSMPTrafficCommandUpdateOut": later("TrafficCommandUpdate", fmi.Output, "OSMP 1.3.0, Traffic command update outputs"),
	"OSMPStreamingUpdateIn":       later("StreamingUpdate", fmi.Input, "OSMP 1.4.0, Streaming update inputs"),
}

const groundTruthRule = "OSMP 1.1.0, Ground truth initialization parameters"

// later is a discrete variable of a release after 0.3.0, which has one section for all of its rules.
func later(message string, c fmi.Causality, rule string) known {
	return known{message, c, discrete, rule, rule, rule}
}

var threeNumbers = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)

// parseMIMEType splits a MIME type into type/subtype and its parameters, whose names are in lower case.
func parseMIMEType(text string) (media string, parameters map[string]string, ok bool) {
	media, parameters, err := mime.ParseMediaType(text)
	kind, subtype, slash := strings.Cut(media, "/")
	return media, parameters, err == nil && slash && kind != "" && subtype != ""
}
