package importer

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/importer/worker"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Options control how an instance is run.
type Options struct {
	Start     []StartValue
	Intervals []ClockInterval // of FMI 3.0 clocks, from the start on
	// run in the pool's shared process instead of a separate one
	Shared      bool
	SetAllStart bool // also send the start values of the model description
	Visible     bool
	LoggingOn   bool
	Categories  []string // categories to log; empty: all
	Tolerance   *float64 // relative; nil: that of the FMU's DefaultExperiment, if any
	NoStopTime  bool     // do not pass the stop time to the FMU
	EventMode   bool     // FMI 3.0: eventModeUsed
	EarlyReturn bool     // FMI 3.0: earlyReturnAllowed
	// Derivatives lets inputs from files change within steps: through their derivatives if the FMU
	// interpolates (FMI 2.0), or at its intermediate updates (FMI 3.0).
	Derivatives bool
	// Intermediate reads outputs at the intermediate updates of an FMU that supports them (FMI
	// 3.0), for observers of the values within steps ([cosim.Finer]).
	Intermediate bool
	// OutputDerivatives reads the derivatives of outputs, if the FMU provides them (FMI 2.0,
	// maxOutputDerivativeOrder).
	OutputDerivatives bool
	// Timeout limits all calls of a step together, and the calls of each other phase (loading,
	// instantiation, initialization, …). 0 means no limit, except for one minute for the end.
	Timeout time.Duration
	// Extrapolate is like Derivatives, for inputs from other FMUs.
	Extrapolate  bool
	Preload      string // a library to load first, with global visibility
	InitialState []byte // as returned by Instance.State; replaces initialization
	// answers to OSMP configuration requests, by the name of the configuration variable; an empty
	// answer leaves the request unanswered
	Configuration map[string][]byte
	Log           func(Message) // called from a separate goroutine; nil: messages are not shown
	// called from Enter and Step, possibly for several instances at the same time
	Warn func(text string)
}

const endTime = time.Minute // for Terminate and FreeInstance if there is no other limit

// phase is a phase in the life cycle of an instance.
type phase uint8

const (
	unloaded phase = iota
	instantiated
	initializing
	running
	failed // error: only FreeInstance is legal
	lost   // fatal, or no process: no call is legal
	done
)

// Instance is an FMU that takes part in a simulation: a [cosim.Participant], a [cosim.Restorer] and
// a [cosim.EventHandler]. It can be reset, reports the dependencies of its outputs, and can
// serialize its state if the FMU supports this.
type Instance struct {
	fmu       *FMU
	name      string
	slot      int
	pool      *Pool
	o         Options
	starts    *starts
	intervals []tuning // chosen by the user for each clock
	process   *worker.Process
	folder    string // the folder of the FMU's files for this instance
	// the reply to the load command if the process came with the library loaded
	loaded *worker.Reply
	plans  map[int]*binding

	// inputs, and connected parameters, which are set only during initialization
	initial *binding
	in, out *binding
	// with Event Mode; outputs holds the outputs that can be read during initialization
	continuous, discrete, outputs *binding
	frameIn, frameOut             *cosim.Frame
	between                       between
	inputs                        []int // numbers of variables

	setup       cosim.Setup
	phase       phase
	position             // of the FMU
	saved       position // of the state stored by Save
	clockwork   *clockwork
	requested   bool // the engine was asked to handle an event before the step
	eventNeeded bool // eventHandlingNeeded of the last step
	troubled    bool // a call had a status worse than Warning
	spoiled     bool // the FMU changed floating-point settings; the user was informed
	arguments   worker.Arguments
	turn        turn
	flight      flight
	begun       bool          // a step whose reply has not yet been read
	stepEnd     timebase.Time // end of the engine's current step
	endTime     float64       // end of the FMU's current step in seconds
	// end of the step in which messages were last stored in new places
	published timebase.Time
	lastText  atomic.Pointer[string] // the last message that reported a problem
	Warnings  atomic.Int64           // how many warnings the FMU has logged
}

// position is the state that the host keeps for an FMU. It must be saved and restored together with
// the FMU's own state.
type position struct {
	time         float64       // reached by the FMU
	nextEvent    timebase.Time // announced by the FMU
	eventTime    float64       // the same in seconds, as specified by the FMU
	lastDiscrete []uint64      // the discrete inputs as last set in the FMU
	lastBlobs    [][]byte      // the same for texts and binaries
	clocks       []ticking
}

// clone copies a position into another one that is no longer needed.
func (p *position) clone(into position) position {
	blobs := into.lastBlobs
	if len(blobs) != len(p.lastBlobs) {
		blobs = make([][]byte, len(p.lastBlobs))
	}
	for k, b := range p.lastBlobs {
		blobs[k] = append(blobs[k][:0], b...)
	}
	return position{p.time, p.nextEvent, p.eventTime, append(into.lastDiscrete[:0],
		p.lastDiscrete...), blobs, append(into.clocks[:0], p.clocks...)}
}

