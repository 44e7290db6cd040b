package birdseye

import (
	"math"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/timebase"
	"gosmp/trace/points"
)

// Snapshot is one step of a sensor: its input, its output and its configuration. Data needs only
// detected objects, which refer to their objects by ground_truth_id.
type Snapshot struct {
	View     *osi3.SensorView
	Data     *osi3.SensorData // nil if there is only a SensorView
	Host     objects.HostVehicle
	Mounting frames.Pose
	Sensor   *objects.Config // nil when unknown, as for a recorded message

	// The origin of a recorded message, for the title.
	Kind     string // message type, if it is neither a SensorView nor a SensorData
	Channel  string // may be empty
	Channels string // several, if their messages are joined; may be empty
	Message  int    // its number in the channel, counted from 1; 0 if there is only one

	Polar bool   // draws rings around the host vehicle instead of a square grid
	Color string // field by which points are colored, such as "intensity"; may be empty

	clouds []points.Cloud // detections or reflections
}

// OfView returns the snapshot of a recorded SensorView: the truth, without a sensor.
func OfView(view *osi3.SensorView) (*Snapshot, error) {
	b, err := proto.Marshal(view)
	if err != nil || len(b) == 0 {
		return &Snapshot{View: view}, err
	}
	d, err := objects.New(objects.Default())
	if err != nil {
		return nil, err
	}
	if _, err := d.Detect(b, timebase.Span{End: timebase.EndOfTime}); err != nil {
		return nil, err
	}
	s := &Snapshot{View: view, Mounting: d.Mounting(), clouds: points.OfView(view)}
	s.Host, _ = d.Host() // without a host, the picture is in the world frame
	return s, nil
}

// OfBytes is like [OfView] for the bytes of a SensorView.
func OfBytes(b []byte) (*Snapshot, error) {
	view := &osi3.SensorView{}
	if err := proto.Unmarshal(b, view); err != nil {
		return nil, err
	}
	return OfView(view)
}

// OfData returns the snapshot of a recorded SensorData: its detections, and the truth of the first
// SensorView in it.
func OfData(data *osi3.SensorData) (*Snapshot, error) {
	view := &osi3.SensorView{}
	if carried := data.GetSensorView(); len(carried) > 0 {
		view = carried[0]
	}
	s, err := OfView(view)
	if err != nil {
		return nil, err
	}
	s.Data, s.clouds = data, points.OfData(data)
	if m := data.GetMountingPosition(); m != nil {
		s.Mounting = frames.Pose{Position: vector(m.GetPosition()),
			Orientation: orientation(m.GetOrientation())}
	}
	return s, nil
}

// Motorway runs a sensor with occlusion, a little noise and a wide field of view for one second in
// the scene of that name, up to the time t, and returns the last step.
func Motorway(t timebase.Time) (*Snapshot, error) {
	c := objects.Default()
	c.HalfAngle, c.Occlusion, c.PositionNoise, c.VelocityNoise, c.Seed = 40*math.Pi/180, true, 0.3,
		0.3, 1
	d, err := objects.New(c)
	if err != nil {
		return nil, err
	}
	const step = 20 * timebase.Millisecond
	for now := t - timebase.Second; ; now += step {
		view := scene.Motorway(now)
		s, err := look(d, view, timebase.Span{Start: now - step, End: now})
		if err != nil || now >= t {
			if s != nil {
				s.Sensor = &c
			}
			return s, err
		}
	}
}

// look performs one step.
func look(d *objects.Detector, view *osi3.SensorView, span timebase.Span) (*Snapshot, error) {
	b, err := proto.Marshal(view)
	if err != nil {
		return nil, err
	}
	if _, err := d.Detect(b, span); err != nil {
		return nil, err
	}
	s := &Snapshot{View: view, Data: &osi3.SensorData{}, Mounting: d.Mounting()}
	s.Host, _ = d.Host()
	return s, proto.Unmarshal(d.AppendMovingObjects(d.AppendStationaryObjects(nil)), s.Data)
}
