package dummysensor

import (
	"fmt"
	"math"

	"gosmp/fmu"
	"gosmp/osmp"
	"gosmp/sensor/objects"
)

// variables holds the references of all variables, by what they mean.
type variables struct {
	viewIn, dataOut, configRequest, config osmp.Triple
	valid, count, nominalRange             fmu.ValueReference
	replay                                 replayParameters
	imu                                    imuParameters
	objects                                objectParameters
	validate                               fmu.ValueReference
	mounting                               mountingParameters
	sensorID                               fmu.ValueReference
	out                                    outputs
}

type replayParameters struct {
	enabled, scenarioFile, timeUnit, startDelay, loop, strict fmu.ValueReference
}

type imuParameters struct{ axes, gravityCompensation fmu.ValueReference }

type objectParameters struct {
	enabled, stationary, occlusion                    fmu.ValueReference
	rangeFactor, halfAngle                            fmu.ValueReference
	detectionProbability, dropoutProbability          fmu.ValueReference
	dropoutCycles, positionNoise, velocityNoise, seed fmu.ValueReference
}

type mountingParameters struct{ x, y, z, roll, pitch, yaw fmu.ValueReference }

// replayNames are the parameters on which every replayed output depends while the instance initializes.
var replayNames = []string{
	"replay.enabled", "replay.scenarioFile", "replay.timeUnit", "replay.startDelay", "replay.loop", "replay.strict",
}

// declare adds all variables to the table. The order is part of the contract.
func declare(t *fmu.Variables) (v variables, err error) {
	d := declarer{t: t}
	v.viewIn = d.binary(osmp.Binary{
		Prefix: "OSMPSensorViewIn", MIMEType: osmp.MIMEType("SensorView"),
		Causality: fmu.Input, Variability: fmu.Discrete, Description: "SensorView to detect in and to carry along",
	})
	v.dataOut = d.binary(osmp.Binary{
		Prefix: "OSMPSensorDataOut", MIMEType: osmp.MIMEType("SensorData"),
		Causality: fmu.Output, Variability: fmu.Discrete, Description: "SensorData at the end of the step",
	})
	v.configRequest = d.binary(osmp.Binary{
		Prefix: "OSMPSensorViewInConfigRequest", MIMEType: osmp.MIMEType("SensorViewConfiguration"),
		Causality: fmu.CalculatedParameter, Variability: fmu.Fixed, Description: "SensorView that the sensor would like to get",
		DependsOn: configDependencies,
	})
	v.config = d.binary(osmp.Binary{
		Prefix: "OSMPSensorViewInConfig", MIMEType: osmp.MIMEType("SensorViewConfiguration"),
		Causality: fmu.Parameter, Variability: fmu.Fixed, Description: "SensorView that the environment will provide",
	})
	v.valid = t.Add(fmu.Variable{
		Name: "valid", Type: fmu.Boolean, Causality: fmu.Output, Variability: fmu.Discrete, Initial: fmu.Exact, Start: false,
		Description: "true when OSMPSensorDataOut holds a message",
	})
	v.count = t.Add(fmu.Variable{
		Name: "count", Type: fmu.Integer, Causality: fmu.Output, Variability: fmu.Discrete, Initial: fmu.Exact, Start: int32(0),
		Description: "number of detected moving objects in OSMPSensorDataOut",
	})
	v.nominalRange = d.nonNegative("nominalrange", "m", 135, "nominal range of the sensor; objects are seen up to objects.rangeFactor times as far")
	d.parameters(&v)
	v.out = d.outputs()
	return v, d.err
}

// configDependencies are the parameters that decide the requested SensorView configuration.
var configDependencies = []string{
	"OSMPSensorViewInConfig.base.lo", "OSMPSensorViewInConfig.base.hi", "OSMPSensorViewInConfig.size", "nominalrange", "sensorId",
	"objects.rangeFactor", "mounting.x", "mounting.y", "mounting.z", "mounting.roll", "mounting.pitch", "mounting.yaw",
}

