package importer

import (
	"fmt"
	"slices"

	"gosmp/cosim"
	"gosmp/importer/worker"
)

// newClockwork creates the plans for the clocks of an instance.
func (i *Instance) newClockwork(inputs, outputs []int) (c *clockwork, err error) {
	t := i.fmu.table
	c = &clockwork{i: i, clocks: t.clocks, active: make([]bool, len(t.clocks)), ticked: make([]bool,
		len(t.clocks)),
		intervals: make([]*binding, len(t.clocks)), ports: make([][]int, len(t.clocks)),
		sources: make([]int, len(t.clocks)), lost: make([]bool, len(t.clocks)),
		setters: make([][2]*binding, len(t.clocks))}
	i.clocks = make([]ticking, len(t.clocks))
	for k := range c.clocks {
		c.sources[k] = -1
		for _, v := range c.clocks[k].followers {
			if at := slices.Index(outputs, v); at >= 0 {
				c.ports[k] = append(c.ports[k], i.frameOut.Ports[at].Offset)
			}
			if at := slices.Index(inputs, v); at >= 0 {
				c.sources[k] = i.frameIn.Ports[at].Offset
			}
		}
	}
	if c.activate, err = c.bindClocks(worker.Group{Kind: cosim.Clock},
		c.inputClocks()); err != nil {
		return nil, err
	}
	isClocked := func(v *variable) bool { return len(v.clocks) > 0 && v.kind != cosim.Clock }
	if c.initial, err = i.part(outputs, i.frameOut, isClocked); err != nil {
		return nil, err
	}
	for k := range c.clocks {
		if c.clocks[k].asks() {
			if c.intervals[k], err = c.bindTiming(k, worker.Interval); err != nil {
				return nil, err
			}
		}
	}
	return c, c.divide(inputs, outputs)
}

// inputClocks lists the input clocks that can tick: time-based clocks and connected clocks.
func (c *clockwork) inputClocks() []int {
	for k := range c.clocks {
		if c.clocks[k].timed() || c.clocks[k].isInput() && c.sources[k] >= 0 {
			c.inputs = append(c.inputs, k)
		}
	}
	return c.inputs
}

// unconnected lists the names of the triggered clocks that never tick.
func (c *clockwork) unconnected() (names []string) {
	for k := range c.clocks {
		if c.clocks[k].isInput() && !slices.Contains(c.inputs, k) {
			names = append(names, c.clocks[k].model.Name)
		}
	}
	return names
}

// divide creates the partitions. Output clocks that may always be queried come last, so that the
// inputs of the others are set first.
func (c *clockwork) divide(inputs, outputs []int) error {
	t, always := c.i.fmu.table, partition{}
	at := map[string]int{}
	find := func(clocks []int) *partition {
		if len(clocks) == 0 {
			return &always
		}
		key := fmt.Sprint(clocks)
		if _, found := at[key]; !found {
			at[key] = len(c.partitions)
			c.partitions = append(c.partitions, partition{clocks: clocks, in: &binding{},
				out: &binding{}, ticks: &binding{}})
		}
		return &c.partitions[at[key]]
	}
	for k := range c.clocks {
		if !c.clocks[k].isInput() {
			p := find(c.clocks[k].parents)
			p.outputs = append(p.outputs, k)
		}
	}
	for _, n := range slices.Concat(inputs, outputs) {
		if v := &t.list[n]; len(v.clocks) > 0 && v.kind != cosim.Clock {
			find(v.clocks)
		}
	}
	always.in, always.out = &binding{}, &binding{}
	c.partitions = append(c.partitions, always)
	for k := range c.partitions {
		p := &c.partitions[k]
		var err error
		if p.ticks, err = c.bindClocks(worker.Group{Kind: cosim.Clock}, p.outputs); err != nil {
			return err
		}
		if len(p.clocks) == 0 {
			continue
		}
		belongs := func(v *variable) bool {
			return v.kind != cosim.Clock && slices.Equal(v.clocks, p.clocks)
		}
		settable := func(v *variable) bool { return belongs(v) && v.role == cosim.Input }
		if p.in, err = c.i.part(inputs, c.i.frameIn, settable); err != nil {
			return err
		}
		if p.out, err = c.i.part(outputs, c.i.frameOut, belongs); err != nil {
			return err
		}
	}
	return nil
}

// bindClocks creates a plan for one group of clocks, without a frame.
func (c *clockwork) bindClocks(g worker.Group, clocks []int) (b *binding, err error) {
	b = &binding{names: [][]string{nil}}
	if len(clocks) == 0 {
		return b, nil
	}
	for _, k := range clocks {
		g.References = append(g.References, c.clocks[k].model.ValueReference)
		b.names[0] = append(b.names[0], c.clocks[k].model.Name)
	}
	if g.Values == 0 {
		g.Values = len(clocks)
	}
	if b.plan, err = c.i.process.NewPlan([]worker.Group{g}); err == nil {
		c.i.plans[b.plan.Number()] = b
	}
	return b, err
}

// bindTiming creates the plan to read the interval or the shift of a clock.
func (c *clockwork) bindTiming(k int, kind cosim.Kind) (*binding, error) {
	g := worker.Group{Kind: kind, Values: 1}
	if c.clocks[k].model.Timing.SupportsFraction {
		g = worker.Group{Kind: kind + 1, Values: 2}
	}
	if kind == worker.Interval {
		g.Values++
	}
	return c.bindClocks(g, []int{k})
}

// asks reports whether the host must ask the FMU for the interval of a clock.
func (c *clock) asks() bool {
	if !c.timed() {
		return false
	}
	_, given := c.stated()
	return !c.periodic() || !given
}
