package importer

import (
	"fmt"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/importer/worker"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// course is a sequence of steps that the process of some instances takes before the engine asks for
// them.
type course struct {
	members []*Instance
	wires   []cosim.Wire
	stream  *worker.Stream // set by the first Begin
	scale   *timebase.Scale
	ahead   bool // the stream is running, or has unread results
	over    bool // the course cannot begin again
	steps   int64
	first   int64   // number of the first point
	time    float64 // the start of the next step to be allowed
	spans   [keptSpans]span
}

// A course begins with a process that sleeps, and ends with one that wakes the engine. A few single
// steps take less time, because both sides of them are awake.
const leastAhead = 4

// keptSpans exceeds the number of steps by which the process can be ahead of the engine.
const keptSpans = 128

// span holds the times of a step as passed to the FMU, and its end.
type span struct {
	end              timebase.Time
	time, length, to float64
}

// flight is the place of an instance in a course.
type flight struct {
	course *course // nil if the instance is in no course
	lane   int
	step   int64 // the next step that the engine will ask for
}

// NewCourse creates a course of instances that are the only ones in their process.
func (i *Instance) NewCourse(all []cosim.Participant, wires []cosim.Wire) cosim.Course {
	if i.o.Shared && len(all) < len(i.pool.shared) || !i.o.Shared && len(all) > 1 {
		return nil
	}
	c := &course{wires: wires}
	for _, p := range all {
		member, is := p.(*Instance)
		if !is || !member.isPlain() {
			return nil
		}
		c.members = append(c.members, member)
	}
	for k, member := range c.members {
		member.flight = flight{course: c, lane: k}
	}
	return c
}

// IsAhead reports whether the process runs ahead of the engine.
func (c *course) IsAhead() bool { return c.ahead }

// Begin lets the process run ahead of the engine. The inputs are sent once, because they do not
// change or come from instances in the same process.
func (c *course) Begin(s timebase.Span, n int64) {
	if c.over || n < leastAhead {
		return
	}
	if c.stream == nil && c.lay() != nil {
		c.over = true // the individual steps report the error
		return
	}
	c.scale = &c.members[0].setup.Scale
	first, is := c.scale.Index(s.Start)
	if !is || c.scale.Point(first+1) != s.End {
		return
	}
	for _, i := range c.members {
		if i.phase != running || i.begun || i.time != c.members[0].time ||
			i.continuous.send() != nil {
			return
		}
		i.lastText.Store(nil)
		i.flight.step = 0
	}
	c.steps, c.first, c.time = n, first, c.members[0].time
	c.ahead = c.stream.Start(n, c.times)
}

// lay lays out the stream. Slopes of inputs change from step to step.
func (c *course) lay() (err error) {
	var arguments []*worker.Arguments
	for _, i := range c.members {
		if i.frameIn.Slopes != nil {
			return worker.ErrFull
		}
		arguments = append(arguments, &worker.Arguments{Slot: i.slot,
			Major: int(i.fmu.Model.Major()), Flags: i.flags(), In: i.continuous.plan,
			Out: i.out.plan})
	}
	if c.stream, err = c.members[0].process.NewStream(arguments); err != nil {
		return err
	}
	wireAll(c.stream, c.members, c.wires)
	return c.stream.Lay()
}

// times returns the arguments of a step as [Instance.Step] computes them.
func (c *course) times(step int64) (time, length float64) {
	k := c.first + step
	s := timebase.Span{Start: c.scale.Point(k), End: c.scale.Point(k + 1)}
	time = c.time
	to, regular := c.scale.Step(s)
	if length = c.members[0].setup.Step.Seconds(); !regular {
		to = c.scale.Seconds(s.End)
		length = to - time
	}
	c.time, c.spans[step%keptSpans] = to, span{s.End, time, length, to}
	return time, length
}

// flown returns the reply to the step of the instance if its process has already taken the step.
func (i *Instance) flown(s timebase.Span) (r worker.Reply, did bool, err error) {
	f := &i.flight
	c := f.course
	if c == nil {
		return r, false, nil
	}
	if i.out.ahead = nil; !c.ahead {
		return r, false, nil
	}
	i.lastText.Store(nil)
	r, cells, did, err := c.stream.Reply(f.step, f.lane, i.o.Timeout)
	if err == nil && !did {
		c.ahead, c.over = false, true
		return r, false, nil
	}
	made := &c.spans[f.step%keptSpans]
	if err == nil && made.end != s.End {
		err = fault.New(ErrFailed, fault.In(i.fmu.Path), fmt.Sprintf("a step to %v", made.end),
			fmt.Sprintf("one to %v", s.End))
	}
	i.arguments.Time, i.arguments.Step = made.time, made.length
	i.endTime, i.out.ahead = made.to, cells
	r, err = i.judge(worker.Step, r, err)
	f.step++
	switch {
	case err != nil || r.Status > int(fmi.Warning) || r.Early || r.Terminate:
		c.ahead, c.over, i.out.ahead = false, true, nil
	case f.step == c.steps && f.lane == len(c.members)-1:
		c.ahead = false
	}
	return r, true, err
}

// land ends a course whose remaining steps are not requested by the engine. Their effects do not
// count, except that calls that they have made illegal are not made.
func (i *Instance) land() {
	c := i.flight.course
	if c == nil || !c.ahead {
		return
	}
	c.ahead, c.over = false, true
	limit := i.o.Timeout
	if limit == 0 {
		limit = endTime
	}
	r, lane, err := c.stream.Stop(limit)
	if err != nil {
		for _, member := range c.members {
			member.phase = lost
		}
		return
	}
	_, _ = c.members[lane].judge(worker.Step, r, nil)
}
