package page_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/page"
	"gosmp/timebase"
)

func TestPage_HoldsTheRunAndNeedsNoNetwork(t *testing.T) {
	write := func() string {
		m, err := opendrive.ReadFile("../testdata/ring.xodr")
		require.NoError(t, err)
		w, err := mocksim.New(m, mocksim.Options{Seed: 1})
		require.NoError(t, err)
		require.NoError(t, w.Create(mocksim.Actor{Name: "</script>", Start: mocksim.OnRoad("1", -1,
			50)}))
		require.NoError(t, w.SetController("</script>", mocksim.Controller{}))
		p := page.New(w)
		for range 10 {
			events, err := w.Step(100 * timebase.Millisecond)
			require.NoError(t, err)
			p.Add(w, events)
		}
		require.Equal(t, 11, p.Len())
		var b bytes.Buffer
		require.NoError(t, p.Write(&b))
		return b.String()
	}
	text := write()
	require.Equal(t, text, write())
	require.NotContains(t, text, "http")
	require.Equal(t, 1, strings.Count(text, "</script>"))
	require.False(t, strings.Contains(text, ":null") || strings.Contains(text, ",null"),
		"the script counts on lists, also where nothing has happened")
	_, rest, found := strings.Cut(text, "const run = ")
	require.True(t, found)
	var run struct {
		Lines  [][]float64
		Areas  [][]float64
		Actors []struct{ Name string }
		Times  []float64
		Frames [][]float64
	}
	require.NoError(t, json.NewDecoder(strings.NewReader(rest)).Decode(&run))
	require.Len(t, run.Lines, 20)
	require.Len(t, run.Areas, 16, "four lanes of four roads")
	require.Equal(t, 1.0, run.Times[10])
	require.Len(t, run.Frames[10], 5)
	require.Greater(t, run.Frames[10][1], 50.0)
}

func TestDue(t *testing.T) {
	count := 0
	for k := range timebase.Time(100) {
		if page.Due(k*20*timebase.Millisecond, 0, 100*timebase.Millisecond,
			20*timebase.Millisecond) {
			count++
		}
	}
	require.Equal(t, 20, count)
}
