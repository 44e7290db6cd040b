package model_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/fmu/modeldescription"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/timebase"
)

const (
	sunny int32 = iota
	fog
	rain
)

// receiver publishes a fix every 300 ms, at the time of the fix: its number, and the data received
// from the host. In between, a continuous output grows.
type receiver struct {
	fix         *model.Output
	weather     int32
	seen        int32
	key, echo   []byte
	channels    *model.Size
	gains, sums []float64
	names       []string
	way         float64
	number      int32
}

const period = 300 * timebase.Millisecond

func newReceiver(d *model.Declaration) model.Model {
	r := &receiver{}
	clock := d.Clock("newFix", "ticks with each fix")
	r.fix = d.ClockedOutput(osmp.HostVehicleDataOut, clock)
	sky := model.Enumeration("Weather", "sunny", "fog", "rain")
	model.PlainInput(d, &r.weather, "weather", fog, "", sky)
	model.PlainOutput(d, &r.seen, "seen", "", sky)
	model.PlainOutput(d, &r.number, "number", "of the newest fix")
	model.PlainOutput(d, &r.way, "way", "", model.Unit("m"), model.Continuous())
	if d.ForFMI3() {
		model.BinaryInput(d, &r.key, "key", "application/x-key", "", model.MaxSize(4))
		model.BinaryOutput(d, &r.echo, "echo", "application/x-key", "")
		r.channels = model.NewSize(d, "channels", 2, 1, 5, "")
		model.SizedParameter(d, r.channels, &r.gains, "gains", 1, "", model.Unit("1"))
		model.SizedParameter(d, r.channels, &r.names, "names", "none", "")
		model.SizedOutput(d, r.channels, &r.sums, "sums", "", model.Unit("1"))
	}
	return r
}

func (r *receiver) Setup(model.Environment) error { return nil }

func (r *receiver) NextEvent(t timebase.Time) (timebase.Time, bool) {
	return (t/period + 1) * period, true
}

func (r *receiver) Step(span timebase.Span) error {
	r.way = span.End.Seconds()
	r.seen = r.weather
	r.echo = append(r.echo[:0], r.key...)
	for k := range r.sums {
		r.sums[k] += r.gains[k]
	}
	if span.End/period == span.Start/period {
		return nil
	}
	r.number++
	return r.fix.Publish(fmt.Appendf(r.fix.Buffer(), "fix %d at %v", r.number, span.End))
}

func (r *receiver) Snapshot(b []byte) ([]byte, error) { return append(b, byte(r.number)), nil }

func (r *receiver) Restore(b []byte) error {
	d := model.StateReader{Data: b}
	r.number = int32(d.Byte())
	return d.Done()
}

var receiverDefinition = model.Definition{Identifier: "Receiver", New: newReceiver}

func receiver3(t modeltest.T, o fmu.Options3) *modeltest.Rig {
	return modeltest.Host{Options3: o}.Instantiate(t, receiverDefinition.FMU().Twin())
}

// Without Event Mode and early return, a fix is like any other message, in both versions.
func TestModes_OfNoUse(t *testing.T) {
	d := receiverDefinition.FMU()
	require.NoError(t, d.Check())
	require.Nil(t, d.Variables.Named("newFix"))
	for _, r := range []*modeltest.Rig{modeltest.New(t, receiverDefinition), receiver3(t, fmu.Options3{})} {
		r.Start()
		for k := range 3 {
			r.Step(0.25)
			require.Equal(t, k > 0, r.Read("OSMPHostVehicleDataOut") != nil, k)
		}
		require.Equal(t, int32(2), r.Get("number"))
	}
}

func TestModes_Enumerations(t *testing.T) {
	for _, r := range []*modeltest.Rig{modeltest.New(t, receiverDefinition), receiver3(t, fmu.Options3{})} {
		r.Start()
		r.Set("weather", rain)
		r.Step(0.1)
		require.Equal(t, rain, r.Get("seen"))
		require.Equal(t, fmi.Error, r.TrySet("weather", int32(3)))
		require.Contains(t, r.Log()[0], "weather: 3 is not one of 0 (sunny), 1 (fog), 2 (rain)")
	}
	for d, text := range map[*fmu.Definition]string{
		receiverDefinition.FMU(): `<SimpleType name="Weather"><Enumeration>` +
			`<Item name="sunny" value="0"/>`,
		receiverDefinition.FMU().
			Twin(): `<EnumerationType name="Weather"><Item name="sunny" value="0"/>`,
	} {
		var b strings.Builder
		require.NoError(t, modeldescription.Render(&b, d))
		require.Contains(t, b.String(), text)
		require.NoError(t, d.SetStart("weather", "rain"))
		require.ErrorContains(t, d.SetStart("weather", "7"), "7 is not one of")
	}
}

