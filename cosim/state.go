package cosim

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/timebase"
)

const stateMagic = "gosmp engine 5\n"

// AppendState appends the state of a run between two steps: its position, the values of all
// connections, and the states of participants and observers. All participants must be Keepers;
// observers that are not Keepers are left out. A run with the same participants, connections, steps
// and signals can continue from this state with [Engine.RestoreState] or, in another process, with
// [Engine.Resume].
func (e *Engine) AppendState(ctx context.Context, b []byte) ([]byte, error) {
	if e.phase != started {
		return b, e.misuse("AppendState of a run that has not started or has ended")
	}
	start := len(b)
	b = append(b, stateMagic...)
	layout := e.layout()
	b = append(b, layout[:]...)
	r := &e.result
	for _, x := range []int64{int64(r.Reached), e.point, r.Steps, r.Events, int64(e.lastTime),
		int64(e.lastRow)} {
		b = state.AppendUint64(b, uint64(x))
	}
	b = state.AppendString(b, r.EndedBy)
	b = state.AppendBool(state.AppendBool(b, r.Shortened), r.Early)
	var err error
	for _, m := range e.order {
		if b, err = m.appendState(ctx, b); err != nil {
			return b[:start], m.wrap(e, err)
		}
	}
	for _, k := range e.keepers() {
		if b, err = appendKept(ctx, b, k); err != nil {
			return b[:start], err
		}
	}
	return state.Seal(b, start), nil
}

// keepers returns the observers that have a state.
func (e *Engine) keepers() (list []Keeper) {
	for _, o := range e.observers {
		if k, keeps := o.(Keeper); keeps {
			list = append(list, k)
		}
	}
	return list
}

// appendKept appends the state of a keeper, preceded by its length.
func appendKept(ctx context.Context, b []byte, k Keeper) ([]byte, error) {
	part, err := k.AppendState(ctx, nil)
	return state.AppendBytes(b, part), err
}

func (m *member) appendState(ctx context.Context, b []byte) ([]byte, error) {
	k, keeps := m.participant.(Keeper)
	if !keeps || !m.traits.Keeps {
		return b, fault.New(ErrSpec, fault.Place{}, "a participant whose state cannot be saved",
			"a participant whose state can be saved").
			WithHint("an FMU needs canGetAndSetFMUstate and canSerializeFMUstate")
	}
	for _, x := range []int64{int64(m.now), m.grid, int64(m.shrink), int64(m.shownAt),
		int64(m.fedAt)} {
		b = state.AppendUint64(b, uint64(x))
	}
	for _, l := range m.lines {
		b = l.line.appendState(b)
	}
	for _, f := range m.frames() {
		for _, cell := range f.Cells {
			b = state.AppendUint64(b, cell)
		}
		for _, blob := range f.Blobs {
			b = state.AppendBytes(b, blob)
		}
		if f != m.in {
			for _, slope := range f.Slopes {
				b = state.AppendFloat64(b, slope)
			}
		}
	}
	return appendKept(ctx, b, k)
}

// frames returns the frames of the participant, each once.
func (m *member) frames() []*Frame {
	list := []*Frame{m.in, m.out}
	if m.shown != m.out {
		list = append(list, m.shown)
	}
	return list
}

// layout returns a hash of everything that two runs must have in common to exchange states.
func (e *Engine) layout() [sha256.Size]byte {
	var b []byte
	b = state.AppendUint64(b, uint64(e.spec.Start))
	b = state.AppendString(b, e.spec.Step.Rational().String())
	b = append(b, byte(e.spec.Algorithm))
	for _, m := range e.order {
		b = state.AppendUint64(state.AppendString(b, m.name), uint64(m.every))
		for _, f := range m.frames() {
			b = state.AppendUint64(state.AppendUint64(b, uint64(len(f.Ports))),
				uint64(len(f.Slopes)))
			for _, p := range f.Ports {
				b = append(state.AppendString(b, m.variables[p.Variable].Name), byte(p.Kind))
				b = state.AppendUint64(b, uint64(p.Size))
			}
		}
	}
	for _, l := range e.result.Links {
		b = state.AppendString(state.AppendString(b, l.From), l.To)
	}
	for _, m := range e.order {
		b = state.AppendUint64(b, uint64(len(m.lines)))
	}
	return sha256.Sum256(state.AppendUint64(b, uint64(len(e.keepers()))))
}

