package foxglove

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"gosmp/frames"
	"gosmp/proto/foxglove"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/timebase"
	"gosmp/trace/points"
	"gosmp/trace/updates"
)

// Frames of the scenes.
const (
	World   = "map"
	Vehicle = "base_link"
)

// Topics that all channels share.
const (
	TopicFrames  = "/tf"
	TopicLog     = "/log"
	TopicUpdates = "/updates/objects" // of all channels with updates
)

// Emit receives a message for a topic. The maker does not use the message afterwards.
type Emit func(topic string, m proto.Message) error

// Maker creates messages for viewers. It keeps track of what a viewer has received, so each
// recording or connection needs its own maker. It must be used by one goroutine only.
type Maker struct {
	// TruthElsewhere means that there are channels with GroundTruth or SensorView messages, so that
	// the truth inside a SensorData is not drawn a second time.
	TruthElsewhere bool

	owner     string // the topic that moves base_link
	trueOwner bool   // the owner has the truth
	within    string // the topic of the SensorData whose truth is drawn
	lanes     map[string][sha256.Size]byte
	clouds    map[string][]string // for each topic, the topics of its non-empty clouds
	geo       geography
	logged    int

	topic string
	at    timebase.Time
	stamp *timestamppb.Timestamp
	emit  Emit
}

// Drawable reports whether messages of an OSI type, such as osi3.SensorView, can be drawn.
func Drawable(messageType string) bool {
	switch strings.TrimPrefix(messageType, "osi3.") {
	case "SensorView", "GroundTruth", "SensorData", "HostVehicleData":
		return true
	}
	return false
}

// Add creates the messages for an OSI message on a topic. It alters the message by removing content
// that cannot be drawn. Add returns the errors of emit.
func (k *Maker) Add(topic string, at timebase.Time, m proto.Message, emit Emit) error {
	k.begin(topic, at, emit)
	if err := k.unusable(rules.DiscardUnusable(m)); err != nil {
		return err
	}
	switch m := m.(type) {
	case *osi3.GroundTruth:
		return k.truth(m, m.GetHostVehicleId())
	case *osi3.SensorView:
		return k.view(m)
	case *osi3.SensorData:
		return k.data(m)
	case *osi3.HostVehicleData:
		return k.hostData(m)
	}
	return nil
}

// begin prepares for a message.
func (k *Maker) begin(topic string, at timebase.Time, emit Emit) {
	k.topic, k.at, k.emit = "/"+strings.Trim(topic, "/"), at, emit
	seconds, nanos := at.Split()
	k.stamp = &timestamppb.Timestamp{Seconds: seconds, Nanos: int32(nanos)}
}

// join draws the newest objects of channels with updates.
func (k *Maker) join(j *updates.Join, at timebase.Time, emit Emit) error {
	j.Removed = func(topic string, list []rules.Unusable) error {
		k.begin(topic, at, emit)
		return k.unusable(list)
	}
	j.Broken = func(topic string, err error) error { return k.Broken(topic, at, err, emit) }
	truth, err := j.At(at)
	if err != nil {
		return err
	}
	k.begin(TopicUpdates, at, emit)
	return emit(TopicUpdates, k.trueObjects(truth, nil))
}

// Broken logs a message that cannot be decoded.
func (k *Maker) Broken(topic string, at timebase.Time, cause error, emit Emit) error {
	k.begin(topic, at, emit)
	return k.log(foxglove.Log_ERROR, cause.Error())
}

// mostLogged bounds the log of one recording.
const mostLogged = 10_000

func (k *Maker) unusable(removed []rules.Unusable) error {
	for _, u := range removed {
		text := fmt.Sprintf("%s is %v", u.Path, u.Value)
		if u.Object != "" {
			text = u.Object + ": " + text
		}
		if err := k.log(foxglove.Log_WARNING, text+", not drawn"); err != nil {
			return err
		}
	}
	return nil
}

