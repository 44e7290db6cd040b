package replay

import (
	"gosmp/frames"
	"gosmp/sensor"
)

// standardGravity in m/s2, by definition.
const standardGravity = 9.80665

// Estimator makes samples into an estimate of the host vehicle. The inertial sensors are taken to be mounted level and at the
// origin of the vehicle: a recording does not tell more.
type Estimator struct {
	Axes        frames.Axes // of accelerometer and gyroscope
	KeepGravity bool        // leave the reaction to gravity in the acceleration, where OSI does not expect it

	localMap   frames.LocalMap
	projString string
	origin     frames.Geodetic
	mapped     bool
}

// Estimate is the host vehicle in the frames of OSI: the vehicle's is forward-left-up, the world's is a map around the first fix,
// east-north-up. A value whose Has is false is unknown.
type Estimate struct {
	HasFix      bool
	Geodetic    frames.Geodetic
	Position    frames.Vector // m, on the map
	ProjString  string        // of the map, for PROJ
	HasVelocity bool
	Velocity    frames.Vector // m/s, world; not known when the receiver states a speed, but no vector
	GroundSpeed float64       // m/s

	HasYaw bool
	Yaw    float64 // rad, in the world

	HasAcceleration bool
	Acceleration    frames.Vector // m/s2, vehicle
	HasRate         bool
	Rate            frames.Vector // rad/s about the vehicle's axes: roll, pitch, yaw

	// Accuracies as the receiver states them, one standard deviation; 0 is unknown.
	HorizontalRMSE, VerticalRMSE, VelocityRMSE, YawRMSE float64

	HasPressure     bool
	Pressure        float64 // Pa, at the height of the map's origin
	HasTemperature  bool
	Temperature     float64 // K
	HasUTC          bool
	UTCMicroseconds int64
}

// HasBaseMoving says that there is something for AppendBaseMoving. An acceleration alone is not: without a yaw, which comes with a
// fix, its direction in the world is unknown.
func (est *Estimate) HasBaseMoving() bool { return est.HasFix || est.HasRate }

// HasMotion says that there is something for AppendMotion.
func (est *Estimate) HasMotion() bool { return est.HasBaseMoving() || est.HasAcceleration }

// HasEnvironment says that there is something to tell about the weather or the time of day.
func (est *Estimate) HasEnvironment() bool {
	return est.HasPressure || est.HasTemperature || est.HasUTC
}

// Limits of OSI's EnvironmentalConditions; what lies outside is no weather.
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
			// A sensor at rest feels the ground push upwards. OSI wants the second derivative of the position, which is 0 then.
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
	est.HorizontalRMSE, est.VerticalRMSE, est.VelocityRMSE = g.HorizontalAccuracy, g.VerticalAccuracy, g.VelocityAccuracy
	if g.HeadingKnown() {
		est.HasYaw, est.Yaw, est.YawRMSE = true, frames.YawFromHeading(g.Heading), g.HeadingAccuracy
	}
}

// setOrigin makes the map anew when the first fix is another one, which a restored state can bring.
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

// height above the map's origin, as far as it is known.
func (e *Estimator) height(s *sensor.Samples) float64 {
	if !s.GPS.HasFix() {
		return 0
	}
	return s.GPS.Altitude - e.origin.Altitude
}

// environment fills in the weather. OSI means both values at height 0 of the world; a temperature changes by 0.65 K in 100 m, which
// is left aside. The thermometer is preferred, because the barometer's own temperature is that of the chip.
func environment(est *Estimate, s *sensor.Samples, height float64) {
	for _, t := range [...]float64{s.Thermometer.Temperature, s.Barometer.Temperature} { // 0 K when there is none
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

// worldAcceleration is the acceleration in the world's frame, which needs the yaw.
func (est *Estimate) worldAcceleration() (a frames.Vector, known bool) {
	return frames.RotateZ(est.Acceleration, est.Yaw), est.HasAcceleration && est.HasYaw
}

// vehicleVelocity is the velocity in the vehicle's frame, which needs the yaw. A speed without a vector is taken to be forward.
func (est *Estimate) vehicleVelocity() (v frames.Vector, known bool) {
	if est.HasFix && !est.HasVelocity {
		return frames.Vector{X: est.GroundSpeed}, true
	}
	return frames.RotateZ(est.Velocity, -est.Yaw), est.HasVelocity && est.HasYaw
}
