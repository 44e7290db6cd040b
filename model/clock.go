package model

import (
	"slices"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/osmp"
	"gosmp/timebase"
)

// Clock is a triggered clock of FMI 3.0. It signals importers that something happened in a step
// that does not happen in every step, such as a new message. In FMI 2.0, which has no clocks, it
// does nothing.
type Clock struct {
	index  fmu.Index
	ticked bool
}

// Tick makes the clock tick at the end of this step.
func (c *Clock) Tick() { c.ticked = true }

// Clock declares a clock, which ticks when [Clock.Tick] is called, and with each message of the
// outputs that are declared with it; see [Declaration.ClockedOutput].
func (d *Declaration) Clock(name, description string) *Clock {
	c := &Clock{index: -1}
	if d.table.Version >= fmi.FMI3 {
		c.index = d.table.Add(fmu.Variable{Name: name, Type: fmi.Clock, Causality: fmi.Output,
			Variability: fmi.Discrete, Description: description})
		d.clockNames = append(d.clockNames, name)
		d.clocks = append(d.clocks, c)
	}
	return c
}

// ForFMI3 reports whether the declarations are for FMI 3.0. A model can then add variables that FMI
// 2.0 does not support and still be packed for both versions.
func (d *Declaration) ForFMI3() bool { return d.table.Version >= fmi.FMI3 }

// ClockedOutput declares a binary output, the only one of its kind, whose messages come with ticks
// of a clock. An importer that uses Event Mode reads the message when the clock ticks; until then,
// the output keeps its value. Without Event Mode, and in FMI 2.0, it is like any other output.
func (d *Declaration) ClockedOutput(k osmp.Kind, c *Clock) *Output {
	return d.ClockedOutputs(k, c)[0]
}

// ClockedOutputs declares a binary output of a kind for each clock, such as the images of several
// cameras that are not synchronized. A single one has the name of the kind; several have indices
// [1], [2] and so on. See [Declaration.ClockedOutput].
func (d *Declaration) ClockedOutputs(k osmp.Kind, clocks ...*Clock) []*Output {
	d.checkKind(k, fmi.Output)
	list := make([]*Output, len(clocks))
	for n, c := range clocks {
		b := k.Binary(n+1, len(clocks))
		if name := d.nameOf(c); name != "" {
			b.Clocks = []string{name}
		}
		list[n] = d.output(b, k)
		list[n].clock = c
	}
	return list
}

// nameOf returns the name of a clock; empty in FMI 2.0.
func (d *Declaration) nameOf(c *Clock) string {
	if k := slices.Index(d.clocks, c); k >= 0 {
		return d.clockNames[k]
	}
	return ""
}

// Eventful is a model that knows in advance when something happens: the next row of a scenario, the
// next fix. In FMI 3.0, an importer can then have a step end there (early return), read continuous
// outputs there (intermediate update), or plan its steps so that they end there (Event Mode).
type Eventful interface {
	// NextEvent returns the time of the first event after t; false if none is known. It is called
	// between steps and must not change the model.
	NextEvent(t timebase.Time) (timebase.Time, bool)
}

// NextEvent implements fmu.Eventful.
func (i *instance) NextEvent(t timebase.Time) (timebase.Time, bool) {
	e, ok := i.model.(Eventful)
	if !ok || i.phase != ready {
		return 0, false
	}
	return e.NextEvent(t)
}

// Unsettled implements fmu.Discrete.
func (i *instance) Unsettled() bool { return i.unsettled }

// Settle implements fmu.Discrete.
func (i *instance) Settle() {
	if !i.unsettled {
		return
	}
	for _, o := range i.declared.outputs {
		o.buffer.Settle()
	}
	i.declared.outputsExact.store(i.host.Values)
	i.declared.calculated.store(i.host.Values)
	for _, c := range i.declared.clocks {
		i.host.Values.Clocks[c.index] = c.ticked
		c.ticked = false
	}
	i.unsettled = false
}

// setAside saves the results that are waiting for Event Mode, so that a discarded step can be
// undone. An importer may continue stepping without having entered Event Mode.
func (i *instance) setAside() {
	i.ticks = i.ticks[:0]
	for _, c := range i.declared.clocks {
		i.ticks = append(i.ticks, c.ticked)
	}
	if i.unsettled {
		i.keepWaiting()
	}
}

// keepWaiting stores the results that are waiting for Event Mode separately from the values that
// the host sees.
func (i *instance) keepWaiting() *fmu.Values {
	if i.aside == nil {
		i.aside = fmu.NewValues(i.defined)
	}
	i.declared.takeSizes(i.aside, i.host.Values)
	i.declared.outputsExact.store(i.aside)
	i.declared.calculated.store(i.aside)
	return i.aside
}

// takeBack restores the results from before a step.
func (i *instance) takeBack() {
	results := i.host.Values
	if i.unsettled {
		results = i.aside
	}
	i.declared.outputsExact.load(results)
	i.declared.calculated.load(results)
	for k, c := range i.declared.clocks {
		c.ticked = i.ticks[k]
	}
}

// publish makes the results of a step visible: all of them, or only the continuous ones if Event
// Mode is used.
func (i *instance) publish() error {
	later := i.host.EventModeUsed
	for _, o := range i.declared.outputs {
		if err := o.commit(later); err != nil {
			return err
		}
	}
	if later {
		i.declared.continuous.store(i.host.Values)
		i.unsettled = i.waits()
		return nil
	}
	i.declared.outputsExact.store(i.host.Values)
	if i.steady == nil || !i.steady.Unchanged() {
		i.declared.calculated.store(i.host.Values)
	}
	return nil
}

// waits reports whether a discrete output has changed, or a clock ticks.
func (i *instance) waits() bool {
	d := i.declared
	return slices.ContainsFunc(d.clocks, func(c *Clock) bool { return c.ticked }) ||
		slices.ContainsFunc(d.outputs, func(o *Output) bool { return o.buffer.Unsettled() }) ||
		d.outputsExact.differ(i.host.Values) || d.calculated.differ(i.host.Values)
}
