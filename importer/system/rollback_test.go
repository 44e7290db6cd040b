//go:build linux && cgo

package system_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// progress records the time, the numbers of steps of two FMUs, and the value received by the second
// one.
type progress struct {
	steps   [2]*cosim.Signal
	out     *cosim.Signal
	message *cosim.Signal
	lines   []string
}

func (p *progress) Begin(*cosim.Result) error { return nil }
func (p *progress) End(*cosim.Result) error   { return nil }
func (p *progress) Row(t timebase.Time, _ cosim.Row) error {
	p.lines = append(p.lines, fmt.Sprintf("%v: %d and %d steps, %.12g, %s", t.Seconds(),
		p.steps[0].Cells()[0], p.steps[1].Cells()[0],
		math.Float64frombits(p.out.Cells()[0]), p.message.Blobs()[0]))
	return nil
}

// The second FMU discards its seventh step after the first one has completed it. Both are rolled
// back, whether in separate processes or in one, and take two steps of half the length.
func TestRollback_ALateDiscardRollsBackAll(t *testing.T) {
	sound := build(t, testfmu.Recipe{OSMP: true})
	for _, version := range []int{2, 3} {
		for _, shared := range []bool{false, true} {
			recipe := testfmu.Recipe{Version: version, OSMP: version == 2,
				Orders: []string{"DoStep discard 0 7"}}
			s, err := system.Open([]string{"a=" + sound, "b=" + build(t, recipe)})
			require.NoError(t, err)
			input, output := "b.OSMPSensorViewIn", "b.OSMPSensorDataOut"
			if version == 3 {
				input, output = "b.message", "b.echo"
			}
			require.NoError(t, s.Connect([]string{"a.clock=b.in", "a.OSMPSensorDataOut=" + input}))
			pool := &importer.Pool{}
			e, err := s.Engine(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1),
				Rollback: true}, pool,
				func(*system.Part) importer.Options { return importer.Options{Shared: shared} })
			require.NoError(t, err)
			e.AddSource("source", cosim.NewSequence(cosim.Variable{Name: "view", Kind: cosim.Binary,
				Size: 1},
				[]timebase.Time{0, 6 * timebase.Second / 10, 65 * timebase.Second / 100},
				[][]byte{[]byte("first"), []byte("second"), []byte("third")}))
			e.Connect("source.view", "a.OSMPSensorViewIn")
			p := &progress{steps: [2]*cosim.Signal{e.Watch("a.steps"), e.Watch("b.steps")},
				out: e.Watch("b.out"), message: e.Watch(output)}
			e.Observe(p)
			result, err := e.Run(context.Background())
			require.NoError(t, err)
			require.NoError(t, pool.Close())
			require.Equal(t, int64(10), result.Steps)
			require.Equal(t, []string{"0.5: 5 and 5 steps, 0.5, first",
				"0.6: 6 and 6 steps, 0.6, first", "0.65: 7 and 7 steps, 0.65, second",
				"0.7: 8 and 8 steps, 0.7, third", "0.8: 9 and 9 steps, 0.8, third"}, p.lines[5:10],
				"FMI %d.0, shared %v", version, shared)
		}
	}
}

// If an FMU cannot save and restore its state, the system cannot be rolled back. This is reported
// before anything is loaded.
func TestRollback_RefusesFMUsThatCannotGoBack(t *testing.T) {
	able := testfmu.Build(t, testfmu.Recipe{})
	unable := testfmu.Build(t, testfmu.Recipe{Describe: func(xml string) string {
		return strings.Replace(xml, ` canGetAndSetFMUstate="true"`, "", 1)
	}})
	s, err := system.Open([]string{"a=" + able, "b=" + unable})
	require.NoError(t, err)
	pool := &importer.Pool{}
	e, err := s.Engine(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1), Rollback: true},
		pool,
		func(*system.Part) importer.Options { return importer.Options{} })
	require.NoError(t, err)
	_, err = e.Run(context.Background())
	require.ErrorContains(t, err,
		"b: impossible run: found a participant that cannot restore a state")
	require.NoError(t, pool.Close())
}
