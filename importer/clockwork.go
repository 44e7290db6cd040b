package importer

import (
	"slices"

	"gosmp/cosim"
	"gosmp/importer/worker"
	"gosmp/timebase"
)

// clockwork makes the clocks of an instance tick. An event is a sequence of instants at the same
// time (FMI 3.0, 2.3.5). In each instant, the host
//
//  1. activates the input clocks that are due;
//  2. sets the inputs of the clocks that are active, and asks which output clocks have become
//     active, until no more clocks become active;
//  3. reads the variables of the active clocks;
//  4. calls UpdateDiscreteStates, which ends the instant and deactivates all clocks.
//
// Then it queries the intervals that may have changed. If a clock is due immediately, or the FMU
// needs another update, another instant follows. Events that the FMU has announced or that an input
// has caused are handled before the ticks of the clocks due at that time.
type clockwork struct {
	i          *Instance
	clocks     []clock
	active     []bool // in this instant
	ticked     []bool // in this event
	inputs     []int  // input clocks, in the order of activate
	activate   *binding
	partitions []partition
	intervals  []*binding // of each clock; nil if the FMU is never asked
	// for each clock: to set its interval in seconds, and as a fraction; nil until first set
	setters [][2]*binding
	initial *binding // clocked variables that are read during initialization
	ports   [][]int  // for each clock: where the engine reads its count
	// for each clock, where the engine has the count for a triggered clock; -1 if there is none
	sources []int
	lost    []bool // ticks were lost, and the user has been informed
}

// partition holds the variables that belong to the same clocks.
type partition struct {
	// one of which must be active; none for output clocks that can always be queried
	clocks    []int
	ticks     *binding
	outputs   []int // clocks, in the order of ticks
	in, out   *binding
	done      bool
	published timebase.Time
}

// next returns the time of the next tick. A clock that belongs to other clocks does not tick on its
// own.
func (c *clockwork) next() timebase.Time {
	next := timebase.EndOfTime
	if c == nil {
		return next
	}
	for _, k := range c.inputs {
		if c.clocks[k].timed() && len(c.clocks[k].parents) == 0 {
			next = min(next, c.i.clocks[k].due.time())
		}
	}
	return next
}

// seconds returns the exact time of the tick at t if there is one.
func (c *clockwork) seconds(t timebase.Time) (seconds float64, is bool) {
	if c == nil {
		return 0, false
	}
	for _, k := range c.inputs {
		if due := c.i.clocks[k].due; c.clocks[k].timed() && due.time() == t {
			return due.seconds(), true
		}
	}
	return 0, false
}

// triggered reports whether the count at the input of a triggered clock has changed.
func (c *clockwork) triggered() bool {
	return c != nil && slices.ContainsFunc(c.inputs,
		func(k int) bool { return !c.clocks[k].timed() && c.isTriggered(k) })
}

func (c *clockwork) isTriggered(k int) bool {
	return c.i.frameIn.Cells[c.sources[k]] != c.i.clocks[k].seen
}

// due reports whether an input clock must tick now.
func (c *clockwork) due(k int, t timebase.Time) bool {
	parents := c.clocks[k].parents
	if c.active[k] || len(parents) > 0 && !c.anyActive(parents) {
		return false
	}
	if c.clocks[k].timed() {
		return c.i.clocks[k].due.time() <= t
	}
	return c.isTriggered(k)
}

func (c *clockwork) anyActive(clocks []int) bool {
	return slices.ContainsFunc(clocks, func(k int) bool { return c.active[k] })
}

// event handles an event at t, and returns everything that the engine needs to know.
func (c *clockwork) event(t timebase.Time) (cosim.Advance, error) {
	i, a := c.i, cosim.Advance{Reached: t}
	step := i.arguments
	defer func() { i.arguments = step }()
	other := i.eventNeeded || i.nextEvent <= t || i.inputsJumped()
	i.eventNeeded, i.frameIn.Jumped = false, false
	if err := i.in.send(); err != nil {
		return a, err
	}
	if _, err := i.call(worker.EnterEvent, worker.Arguments{In: i.in.plan}); err != nil {
		return a, err
	}
	if err := c.tune(); err != nil {
		return a, err
	}
	r, err := c.instants(t, other)
	a.Ended = r.Terminate
	if err != nil {
		return a, err
	}
	i.rememberDiscrete()
	return a, c.leave(r)
}

// leave reads the variables that belong to no clock and returns to Step Mode, which is not needed
// if the FMU ends the simulation.
func (c *clockwork) leave(r worker.Reply) error {
	i, o := c.i, worker.EnterStep
	if r.Terminate {
		o = worker.Get
	}
	if _, err := i.call(o, worker.Arguments{Out: i.out.plan, Flags: i.place()}); err != nil {
		return err
	}
	return i.out.fetch()
}

