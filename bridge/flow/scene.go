package flow

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/bridge/foxglove"
	"gosmp/bridge/server"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
)

// Scenes reports whether viewers receive scenes of the run: see [Flow.Draw].
func (f *Flow) Scenes() bool {
	_, is := f.carrier.(*server.WebSocket)
	return is && f.config.Transport.Scenes
}

// Draw offers viewers the drawable content of an OSI message: its scene, points, frames and lanes,
// on channels whose names begin with the topic. Without a viewer, it draws only the first message
// of a topic, which may be the one with the map. Kind is SensorView, SensorData or GroundTruth.
// Content that cannot be drawn is reported on the channel /log.
func (f *Flow) Draw(topic string, now timebase.Time, kind string, message []byte) error {
	w, is := f.carrier.(*server.WebSocket)
	if !is || !f.Scenes() || w.Viewers() == 0 && f.drawn[topic] {
		return nil
	}
	if f.maker == nil {
		f.maker, f.drawn = &foxglove.Maker{}, map[string]bool{}
	}
	f.drawn[topic] = true
	if kind != "SensorData" {
		f.maker.TruthElsewhere = true
	}
	var m proto.Message
	switch kind {
	case "SensorView":
		m = &osi3.SensorView{}
	case "GroundTruth":
		m = &osi3.GroundTruth{}
	default:
		m = &osi3.SensorData{}
	}
	topic = strings.ReplaceAll(topic, ".", "/")
	emit := func(channel string, m proto.Message) error { return f.offer(channel, now, m) }
	if err := proto.Unmarshal(message, m); err != nil {
		return f.maker.Broken(topic, now, err, emit)
	}
	return f.maker.Add(topic, now, m, emit)
}

// offer offers a message in one of the viewers' schemas.
func (f *Flow) offer(channel string, now timebase.Time, m proto.Message) error {
	name := string(m.ProtoReflect().Descriptor().FullName())
	schema, err := trace.SchemaOf(name)
	if err != nil {
		return err
	}
	b, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	f.carrier.(*server.WebSocket).Offer(server.Offered{Topic: channel, Type: name, Schema: schema},
		int64(now), b)
	return nil
}
