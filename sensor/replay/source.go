package replay

import (
	"gosmp/sensor"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
	"gosmp/timebase/activity"
)

// Source is the producer: it writes the rows of a scenario into the channels of their sensors, as
// events stamped with their publish times.
type Source struct {
	player        *simsensor.Player
	row           simsensor.Row
	accelerometer *activity.EventWriter[sensor.Accelerometer]
	barometer     *activity.EventWriter[sensor.Barometer]
	gps           *activity.EventWriter[sensor.GPS]
	gyroscope     *activity.EventWriter[sensor.Gyroscope]
	magnetometer  *activity.EventWriter[sensor.Magnetometer]
	thermometer   *activity.EventWriter[sensor.Thermometer]
}

// NewSource returns a source that plays p, as a part of module m. The label distinguishes the
// entries of several sources.
func NewSource(m *activity.Module, label string, p *simsensor.Player) *Source {
	c := sensor.OpenChannels(m.Node())
	return &Source{
		player:        p,
		accelerometer: c.Accelerometer.EventWriter(m, label),
		barometer:     c.Barometer.EventWriter(m, label),
		gps:           c.GPS.EventWriter(m, label),
		gyroscope:     c.Gyroscope.EventWriter(m, label),
		magnetometer:  c.Magnetometer.EventWriter(m, label),
		thermometer:   c.Thermometer.EventWriter(m, label),
	}
}

// Portion is the maximum number of rows that Publish writes: rows stay in memory until they are
// read, and a step of an hour may hold millions.
const Portion = 4096

// Publish writes the rows that are due at or before until, at most [Portion]. If more is true, it
// must be called again after these have been read. The errors are those of [simsensor.Player.Next].
func (s *Source) Publish(until timebase.Time) (more bool, err error) {
	for range Portion {
		at, ok, err := s.player.Next(until, &s.row)
		if err != nil || !ok {
			return false, err
		}
		if err := s.write(at); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (s *Source) write(at timebase.Time) error {
	f := &s.row.Fields
	switch s.row.Kind {
	case simsensor.Accelerometer:
		return s.accelerometer.Write(at, sensor.Accelerometer{Vector: vector(f,
			simsensor.AccelerometerX, milli)})
	case simsensor.Barometer:
		return s.barometer.Write(at, sensor.Barometer{
			Pressure:    float64(f[simsensor.BarometerPressure]),
			Temperature: float64(f[simsensor.BarometerTemperature]),
		})
	case simsensor.GPS:
		return s.gps.Write(at, sensor.GPS{Fix: fix(&s.row)})
	case simsensor.Gyroscope:
		return s.gyroscope.Write(at, sensor.Gyroscope{
			Rate: vector(f, simsensor.GyroscopeX, milli), DeltaAngle: vector(f,
				simsensor.GyroscopeDeltaX, micro),
		})
	case simsensor.Magnetometer:
		return s.magnetometer.Write(at, sensor.Magnetometer{Vector: vector(f,
			simsensor.MagnetometerX, tesla)})
	default: // the player returns only rows of sensors, and this is the last one
		return s.thermometer.Write(at, sensor.Thermometer{Temperature: float64(f[simsensor.ThermometerTemperature])})
	}
}
