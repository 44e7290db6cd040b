package model

import (
	"fmt"
	"math"

	"gosmp/fmi"
	"gosmp/osmp"
)

// Input is a binary input of a model.
type Input struct {
	name         string
	index, count int
	kind         osmp.Kind
	instance     *instance
	slot         *inputSlot
}

// inputSlot is the state of an input that an instance keeps when the model is replaced.
type inputSlot struct {
	in       *osmp.Input
	data     []byte
	taken    []byte // set by the host, even if rejected by the model
	presence osmp.Presence
	reported byte // kinds of problems already reported
}

// trouble is a kind of problem with an input; each kind is reported once per run.
type trouble byte

const (
	expired trouble = 1 << iota
	contradiction
	rejected
)

// first reports whether t occurs for the first time.
func (s *inputSlot) first(t trouble) bool {
	fresh := s.reported&byte(t) == 0
	s.reported |= byte(t)
	return fresh
}

// Name returns the prefix of the variable, including the index.
func (in *Input) Name() string { return in.name }

// Bytes returns the bytes that the host set for this step, or nil if it set none. The memory
// belongs to the host: the model must neither write to it nor keep it after the step returns.
func (in *Input) Bytes() []byte { return in.slot.data }

// Presence reports whether there are bytes and, if not, why.
func (in *Input) Presence() osmp.Presence { return in.slot.presence }

// Reject declares the bytes unusable, because they are not a message of this type or are
// inconsistent. They count as no data, so Bytes is empty afterwards. The first rejection of a run
// makes the step return a warning with this error.
func (in *Input) Reject(err error) {
	size := len(in.slot.data)
	in.slot.data, in.slot.presence = nil, osmp.Contradiction
	if in.slot.first(rejected) {
		in.instance.warn(
			fmt.Errorf(
				"%s: %d bytes that cannot be used: %w; the step continues without them, and "+
					"later ones are not reported",
				in.name, size, err))
	}
}

// Warnf logs a warning about the input, in the log category for binary variables. The status of the
// step does not change.
func (in *Input) Warnf(format string, arguments ...any) {
	in.instance.log(fmi.Warning, logOSMP.Name, in.name+": "+fmt.Sprintf(format, arguments...))
}

// take reads the input for a step.
func (in *Input) take() {
	s := in.slot
	s.data, s.presence = s.in.Take()
	switch {
	case s.presence == osmp.Expired && s.first(expired):
		in.instance.log(fmi.Warning, logOSMP.Name,
			in.name+": the address was set for an earlier step and is not read again, because "+
				"its buffer may be gone (OSMP, lifetime of inputs); set the three variables "+
				"before every step, or to 0")
	case s.presence == osmp.Contradiction && s.first(contradiction):
		in.instance.log(fmi.Warning, logOSMP.Name,
			fmt.Sprintf("%s: %v, which counts as no data; set base.lo, base.hi and size together, "+
				"all to 0 for no data", in.name, s.in.Contradiction()))
	}
	if s.presence != osmp.Data {
		s.data = nil
	}
	s.taken = s.data
}

// Output is a binary output of a model.
type Output struct {
	name   string
	kind   osmp.Kind
	buffer *osmp.Output
	staged []byte
	clock  *Clock // ticks with each message; nil if there is none
}

// Name returns the prefix of the variable, including the index.
func (o *Output) Name() string { return o.name }

// Buffer returns an empty slice over the memory for the next message: appending to it avoids a
// copy.
func (o *Output) Buffer() []byte { return o.buffer.Buffer() }

// Enclose begins a message that contains the bytes of an input unchanged: head, which ends in the
// key and the length of the field, followed by the bytes. Append the rest. In FMI 3.0, this avoids
// copying the bytes, because they can be set where the message needs them.
func (o *Output) Enclose(head []byte, in *Input) []byte {
	return o.buffer.Enclose(head, in.slot.data, in.slot.in)
}

// Publish makes message the output of this step. If the model does not call it, or publishes an
// empty message, the output is "no data" at the end of the step. The bytes must not change until
// Step returns.
func (o *Output) Publish(message []byte) error {
	err := o.Fits(len(message))
	if err == nil {
		o.staged = message
	}
	return err
}

// Fits returns the error of publishing a message of size bytes, so that a model can check before
// building the message.
func (o *Output) Fits(size int) error {
	if size > math.MaxInt32 {
		return fmt.Errorf("%s: %w: found %d bytes, expected at most %d", o.name, osmp.ErrTooLarge,
			size, math.MaxInt32)
	}
	return nil
}

// commit makes the staged message visible to the host: at once or, if Event Mode is in use, when
// the host enters it. In that case, an output that belongs to a clock keeps its value until the
// clock ticks.
func (o *Output) commit(later bool) (err error) {
	switch {
	case !later:
		err = o.buffer.Publish(o.staged)
	case len(o.staged) > 0 || o.clock == nil && len(o.buffer.Message()) > 0:
		err = o.buffer.Prepare(o.staged)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	if o.clock != nil && len(o.staged) > 0 {
		o.clock.Tick()
	}
	return nil
}

// Constant is binary data that never changes.
type Constant struct {
	input *osmp.Input
	data  []byte
}

// Bytes returns the data that the host set, starting with Setup, or nil if it set none. It is a
// copy that the model may keep but must not change.
func (c *Constant) Bytes() []byte { return c.data }

// capture copies the data before the host may release them.
func (c *Constant) capture() {
	var presence osmp.Presence
	if c.data, presence = c.input.Capture(); presence != osmp.Data {
		c.data = nil
	}
}

// ConfigRequest is the handshake about a SensorView input.
type ConfigRequest struct {
	pair   *osmp.ConfigRequest
	called bool
}

// Negotiate requests an encoded SensorViewConfiguration and returns the one that the host set, or
// nil if it set none. It must be called once, in Setup.
func (c *ConfigRequest) Negotiate(wanted []byte) (agreed []byte, err error) {
	c.called = true
	return c.pair.Update(wanted)
}

// Log writes to one log category.
type Log struct {
	category string
	instance *instance
}

// Printf logs a message that the importer shows when the category is switched on.
func (l *Log) Printf(format string, arguments ...any) {
	l.instance.log(fmi.OK, l.category, fmt.Sprintf(format, arguments...))
}

// Warnf logs a warning. The status of the call does not change.
func (l *Log) Warnf(format string, arguments ...any) {
	l.instance.log(fmi.Warning, l.category, fmt.Sprintf(format, arguments...))
}
