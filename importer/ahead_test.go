//go:build linux && cgo

package importer_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// overlap runs three FMUs, each in a process of its own, one after another and with overlapping
// steps.
func (c *chained) overlap(t *testing.T) (want, got *told) {
	t.Helper()
	fmus := c.open(t)
	want, got = c.run(t, fmus, true, false), c.run(t, fmus, false, false)
	require.Equal(t, want.records, got.records)
	require.Equal(t, want.views, got.views)
	require.Equal(t, want.result, got.result)
	require.Equal(t, want.err, got.err)
	return want, got
}

func TestBegin_GivesWhatStepsInTurnGive(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, version int) {
		for _, algorithm := range []cosim.Algorithm{cosim.Sequential, cosim.Parallel} {
			for _, apart := range []bool{false, true} {
				spec := cosim.Spec{Algorithm: algorithm}
				c := &chained{version: version, spec: spec, apart: apart}
				for k := range c.orders {
					c.orders[k] = []string{"DoStep log", "DoStep sleep 5 2"}
				}
				want, got := c.overlap(t)
				require.Equal(t, "<nil>", got.err)
				require.Equal(t, want.messages, got.messages)
				require.Equal(t, want.order, got.order)
				(&chained{version: version, spec: spec, apart: apart,
					every: [3]float64{0, 0.2, 0}}).overlap(t)
				spec.Stop = timebase.Second * 95 / 100
				(&chained{version: version, spec: spec, apart: apart}).overlap(t)
			}
		}
	})
}

func TestBegin_FailuresComeInTurn(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, version int) {
		growing(t, func(limit time.Duration) (errs [2]string, is bool) {
			c := &chained{version: version, apart: true, limit: limit}
			c.orders[1] = []string{"DoStep hang 0 5"}
			fmus := c.open(t)
			want, got := c.run(t, fmus, true, false), c.run(t, fmus, false, false)
			return [2]string{want.err, got.err}, want.err == got.err &&
				assert.ObjectsAreEqual(want.records, got.records) &&
				assert.ObjectsAreEqual(want.views, got.views) &&
				assert.ObjectsAreEqual(want.result, got.result)
		})
		for k, order := range places("error 0 5", "fatal 0 5", "crash 0 5", "exit 3 5",
			"discard 0 5", "terminate 0 5") {
			c := &chained{version: version, apart: true}
			c.orders[k] = []string{"DoStep " + order}
			c.overlap(t)
			c.orders[(k+1)%3] = []string{"DoStep crash 0 5"}
			c.overlap(t)
		}
	})
}

// noting counts the steps that begin before their turn.
type noting struct {
	*importer.Instance
	count *int
}

func (n noting) Begin(as cosim.Participant, s timebase.Span) bool {
	can := as == cosim.Participant(n) && n.Instance.Begin(n.Instance, s)
	if can {
		*n.count++
	}
	return can
}

func TestBegin_OnlyInAProcessOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		version, want int
		spec          cosim.Spec
		shared, event bool
	}{
		{name: "FMI 2", version: 2, want: 2 * 10},
		// An FMU of FMI 3.0 may discard its step, which can be halved until another FMU has
		// advanced.
		{name: "FMI 3", version: 3, want: 10},
		{name: "parallel", version: 3, spec: cosim.Spec{Algorithm: cosim.Parallel}, want: 3 * 10},
		{name: "shared", version: 2, shared: true},
		{name: "events", version: 3, event: true},
		{name: "rollback", version: 2, spec: cosim.Spec{Rollback: true}},
		{name: "one thread", version: 2, spec: cosim.Spec{Threads: 1}},
		{name: "one thread in parallel", version: 2,
			spec: cosim.Spec{Threads: 1, Algorithm: cosim.Parallel}},
	} {
		t.Run(c.name, func(t *testing.T) {
			pool, count := &importer.Pool{}, 0
			c.spec.Stop, c.spec.Step = timebase.Second, cosim.Every(0.1)
			e := cosim.New(c.spec)
			for _, name := range []string{"a", "b", "c"} {
				i, err := open(t, testfmu.Recipe{Version: c.version}).NewInstance(name, pool,
					importer.Options{Shared: c.shared, EventMode: c.event})
				require.NoError(t, err)
				e.Add(name, noting{i, &count})
			}
			_, err := e.Run(context.Background())
			require.NoError(t, err)
			require.NoError(t, pool.Close())
			require.Equal(t, c.want, count)
		})
	}
}