func (k *Maker) log(level foxglove.Log_Level, text string) error {
	if k.logged++; k.logged > mostLogged {
		return nil
	}
	return k.emit(TopicLog, &foxglove.Log{Timestamp: k.stamp, Level: level, Message: text,
		Name: k.topic})
}

// view draws a SensorView: its truth and its reflections, if any.
func (k *Maker) view(v *osi3.SensorView) error {
	g := v.GetGlobalGroundTruth()
	host := g.GetHostVehicleId()
	if host == nil {
		host = v.GetHostVehicleId()
	}
	if g != nil {
		if err := k.truth(g, host); err != nil {
			return err
		}
	}
	if err := k.cloudsOf(points.OfView(v)); err != nil {
		return err
	}
	if d := v.GetHostVehicleData(); d != nil {
		return k.hostData(d)
	}
	return nil
}

// truth draws a GroundTruth.
func (k *Maker) truth(g *osi3.GroundTruth, host *osi3.Identifier) error {
	if err := k.emit(k.topic+"/objects", k.trueObjects(g, host)); err != nil {
		return err
	}
	if err := k.trueLanes(g); err != nil {
		return err
	}
	h, found := hostOf(g, host)
	if !found {
		return nil
	}
	if k.owner == "" || !k.trueOwner {
		k.owner, k.trueOwner = k.topic, true
	}
	if k.owner == k.topic {
		if err := k.transform(World, Vehicle, h); err != nil {
			return err
		}
	}
	return k.place(g, h.Position)
}

// transform emits the position of a frame.
func (k *Maker) transform(parent, child string, p frames.Pose) error {
	at := poseOf(p)
	return k.emit(TopicFrames, &foxglove.FrameTransforms{Transforms: []*foxglove.FrameTransform{{
		Timestamp: k.stamp, ParentFrameId: parent, ChildFrameId: child, Translation: at.Position,
		Rotation: at.Orientation}}})
}

// data draws a SensorData: detected objects and points, and the truth inside unless that is drawn
// from elsewhere.
func (k *Maker) data(d *osi3.SensorData) error {
	for _, v := range d.GetSensorView() {
		if k.TruthElsewhere || v.GetGlobalGroundTruth() == nil {
			continue
		}
		if k.within == "" {
			k.within = k.topic
		}
		if k.within != k.topic {
			break
		}
		topic := k.topic
		k.topic += "/sensor_view"
		err := k.view(v)
		k.topic = topic
		if err != nil {
			return err
		}
		break
	}
	if k.owner == "" && !k.TruthElsewhere {
		k.owner = k.topic
	}
	if k.owner == k.topic {
		if err := k.transform(World, Vehicle, measuredHost(d)); err != nil {
			return err
		}
	}
	mount := mountOf(d.GetMountingPosition())
	if err := k.transform(Vehicle, strings.TrimPrefix(k.topic, "/"), mount); err != nil {
		return err
	}
	if err := k.emit(k.topic+"/objects", k.detectedObjects(d, mount)); err != nil {
		return err
	}
	return k.cloudsOf(points.OfData(d))
}

// scene returns an update that first deletes all previous content.
func (k *Maker) scene() *foxglove.SceneUpdate {
	return &foxglove.SceneUpdate{Deletions: []*foxglove.SceneEntityDeletion{{Timestamp: k.stamp,
		Type: foxglove.SceneEntityDeletion_ALL}}}
}

// once reports whether a message for a topic differs from the previous one.
func (k *Maker) once(topic string, m proto.Message) (bool, error) {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return false, err
	}
	sum, before := sha256.Sum256(b), k.lanes[topic]
	if bytes.Equal(sum[:], before[:]) {
		return false, nil
	}
	if k.lanes == nil {
		k.lanes = map[string][sha256.Size]byte{}
	}
	k.lanes[topic] = sum
	return true, nil
}
