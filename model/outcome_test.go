package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/timebase"
)

// ending is a receiver that has nothing more to compute after its second fix. It discards steps to
// the eleventh second.
type ending struct {
	*receiver
	environment model.Environment
	lengths     *[]float64
}

func (e *ending) Setup(environment model.Environment) error {
	e.environment = environment
	return e.receiver.Setup(environment)
}

func (e *ending) Step(span timebase.Span) error {
	*e.lengths = append(*e.lengths, e.environment.StepSize())
	if span.End > 10*timebase.Second {
		return model.ErrDiscard
	}
	return e.receiver.Step(span)
}

func (e *ending) Terminated() bool { return e.number >= 2 }

func newEnding(t *testing.T, o fmu.Options3, lengths *[]float64) *modeltest.Rig {
	d := model.Definition{Identifier: "Ending", New: func(d *model.Declaration) model.Model {
		return &ending{receiver: newReceiver(d).(*receiver), lengths: lengths}
	}}
	return modeltest.Host{Options3: o}.Instantiate(t, d.FMU().Twin())
}

// A step that ends at an event is shorter than what the importer has asked for, and the model gets
// that length. The end of the simulation is an outcome of steps and of events.
func TestOutcome_OfStepsThatEndEarly(t *testing.T) {
	var lengths []float64
	r := newEnding(t, fmu.Options3{EventModeUsed: true, EarlyReturnAllowed: true}, &lengths)
	i := r.Instance()
	r.Start()
	for k, want := range []fmu.Outcome{
		{EventHandlingNeeded: true, EarlyReturn: true, LastSuccessfulTime: 0.3},
		{EventHandlingNeeded: true, EarlyReturn: true, LastSuccessfulTime: 0.6,
			TerminateSimulation: true},
	} {
		u, status := i.UpdateDiscreteStates()
		require.Equal(t, fmi.OK, status)
		require.False(t, u.TerminateSimulation)
		require.Equal(t, fmi.OK, i.EnterStepMode())
		o, status := i.Advance(float64(k)*0.3, 0.7)
		require.Equal(t, fmi.OK, status)
		require.Equal(t, want, o)
		require.Equal(t, fmi.OK, i.EnterEventMode())
	}
	require.Equal(t, []float64{0.3, 0.3}, lengths)
	u, status := i.UpdateDiscreteStates()
	require.Equal(t, fmi.OK, status)
	require.True(t, u.TerminateSimulation)
}

// After a step that was discarded, the outcome is the time that the instance had reached before.
func TestOutcome_OfDiscardedSteps(t *testing.T) {
	var lengths []float64
	r := newEnding(t, fmu.Options3{}, &lengths)
	r.Start()
	r.Step(0.25)
	o, status := r.Instance().Advance(0.25, 10)
	require.Equal(t, fmi.Discard, status)
	require.Equal(t, fmu.Outcome{LastSuccessfulTime: 0.25}, o)
	require.Equal(t, []float64{0.25, 10}, lengths)
}

// A state that was saved in Event Mode cannot be restored by an instance that does not use it.
func TestOutcome_StatesOfEventMode(t *testing.T) {
	from, to := receiver3(t, fmu.Options3{EventModeUsed: true}), receiver3(t, fmu.Options3{})
	from.Start()
	require.Equal(t, fmi.EventMode, from.Instance().State())
	s, status := from.Instance().DeSerializeFMUstate(from.Save())
	require.Equal(t, fmi.OK, status)
	to.Start()
	require.Equal(t, fmi.Error, to.Instance().SetFMUstate(s))
	require.Equal(t, fmi.OK, from.Instance().SetFMUstate(s))
}

// A clock that ticks when a state is saved ticks again when it is restored.
func TestOutcome_StatesHoldTicks(t *testing.T) {
	c := clocked{receiver3(t, fmu.Options3{EventModeUsed: true})}
	i := c.Instance()
	c.Start()
	require.Equal(t, fmi.OK, i.EnterStepMode())
	_, status := i.Advance(0, 0.3)
	require.Equal(t, fmi.OK, status)
	require.Equal(t, fmi.OK, i.EnterEventMode())
	s, status := i.GetFMUstate(nil)
	require.Equal(t, fmi.OK, status)
	_, status = i.UpdateDiscreteStates()
	require.Equal(t, fmi.OK, status)
	tick, _ := c.read()
	require.False(t, tick)
	require.Equal(t, fmi.OK, i.SetFMUstate(s))
	tick, text := c.read()
	require.True(t, tick)
	require.Equal(t, "fix 1 at 0.300000000s", text)
}
