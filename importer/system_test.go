//go:build linux && cgo

package importer_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// pair creates an engine of two FMUs whose outputs and inputs are connected, and watches both.
func pair(t *testing.T, pool *importer.Pool, version int, algorithm cosim.Algorithm,
	shared bool) (*cosim.Engine, *cosim.Hash) {
	t.Helper()
	f := open(t, testfmu.Recipe{Version: version})
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1), Algorithm: algorithm})
	for _, name := range []string{"a", "b"} {
		i, err := f.NewInstance(name, pool, importer.Options{Shared: shared,
			Start: []importer.StartValue{{Name: "gain", Value: "0.5"}, {Name: "in", Value: "3"}}})
		require.NoError(t, err)
		e.Add(name, i)
	}
	e.Connect("a.out", "b.in")
	e.ConnectAs(cosim.Connection{From: "b.steps", To: "a.in"})
	h := cosim.NewHash(e.Watch("a.out"), e.Watch("b.out"), e.Watch("b.steps"), e.Watch("a.clock"))
	e.Observe(h)
	return e, h
}

func TestResume_InOtherProcessesGivesTheSameTrace(t *testing.T) {
	ctx := context.Background()
	for _, version := range []int{2, 3} {
		for _, algorithm := range []cosim.Algorithm{cosim.Sequential, cosim.Parallel} {
			pool := &importer.Pool{}
			whole, want := pair(t, pool, version, algorithm, true)
			require.NoError(t, whole.Start(ctx))
			for range 4 {
				_, err := whole.Step(ctx)
				require.NoError(t, err)
			}
			saved, err := whole.AppendState(ctx, nil)
			require.NoError(t, err)
			for more := true; more; {
				more, err = whole.Step(ctx)
				require.NoError(t, err)
			}
			sum := want.Sum()
			require.NoError(t, whole.RestoreState(ctx, saved), "the same processes")
			for more := true; more; {
				more, err = whole.Step(ctx)
				require.NoError(t, err)
			}
			_, err = whole.Finish(ctx)
			require.NoError(t, err)
			require.NoError(t, pool.Close())
			require.Equal(t, sum, want.Sum())

			pool = &importer.Pool{}
			rest, got := pair(t, pool, version, algorithm, false)
			require.NoError(t, rest.Resume(ctx, saved))
			for more := true; more; {
				more, err = rest.Step(ctx)
				require.NoError(t, err)
			}
			_, err = rest.Finish(ctx)
			require.NoError(t, err)
			require.NoError(t, pool.Close())
			require.Equal(t, sum, got.Sum())
		}
	}
}

func TestReset_StartsTheFMUAgain(t *testing.T) {
	ctx := context.Background()
	for _, version := range []int{2, 3} {
		pool := &importer.Pool{}
		e, _ := pair(t, pool, version, cosim.Sequential, true)
		steps := e.Watch("b.steps")
		require.NoError(t, e.Start(ctx))
		for range 3 {
			_, err := e.Step(ctx)
			require.NoError(t, err)
		}
		require.Equal(t, uint64(3), steps.Cells()[0])
		require.NoError(t, e.Reset(ctx))
		require.Zero(t, steps.Cells()[0])
		_, err := e.Step(ctx)
		require.NoError(t, err)
		require.Equal(t, uint64(1), steps.Cells()[0])
		_, err = e.Finish(ctx)
		require.NoError(t, err)
		require.NoError(t, pool.Close())
	}
}

func TestDepends_FollowsTheModelDescription(t *testing.T) {
	for _, version := range []int{2, 3} {
		structure := map[int]string{
			2: `<ModelStructure><Outputs><Unknown index="OUT"/></Outputs><InitialUnknowns>` +
				`<Unknown index="OUT" dependencies="IN"/></InitialUnknowns></ModelStructure>`,
			3: `<ModelStructure><Output valueReference="OUT"/>` +
				`<InitialUnknown valueReference="OUT" dependencies="IN"/></ModelStructure>`}[version]
		for _, dependent := range []bool{true, false} {
			f := open(t, testfmu.Recipe{Version: version, Describe: func(xml string) string {
				before, rest, _ := strings.Cut(xml, "<ModelStructure")
				_, after, _ := strings.Cut(rest, "</ModelStructure>")
				out, in := "2", "1" // positions in FMI 2.0, references in 3.0
				if version == 3 {
					out, in = "1", "0"
				}
				if !dependent {
					in = ""
				}
				return before + strings.NewReplacer("OUT", out, "IN", in).Replace(structure) + after
			}})
			i, err := f.NewInstance("x", &importer.Pool{}, importer.Options{})
			require.NoError(t, err)
			number := map[string]int{}
			for k, v := range i.Variables() {
				number[v.Name] = k
			}
			inputs, known := i.Depends(number["out"])
			require.True(t, known)
			require.Equal(t, dependent, len(inputs) == 1 && inputs[0] == number["in"])
			_, known = i.Depends(number["steps"])
			require.False(t, known, "not among the initial unknowns")
		}
	}
}
