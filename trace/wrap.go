package trace

import (
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

const (
	groundTruth = packagePrefix + "GroundTruth"
	sensorView  = packagePrefix + "SensorView"
)

// Wrap wraps each GroundTruth of a source in a SensorView. Version, time stamp and host vehicle are
// taken from the GroundTruth; the sensor has the id sensorID and is at the origin of the vehicle
// frame. The GroundTruth itself stays the same byte for byte. Other messages pass through
// unchanged.
func Wrap(s Source, sensorID uint64) Source {
	return &wrapped{Source: s, sensor: sensorID, channels: map[*Channel]*Channel{}}
}

type wrapped struct {
	Source
	sensor   uint64
	channels map[*Channel]*Channel
	message  Message
	buffer   []byte
}

// Channels returns the channels of the source, with their new types.
func (w *wrapped) Channels() (list []*Channel) {
	for _, c := range w.Source.Channels() {
		list = append(list, w.channel(c))
	}
	return list
}

func (w *wrapped) channel(c *Channel) *Channel {
	if c.Type != groundTruth || !c.IsOSI() {
		return c
	}
	if known := w.channels[c]; known != nil {
		return known
	}
	view := *c
	view.Type, view.Schema = sensorView, nil
	if view.Topic == "GroundTruth" {
		view.Topic = "SensorView"
	}
	w.channels[c] = &view
	return &view
}

// Next implements [Source].
func (w *wrapped) Next() (*Message, error) {
	m, err := w.Source.Next()
	if err != nil || w.channel(m.Channel) == m.Channel {
		return m, err
	}
	w.message = *m
	w.message.Channel = w.channel(m.Channel)
	w.buffer = appendView(w.buffer[:0], m.Data, w.sensor)
	w.message.Data = w.buffer
	return &w.message, nil
}

// appendView appends a SensorView with its fields in the order of their numbers.
func appendView(b, truth []byte, sensorID uint64) []byte {
	for _, f := range [][2]wire.Number{
		{field.GroundTruthVersion, field.SensorViewVersion}, {field.GroundTruthTimestamp,
			field.SensorViewTimestamp},
	} {
		if content, found := wire.First(truth, f[0]); found {
			b = wire.AppendBytes(b, f[1], content)
		}
	}
	b = wire.AppendIdentifier(b, field.SensorViewSensorId, sensorID)
	b = wire.AppendMountingPosition(b, field.SensorViewMountingPosition, wire.Vector3d{},
		wire.Orientation3d{})
	b = wire.AppendBytes(b, field.SensorViewGlobalGroundTruth, truth)
	if content, found := wire.First(truth, field.GroundTruthHostVehicleId); found {
		b = wire.AppendBytes(b, field.SensorViewHostVehicleId, content)
	}
	return b
}
