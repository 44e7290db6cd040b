package dummysensor

import (
	"math"

	"gosmp/frames"
	"gosmp/model"
	"gosmp/sensor"
	"gosmp/sensor/replay"
	"gosmp/sensor/simsensor"
)

// outputs holds the plain outputs: only the file's own values and axes, in SI units.
type outputs struct {
	samples                   sensor.Samples
	stamps                    [replay.Sensors]stamp // in the order of simsensor.Kinds
	finished                  bool
	loops, rows, rejectedRows int32
}

// stamp is a sensor.Stamp in FMI types.
type stamp struct {
	time  float64 // s
	count int32
}

func (o *outputs) declare(d *model.Declaration) {
	s := &o.samples
	vector(d, &s.Accelerometer.Vector, "accelerometer", "m/s2",
		"specific force in the sensor's axes")
	vector(d, &s.Gyroscope.Rate, "gyroscope", "rad/s", "angular velocity in the sensor's axes")
	vector(d, &s.Gyroscope.DeltaAngle, "gyroscope.deltaAngle", "rad",
		"angle turned since the driver of the recording started")
	vector(d, &s.Magnetometer.Vector, "magnetometer", "T",
		"magnetic flux density in the sensor's axes")
	replayed(d, &s.Barometer.Pressure, "barometer.pressure", "Pa", "air pressure")
	replayed(d, &s.Barometer.Temperature, "barometer.temperature", "K",
		"temperature of the barometer")
	replayed(d, &s.Thermometer.Temperature, "thermometer.temperature", "K", "temperature")
	declareGPS(d, &s.GPS)
	kinds := simsensor.Kinds()
	for _, k := range kinds[:firstSensors] {
		o.declareStamp(d, k)
	}
	model.PlainOutput(d, &o.finished, "replay.finished", "true when no more rows follow",
		model.Calculated(replayNames...))
	counter(d, &o.loops, "replay.loops", "number of times the file has been restarted")
	counter(d, &o.rows, "replay.rows", "number of published rows, all rounds together")
	counter(d, &o.rejectedRows, "replay.rejectedRows",
		"number of malformed rows that were skipped, all rounds together")
}

// firstSensors is the number of sensors whose outputs are declared among the others.
const firstSensors = 6

// added declares the values of the sensors after the first ones, in the order of [simsensor.Kinds].
// Each new sensor needs an entry here.
var added = []func(*model.Declaration, *sensor.Samples){}

// declareAdded declares the outputs of the sensors after the first ones. It must be called last, so
// that existing variables keep their references.
func (o *outputs) declareAdded(d *model.Declaration) {
	kinds := simsensor.Kinds()
	for i, k := range kinds[firstSensors:] {
		added[i](d, &o.samples)
		o.declareStamp(d, k)
	}
}

func (o *outputs) declareStamp(d *model.Declaration, k simsensor.Kind) {
	s := &o.stamps[k.Index()]
	replayed(d, &s.time, k.String()+".time", "s", "simulation time of the newest sample")
	counter(d, &s.count, k.String()+".count", "number of samples so far")
}

func declareGPS(d *model.Declaration, g *sensor.GPS) {
	replayed(d, &g.Latitude, "gps.latitude", "deg", "latitude, WGS 84")
	replayed(d, &g.Longitude, "gps.longitude", "deg", "longitude, WGS 84")
	replayed(d, &g.Altitude, "gps.altitude", "m", "altitude above mean sea level")
	replayed(d, &g.EllipsoidAltitude, "gps.ellipsoidAltitude", "m",
		"altitude above the WGS 84 ellipsoid")
	replayed(d, &g.UTC, "gps.utc", "s", "UTC as recorded")
	replayed(d, &g.HDOP, "gps.hdop", "1", "horizontal dilution of precision as recorded")
	replayed(d, &g.VDOP, "gps.vdop", "1", "vertical dilution of precision as recorded")
	replayed(d, &g.GroundSpeed, "gps.groundSpeed", "m/s", "speed over ground")
	replayed(d, &g.Velocity.X, "gps.velocity.north", "m/s", "velocity to the north")
	replayed(d, &g.Velocity.Y, "gps.velocity.east", "m/s", "velocity to the east")
	replayed(d, &g.Velocity.Z, "gps.velocity.down", "m/s", "velocity downwards")
	replayed(d, &g.HorizontalAccuracy, "gps.accuracy.horizontal", "m",
		"horizontal position accuracy")
	replayed(d, &g.VerticalAccuracy, "gps.accuracy.vertical", "m", "vertical position accuracy")
	replayed(d, &g.VelocityAccuracy, "gps.accuracy.velocity", "m/s", "velocity accuracy")
	replayed(d, &g.Heading, "gps.heading", "rad", "heading, clockwise from north")
	replayed(d, &g.HeadingOffset, "gps.headingOffset", "rad", "heading offset")
	replayed(d, &g.HeadingAccuracy, "gps.headingAccuracy", "rad", "heading accuracy")
	counter(d, &g.Satellites, "gps.satellites", "number of satellites used")
	counter(d, &g.FixQuality, "gps.fixQuality", "fix quality as recorded")
}

func replayed(d *model.Declaration, at *float64, name, unit, description string) {
	model.PlainOutput(d, at, name, description, model.Unit(unit), model.Calculated(replayNames...))
}

func counter(d *model.Declaration, at *int32, name, description string) {
	model.PlainOutput(d, at, name, description, model.Calculated(replayNames...))
}

func vector(d *model.Declaration, at *frames.Vector, prefix, unit, description string) {
	replayed(d, &at.X, prefix+".x", unit, description+", x")
	replayed(d, &at.Y, prefix+".y", unit, description+", y")
	replayed(d, &at.Z, prefix+".z", unit, description+", z")
}

// write stores the newest samples.
func (o *outputs) write(s *sensor.Samples, c simsensor.Counters) {
	o.samples = *s
	for i, newest := range replay.Stamps(s) {
		o.stamps[i] = stamp{newest.Time.Seconds(), saturated(newest.Count)}
	}
	o.finished = c.Finished
	o.loops, o.rows, o.rejectedRows = saturated(c.Loops), saturated(c.Rows), saturated(c.Rejected)
}

// saturated limits a counter to the range of fmi2Integer instead of letting it wrap around.
func saturated(n int64) int32 { return int32(min(n, math.MaxInt32)) }
