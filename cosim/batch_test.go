package cosim_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/timebase"
)

// mate is a plant that joins all mates of its house, and records the batches that are announced to
// it.
type mate struct {
	*plant
	house string
	heard *[]string
}

func (m mate) Joins(first cosim.Participant) bool {
	other, is := first.(mate)
	return is && other.house == m.house
}

func (m mate) NewBatch(all []cosim.Participant, wires []cosim.Wire) cosim.Batch {
	*m.heard = append(*m.heard, fmt.Sprintf("%s: %d with %+v", m.house, len(all), wires))
	return m
}

func (m mate) Announce(n int, s timebase.Span) {
	*m.heard = append(*m.heard, fmt.Sprintf("%s: %d until %v", m.house, n, s.End.Seconds()))
}

func TestEngine_BatchesAreOfParticipantsThatStepOneAfterAnother(t *testing.T) {
	for _, c := range []struct {
		name      string
		houses    string // of four plants in a row
		algorithm cosim.Algorithm
		convert   bool // between the second and the third
		slow      bool // the last one
		want      []string
	}{
		{name: "all", houses: "aaaa",
			want: []string{"a: 4 with [{From:0 To:1 FromAt:0 ToAt:0 Size:1 Blobs:false} " +
				"{From:1 To:2 FromAt:0 ToAt:0 Size:1 Blobs:false} {From:2 To:3 FromAt:0 ToAt:0 " +
				"Size:1 Blobs:false}]", "a: 4 until 0.125", "a: 4 until 0.25"}},
		{name: "two", houses: "aabb",
			want: []string{"a: 2 with [{From:0 To:1 FromAt:0 ToAt:0 Size:1 Blobs:false}]",
				"b: 2 with [{From:0 To:1 FromAt:0 ToAt:0 Size:1 Blobs:false}]", "a: 2 until 0.125",
				"b: 2 until 0.125", "a: 2 until 0.25", "b: 2 until 0.25"}},
		{name: "in turns", houses: "abab"},
		{name: "parallel", houses: "aaba", algorithm: cosim.Parallel, want: []string{"a: 3 with []",
			"a: 3 until 0.125", "a: 3 until 0.25"}},
		{name: "a conversion", houses: "baaa", convert: true,
			want: []string{"a: 2 with [{From:0 To:1 FromAt:0 ToAt:0 Size:1 Blobs:false}]",
				"a: 2 until 0.125", "a: 2 until 0.25"}},
		{name: "another rate", houses: "bcaa", slow: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var heard []string
			e := cosim.New(cosim.Spec{Stop: 2 * baseStep, Step: cosim.Every(baseStep.Seconds()),
				Algorithm: c.algorithm})
			for k, house := range c.houses {
				step := cosim.Grid{}
				if c.slow && k == 3 {
					step = cosim.Every(2 * baseStep.Seconds())
				}
				e.AddEvery(fmt.Sprint(k), mate{&plant{weights: []float64{1}, direct: []float64{0}},
					string(house), &heard}, step)
			}
			for k := range 3 {
				link := cosim.Connection{From: fmt.Sprintf("%d.y0", k), To: fmt.Sprintf("%d.u0",
					k+1)}
				if c.convert && k == 1 {
					link.Conversions = []cosim.Conversion{cosim.Linear(2, 0)}
				}
				e.ConnectAs(link)
			}
			_, err := e.Run(context.Background())
			require.NoError(t, err)
			require.Equal(t, c.want, heard)
		})
	}
}
