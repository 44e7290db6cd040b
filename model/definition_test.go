package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/osmp"
)

// defined returns a definition with only these variables.
func defined(declare func(d *model.Declaration)) *fmu.Definition {
	return model.Definition{Identifier: "M", New: func(d *model.Declaration) model.Model {
		declare(d)
		return stepper{}
	}}.FMU()
}

func TestDefinition_RefusesByNameAndRule(t *testing.T) {
	var x float64
	var s string
	var b bool
	long := "a.parameter.with.a.name.that.goes.on.and.on.until.it.has.sixty"
	for wanted, declare := range map[string]func(d *model.Declaration){
		`two variables are named "x"`: func(d *model.Declaration) {
			model.Parameter(d, &x, "x", 0, "", model.Unit("m"))
			model.Parameter(d, &s, "x", "", "")
		},
		`"` + long + `": 62 characters, Simulink imports parameter names of at most 55`: func(d *model.Declaration) {
			model.Parameter(d, &b, long, false, "")
		},
		`"OSMPSensorViewIn" has the name of a binary variable's prefix`: func(d *model.Declaration) {
			d.Input(osmp.SensorViewIn)
			model.Parameter(d, &b, "OSMPSensorViewIn", false, "")
		},
		`variable "x": a Real needs a unit`: func(d *model.Declaration) {
			model.PlainOutput(d, &x, "x", "")
		},
		`variable "x": unit "furlong" is not decla`: func(d *model.Declaration) {
			model.PlainOutput(d, &x, "x", "", model.Unit("furlong"))
		},
		`variable "b": Boolean cannot be continuous`: func(d *model.Declaration) {
			model.PlainInput(d, &b, "b", false, "", model.Continuous())
		},
		`variable "b": causality "input", variability "tunable"`: func(d *model.Declaration) {
			model.PlainInput(d, &b, "b", false, "", model.Tunable())
		},
		`variable "s": "up" is not one of FRD, FLU`: func(d *model.Declaration) {
			model.Parameter(d, &s, "s", "up", "", model.OneOf("FRD", "FLU"))
		},
		`variable "x": depends on unknown variable "y"`: func(d *model.Declaration) {
			model.PlainOutput(d, &x, "x", "", model.Unit("m"), model.Calculated("y"))
		},
		`OSMPSensorDataOut has causality "output" and cannot be declared as input`: func(d *model.Declaration) {
			d.Input(osmp.SensorDataOut)
		},
		`two variables are named "OSMPSensorDataIn.size"`: func(d *model.Declaration) {
			d.Input(osmp.SensorDataIn)
			d.Input(osmp.SensorDataIn)
		},
		`OSMPSensorDataIn: only a SensorView input has a configuration request`: func(d *model.Declaration) {
			d.ConfigRequest(d.Input(osmp.SensorDataIn))
		},
		`OSMPSensorDataIn: unusable binary variable: found MIME type "text/plain", expected`: func(
			d *model.Declaration) {
			d.Input(osmp.Kind{Prefix: "OSMPSensorDataIn", MIMEType: "text/plain",
				Causality: fmi.Input})
		},
		`MIME type "lidar", expected type/subtype`: func(d *model.Declaration) {
			d.Input(osmp.Kind{Prefix: "Lidar", MIMEType: "lidar", Causality: fmi.Input})
		},
		`variable "9.base.lo": not a structured name`: func(d *model.Declaration) {
			d.Input(osmp.Kind{Prefix: "9", MIMEType: "a/b", Causality: fmi.Input})
		},
		`log category "logOne" is declared twice`: func(d *model.Declaration) {
			d.Log("logOne", "")
			d.Log("logOne", "")
		},
	} {
		require.ErrorContains(t, defined(declare).Check(), wanted)
		require.ErrorIs(t, defined(declare).Check(), fmu.ErrDefinition)
	}
	require.ErrorContains(t, model.Definition{Identifier: "M"}.FMU().Check(), "there is no model")
	require.ErrorContains(t, model.Definition{Identifier: "M",
		New: func(*model.Declaration) model.Model { return nil }}.FMU().Check(),
		"New has returned no model")
}