func TestModes_RawBinaries(t *testing.T) {
	r := receiver3(t, fmu.Options3{})
	r.Start()
	r.Write("key", []byte{1, 2})
	r.Step(0.1)
	require.Equal(t, []byte{1, 2}, r.Read("echo"))
	refs := refOf(receiverDefinition.FMU().Twin(), "key")
	require.Equal(t, fmi.Error, r.Instance().SetBinary(refs, [][]byte{make([]byte, 5)}))
}

// An importer changes the length of arrays in Configuration Mode.
func TestModes_Sizes(t *testing.T) {
	d := receiverDefinition.FMU().Twin()
	r := receiver3(t, fmu.Options3{})
	i := r.Instance()
	require.Equal(t, fmi.Error, r.TrySet("channels", uint64(3)))
	r.Reset()
	require.Equal(t, fmi.OK, i.EnterConfigurationMode())
	require.Equal(t, fmi.Error, i.SetReal(refOf(d, "gains"), []float64{1, 2}))
	r.Reset()
	require.Equal(t, fmi.OK, i.EnterConfigurationMode())
	require.Equal(t, fmi.Error, r.TrySet("channels", uint64(6)), "above the maximum")
	r.Reset()
	require.Equal(t, fmi.OK, i.EnterConfigurationMode())
	r.Set("channels", uint64(3))
	require.Equal(t, fmi.OK, i.ExitConfigurationMode())
	r.Set("gains", []float64{1, 2, 3})
	require.Equal(t, fmi.OK, i.SetString(refOf(d, "names"), []string{"a", "b", "c"}))
	r.Start()
	r.Step(0.1)
	saved, now := r.Save(), r.Now()
	r.Step(0.1)
	sums := make([]float64, 3)
	require.Equal(t, fmi.OK, i.GetReal(refOf(d, "sums"), sums))
	require.Equal(t, []float64{2, 4, 6}, sums)

	other := receiver3(t, fmu.Options3{})
	other.Restore(saved, now)
	require.Equal(t, fmi.OK, other.Instance().GetReal(refOf(d, "sums"), sums))
	require.Equal(t, []float64{1, 2, 3}, sums)
	require.Equal(t, fmi.Error, other.Instance().GetReal(refOf(d, "sums"), sums[:2]))
	require.Equal(t, fmi.Error, i.EnterConfigurationMode(), "not tunable")
}

// clocked is a receiver in Event Mode; read returns the values of the clock and the message.
type clocked struct{ *modeltest.Rig }

func (c clocked) read() (bool, string) {
	return c.Get("newFix").(bool), string(c.Read("OSMPHostVehicleDataOut"))
}

// event handles an event.
func (c clocked) event(t modeltest.T) (tick bool, text string) {
	i := c.Instance()
	require.Equal(rt{t}, fmi.OK, i.EnterEventMode())
	tick, text = c.read()
	u, status := i.UpdateDiscreteStates()
	require.Equal(rt{t}, fmi.OK, status)
	require.True(rt{t}, u.NextEventDefined)
	off, _ := c.read()
	require.False(rt{t}, off, "after the update")
	require.Equal(rt{t}, fmi.OK, i.EnterStepMode())
	return tick, text
}

// rt turns a modeltest.T into a T of package require.
type rt struct{ modeltest.T }

func (r rt) FailNow() { r.Fatal("failed") }

// With Event Mode, the clock ticks once for each fix. The message changes only in Event Mode, and
// stays until the next tick.
func TestModes_ClockTicksWithEachMessage(t *testing.T) {
	c := clocked{receiver3(t, fmu.Options3{EventModeUsed: true})}
	i := c.Instance()
	c.Set("gains", []float64{0, 0}) // the sums change in each step otherwise
	c.Start()
	require.Equal(t, fmi.EventMode, i.State(), "after initialization")
	_, status := i.UpdateDiscreteStates()
	require.Equal(t, fmi.OK, status)
	require.Equal(t, fmi.OK, i.EnterStepMode())
	now, message := 0.0, ""
	for k := range 12 {
		o, status := i.Advance(now, 0.1)
		now += 0.1
		require.Equal(t, fmi.OK, status)
		require.False(t, o.EarlyReturn)
		require.Equal(t, message, string(c.Read("OSMPHostVehicleDataOut")), "in step mode")
		require.InDelta(t, now, c.Get("way"), 1e-9, "continuous")
		require.Equal(t, k%3 == 2 || k == 0, o.EventHandlingNeeded, k) // first, seen changes
		if !o.EventHandlingNeeded {
			continue
		}
		tick, text := c.event(t)
		require.Equal(t, k%3 == 2, tick)
		if tick {
			message = fmt.Sprintf("fix %d at %v", k/3+1, timebase.Time(k/3+1)*period)
		}
		require.Equal(t, message, text)
	}
	require.Equal(t, fmi.Error,
		i.SetClock(refOf(receiverDefinition.FMU().Twin(), "newFix"), []bool{true}))
}

