// Command imu builds IMU.fmu, which models the errors of an inertial measurement unit. Its inputs
// are the true specific force and angular rate; its outputs are what an accelerometer and a
// gyroscope would report. It has plain variables only, no OSI.
//
// # The model
//
// Axes are the unit's, whatever they are. Specific force is acceleration without gravity: at rest
// it points up with 9.80665 m/s2, which the input specificForce.z has until something is connected.
// In a step of h seconds each axis measures
//
//	m = (1 + scaleError) truth + bias + b + (N / sqrt(h)) n1        b += K sqrt(h) n2
//
// where n1 and n2 are new normal random numbers of variance 1, and b starts at 0. Then m is rounded
// to a multiple of resolution, if that is not 0, and held within +-range; saturated reports that an
// axis has been held. Before the first step all outputs are 0.
//
// N and K are defined as in IEEE Std 952 and 1293: white noise and random walk of the bias show in
// the Allan deviation as N / sqrt(T) and K sqrt(T/3) over the averaging time T. The parameters are
// N and K for a time of 1 s, so they have the unit of the measurement:
//
//	noise     Allan deviation at 1 s of the white noise; the figure of N in
//	          (m/s2)/sqrt(Hz) or (rad/s)/sqrt(Hz)
//	biasWalk  standard deviation that b has after 1 s; the figure of K in
//	          (m/s2)/sqrt(s) or (rad/s)/sqrt(s)
//
// Data sheets often give the one-sided density of the white noise, which is N sqrt(2).
//
// The same seed gives the same errors; units with independent errors need different seeds. The
// error of one axis does not depend on the parameters of others.
//
// # Limits
//
// There is no flicker noise (bias instability), no misalignment of axes, no temperature, no
// bandwidth: a measurement is instantaneous, and repeats the input with everything above half of
// the sampling rate.
package main

import (
	"gosmp/build"
	"gosmp/export"
	"gosmp/model"
)

func init() { export.Register(definition.FMU) }

func main() { build.Main(definition.FMU) }

var definition = model.Definition{
	Identifier: "IMU", Name: "OSMP example IMU", Version: "1.0.0",
	Description: "Sensor errors of an accelerometer and a gyroscope: bias, scale, noise, drift, " +
		"rounding, saturation",
	New: func(d *model.Declaration) model.Model {
		m := &imu{
			accelerometer: triad{noise: 1.5e-3, biasWalk: 1e-4, limit: 160, resolution: 0.005},
			gyroscope:     triad{noise: 2.5e-4, biasWalk: 1e-5, limit: 35, resolution: 0.001},
		}
		m.accelerometer.truth[2] = 9.80665
		model.Parameter(d, &m.seed, "seed", 1, "of the random numbers")
		m.accelerometer.declare(d, "specificForce", "accelerometer", "m/s2")
		m.gyroscope.declare(d, "angularRate", "gyroscope", "rad/s")
		return m
	},
}