func TestDeclaration_EveryKindOfOSMP(t *testing.T) {
	d := defined(func(d *model.Declaration) {
		views := d.Inputs(osmp.SensorViewIn, 2)
		d.Outputs(osmp.SensorDataOut, 3)
		for _, v := range views {
			d.ConfigRequest(v)
		}
		for _, k := range []osmp.Kind{osmp.SensorDataIn, osmp.TrafficCommandIn,
			osmp.StreamingUpdateIn, osmp.HostVehicleDataIn} {
			d.Input(k)
		}
		for _, k := range []osmp.Kind{osmp.SensorViewOut, osmp.TrafficUpdateOut,
			osmp.TrafficCommandUpdateOut, osmp.HostVehicleDataOut} {
			d.Output(k)
		}
		d.Constant(osmp.GroundTruthInit)
		d.Output(osmp.Kind{Prefix: "Frame", MIMEType: "application/x-frame; version=2",
			Causality: fmi.Output, Description: "a frame"})
	})
	require.NoError(t, d.Check())
	var names []string
	for _, v := range d.Variables.All() {
		for _, a := range v.Annotations {
			if a.Elements[0].Attributes[1].Value == "size" {
				names = append(names, a.Elements[0].Attributes[0].Value+" "+
					a.Elements[0].Attributes[2].Value+" "+string(v.Causality)+" "+
					string(v.Variability))
			}
		}
	}
	osi := func(prefix, message, rest string) string {
		return prefix + " application/x-open-simulation-interface; type=" + message +
			"; version=3.8.0 " + rest
	}
	require.Equal(t, []string{
		osi("OSMPSensorViewIn[1]", "SensorView", "input discrete"),
		osi("OSMPSensorViewIn[2]", "SensorView", "input discrete"),
		osi("OSMPSensorDataOut[1]", "SensorData", "output discrete"),
		osi("OSMPSensorDataOut[2]", "SensorData", "output discrete"),
		osi("OSMPSensorDataOut[3]", "SensorData", "output discrete"),
		osi("OSMPSensorViewInConfigRequest[1]", "SensorViewConfiguration",
			"calculatedParameter fixed"),
		osi("OSMPSensorViewInConfig[1]", "SensorViewConfiguration", "parameter fixed"),
		osi("OSMPSensorViewInConfigRequest[2]", "SensorViewConfiguration",
			"calculatedParameter fixed"),
		osi("OSMPSensorViewInConfig[2]", "SensorViewConfiguration", "parameter fixed"),
		osi("OSMPSensorDataIn", "SensorData", "input discrete"),
		osi("OSMPTrafficCommandIn", "TrafficCommand", "input discrete"),
		osi("OSMPStreamingUpdateIn", "StreamingUpdate", "input discrete"),
		osi("OSMPHostVehicleDataIn", "HostVehicleData", "input discrete"),
		osi("OSMPSensorViewOut", "SensorView", "output discrete"),
		osi("OSMPTrafficUpdateOut", "TrafficUpdate", "output discrete"),
		osi("OSMPTrafficCommandUpdateOut", "TrafficCommandUpdate", "output discrete"),
		osi("OSMPHostVehicleDataOut", "HostVehicleData", "output discrete"),
		osi("OSMPGroundTruthInit", "GroundTruth", "parameter fixed"),
		"Frame application/x-frame; version=2 output discrete",
	}, names)
	require.Equal(t, []fmi.Annotation{osmp.Mark(osmp.Version160)}, d.Annotations,
		"GroundTruthInit came after 0.3.0")
	old := defined(func(d *model.Declaration) { d.Input(osmp.SensorDataIn) })
	require.Equal(t, []fmi.Annotation{osmp.Mark(osmp.Version030)}, old.Annotations)
	require.Empty(t, defined(func(*model.Declaration) {}).Annotations,
		"a model without binary variables is not an OSMP model")
}

func TestDefinition_RefusesUnknownReleasesOfOSMP(t *testing.T) {
	d := model.Definition{Identifier: "M", OSMP: "1.6",
		New: func(d *model.Declaration) model.Model {
			d.Input(osmp.SensorDataIn)
			return stepper{}
		}}
	require.ErrorContains(t, d.FMU().Check(), `OSMP is "1.6", expected 0.3.0, 1.6.0 or nothing`)
	d.OSMP = osmp.Version160
	require.NoError(t, d.FMU().Check())
}

func TestDefinition_RefusesANewThatDeclaresSomethingElse(t *testing.T) {
	var x bool
	calls := 0
	d := model.Definition{Identifier: "Fickle", New: func(d *model.Declaration) model.Model {
		calls++
		model.Parameter(d, &x, []string{"a", "b"}[calls/4], false, "")
		return stepper{}
	}}
	modeltest.New(t, d).Start()
	r := modeltest.New(t, d)
	require.Equal(t, fmi.Error, r.TryStart(0))
	require.Contains(t, r.Log()[0],
		`New declares Boolean "b" where it declared Boolean "a" before`)
}

// Importers show a Real without a unit as if its unit were unknown. For this reason, a pure number
// has a defined unit.
func TestUnit_OfAPureNumberIs1(t *testing.T) {
	var ratio, length float64
	d := defined(func(d *model.Declaration) {
		model.Parameter(d, &ratio, "ratio", 1, "", model.Unit("1"))
		model.PlainOutput(d, &length, "length", "", model.Unit("m"))
	})
	require.NoError(t, d.Check())
	require.Equal(t, "1", d.Variables.Named("ratio").Unit)
	require.Equal(t, []fmi.Unit{{Name: "1"}, {Name: "m", M: 1}}, d.Units)
}