// NewInstance creates an instance. Any error has the kind [ErrValue] or [ErrInvalid]; nothing is
// loaded until [Instance.Bind] is called.
func (f *FMU) NewInstance(name string, p *Pool, o Options) (*Instance, error) {
	s, err := f.table.starts(o.Start, o.SetAllStart)
	if err != nil {
		return nil, f.located(err)
	}
	switch {
	case name == "":
		return nil, fault.New(ErrInvalid, fault.In(f.Path), "an empty instance name", "a name")
	case o.EventMode && !f.HasEventMode():
		return nil, fault.New(ErrInvalid, fault.In(f.Path), "no event mode (hasEventMode is false)",
			"an FMU of FMI 3.0 that has it").WithHint("run without event mode")
	case o.InitialState != nil && !f.canSerialize():
		return nil, fault.New(ErrInvalid, fault.In(f.Path), "no states that can be saved to a file",
			"canSerializeFMUstate")
	}
	if f.table.clocked {
		if o.InitialState != nil {
			return nil, fault.New(ErrInvalid, fault.In(f.Path),
				"a state without its clocks",
				"the state of a run (cosim.Engine.AppendState)")
		}
		o.EventMode = true // FMI 3.0, 2.3.1 requires it with clocks
	}
	intervals, err := f.table.tunings(o.Intervals)
	if err != nil {
		return nil, f.located(err)
	}
	if o.Tolerance == nil {
		o.Tolerance = f.Tolerance()
	}
	i := &Instance{fmu: f, name: name, pool: p, o: o, starts: s, intervals: intervals,
		plans: map[int]*binding{}}
	i.nextEvent = timebase.EndOfTime
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.Shared && p.taken(f) {
		i.o.Shared = false
		s.warnings = append(s.warnings, "it can be instantiated only once in a process "+
			"(canBeInstantiatedOnlyOncePerProcess), so "+name+" runs in its own process")
	}
	if i.o.Shared {
		i.slot = len(p.shared)
		if i.slot == worker.MaxInstances {
			return nil, fault.New(ErrInvalid, fault.In(f.Path),
				fmt.Sprintf("more than %d FMUs in one process", worker.MaxInstances), "fewer").
				WithHint("give each its own process")
		}
		p.shared = append(p.shared, i)
	}
	return i, nil
}

// located adds the path of the FMU to an error.
func (f *FMU) located(err error) error {
	var known *Error
	if errors.As(err, &known) {
		known.Place.File = f.Path
	}
	return err
}

func (f *FMU) capability(fmi2, fmi3 string) bool {
	if f.Model.Major() == 2 {
		return f.slave.Capabilities.Has(fmi2)
	}
	return f.slave.Capabilities.Has(fmi3)
}

func (f *FMU) canSerialize() bool {
	return f.capability("canSerializeFMUstate", "canSerializeFMUState")
}

func (f *FMU) canSave() bool { return f.capability("canGetAndSetFMUstate", "canGetAndSetFMUState") }

// log handles a record logged by the FMU.
func (i *Instance) log(r worker.Record) {
	m := i.fmu.table.message(i.name, r)
	if !m.Call && m.Status != fmi.OK {
		i.lastText.Store(&m.Text)
		if m.Status == fmi.Warning {
			i.Warnings.Add(1)
		}
	}
	if i.o.Log != nil {
		i.o.Log(m)
	}
}

func (i *Instance) warn(format string, a ...any) {
	if i.o.Warn != nil {
		i.o.Warn(fmt.Sprintf(format, a...))
	}
}

// Variables lists the variables of the FMU, with the array sizes that follow from the start values.
func (i *Instance) Variables() []cosim.Variable { return i.fmu.table.describe(i.starts.shapes) }

// Folder returns the folder into which the FMU is unpacked for this instance. It exists from
// [Instance.Bind] until the pool is closed.
func (i *Instance) Folder() string { return i.folder }

// Places returns the forms in which the FMU may print its folder, with the name of the instance.
func (i *Instance) Places() (list []cosim.Place) {
	if i.folder == "" {
		return nil
	}
	texts := []string{i.folder}
	if resolved, err := filepath.EvalSymlinks(i.folder); err == nil {
		texts = append(texts, resolved)
	}
	for _, text := range texts {
		slashes := filepath.ToSlash(text)
		for _, form := range []string{text, slashes, escape(slashes)} {
			list = append(list, cosim.Place{Text: form, Name: "/" + i.name})
		}
	}
	return list
}

