package scxml_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/experiment/scxml"
	"gosmp/timebase"
)

func TestSeconds(t *testing.T) {
	for at, text := range map[timebase.Time]string{
		0: "0.000000000", 1: "0.000000001", -1: "-0.000000001", 12_340_000_000: "12.340000000",
		math.MaxInt64: "9223372036.854775807", math.MinInt64: "-9223372036.854775808",
	} {
		require.Equal(t, text, scxml.Seconds(at))
	}
	rapid.Check(t, func(r *rapid.T) {
		at := rapid.Int64Min(0).Draw(r, "time")
		require.Equal(t, fmt.Sprintf("%d.%09d", at/1e9, at%1e9), scxml.Seconds(timebase.Time(at)))
	})
}

func TestRecord_String(t *testing.T) {
	r := scxml.Record{Time: 1_500_000_000, Machine: "brake", Kind: scxml.Followed, State: "idle",
		Event: "go", Text: "a\nb", Line: 3}
	require.Equal(t, `1.500000000 brake transition idle go: a\nb`, r.String())
	require.Equal(t, "0.000000000 brake start", scxml.Record{Machine: "brake"}.String())
}
