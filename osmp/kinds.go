package osmp

import (
	"fmt"

	"gosmp/fmi"
	"gosmp/fmu"
)

// Kind is a kind of notional binary variable: one that OSMP names, or one of an author's own with another prefix and MIME type.
//
// What a kind says about lifetimes follows from its causality. The bytes of an input are there from the Set call to the end of the
// next fmi2DoStep; those of an output until the beginning of the second fmi2DoStep after the one that made them; those of a
// parameter until fmi2ExitInitializationMode returns.
type Kind struct {
	Prefix      string // of a single variable; several are numbered from [1], see [Prefix]
	MIMEType    string
	Causality   fmi.Causality // Input, Output or Parameter
	Since       Version       // the first of the releases that can be declared which has rules for it; empty for an author's own
	Description string
}

// The kinds that OSMP names. SensorDataIn and SensorViewOut belong to model kinds of 0.3.0, which has left their names open; the
// names are those of 1.1.0. OSMP has no names for HostVehicleData yet; these follow its pattern.
var (
	SensorViewIn  = osi("OSMPSensorViewIn", "SensorView", fmi.Input, Version030, "SensorView as the sensor may see it")
	SensorViewOut = osi("OSMPSensorViewOut", "SensorView", fmi.Output, Version030, "SensorView at the end of the step")
	SensorDataIn  = osi("OSMPSensorDataIn", "SensorData", fmi.Input, Version030, "SensorData of a sensor")
	SensorDataOut = osi("OSMPSensorDataOut", "SensorData", fmi.Output, Version030, "SensorData at the end of the step")

	GroundTruthInit = osi("OSMPGroundTruthInit", "GroundTruth", fmi.Parameter, Version160, "GroundTruth that never changes")

	TrafficCommandIn        = osi("OSMPTrafficCommandIn", "TrafficCommand", fmi.Input, Version160, "commands to a traffic participant")
	TrafficUpdateOut        = osi("OSMPTrafficUpdateOut", "TrafficUpdate", fmi.Output, Version160, "state of a traffic participant")
	TrafficCommandUpdateOut = osi("OSMPTrafficCommandUpdateOut", "TrafficCommandUpdate", fmi.Output, Version160,
		"commands that a traffic participant has dismissed")
	StreamingUpdateIn  = osi("OSMPStreamingUpdateIn", "StreamingUpdate", fmi.Input, Version160, "changes to what is known of the world")
	HostVehicleDataIn  = osi("OSMPHostVehicleDataIn", "HostVehicleData", fmi.Input, Version160, "what the host vehicle knows of itself")
	HostVehicleDataOut = osi("OSMPHostVehicleDataOut", "HostVehicleData", fmi.Output, Version160, "what the host vehicle knows of itself")
)

// The pair of the configuration handshake has causalities of its own (OSMP 0.3.0, "Sensor View Input Configuration"); see
// [DeclareConfigRequest].
var (
	configRequest = osi("OSMPSensorViewInConfigRequest", "SensorViewConfiguration", fmi.CalculatedParameter, Version030,
		"SensorView that the sensor would like to get")
	config = osi("OSMPSensorViewInConfig", "SensorViewConfiguration", fmi.Parameter, Version030,
		"SensorView that the environment will provide")
)

func osi(prefix, message string, causality fmi.Causality, since Version, description string) Kind {
	return Kind{Prefix: prefix, MIMEType: MIMEType(message), Causality: causality, Since: since, Description: description}
}

// Kinds lists the kinds that OSMP names, the two of the handshake included.
func Kinds() []Kind {
	return []Kind{
		SensorViewIn, SensorViewOut, SensorDataIn, SensorDataOut, configRequest, config, GroundTruthInit,
		TrafficCommandIn, TrafficUpdateOut, TrafficCommandUpdateOut, StreamingUpdateIn, HostVehicleDataIn, HostVehicleDataOut,
	}
}

// Check refuses a kind that uses one of OSMP's names for something else.
func (k Kind) Check() error {
	for _, known := range Kinds() {
		switch {
		case k.Prefix != known.Prefix:
		case k.MIMEType != known.MIMEType:
			return fmt.Errorf("%s: MIME type %q, OSMP wants %q; other data need a name of their own", k.Prefix, k.MIMEType, known.MIMEType)
		case k.Causality != known.Causality:
			return fmt.Errorf("%s: causality %q, OSMP wants %q", k.Prefix, k.Causality, known.Causality)
		}
	}
	return nil
}

// Described is the kind with a description of the author's own.
func (k Kind) Described(description string) Kind {
	k.Description = description
	return k
}

// Binary is the n-th (from 1) of count variables of this kind.
func (k Kind) Binary(n, count int) Binary {
	b := Binary{
		Prefix: Prefix(k.Prefix, n, count), MIMEType: k.MIMEType, Causality: k.Causality,
		Variability: fmi.Discrete, Description: k.Description,
	}
	if k.Causality != fmi.Input && k.Causality != fmi.Output {
		b.Variability = fmi.Fixed
	}
	return b
}

// DeclareConfigRequest adds the handshake for the n-th (from 1) of count SensorView inputs: what the model asks for, and what it
// gets. dependsOn names the parameters that decide the request, besides the configuration itself.
func DeclareConfigRequest(t *fmu.Variables, n, count int, dependsOn []string) (request, answer Triple, err error) {
	ask, get := configRequest.Binary(n, count), config.Binary(n, count)
	ask.DependsOn = append([]string{get.Prefix + ".base.lo", get.Prefix + ".base.hi", get.Prefix + ".size"}, dependsOn...)
	if request, err = Declare(t, ask); err != nil {
		return request, answer, err
	}
	answer, err = Declare(t, get)
	return request, answer, err
}