// Traits describes the capabilities of the FMU.
func (i *Instance) Traits() cosim.Traits {
	c := i.fmu.slave.Capabilities
	t := cosim.Traits{VariableSteps: c.Has("canHandleVariableCommunicationStepSize"),
		Restores: i.fmu.canSave(), Events: i.o.EventMode, Slopes: (i.o.Derivatives ||
			i.o.Extrapolate) && (c.Has("canInterpolateInputs") ||
			i.fmu.takesIntermediate()), Resets: true,
		Keeps: i.fmu.canSave() && i.fmu.canSerialize()}
	return t
}

// Bind starts the process of the instance and lays out the values to be exchanged.
func (i *Instance) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	if err := i.fmu.table.aliased(inputs); err != nil {
		return nil, nil, i.fmu.located(err)
	}
	if i.process, err = i.pool.start(i); err != nil {
		return nil, nil, err
	}
	t, sizes := i.fmu.table, i.starts.sizes
	i.frameIn, i.frameOut = t.newFrame(inputs, sizes), t.newFrame(outputs, sizes)
	i.inputs = inputs
	i.presetInputs(inputs)
	if i.initial, err = i.part(inputs, i.frameIn,
		func(v *variable) bool { return v.kind != cosim.Clock }); err != nil {
		return nil, nil, err
	}
	isInput := func(v *variable) bool { return v.role == cosim.Input && !v.isClocked() }
	i.in = i.initial
	if slices.ContainsFunc(inputs, func(n int) bool { return !isInput(&t.list[n]) }) {
		if i.in, err = i.part(inputs, i.frameIn, isInput); err != nil {
			return nil, nil, err
		}
	}
	if i.out, err = i.bindOutputs(outputs); err != nil {
		return nil, nil, err
	}
	if i.outputs, err = i.part(outputs, i.frameOut, i.readableEarly); err != nil {
		return nil, nil, err
	}
	i.continuous = i.in
	if i.o.EventMode {
		isContinuous := func(v *variable) bool {
			return isInput(v) && v.model != nil && v.model.Variability == fmi.Continuous
		}
		if i.continuous, err = i.part(inputs, i.frameIn, isContinuous); err != nil {
			return nil, nil, err
		}
		if i.discrete, err = i.part(inputs, i.frameIn,
			func(v *variable) bool { return isInput(v) && !isContinuous(v) }); err != nil {
			return nil, nil, err
		}
	}
	if t.clocked {
		i.clockwork, err = i.newClockwork(inputs, outputs)
	}
	return i.frameIn, i.frameOut, err
}

// readableEarly reports whether a variable may be read in Initialization Mode: in FMI 2.0, outputs
// and calculated parameters.
func (i *Instance) readableEarly(v *variable) bool {
	return v.kind != cosim.Clock && (i.fmu.Model.Major() == 3 || v.role == cosim.Output ||
		v.role == cosim.Calculated)
}

// part binds the variables of a frame for which fits is true.
func (i *Instance) part(numbers []int, frame *cosim.Frame, fits func(*variable) bool) (*binding,
	error) {
	var some, ports []int
	for k, n := range numbers {
		if fits(&i.fmu.table.list[n]) {
			some, ports = append(some, n), append(ports, k)
		}
	}
	return i.bind(some, frame, ports)
}

// presetInputs sets the inputs of the frame to their start values.
func (i *Instance) presetInputs(inputs []int) {
	t, given := i.fmu.table, map[int]startValue{}
	for _, s := range i.starts.inputs {
		given[s.variable] = s
	}
	for k, n := range inputs {
		v, p := &t.list[n], i.frameIn.Ports[k]
		value, set := given[n]
		switch {
		case set:
		case v.model != nil && len(v.model.Start) == i.starts.sizes[n] && v.kind != cosim.Binary:
			for _, text := range v.model.Start {
				cell, blob, err := cosim.ParseValue(p.Kind, text)
				if err == nil {
					value.cells, value.blobs = append(value.cells, cell), append(value.blobs, blob)
				}
			}
		}
		if p.Kind.IsBlob() {
			copy(i.frameIn.Blobs[p.Offset:p.Offset+p.Size], value.blobs)
		} else {
			copy(i.frameIn.Cells[p.Offset:p.Offset+p.Size], value.cells)
		}
	}
}

// Close frees the instance. Its process ends with the pool.
func (i *Instance) Close() error {
	i.land()
	if i.process == nil || i.phase == lost || i.phase == unloaded || i.phase == done {
		return nil
	}
	i.phase = done
	_, err := i.end(context.Background(), worker.Free)
	return err
}

var (
	_ cosim.Participant  = (*Instance)(nil)
	_ cosim.Restorer     = (*Instance)(nil)
	_ cosim.EventHandler = (*Instance)(nil)
	_ cosim.Resetter     = (*Instance)(nil)
	_ cosim.Keeper       = (*Instance)(nil)
	_ cosim.Batcher      = (*Instance)(nil)
	_ cosim.Early        = (*Instance)(nil)
	_ cosim.Courser      = (*Instance)(nil)
	_ cosim.Updater      = (*Instance)(nil)
)
