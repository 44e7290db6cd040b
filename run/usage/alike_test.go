package usage

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAlike(t *testing.T) {
	known := map[string]bool{"--stop-time": false, "--duration": false, "--until": true,
		"--start-value": false, "--as": true, "--set": false}
	for option, want := range map[string][]string{
		"--stopTime":     {"--stop-time"},
		"--stop_time":    {"--stop-time"},
		"--end-time":     {"--stop-time", "--duration"}, // --until has other values here
		"--type":         {"--as"},
		"--start-values": {"--start-value", "--set"},
		"--step-size":    nil,
		"--nothing":      nil,
	} {
		require.Equal(t, want, Alike(option, known), option)
	}
}
