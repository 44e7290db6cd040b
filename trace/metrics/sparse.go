package metrics

import (
	"gosmp/proto/field"
	"gosmp/proto/wire"
	"gosmp/trace"
)

// wanted holds the fields of a message from which metrics are computed; nil keeps a whole field.
type wanted map[wire.Number]wanted

var (
	ofTruth = wanted{
		field.GroundTruthTimestamp: nil, field.GroundTruthHostVehicleId: nil,
		field.GroundTruthMovingObject: {
			field.MovingObjectId: nil,
			field.MovingObjectBase: {
				field.BaseMovingDimension: nil, field.BaseMovingPosition: nil,
				field.BaseMovingOrientation: nil, field.BaseMovingVelocity: nil,
				field.BaseMovingOrientationRate: nil,
			},
			field.MovingObjectVehicleAttributes: {
				field.MovingObjectVehicleAttributesBbcenterToRear: nil,
			},
		},
	}
	ofView = wanted{field.SensorViewGlobalGroundTruth: ofTruth}
)

// sparse returns a GroundTruth or a SensorView without the fields that metrics do not need, above
// all the map, so that decoding takes less time. Its data are valid until the next call.
func (m *measurement) sparse(message *trace.Message) *trace.Message {
	keep := ofTruth
	if message.Channel.Type == "osi3.SensorView" {
		keep = ofView
	}
	m.kept = keep.appendTo(m.kept[:0], message.Data)
	copied := *message
	copied.Data = m.kept
	return &copied
}

// appendTo appends the wanted fields of a message. Undecodable data stay, so that decoding reports
// them.
func (w wanted) appendTo(b, message []byte) []byte {
	for i := 0; i < len(message); {
		key, lo, hi := wire.Field(message, i)
		if hi < 0 {
			return append(b, message[i:]...)
		}
		nested, is := w[key.Number()]
		switch {
		case is && len(nested) > 0 && key.Type() == wire.Len:
			var at int
			b, at = wire.Begin(b, key.Number())
			b = wire.End(nested.appendTo(b, message[lo:hi]), at)
		case is:
			b = append(b, message[i:hi]...)
		}
		i = hi
	}
	return b
}
