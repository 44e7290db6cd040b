package trace_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace"
)

func TestResolve(t *testing.T) {
	channels := []*trace.Channel{{Topic: "a.View", Type: "osi3.SensorView"}, {Topic: "a.Out"},
		{Topic: "b.Out"}, {Topic: "/ego/lidar/points"}, {Topic: "Out2"}, {Topic: "c.Out2"}}
	for name, topic := range map[string]string{
		"View": "a.View", "points": "/ego/lidar/points", "lidar/points": "/ego/lidar/points",
		"a.Out": "a.Out", "sv": "sv", "Out2": "Out2", "iew": "iew", "nothing": "nothing", "": "",
	} {
		found, err := trace.Resolve([]string{name}, channels)
		require.NoError(t, err, name)
		require.Equal(t, []string{topic}, found)
	}
	_, err := trace.Resolve([]string{"sv", "Out"}, channels)
	require.ErrorIs(t, err, trace.ErrAmbiguous)
	require.ErrorContains(t, err, `found "Out", expected one of a.Out, b.Out`)
}
