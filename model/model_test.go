package model_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/timebase"
)

// echo appends its gain, as one byte, to its input, and counts.
type echo struct {
	in            *model.Input
	out           *model.Output
	truth         *model.Constant
	log           *model.Log
	gain, offset  float64
	axes          string
	limit, sum    int32
	scaled        float64
	silent, loud  bool
	fail, discard bool
	steps         byte
	closed        *int
}

var errBroken = errors.New("the model is broken")

func echoes(closed *int) model.Definition {
	return model.Definition{
		Identifier: "Echo", Description: "gives back what it gets", Version: "1",
		New: func(d *model.Declaration) model.Model {
			e := &echo{closed: closed}
			e.in, e.out = d.Input(osmp.SensorViewIn), d.Output(osmp.SensorViewOut)
			e.truth = d.Constant(osmp.GroundTruthInit)
			e.log = d.Log("logEcho", "what the echo hears")
			model.Parameter(d, &e.gain, "gain", 2, "factor", model.Unit("1"), model.Min(0),
				model.Max(100))
			model.Parameter(d, &e.offset, "offset", 0.5, "is added", model.Unit("m"),
				model.Tunable())
			model.Parameter(d, &e.axes, "axes", "FRD", "axes", model.OneOf("FRD", "FLU"))
			model.Parameter(d, &e.fail, "fail", false, "fails in Setup")
			model.PlainInput(d, &e.limit, "limit", 100, "of the sum")
			model.PlainInput(d, &e.discard, "discard", false, "the step")
			model.PlainInput(d, &e.silent, "silent", false, "says nothing")
			model.PlainInput(d, &e.loud, "loud", false, "fails the step")
			model.PlainOutput(d, &e.sum, "sum", "of the steps")
			model.PlainOutput(d, &e.scaled, "scaled", "gain in metres", model.Unit("m"),
				model.Calculated("gain"))
			return e
		},
	}
}

func (e *echo) Setup(env model.Environment) error {
	e.log.Printf("starts at %v with %d bytes of truth", env.Start, len(e.truth.Bytes()))
	e.scaled = e.gain
	if e.fail {
		return fmt.Errorf("in Setup: %w", errBroken)
	}
	return nil
}

func (e *echo) Step(timebase.Span) error {
	e.sum += 1000
	e.scaled = -1
	switch {
	case e.discard:
		return fmt.Errorf("%w: not now", model.ErrDiscard)
	case e.loud:
		return errBroken
	}
	e.steps++
	e.sum, e.scaled = int32(e.steps), e.gain+e.offset
	if got := e.in.Bytes(); got != nil && !e.silent {
		return e.out.Publish(append(append(append(e.out.Buffer(), got...), byte(e.gain), e.steps),
			e.truth.Bytes()...))
	}
	return nil
}

func (e *echo) Close() error {
	*e.closed++
	return nil
}

func (e *echo) Snapshot(b []byte) ([]byte, error) { return append(b, e.steps), nil }

func (e *echo) Restore(b []byte) error {
	if len(b) != 1 {
		return errBroken
	}
	e.steps = b[0]
	return nil
}

func newEcho(t *testing.T) *modeltest.Rig { return modeltest.New(t, echoes(new(int))) }

func TestParametersArriveAndOutputsLeave(t *testing.T) {
	r := newEcho(t)
	r.Set("gain", 7)
	r.Write("OSMPGroundTruthInit", []byte("truth"))
	r.Start()
	require.Equal(t, []string{"starts at 0.000000000s with 5 bytes of truth"}, r.Log())
	require.Equal(t, 7.0, r.Get("scaled"))
	require.Equal(t, int32(0), r.Get("sum"))
	require.Nil(t, r.Read("OSMPSensorViewOut"))

	r.Write("OSMPSensorViewIn", []byte("hello"))
	r.Set("offset", 3)
	r.Step(0.1)
	require.Equal(t, "hello\x07\x01truth", string(r.Read("OSMPSensorViewOut")))
	require.Equal(t, 10.0, r.Get("scaled"), "the step uses the changed tunable parameter")
	require.Equal(t, int32(1), r.Get("sum"))

	r.Step(0.1)
	require.Nil(t, r.Read("OSMPSensorViewOut"), "a step without a message publishes size 0")
	require.Len(t, r.Log(), 1, "an address that is not renewed is reported")
	r.Step(0.1)
	require.Empty(t, r.Log(), "once")
}

func TestParameter_RefusesWrongValues(t *testing.T) {
	for name, value := range map[string]any{"gain": 101.0, "axes": "FRU"} {
		r := newEcho(t)
		require.Equal(t, fmi.Error, r.TrySet(name, value), name)
		require.Len(t, r.Log(), 1)
	}
}

