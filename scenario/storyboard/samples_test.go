package storyboard

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSamples_At: the ring buffer returns what a list of all samples would return, no matter when
// it grows and how much of it has been discarded.
func TestSamples_At(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s samples
		var all []sample
		delay := rapid.IntRange(0, 12).Draw(t, "delay")
		for now := range rapid.IntRange(1, 60).Draw(t, "samples") {
			x := sample{time: float64(now), true: rapid.Bool().Draw(t, "true"),
				mask: rapid.Uint64Range(0, 2).Draw(t, "mask")}
			s.add(x)
			all = append(all, x)
			if rapid.IntRange(0, 3).Draw(t, "look") == 0 {
				continue
			}
			var want sample
			if k := now - delay; k >= 0 {
				want = all[k]
			}
			found, mask := s.at(float64(now - delay))
			require.Equal(t, want.true, found)
			require.Equal(t, want.mask, mask)
		}
	})
}