// A step ends at a fix if it may, and the rest of it gives the same fixes.
func TestModes_EarlyReturn(t *testing.T) {
	c := clocked{receiver3(t, fmu.Options3{EventModeUsed: true, EarlyReturnAllowed: true})}
	i := c.Instance()
	c.Start()
	_, _ = i.UpdateDiscreteStates()
	require.Equal(t, fmi.OK, i.EnterStepMode())
	var got []string
	for now := 0.0; now < 0.95; {
		o, status := i.Advance(now, 0.5)
		require.Equal(t, fmi.OK, status)
		require.Equal(t, o.EarlyReturn, o.LastSuccessfulTime < now+0.5)
		now = o.LastSuccessfulTime
		if tick, text := c.event(t); tick {
			got = append(got, fmt.Sprintf("%.1f %s", now, text))
		}
	}
	require.Equal(t, []string{"0.3 fix 1 at 0.300000000s", "0.6 fix 2 at 0.600000000s",
		"0.9 fix 3 at 0.900000000s", "1.2 fix 4 at 1.200000000s"}, got)
}

// Saved states include results that are waiting for Event Mode.
func TestModes_StatesHoldWhatWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := fmu.Options3{EventModeUsed: true}
		c, spare := clocked{receiver3(t, options)}, clocked{receiver3(t, options)}
		plain := clocked{receiver3(t, options)}
		for _, r := range []clocked{c, plain} {
			r.Start()
			_, _ = r.Instance().UpdateDiscreteStates()
			require.Equal(t, fmi.OK, r.Instance().EnterStepMode())
		}
		now := 0.0
		for range rapid.IntRange(1, 9).Draw(t, "steps") {
			weather := rapid.Int32Range(0, 2).Draw(t, "weather")
			var ticks [2]bool
			var texts [2]string
			var needed [2]bool
			for k, r := range []clocked{c, plain} {
				r.Set("weather", weather)
				o, status := r.Instance().Advance(now, 0.125)
				require.Equal(t, fmi.OK, status)
				needed[k] = o.EventHandlingNeeded
				if k == 0 && rapid.Bool().Draw(t, "restored") {
					spare.Restore(r.Save(), now+0.125)
					r, c, spare = spare, spare, r
				}
				if needed[k] {
					ticks[k], texts[k] = r.event(t)
				}
				require.Equal(t, weather, r.Get("seen"))
			}
			now += 0.125
			require.Equal(t, needed[0], needed[1])
			require.Equal(t, ticks[0], ticks[1])
			require.Equal(t, texts[0], texts[1])
		}
	})
}

// A step that is taken back by restoring an earlier state leaves no tick behind.
func TestModes_TicksAreTakenBack(t *testing.T) {
	c := clocked{receiver3(t, fmu.Options3{EventModeUsed: true})}
	c.Set("gains", []float64{0, 0}) // the sums change in each step otherwise
	c.Set("weather", sunny)
	c.Start()
	_, _ = c.Instance().UpdateDiscreteStates()
	require.Equal(t, fmi.OK, c.Instance().EnterStepMode())
	saved := c.Save()
	for range 2 {
		o, status := c.Instance().Advance(0, 0.1)
		require.Equal(t, fmi.OK, status)
		require.False(t, o.EventHandlingNeeded)
		o, status = c.Instance().Advance(0.1, 0.2)
		require.Equal(t, fmi.OK, status)
		require.True(t, o.EventHandlingNeeded)
		c.Restore(saved, 0)
	}
}

