package truth

import (
	"gosmp/mocksim"
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

// encodedLane is the position of a Lane within encoded lanes. Each position is a byte index.
type encodedLane struct {
	at, content, end             int // of the field of the Lane
	class, classContent, classOf int // of its classification: field, content and end
	rest                         int // of the classification, after its type
}

// encodedLanes finds the Lanes within encoded fields of a GroundTruth, by id.
func encodedLanes(b []byte) map[uint64]encodedLane {
	list := map[uint64]encodedLane{}
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		if key == field.GroundTruthLane<<3|wire.Len {
			id, _ := wire.FindIdentifier(b[lo:hi], field.LaneId)
			l := encodedLane{at: i, content: lo, end: hi}
			l.find(b)
			list[id] = l
		}
		i = hi
	}
	return list
}

// find sets the places of the classification.
func (l *encodedLane) find(b []byte) {
	for i := l.content; i < l.end; {
		key, lo, hi := wire.Field(b, i)
		if key == field.LaneClassification<<3|wire.Len {
			_, _, rest := wire.Field(b, lo) // the type comes first
			l.class, l.classContent, l.classOf, l.rest = i, lo, hi, rest
		}
		i = hi
	}
}

// appendLanes appends encoded lanes, marking the lanes of the host vehicle as such.
func (f *spliced) appendLanes(b []byte, on *assignments) []byte {
	from := 0
	for {
		var next *encodedLane
		for _, a := range on.list[:on.n] {
			l, is := f.places[a.lane]
			if is && l.at >= from && (next == nil || l.at < next.at) {
				next = &l
			}
		}
		if next == nil {
			return append(b, f.lanes[from:]...)
		}
		b = append(b, f.lanes[from:next.at]...)
		b = next.appendMarked(b, f.lanes)
		from = next.end
	}
}

// appendMarked appends a lane with is_host_vehicle_lane.
func (l *encodedLane) appendMarked(b, lanes []byte) []byte {
	b, lane := wire.Begin(b, field.GroundTruthLane)
	b = append(b, lanes[l.content:l.class]...)
	b, class := wire.Begin(b, field.LaneClassification)
	b = append(b, lanes[l.classContent:l.rest]...)
	b = wire.AppendUint64(b, field.LaneClassificationIsHostVehicleLane, 1)
	b = wire.End(append(b, lanes[l.rest:l.classOf]...), class)
	return wire.End(append(b, lanes[l.classOf:l.end]...), lane)
}

// hostLanes returns the lanes of the host vehicle.
func (m *Maker) hostLanes(host mocksim.View, s *mocksim.State) (on assignments) {
	shape := host.Shape()
	return m.assign(host, s, &shape)
}
