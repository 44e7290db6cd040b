package importer

import (
	"context"
	"fmt"
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

// do executes a command and turns every failing status into an error. A Discard is left to the
// caller where it is legal.
func (i *Instance) do(o worker.Operation, limit time.Duration) (worker.Reply, error) {
	if _, _, err := i.begunStep(); err != nil {
		return worker.Reply{}, err // of a step not yet asked for
	}
	i.land()
	i.arguments.Slot, i.arguments.Major = i.slot, int(i.fmu.Model.Major())
	i.lastText.Store(nil)
	r, err := i.process.Do(o, &i.arguments, limit)
	return i.judge(o, r, err)
}

// judge evaluates the reply to a command.
func (i *Instance) judge(o worker.Operation, r worker.Reply, err error) (worker.Reply, error) {
	if err != nil {
		i.phase = lost
		return r, i.ended(err)
	}
	i.troubled = i.troubled || r.Status > int(fmi.Warning)
	if r.Spoiled != "" && !i.spoiled {
		i.spoiled = true
		i.warn(
			"%s: %s has changed the floating-point settings (rounding, exceptions or denormal "+
				"numbers), which are restored after each call",
			i.fmu.Path, r.Spoiled)
	}
	if r.Status <= int(fmi.Warning) || r.Status == int(fmi.Discard) && o == worker.Step && isStep(
		r.Function) {
		return r, nil
	}
	return r, i.refused(r)
}

// call is like do, for a command with arguments.
func (i *Instance) call(o worker.Operation, a worker.Arguments) (worker.Reply, error) {
	i.arguments = a
	return i.do(o, i.o.Timeout)
}

// end makes a call at the end of the life cycle, which always has a time limit.
func (i *Instance) end(_ context.Context, o worker.Operation) (worker.Reply, error) {
	i.arguments = worker.Arguments{}
	limit := i.o.Timeout
	if limit == 0 {
		limit = endTime
	}
	return i.do(o, limit)
}

var version3 = regexp.MustCompile(`^3\.[0-9]+(\.[0-9]+)?(-.+)?$`)

// load loads the library and checks its version.
func (i *Instance) load() error {
	f := i.fmu
	r, err := i.loadLibrary()
	if err != nil {
		return err
	}
	good := r.Reason == fmt.Sprintf("%d.0", f.Model.Major())
	if f.Model.Major() == 3 {
		good = version3.MatchString(r.Reason)
	}
	if !good {
		i.warn("%s: its library reports FMI %q, its model description FMI %s", f.Path, r.Reason,
			f.Model.FMIVersion)
	}
	return nil
}

// loadLibrary loads the library, unless the process has already loaded it.
func (i *Instance) loadLibrary() (worker.Reply, error) {
	if i.loaded != nil {
		return i.judge(worker.Load, *i.loaded, nil)
	}
	return i.call(worker.Load, i.fmu.loading(i.fmu.Library(i.folder), i.o.Preload))
}

func (i *Instance) instantiate() error {
	flags := i.flags()
	for flag, on := range map[uint32]bool{worker.Visible: i.o.Visible,
		worker.LoggingOn: i.o.LoggingOn} {
		if on {
			flags |= flag
		}
	}
	_, err := i.call(worker.Instantiate, worker.Arguments{Flags: flags,
		In: i.between.in.planOf(), Out: i.between.out.planOf(),
		Texts: []string{i.name, i.fmu.Model.InstantiationToken, i.fmu.Resources(i.folder)}})
	if err != nil {
		return err
	}
	i.phase = instantiated
	if i.o.LoggingOn && len(i.o.Categories) > 0 {
		_, err = i.call(worker.SetLogging, worker.Arguments{Flags: worker.LoggingOn,
			Count: len(i.o.Categories),
			Texts: []string{strings.Join(i.o.Categories, "\x00") + "\x00"}})
	}
	return err
}

// flags returns the flags for steps and instantiation.
func (i *Instance) flags() uint32 {
	flags := uint32(0)
	for flag, on := range map[uint32]bool{worker.EventMode: i.o.EventMode,
		worker.EarlyReturn: i.o.EarlyReturn, worker.KeepState: i.setup.KeepState,
		worker.Asynchronous: i.fmu.slave.Capabilities.Has(
			"canRunAsynchronuously")} {
		if on {
			flags |= flag
		}
	}
	return flags
}

// create loads and instantiates the FMU; it is not called again after a reset.
func (i *Instance) create() error {
	for _, w := range slices.Concat(i.fmu.Warnings, i.starts.warnings) {
		i.warn("%s: %s", i.fmu.Path, w)
	}
	if i.fmu.Model.Major() == 1 && i.o.Tolerance != nil {
		i.warn("%s: FMI 1.0 slaves receive no tolerance", i.fmu.Path)
	}
	if i.o.Derivatives && !i.Traits().Slopes {
		i.warn("%s: does not interpolate its inputs (canInterpolateInputs of FMI 1.0 and 2.0, "+
			"intermediateUpdate of inputs of FMI 3.0), so no derivatives are set", i.fmu.Path)
	}
	if i.clockwork != nil {
		if names := i.clockwork.unconnected(); len(names) > 0 {
			i.warn("%s: unconnected triggered clocks never tick: %s", i.fmu.Path,
				strings.Join(names, ", "))
		}
	}
	if err := i.bindBetween(); err != nil {
		return err
	}
	if i.frameIn.Slopes != nil && i.fmu.Model.Major() < 3 {
		sloped, err := i.bindSlopes(i.inputs, i.frameIn)
		if err != nil {
			return err
		}
		i.continuous = sloped
	}
	if err := i.load(); err != nil {
		return err
	}
	return i.instantiate()
}

// Reset returns the FMU to its state after instantiation.
func (i *Instance) Reset(_ context.Context) error {
	_, err := i.call(worker.Reset, worker.Arguments{})
	if err == nil {
		i.phase = instantiated
	}
	return err
}

// Enter loads the FMU, instantiates it, sets start values and enters Initialization Mode.
func (i *Instance) Enter(_ context.Context, s cosim.Setup) error {
	i.setup = s
	if i.setup.Scale.IsZero() { // an engine that does not provide exact times
		i.setup.Scale = timebase.NewScale(s.Start.Exactly(), s.Step)
	}
	i.time, i.stepEnd, i.published = i.setup.Scale.Seconds(s.Start), s.Start, s.Start
	i.requested, i.eventNeeded = false, false
	if i.phase == unloaded {
		if err := i.create(); err != nil {
			return err
		}
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
	a := worker.Arguments{In: before.plan, Time: i.time}
	if s.Stop != timebase.EndOfTime && !i.o.NoStopTime {
		a.Flags, a.Stop = a.Flags|worker.HasStopTime, i.setup.Scale.Seconds(s.Stop)
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

// Exchange sets inputs and reads outputs in Initialization Mode.
func (i *Instance) Exchange(_ context.Context) error {
	if i.o.InitialState != nil {
		return nil
	}
	if err := i.initial.send(); err != nil {
		return err
	}
	if i.initial.plan == nil && i.outputs.plan == nil {
		return nil
	}
	if _, err := i.call(worker.Exchange, worker.Arguments{In: i.initial.plan,
		Out: i.outputs.plan}); err != nil {
		return err
	}
	return i.outputs.fetch()
}

// Leave ends Initialization Mode and, with Event Mode, handles the events of the start.
func (i *Instance) Leave(_ context.Context) error {
	if i.o.InitialState != nil {
		defer func() {
			i.arguments = worker.Arguments{Flags: i.flags(), In: i.continuous.plan, Out: i.out.plan}
		}()
		if _, err := i.call(worker.Get, worker.Arguments{Out: i.out.plan}); err != nil {
			return err
		}
		return i.out.fetch()
	}
	r, err := i.leave()
	if err != nil {
		return err
	}
	i.phase = running
	i.arguments = worker.Arguments{Flags: i.flags(), In: i.continuous.plan, Out: i.out.plan}
	i.rememberDiscrete()
	if r.Terminate {
		return fault.New(ErrFailed, fault.In(i.fmu.Path),
			"the FMU requested the end of the simulation before the first step", "")
	}
	return i.out.fetch()
}

// leave calls ExitInitializationMode and does everything else that precedes the first step.
func (i *Instance) leave() (worker.Reply, error) {
	if i.clockwork != nil {
		return i.clockwork.start()
	}
	r, err := i.call(worker.LeaveInitialization, worker.Arguments{Out: i.out.plan,
		Flags: i.flags()})
	if err == nil {
		i.noteNext(r)
	}
	return r, err
}

// Stop terminates the FMU if this is still legal.
func (i *Instance) Stop(ctx context.Context) error {
	i.land()
	if i.phase != running {
		return nil
	}
	i.phase = instantiated
	_, err := i.end(ctx, worker.Terminate)
	return err
}
