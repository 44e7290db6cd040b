package simsensor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// FuzzReader plays arbitrary bytes in every mode: opening and playing must terminate, times must
// not decrease, counters must add up, and a state taken anywhere must continue in the same way.
func FuzzReader(f *testing.F) {
	for _, tc := range malformed {
		if len(tc.row) < 100 {
			f.Add([]byte("SensorID,Timestamp\n32,0,290\n"+tc.row+"\n32,20,291\n"), uint8(1))
		}
	}
	f.Add([]byte(messy), uint8(4))
	f.Add([]byte(decreasing), uint8(0))
	f.Add([]byte("\ufeffsensor,timestamp\r\n"+gps19+",,\r\n0\r\n"), uint8(2))
	f.Add([]byte(Header()), uint8(7))
	name := filepath.Join(f.TempDir(), "fuzz.csv")
	f.Fuzz(func(t *testing.T, content []byte, mode uint8) {
		require.NoError(t, os.WriteFile(name, content, 0o600))
		opt := Options{Unit: Unit(mode & 3), Loop: mode&4 != 0,
			Warn: func(p Problem) { require.NotEmpty(t, p.Error()) }}
		_, inspectErr := Inspect(name, opt)
		p, err := Open(name, opt)
		if err != nil {
			var problem *Problem
			require.ErrorAs(t, err, &problem)
			require.Error(t, inspectErr)
			return
		}
		defer func() { require.NoError(t, p.Close()) }()
		strict := opt
		strict.Strict = true
		if q, err := Open(name, strict); err == nil {
			if err := drainAtMost(q, 300); err != nil {
				require.ErrorIs(t, err, timebase.ErrTimeRange,
					"looping on and on reaches the end of time")
			}
			require.Zero(t, q.Counters().Rejected+q.Counters().Held)
			require.NoError(t, q.Close())
		}
		last, rows := timebase.Time(0), int64(0)
		var state []byte
		var after []Row
		for range 300 {
			if rows == 5 {
				state = p.AppendState(nil)
			}
			var row Row
			at, ok, err := p.Next(timebase.EndOfTime, &row)
			if err != nil || !ok {
				break
			}
			require.GreaterOrEqual(t, at, last)
			last = at
			rows++
			if rows > 5 {
				after = append(after, row)
			}
		}
		require.Equal(t, rows, p.Counters().Rows)
		if state == nil {
			return
		}
		require.NoError(t, p.RestoreState(state))
		for _, want := range after {
			var row Row
			_, ok, err := p.Next(timebase.EndOfTime, &row)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, want, row)
		}
	})
}

// drainAtMost plays at most n rows.
func drainAtMost(p *Player, n int) error {
	var row Row
	for range n {
		if _, ok, err := p.Next(timebase.EndOfTime, &row); err != nil || !ok {
			return err
		}
	}
	return nil
}
