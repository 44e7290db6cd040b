package replay

import (
	"gosmp/frames"
	"gosmp/sensor"
)

// standardGravity in m/s2, by definition.
const standardGravity = 9.80665

// Estimator converts samples to an estimate of the host vehicle. It assumes that the inertial
// sensors are mounted level and at the origin of the vehicle, because a recording does not state
// their mounting.
type Estimator struct {
	Axes        frames.Axes // of accelerometer and gyroscope
	KeepGravity bool        // keep the reaction to gravity in the acceleration, contrary to OSI

	localMap   frames.LocalMap
	projString string
	origin     frames.Geodetic
	mapped     bool
}

// Estimate is the host vehicle in the frames of OSI: the vehicle's is forward-left-up, the world's
// is a map around the first fix, east-north-up. A value whose Has is false is unknown.
type Estimate struct {
	HasFix      bool
	Geodetic    frames.Geodetic
	Position    frames.Vector // m, on the map
	ProjString  string        // of the map, for PROJ
	HasVelocity bool
	Velocity    frames.Vector // m/s, world; unknown if the receiver states a speed but no vector
	GroundSpeed float64       // m/s

	HasYaw bool
	Yaw    float64 // rad, in the world

	HasAcceleration bool
	Acceleration    frames.Vector // m/s2, vehicle
	HasRate         bool
	Rate            frames.Vector // rad/s about the vehicle's axes: roll, pitch, yaw

	// Accuracies as stated by the receiver, one standard deviation; 0 means unknown.
	HorizontalRMSE, VerticalRMSE, VelocityRMSE, YawRMSE float64

	HasPressure     bool
	Pressure        float64 // Pa, at the height of the map's origin
	HasTemperature  bool
	Temperature     float64 // K
	HasUTC          bool
	UTCMicroseconds int64
}

// HasBaseMoving reports whether AppendBaseMoving has something to write. An acceleration alone does
// not count: its direction in the world is unknown without a yaw, which comes with a fix.
func (est *Estimate) HasBaseMoving() bool { return est.HasFix || est.HasRate }

// HasMotion reports whether AppendMotion has something to write.
func (est *Estimate) HasMotion() bool { return est.HasBaseMoving() || est.HasAcceleration }

// HasEnvironment reports whether the weather or the time of day is known.
func (est *Estimate) HasEnvironment() bool {
	return est.HasPressure || est.HasTemperature || est.HasUTC
}

// Limits of OSI's EnvironmentalConditions; values outside are discarded.
const (
	minPressure, maxPressure       = 80000, 120000 // Pa
	minTemperature, maxTemperature = 170, 340      // K
)

// Estimate evaluates the newest samples of r.
func (e *Estimator) Estimate(r *Sampler) (est Estimate) {
	s := &r.Samples
	e.fix(&est, r)
	if a := &s.Accelerometer; a.Known() {
		est.HasAcceleration, est.Acceleration = true, e.Axes.ToVehicle(a.Vector)
		if !e.KeepGravity {
			// A sensor at rest measures the upward reaction of the ground. OSI defines the
			// acceleration as the second derivative of the position, which is then 0.
			est.Acceleration.Z -= standardGravity
		}
	}
	if g := &s.Gyroscope; g.Known() {
		est.HasRate, est.Rate = true, e.Axes.ToVehicle(g.Rate)
	}
	environment(&est, s, e.height(s))
	return est
}

func (e *Estimator) fix(est *Estimate, r *Sampler) {
	g := &r.Samples.GPS
	est.HasUTC, est.UTCMicroseconds = g.HasUTC, g.UTCMicroseconds
	if !g.HasFix() {
		return
	}
	e.setOrigin(geodetic(&r.First))
	est.HasFix, est.Geodetic = true, geodetic(g)
	est.Position, est.ProjString = e.localMap.Position(est.Geodetic), e.projString
	est.Velocity, est.GroundSpeed = frames.FromNED(g.Velocity), g.GroundSpeed
	est.HasVelocity = est.Velocity != frames.Vector{} || g.GroundSpeed == 0
	est.HorizontalRMSE, est.VerticalRMSE, est.VelocityRMSE = g.HorizontalAccuracy,
		g.VerticalAccuracy, g.VelocityAccuracy
	if g.HeadingKnown() {
		est.HasYaw, est.Yaw, est.YawRMSE = true, frames.YawFromHeading(g.Heading), g.HeadingAccuracy
	}
}

// setOrigin creates a new map when the first fix differs, as after restoring a state.
func (e *Estimator) setOrigin(origin frames.Geodetic) {
	if e.mapped && e.origin == origin {
		return
	}
	e.mapped, e.origin, e.localMap = true, origin, frames.NewLocalMap(origin)
	e.projString = e.localMap.ProjString()
}

func geodetic(g *sensor.GPS) frames.Geodetic {
	return frames.Geodetic{Latitude: g.Latitude, Longitude: g.Longitude, Altitude: g.Altitude}
}

// height above the map's origin, if known.
func (e *Estimator) height(s *sensor.Samples) float64 {
	if !s.GPS.HasFix() {
		return 0
	}
	return s.GPS.Altitude - e.origin.Altitude
}

// environment fills in the weather. OSI defines both values at height 0 of the world. The change of
// temperature, 0.65 K in 100 m, is neglected. The thermometer is preferred, because the barometer
// measures the temperature of its own chip.
func environment(est *Estimate, s *sensor.Samples, height float64) {
	// 0 K when there is none
	for _, t := range [...]float64{s.Thermometer.Temperature, s.Barometer.Temperature} {
		if t >= minTemperature && t <= maxTemperature {
			est.HasTemperature, est.Temperature = true, t
			break
		}
	}
	if !s.Barometer.Known() {
		return
	}
	at := est.Temperature
	if !est.HasTemperature {
		at = 288.15 // the standard atmosphere's
	}
	est.Pressure = frames.PressureBelow(s.Barometer.Pressure, at, height)
	est.HasPressure = est.Pressure >= minPressure && est.Pressure <= maxPressure
}

// worldAcceleration returns the acceleration in the world frame, which requires the yaw.
func (est *Estimate) worldAcceleration() (a frames.Vector, known bool) {
	return frames.RotateZ(est.Acceleration, est.Yaw), est.HasAcceleration && est.HasYaw
}

// vehicleVelocity returns the velocity in the vehicle frame, which requires the yaw. A speed
// without a vector is taken to be forward.
func (est *Estimate) vehicleVelocity() (v frames.Vector, known bool) {
	if est.HasFix && !est.HasVelocity {
		return frames.Vector{X: est.GroundSpeed}, true
	}
	return frames.RotateZ(est.Velocity, -est.Yaw), est.HasVelocity && est.HasYaw
}
