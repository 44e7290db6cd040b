package flow

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/bridge"
	"gosmp/bridge/fill"
	"gosmp/bridge/ros"
	"gosmp/cosim"
	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// ErrData is the kind of errors about messages that have no data for a topic.
var ErrData = errors.New("no sensor data")

// Frames of the published data, by the names of REP 105.
const (
	vehicleFrame = "base_link"
	worldFrame   = "map"
)

// gravity is the acceleration that an accelerometer measures at rest, upwards, in m/s2.
const gravity = 9.80665

// Values of sensor_msgs/NavSatStatus.
const (
	statusFix  = 0
	serviceGPS = 1
)

// drive is the motion of the host vehicle in its own axes.
type drive struct {
	attitude     frames.Rotation
	orientation  frames.Orientation
	rate         frames.Vector // rad/s
	acceleration frames.Vector // m/s2, without gravity
}

// Sense publishes a topic with a source: the information in an OSI message about the host vehicle
// and the objects around it. Kind is SensorView, SensorData or GroundTruth, which stands for a
// SensorView that contains nothing else. The error is an [ErrData] if the message has no data for
// the topic.
func (f *Flow) Sense(t *bridge.Topic, now timebase.Time, kind string, message []byte) error {
	view, data := &osi3.SensorView{}, &osi3.SensorData{}
	switch kind {
	case "SensorView":
		if err := proto.Unmarshal(message, view); err != nil {
			return fmt.Errorf("%s: %w", t.From, err)
		}
	case "SensorData":
		if err := proto.Unmarshal(message, data); err != nil {
			return fmt.Errorf("%s: %w", t.From, err)
		}
		if views := data.GetSensorView(); len(views) > 0 {
			view = views[0]
		}
	case "GroundTruth":
		g := &osi3.GroundTruth{}
		if err := proto.Unmarshal(message, g); err != nil {
			return fmt.Errorf("%s: %w", t.From, err)
		}
		view.GlobalGroundTruth, view.HostVehicleId = g, g.GetHostVehicleId()
	default:
		if t.Message.Name != bridge.TypeClock {
			return f.lacks(t, "a message of type "+kind,
				"a SensorView, a SensorData or a GroundTruth")
		}
	}
	if filled(t) {
		scene := fill.Scene{View: view, Engaged: f.engaged()}
		if kind == "SensorData" {
			scene.Data = data
		}
		return f.fill(t, now, scene)
	}
	at := f.stamped(now)
	stamp := ros.Time{Sec: int32(at / timebase.Second), Nanosec: uint32(at % timebase.Second)}
	var b []byte
	var err error
	switch t.Message.Name {
	case bridge.TypeImu:
		b, err = f.imu(t, stamp, view, data)
	case bridge.TypeNavSatFix:
		b, err = f.fix(t, stamp, view)
	default:
		b, err = f.objects(stamp, view, data, kind == "SensorData")
	}
	switch {
	case err != nil:
		return err
	case f.config.System == bridge.ROS1:
		b, err = f.asROS1(t.Message, b)
	default: // a folder may contain definitions other than the built-in ones
		err = f.config.Definitions.Verify(t.Message, b)
		b = append([]byte(nil), b...) // the carrier keeps the bytes
	}
	if err != nil {
		return err
	}
	return f.carrier.Publish(t, int64(now), b)
}

// engaged returns whether the stack drives a vehicle, according to the inputs that topics set for
// this purpose. It returns nil if no topic sets one.
func (f *Flow) engaged() *bool {
	var on *bool
	for _, list := range f.sinks {
		for _, s := range list {
			v := &s.control.Variable
			if v.Kind == cosim.Boolean && strings.HasSuffix("."+v.Name, ".control") {
				is := on != nil && *on || s.on
				on = &is
			}
		}
	}
	return on
}

// filled reports whether package fill creates the messages of a topic.
func filled(t *bridge.Topic) bool { return slices.Contains(fill.Types(), t.Message.Name) }

// fill publishes a message created by package fill.
func (f *Flow) fill(t *bridge.Topic, now timebase.Time, of fill.Scene) error {
	value, err := fill.Message(t.Message.Name, t.Name, f.stamped(now), of)
	if errors.Is(err, fill.ErrData) {
		return fault.Wrap(ErrData, fault.At(t.From), err)
	} else if err != nil {
		return err
	}
	b, err := f.config.Definitions.Encode(t.Message, value, false)
	if err != nil {
		return fmt.Errorf("topic %s: %w", t.Name, err)
	}
	return f.carrier.Publish(t, int64(now), b)
}

// asROS1 converts an encoded ROS 2 message to ROS 1, whose definition may have more fields, which
// are 0.
func (f *Flow) asROS1(m *bridge.Message, b []byte) ([]byte, error) {
	if f.modern == nil {
		var err error
		if f.modern, err = bridge.NewDefinitions(bridge.ROS2); err != nil {
			return nil, err
		}
	}
	same, err := f.modern.Message(m.Name)
	if err != nil {
		return nil, err
	}
	value, err := f.modern.Decode(same, b)
	if err != nil {
		return nil, err
	}
	return f.config.Definitions.Encode(m, value, false)
}

func (f *Flow) lacks(t *bridge.Topic, found, expected string) error {
	return fault.New(ErrData, fault.At(t.From), found, expected+", for topic "+t.Name)
}

