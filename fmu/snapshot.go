package fmu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"gosmp/fmi"
	"gosmp/timebase"
)

// Snapshot is a saved FMU state. It is held as the very bytes that fmi2SerializeFMUstate hands out, so that a state restored in
// this process and one restored in another take the same road.
type Snapshot struct{ data []byte }

// Size is the length of the serialized form in bytes.
func (s *Snapshot) Size() int { return len(s.data) }

// snapshotMagic opens every serialized state; the number is the version of its layout.
const snapshotMagic = "gosmp state 1\n"

// GetFMUstate is fmi2GetFMUstate. A snapshot given in reuse is overwritten, otherwise a new one is made. After an error there is
// none, and the one in reuse has lost its contents.
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

// SerializeFMUstate is fmi2SerializeFMUstate. The buffer must have the size that SerializedFMUstateSize has told.
func (i *Instance) SerializeFMUstate(s *Snapshot, to []byte) fmi.Status {
	return i.run(SerializeFMUstate, func() error {
		if len(to) < s.Size() {
			return wrongArgument("size", len(to), fmt.Sprintf("%d bytes", s.Size()))
		}
		copy(to, s.data)
		return nil
	})
}

// DeSerializeFMUstate is fmi2DeSerializeFMUstate. Only the frame is examined here; the instance is not touched.
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

// FreeFMUstate is fmi2FreeFMUstate: the caller drops the snapshot, this only checks that the call is legal.
func (i *Instance) FreeFMUstate() fmi.Status {
	return i.run(FreeFMUstate, func() error { return nil })
}

// appendState writes frame, times, values and the model's state.
func (i *Instance) appendState(b []byte) ([]byte, error) {
	b = append(b, snapshotMagic...)
	b = AppendString(b, i.definition.GUID)
	b = append(b, byte(i.state), Flag(i.initialized), Flag(i.stopDefined))
	for _, t := range []timebase.Time{i.start, i.now, i.stop} {
		b = binary.LittleEndian.AppendUint64(b, uint64(t))
	}
	b = i.values.appendTo(b)
	mark := len(b)
	b, err := i.model.AppendState(append(b, 0, 0, 0, 0, 0, 0, 0, 0))
	if err != nil {
		return nil, fmt.Errorf("saving the state: %w", err)
	}
	binary.LittleEndian.PutUint64(b[mark:], uint64(len(b)-mark-8))
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)), nil
}

// open checks the frame of a serialized state and returns what lies inside it.
func (i *Instance) open(data []byte) ([]byte, error) {
	if len(data) < len(snapshotMagic)+4 || string(data[:len(snapshotMagic)]) != snapshotMagic {
		return nil, fmt.Errorf("%w: %d bytes that do not begin with %q", ErrState, len(data), snapshotMagic)
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if found := crc32.ChecksumIEEE(body); found != sum {
		return nil, fmt.Errorf("%w: checksum %08x, expected %08x; the bytes were truncated or changed", ErrState, found, sum)
	}
	r := Decoder{Data: body[len(snapshotMagic):]}
	if guid := r.String(); r.Err() != nil || guid != i.definition.GUID {
		return nil, fmt.Errorf("%w: made by the FMU with guid %q, this one is %q", ErrState, guid, i.definition.GUID)
	}
	return r.Data, nil
}

func (i *Instance) restore(data []byte) error {
	body, err := i.open(data)
	if err != nil {
		return err
	}
	r := Decoder{Data: body}
	state, initialized, stopDefined := fmi.State(r.Byte()), r.Byte() == 1, r.Byte() == 1
	start, now, stop := timebase.Time(r.Uint64()), timebase.Time(r.Uint64()), timebase.Time(r.Uint64())
	i.values.restore(&r)
	inner := r.Bytes()
	if r.Err() != nil || len(r.Data) != 0 || state >= fmi.Dead {
		return fmt.Errorf("%w: contents do not fit this FMU", ErrState)
	}
	if err = i.model.RestoreState(inner); err != nil {
		err = fmt.Errorf("%w: %w", ErrState, err)
	}
	if !Usable(err) {
		return err
	}
	i.state, i.initialized, i.stopDefined = state, initialized, stopDefined
	i.start, i.now, i.stop = start, now, stop
	return err
}

func (v *Values) appendTo(b []byte) []byte {
	for _, x := range v.Reals {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	for _, x := range v.Integers {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	for _, x := range v.Booleans {
		b = append(b, Flag(x))
	}
	for _, x := range v.Strings {
		b = AppendString(b, x)
	}
	for _, x := range v.Binaries {
		b = AppendBytes(b, x)
	}
	return b
}

func (v *Values) restore(r *Decoder) {
	for k := range v.Reals {
		v.Reals[k] = math.Float64frombits(r.Uint64())
	}
	for k := range v.Integers {
		v.Integers[k] = int32(r.Uint32())
	}
	for k := range v.Booleans {
		v.Booleans[k] = r.Byte() == 1
	}
	for k := range v.Strings {
		v.Strings[k] = r.String()
	}
	for k := range v.Binaries {
		v.Binaries[k] = append(v.Binaries[k][:0], r.Bytes()...)
	}
}
