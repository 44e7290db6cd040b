package dummysensor

import (
	"math"

	"gosmp/fmu"
	"gosmp/sensor"
	"gosmp/sensor/frames"
	"gosmp/sensor/simsensor"
)

// outputs holds the references of the plain outputs: the file's own values and axes in SI units, nothing else.
type outputs struct {
	accelerometer, rate, deltaAngle, magnetometer vectorRefs
	pressure, barometerTemperature, temperature   fmu.ValueReference
	gps                                           gpsRefs
	stamps                                        [6]stampRefs // in the order of simsensor.Kinds
	finished, loops, rows, rejectedRows           fmu.ValueReference
}

type vectorRefs struct{ x, y, z fmu.ValueReference }

type stampRefs struct{ time, count fmu.ValueReference }

type gpsRefs struct {
	latitude, longitude, altitude, ellipsoidAltitude, utc, hdop, vdop, groundSpeed fmu.ValueReference
	velocity                                                                       vectorRefs
	horizontalAccuracy, verticalAccuracy, velocityAccuracy                         fmu.ValueReference
	heading, headingOffset, headingAccuracy                                        fmu.ValueReference
	satellites, fixQuality                                                         fmu.ValueReference
}

func (d *declarer) outputs() (o outputs) {
	o.accelerometer = d.vector("accelerometer", "m/s2", "specific force in the sensor's axes")
	o.rate = d.vector("gyroscope", "rad/s", "angular velocity in the sensor's axes")
	o.deltaAngle = d.vector("gyroscope.deltaAngle", "rad", "angle turned since the recording driver started")
	o.magnetometer = d.vector("magnetometer", "T", "magnetic flux density in the sensor's axes")
	o.pressure = d.output("barometer.pressure", "Pa", "air pressure")
	o.barometerTemperature = d.output("barometer.temperature", "K", "temperature of the barometer")
	o.temperature = d.output("thermometer.temperature", "K", "temperature")
	o.gps = d.gps()
	for i, k := range simsensor.Kinds() {
		o.stamps[i] = stampRefs{
			time:  d.output(k.String()+".time", "s", "simulation time of the newest sample"),
			count: d.counter(k.String()+".count", "number of samples so far"),
		}
	}
	o.finished = d.t.Add(fmu.Variable{
		Name: "replay.finished", Type: fmu.Boolean, Causality: fmu.Output, Variability: fmu.Discrete, Initial: fmu.Calculated,
		Description: "true when no row will follow", DependsOn: replayNames,
	})
	o.loops = d.counter("replay.loops", "how often the file has been started over")
	o.rows = d.counter("replay.rows", "published rows, of every round")
	o.rejectedRows = d.counter("replay.rejectedRows", "rows that were skipped because they are malformed, of every round")
	return o
}

func (d *declarer) gps() gpsRefs {
	return gpsRefs{
		latitude:          d.output("gps.latitude", "deg", "latitude, WGS 84"),
		longitude:         d.output("gps.longitude", "deg", "longitude, WGS 84"),
		altitude:          d.output("gps.altitude", "m", "altitude above mean sea level"),
		ellipsoidAltitude: d.output("gps.ellipsoidAltitude", "m", "altitude above the WGS 84 ellipsoid"),
		utc:               d.output("gps.utc", "s", "UTC as recorded"),
		hdop:              d.output("gps.hdop", "", "horizontal dilution of precision as recorded"),
		vdop:              d.output("gps.vdop", "", "vertical dilution of precision as recorded"),
		groundSpeed:       d.output("gps.groundSpeed", "m/s", "speed over ground"),
		velocity: vectorRefs{
			d.output("gps.velocity.north", "m/s", "velocity to the north"),
			d.output("gps.velocity.east", "m/s", "velocity to the east"),
			d.output("gps.velocity.down", "m/s", "velocity downwards"),
		},
		horizontalAccuracy: d.output("gps.accuracy.horizontal", "m", "horizontal position accuracy"),
		verticalAccuracy:   d.output("gps.accuracy.vertical", "m", "vertical position accuracy"),
		velocityAccuracy:   d.output("gps.accuracy.velocity", "m/s", "velocity accuracy"),
		heading:            d.output("gps.heading", "rad", "heading, clockwise from north"),
		headingOffset:      d.output("gps.headingOffset", "rad", "heading offset"),
		headingAccuracy:    d.output("gps.headingAccuracy", "rad", "heading accuracy"),
		satellites:         d.counter("gps.satellites", "number of satellites used"),
		fixQuality:         d.counter("gps.fixQuality", "fix quality as recorded"),
	}
}