// An instance without Event Mode has no results that wait: those of a restored state are visible at
// once, and later steps are as usual.
func TestModes_WaitingResultsWithoutEventMode(t *testing.T) {
	from := clocked{receiver3(t, fmu.Options3{EventModeUsed: true})}
	from.Set("gains", []float64{0, 0}) // the sums change in each step otherwise
	from.Start()
	_, _ = from.Instance().UpdateDiscreteStates()
	require.Equal(t, fmi.OK, from.Instance().EnterStepMode())
	from.Set("weather", rain)
	o, status := from.Instance().Advance(0, 0.3)
	require.Equal(t, fmi.OK, status)
	require.True(t, o.EventHandlingNeeded)
	require.Empty(t, from.Read("OSMPHostVehicleDataOut"))
	saved := from.Save()

	to := clocked{receiver3(t, fmu.Options3{})}
	to.Start()
	to.Restore(saved, 0.3)
	require.Equal(t, fmi.Error, to.Instance().EnterEventMode(), "eventModeUsed is false")
	to.Restore(saved, 0.3)
	require.Equal(t, "fix 1 at 0.300000000s", string(to.Read("OSMPHostVehicleDataOut")))
	require.Equal(t, rain, to.Get("seen"))
	require.Equal(t, int32(1), to.Get("number"))
	o, status = to.Instance().Advance(0.3, 0.1)
	require.Equal(t, fmi.OK, status)
	require.False(t, o.EventHandlingNeeded)
	require.Empty(t, to.Read("OSMPHostVehicleDataOut"))

	from.Restore(to.Save(), 0.4)
	o, status = from.Instance().Advance(0.4, 0.1)
	require.Equal(t, fmi.OK, status)
	require.False(t, o.EventHandlingNeeded)
}

// moody is a receiver that discards a step after doing all of its work, if the key says so.
type moody struct{ *receiver }

func (m moody) Step(span timebase.Span) error {
	number := m.number
	if err := m.receiver.Step(span); err != nil || len(m.key) == 0 {
		return err
	}
	m.number = number
	return fmt.Errorf("%w: not now", fmu.ErrDiscard)
}

// A discarded step changes no results, whether they are waiting for Event Mode or not: no values,
// no message, no ticks.
func TestModes_DiscardedStepsKeepWhatWaits(t *testing.T) {
	d := model.Definition{Identifier: "Moody", New: func(d *model.Declaration) model.Model {
		return moody{newReceiver(d).(*receiver)}
	}}
	c := clocked{modeltest.Host{Options3: fmu.Options3{EventModeUsed: true}}.Instantiate(t,
		d.FMU().Twin())}
	i := c.Instance()
	c.Set("gains", []float64{0, 0})
	c.Start()
	_, _ = i.UpdateDiscreteStates()
	require.Equal(t, fmi.OK, i.EnterStepMode())
	step := func(now, h float64, discarded bool) fmu.Outcome {
		c.Write("key", bytes.Repeat([]byte{1}, map[bool]int{true: 1}[discarded]))
		o, status := i.Advance(now, h)
		require.Equal(t, map[bool]fmi.Status{true: fmi.Discard}[discarded], status)
		return o
	}
	c.Set("weather", rain)
	step(0, 0.4, true) // would have had a fix
	c.Set("weather", fog)
	require.True(t, step(0, 0.1, false).EventHandlingNeeded, "seen changes")
	tick, text := c.event(t)
	require.Equal(t, []any{false, "", fog}, []any{tick, text, c.Get("seen")})

	c.Set("weather", rain)
	require.True(t, step(0.1, 0.4, false).EventHandlingNeeded)
	c.Set("weather", sunny)
	step(0.5, 0.4, true)
	tick, text = c.event(t)
	require.Equal(t, []any{true, "fix 1 at 0.500000000s", rain, int32(1)},
		[]any{tick, text, c.Get("seen"), c.Get("number")})
}

// At an intermediate update, the host reads exactly what it requested.
func TestModes_IntermediateUpdate(t *testing.T) {
	d := receiverDefinition.FMU().Twin()
	way := refOf(d, "way")
	r := receiver3(t, fmu.Options3{IntermediateUpdate: true, IntermediateVariables: way})
	i := r.Instance()
	r.Start()
	o, status := i.Advance(0, 0.5)
	require.Equal(t, fmi.OK, status)
	require.True(t, o.EarlyReturn)
	require.True(t, i.BeginIntermediateUpdate())
	value := []float64{0}
	require.Equal(t, fmi.OK, i.GetReal(way, value))
	require.Equal(t, []float64{0.3}, value)
	require.True(t, i.EndIntermediateUpdate())
	require.True(t, i.BeginIntermediateUpdate())
	require.Equal(t, fmi.Error, i.GetInteger(refOf(d, "number"), []int32{0}))
	require.False(t, i.EndIntermediateUpdate())

	_, err := fmu.Instantiate(d, fmu.Config{Version: fmi.FMI3, InstanceName: "r",
		Options3: fmu.Options3{IntermediateVariables: refOf(d, "number")}})
	require.ErrorContains(t, err, "the reference of a variable with intermediateUpdate")
}

