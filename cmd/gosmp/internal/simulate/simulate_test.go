package simulate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSimulate_Traffic verifies that a served simulator starts without vehicles: a director creates
// its own, often with the name of the host vehicle.
func TestSimulate_Traffic(t *testing.T) {
	three := 3
	for _, c := range []struct {
		command Command
		count   int
		host    string
	}{
		{Command{}, 10, "ego"},
		{Command{Actors: &three}, 3, "ego"},
		{Command{Serve: "127.0.0.1:7788"}, 0, ""},
		{Command{Serve: "127.0.0.1:7788", Actors: &three}, 3, ""},
	} {
		traffic := c.command.traffic()
		require.Equal(t, c.count, traffic.Count)
		require.Equal(t, c.host, traffic.Host)
	}
}
