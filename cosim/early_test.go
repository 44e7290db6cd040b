package cosim_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/timebase"
)

// hasty is a plant whose step can begin before its turn.
type hasty struct {
	*plant
	name  string
	sound bool // it may discard its step
	heard *[]string
}

func (h hasty) Begin(as cosim.Participant, _ timebase.Span) bool {
	*h.heard = append(*h.heard, "begin "+h.name)
	return as == cosim.Participant(h)
}

func (h hasty) DiscardsSoundly() bool { return h.sound }

func (h hasty) Step(ctx context.Context, s timebase.Span) (cosim.Advance, error) {
	*h.heard = append(*h.heard, h.name)
	return h.plant.Step(ctx, s)
}

func TestEngine_StepsBeginWhenTheirInputsAreReady(t *testing.T) {
	for _, c := range []struct {
		name  string
		links [][2]int
		sound string // participants that may discard steps
		slow  bool   // the last one
		spec  cosim.Spec
		want  []string // of the first step
	}{
		{name: "apart", want: []string{"begin 1", "begin 2", "begin 3", "0", "1", "2", "3"}},
		{name: "in a row", links: [][2]int{{0, 1}, {1, 2}, {2, 3}},
			want: []string{"0", "1", "2", "3"}},
		{name: "two pairs", links: [][2]int{{0, 1}, {2, 3}},
			want: []string{"begin 2", "0", "1", "2", "3"}},
		{name: "a fork", links: [][2]int{{0, 1}, {0, 2}, {0, 3}},
			want: []string{"0", "begin 2", "begin 3", "1", "2", "3"}},
		{name: "a lagging value", links: [][2]int{{0, 1}, {1, 0}},
			want: []string{"begin 2", "begin 3", "0", "1", "2", "3"}},
		{name: "the first may discard", sound: "0",
			want: []string{"0", "begin 2", "begin 3", "1", "2", "3"}},
		{name: "the second may discard", sound: "1",
			want: []string{"begin 1", "0", "begin 2", "begin 3", "1", "2", "3"}},
		{name: "the last may discard", sound: "3",
			want: []string{"begin 1", "begin 2", "begin 3", "0", "1", "2", "3"}},
		{name: "the first may discard before a fork", sound: "0", links: [][2]int{{0, 1}, {0, 2}},
			want: []string{"0", "begin 3", "begin 2", "1", "2", "3"}},
		{name: "another rate", slow: true,
			want: []string{"begin 1", "begin 2", "0", "1", "2", "3"}},
		{name: "rollback", spec: cosim.Spec{Rollback: true}, want: []string{"0", "1", "2", "3"}},
		{name: "one thread", spec: cosim.Spec{Threads: 1}, want: []string{"0", "1", "2", "3"}},
		{name: "parallel", spec: cosim.Spec{Algorithm: cosim.Parallel},
			links: [][2]int{{0, 1}, {1, 2}, {2, 3}},
			want:  []string{"begin 0", "begin 1", "begin 2", "begin 3", "0", "1", "2", "3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var heard []string
			c.spec.Stop, c.spec.Step = baseStep, cosim.Every(baseStep.Seconds())
			e := cosim.New(c.spec)
			for k := range 4 {
				step := cosim.Grid{}
				if c.slow && k == 3 {
					step = cosim.Every(2 * baseStep.Seconds())
				}
				name := fmt.Sprint(k)
				e.AddEvery(name, hasty{&plant{weights: []float64{1}, direct: []float64{0}}, name,
					c.sound == name, &heard}, step)
			}
			for _, l := range c.links {
				e.Connect(fmt.Sprintf("%d.y0", l[0]), fmt.Sprintf("%d.u0", l[1]))
			}
			_, err := e.Run(context.Background())
			require.NoError(t, err)
			require.Equal(t, c.want, heard)
		})
	}
}
