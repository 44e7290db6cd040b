package fmu_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/golang/mock/gomock"
	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/internal/mock/ordered"
	"gosmp/timebase"
)

func TestInstantiate_Refusals(t *testing.T) {
	for _, c := range []struct {
		name, instance, guid string
		want                 []string
	}{
		{"empty name", "", guid, []string{"instanceName", `""`, "not empty"}},
		{"wrong guid", "cart", "bbd7b2bd251f430797b8f36208d20c4b",
			[]string{"fmuGUID", `"bbd7b2bd251f430797b8f36208d20c4b"`, guid,
				"unpack the .fmu again"}},
		{"empty guid", "cart", "", []string{"fmuGUID", guid}},
		{"part of the guid", "cart", guid[:8], []string{"fmuGUID", guid}},
	} {
		for _, loggingOn := range []bool{true, false} {
			t.Run(c.name, func(t *testing.T) {
				log := &mock.Log{}
				made := false
				d := testDefinition(func(fmu.Host) fmu.Model { made = true; return nil })
				i, err := fmu.Instantiate(d, fmu.Config{
					InstanceName: c.instance, GUID: c.guid, Deliver: log.Deliver,
					LoggingOn: loggingOn})
				require.Nil(t, i)
				require.ErrorIs(t, err, fmu.ErrInstantiate)
				require.ErrorIs(t, err, fmu.ErrArgument)
				require.False(t, made)
				for _, text := range c.want {
					require.ErrorContains(t, err, text)
				}
				require.Empty(t, log.Drain(), "returned or logged, never both")
			})
		}
	}
}

func TestInstantiate_ToleratesBracesAndCaseOfTheGUID(t *testing.T) {
	for _, g := range []string{guid, "{" + guid + "}", strings.ToUpper(guid),
		"{" + strings.ToUpper(guid) + "}"} {
		i, err := fmu.Instantiate(testDefinition(newCart), fmu.Config{InstanceName: "a name",
			GUID: g})
		require.NoError(t, err, g)
		require.Equal(t, "a name", i.Name())
		require.Equal(t, fmi.Instantiated, i.State())
	}
}

func TestInstantiate_HandsTheHostToTheModel(t *testing.T) {
	memory := mock.NewMemory()
	var host fmu.Host
	d := testDefinition(func(h fmu.Host) fmu.Model { host = h; return &mock.Model{} })
	log := &mock.Log{}
	_, err := fmu.Instantiate(d, fmu.Config{
		InstanceName: "cart", GUID: guid, Resources: "a b/ü", Memory: memory, LoggingOn: true,
		Deliver: log.Deliver})
	require.NoError(t, err)
	require.Equal(t, "a b/ü", host.Resources)
	require.Same(t, memory, host.Memory)
	require.Equal(t, []float64{2, 0.5, 0, 0, 0, 9.81, 1}, host.Values.Reals)
	require.Equal(t, []int32{1, 0, 0}, host.Values.Integers)
	require.Equal(t, []bool{true, false, false}, host.Values.Booleans)
	require.Equal(t, []string{"cart", "", ""}, host.Values.Strings)
	host.Log(fmi.OK, "logCart", "rolls")
	require.Equal(t, []fmu.Message{{Status: fmi.OK, Category: "logCart", Text: "rolls"}},
		log.Drain())
}

func TestSetupExperiment_Arguments(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name  string
		setup fmu.ExperimentSetup
		want  []string // nil for a legal one
	}{
		{"from 0", fmu.ExperimentSetup{}, nil},
		{"negative start", fmu.ExperimentSetup{Start: -3.5}, nil},
		{"stop", fmu.ExperimentSetup{Start: 1, StopDefined: true, Stop: 2}, nil},
		{"stop at start", fmu.ExperimentSetup{Start: 1, StopDefined: true, Stop: 1}, nil},
		{"undefined stop is not looked at", fmu.ExperimentSetup{Start: 1, Stop: nan}, nil},
		{"start NaN", fmu.ExperimentSetup{Start: nan},
			[]string{"startTime: wrong argument: found NaN", "finite seconds"}},
		{"start infinite", fmu.ExperimentSetup{Start: -inf},
			[]string{"startTime: wrong argument: found -Inf", "finite seconds"}},
		{"start out of range", fmu.ExperimentSetup{Start: 1e10},
			[]string{"startTime: wrong argument: found 1e+10"}},
		{"stop beyond all times", fmu.ExperimentSetup{Start: 1, StopDefined: true, Stop: 1e10},
			nil},
		{"stop at the end of all times", fmu.ExperimentSetup{Start: 1, StopDefined: true,
			Stop: math.MaxInt64 / 1e9}, nil},
		{"stop never", fmu.ExperimentSetup{Start: 1, StopDefined: true, Stop: math.Inf(1)}, nil},
		{"stop NaN", fmu.ExperimentSetup{StopDefined: true, Stop: nan},
			[]string{"stopTime: wrong argument: found NaN"}},
		{"stop before start", fmu.ExperimentSetup{Start: 2, StopDefined: true, Stop: 1},
			[]string{"stopTime: wrong argument: found 1", "not before the start at 2.000000000s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := reach(t, fmi.Instantiated)
			status := b.SetupExperiment(c.setup)
			if c.want == nil {
				require.Equal(t, fmi.OK, status)
				require.Empty(t, b.log.Drain())
				return
			}
			require.Equal(t, fmi.Error, status)
			oneLine(t, b.log, fmi.Error, append(c.want, "fmi2SetupExperiment")...)
		})
	}
}

