package main

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/model"
	"gosmp/model/message"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// fusion is one instance of the model.
type fusion struct {
	inputs []*model.Input
	output *model.Output

	sensorID           int32
	maxAge, keep       float64 // s
	gate, sigma, drift float64 // m, m and m/s

	valid          bool
	count, matched int32

	cycle, nextID uint64
	tracks        []track
}

// newFusion declares the variables.
func newFusion(d *model.Declaration) model.Model {
	f := &fusion{inputs: d.Inputs(osmp.SensorDataIn, 2), output: d.Output(osmp.SensorDataOut)}
	m, s := model.Unit("m"), model.Unit("s")
	model.PlainOutput(d, &f.valid, "valid", "true when the step has a SensorData")
	model.PlainOutput(d, &f.count, "count", "number of moving objects in the SensorData")
	model.PlainOutput(d, &f.matched, "matched", "number of those that both sensors have seen")
	model.Parameter(d, &f.sensorID, "sensorId", 100, "SensorData.sensor_id of the fused list",
		model.Min(0))
	model.Parameter(d, &f.maxAge, "inputs.maxAge", 0.5,
		"an input measured longer ago than this counts as no data", s, model.Between(0, 10))
	model.Parameter(d, &f.gate, "gate", 2, "greatest distance of two detections of one object", m,
		model.Between(0, 100))
	model.Parameter(d, &f.sigma, "sigma", 0.5, "standard deviation of a position without base_rmse",
		m, model.Between(0.01, 100))
	model.Parameter(d, &f.drift, "prediction.speed", 1,
		"standard deviation of the velocity used for prediction", model.Unit("m/s"),
		model.Between(0, 100))
	model.Parameter(d, &f.keep, "tracks.keep", 0.5,
		"an object that comes back within this time keeps its tracking id", s, model.Between(0, 10))
	return f
}

// Setup implements model.Model.
func (f *fusion) Setup(model.Environment) error {
	f.nextID = 1
	return nil
}

// Step implements model.Model. Without any SensorData the output says "no data".
func (f *fusion) Step(span timebase.Span) error {
	f.valid, f.count, f.matched = false, 0, 0
	out := f.newData(span.End)
	var objects []object
	seeing := 0
	for _, in := range f.inputs {
		var data osi3.SensorData
		if !message.Read(in, &data) {
			continue
		}
		measured := measurement(&data)
		if age := (span.End - measured).Seconds(); math.Abs(age) > f.maxAge {
			in.Reject(fmt.Errorf("found data measured %g s before the end of the step, expected "+
				"at most %g s (inputs.maxAge)", age, f.maxAge))
			continue
		}
		seeing++
		out.SensorView = append(out.SensorView, data.SensorView...)
		if newest := out.LastMeasurementTime; newest == nil || message.TimeOf(newest) < measured {
			out.LastMeasurementTime = message.Time(measured)
		}
		objects = f.merge(objects, f.detections(&data, (span.End-measured).Seconds()))
	}
	if seeing == 0 {
		return nil
	}
	f.cycle++
	f.follow(span.End, objects)
	out.MovingObjectHeader = f.listHeader(out.LastMeasurementTime, seeing)
	for _, o := range objects {
		out.MovingObject = append(out.MovingObject, o.detected())
	}
	f.valid, f.count = true, int32(len(objects))
	return message.Publish(f.output, out)
}

// newData creates a SensorData without objects in the frame of the vehicle.
func (f *fusion) newData(now timebase.Time) *osi3.SensorData {
	return &osi3.SensorData{
		Version: message.Version(), Timestamp: message.Time(now),
		SensorId: message.ID(uint64(f.sensorID)), MountingPosition: message.Mounting(frames.Pose{}),
	}
}

func (f *fusion) listHeader(measured *osi3.Timestamp, seeing int) *osi3.DetectedEntityHeader {
	qualifier := osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE
	if seeing < len(f.inputs) {
		qualifier = osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE_REDUCED
	}
	return &osi3.DetectedEntityHeader{MeasurementTime: measured,
		CycleCounter: proto.Uint64(f.cycle), DataQualifier: &qualifier}
}

// measurement returns the time at which the objects of a SensorData were measured.
func measurement(data *osi3.SensorData) timebase.Time {
	if data.LastMeasurementTime != nil {
		return message.TimeOf(data.LastMeasurementTime)
	}
	return message.TimeOf(data.Timestamp)
}
