package examine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGrowing_EqualSizes checks that whatever the step, two messages in a row have the same size:
// without them, an FMU that keeps the address of a message of the same size would not be found.
func TestGrowing_EqualSizes(t *testing.T) {
	for _, name := range []string{"SensorView", "GroundTruth", "SensorData", "TrafficUpdate"} {
		for _, h := range []float64{0.01, 0.1, 0.25, 0.5, 1, 1.0 / 3, 1.0 / 60} {
			for _, start := range []float64{0, -h / 4, 5} {
				for n := 2; n <= 5; n++ {
					list := growing(name, start, h, n)
					require.Len(t, list, n)
					last := (n - 1) / 2 * 2
					if n == 2 {
						last = 1
					}
					require.Len(t, list[last], len(list[last-1]), "%s, %g s from %g", name, h, start)
				}
			}
		}
		require.Greater(t, len(growing("SensorView", 0, 0.1, 5)[4]),
			len(growing("SensorView", 0, 0.1, 5)[0]))
	}
}