// Steps of Event Mode allocate nothing.
func TestModes_AllocateNothing(t *testing.T) {
	c := clocked{receiver3(t, fmu.Options3{EventModeUsed: true, EarlyReturnAllowed: true})}
	i := c.Instance()
	c.Start()
	_, _ = i.UpdateDiscreteStates()
	require.Equal(t, fmi.OK, i.EnterStepMode())
	now := 0.0
	require.LessOrEqual(t, testing.AllocsPerRun(200, func() {
		o, _ := i.Advance(now, 0.1)
		now = o.LastSuccessfulTime
		i.EnterEventMode()
		_, _ = i.UpdateDiscreteStates()
		i.EnterStepMode()
	}), 4.0) // formatting the message
}

func TestModes_Mistakes(t *testing.T) {
	var n int32
	var wide int64
	var list []float64
	for text, declare := range map[string]func(*model.Declaration){
		"an enumeration is an int32": func(d *model.Declaration) {
			model.PlainInput(d, &wide, "x", 0, "", model.Enumeration("T", "a"))
		},
		"enumeration T has other items elsewhere": func(d *model.Declaration) {
			model.PlainInput(d, &n, "x", 0, "", model.Enumeration("T", "a"))
			model.PlainInput(d, &n, "y", 0, "", model.Enumeration("T", "b"))
		},
		"enumeration T has no items": func(d *model.Declaration) {
			model.PlainInput(d, &n, "x", 0, "", model.Enumeration("T"))
		},
		"is declared twice, or has no name": func(d *model.Declaration) {
			model.PlainInput(d, &n, "x", 0, "", model.Enumeration("T", "a", "a"))
		},
		"9 is not one of 0 (a)": func(d *model.Declaration) {
			model.PlainInput(d, &n, "x", 9, "", model.Enumeration("T", "a"))
		},
		"a structural parameter is a single UInt64 with a minimum from 1": func(d *model.Declaration) {
			model.NewSize(d, "n", 1, 0, 4, "")
		},
		"7 is above the maximum 4": func(d *model.Declaration) {
			model.SizedInput(d, model.NewSize(d, "n", 7, 1, 4, ""), &list, "x", 0, "",
				model.Unit("1"))
		},
	} {
		require.ErrorContains(t, defined(declare).Twin().Check(), text)
	}
	require.ErrorContains(t, defined(func(d *model.Declaration) {
		model.NewSize(d, "n", 1, 1, 4, "")
	}).Check(), "pack the model for FMI 3.0")
}

// Results that wait for Event Mode have the lengths that were configured, in discarded steps and in
// saved states.
func TestModes_WaitingArraysKeepTheirLengths(t *testing.T) {
	d := model.Definition{Identifier: "Moody", New: func(d *model.Declaration) model.Model {
		return moody{newReceiver(d).(*receiver)}
	}}.FMU().Twin()
	instantiate := func() clocked {
		return clocked{modeltest.Host{Options3: fmu.Options3{EventModeUsed: true}}.Instantiate(t, d)}
	}
	c := instantiate()
	i := c.Instance()
	require.Equal(t, fmi.OK, i.EnterConfigurationMode())
	c.Set("channels", uint64(3))
	require.Equal(t, fmi.OK, i.ExitConfigurationMode())
	c.Set("gains", []float64{1, 2, 3})
	c.Start()
	require.Equal(t, fmi.OK, i.EnterStepMode())
	_, status := i.Advance(0, 0.1)
	require.Equal(t, fmi.OK, status)
	saved := c.Save()
	c.Write("key", []byte{1})
	_, status = i.Advance(0.1, 0.1)
	require.Equal(t, fmi.Discard, status)
	other := instantiate()
	other.Restore(saved, 0.1)
	for _, c := range []clocked{c, other} {
		sums := make([]float64, 3)
		require.Equal(t, fmi.OK, c.Instance().GetReal(refOf(d, "sums"), sums))
		require.Equal(t, []float64{0, 0, 0}, sums)
		require.Equal(t, fmi.OK, c.Instance().EnterEventMode())
		require.Equal(t, fmi.OK, c.Instance().GetReal(refOf(d, "sums"), sums))
		require.Equal(t, []float64{1, 2, 3}, sums)
	}
}
