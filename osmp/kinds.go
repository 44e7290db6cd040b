package osmp

import (
	"strconv"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/fault"
)

// Kind is a kind of notional binary variable: either one that OSMP names, or one that an author
// defines with another prefix and MIME type.
//
// In FMI 2.0 the lifetime of a variable follows from its causality. The bytes of an input are valid
// from the Set call to the end of the next fmi2DoStep, the bytes of an output until the beginning
// of the second fmi2DoStep after the one that created them, and the bytes of a parameter until
// fmi2ExitInitializationMode returns.
type Kind struct {
	Prefix    string // of a single variable; several are numbered from [1], see [Prefix]
	MIMEType  string
	Causality fmi.Causality // Input, Output or Parameter
	// the first declarable release that has rules for it; empty for an author's own
	Since       Version
	Description string

	// Message is the name of the OSI message that the variable carries, empty for a kind that an
	// author defines.
	Message string

	// Section names the part of OSMP that has the rules, such as "OSMP 1.1.0, Sensor data inputs";
	// empty for a kind that an author defines.
	Section string
}

// The kinds that OSMP names. SensorDataIn and SensorViewOut belong to model kinds of 0.3.0, which
// leaves their names open; the names come from 1.1.0. OSMP does not name HostVehicleData and
// MotionRequest yet; their names follow the pattern.
var (
	SensorViewIn = Kind{Prefix: "OSMPSensorViewIn", Message: "SensorView", Causality: fmi.Input,
		Since:       Version030,
		Section:     "OSMP 0.3.0, SensorView inputs",
		Description: "SensorView from the viewpoint of the sensor"}.named()
	SensorViewOut = Kind{Prefix: "OSMPSensorViewOut", Message: "SensorView", Causality: fmi.Output,
		Since:       Version030,
		Section:     "OSMP 1.1.0, Sensor view outputs",
		Description: "SensorView at the end of the step"}.named()
	SensorDataIn = Kind{Prefix: "OSMPSensorDataIn", Message: "SensorData", Causality: fmi.Input,
		Since:   Version030,
		Section: "OSMP 1.1.0, Sensor data inputs", Description: "SensorData of a sensor"}.named()
	SensorDataOut = Kind{Prefix: "OSMPSensorDataOut", Message: "SensorData", Causality: fmi.Output,
		Since:       Version030,
		Section:     "OSMP 0.3.0, SensorData outputs",
		Description: "SensorData at the end of the step"}.named()

	GroundTruthInit = Kind{Prefix: "OSMPGroundTruthInit", Message: "GroundTruth",
		Causality: fmi.Parameter, Since: Version160,
		Section:     "OSMP 1.1.0, Ground truth initialization parameters",
		Description: "GroundTruth that never changes"}.named()

	TrafficCommandIn = Kind{Prefix: "OSMPTrafficCommandIn", Message: "TrafficCommand",
		Causality: fmi.Input, Since: Version160, Section: "OSMP 1.1.0, Traffic command inputs",
		Description: "commands to a traffic participant"}.named()
	TrafficUpdateOut = Kind{Prefix: "OSMPTrafficUpdateOut", Message: "TrafficUpdate",
		Causality: fmi.Output, Since: Version160, Section: "OSMP 1.1.0, Traffic update outputs",
		Description: "state of a traffic participant"}.named()
	TrafficCommandUpdateOut = Kind{Prefix: "OSMPTrafficCommandUpdateOut",
		Message: "TrafficCommandUpdate", Causality: fmi.Output, Since: Version160,
		Section:     "OSMP 1.3.0, Traffic command update outputs",
		Description: "commands that a traffic participant has dismissed"}.named()
	StreamingUpdateIn = Kind{Prefix: "OSMPStreamingUpdateIn", Message: "StreamingUpdate",
		Causality: fmi.Input, Since: Version160, Section: "OSMP 1.4.0, Streaming update inputs",
		Description: "changes in the known state of the world"}.named()

	HostVehicleDataIn = Kind{Prefix: "OSMPHostVehicleDataIn", Message: "HostVehicleData",
		Causality: fmi.Input, Since: Version160, Section: "OSMP 1.6.0, by its pattern",
		Description: "the host vehicle's own data"}.named()
	HostVehicleDataOut = Kind{Prefix: "OSMPHostVehicleDataOut", Message: "HostVehicleData",
		Causality: fmi.Output, Since: Version160,
		Section: "OSMP 1.6.0, by its pattern", Description: "the host vehicle's own data"}.named()

	MotionRequestIn = Kind{Prefix: "OSMPMotionRequestIn", Message: "MotionRequest",
		Causality: fmi.Input, Since: Version160, Section: "OSMP 1.6.0, by its pattern",
		Description: "desired motion of the vehicle"}.named()
	MotionRequestOut = Kind{Prefix: "OSMPMotionRequestOut", Message: "MotionRequest",
		Causality: fmi.Output, Since: Version160, Section: "OSMP 1.6.0, by its pattern",
		Description: "desired motion of the vehicle"}.named()
)

// The opposite ends, in simulators. OSMP does not name them; the names are used by simulators and
// follow the pattern.
var (
	TrafficUpdateIn = Kind{Prefix: "OSMPTrafficUpdateIn", Message: "TrafficUpdate",
		Causality: fmi.Input, Since: Version160, Section: "OSMP 1.6.0, by its pattern",
		Description: "state of a traffic participant"}.named()
	TrafficCommandOut = Kind{Prefix: "OSMPTrafficCommandOut", Message: "TrafficCommand",
		Causality: fmi.Output, Since: Version160, Section: "OSMP 1.6.0, by its pattern",
		Description: "commands to a traffic participant"}.named()
	TrafficCommandUpdateIn = Kind{Prefix: "OSMPTrafficCommandUpdateIn",
		Message: "TrafficCommandUpdate", Causality: fmi.Input, Since: Version160,
		Section:     "OSMP 1.6.0, by its pattern",
		Description: "commands that a traffic participant has dismissed"}.named()
	StreamingUpdateOut = Kind{Prefix: "OSMPStreamingUpdateOut", Message: "StreamingUpdate",
		Causality: fmi.Output, Since: Version160, Section: "OSMP 1.6.0, by its pattern",
		Description: "changes in the known state of the world"}.named()
)

