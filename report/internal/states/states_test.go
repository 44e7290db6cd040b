package states_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/report/internal/page"
	"gosmp/report/internal/states"
	"gosmp/timebase"
)

func TestLanes(t *testing.T) {
	at := timebase.Second
	records := []scxml.Record{
		{Machine: "a", Kind: scxml.Started},
		{Machine: "a", Kind: scxml.Entered, State: "outer"},
		{Machine: "a", Kind: scxml.Entered, State: "inner"},
		{Machine: "b", Kind: scxml.Started},
		{Time: at, Machine: "a", Kind: scxml.Took, Event: "go"},
		{Time: at, Machine: "a", Kind: scxml.Followed, State: "inner", Text: "failure", Line: 4},
		{Time: at, Machine: "a", Kind: scxml.Left, State: "inner"},
		{Time: at, Machine: "a", Kind: scxml.Entered, State: "failure"},
	}
	require.Equal(t, []page.Lane{{Name: "a", Bars: []page.Bar{
		{From: 0, To: 3, Text: "outer"}, {From: 0, To: 1, Text: "inner", Order: 1},
		{From: 1, To: 3, Text: "failure", Kind: "bad", Order: 2},
	}}}, states.Lanes(records, 3*at))
	require.Equal(t, []states.Change{{1, "a", "inner → failure by go", 4}}, states.Changes(records))
	require.Empty(t, states.Lanes(nil, at))
}

func TestEvents_ListsTheFirstOnes(t *testing.T) {
	records := []scxml.Record{
		{Machine: "a", Kind: scxml.Took, Event: "go"},
		{Machine: "a", Kind: scxml.Entered, State: "x"},
		{Time: timebase.Second, Machine: "b", Kind: scxml.Took, Event: "stop"},
	}
	list, further := states.Events(records, 1)
	require.Equal(t, []states.Event{{Machine: "a", Name: "go"}}, list)
	require.Equal(t, 1, further)
	list, further = states.Events(records, 2)
	require.Equal(t, states.Event{At: 1, Machine: "b", Name: "stop"}, list[1])
	require.Zero(t, further)
}
