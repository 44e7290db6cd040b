package ddspeers

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/run"
)

// The example's node keeps the vehicle in the right lane, whichever lane it starts in: the host
// vehicle of a map, and the ego vehicle of a scenario.
func TestLane(t *testing.T) {
	python := interpreters(t, "rclpy")[0]
	for _, c := range [][3]string{{"straight.xodr", "bridge.json", "actor.ego.y"},
		{"passing.xosc", "scenario.json", "Ego.y"}} {
		t.Run(c[0], func(t *testing.T) { followed(t, python, c[0], c[1], c[2]) })
	}
}

// followed runs the node of the example with a map or a scenario, whose ego vehicle has a variable
// with its place across the road.
func followed(t *testing.T, python, file, config, across string) {
	lane := filepath.Join("..", "..", "examples", "lane")
	d := domain()
	t.Setenv("ROS_DOMAIN_ID", strconv.Itoa(d))
	launch(t, python, d, filepath.Join(lane, "follow.py"), "-5.25", "15")
	o := run.Defaults(filepath.Join(lane, file))
	if stop := 20.0; file == "straight.xodr" {
		o.StopTime = &stop
	} else {
		o.Require = []string{"no collision"}
	}
	o.RealTime, o.Bridge = 1, filepath.Join(lane, config)
	o.OutputFile = filepath.Join(t.TempDir(), "a.csv")
	o.OutputVariables = []string{across}
	result, err := run.Run(t.Context(), o)
	require.NoError(t, err)
	require.True(t, result.Passed)
	if result.Summary != nil {
		require.NotZero(t, result.Summary.Bridge.Received, "the node has driven")
	}
	b, err := os.Open(o.OutputFile)
	require.NoError(t, err)
	defer func() { _ = b.Close() }()
	rows, err := csv.NewReader(b).ReadAll()
	require.NoError(t, err)
	y, err := strconv.ParseFloat(rows[len(rows)-1][slices.Index(rows[0], across)], 64)
	require.NoError(t, err)
	require.InDelta(t, -5.25, y, 0.3, "it would stay where it starts")
}
