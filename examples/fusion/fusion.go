package main

import (
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
	log    *model.Log
	parameters

	valid          bool
	count, matched int32

	data               [2]osi3.SensorData // what the inputs hold in a step
	odd                [2]bool            // inputs of which a useless object has been told
	state              struct{ Cycle, NextID uint64 }
	moving, stationary tracks
}

// parameters of an instance; lengths in m, times in s.
type parameters struct {
	sensorID        int32
	frame           string
	maxAge, keep    float64
	gate            float64
	position, speed sigma // of position and velocity
	prediction      predictor
	sensorViews     bool
}

// sigma says which standard deviation counts where base_rmse tells none, and which at least.
type sigma struct{ unstated, least float64 }

// others holds for all that is neither position nor velocity, in SI units: two sensors that do not tell have the same
// weight.
var others = sigma{unstated: 1, least: 0.01}

// newFusion declares the variables.
func newFusion(d *model.Declaration) model.Model {
	f := &fusion{inputs: d.Inputs(osmp.SensorDataIn, 2), output: d.Output(osmp.SensorDataOut)}
	f.log = d.Log("logFusion", "detected objects that cannot be used")
	m, mps, s := model.Unit("m"), model.Unit("m/s"), model.Unit("s")
	atLeast0, positive, most := model.Min(0), model.Min(0.01), model.Max(100)
	model.PlainOutput(d, &f.valid, "valid", "there is a SensorData in this step")
	model.PlainOutput(d, &f.count, "count", "moving objects in the SensorData")
	model.PlainOutput(d, &f.matched, "matched", "moving objects of it that both sensors have seen")
	model.Parameter(d, &f.sensorID, "sensorId", 100, "SensorData.sensor_id of the fused list", atLeast0)
	model.Parameter(d, &f.frame, "inputs.frame", "sensor", "frame of the detected objects in the inputs: that of the "+
		"sensor, as OSMPDummySensor writes them, or that of the vehicle, as OSI has it", model.OneOf("sensor", "vehicle"))
	model.Parameter(d, &f.maxAge, "inputs.maxAge", 0.5, "inputs measured longer ago than this count as no data",
		s, atLeast0, model.Max(10))
	model.Parameter(d, &f.gate, "gate", 5, "greatest Mahalanobis distance of two detections of one object",
		model.Unit("1"), positive, most)
	model.Parameter(d, &f.position.unstated, "sigma.position", 0.5,
		"standard deviation of each coordinate of a position without base_rmse", m, positive, most)
	model.Parameter(d, &f.position.least, "sigma.leastPosition", 0.05,
		"least standard deviation that a position is believed to have", m, positive, most)
	model.Parameter(d, &f.speed.unstated, "sigma.velocity", 1,
		"standard deviation of each coordinate of a velocity without base_rmse", mps, positive, most)
	model.Parameter(d, &f.speed.least, "sigma.leastVelocity", 0.1,
		"least standard deviation that a velocity is believed to have", mps, positive, most)
	model.Parameter(d, &f.prediction.acceleration, "prediction.acceleration", 3,
		"standard deviation of the acceleration that prediction does not know", model.Unit("m/s2"), atLeast0, most)
	model.Parameter(d, &f.prediction.speed, "prediction.speed", 10,
		"standard deviation of each coordinate of a velocity that is not told", mps, atLeast0, most)
	model.Parameter(d, &f.keep, "tracks.keep", 0.5, "an object that comes back within this time keeps its tracking id",
		s, atLeast0, model.Max(10))
	model.Parameter(d, &f.sensorViews, "sensorViews", true, "hand on the SensorViews of both inputs")
	return f
}

// Setup implements model.Model.
func (f *fusion) Setup(model.Environment) error {
	f.state.NextID = 1
	return nil
}

// Step implements model.Model.
func (f *fusion) Step(span timebase.Span) error {
	f.valid, f.count, f.matched = false, 0, 0
	views := f.look(span.End)
	if len(views) == 0 {
		return nil
	}
	f.state.Cycle++
	out := f.head(span.End, views)
	objects, matched := f.fuse(&f.moving, span.End, views, movingObjects)
	out.MovingObjectHeader = f.listHeader(views, movingObjects)
	for _, o := range objects {
		out.MovingObject = append(out.MovingObject, o.asMoving())
	}
	f.valid, f.count, f.matched = true, int32(len(objects)), int32(matched)
	objects, _ = f.fuse(&f.stationary, span.End, views, stationaryObjects)
	out.StationaryObjectHeader = f.listHeader(views, stationaryObjects)
	for _, o := range objects {
		out.StationaryObject = append(out.StationaryObject, o.asStationary())
	}
	return message.Publish(f.output, out)
}

// fuse makes one list of those of all views, and gives every object its tracking id.
func (f *fusion) fuse(t *tracks, now timebase.Time, views []view, k kind) (objects []object, matched int) {
	objects = views[0].lists[k].objects
	if len(views) == 2 {
		objects, matched = associate(objects, views[1].lists[k].objects, f.gate*f.gate)
	}
	f.follow(t, now, objects)
	return objects, matched
}

// Snapshot implements model.Snapshotter.
func (f *fusion) Snapshot(b []byte) ([]byte, error) {
	b = model.AppendUint64(model.AppendUint64(b, f.state.Cycle), f.state.NextID)
	for _, t := range []tracks{f.moving, f.stationary} {
		b = model.AppendBytes(b, t.append(nil))
	}
	return b, nil
}

// Restore implements model.Snapshotter.
func (f *fusion) Restore(b []byte) error {
	d := model.StateReader{Data: b}
	f.state.Cycle, f.state.NextID = d.Uint64(), d.Uint64()
	for _, t := range []*tracks{&f.moving, &f.stationary} {
		if err := t.restore(d.Bytes()); err != nil {
			return err
		}
	}
	return d.Err()
}
