// Package message reads and writes OSI messages through the generated types of [gosmp/proto/osi3].
// It is the convenient way to use a [model.Input] and a [model.Output]. Models that cannot afford
// to build messages use gosmp/proto/wire instead.
package message

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"gosmp/model"
	"gosmp/proto/osi"
	"gosmp/proto/osi3"
	"gosmp/proto/wire"
	"gosmp/timebase"
)

// Read decodes the input of this step into m, which is reset first. It returns false if there is no
// data, or if the bytes are not a message of this type, which it reports through
// [model.Input.Reject]. The content of m is a copy.
func Read(in *model.Input, m proto.Message) bool {
	return read(in, m, func(bytes []byte) error { return proto.Unmarshal(bytes, m) })
}

// ReadFields is like [Read], but decodes only the given fields of the message (their numbers are in
// gosmp/proto/field). The content of other fields is not checked and costs no time. A SensorData,
// for example, contains the SensorView from which it was computed, with the lanes of the map.
func ReadFields(in *model.Input, m proto.Message, numbers ...wire.Number) bool {
	return read(in, m, func(bytes []byte) error {
		proto.Reset(m)
		return merge(bytes, m, numbers)
	})
}

// merge decodes these fields.
func merge(bytes []byte, m proto.Message, numbers []wire.Number) error {
	for i := 0; i < len(bytes); {
		key, _, next := wire.Field(bytes, i)
		bad := next < 0
		if bad {
			next = len(bytes) // Unmarshal says what is wrong
		}
		if bad || slices.Contains(numbers, key.Number()) {
			err := proto.UnmarshalOptions{Merge: true}.Unmarshal(bytes[i:next], m)
			if err != nil {
				return err
			}
		}
		i = next
	}
	return nil
}

// read decodes the input of this step into m.
func read(in *model.Input, m proto.Message, decode func(bytes []byte) error) bool {
	bytes := in.Bytes()
	if bytes == nil {
		proto.Reset(m)
		return false
	}
	if err := decode(bytes); err != nil {
		proto.Reset(m)
		in.Reject(fmt.Errorf("not a %s: %w", m.ProtoReflect().Descriptor().Name(), err))
		return false
	}
	return true
}

// Publish encodes m as the output of this step, always as the same bytes for the same message.
func Publish(out *model.Output, m proto.Message) error {
	bytes, err := proto.MarshalOptions{Deterministic: true}.MarshalAppend(out.Buffer(), m)
	if err != nil {
		return fmt.Errorf("%s: %w", out.Name(), err)
	}
	return out.Publish(bytes)
}

// Version returns the interface version of every OSI message of this FMU.
func Version() *osi3.InterfaceVersion {
	major, minor, patch := uint32(osi.Major), uint32(osi.Minor), uint32(osi.Patch)
	return &osi3.InterfaceVersion{VersionMajor: &major, VersionMinor: &minor, VersionPatch: &patch}
}

// Time returns an instant of simulation time in OSI's form.
func Time(t timebase.Time) *osi3.Timestamp {
	seconds, nanos := t.Split()
	return &osi3.Timestamp{Seconds: &seconds, Nanos: &nanos}
}

// TimeOf returns the instant in an OSI message; zero if there is none.
func TimeOf(t *osi3.Timestamp) timebase.Time {
	return timebase.Time(t.GetSeconds())*timebase.Second + timebase.Time(t.GetNanos())
}