func TestStart_ReachesTheModelAndTheStatus(t *testing.T) {
	b := scripted(t)
	var started timebase.Time
	b.model.OnInitialize = func(start timebase.Time) error { started = start; return nil }
	begin(t, b.Instance, fmu.ExperimentSetup{Start: -2.5})
	require.Equal(t, -2500*timebase.Millisecond, started)
	last, status := b.RealStatus(fmu.LastSuccessfulTime)
	require.Equal(t, fmi.OK, status)
	require.Equal(t, -2.5, last)
	require.Equal(t, fmi.OK, b.DoStep(-2.5, 0.5))
	require.Equal(t, timebase.Span{Start: -2500 * timebase.Millisecond, End: -2 * timebase.Second},
		b.model.Last)
}

// inOrder instantiates a model that enforces the order of its calls.
func inOrder(t *testing.T) (*fmu.Instance, *ordered.ModelMockRecorder) {
	model := ordered.NewModel(gomock.NewController(t))
	return instantiate(t, testDefinition(func(fmu.Host) fmu.Model { return model }), &mock.Log{}),
		model.EXPECT()
}

func TestOrder_InitializeIsLazy(t *testing.T) {
	i, expect := inOrder(t)
	x := make([]float64, 1)
	require.Equal(t, fmi.OK, i.SetReal(refs(realGain), []float64{1}))
	require.Equal(t, fmi.OK, i.SetupExperiment(fmu.ExperimentSetup{Start: 1}))
	require.Equal(t, fmi.OK, i.EnterInitializationMode())
	require.Equal(t, fmi.OK, i.SetReal(refs(realGain), []float64{2})) // no call of the model so far

	expect.Initialize(timebase.Second).Times(1) // the first Get computes, the second does not
	require.Equal(t, fmi.OK, i.GetReal(refs(realReach), x))
	require.Equal(t, fmi.OK, i.GetReal(refs(realReach), x))
	// no calculated value depends on an input
	require.Equal(t, fmi.OK, i.SetReal(refs(realForce), []float64{3}))
	require.Equal(t, fmi.OK, i.GetReal(refs(realReach), x))

	require.Equal(t, fmi.OK, i.SetReal(refs(realGain), []float64{3}))
	expect.Initialize(timebase.Second).Times(1) // a parameter has changed
	require.Equal(t, fmi.OK, i.GetInteger(refs(integerCount), make([]int32, 1)))
	require.Equal(t, fmi.OK, i.ExitInitializationMode()) // still up to date
}

func TestOrder_WholeLife(t *testing.T) {
	i, expect := inOrder(t)
	first := timebase.Span{End: 20 * timebase.Millisecond}
	second := timebase.Span{Start: first.End, End: 50 * timebase.Millisecond}
	gomock.InOrder(
		expect.Initialize(timebase.Time(0)),
		expect.Step(first),
		expect.AppendState(gomock.Any()).DoAndReturn(func(b []byte) ([]byte,
			error) {
			return append(b, "inner"...), nil
		}),
		expect.Step(second),
		expect.RestoreState([]byte("inner")),
		expect.Step(second),
		expect.Reset(),
		expect.Initialize(timebase.Time(0)),
		expect.Close(),
	)
	begin(t, i, fmu.ExperimentSetup{})
	require.Equal(t, fmi.OK, i.DoStep(0, 0.02))
	s, status := i.GetFMUstate(nil)
	require.Equal(t, fmi.OK, status)
	require.Equal(t, fmi.OK, i.DoStep(0.02, 0.03))
	require.Equal(t, fmi.OK, i.SetFMUstate(s))
	require.Equal(t, fmi.OK, i.DoStep(0.02, 0.03))
	require.Equal(t, fmi.OK, i.Terminate()) // not passed on to the model
	require.Equal(t, fmi.OK, i.Reset())
	begin(t, i, fmu.ExperimentSetup{})
	// this model does not implement Terminator
	done, status := i.BooleanStatus(fmu.TerminatedStatus)
	require.Equal(t, fmi.OK, status)
	require.False(t, done)
	i.Free()
}

