package cosim_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/timebase"
)

// traveller is a mate that records its courses. It never goes ahead.
type traveller struct {
	mate
	variable bool // it accepts steps of any length, and may discard them
}

func (v traveller) Traits() cosim.Traits {
	traits := v.plant.Traits()
	traits.VariableSteps = v.variable
	return traits
}

func (v traveller) Joins(first cosim.Participant) bool {
	return v.mate.Joins(first.(traveller).mate)
}

func (v traveller) NewBatch([]cosim.Participant, []cosim.Wire) cosim.Batch { return nil }

func (v traveller) NewCourse(all []cosim.Participant, wires []cosim.Wire) cosim.Course {
	text := fmt.Sprintf("%s: %d", v.house, len(all))
	for _, w := range wires {
		text += fmt.Sprintf(" %d-%d", w.From, w.To)
	}
	*v.heard = append(*v.heard, text)
	return v
}

func (v traveller) IsAhead() bool { return false }

func (v traveller) Begin(s timebase.Span, n int64) {
	*v.heard = append(*v.heard, fmt.Sprintf("%s: %d from %v", v.house, n, s.Start.Seconds()))
}

func TestEngine_CoursesAreOfParticipantsWithoutInputsFromOutside(t *testing.T) {
	const stop = 3 * baseStep
	one := []string{"a: 3", "a: 3 from 0", "a: 2 from 0.125", "a: 1 from 0.25"}
	for _, c := range []struct {
		name     string
		houses   string      // of plants
		links    [][2]string // between them
		spec     cosim.Spec
		variable bool // steps
		slow     bool // the last one
		convert  bool
		stepwise bool
		want     []string
	}{
		{name: "together", houses: "aaa", variable: true, want: one},
		{name: "connected", houses: "aaa", links: [][2]string{{"0.y0", "1.u0"}, {"1.y0", "0.u0"}},
			want: append([]string{"a: 3 1-0 0-1"}, one[1:]...)},
		{name: "two groups", houses: "ab", spec: cosim.Spec{Stop: baseStep},
			want: []string{"a: 1", "b: 1", "a: 1 from 0", "b: 1 from 0"}},
		{name: "that may repeat steps", houses: "ab", variable: true},
		{name: "with inputs from another group", houses: "ab", links: [][2]string{{"0.y0",
			"1.u0"}}, spec: cosim.Spec{Stop: baseStep}, want: []string{"a: 1", "a: 1 from 0"}},
		{name: "with converted inputs", houses: "aa", links: [][2]string{{"0.y0", "1.u0"}},
			convert: true},
		{name: "with the last step shortened", houses: "a", variable: true,
			spec: cosim.Spec{Stop: baseStep + 1}, want: []string{"a: 1", "a: 1 from 0"}},
		{name: "another rate", houses: "aab", slow: true},
		{name: "rollback", houses: "aaa", spec: cosim.Spec{Rollback: true}},
		{name: "a clock", houses: "aaa", spec: cosim.Spec{Speed: 1000}},
		{name: "one thread", houses: "aaa", spec: cosim.Spec{Threads: 1}},
		{name: "parallel", houses: "aa", spec: cosim.Spec{Algorithm: cosim.Parallel,
			Stop: baseStep}, want: []string{"a: 1", "a: 1", "a: 1 from 0", "a: 1 from 0"}},
		{name: "step by step", houses: "aaa", stepwise: true, want: []string{"a: 3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var heard []string
			if c.spec.Step = cosim.Every(baseStep.Seconds()); c.spec.Stop == 0 {
				c.spec.Stop = stop
			}
			e := cosim.New(c.spec)
			for k, house := range c.houses {
				step := cosim.Grid{}
				if c.slow && k == len(c.houses)-1 {
					step = cosim.Every(2 * baseStep.Seconds())
				}
				p := &plant{weights: []float64{1}, direct: []float64{0}}
				e.AddEvery(fmt.Sprint(k), traveller{mate{p, string(house), &heard}, c.variable},
					step)
			}
			for _, l := range c.links {
				link := cosim.Connection{From: l[0], To: l[1]}
				if c.convert {
					link.Conversions = []cosim.Conversion{cosim.Linear(2, 0)}
				}
				e.ConnectAs(link)
			}
			require.NoError(t, e.Start(context.Background()))
			for more := c.stepwise; more; {
				var err error
				more, err = e.Step(context.Background())
				require.NoError(t, err)
			}
			require.NoError(t, e.Continue(context.Background()))
			_, err := e.Finish(context.Background())
			require.NoError(t, err)
			require.Equal(t, c.want, heard)
		})
	}
}
