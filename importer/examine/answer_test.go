package examine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/worker/probe"
)

// TestSameAnswer_NotReached checks that a step that a shorter script does not reach is not taken for
// one that the FMU accepts.
func TestSameAnswer_NotReached(t *testing.T) {
	p := &play{ops: []probe.Op{{Code: "fmi2GetString"}, {Code: "fmi2DoStep"}}}
	ran := func(step probe.Record, stopped int) *run {
		return &run{play: p, Result: &probe.Result{Done: true, Stopped: stopped,
			Records: []probe.Record{{Runs: 1}, step}}}
	}
	o := &outcome{play: p, at: 1, run: ran(probe.Record{Runs: 1}, -1)}
	same := func(r *run) bool {
		_, is := o.sameAnswer().shown(r, func(k int) int { return k })
		return is
	}
	require.True(t, same(ran(probe.Record{Runs: 1}, -1)))
	require.False(t, same(ran(probe.Record{}, 0)))
}
