package model

import (
	"bytes"
	"fmt"
	"io"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// Reset implements fmu.Model.
func (i *instance) Reset() {
	i.endRecording()
	i.renew()
	i.reported = nil
	for _, in := range i.inputs {
		in.in.Reset()
		in.data, in.reported = nil, 0
	}
	for _, o := range i.outputs {
		o.Clear()
	}
	for _, c := range i.constants {
		c.Reset()
	}
	for _, r := range i.requests {
		r.Reset()
	}
}

// Close implements fmu.Model.
func (i *instance) Close() {
	i.closeModel()
	i.endRecording()
	for _, o := range i.outputs {
		o.Close()
	}
	for _, r := range i.requests {
		r.Close()
	}
}

// closeModel closes a model that implements io.Closer, in any phase.
func (i *instance) closeModel() {
	c, ok := i.model.(io.Closer)
	i.model = nil
	if !ok {
		return
	}
	if err := c.Close(); err != nil {
		i.logWarning("closing the model", err)
	}
}

func (i *instance) logWarning(what string, err error) {
	i.host.Log(fmi.Warning, fmi.LogAll, fmt.Sprintf("%s: %v", what, err))
}

// AppendState implements fmu.Model.
func (i *instance) AppendState(b []byte) ([]byte, error) {
	for _, in := range i.inputs {
		b = append(in.in.AppendState(b), in.reported)
	}
	for _, o := range i.outputs {
		b = o.AppendState(b)
	}
	for _, c := range i.constants {
		b = c.AppendState(b)
	}
	for _, r := range i.requests {
		b = r.AppendState(b)
	}
	now := i.phase
	if now == ready && !i.host.Initialized() && !i.upToDate() {
		// the host set a parameter since, so Setup runs again before any result is read
		now = fresh
	}
	b = state.AppendUint64(append(b, byte(now)), uint64(i.start))
	b = state.AppendUint64(b, uint64(len(i.reported)))
	for _, text := range i.reported {
		b = state.AppendString(b, text)
	}
	b = i.appendRecording(i.appendUnsettled(b))
	if s, ok := i.model.(Snapshotter); ok && now == ready {
		return s.Snapshot(b)
	}
	return b, nil
}

// upToDate reports whether Setup used the values set by the host.
func (i *instance) upToDate() bool {
	for _, c := range i.constants {
		if c.Pending() {
			return false
		}
	}
	for _, r := range i.requests {
		if r.Pending() {
			return false
		}
	}
	i.scratch = i.appendBasis(i.scratch[:0])
	return bytes.Equal(i.basis, i.scratch)
}

// RestoreState implements fmu.Model.
func (i *instance) RestoreState(b []byte) error {
	d := state.Decoder{Data: b}
	if err := i.restoreBinaries(&d); err != nil {
		return err
	}
	then, start := phase(d.Byte()), timebase.Time(d.Uint64())
	i.reported = nil
	for n := d.Uint64(); n > 0 && d.Err() == nil; n-- {
		i.reported = append(i.reported, d.String())
	}
	waiting := d.Bytes()
	recorded := d.Bytes()
	if err := d.Err(); err != nil || then > broken {
		return fmt.Errorf("%w: phase %d: %w", fmu.ErrState, then, err)
	}
	if then != ready {
		i.renew()
		i.phase, i.start = then, start
		return i.restoreRecording(recorded)
	}
	if err := i.prepare(start); err != nil {
		return err
	}
	if err := i.restoreRecording(recorded); err != nil {
		return err
	}
	for _, f := range []*fields{&i.declared.changing, &i.declared.outputsExact,
		&i.declared.calculated} {
		f.load(i.host.Values)
	}
	s, ok := i.model.(Snapshotter)
	if !ok {
		return fmu.ErrUnsupported // fmu has already rejected it
	}
	err := s.Restore(d.Data)
	i.release() // only a step publishes
	if err == nil {
		err = i.restoreUnsettled(waiting)
	}
	if err != nil {
		i.phase = broken
	}
	return err
}

// appendUnsettled appends the results that wait for Event Mode, nothing if there are none. The
// outputs have theirs in their buffers.
func (i *instance) appendUnsettled(b []byte) []byte {
	if !i.unsettled {
		return state.AppendBytes(b, nil)
	}
	values, d := i.keepWaiting(), i.declared
	waiting := d.calculated.append(d.outputsExact.append([]byte{1}, values), values)
	for _, c := range d.clocks {
		waiting = state.AppendBool(waiting, c.ticked)
	}
	return state.AppendBytes(b, waiting)
}

func (i *instance) restoreUnsettled(waiting []byte) error {
	for _, c := range i.declared.clocks {
		c.ticked = false // as in a step that the importer takes back
	}
	if i.unsettled = len(waiting) > 0; !i.unsettled {
		return nil
	}
	values, d := fmu.NewValues(i.defined), i.declared
	d.takeSizes(values, i.host.Values)
	r := state.Decoder{Data: waiting[1:]}
	d.outputsExact.read(&r, values)
	d.calculated.read(&r, values)
	for _, c := range d.clocks {
		c.ticked = r.Bool()
	}
	d.outputsExact.load(values)
	d.calculated.load(values)
	if !i.host.EventModeUsed { // unlike the instance that was saved
		i.Settle()
		clear(i.host.Values.Clocks)
	}
	return r.Done()
}

// takeSizes copies the lengths of sized arrays.
func (d *Declaration) takeSizes(to, from *fmu.Values) {
	if len(d.vectors) > 0 {
		copy(to.UInt64s, from.UInt64s)
	}
}

func (i *instance) restoreBinaries(d *state.Decoder) error {
	for _, in := range i.inputs {
		in.in.RestoreState(d)
		in.reported, in.data = d.Byte(), nil
	}
	for n, o := range i.outputs {
		if err := o.RestoreState(d); err != nil {
			return fmt.Errorf("%s: %w", i.declared.outputs[n].name, err)
		}
	}
	for _, c := range i.constants {
		c.RestoreState(d)
	}
	for _, r := range i.requests {
		if err := r.RestoreState(d); err != nil {
			return fmt.Errorf("OSMPSensorViewInConfig: %w", err)
		}
	}
	return nil
}

// prepare ensures that there is a model that has been set up with the restored parameters. It keeps
// an existing one, so that stepping back and forth is fast.
func (i *instance) prepare(start timebase.Time) error {
	i.start = start
	for _, c := range i.declared.constants {
		c.capture()
	}
	if i.phase == ready && i.upToDate() {
		return nil
	}
	i.renew()
	i.muted = true
	err := i.setUp()
	i.muted = false
	if fmu.Usable(err) {
		return nil // its warnings were logged when the state was first reached
	}
	return err
}
