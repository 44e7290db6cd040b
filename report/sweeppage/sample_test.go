package sweeppage

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSample_TakesSoMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		most := rapid.IntRange(0, 3000).Draw(t, "most")
		take := sample(n, most)
		taken := 0
		for range n {
			if take() {
				taken++
			}
		}
		require.Equal(t, min(n, most), taken)
	})
}

// TestSample_HasNoRhythm: each of the 10 values of the last parameter occurs about equally often in
// the sample.
func TestSample_HasNoRhythm(t *testing.T) {
	var counts [10]int
	take := sample(10000, 4000)
	for k := range 10000 {
		if take() {
			counts[k%10]++
		}
	}
	for _, n := range counts {
		require.InDelta(t, 400, n, 60)
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		values []any
		ticks  []tick
	}{
		{[]any{1.0, 3.0, 2.0, 2.0, nil}, []tick{{0, "1"}, {500, "2"}, {1000, "3"}}},
		{[]any{"wet", "dry"}, []tick{{250, "wet"}, {750, "dry"}}},
		{[]any{1.0, "a"}, []tick{{250, "1"}, {750, "a"}}},
		{[]any{true}, []tick{{500, "true"}}},
		{[]any{7.5}, []tick{{500, "7.5"}}},
		{[]any{-1.7976931348623157e308, 1.7976931348623157e308}, []tick{{0, "-1.79769e+308"},
			{1000, "1.79769e+308"}}},
	} {
		require.Equal(t, c.ticks, newScale(c.values).ticks())
	}
	var many []any
	for k := range 101 {
		many = append(many, 0.1+0.01*float64(k))
	}
	require.Equal(t, []tick{{100, "0.2"}, {300, "0.4"}, {500, "0.6"}, {700, "0.8"}, {900, "1"}},
		newScale(many).ticks())
}

func TestPercent_IsWholeOnlyForAllAndNone(t *testing.T) {
	for text, of := range map[string][2]int{"100 %": {7, 7}, "0 %": {0, 7}, "99.9 %": {9999, 10000},
		"0.1 %": {1, 10000}, "33.3 %": {1, 3}, "–": {0, 0}} {
		require.Equal(t, text, percent(of[0], of[1]))
	}
}
