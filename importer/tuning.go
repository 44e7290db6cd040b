package importer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/cosim"
	"gosmp/importer/worker"
	"gosmp/internal/decimal"
	"gosmp/internal/fault"
	"gosmp/internal/state"
)

// ClockInterval is the interval of a clock as written by a user: a number of seconds, such as
// "0.25", or a fraction, such as "1/3". FMI 3.0 lets the host choose the interval for fixed and
// tunable clocks whose intervalDecimal is in the model description.
type ClockInterval struct{ Clock, Interval string }

// tuning is an interval to pass to the FMU: a fraction if there is a resolution, and seconds
// otherwise. The zero value sets no interval.
type tuning struct {
	seconds             float64
	counter, resolution uint64
}

func (u tuning) interval() (d interval, err error) {
	if u.resolution > 0 {
		d, err = fractionOf(u.counter, u.resolution)
	} else {
		d, err = decimalOf(u.seconds)
	}
	if err == nil && d.ns == 0 {
		err = fmt.Errorf("an interval below 1e-9 s")
	}
	return d, err
}

// stated returns the interval in the model description, if there is one.
func (c *clock) stated() (u tuning, given bool) {
	switch t := c.model.Timing; {
	case t.ByFraction():
		return tuning{counter: t.IntervalCounter, resolution: t.Resolution}, true
	case t.Interval != nil:
		return tuning{seconds: *t.Interval}, true
	}
	return tuning{}, false
}

// parseTuning parses an interval written by a user. An FMU that does not accept fractions receives
// the nearest number of seconds.
func parseTuning(c *clock, text string) (u tuning, err error) {
	counter, resolution, fraction := strings.Cut(text, "/")
	if !fraction {
		u.seconds, err = decimal.Float(strings.TrimSpace(text), 64)
	} else if u.counter, err = strconv.ParseUint(strings.TrimSpace(counter), 10, 64); err == nil {
		u.resolution, err = strconv.ParseUint(strings.TrimSpace(resolution), 10, 64)
	}
	if err == nil && fraction && !c.model.Timing.SupportsFraction {
		u = tuning{seconds: float64(u.counter) / float64(u.resolution)}
	}
	if err == nil {
		_, err = u.interval()
	}
	if err != nil || math.IsInf(u.seconds, 0) {
		return u, fault.New(ErrValue, fault.At(c.model.Name), "the interval "+strconv.Quote(text),
			"seconds from 1e-9 on, or a fraction of them such as 1/3")
	}
	return u, nil
}

// adjustable finds the clock with this name, which must be of a kind whose interval the host
// chooses.
func (t *table) adjustable(name string, kinds ...string) (int, error) {
	n, found := t.byName[name]
	if !found {
		return 0, t.unknown(name, "a clock")
	}
	expected := "a clock that is " + strings.Join(kinds, " or ") +
		", with intervalDecimal in the model description"
	k := slices.IndexFunc(t.clocks, func(c clock) bool { return slices.Contains(c.followers, n) })
	if k < 0 {
		return 0, fault.New(ErrValue, fault.At(name), "a variable that is not a clock", expected)
	}
	c := &t.clocks[k]
	if !c.isInput() || !slices.Contains(kinds, c.kind()) {
		return 0, fault.New(ErrValue, fault.At(name), fmt.Sprintf("a clock that is %s, %s",
			c.model.Causality, c.kind()), expected)
	}
	if _, given := c.stated(); !given {
		return 0, fault.New(ErrValue, fault.At(name),
			"a clock whose interval the FMU determines", expected)
	}
	return k, nil
}