// The pair of the configuration handshake. Its variabilities may be fixed or tunable, the same for
// both; see [DeclareConfigRequest].
var (
	SensorViewInConfigRequest = Kind{Prefix: "OSMPSensorViewInConfigRequest",
		Message: "SensorViewConfiguration", Causality: fmi.CalculatedParameter, Since: Version030,
		Section:     "OSMP 0.3.0, SensorView input configuration",
		Description: "SensorView that the sensor requests"}.named()
	SensorViewInConfig = Kind{Prefix: "OSMPSensorViewInConfig", Message: "SensorViewConfiguration",
		Causality: fmi.Parameter, Since: Version030,
		Section:     "OSMP 0.3.0, SensorView input configuration",
		Description: "SensorView that the environment will provide"}.named()
)

// named fills in the MIME type of the message.
func (k Kind) named() Kind {
	k.MIMEType = MIMEType(k.Message)
	return k
}

// Variabilities lists the variabilities that OSMP allows for the kind; [Kind.Binary] uses the
// first.
func (k Kind) Variabilities() []fmi.Variability {
	switch {
	case k.Prefix == SensorViewInConfigRequest.Prefix || k.Prefix == SensorViewInConfig.Prefix:
		return []fmi.Variability{fmi.Fixed, fmi.Tunable}
	case k.Causality == fmi.Input || k.Causality == fmi.Output:
		return []fmi.Variability{fmi.Discrete}
	}
	return []fmi.Variability{fmi.Fixed}
}

// Named returns the kind for a prefix, with or without an index, among the kinds that OSMP names.
func Named(prefix string) (Kind, bool) {
	name := BaseName(prefix)
	for _, k := range Kinds() {
		if k.Prefix == name {
			return k, true
		}
	}
	return Kind{}, false
}

// MIMETypeOf returns the MIME type of the content of a variable: its own, unless its name is one of
// [Kinds] and implies another. The name takes precedence, because public models have wrong MIME
// types; the OSI release comes from the given type. Names from 0.3.0, for SensorViews and
// SensorData, do not override a given type: that release requires the type, and models were built
// accordingly.
func MIMETypeOf(name, given string) (mimeType string, contradicts bool) {
	k, known := Named(name)
	if !known {
		return given, false
	}
	media, parameters, ok := ParseMIMEType(given)
	if k.Since == Version030 && given != "" ||
		ok && media == OSIMediaType && parameters["type"] == k.Message {
		return given, false
	}
	mimeType = k.MIMEType
	if version := parameters["version"]; ok && version != "" {
		mimeType = OSIMediaType + "; type=" + k.Message + "; version=" + version
	}
	return mimeType, given != ""
}

// Kinds lists the kinds that OSMP names, including the two of the handshake and the opposite ends.
func Kinds() []Kind {
	return []Kind{
		SensorViewIn, SensorViewOut, SensorDataIn, SensorDataOut, SensorViewInConfigRequest,
		SensorViewInConfig, GroundTruthInit,
		TrafficCommandIn, TrafficUpdateOut, TrafficCommandUpdateOut, StreamingUpdateIn,
		HostVehicleDataIn, HostVehicleDataOut, MotionRequestIn, MotionRequestOut,
		TrafficUpdateIn, TrafficCommandOut, TrafficCommandUpdateIn, StreamingUpdateOut,
	}
}

// Check refuses a kind that uses one of OSMP's names for something else.
func (k Kind) Check() error {
	known, is := Named(k.Prefix)
	switch {
	case !is:
	case k.MIMEType != known.MIMEType:
		return fault.New(ErrDeclaration, fault.At(k.Prefix), "MIME type "+
			strconv.Quote(k.MIMEType), strconv.Quote(known.MIMEType)).
			WithHint("give other data a name of their own")
	case k.Causality != known.Causality:
		return fault.New(ErrDeclaration, fault.At(k.Prefix), "causality "+
			strconv.Quote(string(k.Causality)), strconv.Quote(string(known.Causality))).
			WithHint("give other data a name of their own")
	}
	return nil
}

// Described returns the kind with the author's description.
func (k Kind) Described(description string) Kind {
	k.Description = description
	return k
}

// Binary returns the n-th (from 1) of count variables of this kind.
func (k Kind) Binary(n, count int) Binary {
	return Binary{
		Prefix: Prefix(k.Prefix, n, count), MIMEType: k.MIMEType, Causality: k.Causality,
		Variability: k.Variabilities()[0], Description: k.Description,
	}
}

// DeclareConfigRequest adds the handshake for the n-th (from 1) of count SensorView inputs: the
// model's request and the host's configuration. dependsOn names the parameters on which the request
// depends, besides the configuration itself.
func DeclareConfigRequest(t *fmu.Variables, n, count int, dependsOn []string) (request,
	answer Place, err error) {
	ask, get := SensorViewInConfigRequest.Binary(n, count), SensorViewInConfig.Binary(n, count)
	ask.DependsOn = append(get.Actual(t), dependsOn...)
	if request, err = Declare(t, ask); err != nil {
		return request, answer, err
	}
	answer, err = Declare(t, get)
	return request, answer, err
}
