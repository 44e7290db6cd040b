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

// The example's node keeps the vehicle in the right lane, whichever lane it starts in.
func TestLane(t *testing.T) {
	python := interpreters(t, "rclpy")[0]
	lane := filepath.Join("..", "..", "examples", "lane")
	d := domain()
	t.Setenv("ROS_DOMAIN_ID", strconv.Itoa(d))
	launch(t, python, d, filepath.Join(lane, "follow.py"), "-5.25", "15")
	o := run.Defaults(filepath.Join(lane, "straight.xodr"))
	stop := 20.0
	o.StopTime, o.RealTime, o.Bridge = &stop, 1, filepath.Join(lane, "bridge.json")
	o.OutputFile = filepath.Join(t.TempDir(), "a.csv")
	o.OutputVariables = []string{"actor.ego.y"}
	simulation := run.New(o)
	err := simulation.Run(t.Context())
	require.NoError(t, err)
	s := simulation.Summary(err)
	require.NoError(t, simulation.Close())
	require.NotZero(t, s.Bridge.Received, "the node has driven")
	b, err := os.Open(o.OutputFile)
	require.NoError(t, err)
	defer func() { _ = b.Close() }()
	rows, err := csv.NewReader(b).ReadAll()
	require.NoError(t, err)
	y, err := strconv.ParseFloat(rows[len(rows)-1][slices.Index(rows[0], "actor.ego.y")], 64)
	require.NoError(t, err)
	require.InDelta(t, -5.25, y, 1)
}
