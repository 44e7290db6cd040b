package importer

import (
	"fmt"
	"math"
	"slices"

	"gosmp/importer/worker"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// ask queries intervals after an update: always for countdown clocks, and for changing clocks if
// they have ticked.
func (c *clockwork) ask(t timebase.Time) error {
	for _, k := range c.inputs {
		switch kind := c.clocks[k].kind(); {
		case kind == changing && c.ticked[k]:
			if err := c.askChanging(k, c.i.clocks[k].last); err != nil {
				return err
			}
		case kind == countdown && c.mayAsk(k):
			if err := c.askCountdown(k, t); err != nil {
				return err
			}
		}
	}
	for _, k := range c.inputs { // not earlier, because other clocks may belong to this one
		c.ticked[k] = c.ticked[k] && c.clocks[k].kind() != changing
	}
	return nil
}

// mayAsk reports whether the interval of a clock may be queried: if it belongs to other clocks,
// only after one of them has ticked.
func (c *clockwork) mayAsk(k int) bool {
	parents := c.clocks[k].parents
	return len(parents) == 0 || slices.ContainsFunc(parents,
		func(p int) bool { return c.ticked[p] })
}

func (c *clockwork) askChanging(k int, from interval) error {
	s := &c.i.clocks[k]
	d, qualifier, err := c.interval(k)
	switch {
	case err != nil:
		return err
	case qualifier == worker.NotYetKnown:
		return c.fail(
			"the interval of the clock %s is not yet known, which is "+
				"allowed only for countdown clocks", c.clocks[k].model.Name)
	case qualifier == worker.Changed:
		s.interval = d
	}
	s.due = from.plus(s.interval)
	return nil
}

func (c *clockwork) askCountdown(k int, t timebase.Time) error {
	d, qualifier, err := c.interval(k)
	if err == nil && qualifier == worker.Changed {
		c.i.clocks[k].due = c.i.exactly(t).plus(d)
	}
	return err
}

// interval asks the FMU for the interval of a clock.
func (c *clockwork) interval(k int) (d interval, qualifier uint64, err error) {
	b, cells, err := c.read1(c.intervals[k])
	if err != nil {
		return d, 0, err
	}
	qualifier = cells[len(cells)-1]
	if qualifier > worker.Changed {
		return d, 0,
			c.fail("the interval of the clock %s has the qualifier %d, which FMI does not define",
				b.names[0][0], int64(qualifier))
	}
	if qualifier == worker.Changed {
		d, err = c.value(b, cells[:len(cells)-1])
	}
	return d, qualifier, err
}

// read1 reads the plan of one clock.
func (c *clockwork) read1(b *binding) (*binding, []uint64, error) {
	_, err := c.i.call(worker.Get, worker.Arguments{Out: b.plan})
	return b, slices.Clone(b.plan.Cells()), err
}

// value converts an FMU's answer to an interval: seconds, or a counter and a resolution.
func (c *clockwork) value(b *binding, cells []uint64) (d interval, err error) {
	if len(cells) == 1 {
		d, err = decimalOf(math.Float64frombits(cells[0]))
	} else {
		d, err = fractionOf(cells[0], cells[1])
	}
	if err != nil {
		return d, c.fail("the clock %s has an interval or a shift of %v, expected a number from 0",
			b.names[0][0], err)
	}
	return d, nil
}

// fail returns the error for an FMU with inconsistent clocks.
func (c *clockwork) fail(format string, a ...any) error {
	c.i.phase = failed
	return fault.Wrap(ErrFailed, fault.In(c.i.fmu.Path), fmt.Errorf(format, a...))
}

// start determines the first ticks in Initialization Mode, ends this mode, and handles the events
// of the start.
func (c *clockwork) start() (r worker.Reply, err error) {
	i := c.i
	clear(i.clocks)
	for k := range c.clocks {
		for _, at := range c.ports[k] {
			i.frameOut.Cells[at] = 0
		}
	}
	for _, k := range c.inputs {
		i.clocks[k].due = never
		if c.clocks[k].timed() {
			if err := c.begin(k, i.exactly(i.setup.Start)); err != nil {
				return r, err
			}
		} else {
			i.clocks[k].seen = i.frameIn.Cells[c.sources[k]]
		}
	}
	if c.initial.plan != nil {
		if _, err := i.call(worker.Get, worker.Arguments{Out: c.initial.plan}); err != nil {
			return r, err
		}
	}
	if err := c.initial.fetch(); err != nil {
		return r, err
	}
	if r, err = i.call(worker.LeaveInitialization, worker.Arguments{}); err != nil {
		return r, err
	}
	if r, err = c.instants(i.setup.Start, true); err != nil {
		return r, err
	}
	return r, c.leave(r)
}

// begin determines the first tick of a time-based clock.
func (c *clockwork) begin(k int, start interval) error {
	clock, s := &c.clocks[k], &c.i.clocks[k]
	switch clock.kind() {
	case changing:
		return c.askChanging(k, start)
	case countdown:
		return c.askCountdown(k, start.time())
	}
	shift, err := clock.shift() // accepted by check, as is the interval
	if err != nil {
		return err
	}
	if u, given := clock.stated(); !given {
		s.interval, shift, err = c.askPeriodic(k)
	} else {
		if c.i.intervals[k] != (tuning{}) {
			u = c.i.intervals[k]
		}
		s.interval, err = u.interval()
		if err == nil && (clock.kind() == fixed || clock.kind() == tunable) {
			err = c.setInterval(k, u)
		}
	}
	s.due = start.plus(shift)
	return err
}

// askPeriodic queries the interval and the shift of a periodic clock.
func (c *clockwork) askPeriodic(k int) (d, shift interval, err error) {
	d, qualifier, err := c.interval(k)
	if err != nil {
		return d, shift, err
	}
	if qualifier != worker.Changed || d.time() == 0 {
		return d, shift, c.fail("the clock %s, which is periodic, has no interval from 1e-9 s",
			c.clocks[k].model.Name)
	}
	b, err := c.bindTiming(k, worker.Shift)
	if err != nil {
		return d, shift, err
	}
	_, cells, err := c.read1(b)
	if err == nil {
		shift, err = c.value(b, cells)
	}
	return d, shift, err
}
