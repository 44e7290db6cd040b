package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/timebase"
)

// planned is a model whose next event is always at the same time.
type planned struct {
	model.Stateless
	at timebase.Time
	x  float64
}

func (p *planned) Setup(model.Environment) error { return nil }
func (p *planned) Step(timebase.Span) error      { return nil }

func (p *planned) NextEvent(timebase.Time) (timebase.Time, bool) { return p.at, true }

func startPlanned(t *testing.T, at timebase.Time, o fmu.Options3) *fmu.Instance {
	d := model.Definition{Identifier: "Planned", New: func(d *model.Declaration) model.Model {
		p := &planned{at: at}
		model.PlainOutput(d, &p.x, "x", "", model.Unit("1"), model.Continuous())
		return p
	}}
	r := modeltest.Host{Options3: o}.Instantiate(t, d.FMU().Twin())
	r.Start()
	return r.Instance()
}

// A step ends early at an event that lies between its ends, unless less than a microsecond would
// remain, and not at an event that is over.
func TestEvents_EndSteps(t *testing.T) {
	const end = timebase.Second
	for at, early := range map[timebase.Time]bool{
		-1: false, 0: false, 1: true, end - timebase.Microsecond: true,
		end - timebase.Microsecond + 1: false, end: false, end + 1: false,
	} {
		i := startPlanned(t, at, fmu.Options3{EarlyReturnAllowed: true})
		o, status := i.Advance(0, 1)
		require.Equal(t, fmi.OK, status, at)
		require.Equal(t, early, o.EarlyReturn, at)
		if early {
			require.Equal(t, at.Seconds(), o.LastSuccessfulTime)
		} else {
			require.Equal(t, 1.0, o.LastSuccessfulTime, at)
		}
	}
}

// Event Mode names only events to come.
func TestEvents_ToComeAreNamed(t *testing.T) {
	for at, defined := range map[timebase.Time]bool{0: false, 5 * timebase.Second: true} {
		i := startPlanned(t, at, fmu.Options3{EventModeUsed: true})
		require.Equal(t, fmi.OK, i.EnterStepMode())
		_, status := i.Advance(0, 1)
		require.Equal(t, fmi.OK, status)
		require.Equal(t, fmi.OK, i.EnterEventMode())
		u, status := i.UpdateDiscreteStates()
		require.Equal(t, fmi.OK, status)
		require.Equal(t, defined, u.NextEventDefined, at)
		require.Equal(t, at.Seconds(), u.NextEvent)
	}
}

// A tick ends with Event Mode even if the environment did not update the discrete states.
func TestEvents_StepModeEndsTicks(t *testing.T) {
	c := clocked{receiver3(t, fmu.Options3{EventModeUsed: true})}
	i := c.Instance()
	c.Start()
	require.Equal(t, fmi.OK, i.EnterStepMode())
	o, status := i.Advance(0, 0.3)
	require.Equal(t, fmi.OK, status)
	require.True(t, o.EventHandlingNeeded)
	for _, ticks := range []bool{true, false} {
		require.Equal(t, fmi.OK, i.EnterEventMode())
		tick, text := c.read()
		require.Equal(t, ticks, tick)
		require.Equal(t, "fix 1 at 0.300000000s", text)
		require.Equal(t, fmi.OK, i.EnterStepMode())
	}
}

// cameras publishes the image of each camera at its own times.
type cameras struct {
	model.Stateless
	images []*model.Output
}

func (c *cameras) Setup(model.Environment) error { return nil }

func (c *cameras) Step(span timebase.Span) error {
	for k, image := range c.images {
		period := timebase.Time(k+2) * 100 * timebase.Millisecond
		if span.End/period == span.Start/period {
			continue
		}
		if err := image.Publish(append(image.Buffer(), byte(k), byte(span.End/period))); err != nil {
			return err
		}
	}
	return nil
}

// Each output of a kind ticks with its own clock.
func TestEvents_ClocksOfSeveralOutputs(t *testing.T) {
	definition := model.Definition{Identifier: "Cameras",
		New: func(d *model.Declaration) model.Model {
			left, right := d.Clock("newLeft", ""), d.Clock("newRight", "")
			return &cameras{images: d.ClockedOutputs(osmp.SensorDataOut, left, right)}
		}}
	d := definition.FMU().Twin()
	require.NoError(t, d.Check())
	require.Equal(t, []string{"newRight"}, d.Variables.Named("OSMPSensorDataOut[2]").Clocks)
	r := modeltest.Host{Options3: fmu.Options3{EventModeUsed: true}}.Instantiate(t, d)
	i := r.Instance()
	r.Start()
	require.Equal(t, fmi.OK, i.EnterStepMode())
	for k := range 6 {
		_, status := i.Advance(float64(k)*0.1, 0.1)
		require.Equal(t, fmi.OK, status)
		require.Equal(t, fmi.OK, i.EnterEventMode())
		require.Equal(t, k%2 == 1, r.Get("newLeft"), k)
		require.Equal(t, k%3 == 2, r.Get("newRight"), k)
		if k >= 2 {
			require.Equal(t, []byte{0, byte((k + 1) / 2)}, r.Read("OSMPSensorDataOut[1]"))
			require.Equal(t, []byte{1, byte((k + 1) / 3)}, r.Read("OSMPSensorDataOut[2]"))
		}
		require.Equal(t, fmi.OK, i.EnterStepMode())
	}
	require.NotNil(t, definition.FMU().Variables.Named("OSMPSensorDataOut[2].size"))
}

// speaker publishes a message in each step, without a clock.
type speaker struct {
	planned
	out *model.Output
}

func (s *speaker) Step(span timebase.Span) error {
	return s.out.Publish(append(s.out.Buffer(), byte(span.End/timebase.Second)))
}

// A message without a clock also waits for Event Mode, even if nothing else changed.
func TestEvents_MessagesWithoutClocks(t *testing.T) {
	definition := model.Definition{Identifier: "Speaker",
		New: func(d *model.Declaration) model.Model {
			return &speaker{out: d.Output(osmp.SensorDataOut)}
		}}
	r := modeltest.Host{Options3: fmu.Options3{EventModeUsed: true}}.Instantiate(t,
		definition.FMU().Twin())
	i := r.Instance()
	r.Start()
	require.Equal(t, fmi.OK, i.EnterStepMode())
	o, status := i.Advance(0, 1)
	require.Equal(t, fmi.OK, status)
	require.True(t, o.EventHandlingNeeded)
	require.Empty(t, r.Read("OSMPSensorDataOut"))
	require.Equal(t, fmi.OK, i.EnterEventMode())
	require.Equal(t, []byte{1}, r.Read("OSMPSensorDataOut"))
}
