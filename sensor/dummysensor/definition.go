package dummysensor

import (
	"gosmp/fmu"
	"gosmp/osmp"
)

// Identifier is the modelIdentifier: the name of the shared library and of the .fmu.
const Identifier = "OSMPDummySensor"

// ScenarioResource is the name of the bundled scenario in the resources folder.
const ScenarioResource = "scenario.csv"

// Log categories of this model.
const (
	logOSMP      = "OSMP"
	logOSI       = "OSI"
	logSimsensor = "simsensor"
)

// step is the refresh rate of the sensor in seconds: the default experiment's step size and the cycle time that the requested
// SensorView configuration names.
const step = 0.02

// Definition describes the FMU. A mistake in it is reported by its Check.
func Definition() *fmu.Definition {
	d := &fmu.Definition{
		ModelName:       "OSMPDummySensor",
		ModelIdentifier: Identifier,
		Description: "OSMP sensor model (SensorView in, SensorData out) that replays simsensor CSV recordings of inertial sensors, " +
			"barometer, thermometer, magnetometer and GPS and detects the objects of a SensorView",
		Version:     Version,
		Units:       units(),
		Experiment:  fmu.Experiment{Start: 0, Stop: 10, Tolerance: 1e-6, Step: step},
		Annotations: []fmu.Annotation{osmp.Mark(osmp.Version030)},
		LogCategories: []fmu.LogCategory{
			{Name: logOSMP, Description: "binary variables: addresses, lifetimes, configuration"},
			{Name: logOSI, Description: "contents of OSI messages"},
			{Name: logSimsensor, Description: "the replayed scenario file: malformed rows and oddities"},
		},
	}
	vars, err := declare(&d.Variables)
	if err != nil {
		d.Variables.Fail(err)
	}
	d.New = func(h fmu.Host) fmu.Model { return newModel(h, vars) }
	return d
}

func units() []fmu.Unit {
	return []fmu.Unit{
		{Name: "m", M: 1},
		{Name: "s", S: 1},
		{Name: "rad", Rad: 1},
		{Name: "deg", Rad: 1, Factor: 0.017453292519943295},
		{Name: "m/s", M: 1, S: -1},
		{Name: "m/s2", M: 1, S: -2},
		{Name: "rad/s", Rad: 1, S: -1},
		{Name: "T", KG: 1, S: -2, A: -1},
		{Name: "Pa", KG: 1, M: -1, S: -2},
		{Name: "K", K: 1},
	}
}
