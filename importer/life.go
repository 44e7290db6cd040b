package importer

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/importer/worker"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// do executes a command and makes an error of every answer that is one. A Discard is left to the caller where it may be one.
func (i *Instance) do(o worker.Operation, limit time.Duration) (worker.Reply, error) {
	i.arguments.Slot, i.arguments.Major = i.slot, int(i.fmu.Model.Major())
	i.lastText.Store(nil)
	r, err := i.process.Do(o, &i.arguments, limit)
	if err != nil {
		i.phase = lost
		return r, i.ended(err)
	}
	if r.Status <= int(fmi.Warning) || r.Status == int(fmi.Discard) && o == worker.Step && isStep(r.Function) {
		return r, nil
	}
	return r, i.refused(r)
}

func isStep(function string) bool { return function == "fmi2DoStep" || function == "fmi3DoStep" }

// call is do with the arguments of one command.
func (i *Instance) call(o worker.Operation, a worker.Arguments) (worker.Reply, error) {
	i.arguments = a
	return i.do(o, i.o.Timeout)
}

// end is a call at the end of the life, which always has a limit.
func (i *Instance) end(_ context.Context, o worker.Operation) (worker.Reply, error) {
	i.arguments = worker.Arguments{}
	limit := i.o.Timeout
	if limit == 0 {
		limit = endTime
	}
	return i.do(o, limit)
}

var version3 = regexp.MustCompile(`^3\.[0-9]+(\.[0-9]+)?(-.+)?$`)

// load loads the library and looks at the version that it has.
func (i *Instance) load() error {
	f := i.fmu
	r, err := i.call(worker.Load, worker.Arguments{Texts: []string{f.library(), strings.Join(f.needs, "\n"), i.o.Preload}})
	if err != nil {
		return err
	}
	if good := f.Model.Major() == 2 && r.Reason == "2.0" || f.Model.Major() == 3 && version3.MatchString(r.Reason); !good {
		i.warn("%s: its library says that it is FMI %q, its model description %s", f.Path, r.Reason, f.Model.FMIVersion)
	}
	return nil
}

func (i *Instance) instantiate() error {
	flags := i.flags()
	for flag, on := range map[uint32]bool{worker.Visible: i.o.Visible, worker.LoggingOn: i.o.LoggingOn,
		worker.NoMemory: i.fmu.slave.Capabilities.Has("canNotUseMemoryManagementFunctions")} {
		if on {
			flags |= flag
		}
	}
	_, err := i.call(worker.Instantiate, worker.Arguments{Flags: flags,
		Texts: []string{i.name, i.fmu.Model.InstantiationToken, i.fmu.resources()}})
	if err != nil {
		return err
	}
	i.phase = instantiated
	if i.o.LoggingOn && len(i.o.Categories) > 0 {
		_, err = i.call(worker.SetLogging, worker.Arguments{Flags: worker.LoggingOn, Count: len(i.o.Categories),
			Texts: []string{strings.Join(i.o.Categories, "\x00") + "\x00"}})
	}
	return err
}

// flags are those of steps and instantiation.
func (i *Instance) flags() uint32 {
	flags := uint32(0)
	for flag, on := range map[uint32]bool{worker.EventMode: i.o.EventMode, worker.EarlyReturn: i.o.EarlyReturn,
		worker.KeepState: i.setup.KeepState, worker.Asynchronous: i.fmu.slave.Capabilities.Has("canRunAsynchronuously")} {
		if on {
			flags |= flag
		}
	}
	return flags
}

// Enter loads the FMU, instantiates it, sets start values and enters Initialization Mode.
func (i *Instance) Enter(_ context.Context, s cosim.Setup) error {
	i.setup = s
	i.time = s.Start.Seconds()
	for _, w := range slices.Concat(i.fmu.Warnings, i.starts.warnings) {
		i.warn("%s: %s", i.fmu.Path, w)
	}
	if err := i.load(); err != nil {
		return err
	}
	if err := i.instantiate(); err != nil {
		return err
	}
	if i.o.InitialState != nil {
		return i.enterState()
	}
	if err := i.configure(); err != nil {
		return err
	}
	before, err := i.preset(i.starts.before)
	if err != nil {
		return err
	}
	a := worker.Arguments{In: before.plan, Time: s.Start.Seconds()}
	if s.Stop != timebase.EndOfTime && !i.o.NoStopTime {
		a.Flags, a.Stop = a.Flags|worker.HasStopTime, s.Stop.Seconds()
	}
	if i.o.Tolerance != nil {
		a.Flags, a.Tolerance = a.Flags|worker.HasTolerance, *i.o.Tolerance
	}
	if _, err := i.call(worker.Initialize, a); err != nil {
		return err
	}
	i.phase = initializing
	inputs, err := i.preset(i.starts.inputs)
	if err != nil {
		return err
	}
	if inputs.plan != nil {
		if _, err := i.call(worker.Set, worker.Arguments{In: inputs.plan}); err != nil {
			return err
		}
	}
	return i.negotiate()
}