func TestSetupMayFailAndTheInstanceStartsOver(t *testing.T) {
	closed := 0
	r := modeltest.New(t, echoes(&closed))
	r.Set("fail", true)
	require.Equal(t, fmi.Error, r.TryStart(0))
	require.Contains(t, r.Log()[1], "in Setup: the model is broken")
	r.Save() // permitted, and the model is not called
	before := closed
	r.Reset()
	require.Equal(t, before+1, closed, "a model that is replaced is closed")
	r.Start()
	r.Step(1)
	require.Equal(t, int32(1), r.Get("sum"))
}

func TestSetupRunsAgainWhenAParameterChanges(t *testing.T) {
	r := newEcho(t)
	require.Equal(t, fmi.OK, r.Instance().SetupExperiment(fmu.ExperimentSetup{}))
	require.Equal(t, fmi.OK, r.Instance().EnterInitializationMode())
	require.Equal(t, 2.0, r.Get("scaled"))
	r.Set("gain", 5)
	state := r.Save()
	require.Equal(t, 5.0, r.Get("scaled"))
	require.Len(t, r.Log(), 1, "a line that Setup logs is logged once")
	require.Equal(t, fmi.OK, r.Instance().ExitInitializationMode())
	r.Step(1)
	r.Restore(state, 0)
	require.Equal(t, 5.0, r.Get("scaled"))
}

func TestFailedAndDiscardedStepsChangeNothing(t *testing.T) {
	for _, bad := range []string{"discard", "loud"} {
		r := newEcho(t)
		r.Start()
		r.Write("OSMPSensorViewIn", []byte("x"))
		r.Step(1)
		before := string(r.Read("OSMPSensorViewOut"))
		r.Set(bad, true)
		status := r.TryStep(1)
		require.Equal(t, map[string]fmi.Status{"discard": fmi.Discard, "loud": fmi.Error}[bad],
			status)
		require.Equal(t, before, string(r.Read("OSMPSensorViewOut")))
		require.Equal(t, int32(1), r.Get("sum"))
		require.Equal(t, 2.5, r.Get("scaled"))
		r.Log()
	}
}

// After a discarded step, an importer that tries a smaller one finds the model unchanged; after an
// error, it receives a new one.
func TestStep_OnlyAnErrorReplacesTheModel(t *testing.T) {
	for bad, lost := range map[string]int{"discard": 0, "loud": 1} {
		closed := 0
		r := modeltest.New(t, echoes(&closed))
		r.Start()
		state, before := r.Save(), closed
		r.Set(bad, true)
		require.NotEqual(t, fmi.OK, r.TryStep(1))
		r.Restore(state, 0)
		r.Step(0.5)
		require.Equal(t, int32(1), r.Get("sum"))
		require.Equal(t, before+lost, closed, bad)
	}
}

func TestStatesAreSavedAndRestored(t *testing.T) {
	closed := 0
	r, other := modeltest.New(t, echoes(&closed)), newEcho(t)
	r.Set("gain", 9)
	r.Write("OSMPGroundTruthInit", []byte("T"))
	r.Start()
	for range 3 {
		r.Write("OSMPSensorViewIn", []byte("a"))
		r.Step(1)
	}
	state := r.Save()
	r.Write("OSMPSensorViewIn", []byte("b"))
	r.Step(1)
	before := closed
	for _, to := range []*modeltest.Rig{r, other} {
		to.Restore(state, 3)
		require.Equal(t, "a\x09\x03T", string(to.Read("OSMPSensorViewOut")))
		require.Equal(t, int32(3), to.Get("sum"))
		to.Write("OSMPSensorViewIn", []byte("c"))
		to.Step(1)
		require.Equal(t, "c\x09\x04T", string(to.Read("OSMPSensorViewOut")))
	}
	require.Equal(t, before, closed, "a model with the same parameters is kept")
	require.Empty(t, other.Log(), "restoring logs nothing twice")
	r.Set("loud", true)
	require.Equal(t, fmi.Error, r.TryStep(1))
	r.Restore(state, 3)
	r.Step(1)
	require.Equal(t, int32(4), r.Get("sum"), "also after an error")
}

// An inconsistent input is also treated as no data after the state has been restored. It is then
// reported unless the saved run had already reported it.
func TestInput_ErrorsArePartOfTheState(t *testing.T) {
	r, other := newEcho(t), newEcho(t)
	r.Start()
	r.Set("OSMPSensorViewIn.size", 5) // without an address
	unreported := r.Save()
	r.Log()
	r.Step(1)
	require.Len(t, r.Log(), 1)
	r.Set("OSMPSensorViewIn.size", 5)
	reported := r.Save()
	for _, c := range []struct {
		state []byte
		now   float64
		lines int
	}{{reported, 1, 0}, {unreported, 0, 1}} {
		other.Restore(c.state, c.now)
		other.Log()
		other.Step(1)
		require.Nil(t, other.Read("OSMPSensorViewOut"))
		require.Len(t, other.Log(), c.lines)
	}
}

