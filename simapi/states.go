package simapi

import (
	"errors"
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// statesReader reads or copies replies of get_actors_states into the same memory each time.
// proto.Unmarshal and proto.Clone would allocate each of the eighteen numbers of each state.
type statesReader struct {
	reply  GetActorsStatesReply
	states []*storedState
}

// storedState is a state together with the memory of its parts.
type storedState struct {
	state  ActorState
	coords [3]Coord6Dof
	values [3][6]float64
	names  []string
}

// The field numbers of a GetActorsStatesReply and of an ActorState.
const (
	replyTime      protowire.Number = 1
	replyState     protowire.Number = 2
	stateID        protowire.Number = 1
	statePosition  protowire.Number = 2
	stateEstimated protowire.Number = 5
	stateControls  protowire.Number = 6
	stateDescribed protowire.Number = 7
)

var errText = errors.New("text that is not UTF-8")

// fields calls f for each field of a message with its value: a number, or the bytes.
func fields(b []byte, f func(number protowire.Number, kind protowire.Type, v uint64,
	bytes []byte) error) error {
	for len(b) > 0 {
		number, kind, value, rest, err := readField(b)
		if err != nil {
			return err
		}
		b = rest
		var v uint64
		var bytes []byte
		switch kind {
		case protowire.Fixed64Type:
			v, _ = protowire.ConsumeFixed64(value)
		case protowire.BytesType:
			bytes, _ = protowire.ConsumeBytes(value)
		}
		if err := f(number, kind, v, bytes); err != nil {
			return err
		}
	}
	return nil
}

// read returns the same as proto.Unmarshal, except for fields that are not in the schema. The
// result is valid until the next call.
func (r *statesReader) read(b []byte) (*GetActorsStatesReply, error) {
	r.reply.SimTimeMs, r.reply.State = 0, r.reply.State[:0]
	err := fields(b, func(number protowire.Number, kind protowire.Type, v uint64,
		bytes []byte) error {
		switch {
		case number == replyTime && kind == protowire.Fixed64Type:
			r.reply.SimTimeMs = math.Float64frombits(v)
		case number == replyState && kind == protowire.BytesType:
			k := len(r.reply.State)
			if k == len(r.states) {
				r.states = append(r.states, &storedState{})
			}
			r.reply.State = append(r.reply.State, &r.states[k].state)
			return r.states[k].read(bytes)
		}
		return nil
	})
	return &r.reply, err
}

// copy returns the same as proto.Clone, except for fields that are not in the schema. The copy is
// valid until the next call.
func (r *statesReader) copy(from *GetActorsStatesReply) *GetActorsStatesReply {
	r.reply.SimTimeMs, r.reply.State = from.GetSimTimeMs(), r.reply.State[:0]
	for k, state := range from.GetState() {
		if k == len(r.states) {
			r.states = append(r.states, &storedState{})
		}
		r.states[k].copy(state)
		r.reply.State = append(r.reply.State, &r.states[k].state)
	}
	return &r.reply
}

func (s *storedState) copy(from *ActorState) {
	s.state.ActorId, s.state.Estimated = from.GetActorId(), nil
	s.state.Controls = proto.CloneOf(from.GetControls())
	s.state.Description = proto.CloneOf(from.GetDescription())
	if s.names = append(s.names[:0], from.GetEstimated()...); len(s.names) > 0 {
		s.state.Estimated = s.names
	}
	s.state.Position = s.part(0, from.GetPosition())
	s.state.Speed = s.part(1, from.GetSpeed())
	s.state.Acceleration = s.part(2, from.GetAcceleration())
}

// part returns the copy of a part of a state.
func (s *storedState) part(number int, from *Coord6Dof) *Coord6Dof {
	if from == nil {
		return nil
	}
	c, values := &s.coords[number], &s.values[number]
	axes := [6]**float64{&c.X, &c.Y, &c.Z, &c.Roll, &c.Pitch, &c.Yaw}
	for k, v := range [6]*float64{from.X, from.Y, from.Z, from.Roll, from.Pitch, from.Yaw} {
		if *axes[k] = nil; v != nil {
			values[k] = *v
			*axes[k] = &values[k]
		}
	}
	return c
}

func (s *storedState) read(b []byte) error {
	before := s.state.ActorId
	s.state.ActorId, s.state.Estimated = "", s.names[:0]
	s.state.Position, s.state.Speed, s.state.Acceleration = nil, nil, nil
	s.state.Controls, s.state.Description = nil, nil
	parts := [3]**Coord6Dof{&s.state.Position, &s.state.Speed, &s.state.Acceleration}
	err := fields(b, func(number protowire.Number, kind protowire.Type, _ uint64,
		bytes []byte) (err error) {
		if kind != protowire.BytesType {
			return nil
		}
		switch k := int(number - statePosition); {
		case number == stateID:
			s.state.ActorId, err = text(bytes, before)
		case k >= 0 && k < len(parts):
			if *parts[k] == nil {
				c := &s.coords[k]
				c.X, c.Y, c.Z, c.Roll, c.Pitch, c.Yaw = nil, nil, nil, nil, nil, nil
				*parts[k] = c
			}
			err = readCoords(bytes, &s.coords[k], &s.values[k])
		case number == stateControls:
			if s.state.Controls == nil {
				s.state.Controls = &ActorControls{}
			}
			err = proto.UnmarshalOptions{Merge: true}.Unmarshal(bytes, s.state.Controls)
		case number == stateDescribed:
			if s.state.Description == nil {
				s.state.Description = &ActorDescription{}
			}
			err = proto.UnmarshalOptions{Merge: true}.Unmarshal(bytes, s.state.Description)
		case number == stateEstimated:
			k, old := len(s.state.Estimated), ""
			if k < len(s.names) {
				old = s.names[k]
			}
			old, err = text(bytes, old)
			s.state.Estimated = append(s.state.Estimated, old)
		}
		return err
	})
	if len(s.state.Estimated) > 0 {
		s.names = s.state.Estimated
	} else {
		s.state.Estimated = nil
	}
	return err
}

// text converts bytes to a string. It returns the string from the previous message if both are
// equal.
func text(b []byte, before string) (string, error) {
	switch {
	case string(b) == before:
		return before, nil
	case !utf8.Valid(b):
		return "", errText
	}
	return string(b), nil
}

// readCoords adds the numbers in a message to c, which stores them in values.
func readCoords(b []byte, c *Coord6Dof, values *[6]float64) error {
	axes := [6]**float64{&c.X, &c.Y, &c.Z, &c.Roll, &c.Pitch, &c.Yaw}
	return fields(b, func(number protowire.Number, kind protowire.Type, v uint64, _ []byte) error {
		if k := int(number - 1); kind == protowire.Fixed64Type && k < len(axes) {
			values[k] = math.Float64frombits(v)
			*axes[k] = &values[k]
		}
		return nil
	})
}
