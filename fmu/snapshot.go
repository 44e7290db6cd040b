package fmu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// Snapshot is a saved FMU state. It holds the very bytes that fmi2SerializeFMUstate returns, so
// that restoring a state takes the same code path in this process and in another.
type Snapshot struct{ data []byte }

// Size is the length of the serialized form in bytes.
func (s *Snapshot) Size() int { return len(s.data) }

// snapshotMagic starts every serialized state; the number is the version of its layout.
const snapshotMagic = "gosmp state 1\n"

// GetFMUstate is fmi2GetFMUstate. It overwrites the snapshot given in reuse, or creates a new one
// if reuse is nil. After an error it returns nil, and the contents of reuse are lost.
func (i *Instance) GetFMUstate(reuse *Snapshot) (s *Snapshot, status fmi.Status) {
	status = i.run(GetFMUstate, func() error {
		s = reuse
		if s == nil {
			s = &Snapshot{}
		}
		data, err := i.appendState(s.data[:0])
		if err != nil {
			s.data, s = nil, nil
			return err
		}
		s.data = data
		return nil
	})
	return s, status
}

// SetFMUstate is fmi2SetFMUstate. The snapshot stays valid.
func (i *Instance) SetFMUstate(s *Snapshot) fmi.Status {
	return i.run(SetFMUstate, func() error { return i.restore(s.data) })
}

// SerializedFMUstateSize is fmi2SerializedFMUstateSize.
func (i *Instance) SerializedFMUstateSize(s *Snapshot) (size int, status fmi.Status) {
	status = i.run(SerializedFMUstateSize, func() error {
		size = s.Size()
		return nil
	})
	return size, status
}

// SerializeFMUstate is fmi2SerializeFMUstate. The buffer must have the size returned by
// SerializedFMUstateSize.
func (i *Instance) SerializeFMUstate(s *Snapshot, to []byte) fmi.Status {
	return i.run(SerializeFMUstate, func() error {
		if len(to) < s.Size() {
			return wrongArgument("size", len(to), fmt.Sprintf("%d bytes", s.Size()))
		}
		copy(to, s.data)
		return nil
	})
}

// DeSerializeFMUstate is fmi2DeSerializeFMUstate. Only the envelope is examined here; the instance
// is not touched.
func (i *Instance) DeSerializeFMUstate(from []byte) (s *Snapshot, status fmi.Status) {
	status = i.run(DeSerializeFMUstate, func() error {
		if _, err := i.open(from); err != nil {
			return err
		}
		s = &Snapshot{bytes.Clone(from)}
		return nil
	})
	return s, status
}

// FreeFMUstate is fmi2FreeFMUstate. It only checks that the call is legal; the caller drops the
// snapshot.
func (i *Instance) FreeFMUstate() fmi.Status {
	return i.run(FreeFMUstate, func() error { return nil })
}

// appendState writes envelope, times, values and the model's state.
func (i *Instance) appendState(b []byte) ([]byte, error) {
	b = append(b, snapshotMagic...)
	b = state.AppendString(b, i.definition.GUID)
	b = append(b, byte(i.state), state.Flag(i.initialized), state.Flag(i.stopDefined))
	for _, t := range []timebase.Time{i.start, i.now, i.stop} {
		b = state.AppendUint64(b, uint64(t))
	}
	b = i.values.appendTo(b)
	mark := len(b)
	b, err := i.model.AppendState(append(b, 0, 0, 0, 0, 0, 0, 0, 0))
	if err != nil {
		return nil, fmt.Errorf("saving the state: %w", err)
	}
	binary.LittleEndian.PutUint64(b[mark:], uint64(len(b)-mark-8))
	return state.Seal(b, 0), nil
}

// open checks the envelope of a serialized state and returns a decoder of its contents.
func (i *Instance) open(data []byte) (*state.Decoder, error) {
	d, err := state.Open(snapshotMagic, data)
	if err != nil {
		return nil, err
	}
	if guid := d.String(); d.Err() != nil || guid != i.definition.GUID {
		return nil, unusable(fmt.Sprintf("the guid %q", guid), fmt.Sprintf("%q, that of this FMU",
			i.definition.GUID))
	}
	return d, nil
}

func unusable(found, expected string) error {
	return &fault.Error{Place: fault.At("state"), Kind: ErrState, Found: found, Expected: expected}
}

func (i *Instance) restore(data []byte) error {
	d, err := i.open(data)
	if err != nil {
		return err
	}
	then, initialized, stopDefined := fmi.State(d.Byte()), d.Bool(), d.Bool()
	start, now, stop := timebase.Time(d.Uint64()), timebase.Time(d.Uint64()),
		timebase.Time(d.Uint64())
	i.values.restore(d)
	inner := d.Bytes()
	if err := d.Done(); err != nil {
		return err
	}
	if then >= fmi.Dead {
		return unusable(fmt.Sprintf("state %d of the instance", then),
			"a state in which calls are legal")
	}
	err = i.model.RestoreState(inner)
	if err != nil && !errors.Is(err, ErrState) {
		err = fmt.Errorf("%w: %w", ErrState, err)
	}
	if !Usable(err) {
		return err
	}
	i.state, i.initialized, i.stopDefined = then, initialized, stopDefined
	i.start, i.now, i.stop, i.reached = start, now, stop, now.Seconds()
	return err
}

func (v *Values) appendTo(b []byte) []byte {
	for _, x := range v.Reals {
		b = state.AppendFloat64(b, x)
	}
	for _, x := range v.Integers {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	for _, x := range v.Booleans {
		b = append(b, state.Flag(x))
	}
	for _, x := range v.Strings {
		b = state.AppendString(b, x)
	}
	for _, x := range v.Binaries {
		b = state.AppendBytes(b, x)
	}
	return b
}

func (v *Values) restore(r *state.Decoder) {
	for k := range v.Reals {
		v.Reals[k] = r.Float64()
	}
	for k := range v.Integers {
		v.Integers[k] = int32(r.Uint32())
	}
	for k := range v.Booleans {
		v.Booleans[k] = r.Bool()
	}
	for k := range v.Strings {
		v.Strings[k] = r.String()
	}
	for k := range v.Binaries {
		v.Binaries[k] = append(v.Binaries[k][:0], r.Bytes()...)
	}
}
