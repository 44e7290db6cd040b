package truth

import (
	"bytes"
	"slices"

	"gosmp/internal/state"
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

// Stream makes StreamingUpdates of a world: what has changed since the message before. Its first
// message, and the first after [Stream.Restart], has everything but lanes, for which the message of
// OSI has no place. An actor that was removed is named by obsolete_id once; the range of a maker
// does not matter. After the first messages nothing is allocated.
type Stream struct {
	m        *Maker
	entities map[uint64]*entity // that can change or vanish, by their ids
	round    uint64
	weather  []byte
	truth    []byte   // scratch
	gone     []uint64 // scratch
}

// entity is what the reader of a stream has been told about an entity.
type entity struct {
	told  []byte
	round uint64 // in which it was there
	actor bool
}

// updates are the fields of a GroundTruth, in their order, with the corresponding fields of a
// StreamingUpdate.
var updates = [...]struct{ from, to wire.Number }{
	{field.GroundTruthStationaryObject, field.StreamingUpdateStationaryObjectUpdate},
	{field.GroundTruthMovingObject, field.StreamingUpdateMovingObjectUpdate},
	{field.GroundTruthTrafficSign, field.StreamingUpdateTrafficSignUpdate},
	{field.GroundTruthTrafficLight, field.StreamingUpdateTrafficLightUpdate},
	{field.GroundTruthEnvironmentalConditions, field.StreamingUpdateEnvironmentalConditionsUpdate},
}

// Stream prepares updates about the world of a maker, and the data of its host vehicle.
func (m *Maker) Stream() *Stream {
	other := m.For(m.o.Host, 0, 0)
	other.o.Static = FirstOnly
	return &Stream{m: other, entities: map[uint64]*entity{}}
}

// Restart lets the next message have everything, as for a new reader.
func (s *Stream) Restart() {
	s.m.Restart()
	clear(s.entities)
	s.weather = s.weather[:0]
}

// Next returns the update of the present time. The bytes live until the second next call.
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

// changed appends the entities of a field whose present content the reader does not know.
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

// news reports whether the reader does not know the present content of an entity, and notes that it
// knows it from now on.
func (s *Stream) news(kind wire.Number, content []byte) bool {
	if kind == field.GroundTruthEnvironmentalConditions {
		if bytes.Equal(content, s.weather) {
			return false
		}
		s.weather = append(s.weather[:0], content...)
		return true
	}
	id, _ := wire.FindIdentifier(content, field.MovingObjectId) // of all kinds
	actor := id < FirstStaticID
	if !actor && kind != field.GroundTruthTrafficLight {
		return true // it is in the first message alone
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

// obsolete names the actors that are gone.
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

// AppendState appends what the reader has been told.
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

// RestoreState continues from a state, together with the world.
func (s *Stream) RestoreState(d *state.Decoder) error {
	clear(s.entities)
	s.m.sent, s.weather = d.Bool(), append(s.weather[:0], d.Bytes()...)
	for n := d.Uint64(); n > 0 && d.Err() == nil; n-- {
		id := d.Uint64()
		s.entities[id] = &entity{actor: d.Bool(), told: bytes.Clone(d.Bytes())}
	}
	return d.Err()
}
