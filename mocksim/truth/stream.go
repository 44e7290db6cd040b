package truth

import (
	"bytes"
	"slices"

	"gosmp/internal/state"
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

// Stream creates StreamingUpdates of a world, which contain the changes since the previous message.
// Its first message, and the first one after [Stream.Restart], contains everything except lanes,
// for which OSI's message has no field. A removed actor is listed once in obsolete_id. The range of
// the maker has no effect. After the first messages, nothing is allocated.
type Stream struct {
	m        *Maker
	entities map[uint64]*entity // entities that can change or vanish, by id
	round    uint64
	weather  []byte
	truth    []byte   // scratch
	gone     []uint64 // scratch
}

// entity holds what a stream's reader knows about an entity.
type entity struct {
	told  []byte
	round uint64 // the last round in which it existed
	actor bool
}

// updates lists the fields of a GroundTruth in order, with the corresponding fields of a
// StreamingUpdate.
var updates = [...]struct{ from, to wire.Number }{
	{field.GroundTruthStationaryObject, field.StreamingUpdateStationaryObjectUpdate},
	{field.GroundTruthMovingObject, field.StreamingUpdateMovingObjectUpdate},
	{field.GroundTruthTrafficSign, field.StreamingUpdateTrafficSignUpdate},
	{field.GroundTruthTrafficLight, field.StreamingUpdateTrafficLightUpdate},
	{field.GroundTruthEnvironmentalConditions, field.StreamingUpdateEnvironmentalConditionsUpdate},
}

// Stream prepares updates about the maker's world and about the data of its host vehicle.
func (m *Maker) Stream() *Stream {
	other := m.For(m.o.Host, 0, 0)
	other.o.Static = FirstOnly
	return &Stream{m: other, entities: map[uint64]*entity{}}
}

// Restart makes the next message contain everything, as for a new reader.
func (s *Stream) Restart() {
	s.m.Restart()
	clear(s.entities)
	s.weather = s.weather[:0]
}

// Next returns the update for the current time. The bytes are valid until the second call after
// this one.
func (s *Stream) Next() ([]byte, error) {
	host, err := s.m.host()
	if err != nil {
		return nil, err
	}
	s.round++
	s.truth = s.m.appendTruth(s.truth[:0], host)
	seconds, nanos := s.m.w.Time().Split()
	b := wireVersion(s.m.next(), field.StreamingUpdateVersion)
	b = wire.AppendTimestamp(b, field.StreamingUpdateTimestamp, seconds, nanos)
	for _, u := range updates {
		b = s.changed(b, u.from, u.to)
	}
	b, at := wire.Begin(b, field.StreamingUpdateHostVehicleDataUpdate)
	b = s.obsolete(wire.End(s.m.appendHost(b, host), at))
	s.m.buffers[s.m.turn] = b
	return b, nil
}

// changed appends the entities of a field whose current content is new to the reader.
func (s *Stream) changed(b []byte, from, to wire.Number) []byte {
	for i := 0; i < len(s.truth); {
		key, lo, hi := wire.Field(s.truth, i)
		if key.Number() == from && s.news(from, s.truth[lo:hi]) {
			b = wire.AppendBytes(b, to, s.truth[lo:hi])
		}
		i = hi
	}
	return b
}

// news reports whether the current content of an entity is new to the reader, and records that the
// reader now knows it.
func (s *Stream) news(kind wire.Number, content []byte) bool {
	if kind == field.GroundTruthEnvironmentalConditions {
		if bytes.Equal(content, s.weather) {
			return false
		}
		s.weather = append(s.weather[:0], content...)
		return true
	}
	id, _ := wire.FindIdentifier(content, field.MovingObjectId) // the same for all kinds
	actor := id < FirstStaticID
	if !actor && kind != field.GroundTruthTrafficLight {
		return true // only in the first message
	}
	e := s.entities[id]
	if e == nil {
		e = &entity{actor: actor}
		s.entities[id] = e
	}
	e.round = s.round
	if bytes.Equal(e.told, content) {
		return false
	}
	e.told = append(e.told[:0], content...)
	return true
}

// obsolete appends the ids of removed actors.
func (s *Stream) obsolete(b []byte) []byte {
	s.gone = s.gone[:0]
	for id, e := range s.entities {
		if e.actor && e.round != s.round {
			s.gone = append(s.gone, id)
		}
	}
	slices.Sort(s.gone)
	for _, id := range s.gone {
		delete(s.entities, id)
		b = wire.AppendIdentifier(b, field.StreamingUpdateObsoleteId, id)
	}
	return b
}

// AppendState appends what the reader knows.
func (s *Stream) AppendState(b []byte) []byte {
	b = state.AppendBytes(state.AppendBool(b, s.m.sent), s.weather)
	s.gone = s.gone[:0]
	for id := range s.entities {
		s.gone = append(s.gone, id)
	}
	slices.Sort(s.gone)
	b = state.AppendUint64(b, uint64(len(s.gone)))
	for _, id := range s.gone {
		e := s.entities[id]
		b = state.AppendBytes(state.AppendBool(state.AppendUint64(b, id), e.actor), e.told)
	}
	return b
}

// RestoreState continues from a saved state; the world must be restored, too.
func (s *Stream) RestoreState(d *state.Decoder) error {
	clear(s.entities)
	s.m.sent, s.weather = d.Bool(), append(s.weather[:0], d.Bytes()...)
	for n := d.Uint64(); n > 0 && d.Err() == nil; n-- {
		id := d.Uint64()
		s.entities[id] = &entity{actor: d.Bool(), told: bytes.Clone(d.Bytes())}
	}
	return d.Err()
}