func (d *declarer) parameters(v *variables) {
	v.replay = replayParameters{
		enabled:      d.boolean("replay.enabled", true, "replay a scenario file"),
		scenarioFile: d.text("replay.scenarioFile", "", "simsensor CSV file; empty is the bundled one, relative paths start at resources/"),
		timeUnit:     d.text("replay.timeUnit", "ms", "unit of the time stamps in the file: ms, us, s or ns"),
		startDelay:   d.nonNegative("replay.startDelay", "s", 0, "time from the start of the experiment to the first row"),
		loop:         d.boolean("replay.loop", true, "start over at the end of the file, unless an end row (0) stands there"),
		strict:       d.boolean("replay.strict", false, "refuse a file with malformed rows instead of skipping them"),
	}
	v.imu = imuParameters{
		axes:                d.text("imu.axes", "FRD", "axes of the recorded accelerometer and gyroscope: FRD or FLU"),
		gravityCompensation: d.boolean("imu.gravityCompensation", true, "take gravity out of OSI accelerations, assuming a level mount"),
	}
	v.objects = d.objectParameters()
	v.validate = d.boolean("input.validate", false,
		"look into every field of a SensorView before it is carried along, not only into those that detection reads")
	v.mounting = mountingParameters{
		x:     d.coordinate("mounting.x", "m", "mounting position in the vehicle's frame, forward of the rear axle"),
		y:     d.coordinate("mounting.y", "m", "mounting position, left of the centre line"),
		z:     d.coordinate("mounting.z", "m", "mounting position, above the rear axle"),
		roll:  d.coordinate("mounting.roll", "rad", "mounting orientation about the x axis"),
		pitch: d.coordinate("mounting.pitch", "rad", "mounting orientation about the y axis"),
		yaw:   d.coordinate("mounting.yaw", "rad", "mounting orientation about the z axis"),
	}
	v.sensorID = d.integer("sensorId", 1, 0, "SensorData.sensor_id")
}

func (d *declarer) objectParameters() objectParameters {
	c := objects.Default()
	return objectParameters{
		enabled:              d.boolean("objects.enabled", true, "detect the objects of a connected SensorView"),
		stationary:           d.boolean("objects.stationary", c.Stationary, "detect stationary objects, too"),
		rangeFactor:          d.nonNegative("objects.rangeFactor", "", c.RangeFactor, "objects are seen up to so many times nominalrange"),
		halfAngle:            d.limited("objects.halfAngle", "rad", c.HalfAngle, math.Pi, "angle from the axis of the field of view to its edge"),
		occlusion:            d.boolean("objects.occlusion", c.Occlusion, "objects hide what is behind them"),
		detectionProbability: d.limited("objects.detectionProbability", "", c.DetectionProbability, 1, "of an object in view, in each step"),
		dropoutProbability:   d.limited("objects.dropoutProbability", "", c.DropoutProbability, 1, "of an object in view to be lost for a while"),
		dropoutCycles:        d.integer("objects.dropoutCycles", int32(c.DropoutCycles), 1, "for how many steps a lost object is lost"),
		positionNoise:        d.nonNegative("objects.positionNoise", "m", c.PositionNoise, "standard deviation of each coordinate"),
		velocityNoise:        d.nonNegative("objects.velocityNoise", "m/s", c.VelocityNoise, "standard deviation of each coordinate"),
		seed:                 d.integer("objects.seed", int32(c.Seed), 0, "of noise and losses; the same seed gives the same run"),
	}
}

// declarer adds variables in the few shapes that this model has.
type declarer struct {
	t   *fmu.Variables
	err error
}

func (d *declarer) binary(b osmp.Binary) osmp.Triple {
	triple, err := osmp.Declare(d.t, b)
	if err != nil && d.err == nil {
		d.err = fmt.Errorf("%w: %w", fmu.ErrDefinition, err)
	}
	return triple
}

// parameter adds a fixed parameter.
func (d *declarer) parameter(v fmu.Variable) fmu.ValueReference {
	v.Causality, v.Variability, v.Initial = fmu.Parameter, fmu.Fixed, fmu.Exact
	return d.t.Add(v)
}

func (d *declarer) boolean(name string, start bool, description string) fmu.ValueReference {
	return d.parameter(fmu.Variable{Name: name, Type: fmu.Boolean, Start: start, Description: description})
}

func (d *declarer) text(name, start, description string) fmu.ValueReference {
	return d.parameter(fmu.Variable{Name: name, Type: fmu.String, Start: start, Description: description})
}

// coordinate adds a Real parameter that is 0 unless it is set.
func (d *declarer) coordinate(name, unit, description string) fmu.ValueReference {
	return d.parameter(fmu.Variable{Name: name, Type: fmu.Real, Unit: unit, Start: 0.0, Description: description})
}

func (d *declarer) nonNegative(name, unit string, start float64, description string) fmu.ValueReference {
	return d.parameter(fmu.Variable{Name: name, Type: fmu.Real, Unit: unit, Start: start, Min: new(float64), Description: description})
}

// limited adds a parameter from 0 to most.
func (d *declarer) limited(name, unit string, start, most float64, description string) fmu.ValueReference {
	return d.parameter(fmu.Variable{
		Name: name, Type: fmu.Real, Unit: unit, Start: start, Min: new(float64), Max: &most, Description: description,
	})
}

func (d *declarer) integer(name string, start int32, least float64, description string) fmu.ValueReference {
	return d.parameter(fmu.Variable{Name: name, Type: fmu.Integer, Start: start, Min: &least, Description: description})
}