func TestInput_RejectIsReportedOnceAndMeansNoData(t *testing.T) {
	var in *model.Input
	d := model.Definition{Identifier: "Picky", New: func(d *model.Declaration) model.Model {
		in = d.Input(osmp.SensorDataIn)
		return stepper{step: func() error {
			in.Reject(errBroken)
			if in.Bytes() != nil {
				return errors.New("still there")
			}
			return nil
		}}
	}}
	r := modeltest.New(t, d)
	r.Start()
	r.Write("OSMPSensorDataIn", []byte("abc"))
	require.Equal(t, fmi.Warning, r.TryStep(1))
	require.Equal(t,
		[]string{
			"fmi2DoStep: OSMPSensorDataIn: 3 bytes that cannot be used: the model is broken; the " +
				"step continues without " +
				"them, and later ones are not reported"}, r.Log())
	r.Write("OSMPSensorDataIn", []byte("abc"))
	require.Equal(t, fmi.OK, r.TryStep(1))
	r.Reset()
	r.Start()
	r.Write("OSMPSensorDataIn", []byte("abc"))
	require.Equal(t, fmi.Warning, r.TryStep(1), "once in each run")
	require.Len(t, r.Log(), 1)
}

// stepper is a model made of two functions.
type stepper struct {
	model.Stateless
	setup func() error
	step  func() error
}

func (s stepper) Setup(model.Environment) error {
	if s.setup == nil {
		return nil
	}
	return s.setup()
}

func (s stepper) Step(timebase.Span) error {
	if s.step == nil {
		return nil
	}
	return s.step()
}

func TestModelWithoutSnapshotSavesNoStates(t *testing.T) {
	type plain struct{ model.Model }
	d := model.Definition{Identifier: "Plain",
		New: func(*model.Declaration) model.Model { return plain{stepper{}} }}
	require.True(t, d.FMU().WithoutState)
	r := modeltest.New(t, d)
	_, status := r.Instance().GetFMUstate(nil)
	require.Equal(t, fmi.Error, status)
	require.Contains(t, r.Log()[0], "canGetAndSetFMUstate is false")
}

func TestSetupHoldsWhatIsDeclared(t *testing.T) {
	var early float64
	for name, c := range map[string]struct {
		declare func(*model.Declaration) func() error
		wanted  string
	}{
		"request": {func(d *model.Declaration) func() error {
			d.ConfigRequest(d.Input(osmp.SensorViewIn))
			return nil
		}, "Setup has not called Negotiate"},
		"early message": {func(d *model.Declaration) func() error {
			out := d.Output(osmp.SensorDataOut)
			return func() error { return out.Publish([]byte{1}) }
		}, "OSMPSensorDataOut: published by Setup"},
		"early value": {func(d *model.Declaration) func() error {
			model.PlainOutput(d, &early, "early", "too early", model.Unit("m"))
			return func() error { early = 1; return nil }
		}, `output "early" has been set in Setup`},
	} {
		r := modeltest.New(t, model.Definition{Identifier: "Careless",
			New: func(d *model.Declaration) model.Model {
				return stepper{setup: c.declare(d)}
			}})
		require.Equal(t, fmi.Error, r.TryStart(0), name)
		require.Contains(t, r.Log()[0], c.wanted, name)
	}
}

func TestConfigurationIsNegotiated(t *testing.T) {
	var agreed []byte
	d := model.Definition{Identifier: "Asker", New: func(d *model.Declaration) model.Model {
		views := d.Inputs(osmp.SensorViewIn, 2)
		first, second := d.ConfigRequest(views[0]), d.ConfigRequest(views[1])
		return stepper{setup: func() (err error) {
			if _, err = first.Negotiate([]byte("first")); err == nil {
				agreed, err = second.Negotiate([]byte("second"))
			}
			return err
		}}
	}}
	r := modeltest.New(t, d)
	require.Equal(t, fmi.OK, r.Instance().SetupExperiment(fmu.ExperimentSetup{}))
	require.Equal(t, fmi.OK, r.Instance().EnterInitializationMode())
	require.Equal(t, "first", string(r.Read("OSMPSensorViewInConfigRequest[1]")))
	require.Equal(t, "second", string(r.Read("OSMPSensorViewInConfigRequest[2]")))
	r.Write("OSMPSensorViewInConfig[2]", []byte("mine"))
	require.Equal(t, "mine", string(r.Read("OSMPSensorViewInConfigRequest[2]")))
	require.Equal(t, fmi.OK, r.Instance().ExitInitializationMode())
	require.Equal(t, "mine", string(agreed))
}

// Lines from Setup are logged once, no matter how often it runs; each step and the next run log
// their own.
func TestLog_LinesOfEveryRunAndStep(t *testing.T) {
	r := modeltest.New(t, model.Definition{Identifier: "Talker",
		New: func(d *model.Declaration) model.Model {
			log := d.Log("logTalk", "talk")
			say := func() error {
				log.Warnf("hello")
				return nil
			}
			return stepper{setup: say, step: say}
		}})
	for range 2 {
		r.Start()
		require.Equal(t, []string{"hello"}, r.Log())
		r.Reset()
	}
	r.Start()
	r.Step(1)
	r.Step(1)
	require.Equal(t, []string{"hello", "hello", "hello"}, r.Log())
}