// tunings checks the intervals given by a user. The resulting list has one entry for each clock.
func (t *table) tunings(intervals []ClockInterval) ([]tuning, error) {
	list := make([]tuning, len(t.clocks))
	for _, given := range intervals {
		k, err := t.adjustable(given.Clock, fixed, tunable)
		if err != nil {
			return nil, err
		}
		if list[k] != (tuning{}) {
			return nil, fault.New(ErrValue, fault.At(given.Clock), "two intervals", "one")
		}
		if list[k], err = parseTuning(&t.clocks[k], given.Interval); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// SetInterval changes the interval of a tunable clock in a running simulation, between two steps of
// the engine. The FMU receives the interval in Event Mode before the next step. The interval begins
// at the clock's last tick; if the next tick would then already be in the past, it occurs
// immediately. Any error has the kind [ErrValue].
func (i *Instance) SetInterval(c ClockInterval) error {
	t := i.fmu.table
	k, err := t.adjustable(c.Clock, tunable)
	if err != nil {
		return err
	}
	if i.phase != running {
		return fault.New(ErrValue, fault.At(c.Clock), "an instance that is not running",
			"a call between Start and Finish of the engine")
	}
	u, err := parseTuning(&t.clocks[k], c.Interval)
	if err == nil {
		i.clocks[k].tuning = u
	}
	return err
}

// tuned reports whether the user has changed an interval since the last event.
func (c *clockwork) tuned() bool {
	return c != nil && slices.ContainsFunc(c.i.clocks,
		func(s ticking) bool { return s.tuning != tuning{} })
}

// tune passes the user's changes to the FMU in Event Mode.
func (c *clockwork) tune() error {
	for k := range c.clocks {
		s := &c.i.clocks[k]
		if s.tuning == (tuning{}) {
			continue
		}
		d, err := s.tuning.interval()
		if err != nil {
			return err
		}
		if err := c.setInterval(k, s.tuning); err != nil {
			return err
		}
		if s.interval, s.tuning = d, (tuning{}); s.count > 0 {
			s.due = s.last.plus(d)
		}
	}
	return nil
}

// setInterval informs the FMU about an interval that the host has chosen (FMI 3.0, 2.2.8.3).
func (c *clockwork) setInterval(k int, u tuning) error {
	g, cells := worker.Group{Kind: worker.Interval, Values: 1},
		[]uint64{math.Float64bits(u.seconds)}
	if u.resolution > 0 {
		g, cells = worker.Group{Kind: worker.IntervalFraction, Values: 2}, []uint64{u.counter,
			u.resolution}
	}
	set := &c.setters[k][min(u.resolution, 1)]
	if *set == nil {
		b, err := c.bindClocks(g, []int{k})
		if err != nil {
			return err
		}
		*set = b
	}
	copy((*set).plan.Cells(), cells)
	_, err := c.i.call(worker.Set, worker.Arguments{In: (*set).plan})
	return err
}

func (u tuning) append(b []byte) []byte {
	return state.AppendUint64(state.AppendUint64(state.AppendFloat64(b, u.seconds), u.counter),
		u.resolution)
}

func (u *tuning) read(d *state.Decoder) {
	u.seconds, u.counter, u.resolution = d.Float64(), d.Uint64(), d.Uint64()
}

// check rejects an impossible state that would make a clock tick forever at the same time.
func (s *ticking) check(c *clock) error {
	refuse := func(found, expected string) error {
		return fault.New(state.ErrState, fault.At("the clock "+c.model.Name), found, expected).
			WithHint("save the state again")
	}
	for _, d := range []interval{s.due, s.last, s.interval} {
		if part, den := d.parts(); part >= den || den >= finest || d.ns < -farthest {
			return refuse(fmt.Sprintf("a time of %d ns and %d/%d", d.ns, part, den),
				fmt.Sprintf("at least %d ns and less than one more", -farthest))
		}
	}
	if c.timed() && c.periodic() && s.interval.ns < 1 {
		return refuse(fmt.Sprintf("an interval of %d ns", s.interval.ns),
			"at least 1 ns, as it is periodic")
	}
	if s.interval.ns < 0 {
		return refuse(fmt.Sprintf("an interval of %d ns", s.interval.ns), "one from 0 ns on")
	}
	if s.tuning == (tuning{}) {
		return nil
	}
	if _, err := s.tuning.interval(); err != nil || c.kind() != tunable {
		return refuse("a new interval that cannot be used", "none, or one of a tunable clock")
	}
	return nil
}

// farthest is the earliest time of a tick, in nanoseconds before 0, which is 146 years.
const farthest = int64(1) << 62

// aliased rejects two inputs that are the same variable, because the effective value would depend
// on their order.
func (t *table) aliased(inputs []int) error {
	names := make(map[storage]string, len(inputs))
	for _, n := range inputs {
		v := &t.list[n]
		if other, twice := names[v.storage()]; twice {
			return fault.New(cosim.ErrConnection, fault.At(v.name), "a value for "+other+
				" as well, which is an alias", "a value for one of them")
		}
		names[v.storage()] = v.name
	}
	return nil
}
