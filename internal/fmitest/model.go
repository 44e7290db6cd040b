package fmitest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"gosmp/export"
	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
	"gosmp/osmp"
	"gosmp/timebase"
)

// GUID is the guid of the test FMU.
const GUID = "0f5a1c2d-7b3e-4d69-8a10-6c9b2e4f7d81"

// LogModel is the test model's own log category.
const LogModel = "logModel"

// References of the variables, by base type.
const (
	RealGain    fmi.ValueReference = iota // parameter, fixed, 0 to 10
	RealTrim                              // parameter, tunable
	RealForce                             // input
	RealSpeed                             // output, calculated
	RealGravity                           // output, constant
	RealReach                             // calculated parameter: 10 x gain
)

// DataIn uses 0 to 2 and DataOut 3 to 5 of the Integers.
const (
	IntegerOffset   fmi.ValueReference = iota + 6 // parameter, fixed, -5 to 5
	IntegerGear                                   // input
	IntegerCount                                  // output: steps so far
	IntegerChecksum                               // output: FNV-1a of the bytes of DataIn
	IntegerSize                                   // parameter, tunable: length of the next message
)

// References of the Booleans.
const (
	BooleanEnabled fmi.ValueReference = iota // parameter, fixed
	BooleanBrake                             // input
	BooleanValid                             // output
)

// References of the Strings.
const (
	StringBehaviour fmi.ValueReference = iota // parameter, tunable: see below
	StringNote                                // input
	StringText                                // output: the note, and the number of the step
)

// DataIn and DataOut are the binary variables.
var (
	DataIn  = osmp.Place{BaseLo: 0, BaseHi: 1, Size: 2}
	DataOut = osmp.Place{BaseLo: 3, BaseHi: 4, Size: 5}
)

// References of DataIn and DataOut: base.lo, base.hi and size.
var (
	DataInReferences  = []fmi.ValueReference{0, 1, 2}
	DataOutReferences = []fmi.ValueReference{3, 4, 5}
)

// The values of the behavior parameter: each names a call of the model and its effect. Any other
// value has no effect.
const (
	InitializeWarns    = "initialize warns"
	InitializeDiscards = "initialize discards"
	InitializeFails    = "initialize fails"
	InitializePanics   = "initialize panics"
	StepWarns          = "step warns"
	StepDiscards       = "step discards"
	StepFails          = "step fails"
	StepPanics         = "step panics"
	StepFollowsNil     = "step follows nil"
	StepLogs           = "step logs" // one line in LogModel, with fmi2OK
	ResetPanics        = "reset panics"
	SavePanics         = "save panics"
	RestorePanics      = "restore panics"
	ClosePanics        = "close panics"
)

// Trouble is the text of every error of the model, full of characters that are special to loggers.
const Trouble = "100 % of %s and %n lost at #r3#, ünïcode"

// newPanics is read when a model is created, before any parameter can be set.
var newPanics atomic.Bool

// PanicInNew decides whether creating a model panics.
func PanicInNew(yes bool) { newPanics.Store(yes) }

// open counts the models that have not been closed.
var open atomic.Int64

// OpenModels returns the number of existing models, whose instances have not been freed.
func OpenModels() int { return int(open.Load()) }

// misused counts the calls that a model must not receive: calls during another call or after Close.
var misused atomic.Int64

// MisusedModels returns how often a model was called during another call or after it was closed.
func MisusedModels() int { return int(misused.Load()) }

func init() { export.Register(Definition) }

// Definition returns the definition of the test model.
func Definition() *fmu.Definition {
	d := &fmu.Definition{
		ModelName: "Probe", ModelIdentifier: "Probe", GUID: GUID, New: newModel,
		LogCategories: []fmi.LogCategory{{Name: LogModel, Description: "what the probe does"}},
		Experiment:    fmu.Experiment{Stop: 10, Tolerance: 1e-6, Step: 0.02},
	}
	declare(&d.Variables, osmp.Binary{Prefix: "DataIn", Causality: fmi.Input})
	declare(&d.Variables, osmp.Binary{Prefix: "DataOut", Causality: fmi.Output})
	for _, v := range variables() {
		d.Variables.Add(v)
	}
	return d
}