func TestInitialize_ErrorIsAnErrorOfTheCallThatNeedsIt(t *testing.T) {
	for name, call := range map[string]func(b *bench) fmi.Status{
		"fmi2GetReal": func(b *bench) fmi.Status {
			return b.GetReal(refs(realReach), make([]float64, 1))
		},
		"fmi2GetString": func(b *bench) fmi.Status {
			return b.GetString(refs(stringText), make([]string, 1))
		},
		"fmi2ExitInitializationMode": func(b *bench) fmi.Status {
			return b.ExitInitializationMode()
		},
	} {
		// The standard does not allow these functions to return fmi2Discard, whatever a model
		// returns.
		for _, err := range []error{errTest, errors.Join(fmu.ErrDiscard, errTest)} {
			t.Run(name, func(t *testing.T) {
				b := reach(t, fmi.InitializationMode)
				b.model.OnInitialize = func(timebase.Time) error { return err }
				require.Equal(t, fmi.Error, call(b))
				require.Equal(t, fmi.Erroneous, b.State())
				oneLine(t, b.log, fmi.Error, name, errTest.Error())

				b.model.OnInitialize = nil
				require.Equal(t, fmi.OK, b.Reset())
				begin(t, b.Instance, fmu.ExperimentSetup{})
			})
		}
	}
}

func TestInitialize_WarningIsGivenOnceAndValuesAreThere(t *testing.T) {
	b := reach(t, fmi.InitializationMode)
	b.model.OnInitialize = func(timebase.Time) error {
		b.model.Values.Reals[realReach] = 42
		return fmu.AsWarning(errTest)
	}
	x := make([]float64, 1)
	require.Equal(t, fmi.Warning, b.GetReal(refs(realReach), x))
	require.Equal(t, 42.0, x[0], "a warning has done the work")
	oneLine(t, b.log, fmi.Warning, "fmi2GetReal", errTest.Error())
	require.Equal(t, fmi.OK, b.GetReal(refs(realReach), x))
	require.Equal(t, fmi.OK, b.ExitInitializationMode())
	require.Equal(t, 1, b.model.Initializes)

	b = reach(t, fmi.InitializationMode)
	b.model.OnInitialize = func(timebase.Time) error { return fmu.AsWarning(errTest) }
	require.Equal(t, fmi.Warning, b.ExitInitializationMode())
	require.Equal(t, fmi.StepComplete, b.State())
	oneLine(t, b.log, fmi.Warning, "fmi2ExitInitializationMode")
}

func TestInitialize_UnknownReferenceOutweighsAWarning(t *testing.T) {
	b := reach(t, fmi.InitializationMode)
	b.model.OnInitialize = func(timebase.Time) error { return fmu.AsWarning(errTest) }
	require.Equal(t, fmi.Error, b.GetReal(refs(99), make([]float64, 1)))
	oneLine(t, b.log, fmi.Error, "unknown valueReference: 99")
}

func TestReset_FromEveryStateIsAsFresh(t *testing.T) {
	for _, state := range allStates[:len(allStates)-1] {
		t.Run(state.String(), func(t *testing.T) {
			i := instantiate(t, testDefinition(newCart), &mock.Log{})
			disturb(t, i, state)
			require.Equal(t, state, i.State())
			require.Equal(t, fmi.OK, i.Reset())
			require.Equal(t, fmi.Instantiated, i.State())

			fresh := instantiate(t, testDefinition(newCart), &mock.Log{})
			require.Equal(t, saved(t, fresh), saved(t, i), "everything that a state holds")
			for _, x := range []*fmu.Instance{fresh, i} {
				begin(t, x, fmu.ExperimentSetup{})
				require.Equal(t, fmi.OK, x.DoStep(0, 0.1))
			}
			require.Equal(t, picture(t, fresh), picture(t, i))
		})
	}
}

