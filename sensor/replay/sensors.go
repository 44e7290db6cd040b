package replay

import (
	"gosmp/sensor"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
	"gosmp/timebase/activity"
)

// sensors connects the rows of each sensor with its samples, in the order of [simsensor.Kinds]. A
// new sensor needs an entry here.
var sensors = [...]interface {
	open(n *activity.Node)
	writer(m *activity.Module, label string) writer
	reader(m *activity.Module) func(s *Sampler, until timebase.Time)
}{
	&samples[sensor.Accelerometer]{
		kind: simsensor.Accelerometer,
		of: func(r *simsensor.Row) sensor.Accelerometer {
			return sensor.Accelerometer{
				Vector: vector(&r.Fields, simsensor.AccelerometerX, thousandths)}
		},
	},
	&samples[sensor.Barometer]{
		kind: simsensor.Barometer,
		of: func(r *simsensor.Row) sensor.Barometer {
			return sensor.Barometer{Pressure: float64(r.Fields[simsensor.BarometerPressure]),
				Temperature: float64(r.Fields[simsensor.BarometerTemperature])}
		},
	},
	&samples[sensor.GPS]{
		kind: simsensor.GPS,
		of:   func(r *simsensor.Row) sensor.GPS { return sensor.GPS{Fix: fix(r)} },
		take: takeFixes,
	},
	&samples[sensor.Gyroscope]{
		kind: simsensor.Gyroscope,
		of: func(r *simsensor.Row) sensor.Gyroscope {
			return sensor.Gyroscope{Rate: vector(&r.Fields, simsensor.GyroscopeX, thousandths),
				DeltaAngle: vector(&r.Fields, simsensor.GyroscopeDeltaX, millionths)}
		},
	},
	&samples[sensor.Magnetometer]{
		kind: simsensor.Magnetometer,
		of: func(r *simsensor.Row) sensor.Magnetometer {
			return sensor.Magnetometer{
				Vector: vector(&r.Fields, simsensor.MagnetometerX, tenMillionths)}
		},
	},
	&samples[sensor.Thermometer]{
		kind: simsensor.Thermometer,
		of: func(r *simsensor.Row) sensor.Thermometer {
			return sensor.Thermometer{
				Temperature: float64(r.Fields[simsensor.ThermometerTemperature])}
		},
	},
}

// writer writes a row as a sample into the channel of its sensor.
type writer func(at timebase.Time, row *simsensor.Row) error

// samples are the samples of one sensor. Its events carry no [sensor.Stamp]: the event's own stamp
// is the time, and the reader counts.
type samples[T any] struct {
	kind simsensor.Kind
	of   func(*simsensor.Row) T
	take func(*Sampler, *activity.Reader[T], timebase.Time) // nil: the newest sample counts
}

// openChannels opens the channels of all sensors, in their order. They have no retention time:
// readers see every event in order.
func openChannels(n *activity.Node) {
	for _, x := range sensors {
		x.open(n)
	}
}

func (x *samples[T]) channel(n *activity.Node) *activity.Channel[T] {
	return activity.Open[T](n, x.kind.String()).Keep(0)
}

func (x *samples[T]) open(n *activity.Node) { x.channel(n) }

func (x *samples[T]) writer(m *activity.Module, label string) writer {
	w := x.channel(m.Node()).EventWriter(m, label)
	return func(at timebase.Time, row *simsensor.Row) error { return w.Write(at, x.of(row)) }
}

func (x *samples[T]) reader(m *activity.Module) func(s *Sampler, until timebase.Time) {
	spec := activity.ReaderSpec{Mode: activity.ReadAllData, Kind: activity.Event}
	r := x.channel(m.Node()).Reader(m, spec)
	return func(s *Sampler, until timebase.Time) {
		if x.take != nil {
			x.take(s, r, until)
			return
		}
		newest := s.Samples.All()[x.kind.Index()]
		take(s, r, any(newest).(*T), newest.Latest(), until)
	}
}