// configure sets structural parameters.
func (i *Instance) configure() error {
	if len(i.starts.structural) == 0 {
		return nil
	}
	b, err := i.preset(i.starts.structural)
	if err != nil {
		return err
	}
	_, err = i.call(worker.Configure, worker.Arguments{In: b.plan})
	return err
}

// negotiate answers OSMP configuration requests: what is asked for is granted, or what the options say.
func (i *Instance) negotiate() error {
	t := i.fmu.table
	for k := range t.list {
		request := &t.list[k]
		name := strings.Replace(request.name, "ConfigRequest", "Config", 1)
		c, found := t.byName[name]
		if request.role != cosim.Calculated || name == request.name || !found || t.list[c].role != cosim.Parameter ||
			!kindOf(request.kind).IsBlob() || request.kind == worker.String {
			continue
		}
		if err := i.answer(k, c); err != nil {
			return err
		}
	}
	return nil
}

// answer sets configuration c to what request k wants.
func (i *Instance) answer(k, c int) error {
	frame := i.fmu.table.newFrame([]int{k}, i.starts.sizes)
	request, err := i.bind([]int{k}, frame, sequence(1))
	if err != nil {
		return err
	}
	ask := func() ([]byte, error) {
		if _, err := i.call(worker.Get, worker.Arguments{Out: request.plan}); err != nil {
			return nil, err
		}
		err := request.fetch()
		return bytes.Clone(frame.Blobs[0]), err
	}
	wanted, err := ask()
	if err != nil {
		return err
	}
	name := i.fmu.table.list[c].name
	granted, given := i.o.Configuration[name]
	if !given {
		granted = wanted
	}
	if len(granted) == 0 {
		return nil
	}
	config, err := i.preset([]startValue{{variable: c, blobs: [][]byte{granted}}})
	if err != nil {
		return err
	}
	if _, err := i.call(worker.Set, worker.Arguments{In: config.plan}); err != nil {
		return err
	}
	now, err := ask()
	if err == nil && !bytes.Equal(now, granted) {
		i.warn("%s: %s does not hold what %s was set to, as OSMP wants it", i.fmu.Path, i.fmu.table.list[k].name, name)
	}
	return err
}

// Exchange sets inputs and reads outputs in Initialization Mode.
func (i *Instance) Exchange(_ context.Context) error {
	if i.o.InitialState != nil {
		return nil
	}
	if err := i.in.send(); err != nil {
		return err
	}
	if i.in.plan == nil && i.outputs.plan == nil {
		return nil
	}
	if _, err := i.call(worker.Exchange, worker.Arguments{In: i.in.plan, Out: i.outputs.plan}); err != nil {
		return err
	}
	return i.outputs.fetch()
}

// Leave ends Initialization Mode and, with event mode, handles the events of the start.
func (i *Instance) Leave(_ context.Context) error {
	if i.o.InitialState != nil {
		defer func() { i.arguments = worker.Arguments{Flags: i.flags(), In: i.continuous.plan, Out: i.out.plan} }()
		if _, err := i.call(worker.Get, worker.Arguments{Out: i.out.plan}); err != nil {
			return err
		}
		return i.out.fetch()
	}
	r, err := i.call(worker.LeaveInitialization, worker.Arguments{Out: i.out.plan, Flags: i.flags()})
	if err != nil {
		return err
	}
	i.phase = running
	i.noteNext(r)
	i.arguments = worker.Arguments{Flags: i.flags(), In: i.continuous.plan, Out: i.out.plan}
	i.rememberDiscrete()
	if r.Terminate {
		return &Error{Kind: ErrFailed, Place: fault.Place{File: i.fmu.Path}, Found: "the FMU wishes to end before the first step"}
	}
	return i.out.fetch()
}

func (i *Instance) noteNext(r worker.Reply) {
	i.nextEvent = timebase.EndOfTime
	if t, err := timebase.FromSeconds(r.NextTime); r.NextEvent && err == nil {
		i.nextEvent = t
	}
}

// Step sets the inputs, steps and reads the outputs, all in one round trip.
func (i *Instance) Step(ctx context.Context, s timebase.Span) (cosim.Advance, error) {
	if i.o.EventMode && (i.discreteChanged() || s.Start >= i.nextEvent) {
		if a, err := i.Event(ctx, s.Start); err != nil || a.Ended {
			return a, err
		}
	}
	end := s.End
	if i.o.EventMode && i.nextEvent > s.Start && i.nextEvent < end && i.fmu.slave.Capabilities.Has("canHandleVariableCommunicationStepSize") {
		end = i.nextEvent
	}
	if err := i.continuous.send(); err != nil {
		return cosim.Advance{}, err
	}
	a := &i.arguments
	a.Time = i.time
	a.Step = i.setup.Step.Seconds()
	if to := end.Seconds(); end-s.Start != i.setup.Step.Step() || i.fmu.slave.Capabilities.Has("canHandleVariableCommunicationStepSize") {
		a.Step = to - a.Time
	}
	r, err := i.do(worker.Step, i.o.Timeout)
	if err != nil {
		return cosim.Advance{}, err
	}
	if r.Status == int(fmi.Discard) {
		return i.discarded(s, r)
	}
	advance := cosim.Advance{Reached: end, Ended: i.fmu.Model.Major() == 3 && r.Terminate}
	if i.fmu.Model.Major() == 3 {
		if advance.Reached, err = i.reached(timebase.Span{Start: s.Start, End: end}, r); err != nil {
			return advance, err
		}
		advance.Event = i.o.EventMode && (r.EventNeeded || advance.Reached == i.nextEvent) && !advance.Ended
	}
	i.time = advance.Reached.Seconds()
	if r.LastTime != i.time && advance.Reached < end {
		i.time = r.LastTime
	}
	return advance, i.out.fetch()
}

