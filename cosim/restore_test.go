package cosim_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// shaped is a plant with one output whose name, kind and size can be chosen.
type shaped struct {
	plant
	name string
	kind cosim.Kind
	size int
}

func (s *shaped) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: s.name, Kind: s.kind, Role: cosim.Output, Size: s.size},
		{Name: "u0", Kind: cosim.Float64, Role: cosim.Input, Size: 1},
		{Name: "u1", Kind: cosim.Float64, Role: cosim.Input, Size: 1}}
}
func (s *shaped) Depends(int) ([]int, bool) { return nil, true }
func (s *shaped) Bind(in, out []int) (*cosim.Frame, *cosim.Frame, error) {
	s.in, s.out = cosim.NewFrame(s.Variables(), in), cosim.NewFrame(s.Variables(), out)
	return s.in, s.out, nil
}

// memory is an observer with a state, which can fail.
type memory struct{ fail error }

func (*memory) Begin(*cosim.Result) error                           { return nil }
func (*memory) Row(timebase.Time, cosim.Row) error                  { return nil }
func (*memory) End(*cosim.Result) error                             { return nil }
func (*memory) AppendState(context.Context, []byte) ([]byte, error) { return []byte{1}, nil }
func (m *memory) RestoreState(_ context.Context, _ []byte) error    { return m.fail }

// TestResume_RefusesEachDifference: a run continues from the state of a run with the same spec,
// participants, variables, connections and observers, and from no other one, because the values of
// the state would go elsewhere.
func TestResume_RefusesEachDifference(t *testing.T) {
	type setup struct {
		spec        cosim.Spec
		name        string
		every       float64
		shape       shaped
		from, from2 string
		keepers     int
	}
	base := setup{cosim.Spec{Stop: 8 * timebase.Second, Step: cosim.Every(1)}, "b", 2,
		shaped{name: "w", kind: cosim.Float64, size: 1}, "a.y0", "a.y1", 1}
	build := func(s setup) *cosim.Engine {
		e := cosim.New(s.spec)
		e.Add("a", &plant{direct: []float64{0, 0}})
		shape := s.shape
		e.AddEvery(s.name, &shape, cosim.Every(s.every))
		e.Connect(s.from, s.name+".u0")
		e.Connect(s.from2, s.name+".u1")
		e.Watch(s.name + "." + s.shape.name)
		for range s.keepers {
			e.Observe(&memory{})
		}
		return e
	}
	ctx := t.Context()
	first := build(base)
	require.NoError(t, first.Start(ctx))
	saved, err := first.AppendState(ctx, nil)
	require.NoError(t, err)
	for name, change := range map[string]func(*setup){
		"":         func(*setup) {},
		"stop":     func(s *setup) { s.spec.Stop = 20 * timebase.Second }, // goes on for longer
		"start":    func(s *setup) { s.spec.Start = 2 * timebase.Second },
		"step":     func(s *setup) { s.spec.Step = cosim.Every(0.5) },
		"name":     func(s *setup) { s.name = "c" },
		"rate":     func(s *setup) { s.every = 1 },
		"variable": func(s *setup) { s.shape.name = "v" },
		"kind":     func(s *setup) { s.shape.kind = cosim.Int64 },
		"size":     func(s *setup) { s.shape.size = 2 },
		"source":   func(s *setup) { s.from, s.from2 = s.from2, s.from },
		"observer": func(s *setup) { s.keepers = 2 },
	} {
		s := base
		change(&s)
		e := build(s)
		err := e.Resume(ctx, saved)
		_, ended := e.Finish(ctx)
		if name == "" || name == "stop" {
			require.NoError(t, err, name)
			require.NoError(t, ended, name)
			continue
		}
		require.ErrorIs(t, err, state.ErrState, name)
		require.ErrorContains(t, err, "the state of a different run", name)
	}
	_, err = first.Finish(ctx)
	require.NoError(t, err)
}

// stateless has the methods of a keeper, but states that it cannot keep a state.
type stateless struct{ plant }

func (*stateless) Traits() cosim.Traits { return cosim.Traits{VariableSteps: true} }

// forgetful can save its state, but not restore it.
type forgetful struct {
	plant
	stops int
}

var errForgotten = errors.New("forgotten")