func declare(t *fmu.Variables, b osmp.Binary) {
	b.MIMEType, b.Variability, b.Description = "application/octet-stream", fmi.Discrete, "bytes"
	if _, err := osmp.Declare(t, b); err != nil {
		t.Fail(err)
	}
}

func variables() []fmu.Variable {
	limit := func(x float64) *float64 { return &x }
	return []fmu.Variable{
		{Name: "gain", Type: fmi.Real, Causality: fmi.Parameter, Variability: fmi.Fixed,
			Initial: fmi.Exact, Start: 2.0, Min: limit(0), Max: limit(10)},
		{Name: "trim", Type: fmi.Real, Causality: fmi.Parameter, Variability: fmi.Tunable,
			Initial: fmi.Exact, Start: 0.5},
		{Name: "force", Type: fmi.Real, Causality: fmi.Input, Variability: fmi.Continuous,
			Start: 0.0},
		{Name: "speed", Type: fmi.Real, Causality: fmi.Output, Variability: fmi.Continuous,
			Initial: fmi.Calculated},
		{Name: "gravity", Type: fmi.Real, Causality: fmi.Output, Variability: fmi.Constant,
			Initial: fmi.Exact, Start: 9.81},
		{Name: "reach", Type: fmi.Real, Causality: fmi.CalculatedParameter, Variability: fmi.Fixed,
			Initial:   fmi.Calculated,
			DependsOn: []string{"gain"}},
		{Name: "offset", Type: fmi.Integer, Causality: fmi.Parameter, Variability: fmi.Fixed,
			Initial: fmi.Exact,
			Start:   int32(1), Min: limit(-5), Max: limit(5)},
		{Name: "gear", Type: fmi.Integer, Causality: fmi.Input, Variability: fmi.Discrete,
			Start: int32(0)},
		{Name: "count", Type: fmi.Integer, Causality: fmi.Output, Variability: fmi.Discrete,
			Initial: fmi.Exact, Start: int32(0)},
		{Name: "checksum", Type: fmi.Integer, Causality: fmi.Output, Variability: fmi.Discrete,
			Initial: fmi.Exact,
			Start:   int32(0)},
		{Name: "size", Type: fmi.Integer, Causality: fmi.Parameter, Variability: fmi.Tunable,
			Initial: fmi.Exact,
			Start:   int32(100)},
		{Name: "enabled", Type: fmi.Boolean, Causality: fmi.Parameter, Variability: fmi.Fixed,
			Initial: fmi.Exact, Start: true},
		{Name: "brake", Type: fmi.Boolean, Causality: fmi.Input, Variability: fmi.Discrete,
			Start: false},
		{Name: "valid", Type: fmi.Boolean, Causality: fmi.Output, Variability: fmi.Discrete,
			Initial: fmi.Exact, Start: false},
		{Name: "behaviour", Type: fmi.String, Causality: fmi.Parameter, Variability: fmi.Tunable,
			Initial: fmi.Exact, Start: ""},
		{Name: "note", Type: fmi.String, Causality: fmi.Input, Variability: fmi.Discrete,
			Start: ""},
		{Name: "text", Type: fmi.String, Causality: fmi.Output, Variability: fmi.Discrete,
			Initial: fmi.Calculated},
	}
}

// model is a probe: it integrates a force, outputs the checksum of its input and sends a message of
// known content.
type model struct {
	fmu.Host
	in    *osmp.Input
	out   *osmp.Output
	texts bool        // the note has been set, so the text is kept up to date
	busy  atomic.Bool // in a call, or closed

	nobody *model // always nil, for dereferencing a nil pointer
}

