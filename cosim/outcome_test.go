package cosim_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/timebase"
)

// endless asks for another event after each event.
type endless struct{ clockwork }

func (e *endless) Event(context.Context, timebase.Time) (cosim.Advance, error) {
	e.events++
	return cosim.Advance{Event: e.events != e.last}, nil
}

// TestRun_EventsWithoutEnd checks that a thousand events may follow each other at one time, but no
// more.
func TestRun_EventsWithoutEnd(t *testing.T) {
	for last, fails := range map[int]bool{1000: false, 0: true} {
		c := &endless{clockwork{last: last}}
		c.direct = []float64{0}
		e := cosim.New(cosim.Spec{Stop: timebase.Second / 10, Step: cosim.Every(0.1)})
		e.Add("clock", c)
		_, err := e.Run(t.Context())
		if !fails {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, cosim.ErrStalled)
		require.ErrorContains(t, err, "1000 events at one time")
		require.Equal(t, 1001, c.events)
	}
}

// TestRun_RowsAroundEvents checks that the values before and after an event are recorded if there
// is only one participant and it has not ended, and not otherwise.
func TestRun_RowsAroundEvents(t *testing.T) {
	for name, c := range map[string]struct {
		others int
		clock  clockwork
		want   []string
	}{
		"alone":  {0, clockwork{last: 100}, []string{"0", "50<", "50>", "100", "150<", "150>", "200"}},
		"others": {1, clockwork{last: 100}, []string{"0", "100", "200"}},
		"ending": {0, clockwork{last: 2, ends: true}, []string{"0", "50<", "50>", "100", "150<", "150"}},
	} {
		clock := c.clock
		clock.direct = []float64{0}
		e := cosim.New(cosim.Spec{Stop: timebase.Second / 5, Step: cosim.Every(0.1)})
		e.Add("clock", &clock)
		for range c.others {
			e.Add("other", &plant{direct: []float64{0}})
		}
		e.Watch("clock.y0")
		rows := &witness{}
		e.Observe(rows)
		_, err := e.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.want, rows.rows, name)
	}
}

// refusing fails in one of its phases.
type refusing struct {
	plant
	in string
}

func (r *refusing) fail(phase string) error {
	if r.in == phase {
		return errSpring
	}
	return nil
}
func (r *refusing) Enter(context.Context, cosim.Setup) error { return r.fail("enter") }
func (r *refusing) Leave(context.Context) error              { return r.fail("leave") }
func (r *refusing) Stop(context.Context) error               { return r.fail("stop") }

// TestRunError_StepOfPhase checks that errors before the first step have the number 0, and those
// after the last one the number of that step.
func TestRunError_StepOfPhase(t *testing.T) {
	for phase, want := range map[string]int64{"enter": 0, "leave": 0, "stop": 4} {
		e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.25)})
		e.Add("refuses", &refusing{plant{direct: []float64{0}}, phase})
		_, err := e.Run(t.Context())
		var failed *cosim.RunError
		require.ErrorAs(t, err, &failed, phase)
		require.Equal(t, want, failed.Step, phase)
	}
}

// choosy records all steps that it is asked for, including those that it discards.
type choosy struct {
	plant
	asked []timebase.Span
}

func (c *choosy) Step(ctx context.Context, s timebase.Span) (cosim.Advance, error) {
	c.asked = append(c.asked, s)
	return c.plant.Step(ctx, s)
}

// TestRollback_OfALongerStep checks that a participant with a longer step of its own, which it
// discards, is asked for half of it until that step ends, and then for a whole one again.
func TestRollback_OfALongerStep(t *testing.T) {
	const ms = timebase.Millisecond
	c := &choosy{}
	c.direct, c.refuses = []float64{0}, 100*ms
	e := cosim.New(cosim.Spec{Stop: 800 * ms, Step: cosim.Every(0.1), Rollback: true})
	e.AddEvery("long", c, cosim.Every(0.2))
	e.Add("short", &plant{direct: []float64{0}})
	_, err := e.Run(t.Context())
	require.NoError(t, err)
	var want []timebase.Span
	for start := timebase.Time(0); start < 800*ms; start += 200 * ms {
		want = append(want, timebase.Span{Start: start, End: start + 200*ms},
			timebase.Span{Start: start, End: start + 100*ms},
			timebase.Span{Start: start + 100*ms, End: start + 200*ms})
	}
	require.Equal(t, want, c.asked)
}

// texts has two text inputs.
type texts struct{ plant }

func (*texts) Variables() (list []cosim.Variable) {
	for _, name := range []string{"first", "second"} {
		list = append(list, cosim.Variable{Name: name, Kind: cosim.String, Role: cosim.Input,
			Size: 1})
	}
	return list
}

func (x *texts) Bind(in, out []int) (*cosim.Frame, *cosim.Frame, error) {
	x.in, x.out = cosim.NewFrame(x.Variables(), in), cosim.NewFrame(x.Variables(), out)
	return x.in, x.out, nil
}

// TestControl_Blob checks that a control sets its own input, and that elements beyond an input are
// refused.
func TestControl_Blob(t *testing.T) {
	x := &texts{}
	e := cosim.New(spec(1))
	e.Add("texts", x)
	first, second := e.Drive("texts.first"), e.Drive("texts.second")
	require.NoError(t, e.Start(t.Context()))
	first.SetBlob(0, []byte("one"))
	second.SetBlob(0, []byte("two"))
	require.Equal(t, [][]byte{[]byte("one"), []byte("two")}, x.in.Blobs[:2])
	require.Panics(t, func() { second.SetBlob(1, nil) })
	require.Panics(t, func() { second.SetBlob(-1, nil) })
	_, err := e.Finish(t.Context())
	require.NoError(t, err)
}