// output adds a replayed Real output.
func (d *declarer) output(name, unit, description string) fmu.ValueReference {
	return d.t.Add(fmu.Variable{
		Name: name, Type: fmu.Real, Causality: fmu.Output, Variability: fmu.Discrete, Initial: fmu.Calculated,
		Unit: unit, Description: description, DependsOn: replayNames,
	})
}

// counter adds a replayed Integer output.
func (d *declarer) counter(name, description string) fmu.ValueReference {
	return d.t.Add(fmu.Variable{
		Name: name, Type: fmu.Integer, Causality: fmu.Output, Variability: fmu.Discrete, Initial: fmu.Calculated,
		Description: description, DependsOn: replayNames,
	})
}

func (d *declarer) vector(prefix, unit, description string) vectorRefs {
	return vectorRefs{
		d.output(prefix+".x", unit, description+", x"),
		d.output(prefix+".y", unit, description+", y"),
		d.output(prefix+".z", unit, description+", z"),
	}
}

// write copies the newest samples to the outputs.
func (o *outputs) write(v *fmu.Values, s *sensor.Samples, c simsensor.Counters) {
	o.accelerometer.write(v, s.Accelerometer.Vector)
	o.rate.write(v, s.Gyroscope.Rate)
	o.deltaAngle.write(v, s.Gyroscope.DeltaAngle)
	o.magnetometer.write(v, s.Magnetometer.Vector)
	v.Reals[o.pressure] = s.Barometer.Pressure
	v.Reals[o.barometerTemperature] = s.Barometer.Temperature
	v.Reals[o.temperature] = s.Thermometer.Temperature
	o.gps.write(v, &s.GPS)
	for i, stamp := range [...]sensor.Stamp{
		s.Accelerometer.Stamp, s.Barometer.Stamp, s.GPS.Stamp, s.Gyroscope.Stamp, s.Magnetometer.Stamp, s.Thermometer.Stamp,
	} {
		v.Reals[o.stamps[i].time] = stamp.Time.Seconds()
		v.Integers[o.stamps[i].count] = saturated(stamp.Count)
	}
	v.Booleans[o.finished] = c.Finished
	v.Integers[o.loops] = saturated(c.Loops)
	v.Integers[o.rows] = saturated(c.Rows)
	v.Integers[o.rejectedRows] = saturated(c.Rejected)
}

func (r vectorRefs) write(v *fmu.Values, x frames.Vector) {
	v.Reals[r.x], v.Reals[r.y], v.Reals[r.z] = x.X, x.Y, x.Z
}

func (r *gpsRefs) write(v *fmu.Values, g *sensor.GPS) {
	v.Reals[r.latitude], v.Reals[r.longitude], v.Reals[r.altitude] = g.Latitude, g.Longitude, g.Altitude
	v.Reals[r.ellipsoidAltitude], v.Reals[r.utc] = g.EllipsoidAltitude, g.UTC
	v.Reals[r.hdop], v.Reals[r.vdop] = g.HDOP, g.VDOP
	v.Reals[r.groundSpeed] = g.GroundSpeed
	r.velocity.write(v, g.Velocity)
	v.Reals[r.horizontalAccuracy], v.Reals[r.verticalAccuracy] = g.HorizontalAccuracy, g.VerticalAccuracy
	v.Reals[r.velocityAccuracy] = g.VelocityAccuracy
	v.Reals[r.heading], v.Reals[r.headingOffset], v.Reals[r.headingAccuracy] = g.Heading, g.HeadingOffset, g.HeadingAccuracy
	v.Integers[r.satellites], v.Integers[r.fixQuality] = g.Satellites, g.FixQuality
}

// saturated keeps a counter that has outgrown fmi2Integer at its end instead of letting it wrap.
func saturated(n int64) int32 { return int32(min(n, math.MaxInt32)) }