// disturb takes a new cart to the given state and changes everything it can on the way.
func disturb(t *testing.T, i *fmu.Instance, state fmi.State) {
	require.Equal(t, fmi.OK, i.SetReal(refs(realGain, realTrim, realEstimate), []float64{7, 8, 9}))
	require.Equal(t, fmi.OK, i.SetString(refs(stringLabel), []string{"other"}))
	require.Equal(t, fmi.OK, i.SetBoolean(refs(booleanEnabled), []bool{false}))
	require.Equal(t, fmi.OK, i.SetupExperiment(fmu.ExperimentSetup{Start: 3, StopDefined: true,
		Stop: 4}))
	if state == fmi.Instantiated {
		return
	}
	require.Equal(t, fmi.OK, i.EnterInitializationMode())
	require.Equal(t, fmi.OK, i.SetInteger(refs(integerOffset, integerGear), []int32{2, 3}))
	require.Equal(t, fmi.OK, i.GetReal(refs(realReach), make([]float64, 1)))
	if state == fmi.InitializationMode {
		return
	}
	require.Equal(t, fmi.OK, i.ExitInitializationMode())
	require.Equal(t, fmi.OK, i.DoStep(3, 0.25))
	switch state {
	case fmi.StepFailed:
		failed(t, i)
	case fmi.Terminated:
		require.Equal(t, fmi.OK, i.Terminate())
	case fmi.Erroneous:
		require.Equal(t, fmi.Error, i.CancelStep())
	}
}

// failed takes a cart to step failed. A cart never fails a step itself, so the state comes from
// another instance that did.
func failed(t *testing.T, i *fmu.Instance) {
	c := &discarding{}
	other := instantiate(t, testDefinition(func(h fmu.Host) fmu.Model {
		c.cart = newCart(h).(*cart)
		return c
	}), &mock.Log{})
	s, status := i.GetFMUstate(nil)
	require.Equal(t, fmi.OK, status)
	require.Equal(t, fmi.OK, other.SetFMUstate(s))
	require.Equal(t, fmi.Discard, other.DoStep(3.25, 0.25))
	s, status = other.GetFMUstate(s)
	require.Equal(t, fmi.OK, status)
	require.Equal(t, fmi.OK, i.SetFMUstate(s))
}

// discarding is a cart that discards every step.
type discarding struct{ *cart }

func (*discarding) Step(timebase.Span) error { return fmu.ErrDiscard }

func TestReset_KeepsLogSettings(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	require.Equal(t, fmi.OK, b.SetDebugLogging(false, nil))
	require.Equal(t, fmi.OK, b.Reset())
	require.Equal(t, fmi.Error, b.CancelStep())
	require.Empty(t, b.log.Drain())
}

func TestPanicked_LeavesNothingButFatal(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	require.Equal(t, fmi.Fatal, b.Panicked(fmu.DoStep, errTest))
	oneLine(t, b.log, fmi.Fatal, "fmi2DoStep", "internal error", errTest.Error(), "others are not")
	require.Equal(t, fmi.Dead, b.State())
	require.Equal(t, fmi.Fatal, b.Reset())
	require.Equal(t, fmi.Fatal, b.DoStep(0, 1))
	require.Equal(t, fmi.Fatal, b.Rejected(fmu.GetReal, "vr", "null", "references"))
	require.Equal(t, fmi.Dead, b.State())
	require.Zero(t, b.model.Resets+b.model.Steps)

	require.Equal(t, fmi.OK, scripted(t).Reset(), "other instances live on")
}

func TestFree_ClosesOnce(t *testing.T) {
	for _, state := range allStates {
		b := reach(t, state)
		b.Free()
		require.Equal(t, 1, b.model.Closes)
		require.Zero(t, b.model.LateCalls())
	}
}

func TestAsWarning_OfNilIsNil(t *testing.T) {
	require.NoError(t, fmu.AsWarning(nil))
	require.ErrorIs(t, fmu.AsWarning(errTest), errTest)
}

// A warning stays a warning whatever error it wraps, and whatever errors wrap it.
func TestAsWarning_OutweighsWhatItWraps(t *testing.T) {
	for _, err := range []error{
		fmu.AsWarning(errTest), fmu.AsWarning(fmu.ErrDiscard), fmu.AsWarning(fmu.ErrPanic),
		fmt.Errorf("%w: %w", errTest, fmu.AsWarning(fmu.ErrDiscard)), errors.Join(nil,
			fmu.AsWarning(errTest)),
	} {
		b := reach(t, fmi.StepComplete)
		b.stepAnswers(t, err, fmi.Warning)
		require.Equal(t, fmi.StepComplete, b.State())
		b.lastTime(t, 0.02)
	}
	require.False(t, fmu.Usable(fmu.ErrDiscard))
	require.False(t, fmu.Usable(errors.Join(errTest, fmu.ErrDiscard)))
}