// instants runs the instants of an event. If other is true, something other than a clock has caused
// the event, and this is handled first. The result is the reply to the last update.
func (c *clockwork) instants(t timebase.Time, other bool) (r worker.Reply, err error) {
	clear(c.ticked)
	for range maxInstants {
		if err := c.instant(t, !other); err != nil {
			return r, err
		}
		if r, err = c.i.call(worker.Update, worker.Arguments{}); err != nil {
			return r, err
		}
		c.i.noteNext(r)
		clear(c.active)
		if r.Terminate {
			return r, nil
		}
		if other = r.More; other {
			continue
		}
		if err := c.ask(t); err != nil {
			return r, err
		}
		if !slices.ContainsFunc(c.inputs, func(k int) bool { return c.due(k, t) }) {
			return r, nil
		}
	}
	return r, c.fail("its clocks and discrete states still change after %d iterations at %v s",
		maxInstants, t.Seconds())
}

const maxInstants = 1000

// instant runs one instant up to its update. If ticks is true, the clocks that are due become
// active.
func (c *clockwork) instant(t timebase.Time, ticks bool) error {
	for k := range c.partitions {
		c.partitions[k].done = false
	}
	for more := true; more; {
		more = false
		if ticks {
			set, err := c.tick(t)
			if err != nil {
				return err
			}
			more = set
		}
		for k := range c.partitions {
			p := &c.partitions[k]
			if p.done || len(p.clocks) > 0 && !c.anyActive(p.clocks) {
				continue
			}
			p.done = true
			set, err := c.exchange(p)
			if err != nil {
				return err
			}
			more = more || set
		}
	}
	for k := range c.partitions {
		if p := &c.partitions[k]; p.done && p.out.plan != nil {
			if err := c.read(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// tick activates the clocks that are due; set reports whether there are any.
func (c *clockwork) tick(t timebase.Time) (set bool, err error) {
	if c.activate.plan == nil {
		return false, nil
	}
	cells := c.activate.plan.Cells()
	clear(cells)
	for n, k := range c.inputs {
		if c.due(k, t) {
			cells[n], set = 1, true
		}
	}
	if !set {
		return false, nil
	}
	if _, err = c.i.call(worker.Set, worker.Arguments{In: c.activate.plan}); err != nil {
		return false, err
	}
	for n, k := range c.inputs {
		if cells[n] != 0 {
			c.count(k)
			c.schedule(k, t)
		}
	}
	return true, nil
}

// count increments the count of a tick that the engine sees.
func (c *clockwork) count(k int) {
	s := &c.i.clocks[k]
	s.count++
	c.active[k], c.ticked[k] = true, true
	for _, at := range c.ports[k] {
		c.i.frameOut.Cells[at] = s.count
	}
}

// schedule determines the next tick after t if it does not depend on the FMU.
func (c *clockwork) schedule(k int, t timebase.Time) {
	s := &c.i.clocks[k]
	if !c.clocks[k].timed() {
		s.seen = c.i.frameIn.Cells[c.sources[k]]
		return
	}
	s.last, s.due = s.due, never
	if !c.clocks[k].periodic() {
		return
	}
	s.due = s.last.plus(s.interval)
	if s.due.time() > t {
		return
	}
	if !c.lost[k] && len(c.clocks[k].parents) == 0 {
		c.lost[k] = true
		c.i.warn(
			"%s: the clock %s has an interval of %v s, but the FMU does not support such "+
				"short steps: ticks are lost", c.i.fmu.Path,
			c.clocks[k].model.Name, s.interval.time().Seconds())
	}
	s.due = s.due.after(t, s.interval)
}

// exchange sets the inputs of a partition and queries its output clocks; set reports whether any of
// them is active.
func (c *clockwork) exchange(p *partition) (set bool, err error) {
	if p.in.plan == nil && p.ticks.plan == nil {
		return false, nil
	}
	if err := p.in.send(); err != nil {
		return false, err
	}
	if _, err := c.i.call(worker.Exchange, worker.Arguments{In: p.in.plan,
		Out: p.ticks.plan}); err != nil {
		return false, err
	}
	if p.ticks.plan == nil {
		return false, nil
	}
	for n, cell := range p.ticks.plan.Cells() {
		if cell != 0 {
			c.count(p.outputs[n])
			set = true
		}
	}
	return set, nil
}

// read reads the variables of a partition.
func (c *clockwork) read(p *partition) error {
	place := worker.SamePlace
	if p.published != c.i.stepEnd {
		p.published, place = c.i.stepEnd, 0
	}
	if _, err := c.i.call(worker.Get, worker.Arguments{Out: p.out.plan, Flags: place}); err != nil {
		return err
	}
	return p.out.fetch()
}