func (*forgetful) RestoreState(context.Context, []byte) error { return errForgotten }
func (f *forgetful) Stop(context.Context) error               { f.stops++; return nil }

// TestRestoreState_Fails: an error of a participant or an observer ends the run, names the
// participant, and is not followed by a stop of a participant in an unknown state.
func TestRestoreState_Fails(t *testing.T) {
	ctx := t.Context()
	e := cosim.New(spec(2))
	e.Add("a", &stateless{plant{direct: []float64{0}}})
	require.NoError(t, e.Start(ctx))
	_, err := e.AppendState(ctx, nil)
	require.ErrorContains(t, err, "a participant whose state cannot be saved")
	_, err = e.Finish(ctx)
	require.NoError(t, err)

	f := &forgetful{plant: plant{direct: []float64{0}}}
	e = cosim.New(spec(2))
	e.Add("f", f)
	require.NoError(t, e.Start(ctx))
	saved, err := e.AppendState(ctx, nil)
	require.NoError(t, err)
	err = e.RestoreState(ctx, saved)
	require.ErrorIs(t, err, errForgotten)
	require.ErrorContains(t, err, "f: ")
	_, err = e.Finish(ctx)
	require.ErrorIs(t, err, errForgotten)
	require.Zero(t, f.stops)
	require.True(t, f.closed)

	m := &memory{fail: errForgotten}
	e = cosim.New(spec(2))
	e.Add("a", &plant{direct: []float64{0}})
	e.Observe(m)
	require.NoError(t, e.Start(ctx))
	saved, err = e.AppendState(ctx, nil)
	require.NoError(t, err)
	require.ErrorIs(t, e.RestoreState(ctx, saved), errForgotten)
	more, err := e.Step(ctx)
	require.False(t, more)
	require.ErrorIs(t, err, errForgotten)
	_, err = e.Finish(ctx)
	require.ErrorIs(t, err, errForgotten)
}

// words is a plant with a text of two elements as input.
type words struct{ plant }

func (*words) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: "pair", Kind: cosim.String, Role: cosim.Input, Size: 2}}
}
func (w *words) Bind(in, out []int) (*cosim.Frame, *cosim.Frame, error) {
	w.in, w.out = cosim.NewFrame(w.Variables(), in), cosim.NewFrame(w.Variables(), out)
	return w.in, w.out, nil
}

// TestRestoreState_BringsBackTexts: the values of inputs, of which none is a number, are part of the
// state, by element.
func TestRestoreState_BringsBackTexts(t *testing.T) {
	ctx := t.Context()
	w := &words{}
	e := cosim.New(spec(2))
	e.Add("w", w)
	pair := e.Drive("w.pair")
	require.NoError(t, e.Start(ctx))
	pair.SetBlob(0, []byte("one"))
	pair.SetBlob(1, []byte("two"))
	saved, err := e.AppendState(ctx, nil)
	require.NoError(t, err)
	pair.SetBlob(0, []byte("three"))
	pair.SetBlob(1, nil)
	require.NoError(t, e.RestoreState(ctx, saved))
	require.Equal(t, [][]byte{[]byte("one"), []byte("two")}, w.in.Blobs)
	_, err = e.Finish(ctx)
	require.NoError(t, err)
}

// TestRestoreState_StartsTheClockAgain: after a step back in time, the run keeps to its speed.
func TestRestoreState_StartsTheClockAgain(t *testing.T) {
	ctx := t.Context()
	s, clock := spec(3), &tape{}
	s.Speed, s.Clock = 2, clock
	e := cosim.New(s)
	e.Add("a", &plant{direct: []float64{0}})
	require.NoError(t, e.Start(ctx))
	require.Equal(t, s, e.Result().Spec)
	saved, err := e.AppendState(ctx, nil)
	require.NoError(t, err)
	for range 2 {
		_, err = e.Step(ctx)
		require.NoError(t, err)
	}
	require.NoError(t, e.RestoreState(ctx, saved))
	_, err = e.Step(ctx)
	require.NoError(t, err)
	half := timebase.Second / 2
	require.Equal(t, []timebase.Time{half, half, half}, clock.waits)
	_, err = e.Finish(ctx)
	require.NoError(t, err)
}