func newModel(h fmu.Host) fmu.Model {
	if newPanics.Load() {
		panic(Trouble)
	}
	open.Add(1)
	return &model{Host: h, in: osmp.NewInput(h, DataIn), out: osmp.NewOutput(h, DataOut)}
}

// enter begins a call that leave ends.
func (m *model) enter() {
	if !m.busy.CompareAndSwap(false, true) {
		misused.Add(1)
	}
}

func (m *model) leave() { m.busy.Store(false) }

// behave applies the behavior parameter to a call.
func (m *model) behave(call string) error {
	behaviour := m.Values.Strings[StringBehaviour]
	if !strings.HasPrefix(behaviour, call) {
		return nil
	}
	switch strings.TrimPrefix(behaviour, call+" ") {
	case "warns":
		return fmu.AsWarning(errors.New(Trouble))
	case "discards":
		return fmt.Errorf("%w: %s", fmu.ErrDiscard, Trouble)
	case "fails":
		return errors.New(Trouble)
	case "panics":
		panic(Trouble)
	case "follows nil":
		m.nobody.texts = true
	case "logs":
		m.Log(fmi.OK, LogModel, Trouble)
	}
	return nil
}

// Initialize implements fmu.Model.
func (m *model) Initialize(timebase.Time) error {
	m.Values.Reals[RealReach] = 10 * m.Values.Reals[RealGain]
	m.Values.Reals[RealSpeed] = 0
	return m.behave("initialize")
}

// Step implements fmu.Model.
func (m *model) Step(span timebase.Span) error {
	m.enter()
	defer m.leave()
	err := m.behave("step")
	if errors.Is(err, fmu.ErrDiscard) {
		return err
	}
	v := m.Values
	data, _ := m.in.Take()
	v.Integers[IntegerChecksum] = int32(Checksum(data))
	v.Integers[IntegerCount]++
	v.Booleans[BooleanValid] = true
	v.Reals[RealSpeed] += span.Length().Seconds() * (v.Reals[RealForce]*v.Reals[RealGain] +
		v.Reals[RealTrim])
	if m.texts = m.texts || v.Strings[StringNote] != ""; m.texts {
		v.Strings[StringText] = fmt.Sprint(v.Strings[StringNote], " ", v.Integers[IntegerCount])
	}
	message := AppendMessage(m.out.Buffer(), int(v.Integers[IntegerSize]),
		int(v.Integers[IntegerCount]))
	return errors.Join(m.out.Publish(message), err)
}

// Reset implements fmu.Model.
func (m *model) Reset() {
	m.enter()
	defer m.leave()
	_ = m.behave("reset") // it can only panic
	m.in.Reset()
	m.out.Clear()
	m.texts = false
}

// Close implements fmu.Model.
func (m *model) Close() {
	m.enter() // for good
	m.out.Close()
	open.Add(-1)
	_ = m.behave("close") // it can only panic
}

// AppendState implements fmu.Model.
func (m *model) AppendState(b []byte) ([]byte, error) {
	m.enter()
	defer m.leave()
	_ = m.behave("save") // it can only panic
	return append(m.in.AppendState(m.out.AppendState(b)), state.Flag(m.texts)), nil
}

// RestoreState implements fmu.Model.
func (m *model) RestoreState(b []byte) error {
	m.enter()
	defer m.leave()
	_ = m.behave("restore") // it can only panic
	d := state.Decoder{Data: b}
	if err := m.out.RestoreState(&d); err != nil {
		return err
	}
	m.in.RestoreState(&d)
	m.texts = d.Byte() == 1
	return d.Err()
}

// AppendMessage appends the message of n bytes that the probe sends in the given step.
func AppendMessage(b []byte, n, step int) []byte {
	b = slices.Grow(b, n)
	for k := range n {
		b = append(b, byte(k*7+step*13))
	}
	return b
}

// Checksum returns the FNV-1a hash that the probe outputs for its input.
func Checksum(data []byte) uint32 {
	sum := uint32(2166136261)
	for _, b := range data {
		sum = (sum ^ uint32(b)) * 16777619
	}
	return sum
}