// RestoreState returns a run to a state written by [Engine.AppendState] of this run or of an
// identical one. Observers that are Keepers are restored as well; the other observers see time go
// back. After an error, the run is unchanged only if the error is about the form of the state.
func (e *Engine) RestoreState(ctx context.Context, saved []byte) error {
	if e.phase != started {
		return e.misuse("RestoreState of a run that has not started or has ended")
	}
	d, err := e.open(saved)
	if err != nil {
		return err
	}
	return e.enter(e.restoreState(ctx, d))
}

// Resume is like Start, but continues from a state: the participants are initialized and then
// restored. Observers receive only the rows after the restored point.
func (e *Engine) Resume(ctx context.Context, saved []byte) error {
	return e.begin(func() error {
		d, err := e.open(saved)
		if err != nil {
			return err
		}
		if err := e.initialize(ctx); err != nil {
			return err
		}
		if err := e.observe(false); err != nil {
			return err
		}
		return e.restoreState(ctx, d)
	})
}

// open checks the form and layout of a state.
func (e *Engine) open(saved []byte) (*state.Decoder, error) {
	d, err := state.Open(stateMagic, saved)
	if err != nil {
		return nil, err
	}
	layout := e.layout()
	if len(d.Data) < len(layout) || !bytes.Equal(d.Data[:len(layout)], layout[:]) {
		return nil, fault.New(state.ErrState, fault.At("state"), "the state of a different run",
			"a run with the same participants, connections, steps, signals and observers")
	}
	d.Data = d.Data[len(layout):]
	return d, nil
}

func (e *Engine) restoreState(ctx context.Context, d *state.Decoder) error {
	r := &e.result
	r.Reached, e.point = timebase.Time(d.Uint64()), int64(d.Uint64())
	r.Steps, r.Events = int64(d.Uint64()), int64(d.Uint64())
	e.lastTime, e.lastRow = timebase.Time(d.Uint64()), Row(d.Uint64())
	r.EndedBy, r.Shortened, r.Early = d.String(), d.Bool(), d.Bool()
	e.stepping = false
	e.pace.Pause()
	for _, m := range e.order {
		if err := m.restoreState(ctx, d); err != nil {
			m.failed = true
			return m.wrap(e, err)
		}
	}
	for _, k := range e.keepers() {
		if err := k.RestoreState(ctx, d.Bytes()); err != nil {
			return err
		}
	}
	return d.Done()
}

func (m *member) restoreState(ctx context.Context, d *state.Decoder) error {
	k, keeps := m.participant.(Keeper)
	if !keeps || !m.traits.Keeps {
		return fault.New(ErrSpec, fault.Place{}, "a participant whose state cannot be restored",
			"a participant whose state can be saved")
	}
	m.now, m.grid, m.shrink = timebase.Time(d.Uint64()), int64(d.Uint64()), int(d.Uint64())
	m.shownAt, m.fedAt = timebase.Time(d.Uint64()), timebase.Time(d.Uint64())
	for _, l := range m.lines {
		l.line.restoreState(d)
	}
	for _, f := range m.frames() {
		for c := range f.Cells {
			f.Cells[c] = d.Uint64()
		}
		for c := range f.Blobs {
			f.Blobs[c] = slices.Clone(d.Bytes())
		}
		if f != m.in {
			for c := range f.Slopes {
				f.Slopes[c] = d.Float64()
			}
		}
	}
	part := d.Bytes()
	if err := d.Err(); err != nil {
		return err
	}
	if err := k.RestoreState(ctx, part); err != nil {
		return fmt.Errorf("restoring its state: %w", err)
	}
	return nil
}
