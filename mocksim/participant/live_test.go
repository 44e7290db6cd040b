package participant_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/participant"
	"gosmp/mocksim/recording"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
)

// rowsReader collects the value of an output in each step.
type rowsReader struct {
	signal *cosim.Signal
	rows   [][]byte
}

func (r *rowsReader) Begin(*cosim.Result) error { return nil }
func (r *rowsReader) Row(timebase.Time, cosim.Row) error {
	_, b := r.signal.First()
	r.rows = append(r.rows, bytes.Clone(b))
	return nil
}
func (r *rowsReader) End(*cosim.Result) error { return nil }

func liveEngine(t *testing.T) (*cosim.Engine, *participant.Participant, *rowsReader) {
	p, err := participant.New(scene(t))
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: 4 * timebase.Second, Step: cosim.Every(0.02)})
	e.Add("simulator", p)
	r := &rowsReader{signal: e.Watch("simulator." + participant.RowsName)}
	e.Observe(r)
	return e, p, r
}

// TestLive_LikeARecording checks that the live measurements of the host vehicle's sensors equal a
// recording of the drive.
func TestLive_LikeARecording(t *testing.T) {
	e, _, r := liveEngine(t)
	_, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Empty(t, r.rows[0], "nothing has passed yet")
	require.Len(t, r.rows, 201)

	s := scene(t)
	s.Options.Step = 20 * timebase.Millisecond
	w, err := mocksim.New(s.Map, s.Options)
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, s.Actors(w))
	require.NoError(t, w.Begin())
	var file bytes.Buffer
	recorder, err := recording.New(w, recording.Options{Host: "ego"}, &file)
	require.NoError(t, err)
	for range 200 {
		_, err := w.Step(20 * timebase.Millisecond)
		require.NoError(t, err)
		require.NoError(t, recorder.Sample())
	}
	require.NoError(t, recorder.Close())
	require.Equal(t, file.String(), string(bytes.Join(r.rows, nil))+"0,4000\n")
}

// TestLive_GoesOnFromAState checks that a saved state contains the rows that have not been read
// yet, and the data on which the next rows depend.
func TestLive_GoesOnFromAState(t *testing.T) {
	for _, at := range []int{0, 1, 37} {
		e, _, r := liveEngine(t)
		step := func(e *cosim.Engine, n int) {
			for range n {
				_, err := e.Step(context.Background())
				require.NoError(t, err)
			}
		}
		require.NoError(t, e.Start(context.Background()))
		step(e, at)
		saved, err := e.AppendState(context.Background(), nil)
		require.NoError(t, err)
		step(e, 20)
		other, _, again := liveEngine(t)
		require.NoError(t, other.Resume(context.Background(), saved))
		step(other, 20)
		last := func(r *rowsReader) string {
			return string(bytes.Join(r.rows[len(r.rows)-20:], nil))
		}
		require.Equal(t, last(r), last(again), "from step %d", at)
		for _, x := range []*cosim.Engine{e, other} {
			_, err := x.Finish(context.Background())
			require.NoError(t, err)
		}
	}
}

// TestLive_WithoutAPlaceOnEarth checks that there is no GPS on a map without a geographic position.
func TestLive_WithoutAPlaceOnEarth(t *testing.T) {
	m, err := opendrive.ReadFile("../testdata/straight.xodr")
	require.NoError(t, err)
	m.Header.GeoReference = ""
	w, err := mocksim.New(m, mocksim.Options{})
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.Create(mocksim.Actor{Name: "ego", Start: mocksim.OnRoad("1", -1, 50)}))
	l, err := recording.NewLive(w, recording.Options{Host: "ego"})
	require.NoError(t, err)
	require.False(t, l.Located())
	for range 100 { // warm up
		l.Next()
	}
	require.Zero(t, testing.AllocsPerRun(200, func() {
		_, err := w.Step(20 * timebase.Millisecond)
		if err != nil || l.Sample() != nil {
			panic(err)
		}
		if bytes.Contains(l.Next(), []byte("\n4,")) {
			panic("a row of GPS")
		}
	}))
}

// TestLive_ReadersStepAsOftenAsTheWorld checks that a reader that steps less often is refused,
// because it would miss rows.
func TestLive_ReadersStepAsOftenAsTheWorld(t *testing.T) {
	for step, fits := range map[float64]bool{0.02: true, 0.1: false} {
		p, err := participant.New(scene(t))
		require.NoError(t, err)
		e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.02)})
		e.Add("simulator", p)
		d := &driver{}
		e.AddEvery("reader", rowsDriver{d}, cosim.Every(step))
		e.Connect("simulator."+participant.RowsName, "reader.rows")
		_, err = e.Run(context.Background())
		if fits {
			require.NoError(t, err)
			require.NotEmpty(t, d.in.Blob(0, 0))
			continue
		}
		require.ErrorIs(t, err, cosim.ErrSpec)
		require.ErrorContains(t, err, "steps of 0.02 s and 0.1 s")
	}
}

// rowsDriver is a driver that only reads rows.
type rowsDriver struct{ *driver }

func (rowsDriver) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: "rows", Kind: cosim.Binary, Role: cosim.Input, Size: 1,
		MIMEType: recording.MIMEType}}
}
func (d rowsDriver) Bind(in, out []int) (*cosim.Frame, *cosim.Frame, error) {
	d.in, d.out = cosim.NewFrame(d.Variables(), in), cosim.NewFrame(d.Variables(), out)
	return d.in, d.out, nil
}
func (rowsDriver) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	return cosim.Advance{Reached: s.End}, nil
}

// TestLive_TheMIMETypeIsThatOfItsReaders checks that both ends use the same MIME type for the rows,
// which connects them.
func TestLive_TheMIMETypeIsThatOfItsReaders(t *testing.T) {
	require.Equal(t, simsensor.MIMEType, recording.MIMEType)
}
