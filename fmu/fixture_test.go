package fmu_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/internal/state"
	"gosmp/timebase"
)

const guid = "3f1c2a9e-5b7d-4e60-9a41-0c8d7e6f5a4b"

// References of the test FMU's variables, one for every case that the rules of Set distinguish.
const (
	realGain     fmi.ValueReference = iota // parameter, fixed, 0 to 10
	realTrim                               // parameter, tunable
	realForce                              // input, -100 to 100
	realSpeed                              // output, calculated
	realReach                              // calculated parameter, fixed: 10 x gain
	realGravity                            // output, constant
	realEstimate                           // calculated parameter, approx
)

const (
	integerOffset fmi.ValueReference = iota // parameter, fixed, -5 to 5
	integerGear                             // input
	integerCount                            // output, exact
)

const (
	booleanEnabled fmi.ValueReference = iota // parameter, fixed
	booleanBrake                             // input
	booleanValid                             // output, exact
)

const (
	stringLabel fmi.ValueReference = iota // parameter, fixed
	stringNote                            // input
	stringText                            // output, calculated
)

func limit(x float64) *float64 { return &x }

// testDefinition describes a small cart; newModel creates its model.
func testDefinition(newModel func(fmu.Host) fmu.Model) *fmu.Definition {
	d := &fmu.Definition{
		ModelName: "Cart", ModelIdentifier: "Cart", GUID: guid, New: newModel,
		Units:         []fmi.Unit{{Name: "m/s", M: 1, S: -1}},
		LogCategories: []fmi.LogCategory{{Name: "logCart", Description: "what the cart does"}},
		Experiment:    fmu.Experiment{Stop: 10, Tolerance: 1e-6, Step: 0.02},
	}
	for _, v := range []fmu.Variable{
		{Name: "gain", Type: fmi.Real, Causality: fmi.Parameter, Variability: fmi.Fixed,
			Initial: fmi.Exact, Start: 2.0, Min: limit(0), Max: limit(10)},
		{Name: "trim", Type: fmi.Real, Causality: fmi.Parameter, Variability: fmi.Tunable,
			Initial: fmi.Exact, Start: 0.5},
		{Name: "force", Type: fmi.Real, Causality: fmi.Input, Variability: fmi.Continuous,
			Start: 0.0,
			Min:   limit(-100), Max: limit(100)},
		{Name: "speed", Type: fmi.Real, Causality: fmi.Output, Variability: fmi.Continuous,
			Initial: fmi.Calculated, Unit: "m/s", DependsOn: []string{"gain"}},
		{Name: "reach", Type: fmi.Real, Causality: fmi.CalculatedParameter, Variability: fmi.Fixed,
			Initial:   fmi.Calculated,
			DependsOn: []string{"gain"}},
		{Name: "gravity", Type: fmi.Real, Causality: fmi.Output, Variability: fmi.Constant,
			Initial: fmi.Exact, Start: 9.81},
		{Name: "estimate", Type: fmi.Real, Causality: fmi.CalculatedParameter,
			Variability: fmi.Tunable, Initial: fmi.Approx, Start: 1.0},
		{Name: "offset", Type: fmi.Integer, Causality: fmi.Parameter, Variability: fmi.Fixed,
			Initial: fmi.Exact, Start: int32(1),
			Min: limit(-5), Max: limit(5)},
		{Name: "gear", Type: fmi.Integer, Causality: fmi.Input, Variability: fmi.Discrete,
			Start: int32(0)},
		{Name: "count", Type: fmi.Integer, Causality: fmi.Output, Variability: fmi.Discrete,
			Initial: fmi.Exact, Start: int32(0)},
		{Name: "enabled", Type: fmi.Boolean, Causality: fmi.Parameter, Variability: fmi.Fixed,
			Initial: fmi.Exact, Start: true},
		{Name: "brake", Type: fmi.Boolean, Causality: fmi.Input, Variability: fmi.Discrete,
			Start: false},
		{Name: "valid", Type: fmi.Boolean, Causality: fmi.Output, Variability: fmi.Discrete,
			Initial: fmi.Exact, Start: false},
		{Name: "label", Type: fmi.String, Causality: fmi.Parameter, Variability: fmi.Fixed,
			Initial: fmi.Exact, Start: "cart"},
		{Name: "note", Type: fmi.String, Causality: fmi.Input, Variability: fmi.Discrete,
			Start: ""},
		{Name: "text", Type: fmi.String, Causality: fmi.Output, Variability: fmi.Discrete,
			Initial: fmi.Calculated},
	} {
		d.Variables.Add(v)
	}
	return d
}

// cart is a model with internal state, including a random number generator, so that tests detect
// incomplete snapshots.
type cart struct {
	*fmu.Values
	speed  float64
	random uint64
}

func newCart(h fmu.Host) fmu.Model {
	c := &cart{Values: h.Values}
	c.Reset()
	return c
}

func (c *cart) Initialize(timebase.Time) error {
	c.Reset()
	c.Reals[realReach] = 10 * c.Reals[realGain]
	c.Reals[realSpeed] = 0
	return nil
}

func (c *cart) Step(span timebase.Span) error {
	c.random ^= c.random << 13
	c.random ^= c.random >> 7
	c.random ^= c.random << 17
	noise := float64(c.random>>11) / (1 << 53)
	c.speed += span.Length().Seconds() * (c.Reals[realForce]*c.Reals[realGain] + c.Reals[realTrim] +
		noise)
	if c.Booleans[booleanBrake] {
		c.speed /= 2
	}
	c.Reals[realSpeed] = c.speed
	c.Integers[integerCount] += 1 + c.Integers[integerGear]
	c.Booleans[booleanValid] = !c.Booleans[booleanValid]
	c.Strings[stringText] = fmt.Sprint(c.Strings[stringNote], c.random)
	return nil
}