// reached is where a step of FMI 3.0 has come.
func (i *Instance) reached(s timebase.Span, r worker.Reply) (timebase.Time, error) {
	if r.Early && !i.o.EarlyReturn && !r.Terminate {
		i.phase = failed
		return 0, &Error{Kind: ErrFailed, Place: fault.Place{File: i.fmu.Path}, Found: "fmi3DoStep returned early, at " +
			fmt.Sprint(r.LastTime) + " s", Expected: "the whole step, as earlyReturnAllowed is false", Hint: "run with --early-return-allowed"}
	}
	if !r.Early && !r.Terminate {
		return s.End, nil // the step is done; there are FMUs that say nothing of use in lastSuccessfulTime then
	}
	last, err := timebase.FromSeconds(r.LastTime)
	if err != nil || math.IsNaN(r.LastTime) || last < s.Start {
		i.phase = failed
		return 0, &Error{Kind: ErrFailed, Place: fault.Place{File: i.fmu.Path}, Found: fmt.Sprintf("lastSuccessfulTime is %v", r.LastTime),
			Expected: fmt.Sprintf("from %v to %v", s.Start.Seconds(), s.End.Seconds())}
	}
	if s.End-last <= 1 {
		return s.End, nil
	}
	return last, nil
}

// discarded is a step that the FMU has refused.
func (i *Instance) discarded(s timebase.Span, r worker.Reply) (cosim.Advance, error) {
	a := cosim.Advance{Reached: s.Start, Discarded: true, Sound: i.fmu.Model.Major() == 3}
	if i.fmu.Model.Major() == 3 || r.Answered&1 == 0 || !r.Terminate {
		if !a.Sound && !i.setup.KeepState {
			i.phase = running // step failed: Terminate is legal
		}
		return a, nil
	}
	a.Discarded, a.Ended = false, true
	if t, err := timebase.FromSeconds(r.LastTime); r.Answered&2 != 0 && err == nil && t >= s.Start && t <= s.End {
		a.Reached = t
	}
	step := i.arguments
	_, err := i.call(worker.Get, worker.Arguments{Out: i.out.plan})
	i.arguments = step
	if err != nil {
		return a, err
	}
	return a, i.out.fetch()
}

// Event handles an event in Event Mode (FMI 3.0).
func (i *Instance) Event(_ context.Context, _ timebase.Time) (cosim.Advance, error) {
	a := cosim.Advance{Reached: i.setup.Start}
	if t, err := timebase.FromSeconds(i.time); err == nil {
		a.Reached = t
	}
	if err := i.in.send(); err != nil {
		return a, err
	}
	step := i.arguments
	r, err := i.call(worker.Event, worker.Arguments{In: i.in.plan, Out: i.out.plan})
	i.arguments = step
	if err != nil {
		return a, err
	}
	i.noteNext(r)
	i.rememberDiscrete()
	a.Ended = r.Terminate
	return a, i.out.fetch()
}

// discreteChanged says whether an input jumps that can be set in Event Mode only.
func (i *Instance) discreteChanged() bool {
	if i.discrete == nil || i.discrete.plan == nil {
		return false
	}
	if len(i.discrete.blobs) > 0 {
		return true // messages are new in each step
	}
	k := 0
	for _, s := range i.discrete.cells {
		for _, v := range i.frameIn.Cells[s.frame : s.frame+s.n] {
			if i.lastDiscrete[k] != v {
				return true
			}
			k++
		}
	}
	return false
}

func (i *Instance) rememberDiscrete() {
	if i.discrete == nil {
		return
	}
	i.lastDiscrete = i.lastDiscrete[:0]
	for _, s := range i.discrete.cells {
		i.lastDiscrete = append(i.lastDiscrete, i.frameIn.Cells[s.frame:s.frame+s.n]...)
	}
}

// Stop terminates the FMU, if that is still legal.
func (i *Instance) Stop(ctx context.Context) error {
	if i.phase != running {
		return nil
	}
	i.phase = instantiated
	_, err := i.end(ctx, worker.Terminate)
	return err
}