func (f *Flow) imu(t *bridge.Topic, stamp ros.Time, view *osi3.SensorView, data *osi3.SensorData) (
	[]byte, error) {
	var d drive
	switch motion := view.GetHostVehicleData().GetVehicleMotion(); {
	case motion != nil:
		d.turn(motion.GetOrientation())
		d.rate = frames.Vector{X: motion.GetOrientationRate().GetRoll(),
			Y: motion.GetOrientationRate().GetPitch(), Z: motion.GetOrientationRate().GetYaw()}
		d.acceleration = vector(motion.GetAcceleration())
	case data.GetHostVehicleLocation() != nil: // in the world frame, as rates of the angles
		base := data.GetHostVehicleLocation()
		d.turn(base.GetOrientation())
		rate := base.GetOrientationRate()
		d.rate = d.attitude.Into(d.attitude.AngularVelocity(frames.Orientation{Roll: rate.GetRoll(),
			Pitch: rate.GetPitch(), Yaw: rate.GetYaw()}))
		d.acceleration = d.attitude.Into(vector(base.GetAcceleration()))
	default:
		return nil, f.lacks(t, "no motion of the host vehicle",
			"host_vehicle_data.vehicle_motion or host_vehicle_location")
	}
	up := d.attitude.Into(frames.Vector{Z: gravity})
	m := ros.Imu{Header: ros.Header{Stamp: stamp, FrameID: vehicleFrame},
		Orientation: quaternion(d.orientation), AngularVelocity: ros.Vector3(d.rate),
		LinearAcceleration: ros.Vector3{X: d.acceleration.X + up.X, Y: d.acceleration.Y + up.Y,
			Z: d.acceleration.Z + up.Z}}
	var err error
	f.buffer, err = m.Marshal(f.buffer)
	return f.buffer, err
}

func (d *drive) turn(o *osi3.Orientation3D) {
	d.orientation = frames.Orientation{Roll: o.GetRoll(), Pitch: o.GetPitch(), Yaw: o.GetYaw()}
	d.attitude = d.orientation.Rotation()
}

func (f *Flow) fix(t *bridge.Topic, stamp ros.Time, view *osi3.SensorView) ([]byte, error) {
	place := view.GetHostVehicleData().GetVehicleLocalization().GetGeodeticPosition()
	if place == nil {
		return nil, f.lacks(t, "no geodetic position",
			"host_vehicle_data.vehicle_localization.geodetic_position")
	}
	m := ros.NavSatFix{Header: ros.Header{Stamp: stamp, FrameID: vehicleFrame},
		Status:   ros.NavSatStatus{Status: statusFix, Service: serviceGPS},
		Latitude: place.GetLatitude(), Longitude: place.GetLongitude(),
		Altitude: place.GetAltitude()}
	var err error
	f.buffer, err = m.Marshal(f.buffer)
	return f.buffer, err
}

// objects lists the detected objects in the frame of the vehicle, or the true objects in the frame
// of the world.
func (f *Flow) objects(stamp ros.Time, view *osi3.SensorView, data *osi3.SensorData,
	detected bool) ([]byte, error) {
	head := ros.Header{Stamp: stamp, FrameID: worldFrame}
	m := ros.Detection3DArray{Header: head}
	if detected {
		head.FrameID = vehicleFrame
		m.Header = head
		for _, o := range data.GetMovingObject() {
			class, score := "", 0.0
			for _, c := range o.GetCandidate() {
				if p := c.GetProbability(); p > score {
					class, score = c.GetType().String(), p
				}
			}
			m.Detections = append(m.Detections, detection(head,
				o.GetHeader().GetTrackingId().GetValue(), class, score,
				o.GetBase().GetPosition(), o.GetBase().GetOrientation(),
				o.GetBase().GetDimension()))
		}
	} else {
		host := view.GetHostVehicleId().GetValue()
		for _, o := range view.GetGlobalGroundTruth().GetMovingObject() {
			if id := o.GetId().GetValue(); id != host {
				m.Detections = append(m.Detections, detection(head, id, o.GetType().String(), 1,
					o.GetBase().GetPosition(), o.GetBase().GetOrientation(),
					o.GetBase().GetDimension()))
			}
		}
	}
	var err error
	f.buffer, err = m.Marshal(f.buffer)
	return f.buffer, err
}

func detection(head ros.Header, id uint64, class string, score float64, p *osi3.Vector3D,
	o *osi3.Orientation3D, d *osi3.Dimension3D) ros.Detection3D {
	pose := ros.Pose{Position: ros.Point{X: p.GetX(), Y: p.GetY(), Z: p.GetZ()},
		Orientation: quaternion(frames.Orientation{Roll: o.GetRoll(), Pitch: o.GetPitch(),
			Yaw: o.GetYaw()})}
	return ros.Detection3D{Header: head, ID: strconv.FormatUint(id, 10),
		Results: []ros.ObjectHypothesisWithPose{{Hypothesis: ros.ObjectHypothesis{ClassID: class,
			Score: score}, Pose: ros.PoseWithCovariance{Pose: pose}}},
		Bbox: ros.BoundingBox3D{Center: pose, Size: ros.Vector3{X: d.GetLength(),
			Y: d.GetWidth(), Z: d.GetHeight()}}}
}

func vector(v *osi3.Vector3D) frames.Vector {
	return frames.Vector{X: v.GetX(), Y: v.GetY(), Z: v.GetZ()}
}

// quaternion converts an orientation given by yaw, pitch and roll.
func quaternion(o frames.Orientation) ros.Quaternion {
	sr, cr := portable.Sincos(o.Roll / 2)
	sp, cp := portable.Sincos(o.Pitch / 2)
	sy, cy := portable.Sincos(o.Yaw / 2)
	return ros.Quaternion{X: float64(sr*cp*cy) - float64(cr*sp*sy), Y: float64(cr*sp*cy) +
		float64(sr*cp*sy), Z: float64(cr*cp*sy) - float64(sr*sp*cy), W: float64(cr*cp*cy) +
		float64(sr*sp*sy)}
}
