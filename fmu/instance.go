package fmu

import (
	"fmt"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/timebase"
)

// Instance is one co-simulation slave. Its methods are the functions of FMI 2.0 and 3.0, without C
// types. Each returns a status and, unless it is OK, has logged one line for it. An instance must
// not be used by two threads at once.
type Instance struct {
	definition *Definition
	version    fmi.Version // determines how value references are numbered
	name       string
	log        *logger
	model      Model
	values     *Values

	state       fmi.State
	initialized bool // the model has computed its start values from the current parameters
	start, now  timebase.Time
	stop        timebase.Time
	stopDefined bool
	reached     float64 // now, in the seconds of the host
	clockNoted  bool    // whether a log line has reported that the host's clock is coarse
	options     Options3
	early       bool    // the newest step returned early
	stepSize    float64 // of the newest step, in seconds
}

// Config holds the choices of the environment at instantiation.
type Config struct {
	Version      fmi.Version // the version of FMI that the environment uses; zero means FMI 2.0
	InstanceName string
	GUID         string
	Resources    string // path of the resources folder, may be empty
	LoggingOn    bool
	Deliver      func(Message) // delivers a line to the host's logger; may be nil
	Memory       Memory

	// Integers is the memory in which the instance keeps the values of its integer variables, by
	// Index; nil means memory of its own. An environment that shares it may access it between two
	// calls, as stated by DirectIntegers.
	Integers []int32

	Options3 Options3 // FMI 3.0 only

	Introduction string // logged first, with the category logAll; may be empty
}

// Instantiate is fmi2Instantiate. If it fails, there is no instance that could log the reason, so
// the caller must log it.
func Instantiate(d *Definition, c Config) (*Instance, error) {
	i := &Instance{definition: d, version: max(c.Version, fmi.FMI2), name: c.InstanceName,
		options: c.Options3}
	i.log = newLogger(d, i.version, c.Deliver, c.LoggingOn)
	if err := checkConfig(d, c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInstantiate, err)
	}
	i.values = newValues(&d.Variables, c.Integers)
	if c.Introduction != "" {
		i.log.log(fmi.OK, i.log.general(), c.Introduction)
	}
	i.model = d.New(Host{Values: i.values, InstanceName: c.InstanceName, Resources: c.Resources,
		Memory: c.Memory, Log: i.log.log, EventModeUsed: c.Options3.EventModeUsed,
		StepSize:    func() float64 { return i.stepSize },
		Initialized: func() bool { return afterInitialization.has(i.state) }})
	return i, nil
}

func checkConfig(d *Definition, c Config) error {
	if c.InstanceName == "" || c.Version >= fmi.FMI3 && strings.TrimSpace(c.InstanceName) == "" {
		return wrongArgument("instanceName", strconv.Quote(c.InstanceName),
			"a name that is not empty")
	}
	if err := c.Options3.check(d); err != nil {
		return err
	}
	if n := d.Variables.Cells(fmi.Integer); c.Integers != nil && len(c.Integers) != n {
		return wrongArgument("Integers", len(c.Integers),
			fmt.Sprintf("%d, one for each integer variable", n))
	}
	// Some hosts add braces to the guid that they read from the XML, or change its case.
	if found := strings.TrimSuffix(strings.TrimPrefix(c.GUID, "{"), "}"); !strings.EqualFold(found,
		d.GUID) {
		name := "fmuGUID"
		if c.Version >= fmi.FMI3 {
			name = "instantiationToken"
		}
		return wrongArgument(name, fmt.Sprintf("%q", c.GUID), fmt.Sprintf(
			"%q as in the modelDescription.xml that belongs to this binary; unpack the .fmu again",
			d.GUID))
	}
	return nil
}

// Name returns the instance name, which accompanies every log line.
func (i *Instance) Name() string { return i.name }

// State returns the current state of the instance in the state chart.
func (i *Instance) State() fmi.State { return i.state }

// done completes a call: it maps the error to a status, enters the state that the status requires,
// and logs the one line. A warning during initialization concerns the whole run and is logged once,
// so the host receives it even with debug logging off.
func (i *Instance) done(f Function, err error) fmi.Status {
	status := statusOf(err)
	if status == fmi.Discard && !f.mayDiscard() {
		status = fmi.Error
	}
	switch status {
	case fmi.OK:
		return fmi.OK
	case fmi.Error:
		i.state = fmi.Erroneous
		i.values.releaseMemory() // only a reset or the restoration of an earlier state can follow
	case fmi.Fatal:
		i.state = fmi.Dead
	}
	initial := f == ExitInitializationMode || i.state == fmi.InitializationMode
	i.log.write(status, status.Category(), f.Name(i.version)+": "+err.Error(),
		status >= fmi.Error ||
			initial)
	return status
}

// run makes one call: it checks that the call is legal, does the work and completes it. No call is
// allowed after fmi2Fatal.
func (i *Instance) run(f Function, work func() error) fmi.Status {
	err := i.allowed(f)
	if err == nil {
		err = work()
	}
	return i.done(f, err)
}

// allowed returns an error if f must not be called now.
func (i *Instance) allowed(f Function) error {
	if f.states(i.version).has(i.state) && !i.definition.WithoutState { // never in Dead
		return nil
	}
	return i.refusal(f)
}

