package fmu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// Snapshot is a saved FMU state. It holds exactly the bytes that fmi2SerializeFMUstate returns, so
// that a state is restored by the same code in this process and in another.
type Snapshot struct{ data []byte }

// Size returns the length of the serialized form in bytes.
func (s *Snapshot) Size() int { return len(s.data) }

// magic returns the beginning of every serialized state; the first number is the version of its
// layout. The twins of a model in FMI 2.0 and 3.0 have different variables, and therefore different
// states.
func (i *Instance) magic() string {
	if i.version >= fmi.FMI3 {
		return "gosmp state 1 of FMI 3.0\n"
	}
	return "gosmp state 1\n"
}

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
	b = append(b, i.magic()...)
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
	d, err := state.Open(i.magic(), data)
	if err != nil {
		return nil, err
	}
	if guid := d.String(); d.Err() != nil || guid != i.definition.GUID {
		return nil, fault.New(ErrState, fault.At("state"), fmt.Sprintf("the guid %q", guid),
			fmt.Sprintf("%q, the guid of this FMU", i.definition.GUID))
	}
	return d, nil
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
	if err := i.checkSizes(); err != nil {
		return err
	}
	if !i.saved(then) {
		return fault.New(ErrState, fault.At("state"), fmt.Sprintf("state %d of the instance", then),
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
	i.start, i.now, i.stop = start, now, stop
	i.reach(now.Seconds())
	return err
}

// saved reports whether a saved instance can be in state s.
func (i *Instance) saved(s fmi.State) bool {
	if i.version >= fmi.FMI3 {
		return s <= fmi.IntermediateUpdateMode && alive3.has(s) &&
			(s != fmi.EventMode || i.options.EventModeUsed)
	}
	return s < fmi.Dead
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
	for k, x := range v.Binaries {
		if v.lent[k] != 0 {
			x = nil
		}
		b = state.AppendBytes(b, x)
	}
	return v.appendSized(b)
}

// appendSized appends the values of number types that FMI 2.0 does not have.
func (v *Values) appendSized(b []byte) []byte {
	for _, x := range v.Float32s {
		b = state.AppendUint64(b, uint64(math.Float32bits(x)))
	}
	b = appendNumbers(appendNumbers(b, v.Int8s), v.UInt8s)
	b = appendNumbers(appendNumbers(b, v.Int16s), v.UInt16s)
	b = appendNumbers(appendNumbers(b, v.UInt32s), v.Int64s)
	b = appendNumbers(b, v.UInt64s)
	for _, x := range v.Clocks {
		b = append(b, state.Flag(x))
	}
	return b
}

// whole is the set of integer types.
type whole interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~uint32 | ~int64 | ~uint64
}

func appendNumbers[T whole](b []byte, list []T) []byte {
	for _, x := range list {
		b = state.AppendUint64(b, uint64(x))
	}
	return b
}

func readNumbers[T whole](list []T, r *state.Decoder) {
	for k := range list {
		list[k] = T(r.Uint64())
	}
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
		v.SetBinary(Index(k), r.Bytes())
	}
	v.restoreSized(r)
}

func (v *Values) restoreSized(r *state.Decoder) {
	for k := range v.Float32s {
		v.Float32s[k] = math.Float32frombits(uint32(r.Uint64()))
	}
	readNumbers(v.Int8s, r)
	readNumbers(v.UInt8s, r)
	readNumbers(v.Int16s, r)
	readNumbers(v.UInt16s, r)
	readNumbers(v.UInt32s, r)
	readNumbers(v.Int64s, r)
	readNumbers(v.UInt64s, r)
	for k := range v.Clocks {
		v.Clocks[k] = r.Bool()
	}
}

// SetBinary copies data into the value; it overwrites earlier bytes unless they lie in memory of
// the model or the environment.
func (v *Values) SetBinary(at Index, data []byte) {
	if v.lent[at] != 0 || v.adopted[at] != 0 {
		v.Publish(at, nil, 0)
	}
	v.Binaries[at] = append(v.Binaries[at][:0], data...)
}