func (c *cart) Reset() { c.speed, c.random = 0, 0x9E3779B97F4A7C15 }
func (c *cart) Close() {}

func (c *cart) AppendState(b []byte) ([]byte, error) {
	return state.AppendUint64(state.AppendUint64(b, math.Float64bits(c.speed)), c.random), nil
}

func (c *cart) RestoreState(b []byte) error {
	d := state.Decoder{Data: b}
	c.speed, c.random = math.Float64frombits(d.Uint64()), d.Uint64()
	if len(d.Data) != 0 {
		return errors.New("bytes left over")
	}
	return d.Err()
}

// bench is an instance under test with its scripted model and its log.
type bench struct {
	*fmu.Instance
	model *mock.Model
	log   *mock.Log
}

// scripted instantiates the cart's variables with a scripted model.
func scripted(t require.TestingT) *bench {
	b := &bench{log: &mock.Log{}}
	d := testDefinition(func(h fmu.Host) fmu.Model {
		b.model = &mock.Model{Host: h}
		return b.model
	})
	b.Instance = instantiate(t, d, b.log)
	return b
}

func instantiate(t require.TestingT, d *fmu.Definition, log *mock.Log) *fmu.Instance {
	i, err := fmu.Instantiate(d, fmu.Config{InstanceName: "cart", GUID: guid, LoggingOn: true,
		Deliver: log.Deliver,
		Memory:  mock.NewMemory()})
	require.NoError(t, err)
	return i
}

// newStepping returns a real cart in step complete, ready to step from 0 s.
func newStepping(t require.TestingT) *fmu.Instance {
	i := instantiate(t, testDefinition(newCart), &mock.Log{})
	begin(t, i, fmu.ExperimentSetup{})
	return i
}

// begin takes a new instance to step complete.
func begin(t require.TestingT, i *fmu.Instance, e fmu.ExperimentSetup) {
	require.Equal(t, fmi.OK, i.SetupExperiment(e))
	require.Equal(t, fmi.OK, i.EnterInitializationMode())
	require.Equal(t, fmi.OK, i.ExitInitializationMode())
}

var errTest = errors.New("the wheel has come off")

// reach creates an instance in the given state by the shortest legal sequence of calls, with an
// empty log.
func reach(t require.TestingT, state fmi.State) *bench {
	b := scripted(t)
	if state != fmi.Instantiated {
		require.Equal(t, fmi.OK, b.SetupExperiment(fmu.ExperimentSetup{}))
		require.Equal(t, fmi.OK, b.EnterInitializationMode())
	}
	if state > fmi.InitializationMode {
		require.Equal(t, fmi.OK, b.ExitInitializationMode())
	}
	switch state {
	case fmi.StepFailed:
		b.stepAnswers(t, fmu.ErrDiscard, fmi.Discard)
	case fmi.Terminated:
		require.Equal(t, fmi.OK, b.Terminate())
	case fmi.Erroneous:
		b.stepAnswers(t, errTest, fmi.Error)
	case fmi.Dead:
		require.Equal(t, fmi.Fatal, b.Panicked(fmu.DoStep, "boom"))
	}
	require.Equal(t, state, b.State())
	b.log.Drain()
	return b
}

// stepAnswers makes one step from 0 s in which the model returns err.
func (b *bench) stepAnswers(t require.TestingT, err error, want fmi.Status) {
	b.model.OnStep = func(timebase.Span) error { return err }
	require.Equal(t, want, b.DoStep(0, 0.02))
	b.model.OnStep = nil
}

// allStates are the states in which an instance can be.
var allStates = []fmi.State{fmi.Instantiated, fmi.InitializationMode, fmi.StepComplete,
	fmi.StepFailed, fmi.Terminated,
	fmi.Erroneous, fmi.Dead}

// oneLine requires that exactly one line has been logged since the last check, with this status,
// its category and these texts.
func oneLine(t require.TestingT, log *mock.Log, status fmi.Status, texts ...string) {
	lines := log.Drain()
	require.Len(t, lines, 1)
	category := map[fmi.Status]string{fmi.Warning: "logStatusWarning",
		fmi.Discard: "logStatusDiscard", fmi.Error: "logStatusError",
		fmi.Fatal: "logStatusFatal"}[status]
	require.Equal(t, status, lines[0].Status)
	require.Equal(t, category, lines[0].Category)
	for _, text := range texts {
		require.Contains(t, lines[0].Text, text)
	}
}

// picture returns everything that the host can read from an instance, as bytes.
func picture(t require.TestingT, i *fmu.Instance) []byte {
	reals, integers, booleans, strings := make([]float64, 7), make([]int32, 3), make([]bool, 3),
		make([]string, 3)
	require.Equal(t, fmi.OK, i.GetReal([]fmi.ValueReference{0, 1, 2, 3, 4, 5, 6}, reals))
	require.Equal(t, fmi.OK, i.GetInteger([]fmi.ValueReference{0, 1, 2}, integers))
	require.Equal(t, fmi.OK, i.GetBoolean([]fmi.ValueReference{0, 1, 2}, booleans))
	require.Equal(t, fmi.OK, i.GetString([]fmi.ValueReference{0, 1, 2}, strings))
	b := []byte(i.State().String())
	for _, x := range reals {
		b = state.AppendUint64(b, math.Float64bits(x))
	}
	for k := range integers {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(integers[k])),
			state.Flag(booleans[k]))
		b = state.AppendString(b, strings[k])
	}
	return b
}

func refs(list ...fmi.ValueReference) []fmi.ValueReference { return list }
