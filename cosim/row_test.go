package cosim_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/timebase"
)

// bell has events at some of its times, which may be points of the run.
type bell struct {
	plant
	at []timebase.Time
}

func (b *bell) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	for k, t := range b.at {
		if s.Start <= t && t <= s.End {
			b.at = b.at[k+1:]
			return cosim.Advance{Reached: t, Event: true}, nil
		}
	}
	return cosim.Advance{Reached: s.End}, nil
}

// Event implements cosim.EventHandler.
func (*bell) Event(context.Context, timebase.Time) (cosim.Advance, error) {
	return cosim.Advance{}, nil
}

// witness records which rows it has seen, and fails at one of them.
type witness struct {
	rows  []string
	fails string
}

var errWitness = errors.New("the disk is full")

func (w *witness) Begin(*cosim.Result) error { return nil }
func (w *witness) End(*cosim.Result) error   { return nil }
func (w *witness) Row(t timebase.Time, r cosim.Row) error {
	row := fmt.Sprint(int64(t/timebase.Millisecond)) + map[cosim.Row]string{cosim.BeforeEvent: "<",
		cosim.AfterEvent: ">"}[r]
	w.rows = append(w.rows, row)
	if row == w.fails {
		return errWitness
	}
	return nil
}

// Every observer sees each row once: one row for each point, and two for an event. If an event
// occurs at a point whose row exists already, that row is the first of the two; if the point comes
// after the event, the second row is the row for the point.
func TestRun_RowsOfPointsAndEvents(t *testing.T) {
	const ms = timebase.Millisecond
	for name, c := range map[string]struct {
		at   []timebase.Time
		want []string
	}{
		"none":           {nil, []string{"0", "100", "200"}},
		"between points": {[]timebase.Time{50 * ms}, []string{"0", "50<", "50>", "100", "200"}},
		"at a point":     {[]timebase.Time{100 * ms}, []string{"0", "100<", "100>", "200"}},
		"at the start":   {[]timebase.Time{0}, []string{"0", "0>", "100", "200"}},
		"twice at one time": {[]timebase.Time{50 * ms, 50 * ms},
			[]string{"0", "50<", "50>", "50<", "50>", "100", "200"}},
		"twice at a point": {[]timebase.Time{100 * ms, 100 * ms},
			[]string{"0", "100<", "100>", "100<", "100>", "200"}},
	} {
		run := func(fails string) (*witness, *witness, error) {
			e := cosim.New(cosim.Spec{Stop: timebase.Second / 5, Step: cosim.Every(0.1)})
			e.Add("bell", &bell{plant: plant{direct: []float64{0}}, at: c.at})
			first, second := &witness{fails: fails}, &witness{}
			e.Observe(first)
			e.Observe(second)
			_, err := e.Run(t.Context())
			return first, second, err
		}
		first, second, err := run("")
		require.NoError(t, err)
		require.Equal(t, c.want, first.rows, name)
		require.Equal(t, c.want, second.rows, name)
		for k, row := range c.want {
			first, second, err = run(row)
			require.ErrorIs(t, err, errWitness, "%s, %s", name, row)
			require.LessOrEqual(t, len(first.rows), k+1)
			require.Len(t, second.rows, len(first.rows)-1)
		}
	}
}

// kinds records the kinds of rows.
type kinds struct{ list []cosim.Row }

func (k *kinds) Begin(*cosim.Result) error { return nil }
func (k *kinds) End(*cosim.Result) error   { return nil }
func (k *kinds) Row(_ timebase.Time, r cosim.Row) error {
	k.list = append(k.list, r)
	return nil
}

// The last row of a run that a participant has ended marks the end of the run, not a point.
func TestRun_RowOfTheEnd(t *testing.T) {
	for ends, last := range map[bool]cosim.Row{false: cosim.AtPoint, true: cosim.AtEnd} {
		e := cosim.New(cosim.Spec{Stop: timebase.Second / 5, Step: cosim.Every(0.1)})
		e.Add("clock", &clockwork{plant: plant{direct: []float64{0}}, ends: ends, last: 1})
		e.Add("other", &plant{direct: []float64{0}})
		k := &kinds{}
		e.Observe(k)
		_, err := e.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, last, k.list[len(k.list)-1])
		require.Equal(t, cosim.AtPoint, k.list[0])
	}
}
