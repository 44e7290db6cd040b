package dummysensor

import (
	"math"

	"gosmp/model"
	"gosmp/sensor"
	"gosmp/sensor/simsensor"
)

// outputs holds the plain outputs: only the file's own values and axes, in SI units.
type outputs struct {
	samples                   sensor.Samples
	stamps                    [sensor.Sensors]stamp // in the order of simsensor.Kinds
	finished                  bool
	loops, rows, rejectedRows int32
}

// stamp is a sensor.Stamp in FMI types.
type stamp struct {
	time  float64 // s
	count int32
}

// first lists the sensors whose values are declared before all other outputs, and whose stamps
// follow in the order of their ids.
var first = [...]simsensor.Kind{
	simsensor.Accelerometer, simsensor.Gyroscope, simsensor.Magnetometer, simsensor.Barometer,
	simsensor.Thermometer, simsensor.GPS,
}

func (o *outputs) declare(d *model.Declaration) {
	for _, k := range first {
		o.declareValues(d, k)
	}
	kinds := simsensor.Kinds()
	for _, k := range kinds[:len(first)] {
		o.declareStamp(d, k)
	}
	model.PlainOutput(d, &o.finished, "replay.finished", "true when no more rows follow",
		model.Calculated(replayNames...))
	counter(d, &o.loops, "replay.loops", "number of times the file has been restarted")
	counter(d, &o.rows, "replay.rows", "number of published rows, all rounds together")
	counter(d, &o.rejectedRows, "replay.rejectedRows",
		"number of malformed rows that were skipped, all rounds together")
}

// declareAdded declares the outputs of the sensors after the first ones. It must be called last, so
// that existing variables keep their references.
func (o *outputs) declareAdded(d *model.Declaration) {
	kinds := simsensor.Kinds()
	for _, k := range kinds[len(first):] {
		o.declareValues(d, k)
		o.declareStamp(d, k)
	}
}

func (o *outputs) declareValues(d *model.Declaration, k simsensor.Kind) {
	for _, v := range o.samples.All()[k.Index()].Values() {
		name := k.String() + "." + v.Name
		if v.Integer != nil {
			counter(d, v.Integer, name, v.Description)
			continue
		}
		replayed(d, v.Real, name, v.Unit, v.Description)
	}
}

func (o *outputs) declareStamp(d *model.Declaration, k simsensor.Kind) {
	s := &o.stamps[k.Index()]
	replayed(d, &s.time, k.String()+".time", "s", "simulation time of the newest sample")
	counter(d, &s.count, k.String()+".count", "number of samples so far")
}

func replayed(d *model.Declaration, at *float64, name, unit, description string) {
	model.PlainOutput(d, at, name, description, model.Unit(unit), model.Calculated(replayNames...))
}

func counter(d *model.Declaration, at *int32, name, description string) {
	model.PlainOutput(d, at, name, description, model.Calculated(replayNames...))
}

// write stores the newest samples.
func (o *outputs) write(s *sensor.Samples, c simsensor.Counters) {
	o.samples = *s
	for i, sample := range s.All() {
		newest := sample.Latest()
		o.stamps[i] = stamp{newest.Time.Seconds(), saturated(newest.Count)}
	}
	o.finished = c.Finished
	o.loops, o.rows, o.rejectedRows = saturated(c.Loops), saturated(c.Rows), saturated(c.Rejected)
}

// saturated limits a counter to the range of fmi2Integer instead of letting it wrap around.
func saturated(n int64) int32 { return int32(min(n, math.MaxInt32)) }
