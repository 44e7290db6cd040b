package objects

import (
	"fmt"
	"math"

	"gosmp/frames"
	"gosmp/internal/fault"
)

// Frame selects the coordinates in which detections are reported.
type Frame uint8

const (
	// SensorFrame has its origin and axes in the sensor: OSI 3.7 and later
	// (DetectedMovingObject.base), and the OSMP example.
	SensorFrame Frame = iota
	// VehicleFrame has its origin in the middle of the host vehicle's rear axle, for consumers that
	// expect detections there.
	VehicleFrame
)

// DefaultSensorID is the sensor's id if neither [Config] nor the SensorView has one.
const DefaultSensorID = 1

// Config describes a sensor. Start from [Default].
type Config struct {
	NominalRange float64 // m
	RangeFactor  float64 // the reach is NominalRange times this
	// between the sensor's x axis and the edge of the field of view, rad, in [0, pi]
	HalfAngle float64

	// Mounting is the sensor's pose in the vehicle frame; nil means SensorView.mounting_position.
	Mounting *frames.Pose
	// SensorID is written into every detection. If nil, SensorView.sensor_id is used, or
	// DefaultSensorID if that is missing.
	SensorID *uint64
	Frame    Frame

	Moving     bool // detect moving objects
	Stationary bool // detect stationary objects
	Occlusion  bool // boxes hide objects behind them, whether or not their kind is detected

	// of an object in view in one cycle, independent of other cycles, in [0, 1]
	DetectionProbability float64
	// that an object in view is lost for DropoutCycles cycles in a row, in [0, 1]
	DropoutProbability float64
	DropoutCycles      uint64  // at least 1
	PositionNoise      float64 // standard deviation of each coordinate, m
	VelocityNoise      float64 // standard deviation of each coordinate, m/s
	// of noise and losses; sensors with different ids still draw different numbers
	Seed uint64

	// ForgetAfter is the number of steps without detection, with or without a view, after which a
	// reappearing object is given a new tracking id.
	ForgetAfter uint64
}

// Default returns the sensor of the OSMP example: a cone of 60 degrees that reaches 1.1 times 135
// m, without noise or losses.
func Default() Config {
	return Config{
		NominalRange: 135, RangeFactor: 1.1, HalfAngle: math.Pi / 6,
		Moving: true, Stationary: true,
		DetectionProbability: 1, DropoutCycles: 1,
		ForgetAfter: 50, // one second at the usual step of 20 ms
	}
}

// Range returns the maximum detection distance of the sensor, in m.
func (c *Config) Range() float64 { return c.NominalRange * c.RangeFactor }

// Most is the largest permitted length, speed or factor. It keeps squares and sums within float64.
const Most = 1e9

const upToMost = " from 0 to 1e9"

// Check returns an error with cause [ErrConfig] that names the first invalid number.
func (c *Config) Check() error {
	amount := func(x float64) bool { return x >= 0 && x <= Most }
	for _, n := range [...]struct {
		name string
		x    float64
		good bool
		want string
	}{
		{"NominalRange", c.NominalRange, amount(c.NominalRange), "a length" + upToMost + " m"},
		{"RangeFactor", c.RangeFactor, amount(c.RangeFactor) && amount(c.Range()),
			"a factor" + upToMost + " that makes a range" + upToMost + " m of the nominal one"},
		{"HalfAngle", c.HalfAngle, c.HalfAngle >= 0 && c.HalfAngle <= math.Pi,
			"an angle from 0 to pi rad"},
		{"DetectionProbability", c.DetectionProbability, c.DetectionProbability >= 0 &&
			c.DetectionProbability <= 1,
			"a probability from 0 to 1"},
		{"DropoutProbability", c.DropoutProbability, c.DropoutProbability >= 0 &&
			c.DropoutProbability <= 1,
			"a probability from 0 to 1"},
		{"DropoutCycles", float64(c.DropoutCycles), c.DropoutCycles > 0, "at least 1 cycle"},
		{"PositionNoise", c.PositionNoise, amount(c.PositionNoise), "a standard deviation" +
			upToMost + " m"},
		{"VelocityNoise", c.VelocityNoise, amount(c.VelocityNoise), "a standard deviation" +
			upToMost + " m/s"},
		{"Frame", float64(c.Frame), c.Frame <= VehicleFrame, "SensorFrame or VehicleFrame"},
	} {
		if !n.good {
			return fault.New(ErrConfig, fault.At("Config."+n.name), fmt.Sprintf("%v", n.x),
				n.want)
		}
	}
	if c.Mounting != nil && !c.Mounting.Finite() {
		found := fmt.Sprintf("%+v", *c.Mounting)
		return fault.New(ErrConfig, fault.At("Config.Mounting"), found, "finite numbers")
	}
	return nil
}