// refusal is allowed for calls that are not clearly legal.
func (i *Instance) refusal(f Function) error {
	if i.state == fmi.Dead {
		return fmt.Errorf("%w: this instance has returned %s", ErrPanic,
			i.word("Fatal"))
	}
	if err := f.check(i.version, i.state); err != nil || !i.definition.WithoutState {
		return err
	}
	switch f {
	case GetFMUstate, SetFMUstate, SerializedFMUstateSize, SerializeFMUstate, DeSerializeFMUstate:
		return fmt.Errorf(
			"%w: canGetAndSetFMU%s is false: the model cannot save its state; %s starts over",
			ErrUnsupported, i.stateWord(), Reset.Name(i.version))
	}
	return nil
}

// word returns a name of the standard with the prefix of the version.
func (i *Instance) word(name string) string { return fmt.Sprintf("fmi%d%s", int(i.version), name) }

// stateWord returns the word for FMU state, as spelled in the canGetAndSetFMUstate of this version.
func (i *Instance) stateWord() string {
	if i.version >= fmi.FMI3 {
		return "State"
	}
	return "state"
}

// Version returns the version of FMI.
func (i *Instance) Version() fmi.Version { return i.version }

// Panicked completes a call in which a panic was caught: the instance is lost, but the host
// survives.
func (i *Instance) Panicked(f Function, value any) fmi.Status {
	return i.done(f, fmt.Errorf("%w: %v; this instance is lost, others are not", ErrPanic, value))
}

// Rejected completes a call whose arguments could not be converted, such as a null pointer with a
// length above 0.
func (i *Instance) Rejected(f Function, argument string, found any, wanted string) fmi.Status {
	return i.run(f, func() error { return wrongArgument(argument, found, wanted) })
}

// SetDebugLogging is fmi2SetDebugLogging.
func (i *Instance) SetDebugLogging(on bool, categories []string) fmi.Status {
	return i.run(SetDebugLogging, func() error { return i.log.set(on, categories) })
}

// ExperimentSetup holds the arguments of fmi2SetupExperiment, in seconds. The tolerance is for
// numerical integration, which this slave does not do.
type ExperimentSetup struct {
	Start       float64
	StopDefined bool
	Stop        float64
}

// SetupExperiment is fmi2SetupExperiment.
func (i *Instance) SetupExperiment(e ExperimentSetup) fmi.Status {
	return i.run(SetupExperiment, func() error { return i.setUp(e) })
}

func (i *Instance) setUp(e ExperimentSetup) (err error) {
	if i.start, err = timebase.FromSeconds(e.Start); err != nil {
		return wrongArgument("startTime", e.Start, "finite seconds")
	}
	// A host that means "no end" either leaves the stop time undefined or passes a number beyond
	// the range of time.
	i.reach(e.Start)
	i.now, i.stopDefined = i.start, e.StopDefined && !(e.Stop >= timebase.EndOfTime.Seconds())
	if !i.stopDefined {
		return nil
	}
	if i.stop, err = timebase.FromSeconds(e.Stop); err != nil || i.stop < i.start {
		return wrongArgument("stopTime", e.Stop,
			fmt.Sprintf("finite seconds, not before the start at %v", i.start))
	}
	return nil
}

// reach sets the time, in the seconds of the host, also for the independent variable.
func (i *Instance) reach(t float64) {
	i.reached = t
	if v := i.definition.Variables.time; v != nil {
		i.values.Reals[v.Index] = t
	}
}

// EnterInitializationMode is fmi2EnterInitializationMode.
func (i *Instance) EnterInitializationMode() fmi.Status {
	return i.run(EnterInitializationMode, func() error {
		i.state = fmi.InitializationMode
		return nil
	})
}

// initialize makes the model compute its start values, unless they are up to date with the current
// parameters.
func (i *Instance) initialize() error {
	if i.initialized {
		return nil
	}
	err := i.model.Initialize(i.start)
	i.initialized = Usable(err)
	return err
}

// afterInitialization are the states of an instance whose fixed parameters have their values.
var afterInitialization = in(fmi.StepComplete, fmi.EventMode, fmi.IntermediateUpdateMode,
	fmi.ReconfigurationMode, fmi.StepInProgress, fmi.StepFailed, fmi.StepCanceled, fmi.Terminated)

// ExitInitializationMode is fmi2ExitInitializationMode. Parameters are final from here on, so a
// scenario that cannot be opened is reported here at the latest.
func (i *Instance) ExitInitializationMode() fmi.Status {
	return i.run(ExitInitializationMode, func() error {
		err := i.initialize()
		switch {
		case !i.initialized:
		case i.options.EventModeUsed:
			i.state = fmi.EventMode
		default:
			i.state = fmi.StepComplete
		}
		return err
	})
}

// Terminate is fmi2Terminate. Outputs stay readable.
func (i *Instance) Terminate() fmi.Status {
	return i.run(Terminate, func() error {
		i.state = fmi.Terminated
		if e, ok := i.model.(Ender); ok {
			return AsWarning(e.End())
		}
		return nil
	})
}

// Reset is fmi2Reset: everything except the log settings returns to its state after instantiation.
func (i *Instance) Reset() fmi.Status {
	return i.run(Reset, func() error {
		i.model.Reset()
		i.values.reset(&i.definition.Variables)
		i.state, i.initialized = fmi.Instantiated, false
		i.start, i.now, i.stop, i.stopDefined = 0, 0, 0, false
		i.reach(0)
		return nil
	})
}

// Free is fmi2FreeInstance. It is legal in any state, and no call may follow it.
func (i *Instance) Free() { i.model.Close() }
