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

// Latest returns the stamp of the sample.
func (s *Stamp) Latest() *Stamp { return s }

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

// Sensors is the number of sensors.
const Sensors = 6

// All returns the samples in the order of the sensors' ids. A new sensor needs an entry here.
func (s *Samples) All() [Sensors]Sample {
	return [...]Sample{
		&s.Accelerometer, &s.Barometer, &s.GPS, &s.Gyroscope, &s.Magnetometer, &s.Thermometer,
	}
}

// Sample is the newest sample of one sensor: a pointer to a field of [Samples].
type Sample interface {
	Latest() *Stamp
	// Values describes the values that the sensor measures.
	Values() []Value
}

// Value is one value of a sample. Exactly one of Real and Integer points to it.
type Value struct {
	Real        *float64
	Integer     *int32
	Name        string // below the sensor's name, such as "velocity.north"
	Unit        string // as in the FMI standard; empty for integers
	Description string
}

// Accelerometer is a specific force in m/s2: at rest it shows the reaction to gravity.
type Accelerometer struct {
	Stamp
	frames.Vector
}

// Values describes the force along each axis.
func (a *Accelerometer) Values() []Value {
	return axes(&a.Vector, "", "m/s2", "specific force in the sensor's axes")
}

// Barometer is a pressure in Pa and the temperature of the device in K.
type Barometer struct {
	Stamp
	Pressure, Temperature float64
}

// Values describes the pressure and the temperature.
func (b *Barometer) Values() []Value {
	return []Value{
		number(&b.Pressure, "pressure", "Pa", "air pressure"),
		number(&b.Temperature, "temperature", "K", "temperature of the barometer"),
	}
}

// Gyroscope is an angular velocity in rad/s and the angle turned since the device was started, in
// rad.
type Gyroscope struct {
	Stamp
	Rate, DeltaAngle frames.Vector
}

// Values describes the velocity and the angle around each axis.
func (g *Gyroscope) Values() []Value {
	return append(
		axes(&g.Rate, "", "rad/s", "angular velocity in the sensor's axes"),
		axes(&g.DeltaAngle, "deltaAngle.", "rad",
			"angle turned since the driver of the recording started")...)
}

// Magnetometer is a magnetic flux density in T.
type Magnetometer struct {
	Stamp
	frames.Vector
}

// Values describes the flux density along each axis.
func (m *Magnetometer) Values() []Value {
	return axes(&m.Vector, "", "T", "magnetic flux density in the sensor's axes")
}

// Thermometer is a temperature in K.
type Thermometer struct {
	Stamp
	Temperature float64
}

// Values describes the temperature.
func (t *Thermometer) Values() []Value {
	return []Value{number(&t.Temperature, "temperature", "K", "temperature")}
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

// Values describes the fix.
func (f *Fix) Values() []Value {
	return []Value{
		number(&f.Latitude, "latitude", "deg", "latitude, WGS 84"),
		number(&f.Longitude, "longitude", "deg", "longitude, WGS 84"),
		number(&f.Altitude, "altitude", "m", "altitude above mean sea level"),
		number(&f.EllipsoidAltitude, "ellipsoidAltitude", "m",
			"altitude above the WGS 84 ellipsoid"),
		number(&f.UTC, "utc", "s", "UTC as recorded"),
		number(&f.HDOP, "hdop", "1", "horizontal dilution of precision as recorded"),
		number(&f.VDOP, "vdop", "1", "vertical dilution of precision as recorded"),
		number(&f.GroundSpeed, "groundSpeed", "m/s", "speed over ground"),
		number(&f.Velocity.X, "velocity.north", "m/s", "velocity to the north"),
		number(&f.Velocity.Y, "velocity.east", "m/s", "velocity to the east"),
		number(&f.Velocity.Z, "velocity.down", "m/s", "velocity downwards"),
		number(&f.HorizontalAccuracy, "accuracy.horizontal", "m",
			"horizontal position accuracy"),
		number(&f.VerticalAccuracy, "accuracy.vertical", "m", "vertical position accuracy"),
		number(&f.VelocityAccuracy, "accuracy.velocity", "m/s", "velocity accuracy"),
		number(&f.Heading, "heading", "rad", "heading, clockwise from north"),
		number(&f.HeadingOffset, "headingOffset", "rad", "heading offset"),
		number(&f.HeadingAccuracy, "headingAccuracy", "rad", "heading accuracy"),
		integer(&f.Satellites, "satellites", "number of satellites used"),
		integer(&f.FixQuality, "fixQuality", "fix quality as recorded"),
	}
}

// HasFix distinguishes a position from the zeros of a receiver without a fix.
func (g *GPS) HasFix() bool { return g.Known() && (g.Satellites != 0 || g.FixQuality != 0) }

// HeadingKnown distinguishes a heading from a column that the receiver never fills in: such
// receivers also leave the accuracy at 0.
func (g *GPS) HeadingKnown() bool {
	return g.Known() && (g.Heading != 0 || g.HeadingAccuracy != 0)
}

func number(at *float64, name, unit, description string) Value {
	return Value{Real: at, Name: name, Unit: unit, Description: description}
}

func integer(at *int32, name, description string) Value {
	return Value{Integer: at, Name: name, Description: description}
}

func axes(at *frames.Vector, prefix, unit, description string) []Value {
	return []Value{
		number(&at.X, prefix+"x", unit, description+", x"),
		number(&at.Y, prefix+"y", unit, description+", y"),
		number(&at.Z, prefix+"z", unit, description+", z"),
	}
}
