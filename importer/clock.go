package importer

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/fault"
)

// clock is a clock of an FMU (FMI 3.0, 2.2.8).
type clock struct {
	model     *archive.Variable
	parents   []int // clocks, at least one of which must be active when it ticks
	followers []int // variables of the table that show its ticks, including aliases
}

// The kinds of clocks. Clocks that the host ticks at certain times are either periodic, or the FMU
// specifies the time of each tick.
var (
	periodicClocks  = []string{constant, fixed, "calculated", tunable}
	aperiodicClocks = []string{changing, countdown}
)

const (
	constant  = "constant"
	fixed     = "fixed"
	tunable   = "tunable"
	changing  = "changing"
	countdown = "countdown"
	triggered = "triggered"
)

func (c *clock) kind() string   { return c.model.IntervalVariability }
func (c *clock) periodic() bool { return slices.Contains(periodicClocks, c.kind()) }
func (c *clock) timed() bool    { return c.isInput() && c.kind() != triggered }
func (c *clock) isInput() bool  { return c.model.Causality == fmi.Input }

// isClocked reports whether a variable is a clock, or can be read and set only while a clock is
// active.
func (v *variable) isClocked() bool { return v.kind == cosim.Clock || len(v.clocks) > 0 }

// findClocks lists the clocks. If the clocks of an FMU cannot tick because it has no Event Mode,
// the FMU runs without them.
func (t *table) findClocks(m *archive.ModelDescription) error {
	var names []string
	for k := range m.Variables {
		v := &m.Variables[k]
		if v.Type != fmi.Clock {
			continue
		}
		names = append(names, v.Name)
		t.clocks = append(t.clocks, clock{model: v})
	}
	if len(names) == 0 {
		return nil
	}
	if slave := m.Interface(fmi.CoSimulation); slave == nil ||
		!slave.Capabilities.Has("hasEventMode") {
		t.clocks = nil
		t.warnings = append(t.warnings,
			"hasEventMode is false, so its clocks never tick, and variables that belong to them "+
				"are left out: "+
				strings.Join(names, ", "))
		return nil
	}
	t.clocked = true
	for k := range t.clocks {
		if err := t.clocks[k].check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *clock) refuse(found, expected string) error {
	return fault.New(ErrInvalid, fault.Place{}, "the clock "+c.model.Name+" with "+found,
		expected)
}

// check rejects a clock whose ticks are not defined.
func (c *clock) check() error {
	v := c.model
	switch {
	case len(v.Dimensions) > 0:
		return c.refuse("dimensions", "no other, because each clock has its own reference")
	case !c.isInput() && v.Causality != fmi.Output && v.Causality != fmi.Local:
		return c.refuse("causality "+string(v.Causality), "input, output or local")
	case !c.isInput() && c.kind() != triggered:
		return c.refuse(fmt.Sprintf("intervalVariability %q", c.kind()),
			triggered+", because it is not an input")
	case c.isInput() && c.kind() != triggered && !c.periodic() && !slices.Contains(aperiodicClocks,
		c.kind()):
		return c.refuse(fmt.Sprintf("intervalVariability %q", c.kind()),
			strings.Join(slices.Concat(periodicClocks, aperiodicClocks), ", ")+" or "+triggered)
	case !c.periodic():
		return nil
	}
	u, given := c.stated()
	var err error
	if given {
		_, err = u.interval()
	}
	if err == nil {
		_, err = c.shift()
	}
	if err != nil {
		return c.refuse(err.Error(), "an interval from 1e-9 s and a shift from 0 s")
	}
	if !given && c.kind() == constant {
		return c.refuse("no intervalDecimal", "an interval, because it is constant")
	}
	return nil
}

// shift returns the time from the start to the first tick, as stated in the model description.
func (c *clock) shift() (interval, error) {
	t := c.model.Timing
	if t.ByFraction() {
		return fractionOf(t.ShiftCounter, t.Resolution)
	}
	return decimalOf(t.Shift)
}

// connectClocks finds the clocks of variables and rejects clocks that could never tick.
func (t *table) connectClocks() error {
	if !t.clocked {
		return nil
	}
	byReference := make(map[uint32]int, len(t.clocks))
	for k := range t.clocks {
		reference := t.clocks[k].model.ValueReference
		if other, twice := byReference[reference]; twice {
			return t.clocks[k].refuse(fmt.Sprintf("the reference %d, which %s has", reference,
				t.clocks[other].model.Name), "one of its own")
		}
		byReference[reference] = k
	}
	resolve := func(name string, references []uint32) (list []int, err error) {
		for _, reference := range references {
			c, found := byReference[reference]
			if !found {
				return nil, fault.New(ErrInvalid, fault.Place{},
					fmt.Sprintf("%s belongs to the clock with reference %d", name, reference),
					"the reference of a clock")
			}
			list = append(list, c)
		}
		slices.Sort(list)
		return slices.Compact(list), nil
	}
	var err error
	for k := range t.clocks {
		c := &t.clocks[k]
		if c.parents, err = resolve(c.model.Name, c.model.Clocks); err != nil {
			return err
		}
	}
	for k := range t.list {
		v := &t.list[k]
		if v.model == nil {
			continue
		}
		if k > 0 && t.list[k-1].model == v.model { // an alias
			v.clocks = t.list[k-1].clocks
		} else if v.clocks, err = resolve(v.name, v.model.Clocks); err != nil {
			return err
		}
		if v.kind == cosim.Clock {
			c := &t.clocks[byReference[v.model.ValueReference]]
			c.followers = append(c.followers, k)
			if c.timed() {
				v.role = cosim.Local // not an input that can be connected
			}
		}
	}
	return t.checkParents()
}

// checkParents rejects clocks that depend on themselves.
func (t *table) checkParents() error {
	const fresh, open, closed = 0, 1, 2
	marks := make([]uint8, len(t.clocks))
	var visit func(k int) bool
	visit = func(k int) bool {
		marks[k] = open
		for _, p := range t.clocks[k].parents {
			if marks[p] == open || marks[p] == fresh && !visit(p) {
				return false
			}
		}
		marks[k] = closed
		return true
	}
	for k := range t.clocks {
		if marks[k] == fresh && !visit(k) {
			return t.clocks[k].refuse("clocks that lead back to themselves", "clocks that can tick")
		}
	}
	return nil
}
