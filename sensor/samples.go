package sensor

import (
	"gosmp/frames"
	"gosmp/timebase"
)

// Stamp is the time of the newest sample of a sensor and the number of samples so far.
type Stamp struct {
	Time  timebase.Time // simulation time
	Count int64
}

// Known reports whether there is a sample.
func (s Stamp) Known() bool { return s.Count > 0 }

// Samples holds the newest sample of each sensor. A consumer samples and holds, like the sensor hub
// of Phoenix-RTOS, which keeps only the last event of each type. All values are in SI units and in
// the axes of the recording.
type Samples struct {
	Accelerometer Accelerometer
	Barometer     Barometer
	GPS           GPS
	Gyroscope     Gyroscope
	Magnetometer  Magnetometer
	Thermometer   Thermometer
}

// Accelerometer is a specific force in m/s2: at rest it shows the reaction to gravity.
type Accelerometer struct {
	Stamp
	frames.Vector
}

// Barometer is a pressure in Pa and the temperature of the device in K.
type Barometer struct {
	Stamp
	Pressure, Temperature float64
}

// Gyroscope is an angular velocity in rad/s and the angle turned since the device was started, in
// rad.
type Gyroscope struct {
	Stamp
	Rate, DeltaAngle frames.Vector
}

// Magnetometer is a magnetic flux density in T.
type Magnetometer struct {
	Stamp
	frames.Vector
}

// Thermometer is a temperature in K.
type Thermometer struct {
	Stamp
	Temperature float64
}

// GPS is a fix and its time.
type GPS struct {
	Stamp
	Fix
}

// Fix is the result of a satellite navigation receiver. An accuracy of 0 means that the receiver
// did not state it.
type Fix struct {
	Latitude, Longitude float64 // degrees
	Altitude            float64 // m above mean sea level
	EllipsoidAltitude   float64 // m above the WGS 84 ellipsoid
	UTC                 float64 // s
	UTCMicroseconds     int64   // as recorded
	// the recording has a UTC column, and the receiver filled it in
	HasUTC                 bool
	HDOP, VDOP             float64       // as recorded; the format does not document a scale
	GroundSpeed            float64       // m/s
	Velocity               frames.Vector // m/s north, east, down
	HorizontalAccuracy     float64       // m
	VerticalAccuracy       float64       // m
	VelocityAccuracy       float64       // m/s
	Heading                float64       // rad, clockwise from north
	HeadingOffset          float64       // rad
	HeadingAccuracy        float64       // rad
	Satellites, FixQuality int32
}

// HasFix distinguishes a position from the zeros of a receiver without a fix.
func (g *GPS) HasFix() bool { return g.Known() && (g.Satellites != 0 || g.FixQuality != 0) }

// HeadingKnown distinguishes a heading from a column that the receiver never fills in: such
// receivers also leave the accuracy at 0.
func (g *GPS) HeadingKnown() bool {
	return g.Known() && (g.Heading != 0 || g.HeadingAccuracy != 0)
}
