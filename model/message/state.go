package message

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"gosmp/model"
)

// Save appends m and its length to a state, for use in Snapshot of a [model.Snapshotter]. Equal
// messages give equal bytes.
func Save(b []byte, m proto.Message) ([]byte, error) {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return b, fmt.Errorf("state of a %s: %w", m.ProtoReflect().Descriptor().Name(), err)
	}
	return model.AppendBytes(b, data), nil
}

// Load reads a message appended by [Save] into m, which is reset first, for use in Restore of a
// [model.Snapshotter].
func Load(d *model.StateReader, m proto.Message) error {
	data := d.Bytes()
	if err := d.Err(); err != nil {
		return err
	}
	if err := proto.Unmarshal(data, m); err != nil {
		return fmt.Errorf("state of a %s: %w", m.ProtoReflect().Descriptor().Name(), err)
	}
	return nil
}
