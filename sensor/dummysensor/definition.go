package dummysensor

import (
	"gosmp/fmu"
	"gosmp/model"
)

// Identifier is the modelIdentifier: the name of the shared library and of the .fmu.
const Identifier = "OSMPDummySensor"

// ScenarioResource is the name of the bundled scenario in the resources folder.
const ScenarioResource = "scenario.csv"

// step is the refresh rate of the sensor in seconds: the default experiment's step size and the
// cycle time that the requested SensorView configuration names.
const step = 0.02

// Definition describes the FMU. Its Check method reports mistakes in the definition.
func Definition() *fmu.Definition { return definition.FMU() }

var definition = model.Definition{
	Identifier: Identifier,
	Description: "OSMP sensor model (SensorView in, SensorData out) that replays simsensor CSV " +
		"recordings of inertial sensors, " +
		"barometer, thermometer, magnetometer and GPS and detects the objects of a SensorView",
	Version:    Version,
	Experiment: fmu.Experiment{Start: 0, Stop: 10, Tolerance: 1e-6, Step: step},
	New:        newSensor,
}
