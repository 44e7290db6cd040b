package examine

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/worker/probe"
)

// TestGrowth_FewLives checks that a block that is allocated once in each loop does not count as a
// leak if a slow machine made only few lives, and that blocks of every life and descriptors do.
func TestGrowth_FewLives(t *testing.T) {
	run := func(name string, lives, each int) *run {
		r := &run{Result: &probe.Result{}}
		for k := range 3 {
			r.Records = append(r.Records,
				probe.Record{Out: fmt.Appendf(nil, "%s=%d\n", name, k*each)},
				probe.Record{Runs: lives})
		}
		r.Records = append(r.Records, probe.Record{Out: fmt.Appendf(nil, "%s=%d\n", name, 3*each)})
		return r
	}
	itself := func(k int) int { return k }
	for _, c := range []struct {
		name        string
		lives, each int
		fewest      int
		grows       bool
	}{
		{"heap", 2, 400, fewLives, false},
		{"heap", 60, 2000, fewLives, true},
		{"heap", 2, 4096, fewLives, true},
		{"descriptors", 1, 1, 0, true},
	} {
		slack := map[string]float64{"heap": leak, "descriptors": 0.2}[c.name]
		g := growth{at: []int{0, 2, 4, 6}, loops: []int{1, 3, 5}, name: c.name, slack: slack,
			fewest: c.fewest}
		_, lives, grows := g.least(run(c.name, c.lives, c.each), itself)
		require.Equal(t, c.grows, grows, "%+v", c)
		require.Equal(t, 3*c.lives, lives)
	}
}
