package check

import (
	"mime"
	"regexp"
	"strconv"
	"strings"

	"gosmp/fmi/archive"
)

// known is what OSMP says about a name.
type known struct {
	message       string
	causality     archive.Causality
	variabilities []archive.Variability
	words         string // the rule of causality and variability
	mimeType      string // the rule of the message
	index         string // the rule of several variables of that name
}

var discrete = []archive.Variability{archive.Discrete}

// wellKnown are the names of OSMP 1.6.0.
var wellKnown = map[string]known{
	"OSMPSensorViewIn":  {"SensorView", archive.Input, discrete, "OSMP V3", "OSMP V4", "OSMP V2"},
	"OSMPSensorDataOut": {"SensorData", archive.Output, discrete, "OSMP D3", "OSMP D4", "OSMP D2"},
	"OSMPSensorViewInConfigRequest": {"SensorViewConfiguration", archive.CalculatedParameter,
		[]archive.Variability{archive.Fixed, archive.Tunable}, "OSMP C2", "OSMP C4", "OSMP G2"},
	"OSMPSensorViewInConfig": {"SensorViewConfiguration", archive.Parameter,
		[]archive.Variability{archive.Fixed, archive.Tunable}, "OSMP C3", "OSMP C4", "OSMP G2"},
	"OSMPSensorDataIn":  later("SensorData", archive.Input, "OSMP 1.1.0, Sensor data inputs"),
	"OSMPSensorViewOut": later("SensorView", archive.Output, "OSMP 1.1.0, Sensor view outputs"),
	"OSMPGroundTruthInit": {"GroundTruth", archive.Parameter, []archive.Variability{archive.Fixed},
		groundTruthRule, groundTruthRule, groundTruthRule},
	"OSMPTrafficCommandIn":        later("TrafficCommand", archive.Input, "OSMP 1.1.0, Traffic command inputs"),
	"OSMPTrafficUpdateOut":        later("TrafficUpdate", archive.Output, "OSMP 1.1.0, Traffic update outputs"),
	"OSMPTrafficCommandUpdateOut": later("TrafficCommandUpdate", archive.Output, "OSMP 1.3.0, Traffic command update outputs"),
	"OSMPStreamingUpdateIn":       later("StreamingUpdate", archive.Input, "OSMP 1.4.0, Streaming update inputs"),
}

const groundTruthRule = "OSMP 1.1.0, Ground truth initialization parameters"

// later is a discrete variable of a release after 0.3.0, which has one section for all of its rules.
func later(message string, c archive.Causality, rule string) known {
	return known{message, c, discrete, rule, rule, rule}
}

// indexOf splits a prefix into its base name and its index: 0 without one, -1 if what follows is no index.
func indexOf(prefix string) (string, int) {
	name, rest, indexed := strings.Cut(prefix, "[")
	if !indexed {
		return name, 0
	}
	digits, closed := strings.CutSuffix(rest, "]")
	n, err := strconv.Atoi(digits)
	if !closed || err != nil || n < 1 || strconv.Itoa(n) != digits {
		return name, -1
	}
	return name, n
}

// structured is the grammar of structured names (FMI 2.0, 2.2.9) without derivatives.
var structured = regexp.MustCompile(`^` + identifier + `(\.` + identifier + `)*$`)

const identifier = `([A-Za-z_][A-Za-z0-9_]*|'([^'\\]|\\['"?\\abfnrtv])+')(\[[0-9]+(,[0-9]+)*\])?`

var threeNumbers = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)

// parseMIMEType splits a MIME type into type/subtype and its parameters, whose names are in lower case.
func parseMIMEType(text string) (media string, parameters map[string]string, ok bool) {
	media, parameters, err := mime.ParseMediaType(text)
	kind, subtype, slash := strings.Cut(media, "/")
	return media, parameters, err == nil && slash && kind != "" && subtype != ""
}
